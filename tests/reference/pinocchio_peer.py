"""The robot's tree in Pinocchio (crba, rnea, Jacobians). Loops are closed by `closed_tree`.

Not supported: telescopic inertia, first moments without mass.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pinocchio as pin

from .closed_tree import ClosedTree, Unsupported
from .cuts import Side
from .homogeneous import unit
from .masses import center_form, pseudo_inertia

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

    def __init__(self, robot: Any) -> None:
        super().__init__(robot)
        self.model = pin.Model()
        self.model.gravity.linear = np.asarray(robot.gravity, float)
        self.frames: dict[str, tuple[int, pin.SE3]] = {"world": (0, pin.SE3.Identity())}
        j = self.model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "platform")
        self._append("platform", j, pin.SE3.Identity(), robot.platform.body)
        for leg in robot.legs:
            j, X = 0, _se3(leg.base)
            for joint in leg.chain:
                X = X * _se3(joint.placement)
                for k, kind in enumerate(_joints(joint)):
                    j = self.model.addJoint(j, kind, X, f"{leg.name}.{joint.name}.{k}")
                    X = pin.SE3.Identity()
                self._append(f"{leg.name}.{joint.body.name}", j, X, joint.body)
        if (self.model.nq, self.model.nv) != (self.layout.nq, self.layout.nx):
            raise AssertionError("Pinocchio's coordinates do not follow the layout")
        armature = np.zeros(self.model.nv)
        for p in self.layout.drives:
            armature[p.x] = (p.joint.drive.gear or 0.0) ** 2 * (p.joint.drive.rotor_inertia or 0.0)
        self.model.armature = armature
        self.data = self.model.createData()

    def _append(self, name: str, joint: int, X: pin.SE3, body: Any) -> None:
        self.frames[name] = (joint, X)
        mass, center, tensor = center_form(pseudo_inertia(body))
        inertia = pin.Inertia.Zero()  # set entry by entry: the constructor refuses tensors that are not positive
        inertia.mass, inertia.lever, inertia.inertia = float(mass), center, tensor
        if joint > 0:
            self.model.appendBodyToJoint(joint, inertia, X)

    def _configuration(self, q: np.ndarray) -> np.ndarray:
        """q with its quaternions in Pinocchio's order xyzw."""
        out = q.copy()
        for h in [slice(3, 7), *(p.rotation[0] for p in self.layout.places if p.rotation is not None)]:
            out[h] = np.roll(q[h], -1)
        return out

    def set_state(self, q: np.ndarray, nu: np.ndarray) -> None:
        """Evaluate kinematics with zero tree acceleration, and Jacobians."""
        self.q, self.nu = self._configuration(q), np.array(nu, float)
        pin.forwardKinematics(self.model, self.data, self.q, self.nu, np.zeros(self.model.nv))
        pin.computeJointJacobians(self.model, self.data)

    def tree_mass(self) -> np.ndarray:
        """Composite-rigid-body mass matrix."""
        upper = np.triu(pin.crba(self.model, self.model.createData(), self.q))
        return upper + np.triu(upper, 1).T

    def tree_bias(self) -> np.ndarray:
        """Recursive Newton-Euler at zero acceleration."""
        return pin.rnea(self.model, self.model.createData(), self.q, self.nu, np.zeros(self.model.nv)).copy()

    def side(self, body: str) -> Side:
        """Body frame from the carrying joint's Jacobian, velocity and classical acceleration."""
        j, X = self.frames[body]
        if j == 0:
            z, J = np.zeros(3), np.zeros((3, self.model.nv))
            return Side(z, np.eye(3), J, J, z, z, z, z).at(X.translation, X.rotation)
        J = pin.getJointJacobian(self.model, self.data, j, WORLD_ALIGNED)
        twist = pin.getVelocity(self.model, self.data, j, WORLD_ALIGNED)
        acceleration = pin.getClassicalAcceleration(self.model, self.data, j, WORLD_ALIGNED)
        M = self.data.oMi[j]
        motion = (twist.linear.copy(), twist.angular.copy(), acceleration.linear.copy(), acceleration.angular.copy())
        side = Side(M.translation.copy(), M.rotation.copy(), J[:3].copy(), J[3:].copy(), *motion)
        return side.at(X.translation, X.rotation)
