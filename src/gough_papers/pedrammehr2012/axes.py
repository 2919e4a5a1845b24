"""The axes [Pedrammehr 2012] does not state: gallery robots with other universal joints, and what that does to the forces."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from gough import Model, Run
from gough_papers.comparison import INDEPENDENT, KnownComparison, equals, half_digit
from gough_papers.reproduction import changed_model

ROBOT = "pedrammehr2012"
UP = np.array([0.0, 0.0, 1.0])
SENSE, OTHER = 692.0, (297.0, 465.0)
"""Largest change of a force, N, from an independent model: v turned round on path 1; smallest and largest of the other axes."""


@dataclass(frozen=True)
class JointAxes:
    """Fixed axes u (6, 3) of the universal joints, and the sense of v = sense · (u × n)/|u × n|."""

    name: str
    u: np.ndarray
    sense: float = 1.0


def choices(base: np.ndarray) -> tuple[JointAxes, ...]:
    """Other than ours (u along base x); base (6, 3): the joints there, m. Tangential: across their way from the origin."""
    tangential = np.cross(UP, base)
    x, y = np.tile([1.0, 0.0, 0.0], (6, 1)), np.tile([0.0, 1.0, 0.0], (6, 1))
    return (
        JointAxes("v = n × u", x, -1.0),
        JointAxes("u along base y", y),
        JointAxes("u tangential", tangential / np.linalg.norm(tangential, axis=1, keepdims=True)),
    )


def model_with(axes: JointAxes) -> Model:
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


def largest_change(model: Model, run: Run) -> float:
    """Of a drive force of a run, N, when another model goes the same way."""
    found = model.inverse_dynamics(model.configuration(pose=run.q[:, :7]), run.v, run.acceleration).tau
    return float(np.abs(found - run.tau).max())


def comparisons(changes: dict[str, list[float]]) -> list[KnownComparison]:
    """{name: largest change on paths 1 to 3, N} beside what is known."""
    other = changes["u along base y"] + changes["u tangential"]
    what = "smallest and largest change, u along y or tangential"
    return [
        equals("path 1, v = n × u", changes["v = n × u"][0], SENSE, "N", half_digit(0.5), INDEPENDENT, form=".1f"),
        equals(what, [min(other), max(other)], OTHER, "N", half_digit(0.5), INDEPENDENT, form=".1f"),
    ]
