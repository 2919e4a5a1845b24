"""How a mechanism can move: its mobility by rank, redundant closures, and a choice of independent velocities.

Ranks are taken at home and at assembled neighbours; if they differ, the home is singular and nothing is concluded.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from gough.errors import StructureError
from gough.kinematics.closing import (
    CLOSED,
    REACH,
    close,
    least_motion,
    row_scales,
    slack,
)
from gough.kinematics.linkage import Linkage, loosen
from gough.kinematics.openings import Opening, openings
from gough.kinematics.retraction import coordinate_sizes, in_lengths, retract, step_units
from gough.kinematics.tilted_axes import TiltedAxes, say_odd_axes, worst_tilt
from gough.structure.size import OF_DIRECTIONS

NEIGHBOURS = 8
APART = 10.0
"""By how much motions that the closures hold are held better than those which only a misfit holds."""
STAYED = 0.7
"""Part of its way from home that a fitted neighbour keeps."""
NEEDED = 5
"""Assembled neighbours that must confirm the rank at home."""
RANK_TOLERANCE = 1e-7
FITS = 1e-8
"""Opening, over the robot's size, that is no misfit but what an iteration leaves near a singular place."""
NOTHING = 1e-12
"""A scaled closure row no larger than this closes nothing."""
THRESHOLDS = (0.2, 0.05, 0.01, 1e-3, 1e-4)
"""How independent a row or velocity must be to be taken, tried in turn; relative to the largest."""


OTHER_HOME = "Give another home."


class SingularHomeError(StructureError):
    """The closures have another rank at home than around it: no robot can be told from there."""


@dataclass(frozen=True)
class SampledClosures:
    """Scaled closures G (n, rows, nu) at home and neighbours, with their common rank and null spaces (n, nu, mobility)."""

    q: np.ndarray
    G: np.ndarray
    rank: int
    null: np.ndarray


def sample(linkage: Linkage, home: np.ndarray, start: Callable[[], np.ndarray]) -> SampledClosures:
    """Closures at home (nq,) and at neighbours reached along its free motions; refuses a home whose rank is not theirs.

    start: makes the q (nq,) from which home was assembled.
    """
    mechanism = linkage.structure
    nu = mechanism.layout.nu
    if not mechanism.rows:
        G = np.zeros((1, 0, nu))
        return SampledClosures(home[None], G, 0, np.eye(nu)[None])
    here = scaled_closures(linkage, home[None])
    least = least_motion(linkage)
    rank, null = null_space(here[0], least)
    if null.shape[1] == 0:
        coupled = f" or a coupling ({', '.join(c.name for c in mechanism.couplings)})" if mechanism.couplings else ""
        raise StructureError(
            f"{mechanism.name}: nothing can move: {nu} joint freedoms, {mechanism.rows} closure equations of rank "
            f"{rank}{say_odd_axes(linkage, home)}. "
            f"{nearly_movable(linkage, home, start) or f'Remove a loop{coupled}, or replace a joint by one with more freedoms.'}"
        )
    q = neighbours(linkage, home, null)
    if len(q) < NEEDED:
        raise SingularHomeError(
            f"{mechanism.name}: home has {null.shape[1]} freedoms to first order, but only {len(q)} of {NEIGHBOURS} "
            f"neighbours along them can be assembled: home is singular or the mechanism is shaky. "
            f"{nearly_movable(linkage, home, start) or OTHER_HOME}"
        )
    G = np.concatenate([here, scaled_closures(linkage, q)])
    around = [null_space(g, least) for g in G[1:]]
    found = {r for r, _ in around}
    if found != {rank}:
        raise SingularHomeError(
            f"{mechanism.name}: home is singular: the closures have rank {rank} there and {sorted(found)} "
            f"nearby ({nu - rank} freedoms at home, {nu - max(found)} nearby). "
            f"{nearly_movable(linkage, home, start) or OTHER_HOME}"
        )
    return SampledClosures(np.concatenate([home[None], q]), G, rank, np.stack([null, *(n for _, n in around)]))


def kept_rows(samples: SampledClosures) -> list[int]:
    """Closure rows that are independent at every sample, as many as the rank; the first ones where there is a choice."""
    acting = np.flatnonzero((np.abs(samples.G).max(axis=2, initial=0.0) > NOTHING).any(axis=0)).tolist()
    return acting if samples.rank == len(acting) else sorted(choose(samples.G, acting, samples.rank))


