"""Whether a run that cannot go on has a controller to blame, whose forces or states are no finite numbers: that makes the next
state unknown, which the robot's equations see as a failure of their own (folded, out of reach, …)."""

from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

import numpy as np

from gough.compilation.function import Function
from gough.errors import BadStateError, Site, Status
from gough.simulation.integration.marching import Marching, RunStopped
from gough.simulation.integration.plant import Plant

if TYPE_CHECKING:
    from gough.model import Model

Vector = np.ndarray
AHEAD = np.concatenate([[0.0], np.geomspace(1e-6, 1.0, 9)])
"""Of the next step: where the law is looked at, the robot going on as it goes."""
SOON = 1e-3
"""Time (s) ahead for methods that choose their steps."""
WILD = 1e8
"""Rates beyond which it is the motion that has no end."""


def blame_law(problem: RunStopped, marching: Marching, state: Vector, row: Vector) -> RunStopped:
    """The same, or that the controller gave no finite numbers at the last state (n,) or within the step that failed."""
    plant, states = marching.plant, marching.states
    model = plant.model
    if plant.law.prescribed or not problem.failure or problem.failure.site == Site.CONTROLLER:
        return problem
    s = states.split(state[: states.size])
    if not np.isfinite(np.concatenate([s.q, s.v])).all() or np.abs(s.v).max(initial=0.0) > WILD:
        return problem
    tried = max(problem.time - float(s.t), 0.0) + (SOON if marching.adaptive else marching.step_size)
    later = AHEAD * min(tried, float(row[1] - s.t))
    q = np.array(list(_ahead(model, s.q, s.v, later)))
    n = len(q)
    t = float(s.t) + later[:n]
    known = {"q": q, "v": s.v, "inner": s.inner, "row": row, "t": t[:, None]}
    known = {name: np.broadcast_to(x, (n, x.shape[-1])) for name, x in known.items()}

    def made() -> Function:
        program = plant.order_program(plant.law_program())
        return Function(program, model.mechanism.table, dict(model.pattern))

    with np.errstate(all="ignore"):
        found = plant.kept.get("law alone", made).values(**known, parameters=marching.parameters)
    names = model.layout.drive_names
    for k in range(n):
        bad = [f"force of {name}" for name, x in zip(names, found["tau"][k], strict=True) if not np.isfinite(x)]
        bad += _unknown_states(plant, {key: np.asarray(x)[k] for key, x in found.items()})
        if bad:
            return RunStopped(Status.NOT_FINITE.at(Site.CONTROLLER), float(t[k]), f" ({', '.join(bad)})")
    return problem


def _ahead(model: "Model", q: Vector, v: Vector, later: Vector) -> Iterator[Vector]:
    """q (nq,) at these times (s) from now on, the first of which is 0, as far as loops can be closed."""
    yield q
    with suppress(BadStateError):
        for h in later[1:]:
            yield model.integrate(q, v * h)


def _unknown_states(plant: Plant, found: dict[str, Vector]) -> list[str]:
    """What of the law's own states has no finite rate, or no finite value after its clock has ticked, in words."""
    names, drives = plant.inner.names, plant.model.layout.drive_names
    out = [f"rate of {name}" for name, x in zip(names, found.get("rates", ()), strict=False) if not np.isfinite(x)]
    for name, x in zip(names, found.get("inner", ()), strict=False):
        cell, _, number = name.partition("[")
        if number and not np.isfinite(x) and cell in ("command", "states"):
            k = int(number[:-1])
            out.append(f"force of {drives[k]}" if cell == "command" else f"its own state {k + 1}")
    return out
