"""Runs that do not get on: friction without smoothing that keeps reversing."""

import numpy as np

from gough.simulation.integration.plant import Plant
from gough.simulation.integration.smoothing import rough_joints
from gough.simulation.integration.state import StateLayout

Vector = np.ndarray
TINY = 1e-5
"""Steps of less than this part of the run, on average, are looked at."""
OFTEN = 0.02
"""Part of the steps in which the rate of a joint that sticks reverses."""


def sticking_joints(plant: Plant, parameters: Vector, records: Vector, span: float) -> list[str]:
    """Joints with unsmoothed Coulomb friction that reverse all the time in records (n, k) of small steps; span: of the run (s).

    Rates of cut joints are none of the tree's: they are named where no other joint sticks.
    """
    t = records[:, StateLayout(plant).t]
    if len(t) < 2 or t[-1] - t[0] > TINY * span * len(t):
        return []
    rough = rough_joints(plant.model.mechanism, parameters)
    if not rough:
        return []
    layout = plant.model.layout
    q, v = records[:, : layout.nq], records[:, layout.nq : layout.nq + layout.nv]
    u = plant.model.function("tree_rates")(q=q, v=v, parameters=parameters).outputs["u"]
    found = []
    for name, link in rough.items():
        if link >= 0:
            rates = u[:, list(plant.model.mechanism.links[link].columns)]
            reversals = (rates[1:] * rates[:-1] < 0).sum(axis=0)
            if reversals.max(initial=0) > OFTEN * len(t):
                found.append(name)
    return found or [name for name, link in rough.items() if link < 0]
