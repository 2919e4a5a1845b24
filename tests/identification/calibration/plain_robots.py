"""Robots as plain distances between points: what a calibration is tested against; nothing of the library's kinematics is in it.

Numbers come from a description's parameters by name and may be moved at will. Forward kinematics is a least-squares solution of
the distances by SciPy, pose by pose.
"""

from dataclasses import dataclass, field

import numpy as np
from scipy.optimize import least_squares
from scipy.spatial.transform import Rotation


@dataclass
class PlainRobot:
    """platform (k, 3): points on the platform; `ends(readings)` the other ends (k, 3) of the rods, `lengths(readings)` (k,)."""

    platform: np.ndarray
    encoders: tuple[str, ...]
    zeros: np.ndarray = field(init=False)

    def __post_init__(self):
        self.zeros, self.scales = np.zeros(len(self.encoders)), np.ones(len(self.encoders))

    def gaps(self, pose, readings):
        """Of all distances (k,), pose = position and rotation vector."""
        points = pose[:3] + Rotation.from_rotvec(pose[3:]).apply(self.platform)
        d = self.scales * readings + self.zeros
        return np.linalg.norm(points - self.ends(d), axis=1) - self.lengths(d)

    def forward(self, readings, near):
        """Pose (6,) at readings."""
        found = least_squares(self.gaps, near, args=(readings,), xtol=1e-15, ftol=1e-15, gtol=1e-15, method="lm")
        assert np.abs(found.fun).max() < 1e-11, np.abs(found.fun).max()
        return found.x

    def poses(self, readings, near):
        """Poses (n, 7) x y z qw qx qy qz."""
        x = np.array([self.forward(r, near) for r in readings])
        return pose7(x)


def pose7(x):
    """Position and rotation vector (n, 6) as x y z qw qx qy qz."""
    q = Rotation.from_rotvec(x[:, 3:]).as_quat()
    return np.concatenate([x[:, :3], q[:, [3, 0, 1, 2]]], axis=1)


@dataclass
class Ups(PlainRobot):
    """Legs of length = drive coordinate between base points (6, 3) and platform points."""

    base: np.ndarray = field(kw_only=True)

    def ends(self, d):
        return self.base

    def lengths(self, d):
        return d

    def perturb(self, rng, length, angle):
        self.base = self.base + rng.normal(size=self.base.shape) * length
        self.platform = self.platform + rng.normal(size=self.platform.shape) * length
        self.zeros = rng.normal(size=6) * length


@dataclass
class Pus(PlainRobot):
    """Rods of fixed length from carriages on rails to platform points."""

    base: np.ndarray = field(kw_only=True)
    rails: np.ndarray = field(kw_only=True)
    rods: np.ndarray = field(kw_only=True)

    def ends(self, d):
        return self.base + self.rails * d[:, None]

    def lengths(self, d):
        return self.rods

    def perturb(self, rng, length, angle):
        self.base = self.base + rng.normal(size=self.base.shape) * length
        self.platform = self.platform + rng.normal(size=self.platform.shape) * length
        self.rods = self.rods + rng.normal(size=6) * length
        self.rails = turned(self.rails, rng, angle)
        self.zeros = rng.normal(size=6) * length


