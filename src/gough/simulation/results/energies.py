"""Where the energy of a run is and where it went.

Balance   E(t) - E(0) = work of the drives + work of the wrenches - losses;  E = kinetic + potential (strain included).
          What is left of it is `energy.error`: the errors of the integrator and of the integrals below.
Work      Powers are integrated over every interval by three Gauss points, at which the motion is interpolated (quintic) and so
          are forces (cubic): error h⁴ for spacing h with forces that vary, h⁵ with constant ones. Forces that are held between
          stored states do exactly force × travel. An integrator that carries works along records them instead
          ("work.drives", "work.losses", "work.wrench"): then nothing is lost between stored states.
"""

import warnings
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from gough.simulation.events import Event, Happening
from gough.simulation.integration import plant
from gough.simulation.results._deflection import strain_energy
from gough.simulation.results.interpolation import interpolated_motion, interpolated_samples
from gough.simulation.results.resample import resample
from gough.structure.size import weight_energy

if TYPE_CHECKING:
    from gough.model import Model
    from gough.simulation.results.run import Run

Array = np.ndarray
WORKS, POWERS = (tuple(f"{what}.{name}" for name in plant.WORKS) for what in ("work", "power"))
ENERGIES = (
    "energy.kinetic",
    "energy.potential",
    "energy.strain",
    "energy.total",
    *WORKS,
    "energy.error",
)
NEAR_NOTHING = 1e-300
BOUND = 1e-3
"""Energy error of a run, over what it exchanges, beyond which it is warned about."""
LOOKS = 40
"""States in which that is looked at."""
AT_REST = 1e-6
"""Part of a robot's size: a robot that moves less is at rest for the energy balance."""


def powers(run: "Run") -> Array:
    """(n, 3): of the drives, taken by losses, of the wrenches (W)."""
    losses = stored_energies(run)[:, 2]
    drives = run["drives.power"].sum(axis=1) if run.layout.drive_names else np.zeros(len(run))
    return np.stack([drives, losses, _wrench_power(run)], axis=1)


def stored_energies(run: "Run") -> Array:
    """(n, 3): kinetic, potential (J) and the power of losses (W)."""

    def make() -> Array:
        e = run.model.energies(run.q, run.v, parameters=run.parameters, on_bad_state="mark")
        return np.stack([e.kinetic, e.potential, e.losses], axis=1)

    return run.cached("stored energies", make)


def energies(run: "Run") -> Array:
    """(n, 8): see ENERGIES."""
    kinetic, potential, _ = stored_energies(run).T
    strain = strain_energy(run.model, run.q, run.design)
    total = kinetic + potential
    drives, losses, wrench = (_work(run, k) for k in range(3))
    change = [x - x[0] for x in (total, drives, losses, wrench)]
    error = change[0] - change[1] + change[2] - change[3]
    return np.stack([kinetic, potential, strain, total, drives, losses, wrench, error], axis=1)


def exchanged_energy(run: "Run") -> float:
    """The energy (J) that a run moves: the largest of the ranges of kinetic and potential energy and of the sums of
    |power| over time."""
    columns = run["energies"]
    ranges = [np.nanmax(x) - np.nanmin(x) for x in columns[:, :2].T if np.isfinite(x).any()]
    sums = [np.nansum(np.abs(np.diff(columns[:, k]))) for k in (4, 5, 6)]
    return float(max([*ranges, *sums, 0.0]))


def energy_scale(run: "Run") -> float:
    """What errors of energy (J) are measured by: the energy exchanged; of a robot that turns without forces its kinetic energy;
    of one at rest, where both are rounding, what moves it by AT_REST of its size against its weight."""
    kinetic = run["energies"][:, 0]
    moving = float(np.nanmax(kinetic)) if np.isfinite(kinetic).any() else 0.0
    return max(
        exchanged_energy(run), moving, AT_REST * float(weight_energy(run.model.mechanism, run.model.size, run.design))
    )


def relative_error(run: "Run") -> float:
    """Largest |energy.error| over `energy_scale`; NaN where no state has one."""
    error = np.abs(run["energy.error"])
    if not np.isfinite(error).any():
        return float("nan")
    return float(np.nanmax(error) / max(energy_scale(run), NEAR_NOTHING))


