"""Velocity-level closure equations of cut joints for the peers: rows in tree velocities and their drifts.

Written from rigid-body kinematics (no position-level derivative), so that `lagrange` and the peers close their loops in
two unrelated ways. A drift is the row's derivative without tree accelerations: row . nudot + drift = 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from reference.energies.homogeneous import normals, unit


@dataclass(frozen=True)
class Side:
    """A frame on a tree body: pose, velocity, Jacobians (3, nv) and acceleration without nudot, in world axes."""

    p: np.ndarray
    R: np.ndarray
    Jp: np.ndarray
    Jr: np.ndarray
    v: np.ndarray
    w: np.ndarray
    a: np.ndarray
    alpha: np.ndarray

    def at(self, position: Any, R: Any = None) -> Side:
        """The frame with origin `position` and rotation R given in this frame."""
        r = self.R @ np.asarray(position, float)
        shift = np.array([[0, r[2], -r[1]], [-r[2], 0, r[0]], [r[1], -r[0], 0]])  # w x r = shift w
        acceleration = self.a + np.cross(self.alpha, r) + np.cross(self.w, np.cross(self.w, r))
        turned = self.R if R is None else self.R @ np.asarray(R, float)
        velocity = self.v + np.cross(self.w, r)
        return Side(self.p + r, turned, self.Jp + shift @ self.Jr, self.Jr, velocity, self.w, acceleration, self.alpha)


Rows = tuple[np.ndarray, np.ndarray]


def cut_rows(cut: Any, leg: Side, platform: Side) -> Rows:
    """(G, gamma) of one cut: G nu = 0 and G nudot + gamma = 0."""
    d, dd = platform.p - leg.p, platform.v - leg.v
    together: Rows = (platform.Jp - leg.Jp, platform.a - leg.a)
    turning: Rows = (platform.Jr - leg.Jr, platform.alpha - leg.alpha)
    if cut.type == "spherical":
        return together
    if cut.type == "constant_length":
        length = np.linalg.norm(d)
        n = d / length
        return (n @ together[0])[None], np.array([n @ together[1] + (dd @ dd - (n @ dd) ** 2) / length])
    if cut.type == "fixed":
        return _stack(together, turning)
    if cut.type == "universal":
        a1, a2 = leg.R @ np.asarray(cut.axes[0], float), platform.R @ np.asarray(cut.axes[1], float)
        c = np.cross(a2, a1)
        cdot = np.cross(np.cross(platform.w, a2), a1) + np.cross(a2, np.cross(leg.w, a1))
        drift = c @ turning[1] + cdot @ (platform.w - leg.w)
        return _stack(together, ((c @ turning[0])[None], np.array([drift])))
    axis = unit(cut.axis if cut.axis is not None else (0, 0, 1))
    t = [leg.R @ n for n in normals(axis)]
    slip = platform.w - leg.w
    aligned: Rows = (
        np.array([n @ turning[0] for n in t]),
        np.array([n @ turning[1] + np.cross(leg.w, n) @ slip for n in t]),
    )
    if cut.type == "revolute_spherical":  # in the plane of the circle, and across the line to its centre
        flat = _across([leg.R @ axis], leg, together, d, dd)
        return _stack(flat, ((d @ together[0])[None], np.array([d @ together[1] + dd @ dd])))
    if cut.type == "revolute":
        return _stack(together, aligned)
    if cut.type == "cylindrical":
        return _stack(_across(t, leg, together, d, dd), aligned)
    if cut.type == "prismatic":
        return _stack(_across(t, leg, together, d, dd), turning)
    if cut.type == "planar":
        return _stack(_across([leg.R @ axis], leg, together, d, dd), aligned)
    raise NotImplementedError(f"cut type {cut.type!r}")


def _across(directions: list[np.ndarray], leg: Side, together: Rows, d: np.ndarray, dd: np.ndarray) -> Rows:
    """Rows that keep the origins' difference d perpendicular to directions carried by the leg."""
    rows, drifts = [], []
    for n in directions:
        rows.append(n @ together[0] + np.cross(n, d) @ leg.Jr)
        spun = np.cross(leg.alpha, n) + np.cross(leg.w, np.cross(leg.w, n))
        drifts.append(n @ together[1] + 2 * np.cross(leg.w, n) @ dd + spun @ d)
    return np.array(rows), np.array(drifts)


def _stack(*parts: Rows) -> Rows:
    return np.vstack([p[0] for p in parts]), np.concatenate([p[1] for p in parts])


def opposing(friction: Any, rates: np.ndarray, together: bool) -> np.ndarray:
    """Friction force against rates: each on its own, or along the vector of rates for a ball joint."""
    s = friction.smoothing or 0.0
    size = np.sqrt((rates @ rates if together else rates**2) + s * s)
    direction = np.divide(rates, size, out=np.zeros_like(rates), where=np.broadcast_to(size > 0, rates.shape))
    return -(friction.viscous or 0.0) * rates - (friction.coulomb or 0.0) * direction


def friction_force(cut: Any, leg: Side, platform: Side) -> np.ndarray:
    """Generalised force (nv,) of the friction in a cut: against the rates r about its axes, of which J u = axes^T r."""
    J, w = leg.Jr - platform.Jr, leg.w - platform.w
    if cut.type == "spherical":
        return J.T @ opposing(cut.friction, w, together=True) if _acts(cut.friction) else np.zeros(J.shape[1])
    turns, slides = _free_directions(cut, leg, platform)
    written = cut.friction if isinstance(cut.friction, tuple) else (cut.friction,) * (len(turns) + len(slides))
    if not any(map(_acts, written)):
        return np.zeros(J.shape[1])
    if cut.type not in ("universal", "revolute", "cylindrical", "prismatic", "planar"):
        raise NotImplementedError(f"friction in a {cut.type} cut")
    axes = np.array(turns)
    rows = [(a @ J, a @ w) for a in (np.linalg.pinv(axes.T) if turns else [])]
    d = platform.p - leg.p
    relative = platform.v - leg.v - np.cross(leg.w, d)
    rows_along = [(n @ (platform.Jp - leg.Jp) + np.cross(n, d) @ leg.Jr, n @ relative) for n in slides]
    rows = rows_along + rows if cut.type == "planar" else rows + rows_along
    parts = [row * opposing(f, np.array([r]), False)[0] for (row, r), f in zip(rows, written, strict=True) if _acts(f)]
    return np.sum(parts, axis=0)


def _acts(friction: Any) -> bool:
    return friction is not None and bool((friction.viscous or 0.0) or (friction.coulomb or 0.0))


def _free_directions(cut: Any, leg: Side, platform: Side) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Directions about which a cut turns, and along which it slides; world axes."""
    if cut.type == "universal":
        return [leg.R @ np.asarray(cut.axes[0], float), platform.R @ np.asarray(cut.axes[1], float)], []
    axis = unit(cut.axis if cut.axis is not None else (0, 0, 1))
    turns = [] if cut.type == "prismatic" else [leg.R @ axis]
    if cut.type == "planar":
        return turns, [leg.R @ n for n in normals(axis)]
    return turns, [leg.R @ axis] if cut.type in ("cylindrical", "prismatic") else []
