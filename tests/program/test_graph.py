"""Folding rules of the recording graph: what is recorded, by text; values are kept by other tests."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gough import scalar
from gough.program import Program, Slot, count, trace
from inner.program import Op


def record(*equations: Any, n: int = 3) -> Program:
    return trace(lambda x: {"y": [e(*x) for e in equations]}, [Slot("x", (n,))])


def operations(program: Program) -> list[str]:
    return [Op(op).name for op in program.ops if op > Op.CONST]


@pytest.mark.parametrize(
    ("equation", "expected"),
    [
        (lambda a, b, c: a + 0.0, []),
        (lambda a, b, c: 0.0 + a, []),
        (lambda a, b, c: a - 0.0, []),
        (lambda a, b, c: 0.0 - a, ["NEG"]),
        (lambda a, b, c: a * 1.0, []),
        (lambda a, b, c: 1 * a, []),
        (lambda a, b, c: a / 1.0, []),
        (lambda a, b, c: a * -1.0, ["NEG"]),
        (lambda a, b, c: 0.0 - (-a), []),
        (lambda a, b, c: a * (-b), ["MUL", "NEG"]),
        (lambda a, b, c: a + (-b), ["SUB"]),
        (lambda a, b, c: a - (-b), ["ADD"]),
        (lambda a, b, c: (-a) - b, ["ADD", "NEG"]),
        (lambda a, b, c: 2.0 * (3.0 * a), ["MUL"]),
        (lambda a, b, c: a / 4.0, ["MUL"]),
        (lambda a, b, c: (-a) / b, ["DIV", "NEG"]),
        (lambda a, b, c: scalar.sin(-a), ["SIN", "NEG"]),
        (lambda a, b, c: scalar.cos(-a), ["COS"]),
        (lambda a, b, c: scalar.abs_(-a), ["ABS"]),
        (lambda a, b, c: scalar.sign(-a), ["SIGN", "NEG"]),
        (lambda a, b, c: scalar.select(a, b, b), []),
        (lambda a, b, c: a + a, ["MUL"]),
    ],
)
def test_simplified_while_recording(equation: Any, expected: list[str]) -> None:
    assert operations(record(equation)) == expected


@pytest.mark.parametrize(
    ("equation", "value"),
    [
        (lambda a, b, c: a - a, 0.0),
        (lambda a, b, c: a * 0.0, 0.0),
        (lambda a, b, c: 0.0 / a, 0.0),
        (lambda a, b, c: a / a, 1.0),
        (lambda a, b, c: (a + b) - (b + a), 0.0),
        (lambda a, b, c: (a - b) + (b - a), 0.0),
        (lambda a, b, c: a * b - b * a, 0.0),
        (lambda a, b, c: scalar.sin(a) - scalar.sin(a), 0.0),
    ],
)
def test_folds_to_a_number(equation: Any, value: float) -> None:
    """Results that fold come back as floats while recording, so structure can branch on them."""
    seen: list[Any] = []
    trace(lambda x: {"y": seen.append(equation(*x)) or 0.0}, [Slot("x", (3,))])
    assert type(seen[0]) is float and seen[0] == value


def test_constants_fold_as_python_computes_them() -> None:
    def equations(x: Any) -> dict[str, Any]:
        from math import atan2, cos, sin, sqrt

        zero = x[0] - x[0]
        assert scalar.sin(zero + 1.0) == sin(1.0) and scalar.cos(zero + 1.0) == cos(1.0)
        assert scalar.sqrt(zero + 2.0) == sqrt(2.0) and scalar.atan2(zero + 1.0, -2.0) == atan2(1.0, -2.0)
        assert scalar.abs_(zero - 3.0) == 3.0 and scalar.sign(zero - 3.0) == -1.0
        assert scalar.select(zero - 3.0, 1.0, 2.0) == 2.0 and scalar.select(zero, 1.0, 2.0) == 2.0
        return {"y": x[0]}

    trace(equations, [Slot("x", (1,))])


def test_common_subexpressions_are_shared() -> None:
    program = record(lambda a, b, c: a * b + c, lambda a, b, c: c + b * a, lambda a, b, c: (b - a) * (a - b))
    assert operations(program).count("MUL") == 2
    assert operations(program).count("ADD") == 1
    assert operations(program).count("SUB") == 1


def test_sharing_across_many_copies() -> None:
    one = record(lambda a, b, c: scalar.sin(a * b) / c)
    many = record(*[lambda a, b, c: scalar.sin(b * a) / c] * 20)
    assert operations(one) == operations(many)


@pytest.mark.parametrize("seed", range(10))
def test_folding_never_adds_work(seed: int) -> None:
    """Random expressions with constants 0, 1, -1 and 2: never more operations than were written."""
    rng = np.random.default_rng(seed)
    written = 0

    def equations(x: Any) -> dict[str, Any]:
        nonlocal written
        pool: list[Any] = [*x, 0.0, 1.0, -1.0, 2.0, 3.0]
        for _ in range(60):
            a, b = (pool[int(k)] for k in rng.integers(len(pool), size=2))
            kind = int(rng.integers(4))
            if kind == 3 and not hasattr(b, "tracer") and b == 0.0:
                continue
            if hasattr(a, "tracer") or hasattr(b, "tracer"):
                written += 1
            pool.append([lambda a, b: a + b, lambda a, b: a - b, lambda a, b: a * b, lambda a, b: a / b][kind](a, b))
        return {"y": pool[-20:]}

    assert count(trace(equations, [Slot("x", (4,))])).operations <= written
