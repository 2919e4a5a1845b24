"""From samples of the closures to the selection: independent velocities, kept closures, order of the blocks."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from gough.errors import StructureError
from gough.kinematics._forward_choice import prefers_tree, without_inertia
from gough.kinematics.closing import CLOSED, row_scales
from gough.kinematics.linkage import Assembly, Linkage
from gough.kinematics.mobility import choose
from gough.kinematics.retraction import in_lengths
from gough.program import Program
from gough.program.ops import Op
from gough.structure import Block, Mechanism, Selection, Structure
from gough.structure.selection import block_order, perfect_matching

STILL = 1e-7
"""Motion of what is to stand still, of the largest, that is none."""
LEAST, ABOUT = 1e-4, 0.7
"""Part of an idle motion that a velocity must have to tell it, and part of the best that is about as good."""


def select(
    linkage: Linkage, assembly: Assembly, wanted: str | Sequence[str] | None, idle_rates: Sequence[str] = ()
) -> Mechanism:
    """The mechanism led by the velocities that are wanted: "platform", "drives", "any", names of rates, or None for the usual
    ones. idle_rates: names of rates that are stated to be idle."""
    structure, rows = linkage.structure, list(assembly.closures)
    independent, idle = independent_columns(structure, assembly.free_motions, wanted, idle_rates)
    removed = tuple(sorted(set(range(structure.rows)) - set(rows)))
    dependent = [c for c in range(structure.layout.nu) if c not in independent]
    blocks = ordered_blocks(structure, pattern_of(structure, linkage.function("closure_rows").program), rows, dependent)
    offsets = fitted_offsets(linkage, assembly.home, removed)
    selection = Selection(tuple(independent), blocks, removed, offsets=offsets, idle=tuple(idle))
    mechanism = structure.with_selection(selection)
    if prefers_tree(mechanism, linkage.parameters, assembly.home):
        return replace(mechanism, selection=replace(selection, solves_tree=True))
    slack = without_inertia(mechanism, linkage.parameters, assembly.around)
    return replace(mechanism, selection=replace(selection, without_inertia=slack)) if slack else mechanism


def reselected_mechanism(mechanism: Mechanism, pattern: list[set[int]], independent: Sequence[int]) -> Mechanism:
    """The mechanism with other independent velocities, columns of u, as many of them led and idle as before; elastic ones stay
    last. pattern: see `pattern_of`."""
    kept = mechanism.selection
    rows = sorted(row for block in kept.blocks for row in block.rows)
    dependent = [c for c in range(mechanism.layout.nu) if c not in independent]
    blocks = ordered_blocks(mechanism, pattern, rows, dependent)
    still = [kept.independent[k] for k in kept.without_inertia]
    slack = tuple(k for k, column in enumerate(independent) if column in still)
    idle = tuple(independent)[mechanism.layout.idle]
    found = replace(kept, independent=tuple(independent), blocks=blocks, without_inertia=slack, idle=idle)
    return mechanism.with_selection(found)


def fitted_offsets(linkage: Linkage, home: np.ndarray, removed: tuple[int, ...]) -> tuple[float, ...]:
    """Residuals (rows,) that home was fitted with and that kept closures keep from there; () where the loops are closed."""
    if not linkage.structure.tolerances:
        return ()
    found = linkage.function("closure_residual").values(q=home[None], parameters=linkage.parameters)["residual"][0]
    found = np.where(np.isin(np.arange(len(found)), removed), 0.0, found)
    return tuple(found.tolist()) if (np.abs(found) > CLOSED * row_scales(linkage)).any() else ()


def independent_columns(
    structure: Structure, free_motions: np.ndarray, wanted: str | Sequence[str] | None, idle_rates: Sequence[str] = ()
) -> tuple[list[int], list[int]]:
    """Positions of v in u: as the user names them, else the platform's twist, then drives, then idle joints; and the idle ones.

    idle_rates: names of some that are idle, or it is a StructureError; they are taken before others that would do. Elastic rates
    are independent wherever the closures let them, and stand last; but as many others as there are drives come before them.
    Drives that are all independent, and all of v that is rigid, stand in their own order.
    """
    free_motions = in_lengths(structure, free_motions)
    names, elastic = structure.layout.u_names, structure.elastic_columns
    platform = list(range(6)) if structure.has_platform else []
    drives = [structure.links[d.link].u for d in structure.drives]
    mobility = free_motions.shape[2]
    stated = _stated_idle(structure, free_motions, idle_rates) if idle_rates else []
    if isinstance(wanted, Sequence) and not isinstance(wanted, str):
        return _named(structure, free_motions, list(wanted))
    bent = choose(free_motions, elastic, mobility)
    if wanted == "drives" or (wanted in (None, "any") and not platform):
        groups = [drives]
    else:
        groups = [platform] if wanted == "platform" else [platform, drives]
    acting = len(choose(free_motions, drives, mobility))
    if mobility - len(bent) < acting:  # flexures instead of joints: what bends would decide over the drives
        taken: list[int] = []
        for group in groups:
            taken = choose(free_motions, group, acting, first=taken)
        taken = choose(free_motions, elastic, mobility, first=taken)
        bent = [c for c in taken if c in elastic]
    else:
        taken = list(bent)
        for group in groups:
            taken = choose(free_motions, group, mobility, first=taken)
    idle: list[int] = []
    if drives and len(taken) < mobility:
        loose = idle_motions(structure, free_motions)
        if len(taken) + loose.shape[2] == mobility:
            others = [c for c in range(len(names)) if c not in taken]
            idle = sorted(idle_columns(loose, others, first=stated))
            taken = choose(free_motions, idle, mobility, first=taken)
    others = [c for c in range(len(names)) if c not in taken]
    if wanted == "any" and len(taken) < mobility:
        taken = choose(free_motions, others, mobility, first=taken)
    if len(taken) < mobility:
        rest = choose(free_motions, others, mobility, first=taken)[len(taken) :]
        loose = ", ".join(names[c] for c in rest)
        what = {"drives": "the drives", "platform": "the platform"}.get(
            str(wanted),
            "the platform and the drives" if platform and drives else "the platform" if platform else "the drives",
        )
        raise StructureError(
            f"{structure.name}: mobility {mobility}, but {what} determine only {len(taken)} of it: "
            f"{loose or 'a joint'} would still move freely. Add a drive, close the missing loop, replace a joint by one with "
            f"fewer freedoms, or name all independent velocities (velocities: [...])."
        )
    rigid = [c for c in taken if c not in bent and c not in idle]
    if sorted(rigid) == sorted(
        drives
    ):  # tau and v side by side, whatever the drives' lengths and leads make of the choice
        rigid = drives
    return [*(sorted(rigid) if rigid and max(rigid) < 6 and platform else rigid), *idle, *sorted(bent)], idle


def idle_motions(structure: Structure, free_motions: np.ndarray) -> np.ndarray:
    """Motions (samples, nu, k) that move neither a drive, nor the platform, nor bend anything: orthonormal bases of as many
    as there are at every sample. A robot without drives has none: nothing leads it."""
    drives = [structure.links[d.link].u for d in structure.drives]
    still = [*(range(6) if structure.has_platform else ()), *drives, *structure.elastic_columns]
    if not drives:
        return free_motions[:, :, :0]
    _, s, vt = np.linalg.svd(free_motions[:, still], full_matrices=True)
    held = (s > STILL * np.maximum(s[:, :1], 1e-300)).sum(axis=1)
    most = int(held.max(initial=0))  # fewer at one sample: singular there
    return free_motions @ np.swapaxes(vt, 1, 2)[:, :, most:]


def _stated_idle(structure: Structure, free_motions: np.ndarray, rates: Sequence[str]) -> list[int]:
    """Columns of rates that are stated to be idle; a StructureError where they are not."""
    names, loose = list(structure.layout.u_names), idle_motions(structure, free_motions)
    columns = [names.index(name) for name in rates if name in names]
    found = {names[c] for c in idle_columns(loose, columns)}
    wrong = [name for name in rates if name not in found]
    if wrong:
        passive = [c for c in range(len(names)) if c not in structure.elastic_columns]
        known = [names[c] for c in idle_columns(loose, passive)]
        raise StructureError(
            f"{structure.name}: idle names {', '.join(wrong)}, which moves only with the drives, the platform, what bends or the "
            f"idle freedoms named beside it; idle {'are ' + ', '.join(known) if known else 'is nothing here'}."
        )
    return columns


def idle_columns(loose: np.ndarray, candidates: Sequence[int], first: Sequence[int] = ()) -> list[int]:
    """As many of the candidates, columns of u, as there are idle motions (samples, nu, k), in their order: always the one next
    that is most independent of those before at the sample where it is least so; the first of those that are about as good.
    first: columns among them that are taken before all others.

    Of a rod between two balls it is that component of a ball's rate, in the rod's axes, that is nearest to the rod's line:
    good wherever the rod is.
    """
    left, taken = loose.copy(), []
    for _ in range(loose.shape[2]):
        norms = np.linalg.norm(left, axis=2).min(axis=0)
        ahead = [c for c in first if c not in taken] or [c for c in candidates if c not in taken]
        best = max((norms[c] for c in ahead), default=0.0)
        if best < LEAST:
            break
        c = next(c for c in ahead if norms[c] >= ABOUT * best)
        e = left[:, c] / np.linalg.norm(left[:, c], axis=1)[:, None]
        left = left - np.einsum("snk,sk->sn", left, e)[:, :, None] * e[:, None, :]
        taken.append(c)
    return sorted(taken, key=list(candidates).index)


def _named(structure: Structure, free_motions: np.ndarray, wanted: list[str]) -> tuple[list[int], list[int]]:
    names, elastic, mobility = list(structure.layout.u_names), structure.elastic_columns, free_motions.shape[2]
    unknown = [w for w in wanted if w not in names]
    if unknown:
        raise StructureError(f"{structure.name}: velocities: no {', '.join(unknown)}; there are {', '.join(names)}")
    own = [names.index(w) for w in dict.fromkeys(wanted)]
    independent = choose(free_motions, own, len(own), (1e-4,))
    wanted += [names[c] for c in choose(free_motions, elastic, mobility, first=independent) if c not in own]
    if len(wanted) != mobility:
        told = f"{structure.name}: velocities names {len(wanted)} ({', '.join(wanted)}), but "
        loose = idle_motions(structure, free_motions)
        if not loose.shape[2]:
            raise StructureError(f"{told}the mobility is {mobility}")
        passive = [c for c in range(len(names)) if c not in (*own, *elastic)]
        idle = [names[c] for c in idle_columns(loose, passive)]
        raise StructureError(
            f"{told}{mobility} are independent: a mobility of {mobility - loose.shape[2]} and {loose.shape[2]} idle freedoms "
            f"({', '.join(idle)}). Name the idle ones too, or leave the key out"
        )
    columns = [names.index(w) for w in wanted]
    if len(choose(free_motions, columns, len(columns), (1e-4,))) < len(columns):
        raise StructureError(
            f"{structure.name}: the velocities {', '.join(wanted)} are not independent at home and around it"
        )
    platform = range(6 if structure.has_platform else 0)
    drives = [structure.links[d.link].u for d in structure.drives]
    rigid = [c for c in columns if c not in elastic]
    passive = [c for c in rigid if c not in platform and c not in drives]
    idle = idle_columns(idle_motions(structure, free_motions), passive) if passive else []
    led = [c for c in rigid if c not in idle]
    return [*led, *idle, *(c for c in columns if c in elastic)], idle


def with_all_free(mechanism: Mechanism, closures: Program) -> Mechanism:
    """The mechanism for programs in which no parameter is folded: the same v and closures, blocks that do not rely on
    structural zeros (those of a design's zeros leave out what the zeros' derivatives bring in).

    closures: "closure_rows" without folded parameters.
    """
    chosen = mechanism.selection
    rows = [r for r in range(mechanism.rows) if r not in chosen.removed]
    dependent = [c for c in range(mechanism.layout.nu) if c not in chosen.independent]
    blocks = ordered_blocks(mechanism, pattern_of(mechanism, closures), rows, dependent)
    return replace(mechanism, selection=replace(chosen, blocks=blocks))


def pattern_of(mechanism: Structure, program: Program) -> list[set[int]]:
    """Columns that each closure row contains, by the zeros of the program of "closure_rows"."""
    nu, start = mechanism.layout.nu, mechanism.rows
    numbers = zip(program.ops, program.args, strict=True)
    zero = {i for i, (op, args) in enumerate(numbers) if op == Op.CONST and float(args[0]) == 0.0}
    out: list[set[int]] = []
    for row in range(mechanism.rows):
        nodes = program.results[start + row * nu : start + (row + 1) * nu]
        out.append({c for c, i in enumerate(nodes) if i not in zero})
    return out


def ordered_blocks(
    mechanism: Structure, pattern: list[set[int]], rows: list[int], columns: list[int]
) -> tuple[Block, ...]:
    """Blocks in solving order. Small blocks of one cut stay together: up to three unknowns are solved at once."""
    if not rows:
        return ()
    matching = perfect_matching(pattern, rows, columns)
    if matching is None or len(matching) < len(columns):
        raise StructureError(f"{mechanism.name}: the closures do not determine all joints at a general state")
    parts = block_order(pattern, rows, columns, matching)
    cut_of = {row: k for k, cut in enumerate(mechanism.cuts) for row in range(cut.row, cut.row + cut.rows)}
    return _joined(parts, pattern, cut_of)


def _joined(parts, pattern: list[set[int]], cut_of: dict[int, int]) -> tuple[Block, ...]:
    """Join blocks of one cut up to three rows where the order allows it: the later one reads nothing that stands between."""
    blocks: list[tuple[list[int], list[int]]] = []
    cuts_of: list[frozenset[int]] = []
    first: dict[frozenset[int], int] = {}  # block of these cuts

    def joining(rows: list[int], cuts: frozenset[int]) -> int | None:
        read = set().union(*(pattern[r] for r in rows))
        for k in range(len(blocks) - 1, first.get(cuts, len(blocks)) - 1, -1):
            if cuts_of[k] == cuts and len(rows) + len(blocks[k][0]) <= 3:
                return k
            if not read.isdisjoint(blocks[k][1]):
                return None
        return None

    for rows, columns in parts:
        cuts = frozenset(cut_of[r] if r in cut_of else -1 - r for r in rows)  # a relation is of no cut
        k = joining(rows, cuts) if len(cuts) == 1 else None
        if k is None:
            first.setdefault(cuts, len(blocks))
            blocks.append((rows, columns))
            cuts_of.append(cuts)
        else:
            blocks[k] = (sorted(blocks[k][0] + rows), sorted(blocks[k][1] + columns))
    return tuple(Block(tuple(r), tuple(c)) for r, c in blocks)


def redundant_closures(mechanism: Mechanism) -> tuple[str, ...]:
    """Names of the closures that follow from the others and are left out: "cut (what it closes)"."""
    names = []
    for row in mechanism.selection.removed:
        cut, own = mechanism.row_place(row)
        names.append(f"{cut.name} ({cut.row_names[own]})")
    return tuple(names)
