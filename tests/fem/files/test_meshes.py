"""Meshes from files written by the formats' own writers: cells, node sets, units; files that are wrong are named."""

import builtins

import numpy as np
import pytest

from fem.element_bodies import STEEL, box
from gough.errors import MeshWarning, UsageError
from gough.fem import read_mesh, size_report, solid_elements

meshio = pytest.importorskip("meshio")

SIZE = (0.3, 0.2, 0.1)
MESHIO = {4: "tetra", 10: "tetra10", 8: "hexahedron", 20: "hexahedron20", 27: "hexahedron27"}


def same(elements, nodes, cells):
    expected = solid_elements(nodes, cells, STEEL)
    assert elements.nodes == pytest.approx(expected.nodes, abs=1e-9)
    assert abs(elements.K - expected.K).max() < 1e-6 * abs(expected.K).max()


@pytest.mark.parametrize("kind", MESHIO)
@pytest.mark.parametrize("suffix", [".msh", ".inp", ".bdf", ".vtk", ".vtu"])
def test_every_format_and_kind(tmp_path, suffix, kind):
    if (suffix, kind) in ((".bdf", 27), (".inp", 27)):
        pytest.skip("the format has no such cell")
    nodes, cells = box((2, 1, 1), SIZE, kind)
    path = tmp_path / f"body{suffix}"
    options = {"file_format": "gmsh", "binary": False} if suffix == ".msh" else {}
    meshio.Mesh(nodes, [(MESHIO[kind], cells)]).write(path, **options)
    elements, sets = read_mesh(path, STEEL)
    same(elements, nodes, cells)
    assert sets == {}


def test_abaqus_sets(tmp_path):
    nodes, cells = box((2, 1, 1), SIZE, 8)
    left = np.flatnonzero(nodes[:, 0] < 1e-9)
    mesh = meshio.Mesh(nodes, [("hexahedron", cells)], point_sets={"left": left}, cell_sets={"first": [np.array([0])]})
    mesh.write(tmp_path / "body.inp")
    _, sets = read_mesh(tmp_path / "body.inp", STEEL)
    assert sorted(sets) == ["first", "left"]
    assert sets["left"].tolist() == left.tolist()
    assert sets["first"].tolist() == sorted(cells[0].tolist())


def test_gmsh_physical_groups(tmp_path):
    """A named face of triangles becomes a node set; the triangles are no cells."""
    nodes, cells = box((2, 1, 1), SIZE, 4)
    on = {int(i) for i in np.flatnonzero(nodes[:, 0] < 1e-9)}
    face = np.array([[i for i in cell if int(i) in on] for cell in cells if len(on & {int(i) for i in cell}) == 3])
    mesh = meshio.Mesh(
        nodes,
        [("triangle", face), ("tetra", cells)],
        cell_data={
            "gmsh:physical": [np.full(len(face), 7), np.full(len(cells), 9)],
            "gmsh:geometrical": [np.full(len(face), 1), np.full(len(cells), 1)],
        },
        field_data={"clamp": np.array([7, 2]), "steel": np.array([9, 3])},
    )
    mesh.write(tmp_path / "body.msh", file_format="gmsh22", binary=False)
    elements, sets = read_mesh(tmp_path / "body.msh", STEEL)
    same(elements, nodes, cells)
    assert sets["clamp"].tolist() == sorted(on)
    assert len(sets["steel"]) == len(nodes)


def test_units(tmp_path):
    """A body drawn in millimetres: right with units="mm", a warning that says so without."""
    nodes, cells = box((2, 1, 1), SIZE, 8)
    meshio.Mesh(1e3 * nodes, [("hexahedron", cells)]).write(tmp_path / "body.vtk")
    elements, _ = read_mesh(tmp_path / "body.vtk", STEEL, units="mm")
    assert elements.mass.sum() == pytest.approx(7850 * 0.006)
    assert size_report(elements).startswith("mass 47.1 kg, extent 0.3 × 0.2 × 0.1 m, mass centre (0.15, 0.1, 0.05) m")
    with pytest.warns(MeshWarning, match="is the length unit mm"):
        read_mesh(tmp_path / "body.vtk", STEEL)
    with pytest.raises(UsageError, match="units = 'inch'"):
        read_mesh(tmp_path / "body.vtk", STEEL, units="inch")


