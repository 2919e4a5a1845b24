"""A Stewart platform of hobby servos: its servo angles from circles and spheres, its forces, and rods that spin."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gough
from dynamics.idle_robots import TOLERANCE, relative, solved
from dynamics.test_any_mechanism import PEER_TOLERANCE
from mechanisms.models import model
from papers.vectors import rotation_x, rotation_y, rotation_z
from reference.energies.lagrange import Reference
from reference.peers.mujoco import MujocoPeer
from reference.peers.pinocchio import PinocchioPeer

SIZES = {"base_radius": 0.08, "base_spread": 12.0, "top_radius": 0.06, "top_spread": 48.0, "horn": 0.025, "rod": 0.14}
OTHER = {"base_radius": 0.09, "base_spread": 20.0, "top_radius": 0.055, "top_spread": 37.0, "horn": 0.03, "rod": 0.17}
"""Lengths in m, angles in degrees."""
N = 6


def height(sizes: dict[str, float]) -> float:
    """Of the level platform over level horns [m]: the third side of the triangles of the rods."""
    b, t = np.radians(sizes["base_spread"]), np.radians(sizes["top_spread"])
    end = sizes["base_radius"] * np.exp(1j * b) + sizes["horn"] * np.exp(1j * (b + np.pi / 2))
    return float(np.sqrt(sizes["rod"] ** 2 - abs(sizes["top_radius"] * np.exp(1j * t) - end) ** 2))


def servo_angles(p: np.ndarray, R: np.ndarray, sizes: dict[str, float]) -> np.ndarray:
    """(6,) where the circle of a horn's end meets the sphere of the rod about the ball: left servos, then right ones."""
    found = []
    for side in (1, -1):
        for turn in (0.0, 120.0, 240.0):
            at, ball = np.radians(turn + side * sizes["base_spread"]), np.radians(turn + side * sizes["top_spread"])
            servo = sizes["base_radius"] * np.array([np.cos(at), np.sin(at), 0.0])
            level = side * np.array([-np.sin(at), np.cos(at), 0.0])  # the horn at 0 points along the circle of servos
            to = p + R @ (sizes["top_radius"] * np.array([np.cos(ball), np.sin(ball), 0.0])) - servo
            along, up, h = to @ level, to[2], sizes["horn"]
            c = (to @ to + h**2 - sizes["rod"] ** 2) / (2 * h)  # horn · to
            found.append(np.arctan2(up, along) - np.arccos(c / np.hypot(along, up)))
    return np.array(found)


def poses(middle: float, seed: int = 4) -> list[tuple[np.ndarray, np.ndarray]]:
    """Positions within 8 mm, turned by up to 8 degrees about each axis."""
    rng = np.random.default_rng(seed)
    shifts, turns = rng.uniform(-8e-3, 8e-3, (N, 3)), np.radians(rng.uniform(-8, 8, (N, 3)))
    return [
        (s + [0, 0, middle], rotation_z(a) @ rotation_y(b) @ rotation_x(c))
        for s, (a, b, c) in zip(shifts, turns, strict=True)
    ]


@pytest.mark.parametrize("sizes", [SIZES, OTHER], ids=["gallery", "other"])
def test_servo_angles(sizes: dict[str, float]) -> None:
    """Also of the robot that other variables give, whose home is level again."""
    m = model("hobby_6rss")
    if sizes is OTHER:
        changed = {k: f"{x} deg" if "spread" in k else x for k, x in sizes.items()}
        m = gough.build(m.robot.with_variables(changed))
    assert m.layout.drive_names == tuple(f"{side}{k}.servo" for side in ("left", "right") for k in range(3))
    np.testing.assert_allclose(m.home[:3], [0, 0, height(sizes)], atol=1e-12)
    np.testing.assert_allclose(m.drives(m.home), 0, atol=1e-9)
    for p, R in poses(height(sizes)):
        q = m.configuration(pose=(p, R))
        np.testing.assert_allclose(m.drives(q), servo_angles(p, R, sizes), rtol=0, atol=1e-9)


