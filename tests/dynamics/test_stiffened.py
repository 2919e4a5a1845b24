"""Bodies with displacements of second order, bent far: the mass matrix is that of a motion, so it stays positive definite."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np
import pytest

import gough
from gough.errors import BadStateError
from gough.robot import loads
from gough.scalar import zeros
from inner.dynamics import Numbers, SlavedInertia, bias_force, inverse_dynamics, mass_matrix, quadratic_terms
from reference.flexible.described import elastic_bodies

LENGTH = 0.5
BEAM = """
format: 1
name: strip
bodies:
  - name: strip
    frames: {{tip: {{position: [{length}, 0, 0]}}}}
    flexible:
      beam:
        {{length: {length}, elements: {elements}, plane: true, section: {{rectangle: {{y: 1 mm, z: 20 mm}}}},
         material: {{E: 70 GPa, nu: 0.3, density: 2700}}}}
      modes: {{{modes}}}
      stiffening: {stiffening}
  - {{name: tool, mass: 0.01}}
joints:
  - {{name: hub, type: revolute, parent: world, child: strip, drive: {{}}}}
  - {{name: grip, type: fixed, parent: strip, child: tool, pose: {{position: [{length}, 0, 0]}}}}
home: {{joints: {{hub: 0}}}}
"""
CASES = [
    *((n, "kind: nodal") for n in (2, 4, 8)),
    pytest.param(16, "kind: nodal", marks=pytest.mark.slow),
    *((12, f"number: {k}") for k in (4, 6)),
    pytest.param(12, "number: 8", marks=pytest.mark.slow),
]


def strip(elements: int, modes: str, stiffening: str = "on") -> gough.Robot:
    return loads(BEAM.format(length=LENGTH, elements=elements, modes=modes, stiffening=stiffening))


def bent(robot: gough.Robot, slope: float, bow: bool) -> np.ndarray:
    """Elastic coordinates of a strip whose slope grows evenly to the tip, or of a bow with this largest slope."""
    body = elastic_bodies(robot)["strip"]
    s = body.nodes[:, 0] / LENGTH
    wanted = LENGTH * slope * (np.sin(np.pi * s) ** 2 / np.pi if bow else s**2 / 2)
    e = np.linalg.lstsq(body.shapes[:, 1], wanted, rcond=None)[0]
    slopes = slope * (np.sin(2 * np.pi * s) if bow else s)
    turns = [k for k, label in enumerate(body.labels) if label.endswith(".rz")]  # of nodes, where these are coordinates
    for k in turns:
        label = body.labels[k]
        e[k] = slopes[-1 if label.startswith("tip") else int(label[len("node") : label.index(".")])]
    return e


@pytest.mark.parametrize("stiffening", ["on", "moments"])
@pytest.mark.parametrize(("elements", "modes"), CASES)
def test_mass_matrix_of_a_bent_strip(elements: int, modes: str, stiffening: str) -> None:
    """Slopes up to 0.3, however many shapes there are, and forward dynamics with it."""
    robot = strip(elements, modes, stiffening)
    model = gough.build(robot)
    for slope, bow in product((0.01, 0.1, 0.3), (False, True)):
        q = np.array([*bent(robot, slope, bow), 0.7])
        M, still = model.mass_matrix(q), np.zeros(len(q))
        size = np.sqrt(np.diag(M))
        assert np.linalg.eigvalsh(M / np.outer(size, size))[0] > 1e-7
        vdot = model.forward_dynamics(q, still, [0.1]).vdot
        np.testing.assert_allclose(model.inverse_dynamics(q, still, vdot[:1]).tau, [0.1], rtol=1e-6)


def test_together_with_rigid_motion_alone_it_is_lost_and_said() -> None:
    """The form without products among shapes is that of no motion; the exact one goes on."""
    push = {"strip.tip": np.array([0.0, 0.1, 0.0, 0.0, 0.0, 0.0])}  # N; a slope of a tenth
    exact, shortcut = (gough.build(strip(4, "kind: nodal", form)) for form in ("on", "rigid_motion"))
    with pytest.raises(BadStateError, match=r"mass matrix is not positive definite .* use stiffening: on"):
        gough.natural_frequencies(shortcut, drives="free", wrench=push)
    modes = gough.natural_frequencies(exact, drives="free", wrench=push)
    assert modes.frequencies_hz[1] > 0 and modes.q[exact.layout.elastic].any()
    straight = [gough.natural_frequencies(m, about="undeformed").frequencies_hz for m in (exact, shortcut)]
    np.testing.assert_allclose(*straight, rtol=1e-9)


def test_integrals_are_those_of_points(rng: np.random.Generator, limits: Callable[..., None]) -> None:
    """Fields in any direction, one a pair of coordinates."""
    limits(slaved_worth=np.inf)
    m, g = 3, 20
    rows, columns = np.triu_indices(m)
    mass, fields = rng.uniform(0.1, 1.0, g), rng.normal(size=(g, 3, len(rows)))
    forms = [zeros(m, m) for _ in rows]
    for form, k, ell in zip(forms, rows, columns, strict=True):
        form[k, ell] = form[ell, k] = rng.normal()
    products = np.einsum("g,gai,gbj->ijab", mass, fields, fields)
    terms = quadratic_terms(forms, [[x.astype(object) for x in row] for row in products])
    assert terms is not None
    e, rate = rng.normal(size=m), rng.normal(size=m)
    here = SlavedInertia(e, terms)
    moved = np.einsum("gaj,jkl,l->gak", fields, np.array(forms, dtype=float), e)  # ∂_k u
    u, speed = 0.5 * moved @ e, moved @ rate
    R = np.einsum("g,gak,gbl->klab", mass, moved, moved)
    np.testing.assert_allclose(np.array(here.R, dtype=float), R, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(here.masses.astype(float), np.einsum("klaa->kl", R), rtol=1e-12)
    V = np.array(here.V, dtype=float)
    np.testing.assert_allclose(V, np.einsum("g,gak,gb->kab", mass, moved, u), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(np.einsum("k,kab", rate, V), np.einsum("g,ga,gb->ab", mass, speed, u), rtol=1e-11)


@pytest.mark.parametrize("modes", ["number: 3", "number: 6"])
def test_the_same_equations_as_sums_over_shapes(modes: str, limits: Callable[..., None]) -> None:
    model = gough.build(strip(4, modes))
    rng = np.random.default_rng(2)
    elastic = model.mechanism.links[model.mechanism.flexible[0]].elastic
    assert elastic is not None
    q = model.home.copy()
    q[model.layout.elastic] = np.array(elastic.units) * rng.normal(size=elastic.modes)
    v, a = rng.normal(size=model.layout.nv), rng.normal(size=model.layout.mobility)
    v[model.layout.mobility :] *= 10 * np.array(elastic.units)
    found = []
    for worth in (np.inf, 0.0):
        limits(slaved_worth=worth)
        numbers = Numbers(model.mechanism, np.array(model.parameters, dtype=object))
        x = [y.astype(object) for y in (q, v, a)]
        made = mass_matrix(numbers, x[0]) | bias_force(numbers, *x[:2]) | inverse_dynamics(numbers, *x)
        found.append({key: np.array(y, dtype=float) for key, y in made.items()})
    for key, y in found[0].items():
        np.testing.assert_allclose(y, found[1][key], rtol=0, atol=1e-11 * np.abs(y).max(), err_msg=key)
