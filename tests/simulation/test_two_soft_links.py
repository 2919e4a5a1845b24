"""An arm of two links that bend, written once more: points of a plane as complex numbers, modes of beams by cubic elements,
steps of RK4. Shaped moves, what they leave, and forces for a tool on its path are compared with it."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy.interpolate import CubicSpline
from scipy.linalg import eigh, eigvals

import gough
from gough import motions
from laws.subjects import built

Array = np.ndarray
E, DENSITY, ZETA = 7e9, 7000.0, 0.06
FALL = 1.2 - 9.0j
ELBOW, TOOL = (0.32, 0.02 + 0.015j, 3.5e-4), (0.17, 0.03 - 0.01j, 2.2e-4)
"""Mass, its centre beside the end of the link, moment about it."""
ROTORS, VISCOUS = np.array([7.5e-3, 1.6e-3]), np.array([0.1, 0.05])
STEP = 2e-4


class Link(NamedTuple):
    """Points along it with masses and shapes (points, 2); of the end: displacement and slope of each shape; ω²; length."""

    x: Array
    mass: Array
    shapes: Array
    end: Array
    slope: Array
    squares: Array
    length: float


def link(length: float, elements: int, area: float, inertia: float) -> Link:
    """The first two bending modes, clamped where it begins, of unit modal mass."""
    h, n = length / elements, 2 * elements + 2
    K: Any = np.zeros((n, n))
    M: Any = np.zeros((n, n))
    x, mass, rows = list[float](), list[float](), list[Array]()
    for e in range(elements):
        for g, w in zip(*np.polynomial.legendre.leggauss(5), strict=True):
            z, at = (g + 1) / 2, slice(2 * e, 2 * e + 4)
            N, bent = np.zeros(n), np.zeros(n)
            N[at] = [1 - 3 * z**2 + 2 * z**3, h * (z - 2 * z**2 + z**3), 3 * z**2 - 2 * z**3, h * (z**3 - z**2)]
            bent[at] = np.array([12 * z - 6, h * (6 * z - 4), 6 - 12 * z, h * (6 * z - 2)]) / h**2
            x, mass, rows = [*x, h * (e + z)], [*mass, w / 2 * h * DENSITY * area], [*rows, N]
            M += mass[-1] * np.outer(N, N)
            K += w / 2 * h * E * inertia * np.outer(bent, bent)
    squares, modes = eigh(K[2:, 2:], M[2:, 2:])
    modes = np.vstack([np.zeros((2, 2)), modes[:, :2]])
    modes *= np.sign(modes[-2])
    return Link(np.array(x), np.array(mass), np.array(rows) @ modes, modes[-2], modes[-1], squares[:2], length)


UPPER, FORE = link(0.45, 3, 1.1e-4, 6e-9), link(0.38, 2, 0.9e-4, 2.5e-9)
TEXT = """
format: 1
name: two_soft_links
source: a made-up robot for tests
gravity: [1.2, -9.0, 0]
bodies:
  - name: upper
    frames: {end: {position: [0.45, 0, 0]}}
    flexible:
      beam: {length: 0.45, elements: 3, plane: true, section: {area: 1.1e-4, Iz: 6e-9, Iy: 1e-8, J: 1e-8}, material: {E: 7 GPa, nu: 0.33, density: 7000 kg/m3}}
      modes: {kind: clamped, number: 2, align: end}
      damping: {ratio: 0.06}
      stiffening: off
  - {name: second, mass: 0.32, center_of_mass: [0.02, 0.015, 0], inertia: {about: center_of_mass, xx: 3.5e-4, yy: 3.5e-4, zz: 3.5e-4}}
  - name: fore
    frames: {end: {position: [0.38, 0, 0]}}
    flexible:
      beam: {length: 0.38, elements: 2, plane: true, section: {area: 0.9e-4, Iz: 2.5e-9, Iy: 1e-8, J: 1e-8}, material: {E: 7 GPa, nu: 0.33, density: 7000 kg/m3}}
      modes: {kind: clamped, number: 2, align: end}
      damping: {ratio: 0.06}
      stiffening: off
  - {name: tool, mass: 0.17, center_of_mass: [0.03, -0.01, 0], inertia: {about: center_of_mass, xx: 2.2e-4, yy: 2.2e-4, zz: 2.2e-4}}
