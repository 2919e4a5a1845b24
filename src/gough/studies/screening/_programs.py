"""One program from the variables of a study to all numbers that the measures of a case need.

What ordinary calls do one after the other (parameters by their formulas, joints of the legs in closed form, functions of the
catalogue) is recorded together, so that a state costs its arithmetic alone: no parameters and no configuration are written.
Which functions and coordinates a measure needs is seen by evaluating it once.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.compilation.function import Function
from gough.dynamics.catalogue import LOADS, FunctionKey, entry_of
from gough.dynamics.legs.geometry import leg_joints
from gough.dynamics.numbers import Numbers
from gough.dynamics.regrouping import regroup_inertia
from gough.dynamics.twists import joint_points
from gough.errors import UsageError
from gough.model.functions import parameters_by_formulas, slots_of
from gough.program import Program, Slot, trace
from gough.program.ops import Op
from gough.program.passes.order_solves import order_solves
from gough.program.program import PIVOT
from gough.scalar import atan2, cos, replay, sin, variables_of
from gough.studies._closed_states import ClosedStates
from gough.studies.screening._sides import side_equations
from gough.studies.study.cases import StudyCase
from gough.studies.study.footprint import base_joints, seen_along
from gough.studies.study.measures import DesignMeasure, StateMeasure, mass_places
from gough.studies.study.variables import DesignSpace

if TYPE_CHECKING:
    from gough.model import Model

VARIED = "varied"
"""Input slot: the study's variables, in its order."""
SAMPLES, FLOOR = 256, 1e-6
"""States to which eliminations are fitted; smallest pivot over the median one."""
COORDINATES = "coordinates"
"""Output slot: entries of q."""


class _Columns:
    """Stands for q (n, nq) where quantities take columns of it; `asked` are those that were."""

    def __init__(self, values: Any, places: Mapping[int, int] | None = None) -> None:
        self.values, self.places, self.asked = values, places, {}

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, chosen: Any) -> Any:
        rows, columns = chosen
        self.asked |= dict.fromkeys(columns)
        if self.places is not None:
            columns = [self.places[k] for k in columns]
        return self.values[rows, columns]


@dataclass(frozen=True, eq=False)
class ScreenedStates:
    """States (n,) of a case as quantities see them: what programs computed, on any array module. found: {function: outputs}."""

    model: "Model"
    inputs: Mapping[str, Any]
    found: Mapping[FunctionKey, Mapping[str, Any]]

    @property
    def count(self) -> int:
        """n."""
        return len(self.inputs["q"])

    def evaluate(self, name: str | FunctionKey) -> Mapping[str, Any]:
        """Outputs (n, …) of a function."""
        return self.found[FunctionKey.of(name)]


