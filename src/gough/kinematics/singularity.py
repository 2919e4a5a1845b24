"""Distance to singularities, serial and parallel told apart, with a stated characteristic length."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gough.kinematics.linkage import LedLinkage
from gough.kinematics.retraction import lengths_per_rate, pitch_of
from gough.program.ops import Op
from gough.structure import LinearClosure, Mechanism, Structure
from gough.text import short_repr

ALONG = 1e-6
"""Part of a screw's pitch by which a motion may be more than its slide alone."""


@dataclass(frozen=True)
class Singularity:
    """Distance to singularities, each (...).

    parallel: reciprocal condition number of the drive map S (moments over the characteristic length), without velocities
    that no drive can ever feel (idle spins); 0: the drives cannot hold the robot (with v = drives: where a loop lets go).
    serial (..., loops): the same of the closures of each leg or loop; 0: it is folded.
    inverse: the same of what inverse dynamics solves, S of a rigid robot, S_r - M_re M_ee⁻¹ S_e of a flexible one (r: rigid
    velocities, e: elastic): 0: no drive forces give the wanted acceleration. inverse_ratio: its determinant over that of S_r,
    which is det M_z / det M_ee, M_z = M_ee - S_e S_r⁻¹ M_re the inertia of the zero dynamics: it changes sign
    on surfaces where S_r is regular.
    manipulability: |det| of the scaled S. length: the characteristic length (m). serial_names: of the legs and loops.
    scaled_map (..., nv, drives), units (nv): S as it was measured, and what its rows were divided by.
    """

    parallel: np.ndarray
    serial: np.ndarray
    inverse: np.ndarray
    inverse_ratio: np.ndarray
    manipulability: np.ndarray
    length: float
    serial_names: tuple[str, ...]
    scaled_map: np.ndarray = field(repr=False)
    units: np.ndarray = field(repr=False)

    @property
    def lost(self) -> np.ndarray:
        """The motion v (..., nv), of unit length, that the drives resist least."""
        S = self.scaled_map
        if 0 in S.shape[-2:]:
            return np.full(S.shape[:-1], np.nan)
        finite = np.asarray(np.isfinite(S).all(axis=(-2, -1)))
        u, _, _ = np.linalg.svd(np.where(finite[..., None, None], S, 0.0), full_matrices=True)
        lost = u[..., :, -1] / self.units
        return np.where(finite[..., None], lost / np.linalg.norm(lost, axis=-1, keepdims=True), np.nan)

    __repr__ = short_repr


def singularity(linkage: LedLinkage, q: Any, parameters: np.ndarray, length: float | None) -> Singularity:
    """Measures at q (..., nq). Columns of S with moments divided by `length` (default: the robot's size), rotary drives
    by it too, so that all entries are forces per force; the closures' blocks are scaled alike."""
    scale = linkage.size if length is None else float(length)
    n = linkage.layout.mobility
    maps = scaled_maps(linkage, q, parameters, scale)
    S, felt, whole = maps.S, maps.felt, maps.whole
    parallel, serial = maps.conditions(_reciprocal)
    finite = np.asarray(np.isfinite(S).all(axis=(-2, -1)))
    clean = np.where(finite[..., None, None], felt, 0.0)
    square = felt.shape[-1] == felt.shape[-2]
    det = np.abs(np.linalg.det(clean)) if square else np.full(finite.shape, np.nan)
    batch = S.shape[:-2]
    inverse, ratio = parallel, np.where(finite, 1.0, np.nan) if square else np.full(finite.shape, np.nan)
    if linkage.layout.nv > n:
        M = linkage.function("mass_matrix")(q=q, parameters=parameters).outputs["M"]
        moving = linkage.mechanism.moving
        rows, columns = drive_map_scales(linkage, scale)
        solved = inverse_map(M[..., moving, :][..., moving], whole[..., moving, :], n) / rows[:, None] * columns
        solved = solved[..., driven_rows(linkage), :]
        inverse, ratio = _reciprocal(solved), _ratio(solved, felt) if square else ratio
    return Singularity(
        parallel,
        np.stack(serial, axis=-1) if serial else np.ones((*batch, 0)),
        inverse,
        ratio,
        np.where(finite, det, np.nan),
        scale,
        maps.loop_names,
        S,
        lengths_per_rate(linkage.mechanism, scale)[list(linkage.mechanism.selection.independent)][:n],
    )


