"""From described flexible bodies to their constants, against closed forms of beams and bars."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gough
from gough.errors import ReductionWarning, StructureError
from gough.fem import ElasticBody
from gough.robot import Robot, load, loads
from gough.robot.flexible.other_programs import Matrices
from inner.structure import elastic_bodies, is_carried, point_key

E, NU, RHO, L, SIDE = 70e9, 0.3, 2700.0, 0.8, 0.02
A, INERTIA = SIDE**2, SIDE**4 / 12
CLAMPED = (1.8751040687119611, 4.694091132974174, 7.854757438237613)
FREE = (4.730040744862704, 7.853204624095838, 10.995607838001671)

ARM = """\
format: 1
name: arm
gravity: [0, 0, -9.81]
bodies:
  - name: rod
    frames: {{tip: {{position: [0.8, 0, 0]}}, middle: {{position: [0.33, 0, 0]}}}}
    flexible:
      beam:
        length: 0.8
        section: {{rectangle: {{y: 20 mm, z: 20 mm}}}}
        material: {{E: 70 GPa, nu: 0.3, density: 2700}}
        elements: 16
        plane: true
      {rest}
joints: [{{name: hinge, type: revolute, parent: world, child: rod, drive: {{}}}}]
home: {{joints: {{hinge: 0}}}}
"""

FLOATING = """\
format: 1
name: floating
platform:
  frames: {{tool: {{position: [0.8, 0, 0]}}}}
  flexible:
    beam:
      length: 0.8
      section: {{rectangle: {{y: 20 mm, z: 20 mm}}}}
      material: {{E: 70 GPa, nu: 0.3, density: 2700}}
      elements: 16
    {rest}
legs:
  - name: crane
    chain: [{{name: free, type: free}}]
    cut: {{type: fixed}}
