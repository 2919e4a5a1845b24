"""Any mechanism's tree in MuJoCo. Loops are closed by `closed_tree`; MuJoCo's constraints are not used.

MuJoCo orders coordinates depth first: q and nu are permuted. Bodies are compiled with a placeholder inertia and then
overwritten, so tensors that MuJoCo's compiler refuses are computed as described.
Not supported: telescopic inertia, first moments without mass.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import mujoco
import numpy as np

from reference.energies.homogeneous import quaternion_of, unit
from reference.energies.masses import center_form, pseudo_inertia

from .closed_tree import ClosedTree, Unsupported
from .cuts import Side

HINGE, SLIDE, BALL = mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE, mujoco.mjtJoint.mjJNT_BALL
PLACEHOLDER = [0.5, 0.6, 0.7, 0.01, 0.02, 0.03]


def _joints(joint: Any) -> list[tuple[Any, Any]]:
    """MuJoCo joints (type, axis) of a described joint, in the order they are applied."""
    axis = unit(joint.axis if joint.axis is not None else (0, 0, 1))
    xyz = [(SLIDE, e) for e in np.eye(3)]
    match joint.type:
        case "fixed":
            return []
        case "revolute":
            return [(HINGE, axis)]
        case "prismatic":
            return [(SLIDE, axis)]
        case "universal":
            return [(HINGE, unit(a)) for a in joint.axes]
        case "cylindrical" | "helical":  # a screw's two motions are coupled by whoever uses them
            return [(HINGE, axis), (SLIDE, axis)]
        case "planar" if np.allclose(axis, (0, 0, 1), atol=1e-12):
            return [*xyz[:2], (HINGE, axis)]
        case "spherical":
            return [(BALL, None)]
        case "free":
            return [*xyz, (BALL, None)]
    raise Unsupported(f"joint {joint.name}: {joint.type}")


class MujocoPeer(ClosedTree):
    """Closed-loop dynamics on MuJoCo's tree (mj_makeM, mj_rne, mj_jac, mj_jacDot)."""

    def __init__(self, robot: Any, velocities: Sequence[str]) -> None:
        super().__init__(robot, velocities)
        spec = mujoco.MjSpec()
        spec.option.gravity = list(robot.gravity)
        made: dict[str, Any] = {"world": spec.worldbody}
        platform = self.layout.platform
        self._own_platform = platform is not None and not self.layout.tied
        if self._own_platform:
            made[str(platform)] = _add(spec.worldbody, str(platform), share=self.bodies[str(platform)].weight_share)
            made[str(platform)].add_freejoint(name="platform_pose")
        parts: dict[str, int] = {}
        for p in self.layout.places:
            X = np.eye(4)
            for pose in (p.placed.base, p.joint.placement):
                if pose is not None:
                    X = X @ _matrix(pose)
            share = p.placed.body.weight_share
            body = _add(made[p.placed.parent], p.placed.body_name, X[:3, 3], X[:3, :3], share)
            made[p.placed.body_name] = body
            kinds = _joints(p.joint)
            for k, (kind, axis) in enumerate(kinds):
                body.add_joint(name=f"{p.placed.name}#{k}", type=kind, **({} if axis is None else {"axis": list(axis)}))
            parts[p.placed.name] = len(kinds)
        self.model = spec.compile()
        self.data = mujoco.MjData(self.model)
        self.nv = self.model.nv
        self._number(parts)
        self._overwrite()

    def _number(self, parts: dict[str, int]) -> None:
        """Find where each joint's coordinates and rates stand in MuJoCo."""
        model = self.model
        sizes = {int(mujoco.mjtJoint.mjJNT_BALL): (4, 3)}
        self.dofs, where = {}, []
        self._screws: list[tuple[Any, Any, float]] = []
        if self._own_platform:
            at = int(model.joint("platform_pose").qposadr[0])
            where += range(at, at + 7)
        elif self.layout.tied:
            where += [-1] * 7
        for p in self.layout.places:
            dofs: list[int] = []
            for k in range(parts[p.placed.name]):
                joint = model.joint(f"{p.placed.name}#{k}")
                if p.joint.type == "helical" and k == 1:
                    hinge = model.joint(f"{p.placed.name}#0")
                    self._screws.append((hinge, joint, p.joint.lead / (2 * np.pi)))
                    continue
                nq, nu = sizes.get(int(joint.type[0]), (1, 1))
                where += range(int(joint.qposadr[0]), int(joint.qposadr[0]) + nq)
                dofs += range(int(joint.dofadr[0]), int(joint.dofadr[0]) + nu)
            self.dofs[p.placed.name] = np.array(dofs, int)
        self._where = np.array(where, int)
        if len(where) != self.layout.nq or np.sum(self._where >= 0) + len(self._screws) != model.nq:
            raise AssertionError("MuJoCo's coordinates do not follow the layout")

    def _overwrite(self) -> None:
        """Write the described masses and rotor inertias into the compiled model."""
        model = self.model
        for name, body in self.bodies.items():
            i = model.body(name).id
            mass, center, tensor = center_form(pseudo_inertia(body))
            moments, axes = np.linalg.eigh(tensor)
            if np.linalg.det(axes) < 0:
                axes[:, 0] *= -1
            model.body_mass[i], model.body_ipos[i], model.body_inertia[i] = mass, center, moments
            model.body_iquat[i] = quaternion_of(axes)
        model.body_sameframe[:] = 0
        model.body_simple[:] = 0
        model.dof_simplenum[:] = 0
        model.body_subtreemass[:] = model.body_mass
        for i in range(model.nbody - 1, 0, -1):
            model.body_subtreemass[model.body_parentid[i]] += model.body_subtreemass[i]
        for p in self.layout.places:
            model.dof_armature[self.dofs[p.placed.name]] = self.reflected(p)

    def set_state(self, q: np.ndarray, nu: np.ndarray) -> None:
        """Evaluate MuJoCo's kinematics, mass matrix and velocities."""
        model, data = self.model, self.data
        mine = self._where >= 0
        data.qpos[self._where[mine]] = np.asarray(q, float)[mine]
        for hinge, slide, h in self._screws:
            data.qpos[slide.qposadr[0]] = h * data.qpos[hinge.qposadr[0]]
        data.qvel[:], data.qacc[:] = nu, 0.0
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_makeM(model, data)
        mujoco.mj_comVel(model, data)

    def couplings(self) -> list[np.ndarray]:
        """A slide follows its hinge, a lead a turn."""
        rows = np.zeros((len(self._screws), self.nv))
        for row, (hinge, slide, h) in zip(rows, self._screws, strict=True):
            row[slide.dofadr[0]], row[hinge.dofadr[0]] = 1.0, -h
        return list(rows)

    def tree_mass(self) -> np.ndarray:
        """Dense joint-space mass matrix."""
        M = np.zeros((self.nv, self.nv))
        mujoco.mj_fullM(self.model, self.data, M)
        return M

    def tree_bias(self) -> np.ndarray:
        """Recursive Newton-Euler at zero acceleration, less what compensates gravity."""
        out = np.zeros(self.nv)
        mujoco.mj_rne(self.model, self.data, 0, out)
        mujoco.mj_passive(self.model, self.data)
        return out - self.data.qfrc_gravcomp

    def side(self, body: str) -> Side:
        """Body frame from mj_jac and mj_jacDot."""
        model, data = self.model, self.data
        i = 0 if body == "world" else model.body(body).id
        Jp, Jr, Dp, Dr = (np.zeros((3, model.nv)) for _ in range(4))
        p, nu = data.xpos[i].copy(), data.qvel
        mujoco.mj_jac(model, data, Jp, Jr, p, i)
        mujoco.mj_jacDot(model, data, Dp, Dr, p, i)
        return Side(p, data.xmat[i].reshape(3, 3).copy(), Jp, Jr, Jp @ nu, Jr @ nu, Dp @ nu, Dr @ nu)


def _add(parent: Any, name: str, pos: Any = (0, 0, 0), R: Any = None, share: float = 1.0) -> Any:
    body = parent.add_body(name=name, pos=list(pos), quat=list(quaternion_of(np.eye(3) if R is None else R)))
    body.explicitinertial = True
    body.mass, body.ipos, body.fullinertia = 1.0, [0.1, 0.2, 0.3], PLACEHOLDER
    body.gravcomp = 1.0 - share
    return body


def _matrix(pose: Any) -> np.ndarray:
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = pose.rotation(), pose.position
    return X
