"""States of samples made again from the positions of their drives: filtered, as those of a record are, or with a drive elsewhere
or at another time.

A low-pass takes noise away and blurs what is fast: where a drive turns back dry friction jumps, and its filtered velocity passes
zero at another time than the true one. That is no noise, so that no average removes it; but a simulated robot that moves alike is
blurred alike, and there the difference is known.
"""

from dataclasses import replace
from itertools import pairwise

import numpy as np

from gough.identification.data._filters import LowPass
from gough.identification.data._states import close_states
from gough.identification.data._ways import lead_by_joints
from gough.identification.data.samples import Samples
from gough.simulation.motion.paths import Sample


def filter_states(samples: Samples, band_hz: float | None) -> Samples:
    """The samples with states from positions of their drives, filtered at that band. Near ends of runs, where a filter knows too
    little, and where drives do not tell the state, they stay as they are."""
    model = samples.model
    if band_hz is None or len(model.layout.drive_names) < model.mobility:
        return samples
    low, way = LowPass(band_hz), lead_by_joints(model, model.layout.drive_names)
    q, v, acceleration = (np.array(x) for x in (samples.q, samples.v, samples.acceleration))
    edges = np.flatnonzero(np.diff(samples.run, prepend=-1, append=-1))
    for begin, end in pairwise(edges.tolist()):
        step = float(samples.time[end - 1] - samples.time[begin]) / max(end - begin - 1, 1)
        reach = int(np.ceil(low.memory / step))
        if end - begin <= 2 * reach + 2:
            continue
        x = samples.q[begin:end][:, model.drive_index]
        parts = zip(*(low.derivatives(channel, step) for channel in x.T), strict=True)
        inner = slice(reach, end - begin - reach)
        wanted = Sample(*(np.stack(part, axis=1)[inner] for part in parts))
        found = close_states(way, wanted, step, samples.q[begin:end][inner])
        good = np.isfinite(found.acceleration).all(axis=1)
        rows = begin + reach + np.flatnonzero(good)
        q[rows], v[rows], acceleration[rows] = (y[good] for y in (found.q, found.v, found.acceleration))
    return replace(samples, q=q, v=v, acceleration=acceleration)


def move_drive(samples: Samples, drive: int, by: float) -> Samples | None:
    """The samples with a drive elsewhere, loops closed; None where they do not close."""
    x, rates, accelerations = _drive_motion(samples)
    x[:, drive] += by
    return _closed_at(samples, x, rates, accelerations)


def delay_drive(samples: Samples, drive: int, late: float) -> Samples | None:
    """The samples with a drive where its encoder says `late` seconds later; None where loops do not close."""
    x, rates, accelerations = _drive_motion(samples)
    jerk = np.zeros(len(samples))
    edges = np.flatnonzero(np.diff(samples.run, prepend=-1, append=-1))
    for begin, end in pairwise(edges.tolist()):
        if end - begin > 1:
            jerk[begin:end] = np.gradient(accelerations[begin:end, drive], samples.spacing)
    x[:, drive] += late * rates[:, drive]
    rates[:, drive] += late * accelerations[:, drive]
    accelerations[:, drive] += late * jerk
    return _closed_at(samples, x, rates, accelerations)


def _drive_motion(samples: Samples) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Positions, rates, accelerations (n, drives) of the drives; arrays of their own."""
    model = samples.model
    at = [model.mechanism.links[d.link].u for d in model.mechanism.drives]
    state = {"q": samples.q, "v": samples.v, "parameters": model.parameters}
    rates = model.function("tree_rates").values(**state)["u"][:, at]
    accelerations = model.function("joint_motion").values(**state, vdot=samples.acceleration)["ud"][:, at]
    return samples.q[:, model.drive_index].copy(), rates.copy(), accelerations.copy()


def _closed_at(samples: Samples, x: np.ndarray, rates: np.ndarray, accelerations: np.ndarray) -> Samples | None:
    """The samples with drives moving so, loops closed; None where they do not close."""
    way, parts = lead_by_joints(samples.model, samples.model.layout.drive_names), []
    edges = np.flatnonzero(np.diff(samples.run, prepend=-1, append=-1))
    for begin, end in pairwise(edges.tolist()):
        own = slice(begin, end)
        wanted = Sample(x[own], rates[own], accelerations[own])
        parts.append(close_states(way, wanted, samples.spacing, samples.q[begin]))
    q, v, acceleration = (np.concatenate([getattr(p, key) for p in parts]) for key in ("q", "v", "acceleration"))
    if not np.isfinite(acceleration).all():
        return None
    return replace(samples, q=q, v=v, acceleration=acceleration)
