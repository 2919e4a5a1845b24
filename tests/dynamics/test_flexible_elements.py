"""Robots with bodies of finite elements against energies of the same discrete bodies, integrated by other code.

The reference takes the shapes as values at nodes and evaluates fields, masses and strain energy itself (see
`reference.elements.field`); its dynamics are derivatives of energies.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import pytest

from dynamics.test_flexible import FlexibleSubject, accepted, compare_dynamics, compare_motion, compare_terms
from gough.fem import ElasticBody
from gough.robot import load
from gough.robot import tree as view
from laws.mechanisms import relative
from laws.subjects import built
from reference.designs.elements import ELEMENT_DESIGNS, GALLERY, design_elements
from reference.elements.blocks import Block
from reference.elements.twins import described_field
from reference.flexible.described import attached_points, elastic_bodies
from reference.flexible.lagrange import FlexibleReference
from reference.flexible.points import MassPoints

QUICK = ("dualemps", "dualemps_loaded", "frame_platform", "frame_platform=", "frame_platform~", "long2014")
NAMES = (*QUICK, *(pytest.param(name, marks=pytest.mark.slow) for name in ELEMENT_DESIGNS if name not in QUICK))


class ElementSubject(FlexibleSubject):
    """A robot with bodies of finite elements, and the reference of its twin."""

    def __init__(self, name: str) -> None:
        self.robot, twin = design_elements(name)
        self.model = built(self.robot)
        self.reference = FlexibleReference(twin, list(self.model.layout.v_names))


@lru_cache(maxsize=24)
def with_elements(name: str) -> ElementSubject:
    """The subject, shared by the files that compare it."""
    return ElementSubject(name)


@pytest.mark.quick_cases("dualemps", "dualemps_loaded", "frame_platform~")
@pytest.mark.parametrize("name", NAMES)
def test_reference(name: str) -> None:
    s = with_elements(name)
    assert s.model.layout.q_names == tuple(s.reference.layout.q_names)
    assert s.frames
    for x in s.states:
        condition = s.reference.condition(x.q)
        assert np.abs(s("closure_residual", q=x.q)["residual"]).max(initial=0.0) < 1e-12
        compare_terms(s, x, accepted(condition))
        compare_motion(s, x, accepted(condition))
        compare_dynamics(s, x, condition)


PAIR = 2e-4
"""Of a stiffness: modes nearer than half of that in frequency count as a pair, in which any two members serve."""


def reference_body(robot: Any, name: str) -> tuple[ElasticBody, ElasticBody]:
    """The constants of a body: the library's, and by sums over the reference's points."""
    ours, points = elastic_bodies(robot)[name], attached_points(robot)[name]
    flexible: Any = view.bodies(robot)[name].flexible
    field: Any = flexible.field if isinstance(flexible, Block) else described_field(robot, name, points)
    return ours, MassPoints.elastic_body(field, points)


def constants(name: str) -> tuple[Any, str]:
    robot = load(name) if name in GALLERY else design_elements(name)[0]
    return robot, next(iter(attached_points(robot)))


INTEGRATED = (
    "frame_platform",
    "frame_platform=",
    "frame_platform~",
    "delta_flexible",
    "hexapod_flexible",
    pytest.param("block_platform", marks=pytest.mark.slow),
)


@pytest.mark.parametrize("name", INTEGRATED)
def test_integrals(name: str) -> None:
    """Every constant of the first flexible body, and the strain energy of a plate as its own elements have it."""
    ours, truth = reference_body(*constants(name))
    for what in ("mass", "MS", "J", "MSde", "N1", "N2", "M", *(("MSdd",) if truth.MSdd is not None else ())):
        size = _bound(what, truth)
        assert np.abs(getattr(ours, what) - getattr(truth, what)).max() <= 1e-12 * size, what
    if truth.slaved is not None:
        assert relative(*(bent_mass(body) for body in (ours, truth))) < 1e-11
    K = np.sqrt(np.outer(np.diag(truth.K), np.diag(truth.K)))
    assert np.abs(np.diag(ours.K) / np.diag(truth.K) - 1).max() < 1e-8
    assert np.abs((ours.K - truth.K) / K).max() < PAIR


def bent_mass(body: ElasticBody) -> np.ndarray:
    """Mass matrix of the coordinates of a body that is bent by a tenth of its size; shapes slaved in any way."""
    slaved = body.slaved
    assert slaved is not None
    m, arm = body.modes, np.sqrt(np.trace(body.J) / 2)
    e = 0.1 * arm / np.sqrt(np.diag(body.M)) * np.random.default_rng(3).normal(size=m)
    lead = slaved.rates(np.broadcast_to(e, (m, m)), np.eye(m))  # (m, shapes)
    return lead @ np.block([[body.M, slaved.M[:, :m].T], [slaved.M]]) @ lead.T


def _bound(what: str, body: ElasticBody) -> float:
    """The largest value such an integral can have."""
    shape, arm = float(np.sqrt(np.diag(body.M).max())), float(np.sqrt(np.trace(body.J) / 2))
    largest = {"mass": body.mass, "MS": np.sqrt(body.mass) * arm, "J": arm**2, "MSde": np.sqrt(body.mass) * shape}
    largest |= {"N1": arm * shape, "N2": shape**2, "M": shape**2}
    return float(largest[what]) if what in largest else float(np.abs(getattr(body, what)).max())


@pytest.mark.parametrize("name", ["frame_platform", pytest.param("block_platform", marks=pytest.mark.slow)])
def test_generic_platforms_couple_everything(name: str) -> None:
    """Their origin is off the mass centre and every shape has momentum of both kinds."""
    body, _ = reference_body(*constants(name))
    turning = np.array([[N[1, 2] - N[2, 1], N[2, 0] - N[0, 2], N[0, 1] - N[1, 0]] for N in body.N1])
    for what, value in (("MS", body.MS), ("MSde", body.MSde), ("turning", turning), ("J", body.J)):
        assert np.abs(value).min() > 1e-4 * np.abs(value).max(), what
    assert np.abs(body.N2[np.triu_indices(body.modes)]).min() > 1e-6 * np.abs(body.N2).max()