def test_servo_speeds() -> None:
    """Central differences of the closed form, turning about world axes; spinning rods do not move a servo."""
    m, h = model("hobby_6rss"), 1e-6
    rng = np.random.default_rng(5)
    for p, R in poses(height(SIZES)):
        v = rng.normal(size=12) * np.where(np.arange(12) < 3, 0.1, 1.0)
        w = v[3:6]
        turn = [rotation_z(s * h * w[2]) @ rotation_y(s * h * w[1]) @ rotation_x(s * h * w[0]) for s in (1, -1)]
        after, before = (servo_angles(p + s * h * v[:3], T @ R, SIZES) for s, T in zip((1, -1), turn, strict=True))
        rates = m.drive_rates(m.configuration(pose=(p, R)), v)
        np.testing.assert_allclose(rates, (after - before) / (2 * h), rtol=0, atol=1e-7 * np.abs(rates).max())


def test_forces() -> None:
    """Against energies, with a wrench; rods turned anyhow, spinning at 5 rad/s or so."""
    m = model("hobby_6rss")
    truth = Reference(m.robot, m.layout.v_names)
    for q, v, a, wrench in states():
        tau, _ = solved(truth, q, v, list(range(6)), a, truth.external(q, wrench))
        assert relative(m.inverse_dynamics(q, v, a, wrench).tau, tau) < TOLERANCE


@pytest.mark.parametrize("engine", [PinocchioPeer, MujocoPeer])
def test_forces_move_the_peers_as_asked(engine: Any) -> None:
    """Platform and rods: these have hardly any inertia about themselves, which energies on all closures round away."""
    m = model("hobby_6rss")
    peer = engine(m.robot, m.layout.v_names)
    for q, v, a, wrench in states():
        found = m.inverse_dynamics(q, v, a, wrench)
        vdot = peer.forward(q, v, found.tau, wrench)
        assert relative(a, vdot[:6]) < PEER_TOLERANCE and relative(found.idle_acceleration, vdot[6:]) < PEER_TOLERANCE
        assert relative(m.forward_dynamics(q, v, found.tau, wrench).vdot, vdot) < PEER_TOLERANCE


def test_a_round_rod_keeps_its_spin() -> None:
    """By Euler's equations: nothing turns a round rod about its line, however its ends are moved."""
    m, h = model("hobby_6rss"), 1e-5
    rods = [f"{side}{k}.rod" for side in ("left", "right") for k in range(3)]
    for q, v, a, wrench in states():
        vdot = np.r_[a, m.inverse_dynamics(q, v, a, wrench).idle_acceleration]

        def spins(s: float, q: np.ndarray = q, v: np.ndarray = v, vdot: np.ndarray = vdot) -> np.ndarray:
            there, rate = m.integrate(q, v + s / 2 * vdot, s), v + s * vdot
            return np.array([m.frame_twist(there, rate, rod)[3:] @ m.frame_pose(there, rod)[1][:, 2] for rod in rods])

        change = (spins(h) - spins(-h)) / (2 * h)
        assert np.abs(change).max() < 1e-5 * np.abs(vdot[6:]).max()


def states() -> list[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]]:
    """(q, v, acceleration, wrench) at random."""
    m, rng, out = model("hobby_6rss"), np.random.default_rng(6), []
    for p, R in poses(height(SIZES))[:3]:
        q = m.integrate(m.configuration(pose=(p, R)), np.r_[np.zeros(6), rng.normal(size=6)])
        v = rng.normal(size=12) * np.repeat([0.2, 2.0, 5.0, 5.0], 3)
        out.append((q, v, rng.normal(size=6), rng.normal(size=6)))
    return out


