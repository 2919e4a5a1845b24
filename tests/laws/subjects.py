"""The robots under test: every gallery robot and random designs, each built once a process with its references.

A subject is named "pedrammehr2012" or "ups-3" (family, seed).
"""

from __future__ import annotations

import warnings
from functools import cache, cached_property
from typing import Any

import numpy as np
import pytest

import gough
from gough.robot import UnphysicalInertiaWarning
from reference.designs import LEG_FAMILIES, design
from reference.energies.lagrange import Reference
from reference.energies.states import State, random_states

GALLERY = ("fried", "long2014_rigid", "lopes", "lopes_simplified", "pedrammehr2012")
"""Robots of the papers: legs between the base and a platform with six freedoms. For the others see tests/mechanisms."""
FEW = (*GALLERY, *(f"{family}-0" for family in LEG_FAMILIES))
_FAST = ("lopes", "ups-0", "generic-0")
_SLOW = (*(n for n in FEW if n not in _FAST), *(f"{family}-1" for family in LEG_FAMILIES))
PAIRS = (*_FAST, *(pytest.param(n, marks=pytest.mark.slow) for n in _SLOW))
MANY = tuple(f"{family}-{seed}" for family in LEG_FAMILIES for seed in range(1, 15))
PEERS = ("mujoco", "pinocchio")
EXEMPT = {"fried": "telescopic inertia depends on a joint coordinate"}
"""Subjects that the peers cannot express, and why."""
STATES = 3
TOLERANCE = 1e-12
"""Accepted relative error against an exact reference: rounding times a condition of 1e3."""


def described(name: str) -> Any:
    """The subject's description."""
    if "-" in name:
        family, seed = name.split("-")
        return design(family, int(seed))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnphysicalInertiaWarning)
        return gough.load(name)


def built(robot: Any, **options: Any) -> gough.Model:
    """Model of a description, warnings about the papers' homes left aside."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return gough.build(robot, **options)


class Subject:
    """A robot, its model, its reference and `STATES` random assembled states."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.robot = described(name)
        self._peers: dict[str, Any] = {}

    @cached_property
    def model(self) -> gough.Model:
        """The library's model."""
        return built(self.robot)

    @cached_property
    def reference(self) -> Reference:
        """Energies and automatic differentiation."""
        return Reference(self.robot)

    @cached_property
    def states(self) -> list[State]:
        """Assembled states away from singularities."""
        return random_states(self.reference, STATES, 0)

    @cached_property
    def batch(self) -> State:
        """The states as arrays (STATES, n)."""
        return State(*(np.array(x) for x in zip(*self.states, strict=True)))

    @cached_property
    def tolerances(self) -> np.ndarray:
        """Accepted relative error (STATES,) against an exact reference."""
        return np.full(STATES, TOLERANCE)

    def peer(self, kind: str) -> Any:
        """The robot in another library, made once."""
        if self.name in EXEMPT:
            pytest.skip(f"{self.name} is exempt: {EXEMPT[self.name]}")
        if kind not in self._peers:
            self._peers[kind] = _peer(kind, self.reference)
        return self._peers[kind]


@cache
def subject(name: str) -> Subject:
    """The subject, made once a process."""
    return Subject(name)


def _peer(kind: str, reference: Reference) -> Any:
    if kind == "mujoco":
        from reference.peers.mujoco import MujocoPeer

        return MujocoPeer(reference.robot, reference.velocities)
    from reference.peers.pinocchio import PinocchioPeer

    return PinocchioPeer(reference.robot, reference.velocities)


def errors(ours: Any, truth: Any) -> np.ndarray:
    """max|difference| / max|truth| per state, over all axes but the first."""
    ours, truth = np.asarray(ours, float), np.asarray(truth, float)
    assert ours.shape == truth.shape, (ours.shape, truth.shape)
    rows = ours.reshape(len(ours), -1), truth.reshape(len(truth), -1)
    return np.abs(rows[0] - rows[1]).max(1) / np.abs(rows[1]).max(1)
