"""First natural frequencies and static stiffness over a grid of poses, each about its own static equilibrium.

Undamped: the eigenvalues of Nᵀ K N against Nᵀ M N, N the motions that the drives leave (see `modes`). Many states at once.
"""

import time
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gough.analysis.equilibrium import static_equilibrium
from gough.analysis.grids import MapSamples, arguments, make_samples
from gough.analysis.linear_forces import RestForces
from gough.analysis.modes import GROWING, STILL
from gough.analysis.workspace.survey import PartialResultWarning
from gough.arguments import a_model, checked, flag, listed, mapping, number, numbers, path, picture, whole, word
from gough.compilation.threads import calls_here
from gough.distribution import a_cluster, run_chunks
from gough.errors import Status, UsageError, warn
from gough.files import npz, write_figure, write_file
from gough.kinematics.leading import NamedCoordinates
from gough.kinematics.retraction import step_units
from gough.model import Model
from gough.text import short_repr

CHUNK = 2048
KEPT = 1e-6
"""By how much (sizes, rad) a coordinate may move to rest from where a map has it."""


@dataclass(frozen=True)
class VibrationMap:
    """Per sample (n, …), NaN where there is no equilibrium.

    frequencies_hz (n, k): slowest first; negative where the motion grows instead of swinging (|λ|/2π), 0 where nothing leads
    back. stiffness (n,): of the
    frame against forces, N/m, in its softest direction (NaN without a frame; negative where unstable). inverse, inverse_ratio
    (n,): how far the inverse model is from a singularity, and on which side of it (see `Singularity`). tau (n, drives).
    status (n,): codes. seconds: computing time. done (n,): which samples were computed; all but after an interrupt.
    """

    robot: str
    samples: MapSamples
    frequencies_hz: np.ndarray
    stiffness: np.ndarray
    inverse: np.ndarray
    inverse_ratio: np.ndarray
    tau: np.ndarray
    status: np.ndarray
    frame: str
    seconds: float
    done: np.ndarray

    @property
    def partial(self) -> bool:
        """Whether an interrupt ended it before all samples were computed."""
        return not self.done.all()

    @property
    def unstable(self) -> np.ndarray:
        """Samples (n,) whose equilibrium is unstable."""
        return self.frequencies_hz[:, 0] < 0

    @checked(path=picture)
    def plot(self, path: str | Path) -> None:
        """Draw first frequency and stiffness to a file (png, pdf, svg)."""

        draw_map(self, path)

    @checked(path=path)
    def save(self, path: str | Path) -> Path:
        """Write all samples to an NPZ file; returns its path."""

        return save_map(self, path)

    @checked(array=listed)
    def grid(self, array: np.ndarray) -> np.ndarray:
        """An array (n, …) of samples in the shape of the grid."""
        if len(array) != self.samples.count:
            raise UsageError(
                f"grid: an array of {len(array)}; give one entry for each of the {self.samples.count} samples"
            )
        return np.reshape(array, (*self.samples.shape, *np.shape(array)[1:]))

    __repr__ = short_repr


