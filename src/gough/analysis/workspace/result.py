"""The result of a workspace survey: what was found at every sample, volumes, and connected regions."""

import json
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from gough.analysis.grids import Axis, MapSamples
from gough.analysis.workspace._plot import draw_workspace
from gough.analysis.workspace.states import COLUMNS, Verdict
from gough.arguments import checked, listed, path, picture
from gough.errors import FileError, Status, UsageError
from gough.files import npz, read_npz, write_figure, write_file
from gough.text import unprintable_in


@dataclass(frozen=True)
class Volume:
    """Volumes in `unit` (product of the units of the coordinates that vary).

    box: of all samples. reachable, singularity_free: of the parts. Errors: one standard deviation of random samples,
    NaN on a grid. cell: of one cell of a grid (its resolution), NaN for random samples.
    """

    unit: str
    box: float
    reachable: float
    singularity_free: float
    reachable_error: float
    singularity_free_error: float
    cell: float


@dataclass(frozen=True)
class Workspace:
    """What a robot can reach. Arrays have one entry a sample (n,); on a grid `grid(array)` gives them their axes.

    verdict: `Verdict`. status: `gough.Status` of the assembly, place: where (index in place_names, -1: nothing wrong).
    parallel: as `Singularity` has it, serial: the lowest of the loops', loop: whose (index in loop_names);
    NaN where a sample is not reachable. aspect: 1 on home's side of the parallel singularities, -1 on the other side, 0
    where it is not known (or differs between orientations). mode: bits, which loops have turned over compared with home.
    margin: the smallest margin to a limit, in its unit; lengths over `length` (m) compared with angles; limit: which (index in
    limit_names), negative margin: violated. q (n, nq): configurations where they were kept. partial: interrupted.
    """

    robot: str
    samples: MapSamples
    limits: bool
    condition: float
    orientations: np.ndarray | None
    every: bool
    verdict: np.ndarray
    status: np.ndarray
    place: np.ndarray
    parallel: np.ndarray
    serial: np.ndarray
    loop: np.ndarray
    aspect: np.ndarray
    mode: np.ndarray
    margin: np.ndarray
    limit: np.ndarray
    place_names: tuple[str, ...]
    loop_names: tuple[str, ...]
    limit_names: tuple[str, ...]
    limit_units: tuple[str, ...]
    length: float
    home: dict[str, float]
    partial: bool = False
    seconds: float = 0.0
    q: np.ndarray | None = None

    @property
    def coordinates(self) -> np.ndarray:
        """Values (n, axes) of the coordinates that vary, in the order of `samples.names`."""
        return self.samples.coordinates()

    @property
    def reachable(self) -> np.ndarray:
        """True (n,) where the robot can be assembled within its limits."""
        return self.verdict <= Verdict.SINGULAR

    @property
    def singularity_free(self) -> np.ndarray:
        """True (n,) where moreover no condition is below the threshold."""
        return self.verdict == Verdict.FREE

    @property
    def done(self) -> int:
        """Number of samples that were computed."""
        return int((self.verdict != Verdict.NOT_DONE).sum())

    @property
    def worst(self) -> np.ndarray:
        """The lower of `parallel` and `serial` (n,)."""
        return np.minimum(self.parallel, self.serial)

    @cached_property
    def volume(self) -> Volume:
        """Volumes; of an interrupted grid only what was done (a lower bound)."""
        s = self.samples
        if s.is_grid:
            w = s.weights()
            cell = float(np.prod([axis.spacing for axis in s.axes]))
            reachable, free = (float(w[mask].sum()) for mask in (self.reachable, self.singularity_free))
            return Volume(s.unit, s.box, reachable, free, np.nan, np.nan, cell)
        n = max(self.done, 1)
        shares = [float(mask.sum()) / n for mask in (self.reachable, self.singularity_free)]
        errors = [s.box * float(np.sqrt(p * (1 - p) / n)) for p in shares]
        return Volume(s.unit, s.box, s.box * shares[0], s.box * shares[1], errors[0], errors[1], np.nan)

    @cached_property
    def regions(self) -> tuple["Region", ...]:
        """Connected singularity-free regions of a grid, largest first; () for random samples."""

        return regions(self)

    @property
    def home_region(self) -> "Region | None":
        """The region that contains home (the grid point nearest to it), or None."""
        return next((r for r in self.regions if r.contains_home), None)

    def aspect_volumes(self) -> dict[int, float]:
        """Singularity-free volume on home's side (1) and beyond (-1) of the parallel singularities."""
        n = self.samples.count if self.samples.is_grid else max(self.done, 1)
        w = self.samples.weights() * (self.samples.count / n)
        sides = [1, -1, 0]
        found = {side: float(w[self.singularity_free & (self.aspect == side)].sum()) for side in sides}
        return {side: x for side, x in found.items() if side or x}

    @checked(array=listed)
    def grid(self, array: np.ndarray) -> np.ndarray:
        """An array (n, ...) of a grid with the grid's axes instead of n."""
        if not self.samples.is_grid:
            raise UsageError("random samples have no grid; use `coordinates`")
        if len(array) != self.samples.count:
            raise UsageError(
                f"grid: an array of {len(array)}; give one entry for each of the {self.samples.count} samples"
            )
        return array.reshape(*self.samples.shape, *array.shape[1:])

    def counts(self) -> dict[str, int]:
        """Number of samples of each verdict."""
        found = np.bincount(self.verdict, minlength=len(Verdict))
        return {v.name: int(found[v]) for v in Verdict}

    def statuses(self) -> dict[str, int]:
        """Number of samples of each status other than OK."""
        found = np.bincount(self.status, minlength=len(Status))
        return {s.name: int(found[s]) for s in Status if s != Status.OK and found[s]}

    def violations(self) -> dict[str, int]:
        """For each limit the number of samples where it is the one violated most; most frequent first."""
        over = self.margin < 0
        found = np.bincount(self.limit[over], minlength=len(self.limit_names))
        order = np.argsort(-found, kind="stable")
        return {self.limit_names[k]: int(found[k]) for k in order if found[k]}

    @checked(path=path)
    def save(self, path: str | Path) -> Path:
        """Write all of it as NPZ; `Workspace.load` reads it."""

        return save(self, Path(path))

    @classmethod
    @checked(path=path)
    def load(cls, path: str | Path) -> "Workspace":
        """Read what `save` wrote."""

        return load(Path(path))

    @checked(path=picture)
    def plot(self, path: str | Path | None = None, **options: Any) -> Any:
        """A matplotlib figure (see `plot.draw_workspace`), written to `path` if given."""
        made = draw_workspace(self, **options)
        if path is not None:
            write_figure(path, made, 130)
        return made

    def __repr__(self) -> str:
        v = self.volume
        flag = f", interrupted at {self.done}" if self.partial else ""
        return (
            f"<gough.Workspace {self.robot}: {self.samples.count} samples of {' '.join(self.samples.names)}{flag}, reachable "
            f"{v.reachable:.4g} {v.unit}, singularity-free {v.singularity_free:.4g} {v.unit}>"
        )


