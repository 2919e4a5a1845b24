"""A robot's nodes in a page's scene."""

from gough.viewer.scene.robot import RobotScene

__all__ = ["RobotScene"]
