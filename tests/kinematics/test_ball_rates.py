"""One or two rates of a ball or free joint as independent velocities: they move the robot as their name says.

What a rate is, is measured on positions and rotation matrices of q alone; loops are measured on their frames.
"""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import gough
from gough.robot import loads
from inner.analysis import verify

RATES = ("f_x", "f_y", "f_z", "f_wx", "f_wy", "f_wz")
LOOPS = {
    "revolute": 1,
    "prismatic": 1,
    "universal": 2,
    "cylindrical": 2,
    "spherical": 3,
    "planar": 3,
    "constant_length": 5,
}
IDLE = Path(__file__).parent / "hexapod_idle_rods.yaml"


def made(document: dict) -> gough.Robot:
    return loads(json.dumps(document))


def held_body(loop: str, rng: np.random.Generator, velocities: list[str] | None = None) -> dict:
    """A free body held to the world by one loop with frames anywhere, at a home where it is closed."""
    R, p = Rotation.random(random_state=rng), rng.normal(size=3)  # pyright: ignore[reportCallIssue]
    on_body, at_body = Rotation.random(random_state=rng), rng.normal(size=3)  # pyright: ignore[reportCallIssue]
    world = R * on_body
    place = {"position": [float(x) for x in p + R.apply(at_body)], "quaternion_wxyz": wxyz(world)}
    own = {"position": [float(x) for x in at_body], "quaternion_wxyz": wxyz(on_body)}
    out = {
        "name": "hold",
        "type": loop,
        "first": {"body": "world", "pose": place},
        "second": {"body": "bob", "pose": own},
    }
    if loop == "universal":
        out["axes"] = [[1, 0, 0], [0, 1, 0]]
    if loop == "constant_length":
        arm = rng.normal(size=3)
        place["position"] = [float(x) for x in np.array(place["position"]) + arm]
        out["length"] = float(np.linalg.norm(arm))
    return {
        "format": 1,
        "name": "held",
        "bodies": [
            {
                "name": "bob",
                "mass": 1.3,
                "center_of_mass": [0.1, -0.2, 0.3],
                "inertia": {"about": "center_of_mass", "xx": 0.04, "yy": 0.1, "zz": 0.11},
            }
        ],
        "joints": [{"name": "f", "type": "free", "parent": "world", "child": "bob"}],
        "loops": [out],
        "home": {"joints": {"f": [*map(float, p), *wxyz(R)]}},
        **({"velocities": velocities} if velocities else {}),
    }


def wxyz(R: Rotation) -> list[float]:
    x, y, z, w = R.as_quat()
    return [float(w), float(x), float(y), float(z)]


def rotation(q: np.ndarray) -> np.ndarray:
    return Rotation.from_quat(np.roll(q[..., 3:7], -1, axis=-1)).as_matrix()


def rates(at, t: float) -> np.ndarray:
    """f_x … f_wz by differences of positions and rotation matrices along q = at(t)."""
    h = 1e-3
    c = ((1, 2 / 3), (2, -1 / 12))
    slope = lambda f: sum(k * (f(at(t + i * h)) - f(at(t - i * h))) for i, k in c) / h  # noqa: E731
    W = rotation(at(t)).T @ slope(rotation)  # body axes
    return np.concatenate([slope(lambda q: q[:3]), [W[2, 1], W[0, 2], W[1, 0]]])


def accepted(loop: str, rng: np.random.Generator) -> list[gough.Model]:
    """Models of one body with choices of velocities that build, one with few turning rates and others at random."""
    mobility = LOOPS[loop]
    choices = [list(c) for c in combinations(RATES, mobility)]
    rng.shuffle(choices)
    state = rng.integers(2**31)
    found = []
    for chosen in choices:
        try:
            found.append(gough.build(made(held_body(loop, np.random.default_rng(state), chosen))))  # pyright: ignore[reportArgumentType]
        except gough.StructureError:
            continue
        if len(found) == 3:
            break
    return found


