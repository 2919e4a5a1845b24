"""The robot that a law computes with: not the one that runs, but what the law's maker knew of it.

Numbers   those of the description (`model.parameters`), unless `nominal=` gives others; what `simulate` changes of the robot
          that runs (parameters=, vary=) they do not follow. Those that differ are inputs of the compiled loop beside the law's
          settings; those that do not are read from the robot that runs, so that what follows from them is computed once. Numbers
          of another model are constants of the loop.
State     what is measured, by the names of coordinates and velocities; elastic coordinates that the robot does not have are
          straight. Where geometry differs, loops of the law's robot are closed at the measured independent coordinates.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.arguments import floats, is_number
from gough.dynamics.loops import Loops
from gough.dynamics.numbers import Numbers
from gough.dynamics.posture import Posture
from gough.dynamics.regrouping import regroup_inertia
from gough.errors import UsageError
from gough.model import Model
from gough.program.graph import INPUT
from gough.program.passes.outputs import remove_dead_code
from gough.scalar import zeros
from gough.simulation.coordinates import closed_coordinates

if TYPE_CHECKING:
    from gough.simulation.control.law import Law

Vector = np.ndarray
ACTUAL = "actual"
"""nominal= of a law that knows the robot that runs as it is."""
CLOSINGS = 3
"""Newton steps that close the loops of the law's robot, from the measured joints."""
FITS = 1e-6
"""Closure error, of the robot's size, that these steps may leave at the home of the robot that runs."""


@dataclass(frozen=True, eq=False)
class Measured:
    """The robot that runs, as its sensors tell it. numbers: inertias regrouped."""

    model: "Model"
    numbers: Numbers
    q: Vector
    v: Vector

    @cached_property
    def loops(self) -> Loops:
        """Loop closures and their solution at the measured q."""
        return Loops(Posture(self.numbers, self.q))

    @cached_property
    def rates(self) -> Vector:
        """Tree velocities u (nu,)."""
        return self.loops.rates(self.v)

    @property
    def drives(self) -> Vector:
        """Drive coordinates (drives,)."""
        return self.q[self.model.drive_index]

    @property
    def drive_rates(self) -> Vector:
        """Their rates (drives,)."""
        mechanism = self.model.mechanism
        return self.rates[[mechanism.links[d.link].u for d in mechanism.drives]]

    def show(self, name: str) -> Vector:
        """What a sensor shows (n,), by the name of its channel in a run: "accelerometer", or "accelerometer1" of several."""
        raise UsageError(
            f"sensors=: the controller asks for {name!r}; there is none: gough.laws.Sampled(law, period, sensors=…)"
        )

    @property
    def position(self) -> Vector:
        """Of the platform's origin (3,), world axes."""
        return self.q[:3]

    @property
    def rotation(self) -> Vector:
        """Of the platform (3, 3)."""
        return self.loops.posture.R_WP


