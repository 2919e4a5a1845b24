"""Shape functions of tetrahedra and hexahedra, linear and quadratic, and their points of integration; nodes in VTK's order.

Reference cells: tetrahedron x, y, z >= 0, x + y + z <= 1; hexahedron 0 … 1 along each axis.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial import KDTree
from scipy.special import roots_jacobi

from gough.errors import UsageError
from gough.fem._geometry import gauss_on_unit, rigid_displacements

_TET = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], dtype=float)
_TET_EDGES = ((0, 1), (1, 2), (0, 2), (0, 3), (1, 3), (2, 3))
_TET_FACES = ((0, 1, 2), (0, 1, 3), (1, 2, 3), (0, 2, 3))
_HEX = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]], dtype=float)
_HEX_EDGES = ((0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4), (0, 4), (1, 5), (2, 6), (3, 7))
_HEX_FACES = ((0, 3, 7, 4), (1, 2, 6, 5), (0, 1, 5, 4), (3, 2, 6, 7), (0, 1, 2, 3), (4, 5, 6, 7))


@dataclass(frozen=True)
class CellKind:
    """A kind of cell: its corners' number, the corners each further node lies between, its faces by corners."""

    name: str
    corners: int
    between: tuple[tuple[int, ...], ...]
    faces: tuple[tuple[int, ...], ...]
    degree: int

    @property
    def nodes(self) -> np.ndarray:
        """Places (k, 3) in the reference cell."""
        corner = _TET if self.corners == 4 else _HEX
        return np.array([*corner, *(corner[list(b)].mean(axis=0) for b in self.between)])


KINDS = {
    4: CellKind("tetrahedron of 4 nodes", 4, (), _TET_FACES, 1),
    10: CellKind("tetrahedron of 10 nodes", 4, _TET_EDGES, _TET_FACES, 2),
    8: CellKind("hexahedron of 8 nodes", 8, (), _HEX_FACES, 1),
    20: CellKind("hexahedron of 20 nodes", 8, _HEX_EDGES, _HEX_FACES, 2),
    27: CellKind("hexahedron of 27 nodes", 8, (*_HEX_EDGES, *_HEX_FACES, tuple(range(8))), _HEX_FACES, 2),
}


@cache
def _monomials(count: int) -> np.ndarray:
    """Exponents (k, 3) that span the shape functions of the cell with `count` nodes."""
    degree = KINDS[count].degree
    grid = np.array(np.meshgrid(*[np.arange(3)] * 3, indexing="ij")).reshape(3, -1).T
    if KINDS[count].corners == 4:
        return grid[grid.sum(axis=1) <= degree]
    grid = grid[grid.max(axis=1) <= degree]
    # Serendipity: at most one square, and quadratics times what is linear in the others.
    return grid if count != 20 else grid[np.sum(grid == 2, axis=1) <= 1]


