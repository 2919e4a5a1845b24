"""A solid of quadratic tetrahedra, as the library takes it and as the reference evaluates it by itself.

Shapes of a tetrahedron in barycentric coordinates l: l (2 l - 1) at corners, 4 l_i l_j in the middle of edges. Quadrature:
Gauss points of a cube collapsed to the tetrahedron. A frame holds three nodes of the solid, which move rigidly.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from gough.fem import ElasticBody, FreeModes, Material, NodeTie, reduce, solid_elements
from inner.fem import build_basis, tie_frames

from .field import ElementField, gauss

EDGES = ((0, 1), (1, 2), (0, 2), (0, 3), (1, 3), (2, 3))
MODES = 4
YOUNG, NU, DENSITY = 6e6, 0.3, 300.0


def box_mesh(counts: tuple[int, int, int]) -> tuple[np.ndarray, np.ndarray]:
    """(nodes (n, 3), tetrahedra (c, 10)) of a unit box about the origin, sheared and bulged, edges straight."""
    grid = [np.linspace(-0.5, 0.5, n + 1) for n in counts]
    X, Y, Z = (g.ravel() for g in np.meshgrid(*grid, indexing="ij"))
    corner = np.column_stack([X + 0.2 * Y - 0.1 * Z, Y + 0.15 * X * X, Z + 0.2 * X - 0.1 * X * Y])
    number = np.arange(len(corner)).reshape([n + 1 for n in counts])
    cells = []
    for i, j, k in np.ndindex(*counts):
        v = [int(number[i + a, j + b, k + c]) for a, b, c in np.ndindex(2, 2, 2)]
        for a, b in ((1, 3), (3, 2), (2, 6), (6, 4), (4, 5), (5, 1)):
            four = [v[0], v[a], v[b], v[7]]
            p = corner[four]
            if np.linalg.det(p[1:] - p[0]) < 0:
                four[1], four[2] = four[2], four[1]
            cells.append(four)
    middle: dict[tuple[int, int], int] = {}
    nodes = list(corner)
    for four in cells:
        for a, b in EDGES:
            pair = (min(four[a], four[b]), max(four[a], four[b]))
            if pair not in middle:
                middle[pair] = len(nodes)
                nodes.append((corner[pair[0]] + corner[pair[1]]) / 2)
            four.append(middle[pair])
    return np.array(nodes), np.array(cells)


def collapsed(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Points (q, 3) and weights (q,) of the reference tetrahedron."""
    x, w = gauss(n)
    a, b, c = (g.ravel() for g in np.meshgrid(x, x, x, indexing="ij"))
    weight = np.einsum("i,j,k->ijk", w, w, w).ravel() * (1 - a) ** 2 * (1 - b)
    return np.column_stack([a, b * (1 - a), c * (1 - a) * (1 - b)]), weight


def barycentric(local: np.ndarray) -> np.ndarray:
    """(q, 4)."""
    return np.column_stack([1 - local.sum(axis=1), local])


