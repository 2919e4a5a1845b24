"""Peers checked, then timed in turn, round after round, so that a noisy moment hits all alike."""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gough_bench.peak import Peak
from gough_bench.peer import Case, Peer, difference


@dataclass
class Line:
    """One row of the result. difference: NaN where there is no answer. seconds: every measurement of one state's time;
    reason: why there is none; spent: time (s) all measurements took."""

    peer: Peer
    threads: int
    difference: float = math.nan
    reason: str = ""
    seconds: list[float] = field(default_factory=list)
    spent: float = 0.0

    def figures(self) -> dict[str, Any]:
        """The row as data; times in ns a state: best, median and spread (median over best - 1)."""
        times = np.array(self.seconds) * 1e9
        return {
            "peer": self.peer.name,
            "call": self.peer.call,
            "threads": self.threads,
            "difference": None if math.isnan(self.difference) else self.difference,
            "reason": self.reason,
            "remark": self.peer.remark,
            "best_ns": float(times.min()) if len(times) else None,
            "median_ns": float(np.median(times)) if len(times) else None,
            "spread": float(np.median(times) / times.min() - 1) if len(times) else None,
            "rounds": len(times),
        }


def check(peer: Peer, case: Case) -> Line:
    """A row with the peer's difference, or the reason why it will not be timed."""
    line = Line(peer, 1)
    if case.function not in peer.functions and not peer.name.startswith("gough"):
        line.reason = f"does not have {case.function}"
        return line
    line.reason = peer.available() or peer.prepare(case)
    if line.reason:
        return line
    line.difference = difference(peer.answers(), case.expected)
    if not line.difference <= peer.tolerance:
        shown = f"{line.difference:.1e}" if np.isfinite(line.difference) else "not finite"
        line.reason = f"wrong answer: relative difference {shown} to gough"
    return line


def measure(
    lines: Sequence[Line],
    rounds: int,
    budget: float,
    peak: Peak | None = None,
    patience: float = math.inf,
) -> list[float]:
    """Add `rounds` measurements of about `budget` seconds to every row without a reason, in turn.

    Returns the peak rates of multiply-adds (1/s), one a round. patience: seconds after which a slow peer has no more
    rounds.
    """
    rates: list[float] = []
    for _ in range(rounds):
        if peak is not None:
            rates.append(peak.instructions_per_second())
        for line in lines:
            if line.reason or line.spent > patience:
                continue
            start = time.perf_counter()
            line.seconds.append(line.peer.seconds(budget, line.threads))
            line.spent += time.perf_counter() - start
    return rates
