"""[Fried]: a 6-UPS robot in factorised form."""

from gough_papers.fried.motion import KNOWN, ROBOT, static_force, sway

__all__ = ["KNOWN", "ROBOT", "static_force", "sway"]
