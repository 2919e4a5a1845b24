"""Momentum, its change, and forces of velocity along another motion: against the kinetic energy, and closed forms."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import gough
from gough.program import Slot, trace
from gough.robot import loads
from inner.dynamics import Numbers, coriolis_force, momentum, momentum_change, regroup_inertia
from inner.program import evaluate
from laws.subjects import built

NAMES = ("five_bar", "three_prs", "agile_eye", "lopes", "differential_wrist")
"""Drives lead; heave and tilts; a rotation alone; a whole twist; balls in the tree by the wrist's bevels."""
STEP = 1e-4

Terms = Callable[..., dict[str, np.ndarray]]


def terms_of(model: gough.Model) -> Terms:
    """p, Ṁ v and C w of a model, on numbers."""
    layout = model.layout
    slots = [
        Slot("q", (layout.nq,)),
        *(Slot(x, (layout.nv,)) for x in ("v", "w")),
        Slot("parameters", (len(model.parameters),)),
    ]

    def equations(q: np.ndarray, v: np.ndarray, w: np.ndarray, parameters: np.ndarray) -> dict[str, np.ndarray]:
        numbers = Numbers(model.mechanism, parameters)
        moved = regroup_inertia(numbers)
        return {
            "p": momentum(moved, q, v),
            "change": momentum_change(numbers, q, v),
            "along": coriolis_force(moved, q, v, w),
        }

    program = model.order_solves(trace(equations, slots, "terms", {"parameters": model.pattern}))
    return lambda q, v, w: evaluate(program, {"q": q, "v": v, "w": w, "parameters": model.parameters})


def state_of(model: gough.Model) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """q beside home, v, w."""
    rng = np.random.default_rng(3)
    n = model.layout.nv
    q = model.project(model.integrate(model.home, 0.03 * rng.normal(size=n)))
    return q, rng.normal(size=n), rng.normal(size=n)


def inertia(model: gough.Model, q: np.ndarray) -> np.ndarray:
    """M by the kinetic energy alone: T is a square of v."""
    n = model.layout.nv
    T = lambda v: float(model.energies(q, v).kinetic)  # noqa: E731
    e = np.eye(n)
    return np.array([[T(a + b) - T(a) - T(b) for a in e] for b in e])


@pytest.mark.parametrize("name", NAMES)
def test_against_the_kinetic_energy(name: str) -> None:
    """M by polarising T; Ṁ by differences along the motion; C + Cᵀ = Ṁ; vᵀ C v = ½ vᵀ Ṁ v."""
    model = built(gough.load(name))
    q, v, w = state_of(model)
    terms, M = terms_of(model), inertia(model, q)
    found = terms(q, v, w)
    size = np.abs(M).max()
    np.testing.assert_allclose(found["p"].astype(float), M @ v, atol=1e-11 * size)
    steps = [inertia(model, model.project(model.integrate(q, k * STEP * v))) for k in (-2, -1, 1, 2)]
    rate = (steps[0] - 8 * steps[1] + 8 * steps[2] - steps[3]) / (12 * STEP)
    np.testing.assert_allclose(found["change"].astype(float), rate @ v, atol=1e-7 * size)
    C = np.array([terms(q, v, e)["along"] for e in np.eye(len(v))], dtype=float).T
    np.testing.assert_allclose(C + C.T, rate, atol=1e-7 * size)
    np.testing.assert_allclose(found["along"].astype(float), C @ w, atol=1e-11 * size)
    assert v @ C @ v == pytest.approx(0.5 * v @ rate @ v, abs=1e-7 * size)


ARM = """
format: 1
name: arm
bodies:
  - {name: upper, mass: 2, center_of_mass: [0.3, 0, 0], inertia: {about: center_of_mass, xx: 0.1, yy: 0.1, zz: 0.1}}
  - {name: fore, mass: 1.5, center_of_mass: [0.25, 0, 0], inertia: {about: center_of_mass, xx: 0.05, yy: 0.05, zz: 0.05}}
joints:
  - {name: a, type: revolute, axis: [0, 0, 1], parent: world, child: upper, drive: {viscous: 3 N.m.s/rad}}
  - {name: b, type: revolute, axis: [0, 0, 1], parent: upper, child: fore, pose: {position: [0.5, 0, 0]}, drive: {coulomb: 1}}
home: {joints: {a: 0.2, b: 0.9}}
"""


def test_two_links_in_closed_form() -> None:
    """C of the textbook: h = -m l c sin b, C = [[h ḃ, h (ȧ + ḃ)], [-h ȧ, 0]]; friction is no part of it."""
    model = built(loads(ARM))
    rng = np.random.default_rng(5)
    v, w = rng.normal(size=(2, 2))
    h = -1.5 * 0.5 * 0.25 * np.sin(0.9)
    C = np.array([[h * v[1], h * (v[0] + v[1])], [-h * v[0], 0.0]])
    np.testing.assert_allclose(terms_of(model)(model.home, v, w)["along"].astype(float), C @ w, atol=1e-14)
