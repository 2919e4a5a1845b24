"""The robot's tree in MuJoCo. Loops are closed by `closed_tree`; MuJoCo's constraints and mj_inverse are not used.

Bodies are compiled with a placeholder inertia and then overwritten in the compiled model, so tensors that MuJoCo's
compiler refuses (negative, triangle-violating, thin rods, massless) are computed as described.
Not supported: telescopic inertia, first moments without mass.
"""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np

from .closed_tree import ClosedTree, Unsupported
from .cuts import Side
from .homogeneous import unit
from .masses import center_form, pseudo_inertia
from .states import quaternion_of

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

    def __init__(self, robot: Any) -> None:
        super().__init__(robot)
        self.described: dict[str, Any] = {"platform": robot.platform.body}
        spec = mujoco.MjSpec()
        spec.option.gravity = list(robot.gravity)
        platform = self._add(spec.worldbody, "platform")
        platform.add_freejoint()
        for leg in robot.legs:
            parent, R0 = spec.worldbody, np.asarray(leg.base.rotation(), float)
            X0 = np.asarray(leg.base.position, float)
            for joint in leg.chain:
                name = f"{leg.name}.{joint.body.name}"
                self.described[name] = joint.body
                pos = X0 + R0 @ np.asarray(joint.placement.position, float)
                body = self._add(parent, name, pos, R0 @ joint.placement.rotation())
                for kind, axis in _joints(joint):
                    more = {} if axis is None else {"axis": list(axis)}
                    body.add_joint(type=kind, **more)
                parent, X0, R0 = body, np.zeros(3), np.eye(3)
        self.model = spec.compile()
        self.data = mujoco.MjData(self.model)
        if (self.model.nq, self.model.nv) != (self.layout.nq, self.layout.nx):
            raise AssertionError("MuJoCo's coordinates do not follow the layout")
        self._overwrite()

    @staticmethod
    def _add(parent: Any, name: str, pos: Any = (0, 0, 0), R: Any = None) -> Any:
        body = parent.add_body(name=name, pos=list(pos), quat=list(quaternion_of(np.eye(3) if R is None else R)))
        body.explicitinertial = True
        body.mass, body.ipos, body.fullinertia = 1.0, [0.1, 0.2, 0.3], PLACEHOLDER
        return body

    def _overwrite(self) -> None:
        """Write the described masses and rotor inertias into the compiled model."""
        model = self.model
        for name, body in self.described.items():
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
        for p in self.layout.drives:
            model.dof_armature[p.x] = (p.joint.drive.gear or 0.0) ** 2 * (p.joint.drive.rotor_inertia or 0.0)

    def set_state(self, q: np.ndarray, nu: np.ndarray) -> None:
        """Evaluate MuJoCo's kinematics, mass matrix and velocities."""
        model, data = self.model, self.data
        data.qpos[:], data.qvel[:], data.qacc[:] = q, nu, 0.0
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_makeM(model, data)
        mujoco.mj_comVel(model, data)

    def tree_mass(self) -> np.ndarray:
        """Dense joint-space mass matrix."""
        M = np.zeros((self.model.nv, self.model.nv))
        mujoco.mj_fullM(self.model, self.data, M)
        return M

    def tree_bias(self) -> np.ndarray:
        """Recursive Newton-Euler at zero acceleration."""
        out = np.zeros(self.model.nv)
        mujoco.mj_rne(self.model, self.data, 0, out)
        return out

    def side(self, body: str) -> Side:
        """Body frame from mj_jac and mj_jacDot."""
        model, data = self.model, self.data
        i = 0 if body == "world" else model.body(body).id
        Jp, Jr, Dp, Dr = (np.zeros((3, model.nv)) for _ in range(4))
        p, nu = data.xpos[i].copy(), data.qvel
        mujoco.mj_jac(model, data, Jp, Jr, p, i)
        mujoco.mj_jacDot(model, data, Dp, Dr, p, i)
        return Side(p, data.xmat[i].reshape(3, 3).copy(), Jp, Jr, Jp @ nu, Jr @ nu, Dp @ nu, Dr @ nu)