home: {{pose: {{position: [0, 0, 0]}}}}
"""


def rod(rest: str) -> ElasticBody:
    return elastic_bodies(loads(ARM.format(rest=rest)))["rod"]


def bending(roots: Any) -> np.ndarray:
    """Natural frequencies (Hz) of a slender beam, by the roots of its frequency equation."""
    return np.array(roots) ** 2 / (2 * np.pi) * np.sqrt(E * INERTIA / (RHO * A * L**4))


def test_a_carried_body_is_clamped_at_its_origin():
    robot = loads(ARM.format(rest="modes: {number: 3}"))
    assert is_carried(robot, "rod")
    body = elastic_bodies(robot)["rod"]
    np.testing.assert_allclose(body.frequencies_hz, bending(CLAMPED), rtol=1e-4)
    origin = body.frames[point_key(np.zeros(3))]
    assert not origin.translation.any() and not origin.turning.any()
    assert body.mass == pytest.approx(RHO * A * L, rel=1e-14)
    assert body.labels == ("mode1", "mode2", "mode3")
    assert body.MSdd is not None  # beams stiffen unless told otherwise


def test_a_free_platform_floats_about_mean_axes():
    robot = loads(FLOATING.format(rest="modes: {number: 6, pairs: keep}\n    stiffening: off"))
    assert not is_carried(robot, "platform")
    body = elastic_bodies(robot)["platform"]
    np.testing.assert_allclose(body.frequencies_hz, np.repeat(bending(FREE), 2), rtol=2e-4)
    assert not body.MSde.any() and body.MSdd is None
    np.testing.assert_array_equal(body.N1, body.N1.transpose(0, 2, 1))  # no angular momentum either


def test_points_between_nodes_become_nodes():
    """Deflection and slope at x of a cantilever under a force at its end, exact for these elements."""
    body = rod("modes: {kind: nodal}")
    tip, middle = body.frames[point_key(np.array([0.8, 0, 0]))], body.frames[point_key(np.array([0.33, 0, 0]))]
    e = np.linalg.solve(body.K, tip.translation[1])
    x = 0.33
    assert middle.translation[1] @ e == pytest.approx(x**2 * (3 * L - x) / (6 * E * INERTIA), rel=1e-9)
    assert middle.turning[2] @ e == pytest.approx(x * (2 * L - x) / (2 * E * INERTIA), rel=1e-9)
    assert "tip.y" in body.labels and "middle.rz" in body.labels and "node1.x" in body.labels


@pytest.mark.parametrize(
    "modes", ["{kind: guyan, interfaces: [tip]}", "{kind: craig_bampton, interfaces: [tip], number: 2}"]
)
def test_interfaces_are_coordinates(modes):
    """Guyan's stiffness of a cantilever's end is that of the beam itself."""
    body = rod(f"modes: {modes}")
    assert body.labels[:3] == ("tip.x", "tip.y", "tip.rz")
    k = E * INERTIA * np.array([[12 / L**3, -6 / L**2], [-6 / L**2, 4 / L]])
    np.testing.assert_allclose(body.K[1:3, 1:3], k, rtol=1e-8)
    assert body.K[0, 0] == pytest.approx(E * A / L, rel=1e-9)


def test_attachment_shapes_give_the_exact_static_deflection():
    body = rod("modes: {kind: attachment, interfaces: [tip]}")
    tip = body.frames[point_key(np.array([0.8, 0, 0]))]
    for direction, compliance in ((0, L / (E * A)), (1, L**3 / (3 * E * INERTIA))):
        assert tip.translation[direction] @ np.linalg.solve(body.K, tip.translation[direction]) == pytest.approx(
            compliance, rel=1e-8
        )


def test_stated_frequencies_and_damping():
    body = rod(
        "modes: {number: 2}\n      frequencies: [5 Hz, 62.83185307179586 rad/s]\n      damping: {ratio: [0.1, 0.2]}"
    )
    np.testing.assert_allclose(np.diag(body.K), (2 * np.pi * np.array([5, 10])) ** 2, rtol=1e-14)
    np.testing.assert_allclose(np.diag(body.D), 2 * np.array([0.1, 0.2]) * 2 * np.pi * np.array([5, 10]), rtol=1e-14)
    assert any("frequencies stated" in remark for remark in body.remarks)
    stiff = rod("modes: {number: 2}\n      stiffness: [100, 200]\n      damping: {rayleigh: {alpha: 2, beta: 0.5}}")
    np.testing.assert_allclose(stiff.D, 2 * np.eye(2) + 0.5 * np.diag([100.0, 200.0]), rtol=1e-14)


def test_pairs_are_kept_with_a_warning_unless_told():
    with pytest.warns(ReductionWarning, match="degenerate"):
        body = elastic_bodies(loads(FLOATING.format(rest="modes: {number: 1}")))["platform"]
    assert body.modes == 2
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        body = elastic_bodies(loads(FLOATING.format(rest="modes: {number: 1, pairs: split, align: tool}")))["platform"]
    moved = body.frames[point_key(np.array([0.8, 0, 0]))].translation[:, 0]
    assert body.modes == 1 and moved.max() > 0


@pytest.mark.parametrize(
    ("rest", "message"),
    [
        ("modes: {number: 2}\n      frequencies: [5 Hz]", "1 numbers for 2 modes"),
        ("modes: {number: 200}", "200 modes asked for"),
        ("modes: {kind: clamped, frame: tip, number: 2}", "the origin moves with the elastic coordinates"),
        ("modes: {kind: free, number: 2}", "the origin moves with the elastic coordinates"),
        ("modes: {number: 2}\n      damping: {matrix: [[1, 0], [0, -1]]}", "negative eigenvalue"),
        ("modes: {number: 2}\n      damping: {matrix: [[1]]}", r"must be \(2, 2\)"),
    ],
)
def test_what_only_building_can_tell(rest, message):
    with pytest.raises(StructureError, match=message) as told:
        gough.build(loads(ARM.format(rest=rest)))
    assert "rod" in str(told.value)


def test_a_point_off_the_body():
    text = ARM.format(rest="modes: {number: 2}").replace("[0.33, 0, 0]", "[0.33, 0.1, 0]")
    with pytest.raises(StructureError, match=r"rod: flexible: frame .* is off the body: the nearest node"):
        gough.build(loads(text))
    held = elastic_bodies(loads(text.replace("modes:", "ties: {at: {middle: {radius: 110 mm}}}\n      modes:")))["rod"]
    assert any("frame middle holds" in remark for remark in held.remarks)


class Own:
    """A Python object in the place of a description."""

    def __init__(self, body: ElasticBody):
        self.body, self.points = body, {}

    def elastic_body(self, points: dict[str, np.ndarray]) -> ElasticBody:
        self.points = points
        return self.body


def test_a_python_object_makes_its_own():
    robot = loads(ARM.format(rest="modes: {number: 2}"))
    made = elastic_bodies(robot)["rod"]
    own = Own(made)
    other = robot.model_copy(update={"bodies": (robot.bodies[0].model_copy(update={"flexible": own}),)})
    assert elastic_bodies(other)["rod"] is made
    assert set(own.points) == {point_key(np.array([x, 0, 0])) for x in (0, 0.8, 0.33)}
    own.body = replace(made, frames={})
    with pytest.raises(StructureError, match="no tied frame"):
        elastic_bodies(other)


def box(folder: Path) -> None:
    """A bar 0.8 × 0.02 × 0.02 m of tetrahedra in an Abaqus file (mm), with its two ends as node sets."""
    meshio = pytest.importorskip("meshio")
    n, m = 24, 2
    x, y, z = np.meshgrid(np.linspace(0, 800, n + 1), *[np.linspace(-10, 10, m + 1)] * 2, indexing="ij")
    points = np.column_stack([x.ravel(), y.ravel(), z.ravel()])
    number = np.arange(len(points)).reshape(x.shape)
    corner = [number[i : n + i, j : m + j, k : m + k].ravel() for i, j, k in CUBE]
    cells = np.column_stack(corner)
    sets = {"root": np.flatnonzero(points[:, 0] == 0), "end": np.flatnonzero(points[:, 0] == 800)}
    meshio.write(folder / "bar.inp", meshio.Mesh(points, [("hexahedron", cells)], point_sets=sets))


CUBE = ((0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1))


@pytest.mark.filterwarnings("ignore::gough.errors.MeshWarning")
def test_a_solid_from_its_mesh(tmp_path: Path):
    """A bar stretched: E A / L between its rigid ends (a little more, they cannot contract)."""
    box(tmp_path)
    head, _, rest = ARM.format(rest="modes: {kind: guyan, interfaces: [tip]}").partition("      beam:")
    solid = "      solid: {file: bar.inp, unit: mm, material: {E: 70 GPa, nu: 0.3, density: 2700}}\n"
    ties = "      ties: {at: {origin: {nodes: root}, tip: {nodes: end}, middle: {radius: 30 mm}}}\n"
    text = head + solid + ties + rest[rest.index("      modes:") :]
    (tmp_path / "robot.yaml").write_text(text)
    body = elastic_bodies(load(tmp_path / "robot.yaml"))["rod"]
    assert body.mass == pytest.approx(RHO * A * L, rel=1e-12)
    assert 1.0 < body.K[0, 0] / (E * A / L) < 1.02
    wrong = text.replace("nodes: end", "nodes: ends")
    (tmp_path / "robot.yaml").write_text(wrong)
    with pytest.raises(StructureError, match=r"no set of nodes 'ends'; there are: .*end"):
        elastic_bodies(load(tmp_path / "robot.yaml"))


def neutral_file(folder: Path, **changes: Any) -> ElasticBody:
    """The clamped rod in gough's own NPZ, and the body it was made from."""
    from gough.fem import (
        ClampedModes,
        Material,
        NodeTie,
        Rectangle,
        beam_elements,
        modal_data_of_elements,
        reduce,
        write_modal_file,
    )

    cut = beam_elements([[0, 0, 0], [L, 0, 0]], Rectangle(SIDE, SIDE), Material(E, RHO, NU), elements=8, plane=True)
    frames = {"root": NodeTie([0, 0, 0]), "far": NodeTie([L, 0, 0])}
    write_modal_file(
        folder / "rod.npz", replace(modal_data_of_elements(cut, ClampedModes("root", 3), frames), **changes)
    )
    return reduce(cut, ClampedModes("root", 3), frames)


