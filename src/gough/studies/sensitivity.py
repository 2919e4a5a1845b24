"""`gough.sensitivity`: how results of a closed robot depend on its design, exactly, the loops closed again."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.arguments import a_model, checked, mapping, numbers, word, words, wrenches
from gough.compilation.arrays import as_array
from gough.errors import RepeatedModesWarning, UsageError, warn
from gough.model.tangent import tangent_derivative
from gough.studies._closed_states import ClosedStates, closed_states
from gough.studies._directions import DesignDirections, choose_directions
from gough.studies.quantities import FollowsVariables, MayRepeat, find_quantity
from gough.text import short_repr

if TYPE_CHECKING:
    from gough.model import Model

OPENS = 1e-7
"""Part of a change of closures by a direction that no motion may leave open, of the largest such change."""


@dataclass(frozen=True)
class Sensitivity:
    """values (..., m) of the entries `names`, their `units`; derivatives (..., m, k) by the numbers `by`, whose units are
    `by_units`; held: what stayed while the design moved.

    repeated: entries that at some state are one of several equal frequencies. Those have no slopes of their own, and
    `derivatives` are of their mean; one_sided (..., m, k, 2): derivatives by each number alone, to the right and to the left of
    its value, along which equal ones split. They do not add up for several numbers. Where nothing is repeated both are
    `derivatives`.
    """

    names: tuple[str, ...]
    units: tuple[str, ...]
    values: np.ndarray
    by: tuple[str, ...]
    by_units: tuple[str, ...]
    derivatives: np.ndarray
    held: tuple[str, ...]
    repeated: tuple[str, ...]
    one_sided: np.ndarray

    def __getitem__(self, name: str) -> np.ndarray:
        """Derivatives (..., m) by one of the numbers."""
        if name not in self.by:
            raise UsageError(f"no derivative by {name!r}; there are {', '.join(self.by)}")
        return self.derivatives[..., self.by.index(name)]

    __repr__ = short_repr


@checked(
    model=a_model,
    quantity=word,
    at=numbers,
    by=word | words,
    v=numbers,
    acceleration=numbers,
    wrench=wrenches,
    drives=word | mapping(numbers),
)
def sensitivity(
    model: "Model",
    quantity: str,
    at: Any = None,
    by: str | Sequence[str] = "variables",
    *,
    v: Any = None,
    acceleration: Any = None,
    wrench: Any = None,
    drives: Any = "locked",
) -> Sensitivity:
    """Total derivatives of a quantity by variables and parameters at configurations (..., nq), default home.

    While the design moves, the coordinates that v leads stay (the platform's pose, or the drives), and so do v (..., nv),
    acceleration (..., mobility) and wrench, by default 0; all others follow from the closed loops. drives: of
    frequencies, stiffness and compliance, "locked", {"stiffness": kp} of servos (N/m or N m/rad) or "free" (frequencies).
    """
    whole = model.unlocked
    asked = find_quantity(whole, quantity, drives)
    q = as_array("at", model.home if at is None else at, model.layout.nq)
    own = {"v": (v, model.layout.nv), "acceleration": (acceleration, model.mobility)}
    given = {name: as_array(name, np.zeros(n) if x is None else x, n) for name, (x, n) in own.items()}
    states, batch = closed_states(whole, {"q": q} | given, wrench)
    along = choose_directions(whole, by)
    demand_closable(states, along)
    values = asked.evaluate(states)
    n, m = values.shape
    lost = np.flatnonzero(~np.isfinite(values).all(axis=1))
    if len(lost):
        raise UsageError(
            f"{quantity}: {len(lost)} of {n} states have no value, the first is number {lost[0]}: loops that are open, a "
            "singularity, or numbers that are not finite; make configurations with model.configuration"
        )
    slopes = np.empty((n, m, len(along.names)))
    for k, unit in enumerate(np.eye(m)):
        weights = np.broadcast_to(unit, (n, m)).copy()
        slopes[:, k] = asked.pull(states, weights) @ along.slopes.T
        if isinstance(asked, FollowsVariables):
            slopes[:, k] += asked.pull_variables(states, weights) @ along.turns.T
    both = np.repeat(slopes[..., None], 2, axis=-1)
    repeated = asked.repeated_values(states) if isinstance(asked, MayRepeat) else np.zeros((n, m), dtype=bool)
    if isinstance(asked, MayRepeat) and repeated.any():
        both = np.where(repeated[..., None, None], asked.one_sided(states, along.slopes), both)
    equal = tuple(name for k, name in enumerate(asked.names) if repeated[:, k].any())
    if equal:
        warn(
            f"{quantity}: {', '.join(equal)} {'is' if len(equal) == 1 else 'are'} equal to others and without slopes of their "
            "own: `derivatives` are those of their mean, `one_sided` those by each number alone, along which they split",
            RepeatedModesWarning,
        )
    layout = whole.layout
    return Sensitivity(
        asked.names,
        asked.units,
        values.reshape(*batch, m),
        along.names,
        along.units,
        slopes.reshape(*batch, m, len(along.names)),
        (*(f"coordinate of {name}" for name in layout.v_names), "v", "acceleration", "wrench"),
        equal,
        both.reshape(*batch, m, len(along.names), 2),
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
