"""Robots of these tests: those of the gallery with bounds that make them real machines, and one axis."""

from __future__ import annotations

import json
import warnings
from functools import cache
from typing import Any

import gough
from gough.robot import loads
from inner.identification import excitation_problem

LIMITS = {
    "pedrammehr2012": {"leg*.slide": {"stroke": (0.4, 0.8), "speed": 0.5, "force": 2500.0}},
    "delta": {"leg*.arm": {"stroke": (-0.8, 1.2), "speed": 4.0, "force": 60.0}},
    "three_prs": {"z": {"stroke": (0.5, 0.8)}, "leg*.slide": {"acceleration": 4.0}},
    "five_bar": {"*_motor": {"stroke": (0.1, 3.0), "speed": 10.0, "force": 2.0}},
}
TIED = {"five_bar": "apart"}


@cache
def model_of(name: str) -> gough.Model:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return gough.build(name)


@cache
def axis(coulomb: float = 0.0, stroke: float = 0.2, **drive: float) -> gough.Model:
    """A level slide: its force is M ẍ + viscous ẋ + coulomb sign ẋ + offset."""
    rubbing = {"coulomb": coulomb} if coulomb else {}
    limits = {"stroke": [-stroke, stroke]} if stroke else {}
    data = {
        "format": 2,
        "name": "axis",
        "bodies": [{"name": "cart", "mass": 95.0}],
        "joints": [
            {
                "name": "slide",
                "type": "prismatic",
                "parent": "world",
                "child": "cart",
                "axis": [1, 0, 0],
                "drive": {"viscous": 200.0} | rubbing | limits | drive,
            }
        ],
    }
    return gough.build(loads(json.dumps(data)))


ASKED: dict[str, Any] = {
    "space": "drives",
    "family": "fourier",
    "period": 3.0,
    "harmonics": 2,
    "samples": 40,
    "objective": "condition",
    "parameters": "inertia",
    "tied": "apart",
    "deviations": None,
    "margins": 0.05,
    "limits": "description",
    "distance": 0.01,
    "from_rest": False,
}


def problem_of(name: str, **asked: Any) -> Any:
    """The problem of a robot with its bounds."""
    return excitation_problem(model_of(name), **ASKED | {"limits": LIMITS[name]} | asked)[0]