MODAL = ARM.format(rest="damping: {ratio: 0.02}")
MODAL = MODAL[: MODAL.index("      beam:")] + "      modal: {file: rod.npz}\n" + MODAL[MODAL.index("      damping:") :]
MODAL = MODAL.replace(", middle: {position: [0.33, 0, 0]}", "")


def test_modal_data_from_a_file(tmp_path: Path):
    """The same body as the one the file was made from, its frames found by their places."""
    truth = neutral_file(tmp_path)
    (tmp_path / "robot.yaml").write_text(MODAL)
    body = elastic_bodies(load(tmp_path / "robot.yaml"))["rod"]
    for name in ("MS", "J", "MSde", "MSdd", "N1", "N2", "M", "K"):
        scale = np.abs(getattr(truth, name)).max()
        np.testing.assert_allclose(getattr(body, name), getattr(truth, name), atol=1e-12 * scale, err_msg=name)
    tip = body.frames[point_key(np.array([L, 0, 0]))]
    np.testing.assert_allclose(tip.turning, truth.frames["far"].turning, atol=1e-12)
    np.testing.assert_allclose(np.diag(body.D), 2 * 0.02 * np.sqrt(np.diag(truth.K)), rtol=1e-9)
    model = gough.build(load(tmp_path / "robot.yaml"))
    assert model.layout.q_names[:3] == ("rod.mode1", "rod.mode2", "rod.mode3")


