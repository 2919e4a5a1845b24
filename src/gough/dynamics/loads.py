"""Forces that are neither inertia nor drives: friction in cut joints, point-to-point springs and dampers.

Computes  wrenches to add to the left-hand side of the equations of motion (what the motion has to overcome).
Sources   friction in the platform's spherical joints [Pedrammehr 2012, sections 7–8]; springs: elementary.
Frames    a link's wrench in its own axes about its origin.
"""

from typing import Any

import numpy as np

from gough.dynamics.closures import CutGeometry
from gough.dynamics.numbers import Numbers
from gough.dynamics.posture import Posture
from gough.dynamics.recursion import LinkWrench, resting_rate
from gough.errors import Site, Status, StructureError
from gough.friction import friction_force
from gough.friction.coulomb import coulomb_vector, structurally_zero
from gough.joints.closures import ClosureRow
from gough.joints.springs import LINEAR
from gough.scalar import check, dot, note, select, sqrt, zeros
from gough.spatial import cross, exact_sincos
from gough.structure.mechanism import PointSpring

Vector = np.ndarray
COINCIDE = 1e-12
"""Distance (m) of a spring's two points below which its force has no direction."""


def turn_friction(cut: CutGeometry, w_first: Vector, w_second: Vector, u: Vector) -> Vector | None:
    """Moment (3,), tip axes, that keeps the first link turning against the cut joint's friction; None without friction.

    w_first, w_second: angular velocities, tip axes; u: tree velocities. The second link needs the opposite moment. Against the
    rate about each free axis, or along the relative velocity for a ball.
    """
    joint, found = cut.cut, [x for x in _friction_laws(cut) if x[0] != "along"]
    if not found:
        return None
    with note(f"{joint.name}: friction [Pedrammehr 2012, eq. 31]"):
        relative = w_first - w_second
        resting = resting_rate(cut.posture.mechanism, u)
        if found[0][0] == "ball":
            viscous, coulomb, smoothing = found[0][2]
            return viscous * relative + coulomb_vector(relative, coulomb, smoothing, resting)
        turning = [(side, a) for side, a in joint.free_axes if side != "along"]
        axes = [cut.L_R[:, a] if side == "leg" else cut.from_second(cut.P_R[:, a]) for side, a in turning]
        if joint.angle is not None:
            axes = _dual(axes[0], axes[1], cut.angle())
        moment = zeros(3)
        for side, axis, law in found:
            e = axes[turning.index((side, axis))]
            moment = moment + e * friction_force(dot(e, relative), *law, resting=resting)
        return moment


def slide_friction(cut: CutGeometry, u: Vector) -> list[tuple[ClosureRow, Any, Any]]:
    """(row, rate (m/s), force (N) against it) of every direction in which the cut joint slides with friction.

    The rate is that of the second frame's origin along axis a of the first, ṡ = a · (v_P - v_L) + (a × d) · ω_L: what the row of
    the closure `Along` holds at zero. The force does the power force × ṡ.
    """
    mechanism = cut.posture.mechanism
    out = []
    for side, axis, law in _friction_laws(cut):
        if side == "along":
            with note(f"{cut.cut.name}: friction along its axis {axis}"):
                row = cut.sliding_row(axis)
                rate = cut.row_rate(row, u)
                out.append((row, rate, friction_force(rate, *law, resting=resting_rate(mechanism, u) * mechanism.size)))
    return out


def _friction_laws(cut: CutGeometry) -> list[tuple[str, int, list[Any]]]:
    """(side, axis, law) of the free axes of a cut that have friction: one law for all axes, or one for each."""
    numbers = cut.posture.numbers.at(cut.cut.friction)
    laws = [numbers[k : k + 3] for k in range(0, len(numbers), 3)]
    each = [(side, axis, laws[k % len(laws)]) for k, (side, axis) in enumerate(cut.cut.free_axes)]
    return [x for x in each if not all(map(structurally_zero, x[2][:2]))]


def _dual(a: Vector, b: Vector, angle: Any) -> list[Vector]:
    """Of unit vectors a and b with this angle between them: the vectors in their plane that are perpendicular to the other one
    and have the component 1 along their own. A spin r_a a + r_b b has the rates r_a and r_b as its products with them; forces
    f_a and f_b against these rates are the moment Σ f_i dual_i, whose power is f_a r_a + f_b r_b."""
    sine, cosine = exact_sincos(angle)
    scale = 1.0 / (sine * sine)
    return [(a - b * cosine) * scale, (b - a * cosine) * scale]


