"""[Long 2014]: a Gough–Stewart robot whose platform is a flexible plate."""

from gough_papers.long2014.motion import INITIAL, KNOWN, ROBOT, poses

__all__ = ["INITIAL", "KNOWN", "ROBOT", "poses"]
