"""Every rival in one table: the same robots, states and truth for all programs that answer the same question, one state a call
from Python and many at once. Wrong answers are named and timed all the same, so that errors stand beside times."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from gough import Robot, UsageError
from gough.robots import four_bar_chain
from gough_bench.grbda_peer import source_commit
from gough_bench.machine import machine
from gough_bench.ours import OurC, OurCall, Ours
from gough_bench.peer import Peer
from gough_bench.run import FUNCTIONS, PEERS, Effort, bare_model, compare, judged_case, load_quietly
from gough_bench.states import lossless_robot, random_states

RIVALS = tuple(name for name in PEERS if name not in ("casadi", "casadi-c", "jax"))
"""Peers that are programs of others; the rest run this library's programs on other machines."""
HERE = Path(__file__).parent


@dataclass(frozen=True)
class Subject:
    """A robot of the table. states: how many; few where a rival takes seconds for one. exported: whether gough's C is in it,
    which compilers take minutes for where robots are large."""

    what: str
    robot: Callable[[], Robot]
    states: int = 32
    exported: bool = True


def _chain(n: int) -> Callable[[], Robot]:
    return lambda: four_bar_chain(n, name=f"four_bars_{n}")


SUBJECTS: dict[str, Subject] = {
    "hexapod": Subject("6-UPS hexapod (`pedrammehr2012`)", lambda: load_quietly("pedrammehr2012")),
    "delta": Subject("Delta with parallelograms of rods (`delta`)", lambda: load_quietly("delta")),
    "five_bar": Subject("five-bar (`five_bar`)", lambda: load_quietly("five_bar")),
    "ankle": Subject(
        "humanoid's ankle, two motors, cranks and rods (`src/gough_bench/robots/parallel_ankle.yaml`)",
        lambda: load_quietly(str(HERE / "robots" / "parallel_ankle.yaml")),
    ),
    "four_bars_2": Subject("two four-bars in a row", _chain(2)),
    "four_bars_20": Subject("20 four-bars in a row", _chain(20), 8),
    "four_bars_200": Subject("200 four-bars in a row", _chain(200), 2, False),
    "flexible": Subject(
        "hexapod whose platform has ten modes (`long2014` without the inertia of its drives)",
        lambda: lossless_robot(load_quietly("long2014"), rotors=False),
        16,
    ),
}
SCOPE = (
    "friction and springs left out; states assembled around home, the same for all; no wrench; joint coordinates known; "
    "times are the best of rounds in which all take turns; ratios are to gough called the same way in the same run, one "
    "state a call from Python or many states at once on as many threads; errors are largest relative differences to the "
    "truth: a solution of the tree's equations in extended precision (`src/gough_bench/truth.py`), of robots that bend "
    "gough's own"
)
EFFORT = Effort(rounds=40, batch=1 << 13)


def run_rivals(
    subjects: Sequence[str] | None = None,
    peers: Sequence[str] | None = None,
    effort: Effort = EFFORT,
    functions: Sequence[str] = FUNCTIONS,
    say: Callable[[str], None] = lambda text: None,
) -> dict[str, Any]:
    """Measure all rivals on all subjects (default all of both); Ctrl-C ends it early with what is done.

    The result: format, scope, machine, robots {name: {what, functions {name: as in `gough bench`}}}, interrupted.
    """
    for kind, asked, known in (("peer", peers, PEERS), ("robot", subjects, SUBJECTS)):
        unknown = [name for name in asked or () if name not in known]
        if unknown:
            raise UsageError(f"no {kind} {', '.join(unknown)}; there are {', '.join(known)}")
    result: dict[str, Any] = {"format": 1, "scope": SCOPE, "machine": machine(), "robots": {}, "interrupted": False}
    if commit := source_commit():
        result["machine"]["versions"]["generalized_rbda"] = commit
    try:
        for name in subjects if subjects is not None else SUBJECTS:
            subject = SUBJECTS[name]
            say(f"{name}: building")
            made = result["robots"][name] = {"what": subject.what, "functions": {}}
            model = bare_model(subject.robot())
            states = random_states(model, min(subject.states, effort.states))
            for function in functions:
                if function == "inverse_dynamics" and not model.driven:
                    continue
                everyone: list[Peer] = [Ours(effort.batch), OurCall(), *([OurC()] if subject.exported else [])]
                everyone += [PEERS[k]() for k in (peers if peers is not None else RIVALS)]
                told = lambda text, name=name: say(f"{name}: {text}")  # noqa: E731
                figures = made["functions"][function] = {}
                compare(judged_case(model, function, states), everyone, effort, told, figures, time_wrong=True)
    except KeyboardInterrupt:
        result["interrupted"] = True
    return result


def short_effort(effort: Effort) -> Effort:
    """The same with a few rounds on few states."""
    return replace(effort, states=4, rounds=3, batch=256, budget=0.001)