@dataclass(frozen=True)
class ScaledMaps:
    """What distances to singularities are measured on, at states (...), in plain numbers.

    whole (..., nv, drives): the drive map as it is. S (..., mobility, drives): scaled; felt: its rows that some drive feels.
    loops: matrices (..., k, k) of `block_matrices`, of loop_names. by_drives: whether v are the rates of the drives.
    """

    whole: np.ndarray
    S: np.ndarray
    felt: np.ndarray
    loop_names: tuple[str, ...]
    loops: list[np.ndarray]
    by_drives: bool

    def conditions(self, reciprocal: Callable[[np.ndarray], np.ndarray]) -> tuple[np.ndarray, list[np.ndarray]]:
        """(parallel (...), serial [(...)] of the loops) by a function for reciprocal conditions (...) of matrices (..., k, n).

        With v = drives S is the identity, and locked drives hold nothing where a loop is folded: parallel is the lowest there.
        """
        serial, parallel = [reciprocal(a) for a in self.loops], reciprocal(self.felt)
        return (np.minimum(parallel, np.min(serial, axis=0)) if self.by_drives and serial else parallel), serial


def scaled_maps(linkage: LedLinkage, q: Any, parameters: np.ndarray, scale: float) -> ScaledMaps:
    """The scaled drive map and matrices of the loops at q (..., nq); scale: the characteristic length (m)."""
    n = linkage.layout.mobility
    drives = [linkage.mechanism.links[d.link].u for d in linkage.mechanism.drives]
    own = drives == list(linkage.mechanism.selection.independent)
    whole = _unit_map(q, n) if own and not linkage.mechanism.rows else None
    if whole is None:
        whole = linkage.function("drive_map")(q=q, parameters=parameters).outputs["S"]
    rows, columns = drive_map_scales(linkage, scale)
    S = whole[..., :n, :] / rows[:, None] * columns
    names, loops = block_matrices(linkage, q, parameters, scale)
    return ScaledMaps(whole, S, S[..., driven_rows(linkage), :], names, loops, own)


def drive_map_scales(linkage: LedLinkage, scale: float) -> tuple[np.ndarray, np.ndarray]:
    """What rows (mobility,) of the drive map are divided by and columns (drives,) are multiplied by, so that all entries are
    forces per force; scale: the characteristic length."""
    layout, lengths = linkage.layout, lengths_per_rate(linkage.mechanism, scale)
    own = lengths[list(linkage.mechanism.selection.independent)][: layout.mobility]
    of_drives = lengths[[linkage.mechanism.links[d.link].u for d in linkage.mechanism.drives]]
    turning = np.array([unit == "rad/s" for unit in layout.v_units[: layout.mobility]], dtype=bool)
    rotary = np.array([unit == "N m" for unit in layout.drive_units], dtype=bool)
    return np.where(turning, own, 1.0), np.where(rotary, of_drives, 1.0)


def _unit_map(q: Any, n: int) -> np.ndarray:
    """S (..., n, n) of a tree whose velocities are its drives; NaN where q is not finite."""
    x = np.asarray(q, dtype=float)
    finite = np.asarray(np.isfinite(x).all(axis=-1))
    return np.where(finite[..., None, None], np.eye(n), np.nan)