@pytest.mark.parametrize("loop", LOOPS)
def test_velocities_of_a_held_body_are_what_they_are_called(loop):
    rng = np.random.default_rng(sum(map(ord, loop)))
    models = accepted(loop, rng)
    assert models
    for model in models:
        names, nv = model.layout.v_names, model.layout.nv
        v = rng.normal(size=nv)
        q = model.integrate(model.home, 0.05 * v / np.linalg.norm(v))  # away from home
        assert model.closure_error(q) < 1e-10
        found = rates(lambda t, m=model, q=q, v=v: m.integrate(q, v, t), 0.0)
        own = [RATES.index(n) for n in names]
        np.testing.assert_allclose(found[own], v, atol=1e-8 * np.abs(found).max())
        u = model.function("tree_rates")(q=q, v=v, parameters=model.parameters).outputs["u"]
        np.testing.assert_allclose(found, u, atol=1e-8 * np.abs(found).max())
        shaken = q + 1e-5 * rng.normal(size=q.shape)
        closed = model.project(shaken)
        assert model.closure_error(closed) < 1e-10
        assert np.abs(closed - q).max() < 1e-3
        assert np.abs(model.project(q) - q).max() < 1e-12


def test_a_body_on_a_pin_turns_by_its_rate_as_far_as_it_is_told():
    """The pendulum of one free body on a pin 2 m away, its axis along y: closed form."""
    model = gough.build(made(PENDULUM))
    for angle in (0.1, -1.3, 4.0, 20.0):
        q = model.integrate(model.home, [1.0], angle)
        # the body's x axis points from the pin to the bob, its z axis along y
        x = np.array([np.cos(angle), 0, -np.sin(angle)])
        np.testing.assert_allclose(q[:3], 2 * x, atol=1e-12)
        np.testing.assert_allclose(rotation(q)[:, 0], x, atol=1e-12)
        np.testing.assert_allclose(rotation(q)[:, 2], [0, 1, 0], atol=1e-12)
    both = model.integrate(model.home, [[1.0], [-1.0]], [0.5, 0.7])
    np.testing.assert_allclose(both[:, 2], [-2 * np.sin(0.5), 2 * np.sin(0.7)], atol=1e-12)
    at = model.configuration(coordinates={"f_wz": [0.4, -2.0]})
    np.testing.assert_allclose(at[:, 2], [-2 * np.sin(0.4), 2 * np.sin(2.0)], atol=1e-10)


def test_the_pendulum_of_one_rate_swings_as_pendulums_do():
    model = gough.build(made(PENDULUM))
    run = gough.simulate(model, duration=1.5, tolerance=1e-11)
    pull = 9.81 * 2 / (4 + 0.1)  # m g L / (m L² + I_zz)
    truth = solve_ivp(lambda t, y: [y[1], pull * np.cos(y[0])], (0, 1.5), [0, 0], rtol=1e-12, atol=1e-12).y[0, -1]
    np.testing.assert_allclose(run.q[-1, :3], [2 * np.cos(truth), 0, -2 * np.sin(truth)], atol=1e-7)
    finer = run.resample(np.linspace(0, 1.5, 40))
    assert model.closure_error(finer.q).max() < 1e-9
    assert verify(model, 6).passed


PENDULUM = {
    "format": 1,
    "name": "one_rate",
    "bodies": [{"name": "bob", "mass": 1, "inertia": {"about": "center_of_mass", "xx": 0.04, "yy": 0.1, "zz": 0.1}}],
    "joints": [{"name": "f", "type": "free", "parent": "world", "child": "bob"}],
    "loops": [
        {
            "name": "pin",
            "type": "revolute",
            "first": {"body": "world", "pose": {"rpy_zyx": [0, 0, "-90 deg"]}},
            "second": {"body": "bob", "pose": {"position": [-2, 0, 0]}},
        }
    ],
    "velocities": ["f_wz"],
    "home": {"joints": {"f": [2, 0, 0, 0.7071067811865476, -0.7071067811865476, 0, 0]}},
}


@pytest.fixture(scope="module")
def idle() -> gough.Model:
    return gough.build(IDLE)


