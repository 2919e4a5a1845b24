"""Wrong arguments of public calls end in the library's own errors, or in a result; never in a raw one, a hang or a full memory.

Every call of `good_calls` is made with one or two of its arguments replaced by values of `nasty`; seeds are kept.
"""

from __future__ import annotations

import os
import resource
import signal
import traceback
import warnings
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import pytest

import gough
from calls.good_calls import Call, calls
from calls.nasty import spoiled
from gough.arguments import Kind, checked, mapping, number, numbers, show_value, take, whole
from gough.errors import BadStateError, FileError, GoughError, StructureError

SECONDS, BYTES = 10, 2 << 30
"""The longest a call may take, and the most that memory may grow."""


@pytest.fixture(scope="module")
def ready(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """All calls, run in a folder of their own: some arguments are relative paths."""
    folder, before = tmp_path_factory.mktemp("calls"), Path.cwd()
    backend = matplotlib.get_backend()
    matplotlib.use("Agg")
    os.chdir(folder)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield calls(folder)
    os.chdir(before)
    matplotlib.use(backend)


@pytest.mark.slow
def test_good_calls_are_good(ready: list[Call]) -> None:
    assert len(ready) > 130
    for call in ready:
        if call.share == 1.0:
            call.run({})


@pytest.mark.slow
def test_slower_good_calls_are_good(ready: list[Call]) -> None:
    for call in ready:
        call.run({})


def test_some_wrong_arguments(ready: list[Call]) -> None:
    assert not _raw([c for c in ready if c.share == 1.0], 300, 0)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 21))
def test_many_wrong_arguments(ready: list[Call], seed: int) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert not _raw(ready, 600, seed)
    assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024 < BYTES


class _Late(BaseException):
    """A call took too long."""


def _too_late(*_: Any) -> None:
    raise _Late


def _raw(ready: list[Call], count: int, seed: int) -> list[str]:
    """What is wrong with `count` calls."""
    rng = np.random.default_rng(seed)
    weights = np.array([c.share for c in ready])
    found = []
    before = signal.signal(signal.SIGALRM, _too_late)
    for _ in range(count):
        call = ready[rng.choice(len(ready), p=weights / weights.sum())]
        if not call.spoilable:
            continue
        changed = {}
        for name in map(str, rng.permutation(call.spoilable)[: int(rng.integers(1, 3))]):
            good = call.positional[int(name[1:])] if name.startswith("#") else call.arguments.get(name)
            bad = spoiled(good, rng)
            # what a user's own function raises while it is told of progress is the user's
            changed[name] = None if name in ("progress", "told") and callable(bad) else bad
        signal.alarm(SECONDS)
        try:
            call.run(changed)
        except GoughError as error:
            if not str(error):
                found.append(f"{call.name} {_told(changed)}: an error without a word")
        except (Exception, _Late, SystemExit) as error:
            place = [f for f in traceback.extract_tb(error.__traceback__) if "gough" in f.filename][-1:]
            where = f"{Path(place[0].filename).name}:{place[0].lineno}" if place else ""
            found.append(f"{call.name} {_told(changed)}: {type(error).__name__} {error} ({where})")
        finally:
            signal.alarm(0)
    signal.signal(signal.SIGALRM, before)
    return found


def _told(changed: dict[str, Any]) -> str:
    return ", ".join(f"{name}={show_value(value)}" for name, value in changed.items())