def driven_rows(linkage: LedLinkage) -> list[int]:
    """Entries of v that some drive feels. Others are idle by structure (a rod spinning between two balls): no pose makes
    the drives hold them, and they say nothing about the distance to a singularity."""

    if len(linkage.mechanism.drives) >= linkage.mobility:
        return list(range(linkage.mobility))

    def found() -> list[int]:
        program, drives = linkage.function("drive_map").program, len(linkage.mechanism.drives)
        zero = [program.ops[i] == Op.CONST and float(program.args[i][0]) == 0.0 for i in program.results]
        rows = [k for k in range(linkage.mobility) if not all(zero[k * drives : (k + 1) * drives])]
        return rows if drives and rows else list(range(linkage.mobility))

    return linkage.cached("driven rows", found)


def inverse_map(M: np.ndarray, S: np.ndarray, rigid: int) -> np.ndarray:
    """S_r - M_re M_ee⁻¹ S_e (..., rigid, drives): what a flexible robot's inverse dynamics solves, J_sys⁻ᵀ
    [Long 2014, eq. 48]; NaN where M is not positive definite."""
    M_ee = M[..., rigid:, rigid:]
    size = np.sqrt(np.abs(np.einsum("...kk->...k", M_ee)))
    even = M_ee / (size[..., :, None] * size[..., None, :])
    good = np.isfinite(even).all(axis=(-2, -1))
    even = np.where(good[..., None, None], even, np.eye(M_ee.shape[-1]))
    felt = np.linalg.solve(even, S[..., rigid:, :] / size[..., None]) / size[..., None]
    return np.where(good[..., None, None], S[..., :rigid, :] - M[..., :rigid, rigid:] @ felt, np.nan)


def driven_condition(linkage: LedLinkage, names: Sequence[str], driven: np.ndarray) -> np.ndarray:
    """Condition number (...) of matrices (..., k, drives) that drive forces for prescribed accelerations of velocities `names`
    are solved from; lengths over the robot's size. Infinite where singular, NaN where not finite."""
    layout, size = linkage.layout, linkage.size
    turning = np.array([layout.u_units[layout.u_names.index(name)] == "rad/s" for name in names])
    rotary = np.array([unit == "N m" for unit in layout.drive_units])
    scaled = driven / np.where(turning, size, 1.0)[:, None] * np.where(rotary, size, 1.0)
    least = _reciprocal(scaled)
    with np.errstate(divide="ignore"):
        return 1.0 / least


