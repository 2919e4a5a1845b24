"""Files that were written, read by the programs they are for: MuJoCo and Pinocchio supply the tree, its springs and dampers and
what ties it together from the file alone; here it is reduced to the robot's velocities as for all peers."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import mujoco
import numpy as np
import pinocchio as pin
from ruamel.yaml import YAML
from scipy.spatial.transform import Rotation

import gough
from reference.peers.closed_tree import ClosedTree
from reference.peers.cuts import Side, cut_rows, friction_force

ALIGNED = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED

ENDS = {  # of the coordinates of joint types, as files call them
    "fixed": (),
    "universal": ("_1", "_2"),
    "cylindrical": ("_angle", "_offset"),
    "planar": ("_x", "_y", "_angle"),
}


def file_name(name: str) -> str:
    return name.replace(".", "_")


class WrittenMujoco(ClosedTree):
    """The dynamics of an MJCF file: mass matrix, bias, passive forces, equalities and motors as MuJoCo has them."""

    def __init__(self, model: gough.Model, file: Any) -> None:
        super().__init__(model.robot, model.layout.v_names)
        self.model = mujoco.MjModel.from_xml_path(str(file))
        self.model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_LIMIT | mujoco.mjtDisableBit.mjDSBL_WARMSTART
        self.data = mujoco.MjData(self.model)
        self.nv = self.model.nv
        self.dofs = {}
        self._fill: list[Any] = []
        self._scale = np.ones(self.nv)
        home = dict(zip(model.layout.q_names, model.home, strict=True))
        if self.layout.platform is not None and not self.layout.tied:
            at = int(self.model.joint(f"{self.layout.platform}_floats").qposadr[0])
            self._fill.append((slice(0, 7), slice(at, at + 7), None))
        for p in self.layout.places:
            self._place(p, home)

    def _place(self, p: Any, home: dict[str, float]) -> None:
        name, kind = file_name(p.placed.name), p.joint.type
        if kind == "spherical":
            joint = self.model.joint(name)
            at, dof = int(joint.qposadr[0]), int(joint.dofadr[0])
            wxyz = np.array([home[p.placed.name + end] for end in ("_qw", "_qx", "_qy", "_qz")])
            self._fill.append((p.q, slice(at, at + 4), wxyz))
            self.dofs[p.placed.name] = np.arange(dof, dof + 3)
            return
        dofs = []
        for k, end in enumerate(ENDS.get(kind, ("",))):
            joint = self.model.joint(name + end)
            at, dof = int(joint.qposadr[0]), int(joint.dofadr[0])
            h = p.joint.lead / (2 * np.pi) if kind == "ball_screw" else 1.0
            self._scale[dof] = h
            self._fill.append((p.q.start + k, at, h))
            dofs.append(dof)
        if kind == "helical":
            slide = self.model.joint(f"{name}_travel")
            self._fill.append((p.q.start, int(slide.qposadr[0]), p.joint.lead / (2 * np.pi)))
        self.dofs[p.placed.name] = np.array(dofs, int)

    def set_state(self, q: np.ndarray, nu: np.ndarray) -> None:
        model, data = self.model, self.data
        for mine, theirs, how in self._fill:
            if isinstance(mine, slice) and how is not None:  # a ball, which counts from home
                data.qpos[theirs] = _product(how * [1, -1, -1, -1], q[mine])
            elif isinstance(mine, slice):
                data.qpos[theirs] = q[mine]
            else:
                data.qpos[theirs] = q[mine] * how
        data.qvel[:], data.qacc[:] = nu, 0.0
        mujoco.mj_forward(model, data)

    def tree_mass(self) -> np.ndarray:
        M = np.zeros((self.nv, self.nv))
        mujoco.mj_fullM(self.model, self.data, M)
        return M

    def tree_bias(self) -> np.ndarray:
        return self.data.qfrc_bias.copy()

    def side(self, body: str) -> Side:
        i = 0 if body == "world" else self.model.body(file_name(body)).id
        return self._at(i, self.data.xpos[i], self.data.xmat[i])

    def _site(self, i: int) -> Side:
        return self._at(int(self.model.site_bodyid[i]), self.data.site_xpos[i], self.data.site_xmat[i])

    def _at(self, body: int, point: np.ndarray, axes: np.ndarray) -> Side:
        model, data = self.model, self.data
        Jp, Jr, Dp, Dr = (np.zeros((3, model.nv)) for _ in range(4))
        p, nu = point.copy(), data.qvel
        mujoco.mj_jac(model, data, Jp, Jr, p, body)
        mujoco.mj_jacDot(model, data, Dp, Dr, p, body)
        return Side(p, axes.reshape(3, 3).copy(), Jp, Jr, Jp @ nu, Jr @ nu, Dp @ nu, Dr @ nu)

    def _closures(self) -> tuple[np.ndarray, np.ndarray]:
        """Of the file's equalities, with their drifts; MuJoCo's own rows must span the same."""
        model, rows, drifts = self.model, [np.zeros((0, self.nv))], [np.zeros(0)]
        kinds = mujoco.mjtEq
        for e in range(model.neq):
            first, second = int(model.eq_obj1id[e]), int(model.eq_obj2id[e])
            match int(model.eq_type[e]):
                case kinds.mjEQ_CONNECT | kinds.mjEQ_WELD:
                    a, b = self._site(first), self._site(second)
                    rows.append(b.Jp - a.Jp)
                    drifts.append(b.a - a.a)
                    if model.eq_type[e] == kinds.mjEQ_WELD:
                        rows.append(b.Jr - a.Jr)
                        drifts.append(b.alpha - a.alpha)
                case kinds.mjEQ_JOINT:
                    row = np.zeros((1, self.nv))
                    row[0, model.jnt_dofadr[first]] = 1.0
                    row[0, model.jnt_dofadr[second]] = -model.eq_data[e, 1]
                    rows.append(row)
                    drifts.append(np.zeros(1))
                case kinds.mjEQ_TENDON:
                    row, drift = self._tendon(first)
                    rows.append(row[None])
                    drifts.append(np.array([drift]))
        ours = np.vstack(rows)
        theirs = self.data.efc_J.reshape(-1, self.nv)[self.data.efc_type == mujoco.mjtConstraint.mjCNSTR_EQUALITY]
        if len(ours):
            both = np.linalg.matrix_rank(np.vstack([ours, theirs]), tol=1e-9 * np.abs(ours).max())
            assert both == np.linalg.matrix_rank(ours, tol=1e-9 * np.abs(ours).max())
            assert np.abs(self.data.efc_pos[self.data.efc_type == 0]).max() < 1e-9
        return ours, np.concatenate(drifts)

    def _tendon(self, t: int) -> tuple[np.ndarray, float]:
        """(row, drift) of a tendon's length."""
        model = self.model
        objects = range(int(model.tendon_adr[t]), int(model.tendon_adr[t] + model.tendon_num[t]))
        if model.wrap_type[objects[0]] == mujoco.mjtWrap.mjWRAP_JOINT:
            row = np.zeros(self.nv)
            for k in objects:
                row[model.jnt_dofadr[model.wrap_objid[k]]] = model.wrap_prm[k]
            return row, 0.0
        a, b = (self._site(int(model.wrap_objid[k])) for k in objects)
        d, dd = b.p - a.p, b.v - a.v
        length = np.linalg.norm(d)
        n = d / length
        return n @ (b.Jp - a.Jp), float(n @ (b.a - a.a) + (dd @ dd - (n @ dd) ** 2) / length)

    def _related(self) -> list[np.ndarray]:
        return []

    def _passive(self, q: np.ndarray, nu: np.ndarray) -> np.ndarray:
        return self.data.qfrc_passive - self.model.dof_frictionloss * np.sign(np.where(np.abs(nu) < 1e-12, 0.0, nu))

    def drive_matrix(self) -> np.ndarray:
        B = np.zeros((self.nv, len(self.layout.drives)))
        for k, p in enumerate(self.layout.drives):
            i = self.model.actuator(f"{file_name(p.placed.name)}_drive").id
            joint = int(self.model.actuator_trnid[i, 0])
            B[self.model.jnt_dofadr[joint], k] = self.model.actuator_gear[i, 0]
        return B

    def _selection(self) -> tuple[np.ndarray, np.ndarray]:
        E, e0 = super()._selection()
        return scaled_selection(self, E), e0


