"""Linear models at rest: the slope of smoothed Coulomb friction is there or not as asked, and said."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import gough
from gough.errors import FrictionWarning
from gough.robot import loads
from model.test_parameter_derivatives import build, described


def ankle(coulomb: float) -> gough.Model:
    """Linear drives with 12 N of friction, smoothed over 1 mm/s: 12 000 N s/m at rest."""
    data: dict[str, Any] = described("ankle")
    slide = next(j for j in data["templates"]["leg"]["chain"] if j["name"] == "slide")
    slide["drive"] |= {"coulomb": coulomb, "smoothing": 0.001} if coulomb else {}
    return build(data)


def differences(model: gough.Model, tau: np.ndarray, step: float) -> np.ndarray:
    """∂v̇/∂v (nv, nv) at rest."""
    columns = []
    for e in np.eye(model.layout.nv) * step:
        up, down = (model.forward_dynamics(model.home, v, tau).vdot for v in (e, -e))
        columns.append((up - down) / (2 * step))
    return np.array(columns).T


def test_the_slope_of_friction_is_there_or_not_as_asked() -> None:
    rough, smooth = ankle(12.0), ankle(0.0)
    rest = np.zeros(2)
    tau = rough.inverse_dynamics(rough.home, rest, rest).tau
    with pytest.warns(FrictionWarning, match="friction='viscous' leaves it out"):
        whole = rough.linearize(rough.home, rest, tau)
    viscous = rough.linearize(rough.home, rest, tau, friction="viscous")
    truth = differences(rough, tau, 1e-6)
    np.testing.assert_allclose(whole.A[2:, 2:], truth, atol=1e-5 * np.abs(truth).max())
    truth = differences(smooth, tau, 1e-6)  # the same robot described without Coulomb friction
    np.testing.assert_allclose(viscous.A[2:, 2:], truth, atol=1e-5 * np.abs(truth).max())
    np.testing.assert_array_equal(whole.A[:, :2], viscous.A[:, :2])
    found, expected = (gough.natural_frequencies(m, drives={"stiffness": 1e5}).damping for m in (rough, smooth))
    np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_no_warning_where_it_does_not_matter() -> None:
    rough, smooth = ankle(12.0), ankle(0.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error", FrictionWarning)
        smooth.linearize(smooth.home, np.zeros(2), np.zeros(2))
        rough.linearize(rough.home, np.array([3.0, 4.0]), np.zeros(2))  # far above 1 mm/s
    with pytest.raises(gough.UsageError, match="friction='none'; use one of smoothed, viscous"):
        rough.linearize(rough.home, np.zeros(2), np.zeros(2), friction="none")


ROD = """
format: 1
name: rod
gravity: [0, 0, 0]
bodies:
  - {name: rod, mass: 2, center_of_mass: [0.3, 0, 0], inertia: {about: center_of_mass, xx: 0.02, yy: 0.03, zz: 0.04},
     frames: {tip: {position: [0.6, 0, 0]}}}
