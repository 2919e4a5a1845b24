"""Singularities that a run went through: found between its stored states, by the determinants of its loops."""

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from gough.compilation.singularity import block_matrices
from gough.simulation.integration.branch import other_branch

if TYPE_CHECKING:
    from gough.compilation import Model

Array = np.ndarray
CROSSED = "crossed"
"""How such events begin."""


def crossings(
    model: "Model", t: Array, q: Array, v: Array, parameters: Array
) -> tuple[list[tuple[float, str]], tuple[int, str] | None]:
    """(events (time, "crossed: …"), (the last state before the branch changed, joint that shows it) or None) of stored states
    t (n,), q (n, nq), v (n, nv).

    Times are those at which the determinant, taken as linear between two states, is 0.
    """
    if not model.mechanism.selection.blocks or len(t) < 2:
        return [], None
    places, blocks = block_matrices(model, q, parameters, model.size)
    at: dict[int, list[tuple[float, str]]] = {}
    for place, a in zip(places, blocks, strict=True):
        d = _determinants(a)
        known = np.flatnonzero(d != 0.0)
        for i, j in pairwise(known):
            if d[i] * d[j] < 0.0:
                at.setdefault(int(i), []).append((float(t[i] + (t[j] - t[i]) * d[i] / (d[i] - d[j])), place))
    events = []
    for k in sorted(at):
        names = ", ".join(place for _, place in at[k])
        both = slice(k, k + 2)
        joint = other_branch(model, t[both], q[both], v[both], parameters)
        if joint:
            return events, (k, joint)
        events.append((min(time for time, _ in at[k]), f"{CROSSED}: a singularity of {names}"))
    return events, None


def _determinants(a: Array) -> Array:
    """Determinants (n,) of (n, k, k), 0 where not finite; by Cramer's rule where that is short: runs have many states."""
    if a.shape[-1] == 2:
        found = a[:, 0, 0] * a[:, 1, 1] - a[:, 0, 1] * a[:, 1, 0]
    elif a.shape[-1] == 3:
        found = np.einsum("ni,ni->n", a[:, 0], np.cross(a[:, 1], a[:, 2]))
    else:
        found = np.linalg.det(np.where(np.isfinite(a), a, 0.0))
    return np.where(np.isfinite(found), found, 0.0)
