"""Assemblies of five-bars, Deltas and 3-RPR robots against their closed solutions; what the result promises."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import gough
from analysis.planar_designs import ThreeRRR, circles, yaw
from gough.robot import loads
from inner.spatial import rotation_of_quaternion

BAR = {"mass": 0.3, "center_of_mass": [0.1, 0, 0]}
PLATE = {"mass": 0.8, "inertia": {"about": "center_of_mass", "xx": 1e-3, "yy": 1e-3, "zz": 2e-3}}


def five_bar() -> gough.Model:
    robot = gough.robots.five_bar(0.3, (0.22, 0.25), (0.35, 0.4), home=(0.05, 0.4), crank=BAR, rod=BAR)
    return gough.build(robot)


def test_five_bar_has_the_two_points_of_two_circles() -> None:
    model = five_bar()
    rng = np.random.default_rng(4)
    counts = set()
    for _ in range(12):
        drives = rng.uniform(-np.pi, np.pi, 2)
        u = np.column_stack([np.cos(drives), np.sin(drives)])
        elbows = np.array([[-0.15, 0.0], [0.15, 0.0]]) + np.array([[0.22], [0.25]]) * u
        truth = circles(elbows[0], 0.35, elbows[1], 0.4)
        result = gough.assemblies(model, drives, starts=40)
        assert result.complete and "two circles" in result.proof
        assert len(result) == len(truth)
        counts.add(len(truth))
        for q in result.q:
            angle = q[model.layout.index("left_motor")] + q[model.layout.index("left_elbow")]
            pin = elbows[0] + 0.35 * np.array([np.cos(angle), np.sin(angle)])
            assert min(np.linalg.norm(pin - x) for x in truth) < 1e-9
    assert counts == {0, 2} or counts == {2}


def test_five_bar_at_full_stretch_is_too_close_to_call() -> None:
    """Rods in line: one assembly, and rounding decides whether there are two or none."""
    model = gough.build(gough.robots.five_bar(0.5, 0.25, 0.4, home=(0.0, 0.4), crank=BAR, rod=BAR))
    for starts in (0, 64):
        result = gough.assemblies(model, [np.arccos(-0.6), np.arccos(0.6)], starts=starts)  # elbows 0.8 m apart
        assert len(result) == 1 and not result.complete and "touch" in result.doubt and result.proof == ""
        assert result.conditions[0] < 1e-5


@pytest.mark.parametrize("seed", range(3))
def test_three_rpr_with_driven_slides_is_a_platform_on_three_rods(seed: int) -> None:
    design = ThreeRRR.random(seed)
    tilt, origin = design.W
    pins = design.home[0] + design.B @ yaw(design.home[1])[:2, :2].T
    span = pins - design.A
    lengths = np.linalg.norm(span, axis=1)
    legs, joints = [], {}
    for i in range(3):
        base = {"position": (origin + tilt @ [*design.A[i], 0.0]).tolist(), "matrix": tilt.tolist()}
        pin = {"position": (design.P.T @ [*design.B[i], 0.0]).tolist(), "matrix": design.P.T.tolist()}
        chain = [
            {"name": "foot", "type": "revolute", "body": {"mass": 1.0}},
            {"name": "slide", "type": "prismatic", "axis": [1, 0, 0], "drive": {}, "body": {"mass": 1.0}},
        ]
        legs.append({"name": f"leg{i}", "base": base, "on_platform": pin, "chain": chain, "cut": {"type": "revolute"}})
        joints |= {f"leg{i}.foot": [float(np.arctan2(*span[i, ::-1]))], f"leg{i}.slide": [float(lengths[i])]}
    position, rotation = design.world(design.home)
    home = {"pose": {"position": position.tolist(), "matrix": rotation.tolist()}, "joints": joints}
    data = {"name": "rpr", "platform": {"mass": 1.0}, "legs": legs, "home": home}
    model = gough.build(gough.Robot.model_validate(data))
    truth = replace(design, cranks=np.zeros(3), rods=lengths).assemblies(np.zeros(3))
    result = gough.assemblies(model, lengths, starts=100)
    assert result.complete and len(result) == len(truth)
    angles = [design.world(place)[1] for place in truth]
    for q in result.q:
        assert min(np.abs(rotation_of_quaternion(q[3:7]) - R).max() for R in angles) < 1e-8


def sphere_points(model: gough.Model, drives: np.ndarray) -> np.ndarray:
    """Positions (2, 3) of an unturned Delta platform: rods of 0.5 m from elbows, by elimination of y and z."""
    turns = 2 * np.pi / 3 * np.arange(3)
    outwards = np.column_stack([np.cos(turns), np.sin(turns), 0 * turns])
    centres = outwards * (0.12 - 0.05 + 0.2 * np.cos(drives))[:, None]
    centres[:, 2] = -0.2 * np.sin(drives)
    n = centres[1:] - centres[0]
    rhs = 0.5 * ((centres[1:] ** 2).sum(axis=1) - (centres[0] ** 2).sum())
    along = np.cross(n[0], n[1])
    base = np.linalg.solve(np.vstack([n, along]), [*rhs, 0.0])
    roots = np.roots([along @ along, 2 * along @ (base - centres[0]), ((base - centres[0]) ** 2).sum() - 0.25])
    return np.array([base + along * s for s in roots.real]) if np.isreal(roots).all() else np.zeros((0, 3))


def delta(rods: str) -> gough.Model:
    sizes = {"base_radius": 0.12, "platform_radius": 0.05, "arm_length": 0.2, "rod_length": 0.5, "width": 0.1}
    return gough.build(gough.robots.delta(**sizes, platform=PLATE, home=[0.0, 0.0, -0.4], rods=rods))  # type: ignore


def test_delta_with_single_rods_has_the_points_of_three_spheres() -> None:
    model = delta("single")
    rng = np.random.default_rng(2)
    for _ in range(5):
        drives = rng.uniform(-0.6, 0.9, 3)
        truth = sphere_points(model, drives)
        result = gough.assemblies(model, drives, starts=30)
        assert result.complete and "three spheres" in result.proof and len(result) == len(truth) == 2
        for p in result.q[:, :3]:
            assert np.linalg.norm(truth - p, axis=1).min() < 1e-9


def test_delta_with_pairs_of_rods_has_the_two_unturned_ones_and_turned_ones() -> None:
    """The real Delta can also be put together with a turned platform: two is not all."""
    model = delta("pair")
    drives = np.array([0.1, 0.25, -0.05])
    truth = sphere_points(model, drives)
    sure = gough.assemblies(model, drives, starts=0)
    assert len(sure) == 2 and not sure.complete and "turned platform" in sure.doubt
    for p in truth:
        assert np.linalg.norm(sure.q[:, :3] - p, axis=1).min() < 1e-9
    np.testing.assert_allclose(np.abs(sure.q[:, 3]), 1.0, atol=1e-12)
    more = gough.assemblies(model, drives, starts=150)
    assert len(more) > 2 and not more.complete
    turns = 2 * np.pi / 3 * np.arange(3)
    for q in more.q:  # every rod has its length, by own kinematics
        R = rotation_of_quaternion(q[3:7])
        for turn, angle in zip(turns, drives, strict=True):
            for half in (0.05, -0.05):
                elbow = yaw(turn) @ [0.12 + 0.2 * np.cos(angle), half, -0.2 * np.sin(angle)]
                ball = q[:3] + R @ yaw(turn) @ [0.05, half, 0.0]
                assert abs(np.linalg.norm(ball - elbow) - 0.5) < 1e-9


def test_order_does_not_depend_on_chance() -> None:
    model = gough.build("three_rrr")
    drives = model.drives(model.home) + [0.1, -0.2, 0.05]
    a, b = (gough.assemblies(model, drives, starts=60, seed=seed) for seed in (1, 2))
    np.testing.assert_allclose(a.q, b.q, rtol=0, atol=1e-9)
    assert a.hits.sum() <= 60 and a.starts == 60 and a.hits.shape == a.conditions.shape == a.closure_errors.shape
    assert "complete" in repr(a)


def test_a_mechanism_of_many_circles_is_built_up() -> None:
    """The squeezer of Andrews: three pairs of rods after one another."""
    model = gough.build("andrews")
    result = gough.assemblies(model, model.drives(model.home), starts=200)
    assert result.complete and result.proof.count("two circles") == 1 and "3 ×" in result.proof
    assert len(result) == 4 and (result.hits > 0).all()
    assert np.abs(np.exp(1j * result.q) - np.exp(1j * model.home)).max(axis=1).min() < 1e-9


def test_misuse_is_told() -> None:
    model = five_bar()
    for drives in ([0.1], [[0.1, 0.2]], [np.nan, 0.1]):
        with pytest.raises(gough.UsageError, match="drives"):
            gough.assemblies(model, drives)
    with pytest.raises(gough.UsageError, match="starts"):
        gough.assemblies(model, [0.1, 0.2], starts=-1)
    with pytest.raises(gough.UsageError, match="no parameter"):
        gough.assemblies(model, [0.1, 0.2], parameters={"nothing": 1.0})
    with pytest.raises(gough.UsageError, match="one design"):
        gough.assemblies(model, [0.1, 0.2], parameters=np.zeros((2, len(model.parameters))))
    with pytest.raises(gough.UsageError):
        gough.assemblies(gough.build("bricard"), [])


LOAD = """
format: 2
name: five_bar_with_a_load
bodies:
  - {name: left, mass: 1}
  - {name: left_rod, mass: 1}
  - {name: right, mass: 1}
  - {name: right_rod, mass: 1}
  - {name: load, mass: 1, center_of_mass: [0, -0.1, 0.02], inertia: {about: center_of_mass, xx: 0.01, yy: 0.01, zz: 0.01}}
