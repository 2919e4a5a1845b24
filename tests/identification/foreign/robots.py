"""Robots whose numbers are to be found: no two bodies, drives or legs alike, every inertia that of a real body.

Dimensions are of the size of laboratory robots; all numbers are made up. Nothing here is symmetric, so that no parameter hides
behind another's twin.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

import gough
from gough.robot import Robot

HEIGHT = 0.62
BASE = np.array([[46, 8, 0], [17, 44, 1], [-29, 36, -1], [-47, -5, 2], [-16, -43, 0], [27, -37, 1]]) / 100
TOP = np.array([[19, 15, -2], [13, 20, -1], [-21, 10, -2], [-24, 4, -1], [3, -24, -2], [9, -22, -1]]) / 100
"""Where legs stand on the world and on the platform (m)."""


def solid(rng: np.random.Generator, mass: float, size: Any, center: Any, name: str = "body") -> dict[str, Any]:
    """A body of about that mass (kg), size (3,) and mass centre (3,) (m): an even box, a little turned and moved."""
    mass = mass * rng.uniform(0.8, 1.25)
    size = np.asarray(size, float) * rng.uniform(0.85, 1.15, 3)
    center = np.asarray(center, float) + rng.uniform(-0.08, 0.08, 3) * size.max()
    w = rng.uniform(-0.2, 0.2, 3)
    K = np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])
    R = np.linalg.solve(np.eye(3) - K / 2, np.eye(3) + K / 2)  # Cayley: a rotation, exactly
    moments = R @ np.diag(mass * size**2 / 12) @ R.T
    tensor = np.trace(moments) * np.eye(3) - moments
    named = {"xx": (0, 0), "yy": (1, 1), "zz": (2, 2), "xy": (0, 1), "xz": (0, 2), "yz": (1, 2)}
    inertia = {"about": "center_of_mass", **{key: float(tensor[at]) for key, at in named.items()}}
    return {"name": name, "mass": float(mass), "center_of_mass": center.tolist(), "inertia": inertia}


def drive(rng: np.random.Generator, rotor: float, gear: float, viscous: float, coulomb: float, smoothing: float) -> Any:
    """A drive of about these numbers; smoothing exactly."""
    rotor, viscous, coulomb = np.array([rotor, viscous, coulomb]) * rng.uniform(0.8, 1.25, 3)
    rest = {"rotor_inertia": float(rotor), "viscous": float(viscous), "coulomb": float(coulomb)}
    return {"gear": gear, "smoothing": smoothing, **rest}


def friction(rng: np.random.Generator, viscous: float, coulomb: float, smoothing: float) -> dict[str, float]:
    """Friction of a passive joint, of about these numbers; smoothing exactly."""
    viscous, coulomb = np.array([viscous, coulomb]) * rng.uniform(0.8, 1.25, 2)
    return {"viscous": float(viscous), "coulomb": float(coulomb), "smoothing": smoothing}


def hexapod() -> Robot:
    """6-UPS; friction in the drives."""
    rng = np.random.default_rng(61)
    platform = solid(rng, 14.0, (0.5, 0.45, 0.06), (0.01, -0.02, 0.04), "platform")
    robot = gough.robots.hexapod(BASE, TOP, platform=platform, home=(0.0, 0.0, HEIGHT), name="foreign_hexapod")
    data = as_data(robot)
    for leg in data["legs"]:
        hip, slide = leg["chain"]
        hip["body"] = solid(rng, 7.0, (0.14, 0.12, 0.42), (0.0, 0.0, 0.17), "lower")
        slide["body"] = solid(rng, 3.0, (0.08, 0.07, 0.45), (0.0, 0.0, -0.21), "upper")
        slide["drive"] = drive(rng, 6.0, 1.0, 160.0, 22.0, 2e-3)
    return as_robot(data)


def delta() -> Robot:
    """Delta with both rods of every parallelogram; friction in the drives and in the rods' joints."""
    rng = np.random.default_rng(62)
    robot = gough.robots.delta(
        0.18,
        0.05,
        0.36,
        0.82,
        width=0.12,
        platform=solid(rng, 0.9, (0.12, 0.12, 0.03), (0.0, 0.0, -0.02), "platform"),
        home=(0.02, -0.03, -0.75),
        angles=(0.1, 2.0, 4.35),
        rod={"mass": 0.1},
        name="foreign_delta",
    )
    data = as_data(robot)
    for leg in data["legs"]:
        arm, *rods = leg["chain"]
        arm["body"] = solid(rng, 1.1, (0.4, 0.06, 0.05), (0.15, 0.0, 0.0), "arm")
        arm["drive"] = drive(rng, 6e-5, 30.0, 0.5, 0.8, 1e-2)
        for joint in rods:
            joint["body"] = solid(rng, 0.2, (0.02, 0.02, 0.82), (0.0, 0.0, -0.41), joint["body"]["name"])
    return as_robot(data)


def five_bar() -> Robot:
    """Five-bar in a vertical plane; friction in drives, elbows and pin."""
    rng = np.random.default_rng(63)
    robot = gough.robots.five_bar(
        0.24,
        (0.25, 0.23),
        (0.36, 0.34),
        home=(0.02, 0.42),
        crank=[solid(rng, 0.9, (0.28, 0.05, 0.04), (0.11, 0.0, 0.0)) for _ in "lr"],
        rod=[solid(rng, 0.6, (0.38, 0.04, 0.03), (0.17, 0.0, 0.0)) for _ in "lr"],
        pin_friction=friction(rng, 0.02, 0.05, 2e-2),
        gravity=(0.0, -9.81, 0.0),
        name="foreign_five_bar",
    )
    data = as_data(robot)
    for joint in data["joints"]:
        if "drive" in joint:
            joint["drive"] = drive(rng, 4e-5, 12.0, 0.12, 0.35, 1e-2)
        else:
            joint["friction"] = friction(rng, 0.03, 0.06, 2e-2)
    return as_robot(data)


ROBOTS = {"hexapod": hexapod, "delta": delta, "five_bar": five_bar}


def nearby(robot: Robot, seed: int = 7, spread: float = 0.15) -> Robot:
    """The same robot as its drawings have it: masses, inertias, friction and rotors off by up to `spread`, geometry right."""
    rng = np.random.default_rng(seed)

    def change(data: Any) -> Any:
        if isinstance(data, list):
            return [change(x) for x in data]
        if not isinstance(data, dict):
            return data
        out = {key: change(x) for key, x in data.items()}
        for key in ("mass", "viscous", "coulomb", "rotor_inertia"):
            if key in out:
                out[key] *= rng.uniform(1 - spread, 1 + spread)
        if "center_of_mass" in out:
            out["center_of_mass"] = [x * rng.uniform(1 - spread, 1 + spread) for x in out["center_of_mass"]]
        if "xx" in out:  # all moments of inertia by one factor: still those of a body
            factor = rng.uniform(1 - spread, 1 + spread)
            out |= {key: x * factor for key, x in out.items() if not isinstance(x, str)}
        return out

    return as_robot(change(as_data(robot)))


def as_data(robot: Robot) -> Any:
    """The description as plain data."""
    return robot.model_dump(mode="json", by_alias=True, exclude_unset=True)


def as_robot(data: Any) -> Robot:
    """Plain data as a description; a doubtful body is an error here."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return Robot.model_validate(data)
