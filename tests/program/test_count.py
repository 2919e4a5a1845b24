"""Counting rules: unary minus is free; square, 2x and 1/x count one multiplication; roots and sines are kept apart."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gough import scalar
from gough.errors import Status
from gough.program import Slot, count, trace

RULES = [  # equation of (a, b, c), then add mul div sqrt trig
    ("unary minus", lambda a, b, c: -a, (0, 0, 0, 0, 0)),
    ("minus of a product", lambda a, b, c: -(a * b), (0, 1, 0, 0, 0)),
    ("sum", lambda a, b, c: a + b + c, (2, 0, 0, 0, 0)),
    ("difference", lambda a, b, c: a - b, (1, 0, 0, 0, 0)),
    ("twice", lambda a, b, c: 2.0 * a, (0, 1, 0, 0, 0)),
    ("a + a", lambda a, b, c: a + a, (0, 1, 0, 0, 0)),
    ("square", lambda a, b, c: a * a, (0, 1, 0, 0, 0)),
    ("cube", lambda a, b, c: a**3, (0, 2, 0, 0, 0)),
    ("reciprocal", lambda a, b, c: 1.0 / a, (0, 1, 0, 0, 0)),
    ("minus reciprocal", lambda a, b, c: -1.0 / a, (0, 1, 0, 0, 0)),
    ("quotient", lambda a, b, c: a / b, (0, 0, 1, 0, 0)),
    ("by a number", lambda a, b, c: a / 3.0, (0, 1, 0, 0, 0)),
    ("root", lambda a, b, c: scalar.sqrt(a), (0, 0, 0, 1, 0)),
    ("sine and cosine", lambda a, b, c: scalar.sin(a) + scalar.cos(a), (1, 0, 0, 0, 2)),
    ("arc tangent", lambda a, b, c: scalar.atan2(a, b), (0, 0, 0, 0, 1)),
    ("comparisons", lambda a, b, c: scalar.select(a, scalar.abs_(b), scalar.sign(c)), (0, 0, 0, 0, 0)),
    ("shared", lambda a, b, c: (a * b) * (a * b), (0, 2, 0, 0, 0)),
    ("dot", lambda a, b, c: scalar.dot([a, b], [scalar.sin(b), scalar.sin(c)]), (1, 2, 0, 0, 2)),
    ("norm", lambda a, b, c: scalar.norm([a, b, c]), (2, 3, 0, 1, 0)),
]


@pytest.mark.parametrize(("equation", "expected"), [r[1:] for r in RULES], ids=[r[0] for r in RULES])
def test_rule(equation: Any, expected: tuple[int, ...]) -> None:
    c = count(trace(lambda x: {"y": equation(*x)}, [Slot("x", (3,))]))
    assert (c.add, c.mul, c.div, c.sqrt, c.trig) == expected
    assert c.operations == c.add + c.mul + c.div
    assert c.operations_fma <= c.operations


def test_multiply_adds() -> None:
    c = count(trace(lambda x: {"y": x[0] * x[1] + x[2], "z": x[2] - x[0] * x[2]}, [Slot("x", (3,))]))
    assert (c.operations, c.operations_fma) == (4, 2)


def test_work_on_uniform_inputs_is_set_apart() -> None:
    slots = [Slot("x", (2,)), Slot("p", (2,), uniform=True)]
    c = count(trace(lambda x, p: {"y": x[0] * (p[0] * p[1] + p[1]) + p[0] * p[1]}, slots))
    assert (c.operations, c.uniform) == (2, 2)


def test_checks_are_not_counted() -> None:
    def equations(x: Any) -> dict[str, Any]:
        scalar.check(Status.RESIDUAL.at("x"), x[0] * x[1] * x[2], 0.0)
        return {"y": scalar.solve(np.array([[x[0], x[1]], [x[1], x[2]]]), x[:2], Status.SINGULAR.at("demo"))}

    c = count(trace(equations, [Slot("x", (3,))]))
    bare = count(trace(lambda x: {"y": scalar.solve(np.array([[x[0], x[1]], [x[1], x[2]]]), x[:2])}, [Slot("x", (3,))]))
    assert c == bare


TEXTBOOK = {  # operations of A x = b
    1: 1,
    2: 1 + 3 + 6 + 2,  # determinant, two numerators, scaled by one reciprocal
    3: 1 + 27 + 5 + 15 + 3,  # nine minors, determinant, three numerators, scaled
    4: 4 + 6 + 28 + 12 + 16,  # reciprocals, factors, updates, right-hand side, back substitution
    6: 6 + 15 + 110 + 30 + 36,
}


@pytest.mark.parametrize("n", TEXTBOOK)
def test_dense_solves_stay_within_textbook_counts(n: int) -> None:
    c = count(trace(lambda A, b: {"x": scalar.solve(A, b)}, [Slot("A", (n, n)), Slot("b", (n,))]))
    assert c.operations <= TEXTBOOK[n]
