"""Drawings of whole robots: everything of them is there, where it belongs, and for robots nobody has seen."""

import numpy as np
import pytest

import gough
from gough.structure import WORLD
from gough.viewer.drawing.mesh import GROUPS, ROLES
from inner.viewer import Figure, inertia_box
from reference.designs import MECHANISM_FAMILIES, design

pytestmark = pytest.mark.filterwarnings("ignore::gough.UnphysicalInertiaWarning")
GALLERY = (
    "pedrammehr2012",
    "delta",
    "delta_fast",
    "lopes",
    "tripod_wrist",
    "andrews",
    "bricard",
    "ankle",
    "spin_up_beam",
    "hobby_6rss",
    "three_prs",
    "orthoglide",
)


def check(figure: Figure) -> None:
    model = figure.model
    low, high = figure.bounds()
    assert np.all(high > low)
    assert np.linalg.norm(high - low) < 4 * figure.size
    for piece in figure.pieces:
        assert piece.role in ROLES
        assert piece.group in GROUPS
        assert np.isfinite(piece.mesh.vertices).all()
        assert len(piece.mesh.faces)
        assert piece.mesh.faces.max() < len(piece.mesh.vertices)
        assert -1 <= piece.leg < max(len(model.mechanism.legs), 1)
    visible = {piece.link for piece in figure.pieces if piece.group in ("bodies", "joints")}
    visible |= {link for span in figure.spans for link in span.links} | {skin.link for skin in figure.skins}
    for i, link in enumerate(model.mechanism.links):
        assert link.ten is None or model.parameters[link.ten[0]] == 0 or i in visible, f"{link.name} is invisible"


@pytest.mark.quick_cases("delta", "lopes", "orthoglide")
@pytest.mark.parametrize("name", GALLERY)
def test_gallery_robots_are_drawn_whole(name: str):
    check(Figure(gough.build(name)))


@pytest.mark.quick_cases("other_cuts", "effects", "delta", "coupled_legs", "planar", "screws", "inner_loop")
@pytest.mark.parametrize("family", MECHANISM_FAMILIES)
def test_robots_nobody_has_seen_are_drawn_whole(family: str):
    check(Figure(gough.build(design(family, 4))))


def test_joints_are_drawn_as_what_they_are():
    figure = Figure(gough.build("pedrammehr2012"))
    mechanism = figure.model.mechanism
    crosses = [i for i, link in enumerate(mechanism.links) if "#" in link.name]
    assert len(crosses) == 6
    for i in crosses:  # the cross of a universal joint, about its centre
        cross = [p for p in figure.pieces if p.link == i]
        assert [p.role for p in cross] == ["joint"]
        assert np.abs(cross[0].mesh.vertices.mean(axis=0)).max() < 1e-3 * figure.size
    assert len(figure.spans) == 6  # a rod in every tube
    assert len([p for p in figure.pieces if p.role == "drive"]) == 6  # the tubes


def test_rods_stay_in_their_tubes(rng: np.random.Generator):
    model = gough.build("pedrammehr2012")
    figure = Figure(model)
    pose = np.array(model.home_pose)
    pose[:3] += 0.05 * rng.normal(size=3)
    q = model.configuration(pose=pose)
    placed = figure.place(q)
    for leg, span in enumerate(figure.spans):
        start, end = span.place(placed.position, placed.rotation)
        hip = np.array(model.robot.legs[leg].base.position)
        tip = placed.position[0] + placed.rotation[0] @ np.array(model.robot.legs[leg].on_platform.position)
        np.testing.assert_allclose(end, tip, atol=1e-9)
        along = (tip - hip) / np.linalg.norm(tip - hip)
        np.testing.assert_allclose(np.cross(start - hip, along), 0.0, atol=1e-9)


def test_boxes_have_the_inertia_of_their_bodies():
    size, mass, centre = np.array([0.2, 0.5, 0.9]), 3.0, np.array([0.1, -0.4, 0.2])
    central = mass / 12 * np.diag([size @ size - s * s for s in size])
    J = central + mass * (centre @ centre * np.eye(3) - np.outer(centre, centre))
    ten = np.array([mass, *(mass * centre), J[0, 0], J[0, 1], J[0, 2], J[1, 1], J[1, 2], J[2, 2]])
    mesh = inertia_box(ten, np.eye(3), 1e-3, 10.0)
    assert mesh is not None
    low, high = mesh.bounds()
    np.testing.assert_allclose((low + high) / 2, centre, atol=1e-6)
    np.testing.assert_allclose(high - low, size, rtol=1e-6)
    assert inertia_box(np.zeros(10), np.eye(3), 1e-3, 10.0) is None


def test_up_is_against_gravity():
    np.testing.assert_allclose(Figure(gough.build("bricard")).up, [0, 1, 0])
    np.testing.assert_allclose(Figure(gough.build("andrews")).up, [0, 0, 1])


def test_other_designs_are_drawn_as_they_are():
    model = gough.build("five_bar")
    names = [n for n in model.parameter_names if n.startswith("left_elbow") and n.endswith("x")]
    longer = model.parameters_with({names[0]: 0.5})
    assert Figure(model, parameters=longer).size > Figure(model).size


def test_world_pieces_do_not_move():
    figure = Figure(gough.build("delta"))
    assert any(piece.link == WORLD and piece.role == "base" for piece in figure.pieces)
