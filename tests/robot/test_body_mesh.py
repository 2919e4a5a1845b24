"""Meshes of bodies: read, checked with their line, written back, and of no consequence for the dynamics."""

from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import gough
from gough.robot import DescriptionError, dump, load, loads
from gough.robot.files import without_lost_meshes

MESH = "mesh: {file: arm.stl, scale: 0.001, pose: {position: [0, 0, 0.1]}, color: [200, 60, 40]}"
ROBOT = """format: 1
name: arm
bodies:
  - name: arm
    mass: 1.0
    center_of_mass: [0.2, 0, 0]
    {mesh}
joints:
  - {{name: hinge, type: revolute, parent: world, child: arm, axis: [0, 1, 0], drive: {{}}}}
velocities: drives
home: {{joints: {{hinge: 0}}}}
"""
FACETS = ((0, 1, 2), (0, 3, 1), (0, 2, 3), (1, 3, 2))
CORNERS = np.array([[0, 0, 0], [0, 100, 0], [400, 0, 0], [0, 0, 100]])  # mm


def write_stl(path: Path) -> None:
    lines = ["solid tetrahedron"]
    for facet in FACETS:
        corners = "".join(f"vertex {x} {y} {z}\n" for x, y, z in CORNERS[list(facet)])
        lines.append(f"facet normal 0 0 0\nouter loop\n{corners}endloop\nendfacet")
    path.write_text("\n".join([*lines, "endsolid"]))


@pytest.fixture
def described(tmp_path: Path) -> Path:
    write_stl(tmp_path / "arm.stl")
    path = tmp_path / "arm.yaml"
    path.write_text(ROBOT.format(mesh=MESH))
    return path


def test_a_mesh_is_read_and_written_back(described: Path, tmp_path: Path):
    robot = load(described)
    (mesh,) = robot.bodies[0].mesh
    assert (mesh.file, mesh.scale, mesh.color) == ("arm.stl", 0.001, (200, 60, 40))
    (tmp_path / "deep").mkdir()
    dump(robot, tmp_path / "deep" / "copy.yaml")
    again = load(tmp_path / "deep" / "copy.yaml")
    (other,) = again.bodies[0].mesh
    assert (other.file, other.placement) == ("../arm.stl", mesh.placement)
    assert "    mesh: {" in (tmp_path / "deep" / "copy.yaml").read_text()  # one is no list


SEVERAL = """mesh:
      - {file: arm.stl, scale: 0.001}
      - {file: arm.stl, scale: 0.001, stretch: [1, -2, 1], pose: {position: [0, 0, 0.1]}}
      - {file: arm.stl, scale: 0.001, color: [1, 2, 3]}"""


def test_a_body_has_several_meshes(described: Path, tmp_path: Path):
    described.write_text(ROBOT.format(mesh=SEVERAL.replace("stretch: [1, -2, 1], ", "")))
    with pytest.raises(DescriptionError, match="mesh: a value of format 2"):
        load(described)
    described.write_text(ROBOT.format(mesh=SEVERAL).replace("format: 1", "format: 2"))
    robot = load(described)
    (tmp_path / "deep").mkdir()
    dump(robot, tmp_path / "deep" / "copy.yaml")
    again = load(tmp_path / "deep" / "copy.yaml").bodies[0].mesh
    assert [m.file for m in again] == ["../arm.stl"] * 3 and again[1].stretch == (1, -2, 1)
    pytest.importorskip("trimesh")
    from inner.viewer import Figure

    figure = Figure(gough.build(robot))
    looks = [p for p in figure.pieces if p.role == "link" and p.group == "bodies"]
    assert [p.colour for p in looks] == [None, (1, 2, 3)]
    low, high = looks[0].mesh.bounds()
    np.testing.assert_allclose([low, high], [[0, -0.2, 0], [0.4, 0.1, 0.2]], atol=1e-6)
    assert looks[0].mesh.volume() == pytest.approx(
        3 * 0.4 * 0.1 * 0.1 / 6, rel=1e-5
    )  # mirrored ones are not inside out


