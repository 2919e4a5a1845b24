"""The axes [Pedrammehr 2012] does not state: gallery robots with other universal joints, and what that does to the forces."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gough_papers.comparison import Comparison, equals
from gough_papers.known import INDEPENDENT
from gough_papers.plain import changed_model
from gough_papers.states import States

if TYPE_CHECKING:
    from gough.compilation import Model

ROBOT = "pedrammehr2012"
UP = np.array([0.0, 0.0, 1.0])
KNOWN = {"v = n × u": 692.0}
"""Largest change of a force on path 1, N, from an independent model."""


@dataclass(frozen=True)
class Axes:
    """Fixed axes u (6, 3) of the universal joints, and the sense of v = sense · (u × n)/|u × n|."""

    name: str
    u: np.ndarray
    sense: float = 1.0


def choices(base: np.ndarray) -> tuple[Axes, ...]:
    """Other than ours (u along base x); base (6, 3): the joints there, m. Tangential: across their way from the origin."""
    tangential = np.cross(UP, base)
    x, y = np.tile([1.0, 0.0, 0.0], (6, 1)), np.tile([0.0, 1.0, 0.0], (6, 1))
    return (
        Axes("v = n × u", x, -1.0),
        Axes("u along base y", y),
        Axes("u tangential", tangential / np.linalg.norm(tangential, axis=1, keepdims=True)),
    )


def model_with(axes: Axes) -> "Model":
    """The gallery robot with those axes."""

    def change(data: Any) -> None:
        joints = {}
        for k, leg in enumerate(data["legs"]):
            y = axes.sense * np.cross(axes.u[k], UP)
            frame = np.stack([UP, y, np.cross(UP, y)], axis=1)  # pod axes at zero: n up, v, n × v
            leg["joints"] = {"hip": {"pose": {"axes": {a: frame[:, i].tolist() for i, a in enumerate("xyz")}}}}
            way = np.array(data["home"]["pose"]["position"]) + np.array(leg["on_platform"]["position"])
            way = way - np.array(leg["base"]["position"])
            length = float(np.linalg.norm(way))
            nx, ny, nz = frame.T @ way / length  # = (cos a cos b, sin a cos b, -sin b)
            joints[f"leg{k}.hip"] = [float(np.arctan2(ny, nx)), float(-np.arcsin(nz))]
            joints[f"leg{k}.slide"] = length
        hip = data["templates"]["ups"]["chain"][0]
        hip.pop("pose")
        data["home"]["joints"] = joints

    return changed_model(ROBOT, change)


def forces(model: "Model", s: States) -> np.ndarray:
    """(n, 6), N."""
    return model.inverse_dynamics(model.configuration(pose=s.pose), s.v, s.acceleration).tau


def comparisons(changes: dict[str, list[float]]) -> list[Comparison]:
    """{name: largest change on paths 1 to 3, N} beside what is known."""
    return [
        equals(f"path 1, {name}", changes[name][0], known, "N", 0.5, INDEPENDENT, form=".1f")
        for name, known in KNOWN.items()
    ] + [
        equals(
            "smallest and largest change, u along y or tangential",
            [min(_two(changes)), max(_two(changes))],
            (297.0, 465.0),
            "N",
            0.5,
            INDEPENDENT,
            form=".1f",
        )
    ]


def _two(changes: dict[str, list[float]]) -> list[float]:
    return changes["u along base y"] + changes["u tangential"]
