"""MuJoCo: mj_forward with equality constraints, and mj_inverse, one call a state through its Python package.

MuJoCo's constraints are soft by construction: a constraint gives way by (1 - d)/d of its own inverse inertia. Its largest d
still leaves accelerations wrong by some percent, so the compiled inverse inertias are scaled down as well.
"""

from importlib import import_module
from importlib.util import find_spec
from itertools import cycle
from typing import Any

import numpy as np

from gough.spatial import rotation_from_quaternion_wxyz
from gough.spatial.rotation import quaternion_wxyz_from_rotation
from gough_bench.peer import Case, Peer, seconds_per_call
from gough_bench.tree import Tree, closures, lacking_in_trees

STIFF = {"solref": [2e-4, 1.0], "solimp": [0.9999, 0.9999, 0.001, 0.5, 2.0]}
SOFTNESS = 1e-4
"""Factor on the inverse inertias that scale the constraints' softness; much smaller ones cost its solver accuracy."""
SMALLEST = 1e-12


class MuJoCo(Peer):
    """Forward: the accelerations of its (nearly rigid) constraints. Inverse: what mj_inverse gives at the tree's
    accelerations, which is no drive force: a motion that keeps the loops closed loads no soft constraint."""

    name = "MuJoCo"
    tolerance = 1e-3
    remark = "soft constraints, set nearly rigid"
    single = True

    @property
    def call(self) -> str:  # type: ignore[override]
        """What is timed."""
        return "mj_inverse" if self._inverse else "mj_forward"

    _inverse = False

    def take_function(self, function: str) -> None:
        self._inverse = function == "inverse_dynamics"

    def available(self) -> str:
        return "" if find_spec("mujoco") else "not installed: `pip install mujoco`"

    def prepare(self, case: Case) -> str:
        mujoco: Any = import_module("mujoco")

        self._inverse, self._mujoco = case.function == "inverse_dynamics", mujoco
        reason = lacking_in_trees(case.model)
        if reason:
            return reason
        self._case, self._tree = case, Tree(case.model)
        try:
            self._model = mujoco_model(self._tree)
        except ValueError as error:
            return f"its compiler refuses the robot: {str(error).splitlines()[0]}"
        self._data = mujoco.MjData(self._model)
        states, u = case.states, np.concatenate([j.link.columns for j in self._tree.joints])
        self._q = states.q[:, np.concatenate([range(j.link.q, j.link.q + j.link.nq) for j in self._tree.joints])]
        self._v, self._a = (self._turn_rates(x[:, u]) for x in (states.u, states.ud))
        self._column = {int(c): k for k, c in enumerate(u)}
        self._drives = [self._column[case.model.mechanism.links[d.link].u] for d in case.model.mechanism.drives]
        self._tau = np.zeros_like(self._v)
        self._tau[:, self._drives] = states.tau
        return ""

    def answers(self) -> np.ndarray:
        found = np.array([self._evaluate(k).copy() for k in range(len(self._q))])
        return found[:, self._drives] if self._inverse else self._reduced(found)

    def _reduced(self, found: np.ndarray) -> np.ndarray:
        """Accelerations of v of its own (n, nv)."""
        if self._tree.joints[0].kind == "free":
            R = self._rotations()
            found[:, 3:6] = np.einsum(
                "nij,nj->ni", R, found[:, 3:6]
            )  # its free joint has ω in body axes, v in world axes
        return found[:, [self._column[c] for c in self._case.model.mechanism.selection.independent]]

    def seconds(self, budget: float, threads: int = 1) -> float:
        turn = cycle(range(len(self._q)))
        return seconds_per_call(lambda: self._evaluate(next(turn)), budget)

    def _evaluate(self, k: int) -> np.ndarray:
        mujoco, data = self._mujoco, self._data
        data.qpos[:], data.qvel[:] = self._q[k], self._v[k]
        if self._inverse:
            data.qacc[:] = self._a[k]
            mujoco.mj_inverse(self._model, data)
            return data.qfrc_inverse
        data.qfrc_applied[:] = self._tau[k]
        mujoco.mj_forward(self._model, data)
        return data.qacc

    def _rotations(self) -> np.ndarray:
        return np.stack([np.asarray(rotation_from_quaternion_wxyz(row), float) for row in self._case.states.q[:, 3:7]])

    def _turn_rates(self, x: np.ndarray) -> np.ndarray:
        if self._tree.joints[0].kind == "free":
            x = x.copy()
            x[:, 3:6] = np.einsum("nji,nj->ni", self._rotations(), x[:, 3:6])
        return x


def mujoco_model(tree: Tree) -> Any:
    """The tree with its equality constraints; inertias its compiler refuses are written into the compiled model."""
    mujoco: Any = import_module("mujoco")

    spec = mujoco.MjSpec()
    spec.option.gravity = tree.gravity
    spec.option.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_REFSAFE
    spec.option.solver, spec.option.iterations, spec.option.tolerance = mujoco.mjtSolver.mjSOL_NEWTON, 50, 1e-14
    bodies = [spec.worldbody]
    types = {"free": mujoco.mjtJoint.mjJNT_FREE, "ball": mujoco.mjtJoint.mjJNT_BALL}
    for k, j in enumerate(tree.joints):
        quat = quaternion_wxyz_from_rotation(j.R)
        body = bodies[j.parent].add_body(name=f"b{k + 1}", pos=j.p, quat=quat)
        body.explicitinertial = True  # placeholders, turned and off the origin, so that no shortcut is compiled in
        body.mass, body.ipos, body.fullinertia = 1.0, [0.1, 0.2, 0.3], [1.0, 1.1, 1.2, 0.1, 0.05, 0.02]
        axis = np.zeros(3)
        axis[j.link.axis if j.kind[0] in "RP" else 2] = j.link.sign
        simple = mujoco.mjtJoint.mjJNT_HINGE if j.kind[0] == "R" else mujoco.mjtJoint.mjJNT_SLIDE
        body.add_joint(type=types.get(j.kind, simple), axis=axis, armature=j.rotor)
        bodies.append(body)
    for c in closures(tree):
        kind = mujoco.mjtEq.mjEQ_WELD if c.kind == "weld" else mujoco.mjtEq.mjEQ_CONNECT
        sites = []
        for body, R, p in ((c.first, c.R1, c.p1), (c.second, c.R2, c.p2)):
            name = f"s{len(spec.sites)}"
            bodies[body].add_site(name=name, pos=p, quat=quaternion_wxyz_from_rotation(R))
            sites.append(name)
        objects = {"name1": sites[0], "name2": sites[1], "objtype": mujoco.mjtObj.mjOBJ_SITE}
        spec.add_equality(type=kind, **objects, **STIFF)
    model = spec.compile()
    model.body_sameframe[:] = model.body_simple[:] = 0
    model.dof_simplenum[:] = 0
    for k, j in enumerate(tree.joints, start=1):
        moments, axes = np.linalg.eigh(j.tensor)
        if np.linalg.det(axes) < 0:
            axes[:, 0] *= -1
        model.body_mass[k] = max(j.mass, SMALLEST)
        model.body_ipos[k] = j.center
        model.body_iquat[k] = quaternion_wxyz_from_rotation(axes)
        model.body_inertia[k] = np.where(np.abs(moments) < SMALLEST, SMALLEST, moments)
    mujoco.mj_setConst(model, mujoco.MjData(model))
    model.body_invweight0[:] *= SOFTNESS
    model.dof_invweight0[:] *= SOFTNESS
    return model
