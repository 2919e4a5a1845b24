"""Margins of a loop over a grid of poses, each about its own static equilibrium; many poses at once."""

import time
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from gough.analysis.equilibrium import static_equilibrium
from gough.analysis.grids import MapSamples, arguments, make_samples
from gough.analysis.vibration_map import demand_kept
from gough.arguments import a_law, a_model, checked, flag, listed, mapping, number, numbers, path, picture, whole, word
from gough.compilation.threads import calls_here
from gough.distribution import a_cluster, run_chunks
from gough.errors import RunWarning, Status, UsageError, warn
from gough.files import npz, write_figure, write_file
from gough.model import Model
from gough.simulation.control.law import Law
from gough.simulation.linear.law_slopes import LawSlopes
from gough.simulation.linear.open_loop import open_loops
from gough.simulation.loops._measures import ALL, growth, is_stable, measure_loops
from gough.simulation.loops._small_law import small_law, told_law
from gough.simulation.loops.control_loop import (
    demand_feedback,
    demand_loop,
    force_sizes,
    no_measures,
    within_limits,
)
from gough.text import short_repr

Array = np.ndarray
CHUNK = 64
MEASURES = (
    "gain_margin",
    "phase_margin_deg",
    "delay_margin",
    "crossover_hz",
    "bandwidth_hz",
    "disk_margin",
    *ALL,
    "disk_margin_all",
    "sensitivity_peak",
    "peak_hz",
)
KEPT = (*MEASURES, "growth", "stable", "holds", "tau", "status")


@dataclass(frozen=True)
class MarginMap:
    """Per sample (n, …); see `ControlLoop` for the measures, which are NaN where the loop is not stable, where there is no
    equilibrium, and where the drives do not hold the robot within the law's limits.

    growth (n,): largest real part of the closed loop's poles, 1/s. holds (n,): whether the drives hold it. tau (n, drives).
    status (n,): codes. seconds: computing time.
    """

    robot: str
    law: str
    drives: tuple[str, ...]
    samples: MapSamples
    gain_margin: Array
    phase_margin_deg: Array
    delay_margin: Array
    crossover_hz: Array
    bandwidth_hz: Array
    disk_margin: Array
    gain_margin_all: Array
    phase_margin_deg_all: Array
    delay_margin_all: Array
    disk_margin_all: Array
    sensitivity_peak: Array
    peak_hz: Array
    growth: Array
    stable: Array
    holds: Array
    tau: Array
    status: Array
    seconds: float

    @property
    def unstable(self) -> Array:
        """Samples (n,) that have an equilibrium, whose loop is not stable."""
        return (self.status == Status.OK) & ~self.stable

    @cached_property
    def verdict(self) -> str:
        """In words: at how many samples the loop is stable, and what is wrong with the others."""
        n, good = self.samples.count, self.status == Status.OK
        parts = [f"stable at {int((self.stable & good).sum())} of {n} samples"]
        if self.unstable.any():
            most = float(self.growth[self.unstable].max())
            parts.append(f"unstable at {int(self.unstable.sum())} (growth up to {most:.3g} 1/s)")
        if (good & ~self.holds).any():
            parts.append(f"not held within limits at {int((good & ~self.holds).sum())}")
        for code, count in Counter(self.status[~good].tolist()).items():
            parts.append(f"{Status(code).name.lower()} at {count}")
        return ", ".join(parts)

    @checked(path=picture)
    def plot(self, path: str | Path) -> None:
        """Draw the least margins of all drives to a file (png, pdf, svg)."""
        draw_margins(self, path)

    @checked(path=path)
    def save(self, path: str | Path) -> Path:
        """Write all samples to an NPZ file; returns its path."""
        path = Path(path).with_suffix(".npz")
        named = {"robot": np.array(self.robot), "law": np.array(self.law), "drives": np.array(self.drives)}
        named |= {"names": np.array(self.samples.names), "coordinates": self.samples.coordinates()}
        return write_file(path, npz(named | {name: getattr(self, name) for name in KEPT}))

    @checked(array=listed)
    def grid(self, array: Array) -> Array:
        """An array (n, …) of samples in the shape of the grid."""
        if len(array) != self.samples.count:
            raise UsageError(
                f"grid: an array of {len(array)}; give one entry for each of the {self.samples.count} samples"
            )
        return np.reshape(array, (*self.samples.shape, *np.shape(array)[1:]))

    __repr__ = short_repr


