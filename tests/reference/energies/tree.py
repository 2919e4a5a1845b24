"""Any described mechanism's cut tree in CasADi SX: 4x4 poses of bodies, of both sides of every loop, of named frames.

Built on the one view of both written forms (`placed_joints`, `placed_loops`). Coordinates as in `joints`. The pose of a
platform, where there is one, stands first, its orientation (1, x/2) h (turned in world axes). A platform that is a body
somewhere in the tree is an extra free frame tied to that body; a platform that a free joint carries from the world is
that joint, its pose written in the world frame.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import casadi as ca
import numpy as np

from gough.robot import tree as view

from . import homogeneous as hom
from . import masses
from .couplings import equations
from .joints import SIZES, closure, joint_motion

TWIST = ("vx", "vy", "vz", "wx", "wy", "wz")
POSE = ("x", "y", "z", "qw", "qx", "qy", "qz")
BALL = ("_wx", "_wy", "_wz")
RATES = {  # joint type: ends of the names of its rates
    "fixed": (),
    "revolute": ("",),
    "prismatic": ("",),
    "universal": ("_1", "_2"),
    "cylindrical": ("_angle", "_offset"),
    "planar": ("_x", "_y", "_angle"),
    "spherical": BALL,
    "helical": ("",),
    "ball_screw": ("",),
    "free": ("_x", "_y", "_z", *BALL),
}
TURNS = {  # joint type: which of its local coordinates are angles
    "fixed": (),
    "revolute": (True,),
    "prismatic": (False,),
    "universal": (True, True),
    "cylindrical": (True, False),
    "planar": (False, False, True),
    "spherical": (True,) * 3,
    "helical": (True,),
    "ball_screw": (True,),
    "free": (False,) * 3 + (True,) * 3,
}
LENGTHS = {"constant_length": 1, "cylindrical": 2, "prismatic": 2, "planar": 1, "revolute_spherical": 2}
"""Closure rows of a loop that are lengths, where there are not three; they stand first."""


@dataclass
class Place:
    """Where a joint's coordinates lie: `q` in the configuration, `x` in the local coordinates; the joint as the view gives it."""

    leg: int
    joint: Any
    q: slice
    x: slice
    placed: Any = None

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
    """Places of all joints in q and x, names of the rates, and what the platform is. Knows no kinematics."""

    places: list[Place] = field(default_factory=list)
    nq: int = 0
    nx: int = 0
    x_names: list[str] = field(default_factory=list)
    q_names: list[str] = field(default_factory=list)
    turns: list[bool] = field(default_factory=list)
    platform: str | None = None
    tied: bool = False
    """The platform's frame is an extra one, tied to a body that joints carry."""

    @classmethod
    def of(cls, robot: Any) -> Layout:
        """Layout of `robot`: pose (7 in q, 6 in x) if there is a platform, then the joints as placed."""
        out = cls(platform=view.platform_name(robot))
        joints = list(view.placed_joints(robot))
        if out.platform is not None:
            out.nq, out.nx = 7, 6
            out.x_names, out.q_names, out.turns = list(TWIST), list(POSE), list(TURNS["free"])
            carrier = next((p for p in joints if p.body_name == out.platform), None)
            if carrier is not None and carrier.joint.type == "free" and carrier.parent == "world":
                joints.remove(carrier)
            else:
                out.tied = carrier is not None
        for placed in joints:
            kind = placed.joint.type
            n, k = SIZES[kind]
            q, x = slice(out.nq, out.nq + n), slice(out.nx, out.nx + k)
            out.places.append(Place(placed.leg, placed.joint, q, x, placed))
            out.nq, out.nx = q.stop, x.stop
            out.x_names += [placed.name + end for end in RATES[kind]]
            ball = RATES[kind][-3:] == BALL
            ends = (*RATES[kind][:-3], "_qw", "_qx", "_qy", "_qz") if ball else RATES[kind]
            out.q_names += [placed.name + end for end in ends]
            out.turns += TURNS[kind]
        return out

    @property
    def drives(self) -> list[Place]:
        """Driven joints in the order of their places."""
        return [p for p in self.places if p.joint.drive is not None]

    @property
    def quaternions(self) -> list[slice]:
        """Where quaternions stand in q."""
        own = [slice(3, 7)] if self.platform is not None else []
        return own + [p.rotation[0] for p in self.places if p.rotation is not None]

    def indices(self, names: Iterable[str]) -> list[int]:
        """Places in x of rates or coordinates by name; "pose" is all six of the platform, "qw" all three turns."""
        out: set[int] = set()
        for name in names:
            if name == "pose":
                out.update(range(6))
            elif name in self.x_names:
                out.add(self.x_names.index(name))
            else:
                at = self.q_names.index(name)
                if self.platform is not None and at < 7:
                    out.update([at] if at < 3 else range(3, 6))
                    continue
                p = next(p for p in self.places if p.q.start <= at < p.q.stop)
                turned = p.rotation is not None and at >= p.rotation[0].start
                out.update(range(p.x.stop - 3, p.x.stop) if turned else [p.x.start + at - p.q.start])
        return sorted(out)

    def retract(self, q: Any, x: Any) -> np.ndarray:
        """q moved by the local coordinates x (floats); quaternions come out with length one."""
        q, x = np.array(q, float), np.asarray(x, float)
        if self.platform is not None:
            q[:3] += x[:3]
            q[3:7] = _product(np.concatenate([[1.0], x[3:6] / 2]), q[3:7])
        for p in self.places:
            if p.rotation is None:
                q[p.q] += x[p.x]
                continue
            hq, hx = p.rotation
            q[p.q.start : hq.start] += x[p.x.start : hx.start]
            q[hq] = _product(q[hq], np.concatenate([[1.0], x[hx] / 2]))
        return q

    def configuration_rates(self, q: Any, xd: Any) -> np.ndarray:
        """Time derivative of q (nq,) for the rates xd (nx,)."""
        q, xd = np.asarray(q, float), np.asarray(xd, float)
        out = np.zeros(self.nq)
        if self.platform is not None:
            out[:3] = xd[:3]
            out[3:7] = _multiplied(np.concatenate([[0.0], xd[3:6] / 2]), q[3:7])
        for p in self.places:
            if p.rotation is None:
                out[p.q] = xd[p.x]
                continue
            hq, hx = p.rotation
            out[p.q.start : hq.start] = xd[p.x.start : hx.start]
            out[hq] = _multiplied(q[hq], np.concatenate([[0.0], xd[hx] / 2]))
        return out


