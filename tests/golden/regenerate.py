"""Write counts.toml anew: `python tests/golden/regenerate.py`. Look at the difference before keeping it."""

from __future__ import annotations

import warnings
from functools import cache
from pathlib import Path

import gough
from gough.robot import gallery

FILE = Path(__file__).with_name("counts.toml")
FUNCTIONS = ("inverse_dynamics", "forward_dynamics", "mass_matrix")
FORMS = {"inputs": False, "baked": True}
MESHED = ("delta_flexible", "dualemps_8", "flexible_slider_crank", "hexapod_flexible", "long2014", "spin_up_beam")
"""Robots that are not counted: which of their numbers are zero hangs on rounding in eigenvalue solvers."""
HEAD = """# Operations of the gallery robots by the counting rules, friction off; parameters as inputs, or baked as numbers.
# Written by `python tests/golden/regenerate.py`: a change here is a change of the programs.
"""


def counted() -> list[str]:
    """Robots on file."""
    return [robot for robot in gallery() if robot not in MESHED]


@cache
def model(robot: str) -> gough.Model:
    """Model of a gallery robot."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return gough.build(robot)


def functions(robot: str) -> tuple[str, ...]:
    """Functions that are counted: no inverse dynamics where there are too few drives."""
    return FUNCTIONS if model(robot).driven else FUNCTIONS[1:]


@cache
def counts(robot: str, function: str) -> dict[str, dict[str, int]]:
    """{"inputs": {add: …}, "baked": {add: …}} of one function of a robot."""
    return {form: model(robot).count(function, baked=baked, friction=False).as_dict() for form, baked in FORMS.items()}


def text() -> str:
    """The whole file."""
    lines = [HEAD]
    for robot in counted():
        for function in functions(robot):
            for form, count in counts(robot, function).items():
                entries = [f"{key} = {value}\n" for key, value in count.items()]
                lines.append("".join([f"[{robot}.{function}.{form}]\n", *entries]))
    return "\n".join(lines)


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
    print(f"wrote {FILE}")
