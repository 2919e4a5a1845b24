"""The loop of a law and a robot about rest at a pose: open loop, sensitivities, margins."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from gough.analysis.linear_model import linear_model
from gough.analysis.modes import one_design
from gough.arguments import a_law, a_model, checked, design, numbers, word, wrenches
from gough.errors import RunWarning, UsageError, warn
from gough.model import LinearModel, Model
from gough.simulation.control.law import Law
from gough.simulation.linear.law_slopes import LawSlopes
from gough.simulation.linear.open_loop import OpenLoops, continuous_poles, open_loops
from gough.simulation.loops._folded import FoldedMode, folded_modes
from gough.simulation.loops._measures import ALL, is_stable, measure_loops
from gough.simulation.loops._small_law import small_law, told_law
from gough.text import short_repr

Array = np.ndarray


@dataclass(frozen=True)
class ControlLoop:
    """A loop, opened at the drive forces. open: its linear model from forces into the robot to those that the law gives, with
    opposite sign: L = C (s - A)⁻¹ B; from sample to sample of a law on a clock. q (nq,), tau (drives,): rest.

    poles (k,), 1/s: of the closed loop, largest real part first; -inf of what a clock forgets within a period; not of bodies that
    spin by themselves, and of integrals of forces by which redundant drives work against each other alone. stable. Of a
    stable loop, for every drive with the others' loops closed: gain_margin (drives, 2): factors of the force, the one below 1
    (0: none) and the one above (inf: none) at which stability is lost; phase_margin_deg, delay_margin (s), crossover_hz (the
    highest frequency with |L_k| = 1), bandwidth_hz (the lowest with |S_kk| = 1/√2), disk_margin (drives,): gains and phases
    within (2 + α)/(2 - α) and 2 atan(α/2) at a time. Of what all drives have in common, as a clock: gain_margin_all (2,),
    phase_margin_deg_all, delay_margin_all (s). Of all drives at once, each otherwise: disk_margin_all, sensitivity_peak (the
    largest singular value of S) and peak_hz. NaN where it is not stable. folded: modes above half the rate of a clock, each with
    hz, acts_hz (at which the clock sees it) and gain (the largest |λ| there, λ the eigenvalues of L), where that is 0.5 or more.
    """

    open: LinearModel
    poles: Array
    stable: bool
    gain_margin: Array
    phase_margin_deg: Array
    delay_margin: Array
    crossover_hz: Array
    bandwidth_hz: Array
    disk_margin: Array
    gain_margin_all: Array
    phase_margin_deg_all: float
    delay_margin_all: float
    disk_margin_all: float
    sensitivity_peak: float
    peak_hz: float
    folded: tuple[FoldedMode, ...] = ()

    @property
    def period(self) -> float | None:
        """Of the law's clock (s); None in continuous time."""
        return self.open.period

    @cached_property
    def verdict(self) -> str:
        """In words: whether it is stable, and which modes fold back."""
        grows = f"unstable, growing at {self.poles[0].real:.4g} 1/s, {abs(self.poles[0].imag) / (2 * np.pi):.4g} Hz"
        return "; ".join(["stable" if self.stable else grows, *map(str, self.folded)])

    @checked(hz=numbers)
    def response(self, hz: Any) -> Array:
        """L (k, drives, drives), complex, at frequencies (k,) in Hz."""
        return self.open.response(hz)

    @checked(hz=numbers)
    def sensitivity(self, hz: Any) -> Array:
        """S = (1 + L)⁻¹ (k, drives, drives): from disturbances of the drive forces to the forces that act."""
        return self._closed(hz, lambda L, one: one)

    @checked(hz=numbers)
    def complementary(self, hz: Any) -> Array:
        """T = 1 - S (k, drives, drives): from disturbances of the drive forces to what the law takes back of them."""
        return self._closed(hz, lambda L, one: L)

    def _closed(self, hz: Any, what: Callable[[Array, Array], Array]) -> Array:
        L = self.response(hz)
        one = np.eye(L.shape[-1])
        return np.linalg.solve(one + L, what(L, one) + 0j)

    @cached_property
    def drives(self) -> tuple[str, ...]:
        """Names, in the order of all arrays."""
        return self.open.inputs

    def to_control(self) -> Any:
        """The open loop L as a `control.StateSpace`."""
        return self.open.to_control()

    __repr__ = short_repr


