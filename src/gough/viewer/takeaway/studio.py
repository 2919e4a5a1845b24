"""A private server for files: on this computer only, at a port of its own, gone when the file is written."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from gough.analysis.equilibrium import static_equilibrium
from gough.errors import GoughError
from gough.model import Model
from gough.viewer.drawing.camera import Camera, camera_for
from gough.viewer.private_server import LOCAL, free_port, import_viser, private_server, quiet
from gough.viewer.scene.robot import RobotScene
from gough.viewer.scene.stage import RunStage
from gough.viewer.subject import ViewSubject


@contextmanager
def hidden_server(title: str) -> Iterator[Any]:
    """A server of viser that only this process knows of."""
    viser = import_viser()
    with quiet():
        server = private_server(viser, LOCAL, free_port(LOCAL, 0), title)
    try:
        yield server
    finally:
        with quiet():
            server.stop()


def at_rest(model: Model) -> np.ndarray:
    """Home (nq,), bent by gravity where there is an equilibrium."""
    if not model.layout.n_elastic or not model.driven:
        return model.home
    try:
        return np.asarray(static_equilibrium(model, q=model.home).q)
    except GoughError:
        return model.home


def set_stage(scene: Any, subject: ViewSubject, exaggeration: float = 1.0) -> RunStage | None:
    """Draw a subject; a stage if there are runs."""
    if not subject.runs:
        robot = RobotScene(scene, subject.figure)
        robot.exaggeration = exaggeration
        robot.show(at_rest(subject.model))
        return None
    stage = RunStage(scene, subject)
    for robot in (stage.first, stage.second):
        if robot is not None:
            robot.exaggeration = exaggeration
    stage.show(stage.start)
    return stage


def usual_camera(subject: ViewSubject, stage: RunStage | None, aspect: float) -> Camera:
    """A camera that sees everything over the whole of the runs."""
    up = np.asarray(subject.figure.up, dtype=float)
    bounds = np.asarray(subject.figure.bounds(), dtype=float) if stage is None else stage.bounds()
    return camera_for(bounds, up, aspect)
