"""The robot under its controller, simulated where samples were taken: states for instruments, forces and their slopes for output
error.

With base parameters φ and the controller's forces τ(t, q, v), small changes obey
    δ̇ = G δ + δv,   M δv̇ = -∂r/∂q δ - ∂r/∂v δv + S δτ - Y δφ,   δτ = ∂τ/∂q δ + ∂τ/∂v δv                       (1)
along the run, r the residual of the equations of motion (`gough.model.linear`), Y the regressor along v. (1) is linear: between
two samples it is integrated by the classical Runge–Kutta method with states at the middle, as the run itself was, which gives
x(k + 1) = Φ x(k) + Γ.
"""

import warnings
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.compilation.function import Function
from gough.errors import FrictionWarning, UsageError
from gough.identification.data.samples import Samples
from gough.identification.estimation.freed import FreedModel
from gough.identification.estimation.rows import Rows, stretches
from gough.program.derivatives import derive
from gough.simulation.control.law import Law
from gough.simulation.control.sampled import Sampled
from gough.simulation.integration.state import StateLayout
from gough.simulation.motion.motion import Motion
from gough.simulation.run.settings import RunSettings
from gough.simulation.run.setup import Setup, settle
from gough.simulation.run.simulate import Outcome, compile_loop, gather, march

if TYPE_CHECKING:
    from gough.model import Model

NEAR = 1e-6
"""Of a step: how far a sample may lie from a step of the run."""
FINEST = 1000
"""Steps from a sample to the next; gains that need more are no robot's."""
MOST_PARTS = 64
SLOW = 0.5
"""Largest rate of the robot under its controller, times a step of the run."""
MOST = 4_000_000
"""Numbers of slopes held at once."""


@dataclass(frozen=True)
class ClosedLoop:
    """A robot, its controller, what it followed in each of the runs of some samples, and when these motions began (s, by the
    clock of the samples)."""

    model: "Model"
    controller: Law
    motions: tuple[Motion, ...]
    begins: tuple[float, ...]

    def __post_init__(self) -> None:
        if isinstance(self.controller, Sampled):
            raise UsageError(
                "controller: forces of a sampled controller are held, so that their slopes are not those of a flow; give the law "
                "that it samples"
            )

    def simulate(self, samples: Samples, parameters: np.ndarray) -> "Simulated":
        """The robot with these parameters (n,) where it was measured."""
        found = [self._run(samples, parameters, *stretch) for stretch in stretches(samples)]
        q, v, acceleration, force = (np.concatenate([states[k] for states, _ in found]) for k in range(4))
        there = replace(samples, q=q, v=v, acceleration=acceleration, force=force)
        return Simulated(there, tuple((course, len(states[0])) for states, course in found), parameters)

    def _run(
        self, samples: Samples, parameters: np.ndarray, run: int, begin: int, end: int
    ) -> "tuple[Any, SimulatedCourse]":
        """((q, v, acceleration, tau) at the samples of a run, the whole run that they are taken from)."""
        time = samples.time[begin:end] - self.begins[run]
        spacing = float(np.median(np.diff(time))) if len(time) > 1 else 1e-3
        name = samples.runs[run]
        if time[0] < -NEAR:
            raise UsageError(
                f"run {name!r}: its samples begin {-time[0]:.4g} s before the motion does, by begin={self.begins[run]:g}: say "
                "when the motion began by the data's clock"
            )
        if np.abs(time - time[0] - np.arange(len(time)) * spacing).max() > NEAR * spacing * len(time):
            raise UsageError(f"run {name!r}: its samples are not equally spaced; condition the data first")
        motion, duration = self.motions[run], float(time[-1])
        motion = motion.extended() if duration > motion.duration else motion
        setup = self._settled(motion, duration, spacing, parameters)
        fastest = fastest_rate(setup)
        least = int(np.ceil(max(1.0, spacing * fastest / SLOW)))
        if least > FINEST:
            raise UsageError(
                f"run {name!r}: under its controller the simulated robot has a rate of {fastest:.3g} 1/s, for which {least} "
                f"steps from a sample to the next ({spacing:.3g} s) would be needed: check gains of controller= and their units"
            )
        parts = _parts(time[0] / spacing, least, name)
        setup = replace(setup, settings=replace(setup.settings, step=spacing / (2 * parts)))
        made = march(compile_loop(setup, None), setup)
        lead = round(time[0] / spacing * parts)
        at = 2 * (lead + parts * np.arange(len(time)))
        reached = float(StateLayout(setup.plant).split(made.records).t[-1])
        if reached < time[-1] - NEAR * spacing:
            raise UsageError(
                f"run {name!r}: the simulated robot stopped at {reached:.4g} s of {duration:.4g} s ({made.stopped}); "
                "its controller does not hold it with these parameters, or was told another motion (motion=, begin=)"
            )
        course = _on_grid(made, setup, at[-1] + 1, spacing / (2 * parts), parts, lead)
        return tuple(x[at] for x in (course.q, course.v, course.acceleration, course.tau)), course

    def _settled(self, motion: Motion, duration: float, step: float, parameters: np.ndarray) -> Setup:
        settings = RunSettings.of(motion, self.controller, duration, "rk4", step=step, check="off")
        return settle(self.model, settings, None, None, None, parameters)