joints:
  - {name: shoulder, type: revolute, parent: world, child: upper, drive: {rotor_inertia: 3e-4, gear: 5, viscous: 0.1}}
  - {name: hold, type: fixed, parent: upper, child: second, pose: {position: [0.45, 0, 0]}}
  - {name: elbow, type: revolute, parent: upper, child: fore, pose: {position: [0.45, 0, 0]}, drive: {rotor_inertia: 1e-4, gear: 4, viscous: 0.05}}
  - {name: grip, type: fixed, parent: fore, child: tool, pose: {position: [0.38, 0, 0]}}
velocities: drives
home: {joints: {shoulder: 0.4, elbow: -0.7}}
"""  # noqa: E501


@cache
def arm() -> gough.Model:
    model = built(gough.robot.loads(TEXT))
    names = [f"{body}.mode{k}" for body in ("upper", "fore") for k in (1, 2)]
    assert model.layout.q_names == (*names, "shoulder", "elbow") and model.layout.v_names == (
        "shoulder",
        "elbow",
        *names,
    )
    return model


def mine(q: Array) -> Array:
    """(…, 6): shoulder, elbow, modes of both links, of configurations of the model."""
    return np.concatenate([q[..., 4:], q[..., :4]], axis=-1)


class Points(NamedTuple):
    """Places (n,), Jacobian (n, 6), accelerations (n,) where v stays."""

    place: Array
    J: Array
    still: Array


class Axes(NamedTuple):
    """What turns and moves: unit vector along x, slopes (6,) of its angle, its origin."""

    along: complex
    slope: Array
    origin: Points


def carried(on: Axes, r: Array, shapes: Array, k: int, x: Array, v: Array) -> Points:
    """Points r (n,) of axes, which shapes (n, 2) of modes k and k + 1 move across them."""
    turn, still = on.slope @ v, 2j * (on.slope @ v) * (1j * shapes @ v[k : k + 2])
    r = r + 1j * shapes @ x[k : k + 2]
    J = on.origin.J + 1j * on.along * r[:, None] * on.slope
    J[:, k : k + 2] += 1j * on.along * shapes
    return Points(on.origin.place + on.along * r, J, on.origin.still + on.along * (still - turn**2 * r))


def masses(x: Array, v: Array) -> tuple[Points, Array, Points]:
    """All points that have mass, slopes (2, 6) of the angles of ELBOW and TOOL, the tool."""
    none, unit = np.zeros((1, 2)), np.eye(6)
    first = Axes(complex(np.exp(1j * x[0])), unit[0], Points(np.zeros(1), np.zeros((1, 6)), np.zeros(1)))
    end = carried(first, np.array([UPPER.length]), UPPER.end[None], 2, x, v)
    bent = UPPER.slope @ unit[2:4]
    held = Axes(first.along * complex(np.exp(1j * bent @ x)), first.slope + bent, end)
    second = Axes(held.along * complex(np.exp(1j * x[1])), held.slope + unit[1], end)
    tip = carried(second, np.array([FORE.length]), FORE.end[None], 4, x, v)
    bent = FORE.slope @ unit[4:]
    gripped = Axes(second.along * complex(np.exp(1j * bent @ x)), second.slope + bent, tip)
    parts = (
        carried(first, UPPER.x, UPPER.shapes, 2, x, v),
        carried(second, FORE.x, FORE.shapes, 4, x, v),
        carried(held, np.array([ELBOW[1]]), none, 2, x, v),
        carried(gripped, np.array([TOOL[1]]), none, 4, x, v),
    )
    return Points(*(np.concatenate(y) for y in zip(*parts, strict=True))), np.array([held.slope, gripped.slope]), tip


MASS = np.concatenate([UPPER.mass, FORE.mass, [ELBOW[0], TOOL[0]]])
STIFF = np.concatenate([[0, 0], UPPER.squares, FORE.squares])
DAMPED = np.concatenate([VISCOUS, 2 * ZETA * np.sqrt(STIFF[2:])])


def terms(x: Array, v: Array) -> tuple[Array, Array]:
    """Mass matrix, and forces beside those of the drives."""
    at, turns, _ = masses(x, v)
    M = np.real(at.J.conj().T @ (MASS[:, None] * at.J)) + np.diag([*ROTORS, 0, 0, 0, 0])
    M += turns.T @ (np.array([[ELBOW[2]], [TOOL[2]]]) * turns)
    return M, np.real(at.J.conj().T @ (MASS * (FALL - at.still))) - STIFF * x - DAMPED * v


def tool(x: Array) -> Array:
    z = masses(x, np.zeros(6))[2].place[0]
    return np.array([z.real, z.imag])


def swinging(motion: gough.Motion, duration: float, first: Array) -> Array:
    """Elastic coordinates at all steps, of drives that follow a motion and rest behind it."""

    t = STEP * np.arange(round(duration / STEP))
    times = np.minimum([t, t + STEP / 2, t + STEP], motion.duration)
    wanted = [motion.at(x, side=side) for x, side in zip(times, ("right", "right", "left"), strict=True)]  # type: ignore[arg-type]

    def rates(s: Array, drives: tuple[Array, Array, Array]) -> Array:
        M, force = terms(np.concatenate([drives[0], s[:4]]), np.concatenate([drives[1], s[4:]]))
        return np.concatenate([s[4:], np.linalg.solve(M[2:, 2:], force[2:] - M[2:, :2] @ drives[2])])

    s, out = np.concatenate([first, np.zeros(4)]), [first]
    for a, b, c in zip(*(zip(x.position, x.velocity, x.acceleration, strict=True) for x in wanted), strict=True):
        k1 = rates(s, a)
        k2 = rates(s + STEP / 2 * k1, b)
        k3 = rates(s + STEP / 2 * k2, b)
        s = s + STEP / 6 * (k1 + 2 * k2 + 2 * k3 + rates(s + STEP * k3, c))
        out.append(s[:4])
    return np.array(out)


def at_rest(drives: Array) -> Array:
    """Elastic coordinates that balance the weight."""
    bent = np.zeros(4)
    for _ in range(60):
        bent = bent + terms(np.concatenate([drives, bent]), np.zeros(6))[1][2:] / STIFF[2:]
    return bent


def test_equations_are_those_of_the_robot() -> None:
    rng, model = np.random.default_rng(4), arm()
    for _ in range(3):
        x, v = rng.uniform(-1, 1, 6) * [1, 1, 0.02, 0.02, 0.02, 0.02], rng.uniform(-2, 2, 6)
        tau, q = rng.uniform(-3, 3, 2), np.concatenate([x[2:], x[:2]])
        M, force = terms(x, v)
        np.testing.assert_allclose(model.mass_matrix(q), M, rtol=1e-8, atol=1e-10)
        truth = np.linalg.solve(M, force + [*tau, 0, 0, 0, 0])
        np.testing.assert_allclose(model.forward_dynamics(q, v, tau).vdot, truth, rtol=1e-6)
        np.testing.assert_allclose(model.frame_pose(q, "fore.end")[0][:2], tool(x), atol=1e-10)


@pytest.mark.parametrize("shaper", ["none", "zv", pytest.param("ei", marks=pytest.mark.slow)])
def test_what_a_move_leaves_is_what_is_left_of_it_here(shaper: str) -> None:
    """Deflections of the tool at all times, to a part in 10⁵ of the peak."""
    model, a, b = arm(), np.array([0.4, -0.7]), np.array([0.8, -0.35])
    move = motions.quintic(drives=[a, b], durations=0.25)
    move = move if shaper == "none" else motions.shape(move, model, shaper)
    duration = np.ceil((move.duration + 0.2) / STEP) * STEP
    full = move.hold(duration - move.duration)
    run = gough.simulate(model, full, method="rk4", step=STEP, start="static", check="off")
    found = gough.remaining_vibration(run, "fore.end", after=move.duration)
    bent, t = swinging(move, duration, at_rest(a)), STEP * np.arange(round(duration / STEP) + 1)
    drives = move.at(np.minimum(t, move.duration)).position
    still = tool(np.concatenate([b, at_rest(b)])) - tool(np.concatenate([b, np.zeros(4)]))
    away = [
        tool(np.concatenate([p, e])) - tool(np.concatenate([p, 0 * e])) - still
        for p, e in zip(drives, bent, strict=True)
    ]
    seen = CubicSpline(t, away)(run.time)
    size, over = np.linalg.norm(seen, axis=1), run.time >= move.duration * (1 - 1e-12)
    np.testing.assert_allclose(found.deflection[:, :2], seen, atol=1e-5 * size.max())
    assert found.peak == pytest.approx(size[~over].max(), rel=1e-5)
    assert found.amplitude == pytest.approx(size[over].max(), abs=1e-5 * size.max())
    assert (found.ratio < 0.06) == (shaper == "zv")


def test_a_tool_is_led_by_forces_that_these_equations_ask_for() -> None:
    """On the path, every equation of motion kept, rates and accelerations those of the positions; zeros are those of the pencil
    of the linear robot, and what grows begins before the tool does."""
    model = arm()
    rest = gough.static_equilibrium(model, q=model.configuration(drives=[0.4, -0.7]))
    first = model.frame_pose(rest.q, "fore.end")[0]
    path = motions.septic(points=[first, first + [-0.04, 0.06, 0]], frame="fore.end", durations=0.4)
    found = gough.stable_inversion(model, path, axes=["x", "y"], near=rest.q)
    x = mine(found.q)
    for k in range(0, len(x), 7):
        M, force = terms(x[k], found.v[k])
        np.testing.assert_allclose(M @ found.vdot[k] - force, [*found.tau[k], 0, 0, 0, 0], atol=1e-8)
        np.testing.assert_allclose(tool(x[k]), found.path.at(found.t[k]).position[:2], atol=1e-10)
    h = np.diff(found.t)[:, None]
    moved = h / 2 * (found.v[1:] + found.v[:-1]) + h**2 / 12 * (found.vdot[:-1] - found.vdot[1:])
    assert np.abs(np.diff(x, axis=0) - moved).max() < 1e-7 * np.abs(x).max()
    K, M = np.zeros((6, 6)), terms(x[0], np.zeros(6))[0]
    for k, e in enumerate(1e-5 * np.eye(6)):
        K[:, k] = -(terms(x[0] + e, np.zeros(6))[1] - terms(x[0] - e, np.zeros(6))[1]) / 2e-5
    J = np.array([[z.real, z.imag] for z in masses(x[0], np.zeros(6))[2].J[0]]).T
    S, none = np.eye(6)[:, :2], np.zeros
    pencil = np.block([[none((6, 6)), np.eye(6), none((6, 2))], [-K, -np.diag(DAMPED), S], [J, none((2, 8))]])
    weights = np.zeros((14, 14))
    weights[:6, :6], weights[6:12, 6:12] = np.eye(6), M
    zeros = eigvals(pencil, weights)
    for zero in found.zeros:
        assert np.abs(zeros - zero).min() < 1e-4 * abs(zero)
    assert len(found.growing) == 2 and found.before.seconds > 0.01
