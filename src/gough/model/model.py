"""`gough.Model`: a robot's finished stages, its equations and code when first asked."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Self

import numpy as np

from gough.arguments import Kind, a_robot, checked, flag, instance, nothing, path, word, words
from gough.compilation.function import Function
from gough.compilation.narrow import NarrowFunction
from gough.dynamics.catalogue import FunctionKey, entry_of
from gough.errors import UsageError
from gough.frozen import FrozenDict, lock_arrays
from gough.interchange import load
from gough.kinematics.assembly import assemble
from gough.kinematics.closed_form_legs import leg_kinds
from gough.kinematics.geometry import Geometry
from gough.kinematics.linkage import Assembly
from gough.kinematics.locking import lock
from gough.kinematics.sampling import sample_states
from gough.kinematics.selecting import pattern_of, redundant_closures, reselected_mechanism, select, with_all_free
from gough.locks import make_nested_lock
from gough.model._configuration_calls import ConfigurationCalls
from gough.model._design_numbers import DesignCalls
from gough.model._dynamics_calls import DynamicsCalls
from gough.model._frame_calls import FrameCalls
from gough.model._loop_doubts import tell_redundant
from gough.model.functions import UnledLinkage, no_load, trace_entry, trace_posed
from gough.model.locks import keeps_locks
from gough.model.sharing import share_kernels
from gough.model.soundness import (
    check_free_friction,
    check_model,
    check_options,
    check_structure,
    demand_determined,
    no_pose,
    tell_idle,
)
from gough.program import Count, Program, count
from gough.program.ops import Op
from gough.program.passes.order_solves import order_solves
from gough.program.program import PIVOT
from gough.progress import doing
from gough.robot import Robot
from gough.spatial.poses import pose_array
from gough.structure import Layout, Mechanism, Structure, build_structure
from gough.structure.alike import common_pattern
from gough.structure.following import demand_following

VELOCITIES = Kind("'platform', 'drives', 'any' or a list of names", (word | words).take)


PER_PROCESS = ("_cache", "_lock", "_straight", "like")
"""What a model does not take along when it is pickled."""


@dataclass(frozen=True, eq=False, repr=False)
class Model(ConfigurationCalls, FrameCalls, DynamicsCalls, DesignCalls):
    """Dynamics of one robot. Make it with `gough.build`; it does not change, is thread-safe and can be pickled.

    robot: the description. layout: names, units and places in q and v. parameters (n,): the design as numbers.
    free: names of parameters that stay inputs although they are 0 or right angles. velocities: "platform", "drives" or
    names, the description's choice of v or another. precision: of compiled code, "fast" or "ieee" (see `Function`).
    linkage, assembly, mechanism: the stages it is made of. asked: velocities that were asked for, instead of the description's;
    sampled: where others lead it, configurations (n, nq) in which they do. locks: False leaves out what geometry locks.
    """

    robot: Robot
    linkage: UnledLinkage
    assembly: Assembly
    mechanism: Mechanism
    free: tuple[str, ...] = ()
    asked: str | Sequence[str] | None = None
    sampled: np.ndarray | None = None
    locks: bool = True
    like: "Model | None" = field(default=None, init=False)
    """Of the same structure, with other numbers: its code, of which numbers are inputs, serves this one, too."""
    _cache: dict[Any, Any] = field(default_factory=dict, init=False)
    _lock: Any = field(default_factory=make_nested_lock, init=False)
    _straight: dict[Any, Any] = field(default_factory=dict, init=False)

    @property
    def structure(self) -> Structure:
        """The structure, whatever leads it."""
        return self.mechanism

    @property
    def locked(self) -> Mechanism | None:
        """The mechanism with velocities that geometry locks as structure; None where nothing is, or it would not pay."""
        if not self.locks:
            return None
        return self.cached("locked", lambda: lock(self.linkage, self.assembly, self.mechanism))

    @property
    def unlocked(self) -> "Model":
        """The same without that: for all designs and branches."""
        return self if self.locked is None else self.cached("unlocked", lambda: replace(self, locks=False))

    @property
    def velocities(self) -> str | Sequence[str] | None:
        """What was asked to lead it, else what the description says."""
        return self.robot.velocities if self.asked is None else self.asked

    @property
    def parameters(self) -> np.ndarray:
        """The design as numbers (n,)."""
        return self.linkage.parameters

    @property
    def pattern(self) -> dict[int, float]:
        """{parameter: value} of those that are structure."""
        return self.linkage.pattern

    @property
    def precision(self) -> str:
        """Of compiled code."""
        return self.linkage.precision

    @property
    def size(self) -> float:
        """The robot's characteristic length (m)."""
        return self.mechanism.length

    @property
    def geometry(self) -> Geometry:
        """Configurations at platform poses."""
        return Geometry(self)

    @property
    def home(self) -> np.ndarray:
        """The configuration at home (nq,)."""
        return self.assembly.home

    @property
    def null_space(self) -> np.ndarray:
        """Free motions at home (nu, mobility), scaled."""
        return self.assembly.free_motions[0]

    @property
    def sampled_states(self) -> dict[str, np.ndarray]:
        """{slot: (n, size)} of assembled states around home; orders of elimination and scales of pivots are fitted to them."""

        def made() -> dict[str, np.ndarray]:
            return sample_states(self.linkage, self.assembly, self.mechanism, self.sampled)

        return (self.like or self).cached("sampled states", made)

    @property
    def drive_index(self) -> list[int]:
        """Positions of the drive coordinates in q."""
        return self.mechanism.drive_index

    @property
    def layout(self) -> Layout:
        """Names, units and places in q and v."""
        return self.mechanism.layout

    @property
    def home_pose(self) -> np.ndarray:
        """The platform's pose at home (7,)."""
        return self.home[:7]

    @property
    def mobility(self) -> int:
        """Number of independent velocities that motions lead, idle and elastic rates not counted."""
        return self.layout.mobility

    @property
    def driven(self) -> bool:
        """Whether there is a drive for every freedom (else there is no inverse dynamics)."""
        return len(self.mechanism.drives) >= self.mobility

    @property
    def redundant_closures(self) -> tuple[str, ...]:
        """Closures that follow from the others and are left out, by name."""
        return redundant_closures(self.mechanism)

    def __repr__(self) -> str:
        loops, drives = len(self.mechanism.cuts), len(self.mechanism.drives)
        coupled = f", {len(self.mechanism.couplings)} couplings" if self.mechanism.couplings else ""
        return f"<gough.Model {self.robot.name}: mobility {self.mobility}, {loops} loops{coupled}, {drives} drives>"

    def __getstate__(self) -> dict[str, Any]:
        return {name: x for name, x in self.__dict__.items() if name not in PER_PROCESS}

    def __setstate__(self, state: dict[str, Any]) -> None:
        lock_arrays([*vars(state["assembly"]).values(), state["sampled"]])
        self.__dict__.update(state, _cache={}, _lock=make_nested_lock(), _straight={}, like=None)

    def cached(self, key: Any, make: Callable[[], Any]) -> Any:
        """The value behind `key`, made once."""
        with self._lock:
            if key not in self._cache:
                self._cache[key] = make()
            return self._cache[key]

    @checked(
        robot=a_robot | path | nothing, free=words | nothing, velocities=VELOCITIES | nothing, precision=word | nothing
    )
    def with_(
        self,
        *,
        robot: Robot | str | Path | None = None,
        free: Sequence[str] | None = None,
        velocities: str | Sequence[str] | None = None,
        precision: str | None = None,
    ) -> "Model":
        """Another model, of which what is not given is as in this one; arguments as for `gough.build`.

        With other velocities or another precision alone, the robot stays assembled as it is.
        """
        check_options(() if free is None else free, velocities, self.precision if precision is None else precision)
        linkage = self.linkage if precision is None else replace(self.linkage, precision=precision)
        if robot is not None or free is not None:
            new = self.robot if robot is None else robot if isinstance(robot, Robot) else load(robot)
            asked = self.asked if velocities is None else velocities
            return assemble_model(new, self.free if free is None else tuple(free), asked, linkage.precision)
        if velocities is None:
            return replace(self, linkage=linkage)
        mechanism = select(linkage, self.assembly, velocities, self.robot.idle)
        return check_model(Model(self.robot, linkage, self.assembly, mechanism, self.free, velocities))

    def led_by(self, independent: Sequence[int], around: np.ndarray) -> Self:
        """The same robot with other independent velocities v: columns of u (see layout.u_names), elastic ones last.

        around (n, nq): configurations in which they determine the others; at home they need not.
        """

        def made() -> Self:
            pattern = pattern_of(self.mechanism, self.function("closure_rows").program)
            return replace(self, mechanism=reselected_mechanism(self.mechanism, pattern, independent), sampled=around)

        return self.cached(("led by", tuple(independent)), made)

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """Names of `parameters`."""
        return self.mechanism.table.names

    @checked(
        name=word | instance("gough.dynamics.catalogue.FunctionKey", "a function's key"), baked=flag, variables=flag
    )
    def function(self, name: str | FunctionKey, baked: bool = False, variables: bool = False) -> Function:
        """A function by name ("inverse_dynamics", …, "frame_pose:tool") with its program, counts and derivatives.

        "NAME@pose" takes the platform's pose (7) instead of q where all legs have closed forms (in home's branches).
        baked: this design's parameters as numbers in the code: a little faster, and no other design is taken. variables: the
        description's variables (see `variables`) are an input in the place of parameters; what does not follow them is numbers.
        """
        key = FunctionKey.of(name)
        if key.kind == "hybrid_dynamics":
            demand_determined(self, key.frames)
        if variables:
            return self.cached(("function", key, "variables"), lambda: self._function_of_variables(key, baked))
        return self.cached(("function", key, baked), lambda: self._make(key, baked))

    def _make(self, key: FunctionKey, baked: bool) -> Function:
        if self.like is not None and not baked:
            return share_kernels(self.like.function(key), self.mechanism.table)
        entry = entry_of(self.mechanism, key)
        if entry.of_structure and not key.of_pose and not baked:
            return self.linkage.function(key)
        pattern = self._baked if baked else self.pattern

        def program(zeros: dict[int, float]) -> Program:
            return self.order_solves(self.traced(key, zeros))

        made = program(pattern), self.mechanism.table, pattern
        alike = None if baked else lambda: program(common_pattern(self.mechanism, self.pattern))
        if self._mechanism_of(key) is not self.mechanism:
            whole = partial(self.unlocked.function, key, baked)
            return NarrowFunction(*made, partial(keeps_locks, self), whole, self.precision, alike)
        unfolded = partial(self.unfolded, key)
        return Function(*made, entry.interpreted, self.precision, alike, unfolded)

    @property
    def _baked(self) -> dict[int, float]:
        """All parameters as numbers."""
        return dict(enumerate(map(float, self.parameters))) | self.pattern

    def traced(
        self, key: FunctionKey, numbers: dict[int, float], fixed: dict[str, dict[int, float]] | None = None
    ) -> Program:
        """Program of a function with parameters that are `numbers`; `fixed` as for `trace_entry`."""
        if not key.of_pose:
            return trace_entry(self._mechanism_of(key), key, numbers, fixed)
        if not self.geometry.by_legs or None in self.assembly.kinds:
            raise UsageError(f"{key}: {no_pose(self)}")
        return trace_posed(self.mechanism, key, self.assembly.branches, numbers, fixed)

    def _mechanism_of(self, key: FunctionKey) -> Mechanism:
        """What a function is written for: without what geometry locks, where it makes use of that."""
        uses = not key.of_pose and entry_of(self.mechanism, key).locks
        return (self.locked if uses else None) or self.mechanism

    def unfolded(
        self, name: str | FunctionKey, kept: Mapping[int, float], fixed: dict[str, dict[int, float]] | None = None
    ) -> Program:
        """Program of a function in which no parameter is folded but those `kept`; `fixed` as for `trace_entry`.

        Derivatives by parameters begin with it: folding a zero first would lose its derivative.
        """
        key = FunctionKey.of(name)
        if key.of_pose:
            raise UsageError(
                f"{key}: closed forms of the legs hold only while axes meet or are parallel, so there is no derivative by "
                f"these parameters. Use {str(key.of_q)!r} with q = model.configuration(pose=...), which holds q"
            )
        closures = partial(trace_entry, self.mechanism, FunctionKey("closure_rows"), {})
        mechanism = self.cached("all free", lambda: with_all_free(self.mechanism, closures()))
        return self.order_solves(trace_entry(mechanism, key, dict(kept), fixed))

    def order_solves(self, program: Program) -> Program:
        """The program with the elimination orders of its solves fitted to sampled states."""
        if not any(op == Op.BLOCK for op in program.ops) and not any(c.minimum == PIVOT for c in program.checks):
            return program
        states = {**self.sampled_states, "variables": self.variables.values[None]}
        n = len(states["q"])
        columns = [
            np.broadcast_to(states.get(s.name, np.ones((1, s.size)))[:, : s.size], (n, s.size)) for s in program.inputs
        ]
        return order_solves(program, np.concatenate(columns, axis=1))

    @checked(name=word, baked=flag, friction=flag)
    def count(self, name: str = "inverse_dynamics", baked: bool = False, friction: bool = True) -> Count:
        """Operations by the counting rules: no wrench, checks off; parameters as inputs, or `baked` as numbers."""
        if name == "inverse_dynamics" and not self.driven:
            raise UsageError(f"{self.robot.name} has fewer drives than freedoms: there is no inverse dynamics to count")
        numbers = self._baked if baked else dict(self.pattern)
        if not friction:
            numbers |= dict.fromkeys(self.mechanism.table.of_kind("friction"), 0.0)
        return count(self.order_solves(self.traced(FunctionKey.of(name), numbers, no_load(self.mechanism))))

    def export(self, function: str, folder: str | Path = ".", target: str = "c", **options: Any) -> Any:
        """Write a function as C or CUDA source with a test driver; options as in `gough.export.export`."""
        from gough.export import export

        return export(self, function, folder, target, **options)

    def view(self, **options: Any) -> Any:
        """Show the robot in the browser; options as in `gough.view`. Returns the viewer, which runs in the background."""
        from gough.viewer import view

        return view(self, **options)

    def pose_array(self, pose: Any) -> np.ndarray:
        """Pose (..., 7) from any accepted form."""
        return pose_array(pose)