@dataclass
class Rrr:
    """Planar 3-RRR: cranks and rods of two lengths; its elbow angles tell where it stands, too."""

    motors: np.ndarray
    """(3, 2), with the directions (3,) from which crank angles count."""
    directions: np.ndarray
    cranks: np.ndarray
    rods: np.ndarray
    pins: np.ndarray
    """(3, 2) on the platform."""
    encoders: tuple[str, ...] = ("leg0.motor", "leg1.motor", "leg2.motor")

    def perturb(self, rng, length, angle):
        self.motors = self.motors + rng.normal(size=(3, 2)) * length
        self.pins = self.pins + rng.normal(size=(3, 2)) * length
        self.cranks = self.cranks + rng.normal(size=3) * length
        self.rods = self.rods + rng.normal(size=3) * length
        self.directions = self.directions + rng.normal(size=3) * angle

    def stand(self, readings):
        """(poses (n, 7), elbow angles (n, 3)) at crank angles."""
        poses, elbows = [], []
        for r in readings:
            found = least_squares(self._gaps, np.zeros(3), args=(r,), xtol=1e-15, ftol=1e-15, gtol=1e-15, method="lm")
            assert np.abs(found.fun).max() < 1e-11
            x, y, a = found.x
            poses.append([x, y, 0.0, np.cos(a / 2), 0.0, 0.0, np.sin(a / 2)])
            rod = self._pins(found.x) - self._elbows(r)
            angle = np.arctan2(rod[:, 1], rod[:, 0]) - self.directions - r
            elbows.append((angle + np.pi) % (2 * np.pi) - np.pi)
        return np.array(poses), np.array(elbows)

    def _elbows(self, r):
        a = self.directions + r
        return self.motors + self.cranks[:, None] * np.stack([np.cos(a), np.sin(a)], axis=1)

    def _pins(self, x):
        c, s = np.cos(x[2]), np.sin(x[2])
        return x[:2] + self.pins @ np.array([[c, s], [-s, c]])

    def _gaps(self, x, r):
        return np.linalg.norm(self._pins(x) - self._elbows(r), axis=1) - self.rods


def plain_rrr(p):
    """3-RRR from the numbers {name: value} of a description."""
    legs = [f"leg{k}" for k in range(3)]
    return Rrr(
        np.array([_xyz(p, f"{leg}.motor")[:2] for leg in legs]),
        np.array([p[f"{leg}.motor.yaw"] for leg in legs]),
        np.array([p[f"{leg}.elbow.x"] for leg in legs]),
        np.array([p[f"{leg}.pin.on_leg.x"] for leg in legs]),
        np.array([_xyz(p, f"{leg}.pin.on_platform")[:2] for leg in legs]),
    )


@dataclass
class Delta(PlainRobot):
    """Three arms, each with two points that turn about its axis, and six rods to the platform."""

    hinges: np.ndarray = field(kw_only=True)
    """(3, 3), a point on each axis."""
    axes: np.ndarray = field(kw_only=True)
    arms: np.ndarray = field(kw_only=True)
    """(3, 2, 3): from the hinge to the points, world axes, at angle 0."""
    rods: np.ndarray = field(kw_only=True)

    def ends(self, d):
        turn = Rotation.from_rotvec(self.axes * d[:, None]).as_matrix()
        return (self.hinges[:, None] + np.einsum("kij,kpj->kpi", turn, self.arms)).reshape(6, 3)

    def lengths(self, d):
        return self.rods

    def perturb(self, rng, length, angle):
        self.hinges = self.hinges + rng.normal(size=(3, 3)) * length
        self.arms = self.arms + rng.normal(size=(3, 2, 3)) * length
        self.platform = self.platform + rng.normal(size=(6, 3)) * length
        self.rods = self.rods + rng.normal(size=6) * length
        self.axes = turned(self.axes, rng, angle)
        self.zeros = rng.normal(size=3) * angle


def turned(directions, rng, angle):
    """Unit vectors turned by random small angles."""
    return Rotation.from_rotvec(rng.normal(size=directions.shape) * angle).apply(directions)


def numbers_of(model):
    """{name: value} of a description's parameters."""
    return dict(zip(model.parameter_names, map(float, model.parameters), strict=True))


def _xyz(p, name):
    return np.array([p[f"{name}.{c}"] for c in "xyz"])


def _turn(p, name):
    return Rotation.from_euler("ZYX", [p[f"{name}.{a}"] for a in ("yaw", "pitch", "roll")])


