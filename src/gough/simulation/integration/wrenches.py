"""Wrenches that the surroundings put on a robot during a run: which loads act on which frames, and their numbers in rows.

A row of the time loop ends with the numbers of all loads, shared ones first, then those that every run of an ensemble has for
itself. Rows are cut where numbers change.
"""

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.dynamics.loops import Loops
from gough.dynamics.twists import frame_twist
from gough.errors import UsageError
from gough.model.external import external_load
from gough.scalar import dot, zeros
from gough.simulation.loads.constant import Constant, OfRuns
from gough.simulation.loads.load import TimeLoad, loads_of, six_numbers

if TYPE_CHECKING:
    from gough.model import Model

Vector = np.ndarray
PER_PERIOD = 10
"""Equal steps in a period of the fastest load, at least."""


def _demand_place(model: "Model", frame: str) -> None:
    """UsageError where a wrench on a frame, "" for the platform, has no place."""
    none = np.zeros(6)
    external_load(model, model.home, {frame: none} if frame else none, model.parameters)


def platform_key(model: "Model", frame: str) -> str:
    """The frame's name, "" for the platform itself."""
    own = model.mechanism.has_platform and frame == model.mechanism.platform.name
    return "" if own and frame not in model.mechanism.frames else frame


def by_frames(wrench: Any) -> dict[str, Any]:
    """{frame: what acts on it} of what `wrench=` was given; "" for the platform."""
    return {} if wrench is None else dict(wrench) if isinstance(wrench, Mapping) else {"": wrench}


def is_load(value: Any) -> bool:
    """Whether it is a load, or a list of loads, and no numbers."""
    return isinstance(value, TimeLoad) or (
        isinstance(value, list | tuple) and any(isinstance(x, TimeLoad) for x in value)
    )