class WrittenPinocchio(ClosedTree):
    """The dynamics of a URDF and its loops file: the tree by Pinocchio, the rest from the two texts."""

    def __init__(self, model: gough.Model, file: Path) -> None:
        super().__init__(model.robot, model.layout.v_names)
        self.model = pin.buildModelFromUrdf(str(file))
        self.text: Any = ElementTree.parse(file).getroot()
        self.said = YAML(typ="safe").load(file.with_name(f"{file.stem}.loops.yaml").read_text(encoding="utf-8"))
        self.model.gravity.linear = np.array(self.said["gravity"], float)
        self.nv = self.model.nv
        armature = np.zeros(self.nv)
        for drive in self.text.findall("transmission"):
            rotor = drive.find("actuator/{http://drake.mit.edu}rotor_inertia")
            armature[self._dof(drive.find("joint").get("name"))] = 0.0 if rotor is None else float(rotor.get("value"))
        self.model.armature = armature
        self.data = self.model.createData()
        self.dofs = {}
        self._fill: list[Any] = []
        self._scale = np.ones(self.nv)
        if self.layout.platform is not None and not self.layout.tied:
            self._fill.append((f"{self.layout.platform}_floats", 0, "pose", 1.0))
        for p in self.layout.places:
            self._place(p)

    def _joint(self, name: str) -> Any:
        return self.model.joints[self.model.getJointId(name)]

    def _dof(self, name: str) -> int:
        return self._joint(name).idx_v

    def _place(self, p: Any) -> None:
        name, kind = file_name(p.placed.name), p.joint.type
        h = p.joint.lead / (2 * np.pi) if kind in ("ball_screw", "helical") else 1.0
        if kind == "spherical":
            at = self._dof(name)
            self.dofs[p.placed.name] = np.arange(at + 3, at + 6)
            self._fill.append((name, p.q.start, "ball", 1.0))
            return
        dofs = []
        for k, end in enumerate(ENDS.get(kind, ("",))):
            dofs.append(self._dof(name + end))
            self._fill.append((name + end, p.q.start + k, "one", h if kind == "ball_screw" else 1.0))
            self._scale[dofs[-1]] = h if kind == "ball_screw" else 1.0
        if kind == "helical":
            self._fill.append((f"{name}_travel", p.q.start, "one", h))
        self.dofs[p.placed.name] = np.array(dofs, int)

    def set_state(self, q: np.ndarray, nu: np.ndarray) -> None:
        x = pin.neutral(self.model)
        self.coordinates: dict[str, float] = {}
        for name, at, how, scale in self._fill:
            joint = self._joint(name)
            start, size = joint.idx_q, joint.nq
            if how == "pose":
                x[start : start + 7] = [*q[:3], *q[4:7], q[3]]
            elif how == "ball":
                x[start : start + 7] = [0, 0, 0, *q[at + 1 : at + 4], q[at]]
            else:
                value = self.coordinates[name] = q[at] * scale
                x[start : start + size] = [np.cos(value), np.sin(value)] if size == 2 else [value]
        self._x, self._nu = x, np.asarray(nu, float)
        zero = np.zeros(self.nv)
        pin.computeJointJacobians(self.model, self.data, x)
        pin.forwardKinematics(self.model, self.data, x, self._nu, zero)
        pin.updateFramePlacements(self.model, self.data)

    def tree_mass(self) -> np.ndarray:
        M = pin.crba(self.model, self.data, self._x)
        return np.triu(M) + np.triu(M, 1).T

    def tree_bias(self) -> np.ndarray:
        return pin.nonLinearEffects(self.model, self.data, self._x, self._nu)

    def side(self, body: str) -> Side:
        if body == "world":
            zero, none = np.zeros(3), np.zeros((3, self.nv))
            return Side(zero, np.eye(3), none, none, zero, zero, zero, zero)
        i = self.model.getFrameId(file_name(body), pin.FrameType.BODY)
        J = pin.getFrameJacobian(self.model, self.data, i, ALIGNED)
        a = pin.getFrameClassicalAcceleration(self.model, self.data, i, ALIGNED)
        v = pin.getFrameVelocity(self.model, self.data, i, ALIGNED)
        at = self.data.oMf[i]
        out = (J[:3], J[3:], v.linear, v.angular, a.linear, a.angular)
        return Side(at.translation.copy(), at.rotation.copy(), *(np.array(part) for part in out))

    def _end(self, end: Any) -> Side:
        pose = end.get("pose", {})
        turn = Rotation.from_quat(np.roll(pose.get("quaternion_wxyz", [1, 0, 0, 0]), -1)).as_matrix()
        return self.side(end["body"]).at(pose.get("position", [0, 0, 0]), turn)

    def _loops(self) -> list[tuple[Any, Side, Side]]:
        out = []
        for loop in self.said.get("loops", []):
            words = {"axis": None, "axes": None, "length": None, **loop}
            words["friction"] = _frictions(loop.get("friction"))
            out.append((SimpleNamespace(**words), self._end(loop["first"]), self._end(loop["second"])))
        return out

    def _closures(self) -> tuple[np.ndarray, np.ndarray]:
        parts = [(np.zeros((0, self.nv)), np.zeros(0)), *(cut_rows(*loop) for loop in self._loops())]
        relations = [c["coefficients"] for c in self.said.get("couplings", [])]
        for joint in self.text.findall("joint"):
            mimic = joint.find("mimic")
            if mimic is not None:
                name, other, ratio = joint.get("name"), mimic.get("joint"), float(mimic.get("multiplier"))
                gap = self.coordinates[name] - ratio * self.coordinates[other] - float(mimic.get("offset", 0.0))
                assert abs(gap) < 1e-9
                relations.append({name: 1.0, other: -ratio})
        for terms in relations:
            row = np.zeros((1, self.nv))
            for name, c in terms.items():
                row[0, self._dof(name)] = c
            parts.append((row, np.zeros(1)))
        return np.vstack([p[0] for p in parts]), np.concatenate([p[1] for p in parts])

    def _passive(self, q: np.ndarray, nu: np.ndarray) -> np.ndarray:
        force = np.zeros(self.nv)
        for joint in self.text.findall("joint"):
            dynamics = joint.find("dynamics")
            if dynamics is not None:
                at = self._dof(joint.get("name"))
                rate = 0.0 if abs(nu[at]) < 1e-12 else nu[at]
                force[at] -= float(dynamics.get("damping", 0)) * rate
                force[at] -= float(dynamics.get("friction", 0)) * np.sign(rate)
        for spring in self.text.findall("gazebo"):
            name, k = spring.get("reference"), float(spring.findtext("springStiffness"))
            force[self._dof(name)] -= k * (self.coordinates[name] - float(spring.findtext("springReference")))
        for loop, first, second in self._loops():
            force += friction_force(loop, first, second)
        return force

    def drive_matrix(self) -> np.ndarray:
        B = np.zeros((self.nv, len(self.layout.drives)))
        assert [file_name(p.placed.name) for p in self.layout.drives] == self.said.get("drives", [])
        for k, p in enumerate(self.layout.drives):
            at = self._dof(file_name(p.placed.name))
            B[at, k] = 1.0 / self._scale[at]
        return B

    def _selection(self) -> tuple[np.ndarray, np.ndarray]:
        E, e0 = super()._selection()
        return scaled_selection(self, E), e0


