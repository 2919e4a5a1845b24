"""How long something of a run takes to come to rest: from when on it stays near to where it ends.

Where it ends is known by its last tenth alone (a mean over whole and broken swings), unless somebody says it: what is not near to
that all through this tenth has not come to rest in the run.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.arguments import floats
from gough.errors import UsageError

if TYPE_CHECKING:
    from gough.simulation.results.run import Run

Array = np.ndarray
LAST = 0.1
"""Part of what follows that tells where something comes to rest."""


def settling_time(
    run: "Run", channel: str, within: float | None, to: float | None, after: float | None, about: Any
) -> float:
    """See `Run.settling_time`."""
    if (within is None) == (to is None):
        raise UsageError(
            "settling_time: give either within= (a distance in the unit of the channel) or to= (a part of the largest distance, "
            "0.02 for 2 %)"
        )
    begin = _begin(run, after)
    from_then = run.time >= begin - 1e-12 * max(1.0, abs(begin))
    t, x = run.time[from_then], _columns(run, channel)[from_then]
    if len(t) < 2:
        raise UsageError(
            f"settling_time: the run ends at {run.time[-1]:.6g} s, and nothing follows {begin:.6g} s; let the motion rest at its "
            "end (motion.hold) and say when it begins to, after="
        )
    distance = np.linalg.norm(x - _rest(t, x, about, channel), axis=1)
    bound = float(within) if within is not None else float(to or 0.0) * float(np.nanmax(distance))
    found = time_until(t, distance, bound, begin)
    return found if begin + found <= t[-1] - LAST * (t[-1] - t[0]) else np.inf


def time_until(t: Array, distance: Array, bound: float, begin: float) -> float:
    """How long from `begin` until the first of the times t (n,) from which on distances (n,) stay within a bound; 0 where all
    are, inf where the last one is not."""
    far = np.flatnonzero(~(distance <= bound))
    if not len(far):
        return 0.0
    return float(t[far[-1] + 1]) - begin if far[-1] + 1 < len(t) else np.inf


def _begin(run: "Run", after: float | None) -> float:
    if after is not None:
        return float(after)
    told = run.info.motion
    end = told.get("duration") if isinstance(told, Mapping) else None
    return float(run.time[0] if end is None else end)


def _columns(run: "Run", channel: str) -> Array:
    """(n, k) of one unit."""
    x = np.asarray(run[channel], dtype=float)
    if x.ndim == 1:
        return x[:, None]
    of = run.channel(channel)
    if len(set(of.units)) > 1:
        raise UsageError(
            f"settling_time: {channel} has columns in {', '.join(dict.fromkeys(of.units))}, which have no common distance; take "
            f"one of them: {', '.join(of.entries)}"
        )
    return x


def _rest(t: Array, x: Array, about: Any, channel: str) -> Array:
    """Where it comes to rest (k,)."""
    if about is not None:
        given = np.atleast_1d(floats("about", about))
        if given.shape not in ((1,), x.shape[1:]) or not np.isfinite(given).all():
            raise UsageError(f"about={about!r}; give one finite number, or {x.shape[1]} for the columns of {channel}")
        return given
    last = t >= t[-1] - LAST * (t[-1] - t[0])
    steps = np.diff(t[last])
    if not steps.sum() > 0:
        return x[-1]
    middles = 0.5 * (x[last][1:] + x[last][:-1])
    return (steps[:, None] * middles).sum(axis=0) / steps.sum()
