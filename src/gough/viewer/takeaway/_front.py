"""A picture of a study: the design nearest to the best of all in front, the best of every objective in a row behind it."""

from typing import Any

import numpy as np

from gough.studies.result import StudyResult
from gough.viewer.drawing.camera import Camera, fitting_distance
from gough.viewer.posing.designs import DesignStates, demand_designs, front_way, usual_designs
from gough.viewer.scene.designs import DesignStage
from gough.viewer.scene.robot import RobotScene
from gough.viewer.subject import ViewSubject

LETTERS = 0.09
"""Height of names, in sizes of the robot."""


def set_front(scene: Any, subject: ViewSubject, aspect: float) -> Camera:
    """Draw it; returns a camera that sees all of it. aspect: width over height."""
    found = subject.demand_study()
    demand_designs(found)
    states = DesignStates(found)
    robot = RobotScene(scene, subject.figure, carried=True, upright=True)
    stage = DesignStage(
        scene, states, robot, front_way(found, 0, True), lambda made: None, LETTERS * subject.figure.size
    )
    chosen = usual_designs(found)
    present = next((row for row, why in chosen.items() if why == "compromise"), next(iter(chosen)))
    X = found.front.designs.x
    stage.show(float(stage.way.place_of(present)), 0.0, states.first)
    stage.choose({row: (design_name(found, row, why), X[row]) for row, why in chosen.items() if row != present})
    stage.name_present(design_name(found, present, chosen[present]))
    corners = stage.corners()
    middle = (corners.min(axis=0) + corners.max(axis=0)) / 2
    up = np.asarray(subject.figure.up, dtype=float)
    away = fitting_distance(corners - middle, up, stage.away, aspect)
    return Camera(middle + away * stage.away, middle, up)


def design_name(found: StudyResult, row: int, why: str) -> str:
    """The name over a design."""
    return f"{row}: {why}"
