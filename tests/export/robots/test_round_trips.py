"""Robots that are written and read again move by the same forces.

Formats whose reader is not there yet are left out of the list. Drives lead both robots, because a reader may cut loops elsewhere.
"""

from __future__ import annotations

import warnings
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gough
from gough.robot import Robot, gallery

from .subjects import CORNERS, built, flexible_names, written

READERS = {".urdf": "urdf", ".xml": "mjcf", ".sdf": "sdf", ".usda": "usd"}
THERE = [suffix for suffix, reader in READERS.items() if find_spec(f"gough.interchange.{reader}") is not None]
EXACT = 1e-12
LEAST_MASS = 1e-9
"""MuJoCo takes no moving body without mass: links of light robots feel what is written instead."""


QUICK = (*CORNERS, "five_bar")
"""Robots with all kinds of joints, loops, couplings and springs between them."""


def pairs() -> list[Any]:
    """Formats and robots without bodies that bend."""
    names = [name for name in (*gallery(), *CORNERS) if name not in flexible_names()]
    every = [(suffix, name) for suffix in THERE for name in names]
    return [pytest.param(*pair, marks=() if pair[1] in QUICK else pytest.mark.slow) for pair in every]


def led_by_drives(robot: Robot) -> tuple[gough.Model, list[str]]:
    """(the model, names of its drives as files have them)."""
    model = gough.build(robot, velocities="drives")
    return model, [name.replace(".", "_").removesuffix("_joint") for name in model.layout.drive_names]


@cache
def written_robot(name: str) -> tuple[gough.Model, list[str]] | None:
    """The same of a robot that is written; None where not every freedom has a drive to lead it."""
    model = built(name)
    led = len(model.layout.drive_names) == model.mobility and not model.layout.v_idle
    return led_by_drives(model.robot) if led else None


def in_order(values: np.ndarray, names: list[str], wanted: list[str]) -> np.ndarray:
    """Values by names, in another order of the names."""
    return np.array([values[names.index(name)] for name in wanted])


@pytest.mark.parametrize(("suffix", "name"), pairs())
@pytest.mark.filterwarnings("ignore")
def test_the_same_forces(suffix: str, name: str, tmp_path: Path) -> None:
    known = written_robot(name)
    if known is None:
        return
    ours, mine = known
    try:
        file = written(name, tmp_path, suffix)
    except gough.UsageError:
        return  # what cannot be said is tested beside the formats
    theirs, other = led_by_drives(gough.load(file))
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
        assert error < (LEAST_MASS if suffix == ".xml" else EXACT)
