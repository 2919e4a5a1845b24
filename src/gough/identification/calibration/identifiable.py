"""Which geometric numbers measurements tell, and in which combinations; gauge freedoms by name.

The equations of all poses, mounts of the instrument eliminated, have a null space: changes of the geometry that no measurement
sees. Some are no defect of the poses but of the question: the world's frame may stand elsewhere, the platform's too, and with
angles alone the unit of length is free. These gauges are constructed from the design and tried; the rest is written as
combinations that can be told, kept + Σ share · dependent.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.linalg import qr

from gough.errors import RankWarning, warn
from gough.identification._polynomial import join_terms
from gough.identification.calibration._adjustment import exact_space, reduce_rows
from gough.identification.calibration._mounts import crosses
from gough.identification.calibration._problem import CalibrationProblem, Equations
from gough.identification.calibration._unknowns import all_unknowns
from gough.spatial.rotation import rates_from_euler
from gough.structure import WORLD

if TYPE_CHECKING:
    from gough.model import Model

RANK, DOUBTFUL = 1e-8, 1e-6
"""Singular values, relative to the largest, below which a direction is not told, and may not be told."""
SAFE_GAP = 1e2
SMALL = 1e-6
"""Shares, in units of the prior deviations, that are rounding."""
PREFERENCE = 0.01
GAUGES = ("frame of the base", "frame of the platform", "unit of length")


@dataclass(frozen=True)
class IdentifiableGeometry:
    """What measurements tell of geometric unknowns.

    names, units (n): the unknowns; rank: how many combinations of them are told; alone: those told by themselves; kept,
    dependent, unseen: positions of unknowns that stand for a combination, are part of others, or are not told at all; shares
    (kept, dependent); gauges {name: freedoms}: of the frames and the unit of length; locked: directions that redundant closures
    forbid; singular_values: of the equations, in units of prior deviations over noise; gap: the last that counts over the next.
    """

    robot: str
    names: tuple[str, ...]
    units: tuple[str, ...]
    rank: int
    alone: tuple[str, ...]
    kept: tuple[int, ...]
    dependent: tuple[int, ...]
    unseen: tuple[int, ...]
    shares: np.ndarray
    gauges: dict[str, int]
    locked: int
    singular_values: np.ndarray
    gap: float
    null_space: np.ndarray
    """(n, k): changes that nothing sees, in units of the prior deviations."""

    @property
    def combinations(self) -> tuple[str, ...]:
        """What is told, as text: "leg0.slide.z + leg0.slide.zero"."""
        out = []
        for a, k in enumerate(self.kept):
            terms = [(1.0, self.names[k])]
            terms += [
                (float(self.shares[a, b]), self.names[d]) for b, d in enumerate(self.dependent) if self.shares[a, b]
            ]
            out.append(join_terms(terms))
        return tuple(out)

    def __str__(self) -> str:
        free = sum(self.gauges.values())
        lines = [f"{self.robot}: {self.rank} combinations of {len(self.names)} geometric numbers are told"]
        lines += [f"  gauge: {name} ({n} freedom{'s' if n > 1 else ''})" for name, n in self.gauges.items()]
        rest = len(self.names) - self.rank - free - self.locked
        if self.locked:
            lines.append(f"  {self.locked} directions would break redundant closures and stay")
        if rest > 0:
            lines.append(f"  {rest} more are told only together with others, or not at all")
        if self.unseen:
            lines.append(f"  not told: {_few([self.names[k] for k in self.unseen])}")
        lines.append(f"  told alone: {_few(self.alone)}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<gough.IdentifiableGeometry {self.robot}: {self.rank} of {len(self.names)}>"


def _few(names: Sequence[str], most: int = 8) -> str:
    return ", ".join(names[:most]) + (f", … ({len(names)})" if len(names) > most else "") if names else "none"


def judge_geometry(
    problem: CalibrationProblem, equations: Equations, values: np.ndarray, least: float = 0.0
) -> IdentifiableGeometry:
    """What these equations tell; values (k,): of the unknowns, where they were made. least: singular values up to it are not
    told: 1 leaves what was known before at least as well, 0 what can be told at all, whose gap is judged."""
    g, p = len(problem.unknowns), len(problem.sizes)
    R, _ = reduce_rows(equations, np.ones(len(equations.residual)))
    Z = exact_space(equations.exact, equations.exact_rest, p)[1]
    mounts = np.linalg.svd(R[:, g:], full_matrices=False)
    own = mounts[0][:, mounts[1] > RANK * max(mounts[1].max(initial=0.0), 1e-300)]
    J = R[:, :g] - own @ (own.T @ R[:, :g])
    Zg = Z[:g] if len(equations.exact) else np.eye(g)
    if len(equations.exact):  # mounts are free of what must hold
        U, s, _ = np.linalg.svd(Zg, full_matrices=False)
        Zg = U[:, s > 0.5 * s.max(initial=0.0)]
    _, s, V = np.linalg.svd(J @ Zg, full_matrices=True)
    s = np.concatenate([s, np.zeros(Zg.shape[1] - len(s))])
    rank, gap = _rank(s, least)
    if gap < SAFE_GAP and not least:
        warn(
            f"calibration: singular values of {problem.model.robot.name} fall from {s[rank - 1]:.2g} to {s[rank]:.2g} where "
            f"their rank is cut ({rank}): a gap this small may hide a number or invent one. Look at .singular_values",
            RankWarning,
        )
    null = Zg @ V[rank:].T
    locked = g - Zg.shape[1]
    kept, dependent, unseen, shares = _combinations(null, Zg, problem.sizes[:g])
    held = np.eye(g) - Zg @ Zg.T if locked else np.zeros((g, g))
    alone = [k for k in range(g) if np.linalg.norm(null[k]) < SMALL and np.linalg.norm(held[k]) < SMALL]
    names = tuple(u.name for u in problem.unknowns)
    gauges = _gauges(problem, J, values, s[0] if len(s) else 1.0)
    return IdentifiableGeometry(
        problem.model.robot.name,
        names,
        tuple(u.unit for u in problem.unknowns),
        rank,
        tuple(names[k] for k in alone),
        kept,
        dependent,
        unseen,
        shares,
        gauges,
        locked,
        s,
        gap,
        null,
    )


def _rank(s: np.ndarray, least: float) -> tuple[int, float]:
    """(how many singular values count, the last of them over the next): those above `least`, or up to where they fall most among
    those that may be rounding."""
    if not len(s) or s[0] <= least:
        return 0, np.inf
    floor = np.maximum(s, np.finfo(float).eps * s[0])
    gaps = np.append(floor[:-1] / floor[1:], 1.0)
    if least:
        rank = int((s > max(RANK * s[0], least)).sum())
        return rank, np.inf if rank == len(s) else float(gaps[rank - 1])
    gaps[np.append(floor[1:], 1.0) > DOUBTFUL * s[0]] = 0.0
    return (int(np.argmax(gaps)) + 1, float(gaps.max())) if gaps.max() > 1.0 else (len(s), np.inf)


def _combinations(
    null: np.ndarray, allowed: np.ndarray, sizes: np.ndarray
) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...], np.ndarray]:
    """(kept, dependent, unseen, shares): each dependent unknown may stay as it is if the kept ones take its share."""
    g = len(null)
    if not null.shape[1]:
        return tuple(range(g)), (), (), np.zeros((g, 0))
    later = 1.0 + PREFERENCE * np.arange(g) / g  # of equals the later one depends on the earlier
    order: Any = qr((null * later[:, None]).T, mode="r", pivoting=True)[-1]
    dependent = sorted(int(k) for k in order[: null.shape[1]])
    kept = [k for k in range(g) if k not in dependent]
    # a change d of the dependent ones that nothing sees changes the kept ones by null[kept] null[dependent]⁻¹ d
    shares = -np.linalg.solve(null[dependent].T, null[kept].T).T
    shares[np.abs(shares) < SMALL] = 0.0
    unseen = tuple(d for b, d in enumerate(dependent) if not shares[:, b].any())
    told = [b for b, d in enumerate(dependent) if d not in unseen]
    shares = shares[:, told] * sizes[kept][:, None] / sizes[[dependent[b] for b in told]]
    return tuple(kept), tuple(dependent[b] for b in told), unseen, shares


def _gauges(problem: CalibrationProblem, J: np.ndarray, values: np.ndarray, largest: float) -> dict[str, int]:
    """{gauge: how many of its freedoms nothing sees}."""
    model, names = problem.model, list(all_unknowns(problem.model, problem.observed.encoders))
    columns = {name: k for k, name in enumerate(u.name for u in problem.unknowns)}
    design = problem.parameters(values)
    out = {}
    for gauge, changes in zip(GAUGES, _candidates(problem, design, values, names), strict=True):
        known = [i for i, name in enumerate(names) if name in columns]
        fixed = [i for i, name in enumerate(names) if name not in columns]
        unknown = np.zeros((len(columns), changes.shape[1]))
        unknown[[columns[names[i]] for i in known]] = changes[known]
        seen = (J @ (unknown / problem.sizes[: len(columns), None])) / max(largest, 1e-300)
        both = np.concatenate([seen, changes[fixed] / model.size])
        s = np.linalg.svd(both, compute_uv=False)
        free = int(np.linalg.matrix_rank(changes / model.size, tol=SMALL)) - int((s > SMALL).sum())
        if free > 0:
            out[gauge] = free
    return out


def _candidates(
    problem: CalibrationProblem, design: np.ndarray, values: np.ndarray, names: Sequence[str]
) -> list[np.ndarray]:
    """Changes (all geometric numbers, freedoms) of the numbers when a frame or the unit of length changes."""
    structure = problem.model.mechanism
    row = {name: k for k, name in enumerate(names)}
    table = structure.table
    frames = []
    seen = problem.observed.frame
    on_platform = structure.has_platform and (seen is None or structure.frames[seen].link == 0)
    for owner in (WORLD, 0 if on_platform else None):
        change = np.zeros((len(names), 6))
        places = [link.placement for link in structure.links if link.parent == owner and not link.is_platform]
        for cut in structure.cuts:
            places += [p for side, p in ((cut.first, cut.on_first), (cut.second, cut.on_second)) if side == owner]
        for place in (p for p in places if p) if owner is not None else ():
            change[[row[table.names[i]] for i in place]] = _moved_placement(design[list(place)])
        frames.append(change)
    length = np.zeros((len(names), 1))
    now = {u.name: x for u, x in zip(problem.unknowns, values, strict=True)}
    for name, unknown in all_unknowns(problem.model, problem.observed.encoders).items():
        if unknown.is_scale:
            slides = unknown.encoder is not None and _unit(problem.model, unknown.encoder) == "m"
            length[row[name]] = now.get(name, 1.0) if slides else 0.0
        elif unknown.unit == "m":
            length[row[name]] = now.get(name, unknown.value) if unknown.place is None else design[unknown.place]
    return [*frames, length]


def _unit(model: "Model", coordinate: str) -> str:
    return model.layout.q_units[model.layout.index(coordinate)]


def _moved_placement(x: np.ndarray) -> np.ndarray:
    """Changes (6 or 7, 6) of a placement when what it stands on is moved by (t, φ), its axes."""
    out = np.zeros((len(x), 6))
    out[:3, :3] = np.eye(3)
    out[:3, 3:] = -crosses(x[None, :3])[0]
    if len(x) == 7:
        w, v = x[3], x[4:]
        out[3, 3:], out[4:, 3:] = -0.5 * v, 0.5 * (w * np.eye(3) - crosses(v[None])[0])
    else:
        out[3:, 3:] = np.linalg.pinv(np.asarray(rates_from_euler("rpy_zyx", x[3:]), dtype=float))
    return out
