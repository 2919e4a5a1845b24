"""What a body would take is estimated before it is taken: refused with the number and the remedy."""

import re

import numpy as np
import pytest

from gough.errors import UsageError
from gough.fem import Circle, Material, Nodal, NodeTie, beam_elements, plate_elements, reduce, solid_elements
from gough.fem._memory import VARIABLE

STEEL = Material(2.1e11, 7850.0, 0.3)
STRIP = [(0.0, 0.0), (0.5, 0.0), (0.5, 0.08), (0.0, 0.08)]


def around(corners):
    angle = np.arange(corners) * 2 * np.pi / corners
    return np.stack([np.cos(angle), np.sin(angle)], axis=1)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (
            lambda: plate_elements(STRIP, 0.004, STEEL, size=0.002, theory="mindlin"),
            r"23256 triangles.*10\.7 GB.*size: .* mm",
        ),
        (lambda: plate_elements(STRIP, 0.004, STEEL, size=1e-9), "GB of memory"),
        (lambda: beam_elements([(0, 0, 0), (1, 0, 0)], Circle(0.01), STEEL, elements=10**9), "1000000000 elements"),
        (lambda: beam_elements(np.random.default_rng(0).random((20_000, 3)), Circle(0.01), STEEL), "20000 points"),
        (
            lambda: reduce(
                beam_elements([(0, 0, 0), (1, 0, 0)], Circle(0.01), STEEL, elements=3000),
                Nodal("r"),
                {"r": NodeTie((0, 0, 0))},
            ),
            "nodal coordinates: 18006",
        ),
        (lambda: plate_elements(around(5000), 0.004, STEEL, size=0.2), "5000 corners"),
    ],
)
def test_what_would_take_too_much_is_refused_with_the_remedy(make, words):
    with pytest.raises(UsageError, match=words):
        make()


@pytest.mark.slow
@pytest.mark.parametrize("width", [1e-6, *(pytest.param(w, marks=pytest.mark.slow) for w in (1e-4, 1e-8))])
def test_slivers_end(width):
    with pytest.raises(UsageError, match=r"too narrow at.*wider"):
        plate_elements([(0, 0), (1, 0), (1, width), (0, width)], 0.004, STEEL, size=0.1)


@pytest.mark.slow
@pytest.mark.parametrize("corners", [1500, 2000])
def test_outlines_of_many_corners_end(corners):
    with pytest.raises(UsageError, match="fewer corners"):
        plate_elements(around(corners), 0.004, STEEL, size=0.2)


def test_an_outline_of_short_sides_has_elements_as_large_as_asked_for():
    """They grow from the boundary inwards; the lattice was as fine as the longest side everywhere."""
    body = plate_elements(around(100), 0.004, STEEL, size=0.4, theory="kirchhoff")
    corner = body.nodes[body.cells]
    longest = np.linalg.norm(corner - np.roll(corner, 1, axis=1), axis=2).max()
    assert longest > 0.2 and len(body.cells) < 1000
    assert body.mass.sum() == pytest.approx(7850 * 0.004 * 50 * np.sin(2 * np.pi / 100), rel=1e-9)


def test_the_limit_is_stated_and_can_be_raised(monkeypatch):
    size = 0.02
    monkeypatch.setenv(VARIABLE, "0.01")
    with pytest.raises(UsageError, match=r"may take 0\.01 GB") as refused:
        plate_elements(STRIP, 0.004, STEEL, size=size, theory="kirchhoff")
    asked = re.search(r"size: ([\d.e+]+) mm", str(refused.value))
    assert asked is not None
    plate_elements(STRIP, 0.004, STEEL, size=float(asked[1]) / 1e3, theory="kirchhoff")  # what is proposed fits
    monkeypatch.setenv(VARIABLE, "1")
    plate_elements(STRIP, 0.004, STEEL, size=size, theory="kirchhoff")
    monkeypatch.setenv(VARIABLE, "much")
    with pytest.raises(UsageError, match="positive number of GB"):
        plate_elements(STRIP, 0.004, STEEL, size=size, theory="kirchhoff")


def test_a_solid_of_too_many_cells(monkeypatch):
    nodes = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]])
    monkeypatch.setenv(VARIABLE, "1e-6")
    with pytest.raises(UsageError, match=r"1 cells and 4 nodes.*coarser mesh"):
        solid_elements(nodes, np.array([[0, 1, 2, 3]]), STEEL)
