"""Whether the axes of closed cut joints point the same way on both sides.

Closures say that axes are perpendicular to others, which reversed axes fulfil too: a pin put in upside down is none.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from gough.compilation.function import Function
from gough.dynamics.loops import Loops
from gough.dynamics.numbers import Numbers
from gough.dynamics.posture import Posture
from gough.program import trace
from gough.scalar import dot

if TYPE_CHECKING:
    from gough.compilation.model import Model

AXES = {"revolute": (2,), "cylindrical": (2,), "planar": (2,), "fixed": (0, 1, 2), "prismatic": (0, 1, 2)}
"""Axes of the cut's frames that coincide when it is closed."""


def facing(model: "Model", q: np.ndarray, parameters: np.ndarray) -> np.ndarray:
    """Whether (n,) all cuts of closed configurations q (n, nq) face the right way."""
    if not any(cut.type in AXES for cut in model.mechanism.cuts):
        return np.ones(len(q), dtype=bool)
    function = model.cached("facing", lambda: _function(model))
    return (function.values(q=q, parameters=parameters)["cosines"] > 0.5).all(axis=-1)


def _function(model: "Model") -> Function:
    from gough.compilation.catalogue import slots_of

    def equations(q: Any, parameters: Any) -> dict[str, Any]:
        out = []
        for cut in Loops(Posture(Numbers(model.mechanism, parameters), q)).cuts:
            for k in AXES.get(cut.cut.type, ()):
                out.append(dot(cut.L_R[:, k], cut.from_second(cut.P_R[:, k])))
        return {"cosines": np.array(out, dtype=object)}

    program = trace(equations, slots_of(model.mechanism, ("q",)), "facing", {"parameters": model.pattern})
    return Function(program, model.mechanism.table, model.pattern)
