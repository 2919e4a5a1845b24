"""Choosing a link's internal axes: the description's own when the joint's axes are principal, the joint's triad else; and what
the parameters of a turn between such axes are."""

import math
from collections.abc import Sequence
from functools import reduce
from operator import matmul
from typing import Any

import numpy as np

from gough.scalar import VariedNumber, array_of, atan2
from gough.spatial import exact_sincos, level_rpy_zyx_angles, rpy_zyx_angles, varied_quaternion_wxyz

ANGLES, QUATERNION = ("yaw", "pitch", "roll"), ("qw", "qx", "qy", "qz")

Vector3 = tuple[float, float, float]


def triad(axes: list[np.ndarray]) -> np.ndarray:
    """Right-handed orthonormal triad (3, 3), columns e0 e1 e2, with e0 (and e1 where given) along the stated axes.

    With one axis: for a coordinate axis the next two follow cyclically (z: x, y); a tilted axis takes e1 perpendicular
    to it and to the coordinate axis it is least aligned with.
    """
    if not axes:
        return np.eye(3)
    e0 = np.asarray(axes[0], dtype=float)
    e0 = e0 / np.linalg.norm(e0)
    if len(axes) > 1:
        e1 = np.asarray(axes[1], dtype=float)
        e1 = e1 - (e1 @ e0) * e0
        e1 = e1 / np.linalg.norm(e1)
    else:
        k = int(np.argmax(np.abs(e0)))
        if abs(abs(e0[k]) - 1.0) < 1e-15:
            e1 = np.eye(3)[(k + 1) % 3]
        else:
            e1 = np.cross(np.eye(3)[int(np.argmin(np.abs(e0)))], e0)
            e1 = e1 / np.linalg.norm(e1)
    return np.column_stack([e0, e1, np.cross(e0, e1)])


def is_signed_permutation(matrix: np.ndarray) -> bool:
    """True when every entry is 0 or ±1."""
    return bool(np.all(np.abs(matrix - np.round(matrix)) < 1e-14) and np.all(np.abs(np.round(matrix)).sum(axis=0) == 1))


def internal_axes(directions: np.ndarray) -> tuple[np.ndarray, list[tuple[int, float]]]:
    """(A, [(axis, sign), …]): internal axes A (3, 3) in description components, and each triad column in them."""
    if is_signed_permutation(directions):
        rounded = np.round(directions)
        principal = [(int(np.argmax(np.abs(c))), float(c[np.argmax(np.abs(c))])) for c in rounded.T]
        return np.eye(3), principal
    return directions, [(k, 1.0) for k in range(3)]


def turn_parameters(rotation: np.ndarray, factors: Sequence[Any] = ()) -> tuple[tuple[str, ...], Sequence[float]]:
    """(names, values) of the parameters of a rotation (3, 3): ANGLES, rad, or QUATERNION.

    factors: what it is the product of, matrices (3, 3) and poses (None: the identity). Where it follows variables its parameters
    are formulas, which must be right for all values of the variables: angles beside a pitch that is always the same, the
    described angles themselves, or a quaternion. Which of them is structure: it does not depend on the values.
    """
    r = array_of(rotation)
    if r.dtype != object:
        return ANGLES, rpy_zyx_angles(r)
    if not isinstance(r[2, 0], VariedNumber):
        return ANGLES, level_rpy_zyx_angles(r)
    own = _described_angles(factors)
    return (QUATERNION, varied_quaternion_wxyz(r)) if own is None else (ANGLES, own)


def _described_angles(factors: Sequence[Any]) -> tuple[float, float, float] | None:
    """(yaw, pitch, roll) of a product in which one pose alone follows variables, by such angles, after turns about z and before
    turns about x, which add to them; None of others."""
    factors = [f for f in factors if f is not None]
    turns = [array_of(f if isinstance(f, np.ndarray) else f.varied_rotation()) for f in factors]
    varied = [k for k, turn in enumerate(turns) if turn.dtype == object]
    if len(varied) != 1 or factors[varied[0]].rpy_zyx is None:
        return None
    yaw, pitch, roll = factors[varied[0]].rpy_zyx
    before, after = _angle_about(2, turns[: varied[0]]), _angle_about(0, turns[varied[0] + 1 :])
    return None if before is None or after is None else (_in_one_turn(yaw + before), pitch, _in_one_turn(roll + after))


def _angle_about(axis: int, turns: Sequence[np.ndarray]) -> float | None:
    """Angle of a product of rotations of numbers about a coordinate axis; None where it turns otherwise."""
    R = reduce(matmul, turns, np.eye(3))
    if abs(R[axis] - np.eye(3)[axis]).max() > 1e-14:
        return None
    i, j = (axis + 1) % 3, (axis + 2) % 3
    return math.atan2(R[j, i], R[i, i])


def _in_one_turn(angle: float) -> float:
    """An angle from -π to π, rad, also where it follows variables."""
    return atan2(*exact_sincos(angle))
