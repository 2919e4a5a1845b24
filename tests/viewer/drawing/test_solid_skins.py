"""Skins of solids and of modal data: closed, of the volume of their cells, and where the model has the body's frames."""

from pathlib import Path

import numpy as np
import pytest

import gough
from fem.element_bodies import KUHN, box
from gough.fem import ModalData, ModalFrame, write_modal_file
from gough.viewer.drawing._skin import Skin
from inner.structure import elastic_bodies
from inner.viewer import Figure, Mesh
from viewer.drawing.surfaces import open_edges

pytestmark = pytest.mark.filterwarnings("ignore::gough.errors.ModalDataWarning")  # modes not mass-normalised

SIZE = np.array([0.8, 0.1, 0.08])
ROBOT = """
format: 1
name: thick_arm
gravity: [0, 0, -9.81]
bodies:
  - name: arm
    frames: {{tip: {{position: [0.8, 0, 0]}}}}
    flexible:
      {flexible}
  - {{name: tool, mass: 2.0}}
joints:
  - {{name: motor, type: revolute, parent: world, child: arm, drive: {{}}}}
  - {{name: grip, type: fixed, parent: arm, child: tool, pose: {{position: [0.8, 0, 0]}}}}
home: {{joints: {{motor: 20 deg}}}}
"""
SOLID = """solid: {file: arm.inp, material: {E: 2 GPa, nu: 0.35, density: 1200}}
      modes: {number: 2}
      ties: {at: {origin: {nodes: root}, tip: {nodes: end}}}"""
MODAL = "modal: {file: arm.npz}"
MESHIO = {4: "tetra", 10: "tetra10", 8: "hexahedron", 20: "hexahedron20"}


def tapered(kind: int) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and cells of an arm along x, half as thick at its end; all its faces are flat."""
    nodes, cells = box((4, 1, 1) if kind > 8 else (5, 2, 2), SIZE, kind)
    nodes = nodes - [0, SIZE[1] / 2, SIZE[2] / 2]
    nodes[:, 1:] *= 1 - 0.5 * nodes[:, :1] / SIZE[0]
    return nodes, cells


def volume(nodes: np.ndarray, cells: np.ndarray) -> float:
    """Of tetrahedra, or of hexahedra cut into tetrahedra, by determinants."""
    parts = [cells[:, :4]] if cells.shape[1] in (4, 10) else [cells[:, list(t)] for t in KUHN]
    return float(sum(np.linalg.det(nodes[p[:, 1:4]] - nodes[p[:, :1]]).sum() / 6 for p in parts))


def built(folder: Path, flexible: str) -> gough.Model:
    path = folder / "robot.yaml"
    path.write_text(ROBOT.format(flexible=flexible), encoding="utf-8")
    return gough.build(path)


def solid(folder: Path, kind: int) -> gough.Model:
    meshio = pytest.importorskip("meshio")
    nodes, cells = tapered(kind)
    sets = {"root": np.flatnonzero(nodes[:, 0] < 1e-9), "end": np.flatnonzero(nodes[:, 0] > SIZE[0] - 1e-9)}
    meshio.Mesh(nodes, [(MESHIO[kind], cells)], point_sets=sets).write(folder / "arm.inp")
    return built(folder, SOLID)


def bows(nodes: np.ndarray) -> tuple[np.ndarray, dict[str, ModalFrame]]:
    """Two bows of an arm, shapes (n, 3, 2): y and z grow with the square of x, sections stay at right angles to first order."""
    s = nodes[:, 0] / SIZE[0]
    shapes = np.zeros((len(nodes), 3, 2))
    for mode, axis in ((0, 1), (1, 2)):
        shapes[:, axis, mode] = s**2
        shapes[:, 0, mode] = -2 * s / SIZE[0] * nodes[:, axis]
    moved, turned = np.zeros((2, 3, 2))
    moved[1, 0] = moved[2, 1] = 1.0
    turned[2, 0], turned[1, 1] = 2 / SIZE[0], -2 / SIZE[0]
    none = np.zeros((3, 2))
    return shapes, {
        "root": ModalFrame(np.zeros(3), translation=none, turning=none),
        "far": ModalFrame(np.array([SIZE[0], 0, 0]), translation=moved, turning=turned),
    }


def modal(folder: Path, nodes: np.ndarray, cells: np.ndarray | None) -> gough.Model:
    """The arm as another program would give it: masses and shapes at nodes, with cells or without."""
    shapes, frames = bows(nodes)
    drawn = np.zeros((0, 2), dtype=int) if cells is None else cells
    data = ModalData(
        nodes, np.full(len(nodes), 4.0 / len(nodes)), shapes, np.diag([4e4, 3e4]), frames=frames, cells=drawn
    )
    write_modal_file(folder / "arm.npz", data)
    return built(folder, MODAL)


def at_the_end(figure: Figure, q: np.ndarray, rest: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Places (n, 3) in the world of points that rest on the end section, as the model's frame there carries them rigidly, and the
    numbers of the skin's vertices that they are."""
    skin = figure.skins[0]
    ends = np.flatnonzero(np.abs(rest[:, 0] - SIZE[0]) < 1e-9)
    position, rotation = figure.model.frame_pose(q, "arm.tip")
    assert len(ends) and skin.name == "arm"
    return ends, position + (rest[ends] - [SIZE[0], 0, 0]) @ rotation.T


