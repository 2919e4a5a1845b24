"""Inverse geometry of a leg in closed form: joint coordinates from the platform's pose.

Computes  the coordinates of the legs that `kinds.py` names.
Sources   [Pedrammehr 2012, section 3], [Fried, section 4]; angles: angles.py.
Derivation
    UPS   the tip is at w(l) = w0 + l s in the axes after the second rotation, the target at t: |w(l)| = |t|,
          l = -w0·s ± √((w0·s)² - |w0|² + |t|²)                                                       (1)
    PUS   the rotations' centre is at c0 + l s, the rod is w: |D - l s| = |w| with D = target - c0,
          l = D·s ∓ √((D·s)² - |D|² + |w|²)                                                          (2)
    arm   with a rod w: |t - R(θ) p| = |w|; seen along the axis ρ² = |w|² - (a·t - a·p)²; parallel axes: ρ = |w| across a. (3)
          More rods on one arm give the same angle at every pose that the platform can take; the first is asked.
Branches  (length or elbow, rotation) of 0 or 1: signs of (1), (2) or of the elbow's angle, and of the two rotations' γ.
          A planar leg has no second choice.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from gough.dynamics.legs.angles import elbow_angle, turn, universal_angles
from gough.dynamics.legs.kinds import closed_form_kind, platform_tie, rods_of
from gough.dynamics.numbers import Numbers
from gough.dynamics.posture import direction, tied_step
from gough.errors import Status
from gough.joints.motions import Translation
from gough.scalar import check, dot, sqrt, zeros
from gough.spatial import exact_sincos, rotation_from_quaternion_wxyz
from gough.spatial.rotation import from_sincos
from gough.structure import CutJoint, Link

Vector = np.ndarray

Branch = tuple[int, int]
BRANCHES: tuple[Branch, ...] = ((0, 0), (0, 1), (1, 0), (1, 1))

__all__ = [
    "BRANCHES",
    "Branch",
    "branched_joints",
    "closed_form_joints",
    "closed_form_kind",
    "leg_coordinates",
    "leg_joints",
    "universal_angles",
]


def leg_joints(numbers: Numbers, pose: Vector, branches: Sequence[Branch | None]) -> dict[str, np.ndarray]:
    """Joints of the legs that have a branch, see `closed_form_joints`, at a pose whose quaternion is of unit length."""
    return {"joints": closed_form_joints(numbers, pose, rotation_from_quaternion_wxyz(pose[3:7]), branches)}


def branched_joints(numbers: Numbers, pose: Vector, branches: Sequence[Branch | None]) -> dict[str, np.ndarray]:
    """(4, joints): those of `leg_joints`, all legs that have a branch in each of BRANCHES, one after the other."""
    R = rotation_from_quaternion_wxyz(pose[3:7])
    each = [[None if own is None else branch for own in branches] for branch in BRANCHES]
    return {"joints": np.array([closed_form_joints(numbers, pose, R, own) for own in each], dtype=object)}


def leg_coordinates(numbers: Numbers, leg: int, targets: list[Vector], branch: tuple[int, int]) -> list[Any]:
    """Coordinates (links,) of a closed-form leg whose cuts are at `targets` (world, (3,) each, in the order of its cuts); of a
    UPS leg the target seen from its foot is L_i [Pedrammehr 2012, eq. 1]."""
    mechanism = numbers.mechanism
    name = mechanism.legs[leg].name
    links = [mechanism.links[i] for i in mechanism.legs[leg].links]
    cuts = mechanism.legs[leg].cuts
    tip = numbers.placement(mechanism.cuts[cuts[0]].on_first)[1]
    R0, p0 = numbers.placement(links[0].placement)
    signs = [1.0 if b == 0 else -1.0 for b in branch]
    local = R0.T @ (targets[0] - p0)
    if links[0].motion.slides:
        return _pus(numbers, name, links, tip, local, signs)
    if links[-1].motion.slides:
        return _ups(numbers, name, links, tip, local, signs)
    if len(links) == 2:
        return _planar(numbers, name, links, tip, local, signs)
    places = {cut: R0.T @ (target - p0) for cut, target in zip(cuts, targets, strict=True)}
    return _arm(numbers, leg, links[0], places, signs)


def _ups(numbers: Numbers, name: str, links: list[Link], tip: Vector, t: Vector, signs: list[float]) -> list[Any]:
    """By equation (1); for a tip on the leg's axis the length is the distance of the joints' centres [Long 2014, section 3.2],
    [Pedrammehr 2012, eq. 4], [Fried, eqs. 3–4]; and the angles."""
    R3, p3 = numbers.placement(links[2].placement)
    R2, _ = numbers.placement(links[1].placement)
    w0, s = p3 + R3 @ tip, R3 @ direction(links[2])
    along = dot(w0, s)
    inside = along * along - dot(w0, w0) + dot(t, t)
    check(Status.OUT_OF_REACH.at(name), inside, 0.0)
    length = signs[0] * sqrt(inside) - along  # (1)
    w = R2 @ (w0 + s * length)
    axes = direction(links[0]), R2 @ direction(links[1])
    return [*universal_angles(name, axes, w, t, signs[1]), _slid(numbers, links[2], length)]


def _pus(numbers: Numbers, name: str, links: list[Link], tip: Vector, local: Vector, signs: list[float]) -> list[Any]:
    R1, p1 = numbers.placement(links[1].placement)
    R2, _ = numbers.placement(links[2].placement)
    s = direction(links[0])
    D = local - p1
    along = dot(D, s)
    inside = along * along - dot(D, D) + dot(tip, tip)
    check(Status.OUT_OF_REACH.at(name), inside, 0.0)
    length = along - signs[0] * sqrt(inside)  # (2)
    t = R1.T @ (D - s * length)
    axes = direction(links[1]), R2 @ direction(links[2])
    return [_slid(numbers, links[0], length), *universal_angles(name, axes, R2 @ tip, t, signs[1])]


def _slid(numbers: Numbers, link: Link, length: Any) -> Any:
    """Coordinate of a link that has slid by a length."""
    assert isinstance(link.motion, Translation)
    return link.motion.coordinate_of_length(length, numbers.at(link.dimensions))


def _planar(numbers: Numbers, name: str, links: list[Link], tip: Vector, t: Vector, signs: list[float]) -> list[Any]:
    R1, p1 = numbers.placement(links[1].placement)
    axis = direction(links[1])
    along = dot(axis, tip)
    theta = elbow_angle(name, direction(links[0]), p1, t, dot(tip, tip) - along * along, signs[0])  # (3)
    seen = R1.T @ (_turned_back(links[0], theta, t) - p1)
    return [theta, turn(axis, tip, seen, tip)]


def _arm(numbers: Numbers, leg: int, arm: Link, places: dict[int, Vector], signs: list[float]) -> list[Any]:
    mechanism, axis = numbers.mechanism, direction(arm)
    name = mechanism.legs[leg].name
    theta: Any = None
    out: list[Any] = []
    for i, j, cut in rods_of(mechanism, leg):
        R1, p1 = numbers.placement(mechanism.links[i].placement)
        R2, _ = numbers.placement(mechanism.links[j].placement)
        w, t = numbers.placement(mechanism.cuts[cut].on_first)[1], places[cut]
        if theta is None:
            rise = dot(axis, t) - dot(axis, p1)
            theta = elbow_angle(name, axis, p1, t, dot(w, w) - rise * rise, signs[0])  # (3)
            out.append(theta)
        axes = direction(mechanism.links[i]), R2 @ direction(mechanism.links[j])
        seen = R1.T @ (_turned_back(arm, theta, t) - p1)
        out += universal_angles(name, axes, R2 @ w, seen, signs[1])
    return out


def _turned_back(link: Link, angle: Any, x: Vector) -> Vector:
    """Components of x, given before a link's rotation, in the axes after it."""
    s, c = exact_sincos(angle)
    return from_sincos(link.axis, link.sign * s, c).T @ x


