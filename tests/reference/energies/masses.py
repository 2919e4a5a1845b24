"""Mass distribution of a described body as 4x4 pseudo-inertia matrices.

P = sum m (r, 1)(r, 1)^T over the body's points r in body axes. The kinetic energy of a body that moves with the
homogeneous matrix X(t) is tr(Xdot P Xdot^T) / 2, and its potential energy in gravity g is -(g, 0) . X P e4:
no angular velocity and no parallel-axis theorem are needed, and a tensor that is not physical is as good as any other.
"""

from __future__ import annotations

from typing import Any

import numpy as np

SHAPES = ("point", "rod", "ring", "disc", "cylinder", "tube", "cone", "sphere", "shell", "box", "hexagon_plate")


def tensor(inertia: Any) -> np.ndarray:
    """The (3, 3) tensor of a description's inertia (entries are tensor entries); zeros for None."""
    if inertia is None:
        return np.zeros((3, 3))
    xx, yy, zz, xy, xz, yz = (float(getattr(inertia, k) or 0.0) for k in ("xx", "yy", "zz", "xy", "xz", "yz"))
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def second_moments(I: np.ndarray) -> np.ndarray:
    """sum m r r^T from an inertia tensor about the same point: tr(I)/2 - I."""
    return np.trace(I) / 2 * np.eye(3) - I


def _central(mass: float, com: Any, inertia: Any) -> np.ndarray:
    """P of a mass whose tensor is about its mass centre, or about its frame's origin if the inertia says so."""
    c = np.asarray(com if com is not None else (0, 0, 0), float)
    P = np.zeros((4, 4))
    P[:3, :3] = second_moments(tensor(inertia))
    about = getattr(inertia, "about", "center_of_mass") if inertia is not None else "center_of_mass"
    if about in ("center_of_mass", "centre_of_mass"):
        P[:3, :3] += mass * np.outer(c, c)
    elif about not in ("origin", "frame", "body_origin"):
        raise ValueError(f"inertia about {about!r}")
    P[:3, 3] = P[3, :3] = mass * c
    P[3, 3] = mass
    return P


def _ten(parameters: Any) -> np.ndarray:
    """P of ten parameters (M, MX, MY, MZ, XX, XY, XZ, YY, YZ, ZZ) about the body origin."""

    def get(key: str) -> float:
        value = parameters.get(key, 0.0) if isinstance(parameters, dict) else getattr(parameters, key, 0.0)
        return float(value or 0.0)

    P = np.zeros((4, 4))
    xy, xz, yz = get("XY"), get("XZ"), get("YZ")
    P[:3, :3] = second_moments(np.array([[get("XX"), xy, xz], [xy, get("YY"), yz], [xz, yz, get("ZZ")]]))
    P[:3, 3] = P[3, :3] = [get("MX"), get("MY"), get("MZ")]
    P[3, 3] = get("M")
    return P


def _spread(kind: str, s: Any) -> np.ndarray:
    """Mean squares (3,) of x, y and z over a shape, in its own frame: what integrals over its volume, surface or line give."""
    if kind == "point":
        return np.zeros(3)
    if kind == "box":
        return np.array([s.x, s.y, s.z], float) ** 2 / 12
    if kind in ("sphere", "shell"):
        return np.full(3, float(s.radius) ** 2 / (5 if kind == "sphere" else 3))
    r, r_inner, l = (float(getattr(s, key, 0.0)) for key in ("radius", "inner_radius", "length"))
    across = {"rod": 0.0, "ring": r**2 / 2, "cone": 3 * r**2 / 20}.get(kind, (r**2 + r_inner**2) / 4)
    along = 3 * l**2 / 80 if kind == "cone" else l**2 / 12
    if kind == "hexagon_plate":
        across, along = 5 * float(s.side) ** 2 / 24, float(s.thickness) ** 2 / 12
    return np.array([along if axis == s.axis else across for axis in "xyz"])


def _shaped(shapes: Any) -> np.ndarray:
    """P of shapes of even density."""
    P = np.zeros((4, 4))
    for shape in shapes:
        kind, s = next((name, getattr(shape, name)) for name in SHAPES if getattr(shape, name, None) is not None)
        X = np.eye(4)
        X[:3, :3], X[:3, 3] = shape.at.rotation(), shape.at.position
        P += float(s.mass) * X @ np.diag([*_spread(kind, s), 1.0]) @ X.T
    return P


def pseudo_inertia(body: Any) -> np.ndarray:
    """P (4, 4) of a `Body` with its payload, telescopic inertia left out."""
    if getattr(body, "parameters", None) is not None:
        P = _ten(body.parameters)
    elif getattr(body, "shape", ()):
        P = _shaped(body.shape)
    else:
        P = _central(float(body.mass or 0.0), body.center_of_mass, body.inertia)
    load = body.payload
    if load is not None:
        own = _central(float(load.mass or 0.0), load.center_of_mass, load.inertia)
        X = np.eye(4)
        if load.at is not None:
            X[:3, :3], X[:3, 3] = load.at.rotation(), load.at.position
        P = P + X @ own @ X.T
    return P


def telescopic_moments(body: Any) -> list[np.ndarray] | None:
    """Central second-moment matrices (3, 3) multiplying q**0, q**1, q**2 of the telescopic joint; None without one."""
    if body.telescopic is None:
        return None
    return [second_moments(np.asarray(C, float)) for C in body.telescopic.coefficients()]


def center_form(P: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """(mass, mass centre, central inertia tensor) of a pseudo-inertia; needs a mass, or no first moment."""
    m = P[3, 3]
    if m == 0.0:
        if np.any(P[:3, 3] != 0.0):
            raise NotImplementedError("first moment without mass has no mass centre")
        c = np.zeros(3)
    else:
        c = P[:3, 3] / m
    S = P[:3, :3] - m * np.outer(c, c)
    return m, c, np.trace(S) * np.eye(3) - S
