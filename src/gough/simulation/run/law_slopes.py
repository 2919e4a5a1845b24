"""A law's exact derivatives at states of the robot: what linear theory of its loop is made of."""

import numpy as np

from gough.compilation.function import Function
from gough.program.derivatives import derive
from gough.simulation.integration.plant import Plant

Array = np.ndarray
Slopes = tuple[Array, Array, Array, Array]
"""F (…, drives, 2nv), F_i (…, drives, k), R (…, k, 2nv), R_i (…, k, k): δτ = F x + F_i i, d/dt i = R x + R_i i of x = (δ, δv),
the motion away along v and the deviation of v, and the law's own states i."""


def law_slopes(plant: Plant, q: Array, v: Array, row: Array, t: Array, numbers: Array) -> Slopes:
    """Of a law in continuous time at states q (…, nq), v (…, nv) with these rows (…, size) of its motion at times t (…)."""
    model, layout = plant.model, plant.model.layout

    def made() -> Function:
        by = ("q", "v", "inner") if plant.inner_size else ("q", "v")
        return Function(
            derive(plant.order_program(plant.law_program()), by), model.mechanism.table, dict(model.pattern)
        )

    slopes = model.cached(("loop slopes", plant.form), made)
    inner = plant.inner_first(np.atleast_2d(q)[0], np.atleast_2d(v)[0])[0]
    found = slopes.values(q=q, v=v, inner=inner, row=row, t=np.asarray(t)[..., None], parameters=numbers)
    rate = model.cached("rates by v", lambda: model.function("configuration_rate").derivative("v"))
    N = rate.values(q=q, v=v, parameters=numbers)["qdot_v"]
    n, k = len(layout.drive_names), plant.inner_size
    by_state = [
        np.concatenate([found[f"{name}_q"] @ N, found[f"{name}_v"]], axis=-1)
        for name in ("tau", "rates")[: 1 + bool(k)]
    ]
    if not k:
        batch = by_state[0].shape[:-2]
        return (
            by_state[0],
            np.zeros((*batch, n, 0)),
            np.zeros((*batch, 0, 2 * layout.nv)),
            np.zeros((*batch, 0, 0)),
        )
    return by_state[0], found["tau_inner"], by_state[1], found["rates_inner"]
