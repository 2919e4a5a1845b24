"""Limits that a run exceeds, found in its stored states: what idle freedoms, free falls and loops that follow badly do is known
after the run alone, so that no look at the motion before it tells."""

from typing import TYPE_CHECKING

import numpy as np

from gough.model.limits import limit_plan
from gough.simulation.events import Event, Happening
from gough.simulation.motion.report import spans

if TYPE_CHECKING:
    from gough.model.results import StatedLimit
    from gough.simulation.results.run import Run

MOST = 2000
"""States that are looked at."""
NAMED = 6
"""Limits that the warning names."""
ROUNDING = 1e-9
"""Excess, over the bound (at least 1), that is none."""


def limit_events(run: "Run", looked: bool) -> list[Event]:
    """(first time, what) of the limits that states of the run are beyond, an event for each joint and what is bounded; those
    told before left out. looked: whether speeds and forces were looked at before, along a motion that leaves nothing open: then
    of strokes, cones and the platform's limits alone."""
    model = run.model
    rates = not looked or bool(model.layout.v_idle)
    if not len(run) or not limit_plan(model, rates, rates).names:
        return []
    at = np.unique(np.linspace(0, len(run) - 1, min(len(run), MOST)).astype(int))
    t, told = run.time[at], [event.words for event in run.info.events if event.kind == Happening.MOTION]
    v, tau = (run.v[at], run.tau[at]) if rates else (None, None)
    found = model.limit_margins(run.q[at], v, tau, parameters=run.design)
    groups: dict[tuple[str, str], list[tuple[StatedLimit, np.ndarray]]] = {}
    for limit, margin in zip(found.limits, found.margins.T, strict=True):
        if (margin < -ROUNDING * max(1.0, abs(limit.bound))).any() and not any(str(limit) in words for words in told):
            groups.setdefault((limit.joint, limit.unit), []).append((limit, margin))
    return sorted(_event(t, [limit for limit, _ in own], np.array([m for _, m in own])) for own in groups.values())


def _event(t: np.ndarray, limits: "list[StatedLimit]", margins: np.ndarray) -> Event:
    """Of limits of one joint in one unit. margins (limits, times)."""
    least = np.nanmin(np.where(np.isnan(margins), np.inf, margins), axis=0)
    first, last = spans(t, least < 0)[0]
    more = f" until {last:.6g} s" if last > first else ""
    names = " and ".join([str(limits[0]), *(str(limit.kind) for limit in limits[1:])])
    text = f"{names}: beyond its limit{more}, in this run by up to {-least.min():.6g} {limits[0].unit}".rstrip()
    return Event(first, Happening.LIMIT, text)


def tell_limits(events: list[Event]) -> str:
    """All of them in one line: "limit: swing upper: beyond …; …, and 3 more"; "" where there are none."""
    if not events:
        return ""
    named = "; ".join(f"{event.words} (first at {event[0]:.6g} s)" for event in events[:NAMED])
    more = f"; and {len(events) - NAMED} more, see run.info.events" if len(events) > NAMED else ""
    return f"{Happening.LIMIT}: {named}{more}"
