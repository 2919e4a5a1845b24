"""Which parameters must stay as they are, or keep their ratios, for other designs to lock the same velocities.

Parameters that no closure reads may be anything. Those of one size are scaled together in random designs; where these assemble,
and lock what home locks where it does, designs whose parameters are tied like that do so too, by the argument of `locking`. Ties
that are not needed are loosed: all of one size, or those between legs. What may not even be scaled like that is held.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from gough.kinematics.closing import CLOSED, close
from gough.kinematics.linkage import Assembly, Linkage
from gough.kinematics.mobility import null_space, scaled_closures
from gough.program.ops import Op
from gough.structure import Mechanism

ALIKE = 1e-13
"""Difference of tied parameters, relative, that is rounding."""
DESIGNS, STARTS = 2, 3
"""Random designs that every set of ties is tried on, and states of each."""
SPREAD = 0.03
"""How far random designs are from the robot's own, relative."""
LOCKED = 1e-7
"""Velocity or coordinate of another design that counts as locked; one that is not is of the order of the spread."""

Group = tuple[int, ...]


@dataclass(frozen=True)
class DesignTies:
    """groups: parameters that must keep their ratios to the first of them; fixed: those that must not change at all. own (n,):
    the design they are of."""

    groups: tuple[Group, ...]
    fixed: Group
    own: np.ndarray

    def keep(self, designs: np.ndarray) -> bool:
        """Whether designs (n, size) all have them."""
        fixed = list(self.fixed)
        if not (designs[:, fixed] == self.own[fixed]).all():
            return False
        for first, *others in self.groups:
            exact = designs[:, [first]] / self.own[first] * self.own[others]
            if not (np.abs(designs[:, others] - exact) <= ALIKE * np.abs(exact)).all():
                return False
        return True


def find_ties(linkage: Linkage, assembly: Assembly, locked: Mechanism) -> DesignTies:
    """What other designs must have in common with this one to lock what it does. locked: see `locking.lock`."""
    own = np.asarray(linkage.parameters, dtype=float)
    program = linkage.function("closure_rows").program
    first = program.input_offset("parameters")
    read = {args[0] - first for op, args in zip(program.ops, program.args, strict=True) if op == Op.INPUT}
    zero = tuple(sorted(i for i in read if i >= 0 and own[i] == 0.0))  # inputs although they are 0: no ratio is kept
    read = sorted(i for i in read if i >= 0 and own[i] != 0.0)
    groups = _equal_sizes(own, read)
    may_change = _lock(linkage, assembly, locked, [[group] for group in groups])
    held = [i for group, good in zip(groups, may_change, strict=True) if not good for i in group]
    chosen: list[list[Group]] = [[group] for group, good in zip(groups, may_change, strict=True) if good]
    part = [name.partition(".")[0] for name in linkage.structure.table.names]
    for finer in (_apart, partial(_split, part)):
        together = [k for k, tied in enumerate(chosen) if len(tied) == 1 and len(tied[0]) > 1]
        alone = _lock(linkage, assembly, locked, [finer(chosen[k][0]) for k in together])
        for k in (k for k, good in zip(together, alone, strict=True) if good):
            chosen[k] = finer(chosen[k][0])
    tied = [group for groups in chosen for group in groups]
    if not _lock(linkage, assembly, locked, [tied])[0]:
        return DesignTies((), (*zero, *read), own)
    return DesignTies(tuple(group for group in tied if len(group) > 1), (*zero, *held), own)


def _equal_sizes(own: np.ndarray, places: Sequence[int]) -> list[Group]:
    """Parameters grouped by their sizes."""
    groups: list[list[int]] = []
    for i in sorted(places, key=lambda i: abs(own[i])):
        if groups and abs(own[i]) - abs(own[groups[-1][0]]) <= ALIKE * abs(own[i]):
            groups[-1].append(i)
        else:
            groups.append([i])
    return [tuple(sorted(g)) for g in groups]


def _apart(group: Group) -> list[Group]:
    return [(i,) for i in group]


def _split(part: list[str], group: Group) -> list[Group]:
    """By the parts of the robot that parameters belong to."""
    return [tuple(i for i in group if part[i] == p) for p in dict.fromkeys(part[i] for i in group)]


def _lock(linkage: Linkage, assembly: Assembly, locked: Mechanism, cases: Iterable[Iterable[Group]]) -> list[bool]:
    """For each set of ties whether random designs that have them lock the same; all at once."""
    cases = [list(groups) for groups in cases]
    if not cases:
        return []
    rng, own = np.random.default_rng(11), np.asarray(linkage.parameters, dtype=float)
    designs = np.repeat(own[None], len(cases) * DESIGNS, axis=0)
    for k, groups in enumerate(cases):
        for group in groups:
            scale = 1.0 + SPREAD * rng.uniform(-1, 1, DESIGNS)
            designs[np.ix_(range(k * DESIGNS, (k + 1) * DESIGNS), group)] *= scale[:, None]
    parameters = np.repeat(designs, STARTS, axis=0)
    starts = np.tile(assembly.around[:STARTS], (len(designs), 1))
    q, error = close(linkage, starts, parameters)
    G = scaled_closures(linkage, q, parameters)
    good = (error < CLOSED) & np.isfinite(G).all(axis=(1, 2))
    for k in np.flatnonzero(good):
        good[k] = _is_locked(locked, assembly.mobility, null_space(G[k])[1], q[k])
    return [bool(of_case.all()) for of_case in good.reshape(len(cases), -1)]


def _is_locked(locked: Mechanism, mobility: int, motions: np.ndarray, q: np.ndarray) -> bool:
    """Whether all relations and constants hold at q (nq,) with free motions (nu, mobility)."""
    if motions.shape[1] != mobility:
        return False
    chosen = locked.selection
    off = [q[place] - number for place, number in chosen.constants]
    for r in chosen.relations:
        of = 0.0 if r.of is None else r.factor * motions[r.of]
        off.append(np.abs(motions[r.column] - of).max())
    off += [q[r.coordinate] - r.factor * q[r.twin] - r.offset for r in chosen.twins]
    return bool(np.abs(off).max() < LOCKED)