joints:
  - {name: a, type: revolute, parent: world, child: left, pose: {position: [-0.12, 0, 0]}, drive: {}}
  - {name: b, type: revolute, parent: left, child: left_rod, pose: {position: [0.25, 0, 0]}}
  - {name: c, type: revolute, parent: world, child: right, pose: {position: [0.12, 0, 0]}, drive: {}}
  - {name: d, type: revolute, parent: right, child: right_rod, pose: {position: [0.25, 0, 0]}}
  - {name: swing, type: TYPE, parent: left_rod, child: load, pose: {position: [0.35, 0, 0]}}
loops:
  - name: pin
    type: revolute
    first: {body: left_rod, pose: {position: [0.35, 0, 0]}}
    second: {body: right_rod, pose: {position: [0.35, 0, 0]}}
home: {joints: {a: 2.0, b: -1.0, c: 1.1, d: 1.0, swing: HOME}}
"""


@pytest.mark.parametrize(
    ("kind", "home"),
    [
        ("revolute", [0.7]),
        ("prismatic", [0.2]),
        ("universal, axes: [[1, 0, 0], [0, 1, 0]]", [0.3, -0.4]),
        ("spherical", [0.8, 0.6, 0.0, 0.0]),
    ],
)
@pytest.mark.filterwarnings("ignore::gough.errors.IdleWarning", "ignore::gough.errors.HomeWarning")
def test_idle_freedoms_are_as_at_home(kind: str, home: list[float]) -> None:
    """A five-bar has two assemblies, whatever hangs from it: two circles meet twice."""
    model = gough.build(loads(LOAD.replace("TYPE", kind).replace("HOME", str(home[0] if len(home) == 1 else home))))
    found = gough.assemblies(model, [2.0, 1.1], starts=64)
    places = [k for k, name in enumerate(model.layout.q_names) if name.startswith("swing")]
    assert len(found) == 2 and found.hits.sum() > 32
    np.testing.assert_allclose(found.q[:, places], [home, home], atol=1e-12)
    tips = [model.frame_pose(q, "left_rod")[0] for q in found.q]
    assert np.linalg.norm(tips[0] - tips[1]) < 1e-9  # the same elbow: it is the drive's
    ends = [model.frame_pose(q, "load")[0] for q in found.q]
    assert kind == "prismatic" or abs(ends[0][1] - ends[1][1]) > 0.1


@pytest.mark.filterwarnings("ignore::gough.errors.IdleWarning")
def test_idle_turns_that_differ_from_assembly_to_assembly_are_refused() -> None:
    text = """
format: 2
name: leashed
bodies:
  - {name: crank, mass: 1}
  - {name: bob, mass: 1, center_of_mass: [0, 0, -0.3], inertia: {about: center_of_mass, xx: 0.1, yy: 0.1, zz: 0.1}}
joints:
  - {name: a, type: revolute, parent: world, child: crank, drive: {}}
  - {name: s, type: spherical, parent: world, child: bob, pose: {position: [0.5, 0, 0]}}
loops:
  - name: leash
    type: constant_length
    length: 0.5
    first: {body: crank, pose: {position: [0.2, 0, 0]}}
    second: {body: bob, pose: {position: [0, 0, -0.4]}}
"""
    model = gough.build(loads(text))
    assert model.layout.v_idle == 2
    with pytest.raises(gough.UsageError, match="assemblies without end"):
        gough.assemblies(model, [0.0])
