"""From the description of flexible bodies to their constants: finite elements, reduction, files.

What is heavy (scipy, scikit-fem, readers of files) is imported when a robot has such a body, never before.
"""

from collections.abc import Mapping

import numpy as np

from gough.errors import StructureError, UsageError
from gough.fem.elastic_body import ElasticBody
from gough.robot import Body, Robot
from gough.robot.flexible import Flexible
from gough.robot.tree import bodies, placed_joints, platform_joint, platform_name
from gough.structure.flexible import Points, attached_points, point_key


def elastic_bodies(robot: Robot) -> dict[str, ElasticBody]:
    """Constants of every flexible body by its full name, with a tied frame at every point where something is attached.

    A `flexible` that is no description but a Python object makes its own: `elastic_body(points)` with points
    {key: position (3,) in m, body axes} returns a `fem.ElasticBody` with a frame under each key.
    """
    described = bodies(robot)
    return {
        name: _elastic_body(robot, name, described[name], points) for name, points in attached_points(robot).items()
    }


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
        return described_body(flexible, body.frames, held, carried, robot.file)
    except UsageError as error:
        raise StructureError(f"{name}: flexible: {error}") from error


def _demand_frames(name: str, body: ElasticBody, points: Mapping[str, np.ndarray]) -> None:
    lost = [key for key in points if key not in body.frames]
    if lost:
        raise StructureError(
            f"{name}: its elastic_body(points) has no tied frame {', '.join(map(repr, lost))}, where something is attached; "
            "return one under each key"
        )