@checked(
    model=a_model,
    law=a_law,
    ranges=mapping(numbers),
    fixed=mapping(number()),
    random=whole(1),
    seed=whole(0, 2**63),
    kind=word,
    cluster=a_cluster,
    mixed=flag,
)
def margin_map(
    model: Model,
    law: Law,
    ranges: Mapping[str, Any],
    *,
    fixed: Mapping[str, float] | None = None,
    random: int | None = None,
    seed: int = 0,
    kind: str | None = None,
    cluster: Any = None,
    mixed: bool = False,
) -> MarginMap:
    """Margins of one law over poses or drive positions; ranges, fixed, random, seed as in `gough.workspace`.

    The law is the same everywhere: gains that follow from the robot are those of home, or of the poses that the law says itself;
    its reference stands still at the pose. kind: as for `gough.control_loop`. cluster, mixed: as for `simulate_many`. A warning
    tells of poses at which the loop is unstable.
    """
    begin = time.perf_counter()
    if not model.driven:
        raise UsageError(
            f"margin_map: {model.robot.name} has fewer drives than freedoms, they do not hold it at a pose; gough.control_loop "
            "takes one equilibrium"
        )
    samples = make_samples(model, ranges, dict(fixed or {}), random, seed)
    demand_loop(model, law)
    work, chunks = MarginWork(model, law, samples, kind), samples.chunks(CHUNK)
    work.slopes()  # what cannot be linearised is named at once
    parts: dict[int, dict[str, Array]] = {}
    with closing(run_chunks(work, chunks, cluster=cluster, mixed=mixed)) as done:
        parts.update((number, found) for number, found, _ in done)
    ordered = [parts[k] for k in range(len(chunks))]
    found = {name: np.concatenate([x[name] for x in ordered]) for name in ordered[0]}
    named = model.robot.name, told_law(law), model.layout.drive_names
    made = MarginMap(*named, samples, **found, seconds=time.perf_counter() - begin)
    if made.unstable.any():
        warn(f"margin_map: {model.robot.name} under {made.law}: {made.verdict}", RunWarning)
    return made


@dataclass(frozen=True)
class MarginWork:
    """A map as it is done in chunks (begin, end) of its samples; see `ChunkWork`."""

    model: Model
    law: Law
    samples: MapSamples
    kind: str | None

    def slopes(self) -> LawSlopes:
        """The law's derivatives."""
        found, kind = small_law(self.law, self.model, self.kind)
        return LawSlopes.of(self.model, found, kind, np.array(self.model.parameters))

    def prepare(self) -> Callable[[tuple[int, int], Any], dict[str, Array]]:
        """The arrays of a chunk."""
        slopes = self.slopes()

        def go(item: tuple[int, int], tick: Any) -> dict[str, Array]:
            with calls_here(steady=self.samples.is_large):
                return self._chunk(slopes, *item)

        return go

    def _chunk(self, slopes: LawSlopes, a: int, b: int) -> dict[str, Array]:
        model, samples = self.model, self.samples
        values = dict(zip(samples.names, samples.coordinates(a, b).T, strict=True))
        values |= {name: np.asarray(x) for name, x in samples.fixed.items()}
        assembled = model.assemble(**arguments(model, values), on_bad_state="mark")
        rest = static_equilibrium(model, q=assembled.q, on_bad_state="mark")
        demand_kept("margin_map", model, samples, assembled.q, rest.q)
        status = np.where(assembled.status != Status.OK, assembled.status, rest.status).astype(np.uint8)
        good, drives = np.flatnonzero(status == Status.OK), len(model.layout.drive_names)
        if len(good):
            still = np.zeros((len(good), model.layout.nv))
            moving = model.forward_dynamics(rest.q[good], still, rest.tau[good], on_bad_state="mark")
            status[good] = moving.status
            good = np.flatnonzero(status == Status.OK)
        out = no_measures(b - a, drives) | {name: np.zeros(b - a, dtype=bool) for name in ("stable", "holds")}
        out |= {"growth": np.full(b - a, np.nan), "tau": np.full((b - a, drives), np.nan)}
        if len(good):
            out["tau"][good], out["holds"][good] = (
                rest.tau[good],
                within_limits(model, self.law, rest.tau[good]).all(axis=1),
            )
            linear = model.linearize(rest.q[good], np.zeros(model.layout.nv), rest.tau[good], friction="viscous")
            loops = open_loops(slopes, linear.A, linear.B, linear.q)
            finite = np.isfinite(loops.A).all(axis=(1, 2)) & np.isfinite(loops.C).all(axis=(1, 2))
            status[good[~finite]] = Status.SINGULAR
            good, loops = good[finite], loops.part(np.flatnonzero(finite))
        if len(good):
            demand_feedback(slopes.plant.law, loops.C)
            stable = is_stable(loops)
            out["growth"][good], out["stable"][good] = growth(loops), stable
            now = np.flatnonzero(stable & out["holds"][good])
            if len(now):
                for name, found in measure_loops(loops.part(now), force_sizes(model)).items():
                    out[name][good[now]] = found
        return out | {"status": status}