def _ratio(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """det a / det b of matrices (..., n, n); NaN where one is not finite."""
    finite = np.asarray(np.isfinite(a).all(axis=(-2, -1)) & np.isfinite(b).all(axis=(-2, -1)))
    (sign_a, log_a), (sign_b, log_b) = (np.linalg.slogdet(np.where(finite[..., None, None], x, 0.0)) for x in (a, b))
    with np.errstate(invalid="ignore", over="ignore"):
        return np.where(finite, sign_a * sign_b * np.exp(log_a - log_b), np.nan)


def block_matrices(
    linkage: LedLinkage, q: Any, parameters: np.ndarray, scale: float
) -> tuple[tuple[str, ...], list[np.ndarray]]:
    """(loops, scaled matrices (..., k, k)) that the dependent velocities follow from; a leg's blocks together."""

    def scales() -> dict[str, BlockScales]:
        return _block_scales(linkage.mechanism, scale)

    groups: dict[str, BlockScales] = linkage.cached("loop groups", scales) if scale == linkage.size else scales()
    found = linkage.function("loop_matrices")(q=q, parameters=parameters).outputs
    out = []
    for k, group in enumerate(groups.values()):
        J = found[f"J{k}"] * group.per_column * group.per_row
        out.append(_even_screws(linkage.mechanism, group.columns, J, scale) if group.screws else J)
    return tuple(groups), out


@dataclass(frozen=True)
class BlockScales:
    """What a loop's matrix is scaled by: per_column (k,), per_row (k, 1). columns: tree velocities; screws: whether some of them
    turn and slide."""

    columns: list[int]
    per_column: np.ndarray
    per_row: np.ndarray
    screws: bool


def _block_scales(mechanism: Mechanism, scale: float) -> dict[str, BlockScales]:
    out = {}
    lengths = [power for cut in mechanism.cuts for power in cut.row_lengths]
    couplings = {c.row: c for c in mechanism.couplings}
    per_rate = lengths_per_rate(mechanism, scale)
    screws = {link.u for link in mechanism.links if link.nu == 1 and pitch_of(mechanism, link)}
    for name, (rows, columns) in mechanism.loop_groups.items():
        row = np.array(
            [
                _row_scale(mechanism, c, columns, per_rate) if (c := couplings.get(r)) else 1.0 if lengths[r] else scale
                for r in rows
            ]
        )
        out[name] = BlockScales(columns, 1.0 / per_rate[columns], row[:, None], not screws.isdisjoint(columns))
    return out


def _row_scale(mechanism: Mechanism, coupling: LinearClosure, columns: list[int], per_rate: np.ndarray) -> float:
    """What makes the largest entry of a coupling in these columns 1: its ratio is no distance to a singularity."""
    values = mechanism.table.values
    entries = [abs(t.coefficient(values)) / per_rate[t.u] for t in coupling.terms if t.u in columns]
    return 1.0 / max(entries)


def block_scales(mechanism: Mechanism, scale: float) -> list[tuple[np.ndarray, np.ndarray]]:
    """(of rows (k, 1), of columns (k,)): what the entries of each group's matrix are multiplied with to be plain numbers."""
    return [(group.per_row, group.per_column) for group in _block_scales(mechanism, scale).values()]


def has_even_screws(mechanism: Mechanism, scale: float) -> bool:
    """Whether a loop has a screw that is measured by what it does, not by constant numbers (see `block_matrices`)."""
    links = {link.u: link for link in mechanism.links if link.nu == 1}
    columns = [c for _, own in mechanism.loop_groups.values() for c in own if c in links]
    return any(0.0 < pitch_of(mechanism, links[c]) / scale < 1.0 for c in columns)


def _even_screws(mechanism: Structure, columns: list[int], J: np.ndarray, scale: float) -> np.ndarray:
    """A loop's scaled matrix (..., k, k) with its screws measured by what they do to its rows: by their pitch where they only
    slide, or where a hinge of the loop turns back what they turn."""
    links = {link.u: link for link in mechanism.links if link.nu == 1}
    hinges = [k for k, c in enumerate(columns) if c in links and links[c].motion.periodic]
    for k, c in enumerate(columns):
        share = pitch_of(mechanism, links[c]) / scale if c in links else 0.0
        if not 0.0 < share < 1.0:
            continue
        J = J.copy()
        for j, sign in ((j, sign) for j in hinges for sign in (1.0, -1.0)):
            slid = J[..., k] + sign * J[..., j]
            if np.nan_to_num(np.linalg.norm(slid, axis=-1)).max(initial=0.0) <= share * (1.0 + ALONG):
                J[..., k] = slid
                break
        J[..., k] /= np.maximum(np.linalg.norm(J[..., k], axis=-1, keepdims=True), share)
    return J


def _reciprocal(a: np.ndarray) -> np.ndarray:
    """Smallest over largest singular value (...) of matrices (..., rows, columns), of the row space; of a single row the length,
    at most 1. NaN where a is not finite, 0 where there are fewer columns than rows."""
    finite = np.asarray(np.isfinite(a).all(axis=(-2, -1)))
    rows, columns = a.shape[-2:]
    if 0 in (rows, columns):
        return np.full(finite.shape, 0.0 if rows else 1.0)
    s = np.linalg.svd(np.where(finite[..., None, None], a, 0.0), compute_uv=False)
    largest = np.where(s[..., 0] > 0, s[..., 0], 1.0)
    if s.shape[-1] == 1:  # nothing to compare with: entries are of order one by their scaling
        largest = np.maximum(largest, 1.0)
    smallest = s[..., -1] if columns >= rows else np.zeros_like(largest)
    return np.where(finite, smallest / largest, np.nan)
