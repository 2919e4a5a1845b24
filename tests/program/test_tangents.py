"""Sines and cosines of arc tangents, recorded without trigonometry, against 50 digits."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest

from gough import scalar
from gough.program import Slot, evaluate, trace
from gough.program.graph import TangentGraph
from inner.program import Op

ANGLES = {
    "one": lambda x: scalar.atan2(x[0], x[1]),
    "known radius": lambda x: scalar.atan2(x[0], x[1], scalar.sqrt(x[0] * x[0] + x[1] * x[1])),
    "negative": lambda x: -scalar.atan2(x[0], x[1]),
    "sum": lambda x: scalar.atan2(x[0], x[1]) + scalar.atan2(x[2], x[3]),
    "difference": lambda x: scalar.atan2(x[0], x[1]) - scalar.atan2(x[2], x[3]),
    "three": lambda x: scalar.atan2(x[0], x[1]) - scalar.atan2(x[2], x[3]) + scalar.atan2(x[3], x[0]),
}


@pytest.mark.parametrize("name", ANGLES)
def test_against_many_digits(name: str) -> None:
    def equations(x):
        angle = ANGLES[name](x)
        return {"y": [scalar.sin(angle), scalar.cos(angle)]}

    program = trace(equations, [Slot("x", (4,))], graph=TangentGraph())
    assert not {Op.SIN, Op.COS, Op.ATAN2} & set(program.ops)
    x = np.random.default_rng(1).uniform(-2, 2, (20, 4))
    found = evaluate(program, {"x": x})["y"]
    with mp.workdps(50):
        for row, ours in zip(x, found, strict=True):
            a, b, c = (mp.atan2(*map(float, pair)) for pair in (row[:2], row[2:], (row[3], row[0])))
            angle = {
                "one": a,
                "known radius": a,
                "negative": -a,
                "sum": a + b,
                "difference": a - b,
                "three": a - b + c,
            }[name]
            np.testing.assert_allclose(ours, [float(mp.sin(angle)), float(mp.cos(angle))], atol=1e-14)


def test_other_angles_stay() -> None:
    def equations(x):
        return {"y": scalar.sin(x[0] + scalar.atan2(x[1], x[2])) + scalar.atan2(x[0], x[1])}

    program = trace(equations, [Slot("x", (3,))], graph=TangentGraph())
    assert {Op.SIN, Op.ATAN2} <= set(program.ops)
