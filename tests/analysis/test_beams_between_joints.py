"""A beam in space between joints at both ends: frequencies of the textbook, and the same whichever end is the tree's joint."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import gough
from gough.robot import loads

E, DENSITY, LENGTH, DEPTH, WIDTH = 7e10, 2700.0, 0.8, 0.08, 0.03
MATERIAL = {"E": E, "nu": 0.3, "density": DENSITY}
CLAMPED_AND_PINNED = (3.92660231, 7.06858275)
BENT = np.array([[0.0, 0.0, 0.0], [0.4, 0.1, -0.05], [0.6, 0.45, 0.2]])
"""Corners of a bent beam; its segments have other sections."""
TURNS: dict[str, Any] = {
    "fixed": {},
    "revolute": {"axis": [0.36, 0.48, 0.8]},
    "universal": {"axes": [[0.36, 0.48, 0.8], [0.8, -0.6, 0.0]]},
    "spherical": {},
}


def held(beam: dict[str, Any], start: Any, end: Any, joint: dict[str, Any], loop: dict[str, Any]) -> np.ndarray:
    """Frequencies (Hz) of a beam whose first end is carried by `joint` at start (3,), and its other closed by `loop`."""
    here, there = np.asarray(start, dtype=float), np.asarray(end, dtype=float)
    rod = {"name": "rod", "flexible": {"beam": beam, "modes": {"kind": "nodal"}, "stiffening": "off"}}
    ends = {
        "first": {"body": "rod", "pose": {"position": (there - here).tolist()}},
        "second": {"body": "world", "pose": {"position": there.tolist()}},
    }
    base = {"name": "base", "parent": "world", "child": "rod", "pose": {"position": here.tolist()}}
    robot = {"format": 1, "name": "held", "gravity": [0, 0, 0], "bodies": [rod]}
    robot |= {"joints": [base | joint], "loops": [{"name": "end"} | ends | loop]}
    return gough.natural_frequencies(gough.build(loads(json.dumps(robot))), about="undeformed").frequencies_hz


@pytest.mark.parametrize("rotary", [False, True])
def test_between_two_pins(rotary: bool) -> None:
    """Euler and Bernoulli k² √(EI/ρA), k = nπ/L; Rayleigh: over √(1 + k² I/A). Bending in the stiff plane, about z."""
    section = {"rectangle": {"y": DEPTH, "z": WIDTH}}
    beam = {"length": LENGTH, "section": section, "section_y": [0, 1, 0], "material": MATERIAL, "elements": 8}
    pin = {"type": "revolute", "axis": [0, 0, 1]}
    found = held(beam | {"rotary_inertia": rotary}, [0, 0, 0], [LENGTH, 0, 0], pin, pin)
    k, spread = np.pi * np.arange(1, 3) / LENGTH, DEPTH**2 / 12
    exact = k**2 * np.sqrt(E * spread / DENSITY) / (2 * np.pi)
    exact = exact / np.sqrt(1 + spread * k**2) if rotary else exact
    elements = exact * (1 + (k * LENGTH / 8) ** 4 / 1440)  # what cubic elements are above, to leading order
    np.testing.assert_allclose([found[np.argmin(np.abs(found - f))] for f in elements], elements, rtol=1e-4)


@pytest.mark.parametrize("pinned_first", [False, True])
def test_between_a_wall_and_a_pin(pinned_first: bool) -> None:
    section = {"rectangle": {"y": DEPTH, "z": WIDTH}}
    beam = {"length": LENGTH, "section": section, "section_y": [0, 1, 0], "material": MATERIAL, "elements": 8}
    wall, pin = {"type": "fixed"}, {"type": "revolute", "axis": [0, 0, 1]}
    joints = (pin, wall) if pinned_first else (wall, pin)
    found = held(beam, [0, 0, 0], [LENGTH, 0, 0], *joints)
    wave = np.array(CLAMPED_AND_PINNED)
    exact = wave**2 * np.sqrt(E * DEPTH**2 / 12 / DENSITY) / LENGTH**2 / (2 * np.pi)
    elements = exact * (1 + (wave / 8) ** 4 / 1440)
    np.testing.assert_allclose([found[np.argmin(np.abs(found - f))] for f in elements], elements, rtol=1e-4)


PAIRS = (("revolute", "fixed"), ("fixed", "universal"), ("spherical", "revolute"), ("universal", "universal"))
SECTIONS = ("euler_bernoulli", False), ("euler_bernoulli", True), ("timoshenko", False), ("timoshenko", True)
TURNED = [
    pytest.param(*pair, *section, marks=() if k == n == 0 else pytest.mark.slow)
    for k, pair in enumerate(PAIRS)
    for n, section in enumerate(SECTIONS)
]


@pytest.mark.parametrize(("one", "other", "theory", "rotary"), TURNED)
def test_turned_round_it_is_the_same(one: str, other: str, theory: str, rotary: bool) -> None:
    sections = [
        {"rectangle": {"y": 0.06, "z": 0.02}},
        {"i_beam": {"height": 0.05, "width": 0.07, "web": 0.006, "flange": 0.005}},
    ]
    common = {"section_y": [0.1, 0.2, 0.9], "material": MATERIAL, "elements": 1, "theory": theory}
    common |= {"rotary_inertia": rotary}
    ends = {"type": one} | TURNS[one], {"type": other} | TURNS[other]
    ahead = common | {"points": BENT.tolist(), "sections": sections}
    back = common | {"points": (BENT[::-1] - BENT[-1]).tolist(), "sections": sections[::-1]}
    first = held(ahead, BENT[0], BENT[-1], *ends)
    second = held(back, BENT[-1], BENT[0], *ends[::-1])
    assert len(first) == len(second) >= 7
    np.testing.assert_allclose(first, second, rtol=1e-7)