@checked(robot=a_robot | path, free=words, velocities=VELOCITIES, precision=word)
def build(
    robot: Robot | str | Path,
    free: Sequence[str] = (),
    velocities: str | Sequence[str] | None = None,
    precision: str = "fast",
) -> Model:
    """Model of a robot (a description, a gallery name or a path).

    free: names of parameters that stay inputs although they are zero or a right angle (a trailing * matches a prefix),
    so that other designs may change them. velocities: the independent velocities v, "platform", "drives" or names of
    rates (see model.layout.u_names); default: the description's, else the platform's twist, else the drives; idle ones, which
    no drive moves, are found and stand after them. precision:
    "fast" (reciprocals to 1–2 units in the last place) or "ieee" (divisions and roots of compiled code correctly rounded).
    """
    check_options(free, velocities, precision)
    return assemble_model(robot if isinstance(robot, Robot) else load(robot), tuple(free), velocities, precision)


def assemble_model(
    robot: Robot, free: tuple[str, ...], velocities: str | Sequence[str] | None, precision: str
) -> Model:
    """The stages one after the other: Robot → Structure → Assembly → Mechanism → Model."""
    with doing(f"building {robot.name}"):
        return _in_stages(robot, free, velocities, precision)


def _in_stages(robot: Robot, free: tuple[str, ...], velocities: str | Sequence[str] | None, precision: str) -> Model:
    structure = check_structure(demand_following(robot, build_structure(robot)))
    pattern = FrozenDict(structure.table.structural(free))
    check_free_friction(structure, pattern)
    parameters = np.array(structure.table.values)
    parameters.setflags(write=False)
    linkage = UnledLinkage(structure, parameters, pattern, precision)
    assembly = assemble(linkage, robot, leg_kinds(structure, pattern))
    mechanism = select(linkage, assembly, robot.velocities if velocities is None else velocities, robot.idle)
    model = check_model(Model(robot, linkage, assembly, mechanism, free, velocities))
    tell_idle(model)
    tell_redundant(model)
    return model