def test_modal_data_that_do_not_fit(tmp_path: Path):
    neutral_file(tmp_path)
    (tmp_path / "robot.yaml").write_text(MODAL.replace("[0.8, 0, 0]", "[0.81, 0, 0]"))
    with pytest.raises(StructureError, match=r"rod: flexible: frame .* is off the body"):
        elastic_bodies(load(tmp_path / "robot.yaml"))
    ties = "modal: {file: rod.npz}\n      ties: {at: {tip: {nodes: nowhere}}}"
    (tmp_path / "robot.yaml").write_text(MODAL.replace("modal: {file: rod.npz}", ties))
    with pytest.raises(StructureError, match="the file has no frame 'nowhere'; it has: root, far"):
        elastic_bodies(load(tmp_path / "robot.yaml"))


def test_matrices_from_files(tmp_path: Path):
    """Two nodes of a bar along x with linear shapes, in mm, t, s: stretching at √(3 E / ρ L²) when clamped."""
    from scipy.io import mmwrite
    from scipy.sparse import coo_array, kron

    n = 3
    stiffness, mass = E * A / L * 1e-3, RHO * A * L * 1e-3  # N/mm (t/s²) and t
    K = kron(coo_array(stiffness * np.array([[1.0, -1.0], [-1.0, 1.0]])), np.eye(n))
    M = kron(coo_array(mass / 6 * np.array([[2.0, 1.0], [1.0, 2.0]])), np.eye(n))
    mmwrite(tmp_path / "K.mtx", K)
    mmwrite(tmp_path / "M.mtx", M)
    (tmp_path / "nodes.txt").write_text("1 0 0 0\n2 800 0 0\n")
    described = Matrices.model_validate(
        {
            "matrix_market": {key: str(tmp_path / f) for key, f in FILES.items()},
            "units": {"length": "mm", "mass": "t"},
            "pose": {"position": [0, 0, 1], "rpy_zyx": [math.pi / 2, 0, 0]},
        }
    )
    elements = described.finite_elements((), None)
    np.testing.assert_allclose(elements.nodes, [[0, 0, 1], [0, L, 1]], atol=1e-12)
    assert elements.mass.sum() == pytest.approx(RHO * A * L)
    end = [3, 4, 5]
    value = elements.K.toarray()[np.ix_(end, end)][0, 0] / elements.M.toarray()[np.ix_(end, end)][0, 0]
    assert value == pytest.approx(3 * E / (RHO * L**2))


FILES = {"stiffness": "K.mtx", "mass": "M.mtx", "nodes": "nodes.txt"}


def test_rigid_robots_have_none():
    robot: Robot = load("five_bar")
    assert elastic_bodies(robot) == {}
