"""Closed paths with corners: polygons through given corners, and squares."""

from collections.abc import Sequence
from typing import Any, Unpack

import numpy as np

from gough.arguments import checked, number, numbers, word, words
from gough.errors import UsageError
from gough.simulation.motion.coordinate_motion import measured
from gough.simulation.motion.motion import Motion
from gough.simulation.motion.moves import numbers_for
from gough.simulation.motion.plane import plane_of, positive
from gough.simulation.motion.points import Where, points_of
from gough.simulation.motion.quintic import quintic
from gough.simulation.motion.trapezoid import trapezoid
from gough.simulation.motion.trigonometric import trigonometric

MOVES = {"quintic": quintic, "trapezoid": trapezoid, "trigonometric": trigonometric}


@checked(period=number(above=0), law=word, names=words, orientation=word, frame=word, extend=word)
def polygon(
    *,
    durations: Any,
    rests: Any = None,
    period: float | None = None,
    law: str = "quintic",
    ramps: Any = None,
    **where: Unpack[Where],
) -> Motion:
    """Along the edges through the corners (poses=, points=, drives= or joints=, see `Where`) and back to the first.

    durations: of the moves along the edges (s). rests: after each edge (s); or period: of an edge with its rest. law: of each
    edge, "quintic", "trigonometric" or "trapezoid" with its ramps (s).
    """
    if law not in MOVES:
        raise UsageError(f"law={law!r}; use one of {', '.join(MOVES)}")
    if (law == "trapezoid") != (ramps is not None):
        raise UsageError(
            f"law={law!r}: {'give its ramps= (s)' if ramps is None else 'ramps= goes with a trapezoid only'}"
        )
    if rests is not None and period is not None:
        raise UsageError("give rests= or period=, not both")
    edges = len(points_of(where))
    moving = numbers_for("durations", durations, edges, "edges")
    stay = numbers_for("rests", 0.0 if rests is None else rests, edges, "edges")
    if period is not None:
        stay = positive("period", period) - moving
        if (stay < -1e-12 * moving).any():
            raise UsageError(f"period={period!r} is shorter than the moves ({moving.max():.6g} s)")
        stay = np.maximum(stay, 0.0)
    more = {} if ramps is None else {"ramps": ramps}
    return MOVES[law](durations=moving, rests=np.concatenate([[0.0], stay]), **more, **_closed(where))


@checked(side=number(above=0), normal=numbers, towards=numbers, plane=words, frame=word, extend=word)
def square(
    *,
    side: float,
    pose: Any = None,
    point: Any = None,
    drives: Any = None,
    joints: Any = None,
    normal: Any = None,
    towards: Any = None,
    plane: Sequence[str] | None = None,
    frame: str | None = None,
    extend: str | None = None,
    **edges: Any,
) -> Motion:
    """Around a centre (as for `circle`): the first edge runs `towards`, the second across; edges as for `polygon`."""
    where = plane_of(pose, point, drives, joints, normal, towards, plane, frame)
    half = 0.5 * positive("side", side)
    corners = np.array(
        [where.center + half * (a * where.along + b * where.across) for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    )
    if where.kind == "pose":
        poses = np.concatenate([corners, np.tile(where.base, (4, 1))], axis=1)
        return polygon(poses=poses, frame=frame, extend=extend, **edges)
    if where.kind == "point":
        return polygon(points=corners, frame=frame, extend=extend, **edges)
    named = dict(zip(where.names, corners.T, strict=True))
    made = polygon(**{where.kind: named}, extend=extend, **edges)
    for name, unit in zip(where.names, where.units, strict=True):
        made = measured(made, [name], unit, "square")
    return made


def _closed(where: Where) -> dict[str, Any]:
    """The arguments with the first corner once more at the end."""
    out: dict[str, Any] = dict(where)
    for key in ("poses", "points", "drives", "joints"):
        given = out.get(key)
        if given is None:
            continue
        if isinstance(given, dict):
            listed = {n: x if isinstance(x, list | tuple) else np.atleast_1d(x) for n, x in given.items()}
            out[key] = {n: [*x, x[0]] for n, x in listed.items()}
        else:
            out[key] = [*given, given[0]]
    return out
