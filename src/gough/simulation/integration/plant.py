"""The equations a time loop integrates, in traced scalars: rates of q and v, or the residual that implicit methods solve.

Free drives      M v̇ + h = S τ + Q, τ by the law; unknown z = v̇, then the rates of the law's own states.
Prescribed ones  v = (drive rates, elastic rates) and the motion gives the first: z = ë, τ is what is left of the equations.
The works of the drives, of losses and of wrenches Q run along as three more rates, so that every run has its energy balance.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.dynamics.energies import energies
from gough.dynamics.forward import forward_dynamics
from gough.dynamics.inverse import NONE, check_slack_velocities, load_sizes, needed_force
from gough.dynamics.loops import Loops
from gough.dynamics.mass_matrix import mass_matrix
from gough.dynamics.numbers import Numbers
from gough.dynamics.posture import Posture
from gough.dynamics.projection import drive_columns
from gough.dynamics.rates import rate_of_q
from gough.dynamics.regrouping import regroup_inertia
from gough.dynamics.validity import check_state
from gough.errors import Site, Status, UsageError
from gough.frozen import FrozenDict
from gough.model.locks import is_locked_at, keeps_locks
from gough.model.sharing import code_of
from gough.program import Program, Slot, trace
from gough.program.passes.order_solves import order_solves
from gough.scalar import dot, solve_spd, zeros
from gough.simulation.control.acting import Action, Inner, demand_shape, record_action
from gough.simulation.control.instant import Instant, MotionRows
from gough.simulation.control.law import Here, Law
from gough.simulation.control.own_robot import Measured, OwnRobot
from gough.simulation.coordinates import closed_coordinates, drive_of_entries, plain_rates
from gough.simulation.integration.kept import Kept, KeptForms, LoopCode, law_form
from gough.simulation.integration.wrenches import Wrenches
from gough.structure import Mechanism
from gough.structure.alike import common_pattern

if TYPE_CHECKING:
    from gough.model import Model

Vector = np.ndarray
WORKS = ("drives", "losses", "wrench")


@dataclass(frozen=True, eq=False)
class Plant:
    """One robot under one law. rows: of the motion's table; they get the settings of the law and the wrenches as their tail.

    own: the robot that the law computes with; None: this one. locks: whether its equations rely on what geometry locks.
    """

    model: "Model"
    law: Law
    rows: MotionRows
    wrenches: Wrenches = field(default_factory=Wrenches)
    own: OwnRobot | None = None
    locks: bool = True

    def __post_init__(self) -> None:
        own = self.laws_robot
        settings = (*self.law.settings(self.model, own.model), *own.inputs)
        object.__setattr__(self, "rows", replace(self.rows, tail=(*map(float, settings), *self.wrenches.numbers(0.0))))
        if self.law.prescribed and not self.led_by_drives:
            raise UsageError(
                f"{self.model.robot.name}: drives are prescribed, but its velocities are not those of its drives; name the "
                "drives as independent, or use a controller"
            )

    @property
    def mechanism(self) -> Mechanism:
        """What its equations are written for."""
        return (self.model.locked if self.locks else None) or self.model.mechanism

    def plant_for(self, q: Vector, designs: Vector) -> "Plant":
        """The plant for runs from configurations q (n, nq) of designs (n, size): what home's design locks there may move."""
        locks = keeps_locks(self.model, designs) and is_locked_at(self.model, q)
        return self if locks == self.locks else replace(self, locks=locks)

    def with_alike_legs(self) -> "Plant":
        """The plant in whose programs legs that are built alike do the same: only what is zero in all of them is folded. Programs
        of rigid legs are too short to gain by that."""
        model = self.model
        if not self.mechanism.selection.solves_tree:
            return self
        common = FrozenDict(common_pattern(model.mechanism, model.pattern))
        if common == model.pattern:
            return self
        other = model.cached("legs alike", lambda: replace(model, linkage=replace(model.linkage, pattern=common)))
        return replace(self, model=other)

    @cached_property
    def form(self) -> Hashable:
        """What shapes its code: see `kept`."""
        return self.equations_form, self.inner.sizes.tobytes()

    @cached_property
    def equations_form(self) -> Hashable:
        """What shapes its equations: all of its form but the sizes by which errors of the law's own states count."""
        own, rows, inner = self.laws_robot, self.rows, self.inner
        robot: tuple[Hashable, ...] = (code_of(own.model), own.numbers is None, own.apart, own.closes)
        if own.numbers is not None and not own.same_structure:  # constants of the code
            robot = (*robot, own.numbers.tobytes())
        shape = (rows.kind, rows.channels, rows.degree, len(rows.tail))
        law = law_form(self.law, self.law_program)
        return law, robot, shape, self.locks, self.wrenches.structure, inner.names, inner.clocked

    @cached_property
    def kept(self) -> Kept:
        """What was traced and compiled for plants of this form, in this run or before."""
        return code_of(self.model).cached("time loops", KeptForms).of(self.form)

    def loop_code(self, key: Hashable, make: Callable[[], Program]) -> LoopCode:
        """The code of a time loop, by its name among those of this form; made where there is none."""
        return self.kept.get((key, "loop"), lambda: LoopCode(make()))

    def law_program(self) -> Program:
        """What the law does, by itself."""
        layout = self.model.layout
        sizes = {"q": layout.nq, "v": layout.nv, "inner": self.inner_size, "row": self.rows.size, "t": 1}
        slots = [Slot(name, (n,)) for name, n in sizes.items()]
        slots.append(Slot("parameters", (len(self.model.parameters),), uniform=True))

        def equations(
            q: Vector, v: Vector, inner: Vector, row: Vector, t: Vector, parameters: Vector
        ) -> dict[str, Any]:
            numbers = Numbers(self.mechanism, parameters)
            now = self.rows.at(row, t[0])
            found = self.law_action(numbers, q, v, inner, now)
            ticked = self.tick(parameters, q, v, inner, now) if self.inner.clocked else {}
            return {"tau": found.tau, "rates": found.rates, **ticked}

        return trace(equations, tuple(slots), "law", {"parameters": self.model.pattern})

    @property
    def laws_robot(self) -> OwnRobot:
        """The robot that the law computes with."""
        return self.own or OwnRobot(self.model, None, self.model)

    @cached_property
    def led_by_drives(self) -> bool:
        """Whether the rigid part of v is the drives' rates, in any order, and elastic rates do not move them."""
        return drive_of_entries(self.model.mechanism) is not None

    @cached_property
    def drive_of(self) -> list[int]:
        """Drive of every rigid entry of v, where drives lead."""
        return drive_of_entries(self.model.mechanism) or []

    @cached_property
    def inner(self) -> Inner:
        """The law's own states, at home."""
        return self.inner_at(self.model.home, np.zeros(self.model.layout.nv))

    def inner_at(self, q: Vector, v: Vector) -> Inner:
        """The law's own states at a state of the robot."""
        own = self.laws_robot
        return self.law.inner(own.model, *own.first(q, v))

    def inner_first(self, q: Vector, v: Vector, runs: Sequence[int] = (0,), begin: float = 0.0) -> Vector:
        """Their first values (runs, n) in some of many runs that begin in one state, at a time (s)."""
        return self.law.first_of_runs(self.laws_robot.model, self.inner_at(q, v).first, runs, begin)

    @property
    def inner_size(self) -> int:
        """Number of the law's own states."""
        return len(self.inner.names)

    @property
    def flowing(self) -> int:
        """How many of the law's own states, the first ones, flow; the others change when its clock ticks."""
        return self.inner_size - self.inner.clocked

    @property
    def unknowns(self) -> int:
        """Number of unknowns z."""
        return len(self.unknown_of_v) + self.inner_size

    @property
    def unknown_of_v(self) -> list[int]:
        """Entries of v whose accelerations are unknown."""
        layout = self.model.layout
        return list(range(layout.mobility if self.law.prescribed else 0, layout.nv))

    @cached_property
    def plain(self) -> list[tuple[int, int]]:
        """(entry of q, entry of v that is its rate) for all entries of v that are rates of coordinates as they stand."""
        return plain_rates(self.model.mechanism)

    def order_program(self, program: Program) -> Program:
        """As `Model.order_solves`, with the law's own states fitting to the sampled states."""
        if not self.inner_size:
            return self.model.order_solves(program)
        states = self.model.sampled_states
        n = len(states["q"])
        inner = [self.inner_at(q, v).first for q, v in zip(states["q"], states["v"], strict=True)]
        row = np.ones((1, self.rows.size))
        row[0, self.rows.size - len(self.rows.tail) :] = self.rows.tail  # noise of 1 rad would be another pose
        known = {**states, "inner": np.array(inner), "row": row}
        columns = [
            np.broadcast_to(known.get(s.name, np.ones((1, s.size)))[:, : s.size], (n, s.size)) for s in program.inputs
        ]
        return order_solves(program, np.concatenate(columns, axis=1))

    def led_state(self, q: Vector, v: Vector, now: Instant) -> tuple[Vector, Vector]:
        """q and v with the drives where a prescribed motion has them."""
        if not self.law.prescribed:
            return q, v
        q, v = q.copy(), v.copy()
        for k, place in enumerate(self.model.drive_index):
            q[place] = now.position[k]
        for i, k in enumerate(self.drive_of):
            v[i] = now.velocity[k]
        return q, v

    def rates(
        self, parameters: Vector, q: Vector, v: Vector, inner: Vector, now: Instant, closing: bool = False
    ) -> dict[str, Vector]:
        """qdot (nq,), vdot (nv,), tau (drives,), power (3,): see WORKS; inner: rates of the law's own states.

        closing: also closed (nq,), q after one Newton step of the closures, for the price of their residual.
        """
        numbers, loops, q, v = self._loops(parameters, q, v, now)
        layout = self.model.layout
        pushed, load = self._external(loops, now)
        rates = zeros(0)
        if not self.law.prescribed:
            action = self.law_action(numbers, q, v, inner, now)
            tau, rates = action.tau, action.rates
            vdot = forward_dynamics(regroup_inertia(numbers), q, v, tau, *load)["vdot"]
        else:
            n = layout.mobility
            given = self._given(now)
            if layout.v_idle:
                first = needed_force(loops, v, np.concatenate([given, zeros(layout.nv - n)]), *load)
                M = mass_matrix(loops)
                still = check_slack_velocities(loops, M, first, range(n, layout.nv))
                free = [k for k in range(n, layout.nv) if k not in still]
                bent, place = zeros(layout.nv - n), Status.SINGULAR.at(Site.MASS_MATRIX)
                if free:
                    bent[[k - n for k in free]] = solve_spd(M[np.ix_(free, free)], -first[free], place)
                tau = self._ordered(first[:n] + M[:n, n:] @ bent)
            elif layout.v_elastic:
                first = needed_force(loops, v, np.concatenate([given, zeros(layout.v_elastic)]), *load)
                M = mass_matrix(loops)
                bent = solve_spd(M[n:, n:], -first[n:], Status.SINGULAR.at("elastic mass matrix"))
                tau = self._ordered(first[:n] + M[:n, n:] @ bent)
            else:
                bent = zeros(0)
                tau = self._ordered(needed_force(loops, v, given, *load))
            vdot = np.concatenate([given, bent])
        power = self._power(numbers, loops, q, v, tau, pushed)
        out = {"qdot": self._qdot(loops, v), "vdot": vdot, "tau": tau, "power": power, "inner": rates}
        return out | ({"closed": closed_coordinates(loops)} if closing else {})

    def residual(
        self, parameters: Vector, q: Vector, v: Vector, inner: Vector, z: Vector, now: Instant
    ) -> dict[str, Vector]:
        """R (unknowns,) that vanishes for the right z, and what follows from z: qdot, tau, power, vdot, inner."""
        numbers, loops, q, v = self._loops(parameters, q, v, now)
        n, own = self.model.layout.mobility, len(self.unknown_of_v)
        pushed, load = self._external(loops, now)
        if self.law.prescribed:
            vdot = np.concatenate([self._given(now), z])
            all_forces = needed_force(loops, v, vdot, *load)
            R, tau = all_forces[n:], self._ordered(all_forces[:n])
            at_once = np.concatenate([vdot[:n], zeros(len(v) - n)])
            for k in self._still(loops, v, at_once, zeros(len(v)), load, range(n, self.model.layout.rigid)):
                R[k - n] = z[k - n]  # as forward dynamics has it: these velocities stay as they are
        else:
            vdot = z[:own]
            action = self.law_action(numbers, q, v, inner, now)
            tau = action.tau
            push = drive_columns(loops) @ tau if len(tau) else zeros(len(v))
            missing = needed_force(loops, v, vdot, *load) - push
            for k in self._still(loops, v, zeros(len(v)), push, load, range(len(v))):
                missing[k] = vdot[k]  # as forward dynamics has it: these velocities stay as they are
            R = np.concatenate([missing, z[own:] - action.rates])
        power = self._power(numbers, loops, q, v, tau, pushed)
        out = {"R": R, "qdot": self._qdot(loops, v), "vdot": vdot, "tau": tau, "power": power}
        return out | {"inner": z[own:]}

    @staticmethod
    def _still(
        loops: Loops, v: Vector, vdot: Vector, push: Vector, load: tuple[Vector, Vector], among: range
    ) -> tuple[int, ...]:
        """Entries of v without inertia, on which there must be no force: of all forces where the others accelerate by vdot."""
        if not any(k in among for k in loops.mechanism.selection.without_inertia):
            return ()
        return check_slack_velocities(loops, mass_matrix(loops), push - needed_force(loops, v, vdot, *load), among)

    def law_action(self, numbers: Numbers, q: Vector, v: Vector, inner: Vector, now: Instant) -> Action:
        """What the law makes the drives do: here a controller's force enters the time loop, whichever method integrates it."""
        action = record_action(self.law, self._here(numbers, q, v, inner, now))
        rates = demand_shape(self.law, "rates", action.rates, self.inner.names[: self.flowing], "state of its own")
        return Action(
            demand_shape(self.law, "forces", action.tau, self.model.layout.drive_names, "drive"),
            np.concatenate([rates, zeros(self.inner.clocked)]) if self.inner.clocked else rates,
        )

    def tick(self, parameters: Vector, q: Vector, v: Vector, inner: Vector, now: Instant) -> dict[str, Vector]:
        """What the law's clock does here: own states (n,) from then on, the exact time (1,), that of the next event (1,)."""
        found = self.law.tick(self._here(Numbers(self.mechanism, parameters), q, v, inner, now))
        after = np.concatenate([inner[: self.flowing] if found.flows is None else found.flows, found.memory])
        return {"inner": after, "time": np.array([found.time]), "event": np.array([found.next_event])}

    def law_view(self, numbers: Numbers, q: Vector, v: Vector, inner: Vector, tail: Vector) -> Here:
        """What the law sees of a state, without a motion. tail: that of the rows."""
        nothing = zeros(0)
        return self._here(numbers, q, v, inner, Instant(nothing, nothing, nothing, tail=tail))

    def _here(self, numbers: Numbers, q: Vector, v: Vector, inner: Vector, now: Instant) -> Here:
        own, end = self.laws_robot, len(now.tail) - self.wrenches.size
        settings, inputs = now.tail[: end - len(own.inputs)], now.tail[end - len(own.inputs) : end]
        return Here(own, Measured(self.model, regroup_inertia(numbers), q, v), inner, settings, inputs, now)

    def commanded_forces(self, parameters: Vector, q: Vector, v: Vector, now: Instant) -> Vector:
        """What the law makes the drives do, tau (drives,)."""
        return self.law_action(Numbers(self.mechanism, parameters), q, v, zeros(0), now).tau

    def _loops(self, parameters: Vector, q: Vector, v: Vector, now: Instant) -> tuple[Numbers, Loops, Vector, Vector]:
        numbers = Numbers(self.mechanism, parameters)
        q, v = self.led_state(q, v, now)
        loops = Loops(Posture(regroup_inertia(numbers), q))
        check_state(loops)
        return numbers, loops, q, v

    def _external(self, loops: Loops, now: Instant) -> tuple[Vector, tuple[Vector, Vector]]:
        """(generalised force of the wrenches on v, the same as the equations take it: wrench and force)."""
        if not self.wrenches.frames:
            return zeros(0), (NONE, NONE)
        values = now.tail[len(now.tail) - self.wrenches.size :]
        pushed = self.wrenches.on_velocities(loops, values, now.time)
        return pushed, (NONE, pushed) if "force" in load_sizes(loops.mechanism) else (pushed, NONE)

    def _given(self, now: Instant) -> Vector:
        return np.array([now.acceleration[k] for k in self.drive_of], dtype=object)

    def _ordered(self, forces: Vector) -> Vector:
        """Forces on the rigid entries of v as drive forces."""
        out = zeros(len(forces))
        for i, k in enumerate(self.drive_of):
            out[k] = forces[i]
        return out

    @staticmethod
    def _qdot(loops: Loops, v: Vector) -> Vector:
        return rate_of_q(loops.posture, loops.rates(v))

    def _power(self, numbers: Numbers, loops: Loops, q: Vector, v: Vector, tau: Vector, pushed: Vector) -> Vector:
        u = loops.rates(v)
        rates = [u[self.model.mechanism.links[d.link].u] for d in self.model.mechanism.drives]
        losses: Any = energies(numbers, q, v)["losses"]
        by_wrench = dot(pushed, v) if len(pushed) else 0.0
        return np.array([dot(tau, rates) if len(rates) else 0.0, losses, by_wrench], dtype=object)
