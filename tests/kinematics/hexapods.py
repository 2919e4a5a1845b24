"""A symmetric hexapod whose singular, folded and unreachable poses are known, and variations that must be refused."""

from __future__ import annotations

import json
import warnings
from functools import lru_cache
from typing import Any

import numpy as np

import gough
from gough.robot import loads
from gough.robots import hexapod

BODY = {"mass": 5.0, "inertia": {"about": "center_of_mass", "xx": 0.1, "yy": 0.1, "zz": 0.2}}
LEG = {
    "mass": 1.0,
    "center_of_mass": (0.0, 0.0, 0.1),
    "inertia": {"about": "center_of_mass", "xx": 0.01, "yy": 0.01, "zz": 0.001},
}


def ring(radius: float, spread: float) -> np.ndarray:
    """Six points (6, 3) in three pairs, `spread` degrees to both sides of 0, 120 and 240."""
    a = np.radians(np.repeat([0, 120, 240], 2) + np.tile([-spread, spread], 3))
    return np.column_stack([radius * np.cos(a), radius * np.sin(a), 0 * a])


BASE, PLATFORM = ring(0.6, 15), ring(0.35, 45)


def symmetric() -> Any:
    """The hexapod: at home it stands at z = 0.7; turned by 90 degrees about z its drives cannot hold it."""
    return hexapod(BASE, PLATFORM, platform=BODY, home=[0, 0, 0.7], lower=LEG, upper=LEG)


@lru_cache(maxsize=1)
def model() -> gough.Model:
    """Its model."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return gough.build(symmetric())


def yawed(angle: float) -> tuple[np.ndarray, np.ndarray]:
    """Home turned about z."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([0, 0, 0.7]), np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]])


def folded_position() -> np.ndarray:
    """Platform position at which leg 0 lies along world x, the first axis of its universal joint."""
    return BASE[0] + np.array([0.9, 0, 0]) - PLATFORM[0]


def plain_leg(base: Any, point: Any, chain: list[dict], cut: dict, name: str) -> dict:
    """A leg description between two points."""
    ends = {"base": {"position": list(map(float, base))}, "on_platform": {"position": list(map(float, point))}}
    return {"name": name, "chain": chain, "cut": cut} | ends


def ups_chain(first: str = "universal", driven: bool = True) -> list[dict]:
    """Joints of a leg along x at zero."""
    axes = {"axes": [[0, 1, 0], [0, 0, 1]]} if first == "universal" else {}
    slide: dict = {"name": "slide", "type": "prismatic", "axis": [1, 0, 0], "body": {"name": "rod", "mass": 1.0}}
    if driven:
        slide["drive"] = {}
    return [{"name": "hip", "type": first, **axes, "body": {"name": "tube", "mass": 1.0}}, slide]


def described(legs: list[dict]) -> Any:
    """A robot of leg descriptions."""
    data = {"format": 1, "name": "variant", "platform": BODY, "legs": legs, "home": {"pose": {"position": [0, 0, 0.7]}}}
    return loads(json.dumps(data))
