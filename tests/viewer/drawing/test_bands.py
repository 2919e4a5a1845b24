"""Cutting a surface into bands: nothing lost, nothing doubled, every point in its band."""

import numpy as np
import pytest

from gough.viewer.drawing._solids import sphere
from inner.viewer import Banded, merge_meshes, scale_colours
from viewer.drawing.surfaces import area, open_edges

BALL = sphere(1.0, 30)
PLACES = BALL.vertices.astype(float)
FIELDS = {
    "height": (PLACES[:, 2] + 1) / 2,
    "wild": np.random.default_rng(5).uniform(size=len(PLACES)),
    "none": np.zeros(len(PLACES)),
    "all": np.ones(len(PLACES)),
    "on levels": np.round(np.random.default_rng(6).uniform(size=len(PLACES)) * 8) / 8,
    "beyond": 3.0 * PLACES[:, 0],
}


@pytest.mark.parametrize("name", FIELDS)
def test_bands_make_up_the_surface(name: str):
    parts = Banded(BALL.faces, 8).cut(PLACES, FIELDS[name])
    assert len(parts) == 8
    assert sum(map(area, parts)) == pytest.approx(area(BALL), rel=1e-5)
    assert sum(part.volume() for part in parts) == pytest.approx(BALL.volume(), rel=1e-5)


def test_cuts_meet():
    assert open_edges(merge_meshes(Banded(BALL.faces, 8).cut(PLACES, FIELDS["height"]))) == 0


def test_a_linear_value_is_cut_where_it_says():
    for k, part in enumerate(Banded(BALL.faces, 5).cut(PLACES, FIELDS["height"])):
        heights = (part.vertices[:, 2] + 1) / 2 * 5
        assert heights.min() >= k - 1e-5
        assert heights.max() <= k + 1 + 1e-5


def test_faces_can_be_left_out():
    shown = np.arange(len(BALL.faces)) % 2 == 0
    kept = type(BALL)(PLACES, BALL.faces[shown])
    assert sum(map(area, Banded(BALL.faces, 4).cut(PLACES, FIELDS["wild"], shown))) == pytest.approx(
        area(kept), rel=1e-5
    )


def test_colours_grow_lighter_evenly():
    colours = scale_colours(16) / 255.0
    linear = np.where(colours <= 0.04045, colours / 12.92, ((colours + 0.055) / 1.055) ** 2.4)
    lightness = (
        116 * np.cbrt(linear @ np.array([0.2126, 0.7152, 0.0722])) - 16
    )  # CIE L*, another space than the table's
    steps = np.diff(lightness)
    assert np.all(steps > 0)
    assert steps.max() < 2.0 * steps.min()
