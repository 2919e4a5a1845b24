"""Drake's MultibodyPlant through its Python package, one call a state.

Its loops are ball and weld constraints of the discrete solver (SAP), which keeps velocities of the next step on the loops as
they stand now: the bias K̇ u of moving loops is missing from one step's acceleration, whatever the step. So there is a second
way, composed by hand as a user would: its mass matrix, bias and Jacobians, and NumPy for the rest.

Its free joint has rates (ω, v) in world axes and positions (wxyz, p).
"""

from importlib import import_module
from importlib.util import find_spec
from itertools import cycle
from typing import Any

import numpy as np

from gough_bench.peer import Case, Peer, seconds_per_call
from gough_bench.tree import LoopClosure, Tree, closures, has_redundant_closures, lacking_in_trees

STEP = 1e-5
"""Of the discrete plant, s."""


class _DrakeTree(Peer):
    """The robot in a plant, its states in the plant's coordinates."""

    name = "Drake"
    single = True
    _step = 0.0

    def available(self) -> str:
        return "" if find_spec("pydrake") else "not installed: `pip install drake`"

    def prepare(self, case: Case) -> str:
        reason = lacking_in_trees(case.model)
        tree = Tree(case.model)
        if not reason and any(j.kind == "ball" for j in tree.joints):
            reason = "its ball joints have Euler angles, singular within reach"
        if reason:
            return reason
        self._case, self._tree = case, tree
        self._plant, self._bodies = drake_plant(tree, self._step)
        self._context = self._plant.CreateDefaultContext()
        self._find_places()
        states, model = case.states, case.model
        self._qv = np.concatenate([states.q[:, self._q], states.u[:, self._u]], axis=1)
        forces = np.zeros((len(states), model.layout.nu))
        for k, drive in enumerate(model.mechanism.drives):
            forces[:, model.mechanism.links[drive.link].u] = states.tau[:, k]
        self._tau, self._second = forces[:, self._u], states.ud[:, self._u]
        self._set_up()
        return ""

    def _find_places(self) -> None:
        """Columns of gough's q and u in the plant's order, and where v stands among the plant's rates."""
        plant, model = self._plant, self._case.model
        self._q, self._u = [0] * plant.num_positions(), [0] * plant.num_velocities()
        for k, joint in enumerate(self._tree.joints):
            made = plant.GetJointByName(f"j{k}")
            q, u = list(range(joint.link.q, joint.link.q + joint.link.nq)), list(joint.link.columns)
            if joint.kind == "free":
                q, u = q[3:] + q[:3], u[3:] + u[:3]
            self._q[made.position_start() : made.position_start() + len(q)] = q
            self._u[made.velocity_start() : made.velocity_start() + len(u)] = u
        self._independent = [self._u.index(c) for c in model.mechanism.selection.independent]

    def _set_up(self) -> None:
        """What is made once."""

    def _evaluate(self, k: int) -> np.ndarray:
        raise NotImplementedError

    def seconds(self, budget: float, threads: int = 1) -> float:
        turn = cycle(range(len(self._qv)))
        return seconds_per_call(lambda: self._evaluate(next(turn)), budget)


class DrakeStep(_DrakeTree):
    """The acceleration of one step of the discrete plant."""

    call = "one discrete step, SAP"
    functions = ("forward_dynamics",)
    tolerance = 1e-3
    remark = "time stepping: loops are held in the velocities of the next step"
    _step = STEP

    def _set_up(self) -> None:
        self._push = self._plant.get_applied_generalized_force_input_port()
        self._port = self._plant.get_generalized_acceleration_output_port()

    def answers(self) -> np.ndarray:
        return np.array([self._evaluate(k) for k in range(len(self._qv))])[:, self._independent]

    def _evaluate(self, k: int) -> np.ndarray:
        self._push.FixValue(self._context, self._tau[k])
        self._plant.SetPositionsAndVelocities(self._context, self._qv[k])
        return self._port.Eval(self._context)