class Block:
    """A flexible body whose attached points hold the three nearest nodes that no other point holds."""

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        nodes, self.cells = box_mesh((3, 3, 1))
        self.nodes = nodes * [0.8, 0.8, 0.25] + 0.03 * rng.normal(size=3)
        self.field: ElementField | None = None

    def elastic_body(self, points: dict[str, np.ndarray]) -> ElasticBody:
        """The library's body; the reference's view of it goes into `field`."""
        ties = self._ties(points)
        elements = solid_elements(self.nodes, self.cells, Material(YOUNG, DENSITY, NU))
        choice = FreeModes(MODES, frame=next(iter(points)))
        tied = tie_frames(elements, ties)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            basis = build_basis(tied, choice)
            body = reduce(elements, choice, ties)
        freedoms = np.asarray(tied.expansion @ basis.shapes).reshape(len(self.nodes), 3, -1)
        self.field = self._evaluated(freedoms, tuple(body.labels), ties)
        return body

    def _ties(self, points: dict[str, np.ndarray]) -> dict[str, NodeTie]:
        free = np.ones(len(self.nodes), bool)
        out = {}
        for key, p in points.items():
            order = np.argsort(np.linalg.norm(self.nodes - p, axis=1) + np.where(free, 0.0, np.inf))
            held = next(
                [*order[:2].tolist(), k]
                for k in order[2:].tolist()
                if np.linalg.norm(
                    np.cross(self.nodes[order[1]] - self.nodes[order[0]], self.nodes[k] - self.nodes[order[0]])
                )
                > 1e-3
            )
            free[held] = False
            out[key] = NodeTie(p, nodes=held)
        return out

    def _evaluated(self, u: np.ndarray, labels: tuple[str, ...], ties: dict[str, NodeTie]) -> ElementField:
        """u (n, 3, m): displacements of the nodes."""
        m = u.shape[2]
        local, weight = collapsed(4)
        lam = barycentric(local)
        shapes = np.column_stack(
            [*(lam[:, i] * (2 * lam[:, i] - 1) for i in range(4)), *(4 * lam[:, i] * lam[:, j] for i, j in EDGES)]
        )
        mass, position, shape, K = [], [], [], np.zeros((m, m))
        mu, bulk = YOUNG / (2 * (1 + NU)), YOUNG * NU / ((1 + NU) * (1 - 2 * NU))
        for cell in self.cells:
            corner = self.nodes[cell[:4]]
            edges = corner[1:] - corner[0]
            inner = np.linalg.inv(edges).T  # rows: gradients of the last three barycentric coordinates
            grad = np.vstack([-inner.sum(axis=0), inner])
            slopes = [np.outer(4 * lam[:, i] - 1, grad[i]) for i in range(4)]
            slopes += [4 * (np.outer(lam[:, i], grad[j]) + np.outer(lam[:, j], grad[i])) for i, j in EDGES]
            volume = weight * abs(np.linalg.det(edges))
            B = np.einsum("nqa,nbk->qabk", np.array(slopes), u[cell])
            strain = (B + B.transpose(0, 2, 1, 3)) / 2
            spread = np.einsum("qaak->qk", B)
            K += bulk * np.einsum("q,qk,ql->kl", volume, spread, spread)
            K += 2 * mu * np.einsum("q,qabk,qabl->kl", volume, strain, strain)
            mass.append(DENSITY * volume)
            position.append(lam @ corner)
            shape.append(np.einsum("qn,nak->qak", shapes, u[cell]))
        places = np.array([tie.position for tie in ties.values()])
        fits = [_rigid(self.nodes[list(t.nodes)] - t.position, u[list(t.nodes)]) for t in ties.values()]  # type: ignore[arg-type,operator]
        moved, turned = (np.array(x) for x in zip(*fits, strict=True))
        K = np.diag(np.diag(K)) if _diagonal(K) else K
        return ElementField(
            np.concatenate(mass),
            np.concatenate(position),
            np.concatenate(shape),
            None,
            K,
            np.zeros((m, m)),
            labels,
            places,
            moved,
            turned,
        )

    def __getattr__(self, name: str) -> Any:
        """Everything else is the reference's view."""
        if name.startswith("_") or self.__dict__.get("field") is None:
            raise AttributeError(name)
        return getattr(self.field, name)


def _diagonal(K: np.ndarray) -> bool:
    return bool(np.abs(K - np.diag(np.diag(K))).max() < 1e-9 * np.abs(K).max())


def _rigid(arm: np.ndarray, u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Shift and turn (3, m) of a frame that carries points at arms (n, 3) by u (n, 3, m)."""
    A = np.concatenate(
        [np.tile(np.eye(3), (len(arm), 1, 1)), np.stack([np.cross(e, arm) for e in np.eye(3)], -1)], axis=2
    )
    found = np.linalg.lstsq(A.reshape(-1, 6), u.reshape(3 * len(arm), -1), rcond=None)[0]
    return found[:3], found[3:]
