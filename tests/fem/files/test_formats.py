"""Matrices and modes in the formats of other codes, against the body they were written from."""

import warnings
from pathlib import Path

import numpy as np
import pytest
from scipy.io import mmwrite
from scipy.linalg import eigh
from scipy.sparse import coo_array, csr_array

from fem.files.make_nastran_files import GRIDS
from fem.reduction_bodies import crooked_frame, lumped_frame, truss
from gough.errors import ModalDataWarning, UsageError
from gough.fem import (
    ClampedModes,
    FreeModes,
    NodeTie,
    UnitFactors,
    elastic_body_of_modes,
    from_matrices,
    read_abaqus_matrices,
    read_matrix_market,
    read_nastran_dmig,
    read_nastran_modes,
    read_nastran_op4,
    reduce,
)
from gough.fem.files.matrices import common_freedoms, symmetric_matrix
from gough.fem.files.nastran._bulk import pynastran
from gough.fem.files.nastran.matrices import read_dmig

FILES = Path(__file__).parent


def has_pynastran():
    try:
        pynastran("pyNastran.bdf.bdf")
    except UsageError:
        return False
    return True


needs_pynastran = pytest.mark.skipif(
    not has_pynastran(), reason="no release of pyNastran admits numpy 2; see files.nastran.bulk"
)


def node_table(path, nodes, labels=None):
    labels = range(1, len(nodes) + 1) if labels is None else labels
    path.write_text(
        "# label x y z\n" + "\n".join(f"{i}, {x}, {y}, {z}" for i, (x, y, z) in zip(labels, nodes, strict=True))
    )
    return path


def linear_solid():
    """A truss with a consistent mass matrix, as linear elements have: neighbours share mass, the same in x, y, z."""
    body = truss((4, 3, 2))
    n = len(body.nodes)
    near = np.linalg.norm(body.nodes[:, None] - body.nodes[None], axis=2) < 0.12
    S = np.where(near, 0.01, 0.0) + np.diag(np.linspace(0.1, 0.2, n))
    return body, S


def test_consistent_mass_of_a_solid_becomes_exact_points():
    """Integrals through the points against products with the mass matrix of one direction."""
    body, S = linear_solid()
    n = len(S)
    freedoms = np.stack([np.repeat(np.arange(n), 3), np.tile(np.arange(3), n)], axis=1)
    fem = from_matrices(body.K, csr_array(np.kron(S, np.eye(3))), body.nodes, freedoms)
    rng = np.random.default_rng(6)
    u, w = rng.standard_normal((2, n, 3))
    U, W = ((fem.field @ a.ravel()).reshape(-1, 3) for a in (u, w))
    assert fem.mass.sum() == pytest.approx(S.sum(), rel=1e-13)
    for a in range(3):
        assert fem.mass @ U[:, a] == pytest.approx(S.sum(axis=0) @ u[:, a], rel=1e-11)
        for b in range(3):
            assert fem.mass @ (U[:, a] * W[:, b]) == pytest.approx(u[:, a] @ S @ w[:, b], rel=1e-11, abs=1e-12)
            moment = fem.mass @ (fem.position[:, a] * U[:, b])
            assert moment == pytest.approx(body.nodes[:, a] @ S @ u[:, b], rel=1e-11, abs=1e-12)
            both = fem.mass @ (fem.position[:, a] * fem.position[:, b])
            assert both == pytest.approx(body.nodes[:, a] @ S @ body.nodes[:, b], rel=1e-11, abs=1e-12)


def test_matrix_market(tmp_path):
    body, S = linear_solid()
    mmwrite(tmp_path / "K.mtx", body.K, symmetry="symmetric")
    mmwrite(tmp_path / "M.mtx", coo_array(np.kron(S, np.eye(3))))
    fem = read_matrix_market(tmp_path / "K.mtx", tmp_path / "M.mtx", node_table(tmp_path / "nodes.txt", body.nodes))
    w = np.sqrt(np.abs(eigh(body.K.toarray(), np.kron(S, np.eye(3)), eigvals_only=True)))[6:11] / (2 * np.pi)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.allclose(reduce(fem, FreeModes(5)).frequencies_hz, w, rtol=1e-9)