# Maps of margins as pictures.

UNSTABLE = "#b2182b"
ABREAST = 3
"""Panels in a row."""
LEAST_SPAN = 0.05
"""Of a margin: what colours and axes span at least, so that one that hardly changes looks so."""


def _span(values: Array) -> tuple[float, float] | None:
    """(low, high) of what is shown, LEAST_SPAN of the values apart at least; None where nothing is known."""
    known = values[np.isfinite(values)]
    if not len(known):
        return None
    low, high = float(known.min()), float(known.max())
    middle, half = (low + high) / 2, max((high - low) / 2, LEAST_SPAN / 2 * max(abs(low), abs(high)), 1e-12)
    return middle - half, middle + half


def draw_margins(made: MarginMap, path: str | Path) -> None:
    """Least margins over one or two coordinates; more: the middle of the others."""
    from matplotlib.figure import Figure

    up, down = made.gain_margin[:, :, 1].min(axis=1), made.gain_margin[:, :, 0].max(axis=1)
    with np.errstate(divide="ignore"):
        gain = 20 * np.log10(np.minimum(up, 1.0 / down))
    panels = [
        ("least phase margin (deg)", made.phase_margin_deg.min(axis=1)),
        ("largest singular value of S", made.sensitivity_peak),
        ("least bandwidth (Hz)", made.bandwidth_hz.min(axis=1)),
    ]
    if np.isfinite(made.delay_margin_all).any():
        late = np.where(np.isinf(made.delay_margin_all), np.nan, 1e3 * made.delay_margin_all)
        panels.insert(1, ("delay margin of all drives (ms)", late))
    if np.isfinite(gain).any():
        panels.insert(0, ("least gain margin (dB)", np.where(np.isinf(gain), np.nan, gain)))
    flat = not made.samples.is_grid or len(made.samples.axes) == 1
    columns, rows = min(ABREAST, len(panels)), -(-len(panels) // ABREAST)
    figure = Figure(figsize=(4.8 * columns, 4.0 * rows), layout="constrained")
    for k, (label, values) in enumerate(panels):
        (_curve if flat else _plane)(figure.add_subplot(rows, columns, k + 1), figure, made, label, values)
    figure.suptitle(f"{made.robot} under {made.law}", fontsize=10, parse_math=False)
    write_figure(path, figure, 130)


def _curve(ax: Any, figure: Any, made: MarginMap, label: str, values: Array) -> None:
    axis, x, bad = made.samples.axes[0], made.samples.coordinates()[:, 0], made.unstable
    ax.plot(x, values, "-" if made.samples.is_grid else ".", color="#2166ac")
    if bad.any():
        ax.plot(x[bad], np.zeros(int(bad.sum())), ".", color=UNSTABLE, label="unstable")
        ax.legend(frameon=False)
    elif (span := _span(values)) is not None:
        room = 0.05 * (span[1] - span[0])
        ax.set_ylim(span[0] - room, span[1] + room)
    ax.ticklabel_format(axis="y", useOffset=False)
    ax.set_xlabel(f"{axis.name} ({axis.unit})")
    ax.set_ylabel(label)


def _plane(ax: Any, figure: Any, made: MarginMap, label: str, values: Array) -> None:
    first, second = made.samples.axes[:2]
    place = (slice(None), slice(None), *(axis.points // 2 for axis in made.samples.axes[2:]))
    shown = made.grid(values)[place]
    low, high = _span(shown) or (0.0, 1.0)
    image = ax.pcolormesh(first.values, second.values, shown.T, cmap="viridis", shading="nearest", vmin=low, vmax=high)
    bad = made.grid(made.unstable)[place]
    if bad.any():
        x, y = np.meshgrid(first.values, second.values, indexing="ij")
        ax.plot(x[bad], y[bad], "x", color=UNSTABLE, ms=4, label="unstable")
        ax.legend(loc="upper right", fontsize=8)
    ax.set_xlabel(f"{first.name} ({first.unit})")
    ax.set_ylabel(f"{second.name} ({second.unit})")
    bar = figure.colorbar(image, ax=ax, label=label)
    bar.formatter.set_useOffset(False)
    bar.update_ticks()
