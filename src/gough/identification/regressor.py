"""The regressor: the matrix Y(q, v, v̇) with force = Y π + rest, exactly, for the numbers π that are to be identified.

Made from the equations of motion themselves: they are recorded with π as inputs and differentiated by them. That the derivative
does not depend on π, read off the recorded program, is the proof that they are linear; what is not linear is refused by name.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.arguments import a_model, checked, demand_one_of, design, numbers, several, word, words
from gough.compilation.arrays import as_array
from gough.compilation.function import Function
from gough.dynamics.inverse import balanced_force
from gough.dynamics.numbers import Numbers
from gough.dynamics.regrouping import regroup_inertia
from gough.errors import UsageError
from gough.identification._unknowns import DEFAULT, Unknown, choose_unknowns
from gough.model.calls import explain_states, finish, given_parameters
from gough.model.functions import slots_of
from gough.program import Count, Program, Slot, trace
from gough.program.derivatives import derive
from gough.program.ops import Op
from gough.program.passes.inputs import fix_input
from gough.text import short_repr

if TYPE_CHECKING:
    from gough.model import Model

ROWS = ("drives", "freedoms")


@dataclass(frozen=True)
class RegressorRows:
    """Y (..., rows, n): force per unit of each unknown; rest (..., rows): force of what is not unknown (N, N m); status (...)."""

    Y: np.ndarray
    rest: np.ndarray
    status: np.ndarray

    __repr__ = short_repr


@dataclass(frozen=True)
class Regressor:
    """Force = Y π + rest of a model: of its drives, or along its freedoms v (where Y π + rest = S τ + Jᵀ w).

    unknowns: what π is; function: q, v, vdot and the design to "Y" (rows, n); remainder: to "force" (rows,), the part that is in
    no unknown, None where there is none.
    """

    model: "Model"
    rows: str
    unknowns: tuple[Unknown, ...]
    function: Function
    remainder: Function | None

    @property
    def names(self) -> tuple[str, ...]:
        """Names (n) of π."""
        return tuple(u.name for u in self.unknowns)

    @property
    def units(self) -> tuple[str, ...]:
        """Units (n) of π."""
        return tuple(u.unit for u in self.unknowns)

    @property
    def values(self) -> np.ndarray:
        """π (n,) as the description has it."""
        return np.array([u.value for u in self.unknowns])

    @property
    def row_names(self) -> tuple[str, ...]:
        """Names of the rows: drives, or entries of v."""
        layout = self.model.layout
        return layout.drive_names if self.rows == "drives" else layout.v_names

    def count(self) -> Count:
        """Operations of one evaluation of Y by the counting rules."""
        return self.function.count()

    @checked(q=numbers, v=numbers, acceleration=numbers, parameters=design, on_bad_state=word)
    def __call__(
        self, q: Any, v: Any, acceleration: Any, *, parameters: Any = None, on_bad_state: str = "raise"
    ) -> RegressorRows:
        """Y and rest at q (..., nq), v (..., nv) and acceleration (..., nv); parameters: the design, of which the unknown part
        does not matter."""
        layout = self.model.layout
        state = {
            "q": as_array("q", q, layout.nq),
            "v": as_array("v", v, layout.nv),
            "vdot": as_array("acceleration", acceleration, layout.nv),
            "parameters": given_parameters(self.model, parameters),
        }
        e = self.function(**state)
        rows = len(self.row_names)
        rest = np.zeros((*e.batch, rows)) if self.remainder is None else self.remainder(**state).outputs["force"]
        result = RegressorRows(e.outputs["Y"], np.broadcast_to(rest, (*e.batch, rows)), e.status)
        return finish("regressor", e, result, on_bad_state, explain_states(self.model, q, e.batch, parameters))

    def __repr__(self) -> str:
        return f"<gough.Regressor {self.model.robot.name}: {len(self.row_names)} {self.rows} × {len(self.unknowns)} unknowns>"


@checked(model=a_model, parameters=word | words, tied=word | several(words), rows=word)
def regressor(
    model: "Model",
    parameters: str | Sequence[str] = DEFAULT,
    tied: str | Sequence[Sequence[str]] = "apart",
    rows: str = "drives",
) -> Regressor:
    """Y(q, v, v̇) with force = Y π + rest.

    parameters: what π is, by words ("inertia", "rotors", "friction", "viscous", "coulomb", "springs", "offsets"), names or
    patterns with stars. tied: "apart", "legs" (what is equal in several legs is one unknown) or groups of patterns, [("left_*",
    "right_*")]. rows: "drives" (force = drive forces) or "freedoms" (force = S τ + Jᵀ w, along v), the only one for robots with
    idle or elastic freedoms, whose drive forces are not linear in masses.
    """
    demand_one_of("rows", rows, ROWS)
    unknowns = tuple(choose_unknowns(model, parameters, tied))
    return model.cached(("regressor", rows, unknowns), lambda: make_regressor(model, unknowns, rows))


def make_regressor(model: "Model", unknowns: tuple[Unknown, ...], rows: str) -> Regressor:
    """The regressor of these unknowns."""
    if rows == "drives":
        _demand_drives(model)
    program = _force_of_unknowns(model, unknowns, rows == "drives")
    Y = derive(program, ("unknowns",))
    _demand_linear(Y, unknowns)
    nothing = np.zeros(len(unknowns))
    Y = replace(fix_input(Y, "unknowns", nothing), name=f"{model.mechanism.name} regressor")
    Y = replace(Y, outputs=(replace(Y.outputs[0], name="Y", unit="SI"),))
    rest = fix_input(program, "unknowns", nothing)
    known = {i for u in unknowns for i in u.places}
    pattern = {i: x for i, x in model.pattern.items() if i not in known}
    make = {"table": model.mechanism.table, "pattern": pattern, "precision": model.precision}
    empty = all(rest.ops[i] == Op.CONST and rest.args[i][0] == 0.0 for i in rest.results)
    return Regressor(model, rows, unknowns, Function(Y, **make), None if empty else Function(rest, **make))


def _force_of_unknowns(model: "Model", unknowns: Sequence[Unknown], at_drives: bool) -> Program:
    mechanism = model.mechanism
    known = {i for u in unknowns for i in u.places}

    def force(parameters: Any, q: Any, v: Any, vdot: Any, **inputs: Any) -> dict[str, Any]:
        numbers, offsets = parameters.copy(), {}
        for unknown, x in zip(unknowns, inputs["unknowns"], strict=True):
            numbers[list(unknown.places)] = x
            offsets |= dict.fromkeys(unknown.entries, x)
        regrouped = regroup_inertia(Numbers(mechanism, numbers))
        return {"force": balanced_force(regrouped, q, v, vdot, offsets, at_drives)}

    slots = (*slots_of(mechanism, ("q", "v", "vdot")), Slot("unknowns", (len(unknowns),), "SI"))
    pattern = {i: x for i, x in model.pattern.items() if i not in known}
    return model.order_solves(
        trace(force, slots, f"{mechanism.name} force", {"parameters": pattern}, {"force": "N, N m"})
    )


def _demand_drives(model: "Model") -> None:
    layout = model.layout
    if not model.driven:
        raise UsageError(
            f"regressor: {model.robot.name} has fewer drives ({len(model.mechanism.drives)}) than freedoms ({model.mobility}), "
            "so that drives alone do not give a motion; use rows='freedoms'"
        )
    if layout.v_idle or layout.v_elastic:
        names = ", ".join(layout.v_names[layout.mobility :][:3])
        raise UsageError(
            f"regressor: drive forces of {model.robot.name} are not linear in masses, because freedoms that no drive leads "
            f"({names}) answer them; use rows='freedoms', which takes their accelerations"
        )


def _demand_linear(Y: Program, unknowns: Sequence[Unknown]) -> None:
    start = Y.input_offset("unknowns")
    used = {args[0] - start for op, args in zip(Y.ops, Y.args, strict=True) if op == Op.INPUT}
    mixed = [u.name for k, u in enumerate(unknowns) if k in used]
    widths = [name for name in mixed if name.endswith("smoothing")]
    if widths:
        raise UsageError(
            f"regressor: forces are not linear in {widths[0]}, a width within which friction turns round, which is described "
            "and not identified; name friction by '*.viscous' and '*.coulomb'"
        )
    if mixed:
        raise UsageError(
            f"regressor: forces are not linear in {', '.join(mixed[:6])}{', …' if len(mixed) > 6 else ''} together. Leave out "
            "some of them (a rest length beside its stiffness), or those that place joints"
        )
