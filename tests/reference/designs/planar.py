"""Random mechanisms in a tilted plane, described in space, so that their closures are redundant."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .drawing import Data, Draw, turn
from .works import Works


class Plane:
    """A tilted plane in space; points may stand off it along the normal, which changes nothing in the motion."""

    def __init__(self, draw: Draw) -> None:
        R = draw.rotation()
        self.draw, self.e1, self.e2, self.n = draw, R[:, 0], R[:, 1], R[:, 2]
        self.origin = draw.vector(0.2)

    def at(self, uv: Sequence[float] | np.ndarray, off: float = 0.05) -> np.ndarray:
        """World point of plane coordinates, off the plane by at most `off`."""
        return self.origin + uv[0] * self.e1 + uv[1] * self.e2 + self.draw.between(-off, off) * self.n

    def along(self, uv: np.ndarray) -> np.ndarray:
        """World direction of a direction in the plane."""
        a = uv[0] * self.e1 + uv[1] * self.e2
        return a / np.linalg.norm(a)


def _planar_leg(works: Works, plane: Plane, tag: str, B: np.ndarray, P: np.ndarray, leg: str | None, drive: Any) -> str:
    """The joints of a planar leg from B to P (plane coordinates), without the joint at P; returns its last body."""
    draw = works.draw
    kind = ("RRR", "RPR", "PRR", "RRR")[int(draw.rng.integers(4))]
    n, d = plane.n, P - B
    aside = np.array([-d[1], d[0]]) * draw.sign() * draw.between(0.4, 0.6)
    low = draw.sign() * n
    if kind == "RPR":
        first = works.joint(f"{tag}hip", "revolute", "world", plane.at(B), 2.0, leg=leg, along=low)
        return works.joint(f"{tag}slide", "prismatic", first, plane.at(B), leg=leg, along=plane.along(d), drive=drive)
    if kind == "PRR":
        rail = turn((0, 0, 1), draw.sign() * draw.between(0.2, 0.7))[:2, :2] @ d
        knee = B + 0.1 * draw.vector(1.0)[:2]
        first = works.joint(
            f"{tag}slide", "prismatic", "world", plane.at(B), 2.0, leg=leg, along=plane.along(rail), drive=drive
        )
    else:
        knee = B + d / 2 + aside
        first = works.joint(f"{tag}hip", "revolute", "world", plane.at(B), 2.0, leg=leg, along=low, drive=drive)
    return works.joint(f"{tag}knee", "revolute", first, plane.at(knee), leg=leg, along=draw.sign() * n)


def planar(draw: Draw, name: str, seed: int, legs: int) -> Data:
    works, plane = Works(draw, name), Plane(draw)
    center = 0.15 * draw.vector(1.0)[:2]
    spread = np.linspace(0, 2 * np.pi, legs, endpoint=False) + draw.rng.uniform(-0.3, 0.3, legs)
    twist = draw.sign() * draw.between(0.3, 0.7)
    base = [draw.between(0.8, 1.1) * np.array([np.cos(a), np.sin(a)]) for a in spread]
    tips = [center + draw.between(0.2, 0.35) * np.array([np.cos(a + twist), np.sin(a + twist)]) for a in spread]
    weighted = legs > 3
    drives = [draw.drive(1.0) | ({"weight": draw.between(0.3, 3.0)} if weighted else {}) for _ in range(legs)]
    where = plane.at(center)
    form = "legs" if seed % 3 == 0 else "carried" if seed % 3 == 1 else "free"
    more: Data = {"drive_sharing": "least_norm"} if weighted else {}
    if form == "legs":
        X = np.eye(4)
        X[:3, :3], X[:3, 3] = draw.rotation(), where
        works.platform(X)
        for i in range(legs):
            works.leg(f"leg{i}", plane.at(base[i]), plane.at(tips[i]))
            last = _planar_leg(works, plane, "", base[i], tips[i], f"leg{i}", drives[i])
            works.cut(f"leg{i}", "revolute", last, plane.at(tips[i]), along=plane.n)
        works.spring("world", "platform")
        return works.done(velocities="drives" if legs == 3 and draw.chance(0.5) else "platform", **more)
    ends = [_planar_leg(works, plane, f"l{i}_", base[i], tips[i], None, drives[i]) for i in range(legs)]
    if form == "carried":
        hand = works.joint("hand", "revolute", ends[-1], plane.at(tips[-1]), 6.0, along=plane.n)
        ends.pop()
    else:
        hand = works.free_body("hand", where, 6.0)
    for i, last in enumerate(ends):
        works.loop(f"pin{i}", "revolute", last, hand, plane.at(tips[i]), along=plane.n)
    works.spring("world", hand)
    works.home_pose(hand)
    return works.done(platform=hand, **more)


def five_bar(draw: Draw, name: str, seed: int) -> Data:
    works, plane = Works(draw, name), Plane(draw)
    half = draw.between(0.15, 0.35)
    rods = []
    tip = np.array([draw.between(-0.15, 0.15), draw.between(0.7, 0.9)])
    for i, side in enumerate((-1.0, 1.0)):
        B = np.array([side * half, draw.between(-0.05, 0.05)])
        angle = np.pi / 2 - side * draw.between(0.2, 0.7)
        knee = B + draw.between(0.35, 0.5) * np.array([np.cos(angle), np.sin(angle)])
        crank = works.joint(f"motor{i}", "revolute", "world", plane.at(B), 2.0, along=draw.sign() * plane.n, drive=True)
        rods.append(works.joint(f"knee{i}", "revolute", crank, plane.at(knee), along=draw.sign() * plane.n))
    works.loop("pin", "revolute", rods[0], rods[1], plane.at(tip), along=plane.n)
    works.spring(rods[0], "world")
    return works.done(velocities="drives")


def four_bar_chain(draw: Draw, name: str, seed: int) -> Data:
    works, plane = Works(draw, name), Plane(draw)
    count = int(draw.rng.integers(1, 5))
    bars, tips = [], []
    for j in range(count + 1):
        B = np.array([draw.between(0.7, 1.0) * j, draw.between(-0.1, 0.1)])
        angle = draw.between(0.9, 1.9)
        tips.append(B + draw.between(0.35, 0.6) * np.array([np.cos(angle), np.sin(angle)]))
        more = {"drive": True} if j == 0 else {}
        bars.append(works.joint(f"bar{j}", "revolute", "world", plane.at(B), along=draw.sign() * plane.n, **more))
    for j in range(count):
        rod = works.joint(f"rod{j}", "revolute", bars[j], plane.at(tips[j]), along=draw.sign() * plane.n)
        works.loop(f"pin{j}", "revolute", rod, bars[j + 1], plane.at(tips[j + 1]), along=plane.n)
    works.spring(bars[-1], "world")
    return works.done(velocities="drives")
