"""From the description of flexible bodies to their constants: finite elements, reduction, files.

What is heavy (scipy, scikit-fem, readers of files) is imported when a robot has such a body, never before.
"""

import re
import warnings
from collections.abc import Mapping

import numpy as np

from gough.errors import ReductionWarning, StructureError, UsageError, warn
from gough.fem.elastic_body import ElasticBody
from gough.robot import Body, Pose, Robot
from gough.robot.flexible import Flexible
from gough.robot.flexible.modes import ORIGIN
from gough.robot.tree import bodies, placed_joints, platform_joint, platform_name
from gough.structure.flexible import Points, attached_points, point_key

MANY = 150
"""Elastic coordinates of a body whose programs take long to build."""


def elastic_bodies(robot: Robot, again: bool = False) -> dict[str, ElasticBody]:
    """Constants of every flexible body by its full name, with a tied frame at every point where something is attached.

    Warnings name body, file and line; bodies that are alike share one. again: they were told when the model was built.

    A `flexible` that is no description but a Python object makes its own: `elastic_body(points)` with points
    {key: position (3,) in m, body axes} returns a `fem.ElasticBody` with a frame under each key.
    """
    described, made = bodies(robot), {}
    said: dict[tuple[type[Warning], str, str], list[str]] = {}
    for name, points in attached_points(robot).items():
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            made[name] = _elastic_body(robot, name, described[name], points)
        for one in caught:
            text = in_words(str(one.message), described[name].frames, points)
            names = said.setdefault((one.category, robot.written(name), text), [])
            names += [name] * (name not in names)
    for (category, where, text), names in {} if again else said.items():
        others = f" (and {len(names) - 1} like it)" if len(names) > 1 else ""
        warn(f"{where}{': ' if where else ''}{names[0]}{others}: flexible: {text}", category)
    return made


def in_words(text: str, frames: Mapping[str, Pose], points: Points) -> str:
    """What is said of the keys of tied frames, in the words of the description: names of frames, or of points that lack one."""
    names = {point_key(np.zeros(3)): ORIGIN}
    names |= {point_key(np.array(pose.position)): name for name, pose in reversed(list(frames.items()))}
    lacking: dict[str, np.ndarray] = {}
    for key in sorted({*names, *points}, key=len, reverse=True):  # one may begin with another
        pattern = re.escape(key) + r"(?![0-9]|\.[0-9]|e[-+0-9])"
        if key not in names and re.search(pattern, text):
            lacking[f"point{len(lacking) + 1}"] = points[key]
            names[key] = f"point{len(lacking)}"
        if key in names:
            text = re.sub(pattern, names[key], text)
    if not lacking:
        return text
    where = ", ".join(f"{name}: {{position: {np.round(p, 9).tolist()}}}" for name, p in lacking.items())
    return f"{text}. Here {' and '.join(lacking)} need a name to be spoken of: write frames: {{{where}}} on the body"


def is_carried(robot: Robot, name: str) -> bool:
    """Whether a joint carries the body; else it is the free platform, whose frame may float."""
    if name != platform_name(robot):
        return True
    return platform_joint(robot) is None and any(j.body_name == name for j in placed_joints(robot))


def _elastic_body(robot: Robot, name: str, body: Body, points: Points) -> ElasticBody:
    flexible = body.flexible
    if not isinstance(flexible, Flexible):
        made = flexible.elastic_body(points)  # type: ignore[union-attr]
        _demand_frames(name, made, points)
        return made
    from gough.structure.elastic_reduction import described_body

    carried = is_carried(robot, name)
    held = points | {point_key(np.zeros(3)): np.zeros(3)} if carried else points
    try:
        made = described_body(flexible, body.frames, held, carried, robot.origin)
    except UsageError as error:
        raise StructureError(f"{name}: flexible: {in_words(str(error), body.frames, held)}") from error
    if made.modes > MANY:
        warn(
            f"{made.modes} elastic coordinates: building the model and every evaluation take time with their square or more "
            "(minutes at 500). Reduce the body to modes, for instance modes: {number: 10}, or condense it to its frames",
            ReductionWarning,
        )
    return made


def _demand_frames(name: str, body: ElasticBody, points: Mapping[str, np.ndarray]) -> None:
    lost = [key for key in points if key not in body.frames]
    if lost:
        raise StructureError(
            f"{name}: its elastic_body(points) has no tied frame {', '.join(map(repr, lost))}, where something is attached; "
            "return one under each key"
        )
