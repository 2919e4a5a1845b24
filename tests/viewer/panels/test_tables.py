"""Small parts of the tabs: numbers, texts that may hold markup, gizmos for what is free."""

import numpy as np
import pytest

pytest.importorskip("viser")

from gough.viewer.panels._conditions import finite
from gough.viewer.panels._handle import gizmos
from gough.viewer.panels._tables import line, number, table


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (-0.0, "0"),
        (1234.56, "1235"),
        (1.23456e6, "1.235e6"),
        (4.2e-7, "4.2e-7"),
        (np.nan, "–"),
        (np.inf, "∞"),
    ],
)
def test_numbers_have_four_digits(value: float, text: str) -> None:
    assert number(value) == text


def test_names_are_no_markup() -> None:
    for made in (line("<b>x</b>"), table(["<i>"], [['"><script>']], [100])):
        assert "<b>" not in made and "<script>" not in made and "<i>" not in made


@pytest.mark.parametrize(
    ("free", "count", "arrows"),
    [
        ({"x", "y", "z", "yaw", "pitch", "roll"}, 1, (True, True, True)),
        ({"x", "y", "z"}, 1, (True, True, True)),
        ({"x", "y", "yaw"}, 1, (True, True, False)),
        ({"z", "roll", "pitch"}, 3, (False, False, True)),
        ({"roll", "pitch"}, 2, None),
        (set(), 0, None),
    ],
)
def test_a_handle_shows_what_is_free(free: set[str], count: int, arrows) -> None:
    made = gizmos(free)
    assert len(made) == count
    if arrows is not None:
        assert made[0][0]["active_axes"] == arrows
        assert made[0][0].get("disable_rotations", False) == (not free & {"yaw", "pitch", "roll"} or count > 1)


def test_what_a_page_sends_is_a_number() -> None:
    assert [finite(x) for x in ("3.5", None, "x", float("nan"), [1], float("inf"))] == [3.5, 0, 0, 0, 0, 0]
