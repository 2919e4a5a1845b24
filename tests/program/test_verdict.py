"""Careful evaluation: the first failed check is named, singular solves are found by condition, NaN inputs are said."""

import numpy as np
import pytest

from gough import scalar
from gough.errors import GOOD, Status
from gough.program import Slot, trace
from inner.program import evaluate_with_care, flat_inputs, reciprocal_condition


def program():
    def equations(x):
        scalar.check(Status.OUT_OF_REACH.at("leg0"), x[0], 0.0)
        scalar.check(Status.FOLDED.at("leg1"), x[1], 0.5)
        return {"y": [scalar.sqrt(x[0]), 1.0 / x[1]]}

    return trace(equations, [Slot("x", (2,))])


def test_names_of_failed_checks() -> None:
    values = np.array([[1.0, 1.0], [-1.0, 1.0], [1.0, 0.0], [-1.0, 0.0], [np.nan, 1.0], [1.0, np.inf]])
    _, failed = evaluate_with_care(program(), values)
    assert [str(failure) for failure in failed] == [
        "", "out_of_reach:leg0", "folded:leg1", "out_of_reach:leg0", "not_finite:input x", "not_finite:input x",
    ]  # fmt: skip


def test_a_value_at_its_minimum_passes() -> None:
    _, failed = evaluate_with_care(program(), np.array([[0.0, 0.5]]))
    assert failed == [GOOD]


def test_infinite_results_are_said() -> None:
    p = trace(lambda x: {"y": x[0] / x[1]}, [Slot("x", (2,))])
    _, failed = evaluate_with_care(p, np.array([[1.0, 0.0], [1.0, 1.0]]))
    assert failed == [Status.NOT_FINITE.at("result"), GOOD]


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
def test_condition_ignores_units(scale: float) -> None:
    """A diagonal matrix is never singular, whatever its units; a defective one always is."""
    good = np.array([[1.0, 0.2, 0], [0, scale, 0], [0.1, 0, 1.0]])
    bad = np.array([[1.0, 2.0, 0], [scale, 2 * scale, 0], [0, 0, 1.0]])
    rcond = reciprocal_condition(np.array([good, bad, np.full((3, 3), np.nan), np.zeros((3, 3))]))
    assert rcond[0] > 1e-2 and (rcond[1:] < 1e-13).all()


def test_flat_inputs_repeat_a_single_row() -> None:
    p = trace(lambda a, b: {"y": a + b}, [Slot("a", (2,)), Slot("b", (2,))])
    flat = flat_inputs(p, {"a": np.ones((3, 2)), "b": np.zeros((1, 2))}, 3)
    np.testing.assert_array_equal(flat, [[1, 1, 0, 0]] * 3)


def test_checks_and_solves_of_called_programs_count() -> None:
    def inner(x):
        scalar.check(Status.FOLDED.at("leg1"), x[1], 0.5)
        return {"y": scalar.solve(np.array([[x[0], 1.0], [1.0, 1.0]], dtype=object), x, Status.SINGULAR.at("solve"))}

    body = trace(inner, [Slot("x", (2,))])
    outer = trace(lambda x: {"y": scalar.call(body, 2.0 * x)}, [Slot("x", (2,))])
    values = np.array([[2.0, 1.0], [2.0, 0.1], [0.5, 1.0]])
    expected = ["", "folded:leg1", "singular:solve"]
    assert [str(f) for f in evaluate_with_care(outer, values)[1]] == expected
    assert [str(evaluate_with_care(outer, row[None])[1][0]) for row in values] == expected
