"""Do intervals cover the truth? A run of a robot that Pinocchio moves, measured many times with other noise, identified anew.

    python benchmarks/identification_coverage.py [--draws 1000] [--first 0] [--robots hexapod,delta,five_bar]
        [--methods ls,iv,didim] [--states encoders | exact] [--workers 2] [--cache FOLDER] [--parts FOLDER] [--out benchmarks]
        [--name identification_coverage] [--tiny]

The run is simulated once by tests/identification/foreign (Pinocchio's tree, loops closed by multipliers, joint control with known
gains; none of the library's equations) and kept in --cache. Every draw adds encoder noise and counts, force noise and counts
(`Noise`), from seeds of its own: its number, counted from --first. The model that identification begins with has the right
geometry and other numbers (`nearby`).

Methods: "ls", "iv" and "didim" are those of `gough.identify`; "known" is least squares of this script with true states and
measured forces: what the data hold at best, and a check of the statistics, since its intervals must cover by themselves.
--states: "encoders" (records as they are), "exact" (true states beside measured forces, for estimators alone).

Counted, of the base parameters of inertia, rotors, friction and offsets: how often the 95 % interval covers the truth (each
parameter, and all together); bias, the mean error over the spread of the estimates; reported deviation over this spread; mean
relative error; bodies that no matter can have, in the estimate and in the consistent one; time of the processor a draw (records
are conditioned once for all methods, which is not counted). Draws are done in parts, and what is done is written after each; with
--parts every part is kept in a folder, and an interrupted count goes on there (of the same tree: nothing looks whether the
library changed).
Writes NAME.json and NAME.md.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"
sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

import numpy as np
from scipy.stats import norm

import gough
from gough_bench.machine import machine
from identification.foreign import NAMES, Noise, clean_run, experiment, measure, nearby

PARAMETERS = ("inertia", "rotors", "friction", "offsets")
LEVEL = 0.95
WIDTH = float(norm.ppf(0.5 + LEVEL / 2))
PART = 25
"""Draws a part."""
BEGIN = 0.5
"""Seconds at the beginning that are left out: a robot at rest hangs below its reference, a simulated one begins on it."""
TEN = ("M", "MX", "MY", "MZ", "XX", "XY", "XZ", "YY", "YZ", "ZZ")


@dataclass(frozen=True)
class Settings:
    """What all draws share; sent to every worker."""

    robot: str
    duration: float
    rate_hz: float
    states: str
    seed: int
    folder: str
    parts: str = ""


@dataclass(frozen=True)
class Draw:
    """One estimate: base parameters and deviations (rank,), unphysical bodies in it and in the consistent one (-1: not asked)."""

    base: np.ndarray
    deviations: np.ndarray
    seconds: float
    unphysical: int = -1
    unphysical_consistent: int = -1
    distance: float = 0.0
    """Of the consistent numbers from the estimate, in deviations."""


class Case:
    """A robot, its clean run, and the model that identification begins with."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.of = experiment(settings.robot)
        whole = clean_run(self.of, Path(settings.folder), settings.duration, settings.rate_hz)
        self.clean = whole.part(slice(round(min(BEGIN, settings.duration / 4) * settings.rate_hz), None))
        self.model = gough.build(nearby(self.of.robot))
        self.base = gough.base_parameters(self.model, PARAMETERS)
        true = gough.base_parameters(self.of.model, PARAMETERS)
        assert true.regressor.names == self.base.regressor.names and true.rank == self.base.rank
        self.truth = self.base.matrix @ self.of.truth(true.regressor.unknowns)

    def record(self, draw: int) -> Any:
        """The run as it was measured this time."""
        return measure(self.clean, self.of, np.random.default_rng([self.settings.seed, draw]), Noise())

    def data(self, record: Any) -> Any:
        """What `gough.identify` is given."""
        if self.settings.states == "encoders":
            return gough.condition(self.model, record)
        from gough.identification.data.samples import Samples

        force = np.stack([record.forces[name] for name in self.model.layout.drive_names], axis=1)
        c, run = self.clean, np.zeros(len(self.clean.time), dtype=int)
        return Samples(self.model, c.time, c.q, c.v, c.acceleration, force, None, run, (record.name,))

    @cached_property
    def _squares(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """(columns W (n, drives, rank) of unit length, their lengths, WᵀW (drives, rank, rank), rest (n, drives))."""
        c = self.clean
        rows = gough.regressor(self.model, PARAMETERS)(c.q, c.v, c.acceleration)
        W = np.ascontiguousarray(self.base.columns(rows.Y))
        size = np.sqrt((W**2).sum(axis=(0, 1)))
        W /= size
        return W, size, np.stack([W[:, k].T @ W[:, k] for k in range(W.shape[1])]), rows.rest

    def known_states(self, record: Any, matrix: np.ndarray) -> Draw:
        """Weighted least squares, each drive by its own noise, which the residual tells."""
        start = time.process_time()
        W, size, squares, rest = self._squares
        force = np.stack([record.forces[name] for name in self.model.layout.drive_names], axis=1) - rest
        right = np.einsum("tdp,td->dp", W, force, optimize=True)
        weight = np.ones(W.shape[1])
        x, covariance = np.zeros(len(size)), np.zeros((len(size), len(size)))
        for _ in range(3):
            covariance = np.linalg.inv(np.einsum("d,dpq->pq", weight, squares))
            x = covariance @ (weight @ right)
            missing = ((force - W @ x) ** 2).sum(axis=0)
            weight = (len(force) - len(size) / W.shape[1]) / missing
        seconds = time.process_time() - start
        return Draw(*in_terms_of(matrix, self.base.matrix, x / size, covariance / np.outer(size, size)), seconds)

    def identify(self, data: Any, method: str, matrix: np.ndarray) -> Draw:
        """By the library."""
        loop: dict[str, Any] = {}
        if method != "ls":
            loop = {"controller": self.of.controller, "motion": self._motion}
        start = time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # poor excitation of some is meant here
            found = gough.identify(self.model, data, method=method, parameters=PARAMETERS, **loop)
        seconds = time.process_time() - start
        rank, names = found.base.rank, found.base.regressor.names
        spread = found.estimate.covariance[:rank, :rank]
        plain = nearest_values(found.base, found.base_values, self.base.regressor.values)
        counts = [unphysical_bodies(names, values) for values in (plain, found.standard.values)]
        values = in_terms_of(matrix, found.base.matrix, found.base_values, spread)
        return Draw(*values, seconds, *counts, distance=found.distance)

    @cached_property
    def _motion(self) -> gough.Motion:
        return self.of.motion()


def in_terms_of(
    matrix: np.ndarray, own: np.ndarray, base: np.ndarray, covariance: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Base parameters matrix @ π and their deviations from others, own @ π: which of several equal columns stands for the others
    is a matter of rounding, and need not be the same twice."""
    if np.array_equal(matrix, own):
        return base, np.sqrt(np.diag(covariance))
    T = np.linalg.lstsq(own.T, matrix.T, rcond=None)[0].T
    assert np.allclose(T @ own, matrix, atol=1e-6 * np.abs(matrix).max()), "other combinations than those of the model"
    return T @ base, np.sqrt(np.diag(T @ covariance @ T.T))


def nearest_values(base: gough.BaseParameters, phi: np.ndarray, described: np.ndarray) -> np.ndarray:
    """π with base parameters φ that differ least from the description's, each by its size: what nobody made consistent."""
    size = np.abs(described) + 1e-3 * np.abs(described).max()
    return described + size * np.linalg.lstsq(base.matrix * size, phi - base.matrix @ described, rcond=None)[0]


def unphysical_bodies(names: Sequence[str], values: np.ndarray) -> int:
    """Bodies whose pseudo-inertia [[Σ, m c], [m cᵀ, m]] has a negative eigenvalue beyond rounding."""
    at = dict(zip(names, values, strict=True))
    count = 0
    for body in [n.removesuffix(".M") for n in names if n.endswith(".M")]:
        m, x, y, z, xx, xy, xz, yy, yz, zz = (at[f"{body}.{key}"] for key in TEN)
        tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        J = np.zeros((4, 4))
        J[:3, :3], J[:3, 3], J[3, :3], J[3, 3] = np.trace(tensor) / 2 * np.eye(3) - tensor, (x, y, z), (x, y, z), m
        size = np.sqrt(np.maximum(np.abs(np.diag(J)), 1e-12))
        count += bool(np.linalg.eigvalsh(J / np.outer(size, size))[0] < -1e-8)
    return count


@cache
def case_of(settings: Settings) -> Case:
    """Built once in every process."""
    return Case(settings)


def kept_part(settings: Settings, matrix: np.ndarray, methods: Sequence[str], draws: range) -> list[list[Draw | str]]:
    """`draw_part`, or what a file has of it."""
    if not settings.parts:
        return draw_part(settings, matrix, methods, draws)
    s = settings
    what = f"{s.robot}-{'-'.join(methods)}-{s.states}-{s.duration:g}s-{s.rate_hz:g}Hz-seed{s.seed}"
    path = Path(s.parts) / f"{what}-{draws.start}-{draws.stop}.json"
    if not path.exists():
        done = draw_part(settings, matrix, methods, draws)
        text = json.dumps(
            [[d if isinstance(d, str) else asdict(d) for d in own] for own in done], default=np.ndarray.tolist
        )
        path.parent.mkdir(parents=True, exist_ok=True)
        path.with_suffix(".new").write_text(text)
        path.with_suffix(".new").replace(path)
    return [[d if isinstance(d, str) else as_draw(d) for d in own] for own in json.loads(path.read_text())]


def as_draw(data: dict[str, Any]) -> Draw:
    """From a file."""
    arrays: dict[str, Any] = {key: np.array(data[key]) for key in ("base", "deviations")}
    return Draw(**data | arrays)


def draw_part(settings: Settings, matrix: np.ndarray, methods: Sequence[str], draws: range) -> list[list[Draw | str]]:
    """Some draws by each of the methods, in terms of the base parameters matrix @ π; what failed is its message."""
    case, found = case_of(settings), [[] for _ in methods]
    for k in draws:
        record, data = case.record(k), None
        for own, method in zip(found, methods, strict=True):
            try:
                if method == "known":
                    own.append(case.known_states(record, matrix))
                    continue
                data = case.data(record) if data is None else data
                own.append(case.identify(data, method, matrix))
            except (gough.UsageError, gough.BadStateError, RuntimeError, np.linalg.LinAlgError) as problem:
                own.append(f"draw {k}: {problem}")
    return found


def all_parts(
    settings: Settings, methods: Sequence[str], draws: range, workers: int
) -> Iterator[list[list[Draw | str]]]:
    """Results part after part, in order."""
    parts = [draws[k : k + PART] for k in range(0, len(draws), PART)]
    matrix = case_of(settings).base.matrix
    if workers < 2:
        yield from (kept_part(settings, matrix, methods, part) for part in parts)
        return
    n = len(parts)
    with ProcessPoolExecutor(workers) as pool:
        yield from pool.map(kept_part, [settings] * n, [matrix] * n, [methods] * n, parts)


def summary(case: Case, draws: Sequence[Draw | str]) -> dict[str, Any]:
    """Figures of a method."""
    good = [d for d in draws if isinstance(d, Draw)]
    failed = [d for d in draws if isinstance(d, str)]
    out: dict[str, Any] = {"draws": len(draws), "failed": len(failed), "failures": failed[:5]}
    if not good:
        return out
    x, s = np.array([d.base for d in good]), np.array([d.deviations for d in good])
    error = x - case.truth
    covered = (np.abs(error) <= WIDTH * s).mean(axis=0)
    spread = x.std(axis=0, ddof=1) if len(good) > 1 else np.full(len(case.truth), np.nan)
    bias, honest = error.mean(axis=0) / spread, np.sqrt((s**2).mean(axis=0)) / spread
    size = np.abs(case.truth)
    told = spread < 0.3 * size  # what the data determine to 30 % or better
    plain, consistent = ([getattr(d, key) for d in good] for key in ("unphysical", "unphysical_consistent"))
    return out | {
        "coverage": float(covered.mean()),
        "coverage_least": float(covered.min()),
        "coverage_of_well_told": float(covered[told].mean()) if told.any() else None,
        "well_told": int(told.sum()),
        "bias_rms": float(np.sqrt(np.mean(bias**2))),
        "bias_largest": float(np.abs(bias).max()),
        "reported_over_spread": [float(v) for v in np.quantile(honest, (0.0, 0.5, 1.0))],
        "relative_error_median": float(np.median(np.abs(error).mean(axis=0) / size)),
        "relative_error_of_well_told": float((np.abs(error).mean(axis=0) / size)[told].mean()) if told.any() else None,
        "draws_with_unphysical": None if min(plain) < 0 else float(np.mean(np.array(plain) > 0)),
        "unphysical_bodies": None if min(plain) < 0 else float(np.mean(plain)),
        "unphysical_bodies_consistent": None if min(consistent) < 0 else float(np.mean(consistent)),
        "distance_consistent": float(np.mean([d.distance for d in good])),
        "seconds": float(np.median([d.seconds for d in good])),
        "parameters": [
            {"name": n, "unit": u, "truth": t, "coverage": c, "bias": b, "spread": p, "reported_over_spread": h}
            for n, u, t, c, b, p, h in zip(
                case.base.names,
                case.base.units,
                *(v.tolist() for v in (case.truth, covered, bias, spread, honest)),
                strict=True,
            )
        ],
    }


def table(result: dict[str, Any]) -> str:
    """The figures as Markdown."""

    def show(value: Any, form: str) -> str:
        return "–" if value is None else format(value, form)

    told, where = result["settings"], result["machine"]
    heads = (
        "robot, parameters, method, draws, failed, coverage, least of one, of those told to 30 %, bias rms, bias largest, "
        "reported / true deviation, relative error (well told), unphysical bodies, of these consistent, s a draw"
    ).split(", ")
    made = (
        f"{told['duration']:g} s at {told['rate_hz']:g} Hz, states: {told['states']}; {where['cpu']}, {where['date']}."
    )
    lines = [
        "# Coverage of confidence intervals",
        "",
        f"{made} What is counted: `benchmarks/identification_coverage.py`.",
        "",
    ]
    lines += ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    for robot, own in result["robots"].items():
        for method, f in own["methods"].items():
            if "coverage" not in f:
                lines.append(
                    f"| {robot} | {own['parameters']} | {method} | {f['draws']} | {f['failed']} |" + " – |" * 10
                )
                continue
            low, middle, high = f["reported_over_spread"]
            entries = [
                robot,
                own["parameters"],
                method,
                f["draws"],
                f["failed"],
                f"{f['coverage']:.3f}",
                f"{f['coverage_least']:.3f}",
                f"{show(f['coverage_of_well_told'], '.3f')} ({f['well_told']})",
                f"{f['bias_rms']:.2f}",
                f"{f['bias_largest']:.2f}",
                f"{middle:.2f} ({low:.2f} … {high:.2f})",
                show(f["relative_error_of_well_told"], ".2%"),
                show(f["unphysical_bodies"], ".2f"),
                show(f["unphysical_bodies_consistent"], ".2f"),
                f"{f['seconds']:.3g}",
            ]
            lines.append("| " + " | ".join(map(str, entries)) + " |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Draw, print, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0, help="number of the first draw")
    parser.add_argument("--robots", default=",".join(NAMES))
    parser.add_argument("--methods", default="ls,iv,didim", help="of ls, iv, didim, known")
    parser.add_argument("--states", choices=("encoders", "exact"), default="encoders")
    parser.add_argument("--duration", type=float, default=10.0, help="of the run (s)")
    parser.add_argument("--rate", type=float, default=1000.0, help="samples (Hz)")
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--cache", type=Path, default=Path("out/runs"), help="where clean runs are kept")
    parser.add_argument("--parts", default="", help="where parts that are done are kept")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent)
    parser.add_argument("--name", default="identification_coverage", help="of the files written")
    parser.add_argument(
        "--tiny", action="store_true", help="a second of one robot, four draws: shows that all of it runs"
    )
    o = parser.parse_args()
    if o.tiny:
        o.draws, o.robots, o.methods, o.duration, o.rate, o.workers = 4, "five_bar", "known", 1.0, 200.0, 1
    result: dict[str, Any] = {
        "format": 1,
        "machine": machine(),
        "counted": __doc__,
        "settings": {"duration": o.duration, "rate_hz": o.rate, "states": o.states, "seed": o.seed, "level": LEVEL},
        "robots": {},
    }
    o.out.mkdir(parents=True, exist_ok=True)
    for robot in o.robots.split(","):
        settings = Settings(robot, o.duration, o.rate, o.states, o.seed, str(o.cache), o.parts)
        case = case_of(settings)
        own = result["robots"][robot] = {"parameters": len(case.truth), "methods": {}}
        methods = o.methods.split(",")
        done: list[list[Draw | str]] = [[] for _ in methods]
        for part in all_parts(settings, methods, range(o.first, o.first + o.draws), o.workers):
            for method, all_of, new in zip(methods, done, part, strict=True):
                all_of += new
                f = own["methods"][method] = summary(case, all_of)
                said = (
                    f"coverage {f['coverage']:.3f}, {f['seconds']:.3g} s a draw" if "coverage" in f else f["failures"]
                )
                print(f"{robot} {method}: {len(all_of)} draws, {f['failed']} failed, {said}", flush=True)
            (o.out / f"{o.name}.json").write_text(json.dumps(result, indent=1) + "\n")
            (o.out / f"{o.name}.md").write_text(table(result))
    print(table(result))


if __name__ == "__main__":
    main()