class DrakeComposed(_DrakeTree):
    """CalcMassMatrix, CalcBiasTerm and Jacobians of the loops' points, then NumPy; inverse: CalcInverseDynamics."""

    @property
    def call(self) -> str:  # type: ignore[override]
        """What is timed."""
        return f"{'CalcInverseDynamics' if self._inverse else 'CalcMassMatrix'}, Jacobians, NumPy"

    _inverse = False

    def take_function(self, function: str) -> None:
        self._inverse = function == "inverse_dynamics"

    @property
    def remark(self) -> str:  # type: ignore[override]
        """What is given."""
        return "accelerations of all joints known" if self._inverse else ""

    def _set_up(self) -> None:
        tree: Any = import_module("pydrake.multibody.tree")
        model = self._case.model
        self._inverse = self._case.function == "inverse_dynamics"
        self._redundant = has_redundant_closures(model)
        self._loops = closures(self._tree)
        self._wrt, self._world = tree.JacobianWrtVariable.kV, self._plant.world_frame()
        self._frames = [self._world, *(b.body_frame() for b in self._bodies[1:])]
        self._forces = tree.MultibodyForces(self._plant)
        drives = [self._u.index(model.mechanism.links[d.link].u) for d in model.mechanism.drives]
        self._S = np.eye(len(self._u))[:, drives]

    def answers(self) -> np.ndarray:
        found = np.array([self._evaluate(k) for k in range(len(self._qv))])
        return found if self._inverse else found[:, self._independent]

    def _rows(self, loop: LoopClosure) -> tuple[np.ndarray, np.ndarray]:
        """K and k of a loop."""
        plant, world, at = self._plant, self._world, self._context
        point = loop.kind == "point"
        jacobian = plant.CalcJacobianTranslationalVelocity if point else plant.CalcJacobianSpatialVelocity
        sides = [(self._frames[body], p) for body, p in ((loop.first, loop.p1), (loop.second, loop.p2))]
        first, second = (jacobian(at, self._wrt, frame, p, world, world) for frame, p in sides)
        if point:
            bias = plant.CalcBiasTranslationalAcceleration
            k = [np.ravel(bias(at, self._wrt, frame, p, world, world)) for frame, p in sides]
        else:
            bias = plant.CalcBiasSpatialAcceleration
            k = [bias(at, self._wrt, frame, p, world, world).get_coeffs() for frame, p in sides]
        return first - second, k[0] - k[1]

    def _evaluate(self, k: int) -> np.ndarray:
        plant, at = self._plant, self._context
        plant.SetPositionsAndVelocities(at, self._qv[k])
        rows = [self._rows(loop) for loop in self._loops]
        K, bias = np.concatenate([r[0] for r in rows]), np.concatenate([r[1] for r in rows])
        if self._inverse:
            plant.CalcForceElementsContribution(at, self._forces)
            load = plant.CalcInverseDynamics(at, self._second[k], self._forces)
            A = np.concatenate([self._S, K.T], axis=1)
            return np.linalg.lstsq(A, load, rcond=1e-12)[0][: self._S.shape[1]]
        M = plant.CalcMassMatrix(at)
        push = self._tau[k] + plant.CalcGravityGeneralizedForces(at) - plant.CalcBiasTerm(at)
        solved = np.linalg.solve(M, np.column_stack([push, K.T]))
        G, rest = K @ solved[:, 1:], -bias - K @ solved[:, 0]
        pull = np.linalg.lstsq(G, rest, rcond=1e-12)[0] if self._redundant else np.linalg.solve(G, rest)
        return solved[:, 0] + solved[:, 1:] @ pull


def drake_plant(tree: Tree, step: float) -> tuple[Any, list[Any]]:
    """The finished plant and its bodies by joint number, the world first; loops only where it is discrete."""
    math, parts = import_module("pydrake.math"), import_module("pydrake.multibody.tree")
    plant: Any = import_module("pydrake.multibody.plant").MultibodyPlant(step)
    plant.mutable_gravity_field().set_gravity_vector(tree.gravity)
    bodies = [plant.world_body()]
    for k, j in enumerate(tree.joints):
        body = plant.AddRigidBody(f"b{k + 1}", _inertia(parts, j.mass, j.center, j.tensor))
        frame = bodies[j.parent].body_frame()
        pose = math.RigidTransform(math.RotationMatrix(j.R), j.p)
        at = plant.AddFrame(parts.FixedOffsetFrame(f"f{k}", frame, pose))
        if j.kind == "free":
            plant.AddJoint(parts.QuaternionFloatingJoint(f"j{k}", at, body.body_frame()))
        else:
            kind = parts.PrismaticJoint if j.kind[0] == "P" else parts.RevoluteJoint
            made = plant.AddJoint(kind(f"j{k}", at, body.body_frame(), j.link.sign * np.eye(3)[j.link.axis]))
            if j.rotor:
                motor = plant.AddJointActuator(f"m{k}", made)
                motor.set_default_rotor_inertia(j.rotor)
                motor.set_default_gear_ratio(1.0)
        bodies.append(body)
    if step:
        for c in closures(tree):
            if c.kind == "point":
                plant.AddBallConstraint(bodies[c.first], c.p1, bodies[c.second], c.p2)
            else:
                ends = [math.RigidTransform(math.RotationMatrix(R), p) for R, p in ((c.R1, c.p1), (c.R2, c.p2))]
                plant.AddWeldConstraint(bodies[c.first], ends[0], bodies[c.second], ends[1])
        plant.SetUseSampledOutputPorts(False)
    plant.Finalize()
    return plant, bodies


def _inertia(parts: Any, mass: float, center: np.ndarray, tensor: np.ndarray) -> Any:
    """Spatial inertia about the body's origin; a body without mass has none at all."""
    if not mass:
        return parts.SpatialInertia.Zero()
    I = tensor + mass * (center @ center * np.eye(3) - np.outer(center, center))
    I = I / mass
    unit = parts.UnitInertia(I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2])
    return parts.SpatialInertia(mass, center, unit, True)