@checked(
    model=a_model,
    ranges=mapping(numbers),
    fixed=mapping(number()),
    random=whole(1),
    seed=whole(0, 2**63),
    count=whole(1, 10**4),
    drives=word | mapping(numbers),
    frame=word,
    cluster=a_cluster,
    mixed=flag,
)
def vibration_map(
    model: Model,
    ranges: Mapping[str, Any],
    *,
    fixed: Mapping[str, float] | None = None,
    random: int | None = None,
    seed: int = 0,
    count: int = 3,
    drives: Any = "locked",
    frame: str | None = None,
    cluster: Any = None,
    mixed: bool = False,
) -> VibrationMap:
    """Map over poses or drive positions; ranges, fixed, random, seed as in `gough.workspace`.

    count: frequencies a sample. drives: "locked", "free" or {"stiffness": k} as in `natural_frequencies`. frame: where
    stiffness is asked for (default: the first frame tied to a flexible platform, else the platform). cluster, mixed: as for
    `simulate_many`. An interrupt (Ctrl-C) returns what is done, with `partial` set and a PartialResultWarning.
    """
    begin = time.perf_counter()
    samples = make_samples(model, ranges, dict(fixed or {}), random, seed)
    where = stiffness_frame(model) if frame is None else frame
    if where and where not in model.mechanism.frames:
        raise UsageError(f"no frame {where!r}; there are {', '.join(model.mechanism.frames)}")
    work, chunks = VibrationWork(model, samples, count, drives, where), samples.chunks(CHUNK)
    parts: dict[int, dict[str, np.ndarray]] = {}
    try:
        with closing(run_chunks(work, chunks, cluster=cluster, mixed=mixed)) as done:
            for number, found, _ in done:
                parts[number] = found
    except KeyboardInterrupt:
        if not parts:
            raise
        warn("vibration_map: interrupted; the result has only what was done", PartialResultWarning)
    found = {
        name: np.full((samples.count, *x.shape[1:]), _missing(x), x.dtype) for name, x in min(parts.items())[1].items()
    }
    computed = np.zeros(samples.count, dtype=bool)
    for number, part in parts.items():
        a, b = chunks[number]
        computed[a:b] = True
        for name, x in part.items():
            found[name][a:b] = x
    seconds = time.perf_counter() - begin
    return VibrationMap(model.robot.name, samples, **found, frame=where, seconds=seconds, done=computed)


def _missing(x: np.ndarray) -> float:
    return np.nan if np.issubdtype(x.dtype, np.floating) else 0


@dataclass(frozen=True)
class VibrationWork:
    """A map as it is done in chunks (begin, end) of its samples; see `ChunkWork`. frame: where stiffness is asked for."""

    model: Model
    samples: MapSamples
    count: int
    drives: Any
    frame: str

    def prepare(self) -> Callable[[tuple[int, int], Any], dict[str, np.ndarray]]:
        """The arrays of a chunk."""

        def go(item: tuple[int, int], tick: Any) -> dict[str, np.ndarray]:
            with calls_here(steady=self.samples.is_large):
                return self._chunk(*item)

        return go

    def _chunk(self, a: int, b: int) -> dict[str, np.ndarray]:
        model, samples = self.model, self.samples
        values = dict(zip(samples.names, samples.coordinates(a, b).T, strict=True))
        values |= {name: np.asarray(x) for name, x in samples.fixed.items()}
        assembled = model.assemble(**arguments(model, values), on_bad_state="mark")
        rest = static_equilibrium(model, q=assembled.q, on_bad_state="mark")
        demand_kept("vibration_map", model, samples, assembled.q, rest.q)
        shapes = {"frequencies_hz": (self.count,), "stiffness": (), "inverse": (), "inverse_ratio": ()}
        shapes["tau"] = (len(model.mechanism.drives),)
        out = {name: np.full((b - a, *shape), np.nan) for name, shape in shapes.items()}
        status = np.where(assembled.status != Status.OK, assembled.status, rest.status).astype(np.uint8)
        good = np.flatnonzero(status == Status.OK)
        if len(good):
            found, give = vibrations_at(model, rest.q[good], rest.tau[good], self.count, self.drives, self.frame)
            out["frequencies_hz"][good], out["stiffness"][good] = found, softest(give)
            lost = good[np.isnan(found[:, 0]) & (model.layout.nv > len(model.mechanism.drives))]
            status[lost] = Status.SINGULAR
            measure = model.singularity(rest.q[good])
            out["inverse"][good], out["inverse_ratio"][good] = measure.inverse, measure.inverse_ratio
            out["tau"][good] = rest.tau[good]
        return out | {"status": status}


def demand_kept(call: str, model: Model, samples: MapSamples, asked: np.ndarray, rest: np.ndarray) -> None:
    """Refuse idle coordinates that a map has but that come to rest elsewhere than it says."""
    idle = [name for name in (*samples.names, *samples.fixed) if name in model.layout.idle_names]
    both = np.flatnonzero(np.isfinite(asked).all(axis=1) & np.isfinite(rest).all(axis=1))
    if not idle or not len(both):
        return
    named = NamedCoordinates(model, idle)
    moved = np.abs(named.values(rest[both]) - named.values(asked[both])) / named.sizes
    gone = [name for name, far in zip(idle, moved.max(axis=0), strict=True) if far > KEPT]
    if gone:
        raise UsageError(
            f"{call}: {', '.join(gone)} of {model.robot.name} is idle: forces lead it to its rest, wherever the map puts "
            "it. Leave it out of the map"
        )


