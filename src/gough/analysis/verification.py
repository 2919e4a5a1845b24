"""Does a model obey the laws it must? Checks that need no other software, with what was measured and what is allowed.

Each law is checked on sampled states: poses around home that assemble and are far from singularities, random
velocities, accelerations and wrenches. Tolerances are those of two double-precision computations of the same physics
at condition numbers below 1e3; they are fixed here, not fitted to a result.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from gough.compilation import Model
from gough.dynamics.inverse import inverse_dynamics
from gough.dynamics.numbers import Numbers
from gough.errors import UsageError
from gough.program.interpreter import evaluate
from gough.robot.physical import unphysical_bodies

FAR_FROM_SINGULAR = 1e-3
FAR_FROM_FOLDED = 0.6
"""Smallest accepted serial measure relative to home's: differences along a motion are inexact at the edge of reach."""
SPREAD = 0.25
"""Poses lie within this times the robot's size (m), and this angle (rad), of home in each direction."""
DIGITS = 50


@dataclass(frozen=True)
class Check:
    """One law: `measured` must be at most `tolerance` (or above it where `above`).

    required is False where the description itself excludes the law; note says why. measured is NaN for a check that
    could not run.
    """

    name: str
    law: str
    measured: float
    tolerance: float
    above: bool = False
    required: bool = True
    note: str = ""

    @property
    def holds(self) -> bool:
        """Whether the law was found to hold; False for NaN."""
        return self.measured > self.tolerance if self.above else self.measured <= self.tolerance

    @property
    def verdict(self) -> str:
        """ "pass", "FAIL", or "not required" for a law the description excludes."""
        return "pass" if self.holds else "FAIL" if self.required else "not required"


@dataclass(frozen=True)
class Verification:
    """All checks of one model on `states` sampled states."""

    robot: str
    states: int
    seed: int
    checks: tuple[Check, ...]

    @property
    def passed(self) -> bool:
        """True when every required law holds."""
        return all(c.holds or not c.required for c in self.checks)


@dataclass(frozen=True)
class Sample:
    """q (n, nq), v, acceleration, wrench (n, 6): states in units of the robot's size, seconds and its weight."""

    q: np.ndarray
    v: np.ndarray
    acceleration: np.ndarray
    wrench: np.ndarray


def verify(model: Model, states: int = 24, seed: int = 0) -> Verification:
    """Run all checks. `states` is how many states are sampled, `seed` chooses which."""
    return Verification(model.robot.name, states, seed, tuple(checks(model, states, seed)))


def checks(model: Model, states: int = 24, seed: int = 0) -> Iterator[Check]:
    """The checks one by one, as they are done."""
    s = sample(model, states, seed)
    yield _closure(model, s)
    yield _drive_rates(model, s)
    yield _symmetric(model, s)
    yield _positive(model, s)
    yield _kinetic(model, s)
    yield _forward_of_inverse(model, s)
    yield _power_balance(model, s)
    yield _code(model, s)
    yield _many_digits(model, s)


def sample(model: Model, states: int, seed: int) -> Sample:
    """States that assemble and are far from singularities."""
    if states < 1:
        raise UsageError(f"states={states}; give at least 1")
    rng = np.random.default_rng(seed)
    scale = np.array([model.size] * 3 + [1.0] * 3)
    floor = FAR_FROM_FOLDED * model.singularity(model.home).serial
    found: list[np.ndarray] = []
    for _ in range(40):
        step = SPREAD * scale * rng.uniform(-1, 1, (2 * states, 6))
        q = model.integrate(np.broadcast_to(model.home, (2 * states, model.layout.nq)), step, on_bad_state="mark")
        q = q[np.isfinite(q).all(axis=1)]
        measure = model.singularity(q)
        good = (measure.parallel > FAR_FROM_SINGULAR) & (measure.serial > floor).all(axis=-1)
        found.extend(q[good])
        if len(found) >= states:
            break
    else:
        raise UsageError(
            f"{model.robot.name}: only {len(found)} of {states} sampled poses around home are regular; "
            f"choose a home farther from singularities"
        )
    weight = model.robot.platform.body.mass * 9.81 or 1.0
    v, a, w = rng.normal(size=(3, states, 6)) * scale
    # Differences along a motion need legs that turn gently: at most about 1 rad/s, or the robot's size a second.
    chosen = np.array(found[:states])
    fastest = np.abs(model.configuration_rate(chosen, v) / _coordinate_scale(model)).max(axis=1)
    gentle = 1.0 / np.maximum(fastest, 1.0)[:, None]
    v, a = v * gentle, a * gentle**2
    wrench = w / model.size * weight * np.where(np.arange(6) < 3, 1.0, model.size**2)
    return Sample(np.array(found[:states]), v, a, wrench)


