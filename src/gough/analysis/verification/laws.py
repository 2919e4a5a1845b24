"""Does a model obey the laws it must? Checks that need no other software, with what was measured and what is allowed.

Each law is checked on sampled states: configurations around home that assemble and are far from singularities, random
velocities, accelerations and wrenches. Tolerances are those of two double-precision computations of the same physics
at condition numbers below 1e3; they are fixed here, not fitted to a result. Only the inverse dynamics of a flexible robot may be
conditioned worse far from singularities: its rounding is judged beside its own condition (`allowed`). A law that a mechanism
cannot have (inverse dynamics with fewer drives than freedoms) is skipped by name.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from gough.analysis.verification._momentum import Bodies
from gough.analysis.verification._states import RandomStates, has_all_drives, sample
from gough.arguments import a_model, checked, whole
from gough.dynamics.forward import forward_dynamics
from gough.dynamics.inverse import inverse_dynamics
from gough.dynamics.numbers import Numbers
from gough.errors import UsageError
from gough.model import Model
from gough.program.interpreter import evaluate
from gough.robot.checks.physical import unphysical_bodies

__all__ = ["LawCheck", "RandomStates", "Verification", "checks", "sample", "verify"]

DIGITS = 50
SAME = 1e-10
"""Difference of two double-precision computations of the same numbers."""
ROUNDING = 1e-14
"""The same times their condition: some fifty roundings."""
MOST = 1e-4
"""Beyond that there is no number left to compare."""


@dataclass(frozen=True)
class LawCheck:
    """One law: `measured` must be at most `tolerance` (or above it where `above`).

    required is False where the description itself excludes the law; note says why. measured is NaN for a check that
    was skipped.
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
        """ "pass", "FAIL", "skipped", or "not required" for a law the description excludes."""
        if self.holds or self.required:
            return "pass" if self.holds else "FAIL"
        return "skipped" if math.isnan(self.measured) else "not required"


@dataclass(frozen=True)
class Verification:
    """All checks of one model on `states` sampled states."""

    robot: str
    states: int
    seed: int
    checks: tuple[LawCheck, ...]

    @property
    def passed(self) -> bool:
        """True when every required law holds."""
        return all(c.holds or not c.required for c in self.checks)


@checked(model=a_model, states=whole(1, 10**6), seed=whole(0, 2**63))
def verify(model: Model, states: int = 24, seed: int = 0) -> Verification:
    """Run all checks. `states` is how many states are sampled, `seed` chooses which."""
    return Verification(model.robot.name, states, seed, tuple(checks(model, states, seed)))


def checks(model: Model, states: int = 24, seed: int = 0) -> Iterator[LawCheck]:
    """The checks one by one, as they are done."""
    s = sample(model, states, seed)
    yield _closure(model, s)
    yield _drive_rates(model, s)
    yield _symmetric(model, s)
    yield _positive(model, s)
    yield _kinetic(model, s)
    yield _equation_of_motion(model, s)
    yield _forward_of_inverse(model, s)
    yield _power_balance(model, s)
    yield _reactions(model, s)
    yield _code(model, s)
    yield _many_digits(model, s)


def relative(found: np.ndarray, reference: np.ndarray, usual: np.ndarray | None = None) -> float:
    """Largest over states (first axis) of max|Δ|/max|reference|, or over the `usual` size (n, k) where that is larger.

    NaN if anything is.
    """
    return float(np.max(by_state(found, reference, usual)))


def by_state(found: np.ndarray, reference: np.ndarray, usual: np.ndarray | None = None) -> np.ndarray:
    """The same for every state (n,)."""
    n = len(found)
    error = np.abs(found - reference).reshape(n, -1).max(axis=1, initial=0.0)
    size = np.abs(reference).reshape(n, -1).max(axis=1, initial=0.0)
    if usual is not None:
        size = np.maximum(size, np.abs(usual).max(axis=1))
    return np.where((error == 0) & (size == 0), 0.0, error / np.where(size == 0, 1.0, size))


def allowed_difference(model: Model, function: str, q: np.ndarray) -> np.ndarray:
    """Difference (n,) that two computations of a function may have at q: SAME, or ROUNDING over the reciprocal condition of
    the inverse dynamics (`singularity(q).inverse`) where that is more."""
    least = np.full(len(q), SAME)
    if function != "inverse_dynamics":
        return least
    with np.errstate(divide="ignore"):
        return np.clip(ROUNDING / model.singularity(q).inverse, SAME, MOST)


