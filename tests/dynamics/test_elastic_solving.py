"""Stiffened bodies solved without their mass matrix, as with it; their shortening exact, or known by its moments."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import gough
from gough.robot import loads

ROBOT = """
format: 1
name: strip
bodies:
  - {{name: column, mass: 0.1, inertia: {{about: origin, xx: 1e-4, yy: 1e-4, zz: 1e-4}}}}
  - name: strip
    frames: {{tip: {{position: [0.5, 0, 0]}}}}
    flexible:
      beam:
        {{length: 0.5, elements: {elements}, section_y: [0, 1, 0], section: {{rectangle: {{y: 4 mm, z: 20 mm}}}},
         material: {{E: 70 GPa, nu: 0.3, density: 2700}}}}
      modes: {{{modes}}}
      stiffening: {stiffening}
{bodies}
joints:
  - {{name: yaw, type: revolute, parent: world, child: column, drive: {{}}}}
  - {{name: pitch, type: revolute, parent: column, child: strip, axis: [0, 1, 0], drive: {{}}}}
{joints}
home: {{joints: {{yaw: 0.2, pitch: 0.3}}}}
"""
TOOL = "  - {name: tool, mass: 0.01}"
GRIP = "  - {name: grip, type: fixed, parent: strip, child: tool, pose: {position: [0.5, 0, 0]}}"


def strip(modes: str, elements: int = 6, stiffening: str = "moments", tool: bool = False) -> gough.Robot:
    more = {"bodies": TOOL if tool else "", "joints": GRIP if tool else ""}
    return loads(ROBOT.format(modes=modes, elements=elements, stiffening=stiffening, **more))


def states(model: gough.Model, seed: int, bent: float = 1.0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """q, v and accelerations of a strip bent by its coordinates' typical large amplitudes, times `bent`."""
    rng = np.random.default_rng(seed)
    elastic = model.mechanism.links[model.mechanism.flexible[0]].elastic
    assert elastic is not None
    q, n = model.home.copy(), model.layout.mobility
    q[model.layout.elastic] = bent * np.array(elastic.units) * rng.normal(size=elastic.modes)
    v = rng.normal(size=model.layout.nv)
    v[n:] *= 10 * np.array(elastic.units)
    return q, v, rng.normal(size=n)


def compare_with_the_mass_matrix(model: gough.Model, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> None:
    """Both dynamics by NumPy from M, h and S, which have ways of their own."""
    n = len(a)
    M, h, S = model.mass_matrix(q), model.bias_force(q, v), np.asarray(model.drive_map(q))
    size = np.sqrt(np.diag(M))
    assert np.linalg.eigvalsh(M / np.outer(size, size))[0] > 0.0
    full = np.block([[S, -M[:, n:]]]) * np.concatenate([np.ones(S.shape[1]), 1 / size[n:]]) / size[:, None]
    found = np.linalg.solve(full, (M[:, :n] @ a + h) / size)
    tau, eddot = found[: S.shape[1]], found[S.shape[1] :] / size[n:]
    given = model.inverse_dynamics(q, v, a)
    np.testing.assert_allclose(given.tau, tau, rtol=0, atol=1e-10 * np.abs(tau).max())
    np.testing.assert_allclose(
        given.eddot * size[n:], eddot * size[n:], rtol=0, atol=1e-10 * np.abs(eddot * size[n:]).max()
    )
    vdot = np.linalg.solve(M / np.outer(size, size), (S @ tau - h) / size)
    forward = model.forward_dynamics(q, v, tau).vdot * size
    np.testing.assert_allclose(forward, vdot, rtol=0, atol=1e-10 * np.abs(vdot).max())


STATIC = "kind: attachment, interfaces: [tip], number: 3"
FORMS = [
    *((modes, "moments") for modes in ("number: 2", "number: 4", "number: 12", "kind: nodal", STATIC)),
    *((modes, "on") for modes in ("number: 4", "kind: nodal")),
]


@pytest.mark.parametrize("bent", [1.0, 10.0])
@pytest.mark.parametrize(("modes", "stiffening"), FORMS)
def test_as_with_the_mass_matrix(modes: str, stiffening: str, bent: float) -> None:
    """Modes, nodes, static shapes with stretching among them; slopes of a third, too."""
    model = gough.build(strip(modes, 3 if "nodal" in modes else 6, stiffening))
    for seed in range(2):
        compare_with_the_mass_matrix(model, *states(model, seed, bent))


def test_a_body_that_carries_a_tool() -> None:
    """What hangs on a body adds to its mass matrix, which is formed then."""
    model = gough.build(strip("number: 6", tool=True))
    compare_with_the_mass_matrix(model, *states(model, 1))


@pytest.mark.quick_cases("number: 6-moments")
@pytest.mark.parametrize(
    ("modes", "stiffening"), [("number: 6", "moments"), (STATIC, "moments"), ("kind: nodal", "on")]
)
def test_it_is_less_work_and_the_same(modes: str, stiffening: str, limits: Callable[..., None]) -> None:
    robot = strip(modes, 3 if "nodal" in modes else 6, stiffening)
    found, counts = [], []
    for fewest in (4, 1000):
        limits(elastic_fewest=fewest)
        model = gough.build(robot)
        q, v, a = states(model, 3)
        given = model.inverse_dynamics(q, v, a)
        vdot = model.forward_dynamics(q, v, given.tau).vdot
        found.append([given.tau, given.eddot, vdot])
        counts.append([model.count(name).operations for name in ("inverse_dynamics", "forward_dynamics")])
    assert all(few < many for few, many in zip(*counts, strict=True))
    for apart, whole in zip(*found, strict=True):
        np.testing.assert_allclose(apart, whole, rtol=0, atol=1e-12 * np.abs(whole).max())


@pytest.mark.quick_cases("number: 4")
@pytest.mark.parametrize("modes", ["number: 4", "number: 6", "number: 12"])
def test_at_most_four_times_the_operations_of_no_stiffening(modes: str) -> None:
    """Two planes of bending, numbers baked."""
    for name in ("inverse_dynamics", "forward_dynamics"):
        bent, plain = (
            gough.build(strip(modes, 12, form)).count(name, baked=True).operations for form in ("moments", "off")
        )
        assert bent <= 4 * plain
