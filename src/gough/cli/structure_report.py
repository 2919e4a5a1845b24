"""The structure of a model as plain data: what `gough show --json` prints."""

from typing import TYPE_CHECKING, Any

import numpy as np

from gough.spatial.rotation import rpy_zyx_angles

if TYPE_CHECKING:
    from gough.compilation import Model
    from gough.robot import Body, ChainJoint, Leg, Pose


def structure_report(model: "Model", warnings: list[str], parameters: bool = False) -> dict[str, Any]:
    """Everything `gough show` tells; SI units, angles in rad, poses as position and yaw pitch roll (R = Rz Ry Rx)."""
    robot, layout = model.robot, model.layout
    measure = model.singularity(model.home)
    report: dict[str, Any] = {
        "robot": robot.name,
        "title": robot.title,
        "source": robot.source,
        "file": robot.file,
        "gravity": robot.gravity,
        "characteristic_length": model.size,
        "freedoms": layout.nv,
        "platform": body_data(robot.platform.body),
        "legs": [leg_data(model, k) for k in range(len(robot.legs))],
        "drives": [{"name": n, "unit": u} for n, u in zip(layout.drive_names, layout.drive_units, strict=True)],
        "springs": [spring.model_dump(exclude_none=True) for spring in robot.springs],
        "frames": list(model.mechanism.frames),
        "home": {
            "q": dict(zip(layout.q_names, model.home.tolist(), strict=True)),
            "parallel": float(measure.parallel),
            "serial": measure.serial.tolist(),
            "source": robot.home.source,
        },
        "layout": {
            "q": dict(zip(layout.q_names, layout.q_units, strict=True)),
            "v": dict(zip(layout.v_names, layout.v_units, strict=True)),
        },
        "structural_zeros": {
            "count": len(model.pattern),
            "parameters": {model.parameter_names[i]: value for i, value in model.pattern.items()},
        },
        "parameter_count": len(model.parameters),
        "warnings": warnings,
    }
    if parameters:
        units = model.mechanism.table.units
        report["parameters"] = {
            name: {"value": float(model.parameters[i]), "unit": units[i], "structural": i in model.pattern}
            for i, name in enumerate(model.parameter_names)
        }
    return report


def leg_data(model: "Model", k: int) -> dict[str, Any]:
    """One leg with its joints, bodies and cut."""
    leg: Leg = model.robot.legs[k]
    kind = model.geometry.kinds[k]
    return {
        "name": leg.name,
        "type": kind.upper() if kind else "".join(j.type[0].upper() for j in (*leg.chain, leg.cut)),
        "geometry": "closed form" if kind else "Newton",
        "branch": list(model.geometry.branches[k]) if kind else None,
        "base": pose_data(leg.base),
        "on_platform": pose_data(leg.on_platform),
        "joints": [joint_data(joint) for joint in leg.chain],
        "cut": {
            "name": leg.cut.name,
            "type": leg.cut.type,
            "on_leg": pose_data(leg.cut.on_leg),
            "axis": leg.cut.axis,
            "axes": leg.cut.axes,
            "length": leg.cut.length,
            "friction": _numbers(leg.cut.friction),
            "limits": _numbers(leg.cut.limits),
        },
        "source": leg.source,
    }


def joint_data(joint: "ChainJoint") -> dict[str, Any]:
    """A joint of a chain and the body it carries."""
    return {
        "name": joint.name,
        "type": joint.type,
        "placement": pose_data(joint.placement),
        "axis": joint.axis,
        "axes": joint.axes,
        "friction": _numbers(joint.friction),
        "spring": _numbers(joint.spring),
        "drive": _numbers(joint.drive),
        "limits": _numbers(joint.limits),
        "body": body_data(joint.body),
        "source": joint.source,
    }


def body_data(body: "Body") -> dict[str, Any]:
    """Mass (kg), mass centre (m) and inertia about it (kg m2), payload included."""
    mass, center, tensor = body.central_inertia()
    return {
        "name": body.name,
        "mass": mass,
        "center_of_mass": np.asarray(center).tolist(),
        "central_inertia": np.asarray(tensor).tolist(),
        "payload": body.payload is not None,
        "telescopic": None if body.telescopic is None else body.telescopic.model_dump(exclude_none=True),
        "frames": {name: pose_data(pose) for name, pose in body.frames.items()},
        "source": body.source,
    }


def pose_data(pose: "Pose") -> dict[str, Any]:
    """Position (m) and yaw pitch roll (rad)."""
    return {"position": list(pose.position), "rpy_zyx": list(rpy_zyx_angles(pose.rotation()))}


def _numbers(item: Any) -> dict[str, Any] | None:
    """The entries of a friction, spring, drive or limits that are not at rest at zero; None where there is none."""
    if item is None:
        return None
    neutral = {"gear": 1.0}
    return {
        name: value
        for name, value in item.model_dump(exclude_none=True).items()
        if name != "source" and value != neutral.get(name, 0.0)
    }
