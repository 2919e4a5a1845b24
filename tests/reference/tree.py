"""The tree of a robot description in CasADi SX: 4x4 poses of every body and of both sides of every cut.

Coordinates are the library's configuration q (parameters here) moved by local coordinates x, all zero at q itself:
scalar coordinates q + x, orientation of the platform (1, x/2) h (turned in world axes), orientation of a tree joint
h (1, x/2) (turned in the carried body's axes). Lagrange's equations are taken in x and evaluated at x = 0.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import casadi as ca
import numpy as np

from . import homogeneous as hom

SIZES = {  # joint type: (entries of q, entries of x)
    "fixed": (0, 0),
    "revolute": (1, 1),
    "prismatic": (1, 1),
    "universal": (2, 2),
    "cylindrical": (2, 2),
    "planar": (3, 3),
    "spherical": (4, 3),
    "helical": (1, 1),
    "ball_screw": (1, 1),
    "free": (7, 6),
}


@dataclass
class Place:
    """Where a joint's coordinates lie: `q` in the configuration, `x` in the local coordinates."""

    leg: int
    joint: Any
    q: slice
    x: slice

    @property
    def rotation(self) -> tuple[slice, slice] | None:
        """(quaternion in q, its three local coordinates in x) of a joint that has an orientation coordinate."""
        if self.joint.type == "spherical":
            return self.q, self.x
        if self.joint.type == "free":
            return slice(self.q.start + 3, self.q.stop), slice(self.x.start + 3, self.x.stop)
        return None


@dataclass
class Layout:
    """Places of all joints, and the sizes of q and x. Shared by all references; knows no kinematics."""

    places: list[Place] = field(default_factory=list)
    nq: int = 7
    nx: int = 6

    @classmethod
    def of(cls, robot: Any) -> Layout:
        """Layout of `robot`: pose (7 in q, 6 in x), then the joints of leg 0, leg 1, ..."""
        out = cls()
        for i, leg in enumerate(robot.legs):
            for joint in leg.chain:
                n, k = SIZES[joint.type]
                out.places.append(Place(i, joint, slice(out.nq, out.nq + n), slice(out.nx, out.nx + k)))
                out.nq, out.nx = out.nq + n, out.nx + k
        return out

    @property
    def drives(self) -> list[Place]:
        """Driven joints in leg order."""
        return [p for p in self.places if p.joint.drive is not None]

    def leg_x(self, leg: int) -> np.ndarray:
        """Indices in x of the coordinates of one leg."""
        found = [np.arange(p.x.start, p.x.stop) for p in self.places if p.leg == leg]
        return np.concatenate(found) if found else np.zeros(0, int)

    def retract(self, q: np.ndarray, x: np.ndarray) -> np.ndarray:
        """q moved by the local coordinates x (floats)."""
        q, x = np.array(q, float), np.asarray(x, float)

        def product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
            h = np.concatenate([[a[0] * b[0] - a[1:] @ b[1:]], a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:])])
            return h / np.linalg.norm(h)

        q[:3] += x[:3]
        q[3:7] = product(np.concatenate([[1.0], x[3:6] / 2]), q[3:7])
        for p in self.places:
            if p.rotation is None:
                q[p.q] += x[p.x]
                continue
            hq, hx = p.rotation
            q[p.q.start : hq.start] += x[p.x.start : hx.start]
            q[hq] = product(q[hq], np.concatenate([[1.0], x[hx] / 2]))
        return q


def joint_motion(joint: Any, q: ca.SX, x: ca.SX) -> ca.SX:
    """4x4 motion of the carried body relative to the joint frame.

    Orders: universal (first, second angle); cylindrical (angle, displacement) about and along the axis;
    planar (two displacements, angle): along x and y of the joint frame and about z; free (position, quaternion).
    """
    kind = joint.type
    if kind == "fixed":
        return ca.SX.eye(4)
    if kind in ("spherical", "free"):
        k = 0 if kind == "spherical" else 3
        h = hom.quaternion_product(q[k:], ca.vertcat(1, x[k:] / 2))
        return hom.homogeneous(hom.from_quaternion(h), (q[:3] + x[:3]) if k else ca.SX.zeros(3))
    s = q + x
    if kind == "universal":
        first, second = np.asarray(joint.axes, float)
        return hom.turned(ca.mtimes(hom.about_axis(first, s[0]), hom.about_axis(second, s[1])))
    axis = hom.unit(joint.axis if joint.axis is not None else (0, 0, 1))
    if kind == "revolute":
        return hom.turned(hom.about_axis(axis, s[0]))
    if kind == "prismatic":
        return hom.shifted(ca.DM(axis) * s[0])
    if kind == "helical":
        return hom.homogeneous(hom.about_axis(axis, s[0]), ca.DM(axis) * (joint.lead / (2 * np.pi) * s[0]))
    if kind == "ball_screw":
        return hom.shifted(ca.DM(axis) * (joint.lead / (2 * np.pi) * s[0]))
    if kind == "cylindrical":
        return hom.homogeneous(hom.about_axis(axis, s[0]), ca.DM(axis) * s[1])
    if kind == "planar":
        if not np.allclose(axis, (0, 0, 1), atol=1e-12):
            raise NotImplementedError("planar joint with a normal other than z of its joint frame")
        return hom.homogeneous(hom.about_axis(axis, s[2]), ca.vertcat(s[0], s[1], 0))
    raise NotImplementedError(f"joint type {kind!r}")