def regularity(linkage: Linkage, q: np.ndarray) -> float:
    """How far q (nq,) is from being singular: the smallest of the singular values of the closures that count, over the largest,
    and of the drives' rates in the free motions. 0 where the closures have another rank than around q.
    """
    least = least_motion(linkage)
    G = scaled_closures(linkage, q[None])[0]
    rank, null = null_space(G, least)
    around = neighbours(linkage, q, null) if null.shape[1] else q[None, :0]
    if len(around) < NEEDED or any(null_space(g, least)[0] != rank for g in scaled_closures(linkage, around)):
        return 0.0
    s = np.linalg.svd(G, compute_uv=False)
    drives = [linkage.structure.links[d.link].u for d in linkage.structure.drives]
    moved = np.linalg.svd(null[drives], compute_uv=False) if drives else np.ones(1)
    return float(min(s[rank - 1] / s[0] if rank else 1.0, moved[-1]))


def nearly_movable(linkage: Linkage, home: np.ndarray, start: Callable[[], np.ndarray]) -> str:
    """What moves if loops may stay a little open, which of them do and by how much, and the remedy; "" where nothing does.

    Over-constrained loops whose lengths are not quite alike are locked by nothing else.
    """
    rank, _ = null_space(scaled_closures(linkage, home[None])[0])
    if rank == linkage.structure.rows and worst_tilt(linkage, home) is None:
        return (
            ""  # as many equations as they hold: none of them is one too many, but where axes were meant to be parallel
        )
    begin = np.stack([start(), home])  # from where it was assembled, which may be folded, and from where it fits
    for share in (1e-6, 1e-5, 1e-4, 1e-3, 1e-2):
        if share <= slack(linkage):
            continue
        loose = loosen(linkage, share)
        q, error = close(loose, begin, linkage.parameters[None])
        if not (error < CLOSED).any():
            continue
        q = q[error < CLOSED][:1]
        G = scaled_closures(loose, q)[0]
        if not np.isfinite(G).all():
            continue
        rank, null = null_space(G, least_motion(loose))
        held = np.append(np.linalg.svd(G, compute_uv=False), 0.0)
        if 0 < rank < len(held) and held[rank - 1] < APART * held[rank]:
            continue  # held weakly, not by what does not fit
        around = neighbours(loose, q[0], null) if null.shape[1] else q[:0]
        if len(around) >= NEEDED:
            worst: dict[str, Opening] = {}
            there = [openings(linkage, x) for x in (q[0], *around)]
            for opening in (o for found in there for o in found):
                name = opening.cut.name
                worst[name] = max(worst.get(name, opening), opening, key=lambda o: o.error)
            largest = sorted(worst.values(), key=lambda o: -o.error)
            if np.median([max(o.error for o in found) for found in there]) < FITS:
                return ""  # they fit, but for what an iteration leaves at some: it is the place that is singular
            told = "; ".join(f"{o.cut.name} stays {o.text}" for o in largest[:3] if o.error > 0.1 * largest[0].error)
            tilt = worst_tilt(linkage, q[0])
            if allowed_length(largest, tilt) <= slack(linkage) * linkage.structure.length:
                return ""  # it is allowed already, and more
            return (
                f"With loops a little open it has {null.shape[1]} freedom{'s' * (null.shape[1] > 1)}: {told}"
                f"{f' ({tilt})' if tilt else ''}. Make their lengths and directions fit, or allow it: "
                f"{allowance(largest, tilt)}."
            )
    return ""


def allowance(left_open: Sequence[Opening], tilt: TiltedAxes | None = None) -> str:
    """A closure tolerance that allows these, as descriptions, calls and commands say it; see `allowed_length`."""
    metres = allowed_length(left_open, tilt)
    return (
        f"`closure_tolerance: {1e3 * metres:.4g} mm` (of another program's file `--closure-tolerance {metres:.4g}`, "
        f"`gough.load(…, closure_tolerance={metres:.4g})`)"
    )


def allowed_length(left_open: Sequence[Opening], tilt: TiltedAxes | None = None) -> float:
    """A closure tolerance (m) of one digit that allows these, twice over.

    tilt: of axes that were meant to be parallel; what they leave open elsewhere, by as much as twice that angle across the robot,
    is allowed too.
    """
    most = max(max(o.gap, o.angle * OF_DIRECTIONS * o.size) for o in left_open)
    need = 2e3 * max(most, 0.0 if tilt is None else 2.0 * tilt.angle * left_open[0].size)
    digit = 10.0 ** np.floor(np.log10(max(need, 1e-9)))
    return float(1e-3 * np.ceil(need / digit) * digit)


