"""[Long 2014, Fig. 3]: the closed loop of trajectory, inverse model, direct model and integration; scenario `long2014_poses`.

The paper's results are figures, which the text we have lacks, and its poses are not printed; ours are in the scenario. The
paper's loop, as section 6.2 has it, feeds nothing back: the inverse model at the robot's state, given the wanted acceleration,
and the direct model, an identity. The flexible model's computed torque starts on the path with no error, and errors obey
ë + 40 ė + 400 e = 0: exactly, it never leaves it. The rigid model's computed torque and an open-loop replay of the forces leave
it. How far the first is at stated times is compared with another model. The replay departs from what its forces are off between
stored states, which grows with the robot's instability: a number of its own. With a push that is known it is compared too.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gough import Motion, Run, Scenario
from gough.fem.elastic_body import ElasticBody
from gough.laws import ComputedTorque, forces, forces_of
from gough.simulation.scenarios.scenario import Start
from gough.spatial.poses import rotation_of_quaternion
from gough_papers.canvas import AXES, COLORS, LEGS, MANY, canvas, label_axes, plot_curves, put_legend_below
from gough_papers.comparison import (
    BALANCE,
    Demonstration,
    KnownComparison,
    Origin,
    Tolerance,
    equals,
    half_digit,
)
from gough_papers.long2014.plate import FIRST
from gough_papers.reproduction import finished_run

EXAGGERATION = 5.0
"""The plate's deflection is shown so many times as large as it is."""
OFF_THE_PATH = 0.01
"""m: a plate that is this far from its path has left it."""
STIFFNESS, DAMPING = 400.0, 40.0
RIGID_TOLERANCE, REPLAY_TOLERANCE = 1e-8, 1e-9
"""Runs that diverge need no more: the errors of their steps are far below what they show."""
ENERGIES = Origin(
    "independent",
    "energies with automatic differentiation, SciPy; the plate's mesh and modes are the library's "
    "(tests/papers/test_long2014_departing.py)",
)
RIGID_TIMES, RIGID_MM = (0.5, 0.9), (0.512, 24.359)
"""s, mm: at the end of the first rest and late, how far computed torque with the rigid model is from the path."""
PUSH = (10.0, 0.0, 0.0, 0.0, 0.0, 0.0)
"""N, more than the replayed forces."""
PUSHED_TIMES, PUSHED_MM = (0.5, 0.8), (5.303, 22.73)
"""s, mm: how far a replay with PUSH is from the path."""
ASKED = 1e-10
"""Accuracy of the steps of `long2014_poses`."""
REPLAY_S = 2.5
"""s: then the replay is decimetres away, and soon falls through singular poses."""


@dataclass(frozen=True)
class Tracked:
    """A run beside the path it was to follow. position (n,), m; angle (n,), rad: errors of the floating frame."""

    name: str
    run: Run
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

    def at(self, times: Sequence[float], path: Motion) -> np.ndarray:
        """(n,) errors of position at given times (s), m."""
        return track_path(self.name, self.run.resample(np.array(times)), path).position

    def follow_comparisons(self) -> list[KnownComparison]:
        """What must hold of the flexible computed torque."""
        summary = self.run.summary()
        energy, loops, exchanged = summary["energy_error"], summary["closure_error"], "of the energy exchanged"
        asked = Tolerance(ASKED, "the accuracy asked of the steps")
        closed = Tolerance(1e-14, "rounding: legs follow from the platform in closed form")
        return [
            equals("energy balance", energy, 0.0, exchanged, asked, BALANCE, form=".1e"),
            equals("loops", loops, 0.0, "of the robot's size", closed, BALANCE, form=".1e"),
        ]

    def replay_demonstration(self) -> Demonstration:
        """Of the replay as it is."""
        why = "what starts it are errors of the forces between stored states, no property of the robot"
        return Demonstration(f"{self.name}: distance at {REPLAY_S:g} s", f"{1e3 * self.position[-1]:.0f} mm", why)

    def unfed_demonstration(self) -> Demonstration:
        """Of the paper's loop."""
        why = "direct model of inverse model, at the same state: what is left are errors of the steps, which nothing corrects"
        return Demonstration(f"{self.name}: largest distance", f"{1e3 * self.farthest:.1e} mm", why)

    def demonstrations(self) -> list[Demonstration]:
        """Of the flexible computed torque."""
        why = "the controller's model is the robot's, and the start is on the path: the feedback has nothing to do"
        return [
            Demonstration("largest error of position", f"{self.farthest:.1e} m", why),
            Demonstration("largest error of orientation", f"{self.angle.max():.1e} rad", why),
        ]

    def row(self) -> tuple[str, ...]:
        """In print, under HEAD."""
        info = self.run.info
        left = "never" if self.leaves is None else f"10 mm at {self.leaves:.2f} s"
        times = (f"{x:.2f}" if x is not None else "" for x in (self.run.duration, info.computing_s, info.compile_s))
        return (self.name, *times, str(info.settings["steps"]), f"{1e3 * self.farthest:.3g}", left, self.ended)

    def data(self) -> dict[str, Any]:
        """As plain data."""
        return self.run.summary() | {
            "controller": self.name,
            "farthest_m": self.farthest,
            "leaves_s": self.leaves,
            "elastic_largest": float(np.nanmax(np.abs(self.run["elastic"]))),
        }


