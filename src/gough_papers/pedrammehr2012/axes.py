"""The axes [Pedrammehr 2012] does not state: gallery robots with other universal joints, and what that does to the forces."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from gough import Model, Run
from gough_papers.comparison import KnownComparison, Origin, equals, half_digit
from gough_papers.reproduction import changed_model

ROBOT = "pedrammehr2012"
UP = np.array([0.0, 0.0, 1.0])
ALONG_B = "u along b_i"
ENERGIES = Origin("independent", "energies with automatic differentiation, tests/papers/test_pedrammehr2012_axes.py")
KNOWN: dict[str, tuple[float, float, float]] = {
    "v = n × u": (692.2, 554.3, 567.6),
    "u along base y": (465.3, 329.4, 347.2),
    "u tangential": (420.9, 296.9, 376.4),
    ALONG_B: (121.5, 108.6, 108.9),
    f"{ALONG_B}, v = n × u": (647.4, 484.9, 502.1),
}
"""Largest change of a force on paths 1, 2, 3, N, against u along base x: by ENERGIES, with the same test."""


@dataclass(frozen=True)
class JointAxes:
    """Fixed axes u (6, 3) of the universal joints, and the sense of v = sense · (u × n)/|u × n|."""

    name: str
    u: np.ndarray
    sense: float = 1.0


def choices(base: np.ndarray) -> tuple[JointAxes, ...]:
    """Other than ours (u along base x); base (6, 3): the joints there, m. Tangential: across their way from the origin."""
    tangential, along = (x / np.linalg.norm(x, axis=1, keepdims=True) for x in (np.cross(UP, base), base))
    x, y = np.tile([1.0, 0.0, 0.0], (6, 1)), np.tile([0.0, 1.0, 0.0], (6, 1))
    return (
        JointAxes("v = n × u", x, -1.0),
        JointAxes("u along base y", y),
        JointAxes("u tangential", tangential),
        JointAxes(ALONG_B, along),
        JointAxes(f"{ALONG_B}, v = n × u", along, -1.0),
    )


def changed_axes(axes: JointAxes) -> Callable[[Any], None]:
    """What gives the gallery robot's document those axes. At zero a pod stands across u, as upright as it can."""

    def change(data: Any) -> None:
        joints = {}
        for k, leg in enumerate(data["legs"]):
            z = axes.sense * axes.u[k]
            x = UP - (UP @ z) * z
            x = x / np.linalg.norm(x)
            frame = np.stack([x, np.cross(z, x), z], axis=1)  # n, v, n × v at zero: v is z × n wherever the pod points
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

    return change


def model_with(axes: JointAxes) -> Model:
    """The gallery robot with those axes."""
    return changed_model(ROBOT, changed_axes(axes))


def largest_change(model: Model, run: Run) -> float:
    """Of a drive force of a run, N, when another model goes the same way."""
    found = model.inverse_dynamics(model.configuration(pose=run.q[:, :7]), run.v, run.acceleration).tau
    return float(np.abs(found - run.tau).max())


def comparisons(changes: dict[str, list[float]]) -> list[KnownComparison]:
    """{name: largest change on paths 1 to 3, N} beside what an independent model of the same robots gives."""
    return [
        equals(
            f"largest change, {name}, paths 1, 2, 3", found, KNOWN[name], "N", half_digit(0.05), ENERGIES, form=".1f"
        )
        for name, found in changes.items()
    ]
