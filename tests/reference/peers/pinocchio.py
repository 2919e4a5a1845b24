"""Any mechanism's tree in Pinocchio (crba, rnea, Jacobians). Loops are closed by `closed_tree`.

Pinocchio wants its joints depth first, so they are added in that order, and q and nu are permuted.
Not supported: telescopic inertia, first moments without mass.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pinocchio as pin

from reference.energies.homogeneous import unit
from reference.energies.masses import center_form, pseudo_inertia

from .closed_tree import ClosedTree, Unsupported
from .cuts import Side

WORLD_ALIGNED = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED


def _joints(joint: Any) -> list[Any]:
    """Pinocchio joints of a described joint, in the order they are applied."""
    axis = unit(joint.axis if joint.axis is not None else (0, 0, 1))
    match joint.type:
        case "fixed":
            return []
        case "revolute":
            return [pin.JointModelRevoluteUnaligned(axis)]
        case "helical":
            return [pin.JointModelHelicalUnaligned(axis, joint.lead / (2 * np.pi))]
        case "prismatic":
            return [pin.JointModelPrismaticUnaligned(axis)]
        case "universal":
            return [pin.JointModelRevoluteUnaligned(unit(a)) for a in joint.axes]
        case "cylindrical":
            return [pin.JointModelRevoluteUnaligned(axis), pin.JointModelPrismaticUnaligned(axis)]
        case "planar" if np.allclose(axis, (0, 0, 1), atol=1e-12):
            return [pin.JointModelPX(), pin.JointModelPY(), pin.JointModelRZ()]
        case "spherical":
            return [pin.JointModelSpherical()]
        case "free":
            return [pin.JointModelFreeFlyer()]
    raise Unsupported(f"joint {joint.name}: {joint.type}")


def _se3(pose: Any) -> pin.SE3:
    return pin.SE3(np.asarray(pose.rotation(), float), np.asarray(pose.position, float))


class PinocchioPeer(ClosedTree):
    """Closed-loop dynamics on Pinocchio's tree."""

    def __init__(self, robot: Any, velocities: Sequence[str]) -> None:
        super().__init__(robot, velocities)
        if any(body.weight_share != 1.0 for body in self.bodies.values()):
            raise Unsupported("a body of whose weight a share acts")
        self.model = pin.Model()
        self.model.gravity.linear = np.asarray(robot.gravity, float)
        self.frames: dict[str, tuple[int, pin.SE3]] = {"world": (0, pin.SE3.Identity())}
        self.dofs, self._where = {}, np.full(self.layout.nq, -1)
        if self.layout.platform is not None and not self.layout.tied:
            j = self.model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "platform_pose")
            self._append(self.layout.platform, j, pin.SE3.Identity())
            self._where[:7] = range(7)
            self._carried_by(self.layout.platform)
        self._carried_by("world")
        self.nv = self.model.nv
        if np.sum(self._where >= 0) != self.model.nq or len(self.dofs) != len(self.layout.places):
            raise AssertionError("Pinocchio's coordinates do not follow the layout")
        armature = np.zeros(self.model.nv)
        for p in self.layout.places:
            armature[self.dofs[p.placed.name]] = self.reflected(p)
        self.model.armature = armature
        self.data = self.model.createData()

    def _carried_by(self, parent: str) -> None:
        """Add the joints on a body, each followed by all that it carries."""
        for p in self.layout.places:
            if p.placed.parent != parent:
                continue
            j, X = self.frames[p.placed.parent]
            for pose in (p.placed.base, p.joint.placement):
                X = X if pose is None else X * _se3(pose)
            where: list[int] = []
            dofs: list[int] = []
            for k, kind in enumerate(_joints(p.joint)):
                j = self.model.addJoint(j, kind, X, f"{p.placed.name}#{k}")
                own = self.model.joints[j]
                where += range(own.idx_q, own.idx_q + own.nq)
                dofs += range(own.idx_v, own.idx_v + own.nv)
                X = pin.SE3.Identity()
            self._where[p.q] = where
            self.dofs[p.placed.name] = np.array(dofs, int)
            self._append(p.placed.body_name, j, X)
            self._carried_by(p.placed.body_name)

    def _append(self, name: str, joint: int, X: pin.SE3) -> None:
        self.frames[name] = (joint, X)
        mass, center, tensor = center_form(pseudo_inertia(self.bodies[name]))
        inertia = pin.Inertia.Zero()  # set entry by entry: the constructor refuses tensors that are not positive
        inertia.mass, inertia.lever, inertia.inertia = float(mass), center, tensor
        if joint > 0:
            self.model.appendBodyToJoint(joint, inertia, X)

    def set_state(self, q: np.ndarray, nu: np.ndarray) -> None:
        """Evaluate kinematics with zero tree acceleration, and Jacobians; quaternions in Pinocchio's order xyzw."""
        turned = np.array(q, float)
        for h in self.layout.quaternions:
            turned[h] = np.roll(turned[h], -1)
        mine = self._where >= 0
        self.q, self.nu = np.zeros(self.model.nq), np.array(nu, float)
        self.q[self._where[mine]] = turned[mine]
        pin.forwardKinematics(self.model, self.data, self.q, self.nu, np.zeros(self.nv))
        pin.computeJointJacobians(self.model, self.data)

    def tree_mass(self) -> np.ndarray:
        """Composite-rigid-body mass matrix."""
        upper = np.triu(pin.crba(self.model, self.model.createData(), self.q))
        return upper + np.triu(upper, 1).T

    def tree_bias(self) -> np.ndarray:
        """Recursive Newton-Euler at zero acceleration."""
        return pin.rnea(self.model, self.model.createData(), self.q, self.nu, np.zeros(self.nv)).copy()

    def side(self, body: str) -> Side:
        """Body frame from the carrying joint's Jacobian, velocity and classical acceleration."""
        j, X = self.frames[body]
        if j == 0:
            z, J = np.zeros(3), np.zeros((3, self.nv))
            return Side(z, np.eye(3), J, J, z, z, z, z).at(X.translation, X.rotation)
        J = pin.getJointJacobian(self.model, self.data, j, WORLD_ALIGNED)
        twist = pin.getVelocity(self.model, self.data, j, WORLD_ALIGNED)
        acceleration = pin.getClassicalAcceleration(self.model, self.data, j, WORLD_ALIGNED)
        M = self.data.oMi[j]
        motion = (twist.linear.copy(), twist.angular.copy(), acceleration.linear.copy(), acceleration.angular.copy())
        side = Side(M.translation.copy(), M.rotation.copy(), J[:3].copy(), J[3:].copy(), *motion)
        return side.at(X.translation, X.rotation)
