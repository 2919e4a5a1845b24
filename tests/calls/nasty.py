"""Values that no argument should be: of the wrong type, shape or size, or files that are none."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np


class Unfriendly:
    """An object that refuses everything numbers and texts can do."""

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise RuntimeError("no array")

    def __float__(self) -> float:
        raise OverflowError("no number")

    def __len__(self) -> int:
        return -1

    def __repr__(self) -> str:
        return "<unfriendly>"


def _looped() -> list:
    x: list = [1.0]
    x.append(x)
    return x


FIXED: list[Any] = [
    None,
    True,
    False,
    0,
    1,
    -1,
    -1000,
    2.5,
    -0.5,
    10**400,
    -(10**30),
    1e308,
    5e-324,
    float("nan"),
    float("inf"),
    -float("inf"),
    1j,
    complex(1, 1e-9),
    "",
    "a",
    "nan",
    "1.0",
    "five_bar",
    "no such thing",
    "\0",
    "x" * 300,
    "../..",
    b"bytes",
    bytearray(b"x"),
    [],
    [[]],
    [[], [1.0]],
    [[1, 2], [3]],
    [1, [2, 3]],
    ["a", "b"],
    [None],
    [None, 1.0],
    [1j, 2.0],
    ["1", "2"],
    [float("nan")] * 7,
    [1e308] * 7,
    [10**400, 1],
    (),
    (1,),
    (1, 2),
    (1, 2, 3),
    {},
    {"x": 1},
    {"x": "y"},
    {1: 2},
    {"x": None},
    {None: None},
    {"": [[1], [2, 3]]},
    set(),
    {1, 2},
    frozenset("ab"),
    object(),
    object,
    int,
    len,
    (lambda: 1),
    (lambda *a, **k: 1 / 0),
    iter([1, 2]),
    range(3),
    slice(1),
    ...,
    NotImplemented,
    Decimal("1.5"),
    Fraction(1, 3),
    Path("."),
    Path("/"),
    Path("/no/such/place"),
    Path("/dev/null"),
    Path("x" * 300),
    Exception("x"),
    Unfriendly(),
    np.zeros(0),
    np.zeros((0, 7)),
    np.zeros((3, 0, 2)),
    np.zeros(5),
    np.zeros((2, 3)),
    np.zeros((2, 2, 2)),
    np.array(1.0),
    np.array(3),
    np.zeros(4, dtype=complex),
    np.array([1 + 1j, 0, 0, 0]),
    np.array(["a", "b"]),
    np.array([None, 1.0], dtype=object),
    np.array(["2020-01-01"], dtype="M8[D]"),
    np.zeros(2, dtype=[("a", float), ("b", int)]),
    np.full(4, np.nan),
    np.full((1, 4), np.inf),
    np.ma.masked_array([1.0, 2.0, 3.0, 4.0], [False, True, False, False]),
    np.float32(1.0),
    np.int64(-3),
    np.bool_(True),
    np.str_("a"),
    np.eye(3),
    np.eye(4),
    np.array([], dtype=object),
    np.zeros(4, dtype=bool),
    memoryview(b"ab"),
]
"""What every argument is tried with."""


def spoiled(value: Any, rng: np.random.Generator) -> Any:
    """A value like `value` that is wrong in one place; or one of the fixed ones."""
    if isinstance(value, np.ndarray | list | tuple) and len(value) and rng.random() < 0.4:
        return _spoiled_array(value, rng)
    if isinstance(value, dict) and value and rng.random() < 0.4:
        key = list(value)[int(rng.integers(len(value)))]
        return {**value, key: any_value(rng)} if rng.random() < 0.6 else {**value, any_key(rng): value[key]}
    if isinstance(value, str) and rng.random() < 0.3:
        return rng.choice(
            [value + " ", value.upper(), value + "\n", value[:-1], value + "@pose", ":" + value, value + ":x"]
        )
    if isinstance(value, Path) and rng.random() < 0.5:
        return [value.parent, value / "below", value.with_suffix(".exe"), str(value) + "\0", value.with_suffix("")][
            int(rng.integers(5))
        ]
    if isinstance(value, int | float) and not isinstance(value, bool) and rng.random() < 0.3:
        return [-value, value + 0.5, str(value), [value], np.array([value]), float("nan"), -1e-300, 1 << 70][
            int(rng.integers(8))
        ]
    return any_value(rng)


def _spoiled_array(value: Any, rng: np.random.Generator) -> Any:
    way = int(rng.integers(9))
    plain = list(value)
    if way == 0:
        return plain[:-1]
    if way == 1:
        return [*plain, plain[0]]
    if way == 2:
        return [plain, plain[:-1]]
    if way == 3:
        plain[int(rng.integers(len(plain)))] = any_value(rng)
        return plain
    if way == 4:
        return [plain, plain]
    try:
        x = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        return tuple(plain)
    return {5: x * 1j + x, 6: x * np.nan, 7: x * 1e300, 8: x[..., None]}[way]


def any_value(rng: np.random.Generator) -> Any:
    return FIXED[int(rng.integers(len(FIXED)))]


def any_key(rng: np.random.Generator) -> Any:
    return ["nothing", "", None, 3, ("a",), "gravity.z ", "x"][int(rng.integers(7))]
