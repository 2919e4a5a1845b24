"""Limits that a run of a robot with idle freedoms exceeds: what these do is known after the run alone, so that no look at the
motion before it tells."""

from typing import TYPE_CHECKING

import numpy as np

from gough.simulation.events import Event, Happening
from gough.simulation.motion.report import spans

if TYPE_CHECKING:
    from gough.simulation.results.run import Run

MOST = 2000
"""States that are looked at."""


def limit_events(run: "Run") -> list[Event]:
    """(time, what) of the limits of joints and drives that states of the run are beyond, those told before left out."""
    if not run.model.layout.v_idle or not len(run):
        return []
    at = np.unique(np.linspace(0, len(run) - 1, min(len(run), MOST)).astype(int))
    t, told = run.time[at], [event.words for event in run.info.events if event.kind == Happening.MOTION]
    found = run.model.limit_margins(run.q[at], run.v[at], run.tau[at], parameters=run.design)
    events = []
    for limit, margin in zip(found.limits, found.margins.T, strict=True):
        if not (margin < 0).any() or any(str(limit) in words for words in told):
            continue
        first, last = spans(t, margin < 0)[0]
        more = f" until {last:.6g} s" if last > first else ""
        text = f"{limit}: beyond its limit{more}, in this run by up to {-np.nanmin(margin):.6g} {limit.unit}".rstrip()
        events.append(Event(first, Happening.LIMIT, text))
    return events
