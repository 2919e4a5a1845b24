"""Maps on a cluster are those of one process, bit for bit, whatever was called before."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gough
from cli.command import gough_json
from distribution.processes import Processes
from gough.errors import UsageError

SURVEYED = ("verdict", "status", "place", "parallel", "serial", "loop", "aspect", "mode", "margin", "limit", "q")
VIBRATING = ("frequencies_hz", "stiffness", "inverse", "inverse_ratio", "tau", "status")


@pytest.fixture(scope="module")
def workers() -> Iterator[Processes]:
    made = Processes()
    made.scheduler()
    made.worker()
    made.worker()
    yield made
    made.stop()


def demand_same(a: Any, b: Any, names: tuple[str, ...]) -> None:
    for name in names:
        x, y = getattr(a, name), getattr(b, name)
        assert x.dtype == y.dtype and x.shape == y.shape and x.tobytes() == y.tobytes(), name


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::gough.robot.errors.UnphysicalInertiaWarning")
@pytest.mark.parametrize(
    ("name", "ranges"),
    [
        ("five_bar", {"left_motor": (-3.0, 3.0, 100), "right_motor": (-3.0, 3.0, 100)}),  # led, from seeds
        ("pedrammehr2012", {"x": (-1.0, 1.0, 23), "y": (-1.0, 1.0, 23), "z": (0.2, 2.0, 17)}),  # legs in closed form
    ],
)
def test_workspaces(workers: Processes, name: str, ranges: dict[str, Any]) -> None:
    model = gough.build(name)
    alone = gough.workspace(model, ranges, keep_q=True)
    assert alone.samples.count > 2 * 4096 and len(set(alone.verdict.tolist())) > 1
    again = gough.workspace(model, ranges, keep_q=True, threads=1)
    many = gough.workspace(gough.build(name), ranges, keep_q=True, cluster=workers.address)
    for other in (again, many):
        demand_same(other, alone, SURVEYED)
        assert other.place_names == alone.place_names and not other.partial


@pytest.mark.slow
def test_vibration_maps(workers: Processes) -> None:
    model = gough.build("dualemps")
    (a, b), home = model.layout.drive_names, model.home[model.drive_index]
    ranges = {name: (x - 0.3, x + 0.3, 50) for name, x in zip((a, b), home, strict=True)}
    alone = gough.vibration_map(model, ranges)
    assert alone.samples.count > 2048 and np.isfinite(alone.frequencies_hz).any()
    demand_same(gough.vibration_map(model, ranges), alone, VIBRATING)
    demand_same(gough.vibration_map(gough.build("dualemps"), ranges, cluster=workers.address), alone, VIBRATING)


@pytest.mark.slow
def test_the_command(workers: Processes, tmp_path: Path) -> None:
    words = ["map", "five_bar", "--range", "left_motor=0:2:30", "--range", "right_motor=0:2:30"]
    alone, many = gough_json(*words), gough_json(*words, "--cluster", workers.address)
    assert {**alone, "seconds": 0} == {**many, "seconds": 0}
    modes = ["map", "dualemps", "--modes", "2", "--range", "q11=-0.1:0.1:3"]
    alone, many = gough_json(*modes), gough_json(*modes, "--cluster", workers.address)
    assert {**alone, "seconds": 0} == {**many, "seconds": 0}


def test_threads_are_of_one_process() -> None:
    with pytest.raises(UsageError, match="threads= is of this process"):
        gough.workspace(gough.build("five_bar"), cluster="local:2", threads=1)