def _frictions(words: Any) -> Any:
    def one(own: Any) -> Any:
        return None if own is None else SimpleNamespace(**{"viscous": 0.0, "coulomb": 0.0, "smoothing": 0.0, **own})

    return tuple(one(own) for own in words) if isinstance(words, list) else one(words)


def scaled_selection(peer: Any, E: np.ndarray) -> np.ndarray:
    """Rates of slides that stand for a spindle's angle."""
    for row, name in zip(E, peer.velocities, strict=True):
        if np.count_nonzero(row) == 1 and name in peer.layout.x_names[6 if peer.layout.platform else 0 :]:
            row /= peer._scale[np.flatnonzero(row)[0]]
    return E


def _product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    out = np.zeros(4)
    mujoco.mju_mulQuat(out, np.asarray(a, float), np.asarray(b, float))
    return out


def largest_error(model: gough.Model, peer: ClosedTree, count: int = 3, seed: int = 5) -> float:
    """Of inverse and forward dynamics at assembled states around home, over the largest entry of each."""
    rng = np.random.default_rng(seed)
    states = model.sampled_states["q"]
    pairs: dict[str, list[tuple[Any, Any]]] = {"tau": [], "vdot": []}
    for k in range(count):
        q = states[k % len(states)]
        v = rng.normal(size=model.layout.nv)
        if model.driven and not model.layout.v_idle:
            a = 3.0 * rng.normal(size=model.mobility)
            pairs["tau"].append((model.inverse_dynamics(q, v, a).tau, peer.inverse(q, v, a)))
        tau = 5.0 * rng.normal(size=len(model.mechanism.drives))
        pairs["vdot"].append((model.forward_dynamics(q, v, tau).vdot, peer.forward(q, v, tau)))
    return max(_relative(*map(np.array, zip(*found, strict=True))) for found in pairs.values() if found)


def _relative(ours: np.ndarray, theirs: np.ndarray) -> float:
    return float(np.abs(ours - theirs).max() / np.abs(theirs).max())
