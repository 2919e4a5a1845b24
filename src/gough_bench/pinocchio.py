"""Pinocchio: a robot and its states in its coordinates, and its Python package, one call a state: constraintDynamics, lcaba,
and drive forces composed by hand.

Its free joint has rates in body axes and spatial accelerations; quaternions are xyzw.
"""

from importlib import import_module
from importlib.util import find_spec
from itertools import cycle
from typing import Any

import numpy as np

from gough import Model
from gough.spatial import rotation_from_quaternion_wxyz
from gough_bench.peer import Case, Peer, seconds_per_call
from gough_bench.tree import Tree, closures, has_redundant_closures, lacking_in_trees


def proximal(model: Model) -> tuple[float, int]:
    """Step and iterations of its proximal solver: one plain solve unless closures are redundant."""
    return (1e-10, 20) if has_redundant_closures(model) else (0.0, 1)


class Coordinates:
    """Where the tree's entries stand: columns of gough's q and u in Pinocchio's order, with signs."""

    def __init__(self, tree: Tree) -> None:
        self.q: list[int] = []
        self.u: list[int] = []
        self.q_sign: list[float] = []
        self.u_sign: list[float] = []
        for joint in tree.joints:
            link = joint.link
            start, turns = link.q, joint.kind in ("free", "ball")
            if turns:
                at = start + (3 if joint.kind == "free" else 0)
                self.q += [*range(start, at), at + 1, at + 2, at + 3, at]
            else:
                self.q.append(start)
            self.u += list(link.columns)
            sign = 1.0 if turns else link.sign
            self.q_sign += [sign] * link.nq
            self.u_sign += [sign] * link.nu
        self.free = bool(tree.joints) and tree.joints[0].kind == "free"

    def positions(self, q: np.ndarray) -> np.ndarray:
        """Pinocchio's q (n, nq)."""
        return q[:, self.q] * np.array(self.q_sign)

    def rates(self, q: np.ndarray, u: np.ndarray) -> np.ndarray:
        """Pinocchio's v (n, nv)."""
        return self._turn_rates(q, u[:, self.u] * np.array(self.u_sign), to_body=True)

    def forces(self, q: np.ndarray, forces: np.ndarray) -> np.ndarray:
        """Pinocchio's generalised forces (n, nv) of those on u."""
        return self.rates(q, forces)

    def accelerations(self, q: np.ndarray, u: np.ndarray, second: np.ndarray) -> np.ndarray:
        """gough's u̇ (n, nu) of Pinocchio's accelerations: world axes, classical."""
        turned = second.copy()
        if self.free:
            v = self.rates(q, u)
            turned[:, :3] += np.cross(v[:, 3:6], v[:, :3])
        turned = self._turn_rates(q, turned, to_body=False) * np.array(self.u_sign)
        out = np.zeros_like(u)
        out[:, self.u] = turned
        return out

    def _turn_rates(self, q: np.ndarray, x: np.ndarray, to_body: bool) -> np.ndarray:
        if self.free:
            R = np.stack([np.asarray(rotation_from_quaternion_wxyz(row), float) for row in q[:, 3:7]])
            how = "nji,nj->ni" if to_body else "nij,nj->ni"
            x = x.copy()
            x[:, :3], x[:, 3:6] = np.einsum(how, R, x[:, :3]), np.einsum(how, R, x[:, 3:6])
        return x


def drive_forces(model: Model, tau: np.ndarray) -> np.ndarray:
    """Generalised forces on u (n, nu) of drive forces."""
    forces = np.zeros((len(tau), model.layout.nu))
    for k, drive in enumerate(model.mechanism.drives):
        forces[:, model.mechanism.links[drive.link].u] = tau[:, k]
    return forces


class PinocchioPython(Peer):
    """Forward dynamics only: the package has no inverse dynamics of closed loops."""

    name = "Pinocchio Python"
    call = "constraintDynamics"
    functions = ("forward_dynamics",)
    single = True

    def available(self) -> str:
        return "" if find_spec("pinocchio") else "not installed: `pip install pin`"

    def prepare(self, case: Case) -> str:
        reason = lacking_in_trees(case.model)
        if reason:
            return reason
        self._case, self._tree = case, Tree(case.model)
        self._model = pin_model(self._tree)
        self._data = self._model.createData()
        self._constraints, self._datas = pin_constraints(self._tree, self._model)
        where, states = Coordinates(self._tree), case.states
        self._q = where.positions(states.q)
        self._v = where.rates(states.q, states.u)
        self._tau = where.forces(states.q, drive_forces(case.model, states.tau))
        self._set_up()
        return ""

    def _set_up(self) -> None:
        pin: Any = import_module("pinocchio")

        pin.initConstraintDynamics(self._model, self._data, self._constraints, self._datas)
        self._settings = pin.ProximalSettings(1e-12, *proximal(self._case.model))
        self._solve = pin.constraintDynamics

    def answers(self) -> np.ndarray:
        found = np.array([self._evaluate(k).copy() for k in range(len(self._q))])
        states, mechanism = self._case.states, self._case.model.mechanism
        second = Coordinates(self._tree).accelerations(states.q, states.u, found)
        return second[:, list(mechanism.selection.independent)]

    def seconds(self, budget: float, threads: int = 1) -> float:
        turn = cycle(range(len(self._q)))
        return seconds_per_call(lambda: self._evaluate(next(turn)), budget)

    def _evaluate(self, k: int) -> Any:
        model, loops = (self._model, self._data), (self._constraints, self._datas, self._settings)
        return self._solve(*model, self._q[k], self._v[k], self._tau[k], *loops)


