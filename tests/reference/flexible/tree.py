"""The cut tree of `tree` with flexible bodies: elastic coordinates, and frames that follow the material.

A frame attached at a body's point p stands at p + Phi(p) e + 1/2 e^T Psi(p) e, its axes turned by exp of the rotation
vector theta(p) e (body axes); its own rotation follows. The body's own frame does not deform. Elastic coordinates are
those of q plus those of x: they stand after the pose in both, body by body.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import factorial
from typing import Any, Protocol

import casadi as ca
import numpy as np

from gough.robot import tree as view
from reference.energies import homogeneous as hom
from reference.energies.tree import Layout, Place, Tree

TERMS = 16
"""Of the series of a rotation: exact to rounding for turns up to 2 rad, and smooth at none."""


class FlexibleData(Protocol):
    """What a reference asks of a flexible body with m coordinates and g mass points (or weighted quadrature points)."""

    mass: np.ndarray  # (g,)
    position: np.ndarray  # (g, 3)
    K: np.ndarray  # (m, m)
    D: np.ndarray  # (m, m)
    labels: tuple[str, ...]
    rigid_motion: bool  # Psi works together with the motion of the body's frame alone

    @property
    def shape(self) -> np.ndarray:
        """Phi (g, 3, m)."""
        ...

    @property
    def second(self) -> np.ndarray | None:
        """Psi (g, 3, m, m)."""
        ...

    def at(self, p: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        """(Phi (3, m), theta (3, m), Psi (3, m, m)) at a point (3,)."""
        ...


def flexible_bodies(robot: Any) -> dict[str, FlexibleData]:
    """Data of the flexible bodies by full name, in the order of their coordinates."""
    bodies: dict[str, Any] = view.bodies(robot)
    return {name: body.flexible for name, body in bodies.items() if body.flexible is not None}


@dataclass
class FlexibleLayout(Layout):
    """Layout with elastic coordinates between the pose and the joints."""

    elastic: dict[str, tuple[slice, slice]] = field(default_factory=dict)
    """Where the coordinates of each flexible body lie in q and in x."""

    @classmethod
    def of(cls, robot: Any) -> FlexibleLayout:
        """Layout of `robot`."""
        plain = Layout.of(robot)
        nq, nx = (7, 6) if plain.platform is not None else (0, 0)
        names: list[str] = []
        elastic: dict[str, tuple[slice, slice]] = {}
        for name, data in flexible_bodies(robot).items():
            at, m = len(names), len(data.labels)
            elastic[name] = slice(nq + at, nq + at + m), slice(nx + at, nx + at + m)
            names += [f"{name}.{label}" for label in data.labels]
        n = len(names)
        return cls(
            places=[replace(p, q=_later(p.q, n), x=_later(p.x, n)) for p in plain.places],
            nq=plain.nq + n,
            nx=plain.nx + n,
            x_names=[*plain.x_names[:nx], *names, *plain.x_names[nx:]],
            q_names=[*plain.q_names[:nq], *names, *plain.q_names[nq:]],
            turns=[*plain.turns[:nx], *[False] * n, *plain.turns[nx:]],
            platform=plain.platform,
            tied=plain.tied,
            elastic=elastic,
        )

    @property
    def elastic_names(self) -> list[str]:
        """Names of all elastic coordinates, and of their rates."""
        return [self.x_names[i] for _, x in self.elastic.values() for i in range(x.start, x.stop)]

    def retract(self, q: Any, x: Any) -> np.ndarray:
        """q moved by the local coordinates x (floats)."""
        out = super().retract(q, x)
        for there, here in self.elastic.values():
            out[there] += np.asarray(x, float)[here]
        return out

    def configuration_rates(self, q: Any, xd: Any) -> np.ndarray:
        """Time derivative of q (nq,) for the rates xd (nx,)."""
        out = super().configuration_rates(q, xd)
        for there, here in self.elastic.values():
            out[there] = np.asarray(xd, float)[here]
        return out


class FlexibleTree(Tree):
    """Poses as in `Tree`; joints, loops, frames and springs on a flexible body hang on its deformed points.

    ties: points (3,) of each flexible body where something has been attached.
    """

    layout_type = FlexibleLayout
    layout: FlexibleLayout

    def __init__(self, robot: Any, loose: bool = False) -> None:
        self.flexible = flexible_bodies(robot)
        self.ties: dict[str, list[np.ndarray]] = {name: [] for name in self.flexible}
        for name in self.flexible:
            body = view.bodies(robot)[name]
            if body.payload is not None or body.telescopic is not None:
                raise NotImplementedError(f"{name}: flexible, with a payload or telescopic inertia")
        super().__init__(robot, loose)

    def coordinates(self, name: str) -> ca.SX:
        """Elastic coordinates (m) of a body."""
        q, x = self.layout.elastic[name]
        return self.q[q] + self.x[x]

    def _flexible_name(self, body: str) -> str | None:
        name = str(self.layout.platform) if body == "platform" and body not in self.flexible else body
        return name if name in self.flexible else None

    def tied(self, name: str, p: Any) -> tuple[ca.SX, ca.SX]:
        """(rotation (3, 3), position (3)) in body axes of what was at the point p with the body's axes."""
        self.ties[name].append(np.asarray(p, float))
        e = self.coordinates(name)
        shift, turn, second = self.flexible[name].at(p)
        position = ca.DM(list(p)) + ca.mtimes(ca.DM(shift), e)
        if second is not None:
            position += ca.vertcat(*(ca.mtimes([e.T, ca.DM(second[i]), e]) for i in range(3))) / 2
        return rotation_of(ca.mtimes(ca.DM(turn), e)), position

    def attached(self, body: str, base: Any, pose: Any) -> ca.SX:
        """World pose of a frame on a body: an optional base frame, then its own pose."""
        name = self._flexible_name(body)
        if name is None:
            return super().attached(body, base, pose)
        rest = hom.of_pose(pose) if base is None else ca.mtimes(hom.of_pose(base), hom.of_pose(pose))
        R, p = self.tied(name, np.array(ca.DM(rest[:3, 3])).ravel())
        return ca.mtimes([self.body[body], hom.homogeneous(R, p), hom.turned(rest[:3, :3])])

    def point(self, body: str, position: Any) -> ca.SX:
        """World position (3) of a point on a body."""
        name = self._flexible_name(body)
        if name is None:
            return super().point(body, position)
        return ca.mtimes(self.body[body], ca.vertcat(self.tied(name, position)[1], 1))[:3]

    def massive(self) -> list[tuple[ca.SX, Any, Place | None]]:
        """As in `Tree`, flexible bodies left out."""
        return [entry for entry in super().massive() if entry[1].flexible is None]

    def moving_masses(self) -> list[tuple[ca.SX, ca.SX]]:
        """As in `Tree`, and those of the flexible bodies."""
        return super().moving_masses() + [self._points(name, data) for name, data in self.flexible.items()]

    def weight_shares(self) -> list[float]:
        """As in `Tree`."""
        known = view.bodies(self.robot)
        return super().weight_shares() + [float(known[name].weight_share) for name in self.flexible]

    def _points(self, name: str, data: FlexibleData) -> tuple[ca.SX, ca.SX]:
        X, e, g = self.body[name], self.coordinates(name), len(data.mass)
        m = e.numel()
        Y = [X[:3, :], *(e[k] * X[:3, :3] for k in range(m))]
        columns = [data.position, np.ones((g, 1)), data.shape.transpose(0, 2, 1).reshape(g, -1)]
        if data.second is not None:
            pairs = [(k, n) for k in range(m) for n in range(k, m) if np.any(data.second[:, :, k, n])]
            Y += [e[k] * e[n] / (2 if k == n else 1) * X[:3, :3] for k, n in pairs]
            columns += [data.second[:, :, k, n] for k, n in pairs]
        c = np.hstack(columns)
        P = c.T @ (data.mass[:, None] * c)
        if data.rigid_motion:
            undeformed, first = 4, 4 + 3 * m
            P[undeformed:, first:] = 0.0
            P[first:, undeformed:] = 0.0
        return ca.horzcat(*Y), ca.SX(ca.DM(P))


def rotation_of(vector: ca.SX) -> ca.SX:
    """exp of the cross-product matrix of a rotation vector (3), by its series."""
    s, U = ca.dot(vector, vector), hom.hat(vector)
    first = sum((-1) ** k * s**k / factorial(2 * k + 1) for k in range(TERMS))
    second = sum((-1) ** k * s**k / factorial(2 * k + 2) for k in range(TERMS))
    return ca.SX.eye(3) + first * U + second * ca.mtimes(U, U)


def _later(s: slice, n: int) -> slice:
    return slice(s.start + n, s.stop + n)
