"""Superelements in files: rows of no node are modes; node sets of an Abaqus input hold frames. All formats give one body."""

from pathlib import Path

import numpy as np
import pytest
from scipy.io import mmwrite
from scipy.linalg import eigh
from scipy.sparse import coo_array, csr_array

from fem.test_couplings import frame, freedoms_of, superelement
from gough.errors import StructureError, UsageError
from gough.fem import (
    ClampedModes,
    FreeModes,
    Nodal,
    NodeTie,
    from_matrices,
    read_abaqus_matrices,
    read_matrix_market,
    read_nastran_dmig,
    reduce,
)
from gough.robot import loads
from inner.structure import elastic_bodies

MODES = 3
INTERFACES = np.array([0, 4])


@pytest.fixture(scope="module")
def condensed():
    """(K, M, nodes) of the crooked frame between its ends, with three modes."""
    elements = frame()
    K, M, _, _ = superelement(elements, INTERFACES, MODES)
    return K, M, elements.nodes[INTERFACES]


def written(folder: Path, nodes: np.ndarray) -> Path:
    path = folder / "nodes.txt"
    lines = [f"{k + 1} {x:.17g} {y:.17g} {z:.17g}" for k, (x, y, z) in enumerate(nodes)]
    path.write_text("\n".join(lines + OTHERS.get(folder.name, [])))
    return path


OTHERS: dict[str, list[str]] = {}
"""Lines of nodes without rows in the tables of a folder."""


def market(folder, K, M, nodes):
    for name, A in (("K", K), ("M", M)):
        mmwrite(folder / f"{name}.mtx", coo_array(A), precision=17)
    return folder / "K.mtx", folder / "M.mtx", written(folder, nodes)


def with_modal(folder, K, M, nodes):
    return read_matrix_market(*market(folder, K, M, nodes), modal=MODES)


def with_table(folder, K, M, nodes):
    rows = [f"{k // 6 + 1} {k % 6 + 1}" for k in range(12)] + ["0 0"] * MODES
    (folder / "freedoms.txt").write_text("\n".join(rows))
    return read_matrix_market(*market(folder, K, M, nodes), folder / "freedoms.txt")


def with_abaqus_labels(folder, K, M, nodes):
    def label(k):
        return f"{k // 6 + 1},{k % 6 + 1}" if k < 12 else f"{-(k - 11)},1"

    for name, A in (("K", K), ("M", M)):
        lines = [f"{label(i)},{label(j)},{A[i, j]:.17E}" for i in range(len(A)) for j in range(i + 1) if A[i, j]]
        (folder / f"{name}.mtx").write_text("\n".join(lines))
    return read_abaqus_matrices(folder / "K.mtx", folder / "M.mtx", written(folder, nodes))


def with_abaqus_rows(folder, K, M, nodes):
    for name, A in (("K", K), ("M", M)):
        lines = [f"{i + 1} {j + 1} {A[i, j]:.17E}" for i in range(len(A)) for j in range(i + 1) if A[i, j]]
        (folder / f"{name}.mtx").write_text("\n".join(lines))
    return read_abaqus_matrices(folder / "K.mtx", folder / "M.mtx", written(folder, nodes), modal=MODES)


