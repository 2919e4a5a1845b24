"""Pinocchio through its Python package: constraintDynamics, one call a state."""

from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

from gough_bench.closures import closures, not_a_tree
from gough_bench.peer import Case, Peer
from gough_bench.pinocchio_files import Coordinates, drive_forces, proximal
from gough_bench.repeated import seconds_per_call
from gough_bench.tree import Tree


class PinocchioPython(Peer):
    """Forward dynamics only: the package has no inverse dynamics of closed loops."""

    name = "Pinocchio Python"
    call = "constraintDynamics"
    functions = ("forward_dynamics",)

    def available(self) -> str:
        return "" if find_spec("pinocchio") else "not installed: `pip install pin`"

    def prepare(self, case: Case) -> str:
        reason = not_a_tree(case.model)
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
        pin: Any = import_module("pinocchio")

        pin.initConstraintDynamics(self._model, self._data, self._constraints, self._datas)
        self._settings = pin.ProximalSettings(1e-12, *proximal(case.model))
        self._next = 0
        return ""

    def answers(self) -> np.ndarray:
        found = np.array([self._evaluate(k).copy() for k in range(len(self._q))])
        states, mechanism = self._case.states, self._case.model.mechanism
        second = Coordinates(self._tree).accelerations(states.q, states.u, found)
        return second[:, list(mechanism.selection.independent)]

    def seconds(self, budget: float, threads: int = 1) -> float:
        def call() -> None:
            self._evaluate(self._next)
            self._next = (self._next + 1) % len(self._q)

        return seconds_per_call(call, budget)

    def _evaluate(self, k: int) -> Any:
        pin: Any = import_module("pinocchio")

        model, loops = (self._model, self._data), (self._constraints, self._datas, self._settings)
        return pin.constraintDynamics(*model, self._q[k], self._v[k], self._tau[k], *loops)


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
