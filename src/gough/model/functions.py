"""From the catalogue's equations to functions: the one way in which programs of a robot are made.

"NAME@pose" takes pose (7), v, acceleration, … . Angles of the legs appear in it only through their sines and cosines, which
follow from the geometry without trigonometry.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from gough.compilation.function import Function
from gough.dynamics.catalogue import LOADS, Entry, FunctionKey, entry_of
from gough.dynamics.inverse import load_sizes
from gough.dynamics.legs.geometry import Branch, leg_joints
from gough.dynamics.numbers import Numbers
from gough.dynamics.regrouping import regroup_inertia
from gough.errors import Status
from gough.joints.springs import least_forces
from gough.locks import make_nested_lock
from gough.program import Program, Slot, trace
from gough.program.graph import TangentGraph
from gough.robot.item import Demand, spell_place
from gough.scalar import check, replay
from gough.structure import Mechanism, Structure
from gough.structure.alike import common_pattern
from gough.structure.parameters import ParameterTable

Fixed = Mapping[str, Mapping[int, float]]
"""Numbers of inputs, {slot: {entry: number}}."""
NOTHING = 1e-300
"""Below it a number is 0: what is above 0 is not below it."""


def no_load(mechanism: Mechanism) -> dict[str, dict[int, float]]:
    """Zeros for all that the surroundings may do, as `trace_entry` takes them."""
    return {slot: dict.fromkeys(range(n), 0.0) for slot, n in load_sizes(mechanism).items()}


def slots_of(structure: Mechanism, names: Sequence[str], loads: int = 0, prescribed: int = 0) -> tuple[Slot, ...]:
    """Input slots by name, parameters last; see `Entry` for loads and prescribed."""
    layout, outside = structure.layout, load_sizes(structure)
    sizes = {
        "q": (layout.nq, "m, 1, rad"),
        "v": (layout.nv, "m/s, rad/s"),
        "acceleration": (layout.mobility, "m/s2, rad/s2"),
        "vdot": (layout.nv, "m/s2, rad/s2"),
        "prescribed": (prescribed, "m/s2, rad/s2"),
        **{slot: (n, "N, N m") for slot, n in outside.items()},
        "tau": (len(structure.drives), "N, N m"),
        "drives": (len(structure.drives), "m, rad"),
        "pose": (layout.joints.start, "m, 1"),
        "loads": (loads, "N, N m"),
    }
    slots = [Slot(n, (sizes[n][0],), sizes[n][1]) for n in names if n in outside or n not in LOADS]
    return (*slots, Slot("parameters", (len(structure.table.names),), "SI", uniform=True))


def trace_entry(
    mechanism: Mechanism, key: FunctionKey, pattern: Mapping[int, float], fixed: Fixed | None = None
) -> Program:
    """Program of a function with structural parameters folded; `fixed` gives more inputs numbers."""
    entry = entry_of(mechanism, key)

    def run(parameters: Any, **inputs: Any) -> dict[str, Any]:
        return _equations(entry, mechanism, parameters)(**inputs)

    slots = slots_of(mechanism, entry.inputs, entry.loads, entry.prescribed)
    return trace(run, slots, f"{mechanism.name} {key}", _numbers(pattern, fixed), entry.units)


def trace_by_variables(
    mechanism: Mechanism,
    key: FunctionKey,
    names: Sequence[str],
    design: Sequence[float],
    demands: Sequence[Demand] = (),
) -> Program:
    """Program of a function of the variables called names: parameters without a formula are the numbers of the design. What is
    demanded of the numbers that follow variables, of masses and of springs' tables and polynomials is checked."""
    entry = entry_of(mechanism, key)

    def run(variables: Any, **inputs: Any) -> dict[str, Any]:
        values = dict(zip(names, variables, strict=True))
        parameters = parameters_by_formulas(mechanism.table, design, values)
        check_design(mechanism.table, parameters, demands, replay([d.number.node for d in demands], values))
        return _equations(entry, mechanism, parameters)(**inputs)

    slots = (
        *slots_of(mechanism, entry.inputs, entry.loads, entry.prescribed)[:-1],
        Slot("variables", (len(names),), "SI"),
    )
    return trace(run, slots, f"{mechanism.name} {key} of variables", {}, entry.units)


