"""A closed robot whose design moves: values of its functions at states, and gradients by the design backwards through them.

What is held: the coordinates that v leads, v itself, accelerations and wrenches at their frames; the loops are closed again
(`model.tangent`). A wrench w at a frame does w · twist(q, z; p) of power along velocities z: that is how a held wrench acts on
another design, whose frame has another lever.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.compilation.function import Function
from gough.dynamics.catalogue import LOADS, FunctionKey
from gough.dynamics.inverse import load_sizes
from gough.model.external import external_load, on_platform
from gough.model.functions import slots_of
from gough.model.tangent import tangent_derivation, tangent_derivative
from gough.program import Program, trace
from gough.program.passes.inputs import fold_entries

if TYPE_CHECKING:
    from gough.model import Model

Arrays = Mapping[str, np.ndarray]


@dataclass(frozen=True)
class ClosedStates:
    """States (n,) of a model without locks: inputs, {slot: (n, size)} with the load of all wrenches; parameters: the design (m,),
    or designs (d, m) with n / d states each, one design's after the other's. wrench: {frame: (n, 6)} those at named frames,
    direct: {slot: (n, size)} the load without them; found: what quantities keep. unbent: forces of inverse dynamics are those of
    bodies that do not bend (`unbent_dynamics`)."""

    model: "Model"
    inputs: Arrays
    parameters: np.ndarray
    wrench: Arrays = field(default_factory=dict)
    direct: Arrays = field(default_factory=dict)
    found: dict[Any, Any] = field(default_factory=dict, compare=False, repr=False)
    unbent: bool = False

    @property
    def count(self) -> int:
        """n."""
        return len(self.inputs["q"])

    def _meant(self, name: str | FunctionKey) -> FunctionKey:
        key = FunctionKey.of(name)
        return FunctionKey("unbent_dynamics") if self.unbent and key.kind == "inverse_dynamics" else key

    def design_of(self, state: int) -> np.ndarray:
        """The design (m,) of a state, counted from 0."""
        if self.parameters.ndim == 1:
            return self.parameters
        return self.parameters[state * len(self.parameters) // self.count]

    def of_design(self, k: int) -> "ClosedStates":
        """The states of design k alone."""
        n = self.count // len(self.parameters)

        def own(x: Arrays) -> dict[str, np.ndarray]:
            return {name: rows[k * n : (k + 1) * n] for name, rows in x.items()}

        parts = (own(x) for x in (self.wrench, self.direct))
        return ClosedStates(self.model, own(self.inputs), self.parameters[k : k + 1], *parts, unbent=self.unbent)

    def repeat(self, times: int) -> "ClosedStates":
        """One design's states, all of them again and again, with what was found of them."""
        assert self.parameters.ndim == 1 or len(self.parameters) == 1
        inputs, wrench, direct = (
            {name: np.tile(x, (times, 1)) for name, x in part.items()}
            for part in (self.inputs, self.wrench, self.direct)
        )
        found = {key: _repeat(own, times) for key, own in self.found.items()}
        return ClosedStates(self.model, inputs, self.parameters, wrench, direct, found, self.unbent)

    def evaluate(self, name: str | FunctionKey, **more: np.ndarray) -> dict[str, np.ndarray]:
        """Outputs (n, …) of a function, NaN at states that are bad."""
        key = self._meant(name)
        if more:
            return self.call(self.model.function(key), more)
        if key not in self.found:
            self.found[key] = self.call(self.model.function(key))
        return self.found[key]

    def pull(self, name: str | FunctionKey, bars: Arrays, also: tuple[str, ...] = (), **more: np.ndarray) -> Arrays:
        """{slot: (n, size)}: gradients of Σ bars · outputs by "parameters", with the loops closed again, and by the slots `also`.
        Outputs without bars count nothing. What wrenches at frames change is in the former, not in that by q."""
        key = self._meant(name)
        program = self.model.function(key).program
        slots = [s.name for s in program.inputs if s.name in LOADS and s.name not in more] if self.wrench else []
        wanted = (*also, *(slot for slot in slots if slot not in also))
        f = tangent_derivative(self.model, key, ("parameters", *wanted), "vjp", closing=True)
        weights = {
            f"bar_{s.name}": np.asarray(bars.get(s.name, np.zeros((self.count, *s.shape))), dtype=float)
            for s in program.outputs
        }
        found = self.call(f, more, weights)
        out = {slot: found[f"bar_{slot}"] for slot in ("parameters", *also)}
        for frame, value in self.wrench.items() if slots else ():
            out["parameters"] = out["parameters"] + self._pull_load(frame, value, found)
        return out

    def pull_coordinates(self, entries: tuple[int, ...], weights: np.ndarray) -> np.ndarray:
        """Gradients (n, parameters) of Σ weights (n, k) · entries of q."""
        f = self.model.cached(("pulled coordinates", entries), lambda: _pulled(self.model, entries))
        return self.call(f, {"bar_coordinates": weights})["bar_parameters"]

    def _pull_load(self, frame: str, value: np.ndarray, found: Arrays) -> np.ndarray:
        """Gradients (n, parameters) by what a wrench (n, 6) at a frame gives, of the gradients `found` by its slot."""
        mechanism = self.model.mechanism
        if mechanism.has_platform and on_platform(self.model, frame):
            bar = np.cross(value[:, :3], found["bar_wrench"][:, 3:])  # moment r x f of the lever
            moved = self.pull(f"frame_pose:{frame}", {"position": bar})["parameters"]
            return moved - self.pull_coordinates((0, 1, 2), bar)
        slot = "force" if "force" in load_sizes(mechanism) else "wrench"
        return self.pull(f"frame_twist:{frame}", {"twist": value}, v=found[f"bar_{slot}"])["parameters"]

    def call(self, f: Function, *more: Arrays) -> dict[str, np.ndarray]:
        """Outputs (n, …) of a function whose inputs are those of the states, or in `more` ({slot: (n, …)})."""
        known = dict(self.inputs)
        for own in more:
            known |= own
        given = {s.name: known[s.name] for s in f.program.inputs if s.name != "parameters"}
        if self.parameters.ndim == 1:
            return f(**given, parameters=self.parameters).outputs
        d = len(self.parameters)
        rows = {name: x.reshape(d, len(x) // d, *x.shape[1:]) for name, x in given.items()}
        found = f(**rows, parameters=self.parameters[:, None]).outputs
        return {name: x.reshape(self.count, *x.shape[2:]) for name, x in found.items()}


def closed_states(model: "Model", given: Arrays, wrench: Any) -> tuple[ClosedStates, tuple[int, ...]]:
    """(states as rows, the batch (...) they were given in) of inputs {slot: (..., size)} and wrenches as calls take them."""
    at_frames = dict(wrench) if isinstance(wrench, Mapping) else {}
    rows = {frame: np.asarray(w, dtype=float) for frame, w in at_frames.items()}
    total = external_load(model, given["q"], wrench, model.parameters)
    direct = external_load(model, given["q"], None if at_frames else wrench, model.parameters)
    batch = np.broadcast_shapes(*(x.shape[:-1] for x in (*given.values(), *total.values(), *rows.values())))

    def spread(x: np.ndarray) -> np.ndarray:
        return np.ascontiguousarray(np.broadcast_to(x, (*batch, x.shape[-1]))).reshape(-1, x.shape[-1])

    inputs, apart, plain = (
        {name: spread(x) for name, x in part.items()} for part in ({**given, **total}, rows, direct)
    )
    return ClosedStates(model, inputs, model.parameters, apart, plain), batch


def _repeat(found: Any, times: int) -> Any:
    """What was found of states, of repeated ones: outputs by name, or a list with an entry a state."""
    if isinstance(found, list):
        return found * times
    return {name: np.tile(x, (times, *(1 for _ in x.shape[1:]))) for name, x in found.items()}


def _pulled(model: "Model", entries: tuple[int, ...]) -> Function:
    def equations(q: Any, parameters: Any) -> dict[str, Any]:
        return {"coordinates": q[list(entries)]}

    program: Program = trace(equations, slots_of(model.mechanism, ("q",)), "coordinates", {"parameters": {}})
    made = tangent_derivation(model, program, ("parameters",), closing=True).vjp()
    made = fold_entries(made, "parameters", model.pattern)
    return Function(made, model.mechanism.table, model.pattern, precision=model.precision)
