"""Robots from arrays: builders that write the description for you.

    from gough.robots import hexapod
    robot = hexapod(base, platform_points, platform={"mass": 40}, home=[0, 0, 0.6])

Each result is an ordinary Robot: it can be changed, written to a file and read back.
"""

from gough.robots.delta import delta
from gough.robots.five_bar import five_bar
from gough.robots.four_bar_chain import four_bar_chain
from gough.robots.hexapod import hexapod

__all__ = ["delta", "five_bar", "four_bar_chain", "hexapod"]