HEAD = (
    "controller",
    "simulated s",
    "computing s",
    "compile or load s",
    "steps",
    "farthest mm",
    "leaves the path",
    "ended",
)


def track_path(name: str, run: Run, path: Motion) -> Tracked:
    """A run with its errors from a motion of the platform."""

    wanted = path.at(np.clip(run.time, 0.0, path.duration)).position
    turned = rotation_of_quaternion(wanted[:, 3:]) @ np.swapaxes(rotation_of_quaternion(run["pose"][:, 3:]), -1, -2)
    # 2 sin(angle/2) = |R_ref - R| / √2, which keeps its digits at small angles
    half = np.linalg.norm(turned - np.eye(3), axis=(1, 2)) / np.sqrt(8.0)
    position = np.linalg.norm(run["pose"][:, :3] - wanted[:, :3], axis=1)
    return Tracked(name, run, position, 2 * np.arcsin(np.minimum(half, 1.0)))


def flexible_run(scenario: Scenario) -> Tracked:
    """The scenario as it is: computed torque with the flexible model, elastic coordinates simulated in the controller."""
    return _run("flexible computed torque", scenario, scenario)


def rigid_run(scenario: Scenario) -> Tracked:
    """The same feedback with the rigid model."""

    law = ComputedTorque(STIFFNESS, DAMPING, model="rigid")
    changed = scenario.with_(
        controller=law, tolerance=RIGID_TOLERANCE, check="off"
    )  # the first run looked at the motion
    return _run("rigid computed torque", scenario, changed)


def unfed_run(scenario: Scenario) -> Tracked:
    """[Long 2014, section 6.2]: the inverse model at the robot's own state with the wanted acceleration, nothing fed back."""
    law = ComputedTorque(0.0, 0.0)
    return _run("the paper's loop", scenario, scenario.with_(controller=law, check="off"))


def replayed_run(scenario: Scenario, forces_from: Run) -> Tracked:
    """The drive forces of a run, without feedback, from the same start."""
    return _replay("open-loop replay", scenario, forces_of(forces_from), REPLAY_S)


def pushed_run(scenario: Scenario, forces_from: Run) -> Tracked:
    """The same with PUSH."""
    pushed = forces(forces_from.time, forces_from.tau + np.array(PUSH))
    first = (forces_from.q[0].copy(), forces_from.v[0].copy())
    return _replay("replay with a push", scenario, replace(pushed, first=first), PUSHED_TIMES[-1])


def _replay(name: str, scenario: Scenario, motion: Motion, duration: float) -> Tracked:
    first = {"motion": motion, "controller": None, "start": Start()}
    changed = scenario.with_(**first, tolerance=REPLAY_TOLERANCE, duration=duration, check="off")
    return _run(name, scenario, changed)


def rigid_comparisons(run: Tracked, path: Motion) -> list[KnownComparison]:
    """Of computed torque with the rigid model."""
    notes = ("", "the plate is bent by decimetres then: equations are compared, no real plate")
    return [
        equals(
            f"{run.name}: distance at {t:g} s", far, known, "mm", half_digit(0.0005), ENERGIES, form=".3f", note=note
        )
        for t, far, known, note in zip(RIGID_TIMES, 1e3 * run.at(RIGID_TIMES, path), RIGID_MM, notes, strict=True)
    ]


def pushed_comparison(pushed: Tracked, path: Motion) -> KnownComparison:
    """Of the replay with PUSH, at the end of the first rest."""
    what, far = f"{pushed.name}: distance at {PUSHED_TIMES[0]:g} s", 1e3 * pushed.at(PUSHED_TIMES[:1], path)
    return equals(what, far, PUSHED_MM[0], "mm", half_digit(0.0005), ENERGIES, form=".3f")


