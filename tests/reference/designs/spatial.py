"""Random spatial loops closed by joints of every type, without a platform.

Of many drawn shapes of a loop the one is kept whose passive motions, those of the closing joint with them, are
farthest from singular: six twists in space, the driven one left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .drawing import Data, Draw
from .works import LEAD, Works

NAMES = {"R": "revolute", "P": "prismatic", "U": "universal", "C": "cylindrical"}
NAMES |= {"S": "spherical", "L": "planar", "F": "fixed", "H": "helical", "V": "universal"}
"""V: a universal joint whose axes are not perpendicular."""
TRIES = 40


@dataclass
class Shape:
    """Points and axes of a loop's joints, and the axes of the joint that closes it (for a rod: its direction)."""

    at: list[np.ndarray]
    axes: list[list[np.ndarray]]
    end: list[np.ndarray]
    badness: float = np.inf


def _twists(letter: str, at: np.ndarray, axes: list[np.ndarray], origin: np.ndarray) -> list[np.ndarray]:
    """Unit motions (velocity of a body point at `origin`, spin) of a joint."""
    turns = {"R": axes[:1], "U": axes, "V": axes, "C": axes[:1], "L": axes[:1], "S": list(np.eye(3))}
    slides = {"P": axes[:1], "C": axes[:1], "L": [axes[1], np.cross(axes[0], axes[1])]}
    if letter == "H":
        return [np.concatenate([np.cross(axes[0], origin - at) + LEAD / (2 * np.pi) * axes[0], axes[0]])]
    out = [np.concatenate([np.cross(a, origin - at), a]) for a in turns.get(letter, [])]
    return out + [np.concatenate([a, np.zeros(3)]) for a in slides.get(letter, [])]


def _closing(cut: str, axes: list[np.ndarray]) -> list[np.ndarray]:
    """Unit motions at the closing joint's origin that it leaves free."""
    zero, a = np.zeros(3), axes[0]
    across = [np.cross(a, axes[1]), axes[1] - (axes[1] @ a) * a]
    ball = list(np.eye(3))
    turns = {"revolute": [a], "cylindrical": [a], "universal": axes, "inclined": axes, "planar": [a]}
    turns |= {"spherical": ball, "constant_length": ball, "revolute_spherical": ball}
    slides = {"cylindrical": [a], "prismatic": [a], "planar": across, "constant_length": across}
    slides["revolute_spherical"] = across[:1]  # along the circle: the second axis leads to its centre
    if cut == "helical":
        return [np.concatenate([LEAD / (2 * np.pi) * a, a])]
    out = [np.concatenate([zero, t]) for t in turns.get(cut, [])]
    return out + [np.concatenate([t, zero]) for t in slides.get(cut, [])]


def _second(draw: Draw, first: np.ndarray, skewed: bool) -> np.ndarray:
    """A second axis: perpendicular to the first, or 30 to 150 degrees from it."""
    n, angle = draw.normal_to(first), draw.between(0.5, 2.6) if skewed else np.pi / 2
    return np.sin(angle) * n + np.cos(angle) * first if skewed else n


def _drawn(draw: Draw, kinds: str, cut: str, ends: np.ndarray) -> Shape:
    aside = draw.near((0, 0, 1), 0.8)
    at, axes = [], []
    for k in range(len(kinds)):
        share = k / len(kinds)
        at.append((1 - share) * ends[0] + share * ends[1] + 0.5 * np.sin(np.pi * share) * aside + draw.vector(0.2))
        first = draw.direction()
        axes.append([first, _second(draw, first, kinds[k] == "V")])
    first = draw.direction()
    end = [first, _second(draw, first, cut == "inclined")]
    passive = [_twists(letter, p, a, ends[1]) for letter, p, a in zip(kinds[1:], at[1:], axes[1:], strict=True)]
    columns = np.array([t for motions in passive for t in motions] + _closing(cut, end)).T
    return Shape(at, axes, end, float(np.linalg.cond(columns)))


def _loop(works: Works, tag: str, kinds: str, cut: str, parent: str, second: str, ends: np.ndarray) -> list[str]:
    """A spatial loop of joints (letters as in NAMES, the first driven) from ends[0] to ends[1]; returns its bodies."""
    draw = works.draw
    shape = min((_drawn(draw, kinds, cut, ends) for _ in range(TRIES)), key=lambda s: s.badness)
    bodies: list[str] = []
    for k, (letter, at, axes) in enumerate(zip(kinds, shape.at, shape.axes, strict=True)):
        more: Data = (
            {"axes": axes, "skewed": letter == "V"}
            if letter in "UV"
            else {"along": axes[0]}
            if letter in "RPCH"
            else {}
        )
        if letter == "L":  # its normal is the third axis of the joint frame
            more = {"turned": np.column_stack([axes[1], np.cross(axes[0], axes[1]), axes[0]])}
        parent = works.joint(f"{tag}{k}", NAMES[letter], parent, at, drive=k == 0, **more)
        bodies.append(parent)
    last: Any = {"axes": shape.end} if cut in ("universal", "inclined") else {"along": shape.end[0]}
    if cut == "revolute_spherical":  # its second frame is where the other body is
        last["length_to"] = ends[1] + draw.between(0.3, 0.5) * _unit(
            shape.end[1] - (shape.end[1] @ shape.end[0]) * shape.end[0]
        )
    if cut == "constant_length":
        last = {"length_to": ends[1] + draw.between(0.3, 0.5) * shape.end[0]}
    works.loop(f"{tag}_end", cut, bodies[-1], second, ends[1], **last)
    return bodies


def _unit(a: np.ndarray) -> np.ndarray:
    return a / np.linalg.norm(a)


def spatial_loops(draw: Draw, name: str, shapes: Sequence[tuple[str, str]]) -> Data:
    """Loops of the given shapes (joints, cut): the first on the world, later ones between bodies of earlier ones."""
    works = Works(draw, name)
    bodies: list[str] = []
    for k, (kinds, cut) in enumerate(shapes):
        ends = np.array([draw.vector(0.2), draw.vector(0.2) + [0.9, 0, 0]]) + [0, 0.7 * k, 0]
        start = "world" if k != 1 else bodies[0]
        second = "world" if k == 0 else bodies[-2]
        bodies += _loop(works, "abcd"[k], kinds, cut, start, second, ends)
    works.spring(bodies[0], bodies[-1])
    return works.done(velocities="drives")