def test_matrix_market_in_millimetres_and_tonnes_with_freedoms_in_any_order(tmp_path):
    body, masses, _ = lumped_frame()
    rng = np.random.default_rng(9)
    order = rng.permutation(36)
    scale = np.tile([1e3] * 3 + [1.0] * 3, 6)  # displacements in mm
    K, M = (A.toarray() / np.outer(scale, scale) * 1e3 for A in (body.K, body.M))  # energy in mJ = N mm
    for name, A in (("K", K), ("M", M)):
        mmwrite(tmp_path / f"{name}.mtx", coo_array(A[np.ix_(order, order)]))
    table = "\n".join(f"{10 + k // 6} {k % 6 + 1}" for k in order)
    (tmp_path / "freedoms.txt").write_text(table)
    nodes = node_table(tmp_path / "nodes.txt", 1e3 * body.nodes, range(10, 16))
    fem = read_matrix_market(
        tmp_path / "K.mtx", tmp_path / "M.mtx", nodes, tmp_path / "freedoms.txt", UnitFactors(1e-3, 1e3)
    )
    assert fem.mass.sum() == pytest.approx(masses.sum())
    exact = np.sqrt(np.abs(eigh(body.K.toarray(), body.M.toarray(), eigvals_only=True)))[6:10] / (2 * np.pi)
    assert np.allclose(reduce(fem, FreeModes(4)).frequencies_hz, exact, rtol=1e-8)


def abaqus_files(folder, body, kind, triangle=np.tril, held=()):
    """Files as *MATRIX OUTPUT writes them: MATRIX INPUT/LABELS or COORDINATE, one triangle, held freedoms with 1e36."""
    for name, A in (("STIF", body.K.toarray()), ("MASS", body.M.toarray())):
        if name == "STIF":
            A[held, held] = 1e36
        i, j = np.nonzero(triangle(A))
        if kind == "labels":
            lines = [
                f"{r // 6 + 1},{r % 6 + 1}, {c // 6 + 1},{c % 6 + 1},{A[r, c]: .15E}" for r, c in zip(i, j, strict=True)
            ]
        else:
            lines = [f"{r + 1:8d} {c + 1:8d} {A[r, c]: .15E}" for r, c in zip(i, j, strict=True)]
        (folder / f"job_{name}1.mtx").write_text("\n".join(lines) + "\n")
    nodes = "\n".join(f"{k + 1:6d}, {x}, {y}, {z}" for k, (x, y, z) in enumerate(body.nodes))
    (folder / "job.inp").write_text(f"*Heading\n** a frame\n*Node, nset=all\n{nodes}\n*Element, type=B33\n1, 1, 2\n")
    return folder / "job_STIF1.mtx", folder / "job_MASS1.mtx", folder / "job.inp"


@pytest.mark.parametrize("kind", ["labels", "coordinate"])
@pytest.mark.parametrize("triangle", [np.tril, np.triu, np.asarray])
def test_abaqus_matrices(kind, triangle, tmp_path):
    body, masses, _ = lumped_frame()
    fem = read_abaqus_matrices(*abaqus_files(tmp_path, body, kind, triangle))
    assert abs(fem.K - body.K).max() < 1e-12 * abs(body.K).max() and abs(fem.M - body.M).max() < 1e-12
    assert fem.mass.sum() == pytest.approx(masses.sum())


def test_freedoms_that_abaqus_holds_are_left_out(tmp_path):
    body, _, _ = lumped_frame()
    with pytest.warns(ModalDataWarning, match="6 freedoms are held"):
        fem = read_abaqus_matrices(*abaqus_files(tmp_path, body, "labels", held=range(6)))
    exact = np.sqrt(eigh(body.K.toarray()[6:, 6:], body.M.toarray()[6:, 6:], eigvals_only=True))[:3] / (2 * np.pi)
    assert np.allclose(reduce(fem, ClampedModes(None, 3)).frequencies_hz, exact, rtol=1e-9)


