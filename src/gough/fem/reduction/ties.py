"""Frames tied rigidly to nodes of a body: x = T y, where y holds the other freedoms and each frame's own motion.

A tied node moves as the frame does: u_i = t + θ × (p_i - p), and θ_i = θ where nodes have rotations. One node with rotations
only changes variables; several become one rigid piece. Nodes that cannot move some way (a plate in its plane, a planar beam)
keep the frame from moving that way too, so a frame has up to six coordinates.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg import svd
from scipy.sparse import coo_array, csc_array, csr_array

from gough.errors import UsageError
from gough.fem._elements import FiniteElements, in_freedoms
from gough.fem._geometry import extent, rigid_displacements, rotation_matrix
from gough.fem._slopes import null_space
from gough.fem._sparse import most_telling_rows, order, stack_rows
from gough.scalar.slopes import has_slopes, real_part


@dataclass(frozen=True)
class NodeTie:
    """Where a frame is (m, body axes) and what holds it.

    With `position` alone: the node there, at most `tolerance` away (default 1e-6 of the body's size). With `radius` (m) too:
    all nodes that near. With `nodes` (indices): those, and without a position the frame is at their centre.
    rotation (3, 3): the frame's axes at rest, columns in body axes; default those of the body.
    """

    position: Sequence[float] | np.ndarray | None = None
    nodes: Sequence[int] | np.ndarray | None = None
    radius: float | None = None
    rotation: Sequence[Sequence[float]] | np.ndarray | None = None
    tolerance: float | None = None


def frame_axes(name: str, rotation: object) -> np.ndarray:
    """The axes (3, 3) of a frame, checked."""
    return rotation_matrix(rotation, f"frame {name!r}", 1e-6)


def tied_nodes(elements: FiniteElements, name: str, tie: NodeTie) -> tuple[np.ndarray, np.ndarray]:
    """(node indices, the frame's position (3,)) of a tie, or an error that names the frame and the remedy."""
    nodes, position = chosen_nodes(elements.nodes, name, tie)
    if elements.rotation is None and _span(elements.nodes[nodes]) < 2:
        raise UsageError(
            f"frame {name!r} holds {len(nodes)} node(s) {nodes[:4].tolist()} of elements whose nodes have no rotation, and they "
            "do not fix its turning: tie it to three or more that are not on one line (radius= or nodes=)"
        )
    return nodes, position


def chosen_nodes(points: np.ndarray, name: str, tie: NodeTie) -> tuple[np.ndarray, np.ndarray]:
    """(node indices, position (3,)) among points (n, 3)."""
    if tie.nodes is not None:
        nodes = np.unique(np.asarray(tie.nodes, dtype=int))
        if tie.radius is not None:
            raise UsageError(f"frame {name!r}: give nodes= or radius=, not both")
        if nodes.size == 0 or nodes[0] < 0 or nodes[-1] >= len(points):
            raise UsageError(f"frame {name!r}: nodes must be indices from 0 to {len(points) - 1}, at least one")
        place = points[nodes].mean(axis=0) if tie.position is None else tie.position
        return nodes, _point(name, place)
    if tie.position is None:
        raise UsageError(f"frame {name!r}: give position= (with radius= for several nodes) or nodes=")
    position = _point(name, tie.position)
    distance = np.linalg.norm(points - position, axis=1)
    nearest = int(np.argmin(distance))
    if tie.radius is not None:
        nodes = np.flatnonzero(distance <= tie.radius)
        if nodes.size == 0:
            raise UsageError(
                f"frame {name!r} at {position.tolist()} has no node within {tie.radius:g} m; "
                + _nearest(points, nearest, distance)
            )
        return nodes, position
    tolerance = 1e-6 * extent(points) if tie.tolerance is None else tie.tolerance
    if distance[nearest] > tolerance:
        raise UsageError(
            f"frame {name!r} at {position.tolist()} is off the body: {_nearest(points, nearest, distance)} "
            f"(tolerance {tolerance:.3g} m). Mesh a node there, tie it with radius= or nodes=, or raise tolerance= "
            f"(in a description, beside `modes:`, for instance ties: {{radius: {1.05e3 * distance[nearest]:.3g} mm}})"
        )
    return np.array([nearest]), position


def _nearest(points: np.ndarray, node: int, distance: np.ndarray) -> str:
    return f"the nearest node is {node} at {points[node].tolist()}, {distance[node]:.3g} m away"


def _point(name: str, place: Sequence[float] | np.ndarray) -> np.ndarray:
    position = np.asarray(np.real(place), dtype=float)
    if position.shape != (3,) or not np.isfinite(position).all():
        raise UsageError(f"frame {name!r}: position must be three finite numbers (m, body axes), not {place}")
    return position


def _span(points: np.ndarray) -> int:
    """Dimensions the points span: 0 one place, 1 a line, 2 a plane."""
    s = np.linalg.svd(points - points.mean(axis=0), compute_uv=False)
    return int(np.sum(s > 1e-9 * max(1e-30, s[0]))) if len(points) > 1 and s[0] > 0.0 else 0


COMPONENTS = ("x", "y", "z", "rx", "ry", "rz")


@dataclass(frozen=True)
class Freedom:
    """A freedom by what it moves: a component (x y z rx ry rz) of a node (index) or a frame (name); or a name of its own."""

    of: int | str
    component: str = ""

    @property
    def label(self) -> str:
        """`node 3.x`, `tip.rz`, `freedom 7`."""
        owner = f"node {self.of}" if isinstance(self.of, int) else self.of
        return f"{owner}.{self.component}" if self.component else owner


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
    freedoms: tuple[Freedom, ...]

    def label(self, freedom: int) -> str:
        """The name of one of the freedoms."""
        return self.freedoms[freedom].label

    def frame(self, name: str) -> FrameTie:
        """A frame by name, or an error that lists them."""
        if name not in self.frames:
            raise UsageError(f"no frame {name!r} is tied to this body; there are: {', '.join(self.frames) or 'none'}")
        return self.frames[name]


def tie_frames(elements: FiniteElements, frames: Mapping[str, NodeTie]) -> TiedElements:
    """The same body with frames rigidly on their nodes; ties that do not fit are errors that name the frame."""
    places = {name: tied_nodes(elements, name, frame) for name, frame in frames.items()}
    _refuse_shared_nodes(elements.nodes, places)
    rows = {name: _rows(elements, nodes, position) for name, (nodes, position) in places.items()}
    d = order(elements.K)
    groups = _groups({name: np.unique(A.indices) for name, (A, _) in rows.items()})
    taken = np.unique(np.concatenate([[], *(columns for _, columns in groups)])).astype(int)
    free = np.setdiff1d(np.arange(d), taken)
    known = _known_freedoms(elements)
    entries = [(free, np.arange(len(free)), np.ones(len(free)))]
    freedoms = [known.get(j, Freedom(f"freedom {j}")) for j in free.tolist()]
    blocks, width = [], len(free)
    for names, columns in groups:
        x, q, extra = _solve([rows[name] for name in names], columns)
        i, j = np.nonzero(x)
        entries.append((columns[i], width + j, x[i, j]))
        freedoms += [Freedom(f"inner {names[0]}.{k}") for k in range(extra)]
        blocks.append((names, q, width, extra))
        width += x.shape[1]
    i, j, values = (np.concatenate(part) for part in zip(*entries, strict=True))
    T = csr_array(coo_array((values, (i, j)), shape=(d, width)))
    tied: dict[str, FrameTie] = {}
    for names, q, start, extra in blocks:
        owners = _owners(q[:, extra:])
        freedoms += [Freedom(names[k // 6], COMPONENTS[k % 6]) for k in owners]
        for k, name in enumerate(names):
            motion = np.zeros((6, width), dtype=q.dtype)
            motion[:, start : start + q.shape[1]] = q[6 * k : 6 * k + 6]
            mine = [c for c, owner in enumerate(owners) if owner // 6 == k]
            nodes, position = places[name]
            tied[name] = FrameTie(
                position,
                frame_axes(name, frames[name].rotation),
                nodes,
                csr_array(motion),
                start + extra + np.array(mine, dtype=int),
                tuple(COMPONENTS[owners[c] % 6] for c in mine),
            )
    return TiedElements(in_freedoms(elements, T), T, {name: tied[name] for name in frames}, tuple(freedoms))


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
    B = rigid_displacements(elements.nodes[nodes] - position)
    if elements.rotation is None:
        return _without_zeros(elements.translation[pick]), B
    turns = np.tile(np.eye(6)[3:], (len(nodes), 1))
    A = stack_rows(elements.translation[pick], elements.rotation[pick])
    return _without_zeros(A), np.concatenate([B, turns])


def _without_zeros(A: csr_array) -> csr_array:
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


def _solve(rows: list[tuple[csr_array, np.ndarray]], columns: np.ndarray) -> tuple[np.ndarray, np.ndarray, int]:
    """(freedoms (c, p), frames' motions (6 f, p), how many leading coordinates move no frame) of the ties' solutions."""
    A = stack_rows(*(a[:, columns] for a, _ in rows))
    B = np.zeros((order(A), 6 * len(rows)), dtype=np.result_type(*(b for _, b in rows)))
    start = 0
    for k, (_, b) in enumerate(rows):
        B[start : start + len(b), 6 * k : 6 * k + 6] = b
        start += len(b)
    count = np.diff(A.indptr)
    if count.max(initial=0) <= 1 and len(np.unique(A.indices)) == A.nnz:  # every node freedom is a freedom of its own
        held = B[count == 0]
        q = null_space(held, rcond=1e-9) if len(held) else np.eye(B.shape[1])
        q = _with_own_coordinates(q)
        x = np.zeros((len(columns), q.shape[1]), dtype=np.result_type(A, B, q))
        x[A.indices] = (B[count == 1] @ q) / A.data[:, None]
        return x, q, 0
    N = null_space(np.concatenate([A.toarray(), -B], axis=1), rcond=1e-9)
    _, s, Vt = svd(real_part(N[len(columns) :]))
    rank = int(np.sum(s > 1e-9))
    N = N @ np.roll(Vt.T, -rank, axis=1)
    extra = N.shape[1] - rank
    N[:, extra:] = _with_own_coordinates(N[:, extra:], len(columns))
    if has_slopes(N):  # those that move no frame do so in other designs too
        owners = len(columns) + np.array(_owners(N[len(columns) :, extra:]), dtype=int)
        N[:, :extra] -= N[:, extra:] @ N[owners, :extra]
    return N[: len(columns)], N[len(columns) :], extra


def _with_own_coordinates(N: np.ndarray, start: int = 0) -> np.ndarray:
    """The same span with as many rows (from `start`) as columns being a unit matrix: those are the coordinates."""
    p = N.shape[1]
    pivots = most_telling_rows(real_part(N[start:]))
    N = np.linalg.solve(N[start:][pivots].T, N.T).T
    N[np.abs(N) < 1e-13 * np.abs(N).max(initial=0.0)] = 0.0
    N[start + pivots] = np.eye(p)
    return N


def _owners(q: np.ndarray) -> list[int]:
    """Which row of q each column is the coordinate of."""
    return [int(np.flatnonzero((q == unit).all(axis=1))[0]) for unit in np.eye(q.shape[1])]


def _known_freedoms(elements: FiniteElements) -> dict[int, Freedom]:
    """Those that are one displacement or rotation of a node alone."""
    known: dict[int, Freedom] = {}
    for operator, names in ((elements.translation, COMPONENTS[:3]), (elements.rotation, COMPONENTS[3:])):
        if operator is not None:
            columns = csc_array(operator)
            single = np.flatnonzero(np.diff(columns.indptr) == 1)
            for j in single[columns.data[columns.indptr[single]] == 1.0].tolist():
                node, component = divmod(int(columns.indices[columns.indptr[j]]), 3)
                known[j] = Freedom(node, names[component])
    return known
