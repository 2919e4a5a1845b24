"""Operation counts that the papers print (`counts.yaml`), and the library's of the same quantity beside them."""

from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from typing import Any

from gough import Model
from gough.dynamics.numbers import Numbers
from gough.dynamics.regrouping import regroup_inertia
from gough.dynamics.terms import bias_force, mass_matrix
from gough.model.coriolis import coordinate_function
from gough.model.functions import slots_of
from gough.program import Count, Program, count, trace
from gough.program.graph import Graph
from gough.program.passes.rewrite import finish, replay

BOTH = "mass_and_bias"
COORDINATES = {"coordinate_mass_matrix": "M", "coordinate_coriolis_matrix": "C", "coordinate_terms": "MC"}


@dataclass(frozen=True)
class PaperCount:
    """Additions, multiplications and divisions of one quantity; see `counts.yaml`."""

    robot: str
    quantity: str
    source: str
    count: tuple[int, int, int]
    counted: str
    scope: str
    here: str
    printed: bool = True
    baked: bool = True

    @property
    def operations(self) -> int:
        """Additions, multiplications and divisions."""
        return sum(self.count)


@cache
def paper_counts() -> tuple[PaperCount, ...]:
    """All printed counts and references."""
    from ruamel.yaml import YAML

    text = (resources.files("gough_papers") / "counts.yaml").read_text(encoding="utf-8")
    robots = {name: entries for name, entries in YAML(typ="safe").load(text).items() if name != "texts"}
    return tuple(PaperCount(robot, **entry) for robot, entries in robots.items() for entry in entries)


def counts_of(robot: str) -> tuple[PaperCount, ...]:
    """Printed counts and references for a robot, by its name."""
    return tuple(c for c in paper_counts() if c.robot == robot)


def counts_beside_papers(model: Model) -> list[dict[str, Any]]:
    """One entry a printed count or reference: quantity, source, printed, paper, here (counts or None), ratio, scopes."""
    known = counts_of(model.robot.name)
    here = {key: count_operations(model, *key) for key in dict.fromkeys((k.counted, k.baked) for k in known)}
    return [_entry(k, here[k.counted, k.baked]) for k in known]


def count_operations(model: Model, name: str, baked: bool = True) -> Count:
    """Operations of a program by its name in `PaperCount.counted`, parameters as numbers or not, no friction."""
    if name in COORDINATES:
        return count(_only(model, coordinate_function(model, "rpy_zyx").program, COORDINATES[name]))
    if name == BOTH:
        return count(_mass_and_bias(model))
    return model.count(name, baked=baked, friction=False)


def _mass_and_bias(model: Model) -> Program:
    """M and h in one program, parameters as symbols, no friction."""
    known = dict(model.pattern) | dict.fromkeys(model.mechanism.table.of_kind("friction"), 0.0)

    def equations(q: Any, v: Any, parameters: Any) -> dict[str, Any]:
        numbers = regroup_inertia(Numbers(model.mechanism, parameters))
        return {**mass_matrix(numbers, q), **bias_force(numbers, q, v)}

    slots = slots_of(model.mechanism, ("q", "v"))
    return model.order_solves(trace(equations, slots, "mass matrix and bias force", {"parameters": known}))


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


def _entry(known: PaperCount, here: Count) -> dict[str, Any]:
    paper = dict(zip(("add", "mul", "div"), known.count, strict=True)) | {"operations": known.operations}
    return {
        "quantity": known.quantity,
        "source": known.source,
        "printed": known.printed,
        "paper": paper,
        "scope": known.scope,
        "counted": known.counted,
        "here": {k: getattr(here, k) for k in (*paper, "sqrt", "trig")},
        "here_scope": known.here,
        "ratio": known.operations / here.operations,
    }