def relative(found: np.ndarray, reference: np.ndarray) -> float:
    """Largest over states (first axis) of max|Δ|/max|reference|; NaN if anything is."""
    error = np.abs(found - reference).reshape(len(found), -1).max(axis=1)
    return float(np.max(error / np.abs(reference).reshape(len(found), -1).max(axis=1)))


def _closure(model: Model, s: Sample) -> Check:
    worst = float(np.max(model.closure_error(s.q)))
    return Check("closure_error", "the loops are closed (relative to the robot's size)", worst, 1e-10)


STENCIL = ((1, 4 / 5), (2, -1 / 5), (3, 4 / 105), (4, -1 / 280))
"""Central difference of order 8: f' h = Σ c_k (f(kh) - f(-kh))."""


def _coordinate_scale(model: Model) -> np.ndarray:
    """Unit change (nq,) of each coordinate: the robot's size for lengths, 1 for angles and quaternions."""
    return np.array([model.size if unit == "m" else 1.0 for unit in model.layout.q_units])


STEP = 5e-3


def _drive_rates(model: Model, s: Sample) -> Check:
    slope = sum(c * (model.drives(model.integrate(s.q, s.v, k * STEP)) - _back(model, s, k)) for k, c in STENCIL)
    error = relative(np.asarray(slope) / STEP, model.drive_rates(s.q, s.v))
    return Check("drive_rates", "Sᵀv is the rate of the drive coordinates (differences along integrate)", error, 1e-9)


def _back(model: Model, s: Sample, k: int) -> np.ndarray:
    return model.drives(model.integrate(s.q, s.v, -k * STEP))


def _symmetric(model: Model, s: Sample) -> Check:
    M = model.mass_matrix(s.q)
    return Check("mass_matrix_symmetric", "M = Mᵀ", relative(np.swapaxes(M, -1, -2), M), 1e-12)


def _positive(model: Model, s: Sample) -> Check:
    scale = np.where(np.arange(model.layout.nv) < 3, 1.0, 1.0 / model.size)
    eigenvalues = np.linalg.eigvalsh(model.mass_matrix(s.q) * scale[:, None] * scale)
    smallest = float(np.min(eigenvalues[:, 0] / np.abs(eigenvalues).max(axis=1)))
    bodies = unphysical_bodies(model.robot)
    note = f"{len(bodies)} bodies have an inertia no mass distribution can have" if bodies else ""
    law = "M is positive definite (smallest eigenvalue over largest)"
    return Check("mass_matrix_positive", law, smallest, 0.0, above=True, required=not bodies, note=note)


def _kinetic(model: Model, s: Sample) -> Check:
    from_matrix = 0.5 * np.einsum("ni,nij,nj->n", s.v, model.mass_matrix(s.q), s.v)
    error = relative(from_matrix[:, None], model.energies(s.q, s.v).kinetic[:, None])
    return Check("kinetic_energy", "½vᵀMv is the sum of the bodies' kinetic energies", error, 1e-10)


def _forward_of_inverse(model: Model, s: Sample) -> Check:
    tau = model.inverse_dynamics(s.q, s.v, s.acceleration, s.wrench).tau
    vdot = model.forward_dynamics(s.q, s.v, tau, s.wrench).vdot
    error = relative(vdot, s.acceleration)
    return Check("forward_of_inverse", "forward dynamics of the inverse dynamics gives the acceleration", error, 1e-9)


