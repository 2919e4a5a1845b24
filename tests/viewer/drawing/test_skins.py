"""Skins of flexible bodies: where frames are tied they are where the model has the frames."""

from functools import cache

import numpy as np
import pytest

import gough
from gough.viewer.drawing._skin import Skin, turn_vectors
from inner.viewer import Figure, Mesh
from viewer.drawing.surfaces import open_edges

FLEXIBLE = (
    "long2014",
    "dualemps",
    "dualemps_8",
    "spin_up_beam",
    "flexible_slider_crank",
    "hexapod_flexible",
    "delta_flexible",
)
pytestmark = pytest.mark.filterwarnings("ignore::gough.UnphysicalInertiaWarning")


@cache
def drawn(name: str) -> Figure:
    return Figure(gough.build(name))


def bent(model: gough.Model, rng: np.random.Generator, part: float = 0.3) -> np.ndarray:
    """Home with random elastic coordinates; loops stay open."""
    q = np.array(model.home)
    for i in model.mechanism.flexible:
        elastic = model.mechanism.links[i].elastic
        assert elastic is not None
        q[elastic.coordinates] = part * np.array(elastic.units) * rng.normal(size=elastic.modes)
    return q


@pytest.mark.quick_cases("long2014", "dualemps_8")
@pytest.mark.parametrize("name", FLEXIBLE)
def test_tied_frames_are_on_the_skin(name: str, rng: np.random.Generator):
    figure = drawn(name)
    model = figure.model
    q = bent(model, rng)
    placed = figure.place(q)
    skins = {skin.link: skin for skin in figure.skins}
    assert set(skins) == set(model.mechanism.flexible)
    checked = 0
    for i, link in enumerate(model.mechanism.links):
        if link.tie is None:
            continue
        skin = skins[link.parent]
        stations = skin.surface.rest + skin.displacement(q)
        world = stations @ placed.rotation[skin.link].T + placed.position[skin.link]
        rest = model.mechanism.links[skin.link].to_user @ model.parameters[list(link.placement[:3])]
        at = np.flatnonzero(np.linalg.norm(skin.surface.rest - rest, axis=1) < 1e-9)
        assert len(at), f"no station of {skin.name} at {rest}"
        np.testing.assert_allclose(world[at], np.tile(placed.position[i], (len(at), 1)), atol=1e-9)
        if not (link.tie and link.tie.as_point):  # sections turn as frames do; the frame's axes are the body's
            arm = np.array([0.3, -0.2, 0.5])
            turn = np.einsum("kam,m->ka", skin.surface.turnings[at], q[skin.coordinates])
            expected = placed.rotation[skin.link].T @ placed.rotation[i] @ arm
            np.testing.assert_allclose(turn_vectors(turn, arm), np.tile(expected, (len(at), 1)), atol=1e-9)
        checked += 1
    assert checked


@pytest.mark.parametrize("name", FLEXIBLE)
def test_skins_are_closed_and_keep_their_volume_at_rest(name: str):
    for skin in drawn(name).skins:
        mesh = Mesh(skin.undeformed, skin.surface.faces)
        assert open_edges(mesh) == 0
        assert mesh.volume() > 0


@pytest.mark.parametrize("name", ["hexapod_flexible", "spin_up_beam"])
def test_batches_and_rest(name: str, rng: np.random.Generator):
    model = drawn(name).model
    q = np.stack([bent(model, rng) for _ in range(6)]).reshape(2, 3, -1)
    for skin in drawn(name).skins:
        all_of_them = skin.vertices(q)
        assert all_of_them.shape == (2, 3, len(skin.surface.station), 3)
        np.testing.assert_allclose(all_of_them[1, 2], skin.vertices(q[1, 2]), atol=1e-12)
        rest = q.copy()
        rest[..., model.layout.elastic] = 0.0
        assert skin.deflection(rest).max() == pytest.approx(0.0, abs=1e-15)
        assert skin.deflection(q).max() > 0


def test_a_cantilever_bends_to_its_cubic(rng: np.random.Generator):
    """Between the two nodes of one element the line is that of a beam under a force at its tip."""
    model = drawn("dualemps").model
    skin: Skin = drawn("dualemps").skins[0]
    length = np.ptp(skin.surface.rest[:, 0])
    tip = skin.surface.rest[:, 0].argmax()
    # Coordinates that make the tip move by w and turn by 3 w / 2 L, as a force there does.
    A = np.array([skin.surface.shapes[tip, 1], skin.surface.turnings[tip, 2], skin.surface.shapes[tip, 0]])
    q = np.zeros(model.layout.nq)
    q[skin.coordinates] = np.linalg.solve(A, [0.01, 1.5 * 0.01 / length, 0.0])
    x = (skin.surface.rest[:, 0] - skin.surface.rest[:, 0].min()) / length
    np.testing.assert_allclose(skin.displacement(q)[:, 1], 0.01 * (3 * x**2 - x**3) / 2, atol=1e-12)


def test_exaggeration_closes_loops_again(rng: np.random.Generator):
    figure = drawn("hexapod_flexible")
    model = figure.model
    elastic = bent(model, rng, 0.05)[model.layout.elastic]
    q = model.configuration(pose=model.home_pose, elastic=elastic)
    more = figure.exaggerated_configuration(q, 10.0)
    np.testing.assert_allclose(more[model.layout.elastic], 10 * elastic, rtol=1e-12)
    np.testing.assert_allclose(more[:7], q[:7], atol=1e-12)
    assert model.closure_error(more) < 1e-9
    assert figure.exaggerated_configuration(q, 1.0) is q


def test_loops_that_cannot_close_are_drawn_open(rng: np.random.Generator):
    figure = drawn("hexapod_flexible")
    model = figure.model
    q = bent(model, rng, 1.0)
    open_one = figure.exaggerated_configuration(q, 1e4)
    np.testing.assert_allclose(open_one[model.layout.elastic], 1e4 * q[model.layout.elastic], rtol=1e-12)
    assert np.isfinite(open_one).all()