@dataclass(frozen=True, eq=False)
class OwnRobot:
    """model: its structure. numbers (n,): its parameters, None for those of the robot that runs, whatever they are. of: the
    robot that runs. apart: places of the numbers that differ from those of the robots that run. closes: whether loops are closed
    anew. source: where the numbers are from, in words."""

    model: "Model"
    numbers: Vector | None
    of: "Model"
    apart: tuple[int, ...] = ()
    closes: bool = False
    source: str = "description"

    @property
    def inputs(self) -> Vector:
        """Numbers (n,) that the compiled loop is given beside the law's settings."""
        return np.zeros(0) if self.numbers is None or not self.same_structure else self.numbers[list(self.apart)]

    @property
    def same_structure(self) -> bool:
        """Whether it has the coordinates of the robot that runs."""
        return self.model.mechanism is self.of.mechanism

    def reference_numbers(self, design: Vector | None) -> Vector | None:
        """Parameters (n,) by which references are computed, None for the model's. design: of the robot that runs."""
        return design if self.numbers is None else self.numbers

    def state(self, measured: Measured, inputs: Vector) -> tuple[Numbers, Vector, Vector]:
        """(numbers, q, v) of the law's robot, of any scalar."""
        if self.numbers is None:
            return measured.numbers, measured.q, measured.v
        numbers = self.believed_numbers(measured, inputs)
        q, v = self.mapped_state(measured.q, measured.v, lambda: measured.rates)
        if self.closes:
            for _ in range(CLOSINGS):
                q = closed_coordinates(Loops(Posture(numbers, q)))
        return numbers, q, v

    def believed_numbers(self, measured: Measured, inputs: Vector) -> Numbers:
        """Numbers of the law's robot, inertias regrouped, of any scalar."""
        if self.numbers is None:
            return measured.numbers
        return regroup_inertia(self._mixed(measured, inputs) if self.same_structure else self._constants)

    def mapped_state(self, q: Vector, v: Vector, rates: Any) -> tuple[Vector, Vector]:
        """(q, v) of the law's robot from those that are measured, loops not closed; rates(): tree velocities measured."""
        if self.same_structure:
            return q, v
        own_q, own_v = zeros(self.model.layout.nq), zeros(self.model.layout.nv)
        for k, place in enumerate(self._places):
            own_q[k] = 0.0 if place is None else q[place]
        for k, name in enumerate(self.model.layout.v_names):
            if name in self.of.layout.v_names:
                own_v[k] = v[self.of.layout.v_names.index(name)]
            elif name in self.of.layout.u_names:
                own_v[k] = rates()[self.of.layout.u_names.index(name)]
        return own_q, own_v

    def first(self, q: Vector, v: Vector) -> tuple[Vector, Vector]:
        """`mapped_state` of plain numbers."""
        found = self.mapped_state(
            q, v, lambda: self.of.function("tree_rates").values(q=q, v=v, parameters=self.of.parameters)["u"]
        )
        return tuple(np.asarray(x, dtype=float) for x in found)  # type: ignore[return-value]

    def _mixed(self, measured: Measured, inputs: Vector) -> Numbers:
        parameters = np.array(measured.numbers.parameters, dtype=object)
        parameters[list(self.apart)] = inputs
        return Numbers(self.model.mechanism, parameters)

    @cached_property
    def _constants(self) -> Numbers:
        assert self.numbers is not None
        exact = self.numbers.copy()
        for k, value in self.model.pattern.items():  # angles that are right ones to rounding
            if self.numbers[k] == self.model.parameters[k]:
                exact[k] = value
        return Numbers(self.model.mechanism, np.array(list(map(float, exact)), dtype=object))

    @cached_property
    def _places(self) -> list[int | None]:
        """Place in the q of the robot that runs of every entry of the own q; None: straight."""
        known = {name: k for k, name in enumerate(self.of.layout.q_names)}
        return [known.get(name) for name in self.model.layout.q_names]

    def describe(self, design: Vector | None) -> dict[str, Any]:
        """What a run keeps about it. design (n,): parameters of the robot that runs, None for the description's."""
        out: dict[str, Any] = {"robot": self.model.robot.name, "numbers": self.source}
        if self.numbers is None or not self.same_structure:
            return out | ({} if self.same_structure else {"velocities": list(self.model.layout.v_names)})
        actual = self.of.parameters if design is None else design
        names, differ = self.model.parameter_names, np.flatnonzero(self.numbers != actual)
        return out | {"differs": {names[k]: {"believed": self.numbers[k], "actual": float(actual[k])} for k in differ}}


def own_robot(
    law: "Law", model: "Model", designs: Vector | None, described: "Model | None" = None, smooth: Any = None
) -> OwnRobot:
    """The robot of a law. designs (runs, n): of the robots that run, None for the model's. described: the model before its
    Coulomb friction was smoothed; smooth: does that to another model."""
    nominal, given = law.knows()
    if isinstance(nominal, str):
        return OwnRobot(model, None, model, source=ACTUAL)
    if given is not None and given is not model and given is not described:
        own = given if smooth is None else smooth(given)
        source = "another model" if nominal is None else "another model, given"
        made = OwnRobot(own, _numbers(own, given, nominal), model, (), bool(own.mechanism.rows), source)
        _demand_fit(made, law.sees_drives)
        return made
    numbers = _numbers(model, described or model, nominal)
    source = "description" if nominal is None else "given"
    rows = model.parameters[None] if designs is None else designs
    apart = (rows != numbers).any(axis=0)
    if not apart.any():
        return OwnRobot(model, None, model, source=source)
    places = tuple(map(int, np.flatnonzero(apart)))
    return OwnRobot(model, numbers, model, places, bool(apart[_geometry(model)].any()), source)