# A workspace as an NPZ file: plain arrays and one JSON text with names and units; no pickle.

KIND, FORMAT = "gough workspace", 1
UNITS = {"parallel": "1", "serial": "1", "margin": "unit of the limit", "orientations": "rad", "length": "m"}


def save(workspace: Workspace, path: Path) -> Path:
    """Write; a name without .npz gets it. Returns the path written."""
    if not path.name:
        raise UsageError(f"{path} is a folder; give the name of a file")
    path = path if path.suffix == ".npz" else path.with_name(path.name + ".npz")
    arrays = {name: getattr(workspace, name) for name in COLUMNS}
    arrays |= {n: x for n in ("orientations", "q") if (x := getattr(workspace, n)) is not None}
    arrays |= {f"axis {a.name}": a.values for a in workspace.samples.axes} if workspace.samples.is_grid else {}
    rest = {f.name: getattr(workspace, f.name) for f in fields(Workspace) if f.name not in (*arrays, *COLUMNS)}
    rest = {name: x for name, x in rest.items() if x is not None}
    about = {"kind": KIND, "format": FORMAT, "units": UNITS} | rest | {"samples": asdict(workspace.samples)}
    return write_file(path, npz({"about": np.array(json.dumps(about)), **arrays}))


def load(path: Path) -> Workspace:
    """Read; newer formats and other files are refused."""
    arrays = read_npz(path, "a workspace file (NPZ written by Workspace.save)")
    try:
        about = json.loads(str(arrays.pop("about", "{}")))
    except (ValueError, RecursionError):
        about = {}
    if not isinstance(about, dict) or about.pop("kind", None) != KIND or unprintable_in(about) is not None:
        raise FileError(f"{path} is not a workspace file (NPZ written by Workspace.save)")
    if about.pop("format", FORMAT) > FORMAT:
        raise FileError(f"{path} was written by a newer gough; this one reads format {FORMAT}")
    try:
        return _workspace(about, arrays)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise FileError(f"{path} is damaged: what it says of itself cannot be read ({error})") from error


