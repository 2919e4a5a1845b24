"""Rolling a program whose lanes differ in numbers: what is a number there becomes an input while lanes are looked for.

Every use of a number is an input of its own, so that numbers are paired by the part they play. Afterwards a number that
is the same in all lanes, or that is used once, is a number again; the others are columns like those of parameters.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from gough.errors import Status
from gough.program.graph import CONST, INPUT, Graph
from gough.program.ops import Op
from gough.program.passes.rewrite import finish, replay
from gough.program.program import Program, Slot
from gough.program.rolling._build import LEAST_LANES, roll
from gough.program.rolling.rolled import OWN, SHARED, Rolled, RolledStage, Source

NUMBERS = "numbers"


@dataclass(frozen=True)
class Numbered:
    """rolled: of the program with one more input slot, "numbers", where `numbers` is not empty."""

    rolled: Rolled
    numbers: tuple[float, ...] = ()


def roll_numbers(
    program: Program, lanes: int | None = None, least: int = LEAST_LANES, share: float = 0.0
) -> Numbered | None:
    """As `roll`; lanes may differ in their numbers. Sources of stage -1 beyond the program's inputs are `numbers`."""
    lifted, numbers = lift_numbers(program)
    rolled = roll(lifted, lanes, least, share)
    if rolled is None:
        return None
    base = program.n_inputs
    stages = tuple(_with_numbers(s, numbers, base) for s in rolled.stages)
    kept: dict[float, int] = {}
    stages = tuple(
        replace(s, own=tuple(tuple(_kept_source(x, numbers, kept, base) for x in c) for c in s.own)) for s in stages
    )
    return Numbered(replace(rolled, program=program, stages=stages), tuple(kept))


def lift_numbers(program: Program) -> tuple[Program, list[float]]:
    """(the program with an input in place of every use of a number, those numbers)."""
    ops, args = list(program.ops), list(program.args)
    notes = list(program.notes)
    base, numbers = program.n_inputs, list[float]()
    order: list[tuple[int, tuple, str]] = []  # nodes of the new program
    place = [0] * len(ops)
    for i, op in enumerate(ops):
        operands = args[i]
        if op > CONST:
            new = []
            for k in operands:
                if ops[k] == CONST:
                    order.append((INPUT, (base + len(numbers),), ""))
                    numbers.append(args[k][0])
                    new.append(len(order) - 1)
                else:
                    new.append(place[k])
            operands = tuple(new)
        place[i] = len(order)
        order.append((op, operands, notes[i] if notes else ""))
    lifted = replace(
        program,
        inputs=(*program.inputs, Slot(NUMBERS, (len(numbers),), uniform=True)),
        ops=[op for op, _, _ in order],
        args=[a for _, a, _ in order],
        notes=[note for _, _, note in order] if notes else notes,
        results=tuple(place[i] for i in program.results),
        checks=tuple(replace(c, node=place[c.node]) for c in program.checks),
    )
    return lifted, numbers


def _with_numbers(stage: RolledStage, numbers: Sequence[float], base: int) -> RolledStage:
    """Numbers that no lane has for itself put back into a stage's program; equal columns read once."""
    graph = Graph()
    shared, own = list[Source](), list[tuple[Source, ...]]()
    seen: dict[tuple, int] = {}
    places: dict[int, int] = {}
    many = sum(not _is_number(s, base) for s in stage.shared)
    for k, source in enumerate(stage.shared):
        if _is_number(source, base):
            places[k] = graph.const(numbers[source.place - base])
        else:
            places[k] = graph.raw(Op.INPUT, len(shared))
            shared.append(source)
    for k, column in enumerate(stage.own):
        known = tuple(numbers[s.place - base] if _is_number(s, base) else s for s in column)
        if len(set(known)) == 1 and isinstance(known[0], float):
            places[len(stage.shared) + k] = graph.const(known[0])
            continue
        if known not in seen:
            seen[known] = len(own)
            own.append(column)
        places[len(stage.shared) + k] = graph.raw(Op.INPUT, many + seen[known])
    program = stage.program
    checks = [replace(c, failure=Status.OK.at(str(k))) for k, c in enumerate(program.checks)]
    program = finish(
        replace(program, checks=()),
        graph,
        new := replay(program, graph, inputs=places),
        inputs=(Slot(SHARED, (len(shared),)), Slot(OWN, (len(own),))),
        checks=tuple(replace(c, node=new[c.node]) for c in checks),
    )
    return replace(stage, program=program, shared=tuple(shared), own=tuple(own))


def _is_number(source: Source, base: int) -> bool:
    return source.stage < 0 and source.place >= base


def _kept_source(source: Source, numbers: Sequence[float], kept: dict[float, int], base: int) -> Source:
    """The source of a number among those that are kept."""
    if not _is_number(source, base):
        return source
    return Source(-1, base + kept.setdefault(numbers[source.place - base], len(kept)))
