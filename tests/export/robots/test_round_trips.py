"""Robots that are written and read again move by the same forces.

Formats whose reader is not there yet are left out of the list. Drives lead both robots, because a reader may cut loops elsewhere.
"""

from __future__ import annotations

import warnings
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import gough
from gough.robot import Robot, gallery

from .subjects import CORNERS, built

READERS = {".urdf": "urdf", ".xml": "mjcf", ".sdf": "sdf", ".usda": "usd"}
THERE = [suffix for suffix, reader in READERS.items() if find_spec(f"gough.interchange.{reader}") is not None]
TOLERANCES = {".usda": 1e-6}
LOOSE = {(".usda", "agile_eye"): 1e-7}
"""Closure tolerances (m): axes of seven digits leave its loops open by 6 nm."""
EXACT = 1e-9


def pairs() -> list[tuple[str, str]]:
    """Formats and robots with a drive for every freedom that drives can lead."""
    names = [name for name in (*gallery(), *CORNERS) if not built(name).mechanism.flexible]
    led = [n for n in names if len(built(n).layout.drive_names) == built(n).mobility and not built(n).layout.v_idle]
    return [(suffix, name) for suffix in THERE for name in led]


def led_by_drives(robot: Robot) -> tuple[gough.Model, list[str]]:
    """(the model, names of its drives as files have them)."""
    model = gough.build(robot, velocities="drives")
    return model, [name.replace(".", "_").removesuffix("_joint") for name in model.layout.drive_names]


def in_order(values: np.ndarray, names: list[str], wanted: list[str]) -> np.ndarray:
    """Values by names, in another order of the names."""
    return np.array([values[names.index(name)] for name in wanted])


@pytest.mark.parametrize(("suffix", "name"), pairs())
@pytest.mark.filterwarnings("ignore")
def test_the_same_forces(suffix: str, name: str, tmp_path: Path) -> None:
    robot = built(name).robot
    try:
        (file, *_) = gough.save(robot, tmp_path / f"{name}{suffix}")
    except gough.UsageError:
        return  # what cannot be said is tested beside the formats
    ours, mine = led_by_drives(robot)
    theirs, other = led_by_drives(gough.load(file, closure_tolerance=LOOSE.get((suffix, name))))
    assert sorted(mine) == sorted(other)
    rates = [[v.replace(".", "_").removesuffix("_joint") for v in m.layout.v_names] for m in (ours, theirs)]
    rng = np.random.default_rng(2)
    for step in (0.0, 0.004):
        d = step * rng.normal(size=len(mine))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            q = ours.configuration(drives=ours.drives(ours.home) + d)
            moved = theirs.drives(theirs.home) + in_order(d, mine, other)
            x = theirs.configuration(drives=moved)
        v, a = 0.3 * rng.normal(size=len(mine)), rng.normal(size=len(mine))
        tau = ours.inverse_dynamics(q, v, a).tau
        found = theirs.inverse_dynamics(x, *(in_order(y, rates[0], rates[1]) for y in (v, a))).tau
        error = np.abs(in_order(found, other, mine) - tau).max() / np.abs(tau).max()
        assert error < TOLERANCES.get(suffix, EXACT)