def _power_balance(model: Model, s: Sample) -> Check:
    """d(T + U)/dt = τ·q̇ + F·V - losses, the left side by differences of energies along a motion with v and v̇."""
    slope = sum(c * (_energy(model, s, k * STEP) - _energy(model, s, -k * STEP)) for k, c in STENCIL)
    tau = model.inverse_dynamics(s.q, s.v, s.acceleration, s.wrench).tau
    drives = np.sum(tau * model.drive_rates(s.q, s.v), axis=-1)
    outside = np.sum(s.wrench * s.v, axis=-1)
    losses = model.energies(s.q, s.v).losses
    scale = np.abs(drives) + np.abs(outside) + np.abs(losses)
    error = float(np.max(np.abs(np.asarray(slope) / STEP - (drives + outside - losses)) / scale))
    return Check("power_balance", "energies change by the power of drives, wrench and losses", error, 1e-8)


def _energy(model: Model, s: Sample, t: float) -> np.ndarray:
    """Total energy (n,) at time t of x = v t + v̇ t²/2 (translation; rotation vector φ), with the exact twist there.

    ω = φ̇ + (1 - cos φ)/φ² φ×φ̇ + (φ - sin φ)/φ³ φ×(φ×φ̇): at t = 0 twist and acceleration are v and v̇.
    """
    step, rate = s.v * t + 0.5 * s.acceleration * t**2, s.v + s.acceleration * t
    phi, phid = step[:, 3:], rate[:, 3:]
    angle = np.linalg.norm(phi, axis=1, keepdims=True)
    cross = np.cross(phi, phid)
    first = 0.5 * np.sinc(angle / (2 * math.pi)) ** 2
    second = np.where(angle > 1e-2, (angle - np.sin(angle)) / np.where(angle > 1e-2, angle, 1.0) ** 3, _series(angle))
    w = phid + first * cross + second * np.cross(phi, cross)
    return model.energies(model.integrate(s.q, step), np.concatenate([rate[:, :3], w], axis=1)).total


def _series(angle: np.ndarray) -> np.ndarray:
    return 1 / 6 - angle**2 / 120 + angle**4 / 5040


def _code(model: Model, s: Sample) -> Check:
    worst = 0.0
    inputs = {"q": s.q, "v": s.v, "acceleration": s.acceleration, "wrench": s.wrench, "tau": s.wrench}
    inputs["tau"] = model.inverse_dynamics(s.q, s.v, s.acceleration, s.wrench).tau
    for name in ("inverse_dynamics", "forward_dynamics", "mass_matrix", "bias_force"):
        function = model.function(name).compile()
        slots = {x.name: inputs.get(x.name, model.parameters) for x in function.program.inputs}
        compiled = function(**slots).outputs
        for output, reference in evaluate(function.program, slots).items():
            worst = max(worst, relative(compiled[output], reference))
    return Check("code", "compiled code equals the interpreted program (4 functions)", worst, 1e-10)


def _many_digits(model: Model, s: Sample) -> Check:
    law = f"the program equals the equations evaluated with {DIGITS} digits (inverse dynamics, one state)"
    try:
        import mpmath
    except ImportError:
        return Check("digits", law, math.nan, 1e-10, required=False, note="not run: mpmath is not installed")
    with mpmath.workdps(DIGITS):

        def exact(x: np.ndarray) -> np.ndarray:
            return np.array([mpmath.mpf(float(e)) for e in x], dtype=object)

        parameters = exact(model.parameters)
        for i, value in model.pattern.items():
            parameters[i] = value
        arguments = (exact(x[0]) for x in (s.q, s.v, s.acceleration, s.wrench))
        tau = inverse_dynamics(Numbers(model.mechanism, parameters), *arguments)["tau"]
    reference = np.array([[float(x) for x in tau]])
    found = model.inverse_dynamics(s.q[:1], s.v[:1], s.acceleration[:1], s.wrench[:1]).tau
    return Check("digits", law, relative(found, reference), 1e-10)
