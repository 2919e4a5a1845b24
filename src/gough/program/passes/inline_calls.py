"""Put the bodies of sub-programs in place of their calls."""

from gough.program.graph import Graph
from gough.program.ops import Block, Call
from gough.program.passes.rewrite import finish, replay
from gough.program.program import Program


def inline_calls(program: Program) -> Program:
    """The same program without calls; other blocks stay."""
    if not any(isinstance(a[0], Call) for a in program.args if a):
        return program
    graph = Graph()

    def rule(graph: Graph, block: Block, operands: tuple[int, ...]) -> list[int]:
        if not isinstance(block, Call):
            return graph.block(block, operands)
        assert isinstance(block.program, Program)
        inner = inline_calls(block.program)
        new = replay(inner, graph, inputs=dict(enumerate(operands)))
        graph.checks.extend((c.failure, new[c.node], c.minimum) for c in inner.checks)
        return [new[i] for i in inner.results]

    return finish(program, graph, replay(program, graph, rule))
