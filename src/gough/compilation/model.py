"""`gough.Model`: a robot's structure now, its equations and code when first asked."""

import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from gough.compilation.catalogue import trace_entry
from gough.compilation.configuration_calls import ConfigurationCalls
from gough.compilation.dynamics_calls import DynamicsCalls
from gough.compilation.function import Function
from gough.compilation.geometry import Geometry
from gough.compilation.rotations import pose_array
from gough.compilation.sampling import sample_states
from gough.compilation.soundness import check_home, check_structure
from gough.errors import UsageError
from gough.program import Count, count
from gough.program.ops import Op
from gough.program.passes.order_solves import order_solves
from gough.robot import Robot, load
from gough.structure import Layout, Mechanism, build_structure


class Model(ConfigurationCalls, DynamicsCalls):
    """Dynamics of one robot. Make it with `gough.build`; it is thread-safe and can be pickled.

    robot: the description. layout: names, units and places in q and v. parameters (n,): the design as numbers.
    free: names of parameters that stay inputs although they are 0 or right angles.
    """

    def __init__(self, robot: Robot, free: Sequence[str] = ()) -> None:
        self.robot = robot
        self.free = tuple(free)
        self.mechanism: Mechanism = build_structure(robot)
        check_structure(self.mechanism)
        self.layout: Layout = self.mechanism.layout
        self.parameters = np.array(self.mechanism.table.values)
        self.parameters.setflags(write=False)
        self.pattern = self.mechanism.table.structural(self.free)
        self.drive_index = [self.mechanism.links[d.link].q for d in self.mechanism.drives]
        self._lock = threading.RLock()
        self._cache: dict[Any, Any] = {}
        self.size = _size(robot)
        self.home_pose = pose_array(robot.home.pose)
        self.geometry = Geometry(self)
        self.home = self.geometry.settle_home()
        self.home.setflags(write=False)
        check_home(self)

    def __repr__(self) -> str:
        return f"<gough.Model {self.robot.name}: {len(self.mechanism.legs)} legs, {len(self.mechanism.drives)} drives>"

    def __reduce__(self) -> tuple:
        return (Model, (self.robot, self.free))

    def cached(self, key: Any, make: Callable[[], Any]) -> Any:
        """The value behind `key`, made once."""
        with self._lock:
            if key not in self._cache:
                self._cache[key] = make()
            return self._cache[key]

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """Names of `parameters`."""
        return tuple(self.mechanism.table.names)

    def function(self, name: str) -> Function:
        """A function by name ("inverse_dynamics", …, "frame_pose:tool") with its program, counts and derivatives."""
        return self.cached(("function", name), lambda: self._make(name))

    def _make(self, name: str) -> Function:
        program = trace_entry(self.mechanism, name, self.pattern)
        if any(op == Op.BLOCK for op in program.ops) and np.isfinite(self.home).all():
            states = sample_states(self)
            columns = [np.broadcast_to(states[s.name], (len(states["q"]), s.size)) for s in program.inputs]
            program = order_solves(program, np.concatenate(columns, axis=1))
        return Function(program, self.mechanism.table, self.pattern)

    def count(self, name: str = "inverse_dynamics", baked: bool = False, friction: bool = True) -> Count:
        """Operations by the counting rules: no wrench, checks off; parameters as inputs, or `baked` as numbers."""
        fixed: dict[str, dict[int, float]] = {"wrench": dict.fromkeys(range(6), 0.0)}
        numbers = dict(enumerate(map(float, self.parameters))) | self.pattern if baked else dict(self.pattern)
        if not friction:
            names = self.mechanism.table.names
            numbers |= {i: 0.0 for i, n in enumerate(names) if ".friction." in n}
        return count(trace_entry(self.mechanism, name, numbers, fixed))

    def parameters_with(self, changes: Mapping[str, float | np.ndarray]) -> np.ndarray:
        """Parameters (..., n) of a changed design, {name: value or array (...)}."""
        values = [np.asarray(v, dtype=float) for v in changes.values()]
        batch = np.broadcast_shapes(*[v.shape for v in values]) if values else ()
        out = np.broadcast_to(self.parameters, (*batch, len(self.parameters))).copy()
        for name, value in zip(changes, values, strict=True):
            if name not in self.parameter_names:
                raise UsageError(f"no parameter {name!r}; see model.parameter_names or `gough show ROBOT --parameters`")
            out[..., self.parameter_names.index(name)] = value
        return out

    def pose_array(self, pose: Any) -> np.ndarray:
        """Pose (..., 7) from any accepted form."""
        return pose_array(pose)


def build(robot: Robot | str | Path, free: Sequence[str] = ()) -> Model:
    """Model of a robot (a description, a gallery name or a path).

    free: names of parameters that stay inputs although they are zero or a right angle (a trailing * matches a prefix),
    so that other designs may change them.
    """
    if isinstance(free, str):
        raise UsageError(f"free={free!r}; give a list of names, for instance free=[{free!r}]")
    return Model(robot if isinstance(robot, Robot) else load(robot), free)


def _size(robot: Robot) -> float:
    """Characteristic length (m): root mean square distance of the platform's cut points from their mean, at least a
    tenth of the base's, so that planar and pointed platforms have one too."""
    points = np.array([leg.on_platform.position for leg in robot.legs], dtype=float)
    base = np.array([leg.base.position for leg in robot.legs], dtype=float)
    spread = [float(np.sqrt(np.mean(np.sum((x - x.mean(axis=0)) ** 2, axis=1)))) for x in (points, base)]
    return max(spread[0], 0.1 * spread[1]) or 1.0