joints: [{name: pin, type: revolute, parent: world, child: rod, drive: {}}]
home: {joints: {pin: 0}}
"""


def test_a_load_that_pulls_is_a_spring() -> None:
    """A dead load F along a rod of length L that turns about a pin, I = 0.04 + 2·0.3²: I φ̈ = -F L sin φ."""
    model = gough.build(loads(ROD))
    rate = 50.0 * 0.6 / 0.22
    pull, push = {"rod.tip": [50.0, 0, 0, 0, 0, 0]}, {"rod.tip": [-50.0, 0, 0, 0, 0, 0]}
    assert model.linearize([0.0], [0.0], [0.0], wrench=pull).A[1, 0] == pytest.approx(-rate, rel=1e-12)
    swings = gough.natural_frequencies(model, drives="free", wrench=pull)
    assert swings.frequencies_hz[0] == pytest.approx(np.sqrt(rate) / (2 * np.pi), rel=1e-12) and swings.stable
    falls = gough.natural_frequencies(model, drives="free", wrench=push)
    assert not falls.stable and falls.eigenvalues.real.max() == pytest.approx(np.sqrt(rate), rel=1e-9)
    side = {"rod.tip": [30.0, 10.0, 0, 0, 0, 0]}
    rest = gough.static_equilibrium(model, tau=[0.0], wrench=side)
    assert rest.q[0] == pytest.approx(np.arctan2(10.0, 30.0), abs=1e-9)


CASES = {
    "five_bar": ("left_rod.tool",),
    "delta": ("tool", "leg1.rod"),
    "tripod_wrist": (),
    "flexible_slider_crank": (),
    "redundant_planar": (),
}


@pytest.mark.quick_cases("tripod_wrist", "flexible_slider_crank")
@pytest.mark.parametrize("name", CASES)
def test_linear_models_under_loads_are_differences_of_the_motion(name: str) -> None:
    """On every frame of a robot: how accelerations change along its free motions, loads held in the world."""
    model = gough.build(name)
    rng = np.random.default_rng(5)
    frames = [f for f in model.mechanism.frames if f in CASES[name]] or list(model.mechanism.frames)[:3]
    wrench = {frame: rng.normal(size=6) * 5 for frame in frames}
    v, tau = 0.1 * rng.normal(size=model.layout.nv), rng.normal(size=len(model.mechanism.drives))
    found = model.linearize(model.home, v, tau, wrench, friction="smoothed")
    nv, h, truth = model.layout.nv, 1e-6, []
    for e in np.eye(nv) * h:
        q = [model.integrate(model.home, sign * e, 1.0) for sign in (1.0, -1.0)]
        up, down = (model.forward_dynamics(x, v, tau, wrench).vdot for x in q)
        truth.append((up - down) / (2 * h))
    truth = np.array(truth).T
    assert np.abs(found.A[nv:, :nv] - truth).max() < 1e-5 * np.abs(truth).max()


def arm(joints: int) -> gough.Model:
    bodies = [
        {
            "name": f"b{k}",
            "mass": 1 + 0.1 * k,
            "center_of_mass": [0.1, 0.02, 0.01 * k],
            "inertia": {"about": "center_of_mass", "xx": 0.01, "yy": 0.02, "zz": 0.025},
        }
        for k in range(joints)
    ]
    chain = [
        {
            "name": f"j{k}",
            "type": "revolute",
            "axis": [float(k % 3 == i) for i in (2, 1, 0)],
            "parent": "world" if k == 0 else f"b{k - 1}",
            "child": f"b{k}",
            "pose": {"position": [0.2, 0, 0.1]},
            "drive": {},
        }
        for k in range(joints)
    ]
    return build({"format": 1, "name": "arm", "bodies": bodies, "joints": chain})


@pytest.mark.parametrize("joints", [5, 6, 7])
def test_rates_of_six_joints_are_no_twist(joints: int) -> None:
    """Without a platform: A from differences of forward dynamics, C from Christoffel's symbols of differences of M."""
    model, rng, h = arm(joints), np.random.default_rng(joints), 1e-6
    q, v, tau = rng.normal(size=(3, joints))
    A = model.linearize(q, v, tau).A
    np.testing.assert_array_equal(A[:joints], np.hstack([np.zeros((joints, joints)), np.eye(joints)]))
    step = h * np.eye(joints)
    ahead, behind = (model.forward_dynamics(q + s * step, v, tau).vdot for s in (1, -1))
    np.testing.assert_allclose(A[joints:, :joints], (ahead - behind).T / (2 * h), rtol=1e-6, atol=1e-5)
    D = (model.mass_matrix(q + step) - model.mass_matrix(q - step)) / (2 * h)  # D[k] = ∂M/∂q_k
    C = 0.5 * sum(v[k] * (D[k] + D[:, :, k].T - D[:, k, :]) for k in range(joints))
    np.testing.assert_allclose(model.coriolis_matrix(q, v), C, atol=1e-7)
