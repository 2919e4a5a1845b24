"""Bricard's mechanism: one freedom although counting gives none; its motion against energies of thin rods."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import casadi as ca
import numpy as np
import pytest

from mechanisms.index1 import Index1
from mechanisms.models import model

G = 9.81
AXES = "yzxyz"
RODS = ((1, 0, 0), (0, -1, 0), (0, 0, 1), (-1, 0, 0), (0, 1, 0))
ANGLES = (0.0, 0.35, -0.5, 0.9)


def turned(axis: str, angle: ca.SX) -> ca.SX:
    c, s = ca.cos(angle), ca.sin(angle)
    rows = {
        "x": ((1, 0, 0), (0, c, -s), (0, s, c)),
        "y": ((c, 0, s), (0, 1, 0), (-s, 0, c)),
        "z": ((c, -s, 0), (s, c, 0), (0, 0, 1)),
    }[axis]
    return ca.vertcat(*(ca.horzcat(*row) for row in rows))


@cache
def ring() -> Index1:
    """Five thin rods from corner to corner: T = m/6 (va.va + va.vb + vb.vb), V = m g times the mean height."""
    p, pd = ca.SX.sym("p", 5), ca.SX.sym("pd", 5)
    rotation, corners = ca.SX.eye(3), [ca.SX.zeros(3)]
    for k, (axis, rod) in enumerate(zip(AXES, RODS, strict=True)):
        rotation = rotation @ turned(axis, p[k])
        corners.append(corners[-1] + rotation @ ca.DM(rod))
    speeds = [ca.jtimes(corner, p, pd) for corner in corners]
    kinetic = sum((ca.dot(a, a) + ca.dot(a, b) + ca.dot(b, b)) / 6 for a, b in pairwise(speeds))
    potential = sum(G * (a[1] + b[1]) / 2 for a, b in pairwise(corners))
    g = ca.vertcat(corners[-1] - ca.DM((0, 0, 1)), rotation[1:, 0])
    return Index1(p, pd, ca.SX(kinetic), ca.SX(potential), g, ca.SX.zeros(5), ca.SX.sym("none"))


def test_one_freedom_and_one_redundant_closure() -> None:
    assert (model("bricard").mobility, model("bricard").layout.v_names) == (1, ("hinge1",))
    assert len(model("bricard").redundant_closures) == 1
    assert model("bricard").closure_error(model("bricard").home) == 0


@pytest.mark.parametrize("angle", ANGLES)
def test_motion_follows_the_energies(angle: float) -> None:
    m, reference = model("bricard"), ring()
    q = m.configuration(coordinates={"hinge1": angle})
    assert m.closure_error(q) < 1e-12 and reference.gap(q) < 1e-11
    for rate in (0.0, 1.7):
        rates = reference.rates(q, rate)
        energies = m.energies(q, [rate])
        np.testing.assert_allclose((energies.kinetic, energies.potential), reference.energies(q, rates), atol=1e-11)
        found = m.forward_dynamics(q, [rate], np.zeros(0)).vdot
        expected = reference.solve(q, rates).accelerations[0]
        np.testing.assert_allclose(found, [expected], rtol=1e-9, atol=1e-9)


def test_it_starts_to_fall() -> None:
    """P3, the corner of rods 3 and 4, moves down from rest; it stays at distance sqrt(3) or less from the first."""
    m = model("bricard")
    vdot = m.forward_dynamics(m.home, [0.0], np.zeros(0)).vdot
    assert m.frame_twist(m.home, vdot, "rod3.p3")[1] < -1


def test_energy_is_kept_over_some_time() -> None:
    m, h = model("bricard"), 1e-2
    none = np.zeros(0)
    q, v = m.home.copy(), np.zeros(1)
    start = float(m.energies(q, v).total)

    def rate(q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        q = m.project(q)
        return m.configuration_rate(q, v), m.forward_dynamics(q, v, none).vdot

    for _ in range(20):
        k1 = rate(q, v)
        k2 = rate(q + h / 2 * k1[0], v + h / 2 * k1[1])
        k3 = rate(q + h / 2 * k2[0], v + h / 2 * k2[1])
        k4 = rate(q + h * k3[0], v + h * k3[1])
        q = m.project(q + h / 6 * (k1[0] + 2 * k2[0] + 2 * k3[0] + k4[0]))
        v = v + h / 6 * (k1[1] + 2 * k2[1] + 2 * k3[1] + k4[1])
    energies = m.energies(q, v)
    assert energies.kinetic > 0.3
    assert abs(float(energies.total) - start) < 1e-7 * float(energies.kinetic)
