"""DualEMPS as an Exudyn model: its sliders locked, or on their way."""

from __future__ import annotations

from collections.abc import Callable
from math import acos, cos, pi, sin
from typing import Any

import numpy as np

Way = tuple[Callable[[float], float], Callable[[float], float]]
"""Where a slider is beside its place at home, m, and its speed, m/s, over time."""


def dualemps(elements: int) -> Any:
    """Tables 1 and 2 of [Briot 2014] with both sliders locked."""
    return sliding(elements, None)[0]


def sliding(elements: int, ways: tuple[Way, Way] | None) -> tuple[Any, Any]:
    """(the plane, the node at the end of link 16, where link 17 begins); the sliders move along y."""
    from reference.peers.exudyn import ExudynPlane, Strip

    strip = Strip(height=0.004, width=0.05, E=74e9, density=2800.0)
    plane = ExudynPlane()
    angle, pins, end = acos(0.2 / 0.6), [], None
    for k, (x, turn, fourth) in enumerate(
        ((0.0, angle, (0.396, 0.030, 0.003)), (0.4, pi - angle, (0.190, 0.011, 9.44e-4)))
    ):
        foot, along = np.array([x, 0.0]), np.array([cos(turn), sin(turn)])
        slider = plane.at(None, foot) if ways is None else plane.at(plane.carriage(foot, *ways[k]), 0.0)
        link2 = plane.rigid(foot, turn, 0.843, 0.004, 7.06e-4)
        link3 = plane.beam(foot + 0.0675 * along, foot + 0.518 * along, strip, elements)
        link4 = plane.rigid(foot + 0.518 * along, turn, *fourth)
        plane.join(slider, plane.at(link2, 0.0), turns=True)
        plane.join(plane.at(link2, 0.0675), plane.at(link3, "start"), turns=False)
        plane.join(plane.at(link3, "end"), plane.at(link4, 0.0), turns=False)
        pins.append(plane.at(link4, 0.082))
        if not x:
            link6 = plane.beam(foot + 0.665 * along, foot + 0.805 * along, strip, elements)
            link7 = plane.rigid(foot + 0.805 * along, turn, 0.177, 0.006, 2.56e-4)
            plane.join(plane.at(link4, 0.147), plane.at(link6, "start"), turns=False)
            plane.join(plane.at(link6, "end"), plane.at(link7, 0.0), turns=False)
            end = link6.nodes[-1]
    plane.join(*pins, turns=True)
    return plane, end