@dataclass(frozen=True)
class SimulatedCourse:
    """A simulated run at all its half steps: setup, states, forces, times; `parts` steps from a sample to the next, `lead` steps
    before the first sample."""

    setup: Setup
    q: np.ndarray
    v: np.ndarray
    acceleration: np.ndarray
    tau: np.ndarray
    time: np.ndarray
    parts: int
    lead: int

    def part(self, begin: int, end: int) -> tuple[np.ndarray, ...]:
        """Some of the steps."""
        own = slice(begin, end)
        return self.q[own], self.v[own], self.acceleration[own], self.tau[own], self.time[own]


@dataclass(frozen=True)
class Simulated:
    """Runs on the grid of the samples: samples with simulated states and forces; courses: of each run, and its samples, none of
    runs that were simulated elsewhere; parameters (n,): of the robot."""

    samples: Samples
    courses: tuple[tuple[SimulatedCourse, int], ...]
    parameters: np.ndarray | None = None

    def force_slopes(self, rows: Rows, freed: FreedModel) -> np.ndarray:
        """Of the drive forces by the base parameters (n, drives, p)."""
        return np.concatenate([force_slopes(rows, freed, course, count) for course, count in self.courses])


def _on_grid(made: Outcome, setup: Setup, count: int, h: float, parts: int, lead: int) -> SimulatedCourse:
    """A run at equal half steps. Steps of a run end where pieces of its motion do: then states between them are interpolated, and
    forces and accelerations are those of the controller and the robot there."""
    grid, states = h * np.arange(count), StateLayout(setup.plant)
    s, more = states.split(made.records[:count]), made.records[:count, states.size :]
    if setup.asked is setup.model and len(s.t) == count and np.abs(s.t - grid).max() < NEAR * h:
        drives = len(setup.model.layout.drive_names)
        return SimulatedCourse(setup, s.q, s.v, more[:, drives:], more[:, :drives], grid, parts, lead)
    run = gather(setup, made)
    there = run.resample(np.minimum(grid, run.time[-1]))
    tau = _law_function(setup).values(**_law_inputs(setup, there.q, there.v, grid))["tau"]
    tau = np.broadcast_to(tau, (count, tau.shape[-1]))
    moved = setup.model.forward_dynamics(there.q, there.v, tau, parameters=setup.numbers)
    return SimulatedCourse(setup, there.q, there.v, moved.vdot, tau, grid, parts, lead)


def _parts(lead: float, least: int, name: str) -> int:
    """Steps from a sample to the next: at least so many, and such that the first sample, `lead` samples after the begin, is at
    the end of a step."""
    for parts in range(least, least + MOST_PARTS):
        if abs(lead * parts - round(lead * parts)) < NEAR * parts * max(1.0, lead):
            return parts
    raise UsageError(
        f"run {name!r}: its first sample is {lead:.6g} samples after the begin of the motion; begin= must be such that this is a "
        f"fraction with a denominator below {MOST_PARTS}"
    )


def fastest_rate(setup: Setup) -> float:
    """Largest |eigenvalue| (1/s) of the robot under its controller where it begins."""
    layout = setup.model.layout
    q, v = setup.first[: layout.nq], setup.first[layout.nq : layout.nq + layout.nv]
    K = law_slopes(setup, q[None], v[None], np.zeros(1))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FrictionWarning)
        linear = setup.model.linearize(
            q[None], v[None], np.zeros((1, len(layout.drive_names))), parameters=setup.numbers, friction="viscous"
        )
    return float(np.abs(np.linalg.eigvals(linear.A + linear.B @ K)).max())


