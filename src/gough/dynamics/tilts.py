"""How far universal and spherical joints are tilted: what cone limits are about.

Computes  the cosine of each joint's tilt. A universal joint tilts from its zero position: the direction normal to both
          axes turns by acos(cos q1 cos q2 - cos γ sin q1 sin q2), γ the angle between them. A spherical joint's tilt, and
          that of any cut, is the angle between the z axes of its two frames (as a cut: those on either body, which the
          description must turn accordingly).
"""

import numpy as np

from gough.dynamics.loops import Loops
from gough.dynamics.numbers import Numbers
from gough.dynamics.posture import Posture
from gough.dynamics.validity import check_state
from gough.friction.coulomb import structurally_zero
from gough.joints import ALL
from gough.joints.motions import Ball, Rotation
from gough.scalar import cos, dot, sin
from gough.spatial import rotation_from_quaternion_wxyz
from gough.structure import Mechanism

Vector = np.ndarray


def tilting_joints(mechanism: Mechanism) -> list[str]:
    """Names of the joints that have a tilt, in the order of `tilt_cosines`."""
    seen: dict[str, list[type]] = {}
    for link in mechanism.links:
        seen.setdefault(link.joint, []).append(type(link.motion))
    names = [name for name, motions in seen.items() if motions in ([Rotation, Rotation], [Ball])]
    return names + [cut.name for cut in mechanism.cuts if ALL[cut.type].tilts]


def tilt_cosines(numbers: Numbers, q: Vector) -> dict[str, np.ndarray]:
    """cosines (n,) of the tilts of `tilting_joints`."""
    posture = Posture(numbers, q)
    loops = Loops(posture)
    check_state(loops, moving=False)
    mechanism = posture.mechanism
    out = []
    for name in tilting_joints(mechanism):
        links = [link for link in mechanism.links if link.joint == name]
        if len(links) == 2:
            a, b = q[links[0].q], q[links[1].q]
            crossing = dot(
                links[0].motion.direction, numbers.placement(links[1].placement)[0] @ links[1].motion.direction
            )
            straight = cos(a) * cos(b)
            out.append(straight if structurally_zero(crossing) else straight - crossing * sin(a) * sin(b))
        elif links:
            out.append(rotation_from_quaternion_wxyz(q[links[0].q : links[0].q + 4])[2, 2])
        else:
            cut = next(cut for cut in loops.cuts if cut.cut.name == name)
            on_first, on_second = (np.array(axis, dtype=object) for axis in cut.cut.tilt_axes)
            out.append(dot(cut.L_R @ on_first, cut.from_second(cut.P_R @ on_second)))
    return {"cosines": np.array(out, dtype=object)}
