"""Frames tied rigidly to nodes of a body: x = T y, where y holds the other freedoms and each frame's own motion.

A tied node moves as the frame does: u_i = t + θ × (p_i - p), and θ_i = θ where nodes have rotations. One node with rotations
only changes variables; several become one rigid piece. Nodes that cannot move some way (a plate in its plane, a planar beam)
keep the frame from moving that way too, so a frame has up to six coordinates.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import null_space, svd
from scipy.sparse import coo_array, csc_array, csr_array

from gough.errors import UsageError
from gough.fem.cross import hat
from gough.fem.finite_elements import FiniteElements
from gough.fem.sparse_parts import most_telling_rows, order, stacked
from gough.fem.tie_nodes import Tie, tied_nodes

COMPONENTS = ("x", "y", "z", "rx", "ry", "rz")


@dataclass(frozen=True)
class FrameTie:
    """A frame on tied elements: `motion` @ y is its displacement and rotation vector (6,), body axes, at its origin.

    own: the freedoms of y that are the frame's, `components` which of x y z rx ry rz each is; nodes: those it holds.
    """

    position: np.ndarray
    rotation: np.ndarray
    nodes: np.ndarray
    motion: csr_array
    own: np.ndarray
    components: tuple[str, ...]


@dataclass(frozen=True)
class TiedElements:
    """Elements in the freedoms y (d',) that remain: `elements` are of y, `expansion` (d, d') gives x = expansion @ y."""

    elements: FiniteElements
    expansion: csr_array
    frames: dict[str, FrameTie]
    labels: tuple[str, ...]

    def frame(self, name: str) -> FrameTie:
        """A frame by name, or an error that lists them."""
        if name not in self.frames:
            raise UsageError(f"no frame {name!r} is tied to this body; there are: {', '.join(self.frames) or 'none'}")
        return self.frames[name]


def tie(elements: FiniteElements, frames: Mapping[str, Tie]) -> TiedElements:
    """The same body with frames rigidly on their nodes; ties that do not fit are errors that name the frame."""
    places = {name: tied_nodes(elements, name, frame) for name, frame in frames.items()}
    _refuse_shared_nodes(elements.nodes, places)
    rows = {name: _rows(elements, nodes, position) for name, (nodes, position) in places.items()}
    d = order(elements.K)
    groups = _groups({name: np.unique(A.indices) for name, (A, _) in rows.items()})
    taken = np.unique(np.concatenate([[], *(columns for _, columns in groups)])).astype(int)
    free = np.setdiff1d(np.arange(d), taken)
    entries = [(free, np.arange(len(free)), np.ones(len(free)))]
    labels = list(_labels(elements)[free])
    blocks, width = [], len(free)
    for names, columns in groups:
        x, q, extra = _solved([rows[name] for name in names], columns)
        i, j = np.nonzero(x)
        entries.append((columns[i], width + j, x[i, j]))
        labels += [f"inner {names[0]}.{k}" for k in range(extra)]
        blocks.append((names, q, width, extra))
        width += x.shape[1]
    i, j, values = (np.concatenate(part) for part in zip(*entries, strict=True))
    T = csr_array(coo_array((values, (i, j)), shape=(d, width)))
    tied: dict[str, FrameTie] = {}
    for names, q, start, extra in blocks:
        owners = _owners(q[:, extra:])
        labels += [f"{names[k // 6]}.{COMPONENTS[k % 6]}" for k in owners]
        for k, name in enumerate(names):
            motion = np.zeros((6, width))
            motion[:, start : start + q.shape[1]] = q[6 * k : 6 * k + 6]
            mine = [c for c, owner in enumerate(owners) if owner // 6 == k]
            nodes, position = places[name]
            tied[name] = FrameTie(
                position,
                frames[name].axes(name),
                nodes,
                csr_array(motion),
                start + extra + np.array(mine, dtype=int),
                tuple(COMPONENTS[owners[c] % 6] for c in mine),
            )
    return TiedElements(restricted(elements, T), T, {name: tied[name] for name in frames}, tuple(labels))


def _refuse_shared_nodes(points: np.ndarray, places: Mapping[str, tuple[np.ndarray, np.ndarray]]) -> None:
    holder: dict[int, str] = {}
    for name, (mine, position) in places.items():
        for node in mine.tolist():
            if node in holder:
                other = holder[node]
                apart = float(np.linalg.norm(position - places[other][1]))
                reach = float(np.linalg.norm(points[node] - position))
                raise UsageError(
                    f"node {node} at {points[node].tolist()} is tied to both {other!r} and {name!r}, which are {apart:.3g} m "
                    f"apart: give each frame nodes of its own, or use one frame for both. {_apart(other, name, apart, reach)}"
                )
            holder[node] = name


def _apart(first: str, second: str, apart: float, reach: float) -> str:
    """How two frames come to nodes of their own, as it is written in a description."""
    if apart < 1e-9:
        return "They stand at one place: let both be attached to one frame of the body, or move one of them"
    if reach < 1e-9:
        return "Both take the node there: a finer mesh (elements:, size:) has a node for each"
    radius = f"{{radius: {450 * apart:.3g} mm}}"
    return f"A radius below half of that keeps them apart: ties: {{at: {{{first}: {radius}, {second}: {radius}}}}}"


def _rows(elements: FiniteElements, nodes: np.ndarray, position: np.ndarray) -> tuple[csr_array, np.ndarray]:
    """A (rows, d) and B (rows, 6) of the ties A x = B q, q = displacement and rotation of the frame."""
    pick = (3 * nodes[:, None] + np.arange(3)).ravel()
    B = np.zeros((len(nodes), 3, 6))
    B[:, :, :3] = np.eye(3)
    B[:, :, 3:] = hat(position - elements.nodes[nodes])
    if elements.rotation is None:
        return _clean(elements.translation[pick]), B.reshape(-1, 6)
    turns = np.tile(np.eye(6)[3:], (len(nodes), 1))
    A = stacked(elements.translation[pick], elements.rotation[pick])
    return _clean(A), np.concatenate([B.reshape(-1, 6), turns])


def _clean(A: csr_array) -> csr_array:
    A = csr_array(A)
    A.eliminate_zeros()
    return A


def _groups(columns: Mapping[str, np.ndarray]) -> list[tuple[list[str], np.ndarray]]:
    """Frames whose ties share freedoms are solved together; usually each is alone."""
    groups: list[tuple[list[str], np.ndarray]] = []
    for name, mine in columns.items():
        near = [group for group in groups if np.intersect1d(group[1], mine).size]
        names = [n for group in near for n in group[0]] + [name]
        groups = [group for group in groups if not any(group is other for other in near)]
        groups.append((names, np.unique(np.concatenate([mine, *(group[1] for group in near)]))))
    return groups


def _solved(rows: list[tuple[csr_array, np.ndarray]], columns: np.ndarray) -> tuple[np.ndarray, np.ndarray, int]:
    """(freedoms (c, p), frames' motions (6 f, p), how many leading coordinates move no frame) of the ties' solutions."""
    A = stacked(*(a[:, columns] for a, _ in rows))
    B = np.zeros((order(A), 6 * len(rows)))
    start = 0
    for k, (_, b) in enumerate(rows):
        B[start : start + len(b), 6 * k : 6 * k + 6] = b
        start += len(b)
    count = np.diff(A.indptr)
    if count.max(initial=0) <= 1 and len(np.unique(A.indices)) == A.nnz:  # every node freedom is a freedom of its own
        held = B[count == 0]
        q = null_space(held, rcond=1e-9) if len(held) else np.eye(B.shape[1])
        q = _with_own_coordinates(q)
        x = np.zeros((len(columns), q.shape[1]))
        x[A.indices] = (B[count == 1] @ q) / A.data[:, None]
        return x, q, 0
    N = null_space(np.concatenate([A.toarray(), -B], axis=1), rcond=1e-9)
    _, s, Vt = svd(N[len(columns) :])
    rank = int(np.sum(s > 1e-9))
    N = N @ np.roll(Vt.T, -rank, axis=1)
    extra = N.shape[1] - rank
    N[:, extra:] = _with_own_coordinates(N[:, extra:], len(columns))
    return N[: len(columns)], N[len(columns) :], extra


def _with_own_coordinates(N: np.ndarray, start: int = 0) -> np.ndarray:
    """The same span with as many rows (from `start`) as columns being a unit matrix: those are the coordinates."""
    p = N.shape[1]
    pivots = most_telling_rows(N[start:])
    N = np.linalg.solve(N[start:][pivots].T, N.T).T
    N[np.abs(N) < 1e-13 * np.abs(N).max(initial=0.0)] = 0.0
    N[start + pivots] = np.eye(p)
    return N


def _owners(q: np.ndarray) -> list[int]:
    """Which row of q each column is the coordinate of."""
    return [int(np.flatnonzero((q == unit).all(axis=1))[0]) for unit in np.eye(q.shape[1])]


def restricted(elements: FiniteElements, T: csr_array) -> FiniteElements:
    """The same body in freedoms y (d',) with x = T y."""
    shortening = elements.shortening
    return replace(
        elements,
        K=csr_array(T.T @ elements.K @ T),
        M=csr_array(T.T @ elements.M @ T),
        translation=csr_array(elements.translation @ T),
        rotation=None if elements.rotation is None else csr_array(elements.rotation @ T),
        field=csr_array(elements.field @ T),
        shortening=None if shortening is None else lambda basis: shortening(T @ basis),
        couplings=None if elements.couplings is None else elements.couplings.expanded(T),
    )


def _labels(elements: FiniteElements) -> np.ndarray:
    """A name (d,) of every freedom: `node 3.x` where it is that displacement or rotation of a node alone."""
    labels = np.array([f"freedom {j}" for j in range(order(elements.K))], dtype=object)
    for operator, names in ((elements.translation, COMPONENTS[:3]), (elements.rotation, COMPONENTS[3:])):
        if operator is not None:
            columns = csc_array(operator)
            single = np.flatnonzero(np.diff(columns.indptr) == 1)
            for j in single[columns.data[columns.indptr[single]] == 1.0]:
                node, component = divmod(int(columns.indices[columns.indptr[j]]), 3)
                labels[j] = f"node {node}.{names[component]}"
    return labels
