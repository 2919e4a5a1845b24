"""The vocabulary means the same on floats, NumPy numbers, traced scalars, mpmath numbers and CasADi symbols."""

from __future__ import annotations

import math
from typing import Any

import casadi as ca
import mpmath as mp
import numpy as np
import pytest

from gough import scalar
from gough.errors import Status
from gough.program import Slot, evaluate, trace

POINTS = [(0.7, -1.3, 2.1), (-0.7, 1.3, 0.4), (1e-3, 5.0, -2.0), (2.0, 2.0, 2.0)]


def words(a: Any, b: Any, c: Any) -> list[Any]:
    """Every word of the vocabulary on three scalars; b² + 1 > 0."""
    vector = np.array([a, b, c], dtype=object)
    A = np.array([[3.0 + a * a, b, 0.0], [c, 4.0 + b * b, a], [0.5, 0.0, 5.0 + c * c]], dtype=object)
    S = A @ A.T
    return [
        scalar.sin(a),
        scalar.cos(b),
        scalar.sqrt(b * b + 1.0),
        scalar.atan2(a, b),
        scalar.atan2(1.0, b),
        scalar.atan2(a, -2.0),
        scalar.abs_(b),
        scalar.sign(b),
        scalar.select(a, b, c),
        scalar.dot(vector, vector),
        scalar.norm(vector),
        *scalar.solve(A, vector),
        *scalar.solve(A, np.array([vector, vector[::-1]]).T).ravel(),
        *scalar.solve_spd(S, vector),
        *scalar.solve_constrained(S[:2, :2], S[2:, :2], vector),
        *scalar.constant_matvec(np.arange(6.0).reshape(2, 3), vector),
        *(z + a for z in scalar.zeros(2)),
    ]


def expected(a: float, b: float, c: float) -> np.ndarray:
    """The same written with NumPy on plain floats."""
    v = np.array([a, b, c])
    A = np.array([[3 + a * a, b, 0], [c, 4 + b * b, a], [0.5, 0, 5 + c * c]])
    two = np.linalg.solve(A, np.array([v, v[::-1]]).T)
    head = [math.sin(a), math.cos(b), math.sqrt(b * b + 1), math.atan2(a, b), math.atan2(1, b), math.atan2(a, -2)]
    head += [abs(b), np.sign(b), b if a > 0 else c, v @ v, np.linalg.norm(v)]
    S = A @ A.T
    held = np.block([[S[:2, :2], S[:2, 2:]], [S[2:, :2], np.zeros((1, 1))]])
    tail = [np.linalg.solve(A, v), two.ravel(), np.linalg.solve(S, v), np.linalg.solve(held, v)]
    tail += [np.arange(6.0).reshape(2, 3) @ v, [a, a]]
    return np.concatenate([head, *tail])


@pytest.mark.parametrize("point", POINTS)
def test_floats(point: tuple[float, float, float]) -> None:
    np.testing.assert_allclose(np.array(words(*point), float), expected(*point), rtol=1e-13)


@pytest.mark.parametrize("point", POINTS)
def test_numpy_numbers(point: tuple[float, float, float]) -> None:
    found = words(*(np.float64(x) for x in point))
    np.testing.assert_allclose(np.array(found, float), expected(*point), rtol=1e-13)


@pytest.mark.parametrize("point", POINTS)
def test_traced(point: tuple[float, float, float]) -> None:
    program = trace(lambda x: {"y": words(*x)}, [Slot("x", (3,))])
    np.testing.assert_allclose(evaluate(program, {"x": np.array(point)})["y"], expected(*point), rtol=1e-13)


@pytest.mark.parametrize("point", POINTS)
def test_mpmath(point: tuple[float, float, float]) -> None:
    with mp.workdps(50):
        found = words(*(mp.mpf(x) for x in point))
        np.testing.assert_allclose([float(x) for x in found], expected(*point), rtol=1e-13)
        assert abs(found[0] - mp.sin(mp.mpf(point[0]))) < mp.mpf(10) ** -48, "no digits are lost"


@pytest.mark.parametrize("point", POINTS)
def test_casadi(point: tuple[float, float, float]) -> None:
    x = ca.SX.sym("x", 3)
    found = np.array(words(*scalar.casadi_symbols(x)), dtype=object)
    f = ca.Function("f", [x], [scalar.casadi_vector(found)])
    np.testing.assert_allclose(np.asarray(f(point).full()).ravel(), expected(*point), rtol=1e-12)


def test_checks_on_plain_numbers_raise_or_are_recorded() -> None:
    scalar.check(Status.RESIDUAL.at("x"), 1.0, 0.5)
    with pytest.raises(scalar.CheckError, match=r"residual:x: 0\.25 is below 0\.5"):
        scalar.check(Status.RESIDUAL.at("x"), 0.25, 0.5)
    with pytest.raises(scalar.CheckError):
        scalar.check(Status.RESIDUAL.at("x"), math.nan, 0.5)
    with scalar.recording_checks() as seen:
        scalar.check(Status.RESIDUAL.at("x"), 0.25, 0.5)
    assert seen == [(Status.RESIDUAL.at("x"), 0.25, 0.5)]


def test_empty_systems() -> None:
    assert scalar.solve(np.zeros((0, 0)), np.zeros(0)).shape == (0,)


def test_notes_nest() -> None:
    from gough.scalar.remarks import current_note

    assert current_note() == ""
    with scalar.note("outer"):
        with scalar.note("inner"):
            assert current_note() == "inner"
        assert current_note() == "outer"
    assert current_note() == ""