def plain_hexapod(p, hip="hip"):
    """6-UPS from the numbers {name: value} of a description whose legs are a universal joint, a slide and a ball."""
    legs = [f"leg{k}" for k in range(6)]
    base = np.array([_xyz(p, f"{leg}.{hip}") for leg in legs])
    platform = np.array([_xyz(p, f"{leg}.ball.on_platform") for leg in legs])
    return Ups(platform, tuple(f"{leg}.slide" for leg in legs), base=base)


def plain_pus(p):
    """6-PUS from the numbers {name: value} of a description with rails along z of their slide's frame."""
    legs = [f"leg{k}" for k in range(6)]
    platform = np.array([_xyz(p, f"{leg}.ball.on_platform") for leg in legs])
    base = np.array([_xyz(p, f"{leg}.slide") for leg in legs])
    rails = np.array([_turn(p, f"{leg}.slide").apply([0.0, 0.0, 1.0]) for leg in legs])
    rods = np.array([np.linalg.norm(_xyz(p, f"{leg}.ball.on_leg")) for leg in legs])
    return Pus(platform, tuple(f"{leg}.slide" for leg in legs), base=base, rails=rails, rods=rods)


def plain_delta(p):
    """Delta from the numbers {name: value} of a description whose arms turn about y of their frame."""
    legs = [f"leg{k}" for k in range(3)]
    sides = ("left", "right")
    turns = [_turn(p, f"{leg}.arm") for leg in legs]
    arms = [[t.apply(_xyz(p, f"{leg}.{s}")) for s in sides] for t, leg in zip(turns, legs, strict=True)]
    return Delta(
        np.array([_xyz(p, f"{leg}.{s}_ball.on_platform") for leg in legs for s in sides]),
        tuple(f"{leg}.arm" for leg in legs),
        hinges=np.array([_xyz(p, f"{leg}.arm") for leg in legs]),
        axes=np.array([t.apply([0.0, 1.0, 0.0]) for t in turns]),
        arms=np.array(arms),
        rods=np.array([np.linalg.norm(_xyz(p, f"{leg}.{s}_ball.on_leg")) for leg in legs for s in sides]),
    )


def standing(model, n, seed, reach=0.3):
    """Drive coordinates (n, drives) of poses around home."""
    layout, rng = model.layout, np.random.default_rng(seed)
    steps = np.array([reach * (model.size if unit.startswith("m") else 1.0) for unit in layout.v_units])
    q = model.integrate(model.home, rng.uniform(-1, 1, (2 * n, layout.nv)) * steps, on_bad_state="mark")
    return model.drives(q[np.isfinite(q).all(axis=1)][:n])


def compose(frame, poses):
    """Poses (n, 7) in the world of poses in a frame (n or none, 7)."""
    frame, poses = (
        np.array(np.broadcast_to(x, (max(len(np.atleast_2d(frame)), len(poses)), 7))) for x in (frame, poses)
    )
    R = Rotation.from_quat(frame[:, [4, 5, 6, 3]])
    q = (R * Rotation.from_quat(poses[:, [4, 5, 6, 3]])).as_quat()
    return np.concatenate([frame[:, :3] + R.apply(poses[:, :3]), q[:, [3, 0, 1, 2]]], axis=1)


def noisy(poses, rng, position, rotation):
    """Poses (n, 7) with normal noise: m, rad."""
    q = Rotation.from_quat(poses[:, [4, 5, 6, 3]])
    q = (Rotation.from_rotvec(rng.normal(size=(len(poses), 3)) * rotation) * q).as_quat()
    return np.concatenate([poses[:, :3] + rng.normal(size=(len(poses), 3)) * position, q[:, [3, 0, 1, 2]]], axis=1)


def pose_differences(a, b):
    """(position (n, 3) m, rotation vectors (n, 3) rad) between poses (n, 7)."""
    A, B = (Rotation.from_quat(x[:, [4, 5, 6, 3]]) for x in (a, b))
    return a[:, :3] - b[:, :3], (A * B.inv()).as_rotvec()
