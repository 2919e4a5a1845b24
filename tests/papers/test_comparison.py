"""Verdicts of comparisons."""

import math

import pytest

from gough_papers.comparison import apart, at_least, at_most, equals


def test_equal_numbers_agree():
    c = equals("f", [1.0, -2.0], [1.04, -2.01], "N", 0.05, "paper")
    assert c.within and c.verdict == "agrees" and c.difference == pytest.approx(-0.04)
    far = equals("f", [1.0, -2.0], [1.04, -2.06], "N", 0.05, "paper")
    assert not far.within and far.verdict == "DIFFERS" and far.difference == pytest.approx(0.06)


def test_relative_differences():
    c = equals("w", [101.0, -49.0], [100.0, -50.0], "rad/s", 0.021, "paper", relative=True)
    assert c.difference == pytest.approx(0.02) and c.within


@pytest.mark.parametrize(("ours", "within"), [([91.0], True), ([93.0], False), ([89.0], False), ([100.0], False)])
def test_a_known_error_must_have_its_size(ours, within):
    """A table that is known to be off by 8 to 10 % is matched neither by what agrees with it nor by what is elsewhere."""
    c = apart("w", ours, [100.0], "rad/s", (0.08, 0.10), "paper")
    assert c.within is within and c.verdict == ("differs as known" if within else "DIFFERS OTHERWISE")


def test_bounds():
    assert at_most("e", 1e-12, 1e-10, "m", "").within and not at_most("e", 1e-9, 1e-10, "m", "").within
    assert at_least("e", 2.0, 1.0, "m", "").within and at_least("e", 0.5, 1.0, "m", "").verdict == "FAILS"


def test_nan_never_agrees():
    for made in (
        equals("f", [1.0, math.nan], [1.0, 2.0], "N", 1e9, ""),
        apart("f", math.nan, 1.0, "N", (0.0, 1.0), ""),
        at_most("f", math.nan, 1.0, "N", ""),
        at_least("f", math.nan, 1.0, "N", ""),
    ):
        assert not made.within and math.isnan(made.difference)


def test_as_many_as_are_known():
    with pytest.raises(ValueError, match="2 numbers beside 1"):
        equals("f", [1.0, 2.0], [1.0], "N", 0.1, "")
