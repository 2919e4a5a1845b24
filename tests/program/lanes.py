"""Programs that do the same in several lanes, in many disguises; the tests of rolling are made of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from gough import scalar
from gough.errors import Status
from gough.program import Program, Slot, trace

OWN = 4
"""Parameters of a lane."""


def legs(
    lanes: int, order: list[int] | None = None, solve: bool = False, odd: bool = False, uniform: bool = False
) -> Program:
    """A body x (3,) that `lanes` legs with coordinates a and parameters p push at: forces of the legs and their sum.

    order: in which the legs are traced. solve: a small linear system that mixes the legs stands in the middle, and each leg
    goes on with its own unknown. odd: the last leg has an operation more than the others.
    """

    def leg(k: int, x: Any, a: Any, p: Any) -> tuple[Any, Any]:
        s, c = scalar.sin(a[k]), scalar.cos(a[k])
        along = np.array([c * p[k][0], s * p[k][0], p[k][1] + x[0] * x[1]], dtype=object)
        reach = along - x
        length = scalar.sqrt(scalar.dot(reach, reach) + 2.0)
        scalar.check(Status.OUT_OF_REACH.at(f"leg{k}"), length, 0.1 * (k + 1))
        force = p[k][2] * (length - p[k][3]) / length
        if odd and k == lanes - 1:
            force = force + scalar.abs_(p[k][2])
        return force, reach / length

    def equations(x: Any, a: Any, p: Any) -> dict[str, Any]:
        made = {k: leg(k, x, a, p) for k in (order or range(lanes))}
        total: Any = scalar.zeros(3)
        for k in range(lanes):
            force, direction = made[k]
            total = total + force * direction
        results = {"total": total, "forces": [made[k][0] for k in range(lanes)]}
        if solve:
            matrix = np.array([[made[k][1][i] for k in range(3)] for i in range(3)], dtype=object) + 3.0 * np.eye(3)
            unknown = scalar.solve(matrix, total, Status.SINGULAR.at("legs"))
            results["after"] = [scalar.sin(unknown[k % 3] * made[k][0]) * p[k][1] for k in range(lanes)]
        return results

    slots = [Slot("x", (3,)), Slot("a", (lanes,)), Slot("p", (lanes, OWN), uniform=uniform)]
    return trace(equations, slots, f"{lanes} legs")