def _on_platform(numbers: Numbers, cut: CutJoint, lead: Vector) -> Vector:
    """A cut's point (3,) in the platform's frame; its body may be a link that is tied to the platform.

    lead: pose and elastic coordinates.
    """
    point = numbers.placement(cut.on_second)[1]
    if cut.second != 0 and numbers.mechanism.links[cut.second].tie is not None:
        step = tied_step(numbers, numbers.mechanism.links[cut.second], lead)
        return step.place_p + step.to_parent(point)
    tie = platform_tie(numbers.mechanism, cut.second)
    if tie is None:
        return point
    (R1, p1), (R2, p2) = numbers.placement(tie.on_first), numbers.placement(tie.on_second)
    return p2 + R2 @ (R1.T @ (point - p1))


def closed_form_joints(numbers: Numbers, pose: Vector, R_WP: np.ndarray, branches: Sequence[Branch | None]) -> Vector:
    """All joint coordinates (joints,) for closed-form legs; entries of legs with branch None are 0.

    pose: with the elastic coordinates after it. A leg's target is its point of the platform, in the world
    [Long 2014, eq. 11], [Pedrammehr 2012, eqs. 2–3], [Fried, eq. 5].
    """
    mechanism = numbers.mechanism
    lead = mechanism.layout.joints.start
    out = zeros(mechanism.layout.n_joints)
    for k, leg in enumerate(mechanism.legs):
        branch = branches[k]
        if branch is None:
            continue
        points = [_on_platform(numbers, mechanism.cuts[cut], pose) for cut in leg.cuts]
        values = leg_coordinates(numbers, k, [pose[:3] + R_WP @ b for b in points], branch)
        for i, value in zip(leg.links, values, strict=True):
            out[mechanism.links[i].q - lead] = value
    return out
