"""Thousands of changed descriptions: each loads or is refused in the library's own words, and what loads can be checked."""

import signal
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from gough.cli.check import examine
from gough.errors import GoughError
from gough.motions import read_motion, spline_file
from gough.robot import Robot, loads
from gough.text import printable
from inner.cli import read_table
from inner.simulation import read_scenario
from robot.mutations import bases, gallery, mutant

BASES = bases()
MOTIONS = {f"motion {name}": text for name, text in gallery("gough.simulation.motion").items()}
SCENARIOS = {f"scenario {name}": text for name, text in gallery("gough.simulation.scenarios").items()}
POSES = "# drawn\nt [ms], x [mm], y, z, yaw [deg], pitch, roll\n" + "".join(
    f"{k}0, {k}, 0.{k}, 1, {k}, 0, 0\n" for k in range(9)
)
STATES = "left_motor,right_motor,v.left_motor\n0.1,0.2,0.3\n1,2,3\n"
TABLES: dict[str, tuple[str, Callable[[Path], Any]]] = {"poses": (POSES, spline_file), "states": (STATES, read_table)}
QUICK = range(10)
LOADED = range(10, 260)
"""Numbers of the mutants of each base: kept, so that what failed once is tried again. About 13 000 in all."""
CHECKED = range(760, 774)
SECONDS = 30.0
"""Of computing, after which a mutant hangs."""


@contextmanager
def hang_told() -> Iterator[None]:
    """An error in the place of a hang."""

    def told(*_: object) -> None:
        raise TimeoutError(f"more than {SECONDS:g} s")

    before = signal.signal(signal.SIGVTALRM, told)
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0.0)
        signal.signal(signal.SIGVTALRM, before)


def read(text: str) -> Robot | None:
    """The robot, or None where the description is refused; anything else is an error."""
    with hang_told(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return loads(text, "mutant.yaml")
        except GoughError as error:
            refused = str(error)
    assert refused and printable(refused) == refused
    return None


@pytest.mark.quick_cases(
    "five_bar.yaml", "long2014.yaml", "five_unequal_legs.yaml", "delta.yaml", "three_rrr.yaml", "pedrammehr2012.yaml"
)
@pytest.mark.parametrize("base", BASES)
def test_some_mutants_load_or_are_refused(base):
    for number in QUICK:
        read(mutant(base, BASES[base], number))


@pytest.mark.slow
@pytest.mark.parametrize("base", BASES)
def test_mutants_load_or_are_refused(base):
    for number in LOADED:
        read(mutant(base, BASES[base], number))


@pytest.mark.slow
@pytest.mark.parametrize("base", MOTIONS)
def test_mutants_of_motions_are_read_or_refused(base):
    for number in LOADED:
        with hang_told(), suppress(GoughError):
            read_motion(mutant(base, MOTIONS[base], number), "mutant.yaml")


@pytest.mark.slow
@pytest.mark.parametrize("base", TABLES)
def test_mutants_of_tables_are_read_or_refused(base, tmp_path):
    text, read_it = TABLES[base]
    for number in LOADED:
        file = tmp_path / "mutant.csv"
        file.write_text(mutant(base, text, number), encoding="utf-8", errors="replace", newline="")
        with hang_told(), suppress(GoughError):
            read_it(file)


@pytest.mark.slow
@pytest.mark.parametrize("base", SCENARIOS)
def test_mutants_of_scenarios_are_read_or_refused(base):
    for number in CHECKED:
        with hang_told(), suppress(GoughError):
            read_scenario(mutant(base, SCENARIOS[base], number), "mutant.yaml", robot="five_bar")


@pytest.mark.slow
@pytest.mark.parametrize("base", BASES)
def test_mutants_that_load_can_be_checked(base, tmp_path):
    for number in CHECKED:
        text = mutant(base, BASES[base], number, gentle=True)
        if read(text) is None:
            continue
        file = tmp_path / f"mutant{number}.yaml"
        file.write_text(text, encoding="utf-8")
        with hang_told(), suppress(GoughError):
            examine(str(file))