def _multiplied(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.concatenate([[a[0] * b[0] - a[1:] @ b[1:]], a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:])])


def _product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    h = _multiplied(a, b)
    return h / np.linalg.norm(h)


def _placed(X: ca.SX, base: Any, pose: Any) -> ca.SX:
    """X followed by an optional base frame and a pose."""
    if base is not None:
        X = ca.mtimes(X, hom.of_pose(base))
    return ca.mtimes(X, hom.of_pose(pose))


class Tree:
    """Poses (4x4 SX in q and x): `body[name]`, `carried` by the places, `first_side[i]` and `second_side[i]`.

    With `loose`, every joint is followed by a small free motion `d` (6 each: shift, turn, in the carried body's axes).
    """

    layout_type: type[Layout] = Layout

    def __init__(self, robot: Any, loose: bool = False) -> None:
        self.robot = robot
        self.layout = self.layout_type.of(robot)
        self.loops = list(view.placed_loops(robot))
        self.q = ca.SX.sym("q", self.layout.nq)
        self.x = ca.SX.sym("x", self.layout.nx)
        q, x, name = self.q, self.x, self.layout.platform
        self.body: dict[str, ca.SX] = {"world": ca.SX.eye(4)}
        self.platform: ca.SX | None = None
        if name is not None:
            R = hom.from_quaternion(hom.quaternion_product(ca.vertcat(1, x[3:6] / 2), q[3:7]))
            self.platform = hom.homogeneous(R, q[:3] + x[:3])
            if not self.layout.tied:
                self.body[name] = self.platform
        self.d = ca.SX.sym("d", 6 * len(self.layout.places) if loose else 0)
        self.carried: list[ca.SX] = []
        for k, p in enumerate(self.layout.places):
            X = self.attached(p.placed.parent, p.placed.base, p.joint.placement)
            X = ca.mtimes(X, joint_motion(p.joint, q[p.q], x[p.x]))
            if loose:
                d = self.d[6 * k : 6 * k + 6]
                X = ca.mtimes(X, hom.homogeneous(hom.from_quaternion(ca.vertcat(1, d[3:] / 2)), d[:3]))
            self.body[p.placed.body_name] = X
            self.carried.append(X)
        if name is not None:
            self.body.setdefault("platform", self.body[name])
        self.first_side = [self.attached(k.first, k.first_base, k.first_pose) for k in self.loops]
        self.second_side = [self.attached(k.second, k.second_base, k.second_pose) for k in self.loops]

    def attached(self, body: str, base: Any, pose: Any) -> ca.SX:
        """World pose of a frame on a body: an optional base frame, then its own pose."""
        return _placed(self.body[body], base, pose)

    def point(self, body: str, position: Any) -> ca.SX:
        """World position (3) of a point on a body."""
        return ca.mtimes(self.body[body], ca.DM([*position, 1]))[:3]

    def massive(self) -> list[tuple[ca.SX, Any, Place | None]]:
        """(pose, body, place of the joint that carries it: None for a free platform) of every body."""
        out: list[tuple[ca.SX, Any, Place | None]] = []
        if self.platform is not None and not self.layout.tied:
            out.append((self.platform, view.platform_body(self.robot), None))
        return out + [(X, p.placed.body, p) for X, p in zip(self.carried, self.layout.places, strict=True)]

    def moving_masses(self) -> list[tuple[ca.SX, ca.SX]]:
        """(Y (3, k), P (k, k)) of every body: its points stand at Y c, P = sum m c c^T; the fourth entry of c is one."""
        out = []
        for X, body, place in self.massive():
            P = ca.SX(ca.DM(masses.pseudo_inertia(body)))
            powers = masses.telescopic_moments(body) if place is not None else None
            if place is not None and powers is not None:
                other = self._follower(place)
                s = self.q[other.q] + self.x[other.x]
                P[:3, :3] += sum(ca.DM(C) * s**k for k, C in enumerate(powers))
            out.append((X[:3, :], P))
        return out

    def weight_shares(self) -> list[float]:
        """What acts of the weight of every body of `moving_masses`."""
        return [float(body.weight_share) for _, body, _ in self.massive()]

    def _follower(self, place: Place) -> Place:
        """Place of the joint whose coordinate the telescopic body of `place` follows."""
        name = place.placed.body.telescopic.joint
        if place.leg >= 0:
            name = f"{self.robot.legs[place.leg].name}.{name}"
        return next(p for p in self.layout.places if p.placed.name == name)

    def frame(self, name: str) -> ca.SX:
        """Pose of a named frame: a body's full name, "body.frame", or a frame of the platform by its name alone."""
        if name in self.body:
            return self.body[name]
        platform = self.layout.platform
        for full, body in view.bodies(self.robot).items():
            for key, pose in body.frames.items():
                if name == f"{full}.{key}" or (full == platform and name == key):
                    return self.attached(full, None, pose)
        raise KeyError(f"no frame {name!r}")

    def closures(self) -> list[ca.SX]:
        """Position-level closure equations of each loop; then those that tie an extra platform frame to its body; last
        couplings."""
        sides = zip(self.loops, self.first_side, self.second_side, strict=True)
        out = [closure(loop, X1, X2) for loop, X1, X2 in sides]
        if self.layout.tied and self.platform is not None:
            X = self.body[str(self.layout.platform)]
            turned = [ca.dot(X[:3, i], self.platform[:3, (i + 1) % 3]) for i in range(3)]
            out.append(ca.vertcat(self.platform[:3, 3] - X[:3, 3], *turned))
        return out + equations(self)
