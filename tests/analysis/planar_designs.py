"""Planar robots at any tilt, and their assemblies found by brute force: a scan of the platform's angle."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.spatial.transform import Rotation

import gough


def turn(angle: float) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s], [s, c]])


def yaw(angle: float) -> np.ndarray:
    return Rotation.from_rotvec([0.0, 0.0, angle]).as_matrix()


def circles(a: np.ndarray, r: float, b: np.ndarray, s: float) -> list[np.ndarray]:
    """Where two circles meet."""
    d = np.linalg.norm(b - a)
    x = (d * d + r * r - s * s) / (2 * d)
    if abs(x) >= r:
        return []
    e = (b - a) / d
    n = np.array([-e[1], e[0]])
    return [a + x * e + k * np.sqrt(r * r - x * x) * n for k in (1, -1)]


@dataclass
class ThreeRRR:
    """Motors A (3, 2), zero angles of the cranks, cranks, rods, pins B (3, 2) on the platform; W: the plane's pose in the
    world, P: the platform's axes in the plane, heights of motors and pins above it."""

    A: np.ndarray
    zero: np.ndarray
    cranks: np.ndarray
    rods: np.ndarray
    B: np.ndarray
    W: tuple[np.ndarray, np.ndarray]
    P: np.ndarray
    heights: np.ndarray
    home: tuple[np.ndarray, float]

    @classmethod
    def random(cls, seed: int) -> ThreeRRR:
        rng = np.random.default_rng([seed, 3])
        corners = np.array([[np.cos(t), np.sin(t)] for t in (0.1, 2.2, 4.4)])
        tilt = Rotation.from_quat(rng.normal(size=4)).as_matrix()
        axes = Rotation.from_quat(rng.normal(size=4)).as_matrix()
        design = cls(
            A=corners * rng.uniform(0.4, 0.6) + rng.uniform(-0.1, 0.1, (3, 2)),
            zero=rng.uniform(-3, 3, 3),
            cranks=rng.uniform(0.2, 0.35, 3),
            rods=rng.uniform(0.45, 0.6, 3),
            B=corners[:, ::-1] * rng.uniform(0.25, 0.45) + rng.uniform(-0.1, 0.1, (3, 2)),
            W=(tilt, rng.uniform(-1, 1, 3)),
            P=axes,
            heights=rng.uniform(-0.2, 0.2, (3, 2)),
            home=(np.zeros(2), 0.0),
        )
        while True:  # a home well within reach
            design.home = rng.uniform(-0.2, 0.2, 2), float(rng.uniform(-np.pi, np.pi))
            far = np.linalg.norm(design.home[0] + design.B @ turn(design.home[1]).T - design.A, axis=1)
            low, high = np.abs(design.rods - design.cranks), design.rods + design.cranks
            if ((far > low + 0.02) & (far < high - 0.02)).all():
                return design
            design.rods = rng.uniform(0.35, 0.6, 3)

    def drives(self, place: tuple[np.ndarray, float], elbows: tuple[int, ...]) -> np.ndarray:
        """Motor angles (3,) at a place of the platform, one of two elbows each."""
        pins = place[0] + self.B @ turn(place[1]).T
        out = []
        for i in range(3):
            elbow = circles(self.A[i], self.cranks[i], pins[i], self.rods[i])[elbows[i]] - self.A[i]
            out.append(np.arctan2(elbow[1], elbow[0]) - self.zero[i])
        return np.array(out)

    def elbow_points(self, drives: np.ndarray) -> np.ndarray:
        angle = drives + self.zero
        return self.A + self.cranks[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])

    def assemblies(self, drives: np.ndarray, steps: int = 4001) -> list[tuple[np.ndarray, float]]:
        """All places of the platform: pins 0 and 1 on their circles for every angle, then where pin 2 fits."""
        E = self.elbow_points(drives)

        def place(angle: Any, k: int) -> np.ndarray:
            """(n, 2), NaN where the circles do not meet."""
            t = np.atleast_1d(angle)[:, None]
            b = [np.hstack([np.cos(t) * x - np.sin(t) * y, np.sin(t) * x + np.cos(t) * y]) for x, y in self.B[:2]]
            a, c = E[0] - b[0], E[1] - b[1]
            d = np.linalg.norm(c - a, axis=1, keepdims=True)
            x = (d * d + self.rods[0] ** 2 - self.rods[1] ** 2) / (2 * d)
            e = (c - a) / d
            with np.errstate(invalid="ignore"):
                return a + x * e + (1 - 2 * k) * np.sqrt(self.rods[0] ** 2 - x * x) * np.hstack([-e[:, 1:], e[:, :1]])

        def misfit(angle: Any, k: int) -> np.ndarray:
            t = np.atleast_1d(angle)[:, None]
            x, y = self.B[2]
            pin = place(angle, k) + np.hstack([np.cos(t) * x - np.sin(t) * y, np.sin(t) * x + np.cos(t) * y])
            return np.linalg.norm(pin - E[2], axis=1) - self.rods[2]

        def edge(inside: float, outside: float) -> float:
            for _ in range(60):
                middle = 0.5 * (inside + outside)
                inside, outside = (middle, outside) if np.isfinite(misfit(middle, 0)[0]) else (inside, middle)
            return inside

        grid = np.linspace(-np.pi, np.pi, steps)
        valid = np.isfinite(misfit(grid, 0))
        extra = [
            edge(grid[i], grid[i + 1]) if valid[i] else edge(grid[i + 1], grid[i])
            for i in np.flatnonzero(valid[:-1] != valid[1:])
        ]
        grid = np.sort(np.concatenate([grid, extra]))
        found = []
        for k in (0, 1):
            values = misfit(grid, k)
            for i in np.flatnonzero(values[:-1] * values[1:] < 0):
                t = float(brentq(lambda x, k=k: misfit(x, k)[0], grid[i], grid[i + 1], xtol=1e-14))  # type: ignore
                found.append((place(t, k)[0], t))
        return found

    def world(self, place: tuple[np.ndarray, float]) -> tuple[np.ndarray, np.ndarray]:
        """(position, rotation) of the platform's frame in the world."""
        tilt, origin = self.W
        return origin + tilt @ [*place[0], 0.0], tilt @ yaw(place[1]) @ self.P

    def legs(self) -> gough.Robot:
        """The robot as legs and a platform."""
        tilt, origin = self.W
        place = self.home
        legs, joints = [], {}
        angles = self.drives(place, (0, 0, 0))
        for i in range(3):
            low, high = self.heights[i]
            base = {
                "position": (origin + tilt @ [*self.A[i], low]).tolist(),
                "matrix": (tilt @ yaw(self.zero[i])).tolist(),
            }
            pin = {"position": (self.P.T @ [*self.B[i], high]).tolist(), "matrix": self.P.T.tolist()}
            motor = {"name": "motor", "type": "revolute", "drive": {}, "body": {"mass": 1.0}}
            elbow = {
                "name": "elbow",
                "type": "revolute",
                "pose": {"position": [self.cranks[i], 0.0, high - low]},
                "body": {"mass": 1.0},
            }
            cut = {"type": "revolute", "on_leg": {"position": [self.rods[i], 0.0, 0.0]}}
            legs.append({"name": f"leg{i}", "base": base, "on_platform": pin, "chain": [motor, elbow], "cut": cut})
            joints |= self._home_joints(i, angles, f"leg{i}.motor", f"leg{i}.elbow")
        position, rotation = self.world(place)
        pose = {"position": position.tolist(), "matrix": rotation.tolist()}
        data = {"name": "tilted", "platform": {"mass": 1.0}, "legs": legs, "home": {"pose": pose, "joints": joints}}
        return gough.Robot.model_validate(data)

    def _home_joints(self, i: int, angles: np.ndarray, motor: str, elbow: str) -> dict[str, Any]:
        pin = self.home[0] + turn(self.home[1]) @ self.B[i]
        rod = pin - self.elbow_points(angles)[i]
        bend = np.arctan2(rod[1], rod[0]) - angles[i] - self.zero[i]
        return {motor: [float(angles[i])], elbow: [float(np.remainder(bend + np.pi, 2 * np.pi) - np.pi)]}

    def bodies(self, spherical: bool = False) -> gough.Robot:
        """The robot as bodies, joints and loops; the plate hangs on rod 0 in the tree; ball joints for two pins."""
        tilt, origin = self.W
        bodies: list[dict[str, Any]] = [{"name": "plate", "mass": 1.0}]
        joints: list[dict[str, Any]] = []
        loops, home = [], {}
        angles = self.drives(self.home, (0, 0, 0))
        for i in range(3):
            low, high = self.heights[i]
            bodies += [{"name": f"crank{i}", "mass": 1.0}, {"name": f"rod{i}", "mass": 1.0}]
            at = {
                "position": (origin + tilt @ [*self.A[i], low]).tolist(),
                "matrix": (tilt @ yaw(self.zero[i])).tolist(),
            }
            joints.append({"name": f"m{i}", "parent": "world", "child": f"crank{i}", "pose": at, "drive": {}})
            at = {"position": [self.cranks[i], 0.0, high - low]}
            joints.append({"name": f"e{i}", "parent": f"crank{i}", "child": f"rod{i}", "pose": at})
            home |= self._home_joints(i, angles, f"m{i}", f"e{i}")
            end = {"position": [self.rods[i], 0.0, 0.0]}
            plate = {"position": [*(self.B[i] - self.B[0]), high - self.heights[0, 1]]}
            if i == 0:
                joints.append({"name": "plate", "parent": "rod0", "child": "plate", "pose": end})
                home["plate"] = [float(self.home[1] - sum(home[n][0] for n in ("m0", "e0")) - self.zero[0])]
            else:
                sides = {"first": {"body": f"rod{i}", "pose": end}, "second": {"body": "plate", "pose": plate}}
                loops.append({"name": f"pin{i}", "type": "spherical" if spherical else "revolute", **sides})
        for joint in joints:
            joint["type"] = "revolute"
        data = {"name": "plate_robot", "bodies": bodies, "joints": joints, "loops": loops, "velocities": "drives"}
        return gough.Robot.model_validate({**data, "home": {"joints": home}})
