"""Bodies that nothing ties to the world: each group floats on one free joint, which begins where the file places the group."""

from collections.abc import Mapping, Sequence

import numpy as np

from gough.interchange.foreign import WORLD, ForeignBody, ForeignJoint, Placement
from gough.joints import ALL
from gough.spatial.poses import pose_array


def find_floating(
    bodies: Sequence[ForeignBody], joints: Sequence[ForeignJoint], poses: Mapping[str, Placement]
) -> tuple[ForeignJoint, ...]:
    """A free joint for each group without a way to the world, on its first body that is no joint's child.

    poses: where bodies stand in the world; one that is not there, made for a joint, is no base.
    """
    group = {name: name for name in (WORLD, *(body.name for body in bodies))}

    def root(name: str) -> str:
        while group[name] != name:
            group[name] = name = group[group[name]]
        return name

    for joint in joints:
        if ALL[joint.type].moves_body and not joint.closes:
            group[root(joint.child)] = root(joint.parent)
    children = {joint.child for joint in joints}
    found, held = [], {root(WORLD)}
    for body in bodies:
        own = root(body.name)
        if own in held or body.name not in poses:
            continue
        held.add(own)
        members = [b for b in bodies if root(b.name) == own and b.name in poses]
        base = next((b for b in members if b.name not in children), members[0])
        pose = pose_array((np.asarray(poses[base.name].position), poses[base.name].rotation))
        start = tuple(float(x) + 0.0 for x in pose)
        found.append(ForeignJoint(f"{base.name}_floats", "free", WORLD, base.name, base.at, start=start))
    return tuple(found)