def test_nodes_of_no_cell_are_left_out(tmp_path):
    nodes, cells = box((1, 1, 1), SIZE, 8)
    more = np.vstack([[9.0, 9.0, 9.0], nodes])
    meshio.Mesh(more, [("hexahedron", cells + 1)], point_sets={"all": np.arange(9)}).write(tmp_path / "body.inp")
    with pytest.warns(MeshWarning, match="1 nodes belong to no solid cell"):
        elements, sets = read_mesh(tmp_path / "body.inp", STEEL)
    same(elements, nodes, cells)
    assert sets["all"].tolist() == list(range(8))


@pytest.mark.parametrize("kind", MESHIO)
def test_cells_written_again_are_taken_once(tmp_path, kind):
    """Gmsh writes a cell once for every group it is in; the mass is that of the volume."""
    nodes, cells = box((3, 2, 1), SIZE, kind)
    some = cells[1::2]
    for name, blocks in {
        "block": [(MESHIO[kind], np.vstack([cells, cells[:2]]))],
        "group": [(MESHIO[kind], cells), (MESHIO[kind], some)],
    }.items():
        count = 2 if name == "block" else len(some)
        meshio.Mesh(nodes, blocks).write(tmp_path / f"{name}.vtu")
        with pytest.warns(
            MeshWarning, match=f"{name}.vtu: {count} of {len(cells) + count} solid cells are written again"
        ):
            elements, _ = read_mesh(tmp_path / f"{name}.vtu", STEEL)
        assert elements.mass.sum() == pytest.approx(7850 * 0.006)
        same(elements, nodes, cells)


def test_other_cells_in_the_same_space_are_refused(tmp_path):
    nodes, boxes = box((3, 2, 1), SIZE, 8)
    about = ((0, 1, 2, 6), (0, 2, 3, 6), (0, 3, 7, 6), (0, 7, 4, 6), (0, 4, 5, 6), (0, 5, 1, 6))
    parts = np.array([boxes[2, list(corners)] for corners in about])
    meshio.Mesh(nodes, [("hexahedron", boxes), ("tetra", parts)]).write(tmp_path / "both.vtu")
    with pytest.raises(UsageError, match=r"both.vtu: solid: cells 2 and \d+ fill the same space.*count twice"):
        read_mesh(tmp_path / "both.vtu", STEEL)
    with pytest.raises(UsageError, match="fill the same space"):
        solid_elements(nodes, np.vstack([boxes, boxes[:1]]), STEEL)
    meshio.Mesh(nodes, [("hexahedron", np.delete(boxes, 2, axis=0)), ("tetra", parts)]).write(tmp_path / "good.vtu")
    assert read_mesh(tmp_path / "good.vtu", STEEL)[0].mass.sum() == pytest.approx(7850 * 0.006)


def test_files_that_are_wrong_are_named(tmp_path):
    nodes, cells = box((1, 1, 1), SIZE, 8)
    with pytest.raises(UsageError, match="no such file"):
        read_mesh(tmp_path / "none.msh", STEEL)
    (tmp_path / "bad.msh").write_text("no mesh at all\n")
    with pytest.raises(UsageError, match=r"could not read|no format"):
        read_mesh(tmp_path / "bad.msh", STEEL)
    (tmp_path / "bad.xyzzy").write_text("no mesh at all\n")
    with pytest.raises(UsageError, match=r"bad\.xyzzy"):
        read_mesh(tmp_path / "bad.xyzzy", STEEL)
    meshio.Mesh(nodes, [("quad", cells[:, :4])]).write(tmp_path / "shell.vtk")
    with pytest.raises(UsageError, match=r"no solid cells .found: quad"):
        read_mesh(tmp_path / "shell.vtk", STEEL)
    meshio.Mesh(nodes, [("wedge", cells[:, [0, 1, 2, 4, 5, 6]])]).write(tmp_path / "wedge.vtk")
    with pytest.raises(UsageError, match="kind wedge are not supported"):
        read_mesh(tmp_path / "wedge.vtk", STEEL)
    meshio.Mesh(nodes * [1, 1, -1], [("hexahedron", cells)]).write(tmp_path / "mirrored.vtk")
    with pytest.raises(UsageError, match=r"mirrored.vtk: solid: cells 0 are inverted"):
        read_mesh(tmp_path / "mirrored.vtk", STEEL)


def test_without_meshio_the_remedy_is_said(tmp_path, monkeypatch):
    plain = builtins.__import__

    def refuse(name, *rest, **more):
        if name == "meshio":
            raise ImportError(name)
        return plain(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(UsageError, match=r"pip install 'gough\[fem\]'"):
        read_mesh(tmp_path / "body.msh", STEEL)
