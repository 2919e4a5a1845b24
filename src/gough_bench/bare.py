"""The robot that is timed: the described one without friction and springs, which the peers have otherwise or not at all."""

from typing import Any

from gough.robot import Robot
from gough.robot.item import Item
from gough.robot.joint import Drive, Friction, JointSpring


def without_losses(robot: Robot) -> Robot:
    """The same robot with no friction and no springs."""
    return _bare(robot).model_copy(update={"springs": ()})


def _bare(item: Any) -> Any:
    if isinstance(item, Friction):
        return Friction()
    if isinstance(item, JointSpring):
        return None
    if isinstance(item, Drive):
        return item.model_copy(update={"viscous": 0.0, "coulomb": 0.0, "smoothing": 0.0})
    if isinstance(item, Item):
        fields = type(item).model_fields
        return item.model_copy(update={name: _bare(getattr(item, name)) for name in fields})
    if isinstance(item, tuple):
        return tuple(_bare(x) for x in item)
    return item
