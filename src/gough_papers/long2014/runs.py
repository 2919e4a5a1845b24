"""[Long 2014, Fig. 3]: the closed loop of trajectory, inverse model, direct model and integration; scenario `long2014_poses`.

The paper's results are figures and lost, so are its poses; ours are in the scenario. The flexible model's computed torque starts
on the path with no error, and errors obey ë + 40 ė + 400 e = 0: exactly, it never leaves it. The rigid model's computed torque
and an open-loop replay of the forces leave it; independent models of the robot say the same.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gough_papers.comparison import Comparison, at_least, equals
from gough_papers.finished import finished
from gough_papers.known import EXACT, INDEPENDENT

if TYPE_CHECKING:
    from gough.simulation.motion.motion import Motion
    from gough.simulation.results.run import Run
    from gough.simulation.scenarios.scenario import Scenario

SCENARIO = "long2014_poses"
OFF_THE_PATH = 0.01
"""m: a plate that is this far from its path has left it."""
STIFFNESS, DAMPING = 400.0, 40.0
RIGID_TOLERANCE, REPLAY_TOLERANCE = 1e-8, 1e-9
"""Runs that diverge need no more: the errors of their steps are far below what they show."""
REPLAY_S = 2.5
"""s: then the replay is decimetres away, and soon falls through singular poses."""


@dataclass(frozen=True)
class Tracked:
    """A run beside the path it was to follow. position (n,), m; angle (n,), rad: errors of the floating frame."""

    name: str
    run: "Run"
    position: np.ndarray
    angle: np.ndarray

    @property
    def leaves(self) -> float | None:
        """When it is first OFF_THE_PATH (s), None where never."""
        far = self.position > OFF_THE_PATH
        return float(self.run.time[np.argmax(far)]) if far.any() else None

    @property
    def ended(self) -> str:
        """Why, with what it crossed on the way."""
        crossed = ", ".join(f"{t:.2f} s" for t, _ in self.run.crossings)
        return f"{self.run.stopped}, singularities crossed at {crossed}" if crossed else self.run.stopped

    @property
    def farthest(self) -> float:
        """Largest distance from the path, m."""
        return float(np.nanmax(self.position))


def tracked(name: str, run: "Run", path: "Motion") -> Tracked:
    """A run with its errors from a motion of the platform."""
    from gough.spatial.poses import rotation_of_quaternion

    wanted = path.at(np.clip(run.time, 0.0, path.duration)).position
    turned = rotation_of_quaternion(wanted[:, 3:]) @ np.swapaxes(rotation_of_quaternion(run["pose"][:, 3:]), -1, -2)
    # 2 sin(angle/2) = |R_ref - R| / √2, which keeps its digits at small angles
    half = np.linalg.norm(turned - np.eye(3), axis=(1, 2)) / np.sqrt(8.0)
    position = np.linalg.norm(run["pose"][:, :3] - wanted[:, :3], axis=1)
    return Tracked(name, run, position, 2 * np.arcsin(np.minimum(half, 1.0)))


def flexible_run(scenario: "Scenario") -> Tracked:
    """The scenario as it is: computed torque with the flexible model, elastic coordinates simulated in the controller."""
    return _run("flexible computed torque", scenario, scenario)


def rigid_run(scenario: "Scenario") -> Tracked:
    """The same feedback with the rigid model."""
    from gough.simulation.control.computed_torque import ComputedTorque

    law = ComputedTorque(STIFFNESS, DAMPING, model="rigid")
    changed = scenario.with_(
        controller=law, tolerance=RIGID_TOLERANCE, check="off"
    )  # the first run looked at the motion
    return _run("rigid computed torque", scenario, changed)


def replayed_run(scenario: "Scenario", forces_of: "Run") -> Tracked:
    """The drive forces of a run, without feedback, from the same start."""
    from gough.simulation.control.replay import replay
    from gough.simulation.scenarios.scenario import Start

    first = {"motion": replay(forces_of), "controller": None, "start": Start()}
    changed = scenario.with_(**first, tolerance=REPLAY_TOLERANCE, duration=REPLAY_S, check="off")
    return _run("open-loop replay", scenario, changed)


def _run(name: str, scenario: "Scenario", changed: "Scenario") -> Tracked:
    assert scenario.motion is not None
    return tracked(name, finished(changed), scenario.motion)


def followed(t: Tracked) -> list[Comparison]:
    """What must hold of the flexible computed torque."""
    summary = t.run.summary()
    return [
        equals("largest error of position", t.farthest, 0.0, "m", 1e-10, EXACT, form=".1e"),
        equals("largest error of orientation", float(t.angle.max()), 0.0, "rad", 1e-10, EXACT, form=".1e"),
        equals(
            "energy balance",
            summary["energy_error"],
            0.0,
            "of the energy exchanged",
            1e-9,
            EXACT,
            form=".1e",
        ),
        equals("loops", summary["closure_error"], 0.0, "of the robot's size", 1e-10, EXACT, form=".1e"),
    ]


def departed(t: Tracked) -> list[Comparison]:
    """What must hold of a run that leaves the path."""
    far = 1e3 * t.farthest
    return [at_least(f"{t.name}: distance from the path", far, 1e3 * OFF_THE_PATH, "mm", INDEPENDENT, form=".1f")]


HEAD = (
    "controller",
    "simulated s",
    "computing s",
    "compiling s",
    "steps",
    "farthest mm",
    "leaves the path",
    "ended",
)


def row(t: Tracked) -> tuple[str, ...]:
    """A run in print, under HEAD."""
    info = t.run.info
    left = "never" if t.leaves is None else f"10 mm at {t.leaves:.2f} s"
    times = (f"{x:.2f}" if x is not None else "" for x in (t.run.duration, info.computing_s, info.compile_s))
    return (t.name, *times, str(info.settings["steps"]), f"{1e3 * t.farthest:.3g}", left, t.ended)


def data(t: Tracked) -> dict[str, Any]:
    """A run as plain data."""
    return t.run.summary() | {
        "controller": t.name,
        "farthest_m": t.farthest,
        "leaves_s": t.leaves,
        "elastic_largest": float(np.nanmax(np.abs(t.run["elastic"]))),
    }
