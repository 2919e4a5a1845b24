"""Dry friction in joints that loops move: one that stands still meets none, whatever rounding leaves of its rate."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import gough
from gough.robot import loads

COULOMB = 0.5


def four_bar(turned: Rotation, size: float, joint: str, friction: dict) -> gough.Model:
    """A planar four-bar, turned anyhow in space, whose coupler hangs on a joint that could turn out of the plane too.

    joint: "universal", whose second axis lies in the plane, or "revolute" (of the plane's normal).
    """
    normal, along = [0, 0, 1], [0.6, 0.8, 0]
    pin = (
        {"type": "universal", "axes": [normal, along]} if joint == "universal" else {"type": "revolute", "axis": normal}
    )
    bar = {"mass": 1.0, "center_of_mass": [0.1 * size, 0.02 * size, 0.0]}
    base = {"matrix": turned.as_matrix().tolist()}
    at = {"matrix": turned.as_matrix().tolist(), "position": (turned.as_matrix() @ [0.5 * size, 0, 0]).tolist()}
    data = {
        "format": 1,
        "name": "four_bar",
        "bodies": [{"name": name} | bar for name in ("crank", "coupler", "rocker")],
        "joints": [
            {"name": "A", "type": "revolute", "parent": "world", "child": "crank", "pose": base, "drive": {}},
            {"name": "B", "parent": "crank", "child": "coupler", "pose": {"position": [0.2 * size, 0, 0]}}
            | pin
            | {"friction": friction},
            {"name": "D", "type": "revolute", "parent": "world", "child": "rocker", "pose": at},
        ],
        "loops": [
            {
                "name": "C",
                "type": "spherical",
                "first": {"body": "coupler", "pose": {"position": [0.6 * size, 0, 0]}},
                "second": {"body": "rocker", "pose": {"position": [0.4 * size, 0, 0]}},
            }
        ],
        "home": {"joints": {"A": 1.0, "B": [-0.7, 0.0] if joint == "universal" else -0.7, "D": 1.4}},
    }
    return gough.build(loads(json.dumps(data)))


@pytest.mark.quick_cases("1.0")
@pytest.mark.filterwarnings("ignore::gough.errors.HomeWarning")
@pytest.mark.parametrize("size", [1e-3, 1.0, 100.0])
def test_an_axis_that_stands_still_meets_no_dry_friction(size: float) -> None:
    """The motion is planar: the axis in the plane does not turn. A pin in its place says what the other one needs."""
    for seed in range(6):
        turned = Rotation.from_rotvec(np.random.default_rng(seed).normal(size=3))
        both = four_bar(turned, size, "universal", {"coulomb": COULOMB})
        pin = four_bar(turned, size, "revolute", {"coulomb": COULOMB})
        rates = np.array([[3.0], [-0.2], [1e-5], [0.0]])
        A = pin.home[0] + np.array([0.0, 0.1, -0.2, 0.3])
        q, flat = both.configuration(coordinates={"A": A}), pin.configuration(coordinates={"A": A})
        got = both.joint_reactions(q, rates, np.zeros((4, 1)))
        true = pin.joint_reactions(flat, rates, np.zeros((4, 1)))
        second = got.joints[:, got.joint_names.index("B"), 3:] @ [
            0.6,
            0.8,
            0,
        ]  # axes of the coupler: its own second axis
        np.testing.assert_allclose(second, 0, atol=1e-9 * max(1.0, 10 * size))
        tau = both.inverse_dynamics(q, rates, np.zeros((4, 1))).tau
        np.testing.assert_allclose(
            tau, pin.inverse_dynamics(flat, rates, np.zeros((4, 1))).tau, rtol=1e-9, atol=1e-9 * size
        )
        losses = both.energies(q, rates).losses
        turning = pin.configuration_rate(flat, rates)[:, pin.layout.index("B")]
        np.testing.assert_allclose(losses, COULOMB * np.abs(turning), rtol=1e-9)
        assert true.joint_names == got.joint_names


@pytest.mark.filterwarnings("ignore::gough.errors.HomeWarning")
def test_slow_motions_have_the_friction_of_fast_ones() -> None:
    """Rest is beside how fast the robot is, not below some rate: a motion of 1e-12 rad/s meets all of it."""
    m = four_bar(Rotation.identity(), 1.0, "revolute", {"coulomb": COULOMB})
    friction = [m.energies(m.home, [rate]).losses / rate for rate in (1.0, 1e-6, 1e-12)]
    np.testing.assert_allclose(friction, friction[0], rtol=1e-12)


@pytest.mark.filterwarnings("ignore::gough.errors.HomeWarning")
@pytest.mark.parametrize("precision", ["fast", "ieee"])
def test_compiled_code_calls_the_same_rates_rest(precision: str) -> None:
    turned = Rotation.from_rotvec(np.random.default_rng(3).normal(size=3))
    m = four_bar(turned, 1.0, "universal", {"coulomb": COULOMB})
    q = m.configuration(coordinates={"A": m.home[0] + np.linspace(-0.3, 0.3, 64)})
    f = gough.build(m.robot, precision=precision).function("joint_reactions")
    inputs = {"q": q, "v": np.full((64, 1), 2.0), "vdot": np.zeros((64, 1)), "parameters": m.parameters}
    inputs |= {s.name: np.zeros((64, s.size)) for s in f.program.inputs if s.name not in inputs}
    f.interpreted = True
    truth = f.values(**inputs)
    f.interpreted = False
    f.compile()
    for key, value in f.values(**inputs).items():
        np.testing.assert_allclose(value, truth[key], rtol=1e-9, atol=1e-9)