def force_slopes(rows: Rows, freed: FreedModel, course: SimulatedCourse, count: int) -> np.ndarray:
    """Slopes (count, drives, p) of the controller's forces at the samples by φ: (1) from the begin of the motion on."""
    nv, p = course.setup.model.layout.nv, rows.base.rank
    steps = course.lead + (count - 1) * course.parts
    each = max(1, MOST // (4 * nv * (2 * nv + p)))
    wanted = course.lead + course.parts * np.arange(count)
    out = np.zeros((count, course.tau.shape[1], p))
    x, h = np.zeros((2 * nv, p)), 2 * float(course.time[1] - course.time[0])
    for begin in range(0, steps, each):
        end = min(begin + each, steps)
        A, push, Y, K = closed_flow(course.setup, rows, freed, *course.part(2 * begin, 2 * end + 1))
        found = _integrated(A, push, Y, h, x)
        own = np.flatnonzero((wanted > begin) & (wanted <= end))
        out[own] = K[2 * (wanted[own] - begin)] @ found[wanted[own] - begin]
        x = found[-1]
    return out


def closed_flow(
    setup: Setup,
    rows: Rows,
    freed: FreedModel,
    q: np.ndarray,
    v: np.ndarray,
    acceleration: np.ndarray,
    tau: np.ndarray,
    time: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """(A (n, 2nv, 2nv), -M⁻¹ (n, nv, nv), Y (n, nv, p), K (n, drives, 2nv)): ẋ = A x + [0, -M⁻¹ Y] δφ, δτ = K x of (1) with the
    controller at work."""
    model = setup.model
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FrictionWarning)
        linear = model.linearize(q, v, tau, parameters=setup.numbers)
    K = law_slopes(setup, q, v, time)
    Y = rows.along_velocities(model, freed.unknowns, setup.numbers, q, v, acceleration)
    M = model.mass_matrix(q, parameters=setup.numbers)
    return linear.A + linear.B @ K, -np.linalg.inv(M), Y, K


def law_slopes(setup: Setup, q: np.ndarray, v: np.ndarray, time: np.ndarray) -> np.ndarray:
    """∂τ/∂(δ, δv) (n, drives, 2nv) of the controller's forces."""
    plant, model = setup.plant, setup.model
    if plant.inner_size:
        raise UsageError(
            f"controller: {setup.law.name} has states of its own (an integral part), whose slopes are not followed; use "
            "method='iv', or leave the integral part out"
        )
    slopes = model.cached(("law slopes", plant.form), lambda: _law_function(setup, ("q", "v")))
    found = slopes.values(**_law_inputs(setup, q, v, time))
    rate = model.cached("rates by v", lambda: model.function("configuration_rate").derivative("v"))
    N = rate.values(q=q, v=v, parameters=setup.numbers)["qdot_v"]
    return np.concatenate(
        [found["tau_q"] @ N, np.broadcast_to(found["tau_v"], (*found["tau_q"].shape[:-1], v.shape[-1]))], -1
    )


def _law_function(setup: Setup, by: tuple[str, ...] = ()) -> Function:
    """The controller's forces, or their slopes by these inputs."""
    program = setup.plant.order_program(setup.plant.law_program())
    made = derive(program, by) if by else program
    return Function(made, setup.model.mechanism.table, dict(setup.model.pattern))


def _law_inputs(setup: Setup, q: np.ndarray, v: np.ndarray, time: np.ndarray) -> dict[str, np.ndarray]:
    """What the controller's program takes at states q (n, nq), v (n, nv) and times (n,)."""
    table, rows = setup.table, setup.plant.rows
    assert table is not None
    piece = np.clip(np.searchsorted(table.breaks, time, side="right") - 1, 0, len(table.breaks) - 2)
    used, at = np.unique(piece, return_inverse=True)
    listed = np.stack([rows.row(table, k) for k in used])
    state = {"q": q, "v": v, "inner": np.zeros(0), "row": listed[at], "t": time[:, None]}
    return state | {"parameters": setup.numbers}


def _integrated(A: np.ndarray, push: np.ndarray, Y: np.ndarray, h: float, first: np.ndarray) -> np.ndarray:
    """x (steps + 1, 2n, p) of ẋ = A x + [0, push Y] from `first` on; A (2 steps + 1, 2n, 2n), push (…, n, n) and Y (…, n, p) at
    steps and their middles. What the stages make of the second term is put together before it is multiplied by Y, which is
    wide."""
    A1, A2, A3 = A[:-2:2], A[1::2], A[2::2]
    one, n = np.eye(A.shape[-1]), Y.shape[-2]
    B2 = A2 @ (one + h / 2 * A1)
    B3 = A2 @ (one + h / 2 * B2)
    B4 = A3 @ (one + h * B3)
    Phi = one + h / 6 * (A1 + 2 * B2 + 2 * B3 + B4)
    last = one[:, n:]
    C1 = A2 @ (last + h / 2 * A2[..., n:])
    C1 = last + h * C1 + h**2 / 4 * (h * (A3 @ (A2 @ A2[..., n:])))
    C2 = 4 * last + h * A2[..., n:] + h * (A3 @ (last + h / 2 * A2[..., n:]))
    each = [C1 @ push[:-2:2], C2 @ push[1::2], last @ push[2::2]]
    Gamma = np.concatenate(each, axis=-1) @ np.concatenate([Y[:-2:2], Y[1::2], Y[2::2]], axis=-2)
    return _recurrence(Phi, h / 6 * Gamma, first)


def _recurrence(Phi: np.ndarray, Gamma: np.ndarray, first: np.ndarray) -> np.ndarray:
    """x (steps + 1, n, p) with x(k + 1) = Φ(k) x(k) + Γ(k), x(0) = first."""
    x = np.empty((len(Gamma) + 1, *first.shape))
    x[0], x[1:] = first, Gamma
    made = np.empty(first.shape)
    for k in range(len(Gamma)):
        x[k + 1] += np.dot(Phi[k], x[k], out=made)
    return x