def stiffness_frame(model: Model) -> str:
    """The frame whose stiffness is asked for by default: of the platform, "" where there is none."""
    mechanism = model.mechanism
    if not mechanism.has_platform:
        return ""
    if mechanism.platform.elastic is None:
        return mechanism.platform.name
    return next((f.name for f in mechanism.frames.values() if mechanism.links[f.link].parent == 0), "")


def softest(give: np.ndarray) -> np.ndarray:
    """Stiffness (n,), N/m, in the softest direction of compliances (n, 3), smallest first; negative where unstable."""
    noise = 1e-9 * np.abs(give).max(axis=1)  # directions in which the frame cannot move at all
    with np.errstate(divide="ignore"):
        return 1.0 / np.where(give[:, 0] < -noise, give[:, 0], give[:, -1])


def stiffest(give: np.ndarray) -> np.ndarray:
    """Stiffness (n,), N/m, in the stiffest direction in which the frame moves at all; inf without one."""
    size = np.abs(give)
    with np.errstate(divide="ignore"):
        return 1.0 / np.where(size > 1e-9 * size.max(axis=1, keepdims=True), give, np.inf).min(axis=1)


def vibrations_at(
    model: Model, q: np.ndarray, tau: np.ndarray, count: int, drives: Any, frame: str, wrench: Any = None
) -> tuple[np.ndarray, np.ndarray]:
    """(frequencies (n, count), principal compliances (n, 3) of the frame against forces, m/N, smallest first) at equilibria
    q (n, nq) with drive forces tau (n, drives), under the wrench they were found with; NaN without a frame."""
    forces = RestForces(model, model.parameters, wrench)
    unit = step_units(model.mechanism, model.size)[list(model.mechanism.selection.independent)]
    moving = model.mechanism.moving
    M, K = (A * unit[:, None] * unit for A in (forces.mass(q), forces.stiffness(q, tau)))
    M, K = (A[:, moving][:, :, moving] for A in (M, K))
    S = (forces.drive_map(q) * unit[:, None])[:, moving]
    N = np.broadcast_to(np.eye(len(moving)), M.shape)
    if isinstance(drives, dict):
        if set(drives) - {"stiffness"}:
            raise UsageError(f"drives={drives!r}: a map is of undamped frequencies; give {{'stiffness': …}} alone")
        gains = np.broadcast_to(np.asarray(drives.get("stiffness", 0.0), dtype=float), (S.shape[2],))
        K = K + (S * gains) @ np.swapaxes(S, 1, 2)
    elif drives == "locked" and S.shape[2]:
        N = np.linalg.svd(np.swapaxes(S, 1, 2))[2][:, S.shape[2] :].swapaxes(1, 2)
    elif drives != "free":
        raise UsageError(f"drives={drives!r}; use 'locked', 'free' or {{'stiffness': …}}")
    NT = np.swapaxes(N, 1, 2)
    M, K = NT @ M @ N, NT @ (0.5 * (K + np.swapaxes(K, 1, 2))) @ N
    frequencies, give = np.full((len(q), count), np.nan), np.full((len(q), 3), np.nan)
    if not N.shape[2]:
        return frequencies, np.zeros_like(give) if frame else give
    positive = np.linalg.eigvalsh(M)[:, 0] > 0  # bodies bent further than their shapes allow may lose it
    half = np.linalg.inv(np.linalg.cholesky(np.where(positive[:, None, None], M, np.eye(M.shape[1]))))
    squares = np.linalg.eigvalsh(half @ K @ np.swapaxes(half, 1, 2))
    largest = np.abs(squares).max(axis=1, keepdims=True)  # what is rounding beside it neither swings nor grows
    still = (np.abs(squares) <= STILL**2 * largest) | ((squares < 0) & (squares >= -(GROWING**2) * largest))
    squares = np.where(still, 0.0, squares)[:, :count]
    squares[~positive] = np.nan
    frequencies[:, : squares.shape[1]] = np.sign(squares) * np.sqrt(np.abs(squares)) / (2 * np.pi)
    if frame:
        J = (forces.frame_jacobian(q, frame)[:, :3] * unit)[:, :, moving] @ N
        JT = np.swapaxes(J, 1, 2)  # idle motions may have no stiffness, and do not move the frame
        matrix = J @ (np.linalg.pinv(K, rcond=1e-12) @ JT if model.layout.v_idle else np.linalg.solve(K, JT))
        give = np.linalg.eigvalsh(0.5 * (matrix + np.swapaxes(matrix, 1, 2)))
    return frequencies, give


