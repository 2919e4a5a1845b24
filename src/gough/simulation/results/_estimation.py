"""How well an observer's estimate in a run is the robot that ran, of what its bodies do.

Modes: with drives locked, about the equilibrium nearest to the first state; their amplitudes are Φ⁻¹ e of the elastic
coordinates e. The motion of an amplitude is its deviation from its mean over time, so that what rests bent counts as no motion.
Of all together the shares are those of strain energy, √(Σ ω² η_error² / Σ ω² η²), shapes of modal mass 1.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gough.analysis.modes import natural_frequencies
from gough.errors import UsageError
from gough.simulation.coordinates import elastic_places
from gough.text import short_repr

if TYPE_CHECKING:
    from gough.simulation.results.run import Run

Array = np.ndarray
CHANNELS = "controller.estimate", "controller.estimate_rates"


@dataclass(frozen=True)
class EstimationError:
    """Errors of an estimate, root mean squares over time; `motion`: of the motion itself about its mean.

    coordinates (n,): names of elastic coordinates; errors, motion (n,) (m, rad, amplitudes); rate_errors, rate_motion (n,): of
    their rates. modes_hz (k,): natural frequencies with drives locked; mode_errors, mode_motion (k,): of amplitudes, modal mass
    1 (m √kg); hardly_seen (k,): whether the observer named a mode so. Modes are left out, k = 0, where elastic coordinates are
    not as many as modes, or not all of them are estimated.
    """

    coordinates: tuple[str, ...]
    errors: Array
    motion: Array
    rate_errors: Array
    rate_motion: Array
    modes_hz: Array
    mode_errors: Array
    mode_motion: Array
    hardly_seen: Array

    @property
    def mode_ratios(self) -> Array:
        """Error over motion of every mode (k,)."""
        return self.mode_errors / np.maximum(self.mode_motion, 1e-300)

    @property
    def ratio(self) -> float:
        """Error over motion of all modes, by strain energy."""
        return self._ratio(np.ones(len(self.modes_hz), dtype=bool))

    @property
    def ratio_of_rest(self) -> float:
        """The same without modes that are hardly seen."""
        return self._ratio(~self.hardly_seen)

    def _ratio(self, which: Array) -> float:
        w = self.modes_hz[which]
        moved = float(np.sum((w * self.mode_motion[which]) ** 2))
        return float(np.sqrt(np.sum((w * self.mode_errors[which]) ** 2) / moved)) if moved else np.nan

    __repr__ = short_repr


def estimation_error(run: "Run", after: float = 0.0) -> EstimationError:
    """Of the observer in a run, from a time (s) on."""
    if any(name not in run for name in CHANNELS):
        own = "controller.states" in run and any("estimate." in x for x in run.channel("controller.states").entries)
        told = "; the estimate of the law itself, from rest at its pose, is run['controller.states']" if own else ""
        raise UsageError(
            f"estimation_error: no observer ran{told}; give Sampled(law, period, sensors=…, observer=…) one of gough.observers"
        )
    model, layout, when = run.model, run.model.layout, run.time >= after
    if not when.any():
        raise UsageError(f"after={after:g} s: the run ends at {run.time[-1]:.9g} s; give an earlier time")
    places, entries = elastic_places(model.mechanism), range(layout.rigid, layout.nv)
    q_names, v_names = layout.q_names, layout.v_names
    q_known, v_known = ([name.removeprefix(f"{key}.") for name in run.channel(key).entries] for key in CHANNELS)
    both = (
        [(p, k) for p, k in zip(places, entries, strict=True) if q_names[p] in q_known and v_names[k] in v_known]
        if len(places) == layout.v_elastic
        else []
    )
    if not both:
        raise UsageError(f"estimation_error: no elastic coordinate of {model.robot.name} is estimated")
    e = run.q[when][:, [p for p, _ in both]]
    rates = run.v[when][:, [k for _, k in both]]
    off = run[CHANNELS[0]][when][:, [q_known.index(q_names[p]) for p, _ in both]] - e
    rates_off = run[CHANNELS[1]][when][:, [v_known.index(v_names[k]) for _, k in both]] - rates
    hz, found = np.zeros(0), (np.zeros(0), np.zeros(0))
    modes = natural_frequencies(model, q=run.q[0], parameters=run.design)
    shapes = modes.shapes[layout.rigid :]
    if shapes.shape == (len(both), len(both)) and len(both) == layout.v_elastic:
        hz = modes.frequencies_hz
        found = _rms(np.linalg.solve(shapes, off.T).T), _spread(np.linalg.solve(shapes, e.T).T)
    return EstimationError(
        tuple(q_names[p] for p, _ in both),
        _rms(off),
        _spread(e),
        _rms(rates_off),
        _spread(rates),
        hz,
        *found,
        _named(hz, (run.info.controller or {}).get("observer", {}).get("hardly_seen_hz", ())),
    )


def _rms(x: Array) -> Array:
    return np.sqrt((x**2).mean(axis=0))


def _spread(x: Array) -> Array:
    return _rms(x - x.mean(axis=0))


def _named(hz: Array, named: "list[float] | tuple[float, ...]") -> Array:
    """Which modes (k,) frequencies (Hz) that were named are of: each the nearest one that is left."""
    out = np.zeros(len(hz), dtype=bool)
    for x in named:
        left = np.flatnonzero(~out)
        if len(left):
            out[left[int(np.argmin(np.abs(hz[left] - x)))]] = True
    return out
