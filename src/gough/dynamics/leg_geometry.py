"""Inverse geometry of a leg in closed form: joint coordinates from the platform's pose.

Computes  the coordinates of UPS and PUS legs (two rotations that meet in a point and a translation, spherical cut).
Sources   lengths [Pedrammehr 2012, eqs. 1–5], [Fried, eqs. 3–5], [Long 2014, Table 4]; angles: the second of
          Paden and Kahan's subproblems.
Derivation
    UPS   the tip is at w(l) = w0 + l s in the axes after the second rotation, the target at t: |w(l)| = |t|,
          l = -w0·s ± √((w0·s)² - |w0|² + |t|²)                                                       (1)
    PUS   the rotations' centre is at c0 + l s, the rod is w: |D - l s| = |w| with D = target - c0,
          l = D·s ∓ √((D·s)² - |D|² + |w|²)                                                          (2)
    angles  R1(q1) R2(q2) w = t about a1, a2 (in the first joint's frame): z = R2 w has a2·z = a2·w, a1·z = a1·t,
          z = α a1 + β a2 + γ a1 × a2,  γ = ±√…                                                      (3)
          q2 turns w to z about a2, q1 turns z to t about a1.                                        (4)
Branches  (length, rotation) of 0 or 1: signs of (1) or (2) and of γ.
"""

from typing import Any

import numpy as np

from gough.dynamics.numbers import Numbers
from gough.dynamics.posture import direction
from gough.friction.coulomb import structurally_zero
from gough.scalar import atan2, check, dot, sqrt, zeros
from gough.spatial import cross
from gough.structure import Mechanism

Vector = np.ndarray


def closed_form_kind(numbers: Numbers, leg: int) -> str | None:
    """ "ups", "pus", or None when the leg has no closed form here."""
    mechanism: Mechanism = numbers.mechanism
    links = [mechanism.links[i] for i in mechanism.legs[leg].links if mechanism.links[i].motion != "fixed"]
    if len(mechanism.legs[leg].cuts) != 1 or len(links) != len(mechanism.legs[leg].links):
        return None
    cut = mechanism.cuts[mechanism.legs[leg].cuts[0]]
    if cut.type != "spherical" or cut.second != 0 or mechanism.path_to_root(cut.first) != mechanism.legs[leg].links:
        return None
    kinds = [link.motion for link in links]
    if kinds == ["rotation", "rotation", "translation"]:
        second, name = links[1], "ups"
    elif kinds == ["translation", "rotation", "rotation"]:
        second, name = links[2], "pus"
    else:
        return None
    R, p = numbers.placement(second.placement)
    axis = R @ direction(second)
    first = direction(links[1 if name == "pus" else 0])
    parallel = all(structurally_zero(x) for x in cross(first, axis))
    return name if all(structurally_zero(x) for x in p) and not parallel else None


def leg_coordinates(numbers: Numbers, leg: int, target: Vector, branch: tuple[int, int]) -> list[Any]:
    """Coordinates (3,) of a closed-form leg whose tip is at `target` (world, (3,))."""
    mechanism = numbers.mechanism
    name = mechanism.legs[leg].name
    links = [mechanism.links[i] for i in mechanism.legs[leg].links]
    tip = numbers.placement(mechanism.cuts[mechanism.legs[leg].cuts[0]].on_first)[1]
    R0, p0 = numbers.placement(links[0].placement)
    local = R0.T @ (target - p0)
    signs = [1.0 if b == 0 else -1.0 for b in branch]
    if links[0].motion == "rotation":
        R3, p3 = numbers.placement(links[2].placement)
        R2, _ = numbers.placement(links[1].placement)
        w0, s = p3 + R3 @ tip, R3 @ direction(links[2])
        along = dot(w0, s)
        inside = along * along - dot(w0, w0) + dot(local, local)
        check(f"out_of_reach:{name}", inside, 0.0)
        length = signs[0] * sqrt(inside) - along  # (1)
        w = R2 @ (w0 + s * length)
        axes = direction(links[0]), R2 @ direction(links[1])
        return [*universal_angles(name, axes, w, local, signs[1]), length]
    R1, p1 = numbers.placement(links[1].placement)
    R2, _ = numbers.placement(links[2].placement)
    s = direction(links[0])
    D = local - p1
    along = dot(D, s)
    inside = along * along - dot(D, D) + dot(tip, tip)
    check(f"out_of_reach:{name}", inside, 0.0)
    length = along - signs[0] * sqrt(inside)  # (2)
    t = R1.T @ (D - s * length)
    axes = direction(links[1]), R2 @ direction(links[2])
    return [length, *universal_angles(name, axes, R2 @ tip, t, signs[1])]


def universal_angles(name: str, axes: tuple[Vector, Vector], w: Vector, t: Vector, sign: float) -> tuple[Any, Any]:
    """(q1, q2) of R1(q1) R2(q2) w = t, equations (3) and (4)."""
    a1, a2 = axes
    rho = dot(a1, a2)
    normal = cross(a1, a2)
    a2w, a1t = dot(a2, w), dot(a1, t)
    scale = rho * rho - 1.0
    alpha = (rho * a2w - a1t) / scale
    beta = (rho * a1t - a2w) / scale
    inside = (dot(w, w) - alpha * alpha - beta * beta - 2.0 * alpha * beta * rho) / dot(normal, normal)
    check(f"out_of_reach:{name}", inside, 0.0)
    gamma = sign * sqrt(inside)
    z = a1 * alpha + a2 * beta + normal * gamma
    return _turn(a1, z, t), _turn(a2, w, z)


def _turn(axis: Vector, start: Vector, end: Vector) -> Any:
    """Angle about `axis` that turns `start` into `end` (both seen along the axis)."""
    sine = dot(axis, cross(start, end))
    cosine = dot(start, end) - dot(axis, start) * dot(axis, end)
    return atan2(sine, cosine)


def closed_form_joints(
    numbers: Numbers, pose: Vector, R_WP: np.ndarray, branches: list[tuple[int, int] | None]
) -> Vector:
    """All joint coordinates (nq - 7,) for closed-form legs; entries of legs with branch None are 0."""
    mechanism = numbers.mechanism
    out = zeros(mechanism.layout.nq - 7)
    for k, leg in enumerate(mechanism.legs):
        branch = branches[k]
        if branch is None:
            continue
        b = numbers.placement(mechanism.cuts[leg.cuts[0]].on_second)[1]
        values = leg_coordinates(numbers, k, pose[:3] + R_WP @ b, branch)
        for i, value in zip(leg.links, values, strict=True):
            out[mechanism.links[i].q - 7] = value
    return out