def knees(q: np.ndarray, model: gough.Model) -> Rotation:
    """The six knees' rotations."""
    at = [model.layout.index(f"leg{k}.knee_qw") for k in range(6)]
    return Rotation.from_quat(np.array([np.roll(q[a : a + 4], -1) for a in at]))


def test_idle_rods_stay_where_they_are_when_the_platform_is_led(idle):
    rng = np.random.default_rng(5)
    home = knees(idle.home, idle)
    spun = idle.integrate(idle.home, np.r_[np.zeros(6), rng.normal(size=6)])
    np.testing.assert_allclose(spun[:7], idle.home[:7], atol=1e-12)
    for _ in range(4):
        at = {"x": 0.01, "y": -0.004, "z": 0.136, "yaw": 0.1, "pitch": -0.05, "roll": 0.08}
        at = {n: x + 0.004 * rng.normal() for n, x in at.items()}
        by_name = idle.configuration(coordinates=at)
        q = idle.configuration(by_name[:7])
        np.testing.assert_allclose(q, by_name, atol=1e-9)
        np.testing.assert_allclose((home.inv() * knees(q, idle)).as_rotvec()[:, 2], 0, atol=1e-9)
        near = idle.configuration(q[:7], near=spun)
        np.testing.assert_allclose((knees(spun, idle).inv() * knees(near, idle)).as_rotvec()[:, 2], 0, atol=1e-9)
        drives = idle.drives(q)
        np.testing.assert_allclose(drives, idle.drives(near), atol=1e-9)  # a spin moves nothing else
        np.testing.assert_allclose(idle.configuration(drives=drives), q, atol=1e-8)
        np.testing.assert_allclose(idle.forward_geometry(drives, near=spun), near, atol=1e-8)
        named = dict(zip(idle.layout.drive_names, drives, strict=True))
        np.testing.assert_allclose(idle.configuration(coordinates=named)[:7], q[:7], atol=1e-8)


def test_idle_rods_stay_where_they_are_when_the_drives_are_led(idle):
    """Whatever way is gone: from home, from elsewhere and back, all at once, in machine code, and along a motion of a frame."""
    start = idle.drives(idle.home)
    goal = start + 0.05 * np.array([1.0, 0.4, -0.6, 0.8, 0.0, 1.2])
    q = idle.configuration(drives=goal)
    assert np.abs(q - idle.home).max() > 0.01
    np.testing.assert_allclose((knees(idle.home, idle).inv() * knees(q, idle)).as_rotvec()[:, 2], 0, atol=1e-12)
    np.testing.assert_allclose(idle.configuration(drives=[goal, start])[0], q, atol=1e-11)
    lead = idle.geometry.one_lead
    lead.compile()
    for _ in range(20):
        direct = lead.to_drives(goal, idle.home)
    np.testing.assert_allclose(direct, q, atol=1e-11)
    back = idle.configuration(drives=start, near=q)
    np.testing.assert_allclose((knees(q, idle).inv() * knees(back, idle)).as_rotvec()[:, 2], 0, atol=1e-12)
    points = [idle.frame_pose(x, "platform")[0] for x in (idle.home, q)]
    motion = gough.motions.quintic(points=points, frame="platform", durations=1.0)
    end = gough.motions.states_along(idle, motion, [0.0, 0.5, 1.0]).q[-1]
    np.testing.assert_allclose(end[:3], q[:3], atol=1e-8)
    turned = (knees(idle.home, idle).inv() * knees(end, idle)).as_rotvec()[:, 2]
    np.testing.assert_allclose(turned, 0, atol=1e-3)  # led piece by piece, each from the one before


def test_idle_rods_are_mapped(idle):
    found = gough.workspace(idle, {"x": (-0.01, 0.01, 3), "leg3.knee_wz": (-2.0, 2.0, 5)})
    assert (found.verdict == 0).all()


