"""Coupled joints from their description: what is 0 when a relation holds, in the coordinates q + x of the cut tree."""

from __future__ import annotations

from typing import Any, NamedTuple

import casadi as ca


class Relation(NamedTuple):
    """{full name: coefficient} of the coordinates, the coordinate whose force counts, the offset."""

    coefficients: dict[str, float]
    first: str
    offset: float


def relations(robot: Any, names: list[str]) -> list[Relation]:
    """All couplings, those of the legs first. names: of all coordinates."""
    own = [(f"{leg.name}.", c) for leg in robot.legs for c in leg.couplings] + [("", c) for c in robot.couplings]
    out = []
    for prefix, c in own:
        found = {(prefix + n if prefix + n in names else n): x for n, x in _described(c).items()}
        first = {"mimic": c.joint, "gear": (c.joints or [""])[0], "rack": c.pinion}.get(c.type) or next(iter(found))
        first = prefix + first if prefix + first in names else first
        offset = c.offset
        if offset == "home":
            home = robot.home.joints
            offset = sum(x * home[n][0] for n, x in found.items())
        out.append(Relation(found, first, float(offset)))
    return out


def _described(c: Any) -> dict[str, float]:
    if c.type == "mimic":
        return {c.joint: 1.0, c.of: -(1.0 if c.ratio is None else c.ratio)}
    if c.type == "rack":
        return {c.slide: 1.0, c.pinion: -c.radius}
    if c.type == "differential":
        return dict(c.coefficients)
    a, b = c.joints
    if c.ratio is None:
        big, small = c.teeth if c.teeth is not None else c.radii
    else:
        big, small = c.ratio, 1.0
    return {b: 1.0, a: -big / small if c.internal else big / small}


def equations(tree: Any) -> list[ca.SX]:
    """One scalar for each coupling."""
    layout, out = tree.layout, []
    for r in relations(tree.robot, layout.q_names):
        total = ca.SX(r.offset)
        for name, c in r.coefficients.items():
            total -= c * (tree.q[layout.q_names.index(name)] + tree.x[layout.x_names.index(name)])
        out.append(total)
    return out
