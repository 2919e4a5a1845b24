"""What comes before the first step is done once, and grows with the robot and no faster."""

from __future__ import annotations

import sys
import warnings
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

import gough
from gough.kinematics import selecting


def calls_in(work: Callable[[], Any], *names: str) -> Counter[str]:
    """How often functions of these names are called; of stages, by the program they belong to."""
    found: Counter[str] = Counter()

    def look(frame: Any, event: str, argument: Any) -> None:
        if event == "call" and frame.f_code.co_name in names and "gough" in frame.f_code.co_filename:
            stage = frame.f_locals.get("stage")
            found[frame.f_code.co_name if stage is None else stage.program.name.split(",")[0]] += 1

    sys.setprofile(look)
    try:
        work()
    finally:
        sys.setprofile(None)
    return found


@pytest.mark.slow
def test_loops_of_a_run_share_their_rates(monkeypatch: pytest.MonkeyPatch) -> None:
    """The step and the record at the end call the same program: it is made ready once."""
    monkeypatch.setenv("GOUGH_CACHE_DIR", "")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = gough.build(gough.load("pedrammehr2012"))
        found = calls_in(lambda: gough.simulate(model, duration=1e-3, check="off"), "lower_stage", "_compiled")
    assert found["rates"] == 1 and found["closing"] == 1 and found["_compiled"] == 4  # two loops, two functions


def test_bodies_alike_are_reduced_once() -> None:
    robot = gough.load("delta_flexible")
    assert calls_in(lambda: gough.build(robot), "_reduce_described") == {"_reduce_described": 1}


class Watched(list):
    """Columns of a block that count how often they are looked at."""

    looks = 0

    def __iter__(self) -> Any:
        Watched.looks += 1
        return super().__iter__()


def test_blocks_of_closures_are_joined_in_linear_time() -> None:
    looks = []
    for count in (50, 100, 200):
        Watched.looks = 0
        parts = [([2 * k + i], Watched([2 * k + i])) for k in range(count) for i in (0, 1)]
        pattern = [{r, max(r - 1, 0)} for r in range(2 * count)]
        selecting._joined(parts, pattern, {r: r // 2 for r in range(2 * count)})
        looks.append(Watched.looks)
    assert looks[2] <= 2 * looks[1] + 4 and looks[1] <= 2 * looks[0] + 4