@pytest.mark.slow
def test_idle_rods_are_simulated_and_verified(idle):
    v = np.r_[0.01, 0, 0.02, 0, 0.1, 0, 3.0, np.zeros(5)]
    run = gough.simulate(idle, v=v, duration=0.02, method="rk4", step=1e-3)
    np.testing.assert_allclose(run.v[:, 6:], np.broadcast_to(v[6:], run.v[:, 6:].shape), atol=1e-12)
    others = [
        gough.simulate(idle, v=v, duration=0.02, method=m, step=5e-4).q[-1] for m in ("generalised_alpha", "leapfrog")
    ]
    np.testing.assert_allclose(others, np.broadcast_to(run.q[-1], (2, idle.layout.nq)), atol=1e-5)
    finer = run.resample(np.linspace(0, 0.02, 33))
    assert idle.closure_error(finer.q).max() < 1e-9
    assert np.isfinite(idle.linearize(idle.home, v, np.zeros(6)).A).all()
    assert verify(idle, 6).passed


@pytest.mark.slow
def test_spins_about_axes_anywhere_in_the_rods_are_idle_too(idle):
    """The same rods described in turned axes: no inertia about their length but for rounding, and the same motion."""
    axis = Rotation.from_rotvec([0.3, 0.5, -0.2]).as_matrix() @ [0, 0, 1]
    xx, xy, xz, yy, yz, zz = (0.02 * 0.14**2 / 12 * (np.eye(3) - np.outer(axis, axis)))[np.triu_indices(3)]
    inertia = f"xx: {xx}, xy: {xy}, xz: {xz}, yy: {yy}, yz: {yz}, zz: {zz}"
    text = IDLE.read_text().replace("xx: 3.266666666666667e-05, yy: 3.266666666666667e-05", inertia)
    for at in (0.07, 0.14):
        text = text.replace(f"[0, 0, {1000 * at:.0f} mm]", str((at * axis).tolist()))
    turned = gough.build(loads(text))
    v = np.r_[0.02, 0.01, -0.03, 0, 0.1, 0, np.zeros(6)]
    ends = [gough.simulate(m, v=v, duration=0.05, method="rk4", step=1e-3).q[-1, :7] for m in (idle, turned)]
    np.testing.assert_allclose(ends[1], ends[0], atol=1e-9)


def test_friction_on_a_spin_without_inertia_is_a_bad_state():
    text = IDLE.read_text().replace(
        "name: ball, type: spherical,", "name: ball, type: spherical, friction: {viscous: 0.1},"
    )
    model = gough.build(loads(text))
    v = np.r_[np.zeros(6), 1.0, np.zeros(5)]
    with pytest.raises(gough.BadStateError, match=r"leg0\.knee_wz"):
        model.forward_dynamics(model.home, v, np.zeros(6))


def test_a_ball_joint_alone_is_led_by_its_turns():
    body = PENDULUM["bodies"][0] | {"center_of_mass": [0.1, 0.2, -0.5]}
    robot = {
        "format": 1,
        "name": "ball",
        "bodies": [body],
        "joints": [{"name": "b", "type": "spherical", "parent": "world", "child": "bob"}],
        "velocities": ["b_wx", "b_wy", "b_wz"],
    }
    model = gough.build(made(robot))
    turn = np.array([0.3, -0.5, 0.9])
    q = model.configuration(coordinates=dict(zip(model.layout.v_names, turn, strict=True)))
    np.testing.assert_allclose(Rotation.from_quat(np.roll(q, -1)).as_rotvec(), turn, atol=1e-10)
    far = Rotation.from_quat(np.roll(model.integrate(model.home, 10 * turn), -1))
    np.testing.assert_allclose(far.as_matrix(), Rotation.from_rotvec(10 * turn).as_matrix(), atol=1e-12)
    assert np.isfinite(gough.workspace(model, {"b_wx": (-1, 1, 5)}).parallel).all()


def test_a_heavy_rotor_elsewhere_takes_no_inertia_from_others():
    """A gear written a thousand times too high: elastic coordinates and light joints still have their own inertia."""
    text = (IDLE.parents[1] / "analysis" / "five_unequal_legs.yaml").read_text().replace("gear: 628.3", "gear: 6.28e5")
    model = gough.build(loads(text))
    assert model.mechanism.selection.without_inertia == ()