def _workspace(about: dict[str, Any], arrays: dict[str, np.ndarray]) -> Workspace:
    about.pop("units")
    samples = about.pop("samples")
    samples["axes"] = tuple(Axis(**axis) for axis in samples["axes"])
    names = {name: tuple(about.pop(name)) for name in ("place_names", "loop_names", "limit_names", "limit_units")}
    columns = {name: arrays.get(name) for name in (*COLUMNS, "orientations", "q")}
    return Workspace(samples=MapSamples(**samples), **names, **columns, **about)


# Connected singularity-free regions of a grid: where a robot can move without leaving the good part.
#
# Two neighbouring grid points (along one axis) belong together when both are good and lie on the same side of the
# parallel singularities, with the same loops turned over; the sign tells it even where the grid steps over the surface.


@dataclass(frozen=True)
class Region:
    """A connected region. aspect: its side of the parallel singularities (1: home's); mode: loops turned over (bits);
    points: its size; volume in the map's unit; contains_home; mask (n,): its samples."""

    aspect: int
    mode: int
    points: int
    volume: float
    contains_home: bool
    mask: np.ndarray


def regions(workspace: "Workspace") -> tuple[Region, ...]:
    """Regions of a grid, largest first."""
    from scipy.ndimage import label

    if not workspace.samples.is_grid:
        return ()
    good = workspace.singularity_free & (workspace.aspect != 0)
    weights = workspace.samples.weights()
    start = start_point(workspace, good)
    found = []
    kinds = np.unique(np.stack([workspace.aspect[good], workspace.mode[good]], axis=1), axis=0)
    for aspect, mode in kinds.tolist():
        own = good & (workspace.aspect == aspect) & (workspace.mode == mode)
        labelled: Any = label(workspace.grid(own))
        labels, count = labelled[0].ravel(), int(labelled[1])
        points = np.bincount(labels, minlength=count + 1)
        volumes = np.bincount(labels, weights=weights, minlength=count + 1)
        for k in range(1, count + 1):
            home = start is not None and bool(labels[start] == k)
            found.append((aspect, mode, int(points[k]), float(volumes[k]), home, labels, k))
    found.sort(key=lambda r: (-r[3], not r[4]))
    return tuple(Region(*r[:5], mask=r[5] == r[6]) for r in found)


def start_point(workspace: "Workspace", good: np.ndarray) -> int | None:
    """The good grid point nearest to home's values of the coordinates that vary, at most one cell away."""
    axes = workspace.samples.axes
    index = []
    for axis in axes:
        near = np.abs(axis.values - workspace.home[axis.name]) / axis.spacing
        index.append(np.flatnonzero(near <= 1.0 + 1e-9))
    candidates = np.stack(np.meshgrid(*index, indexing="ij"), axis=-1).reshape(-1, len(axes))
    if not len(candidates):
        return None
    flat = np.ravel_multi_index(tuple(candidates.T), workspace.samples.shape)
    flat = flat[good[flat]]
    if not len(flat):
        return None
    home = np.array([workspace.home[axis.name] for axis in axes])
    spacing = np.array([axis.spacing for axis in axes])
    return int(flat[np.argmin((((workspace.samples.at(flat) - home) / spacing) ** 2).sum(axis=1))])
