"""What `check_motion` found: a motion of a robot sample by sample, and everything that is wrong with it."""

from dataclasses import dataclass, field

import numpy as np

from gough.errors import UsageError
from gough.simulation.motion.motion import Motion
from gough.text import short_repr

SHOWN = 3
"""Spans of time shown for one problem."""


@dataclass(frozen=True)
class MotionProblem:
    """kind: "reach", "freedom", "limit", "forces", "singular", "crossing" or "jump". place: leg, joint, limit or loop.
    spans: ((first, last), …), s, between which samples have it. worst: how bad at most, at time `at` (s); `text` has the words.
    samples: how many have it.
    """

    kind: str
    place: str
    spans: tuple[tuple[float, float], ...]
    worst: float
    at: float
    text: str
    samples: int = 1

    def __str__(self) -> str:
        shown = ", ".join(_span(*s) for s in self.spans[:SHOWN])
        more = f" and {len(self.spans) - SHOWN} more" if len(self.spans) > SHOWN else ""
        subject = "" if self.kind in ("reach", "jump", "freedom") else f"{self.place}: "
        worst = f" (worst at {self.at:.6g} s)" if self.kind in ("limit", "singular", "freedom") else ""
        count = f" ({self.samples} sample{'s' * (self.samples > 1)})" if self.kind == "reach" else ""
        return f"t = {shown}{more} s: {subject}{self.text}{worst}{count}"


@dataclass(frozen=True, eq=False)
class MotionReport:
    """t (n,), s: rising, inner kinks twice. q, v, acceleration, status: of the robot there (NaN where the status is bad).
    drives, drive_rates (n, drives); tau (n, drives): drive forces, NaN where not computed. parallel, serial (n,): distance to
    singularities. problems: all of them, by time; notes: what a run should know. poses (n, 7): x y z qw qx qy qz of the platform
    whatever the motion speaks of, None where there is no platform. unreached: how many samples the robot does not get to."""

    robot: str
    motion: Motion = field(repr=False)
    t: np.ndarray = field(repr=False)
    q: np.ndarray = field(repr=False)
    v: np.ndarray = field(repr=False)
    acceleration: np.ndarray = field(repr=False)
    status: np.ndarray = field(repr=False)
    drives: np.ndarray = field(repr=False)
    drive_rates: np.ndarray = field(repr=False)
    tau: np.ndarray = field(repr=False)
    parallel: np.ndarray = field(repr=False)
    serial: np.ndarray = field(repr=False)
    drive_names: tuple[str, ...]
    drive_units: tuple[str, ...]
    problems: tuple[MotionProblem, ...]
    notes: tuple[str, ...]
    poses: np.ndarray | None = field(default=None, repr=False)

    @property
    def unreached(self) -> int:
        """How many samples the robot does not get to."""
        return int(np.count_nonzero(self.status))

    @property
    def reach(self) -> str:
        """How many samples the robot does not get to, when and where, in words; "" where it gets to all."""
        if not self.unreached:
            return ""
        lost = self.t[self.status != 0]
        places = list(dict.fromkeys(p.place for p in self.problems if p.kind == "reach"))
        where = ", ".join(places[:SHOWN]) + (f" and {len(places) - SHOWN} more" if len(places) > SHOWN else "")
        when = f"first at {lost[0]:.4g} s, last at {lost[-1]:.4g} s" if len(lost) > 1 else f"at {lost[0]:.4g} s"
        return f"out of reach: {len(lost)} of {len(self.t)} samples, {when} ({where})"

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems

    def require(self) -> "MotionReport":
        """The report itself, or a UsageError with all problems."""
        if self.problems:
            raise UsageError(str(self))
        return self

    def __str__(self) -> str:
        count = len(self.problems)
        verdict = "no problem found" if not count else f"{count} problem{'s' * (count > 1)}"
        what = {"pose": "the platform", "drives": "drives", "joints": "joints", "point": "a point"}[self.motion.kind]
        what = f"frame {self.motion.frame}" if self.motion.frame else what
        lines = [f"{self.robot}: motion of {what}, {self.motion.duration:.6g} s, {len(self.t)} samples: {verdict}"]
        lines += [f"  {self.reach}"] if self.unreached else []
        lines += [f"  {p}" for p in sorted(self.problems, key=lambda p: p.kind != "reach")]
        lines += [f"  note: {n}" for n in self.notes]
        if np.isfinite(self.drives).any():
            lines += self._drive_lines()
            lines.append(f"  distance to singularities: {self._least('parallel')}, {self._least('serial')}")
        return "\n".join(lines)

    def _drive_lines(self) -> list[str]:
        rows = [("drive", "from", "to", "speed", "force")]
        for k, name in enumerate(self.drive_names):
            unit = "m" if self.drive_units[k] == "N" else "rad"
            x = self.drives[:, k]
            force = _largest(self.tau[:, k], self.drive_units[k])
            speed = _largest(self.drive_rates[:, k], f"{unit}/s")
            rows.append((name, f"{np.nanmin(x):.5g}", f"{np.nanmax(x):.5g} {unit}", speed, force))
        widths = [max(len(row[c]) for row in rows) for c in range(5)]
        return ["  " + "  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in rows]

    def _least(self, kind: str) -> str:
        x = getattr(self, kind)
        if not np.isfinite(x).any():
            return f"{kind} unknown"
        k = int(np.nanargmin(np.round(x, 12)))  # the first of those that are the same but for rounding
        return f"{kind} {x[k]:.3g} at {self.t[k]:.4g} s"

    __repr__ = short_repr


def spans(t: np.ndarray, here: np.ndarray) -> tuple[tuple[float, float], ...]:
    """(first, last) times of the runs of samples that are marked."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], here, [False]]).astype(int)))
    return tuple((float(t[a]), float(t[b - 1])) for a, b in zip(edges[::2], edges[1::2], strict=True))


def _span(first: float, last: float) -> str:
    return f"{first:.4g}" if first == last else f"{first:.4g} … {last:.4g}"


def _largest(x: np.ndarray, unit: str) -> str:
    return f"{np.nanmax(np.abs(x)):.5g} {unit}" if np.isfinite(x).any() else ""
