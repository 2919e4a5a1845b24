"""What a law tells of every stored state beside its own states: computed after the run, for all states at once."""

from typing import Any

import numpy as np

from gough.compilation.function import Function
from gough.dynamics.numbers import Numbers
from gough.program import Slot, trace
from gough.simulation.integration.plant import Plant

Array = np.ndarray


def law_reports(plant: Plant, q: Array, v: Array, inner: Array, numbers: Array) -> dict[str, Any]:
    """{channel: (values (m, n), units, columns)} at states q (m, nq), v (m, nv) and own states of the law (m, k)."""
    law, model = plant.law, plant.model
    told = law.reports(model)
    if not told:
        return {}

    def equations(q: Any, v: Any, inner: Any, tail: Any, parameters: Any) -> dict[str, Any]:
        found = law.report(plant.law_view(Numbers(plant.mechanism, parameters), q, v, inner, tail))
        return {f"report{k}": found[name] for k, name in enumerate(told)}

    def made() -> Function:
        sizes = {"q": model.layout.nq, "v": model.layout.nv, "inner": plant.inner_size, "tail": len(plant.rows.tail)}
        slots = [Slot(name, (n,)) for name, n in sizes.items()]
        slots.append(Slot("parameters", (len(model.parameters),), uniform=True))
        program = trace(equations, tuple(slots), "report", {"parameters": model.pattern})
        return Function(plant.order_program(program), model.mechanism.table, dict(model.pattern))

    function = plant.kept.get("report", made)
    found = function.values(q=q, v=v, inner=inner, tail=np.array(plant.rows.tail), parameters=numbers)
    return {name: (found[f"report{k}"], *told[name]) for k, name in enumerate(told)}
