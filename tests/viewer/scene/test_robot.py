"""A robot's nodes in a real scene, without a browser: what is sent, and what is not."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import gough
from gough.errors import UsageError
from gough.spatial import quaternion_wxyz_from_rotation
from inner.spatial import quaternion_towards
from inner.viewer import BAD, BANDS, Figure, RobotScene, nice_above

viser = pytest.importorskip("viser")
pytestmark = pytest.mark.filterwarnings("ignore::gough.UnphysicalInertiaWarning")


@pytest.fixture(scope="module")
def scene() -> Iterator[Any]:
    server = viser.ViserServer(host="127.0.0.1", port=0, verbose=False)
    yield server.scene
    server.stop()


def nodes(scene: Any, root: str) -> dict[str, Any]:
    return {name: node for name, node in scene._handle_from_node_name.items() if name.startswith(root + "/")}


def test_links_stand_where_the_figure_places_them(scene: Any, rng: np.random.Generator):
    model = gough.build("pedrammehr2012")
    figure = Figure(model)
    robot = RobotScene(scene, figure)
    made = set(nodes(scene, "/robot"))
    assert len(made) < 90
    pose = np.array(model.home_pose)
    pose[:3] += [0.02, -0.05, 0.07]
    q = model.configuration(pose=pose)
    robot.show(q)
    assert set(nodes(scene, "/robot")) == made  # nothing is made anew
    placed = figure.place(q)
    for i in range(len(model.mechanism.links)):
        node = scene._handle_from_node_name[f"/robot/link{i}"]
        np.testing.assert_allclose(node.position, placed.position[i], atol=1e-5)
        R = viser.transforms.SO3(node.wxyz).as_matrix()
        np.testing.assert_allclose(R, placed.rotation[i], atol=2e-5)
    robot.remove()
    robot.remove()
    assert not nodes(scene, "/robot")
    assert "/ground" not in scene._handle_from_node_name
    robot.show(q)  # a page that is just closing


def triangles(scene: Any, root: str, colour: tuple[int, int, int] | None = None) -> int:
    """That are drawn in a colour, or at all."""
    found = [n for n in nodes(scene, root).values() if hasattr(n, "faces")]
    return sum(len(n.faces) for n in found if colour is None or tuple(n.color) == colour)


def test_legs_are_marked_and_cleared(scene: Any):
    robot = RobotScene(scene, Figure(gough.build("pedrammehr2012")), root="/marked")
    before = {name: tuple(node.color) for name, node in nodes(scene, "/marked").items() if hasattr(node, "color")}
    robot.mark((0, 3))
    red, faces = triangles(scene, "/marked", BAD), {0: 0, 3: 0}
    for piece in (*robot.figure.pieces, *robot.figure.spans):
        if piece.group in ("bodies", "joints") and piece.leg in faces:
            faces[piece.leg] += len(piece.mesh.faces)
    assert red == sum(faces.values()) > 0
    robot.mark((3,))
    assert triangles(scene, "/marked", BAD) == faces[3]
    robot.mark_all(True)
    assert triangles(scene, "/marked", BAD) == triangles(scene, "/marked")
    robot.mark_all(False)
    robot.mark(())
    assert {n: tuple(x.color) for n, x in nodes(scene, "/marked").items() if hasattr(x, "color")} == before
    robot.remove()


def test_groups_are_shown_and_hidden(scene: Any):
    robot = RobotScene(scene, Figure(gough.build("delta")), root="/grouped")
    assert not [shown for shown in robot._meshes if shown.group in ("inertia", "frames")]
    for group in ("inertia", "frames", "joints", "bodies"):
        robot.group_visible(group, True)
        own = [shown for shown in robot._meshes if shown.group == group]
        assert own and all(shown.node.visible for shown in own)
        robot.group_visible(group, False)
        assert not any(shown.node.visible for shown in own)
    with pytest.raises(UsageError, match="no group 'legs'"):
        robot.group_visible("legs", True)
    robot.remove()


@pytest.mark.quick_cases("False")
@pytest.mark.parametrize("carried", [False, True])
def test_skins_follow_and_tell_their_range(scene: Any, rng: np.random.Generator, carried: bool):
    model = gough.build("long2014")
    figure = Figure(model)
    robot = RobotScene(scene, figure, root="/bent", offset=(1.0, 2.0, 0.0), carried=carried)
    elastic = model.mechanism.links[0].elastic
    assert elastic is not None
    e = 0.1 * np.array(elastic.units) * rng.normal(size=elastic.modes)
    q = model.configuration(pose=model.home_pose, elastic=e)
    robot.show(q)
    largest = figure.skins[0].deflection(q).max()
    low, high = robot.deflection_range
    assert low == 0.0
    assert largest <= high <= 2.5 * largest
    shown = [n for name, n in nodes(scene, "/bent").items() if "/skin" in name and n.faces.any()]
    assert len(shown) > 3
    placed = figure.place(q)
    world = figure.skins[0].vertices(q) @ placed.rotation[0].T + placed.position[0]
    drawn = np.concatenate([n.vertices for n in shown])
    if carried:
        drawn = drawn @ placed.rotation[0].T + placed.position[0]
    gap = [np.linalg.norm(drawn - x, axis=1).min() for x in world]
    assert max(gap) < 1e-6 * figure.size
    robot.exaggeration = 5.0
    robot.show(q)
    assert robot.deflection_range == (low, high)  # true metres, however large they are drawn
    robot.mark_all(True)
    place = "/bent/link0" if carried else "/bent"
    assert [n.name for n in nodes(scene, "/bent").values() if "/skin" in n.name and n.faces.any()] == [
        f"{place}/skin{BANDS}"
    ]
    robot.remove()


def test_states_that_are_no_numbers_change_nothing(scene: Any):
    model = gough.build("delta")
    robot = RobotScene(scene, Figure(model), root="/lost")
    before = scene._handle_from_node_name["/lost/link0"].position.copy()
    robot.show(np.full(model.layout.nq, np.nan))
    np.testing.assert_array_equal(scene._handle_from_node_name["/lost/link0"].position, before)
    robot.remove()


def test_quaternions_turn_as_matrices_do(rng: np.random.Generator):
    q = rng.normal(size=(200, 4))
    q[:4] = np.eye(4)
    q /= np.linalg.norm(q, axis=1, keepdims=True)
    R = viser.transforms.SO3(q).as_matrix()
    ours = quaternion_wxyz_from_rotation(R)
    np.testing.assert_allclose(np.abs(np.sum(ours * q, axis=1)), 1.0, atol=1e-12)


def test_spans_point_from_end_to_end(rng: np.random.Generator):
    start, d = rng.normal(size=(50, 3)), rng.normal(size=(50, 3))
    d[0], d[1] = (0, 0, 2), (0, 0, -3)
    turn, length = quaternion_towards(start, start + d)
    z = viser.transforms.SO3(turn).as_matrix()[..., 2]
    np.testing.assert_allclose(z * length[:, None], d, atol=1e-9)


@pytest.mark.parametrize(("value", "nice"), [(0.0, 1e-9), (0.011, 0.02), (0.02, 0.02), (3e-5, 5e-5), (0.7, 1.0)])
def test_ranges_are_round_numbers(value: float, nice: float):
    assert nice_above(value, 1e-9) == pytest.approx(nice)
