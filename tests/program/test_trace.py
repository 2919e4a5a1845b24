"""Recording: traced values refuse to be numbers, inputs keep their places, notes and checks survive."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import pytest

from gough import scalar
from gough.errors import Status
from gough.program import Slot, evaluate, to_text, trace

ONE = [Slot("x", (2,))]


@pytest.mark.parametrize(
    "misuse",
    [
        bool,
        float,
        int,
        lambda x: x == 1.0,
        lambda x: x != 1.0,
        lambda x: x < 1.0,
        lambda x: x >= 1.0,
        lambda x: 1.0 if x else 2.0,
        lambda x: x**0.5,
        lambda x: x**-1,
        lambda x: 2.0**x,
        lambda x: np.sqrt(np.array([1.0, x], dtype=object)),
        lambda x: max(x, 0.0),
        lambda x: np.array([x], dtype=float),
    ],
)
def test_traced_values_are_no_numbers(misuse: Any) -> None:
    with pytest.raises((TypeError, AttributeError)):
        trace(lambda x: {"y": misuse(x[0])}, ONE)


@pytest.mark.parametrize("exponent", [1, 2, 3, 5])
def test_integer_powers(exponent: int) -> None:
    program = trace(lambda x: {"y": x[0] ** exponent}, ONE)
    assert evaluate(program, {"x": np.array([1.7, 0.0])})["y"] == pytest.approx(1.7**exponent, rel=1e-15)


@pytest.mark.parametrize("op", [operator.add, operator.sub, operator.mul, operator.truediv])
@pytest.mark.parametrize("other", [2, 2.5, np.float64(2.5), np.int64(2)], ids=["int", "float", "float64", "int64"])
def test_numbers_of_any_type_on_either_side(op: Any, other: Any) -> None:
    program = trace(lambda x: {"y": [op(x[0], other), op(other, x[1])]}, ONE)
    y = evaluate(program, {"x": np.array([3.0, 4.0])})["y"]
    np.testing.assert_allclose(y, [op(3.0, float(other)), op(float(other), 4.0)], rtol=3e-16)


def test_arrays_of_traced_values() -> None:
    A = np.arange(4.0).reshape(2, 2) + 1
    program = trace(lambda x: {"y": A @ x + 1.0, "z": x * A, "s": 2.0 - x}, ONE)
    x = np.array([0.3, 0.7])
    out = evaluate(program, {"x": x})
    np.testing.assert_allclose(out["y"], A @ x + 1, rtol=1e-15)
    np.testing.assert_allclose(out["z"], x * A, rtol=1e-15)
    np.testing.assert_allclose(out["s"], 2 - x, rtol=1e-15)


def test_slots_and_shapes() -> None:
    slots = [Slot("a", (2, 3)), Slot("b", ()), Slot("c", (0,))]
    program = trace(lambda a, b, c: {"y": a.T * b, "none": c, "scalar": a[1, 2]}, slots)
    a = np.arange(6.0).reshape(2, 3)
    out = evaluate(program, {"a": a, "b": np.array(2.0), "c": np.zeros(0)})
    np.testing.assert_array_equal(out["y"], 2 * a.T)
    assert out["none"].shape == (0,) and out["scalar"] == 5.0


def test_values_take_the_place_of_inputs() -> None:
    program = trace(lambda x: {"y": x[0] * x[1] + x[1]}, ONE, values={"x": {0: 0.0}})
    assert len([op for op in program.ops if op > 1]) == 0
    assert evaluate(program, {"x": np.array([99.0, 4.0])})["y"] == 4.0


def test_notes_survive_to_the_text() -> None:
    def equations(x: Any) -> dict[str, Any]:
        with scalar.note("F_P [Long 2014, eq. 37]"):
            inner = x[0] * x[1]
        with scalar.note("F_T"):
            return {"y": scalar.sin(inner)}

    lines = to_text(trace(equations, ONE)).splitlines()
    note = lines.index("# -- F_P [Long 2014, eq. 37]")
    assert lines[note + 1] == "t0 = x[0] * x[1]"
    assert lines[note + 2] == "# -- F_T" and lines[note + 3] == "t1 = sin(t0)"


def test_notes_survive_passes_and_derivatives() -> None:
    from inner.program import contract_multiply_add, expand_blocks, jacobian

    def equations(x: Any) -> dict[str, Any]:
        with scalar.note("solved here"):
            return {"y": scalar.solve(np.array([[x[0], x[1]], [-x[1], x[0]]]), x)}

    program = trace(equations, ONE)
    for changed in (expand_blocks(program), contract_multiply_add(expand_blocks(program)), jacobian(program, "x")):
        assert "# -- solved here" in to_text(changed)


def test_checks_are_kept_unless_they_always_hold() -> None:
    def equations(x: Any) -> dict[str, Any]:
        scalar.check(Status.RESIDUAL.at("first"), x[0], 0.5)
        scalar.check(Status.RESIDUAL.at("always"), x[0] - x[0] + 1.0, 0.5)
        return {"y": x[1]}

    assert [str(c.failure) for c in trace(equations, ONE).checks] == ["residual:first"]


def test_a_check_that_never_holds_is_said_while_recording() -> None:
    def equations(x: Any) -> dict[str, Any]:
        scalar.check(Status.RESIDUAL.at("never"), x[0] - x[0], 0.5)
        return {"y": x[1]}

    with pytest.raises(scalar.CheckError, match="residual:never"):
        trace(equations, ONE)


def test_a_value_of_another_recording_is_refused() -> None:
    kept: list[Any] = []
    trace(lambda x: {"y": kept.append(x[0] * x[1]) or x[0]}, ONE)
    with pytest.raises(Exception, match=r"."):
        trace(lambda x: {"y": x[0] + kept[0]}, ONE)
