"""Solids cut into tetrahedra and hexahedra, linear or quadratic: three displacements a node."""

from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_array, eye_array, vstack

from gough.fem._elements import FiniteElements, mass_matrix
from gough.fem._material import Material
from gough.fem._memory import demand
from gough.fem._sparse import on_each_axis, rows_of_blocks, sum_of_blocks
from gough.fem.solids.cells import (
    KINDS,
    cell_blocks,
    node_array,
    quadrature,
    refuse_bad_cells,
    refuse_loose_pieces,
    refuse_overlaps,
    shapes,
)

BYTES = {4: 6e3, 8: 2.2e4, 10: 5e4, 20: 2.4e5, 27: 4.6e5}
"""Memory a cell takes while matrices are made, by its number of nodes; measured."""
AT_ONCE = 4000
"""Cells integrated together: bounds the memory."""


def solid_elements(
    nodes: np.ndarray | Sequence[Sequence[float]],
    cells: np.ndarray | Sequence[np.ndarray],
    material: Material,
) -> FiniteElements:
    """Finite elements of a solid: nodes (n, 3) in m, cells (c, k) of node numbers from 0, or several such blocks.

    k tells the kind: 4 or 10 tetrahedra, 8, 20 or 27 hexahedra, nodes in VTK's order. Freedoms are x, y, z of every node.
    Linear cells are too stiff in bending; take quadratic ones, or many.
    """
    place = node_array(nodes)
    blocks = cell_blocks(cells, place)
    demand(
        sum(BYTES[block.shape[1]] * len(block) for block in blocks),
        f"solid: {sum(map(len, blocks))} cells and {len(place)} nodes",
        "take a coarser mesh (a few quadratic cells across are enough), or reduce it in another program",
    )
    first = 0
    for block in blocks:
        refuse_bad_cells(block, place, first)
        first += len(block)
    refuse_overlaps(blocks, place)
    refuse_loose_pieces(blocks, place)

    size = 3 * len(place)
    stiffness = csr_array((size, size))
    masses, positions, fields = [], [], []
    pieces = [part for block in blocks for part in np.array_split(block, len(block) // AT_ONCE + 1)]
    for block in pieces:
        points, weights, values, gradients = _at_points(place, block)
        freedoms = (3 * block[:, :, None] + np.arange(3)).reshape(len(block), -1)
        stiffness = stiffness + sum_of_blocks(_stiffness(gradients, weights, material), freedoms, size)
        c, q = weights.shape
        masses.append(material.density * weights.ravel())
        positions.append(points.reshape(-1, 3))
        scalar = rows_of_blocks(np.tile(values, (c, 1))[:, None], np.repeat(block, q, axis=0), len(place))
        fields.append(on_each_axis(scalar))
    mass, field = np.concatenate(masses), csr_array(vstack(fields))
    kinds = {block.shape[1] for block in blocks}
    corners = blocks if len(kinds) == 1 else [block[:, : KINDS[block.shape[1]].corners] for block in blocks]
    return FiniteElements(
        nodes=place,
        K=csr_array(stiffness),
        M=mass_matrix(mass, field),
        translation=csr_array(eye_array(size)),
        rotation=None,
        mass=mass,
        position=np.concatenate(positions),
        field=field,
        cells=_pad_rows(corners),
    )


def _at_points(nodes: np.ndarray, block: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Points (c, q, 3), weights (c, q) in m³, shapes (q, k), gradients (c, q, k, 3) in 1/m."""
    place, count = nodes[block], block.shape[1]
    local, weight = quadrature(count, _shape_degree(place, count))
    values, reference = shapes(count, local)
    jacobian = np.einsum("cki,qkj->cqij", place, reference)
    gradients = np.einsum("qkj,cqji->cqki", reference, np.linalg.inv(jacobian))
    return np.einsum("qk,cki->cqi", values, place), np.linalg.det(jacobian) * weight, values, gradients


def _shape_degree(place: np.ndarray, count: int) -> int:
    """0: every cell is an affine image of the reference, 1: edges straight, 2: curved."""
    kind = KINDS[count]
    size = np.max(np.ptp(place.reshape(-1, 3), axis=0))
    straight, _ = shapes(kind.corners, kind.nodes)
    if np.max(np.abs(np.einsum("kc,ncx->nkx", straight, place[:, : kind.corners]) - place)) > 1e-10 * size:
        return 2
    if kind.corners == 4:
        return 0
    affine, _ = shapes(4, kind.nodes[:8])
    corner = place[:, [0, 1, 3, 4]]
    return int(np.max(np.abs(np.einsum("kc,ncx->nkx", affine, corner) - place[:, :8])) > 1e-10 * size)


def _stiffness(gradients: np.ndarray, weights: np.ndarray, material: Material) -> np.ndarray:
    """∫ λ div u div v + 2 μ ε(u):ε(v) of each cell (c, 3 k, 3 k)."""
    shear = material.G
    lame = material.young * material.nu / ((1 + material.nu) * (1 - 2 * material.nu))
    c, q, k, _ = gradients.shape
    rows = (np.sqrt(weights)[..., None, None] * gradients).reshape(c, q, 3 * k)
    outer = (rows.transpose(0, 2, 1) @ rows).reshape(c, k, 3, k, 3)
    out = lame * outer + shear * outer.transpose(0, 1, 4, 3, 2)
    out[:, :, [0, 1, 2], :, [0, 1, 2]] += shear * np.einsum("ckala->ckl", outer)
    return out.reshape(c, 3 * k, 3 * k)


def _pad_rows(blocks: list[np.ndarray]) -> np.ndarray:
    """All cells in one array (c, k), short rows filled up with -1."""
    widest = max(block.shape[1] for block in blocks)
    return np.concatenate([np.pad(b, ((0, 0), (0, widest - b.shape[1])), constant_values=-1) for b in blocks])
