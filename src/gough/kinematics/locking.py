"""What geometry keeps from moving: velocities that are zero, or another's, at every assembled state.

The platform of a Delta robot never turns, that of a planar robot stays in its plane, the two rods of a parallelogram swing alike.
The closures say so, at the price of solving them. Known beforehand it is structure: columns of u, closures and coordinates leave
the equations. It is read off the free motions at home and around it. Closures are analytic in q, so that what vanishes at general
neighbours vanishes on the whole branch of configurations that home is on; states on others fail `check_locks`.
"""

from dataclasses import replace

import numpy as np

from gough.dynamics.mass_matrix import legs_follow
from gough.kinematics.linkage import Assembly, Linkage
from gough.kinematics.mobility import NEEDED, choose, scaled_closures
from gough.kinematics.selecting import ordered_blocks, pattern_of
from gough.structure import Link, Mechanism
from gough.structure.selection import Relation

NOTHING = 1e-9
"""Part of a free motion, scaled to 1, or of a coordinate, that is rounding."""
MOST = 24
"""Relations beyond which none is used: what must hold for them would be solved for each."""
FAIR_PIVOT = 0.1
"""How large a pivot must be at its worst sample, relative to the largest of its column."""


def lock(linkage: Linkage, assembly: Assembly, mechanism: Mechanism) -> Mechanism | None:
    """The mechanism with what geometry locks as relations in place of closures that say the same; None where nothing is."""
    if mechanism.tolerances or mechanism.couplings or len(assembly.free_motions) <= NEEDED or legs_follow(mechanism):
        return None
    relations = find_relations(mechanism, assembly)
    untold = _untold(mechanism, assembly, {r.column for r in relations if r.of is None})
    relations = tuple(r for r in relations if r.column not in untold)
    if not 0 < len(relations) <= MOST:
        return None
    chosen = mechanism.selection
    G = scaled_closures(linkage, assembly.around)
    pattern = pattern_of(mechanism, linkage.function("closure_rows").program)
    if {r.column for r in relations} <= _cheap(mechanism, pattern, G):
        return None
    moves = _carried(mechanism, relations)
    gone = {r.column for r in relations}
    dependent = [c for c in range(mechanism.layout.nu) if c not in chosen.independent]
    left = [c for c in dependent if c not in gone]
    rows = sorted(row for block in chosen.blocks for row in block.rows)
    needed = choose((G @ moves)[:, rows][:, :, left], list(range(len(rows))), len(left))
    if len(needed) < len(left):
        return None
    kept = sorted(rows[k] for k in needed)
    spare = [row for row in rows if row not in kept]
    constants = find_constants(mechanism, assembly, {r.column for r in relations if r.of is None})
    spared = _elimination(_broken(G, moves, kept, spare, left, relations), spare)
    if spared is None:
        return None
    pattern += [r.columns for r in relations]
    of_relations = range(mechanism.rows, mechanism.rows + len(relations))
    blocks = ordered_blocks(mechanism, pattern, [*kept, *of_relations], dependent)
    selection = replace(
        chosen,
        blocks=blocks,
        removed=tuple(sorted({*chosen.removed, *spare})),
        relations=relations,
        constants=constants,
        spared=spared,
    )
    return replace(mechanism, selection=selection)


def _cheap(mechanism: Mechanism, pattern: list[set[int]], G: np.ndarray) -> set[int]:
    """Velocities that the closures give for next to nothing: zero by their pattern, or by equations with constant numbers."""
    zero: set[int] = set()
    constant: set[int] = set()
    for block in mechanism.selection.blocks:
        rows = list(block.rows)
        if set().union(*(pattern[r] for r in rows)) - set(block.columns) <= zero:
            zero.update(block.columns)
        elif np.ptp(G[:, rows], axis=0).max() < NOTHING:
            constant.update(block.columns)
    return zero | constant


def find_relations(mechanism: Mechanism, assembly: Assembly) -> tuple[Relation, ...]:
    """Of all dependent velocities that are 0 in every free motion, or plus or minus another one of the same unit."""
    motions, own = assembly.free_motions, mechanism.selection.independent
    elastic = set(mechanism.elastic_columns)
    plain = {u: q for link in mechanism.links for q, u in link.plain if not link.dimensions and not link.elastic}
    draw = np.random.default_rng(7).normal(size=motions.shape[2])
    seen = motions @ draw  # (samples, nu): equal velocities look equal, and hardly others
    still = np.abs(motions).max(axis=(0, 2)) < NOTHING
    found: list[Relation] = []
    firsts: dict[tuple[str, int], list[int]] = {}
    for c in [*own, *(c for c in range(mechanism.layout.nu) if c not in own)]:
        if c in elastic:
            continue
        if still[c]:
            found.append(Relation(c))
            continue
        if c not in plain:
            continue
        like = firsts.setdefault((mechanism.layout.u_units[c], round(abs(float(seen[0, c])) * 1e6)), [])
        twin = next((r for a in like if c not in own and (r := _twin(assembly, plain, c, a)) is not None), None)
        if twin is None:
            like.append(c)
        else:
            found.append(twin)
    return tuple(sorted(found, key=lambda r: r.column))