LOOP_STEP, LOOP_ITERATIONS = 1e-6, 20
"""Proximal step of lcaba, what its documentation calls typical, and at most as many iterations."""


class PinocchioLoops(PinocchioPython):
    """The articulated-body algorithm of closed loops, in the order of elimination that the package finds itself."""

    call = "lcaba"
    tolerance = 1e-3
    remark = f"proximal: step {LOOP_STEP:g}"

    def available(self) -> str:
        if reason := super().available():
            return reason
        return (
            "" if hasattr(import_module("pinocchio"), "lcaba") else "its version has no lcaba: `pip install 'pin>=4.1'`"
        )

    def _set_up(self) -> None:
        pin: Any = import_module("pinocchio")

        pin.computeJointMinimalOrdering(self._model, self._data, self._constraints)
        self._settings = pin.ProximalSettings(1e-12, LOOP_STEP, LOOP_ITERATIONS)
        self._solve = pin.lcaba


class PinocchioComposed(PinocchioPython):
    """Drive forces of a closed-loop motion composed by hand, as a user has to: `rnea` of the tree, the loops' Jacobian, and
    NumPy for the forces of drives and loops together. The tree's accelerations are inputs."""

    call = "rnea, getConstraintsJacobian, NumPy's least squares"
    functions = ("inverse_dynamics",)
    remark = "accelerations of all joints known"

    def _set_up(self) -> None:
        pin: Any = import_module("pinocchio")

        where, states, model = Coordinates(self._tree), self._case.states, self._case.model
        self._a = where.rates(states.q, states.ud)
        if where.free:  # spatial, where the library's are classical
            self._a[:, :3] -= np.cross(self._v[:, 3:6], self._v[:, :3])
        drives = len(model.mechanism.drives)
        unit = where.forces(states.q[:1].repeat(drives, 0), drive_forces(model, np.eye(drives)))
        self._S = unit.T
        self._pin = pin
        self._drives = self._S.shape[1]

    def answers(self) -> np.ndarray:
        return np.array([self._evaluate(k) for k in range(len(self._q))])

    def _evaluate(self, k: int) -> Any:
        pin, model, data = self._pin, self._model, self._data
        load = pin.rnea(model, data, self._q[k], self._v[k], self._a[k])
        pin.computeJointJacobians(model, data, self._q[k])
        for constraint, found in zip(self._constraints, self._datas, strict=True):
            constraint.calc(model, data, found)  # the Jacobian reads the loops' frames from there
        K = pin.getConstraintsJacobian(model, data, self._constraints, self._datas)
        return np.linalg.lstsq(np.concatenate([self._S, K.T], axis=1), load, rcond=1e-12)[0][: self._drives]


def pin_model(tree: Tree) -> Any:
    """The tree as Pinocchio's model."""
    pin: Any = import_module("pinocchio")

    kinds = {"ball": pin.JointModelSpherical, "free": pin.JointModelFreeFlyer}
    model = pin.Model()
    model.gravity.linear = tree.gravity.copy()
    rotors: list[float] = []
    for k, joint in enumerate(tree.joints):
        kind = kinds.get(joint.kind) or getattr(pin, f"JointModel{joint.kind}")
        index = model.addJoint(joint.parent, kind(), pin.SE3(joint.R, joint.p), f"j{k}")
        inertia = pin.Inertia.Zero()  # entry by entry: the constructor refuses tensors that are not positive
        inertia.mass, inertia.lever, inertia.inertia = joint.mass, joint.center, joint.tensor
        model.appendBodyToJoint(index, inertia, pin.SE3.Identity())
        rotors += [joint.rotor] * joint.link.nu
    model.armature = np.array(rotors)
    return model


def pin_constraints(tree: Tree, model: Any) -> tuple[Any, Any]:
    """(constraint models, their data) of all cuts."""
    pin: Any = import_module("pinocchio")

    constraints, datas = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
    for c in closures(tree):
        size = pin.ContactType.CONTACT_6D if c.kind == "weld" else pin.ContactType.CONTACT_3D
        sides = (c.first, pin.SE3(c.R1, c.p1), c.second, pin.SE3(c.R2, c.p2))
        constraints.append(pin.RigidConstraintModel(size, model, *sides, pin.LOCAL))
    datas.extend([c.createData() for c in constraints])
    return constraints, datas