def test_limits() -> None:
    """Straight up all servos meet their speed limits where the closed form says; at rest they use little of their torque."""
    m, h = model("hobby_6rss"), 1e-6
    after, before = (servo_angles(np.array([0, 0, height(SIZES) + s * h]), np.eye(3), SIZES) for s in (1, -1))
    fastest = np.radians(400) * 2 * h / (after - before)[0]  # vz [m/s]
    still = np.zeros(12)
    tau = m.inverse_dynamics(m.home, still, np.zeros(6)).tau
    got = m.limit_margins(m.home, np.r_[0, 0, fastest, np.zeros(9)], tau=tau)
    margins = dict(zip(got.names, got.margins, strict=True))
    for servo in m.layout.drive_names:
        assert abs(margins[f"{servo} speed"]) < 1e-6
        assert 0.9 < margins[f"{servo} force"] < 1.0
        np.testing.assert_allclose(margins[f"{servo} stroke upper"], np.radians(60), atol=1e-9)


def tilts(p: np.ndarray, R: np.ndarray) -> dict[str, float]:
    """Of both balls of every rod: from upright on its horn and from upright under the platform, by circles and spheres."""
    angles, up, k, found = servo_angles(p, R, SIZES), np.array([0.0, 0.0, 1.0]), 0, {}
    for side, name in ((1, "left"), (-1, "right")):
        for turn in (0.0, 120.0, 240.0):
            at, ball = np.radians(turn + side * SIZES["base_spread"]), np.radians(turn + side * SIZES["top_spread"])
            level = side * np.array([-np.sin(at), np.cos(at), 0.0])
            horn, upright = (np.cos(angles[k] + a) * level + np.sin(angles[k] + a) * up for a in (0.0, np.pi / 2))
            knee = SIZES["base_radius"] * np.array([np.cos(at), np.sin(at), 0.0]) + SIZES["horn"] * horn
            rod = p + R @ (SIZES["top_radius"] * np.array([np.cos(ball), np.sin(ball), 0.0])) - knee
            for joint, axis in (("knee", upright), ("ball", R @ up)):
                found[f"{name}{k % 3}.{joint} cone"] = float(np.arccos(rod @ axis / np.linalg.norm(rod)))
            k += 1
    return found


def test_cones() -> None:
    """60 degrees at both ends of every rod."""
    m = model("hobby_6rss")
    for p, R in poses(height(SIZES)):
        got = m.limit_margins(m.configuration(pose=(p, R)))
        margins = dict(zip(got.names, got.margins, strict=True))
        for name, tilt in tilts(p, R).items():
            assert abs(margins[name] - (np.radians(60) - tilt)) < 1e-9


def test_the_cones_that_are_exceeded_are_named() -> None:
    """Of a robot with narrower ones that is rolled: just those that geometry names, by as much."""
    text = gough.robot.dumps(gough.load("hobby_6rss"))
    assert text.count("cone: 1.0471975511965976") == 2
    narrow = gough.build(gough.robot.loads(text.replace("cone: 1.0471975511965976", "cone: 0.35")))
    home = {"position": narrow.home[:3]}
    way = gough.motions.quintic(poses=[home, home | {"rpy_zyx": [0, 0, "15 deg"]}], durations=1.0)
    report = gough.check_motion(narrow, way, samples=21, forces=False)
    found = {p.place: p.worst for p in report.problems if p.place.endswith("cone")}
    over: dict[str, float] = {}
    for t in report.t:
        angle = np.radians(15) * (10 * t**3 - 15 * t**4 + 6 * t**5)
        for name, tilt in tilts(narrow.home[:3], rotation_x(angle)).items():
            over[name] = max(over.get(name, -1.0), tilt - 0.35)
    wanted = {name: by for name, by in over.items() if by > 0}
    assert 0 < len(wanted) < 12 and found == pytest.approx(wanted, abs=1e-9)
    assert all(f"{name}: beyond its limit, by up to {by:.6g} rad" in str(report) for name, by in found.items())