def spring_forces(posture: Posture, velocities: Any) -> list[tuple[int, LinkWrench]]:
    """(link, wrench on the left-hand side) of every point-to-point spring.

    velocities: function (link, point in link axes) -> velocity in world axes, or None for statics.
    """
    out = []
    for spring in posture.mechanism.springs:
        with note(f"spring {spring.name}"):
            points, line, numbers = _stretched(posture, spring)
            if _is_regular(spring, numbers):
                force = line * numbers[0]  # regular where the points meet: the length that divides cancels
            else:
                length = _length(posture, spring, line, numbers)
                along = line / length
                rate = None
                if velocities is not None and not structurally_zero(numbers[1]):
                    speed = [velocities(i, x) for i, x in zip(spring.links, points, strict=True)]
                    rate = dot(along, speed[1] - speed[0])
                elastic, *damper = spring.law.parts(length, rate, numbers)
                tension = elastic + numbers[3]
                for part in damper:
                    tension = tension + part
                force = along * tension
            for link, point, sign in ((spring.links[0], points[0], -1.0), (spring.links[1], points[1], 1.0)):
                if link >= 0:
                    f = posture.from_world(link, force * sign)
                    out.append((link, LinkWrench(f, cross(point, f))))
    return out


def _stretched(posture: Posture, spring: PointSpring) -> tuple[list[Vector], Vector, list[Any]]:
    """(its two points in their links' axes, from the first to the second in the world, its numbers)."""
    numbers = posture.numbers
    points = [np.array(numbers.at(p), dtype=object) for p in spring.points]
    ends = [posture.point_in_world(i, x) for i, x in zip(spring.links, points, strict=True)]
    return points, ends[1] - ends[0], numbers.at(spring.coefficients)


def _is_regular(spring: PointSpring, numbers: list[Any]) -> bool:
    """Whether its force is stiffness × line, which needs no length."""
    plain = spring.law is LINEAR and spring.clearance is None
    return plain and all(map(structurally_zero, numbers[1:4]))


def _length(posture: Posture, spring: PointSpring, line: Vector, numbers: list[Any]) -> Any:
    """Length (m) of a spring whose force needs a direction. With a clearance c it is √(d² + c²), of which the force is as exactly
    the derivative of its energy, and which has a direction everywhere. A slack spring needs none."""
    square = dot(line, line)
    if spring.clearance is not None:
        clearance = posture.numbers.parameters[spring.clearance]
        return sqrt(square + clearance * clearance)
    if structurally_zero(square):
        raise StructureError(
            f"spring {spring.name}: its two points coincide wherever the robot is, so that its force has no direction. Give "
            "`from` or `to` another position, or leave it out."
        )
    slack = spring.law.is_slack(0.0, numbers)
    if slack is not None:  # the length is then any number: no force asks for it
        square = select(square - COINCIDE**2, square, select(slack, COINCIDE**2, square))
    check(Status.NOT_FINITE.at(f"spring {spring.name}", Site.SPRING), square, COINCIDE**2)
    return sqrt(square)


def spring_lengths(numbers: Numbers, q: Vector) -> dict[str, np.ndarray]:
    """length (springs,) of all point-to-point springs (m)."""
    posture, out = Posture(numbers, q), []
    for spring in numbers.mechanism.springs:
        line = _stretched(posture, spring)[1]
        out.append(sqrt(dot(line, line)))
    return {"length": np.array(out, dtype=object)}


def spring_losses(posture: Posture, velocities: Any) -> Any:
    """Power (W) that dampers of point-to-point springs take; velocities as for `spring_forces`."""
    total: Any = 0.0
    for spring in posture.mechanism.springs:
        points, line, numbers = _stretched(posture, spring)
        if structurally_zero(numbers[1]):
            continue
        speeds = [velocities(i, x) for i, x in zip(spring.links, points, strict=True)]
        length = _length(posture, spring, line, numbers)
        rate = dot(line, speeds[1] - speeds[0]) / length
        total = total + rate * spring.law.damper(length, rate, numbers)
    return total


def spring_energy(posture: Posture) -> Any:
    """Potential energy of point-to-point springs (J)."""
    total: Any = 0.0
    for spring in posture.mechanism.springs:
        _, line, numbers = _stretched(posture, spring)
        square = dot(line, line)
        if spring.law is LINEAR and all(map(structurally_zero, numbers[2:4])) and spring.clearance is None:
            total = total + 0.5 * numbers[0] * square
            continue
        if spring.clearance is not None:
            clearance = posture.numbers.parameters[spring.clearance]
            square = square + clearance * clearance
        length = sqrt(square)
        total = total + spring.law.energy(length, numbers) + numbers[3] * length
    return total


def wrench_at_frame(posture: Posture, frame: str, wrench: Vector) -> tuple[int, LinkWrench]:
    """(link, wrench on it in its own axes about its origin) of a wrench (6,) at a named frame's origin, world axes."""
    place = posture.mechanism.frames[frame]
    _, p = posture.numbers.placement(place.placement)
    f = posture.from_world(place.link, wrench[:3])
    return place.link, LinkWrench(f, posture.from_world(place.link, wrench[3:]) + cross(p, f))
