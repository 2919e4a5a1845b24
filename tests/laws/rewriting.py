"""Descriptions written otherwise: legs as bodies, joints and loops; a loop cut at another joint."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from gough.robot import Pose, Robot, dumps, loads
from inner.robot import bodies, placed_joints, placed_loops, platform_name
from reference.energies.homogeneous import quaternion_of

Data = dict[str, Any]
JOINT_KEYS = ("axis", "axes", "friction", "spring", "drive", "limits")
LOOP_KEYS = ("axis", "axes", "length", "friction", "limits")


def matrix(pose: Any) -> np.ndarray:
    """4x4 matrix of a pose (None: the identity)."""
    X = np.eye(4)
    if pose is not None:
        X[:3, :3], X[:3, 3] = pose.rotation(), pose.position
    return X


def written(X: np.ndarray) -> Data:
    """A pose as it is written in a file."""
    return Pose.from_matrix(X[:3, :3], X[:3, 3]).model_dump(exclude_none=True, exclude_defaults=True, mode="json")


def second_form(robot: Robot) -> Data:
    """The robot as bodies, joints and loops; the platform becomes a body on a free joint."""
    plain = {b["name"]: b for b in _plain_bodies(robot)}
    out: Data = {"format": 2, "name": f"{robot.name}_again", "gravity": list(robot.gravity)}
    platform = platform_name(robot)
    name = _flat
    carried = [p.body_name for p in placed_joints(robot)]
    out["bodies"] = [plain[b] | {"name": name(b)} for b in carried]
    out["joints"] = []
    for p in placed_joints(robot):
        entry: Data = {"name": name(p.name), "type": p.joint.type, "parent": name(p.parent), "child": name(p.body_name)}
        entry["pose"] = written(matrix(p.base) @ matrix(p.joint.placement))
        out["joints"].append(entry | _dumped(p.joint, JOINT_KEYS))
    if platform is not None and platform not in carried:
        out["bodies"].append(plain[platform] | {"name": name(platform)})
        out["joints"].append({"name": "afloat", "type": "free", "parent": "world", "child": name(platform)})
    if platform is not None:
        out["platform"] = name(platform)
    out["loops"] = []
    for loop in placed_loops(robot):
        ends = {
            "first": {"body": name(loop.first), "pose": written(matrix(loop.first_base) @ matrix(loop.first_pose))},
            "second": {"body": name(loop.second), "pose": written(matrix(loop.second_base) @ matrix(loop.second_pose))},
        }
        out["loops"].append({"name": name(loop.name), "type": loop.type} | ends | _dumped(loop, LOOP_KEYS))
    home = json.loads(json.dumps(robot.home.model_dump(exclude_none=True, mode="json")))
    home["joints"] = {name(k): v for k, v in home.get("joints", {}).items()}
    if robot.home.pose is not None:
        home["pose"] = written(matrix(robot.home.pose))
    out["home"] = {k: v for k, v in home.items() if v and k != "source"}
    springs = json.loads(
        json.dumps(
            [s.model_dump(by_alias=True, exclude_none=True, exclude_defaults=True, mode="json") for s in robot.springs]
        )
    )
    for spring in springs:
        spring.pop("source", None)
        for end in ("from", "to"):
            spring[end].pop("source", None)
            spring[end]["body"] = name(spring[end]["body"])
    out["springs"] = springs
    if robot.drive_sharing is not None:
        out["drive_sharing"] = robot.drive_sharing
    return out


def cut_elsewhere(data: Data, loop: str, joint: str) -> Data:
    """A description of the second form with `loop` (revolute or spherical) as a tree joint and `joint` as the cut.

    The joint's body must be the loop's first one; it now hangs on the second, through a massless body at the old cut.
    """
    old = next(x for x in data["loops"] if x["name"] == loop)
    gone = next(x for x in data["joints"] if x["name"] == joint)
    assert gone["child"] == old["first"]["body"] and not gone.get("drive") and old["type"] in ("revolute", "spherical")
    hub = {"name": "hub", "parameters": {"M": 0.0}}
    turned = {"name": "turned", "type": old["type"], "parent": old["second"]["body"], "child": "hub"}
    turned |= {"pose": old["second"].get("pose", {})} | {k: old[k] for k in ("axis", "friction") if k in old}
    back = np.linalg.inv(matrix(Pose.model_validate(old["first"].get("pose", {}))))
    tied = {"name": "tied", "type": "fixed", "parent": "hub", "child": gone["child"], "pose": written(back)}
    cut = {"name": "recut", "type": gone["type"]} | {k: gone[k] for k in ("axis", "axes", "friction") if k in gone}
    cut |= {"first": {"body": gone["parent"], "pose": gone.get("pose", {})}, "second": {"body": gone["child"]}}
    out = dict(data, name=f"{data['name']}_recut", bodies=[*data["bodies"], hub])
    out["joints"] = [x for x in data["joints"] if x is not gone] + [turned, tied]
    out["loops"] = [x for x in data["loops"] if x is not old] + [cut]
    joints = {k: v for k, v in data["home"].get("joints", {}).items() if k != joint}
    out["home"] = data["home"] | {"joints": joints}
    return out


def opened_coordinate(data: Data, loop: str, poses: dict[str, np.ndarray]) -> np.ndarray:
    """Coordinates of the joint `turned` at given world poses of the bodies."""
    old = next(x for x in data["loops"] if x["name"] == loop)
    first, second = (
        poses[old[end]["body"]] @ matrix(Pose.model_validate(old[end].get("pose", {}))) for end in ("first", "second")
    )
    R = second[:3, :3].T @ first[:3, :3]
    if old["type"] == "spherical":
        return quaternion_of(R)
    axis = np.array(old.get("axis", [0.0, 0.0, 1.0]), float)
    sine = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) @ axis / 2
    return np.array([np.arctan2(sine, (np.trace(R) - 1) / 2)])


def read(data: Data) -> Robot:
    """The description that the data say."""
    return loads(json.dumps(data))


def _flat(name: str) -> str:
    return name.replace(".", "_")


def _plain_bodies(robot: Robot) -> list[Data]:
    out = []
    for name, body in bodies(robot).items():
        ten = dict(zip(("M", "MX", "MY", "MZ", "XX", "XY", "XZ", "YY", "YZ", "ZZ"), body.ten_parameters(), strict=True))
        assert body.telescopic is None
        frames = {key: written(matrix(pose)) for key, pose in body.frames.items()}
        out.append({"name": name, "parameters": {k: float(v) for k, v in ten.items()}, "frames": frames})
    return out


def _plain(value: Any) -> Any:
    if not hasattr(value, "model_dump"):
        return value
    return value.model_dump(exclude_none=True, exclude_defaults=True, mode="json")


def _dumped(item: Any, keys: tuple[str, ...]) -> Data:
    out = {}
    for key in keys:
        value = getattr(item, key, None)
        if value is None:
            continue
        plain = [_plain(x) for x in value] if isinstance(value, tuple) else _plain(value)
        if plain != {} or key == "drive":
            out[key] = json.loads(json.dumps(plain))
    return out


__all__ = ["cut_elsewhere", "dumps", "opened_coordinate", "read", "second_form"]