def worst_of(model: Model, s: RandomStates, function: str, output: str, errors: np.ndarray) -> tuple[float, float, str]:
    """(error, what is allowed, the place in words) of the state whose error (n,) is worst beside what is allowed there."""
    bounds = allowed_difference(model, function, s.q[: len(errors)])
    share = np.where(np.isfinite(errors), errors / bounds, np.inf)
    k = int(np.argmax(share))
    place = f"worst: {output} of {function}, state {k}"
    if bounds[k] > SAME:
        place += f", where it is conditioned to {model.singularity(s.q[k]).inverse:.2g} (singularity.inverse)"
    return float(errors[k]), float(bounds[k]), place


def _skipped(name: str, law: str, tolerance: float, why: str) -> LawCheck:
    return LawCheck(name, law, math.nan, tolerance, required=False, note=f"skipped: {why}")


def _undriven(model: Model) -> str:
    """Why there is no inverse dynamics."""
    return f"drives {len(model.mechanism.drives)}, freedoms {model.mobility}: no inverse dynamics"


def _motion(model: Model, s: RandomStates) -> tuple[np.ndarray, np.ndarray]:
    """(tau, acceleration) that go together: forces of the motion, or the motion of the forces."""
    if has_all_drives(model):
        rigid = s.acceleration[:, : model.mobility]
        found = model.inverse_dynamics(s.q, s.v, rigid, s.external)
        return found.tau, np.concatenate([rigid, found.free_acceleration], axis=1)
    return s.tau, model.forward_dynamics(s.q, s.v, s.tau, s.external).vdot


def _closure(model: Model, s: RandomStates) -> LawCheck:
    worst = float(np.max(model.closure_error(s.q)))
    return LawCheck("closure_error", "the loops are closed (relative to the robot's size)", worst, 1e-10)


STENCIL = ((1, 4 / 5), (2, -1 / 5), (3, 4 / 105), (4, -1 / 280))
"""Central difference of order 8: f' h = Σ c_k (f(kh) - f(-kh))."""
STEP = 5e-3


