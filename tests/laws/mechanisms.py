"""Mechanisms under test besides legs on a platform: the gallery's and random designs of any shape, built once a process.

A subject is named "delta" (gallery) or "delta-3" (family, seed).
"""

from __future__ import annotations

from functools import cache, cached_property
from typing import Any

import numpy as np
import pytest

import gough
from laws.subjects import built, described
from reference.designs import MECHANISM_FAMILIES, design
from reference.energies.lagrange import Reference
from reference.energies.states import State, random_states

GALLERY = (
    "agile_eye",
    "andrews",
    "ankle",
    "bricard",
    "delta",
    "delta_fast",
    "differential_wrist",
    "five_bar",
    "four_bar_chain",
    "geared_gripper",
    "orthoglide",
    "redundant_planar",
    "screw_hexapod",
    "three_prs",
    "three_rrr",
    "tripod_wrist",
)
DESIGNS = tuple(f"{family}-0" for family in MECHANISM_FAMILIES)
_FAST = ("delta-0", "tripod-0", "chain_closed-0", "planar-0", "five_bar", "redundant_planar")
FEW = (*_FAST, *(pytest.param(n, marks=pytest.mark.slow) for n in (*GALLERY, *DESIGNS) if n not in _FAST))
_LARGE = ("inner_loop-0", "hinge_cuts-0", "other_cuts-0", "odd_joints-0")
ALL = (
    *(n for n in (*GALLERY, *DESIGNS) if n not in _LARGE),
    *(pytest.param(n, marks=pytest.mark.slow) for n in _LARGE),
)
MANY = tuple(f"{family}-{seed}" for family in MECHANISM_FAMILIES for seed in range(1, 14))
STATES = 3


class MechanismSubject:
    """A mechanism, its model, its reference in the same velocities, and random assembled states."""

    def __init__(self, name: str, velocities: Any = None) -> None:
        self.name = name
        family, _, seed = name.partition("-")
        self.robot = design(family, int(seed)) if seed else described(name)
        self.model: gough.Model = built(self.robot, velocities=velocities)

    @cached_property
    def reference(self) -> Reference:
        """Energies and automatic differentiation."""
        return Reference(self.robot, list(self.model.layout.v_names))

    @cached_property
    def states(self) -> list[State]:
        """Assembled states away from singularities."""
        return random_states(self.reference, STATES, 1)

    @property
    def driven(self) -> bool:
        """Whether there are drives for every freedom that motions lead."""
        return self.model.driven

    def tolerance(self, state: State) -> float:
        """Accepted relative error against an exact reference: rounding times the condition."""
        return max(1e-12, 1e-15 * self.reference.condition(state.q) ** 2)


@cache
def mechanism(name: str) -> MechanismSubject:
    """The subject, made once a process."""
    return MechanismSubject(name)


def relative(ours: Any, truth: Any) -> float:
    """max|difference| / max|truth|; plain where the truth is nothing."""
    ours, truth = np.asarray(ours, float), np.asarray(truth, float)
    assert ours.shape == truth.shape, (ours.shape, truth.shape)
    return float(np.abs(ours - truth).max(initial=0.0) / (np.abs(truth).max(initial=0.0) or 1.0))