def plain_nominal(nominal: Any) -> Any:
    """nominal= as a law keeps it: None, "actual", {name: number} or (numbers, …)."""
    if nominal is None or (isinstance(nominal, str) and nominal == ACTUAL):
        return nominal
    wanted = (
        f"give {{parameter: number}}, all numbers of the model (as model.parameters_with makes them), or {ACTUAL!r}"
    )
    if isinstance(nominal, str):
        raise UsageError(f"nominal={nominal!r}: {wanted}")
    found: Any
    if isinstance(nominal, Mapping):
        good = all(isinstance(name, str) and is_number(x) for name, x in nominal.items())
        found = {name: float(x) for name, x in nominal.items()} if good else {}
    else:
        x = floats("nominal", nominal)
        found, good = tuple(map(float, x.ravel())), x.ndim == 1 and bool(np.isfinite(x).all())
    if not good:
        raise UsageError(f"nominal: not finite numbers of one robot; {wanted}")
    return found


def believed_parameters(model: "Model", nominal: Any) -> Vector:
    """Numbers (n,) of a law's model by nominal=; the description's where they are those of the robot that runs."""
    if isinstance(nominal, Mapping):
        return model.parameters_with(nominal)
    if nominal is None or isinstance(nominal, str) or len(nominal) != len(model.parameters):
        return np.array(model.parameters)
    return np.array(nominal, dtype=float)


def demand_own_model(given: Any, words: str = "") -> None:
    """UsageError where model= is none."""
    if given is not None and not isinstance(given, Model):
        raise UsageError(
            f"model={given!r}: give{words + ', or' if words else ''} a gough.Model (gough.build makes one)"
        )


def _numbers(model: "Model", described: "Model", nominal: Any) -> Vector:
    if nominal is None:
        return np.array(model.parameters)
    if isinstance(nominal, Mapping):
        return model.parameters_with(nominal)
    if len(nominal) != len(model.parameters):
        raise UsageError(f"nominal has {len(nominal)} numbers; {model.robot.name} has {len(model.parameters)}")
    widths = model.parameters != described.parameters
    return np.where(widths, model.parameters, np.array(nominal, dtype=float))


def _geometry(model: "Model") -> list[int]:
    """Places of the parameters that closures depend on."""
    program = remove_dead_code(model.function("closure_residual").program)
    begin = 0
    for slot in program.inputs:
        if slot.name == "parameters":
            break
        begin += slot.size
    used = {args[0] - begin for op, args in zip(program.ops, program.args, strict=True) if op == INPUT}
    return sorted(k for k in used if 0 <= k < len(model.parameters))


def _demand_fit(own: OwnRobot, by_drives: bool) -> None:
    """UsageError where what is measured on the robot that runs, or its drives alone, says nothing to the law's model."""
    mine, theirs = own.model, own.of
    who = f"model= of the controller ({mine.robot.name}) does not fit to {theirs.robot.name}"
    drives = [", ".join(x.layout.drive_names) or "none" for x in (mine, theirs)]
    if drives[0] != drives[1]:
        raise UsageError(
            f"{who}: its drives are {drives[0]}, not {drives[1]}; give one with the same names in the same order"
        )
    if by_drives:
        return
    bent = set(mine.layout.q_names[mine.layout.elastic])
    lost = [n for n, place in zip(mine.layout.q_names, own._places, strict=True) if place is None and n not in bent]
    if lost:
        shown = ", ".join(lost[:6]) + (" …" if len(lost) > 6 else "")
        raise UsageError(f"{who}: nothing measures its coordinates {shown}; give one whose joints have the same names")
    unseen = [n for n in mine.layout.v_names[: mine.mobility] if n not in theirs.layout.u_names]
    if unseen:
        raise UsageError(f"{who}: nothing measures its velocities {', '.join(unseen)}")
    q, _ = own.first(theirs.home, np.zeros(theirs.layout.nv))
    q = np.array(q, dtype=object)
    numbers = regroup_inertia(own._constants)
    for _ in range(CLOSINGS if own.closes else 0):
        q = closed_coordinates(Loops(Posture(numbers, q)))
    gap = float(mine.closure_error(np.asarray(q, dtype=float), own.numbers))
    if not gap < FITS:
        raise UsageError(
            f"{who}: at the home of {theirs.robot.name} its loops stay open by {gap:.2g} of its size; joints must count from the "
            "same zero, and geometry may differ by little only"
        )
