"""Verdicts of comparisons, and how they are counted."""

import math

import pytest

from gough_papers.comparison import (
    INDEPENDENT,
    Tolerance,
    at_least,
    at_most,
    equals,
    exact,
    half_digit,
    not_reproduced,
    paper_origin,
    tally,
)

PAPER = paper_origin("Table 1")


def test_equal_numbers_agree():
    c = equals("f", [1.0, -2.0], [1.04, -2.01], "N", half_digit(0.05), PAPER)
    assert c.within and c.verdict == "agrees" and c.difference == pytest.approx(-0.04)
    far = equals("f", [1.0, -2.0], [1.04, -2.06], "N", half_digit(0.05), PAPER)
    assert not far.within and far.verdict == "DIFFERS" and far.difference == pytest.approx(0.06)


def test_relative_differences():
    c = equals("w", [101.0, -49.0], [100.0, -50.0], "rad/s", Tolerance(0.021, "a scale", relative=True), PAPER)
    assert c.difference == pytest.approx(0.02) and c.within


@pytest.mark.parametrize(("ours", "verdict"), [(91.0, "not reproduced"), (100.02, "agrees"), (math.nan, "DIFFERS")])
def test_a_number_that_is_known_not_to_come_out_is_no_failure_and_no_agreement(ours, verdict):
    c = not_reproduced("w", ours, 100.0, "rad/s", half_digit(0.05), PAPER, note="nobody knows why")
    assert c.verdict == verdict and c.agrees is (verdict == "agrees") and c.within is (verdict != "DIFFERS")


def test_bounds():
    low, high = at_most("e", 1e-12, 1e-10, "m", INDEPENDENT, "small"), at_least("e", 0.5, 1.0, "m", PAPER, "large")
    assert low.within and not at_most("e", 1e-9, 1e-10, "m", PAPER, "small").within
    assert high.verdict == "FAILS" and at_least("e", 2.0, 1.0, "m", PAPER, "large").within
    assert low.kind == high.kind == "bound"


def test_nan_never_agrees():
    for made in (
        equals("f", [1.0, math.nan], [1.0, 2.0], "N", half_digit(1e9), PAPER),
        not_reproduced("f", math.nan, 1.0, "N", half_digit(1.0), PAPER, note=""),
        at_most("f", math.nan, 1.0, "N", PAPER, ""),
        at_least("f", math.nan, 1.0, "N", PAPER, ""),
    ):
        assert not made.within and math.isnan(made.difference)


def test_as_many_as_are_known():
    with pytest.raises(ValueError, match="2 numbers beside 1"):
        equals("f", [1.0, 2.0], [1.0], "N", half_digit(0.1), PAPER)


def test_kinds_are_counted_apart():
    made = [
        equals("energy", 0.0, 0.0, "J", half_digit(0.1), exact("a balance")),
        equals("f", [1.0, 2.0], [1.0, 2.0], "N", half_digit(0.1), PAPER),
        not_reproduced("w", [1.0, 2.0, 9.0], [1.0, 2.0, 3.0], "rad/s", half_digit(0.1), PAPER, note="open"),
        equals("g", 5.0, 4.0, "N", half_digit(0.1), PAPER),
    ]
    first, last = tally(made)
    assert (first.kind, first.comparisons, first.agreeing, first.open, first.failed) == ("printed", 3, 1, 1, 1)
    assert (first.numbers, first.numbers_agreeing) == (6, 4)  # two of the three of w come out
    assert first.words == "1 of 3 (1 not reproduced, 1 FAILED)"
    assert (last.kind, last.words) == ("identity", "1 of 1")