@pytest.mark.parametrize(
    ("mesh", "words"),
    [
        ("mesh: {file: leg.stl}", "no such file"),
        ("mesh: {file: arm.step}", "cannot be drawn"),
        ("mesh: {file: arm.stl, scale: -1}", "scale"),
        ("mesh: {file: arm.stl, color: [1, 2]}", "not a colour"),
        ("mesh: {file: arm.stl, color: [1, 2, 999]}", "0 to 255"),
        ("mesh: {file: arm.stl, colour: [1, 2, 3]}", "did you mean 'color'"),
        ("mesh: arm.stl", "not a mapping"),
        ("mesh: []", "an empty list"),
        ("mesh: {file: arm.usda}", "a stage without a prim"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(described: Path, mesh: str, words: str):
    for name in ("arm.step", "arm.usda"):
        (described.parent / name).write_text("")
    described.write_text(ROBOT.format(mesh=mesh))
    with pytest.raises(DescriptionError, match=r"arm\.yaml:7") as caught:
        load(described)
    assert words in str(caught.value)


def test_a_flexible_body_has_no_mesh():
    text = """format: 1
name: beam
bodies:
  - name: beam
    mesh: {file: arm.stl}
    flexible:
      beam: {length: 1, section: {circle: {radius: 0.01}}, material: {E: 2e11, nu: 0.3, density: 7800}}
      modes: {number: 2}
joints: [{name: hinge, type: revolute, parent: world, child: beam}]
"""
    with pytest.raises(DescriptionError, match="drawn from its elements"):
        loads(text)


def test_looks_change_no_number_and_no_hash(described: Path):
    from gough.simulation.results.robot import robot_hash

    with_mesh = gough.build(load(described))
    described.write_text(ROBOT.format(mesh=""))
    without = gough.build(load(described))
    np.testing.assert_array_equal(with_mesh.parameters, without.parameters)
    assert robot_hash(with_mesh) == robot_hash(without)


def test_lost_meshes_are_left_out(tmp_path: Path):
    write_stl(tmp_path / "here.stl")
    data = {
        "bodies": [
            {"mesh": [{"file": "here.stl"}, {"file": "gone.stl"}]},
            {"mesh": {"file": "gone.stl"}, "frames": {"mesh": {"position": [1, 0, 0]}}},
        ]
    }
    kept = without_lost_meshes(data, tmp_path)
    assert kept == {"bodies": [{"mesh": {"file": "here.stl"}}, {"frames": {"mesh": {"position": [1, 0, 0]}}}]}


def test_a_mesh_is_drawn_where_it_is_placed(described: Path):
    pytest.importorskip("trimesh")
    from inner.viewer import Figure

    figure = Figure(gough.build(load(described)))
    [piece] = [p for p in figure.pieces if p.colour == (200, 60, 40)]
    low, high = piece.mesh.bounds()
    np.testing.assert_allclose(low, [0, 0, 0.1], atol=1e-6)
    np.testing.assert_allclose(high, [0.4, 0.1, 0.2], atol=1e-6)
    assert piece.mesh.volume() == pytest.approx(0.4 * 0.1 * 0.1 / 6, rel=1e-5)
    assert not [p for p in figure.pieces if p.role == "link" and p.group == "bodies" and p.colour is None]


def test_check_names_an_unreadable_mesh(described: Path):
    pytest.importorskip("trimesh")
    from inner.cli import app

    assert CliRunner().invoke(app, ["check", str(described)]).exit_code == 0
    (described.parent / "arm.stl").write_text("nothing that could be a mesh")
    result = CliRunner().invoke(app, ["check", str(described)])
    assert result.exit_code == 1
    assert "arm: mesh:" in result.output
    assert "arm.stl" in result.output