def pushed_demonstration(pushed: Tracked, replayed: Tracked, path: Motion) -> Demonstration:
    """Of the same on the way. replayed: without PUSH."""
    far, own = (1e3 * float(run.at(PUSHED_TIMES[1:], path)[0]) for run in (pushed, replayed))
    why = f"{PUSHED_MM[1]:.2f} mm by energies; without a push {own:.3f} mm, from forces between stored states"
    return Demonstration(f"{pushed.name}: distance at {PUSHED_TIMES[1]:g} s", f"{far:.3f} mm", why)


def _run(name: str, scenario: Scenario, changed: Scenario) -> Tracked:
    assert scenario.motion is not None
    return track_path(name, finished_run(changed), scenario.motion)


# ---- [Long 2014, Figs. 4–7] with our poses


@dataclass(frozen=True)
class PlateDeformation:
    """Displacement (n, 3) m and rotation (n, 3) rad of the plate's centre, displacement (n, 6, 3) m where the legs hold it; all
    from flat, platform axes."""

    origin: np.ndarray
    turned: np.ndarray
    held: np.ndarray


def deformation(elastic: np.ndarray, plate: ElasticBody, held: np.ndarray) -> PlateDeformation:
    """Of elastic coordinates (n, m): Φ_d q_e and Φ_r q_e of [Long 2014, section 6.2]; held (6, 3): where the legs are
    attached, m."""
    tied = list(plate.frames.values())
    at = np.array([frame.position for frame in tied])

    def frame(point: np.ndarray) -> Any:
        return tied[int(np.argmin(np.linalg.norm(at - point, axis=1)))]

    centre = frame(np.zeros(3))
    points = np.stack([elastic @ frame(p).translation.T for p in held], axis=1)
    return PlateDeformation(elastic @ centre.translation.T, elastic @ centre.turning.T, points)


@dataclass(frozen=True)
class FollowedResults:
    """Of the flexible computed torque. acceleration, wanted (n, 6): of the platform frame by the direct model, and of the
    path."""

    t: np.ndarray
    forces: np.ndarray
    acceleration: np.ndarray
    wanted: np.ndarray
    bent: PlateDeformation

    def demonstrations(self) -> list[Demonstration]:
        """What the paper's text says of its Figs. 5 and 6."""
        off = float(np.abs(self.acceleration - self.wanted).max())
        linear, turned = np.abs(self.bent.origin).max(axis=0), np.abs(self.bent.turned).max(axis=0)
        flat, spun = float(linear[:2].max() / linear[2]), float(turned[2] / turned[:2].min())
        plate = "in plate theory there is none"
        return [
            Demonstration(
                "acceleration, found minus wanted", f"{off:.1e} m/s², rad/s²", "direct model of inverse model"
            ),
            Demonstration("deformation of the origin: x, y over z", f"{flat:.1e}", plate),
            Demonstration("rotation of the origin: about z over x, y", f"{spun:.1e}", plate),
        ]


def results(run: Tracked, path: Motion, plate: ElasticBody, held: np.ndarray) -> FollowedResults:
    """From the run that follows the path."""
    t = run.run.time
    wanted = path.at(np.clip(t, 0.0, path.duration)).acceleration
    found = run.run.acceleration[:, :6]
    return FollowedResults(t, run.run.tau, found, wanted, deformation(run.run["elastic"], plate, held))


def draw_forces(r: FollowedResults) -> Any:
    """Fig. 4."""
    figure = canvas(9.5, 4.4)
    ax = figure.subplots()
    plot_curves(ax, r.t, r.forces, LEGS)
    label_axes(ax, "Forces of the prismatic joints (inverse dynamic model)", "force Γ (N)")
    put_legend_below(figure, ax)
    return figure


def draw_accelerations(r: FollowedResults) -> Any:
    """Fig. 5: top as found, bottom found minus wanted."""
    figure = canvas(10, 6.4)
    axes = figure.subplots(2, 2)
    off = r.acceleration - r.wanted
    for row, values, what in ((0, r.acceleration, "by the direct model"), (1, off, "found minus wanted")):
        for column, name, unit, part in (
            (0, "Linear acceleration", "m/s²", slice(0, 3)),
            (1, "Angular acceleration", "rad/s²", slice(3, 6)),
        ):
            plot_curves(axes[row, column], r.t, values[:, part], AXES, linewidth=1.4 if row == 0 else 0.7)
            label_axes(axes[row, column], f"{name}, {what}", unit)
    put_legend_below(figure, axes[0, 0], 3)
    return figure