def parameters_by_formulas(table: ParameterTable, design: Sequence[float], values: Mapping[str, Any]) -> Any:
    """Parameters (n,) on any scalar: those with a formula of these variables, the others as the design has them."""
    parameters = np.array([float(x) for x in design], dtype=object)
    for place, x in zip(table.formulas, replay(list(table.formulas.values()), values), strict=True):
        parameters[place] = x
    return parameters


def check_design(table: ParameterTable, parameters: Any, demands: Sequence[Demand], found: Sequence[Any]) -> None:
    """Checks in a program of variables; found: values of the demands."""
    for demand, x in zip(demands, found, strict=True):
        least = 0.0 if demand.bound == "not negative" else NOTHING
        check(Status.DESIGN.at(spell_place(demand.place)), abs(x) if demand.bound == "not zero" else x, least)
    moved = table.formulas
    for i in table.of_kind("mass"):
        if i in moved:
            check(Status.DESIGN.at(table.names[i]), parameters[i], 0.0)
    for first, second in zip(*table.growing, strict=True):
        if first in moved or second in moved:
            check(Status.DESIGN.at(table.names[second]), parameters[second] - parameters[first], NOTHING)
    for own in table.cables:
        if not moved.keys().isdisjoint(own):
            name = table.names[own[0]].removesuffix(".c1")
            for least in least_forces([parameters[i] for i in own]):
                check(Status.DESIGN.at(name), least, 0.0)


def trace_posed(
    mechanism: Mechanism,
    key: FunctionKey,
    branches: Sequence[Branch],
    pattern: Mapping[int, float],
    fixed: Fixed | None = None,
) -> Program:
    """Program of NAME@pose, the joints of closed-form legs in these branches; `fixed` as for `trace_entry`."""
    entry = entry_of(mechanism, key)

    def run(pose: Any, parameters: Any, **inputs: Any) -> dict[str, Any]:
        joints = leg_joints(Numbers(mechanism, parameters), pose, branches)["joints"]
        return _equations(entry, mechanism, parameters)(q=np.concatenate([pose, joints]), **inputs)

    slots = slots_of(mechanism, ["pose" if n == "q" else n for n in entry.inputs], entry.loads, entry.prescribed)
    return trace(run, slots, f"{mechanism.name} {key}", _numbers(pattern, fixed), entry.units, TangentGraph())


def _equations(entry: Entry, mechanism: Mechanism, parameters: Any) -> Any:
    numbers = Numbers(mechanism, parameters)
    return partial(entry.equations, regroup_inertia(numbers) if entry.regroups else numbers)


def _numbers(pattern: Mapping[int, float], fixed: Fixed | None) -> dict[str, dict[int, float]]:
    values = {"parameters": dict(pattern)}
    for slot, numbers in (fixed or {}).items():
        values.setdefault(slot, {}).update(numbers)
    return values


@dataclass(frozen=True)
class UnledLinkage:
    """A structure in numbers, and its functions that need no choice of velocities, each made when first asked; thread-safe.

    parameters (n,): the design's; pattern: those that are structure; precision: of compiled code.
    """

    structure: Structure
    parameters: np.ndarray
    pattern: dict[int, float]
    precision: str = "fast"
    _made: dict[FunctionKey, Function] = field(default_factory=dict, init=False, repr=False, compare=False)
    _lock: Any = field(default_factory=make_nested_lock, init=False, repr=False, compare=False)

    def function(self, name: str | FunctionKey) -> Function:
        """A function by name or key."""
        key = FunctionKey.of(name)
        with self._lock:
            if key not in self._made:
                self._made[key] = self._make(key)
            return self._made[key]

    def _make(self, key: FunctionKey) -> Function:
        mechanism = self.structure.without_velocities()
        make, entry = partial(trace_entry, mechanism, key), entry_of(mechanism, key)
        assert entry.of_structure, f"{key} needs velocities"
        return Function(
            make(self.pattern),
            self.structure.table,
            self.pattern,
            interpreted=entry.interpreted,
            precision=self.precision,
            alike=lambda: make(common_pattern(self.structure, self.pattern)),
            unfolded=make,
        )

    def __getstate__(self) -> dict[str, Any]:
        return {name: x for name, x in self.__dict__.items() if name not in ("_made", "_lock")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        state["parameters"].setflags(write=False)
        self.__dict__.update(state, _made={}, _lock=make_nested_lock())