@dataclass(frozen=True)
class Wrenches:
    """frames: names, "" for the platform's origin; loads: one for each, at its origin; a frame may come more than once."""

    frames: tuple[str, ...] = ()
    loads: tuple[TimeLoad, ...] = ()

    @classmethod
    def of(cls, model: "Model", wrench: Any) -> "Wrenches":
        """From (6,), a load or a list of loads on the platform, or {frame: such}; UsageError where there can be none."""
        found: list[tuple[str, TimeLoad]] = []
        for frame, value in by_frames(wrench).items():
            whose = f"wrench[{frame!r}]" if frame else "wrench"
            model.cached(("has a place for a wrench", frame), partial(_demand_place, model, frame))
            for load in loads_of(value) if is_load(value) else [Constant(six_numbers(whose, value))]:
                if not isinstance(load, TimeLoad):
                    raise UsageError(f"{whose}: {load!r} is no load; give loads of gough.loads, or six numbers alone")
                found.append((platform_key(model, frame), load))
        found.sort(key=lambda x: x[1].varies)
        return cls(tuple(f for f, _ in found), tuple(x for _, x in found))

    @property
    def structure(self) -> Hashable:
        """All that shapes its equations."""
        return tuple((f, type(x), x.structure, n) for f, x, n in zip(self.frames, self.loads, self._sizes, strict=True))

    @cached_property
    def _sizes(self) -> tuple[int, ...]:
        return tuple(len(x.numbers(0.0, 0)) for x in self.loads)

    @property
    def size(self) -> int:
        """Of the numbers of all loads."""
        return sum(self._sizes)

    @property
    def own_size(self) -> int:
        """Of those at their end that every run of an ensemble has for itself."""
        return sum(n for x, n in zip(self.loads, self._sizes, strict=True) if x.varies)

    def numbers(self, t: float, run: int = 0) -> Vector:
        """Numbers (size,) of all loads from a time (s) on, until the next break."""
        return np.concatenate([np.zeros(0), *(x.numbers(t, run) for x in self.loads)])

    @cached_property
    def breaks(self) -> Vector:
        """Times (s), rising, at which numbers change."""
        return np.unique([t for x in self.loads for t in x.breaks])

    @cached_property
    def jumps(self) -> frozenset[float]:
        """Those of them at which a wrench jumps."""
        return frozenset(t for x in self.loads for t in x.jumps)

    def next_break(self, t: float) -> float:
        """The first break behind a time (s); inf where there is none."""
        k = int(np.searchsorted(self.breaks, t, side="right"))
        return float(self.breaks[k]) if k < len(self.breaks) else np.inf

    def fill(self, row: Vector) -> Vector:
        """A row with the numbers from its beginning on."""
        if self.size:
            row[len(row) - self.size :] = self.numbers(float(row[0]))
        return row

    def cut(self, row: Vector, jumps: bool) -> Iterator[tuple[Vector, bool]]:
        """(row, whether forces may jump at its end) of the parts of a row between breaks; jumps: at the end of the whole row."""
        begin, end = float(row[0]), float(row[1])
        inside = self.breaks[(self.breaks > begin) & (self.breaks < end)] if len(self.breaks) else self.breaks
        for a, b in pairwise([begin, *inside.tolist(), end]):
            part = row.copy()
            part[:2] = a, b
            yield self.fill(part), (jumps if b == end else False) or b in self.jumps

    def by_frame(self, times: Vector, run: int = 0) -> dict[str, Vector] | None:
        """{frame: (n, 6)} at rising times (n,), as a `Run` keeps them."""
        out: dict[str, Vector] = {}
        for frame, load in zip(self.frames, self.loads, strict=True):
            out[frame] = out.get(frame, 0.0) + load.samples(times, run)
        return out or None

    def by_load(self, model: "Model", run: int = 0) -> dict[str, Vector] | None:
        """{name: (6,)} as the model's calls take them, where runs begin."""
        found = self.by_frame(np.zeros(1), run) or {}
        return {frame or model.mechanism.platform.name: w[0] for frame, w in found.items()} or None

    def describe(self) -> dict[str, Any]:
        """What a result keeps of loads that are more than constant; {} where there are none."""
        out: dict[str, Any] = {}
        for frame, load in zip(self.frames, self.loads, strict=True):
            if not isinstance(load, Constant | OfRuns):
                out.setdefault(frame or "platform", []).append(load.describe())
        return out

    def late_loads(self, end: float) -> str:
        """That loads begin when a run has ended (s), so that they never act; "" where there are none."""
        late = []
        for frame, load in zip(self.frames, self.loads, strict=True):
            if load.breaks and load.breaks[0] >= end and not load.samples(np.linspace(0.0, end, 3)).any():
                where = frame or "the platform"
                late.append(
                    f"the {load.name} on {where} begins at {load.breaks[0]:g} s, the run ends at {end:g} s: it never acts"
                )
        return "; ".join(late)

    def coarse_steps(self, step: float) -> str:
        """That equal steps (s) are too long to see what swings; "" where they are not."""
        swings = [(x.fastest, frame, x.name) for frame, x in zip(self.frames, self.loads, strict=True) if x.fastest > 0]
        if not swings:
            return ""
        hz, frame, name = max(swings)
        most = 1.0 / (PER_PERIOD * hz)
        if not step > most * (1 + 1e-9):
            return ""
        return (
            f"{step:g} s is too long for the load on {frame or 'the platform'} ({name}, up to {hz:g} Hz); take steps of at most "
            f"{most:.3g} s"
        )

    def on_velocities(self, loops: Loops, values: Vector, t: Any) -> Vector:
        """Generalised force Q (nv,) on v at a time: the work of the wrenches, of any scalar, on each tree velocity, projected.
        values: numbers of all loads."""
        n, at = loops.mechanism.layout.nu, 0
        on_tree, acting = zeros(n), dict[str, Any]()
        for frame, load, size in zip(self.frames, self.loads, self._sizes, strict=True):
            acting[frame] = acting.get(frame, 0.0) + load.at(t, values[at : at + size])
            at += size
        for frame, w in acting.items():
            if not frame:
                on_tree[:6] = on_tree[:6] + w
                continue
            for j in range(n):
                e = zeros(n)
                e[j] = 1.0
                on_tree[j] = on_tree[j] + dot(w, frame_twist(loops.posture, e, frame))
        return loops.project(on_tree)
