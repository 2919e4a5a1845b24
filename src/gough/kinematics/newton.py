"""Newton's iteration on the closures of legs without a closed form; all states of a batch at once, legs independent."""

from typing import TYPE_CHECKING, Any

import numpy as np

from gough.dynamics.loops import Loops
from gough.dynamics.numbers import Numbers
from gough.dynamics.posture import Posture
from gough.errors import GOOD, Status
from gough.kinematics.closing import row_scales
from gough.program import trace
from gough.scalar import zeros

if TYPE_CHECKING:
    from gough.compilation.function import Function
    from gough.model.model import Model

ITERATIONS = 60
LARGEST_STEP = 0.5
"""Largest step of an angle (rad), or of a length relative to the robot's size."""


def closure_function(model: "Model", leg: int) -> "Function":
    """Function q -> residual (rows,) and Jacobian (rows, joints) of one leg's cuts, all else held.

    misalignment (k,) and A (k, joints): the same of the axes that the cuts' sides have in common.
    """
    from gough.compilation.function import Function
    from gough.kinematics.catalogue import slots_of

    columns = leg_columns(model, leg)

    def equations(q: Any, parameters: Any) -> dict[str, Any]:
        loops = Loops(Posture(Numbers(model.mechanism, parameters), q))
        cuts = [loops.cuts[k] for k in model.mechanism.legs[leg].cuts]
        residual = np.concatenate([zeros(0), *(cut.residual() for cut in cuts)])
        J = np.concatenate([zeros(0, len(columns)), *(cut.jacobian(columns) for cut in cuts)])
        misalignment = np.concatenate([zeros(0), *(cut.misalignment() for cut in cuts)])
        A = np.concatenate([zeros(0, len(columns)), *(cut.alignment_jacobian(columns) for cut in cuts)])
        return {"residual": residual, "J": J, "misalignment": misalignment, "A": A}

    program = trace(
        equations, slots_of(model.mechanism, ("q",)), f"closure of leg {leg}", {"parameters": model.pattern}
    )
    return Function(program, model.mechanism.table, model.pattern)


def leg_columns(model: "Model", leg: int) -> list[int]:
    """Positions of a leg's joint rates in u."""
    return [column for i in model.mechanism.legs[leg].links for column in model.mechanism.links[i].columns]


def leg_newton(model: "Model", q: np.ndarray, parameters: np.ndarray, legs: list[int]) -> tuple[np.ndarray, np.ndarray]:
    """(q with the legs closed, failed checks (n,)) from starting joints in q (n, nq)."""
    q = q.copy()
    names = np.full(len(q), GOOD, dtype=object)
    for k in legs:
        function = model.cached(("closure", k), lambda k=k: closure_function(model, k))
        _solve_leg(model, function, k, q, parameters, names)
    return q, names


def _solve_leg(model, function, leg: int, q: np.ndarray, parameters: np.ndarray, names: np.ndarray) -> None:
    active = np.arange(len(q))
    unit = np.array([model.size if u == "m" else 1.0 for u in _rate_units(model, leg)])
    cuts = [model.mechanism.cuts[k] for k in model.mechanism.legs[leg].cuts]
    own = [row for cut in cuts for row in range(cut.row, cut.row + cut.rows)]
    scale = np.concatenate([row_scales(model)[own], np.ones(sum(len(cut.common_axes) for cut in cuts))])
    best = np.full(len(q), np.inf)
    for _ in range(ITERATIONS):
        rows = parameters if len(parameters) == 1 else parameters[active]
        out = function(q=q[active], parameters=rows).outputs
        residual = np.concatenate([out["residual"], out["misalignment"]], axis=1) / scale
        J = np.concatenate([out["J"], out["A"]], axis=1) / scale[:, None]
        error = np.abs(residual).max(axis=1, initial=0.0)
        stalled = (error < 1e-13) | ((error < 1e-11) & (error >= 0.5 * best[active]))
        best[active] = np.minimum(best[active], error)
        finite = np.isfinite(error)
        names[active[~finite]] = Status.NOT_CONVERGED.at(model.mechanism.legs[leg].name)
        keep = finite & ~stalled
        active, residual, J = active[keep], residual[keep], J[keep]
        if not len(active):
            return
        step = np.einsum("nij,nj->ni", np.linalg.pinv(J, rcond=1e-12), residual)
        largest = (np.abs(step) / unit).max(axis=1) / LARGEST_STEP
        step /= np.maximum(largest, 1.0)[:, None]
        _move(model, leg, q, active, step)
    reached = best[active] < 1e-10
    names[active[~reached]] = Status.NOT_CONVERGED.at(model.mechanism.legs[leg].name)


def _rate_units(model, leg: int) -> list[str]:
    links = model.mechanism.links
    return [links[i].motion.measure.unit for i in model.mechanism.legs[leg].links for _ in range(links[i].nu)]


def _move(model, leg: int, q: np.ndarray, active: np.ndarray, step: np.ndarray) -> None:
    column = 0
    for i in model.mechanism.legs[leg].links:
        link = model.mechanism.links[i]
        if link.nu:
            own = np.ix_(active, link.coordinates)
            q[own] = link.motion.retract(q[own], step[:, column : column + link.nu])
        column += link.nu
