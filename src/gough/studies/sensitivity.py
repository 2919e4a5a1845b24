"""`gough.sensitivity`: how results of a closed robot depend on its design, exactly, the loops closed again."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.arguments import a_model, checked, numbers, word, words, wrenches
from gough.compilation.arrays import as_array
from gough.errors import UsageError
from gough.model.external import external_load
from gough.model.tangent import tangent_derivative
from gough.studies._closed_states import ClosedStates
from gough.studies._directions import DesignDirections, choose_directions
from gough.studies.quantities import find_quantity
from gough.text import short_repr

if TYPE_CHECKING:
    from gough.model import Model

OPENS = 1e-7
"""Part of a change of closures by a direction that no motion may leave open, of the largest such change."""


@dataclass(frozen=True)
class Sensitivity:
    """values (..., m) of the entries `names`, their `units`; derivatives (..., m, k) by the numbers `by`, whose units are
    `by_units`; held: what stayed while the design moved."""

    names: tuple[str, ...]
    units: tuple[str, ...]
    values: np.ndarray
    by: tuple[str, ...]
    by_units: tuple[str, ...]
    derivatives: np.ndarray
    held: tuple[str, ...]

    def __getitem__(self, name: str) -> np.ndarray:
        """Derivatives (..., m) by one of the numbers."""
        if name not in self.by:
            raise UsageError(f"no derivative by {name!r}; there are {', '.join(self.by)}")
        return self.derivatives[..., self.by.index(name)]

    __repr__ = short_repr


@checked(model=a_model, quantity=word, at=numbers, by=word | words, v=numbers, acceleration=numbers, wrench=wrenches)
def sensitivity(
    model: "Model",
    quantity: str,
    at: Any = None,
    by: str | Sequence[str] = "variables",
    *,
    v: Any = None,
    acceleration: Any = None,
    wrench: Any = None,
) -> Sensitivity:
    """Total derivatives of a quantity by variables and parameters at configurations (..., nq), default home.

    While the design moves, the coordinates that v leads stay (the platform's pose, or the drives), and so do v (..., nv),
    acceleration (..., mobility) and wrench, by default 0; all others follow from the closed loops.
    """
    whole = model.unlocked
    asked = find_quantity(whole, quantity)
    q = as_array("at", model.home if at is None else at, model.layout.nq)
    own = {"v": (v, model.layout.nv), "acceleration": (acceleration, model.mobility)}
    given = {name: as_array(name, np.zeros(n) if x is None else x, n) for name, (x, n) in own.items()}
    given |= external_load(whole, q, wrench, whole.parameters)
    batch = np.broadcast_shapes(q.shape[:-1], *(x.shape[:-1] for x in given.values()))
    inputs = {
        name: np.ascontiguousarray(np.broadcast_to(x, (*batch, x.shape[-1]))).reshape(-1, x.shape[-1])
        for name, x in ({"q": q} | given).items()
    }
    states = ClosedStates(whole, inputs, whole.parameters)
    along = choose_directions(whole, by)
    demand_closable(states, along)
    values = asked.evaluate(states)
    n, m = values.shape
    slopes = np.empty((n, m, len(along.names)))
    for k, unit in enumerate(np.eye(m)):
        slopes[:, k] = asked.pull(states, np.broadcast_to(unit, (n, m)).copy()) @ along.slopes.T
    layout = whole.layout
    return Sensitivity(
        asked.names,
        asked.units,
        values.reshape(*batch, m),
        along.names,
        along.units,
        slopes.reshape(*batch, m, len(along.names)),
        (*(f"coordinate of {name}" for name in layout.v_names), "v", "acceleration", "wrench"),
    )


def demand_closable(states: ClosedStates, along: DesignDirections) -> None:
    """UsageError for a direction that opens closures which follow from the others: no robot stands there."""
    model = states.model
    if not model.mechanism.rows:
        return
    f = tangent_derivative(model, "closure_residual", ("parameters",), "jvp", closing=True)
    plain = tangent_derivative(model, "closure_residual", ("parameters",), "jvp")
    q = states.inputs["q"][:, None]
    left = f.values(q=q, parameters=states.parameters, d_parameters=along.slopes)["d_residual"]
    moved = plain.values(q=q, parameters=states.parameters, d_parameters=along.slopes)["d_residual"]
    size = np.maximum(np.abs(moved).max(axis=(0, 2), initial=0.0), 1e-300)
    worst = np.abs(left).max(axis=(0, 2), initial=0.0) / size
    bad = [name for name, x in zip(along.names, worst, strict=True) if x > OPENS]
    if bad:
        raise UsageError(
            f"by: {', '.join(bad[:6])}{' …' * (len(bad) > 6)} alone would open loops whose closures follow from one another "
            "(a planar robot whose axes stop being parallel): no robot stands there. Let several numbers follow one variable of "
            "the description, so that the loops stay closed"
        )
