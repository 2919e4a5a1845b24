"""Writes the small Nastran files in `files/` with pyNastran's own writers; run where pyNastran is installed.

The body is the crooked frame of `reduction_bodies` with its mass lumped at the grids: the matrices go into DMIG cards (small and
large fields) and into an .op4, the modes of the free body into an .op2.
"""

from pathlib import Path

import numpy as np
from scipy.linalg import eigh
from scipy.sparse import coo_matrix

from fem.reduction_bodies import lumped_frame
from gough.fem.files.nastran._bulk import pynastran

FILES = Path(__file__).parent
GRIDS = (11, 12, 13, 24, 25, 36)
TURN = np.array(
    [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
)  # displacement axes of grid 24, columns in basic axes


def model():
    """The bulk data: grids, one with displacement axes of its own, and point masses with inertia."""
    body, masses, inertias = lumped_frame()
    bdf = pynastran("pyNastran.bdf.bdf").BDF(debug=None)
    bdf.add_cord2r(7, origin=(0.0, 0.0, 0.0), zaxis=(0.0, 0.0, 1.0), xzplane=TURN[:, 0])
    for grid, place in zip(GRIDS, body.nodes, strict=True):
        bdf.add_grid(grid, place, cd=7 if grid == 24 else 0)
    for k, grid in enumerate(GRIDS):
        xx, yy, zz = np.diag(inertias[k])
        bdf.add_conm2(100 + k, grid, masses[k], I=(xx, 0.0, yy, 0.0, 0.0, zz))
    return bdf, body


def in_grid_axes(body):
    """K and M in the displacement axes of the grids, as Nastran has them."""
    R = np.eye(36)
    R[18:21, 18:21] = R[21:24, 21:24] = TURN
    return R.T @ body.K.toarray() @ R, R.T @ body.M.toarray() @ R


def write_dmig(name, size, K, M):
    rows = [(grid, c) for grid in GRIDS for c in range(1, 7)]
    bdf = pynastran("pyNastran.bdf.bdf").BDF(debug=None)
    with open(FILES / f"{name}.pch", "w") as file:
        for matrix, A in (("KAAX", K), ("MAAX", M)):
            i, j = np.nonzero(np.tril(A))
            by_column = np.lexsort((i, j))
            i, j = i[by_column], j[by_column]
            card = bdf.add_dmig(
                matrix, 6, size // 8, 0, 0, 36, [rows[c] for c in j], [rows[r] for r in i], A[i, j].tolist(), []
            )
            file.write(card.write_card(size=size, is_double=size == 16))


def write_op4(K, M):
    writer = pynastran("pyNastran.op4.op4").OP4(debug=None)
    matrices = {"KAA": (6, coo_matrix(K)), "MAA": (6, coo_matrix(M))}
    writer.write_op4(str(FILES / "frame.op4"), matrices, is_binary=False, precision="double")
    lines = [f"{grid} {c}" for grid in GRIDS for c in range(1, 7)]
    (FILES / "frame_freedoms.txt").write_text("# grid component\n" + "\n".join(lines) + "\n")


def write_op2(K, M):
    """Free modes 1…12, the first six rigid, single precision as Nastran writes them."""
    values, shapes = eigh(K, M)
    values = np.where(np.abs(values) < 1e-3, 0.0, values)[:12]
    data = shapes[:, :12].T.reshape(12, 6, 6).astype("float32")
    tables = pynastran("pyNastran.op2.tables.oug.oug_eigenvectors")
    op2 = pynastran("pyNastran.op2.op2").OP2(debug=None)
    op2.set_as_msc()
    op2.date = (1, 2, 2024)
    grids = np.array([[g, 1] for g in GRIDS], dtype="int32")
    cycles = np.sqrt(np.abs(values)) / (2 * np.pi)
    op2.eigenvectors[1] = tables.RealEigenvectorArray.add_modal_case(
        "OUGV1", grids, data, 1, np.arange(1, 13), values, cycles, is_sort1=True, is_msc=True
    )
    op2.eigenvectors[1].table_code = 7  # eigenvectors; a table of that name is taken for displacements otherwise
    op2.write_op2(str(FILES / "frame.op2"), post=-1, endian=b"<", nastran_format="msc")


if __name__ == "__main__":
    FILES.mkdir(exist_ok=True)
    bulk, frame = model()
    K, M = in_grid_axes(frame)
    bulk.write_bdf(str(FILES / "frame.bdf"), size=16, is_double=True)
    write_dmig("frame_8", 8, frame.K.toarray(), frame.M.toarray())
    write_dmig("frame_16", 16, frame.K.toarray(), frame.M.toarray())
    write_dmig("frame_turned", 16, K, M)
    write_op4(K, M)
    write_op2(K, M)
