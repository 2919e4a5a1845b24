"""Operations of DualEMPS: the paper's algorithm on symbols and a form made by hand compute what the transcription does, and take
as many operations as the references on file say."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from gough_papers.counting import counts_of
from papers.briot2014 import dualemps
from papers.briot2014.by_hand import direct_model
from papers.briot2014.closed import closed_model
from papers.briot2014.counted import count_paper
from papers.briot2014.symbols import Book
from papers.library import relative_error

TAU = np.array([120.0, -80.0])
TOLERANCE = 1e-10  # of the largest entry; chosen before any comparison
PAPER = "the paper's equations, counted by our rules"


@cache
def state():
    """Deformed, moving, closed."""
    return dualemps.states(False, 2)[2][1]


@cache
def known():
    """The transcription in numbers, without friction."""
    robot = dualemps.robot()
    none = np.zeros(robot.size)
    return closed_model(replace(robot, F_v=none, F_s=none), state())


def on_file(quantity, source):
    [found] = [k for k in counts_of("dualemps") if (k.quantity, k.source) == (quantity, source)]
    return found.count[0], found.count[1] + found.count[2]


@pytest.mark.parametrize("shared", [True, False])
def test_the_paper_s_algorithm_on_symbols(shared):
    found = count_paper(state(), TAU, shared)
    M, c, x = (found.book.values(found.inputs, y) for y in (found.M, found.c, found.accelerations))
    assert relative_error(M.ravel(), known().M.ravel()) <= TOLERANCE and relative_error(c, known().c) <= TOLERANCE
    load = np.concatenate([TAU, np.zeros(len(c) - 2)]) - known().c
    assert relative_error(x, np.linalg.solve(known().M, load)) <= TOLERANCE


@pytest.mark.parametrize("shared", [True, False])
def test_the_form_made_by_hand(shared):
    book, inputs, *legs = direct_model(state(), TAU, shared)
    ddq = known().forward(TAU)
    for found, places in zip(legs, ([5, 6, 7, 2, 3, 4, 1, 0], [10, 11, 12, 9, 8]), strict=True):
        assert relative_error(book.values(inputs, found), ddq[places]) <= TOLERANCE


def test_counts_on_file_are_these():
    shared, written = count_paper(state(), TAU), count_paper(state(), TAU, shared=False)
    assert on_file("mass matrix and bias force", PAPER) == shared.terms == (693, 844)
    assert on_file("complete direct model", PAPER) == shared.direct == (887, 1081)
    assert written.terms == (791, 1013) and written.direct == (988, 1259)  # docs/counts.md
    book, _, *legs = direct_model(state(), TAU)
    assert on_file("complete direct model", "made by hand") == book.count(*legs) == (479, 574)


def test_the_counter():
    """Signs, zeros and ones are free, order does not matter, work on parameters alone stands apart."""
    for shared, counted in ((True, (2, 3)), (False, (3, 5))):
        book = Book(shared)
        x, y, p = book.symbol("x"), book.symbol("y"), book.symbol("p", varying=False)
        found = np.array([x * y - y, y - y * x, -(x * 1.0) + 0.0, (p * p + 2.0) * x, x / y, x + x * y, p * 3.0], object)
        found = found if shared else found[:6]
        numbers = {"x": 3.0, "y": 5.0, "p": 7.0}
        want = [10.0, -10.0, -3.0, 153.0, 0.6, 18.0, 21.0][: len(found)]
        np.testing.assert_allclose(book.values(numbers, found), want)
        assert book.count(found) == counted
        assert isinstance(x - x, float) and isinstance(x * 0.0, float)
