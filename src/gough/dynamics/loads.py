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
from gough.scalar import check, dot, note, sqrt, zeros
from gough.spatial import cross
from gough.structure.mechanism import PointSpring

Vector = np.ndarray
COINCIDE = 1e-12
"""Distance (m) of a spring's two points below which its force has no direction."""


def cut_friction(cut: CutGeometry, w_first: Vector, w_second: Vector, u: Vector) -> Vector | None:
    """Moment (3,), tip axes, that keeps the first link turning against the cut joint's friction; None without friction.

    w_first, w_second: angular velocities, tip axes; u: tree velocities. The second link needs the opposite moment. Per free
    axis, or along the relative velocity for a ball.
    """
    joint = cut.cut
    viscous, coulomb, smoothing = cut.posture.numbers.at(joint.friction)
    if not joint.free_axes or (structurally_zero(viscous) and structurally_zero(coulomb)):
        return None
    with note(f"{joint.name}: friction [Pedrammehr 2012, eq. 31]"):
        relative = w_first - w_second
        resting = resting_rate(cut.posture.mechanism, u)
        if joint.free_axes == (("ball", 0),):
            return viscous * relative + coulomb_vector(relative, coulomb, smoothing, resting)
        moment = zeros(3)
        for side, axis in joint.free_axes:
            e = cut.L_R[:, axis] if side == "leg" else cut.from_second(cut.P_R[:, axis])
            moment = moment + e * friction_force(dot(e, relative), viscous, coulomb, smoothing, resting)
        return moment


def spring_forces(posture: Posture, velocities: Any) -> list[tuple[int, LinkWrench]]:
    """(link, wrench on the left-hand side) of every point-to-point spring.

    velocities: function (link, point in link axes) -> velocity in world axes, or None for statics.
    """
    out = []
    numbers = posture.numbers
    for spring in posture.mechanism.springs:
        with note(f"spring {spring.name}"):
            points = [np.array(numbers.at(p), dtype=object) for p in spring.points]
            ends = [posture.point_in_world(i, x) for i, x in zip(spring.links, points, strict=True)]
            line = ends[1] - ends[0]
            stiffness, damping, rest, preload = numbers.at(spring.coefficients)
            if all(map(structurally_zero, (damping, rest, preload))):
                force = line * stiffness  # regular where the points meet: the length that divides cancels
            else:
                length = _length(spring, line)
                along = line / length
                tension = stiffness * (length - rest) + preload
                if velocities is not None and not structurally_zero(damping):
                    speed = [velocities(i, x) for i, x in zip(spring.links, points, strict=True)]
                    tension = tension + damping * dot(along, speed[1] - speed[0])
                force = along * tension
            for link, point, sign in ((spring.links[0], points[0], -1.0), (spring.links[1], points[1], 1.0)):
                if link >= 0:
                    f = posture.from_world(link, force * sign)
                    out.append((link, LinkWrench(f, cross(point, f))))
    return out


def _length(spring: PointSpring, line: Vector) -> Any:
    """Length (m) of a spring whose force needs a direction."""
    square = dot(line, line)
    if structurally_zero(square):
        raise StructureError(
            f"spring {spring.name}: its two points coincide wherever the robot is, so that its force has no direction. Give "
            "`from` or `to` another position, or leave it out."
        )
    check(Status.NOT_FINITE.at(f"spring {spring.name}", Site.SPRING), square, COINCIDE**2)
    return sqrt(square)


def spring_lengths(numbers: Numbers, q: Vector) -> dict[str, np.ndarray]:
    """length (springs,) of all point-to-point springs (m)."""
    posture, out = Posture(numbers, q), []
    for spring in numbers.mechanism.springs:
        points = [np.array(numbers.at(p), dtype=object) for p in spring.points]
        a, b = (posture.point_in_world(i, x) for i, x in zip(spring.links, points, strict=True))
        out.append(sqrt(dot(b - a, b - a)))
    return {"length": np.array(out, dtype=object)}


def spring_losses(posture: Posture, velocities: Any) -> Any:
    """Power (W) that dampers of point-to-point springs take; velocities as for `spring_forces`."""
    total: Any = 0.0
    numbers = posture.numbers
    for spring in posture.mechanism.springs:
        damping = numbers.parameters[spring.coefficients[1]]
        if structurally_zero(damping):
            continue
        points = [np.array(numbers.at(p), dtype=object) for p in spring.points]
        ends = [posture.point_in_world(i, x) for i, x in zip(spring.links, points, strict=True)]
        speeds = [velocities(i, x) for i, x in zip(spring.links, points, strict=True)]
        line = ends[1] - ends[0]
        rate = dot(line, speeds[1] - speeds[0]) / _length(spring, line)
        total = total + damping * rate * rate
    return total


def spring_energy(posture: Posture) -> Any:
    """Potential energy of point-to-point springs (J)."""
    total: Any = 0.0
    numbers = posture.numbers
    for spring in posture.mechanism.springs:
        points = [np.array(numbers.at(p), dtype=object) for p in spring.points]
        ends = [posture.point_in_world(i, x) for i, x in zip(spring.links, points, strict=True)]
        line = ends[1] - ends[0]
        length = sqrt(dot(line, line))
        stiffness, _, rest, preload = numbers.at(spring.coefficients)
        stretch = length - rest
        total = total + 0.5 * stiffness * stretch * stretch + preload * length
    return total


def wrench_at_frame(posture: Posture, frame: str, wrench: Vector) -> tuple[int, LinkWrench]:
    """(link, wrench on it in its own axes about its origin) of a wrench (6,) at a named frame's origin, world axes."""
    place = posture.mechanism.frames[frame]
    _, p = posture.numbers.placement(place.placement)
    f = posture.from_world(place.link, wrench[:3])
    return place.link, LinkWrench(f, posture.from_world(place.link, wrench[3:]) + cross(p, f))
