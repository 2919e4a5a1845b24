"""Items of a description as plain data: bodies, joints, poses."""

from typing import TYPE_CHECKING, Any

import numpy as np

from gough.spatial.rotation import rpy_zyx_angles

if TYPE_CHECKING:
    from gough.robot import Body, ChainJoint, Pose
    from gough.robot.joint import TreeJoint


def joint_data(joint: "ChainJoint | TreeJoint") -> dict[str, Any]:
    """A joint without the bodies it ties."""
    return {
        "name": joint.name,
        "type": joint.type,
        "placement": pose_data(joint.placement),
        "axis": joint.axis,
        "axes": joint.axes,
        "friction": numbers_data(joint.friction),
        "spring": numbers_data(joint.spring),
        "drive": numbers_data(joint.drive),
        "limits": numbers_data(joint.limits),
        "source": joint.source,
    }


def body_data(body: "Body", flexible: dict[str, Any] | None = None) -> dict[str, Any]:
    """Mass (kg), mass centre (m) and inertia about it (kg m2), payload included; of a flexible body undeformed."""
    mass, center, tensor = body.central_inertia()
    if flexible is not None:
        mass, center, tensor = flexible["mass"], flexible["center_of_mass"], flexible["central_inertia"]
    return {
        "name": body.name,
        "mass": mass,
        "center_of_mass": np.asarray(center).tolist(),
        "central_inertia": np.asarray(tensor).tolist(),
        "payload": body.payload is not None,
        "flexible": flexible is not None,
        "telescopic": None if body.telescopic is None else body.telescopic.model_dump(exclude_none=True),
        "frames": {name: pose_data(pose) for name, pose in body.frames.items()},
        "source": body.source,
    }


def pose_data(pose: "Pose") -> dict[str, Any]:
    """Position (m) and yaw pitch roll (rad)."""
    return {"position": list(pose.position), "rpy_zyx": list(rpy_zyx_angles(pose.rotation()))}


def numbers_data(item: Any) -> dict[str, Any] | None:
    """The entries of a friction, spring, drive or limits that are not at rest at zero; None where there is none."""
    if item is None:
        return None
    neutral = {"gear": 1.0}
    return {
        name: value
        for name, value in item.model_dump(exclude_none=True).items()
        if name != "source" and value != neutral.get(name, 0.0)
    }