@pytest.mark.parametrize("name", ["STIF", "MASS"])
@pytest.mark.parametrize("lost", [1, 2, 3, 5, 9])
def test_matrices_that_were_cut_off_are_refused(name, lost, tmp_path):
    """Labelled lines say nothing of how many there are: what is left has a negative energy, or lacks freedoms."""
    body = crooked_frame()
    K, M, inp = abaqus_files(tmp_path, body, "labels", np.triu)
    path = tmp_path / f"job_{name}1.mtx"
    path.write_text("\n".join(path.read_text().splitlines()[:-lost]))
    with pytest.raises(UsageError, match=r"cut off|resists|costs no energy"):
        reduce(read_abaqus_matrices(K, M, inp), ClampedModes("r", 4), {"r": NodeTie(body.nodes[0])})


def dmig_nodes(tmp_path):
    return node_table(tmp_path / "grids.txt", crooked_frame().nodes, GRIDS)


@pytest.mark.parametrize(("size", "digits"), [(8, 1e-4), (16, 1e-9)])
def test_dmig_cards_in_a_punch_file(size, digits):
    """Small and large fields."""
    body, _, _ = lumped_frame()
    matrices = read_dmig(FILES / f"frame_{size}.pch")
    assert set(matrices) == {"KAAX", "MAAX"}
    K = matrices["KAAX"]
    freedoms, (entries,) = common_freedoms([K.entries], "")
    assert [tuple(f) for f in freedoms] == [(g, c) for g in GRIDS for c in range(1, 7)]
    matrix = symmetric_matrix(*entries, len(freedoms), K.half)
    assert np.allclose(matrix.toarray(), body.K.toarray(), atol=digits * abs(body.K).max())


def test_displacement_axes_that_a_table_cannot_know_are_noticed(tmp_path):
    """Grid 24 of this file has axes of its own: without the bulk data rigid motion would cost energy."""
    fem = read_nastran_dmig(FILES / "frame_turned.pch", dmig_nodes(tmp_path))
    with pytest.raises(UsageError, match="resists"):
        reduce(fem, FreeModes(4))


def test_dmig_with_a_table_of_nodes(tmp_path):
    body, masses, _ = lumped_frame()
    fem = read_nastran_dmig(FILES / "frame_16.pch", dmig_nodes(tmp_path))
    assert fem.mass.sum() == pytest.approx(masses.sum(), rel=1e-9)
    exact = np.sqrt(np.abs(eigh(body.K.toarray(), body.M.toarray(), eigvals_only=True)))[6:10] / (2 * np.pi)
    assert np.allclose(
        reduce(fem, FreeModes(4)).frequencies_hz, exact, rtol=1e-5
    )  # eleven digits, stiffest to softest 1e5


@pytest.mark.parametrize("word", ["1.5-3", "1.5D-3", "1.5E-3", ".0015", "+1.5-3"])
def test_nastrans_reals(word, tmp_path):
    (tmp_path / "a.pch").write_text(f"DMIG,A,0,6,1,0,,,2\nDMIG,A,1,1,,1,1,{word}\n")
    assert read_dmig(tmp_path / "a.pch")["A"].entries[0, 4] == pytest.approx(1.5e-3)


@needs_pynastran
def test_dmig_and_op4_with_bulk_data():
    body, _, _ = lumped_frame()
    for fem in (
        read_nastran_dmig(FILES / "frame_turned.pch", FILES / "frame.bdf"),
        read_nastran_op4(FILES / "frame.op4", FILES / "frame.bdf", FILES / "frame_freedoms.txt"),
    ):
        assert abs(fem.K - body.K).max() < 1e-9 * abs(body.K).max()  # turned back into basic axes
        assert abs(fem.M - body.M).max() < 1e-9