@checked(model=a_model, law=a_law, q=numbers, kind=word, wrench=wrenches, parameters=design)
def control_loop(
    model: Model, law: Law, q: Any = None, *, kind: str | None = None, wrench: Any = None, parameters: Any = None
) -> ControlLoop:
    """The loop of a law about rest at q (nq,) (default: home), opened at the drive forces.

    law: any that feeds back, `Sampled` ones with their period, delay, sensors and actuators. kind: of the reference, which stands
    still at q: "drives" or "pose"; default what the law takes. wrench, parameters: as for `gough.linear_model`. Linear theory:
    Coulomb friction, limits, noise and resolutions are left out. UsageError where the law has no linear loop.
    """
    found, chosen = small_law(law, model, kind)
    demand_loop(model, found)
    values = one_design(model, parameters)
    linear = linear_model(model, q, outputs=("drives",), wrench=wrench, parameters=parameters)
    demand_forces(model, law, linear.tau)
    slopes = LawSlopes.of(model, found, chosen, values)
    loops = open_loops(slopes, linear.A[None], linear.B[None], linear.q[None])
    if not np.isfinite(loops.A).all() or not np.isfinite(loops.C).all():
        raise UsageError(
            f"{found.name}: its forces have no finite derivatives at this pose; it cannot be linearised there"
        )
    demand_feedback(found, loops.C)
    stable = bool(is_stable(loops)[0])
    poles = continuous_poles(np.linalg.eigvals(loops.closed[0]), loops.period)
    poles = np.where(np.isnan(poles), complex(-np.inf), poles)
    measures = measure_loops(loops, force_sizes(model)) if stable else no_measures(1, len(linear.inputs))
    own = {name: x[0] if x.ndim > 1 else float(x[0]) for name, x in measures.items()}
    folded = folded_modes(loops)
    tell_folded(model, law, folded)
    named = _named(linear, loops)
    return ControlLoop(named, poles[np.argsort(-poles.real)], stable, **own, folded=folded)  # type: ignore[arg-type]


def tell_folded(model: Model, law: Law, folded: tuple[FoldedMode, ...]) -> None:
    """A warning where stability hangs on modes above half the rate of the clock."""
    if strong := [x for x in folded if x.gain >= 1.0]:
        warn(
            f"control_loop: {model.robot.name} under {told_law(law)}: stability hangs on what is faster than half the rate of "
            f"the clock: {'; '.join(map(str, strong))}. A lower bandwidth of the encoders, less damping gain or a shorter period "
            "keep |L| below 1",
            RunWarning,
        )


def _named(linear: LinearModel, loops: OpenLoops) -> LinearModel:
    """The open loop as a linear model."""
    more = tuple(f"law{k + 1}" for k in range(loops.A.shape[1] - len(loops.kept)))
    return replace(
        linear,
        A=loops.A[0],
        B=loops.B[0],
        C=loops.C[0],
        D=np.zeros((len(linear.inputs), len(linear.inputs))),
        states=(*(linear.states[k] for k in loops.kept), *more),
        state_units=(*(linear.state_units[k] for k in loops.kept), *("SI",) * len(more)),
        outputs=tuple(f"law {name}" for name in linear.inputs),
        output_units=linear.input_units,
        period=loops.period,
    )


def no_measures(n: int, drives: int) -> dict[str, Array]:
    """Measures of n loops that are not stable: NaN."""
    each = ("phase_margin_deg", "delay_margin", "crossover_hz", "bandwidth_hz", "disk_margin")
    out = {"gain_margin": np.full((n, drives, 2), np.nan)} | {name: np.full((n, drives), np.nan) for name in each}
    out |= {name: np.full((n, *shape), np.nan) for name, shape in ALL.items()}
    return out | {name: np.full(n, np.nan) for name in ("disk_margin_all", "sensitivity_peak", "peak_hz")}


def demand_loop(model: Model, law: Law) -> None:
    """UsageError for a robot without drives."""
    if not model.mechanism.drives:
        raise UsageError(f"{law.name}: {model.robot.name} has no drives; there is no loop")


def demand_feedback(law: Law, C: Array) -> None:
    """UsageError for laws whose forces depend on nothing. C (n, drives, k): of open loops."""
    if not np.abs(C).max(initial=0.0) > 0:
        raise UsageError(f"{law.name} feeds nothing back; there is no loop")


def demand_forces(model: Model, law: Law, tau: Array) -> None:
    """UsageError where drives cannot hold the robot within the limits of the law. tau (drives,): that hold it."""
    over = np.flatnonzero(~within_limits(model, law, tau[None])[0])
    if len(over):
        k, layout = int(over[0]), model.layout
        raise UsageError(
            f"{law.name}: {layout.drive_names[k]} needs {tau[k]:.4g} {layout.drive_units[k]} to hold {model.robot.name} here, "
            "which its limit does not allow; give a larger limit=, or another pose"
        )


def within_limits(model: Model, law: Law, tau: Array) -> Array:
    """Whether forces tau (n, drives) are below the limits of the law and of the one it samples (n, drives)."""
    good = np.ones(tau.shape, dtype=bool)
    for one in (law, getattr(law, "law", None)):
        if isinstance(one, Law) and one.limit is not None:
            good &= np.abs(tau) < one.limits(model)
    return good


def force_sizes(model: Model) -> Array:
    """Sizes (drives,) of forces that compare: of drives of both kinds, moments are forces at the robot's size."""
    units = model.layout.drive_units
    return np.array([model.size if unit == "N m" and len(set(units)) > 1 else 1.0 for unit in units])