def draw_origin(r: FollowedResults) -> Any:
    """Fig. 6."""
    figure = canvas(10, 3.9)
    axes = figure.subplots(1, 2)
    plot_curves(axes[0], r.t, 1e3 * r.bent.origin, AXES)
    label_axes(axes[0], "Linear deformation at the platform's origin", "displacement (mm)")
    plot_curves(axes[1], r.t, 1e3 * r.bent.turned, AXES)
    label_axes(axes[1], "Angular deformation at the platform's origin", "rotation (mrad)")
    put_legend_below(figure, axes[0], 3)
    return figure


def draw_points(r: FollowedResults) -> Any:
    """Fig. 7: a panel a point."""
    figure = canvas(10, 5.6)
    axes = figure.subplots(2, 3, sharex=True, sharey=True)
    for k, ax in enumerate(axes.flat):
        for i, name in enumerate(AXES):
            ax.plot(r.t, 1e3 * r.bent.held[:, k, i], color=COLORS[i], linewidth=1.4, label=name)
        label_axes(
            ax, f"attachment point {k + 1}", "displacement (mm)" if k % 3 == 0 else "", "time (s)" if k > 2 else ""
        )
        ax.set_xlim(float(r.t[0]), float(r.t[-1]))
    put_legend_below(figure, axes[0, 0], 3)
    return figure


# ---- the three controllers side by side

LEAST = 1e-16
"""m: errors below it are drawn there."""


def draw_tracking(runs: Sequence[Tracked]) -> Any:
    """Distance from the path, and elastic coordinates, each controller's."""
    figure = canvas(11, 8.2)
    figure.get_layout_engine().set(w_pad=0.1)
    panels = figure.subplot_mosaic([["error"] * 3, [0, 1, 2]], height_ratios=[1, 1.1])
    for run, color in zip(runs, COLORS, strict=False):
        far = np.maximum(run.position, LEAST)
        panels["error"].semilogy(run.run.time, far, color=color, label=run.name, linewidth=1.4)
        if not run.run.info.finished:
            panels["error"].plot(run.run.time[-1], far[-1], "x", color=color, markersize=9, markeredgewidth=2)
    panels["error"].axhline(OFF_THE_PATH, color="0.4", linewidth=0.8, linestyle=":")
    panels["error"].text(0.02, 1.6 * OFF_THE_PATH, "off the path", color="0.3", fontsize=9)
    label_axes(panels["error"], "Distance of the plate's floating frame from its path (× ends early)", "error (m)")
    panels["error"].set_xlim(0, _end(runs))
    panels["error"].legend(loc="center right", bbox_to_anchor=(1, 0.42))
    for k, run in enumerate(runs):
        elastic = run.run["elastic"]
        for i in range(elastic.shape[1]):
            panels[k].plot(run.run.time, elastic[:, i], color=MANY[i % len(MANY)], linewidth=1.1, label=f"{FIRST + i}")
        label_axes(panels[k], f"{run.name}: elastic", "modal amplitude (m √kg)")
        _stop(panels[k], run)
    figure.legend(
        *panels[0].get_legend_handles_labels(), title="mode", ncols=10, loc="outside lower center", frameon=False
    )
    return figure


def draw_controllers(runs: Sequence[Tracked]) -> Any:
    """Drive forces, each controller's."""
    figure = canvas(11, 4.4)
    axes = np.atleast_1d(figure.subplots(1, len(runs)))
    for ax, run in zip(axes, runs, strict=True):
        for i in range(run.run.tau.shape[1]):
            ax.plot(run.run.time, run.run.tau[:, i] / 1e3, color=COLORS[i], linewidth=1.3, label=f"leg {i + 1}")
        label_axes(ax, run.name, "drive force (kN)")
        _stop(ax, run)
    figure.legend(*axes[0].get_legend_handles_labels(), ncols=6, loc="outside lower center", frameon=False)
    return figure


def _end(runs: Sequence[Tracked]) -> float:
    return max(float(run.run.time[-1]) for run in runs)


def _stop(ax: Any, run: Tracked) -> None:
    """Where a run ends early, why."""
    ax.set_xlim(0, float(run.run.time[-1]))
    if not run.run.info.finished:
        ax.set_xlabel(f"time (s)\nended: {run.run.info.ending.why}", fontsize=8)
