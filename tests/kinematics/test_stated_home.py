"""What a description states as home is kept, or it is said what was taken instead."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import gough
from gough.robot import loads
from kinematics.random_loops import CUT_ROWS, guesses, named_values, random_loop


def built(data: dict) -> gough.Model:
    return gough.build(loads(json.dumps(data)))


def guided(angles: tuple[float, ...] = (0.1, 2.2, 4.3)) -> dict:
    """A platform that is one of the bodies, on three guides in a row, moved by three PUS legs."""
    legs = [
        {
            "base": {"position": [0.5 * np.cos(a), 0.5 * np.sin(a), 0.0]},
            "on_platform": {"position": [0.1 * np.cos(a), 0.1 * np.sin(a), 0.0]},
            "chain": [
                {"name": "slide", "type": "prismatic", "drive": {}, "body": {"name": "carriage", "mass": 1}},
                {
                    "name": "knee",
                    "type": "universal",
                    "axes": [[1, 0, 0], [0, 1, 0]],
                    "body": {"name": "rod", "mass": 1, "center_of_mass": [0.02, 0.01, 0.3]},
                },
            ],
            "cut": {"name": "ball", "type": "spherical", "on_leg": {"position": [0, 0, 0.6]}},
        }
        for a in angles
    ]
    guides = [("x", "world", "gx", [1, 0, 0]), ("y", "gx", "gy", [0, 1, 0]), ("z", "gy", "plate", [0, 0, 1])]
    return {
        "format": 1,
        "name": "guided",
        "platform": "plate",
        "velocities": "platform",
        "bodies": [{"name": "gx"}, {"name": "gy"}, {"name": "plate", "mass": 2}],
        "joints": [
            {"name": f"guide_{n}", "type": "prismatic", "axis": axis, "parent": a, "child": b}
            for n, a, b, axis in guides
        ],
        "legs": legs,
    }


def stated(model: gough.Model, data: dict) -> dict:
    """All joint coordinates of home, as a description states them."""
    joints = [(j["name"], j["type"]) for j in data["joints"]]
    joints += [(f"leg{k}.{j['name']}", j["type"]) for k, leg in enumerate(data["legs"]) for j in leg["chain"]]
    return named_values(model.layout.q_names, model.home, joints)


@pytest.mark.parametrize("position", [[0.1, -0.05, 0.8], [-0.06, 0.08, 0.5], [0.0, 0.0, -0.3]])
def test_complete_joints_are_kept_without_the_pose(position: list[float]) -> None:
    data = guided()
    data["home"] = {"pose": {"position": position}}
    first = built(data)
    assert first.home[:3] == pytest.approx(position)
    data["home"] = {"joints": stated(first, data)}
    with warnings.catch_warnings():
        warnings.simplefilter("error", gough.HomeWarning)
        again = built(data)
    assert (again.home[7:] == first.home[7:]).all()
    assert again.home[:7] == pytest.approx(first.home[:7], abs=1e-12)
    moved = again.configuration(again.home[:7])  # its branches are those of home
    assert moved == pytest.approx(again.home, abs=1e-9)


def test_the_guides_alone_say_where_the_platform_is() -> None:
    """Joints that carry the platform are its pose; a drive that contradicts them gives way, and that is said."""
    data = guided()
    data["home"] = {"joints": {"guide_x": 0.1, "guide_y": -0.05, "guide_z": 0.8, "leg0.slide": 0.5}}
    with pytest.warns(gough.HomeWarning, match=r"leg0\.slide: 500 mm stated, \d+\.?\d* mm taken"):
        model = built(data)
    assert model.home[:3] == pytest.approx([0.1, -0.05, 0.8])


@pytest.mark.parametrize("kind", CUT_ROWS)
def test_closed_joints_of_random_loops_are_kept_to_the_last_bit(kind: str) -> None:
    data, values = random_loop(kind, 21)
    data["home"] = {"joints": guesses(values, "exact", 21)}
    with warnings.catch_warnings():
        warnings.simplefilter("error", gough.HomeWarning)
        model = built(data)
    found = named_values(model.layout.q_names, model.home, [(j["name"], j["type"]) for j in data["joints"]])
    for name, value in values.items():
        assert found[name] == pytest.approx(value, abs=1e-15), name


def test_guesses_that_were_not_kept_are_said() -> None:
    """A crank of 1 on a ground of 3 with a coupler of 3 and a rocker of 2: at 90 deg the loop closes at other angles."""
    bar = [("crank", "world", 0.0), ("knee", "b0", 0.1), ("rocker", "world", 0.3)]
    data = {
        "format": 1,
        "name": "bars",
        "bodies": [{"name": f"b{k}", "mass": 1, "center_of_mass": [0.1, 0, 0]} for k in range(3)],
        "joints": [
            {"name": n, "type": "revolute", "parent": p, "child": f"b{k}", "pose": {"position": [x, 0, 0]}}
            for k, (n, p, x) in enumerate(bar)
        ],
        "loops": [
            {
                "name": "pin",
                "type": "revolute",
                "first": {"body": "b1", "pose": {"position": [0.3, 0, 0]}},
                "second": {"body": "b2", "pose": {"position": [0.2, 0, 0]}},
            }
        ],
        "home": {"joints": {"crank": "90 deg", "knee": "-60 deg", "rocker": "60 deg"}},
    }
    data["joints"][0]["drive"] = {}
    with pytest.warns(gough.HomeWarning, match=r"home\.joints.*knee: -60 deg stated, -[\d.]+ deg taken") as caught:
        model = built(data)
    assert "crank" not in str(caught[0].message)  # a drive is kept where it can be
    assert model.home[0] == np.deg2rad(90)
    taken = dict(zip(("crank", "knee", "rocker"), model.home.tolist(), strict=True))
    data["home"] = {"joints": {name: round(value, 3) for name, value in taken.items()}}
    with warnings.catch_warnings():
        warnings.simplefilter("error", gough.HomeWarning)
        built(data)  # rounded: still guesses, but not elsewhere


def floating(seed: int, friction: dict, home: dict) -> tuple[dict, Rotation, np.ndarray]:
    """A body on a free joint whose frame stands anywhere: (description, the frame's rotation, its position)."""
    rng = np.random.default_rng(seed)
    turned, position = Rotation.from_rotvec(np.random.default_rng(seed).normal(size=3)), rng.uniform(-1, 1, 3)
    pose = {"matrix": turned.as_matrix().tolist(), "position": position.tolist()}
    inertia = {"about": "center_of_mass", "xx": 1, "yy": 1.2, "zz": 0.9}
    data = {
        "format": 1,
        "name": "floating",
        "bodies": [{"name": "p", "mass": 2, "center_of_mass": [0.1, -0.2, 0.3], "inertia": inertia}],
        "joints": [
            {"name": "base", "type": "free", "parent": "world", "child": "p", "pose": pose, "friction": friction}
        ],
        "home": home,
    }
    return data, turned, position


@pytest.mark.parametrize("friction", [{}, {"viscous": 3.0}, {"viscous": 1.0, "coulomb": 2.0}])
@pytest.mark.parametrize("stated", [False, True])
def test_a_body_that_is_called_the_platform_is_the_same_body(friction: dict, stated: bool) -> None:
    """`platform: p` gives it a pose and a twist: its free joint keeps its frame, its home and its friction."""
    rng = np.random.default_rng(5)
    moved, turn = rng.uniform(-1, 1, 3), Rotation.from_rotvec(np.random.default_rng(9).normal(size=3))
    home = {"joints": {"base": [*moved.tolist(), *np.roll(turn.as_quat(), 1).tolist()]}} if stated else {}
    data, frame, origin = floating(3, friction, home)
    named = built(data | {"platform": "p", "velocities": "platform"})
    rates = [f"base_{n}" for n in ("x", "y", "z", "wx", "wy", "wz")]
    plain = built(data | {"velocities": rates})
    position = origin + frame.apply(moved) if stated else origin
    rotation = frame * turn if stated else frame
    np.testing.assert_allclose(named.home_pose[:3], position, atol=1e-12)
    np.testing.assert_allclose(
        Rotation.from_quat(np.roll(named.home_pose[3:], -1)).as_matrix(), rotation.as_matrix(), atol=1e-12
    )
    v = rng.normal(size=6)  # of the joint: along its frame's axes, turning in the body's
    twist = np.concatenate([frame.apply(v[:3]), rotation.apply(v[3:])])
    ours, truth = named.energies(named.home, twist), plain.energies(plain.home, v)
    np.testing.assert_allclose([ours.kinetic, ours.losses], [truth.kinetic, truth.losses], rtol=1e-10)
    spin = np.linalg.norm(v[3:])
    lost = friction.get("viscous", 0) * v @ v + friction.get("coulomb", 0) * (np.abs(v[:3]).sum() + spin)
    np.testing.assert_allclose(ours.losses, lost, rtol=1e-10, atol=1e-12)
    force = plain.bias_force(plain.home, v)
    wrench = np.concatenate([frame.apply(force[:3]), rotation.apply(force[3:])])
    np.testing.assert_allclose(named.bias_force(named.home, twist), wrench, rtol=1e-9, atol=1e-9)


def test_a_free_joint_that_contradicts_the_stated_pose_is_told() -> None:
    data, _, _ = floating(1, {}, {"pose": {"position": [0, 0, 0.5]}, "joints": {"base": [0, 0, 0.7, 1, 0, 0, 0]}})
    with pytest.warns(gough.errors.HomeWarning, match="base: the platform at"):
        built(data | {"platform": "p", "velocities": "platform"})


def bars(lengths: tuple[float, float, float, float], turned: Rotation, home: dict) -> dict:
    """A planar four-bar, turned in space; with all coordinates 0 its bars lie on one line."""
    crank, coupler, rocker, ground = lengths
    frame = turned.as_matrix().tolist()
    far = {"matrix": frame, "position": turned.apply([ground, 0, 0]).tolist()}
    moving = {"crank": crank, "coupler": coupler, "rocker": rocker}
    return {
        "format": 1,
        "name": "bars",
        "bodies": [{"name": name, "mass": 1, "center_of_mass": [x / 2, 0, 0]} for name, x in moving.items()],
        "joints": [
            {
                "name": "A",
                "type": "revolute",
                "parent": "world",
                "child": "crank",
                "pose": {"matrix": frame},
                "drive": {},
            },
            {
                "name": "B",
                "type": "revolute",
                "parent": "crank",
                "child": "coupler",
                "pose": {"position": [crank, 0, 0]},
            },
            {"name": "D", "type": "revolute", "parent": "world", "child": "rocker", "pose": far},
        ],
        "loops": [
            {
                "name": "C",
                "type": "revolute",
                "first": {"body": "coupler", "pose": {"position": [coupler, 0, 0]}},
                "second": {"body": "rocker", "pose": {"position": [rocker, 0, 0]}},
            }
        ],
        "home": home,
    }


@pytest.mark.parametrize(
    "lengths", [(0.3, 0.5, 0.3, 0.5), (0.3, 0.5, 0.5, 0.3), (0.4, 0.4, 0.4, 0.4), (0.7, 0.2, 0.7, 0.2)]
)
def test_a_home_that_is_not_stated_is_no_change_point(lengths: tuple[float, float, float, float]) -> None:
    """Parallelograms, kites and rhombi close with all coordinates 0, where their bars lie on a line and they can fold."""
    for seed in range(3):
        model = built(bars(lengths, Rotation.from_rotvec(np.random.default_rng(seed).normal(size=3)), {}))
        A, B, D = model.home
        crank, coupler, rocker, ground = lengths
        tip = crank * np.exp(1j * A) + coupler * np.exp(1j * (A + B))
        assert abs(tip - ground - rocker * np.exp(1j * D)) < 1e-9
        assert model.mobility == 1 and model.singularity(model.home).parallel > 0.01
    with pytest.raises(gough.StructureError, match="home is singular") as caught:
        built(bars(lengths, Rotation.identity(), {"joints": {"A": 0, "B": 0, "D": 0}}))
    assert "another home" in str(caught.value) and "closure_tolerance" not in str(caught.value)


@pytest.mark.parametrize(
    ("lengths", "angles", "apart"),
    [
        ((0.53, 0.37, 0.53, 0.2), (-0.85, -2.65), 0.59),
        ((0.48, 0.57, 0.53, 0.27), (1.56, -2.6), 0.46),
        ((0.3, 0.4, 0.35, 0.45), (1.9, 1.1), 0.3),
    ],
)
def test_stated_drives_are_kept_where_any_assembly_has_them(lengths, angles, apart):
    """Cranks of a five-bar: circles about their ends meet, so there is one, though the other joints say nothing of it."""
    tips = [x + lengths[2 * k] * np.exp(1j * angles[k]) for k, x in enumerate((0.0, apart))]
    between = abs(tips[1] - tips[0])
    assert abs(lengths[1] - lengths[3]) < between < lengths[1] + lengths[3]
    names, ends = ("left", "elbow", "right", "knee"), (("world", "a"), ("a", "b"), ("world", "c"), ("c", "d"))
    at = (0.0, lengths[0], apart, lengths[2])
    data = {
        "format": 2,
        "name": "five_bar",
        "bodies": [
            {"name": n, "mass": 1, "inertia": {"about": "center_of_mass", "xx": 0, "yy": 0.1, "zz": 0.1}}
            for n in "abcd"
        ],
        "joints": [
            {
                "name": name,
                "type": "revolute",
                "parent": parent,
                "child": child,
                "axis": [0, 0, 1],
                "pose": {"position": [x, 0, 0]},
                **({"drive": {}} if parent == "world" else {}),
            }
            for name, (parent, child), x in zip(names, ends, at, strict=True)
        ],
        "loops": [
            {
                "name": "tip",
                "type": "revolute",
                "first": {"body": "b", "pose": {"position": [lengths[1], 0, 0]}},
                "second": {"body": "d", "pose": {"position": [lengths[3], 0, 0]}},
            }
        ],
        "home": {"joints": {"left": angles[0], "right": angles[1]}},
    }
    model = built(data)
    np.testing.assert_allclose(np.exp(1j * (model.drives(model.home) - angles)), 1.0, atol=1e-9)
