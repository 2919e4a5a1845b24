"""What comes before the first step is done once, and grows with the robot and no faster."""

from __future__ import annotations

import warnings
from collections import Counter
from typing import Any

import pytest

import gough
from gough import fem
from gough.kinematics import selecting
from gough.program import looping
from gough.robots import four_bar_chain
from inner.backends import store


def test_loops_of_a_run_share_their_rates(monkeypatch: pytest.MonkeyPatch) -> None:
    """The step and the record at the end call the same program: it is made ready once."""
    monkeypatch.setenv("GOUGH_CACHE_DIR", "")
    lowered: Counter[str] = Counter()
    compiled: Counter[str] = Counter()
    lower, compile_ = looping.lower_stage, store._compiled

    def counted(stage: Any, *more: Any) -> Any:
        lowered[stage.program.name] += 1
        return lower(stage, *more)

    def noted(program: Any, *more: Any) -> Any:
        compiled[program.name.split()[-1]] += 1
        return compile_(program, *more)

    monkeypatch.setattr(looping, "lower_stage", counted)
    monkeypatch.setattr(store, "_compiled", noted)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        gough.simulate(gough.build(gough.load("pedrammehr2012")), duration=1e-3, check="off")
    assert [lowered[name] for name in lowered if name.startswith("rates")] == [1]
    assert compiled == {"dp5": 1, "moment": 1}


def test_bodies_alike_are_reduced_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Any] = []
    real = fem.reduce

    def counted(*arguments: Any) -> Any:
        made.append(arguments)
        return real(*arguments)

    monkeypatch.setattr(fem, "reduce", counted)
    model = gough.build(gough.load("delta_flexible"))
    assert len(made) == 1 and model.layout.nv > 3


def test_blocks_of_closures_are_joined_in_linear_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Looks at columns of blocks, counted, over the length of a chain."""
    looks: list[int] = []
    real = selecting._joined

    class Watched(list):
        def __iter__(self) -> Any:
            looks[-1] += 1
            return super().__iter__()

    def counted(parts: Any, *more: Any) -> Any:
        looks.append(0)
        return real([(rows, Watched(columns)) for rows, columns in parts], *more)

    monkeypatch.setattr(selecting, "_joined", counted)
    for count in (5, 10, 20):
        gough.build(four_bar_chain(count))
    a, b, c = looks[0], looks[len(looks) // 3], looks[-1]
    assert c - b <= 2 * (b - a) + 4