def shapes(count: int, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Values (q, k) and gradients (q, k, 3) in the reference cell at points (q, 3)."""
    exponents = _monomials(count)

    def powers(x: np.ndarray) -> np.ndarray:
        return np.prod(x[:, None] ** exponents, axis=-1)

    coefficients = np.linalg.inv(powers(KINDS[count].nodes))
    gradient = []
    for axis in range(3):
        lower = exponents.copy()
        lower[:, axis] = np.maximum(lower[:, axis] - 1, 0)
        gradient.append(exponents[:, axis] * np.prod(points[:, None] ** lower, axis=-1) @ coefficients)
    return powers(points) @ coefficients, np.stack(gradient, axis=-1)


def quadrature(count: int, shape_degree: int) -> tuple[np.ndarray, np.ndarray]:
    """Points (q, 3) and positive weights (q,) that integrate products of two shapes times the volume's change exactly.

    shape_degree 0: cells that are affine images of the reference; 1: hexahedra with straight edges; 2: curved cells.
    """
    kind = KINDS[count]
    if kind.corners == 4 and shape_degree == 2:
        return _tetrahedron_rule(4)  # degree 4 of the shapes, 3 of the volume
    if kind.corners == 4:
        from skfem.quadrature import get_quadrature
        from skfem.refdom import RefTet

        # scikit-fem 12's rule named 5 has degree 4, which is just enough for two quadratics.
        points, weights = get_quadrature(RefTet, {1: 2, 2: 5}[kind.degree])
        return points.T, weights
    # A point rule of n takes degree 2 n - 1 an axis: 2 a shape twice, and 0, 2 or 5 from the volume.
    n = kind.degree + 1 + (0, 1, 2)[shape_degree]
    x, w = gauss_on_unit(n)
    points = np.array(np.meshgrid(x, x, x, indexing="ij")).reshape(3, -1).T
    return points, np.einsum("i,j,k->ijk", w, w, w).ravel()


def _tetrahedron_rule(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Rule of n³ points and degree 2 n - 1 on the tetrahedron: a cube's, with one face drawn to an edge and one to a point."""
    (u, a), (v, b), (w, c) = (roots_jacobi(n, alpha, 0) for alpha in (2, 1, 0))
    u, v, w = np.meshgrid((1 + u) / 2, (1 + v) / 2, (1 + w) / 2, indexing="ij")
    weights = np.einsum("i,j,k->ijk", a / 8, b / 4, c / 2)
    return np.stack([u, v * (1 - u), w * (1 - u) * (1 - v)], axis=-1).reshape(-1, 3), weights.ravel()


# What a mesh of solid cells must be: cells right way round, with volume, holding together.

PARTS = ((0, 1, 2, 6), (0, 2, 3, 6), (0, 3, 7, 6), (0, 7, 4, 6), (0, 4, 5, 6), (0, 5, 1, 6))
"""Tetrahedra about the diagonal of a hexahedron."""
MARGIN = 1e-3
"""How far inside a cell, relative to it, the middle of another must lie for the two to overlap."""
LOOKED_AT_ONCE = 2000
"""Cells whose neighbours are looked at together: bounds the memory."""


def _numbers(numbers: np.ndarray | Sequence[int], most: int = 8) -> str:
    """ "3, 17, 20 … (42 in all)"."""
    listed = ", ".join(str(int(i)) for i in numbers[:most])
    return listed if len(numbers) <= most else f"{listed} … ({len(numbers)} in all)"


def node_array(nodes: object) -> np.ndarray:
    """(n, 3) finite."""
    out = np.array(nodes, dtype=float)
    if out.ndim != 2 or out.shape[1:] != (3,) or not np.all(np.isfinite(out)):
        raise UsageError(f"solid: nodes must be finite numbers (n, 3) in m, got an array of shape {out.shape}")
    return out


def cell_blocks(cells: Any, nodes: np.ndarray) -> list[np.ndarray]:
    """Blocks (c, k) of node numbers, k one of the known kinds; every node used."""
    several = not isinstance(cells, np.ndarray) and len(cells) > 0 and isinstance(cells[0], np.ndarray)
    blocks = [np.array(block) for block in (cells if several else [cells])]
    blocks = [block for block in blocks if block.size]
    for block in blocks:
        if block.ndim != 2 or block.shape[1] not in KINDS or block.dtype.kind not in "iu":
            kinds = ", ".join(kind.name for kind in KINDS.values())
            raise UsageError(
                f"solid: cells must be whole numbers (c, k), got {block.dtype} {block.shape}; known: {kinds}"
            )
    blocks = [block.astype(np.int64) for block in blocks]
    if not blocks:
        raise UsageError("solid: the mesh has no cells")
    used = np.unique(np.concatenate([block.ravel() for block in blocks]))
    if used[0] < 0 or used[-1] >= len(nodes):
        wrong = used[0] if used[0] < 0 else used[-1]
        raise UsageError(f"solid: a cell names node {wrong}; nodes are numbered 0 … {len(nodes) - 1}")
    if len(used) < len(nodes):
        lost = np.setdiff1d(np.arange(len(nodes)), used)
        raise UsageError(f"solid: nodes {_numbers(lost)} belong to no cell; leave them out")
    return blocks


def refuse_bad_cells(block: np.ndarray, nodes: np.ndarray, first: int) -> None:
    """Cells (c, k) that are degenerate, inverted, folded, or numbered in another order; named from `first` on."""
    kind = KINDS[block.shape[1]]
    ordered = np.sort(block, axis=1)
    repeated = np.flatnonzero(np.any(ordered[:, 1:] == ordered[:, :-1], axis=1))
    if len(repeated):
        raise UsageError(
            f"solid: cells {_numbers(first + repeated)} name a node twice (degenerate); split them into tetrahedra"
        )
    place = nodes[block]
    longest = np.max(np.linalg.norm(place[:, : kind.corners] - place[:, :1], axis=-1), axis=1)
    _refuse_order(kind.between, place, kind.corners, first)
    _, gradient = shapes(block.shape[1], kind.nodes)
    volume = np.linalg.det(np.einsum("cki,qkj->cqij", place, gradient))
    full = 1.0 if kind.corners == 8 else 1 / 6
    flat = np.flatnonzero(np.abs(volume).max(axis=1) * full <= 1e-9 * longest**3)
    if len(flat):
        raise UsageError(
            f"solid: cells {_numbers(first + flat)} are degenerate (no volume); remesh, or merge their nodes"
        )
    inverted = np.flatnonzero(np.all(volume < 0, axis=1))
    if len(inverted):
        raise UsageError(
            f"solid: cells {_numbers(first + inverted)} are inverted: their nodes run the wrong way round; swap two corners, or "
            "see that the axes are right-handed"
        )
    folded = np.flatnonzero(np.any(volume <= 1e-12 * longest[:, None] ** 3, axis=1))
    if len(folded):
        raise UsageError(
            f"solid: cells {_numbers(first + folded)} are folded over (volume <= 0 at a node); remesh there"
        )


def _refuse_order(between: tuple[tuple[int, ...], ...], place: np.ndarray, corners: int, first: int) -> None:
    """Each further node must be nearer to the middle of its own corners than to that of others."""
    if not between:
        return
    middle = np.stack([place[:, list(b)].mean(axis=1) for b in between], axis=1)
    distance = np.linalg.norm(place[:, corners:, None] - middle[:, None], axis=-1)
    wrong = np.flatnonzero(np.any(np.argmin(distance, axis=2) != np.arange(len(between)), axis=1))
    if len(wrong):
        raise UsageError(
            f"solid: in cells {_numbers(first + wrong)} a mid-side node lies nearer to another side: nodes must be in VTK's "
            "order (corners, then the middles of edges, faces, cell)"
        )


def refuse_loose_pieces(blocks: list[np.ndarray], nodes: np.ndarray) -> None:
    """Pieces that share no faces must still hold each other: no rigid motion but the six of the whole."""
    piece = _pieces_by_faces(blocks)
    count = int(piece.max()) + 1
    if count == 1:
        return
    cell = np.repeat(np.arange(len(piece)), np.concatenate([np.full(len(b), b.shape[1]) for b in blocks]))
    pairs = np.unique(np.column_stack([np.concatenate([b.ravel() for b in blocks]), piece[cell]]), axis=0)
    shared = np.flatnonzero(pairs[1:, 0] == pairs[:-1, 0])  # consecutive rows: one node in two pieces
    sizes = np.bincount(piece)
    smallest = np.flatnonzero(piece == np.argmin(sizes))
    free = 6 * count
    if len(shared) and count <= 300:
        centre, scale = nodes.mean(axis=0), np.max(np.ptp(nodes, axis=0))
        rows = np.zeros((len(shared), 3, count, 6))
        for sign, at in ((1.0, shared), (-1.0, shared + 1)):
            moved = rigid_displacements((nodes[pairs[at, 0]] - centre) / scale).reshape(-1, 3, 6)
            rows[np.arange(len(at)), :, pairs[at, 1]] = sign * moved
        free -= int(np.linalg.matrix_rank(rows.reshape(-1, 6 * count), tol=1e-8))
    if free > 6:
        how = (
            f"that meet in {len(shared)} nodes only, as hinges" if len(shared) else "with no common node (disconnected)"
        )
        raise UsageError(
            f"solid: the mesh falls into {count} pieces {how}; the smallest is cells {_numbers(smallest)}. If they should be one "
            "body, merge coincident nodes; else give one piece"
        )


def repeated_cells(block: np.ndarray) -> np.ndarray:
    """Numbers of cells (c, k) that have the nodes of one before them."""
    _, first = np.unique(np.sort(block, axis=1), axis=0, return_index=True)
    return np.setdiff1d(np.arange(len(block)), first)


def refuse_overlaps(blocks: list[np.ndarray], nodes: np.ndarray) -> None:
    """Cells that fill the same space, so that mass and stiffness would count twice: the middle of one lies in another."""
    corners = [nodes[block[:, : KINDS[block.shape[1]].corners]] for block in blocks]
    middle = np.concatenate([c.mean(axis=1) for c in corners])
    tree, first, pairs = KDTree(middle), 0, []
    for place in corners:
        own = middle[first : first + len(place)]
        reach = np.linalg.norm(place - own[:, None], axis=2).max(axis=1)
        for part in np.array_split(np.arange(len(place)), len(place) // LOOKED_AT_ONCE + 1):
            near = tree.query_ball_point(own[part], reach[part])
            cell = np.repeat(part, [len(n) for n in near])
            other = np.concatenate([np.asarray(n, dtype=int) for n in near])
            cell, other = cell[other != first + cell], other[other != first + cell]
            inside = _inside(place[cell], middle[other])
            pairs.append(np.column_stack([first + cell, other])[inside])
        first += len(place)
    found = np.concatenate(pairs)
    if len(found):
        a, b = np.sort(found[0])
        where = ", ".join(f"{x:.4g}" for x in middle[found[0, 1]])
        count = len(np.unique(found))
        raise UsageError(
            f"solid: cells {a} and {b} fill the same space at [{where}] m ({count} cells overlap others): their mass and "
            "stiffness would count twice. Write each volume once: one kind of cells, no overlapping groups"
        )


def _inside(place: np.ndarray, point: np.ndarray) -> np.ndarray:
    """Whether points (p, 3) lie well inside the tetrahedra or hexahedra with corners (p, 4 or 8, 3)."""
    out = np.zeros(len(place), dtype=bool)
    middle = place.mean(axis=1)
    point = middle + (point - middle) / (1.0 - MARGIN)
    for corners in ((0, 1, 2, 3),) if place.shape[1] == 4 else PARTS:
        start = place[:, corners[0]]
        edges = np.stack([place[:, c] - start for c in corners[1:]], axis=2)
        flat = np.abs(np.linalg.det(edges)) <= 1e-12 * np.abs(edges).max(axis=(1, 2), initial=0.0) ** 3
        edges[flat] = np.eye(3)
        share = np.linalg.solve(edges, (point - start)[:, :, None])[:, :, 0]
        out |= ~flat & (share.min(axis=1) > -1e-9) & (share.sum(axis=1) < 1.0 + 1e-9)
    return out


def _pieces_by_faces(blocks: list[np.ndarray]) -> np.ndarray:
    """Number (c,) of the piece each cell is in; cells of a piece are joined by whole faces."""
    faces, owners, first = [], [], 0
    for block in blocks:
        for face in KINDS[block.shape[1]].faces:
            corners = np.sort(block[:, list(face)], axis=1)
            faces.append(np.pad(corners, ((0, 0), (0, 4 - corners.shape[1])), constant_values=-1))
            owners.append(first + np.arange(len(block)))
        first += len(block)
    owner = np.concatenate(owners)
    _, which = np.unique(np.concatenate(faces), axis=0, return_inverse=True)
    order = np.argsort(which.ravel(), kind="stable")
    same = which.ravel()[order][1:] == which.ravel()[order][:-1]
    a, b = owner[order][:-1][same], owner[order][1:][same]
    graph = coo_array((np.ones(len(a)), (a, b)), shape=(first, first))
    return connected_components(graph, directed=False)[1]