def world(figure: Figure, skin: Skin, q: np.ndarray) -> np.ndarray:
    """Vertices (n, 3)."""
    placed = figure.place(q)
    return skin.vertices(q) @ placed.rotation[skin.link].T + placed.position[skin.link]


def parting(figure: Figure, q: np.ndarray) -> float:
    """How far (m) the end section's corners may be from where the frame carries them: nodes of solids move by linear shapes,
    a frame turns by a whole angle, so they part with its square."""
    link = figure.place(q).rotation[figure.skins[0].link]
    turn = link.T @ figure.model.frame_pose(q, "arm.tip")[1]
    angle = np.arccos((np.trace(turn) - 1) / 2)
    assert angle > 1e-3
    return 0.55 * angle**2 * float(np.linalg.norm(SIZE[1:])) / 4


def bent(model: gough.Model, tip: float) -> np.ndarray:
    """Home, every elastic coordinate a part of what moves the tip so far (m)."""
    frame = next(f for key, f in elastic_bodies(model.robot)["arm"].frames.items() if f.position[0] > 0.5 * SIZE[0])
    q = np.array(model.home)
    size = np.abs(frame.translation).max(axis=0)
    q[model.layout.elastic] = tip / np.where(size > 1e-6, size, 1.0) * (size > 1e-6)
    return q


@pytest.mark.parametrize("kind", MESHIO)
def test_a_solid_is_drawn_by_its_outside(kind: int, tmp_path: Path) -> None:
    model = solid(tmp_path, kind)
    figure = Figure(model)
    (skin,) = figure.skins
    mesh = Mesh(skin.undeformed, skin.surface.faces)
    assert open_edges(mesh) == 0
    assert mesh.volume() == pytest.approx(volume(*tapered(kind)), rel=1e-6)
    for tip in (1e-3, 4e-3):
        q = bent(model, tip)
        ends, expected = at_the_end(figure, q, skin.undeformed)
        np.testing.assert_allclose(world(figure, skin, q)[ends], expected, atol=parting(figure, q))
    assert skin.deflection(bent(model, 4e-3)).max() > 4e-3


def test_modal_data_with_cells_are_a_solid(tmp_path: Path) -> None:
    nodes, cells = tapered(8)
    model = modal(tmp_path, nodes, cells)
    figure = Figure(model)
    (skin,) = figure.skins
    mesh = Mesh(skin.undeformed, skin.surface.faces)
    assert open_edges(mesh) == 0 and mesh.volume() == pytest.approx(volume(nodes, cells), rel=1e-6)
    q = np.array(model.home)
    q[model.layout.elastic] = [2e-3, -3e-3]
    s = skin.undeformed[:, 0] / SIZE[0]
    moved = skin.vertices(q) - skin.undeformed
    np.testing.assert_allclose(moved[:, 1:], np.outer(s**2, [2e-3, -3e-3]), atol=1e-15)
    ends, expected = at_the_end(figure, q, skin.undeformed)
    np.testing.assert_allclose(world(figure, skin, q)[ends], expected, atol=parting(figure, q))


def test_modal_data_without_cells_are_balls_at_their_nodes(tmp_path: Path) -> None:
    nodes, _ = tapered(8)
    figure = Figure(modal(tmp_path, nodes, None))
    (skin,) = figure.skins
    assert open_edges(Mesh(skin.undeformed, skin.surface.faces)) == 0
    q = np.array(figure.model.home)
    q[figure.model.layout.elastic] = [0.02, 0.01]
    count = len(skin.surface.station) // len(nodes)
    centres = skin.vertices(q).reshape(len(nodes), count, 3)
    centres = (centres.min(axis=1) + centres.max(axis=1)) / 2
    shapes, _ = bows(nodes)
    np.testing.assert_allclose(centres, nodes + shapes @ [0.02, 0.01], atol=1e-6)


def test_a_shell_of_triangles_and_quadrilaterals_is_one_plate(tmp_path: Path) -> None:
    """Rows of triangles end in -1 where quadrilaterals need four."""
    x, y = np.meshgrid(np.linspace(0, SIZE[0], 5), np.array([-0.05, 0.0, 0.05]), indexing="ij")
    nodes = np.column_stack([x.ravel(), y.ravel(), 0 * x.ravel()])
    number = np.arange(15).reshape(5, 3)
    quads = np.array(
        [[number[i, j], number[i + 1, j], number[i + 1, j + 1], number[i, j + 1]] for i in range(4) for j in (0, 1)]
    )
    cut = [[a, b, c, -1] for a, b, c, _ in quads[4:]] + [[a, c, d, -1] for a, _, c, d in quads[4:]]
    figure = Figure(modal(tmp_path, nodes, np.concatenate([quads[:4], cut])))
    mesh = Mesh(figure.skins[0].undeformed, figure.skins[0].surface.faces)
    assert open_edges(mesh) == 0
    thickness = np.ptp(mesh.vertices[:, 2])
    assert mesh.volume() == pytest.approx(SIZE[0] * 0.1 * thickness, rel=1e-6)