def _twin(assembly: Assembly, plain: dict[int, int], column: int, of: int) -> Relation | None:
    """That a velocity is plus or minus another one, and so is its coordinate but for an offset."""
    motions, q = assembly.free_motions, assembly.around
    for factor in (1.0, -1.0):
        if np.abs(motions[:, column] - factor * motions[:, of]).max() < NOTHING:
            offset = q[:, plain[column]] - factor * q[:, plain[of]]
            if np.ptp(offset) < NOTHING:
                return Relation(column, of, factor, plain[column], plain[of], _snapped(float(offset[0])))
    return None


def find_constants(mechanism: Mechanism, assembly: Assembly, locked: set[int]) -> tuple[tuple[int, float], ...]:
    """(position in q, number) of the coordinates of locked velocities."""
    q, found = assembly.around, []
    for link in mechanism.links:
        places = [place for place, column in link.plain if column in locked]
        if link.spin is not None and any(c in locked for c in range(link.spin.start, link.spin.stop)):
            places += _still_entries(link, assembly, locked)
        found += [(place, _snapped(float(q[0, place]))) for place in places]
    return tuple(sorted(found))


def _untold(mechanism: Mechanism, assembly: Assembly, locked: set[int]) -> set[int]:
    """Locked velocities that do not say where their coordinates are: of a quaternion that turns about one axis alone, as many
    entries must vanish as rates do, or it is a circle of quaternions like any other."""
    out: set[int] = set()
    for link in mechanism.links:
        if link.spin is not None:
            spins = {c for c in range(link.spin.start, link.spin.stop) if c in locked}
            if len(_still_entries(link, assembly, locked)) < len(spins):
                out |= spins
        places = [(place, column) for place, column in link.plain if column in locked]
        out |= {column for place, column in places if np.ptp(assembly.around[:, place]) > NOTHING}
    return out


def _still_entries(link: Link, assembly: Assembly, locked: set[int]) -> list[int]:
    """Positions in q of the entries of a link's quaternion that its locked rates keep where they are."""
    assert link.quaternion is not None and link.spin is not None
    all_ = all(c in locked for c in range(link.spin.start, link.spin.stop))
    q = assembly.around
    return [
        place
        for place in range(link.quaternion.start, link.quaternion.stop)
        if (np.ptp(q[:, place]) if all_ else np.abs(q[:, place]).max()) < NOTHING
    ]


def _snapped(number: float) -> float:
    """0, 1 and -1 where a number is that to rounding: equations become shorter."""
    near = float(np.round(number))
    return near if abs(near) <= 1.0 and abs(number - near) < NOTHING else number


def _carried(mechanism: Mechanism, relations: tuple[Relation, ...]) -> np.ndarray:
    """(nu, nu): the velocities that follow from each one by the relations, in its column; scales of twins are alike."""
    moves = np.eye(mechanism.layout.nu)
    for r in relations:
        if r.of is not None:
            moves[r.column, r.of] = r.factor
    return moves


def _broken(
    G: np.ndarray,
    moves: np.ndarray,
    kept: list[int],
    spare: list[int],
    left: list[int],
    relations: tuple[Relation, ...],
) -> np.ndarray:
    """(samples, spare closures, relations): rates of the spare closures in motions that break one relation each by 1 and keep
    the kept closures."""
    columns = [r.column for r in relations]
    along = (G @ moves)[:, :, left]
    follow = -np.linalg.solve(along[:, kept], G[:, kept][:, :, columns])
    return G[:, spare][:, :, columns] + along[:, spare] @ follow


def _elimination(matrix: np.ndarray, spare: list[int]) -> tuple[tuple[int, int], ...] | None:
    """(closure row, relation) pivot by pivot for matrices (samples, n, n): of those that are large at every sample the one with
    the fewest neighbours; None where there is none."""
    a, (n, m) = matrix.copy(), matrix.shape[1:]
    if n != m:
        return None
    rows, columns, out = list(range(n)), list(range(n)), []
    smallest = NOTHING * np.abs(a).max(axis=(1, 2))
    while rows:
        b = np.abs(a[:, rows][:, :, columns])
        there = (b > smallest[:, None, None]).any(axis=0)
        worst = (b / np.maximum(b.max(axis=1, keepdims=True), 1e-300)).min(axis=0)
        fair = (worst >= FAIR_PIVOT) & (b.min(axis=0) > smallest.max())
        if not fair.any():
            return None
        cost = np.outer(there.sum(axis=1) - 1, there.sum(axis=0) - 1) - 0.5 * worst
        i, j = np.unravel_index(np.where(fair, cost, np.inf).argmin(), cost.shape)
        row, column = rows.pop(i), columns.pop(j)
        out.append((spare[row], column))
        share = a[:, rows, column] / a[:, [row], column]
        a[:, rows] -= share[:, :, None] * a[:, [row]]
    return tuple(out)
