"""The library's counts beside those of the papers: the same quantity, numeric parameters."""

from dataclasses import replace
from typing import Any

from gough.compilation import Model
from gough.compilation.catalogue import slots_of
from gough.compilation.coriolis import coordinate_function
from gough.dynamics.numbers import Numbers
from gough.dynamics.regrouping import regrouped
from gough.dynamics.terms import bias_force, mass_matrix
from gough.program import Count, Program, count, trace
from gough.program.graph import Graph
from gough.program.passes.rewrite import finish, replay
from gough_papers.operations import PaperCount, counts_of

BOTH = "mass_and_bias"
COORDINATES = {"coordinate_mass_matrix": "M", "coordinate_coriolis_matrix": "C", "coordinate_terms": "MC"}


def beside_papers(model: Model) -> list[dict[str, Any]]:
    """One entry a printed count or reference: quantity, source, printed, paper, here (counts or None), ratio, scopes."""
    known = counts_of(model.robot.name)
    here = {key: counted(model, *key) for key in dict.fromkeys((k.counted, k.baked) for k in known)}
    return [_entry(k, here[k.counted, k.baked]) for k in known]


def counted(model: Model, name: str, baked: bool = True) -> Count | None:
    """Operations of a program by its name in `PaperCount.counted`, parameters as numbers or not, no friction; None for ""."""
    if not name:
        return None
    if name in COORDINATES:
        return count(_only(model, coordinate_function(model, "rpy_zyx").program, COORDINATES[name]))
    if name == BOTH:
        return count(_mass_and_bias(model))
    return model.count(name, baked=baked, friction=False)


def _mass_and_bias(model: Model) -> Program:
    """M and h in one program, parameters as symbols, no friction."""
    names = model.mechanism.table.names
    known = dict(model.pattern) | {i: 0.0 for i, n in enumerate(names) if ".friction." in n}

    def equations(q: Any, v: Any, parameters: Any) -> dict[str, Any]:
        numbers = regrouped(Numbers(model.mechanism, parameters))
        return {**mass_matrix(numbers, q), **bias_force(numbers, q, v)}

    slots = slots_of(model.mechanism, ("q", "v"))
    return model.ordered(trace(equations, slots, "mass matrix and bias force", {"parameters": known}))


def _only(model: Model, program: Program, outputs: str) -> Program:
    """Some outputs of a program, with the design's numbers in place of its parameters."""
    results: list[int] = []
    first = 0
    for slot in program.outputs:
        results += program.results[first : first + slot.size] if slot.name in outputs else ()
        first += slot.size
    kept = replace(program, outputs=tuple(s for s in program.outputs if s.name in outputs), results=tuple(results))
    start, graph = program.input_offset("parameters"), Graph()
    numbers = {start + k: graph.const(float(x)) for k, x in enumerate(model.parameters)}
    return finish(kept, graph, replay(kept, graph, inputs=numbers))


def _entry(known: PaperCount, here: Count | None) -> dict[str, Any]:
    paper = {"add": known.add, "mul": known.mul, "div": known.div, "operations": known.operations}
    return {
        "quantity": known.quantity,
        "source": known.source,
        "printed": known.printed,
        "paper": paper,
        "scope": known.scope,
        "counted": known.counted or None,
        "here": None if here is None else {k: getattr(here, k) for k in (*paper, "sqrt", "trig")},
        "here_scope": known.here,
        "ratio": None if here is None else known.operations / here.operations,
    }
