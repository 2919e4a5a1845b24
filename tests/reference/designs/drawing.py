"""Random numbers for designs: rotations, poses, bodies, frictions, as plain description data."""

from __future__ import annotations

from typing import Any

import numpy as np

Data = dict[str, Any]


def turn(axis: Any, angle: float) -> np.ndarray:
    """Rotation matrix by `angle` about `axis` (floats)."""
    n = np.asarray(axis, float) / np.linalg.norm(axis)
    c, s = np.cos(angle), np.sin(angle)
    U = np.array([[0, -n[2], n[1]], [n[2], 0, -n[0]], [-n[1], n[0], 0]])
    return c * np.eye(3) + s * U + (1 - c) * np.outer(n, n)


def quaternion_matrix(h: Any) -> np.ndarray:
    """Rotation matrix of a unit quaternion (w, x, y, z)."""
    angle = 2 * np.arctan2(np.linalg.norm(h[1:]), h[0])
    return turn(h[1:], angle) if np.linalg.norm(h[1:]) > 0 else np.eye(3)


def clean(a: Any) -> list[float]:
    """A direction of length one as plain numbers."""
    a = np.asarray(a, float)
    return (a / np.linalg.norm(a)).tolist()


def orthonormal(R: np.ndarray) -> np.ndarray:
    """The rotation nearest to R."""
    U, _, V = np.linalg.svd(R)
    return U @ V


class Draw:
    """A seeded source of description data."""

    def __init__(self, seed: int | list[int]) -> None:
        self.rng = np.random.default_rng(seed)

    def between(self, low: float, high: float) -> float:
        """A number in [low, high)."""
        return float(self.rng.uniform(low, high))

    def chance(self, probability: float) -> bool:
        """True with the given probability."""
        return bool(self.rng.random() < probability)

    def sign(self) -> float:
        """1 or -1."""
        return 1.0 if self.chance(0.5) else -1.0

    def vector(self, scale: float) -> np.ndarray:
        """A vector with entries in [-scale, scale)."""
        return self.rng.uniform(-scale, scale, 3)

    def direction(self) -> np.ndarray:
        """A unit vector, uniform on the sphere."""
        a = self.rng.normal(size=3)
        return a / np.linalg.norm(a)

    def near(self, axis: Any, angle: float) -> np.ndarray:
        """A unit vector within about `angle` [rad] of `axis`."""
        a = np.asarray(axis, float) / np.linalg.norm(axis)
        side = np.cross(a, self.direction())
        a = turn(side, self.between(-angle, angle)) @ a
        return a / np.linalg.norm(a)

    def normal_to(self, axis: Any) -> np.ndarray:
        """A random unit vector perpendicular to `axis`."""
        a = np.cross(axis, self.direction())
        return a / np.linalg.norm(a)

    def rotation(self, limit: float = np.pi) -> np.ndarray:
        """A rotation by at most `limit` about a random axis."""
        return turn(self.direction(), self.between(0.2 * limit, limit))

    def friction(self, scale: float) -> Data:
        """Friction with viscous and Coulomb parts; the Coulomb part is smoothed in half of the draws."""
        return {
            "viscous": scale * self.between(0.5, 2),
            "coulomb": scale * self.between(0.2, 1),
            "smoothing": self.between(0.01, 0.1) if self.chance(0.5) else 0.0,
        }

    def drive(self, scale: float) -> Data:
        """A drive with a rotor, a gear and friction."""
        rotor = {"rotor_inertia": self.between(0.002, 0.02) * scale, "gear": self.sign() * self.between(1, 8)}
        return self.friction(5.0 * scale) | rotor

    def inertia(self, scale: float) -> Data:
        """A physical central tensor, full."""
        a = self.rng.normal(size=(3, 3))
        S = scale * (a @ a.T / 3 + 0.1 * np.eye(3))
        tensor = np.trace(S) * np.eye(3) - S
        keys = (("xx", 0, 0), ("yy", 1, 1), ("zz", 2, 2), ("xy", 0, 1), ("xz", 0, 2), ("yz", 1, 2))
        return {"about": "center_of_mass"} | {k: float(tensor[i, j]) for k, i, j in keys}

    def body(self, name: str, mass: float, size: float) -> Data:
        """A body of about `mass` [kg] and `size` [m]: off-axis mass centre, full tensor; at times as ten parameters."""
        m = mass * self.between(0.5, 1.5)
        c = self.vector(size)
        inertia = self.inertia(0.3 * m * size**2)
        if self.chance(0.8):
            return {"name": name, "mass": m, "center_of_mass": c.tolist(), "inertia": inertia}
        keys = ("XX", "XY", "XZ", "YY", "YZ", "ZZ")
        shift = m * (c @ c * np.eye(3) - np.outer(c, c))
        places = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))
        ten = {k: inertia[k.lower()] + float(shift[ij]) for k, ij in zip(keys, places, strict=True)}
        first = dict(zip(("MX", "MY", "MZ"), (m * c).tolist(), strict=True))
        return {"name": name, "parameters": {"M": m} | first | ten}


def pose(position: Any, R: Any = None) -> Data:
    """A pose as description data."""
    out: Data = {"position": [float(e) for e in position]}
    if R is not None:
        out["matrix"] = np.asarray(R, float).tolist()
    return out


def frame(data: Data | None) -> np.ndarray:
    """4x4 matrix of a pose written by `pose`."""
    X = np.eye(4)
    if data:
        X[:3, 3] = data["position"]
        if "matrix" in data:
            X[:3, :3] = data["matrix"]
    return X


def moved(joint: Data, s: list[float]) -> np.ndarray:
    """4x4 motion of a described joint at the coordinates s (floats)."""
    X, kind = np.eye(4), joint["type"]
    axis = np.array(joint.get("axis", (0, 0, 1)), float)
    if kind == "revolute":
        X[:3, :3] = turn(axis, s[0])
    elif kind == "prismatic":
        X[:3, 3] = s[0] * axis
    elif kind == "universal":
        X[:3, :3] = turn(joint["axes"][0], s[0]) @ turn(joint["axes"][1], s[1])
    elif kind == "helical":
        X[:3, :3], X[:3, 3] = turn(axis, s[0]), joint["lead"] / (2 * np.pi) * s[0] * axis
    elif kind == "cylindrical":
        X[:3, :3], X[:3, 3] = turn(axis, s[0]), s[1] * axis
    elif kind == "planar":
        X[:3, :3], X[:3, 3] = turn(axis, s[2]), (s[0], s[1], 0)
    elif kind == "spherical":
        X[:3, :3] = quaternion_matrix(s)
    elif kind != "fixed":
        raise NotImplementedError(kind)
    return X