g: Any = gough
MISUSE = [
    (
        lambda m: g.natural_frequencies("robot.yaml"),
        r"natural_frequencies: model='robot.yaml'; expected a gough.Model",
    ),
    (lambda m: m.assemble(coordinates=[1.0]), r"coordinates=\[1.0\]; expected a mapping"),
    (lambda m: m.coriolis_matrix(m.home, np.zeros(m.layout.nv), "foo"), r"coordinates='foo'; use one of rpy_zyx"),
    (lambda m: m.mass_matrix([[1, 2], [3]]), r"mass_matrix: q=.*real numbers"),
    (lambda m: m.mass_matrix(m.home + 0j), r"complex numbers"),
    (lambda m: m.mass_matrix([None, 1.0, 2.0, 3.0]), r"not all entries are numbers"),
    (
        lambda m: m.function("mass_matrix")(q=m.home, parameters=m.parameters, threads=-1),
        r"threads=-1; expected a positive whole",
    ),
    (lambda m: g.workspace(m, {"left_motor": (0, 1, 3)}, threads=-1), r"threads=-1"),
    (lambda m: m.function("mass_matrix", baked="no"), r"baked='no'; expected True or False"),
    (lambda m: g.load("/"), r"/: a folder; give a \.yaml file in it"),
    (lambda m: g.robots.four_bar_chain(0), r"n=0; expected a positive whole number"),
    (
        lambda m: g.robots.hexapod([[0, 0]], [[0, 0, 0]], platform={"mass": 1}, home=[0, 0, 1]),
        r"base_points has shape",
    ),
    (lambda m: g.vary.normal("1", 2), r"normal: mean='1'; expected one finite number"),
    (lambda m: g.motions.quintic(drives=[[0, 0], [1, 1]], durations="a"), r"durations='a'"),
    (lambda m: g.simulate("robot.yaml", duration=1.0), r"simulate: model='robot.yaml'"),
    (lambda m: g.simulate(m, duration="a"), r"duration='a'"),
    (lambda m: g.simulate(m, duration=1.0, every=0), r"every=0"),
    (lambda m: g.simulate(m, duration=1.0, wrench=lambda t: t), r"wrench="),
]


@pytest.mark.parametrize("k", range(len(MISUSE)))
def test_messages_name_the_argument_and_what_is_expected(k: int) -> None:
    call, message = MISUSE[k]
    from calls.good_calls import model

    with pytest.raises(gough.UsageError, match=message):
        call(model("five_bar"))


def test_errors_are_builtin_ones_too() -> None:
    assert issubclass(gough.UsageError, ValueError) and issubclass(StructureError, ValueError)
    assert issubclass(FileError, OSError) and issubclass(FileError, ValueError)
    assert issubclass(BadStateError, ArithmeticError)
    with pytest.raises(FileNotFoundError):
        gough.load("no_such_robot.yaml")


def test_values_of_kinds() -> None:
    """What is taken is made plain; what is not is named."""
    assert take("n", whole(1), np.int64(3)) == 3 and type(take("n", whole(1), np.int64(3))) is int
    assert take("x", number(above=0), np.array(2.5)) == 2.5
    x = np.zeros((2, 3))
    assert take("q", numbers, x) is x
    assert take("q", numbers, [1, 2]).dtype == float
    for kind, bad in (
        (whole(1), True),
        (whole(1), 1.0),
        (whole(0, 10), 11),
        (number(), "1"),
        (number(), float("inf")),
        (number(above=0), 0.0),
        (numbers, {"a": 1}),
        (numbers, "12"),
        (numbers, [1, "2"]),
        (numbers, np.ma.masked_array([1.0], [True])),
        (mapping(numbers), {1: 2.0}),
    ):
        with pytest.raises(gough.UsageError, match=r"^x="):
            take("x", kind, bad)


def test_none_passes_where_it_is_the_default() -> None:
    @checked(a=number(), b=number())
    def call(a: Any, b: Any = None) -> tuple:
        return a, b

    assert call(1) == (1.0, None) and call(1, None) == (1.0, None) and call(a=1, b=2) == (1.0, 2.0)
    with pytest.raises(gough.UsageError, match="call: a=None"):
        call(None)


def test_long_values_are_shown_short() -> None:
    for value in (
        10**5000,
        "x" * 10**6,
        list(range(10**6)),
        np.zeros((1000, 1000)),
        object(),
        type("Mute", (), {"__repr__": None})(),
    ):
        assert len(show_value(value)) < 80
    assert isinstance(numbers, Kind)


def test_arguments_that_a_call_does_not_have_are_errors_of_the_library() -> None:
    model: Any = gough.build("five_bar")
    simulate: Any = gough.simulate
    q, rest = model.home, np.zeros(2)
    wrong = {
        "no argument variables=; give parameters=model.parameters_with": lambda: model.inverse_dynamics(
            q, rest, rest, variables={}
        ),
        "drives: no argument parameters=": lambda: model.drives(q, parameters=model.parameters),
        "simulate: no argument tolerence=; did you mean tolerance=": lambda: simulate(model, tolerence=1e-3),
        "missing a required argument: 'acceleration'": lambda: model.inverse_dynamics(q, rest),
        "too many positional arguments": lambda: model.drives(q, 1, 2, 3),
    }
    for said, call in wrong.items():
        with pytest.raises(gough.errors.GoughError, match=said) as caught:
            call()
        assert isinstance(caught.value, TypeError | ValueError)