@needs_pynastran
def test_modes_of_bulk_data_and_op2():
    body, masses, inertias = lumped_frame()
    with pytest.warns(ModalDataWarning, match="6 rigid modes"):
        data = read_nastran_modes(FILES / "frame.bdf", FILES / "frame.op2")
    assert data.labels == tuple(f"mode {k}" for k in range(7, 13))
    assert np.allclose(data.masses, masses) and np.allclose(np.array(data.inertias), inertias)
    modal = elastic_body_of_modes(data)
    reduced = reduce(
        from_matrices(body.K, body.M, body.nodes, np.stack(np.divmod(np.arange(36), 6), axis=1)), FreeModes(6)
    )
    assert np.allclose(modal.frequencies_hz, reduced.frequencies_hz, rtol=1e-6)
    sign = np.sign(np.sum(modal.shapes * reduced.shapes, axis=(0, 1)))
    assert np.allclose(modal.shapes * sign, reduced.shapes, atol=1e-5)
    assert np.allclose(modal.J, reduced.J, rtol=1e-6, atol=1e-9)


@needs_pynastran
def test_files_pynastran_cannot_read_are_named(tmp_path):
    (tmp_path / "bad.op2").write_bytes(b"nothing")
    with pytest.raises(UsageError, match=r"bad\.op2 cannot be read"):
        read_nastran_modes(FILES / "frame.bdf", tmp_path / "bad.op2")
    with pytest.raises(UsageError, match="no such file"):
        read_nastran_modes(tmp_path / "none.bdf", tmp_path / "bad.op2")


def test_without_pynastran_the_error_says_what_to_do(monkeypatch):
    import sys

    for name in [m for m in sys.modules if m.split(".")[0] == "pyNastran"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pyNastran", None)
    with pytest.raises(UsageError, match="pip install --no-deps pyNastran"):
        read_nastran_modes(FILES / "frame.bdf", FILES / "frame.op2")


def broken(folder, name, text):
    (folder / name).write_text(text)
    return folder / name


def test_bad_files_are_refused(tmp_path):
    body, _, _ = lumped_frame()
    K, M, inp = abaqus_files(tmp_path, body, "labels")
    good = node_table(tmp_path / "n.txt", body.nodes)
    few = node_table(tmp_path / "few.txt", body.nodes[:3])
    cases = [
        (lambda: read_abaqus_matrices(K, M, few), "node 4 has no position"),
        (lambda: read_abaqus_matrices(broken(tmp_path, "a.mtx", "1,1,1\n1,2"), M, inp), "a.mtx:2"),
        (lambda: read_abaqus_matrices(broken(tmp_path, "b.mtx", "-1,1,-1,1,2.0"), M, inp), "internal"),
        (lambda: read_abaqus_matrices(broken(tmp_path, "c.mtx", "1 1 2.0"), M, inp), "different formats"),
        (lambda: read_abaqus_matrices(K, M, broken(tmp_path, "d.inp", "*Element\n1,2")), r"no \*NODE"),
        (lambda: read_abaqus_matrices(K, M, broken(tmp_path, "e.inp", "*Node\n1,0,0,0\n1,1,1,1")), "node 1 again"),
        (lambda: read_matrix_market(K, M, good), "MatrixMarket"),
        (lambda: read_matrix_market(tmp_path / "x.mtx", M, good), "x.mtx"),
        (lambda: read_dmig(broken(tmp_path, "f.pch", "GRID,1")), "no DMIG"),
        (lambda: read_dmig(broken(tmp_path, "g.pch", "DMIG,A,0,6,3,0")), "complex"),
        (lambda: read_nastran_dmig(FILES / "frame_16.pch", good, stiffness="KGG"), "has no DMIG matrix KGG"),
        (lambda: read_nastran_dmig(FILES / "frame_16.pch", good), "node 11 has no position"),
        (lambda: from_matrices(body.K, body.M[:, ::-1], body.nodes, np.zeros((36, 2))), "not symmetric|named twice"),
        (lambda: from_matrices(body.K, body.M, body.nodes, np.zeros((3, 2))), "but there are 3 freedoms"),
        (
            lambda: from_matrices(body.K, -body.M, body.nodes, np.stack(np.divmod(np.arange(36), 6), axis=1)),
            "negative diagonal",
        ),
    ]
    for call, words in cases:
        with pytest.raises(UsageError, match=words):
            call()
