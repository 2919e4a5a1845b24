"""How a mechanism can move: its mobility by rank, redundant closures, and a choice of independent velocities.

Ranks are taken at home and at assembled neighbours; if they differ, the home is singular and nothing is concluded.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gough.compilation.closing import CLOSED, close, closure_function, row_scales
from gough.compilation.retraction import retract, step_units
from gough.errors import StructureError

if TYPE_CHECKING:
    from gough.compilation.model import Model

NEIGHBOURS = 8
NEEDED = 5
"""Assembled neighbours that must confirm the rank at home."""
REACH = 0.12
"""Largest step from home to a neighbour: relative to the robot's size, or rad."""
RANK_TOLERANCE = 1e-7
THRESHOLDS = (0.2, 0.05, 0.01, 1e-3, 1e-4)
"""How independent a row or velocity must be to be taken, tried in turn; relative to the largest."""


@dataclass(frozen=True)
class Samples:
    """Scaled closures G (n, rows, nu) at home and neighbours, with their common rank and null spaces (n, nu, mobility)."""

    q: np.ndarray
    G: np.ndarray
    rank: int
    null: np.ndarray

    @property
    def mobility(self) -> int:
        """Number of independent velocities."""
        return self.null.shape[2]


def sample(model: "Model") -> Samples:
    """Closures at home and at neighbours reached along its free motions; refuses a home whose rank is not theirs."""
    mechanism = model.mechanism
    nu = mechanism.layout.nu
    if not mechanism.rows:
        G = np.zeros((1, 0, nu))
        return Samples(model.home[None], G, 0, np.eye(nu)[None])
    home = scaled_closures(model, model.home[None])
    rank, null = ranks(home)[0], null_spaces(home)[0]
    if null.shape[1] == 0:
        raise StructureError(
            f"{model.robot.name}: nothing can move: {nu} joint freedoms, {mechanism.rows} closure equations of rank {rank}. "
            f"Remove a loop, or replace a joint by one with more freedoms."
        )
    q = neighbours(model, null)
    G = np.concatenate([home, scaled_closures(model, q)])
    found = ranks(G)
    if len(q) < NEEDED:
        raise StructureError(
            f"{model.robot.name}: home has {null.shape[1]} freedoms to first order, but only {len(q)} of {NEIGHBOURS} "
            f"neighbours along them can be assembled: home is singular or the mechanism is shaky. Give another home."
        )
    if (found != rank).any():
        raise StructureError(
            f"{model.robot.name}: home is singular: the closures have rank {rank} there and {sorted(set(found[1:].tolist()))} "
            f"nearby ({nu - rank} freedoms at home, {nu - int(found.max())} nearby). Give another home."
        )
    nulls = np.stack([null_spaces(g[None])[0] for g in G])
    return Samples(np.concatenate([model.home[None], q]), G, rank, nulls)


def scaled_closures(model: "Model", q: np.ndarray) -> np.ndarray:
    """G (n, rows, nu) with lengths over the robot's size."""
    G = closure_function(model).values(q=q, parameters=model.parameters)["G"]
    return G / row_scales(model)[:, None] * step_units(model.mechanism, model.size)


def neighbours(model: "Model", null: np.ndarray, count: int = NEIGHBOURS, reach: float = REACH) -> np.ndarray:
    """Assembled configurations (up to count, nq) around home, along its free motions `null` (nu, mobility)."""
    rng = np.random.default_rng(20140612)
    steps = rng.normal(size=(count, null.shape[1])) @ null.T
    steps *= reach / np.maximum(np.abs(steps).max(axis=1, keepdims=True), 1e-300)
    unit = step_units(model.mechanism, model.size)
    start = retract(model.mechanism, np.repeat(model.home[None], count, axis=0), steps * unit)
    q, error = close(model, start, model.parameters[None])
    moved = np.abs(q - model.home).max(axis=1) > 1e-3 * reach
    return q[(error < CLOSED) & moved]


def ranks(G: np.ndarray) -> np.ndarray:
    """Ranks (n,) of scaled closures (n, rows, nu)."""
    return _count(np.linalg.svd(G, compute_uv=False))


def null_spaces(G: np.ndarray) -> list[np.ndarray]:
    """Orthonormal bases (nu, mobility) of the motions that keep the loops closed."""
    square = np.einsum(
        "nri,nrj->nij", G, G
    )  # its eigenvectors are G's right singular vectors, at a quarter of the cost
    values, vectors = np.linalg.eigh(square)
    out = []
    for g, w, v, rank in zip(G, values, vectors, ranks(G), strict=True):
        basis = v[:, np.argsort(w)[: g.shape[1] - rank]]
        # eigenvectors of the square carry the square root of the rounding: one step of refinement against G itself
        correction = np.linalg.lstsq(g, g @ basis, rcond=RANK_TOLERANCE)[0]
        out.append(np.linalg.qr(basis - correction)[0] if basis.shape[1] else basis)
    return out


def _count(s: np.ndarray) -> np.ndarray:
    return (s > RANK_TOLERANCE * np.maximum(s[:, :1], 1e-300)).sum(axis=1)


def choose(vectors: np.ndarray, order: list[int], count: int, thresholds: tuple[float, ...] = THRESHOLDS) -> list[int]:
    """The first `count` of the vectors (samples, n, k), tried in `order`, that are independent at every sample.

    A vector is taken when what is left of it beside those taken before is not small at any sample.
    """
    left = vectors.copy()
    largest = np.linalg.norm(vectors, axis=2).max(axis=1)  # (samples,)
    taken: list[int] = []
    for threshold in thresholds:
        for j in order:
            if len(taken) == count:
                return taken
            if j in taken:
                continue
            norm = np.linalg.norm(left[:, j], axis=1)
            if (norm > threshold * largest).all():
                taken.append(j)
                e = left[:, j] / norm[:, None]
                left = left - np.einsum("snk,sk->sn", left, e)[:, :, None] * e[:, None, :]
    return taken
