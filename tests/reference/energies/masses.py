"""Mass distribution of a described body as 4x4 pseudo-inertia matrices.

P = sum m (r, 1)(r, 1)^T over the body's points r in body axes. The kinetic energy of a body that moves with the
homogeneous matrix X(t) is tr(Xdot P Xdot^T) / 2, and its potential energy in gravity g is -(g, 0) . X P e4:
no angular velocity and no parallel-axis theorem are needed, and a tensor that is not physical is as good as any other.
"""

from __future__ import annotations

from typing import Any

import numpy as np


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


def mean_squares(kind: str, solid: Any) -> tuple[float, float, float]:
    """Means of x², y², z² over a shape of even density about its mass centre, z its axis (m2)."""

    def size(key: str) -> float:
        return float(getattr(solid, key))

    if kind == "box":
        return size("x") ** 2 / 12, size("y") ** 2 / 12, size("z") ** 2 / 12
    if kind in ("sphere", "shell"):
        mean = size("radius") ** 2 / (5 if kind == "sphere" else 3)
        return mean, mean, mean
    across, along = {
        "point": lambda: (0.0, 0.0),
        "rod": lambda: (0.0, size("length") ** 2 / 12),
        "ring": lambda: (size("radius") ** 2 / 2, 0.0),
        "disc": lambda: (size("radius") ** 2 / 4, 0.0),
        "cylinder": lambda: (size("radius") ** 2 / 4, size("length") ** 2 / 12),
        "tube": lambda: ((size("radius") ** 2 + size("inner_radius") ** 2) / 4, size("length") ** 2 / 12),
        "cone": lambda: (3 * size("radius") ** 2 / 20, 3 * size("length") ** 2 / 80),
        "hexagon_plate": lambda: (5 * size("side") ** 2 / 24, size("thickness") ** 2 / 12),
    }[kind]()
    axis = getattr(solid, "axis", "z")
    x, y, z = (along if own == axis else across for own in "xyz")
    return x, y, z


def _shapes(shapes: Any) -> np.ndarray:
    """P of shapes of even density, each in its own place."""
    P = np.zeros((4, 4))
    for shape in shapes:
        kind = next(k for k in type(shape).kinds() if getattr(shape, k) is not None)
        solid, X = getattr(shape, kind), np.eye(4)
        X[:3, :3], X[:3, 3] = shape.at.rotation(), shape.at.position
        P += float(solid.mass) * X @ np.diag([*mean_squares(kind, solid), 1.0]) @ X.T
    return P


def pseudo_inertia(body: Any) -> np.ndarray:
    """P (4, 4) of a `Body` with its payload, telescopic inertia left out."""
    if getattr(body, "shape", ()):
        P = _shapes(body.shape)
    elif getattr(body, "parameters", None) is not None:
        P = _ten(body.parameters)
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
