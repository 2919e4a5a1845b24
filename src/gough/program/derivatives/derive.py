"""Derivatives of a program by its input slots."""

from collections.abc import Mapping, Sequence

from gough.errors import UsageError
from gough.program.derivatives.derivation import MODES, Derivation, Directions
from gough.program.derivatives.linearise import linearise
from gough.program.derivatives.net import Net
from gough.program.derivatives.sweep import Writing, forward
from gough.program.graph import Graph
from gough.program.passes.inline_calls import inline_calls
from gough.program.passes.rewrite import replay
from gough.program.program import Program


def derive(program: Program, wrt: str | Sequence[str], mode: str = "jacobian") -> Program:
    """The derivative by one slot or several; mode: "jacobian", "jvp", "vjp", or "forward" and "reverse" for a Jacobian
    by that sweep."""
    modes = ("jacobian", "jvp", "vjp", *MODES[1:])
    if mode not in modes:
        raise UsageError(f"mode={mode!r}; use one of {', '.join(modes)}")
    if mode in ("jvp", "vjp"):
        return jvp(program, wrt) if mode == "jvp" else vjp(program, wrt)
    return jacobian(program, wrt, "auto" if mode == "jacobian" else mode)


def jacobian(program: Program, wrt: str | Sequence[str], mode: str = "auto") -> Program:
    """Outputs "<output>_<slot>" of shape (*output, *slot) for each slot in `wrt`; see `Derivation.jacobian`."""
    return prepare(program, wrt).jacobian(mode)


def jvp(program: Program, wrt: str | Sequence[str]) -> Program:
    """Directional derivative: new inputs "d_<slot>" for each slot in `wrt`, outputs "d_<output>"."""
    return prepare(program, wrt).jvp()


def vjp(program: Program, wrt: str | Sequence[str]) -> Program:
    """Reverse mode: new inputs "bar_<output>" (weights), outputs "bar_<slot>" for each slot in `wrt`."""
    return prepare(program, wrt).vjp()


def names_of(wrt: str | Sequence[str], program: Program) -> tuple[str, ...]:
    """The slots of `wrt`, each an input of the program."""
    names = (wrt,) if isinstance(wrt, str) else tuple(wrt)
    slots = [s.name for s in program.inputs]
    for name in names:
        if name not in slots:
            raise UsageError(f"{program.name} has no input {name!r}; it has {slots}")
    if not names or len(set(names)) < len(names):
        raise UsageError(f"wrt={wrt!r}; give one or more different inputs of {slots}")
    return names


def prepare(program: Program, wrt: str | Sequence[str]) -> Derivation:
    """A program made ready: its slots in `wrt` move entry by entry."""
    names = names_of(wrt, program)
    program = inline_calls(program)
    graph = Graph()
    new = replay(program, graph)
    net = Net(graph)
    slots = {s.name: s for s in program.inputs}
    moving: dict[int, int] = {}
    directions = []
    for name in names:
        slot, offset = slots[name], program.input_offset(name)
        vertices = tuple(net.vertex() for _ in range(slot.size))
        moving.update({offset + k: v for k, v in enumerate(vertices)})
        directions.append(Directions(name, slot.shape, vertices, slot.unit))
    return Derivation(program, net, new, linearise(net, program, new, moving), tuple(directions))


def push_forward(
    program: Program, graph: Graph, new: Sequence[int], seeds: Mapping[int, Sequence[int]], n: int
) -> dict[int, list[int]]:
    """Tangents {result node of the program: [direction]} in `graph`, where `new` are the program's nodes replayed into it.

    seeds: {input position: tangent nodes (n,)}; other inputs do not move.
    """
    net = Net(graph)
    moving = {position: net.vertex() for position in seeds}
    at = linearise(net, program, new, moving)
    start = {
        moving[position]: {d: x for d, x in enumerate(nodes) if not net.is_zero(x)} for position, nodes in seeds.items()
    }
    rows = forward(net, start, Writing(net))
    zero = graph.const(0.0)
    return {i: [rows[at[i]].get(d, zero) if i in at else zero for d in range(n)] for i in program.results}
