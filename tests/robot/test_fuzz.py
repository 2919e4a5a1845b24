"""Thousands of changed descriptions: each loads or is refused in the library's own words, and what loads can be checked."""

import signal
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest

from gough.cli.check import examine
from gough.errors import GoughError
from gough.robot import Robot, loads
from gough.simulation.motion.files import read_motion
from gough.simulation.scenarios.files import read_scenario
from gough.text import printable
from robot.mutations import bases, gallery, mutant

BASES = bases()
MOTIONS = {f"motion {name}": text for name, text in gallery("gough.simulation.motion").items()}
SCENARIOS = {f"scenario {name}": text for name, text in gallery("gough.simulation.scenarios").items()}
QUICK = range(10)
LOADED = range(10, 760)
"""Numbers of the mutants of each base: kept, so that what failed once is tried again. About 20 000 in all."""
CHECKED = range(760, 800)
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