@dataclass(eq=False)
class _Recording:
    """Real states that note what is asked of them; anything but functions of these states is refused."""

    states: ClosedStates
    functions: dict[FunctionKey, None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.model, self.count = self.states.model, self.states.count
        self.columns = _Columns(self.states.inputs["q"])
        self.inputs = {"q": self.columns}

    def evaluate(self, name: str | FunctionKey) -> Mapping[str, Any]:
        """Outputs of a function."""
        key = FunctionKey.of(name)
        entry_of(self.model.mechanism, key)
        self.functions[key] = None
        return self.states.evaluate(key)


@dataclass(frozen=True, eq=False)
class CaseProgram:
    """function: varied, pose, v, acceleration and loads → outputs "FUNCTION OUTPUT", `COORDINATES` and, of a motion, `SIDES`.
    keys: of the functions; entries: of q that are among the coordinates; rows: inputs (s, size) that all designs share."""

    case: StudyCase
    function: Function
    keys: tuple[FunctionKey, ...]
    entries: tuple[int, ...]
    rows: Mapping[str, np.ndarray]

    def states(self, outputs: Mapping[str, Any]) -> ScreenedStates:
        """Of outputs (n, …)."""
        q = _Columns(outputs[COORDINATES], {entry: k for k, entry in enumerate(self.entries)})
        found = {key: {} for key in self.keys}
        for key in self.keys:
            for name in entry_of(self.case.model.mechanism, key).units or outputs:
                if (slot := slot_name(key, name)) in outputs:
                    found[key][name] = outputs[slot]
        return ScreenedStates(self.case.model, {"q": q}, found)


def slot_name(key: FunctionKey, output: str) -> str:
    """Of a program's output."""
    return f"{key} {output}"


def case_program(space: DesignSpace, case: StudyCase, measures: Sequence[StateMeasure]) -> CaseProgram:
    """Of the measures that are taken in a case; UsageError that says why there is none."""
    model = space.model
    demand_formulas(space)
    if case.led:
        raise UsageError(f"case {case.name!r}: {case.led}")
    if case.follows is not None and case.follows.variables & set(space.names):
        raise UsageError(f"case {case.name!r}: its states follow the design")
    if case.kind != "pose" or not (model.geometry.legs_reach and model.geometry.by_legs):
        raise UsageError(f"case {case.name!r}: states are found by Newton steps, not in closed form")
    if None in model.assembly.kinds or model.locked is not None or model.layout.v_elastic:
        raise UsageError(f"case {case.name!r}: the robot is not one of rigid legs in closed form")
    if isinstance(case.wrench, Mapping):
        raise UsageError(f"case {case.name!r}: wrenches act at named frames")
    states = case.states_of(model.parameters[None]).states
    if not states.count:
        raise UsageError(f"case {case.name!r}: the described design does not take all states")
    noted = _Recording(states)
    for measure in measures:
        try:
            measure.quantity.evaluate(noted)  # pyright: ignore[reportArgumentType]
        except (AttributeError, TypeError, KeyError, IndexError) as problem:
            raise UsageError(f"{measure.name}: {measure.text!r} takes more than functions of a state") from problem
    keys, entries = tuple(noted.functions), tuple(noted.columns.asked)
    names = {n for key in keys for n in entry_of(model.mechanism, key).inputs}
    slots = slots_of(model.mechanism, ["pose", *(n for n in ("v", "acceleration", *LOADS) if n in names)])[:-1]
    program = trace(
        partial(case_equations, space, case, keys, entries),
        (Slot(VARIED, (len(space.variables),), "SI"), *slots),
        f"{model.robot.name} {case.name} by variables",
    )
    rows = {s.name: states.inputs[s.name] for s in slots if s.name != "pose"} | {"pose": case.position}
    program = fit_solves(space, program, rows)
    function = Function(program, model.mechanism.table, {}, precision=model.precision)
    return CaseProgram(case, function, keys, entries, rows)


def fit_solves(space: DesignSpace, program: Program, rows: Mapping[str, np.ndarray]) -> Program:
    """The program with its eliminations ordered for designs of the space in the states of a case. Their floors are low, as
    residuals are checked besides: every state below them is looked at twice."""
    if not any(op == Op.BLOCK for op in program.ops) and not any(c.minimum == PIVOT for c in program.checks):
        return program
    rng, count = np.random.default_rng(0), max(len(x) for x in rows.values())
    at = rng.integers(count, size=SAMPLES)
    given = {name: np.broadcast_to(x, (count, x.shape[1]))[at] for name, x in rows.items()}
    given[VARIED] = space.settle(rng.uniform(space.lower, space.upper, (SAMPLES, len(space.variables))))
    return order_solves(program, np.concatenate([given[s.name] for s in program.inputs], axis=1), FLOOR)


def demand_formulas(space: DesignSpace) -> None:
    """UsageError where numbers that are folded, or made by elements, follow what is varied."""
    model, names = space.model, set(space.names)
    for variable in names & set(model.variables.names):
        moved = set(model.moved_parameters(variable))
        if not moved <= {model.parameter_names[i] for i in model.mechanism.table.formulas}:
            raise UsageError(f"{variable}: elements of flexible bodies follow it, and have no formulas")
    for i in model.pattern:
        node = model.mechanism.table.formulas.get(i)
        if node is not None and names & set(variables_of([node])):
            raise UsageError(f"{model.parameter_names[i]} is 0 or a right angle by structure, and follows a variable")


def parameters_at(space: DesignSpace, varied: Any, added: np.ndarray | None = None) -> tuple[Any, dict[str, Any]]:
    """(parameters (n,), values of all variables) on any scalar, what is varied given (k,)."""
    model = space.model
    given = dict(zip(space.names, varied, strict=True))
    known = dict(zip(model.variables.names, model.variables.values.tolist(), strict=True))
    values = {name: given.get(name, x) for name, x in known.items()}
    parameters = parameters_by_formulas(model.mechanism.table, model.parameters.tolist(), values)
    if added is not None:
        for i in np.flatnonzero(added):
            parameters[i] = parameters[i] + float(added[i])
    for i, x in model.pattern.items():
        parameters[i] = float(x)
    return parameters, values


def case_equations(
    space: DesignSpace, case: StudyCase, keys: Sequence[FunctionKey], entries: Sequence[int], varied: Any, **inputs: Any
) -> dict[str, Any]:
    """Outputs of functions by slot, entries of q as `COORDINATES`, and `SIDES` where drives must hold; of traced scalars."""
    model = space.model
    parameters, _ = parameters_at(space, varied, case.added)
    numbers, pose = Numbers(model.mechanism, parameters), inputs.pop("pose")
    q = _counted_turns(model, np.concatenate([pose, leg_joints(numbers, pose, model.assembly.branches)["joints"]]))
    regrouped = regroup_inertia(numbers)

    def evaluate(key: FunctionKey) -> Mapping[str, Any]:
        entry = entry_of(model.mechanism, key)
        given = {"q": q} | {n: inputs[n] for n in entry.inputs if n in inputs}
        return entry.equations(regrouped if entry.regroups else numbers, **given)

    found = {slot_name(key, name): x for key in keys for name, x in evaluate(key).items()}
    sides = side_equations(model, evaluate(FunctionKey.of("drive_map"))["S"]) if case.must_be_held else {}
    return found | {COORDINATES: q[list(entries)]} | sides


def _counted_turns(model: "Model", q: Any) -> Any:
    """Coordinates (nq,) with cranks as calls count them: within half a turn of home. A closed form jumps by whole turns."""
    legs = model.geometry.led_legs
    turning = legs.cranks[legs.closed.angular(legs.cranks)]
    for k in legs.closed.lead + turning:
        home = float(model.home[k])
        off = q[k] - home
        q[k] = home + atan2(sin(off), cos(off))
    return q


@dataclass(frozen=True, eq=False)
class DesignProgram:
    """function: varied → "moved" (parameters that follow what is varied), "bounded" (numbers with demands), "mass" and "points"
    (base joints, 3), as far as measures need them; bounds: what is demanded of each bounded number."""

    function: Function
    bounds: tuple[str, ...]
    flat: np.ndarray


def design_program(space: DesignSpace, measures: Sequence[DesignMeasure]) -> DesignProgram:
    """What follows from a design alone. UsageError that says why there is no program."""
    model, kinds = space.model, {m.kind for m in measures}
    demand_formulas(space)
    joints = base_joints(model) if "footprint" in kinds else []
    masses = mass_places(model) if "mass" in kinds else []
    formulas, names = model.mechanism.table.formulas, set(space.names)
    moved = [i for i, node in formulas.items() if names & set(variables_of([node])) and i not in model.pattern]

    def run(varied: Any) -> dict[str, Any]:
        parameters, values = parameters_at(space, varied)
        found: dict[str, Any] = {"moved": parameters[moved]}
        if model.demands:
            found["bounded"] = replay([d.number.node for d in model.demands], values)
        if masses:
            found["mass"] = sum(parameters[i] for i in masses)
        if joints:
            points = joint_points(Numbers(model.mechanism, parameters), np.array(model.home, dtype=object))["joints"]
            found["points"] = points[joints]
        return found

    program = trace(run, (Slot(VARIED, (len(space.variables),), "SI"),), f"{model.robot.name} design by variables")
    function = Function(program, model.mechanism.table, {}, precision=model.precision)
    return DesignProgram(function, tuple(d.bound for d in model.demands), seen_along(model))