# Maps of first frequencies and stiffness as pictures and files.

UNSTABLE = "#b2182b"


def draw_map(made: "VibrationMap", path: str | Path) -> None:
    """First frequency (and stiffness, where it was asked for) over one or two coordinates; more: the middle of the others."""
    from matplotlib.figure import Figure

    panels: list[tuple[str, np.ndarray]] = [("first natural frequency (Hz)", made.frequencies_hz[:, 0])]
    if np.isfinite(made.stiffness).any():
        panels.append((f"least stiffness of {made.frame} (N/m)", made.stiffness))
    flat = not made.samples.is_grid or len(made.samples.axes) == 1
    figure = Figure(figsize=(5.2 * len(panels), 4.0), layout="constrained")
    for ax, (label, values) in zip(np.atleast_1d(figure.subplots(1, len(panels))), panels, strict=True):
        (_curve if flat else _plane)(ax, figure, made, label, values)
    figure.suptitle(f"{made.robot}: about static equilibrium", fontsize=10, parse_math=False)
    write_figure(path, figure, 130)


def _curve(ax: Any, figure: Any, made: "VibrationMap", label: str, values: np.ndarray) -> None:
    axis = made.samples.axes[0]
    x = made.samples.coordinates()[:, 0]
    stable = np.where(made.unstable, np.nan, values)
    ax.plot(x, stable, "-" if made.samples.is_grid else ".", color="#2166ac")
    if made.unstable.any():
        ax.plot(x[made.unstable], np.zeros(int(made.unstable.sum())), ".", color=UNSTABLE, label="unstable")
        ax.legend(frameon=False)
    ax.set_xlabel(f"{axis.name} ({axis.unit})")
    ax.set_ylabel(label)


def _plane(ax: Any, figure: Any, made: "VibrationMap", label: str, values: np.ndarray) -> None:
    first, second = made.samples.axes[:2]
    place = (slice(None), slice(None), *(axis.points // 2 for axis in made.samples.axes[2:]))
    shown = np.where(made.unstable, np.nan, values)
    image = ax.pcolormesh(first.values, second.values, made.grid(shown)[place].T, cmap="viridis", shading="nearest")
    bad = made.grid(made.unstable)[place]
    if bad.any():
        x, y = np.meshgrid(first.values, second.values, indexing="ij")
        ax.plot(x[bad], y[bad], "x", color=UNSTABLE, ms=4, label="unstable")
        ax.legend(loc="upper right", fontsize=8)
    ax.set_xlabel(f"{first.name} ({first.unit})")
    ax.set_ylabel(f"{second.name} ({second.unit})")
    figure.colorbar(image, ax=ax, label=label)


def save_map(made: "VibrationMap", path: str | Path) -> Path:
    """All samples as NPZ: coordinates (n, k) with `names`, frequencies_hz, stiffness, inverse, inverse_ratio, tau, status,
    done."""
    path = Path(path).with_suffix(".npz")
    kept = ("frequencies_hz", "stiffness", "inverse", "inverse_ratio", "tau", "status", "done")
    named = {"robot": np.array(made.robot), "names": np.array(made.samples.names)}
    named["coordinates"] = made.samples.coordinates()
    return write_file(path, npz(named | {name: getattr(made, name) for name in kept}))
