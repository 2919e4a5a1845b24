"""The frames of a cut joint: what its closures call x, y and z on either side."""

from typing import Any

import numpy as np

from gough.errors import StructureError
from gough.joints import ALL
from gough.joints.closures import Closure, Inclined, Perpendicular
from gough.robot.effects import frictions
from gough.scalar import VariedNumber
from gough.structure._axes import triad
from gough.structure.mechanism import CutJoint
from gough.structure.parameters import structural_value

Vector3 = tuple[float, ...]


def cut_frames(
    loop: Any,
) -> tuple[
    tuple[np.ndarray, np.ndarray],
    tuple[Closure, ...],
    tuple[tuple[str, int], ...],
    tuple[Vector3, Vector3],
]:
    """(axes on the first side, on the second), closures, free axes, and where both described z axes are in them."""
    kind = ALL[loop.type]
    if kind.closures is None:
        raise StructureError(f"{loop.name}: a {loop.type} joint owes no closure and cannot close a loop")
    closures = kind.closures
    if not kind.friction_when_cut and any(f.acts for f in frictions(loop)):
        raise StructureError(
            f"{loop.name}: friction in a {loop.type} cut is not modelled; cut the loop at another joint and give this one "
            f"in the tree, where its friction counts"
        )
    if kind.axes == 2:  # a universal joint's first axis is x of the first side, its second axis y of the second side
        first, second = _along_x(loop.axes[0]), _along_x(loop.axes[1])[:, [2, 0, 1]]
        if is_inclined(loop):
            closures = tuple(Inclined(c.a, c.b) if isinstance(c, Perpendicular) else c for c in closures)
    else:
        turned = triad([np.asarray(loop.axis, dtype=float)])[:, [1, 2, 0]] if kind.axes == 1 else np.eye(3)
        first = second = turned
    return (first, second), closures, kind.free_axes, (_vector(first[2]), _vector(second[2]))


def is_inclined(loop: Any) -> bool:
    """Whether the axes of a universal joint are stated to meet at another angle than a right one."""
    moved = isinstance(loop.angle, VariedNumber)
    return loop.angle is not None and (moved or structural_value(loop.angle, "rad") is None)


def fixed_cut(
    name: str,
    first: int,
    second: int,
    on_first: tuple[int, ...],
    on_second: tuple[int, ...],
    friction: tuple[int, ...],
    row: int,
) -> CutJoint:
    """A rigid tie between two links."""
    closures = ALL["fixed"].closures
    assert closures is not None
    z = (0.0, 0.0, 1.0)
    return CutJoint(
        name, -1, first, second, "fixed", closures, on_first, on_second, None, None, friction, (), (z, z), row
    )


def _along_x(axis: Any) -> np.ndarray:
    """Rotation whose x axis is `axis`."""
    return triad([np.asarray(axis, dtype=float)])


def _vector(x: np.ndarray) -> Vector3:
    return tuple(map(float, x))
