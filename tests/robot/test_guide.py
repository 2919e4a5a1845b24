"""A platform with stated freedoms moves as one that is guided, and its equations are those of the free one, projected by hand."""

from __future__ import annotations

import copy
import json
from typing import Any

import numpy as np
import pytest

import gough
from gough.robot import dumps, loads
from reference.designs import description

TURNS = ("yaw", "pitch", "roll")
CHOICES = [
    ("x", "y", "z"),
    ("x", "y", "yaw"),
    ("z", "pitch", "roll"),
    ("yaw", "roll"),
    ("y",),
    ("x", "z", "yaw", "pitch", "roll"),
]


def robot_data(freedoms: tuple[str, ...], seed: int) -> dict[str, Any]:
    """Six legs, as many of them driven as the platform has freedoms."""
    data = copy.deepcopy(description("ups", seed))
    for leg in data["legs"][len(freedoms) :]:
        for joint in leg["chain"]:
            joint.pop("drive", None)
    return data | {"format": 2, "velocities": "platform"}


def guided(data: dict[str, Any], freedoms: tuple[str, ...]) -> Any:
    return loads(
        json.dumps(
            {k: x for k, x in data.items() if k != "velocities"}
            | {"platform": data["platform"] | {"freedoms": list(freedoms)}}
        )
    )


def turn(axis: int, angle: complex) -> np.ndarray:
    c, s, (j, k) = np.cos(angle), np.sin(angle), ((1, 2), (2, 0), (0, 1))[axis]
    R = np.eye(3, dtype=complex)
    R[j, j] = R[k, k] = c
    R[j, k], R[k, j] = -s, s
    return R


def twist_map(angles: np.ndarray, freedoms: tuple[str, ...]) -> np.ndarray:
    """B (6, n): the platform's twist for the rates of its freedoms at yaw, pitch, roll (complex, for steps)."""
    yaw, pitch, _ = angles
    axes = {"yaw": np.eye(3)[2], "pitch": turn(2, yaw)[:, 1], "roll": (turn(2, yaw) @ turn(1, pitch))[:, 0]}
    columns = [
        np.concatenate([np.eye(3)["xyz".index(f)], np.zeros(3)] if f in "xyz" else [np.zeros(3), axes[f]])
        for f in freedoms
    ]
    return np.array(columns).T


@pytest.mark.quick_cases("yaw-roll", "x-y-z")
@pytest.mark.parametrize("freedoms", CHOICES, ids="-".join)
def test_the_equations_are_those_of_the_free_platform_projected(freedoms: tuple[str, ...]) -> None:
    data = robot_data(freedoms, 3 + len(freedoms))
    free, held, rng = (
        gough.build(loads(json.dumps(data))),
        gough.build(guided(data, freedoms)),
        np.random.default_rng(1),
    )
    assert held.mobility == len(freedoms)
    home = angles_of(held.home[3:7])
    for _ in range(3):
        coordinates: dict[str, Any] = dict(zip(("x", "y", "z", *TURNS), [*held.home[:3], *home], strict=True))
        coordinates |= {f: coordinates[f] + 0.05 * rng.uniform(-1, 1) for f in freedoms}
        R = np.real(turn(2, coordinates["yaw"]) @ turn(1, coordinates["pitch"]) @ turn(0, coordinates["roll"]))
        place = (np.array([coordinates[k] for k in "xyz"]), R)
        q, wide = held.configuration(pose=place), free.configuration(pose=place)
        np.testing.assert_allclose(q[:7], wide[:7], atol=1e-12)
        rates, wanted = rng.normal(size=(2, len(freedoms)))
        moving = dict.fromkeys(TURNS, 0.0) | dict(zip(freedoms, rates, strict=True))
        angles, speeds = (np.array([known[t] for t in TURNS]) for known in (coordinates, moving))
        B = np.real(twist_map(angles, freedoms))
        Bdot = np.imag(twist_map(angles + 1e-30j * speeds, freedoms)) / 1e-30
        twist, acceleration = B @ rates, B @ wanted + Bdot @ rates
        M, S = free.mass_matrix(wide), free.drive_map(wide)
        needed = B.T @ (M @ acceleration + free.bias_force(wide, twist))
        tau = np.linalg.solve(B.T @ S, needed)
        own = [("vx", "vy", "vz", "wx", "wy", "wz").index(name) for name in held.layout.v_names]
        v, vdot = twist[own], acceleration[own]
        scale = np.abs(tau).max() * np.linalg.cond(B.T @ S)
        np.testing.assert_allclose(held.inverse_dynamics(q, v, vdot).tau, tau, atol=1e-12 * scale)
        scale = np.abs(vdot).max() * np.linalg.cond(B.T @ M @ B)
        np.testing.assert_allclose(held.forward_dynamics(q, v, tau).vdot, vdot, atol=1e-11 * scale)


def angles_of(wxyz: np.ndarray) -> list[float]:
    """Yaw, pitch, roll of a quaternion."""
    w, x, y, z = wxyz
    return [
        np.arctan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z)),
        np.arcsin(2 * (w * y - z * x)),
        np.arctan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y)),
    ]


def test_it_is_written_back_and_needs_the_newer_format() -> None:
    data = robot_data(("x", "y", "z"), 1)
    robot = guided(data, ("x", "y", "z"))
    assert loads(dumps(robot)) == robot and dumps(robot).startswith("format: 2\n")
    old = dumps(robot).replace("format: 2", "format: 1")
    with pytest.raises(gough.DescriptionError, match=r"platform.freedoms: a key of format 2"):
        loads(old)


@pytest.mark.parametrize(
    ("freedoms", "words"),
    [
        ([], "no freedoms"),
        (["x", "x"], "named twice"),
        (["x", "up"], "not one of the known values"),
        (["x", "y", "z", "yaw", "pitch", "roll"], "all six"),
        ("x", "not a list"),
    ],
)
def test_what_are_no_freedoms(freedoms: Any, words: str) -> None:
    data = robot_data(("x",), 1)
    with pytest.raises(gough.DescriptionError, match=words):
        loads(json.dumps(data | {"platform": data["platform"] | {"freedoms": freedoms}}))


def test_freedoms_that_the_legs_do_not_leave() -> None:
    """A planar robot's platform does not rise; one on a tripod turns about z as it tilts."""
    text = dumps(gough.load("three_rrr")).replace("format: 1", "format: 2")
    assert gough.build(loads(text.replace("platform:\n", "platform:\n  freedoms: [x, y, yaw]\n"))).mobility == 3
    with pytest.raises(
        gough.StructureError, match=r"names x, y, z, but of these 3 the mechanism has 2: the legs hold z"
    ):
        gough.build(loads(text.replace("platform:\n", "platform:\n  freedoms: [x, y, z]\n")))