def with_scalar_points(folder, K, M, nodes):
    def freedom(k):
        return (k // 6 + 1, k % 6 + 1) if k < 12 else (100 + k, 0)

    lines = []
    for name, A in (("KAAX", K), ("MAAX", M)):
        lines.append(f"DMIG,{name},0,6,2,0")
        for j in range(len(A)):
            for i in range(j, len(A)):
                if A[i, j]:
                    (g, c), (row, component) = freedom(j), freedom(i)
                    lines.append(f"DMIG,{name},{g},{c},,{row},{component},{A[i, j]:.15E}")
    (folder / "a.pch").write_text("\n".join(lines))
    return read_nastran_dmig(folder / "a.pch", written(folder, nodes))


@pytest.mark.parametrize("read", [with_modal, with_table, with_abaqus_labels, with_abaqus_rows, with_scalar_points])
def test_every_format_gives_the_same_body(read, condensed, tmp_path):
    """Frequencies of the clamped superelement by plain algebra; inertia of the elements it came from."""
    K, M, nodes = condensed
    body = reduce(
        read(tmp_path, K, M, nodes), ClampedModes("root", 4), {"root": NodeTie(nodes[0]), "tip": NodeTie(nodes[1])}
    )
    values = np.sort(np.linalg.eigvals(np.linalg.solve(M[6:, 6:], K[6:, 6:])).real)[:4]
    assert np.allclose(body.frequencies_hz, np.sqrt(values) / (2 * np.pi), rtol=1e-7)
    elements = frame()
    assert body.mass == pytest.approx(elements.mass.sum(), rel=1e-9)
    J = np.einsum("g,gab->ab", elements.mass, np.eye(3) * np.sum(elements.position**2, axis=1)[:, None, None]
                  - elements.position[:, :, None] * elements.position[:, None, :])  # fmt: skip
    assert np.allclose(body.J, J, atol=1e-9 * J.max())


@pytest.mark.parametrize("read", [with_table, with_abaqus_labels, with_scalar_points])
def test_nodes_without_rows_are_no_part_of_the_body(read, condensed, tmp_path, monkeypatch):
    """The whole model's nodes beside a superelement of two: mass, mass centre, inertia, momenta are those of the elements."""
    K, M, nodes = condensed
    elements = frame()
    others = np.delete(elements.nodes, INTERFACES, axis=0)
    lines = [f"{k + 90} {x:.17g} {y:.17g} {z:.17g}" for k, (x, y, z) in enumerate([*others, (9.0, -3.0, 2.0)])]
    monkeypatch.setitem(OTHERS, tmp_path.name, lines)
    found = read(tmp_path, K, M, nodes)
    assert found.nodes.tolist() == nodes.tolist() and found.labels.tolist() == [1, 2]
    body = reduce(found, Nodal("root"), {"root": NodeTie(nodes[0]), "tip": NodeTie(nodes[1])})
    m, x = elements.mass, elements.position
    assert body.mass == pytest.approx(m.sum(), rel=1e-9)
    assert pytest.approx(m @ x, rel=1e-9) == body.MS
    J = np.trace(np.einsum("g,ga,gb->ab", m, x, x)) * np.eye(3) - np.einsum("g,ga,gb->ab", m, x, x)
    assert pytest.approx(J, abs=1e-9 * J.max()) == body.J
    # weight in z: the sag of the tip by plain algebra of the whole model, clamped at its first node
    full, weight = (
        elements.K.toarray()[6:, 6:],
        elements.M.toarray() @ np.tile([0, 0, -9.81, 0, 0, 0], len(elements.nodes)),
    )
    sag = np.linalg.solve(full, weight[6:])[-6:-3]
    bent = np.linalg.solve(body.K, -9.81 * body.MSde[2])
    assert body.frames["tip"].translation @ bent == pytest.approx(sag, rel=1e-6, abs=1e-9 * np.abs(sag).max())


@pytest.mark.parametrize("lost", [(2, (3, 4, 5)), (2, (0, 3, 5)), (4, (2, 3)), (3, (0, 1, 2))])
def test_a_node_that_keeps_some_freedoms_only(lost):
    """Static condensation keeps rigid motion whatever is condensed: a node may keep any of its six rows."""
    elements = frame()
    node, components = lost
    table = freedoms_of(elements)
    gone = (table[:, 0] == node) & np.isin(table[:, 1], components)
    i, b = np.flatnonzero(gone), np.flatnonzero(~gone)
    K, M = elements.K.toarray(), elements.M.toarray()
    V = np.zeros((len(K), len(b)))
    V[b] = np.eye(len(b))
    V[i] = -np.linalg.solve(K[np.ix_(i, i)], K[np.ix_(i, b)])
    K, M = V.T @ K @ V, V.T @ M @ V
    given = from_matrices(csr_array(K), csr_array(M), elements.nodes, table[b])
    m, x = elements.mass, elements.position
    for choice in (ClampedModes("r", 4), FreeModes(4)):
        body = reduce(given, choice, {"r": NodeTie(elements.nodes[0])})
        assert body.mass == pytest.approx(m.sum(), rel=1e-9) and pytest.approx(m @ x, rel=1e-8) == body.MS
        J = np.trace(np.einsum("g,ga,gb->ab", m, x, x)) * np.eye(3) - np.einsum("g,ga,gb->ab", m, x, x)
        assert pytest.approx(J, abs=1e-8 * J.max()) == body.J
        k = 6 if isinstance(choice, ClampedModes) else 0
        values = eigh(K[k:, k:], M[k:, k:], eigvals_only=True)[6 - k : 10 - k]
        assert body.frequencies_hz == pytest.approx(np.sqrt(values) / (2 * np.pi), rel=1e-6)


def test_rows_that_nobody_names_are_asked_for(condensed, tmp_path):
    with pytest.raises(UsageError, match=r"15 rows for 2 nodes.*modal="):
        read_matrix_market(*market(tmp_path, *condensed))


ROBOT = """
format: 1
name: swing
bodies:
  - name: arm
    frames: {tip: {position: [0.7, 0.1, 0.3]}}
    flexible:
      matrices: {MATRICES}
      modes: {kind: craig_bampton, number: 2, interfaces: [tip]}
      REST
joints: [{name: motor, type: revolute, parent: world, child: arm, drive: {}}]
"""


def test_a_superelement_in_a_description(condensed, tmp_path):
    """Its nodes are all interfaces: the modes asked for are its own, so all of it is kept."""
    market(tmp_path, *condensed)
    files = (
        f"matrix_market: {{stiffness: {tmp_path}/K.mtx, mass: {tmp_path}/M.mtx, nodes: {tmp_path}/nodes.txt, modal: 3}}"
    )
    body = elastic_bodies(loads(ROBOT.replace("MATRICES", files).replace("REST", "")))["arm"]
    assert body.modes == 8 and body.labels[:2] == ("tip.x", "tip.y")


def test_node_sets_of_an_abaqus_input_hold_frames(tmp_path):
    from fem.files.test_formats import abaqus_files
    from fem.reduction_bodies import lumped_frame

    body, _, _ = lumped_frame()
    _, _, inp = abaqus_files(tmp_path, body, "labels")
    sets = "*Nset, nset=Far\n 6,\n*Nset, nset=root\n1\n*Nset, nset=some, generate\n1, 5, 2\n*Nset, nset=both\nfar, 2\n"
    inp.write_text(inp.read_text() + sets)
    elements = read_abaqus_matrices(tmp_path / "job_STIF1.mtx", tmp_path / "job_MASS1.mtx", inp)
    found = {name: members.tolist() for name, members in elements.node_sets.items()}
    assert found == {"all": [0, 1, 2, 3, 4, 5], "Far": [5], "root": [0], "some": [0, 2, 4], "both": [1, 5]}
    x, y, z = body.nodes[5]
    files = f"abaqus: {{stiffness: {tmp_path}/job_STIF1.mtx, mass: {tmp_path}/job_MASS1.mtx, nodes: {inp}}}"
    text = ROBOT.replace("MATRICES", files).replace("[0.7, 0.1, 0.3]", f"[{x}, {y}, {z + 0.01}]")
    held = elastic_bodies(loads(text.replace("REST", "ties: {at: {tip: {nodes: Far}, origin: {nodes: root}}}")))["arm"]
    assert held.modes == 8
    with pytest.raises(StructureError, match="no set of nodes 'near'; there are: all, Far, root, some, both"):
        elastic_bodies(loads(text.replace("REST", "ties: {at: {tip: {nodes: near}, origin: {nodes: root}}}")))