def _slope(model: Model, s: RandomStates, f: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """df/dt (n, …) of a function of q along the motion with velocities v."""
    parts = [c * (f(model.integrate(s.q, s.v, k * STEP)) - f(model.integrate(s.q, s.v, -k * STEP))) for k, c in STENCIL]
    return np.sum(parts, axis=0) / STEP


def _drive_rates(model: Model, s: RandomStates) -> LawCheck:
    law = "Sᵀv is the rate of the drive coordinates (differences along integrate)"
    if not model.mechanism.drives:
        return _skipped("drive_rates", law, 1e-9, "no drives")
    return LawCheck("drive_rates", law, relative(_slope(model, s, model.drives), model.drive_rates(s.q, s.v)), 1e-9)


def _symmetric(model: Model, s: RandomStates) -> LawCheck:
    M = model.mass_matrix(s.q)
    return LawCheck("mass_matrix_symmetric", "M = Mᵀ", relative(np.swapaxes(M, -1, -2), M), 1e-12)


def _positive(model: Model, s: RandomStates) -> LawCheck:
    scale = np.array([1.0 if unit == "m/s" else 1.0 / model.size for unit in model.layout.v_units])
    idle = model.mechanism.selection.without_inertia
    heavy = [k for k in range(model.layout.nv) if k not in idle]
    law = "M is positive definite (smallest eigenvalue over largest)"
    if not heavy:
        return _skipped("mass_matrix_positive", law, 0.0, "nothing that moves has inertia")
    M = model.mass_matrix(s.q) * scale[:, None] * scale
    eigenvalues = np.linalg.eigvalsh(M[:, heavy][:, :, heavy])
    smallest = float(np.min(eigenvalues[:, 0] / np.abs(eigenvalues).max(axis=1)))
    unphysical = unphysical_bodies(model.robot)
    note = f"{len(unphysical)} bodies have an inertia no mass distribution can have" if unphysical else ""
    note = note or (
        f"without {', '.join(model.layout.v_names[k] for k in idle)}, which have no inertia" if idle else ""
    )
    return LawCheck("mass_matrix_positive", law, smallest, 0.0, above=True, required=not unphysical, note=note)


def _kinetic(model: Model, s: RandomStates) -> LawCheck:
    from_matrix = 0.5 * np.einsum("ni,nij,nj->n", s.v, model.mass_matrix(s.q), s.v)
    error = relative(from_matrix[:, None], model.energies(s.q, s.v).kinetic[:, None])
    return LawCheck("kinetic_energy", "½vᵀMv is the sum of the bodies' kinetic energies", error, 1e-10)


def _equation_of_motion(model: Model, s: RandomStates) -> LawCheck:
    """M v̇ + h = S τ + Q with v̇ of the forward dynamics for any τ; Q is the work of the wrench on v."""
    vdot = model.forward_dynamics(s.q, s.v, s.tau, s.external).vdot
    J = model.frame_jacobian(s.q, s.frame) if s.frame else _platform_jacobian(model, s)
    drives = np.einsum("nij,nj->ni", model.drive_map(s.q), s.tau)
    terms = (
        np.einsum("nij,nj->ni", model.mass_matrix(s.q), vdot),
        model.bias_force(s.q, s.v),
        -drives,
        -np.einsum("nij,ni->nj", J, s.wrench),
    )
    size = np.sum([np.abs(term).max(axis=1) for term in terms], axis=0)
    error = float(np.max(np.abs(np.sum(terms, axis=0)).max(axis=1) / size))
    law = "forward dynamics obeys M v̇ + h = S τ + Q for any drive forces and wrench"
    return LawCheck("equation_of_motion", law, error, 1e-10)


def _platform_jacobian(model: Model, s: RandomStates) -> np.ndarray:
    return np.swapaxes(model.twist(s.q[:, None, :], np.eye(model.layout.nv)) + np.zeros((len(s.q), 1, 1)), 1, 2)


def _forward_of_inverse(model: Model, s: RandomStates) -> LawCheck:
    law = "forward dynamics of the inverse dynamics gives the acceleration"
    if not has_all_drives(model):
        return _skipped("forward_of_inverse", law, 1e-9, _undriven(model))
    tau, wanted = _motion(model, s)
    vdot = model.forward_dynamics(s.q, s.v, tau, s.external).vdot
    free = model.forward_dynamics(s.q, s.v, 0.0 * tau).vdot  # stiff springs may leave little of large accelerations
    size = np.abs(wanted).max(axis=1) + np.abs(free).max(axis=1)
    return LawCheck("forward_of_inverse", law, float(np.max(np.abs(vdot - wanted).max(axis=1) / size)), 1e-9)


def _energy_slope(model: Model, s: RandomStates) -> np.ndarray:
    """d(T + U)/dt (n,) of the motion with velocities v. Differences would reach over corners of springs that have them: there by
    automatic differentiation of the energies."""
    laws = [x.law for x in (*model.mechanism.links, *model.mechanism.springs)]
    if all(law.smooth for law in laws):
        return _slope(model, s, lambda q: model.energies(q, s.v).total)
    along = model.function("energies").derivative("q", "jvp")
    motion = {"q": s.q, "v": s.v, "d_q": model.configuration_rate(s.q, s.v)}
    found = along(**motion, parameters=model.parameters).outputs
    return found["d_kinetic"] + found["d_potential"]


def _power_balance(model: Model, s: RandomStates) -> LawCheck:
    """d(T + U)/dt = τ·q̇ + F·V - losses.

    The left side from energies alone: differences of T(q, v) + U(q) along a motion with v, and v̇·∂T/∂v, for which
    (T(q, v + εv̇) - T(q, v - εv̇))/2ε is exact because T is quadratic in v; ε makes both parts alike, so that no digits are lost.
    """
    tau, acceleration = _motion(model, s)
    slope = _energy_slope(model, s)
    moving, pushed = (model.energies(s.q, x).kinetic for x in (s.v, acceleration))
    pace = np.sqrt(np.where((moving > 0) & (pushed > 0), moving / np.where(pushed > 0, pushed, 1.0), 1.0))
    step = pace[:, None] * acceleration
    faster, slower = (model.energies(s.q, s.v + sign * step).kinetic for sign in (1, -1))
    drives = np.sum(tau * model.drive_rates(s.q, s.v), axis=-1)
    outside, losses = s.power(model), model.energies(s.q, s.v).losses
    gained = slope + 0.5 * (faster - slower) / pace
    scale = np.abs(drives) + np.abs(outside) + np.abs(losses)
    if not model.mechanism.drives:  # energies may then only change into each other
        scale = scale + np.abs(slope) + np.abs(gained - slope)
    error = float(np.max(np.abs(gained - (drives + outside - losses)) / scale))
    return LawCheck("power_balance", "energies change by the power of drives, wrench and losses", error, 1e-8)


def _reactions(model: Model, s: RandomStates) -> LawCheck:
    """d/dt of the momentum of all bodies = ground + gravity + springs on the ground + wrench, about the world's origin."""
    law = "reactions of the ground, gravity and wrench change the momentum of all bodies"
    tau, acceleration = _motion(model, s)
    try:
        if model.mechanism.drives and has_all_drives(model):
            found = model.joint_reactions(s.q, s.v, acceleration[:, : model.mobility], s.external)
        else:
            found = model.joint_reactions(s.q, s.v, wrench=s.external, tau=tau, vdot=acceleration)
    except UsageError as error:  # the forward dynamics is not that of these forces
        return LawCheck("reactions", law, math.nan, 1e-8, note=str(error))
    now = Bodies(model, s.q, s.v)
    rate = _slope(model, s, lambda q: Bodies(model, q, s.v).momentum()) + Bodies(model, s.q, acceleration).momentum()
    terms = [now.ground(found), now.gravity(), now.springs(), now.outside(s.wrench, s.frame), -rate]
    size = np.array([1.0] * 3 + [model.size] * 3)
    largest = np.sum([np.abs(term / size).max(axis=1) for term in terms], axis=0)
    error = float(np.max(np.abs(np.sum(terms, axis=0) / size).max(axis=1) / largest))
    return LawCheck("reactions", law, error, 1e-8)


def _code(model: Model, s: RandomStates) -> LawCheck:
    worst: tuple[float, float, str] = (0.0, SAME, "")
    inputs = {"q": s.q, "v": s.v, "acceleration": s.acceleration, "tau": s.tau} | s.load(model)
    usual = {
        "tau": s.wrench,
        "h": s.wrench,
        "vdot": s.acceleration,
    }  # balanced mechanisms have outputs of rounding only
    names = ("inverse_dynamics", "forward_dynamics", "mass_matrix", "bias_force")[0 if has_all_drives(model) else 1 :]
    for name in names:
        function = model.function(name).compile()
        slots = {x.name: inputs.get(x.name, model.parameters)[..., : x.size] for x in function.program.inputs}
        compiled = function(**slots).outputs
        for output, reference in evaluate(function.program, slots).items():
            errors = by_state(compiled[output], reference, usual.get(output))
            found = worst_of(model, s, name, output, errors)
            if math.isnan(found[0]) or found[0] / found[1] > worst[0] / worst[1]:  # a NaN stays
                worst = found
    error, bound, place = worst
    law = f"compiled code equals the interpreted program ({len(names)} functions)"
    return LawCheck("code", law, error, bound, note="" if error <= SAME else place)


def _many_digits(model: Model, s: RandomStates) -> LawCheck:
    name = "inverse_dynamics" if has_all_drives(model) else "forward_dynamics"
    law = f"the program equals the equations evaluated with {DIGITS} digits ({name.replace('_', ' ')}, one state)"
    try:
        import mpmath
    except ImportError:
        return _skipped("digits", law, 1e-10, "mpmath is not installed")
    load = {slot: np.atleast_2d(x)[0] for slot, x in s.load(model).items()}
    rigid = s.acceleration[:, : model.mobility]
    with mpmath.workdps(DIGITS):

        def exact(x: np.ndarray) -> np.ndarray:
            return np.array([mpmath.mpf(float(e)) for e in x], dtype=object)

        parameters = exact(model.parameters)
        for i, value in model.pattern.items():
            parameters[i] = value
        numbers = Numbers(model.mechanism, parameters)
        outside = {slot: exact(x) for slot, x in load.items()}
        if has_all_drives(model):
            out = inverse_dynamics(numbers, *(exact(x[0]) for x in (s.q, s.v, rigid)), **outside)["tau"]
        else:
            out = forward_dynamics(numbers, *(exact(x[0]) for x in (s.q, s.v, s.tau)), **outside)["vdot"]
    reference = np.array([[float(x) for x in out]])
    external = {s.frame: s.wrench[:1]} if s.frame else s.wrench[:1]
    if has_all_drives(model):
        found = model.inverse_dynamics(s.q[:1], s.v[:1], rigid[:1], external).tau
    else:
        found = model.forward_dynamics(s.q[:1], s.v[:1], s.tau[:1], external).vdot
    error, bound, place = worst_of(
        model, s, name, "tau" if has_all_drives(model) else "vdot", by_state(found, reference)
    )
    return LawCheck("digits", law, error, bound, note="" if error <= SAME else place)