def imbalance(model: "Model", q: Array, v: Array, works: Array, parameters: Array) -> tuple[Array, Array]:
    """(what is left of the energy balance (..., m), J; what the motion exchanges (...), J) of states q, v (..., m, n) that follow
    each other, with the works (..., m, 3) done until then: of the drives, of losses, of wrenches. parameters (..., n)."""
    e = model.energies(q, v, parameters=np.asarray(parameters)[..., None, :], on_bad_state="mark")
    total = e.kinetic + e.potential
    done = works - works[..., :1, :]
    error = total - total[..., :1] - done[..., 0] + done[..., 1] - done[..., 2]
    sums = np.abs(np.diff(works, axis=-2)).sum(axis=-2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # a run without a good state
        ranges = np.nanmax(e.potential, axis=-1) - np.nanmin(e.potential, axis=-1)
        moved = np.nanmax(np.stack([np.nanmax(e.kinetic, axis=-1), ranges, *np.moveaxis(sums, -1, 0)]), axis=0)
    at_rest = AT_REST * weight_energy(model.mechanism, model.size, parameters)
    return error, np.maximum(np.where(np.isfinite(moved), moved, 0.0), np.maximum(at_rest, NEAR_NOTHING))


def energy_events(run: "Run") -> list[Event]:
    """(time, what) of an energy that is off by more than BOUND, by the works that the integrator carried along; looked at in some
    states alone, which need no compiled code."""
    at = np.unique(np.linspace(0, len(run) - 1, LOOKS).astype(int))
    works = np.stack([np.asarray(run.recorded[name].values)[at] for name in WORKS], axis=1)
    error, scale = imbalance(run.model, run.q[at], run.v[at], works, run.design)
    if not np.isfinite(error).any():
        return []
    k = int(np.nanargmax(np.abs(error)))
    part = float(abs(error[k]) / scale)
    if not part > BOUND:
        return []
    text = f"off by {abs(error[k]):.3g} J, {part:.2g} of what the run exchanges; take a shorter step or a smaller tolerance"
    return [Event(float(run.time[at[k]]), Happening.ENERGY, text)]


def _work(run: "Run", k: int) -> Array:
    name = WORKS[k]
    if name in run.recorded:
        return run.recorded[name].values
    if len(run) == 1 or not np.any(run["power"][:, k]):
        return np.zeros(len(run))
    if k == 0 and run.tau_held:
        travel = np.diff(run["drives.position"], axis=0)
        return np.concatenate([[0.0], np.cumsum((run.tau[:-1] * travel).sum(axis=1))])
    points, weights = np.polynomial.legendre.leggauss(3)
    h = np.diff(run.time)
    at = np.repeat(np.flatnonzero(h > 0), 3)
    s = np.tile(0.5 * (points + 1.0), len(at) // 3)
    power = _drive_power(run, at, s) if k == 0 else _other_power(run, at, s, k)
    steps = np.zeros(len(h))
    np.add.at(steps, at, power * 0.5 * np.tile(weights, len(at) // 3) * h[at])
    return np.concatenate([[0.0], np.cumsum(steps)])


def _inside(run: "Run", at: Array, s: Array) -> tuple[Array, Array, Array]:
    """The motion at the Gauss points of all intervals."""
    return run.cached("motion at Gauss points", lambda: interpolated_motion(run, at, s))


def _drive_power(run: "Run", at: Array, s: Array) -> Array:
    """Power of the drives (m,) at s of intervals; the interpolated motion need not be closed for that."""
    mechanism = run.model.mechanism
    rates = _inside(run, at, s)[1][:, [mechanism.links[d.link].u for d in mechanism.drives]]
    h = np.diff(run.time)
    return (rates * interpolated_samples(run.time, run.tau, run.time[at] + s * h[at])).sum(axis=1)


def _other_power(run: "Run", at: Array, s: Array, k: int) -> Array:
    """Power of losses or wrenches (m,) at s of intervals; loops are closed only where they have opened too far for that."""
    mechanism = run.model.mechanism
    time = run.time[at] + s * np.diff(run.time)[at]
    q, rates, _ = _inside(run, at, s)
    inside = replace(
        run,
        time=time,
        q=q,
        v=rates[:, list(mechanism.selection.independent)],
        tau=np.zeros((len(time), len(mechanism.drives))),
        wrench={frame: interpolated_samples(run.time, w, time) for frame, w in run.wrench.items()},
        recorded={},
        _cache={},
    )
    power = np.array(_wrench_power(inside) if k == 2 else stored_energies(inside)[:, 2])
    lost = np.flatnonzero(np.isnan(power))
    if len(lost):
        power[lost] = resample(run, time[lost], None, tell=False)["power"][:, k]
    return power


def _wrench_power(run: "Run") -> Array:
    total = np.zeros(len(run))
    for frame, wrench in run.wrench.items():
        total = total + (wrench * run[f"{frame}.twist" if frame else "twist"]).sum(axis=1)
    return total
