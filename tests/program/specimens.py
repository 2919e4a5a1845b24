"""Programs to test with: one for every operation and block, and random ones that use all of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gough import scalar
from gough.errors import Status
from gough.program import Program, Slot, trace

N = 6
"""Scalar inputs of a specimen; all are meant to lie in (0.5, 1.5)."""

Equations = Callable[[Any], list[Any]]


def _sub(x: Any) -> list[Any]:
    return [x[0] * x[1] + scalar.sin(x[2]), x[2] / (x[0] + 2.0)]


SUB_PROGRAM = trace(lambda x: {"y": _sub(x)}, [Slot("x", (3,))], "sub-program")


def _matrix(x: Any, n: int, sparse: bool = False) -> np.ndarray:
    """A well conditioned matrix (n, n) of the inputs; `sparse` leaves structural zeros in it."""
    rng = np.random.default_rng(n)
    keep = rng.random((n, n)) < (0.45 if sparse else 2.0)
    A = np.full((n, n), 0.0, dtype=object)
    for i in range(n):
        for j in range(n):
            if i == j:
                A[i, j] = 3.0 + x[i % N] * x[(i + 1) % N]
            elif keep[i, j]:
                A[i, j] = 0.4 * scalar.sin(x[(i + 2 * j) % N] + i - j)
    return A


def _spd(x: Any, n: int) -> np.ndarray:
    A = _matrix(x, n)
    return A @ A.T


OPERATIONS: dict[str, Equations] = {
    "add": lambda x: [x[0] + x[1], 2.5 + x[2], x[3] + x[3]],
    "sub": lambda x: [x[0] - x[1], 1.5 - x[2], x[3] - 0.25],
    "mul": lambda x: [x[0] * x[1], x[2] * x[2], 3.0 * x[4]],
    "div": lambda x: [x[0] / x[1], 1.0 / x[2], 3.0 / x[3], x[4] / 7.0],
    "neg": lambda x: [-x[0], -(x[1] * x[2])],
    "sqrt": lambda x: [scalar.sqrt(x[0]), scalar.sqrt(x[1] * x[2] + 1.0)],
    "sin": lambda x: [scalar.sin(x[0]), scalar.sin(-3.0 * x[1])],
    "cos": lambda x: [scalar.cos(x[0]), scalar.cos(-3.0 * x[1])],
    "atan2": lambda x: [scalar.atan2(x[0], x[1]), scalar.atan2(-x[2], x[3] - 2.0), scalar.atan2(1.0, x[4])],
    "abs": lambda x: [scalar.abs_(x[0] - 3.0), scalar.abs_(x[1])],
    "sign": lambda x: [scalar.sign(x[0] - 3.0) * x[1], scalar.sign(x[2])],
    "round": lambda x: [scalar.round_(7.3 * x[0]) * x[1], scalar.round_(-5.1 * x[2]), scalar.round_(0.01 * x[3])],
    "select": lambda x: [scalar.select(x[0], x[1] * x[1], x[2]), scalar.select(x[3] - 3.0, x[4], x[5] * x[0])],
    "solve_2": lambda x: list(scalar.solve(_matrix(x, 2), x[:2])),
    "solve_3": lambda x: list(scalar.solve(_matrix(x, 3), x[:3])),
    "solve_3_two_sides": lambda x: list(scalar.solve(_matrix(x, 3), np.array([x[:3], x[3:]]).T).ravel()),
    "solve_5_sparse": lambda x: list(scalar.solve(_matrix(x, 5, sparse=True), x[:5])),
    "solve_6": lambda x: list(scalar.solve(_matrix(x, 6), x)),
    "solve_spd_4": lambda x: list(scalar.solve_spd(_spd(x, 4), x[:4])),
    "solve_constrained_3_2": lambda x: list(scalar.solve_constrained(_spd(x, 3), _matrix(x, 3)[:2], x[:5])),
    "one_of_a_solution": lambda x: [scalar.solve(_matrix(x, 4), x[:4])[2]],
    "constant_matvec": lambda x: list(scalar.constant_matvec(np.arange(12.0).reshape(2, 6) - 4, x * 2.0)),
    "call": lambda x: list(scalar.call(SUB_PROGRAM, np.array([x[0], x[1] * x[2], x[3]], dtype=object))),
}
"""Equations x (6,) -> results, one entry an operation or block."""


def specimen(name: str) -> Program:
    """Program of one entry of `OPERATIONS`: slot "x" in, slot "y" out."""
    return trace(lambda x: {"y": OPERATIONS[name](x)}, [Slot("x", (N,))], name)


def random_program(seed: int, size: int = 60, blocks: bool = True, uniform: bool = False) -> Program:
    """A program of about `size` random operations on two slots: "x" (6,) and "p" (3,), which may be uniform.

    Values stay moderate: sums are halved, divisors and roots kept away from zero.
    """
    rng = np.random.default_rng(seed)

    def equations(x: Any, p: Any) -> dict[str, Any]:
        pool: list[Any] = [*x, *p]

        def pick() -> Any:
            return pool[int(rng.integers(max(0, len(pool) - 40), len(pool)))]

        def positive() -> Any:
            a = pick()
            return a * a + 0.5

        makers: list[Callable[[], Any]] = [
            lambda: 0.5 * (pick() + pick()),
            lambda: pick() - 0.5 * pick(),
            lambda: scalar.sin(pick()) * pick(),
            lambda: pick() / positive(),
            lambda: 1.0 / positive(),
            lambda: -pick(),
            lambda: scalar.sqrt(positive()),
            lambda: scalar.cos(3.0 * pick()),
            lambda: scalar.atan2(pick(), positive()),
            lambda: scalar.atan2(pick(), -positive()),
            lambda: scalar.abs_(pick()),
            lambda: scalar.sign(pick() + 1e-3) * pick(),
            lambda: scalar.select(pick() + 1e-3, pick(), pick()),
        ]
        while len(pool) < size:
            value = makers[int(rng.integers(len(makers)))]()
            if hasattr(value, "tracer"):
                pool.append(scalar.cos(value) if rng.random() < 0.1 else value)
        if blocks:
            names = ("solve_3", "solve_5_sparse", "solve_spd_4", "constant_matvec", "call")
            bounded = np.array([1.0 + 0.3 * scalar.sin(pick()) for _ in range(N)], dtype=object)
            for name in names:
                pool += [scalar.cos(y) for y in OPERATIONS[name](bounded)]
        results = [pool[int(k)] for k in rng.integers(9, len(pool), 8)] + pool[-4:]
        scalar.check(Status.RESIDUAL.at("positive"), results[0] + 10.0, 0.0)
        return {"y": results[:5], "z": np.array(results[5:9], dtype=object).reshape(2, 2), "w": results[9]}

    return trace(equations, [Slot("x", (N,)), Slot("p", (3,), uniform=uniform)], f"random {seed}")