class Tree:
    """Poses (4x4 SX in q and x) of a robot's bodies: `body[name]`, `leg_side[i]`, `platform_side[i]` of the cuts."""

    def __init__(self, robot: Any) -> None:
        self.robot = robot
        self.layout = Layout.of(robot)
        self.q = ca.SX.sym("q", self.layout.nq)
        self.x = ca.SX.sym("x", self.layout.nx)
        q, x = self.q, self.x
        R = hom.from_quaternion(hom.quaternion_product(ca.vertcat(1, x[3:6] / 2), q[3:7]))
        self.platform = hom.homogeneous(R, q[:3] + x[:3])
        self.body: dict[str, ca.SX] = {"world": ca.SX.eye(4), "platform": self.platform}
        self.body[robot.platform.name] = self.platform
        self.carried: list[ca.SX] = []
        self.leg_side: list[ca.SX] = []
        self.platform_side: list[ca.SX] = []
        places = iter(self.layout.places)
        for leg in robot.legs:
            X = hom.of_pose(leg.base)
            for joint in leg.chain:
                p = next(places)
                X = ca.mtimes([X, hom.of_pose(joint.placement), joint_motion(joint, q[p.q], x[p.x])])
                self.body[f"{leg.name}.{joint.body.name}"] = X
                self.carried.append(X)
            self.leg_side.append(ca.mtimes(X, hom.of_pose(leg.cut.on_leg)))
            self.platform_side.append(ca.mtimes(self.platform, hom.of_pose(leg.on_platform)))

    def point(self, body: str, position: Any) -> ca.SX:
        """World position (3) of a point on a body."""
        return ca.mtimes(self.body[body], ca.DM([*position, 1]))[:3]


def closure(cut: Any, XL: ca.SX, XP: ca.SX) -> ca.SX:
    """Position-level closure equations of one cut: leg side XL, platform side XP; zero when closed.

    The first three rows of a cut with coincident origins are p_P - p_L in world axes, so their multipliers are the
    force on the platform.
    """
    RL, RP, d = XL[:3, :3], XP[:3, :3], XP[:3, 3] - XL[:3, 3]
    kind = cut.type
    if kind == "spherical":
        return d
    if kind == "constant_length":
        return ca.norm_2(d) - cut.length
    if kind == "universal":
        a1, a2 = np.asarray(cut.axes, float)
        return ca.vertcat(d, ca.dot(ca.mtimes(RL, a1), ca.mtimes(RP, a2)))
    triad = ca.vertcat(*(ca.dot(RL[:, i], RP[:, (i + 1) % 3]) for i in range(3)))
    if kind == "fixed":
        return ca.vertcat(d, triad)
    axis = hom.unit(cut.axis if cut.axis is not None else (0, 0, 1))
    t = [ca.mtimes(RL, ca.DM(n)) for n in hom.normals(axis)]
    aligned = ca.vertcat(*(ca.dot(n, ca.mtimes(RP, ca.DM(axis))) for n in t))
    on_axis = ca.vertcat(*(ca.dot(n, d) for n in t))
    if kind == "revolute":
        return ca.vertcat(d, aligned)
    if kind == "cylindrical":
        return ca.vertcat(on_axis, aligned)
    if kind == "prismatic":
        return ca.vertcat(on_axis, triad)
    if kind == "planar":
        return ca.vertcat(ca.dot(ca.mtimes(RL, ca.DM(axis)), d), aligned)
    raise NotImplementedError(f"cut type {kind!r}")
