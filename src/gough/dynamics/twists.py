"""Poses of links and named frames, velocities and Jacobians of links, points and named frames.

Frames    results in world axes; twists (v, ω), linear first, at the frame's own origin. `link_poses`, what a drawing needs: of
          all links, massless ones and frames tied to flexible bodies included; a link's axes are the description's (see
          Link.to_user), a tied frame's those of its body.
"""

from typing import Any

import numpy as np

from gough.dynamics.numbers import Numbers
from gough.dynamics.posture import Posture
from gough.scalar import zeros
from gough.spatial import cross
from gough.structure import WORLD

Vector = np.ndarray


def link_twist(posture: Posture, u: Vector, index: int) -> tuple[Vector, Vector]:
    """Velocity of the origin and angular velocity of link `index` (WORLD: at rest), own axes:
    [Briot 2014, eqs. 10–12], [Fried, eq. 13], [Lopes, eq. 31]."""
    v, w = zeros(3), zeros(3)
    for step in posture.chain(index):
        link = step.link
        if link.is_platform:
            v, w = step.to_child(u[:3]), step.to_child(u[3:6])
            continue
        v = v + cross(w, step.place_p)
        if step.deflection is not None:
            rate = u[link.moved_by]
            v = step.to_child(v + step.deflection.translation @ rate)
            w = step.to_child(w) + step.deflection.spin(rate)
            continue
        v, w = step.to_child(v), step.to_child(w)
        v, w = link.motion.twist(v, w, step.slide, u[link.columns], step.dimensions)
    return v, w


def point_velocity(posture: Posture, u: Vector, index: int, point: Vector) -> Vector:
    """Velocity, world axes, of a point fixed to link `index` (link axes) [Fried, eqs. 16–17]; zero for the world (-1)."""
    v, w = link_twist(posture, u, index)
    return posture.to_world(index, v + cross(w, point))


def frame_twist(posture: Posture, u: Vector, name: str) -> Vector:
    """Twist (6,) of a named frame, (v, ω), world axes; on a flexible body that of the material: [Long 2014, eqs. 14, 17], with
    ω × Φ_d q_e, which (14) leaves out."""
    frame = posture.mechanism.frames[name]
    _, p = posture.numbers.placement(frame.placement)
    v, w = link_twist(posture, u, frame.link)
    return np.concatenate([posture.to_world(frame.link, v + cross(w, p)), posture.to_world(frame.link, w)])


def frame_pose(posture: Posture, name: str) -> tuple[Vector, np.ndarray]:
    """(position (3,), rotation (3, 3)) of a named frame in the world."""
    frame = posture.mechanism.frames[name]
    R, p = posture.numbers.placement(frame.placement)
    columns = [posture.to_world(frame.link, R[:, k]) for k in range(3)]
    return posture.point_in_world(frame.link, p), np.array(columns, dtype=object).T


def joint_points(numbers: Numbers, q: Vector) -> dict[str, Any]:
    """joints (links, 3): where the joint of each link stands, before its own motion; cuts (cuts, 3): the cut points on their
    first bodies; both in the world. No loop has to be closed."""
    posture = Posture(numbers, q, gravity=False)
    R = [np.array(np.eye(3), dtype=object)]  # the world's comes first, so that links shift by one
    p, joints = [np.full(3, 0.0, dtype=object)], []
    for step in posture.steps:
        above = step.link.parent - WORLD
        turned = R[above] @ step.place_R
        turned = turned if step.turn is None else turned @ step.turn
        joints.append(p[above] + R[above] @ step.place_p)
        p.append(joints[-1] if step.slide is None else joints[-1] + turned @ step.slide)
        R.append(turned)
    cuts = [
        p[cut.first - WORLD] + R[cut.first - WORLD] @ numbers.placement(cut.on_first)[1]
        for cut in posture.mechanism.cuts
    ]
    return {"joints": np.array(joints, dtype=object), "cuts": np.array(cuts, dtype=object).reshape(-1, 3)}


def link_poses(numbers: Numbers, q: Vector) -> dict[str, Any]:
    """positions (links, 3) and rotations (3 links, 3), one below the other.

    No loop has to be closed, so that what is wrong can be drawn too.
    """
    posture = Posture(numbers, q, gravity=False)
    p = [np.full(3, 0.0, dtype=object)]  # the world's comes first, so that links shift by one
    R = [np.array(np.eye(3), dtype=object)]
    for step in posture.steps:
        above = step.link.parent - WORLD
        turned = R[above] @ step.place_R
        turned = turned if step.turn is None else turned @ step.turn
        origin = p[above] + R[above] @ step.place_p
        p.append(origin if step.slide is None else origin + turned @ step.slide)
        R.append(turned)
    turned = [rotation @ link.to_user.T for rotation, link in zip(R[1:], posture.mechanism.links, strict=True)]
    return {"positions": np.array(p[1:], dtype=object), "rotations": np.concatenate(turned)}
