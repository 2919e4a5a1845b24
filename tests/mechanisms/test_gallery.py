"""Every mechanism of the gallery: a good home, the freedoms it is meant to have, forward and inverse undo each other."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from mechanisms.models import model

FREEDOMS = {
    "delta": ("vx", "vy", "vz"),
    "delta_fast": ("vx", "vy", "vz"),
    "five_bar": ("left_motor", "right_motor"),
    "three_rrr": ("vx", "vy", "wz"),
    "tripod_wrist": ("vz", "wx", "wy", "turn", "tilt"),
    "four_bar_chain": ("foot0",),
    "andrews": ("beta",),
    "bricard": ("hinge1",),
    "redundant_planar": ("vx", "vy", "wz"),
    "ankle": ("wx", "wy"),
    "differential_wrist": ("right", "left"),
    "geared_gripper": ("motor",),
    "hobby_6rss": (
        "vx",
        "vy",
        "vz",
        "wx",
        "wy",
        "wz",
        *(f"{side}{k}.knee_wz" for side in ("left", "right") for k in range(3)),
    ),
    "three_prs": ("vz", "wx", "wy"),
    "orthoglide": ("vx", "vy", "vz"),
    "agile_eye": ("wx", "wy", "wz"),
    "screw_hexapod": ("vx", "vy", "vz", "wx", "wy", "wz"),
}
UNDRIVEN = ("four_bar_chain", "bricard")
REACH = {"hobby_6rss": 0.1}
"""How far states are from home, in sizes of the robot and rad, where 0.15 is too far: its horns are short."""
N = 4


def states(m: gough.Model) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Assembled q around home, v, and drive forces."""
    rng = np.random.default_rng(9)
    unit = np.array([m.size if u == "m/s" else 1.0 for u in m.layout.v_units])
    steps = REACH.get(m.robot.name, 0.15) * rng.uniform(-1, 1, (N, m.layout.nv)) * unit
    q = m.integrate(np.tile(m.home, (N, 1)), steps)
    return q, rng.normal(size=(N, m.layout.nv)) * unit, rng.normal(size=(N, len(m.layout.drive_names)))


@pytest.mark.parametrize("name", FREEDOMS)
def test_home(name: str) -> None:
    m = model(name)
    assert m.layout.v_names == FREEDOMS[name]
    assert m.closure_error(m.home) < 1e-12
    measure = m.singularity(m.home)
    assert measure.serial.min() > 0.05
    assert name in UNDRIVEN or measure.parallel > 0.1


@pytest.mark.parametrize("name", FREEDOMS)
def test_home_stays_where_the_file_puts_it(name: str) -> None:
    """The joints in the file are the home's to their digits, so that they choose the assembly."""
    m = model(name)
    given = {key: value for key, value in m.robot.home.joints.items() if len(value) == 1}
    found = {key: m.home[m.layout.index(key)] for key in given}
    np.testing.assert_allclose([found[key] for key in given], [given[key][0] for key in given], atol=2e-2)


@pytest.mark.parametrize("name", [n for n in FREEDOMS if n not in UNDRIVEN])
def test_inverse_of_forward(name: str) -> None:
    """With redundant drives the forces come back as the shortest with the same effect."""
    m = model(name)
    q, v, tau = states(m)
    assert m.closure_error(q).max() < 1e-10
    vdot = m.forward_dynamics(q, v, tau).vdot
    found = m.inverse_dynamics(q, v, vdot[:, : m.mobility]).tau  # idle ones follow
    S = m.drive_map(q)
    need, got = np.einsum("nij,nj->ni", S, tau), np.einsum("nij,nj->ni", S, found)
    scale = np.abs(np.einsum("nij,nj->ni", m.mass_matrix(q), vdot)).max() + np.abs(need).max()
    np.testing.assert_allclose(got, need, rtol=0, atol=1e-11 * scale)
    if m.robot.drive_sharing is None:
        np.testing.assert_allclose(found, tau, rtol=0, atol=1e-11 * max(np.abs(found).max(), scale))
    again = m.forward_dynamics(q, v, found).vdot
    np.testing.assert_allclose(again, vdot, rtol=0, atol=1e-10 * np.abs(vdot).max())


@pytest.mark.parametrize("name", FREEDOMS)
def test_power(name: str) -> None:
    """d(kinetic + potential)/dt = tau . drive rates - losses, along the motion that follows."""
    m = model(name)
    q, v, tau = states(m)
    vdot = m.forward_dynamics(q, v, tau).vdot
    h = 1e-4 / max(1.0, float(np.abs(vdot).max()) ** 0.5)
    after, before = (m.energies(m.integrate(q, v + s * h / 2 * vdot, s * h), v + s * h * vdot).total for s in (1, -1))
    power = np.einsum("ni,ni->n", tau, m.drive_rates(q, v)) - m.energies(q, v).losses
    np.testing.assert_allclose((after - before) / (2 * h), power, rtol=0, atol=2e-6 * (1 + np.abs(power).max()))


@pytest.mark.parametrize("name", FREEDOMS)
def test_source(name: str) -> None:
    robot = gough.load(name)
    assert robot.title and robot.home.source
    assert robot.source["assumed"] and ("benchmark" in robot.source or "design" in robot.source)
