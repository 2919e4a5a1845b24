"""Flexible bodies made of mass points with random fields: everything a body can have, and nothing that cancels.

A point at x moves to x + sum e_k Phi_k(x) + 1/2 sum e_k e_l Psi_kl(x), a frame at x turns by the rotation vector
sum e_k theta_k(x), body axes; Phi, theta and Psi are quadratic polynomials of x that know nothing of each other.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from gough.fem import ElasticBody, Slaved, TiedFrame, moment_shapes, second_order
from gough.robot import tree as view

MONOMIALS = 10


def hat(u: np.ndarray) -> np.ndarray:
    """Cross-product matrices (..., 3, 3) of vectors (..., 3)."""
    return -np.cross(np.asarray(u)[..., None, :], np.eye(3))


class MassPoints(ABC):
    """A flexible body of mass points, as the library takes it (`elastic_body`) and as the references take it (the rest).

    mass (g,), position (g, 3), shape (g, 3, m), second (g, 3, m, m) or None: at the points; K, D (m, m); labels (m).
    rigid_motion: second-order displacements only together with the motion of the body's frame.
    """

    mass: np.ndarray
    position: np.ndarray
    K: np.ndarray
    D: np.ndarray
    labels: tuple[str, ...]
    rigid_motion: bool = False

    @property
    @abstractmethod
    def shape(self) -> np.ndarray:
        """Phi (g, 3, m) at the mass points."""

    @property
    @abstractmethod
    def second(self) -> np.ndarray | None:
        """Psi (g, 3, m, m) at the mass points."""

    @abstractmethod
    def at(self, p: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        """(Phi (3, m), theta (3, m), Psi (3, m, m) or None) at a point p (3,) in body axes."""

    def elastic_body(self, points: dict[str, np.ndarray]) -> ElasticBody:
        """The constants of `ElasticBody` by sums over the points as they are defined; a tied frame at each of `points`."""
        m, x, S, P2 = self.mass, self.position, self.shape, self.second
        X, F = hat(x), hat(S.transpose(0, 2, 1))  # (g, 3, 3), (g, m, 3, 3)
        N2 = -np.einsum("g,gkij,gljn->klin", m, F, F)
        M = np.einsum("g,gik,gil->kl", m, S, S)
        return ElasticBody(
            mass=float(m.sum()),
            MS=m @ x,
            J=-np.einsum("g,gij,gjn->in", m, X, X),
            MSde=np.einsum("g,gik->ik", m, S),
            N1=-np.einsum("g,gij,gkjn->kin", m, X, F),
            N2=N2,
            M=M,
            K=self.K,
            D=self.D,
            frames={key: TiedFrame(np.asarray(p, float), np.eye(3), *self.at(p)) for key, p in points.items()},
            labels=self.labels,
            frequencies_hz=np.sqrt(np.diag(self.K) / np.diag(M)) / (2 * np.pi),
            nodes=np.zeros((0, 3)),
            shapes=np.zeros((0, 3, len(self.labels))),
            cells=np.zeros((0, 2), int),
            slaved=None if P2 is None else slaved_by_pairs(self, P2),
        )


def slaved_by_pairs(points: Any, second: np.ndarray) -> Slaved:
    """One slaved shape for every pair of coordinates, Psi_kl itself, by sums over the points as it is defined."""
    m, x, S, n = points.mass, points.position, points.shape, len(points.labels)
    pairs = [(k, j) for k in range(n) for j in range(k, n)]
    forms = np.zeros((len(pairs), n, n))
    for form, (k, j) in zip(forms, pairs, strict=True):
        form[k, j] = form[j, k] = 1.0
    N = np.stack([second[:, :, k, j] for k, j in pairs], axis=2)
    products = np.einsum("g,gak,gbl->klab", m, N, np.concatenate([S, N], axis=2), optimize=True)
    return Slaved(
        forms=forms,
        along=np.zeros((n, len(pairs))),
        MSde=np.einsum("g,gij->ij", m, N),
        N1=-np.einsum("g,gij,gkjn->kin", m, hat(x), hat(N.transpose(0, 2, 1))),
        products=0.0 * products if points.rigid_motion else products,
        rigid_motion=points.rigid_motion,
    )


def linear_part(mass: np.ndarray, position: np.ndarray, field: np.ndarray) -> np.ndarray:
    """The values (g, ...) nearest to `field` at points (g, 3) with masses (g,), by least squares, that are linear in x."""
    root = np.sqrt(mass)[:, None]
    linear = np.concatenate([np.ones((len(mass), 1)), position], axis=1)
    flat = field.reshape(len(mass), -1)
    return (linear @ np.linalg.lstsq(root * linear, root * flat, rcond=1e-12)[0]).reshape(field.shape)


class FlexiblePoints(MassPoints):
    """Random points and fields.

    held: fields vanish at the body's origin, for a body that a joint carries. stiffened: with second-order fields, or with
    them and `rigid_motion`, or with those linear in x at the points that have the moments of these fields.
    normal: a direction in body axes; displacements are then across it and turns about it, for planar mechanisms.
    """

    def __init__(
        self,
        seed: int,
        modes: int = 3,
        *,
        points: int = 12,
        size: float = 0.25,
        weight: float = 4.0,
        held: bool = False,
        stiffened: bool | Literal["rigid_motion", "moments"] = False,
        normal: Any = None,
    ) -> None:
        rng = np.random.default_rng([seed, 40_000])
        self.held, self.rigid_motion, self.moments = held, stiffened == "rigid_motion", stiffened == "moments"
        self.labels = tuple(f"e{k + 1}" for k in range(modes))
        self.mass = weight * rng.uniform(0.2, 1.0, points) / points
        self.position = size * (rng.normal(size=(points, 3)) + rng.normal(size=3) / 2)
        scale = size ** -np.array([0, 1, 1, 1, 2, 2, 2, 2, 2, 2])  # a unit coordinate moves points by about one metre
        along, across = self._directions(normal)
        self._shape = along @ (rng.normal(size=(modes, 3, MONOMIALS)) * scale / 3)
        self._turning = across @ (rng.normal(size=(modes, 3, MONOMIALS)) * scale / (3 * size))
        twice = rng.normal(size=(modes, modes, 3, MONOMIALS)) * scale / (3 * size)
        self._second = along @ (twice + twice.swapaxes(0, 1)) if stiffened else None
        root, loss = rng.normal(size=(2, modes, modes))
        self.K = 2e3 * (root @ root.T + np.eye(modes))
        self.D = 5.0 * (loss @ loss.T)
        fields = [self.at(p) for p in self.position]
        self._shapes = np.array([f[0] for f in fields])
        self._seconds = np.array([f[2] for f in fields]) if stiffened else None
        if self._seconds is not None and self.moments:
            self._seconds = linear_part(self.mass, self.position, self._seconds)

    def elastic_body(self, points: dict[str, np.ndarray]) -> ElasticBody:
        """As of all points; the library finds the linear displacements by itself."""
        body = super().elastic_body(points)
        if not self.moments:
            return body
        psi = np.stack([np.asarray(self.at(p)[2]) for p in self.position])
        return replace(body, slaved=moment_shapes(self.mass, self.position, self.shape, second_order(psi)))

    @staticmethod
    def _directions(normal: Any) -> tuple[np.ndarray, np.ndarray]:
        """Projections (3, 3) of displacements and of rotation vectors."""
        if normal is None:
            return np.eye(3), np.eye(3)
        n = np.asarray(normal, float) / np.linalg.norm(normal)
        return np.eye(3) - np.outer(n, n), np.outer(n, n)

    def _monomials(self, p: Any) -> np.ndarray:
        x, y, z = np.asarray(p, float)
        return np.array([0.0 if self.held else 1.0, x, y, z, x * x, y * y, z * z, x * y, y * z, z * x])

    def at(self, p: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        """The fields at a point."""
        f = self._monomials(p)
        second = None if self._second is None else np.einsum("klia,a->ikl", self._second, f)
        return (self._shape @ f).T, (self._turning @ f).T, second

    @property
    def shape(self) -> np.ndarray:
        """Phi (g, 3, m) at the mass points."""
        return self._shapes

    @property
    def second(self) -> np.ndarray | None:
        """Psi (g, 3, m, m) at the mass points."""
        return self._seconds


def flexible_robot(robot: Any, flexible: dict[str, Any], mark: Any = None) -> Any:
    """The description with flexible bodies, {full name: data}; their own masses and payloads are taken away.

    mark: pose of a frame of that name on flexible bodies that have no frame.
    """
    unknown = set(flexible) - set(view.bodies(robot))
    if unknown:
        raise ValueError(f"no body {', '.join(sorted(unknown))}")

    def body(name: str, old: Any) -> Any:
        if name not in flexible:
            return old
        gone: dict[str, Any] = dict.fromkeys(("inertia", "parameters", "payload", "telescopic"))
        if mark is not None and not old.frames:
            gone["frames"] = {"mark": mark}
        return old.model_copy(update=gone | {"mass": 0.0, "flexible": flexible[name]})

    def leg(old: Any) -> Any:
        chain = (j.model_copy(update={"body": body(f"{old.name}.{j.body.name}", j.body)}) for j in old.chain)
        return old.model_copy(update={"chain": tuple(chain)})

    changes: dict[str, Any] = {"legs": tuple(leg(old) for old in robot.legs)}
    changes["bodies"] = tuple(body(old.name, old) for old in robot.bodies)
    if not isinstance(robot.platform, str | None):
        own = robot.platform
        changes["platform"] = own.model_copy(update={"body": body(own.name, own.body)})
    return robot.model_copy(update=changes)


def rigid_robot(robot: Any) -> Any:
    """The description with its flexible bodies as rigid ones without mass: the same kinematics."""
    return flexible_robot(robot, {name: None for name, body in view.bodies(robot).items() if body.flexible is not None})
