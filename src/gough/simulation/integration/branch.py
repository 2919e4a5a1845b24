"""Did a robot go on in another branch of its loops?

In a singular pose branches meet: a parallelogram may leave its flat pose as an antiparallelogram. The positions are near each
other there, but joint rates are not: they jump, and no longer fit to the way between the two states.
"""

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from gough.compilation import Model

Array = np.ndarray
JUMP = 0.5
"""Change of a joint's rate over the largest rate."""
MISFIT = 0.02
"""Difference between a joint's way and the mean of its rates times the time, over the largest rate times the time."""
FAR = 0.2
"""Of the robot's size (or rad): states that a joint moved farther apart than this say nothing about a jump between them."""


def other_branch(model: "Model", t: Array, q: Array, v: Array, parameters: Array) -> str:
    """The joint whose rate jumps most between two states t (2,), q (2, nq), v (2, nv) and does not fit to its way.

    "" if there is none, or if the states are too far apart to tell.
    """
    u = model.function("tree_rates")(q=q, v=v, parameters=parameters).outputs["u"]
    unit = np.array([1.0 if x == "m/s" else model.size for x in model.layout.u_units])
    largest = float((np.abs(u) * unit).max(initial=0.0))
    if not np.isfinite(largest):
        return "all joints"
    jump = np.abs(u[1] - u[0]) * unit
    if not jump.max(initial=0.0) > JUMP * largest:
        return ""
    links = [x for x in model.mechanism.links if x.nu == 1 and x.motion in ("rotation", "translation")]
    span = float(t[1] - t[0])
    if span * largest > FAR * model.size:
        return ""
    way = np.array([q[1, x.q] - q[0, x.q] for x in links])
    mean = np.array([0.5 * (u[0, x.u] + u[1, x.u]) for x in links])
    misfit = np.abs(way - span * mean) * unit[[x.u for x in links]]
    if not misfit.max(initial=0.0) > MISFIT * largest * span:
        return ""
    return links[int(misfit.argmax())].joint