def scaled_closures(linkage: Linkage, q: np.ndarray, parameters: np.ndarray | None = None) -> np.ndarray:
    """G (n, rows, nu) with lengths over the robot's size."""
    numbers = linkage.parameters if parameters is None else parameters
    G = linkage.function("closure_rows").values(q=q, parameters=numbers)["G"]
    return G / row_scales(linkage)[:, None] * step_units(linkage.structure, linkage.structure.length)


def neighbours(
    linkage: Linkage, home: np.ndarray, null: np.ndarray, count: int = NEIGHBOURS, reach: float = REACH
) -> np.ndarray:
    """Assembled configurations (up to count, nq) around home (nq,), along its free motions `null` (nu, mobility).

    Steps are drawn in all velocities and projected: the free motions are the same on every processor, a basis of them is not.
    """
    rng = np.random.default_rng(20140612)
    steps = rng.normal(size=(count, len(null))) @ null @ null.T
    sizes = np.abs(in_lengths(linkage.structure, steps[:, :, None])[:, :, 0])
    steps *= reach / np.maximum(sizes.max(axis=1, keepdims=True), 1e-300)
    unit = step_units(linkage.structure, linkage.structure.length)
    start = retract(linkage.structure, np.repeat(home[None], count, axis=0), steps * unit)
    q, error = close(linkage, start, linkage.parameters[None])
    moved = (np.abs(q - home) / coordinate_sizes(linkage.structure, linkage.structure.length)).max(
        axis=1
    ) > 1e-3 * reach
    if linkage.structure.tolerances:  # what slides back to where the loops fit is no neighbour
        moved = np.linalg.norm(q - home, axis=1) > STAYED * np.linalg.norm(start - home, axis=1)
    return q[(error < CLOSED) & moved]


def null_space(G: np.ndarray, least: float = 0.0) -> tuple[int, np.ndarray]:
    """(rank, orthonormal basis (nu, mobility) of the motions that keep the loops closed) of scaled closures (rows, nu).

    least: closures that hold a motion by less do not count (`least_motion`).
    """
    acting = G[np.abs(G).max(axis=1, initial=0.0) > NOTHING]  # planar loops in space owe many rows of nothing
    if not len(acting):
        return 0, np.eye(G.shape[1])
    _, s, vt = np.linalg.svd(acting, full_matrices=True)
    rank = int((s > max(RANK_TOLERANCE * s[0], least)).sum())
    return rank, vt[rank:].T


def choose(
    vectors: np.ndarray,
    order: list[int],
    count: int,
    thresholds: tuple[float, ...] = THRESHOLDS,
    first: Sequence[int] = (),
) -> list[int]:
    """The first `count` of the vectors (samples, n, k), tried in `order` after `first`, independent at every sample.

    A vector is taken when what is left of it beside those taken before is not small at any sample.
    """
    sizes = np.linalg.norm(vectors, axis=2)  # (samples, n)
    largest = sizes.max(axis=1)
    before = set(first)
    order = [j for j in order if j not in before and (sizes[:, j] > thresholds[-1] * largest).all()]
    if _unit_rows(vectors):  # no closures: every velocity is independent of all others
        return [*first, *order][: max(count, len(first))]
    left = np.zeros_like(vectors)
    left[:, [*first, *order]] = vectors[:, [*first, *order]]
    taken: list[int] = []
    open_ = np.zeros(vectors.shape[1], dtype=bool)
    open_[[*first, *order]] = True

    def take(j: int, norm: np.ndarray) -> None:
        taken.append(j)
        open_[j] = False
        e = left[:, j] / norm[:, None]
        rest = np.flatnonzero(open_)
        along = np.einsum("snk,sk->sn", left[:, rest], e)
        left[:, rest] -= along[:, :, None] * e[:, None, :]

    for j in first:
        take(j, np.linalg.norm(left[:, j], axis=1))
    for threshold in thresholds:
        for j in order:
            if len(taken) == count:
                return taken
            if not open_[j]:
                continue
            norm = np.linalg.norm(left[:, j], axis=1)
            if (norm > threshold * largest).all():
                take(j, norm)
    return taken


def _unit_rows(vectors: np.ndarray) -> bool:
    """Whether the vectors (samples, n, k) are the unit vectors in order."""
    _, n, k = vectors.shape
    return n == k and bool((vectors == np.eye(n)).all())
