"""A model of gough beside MuJoCo's own model of the same file, at the same consistent state.

MuJoCo's tree (`mj_fullM`, `qfrc_bias`, `qfrc_passive`) is projected on the motions that its equalities leave; rows of the
equalities are made here from MuJoCo's data with `mj_jac` and `mj_jacDot`. Motions N come from gough (`configuration_rate`)
and are checked: they must fulfil MuJoCo's rows, and be all that do.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

INDEPENDENT = 1e-9
ROUNDED = 1e-11
"""Loops that stay open by more (m) do so because of the file's digits."""
STEP = 3e-3
"""Of differences: what the fastest rate does in a step, rad or m."""
TWIST = ("vx", "vy", "vz", "wx", "wy", "wz")


def compile_quietly(file: str | Path) -> Any:
    """MuJoCo's own model; its warnings would go to a file in the working folder."""
    before = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(lambda _: None)
    try:
        return mujoco.MjModel.from_xml_path(str(file))
    finally:
        mujoco.set_mju_user_warning(before)


@dataclass(frozen=True)
class Equations:
    """M v̇ + h = S τ; freedoms that the equalities leave; by how much these are open (gap), and left by the motions of v (rows);
    selection: by how much v of these motions is not v; scale: the size of forces in h."""

    M: np.ndarray
    h: np.ndarray
    S: np.ndarray
    freedoms: int
    gap: float
    rows: float
    selection: float
    scale: float


class Truth:
    """MuJoCo's model of a file, and where gough's coordinates are in it."""

    def __init__(self, file: str | Path, model: Any) -> None:
        self.own = model
        self.mj = file if isinstance(file, mujoco.MjModel) else compile_quietly(file)
        self.data = mujoco.MjData(self.mj)
        source = model.robot.source
        self.old = dict(source.get("renamed joints", {}))
        self.old_bodies = dict(source.get("renamed bodies", {}))
        self.joint_of = {}
        for j in range(self.mj.njnt):
            name = mujoco.mj_id2name(self.mj, mujoco.mjtObj.mjOBJ_JOINT, j)
            body = mujoco.mj_id2name(self.mj, mujoco.mjtObj.mjOBJ_BODY, self.mj.jnt_bodyid[j])
            called = name or f"{body or f'body_{self.mj.jnt_bodyid[j]}'}_joint"
            like = [n for n in self.joint_of if n == called or (n.startswith(f"{called}_") and not name)]
            self.joint_of[called if name or not like else f"{called}_{len(like) + 1}"] = j
        self.joints = [j for j in model.robot.joints if self.old.get(j.name, j.name) in self.joint_of]

    def number(self, name: str) -> int | None:
        """MuJoCo's joint of a joint of the description; None for the coordinate of a tendon."""
        return self.joint_of.get(self.old.get(name, name))

    def tendon(self, name: str) -> tuple[np.ndarray, float]:
        """(row, drift) of the tendon that a joint of the description stands for."""
        old = self.old.get(name, name).removesuffix("_tendon")
        return self.tendon_row(mujoco.mj_name2id(self.mj, mujoco.mjtObj.mjOBJ_TENDON, old))

    def tendon_row(self, t: int) -> tuple[np.ndarray, float]:
        """(row (nv,), drift) of a tendon's length: a sum of coordinates, or a straight line between two sites."""
        m = self.mj
        path = range(m.tendon_adr[t], m.tendon_adr[t] + m.tendon_num[t])
        if m.wrap_type[path[0]] == int(mujoco.mjtWrap.mjWRAP_SITE):
            sites = [m.wrap_objid[w] for w in path]
            (p1, _, J1, _, a1, _), (p2, _, J2, _, a2, _) = (self.point(m.site_bodyid[s], m.site_pos[s]) for s in sites)
            length = float(np.linalg.norm(p2 - p1))
            along, rate = (p2 - p1) / length, (J2 - J1) @ self.data.qvel
            return along @ (J2 - J1), float(along @ (a2 - a1) + (rate @ rate - (along @ rate) ** 2) / length)
        row = np.zeros(m.nv)
        for w in path:
            row[m.jnt_dofadr[m.wrap_objid[w]]] += m.wrap_prm[w]
        return row, 0.0

    def qpos(self, q: np.ndarray) -> np.ndarray:
        """MuJoCo's coordinates: gough's by name, held ones where they are held."""
        out, names = self.mj.qpos0.copy(), list(self.own.layout.q_names)
        for e in range(self.mj.neq):
            if (
                self.mj.eq_active0[e]
                and self.mj.eq_type[e] == int(mujoco.mjtEq.mjEQ_JOINT)
                and self.mj.eq_obj2id[e] < 0
            ):
                out[self.mj.jnt_qposadr[self.mj.eq_obj1id[e]]] += self.mj.eq_data[e, 0]
        for joint in self.joints:
            first = self.mj.jnt_qposadr[self.number(joint.name)]
            for k, name in enumerate(self.coordinates(joint)):
                out[first + k] = q[names.index(name)]
        return out

    def coordinates(self, joint: Any) -> list[str]:
        """Names of a joint's coordinates; those of a free platform are its pose's."""
        if joint.type == "free" and f"{joint.name}_x" not in self.own.layout.q_names:
            return ["x", "y", "z", "qw", "qx", "qy", "qz"]
        ball = [f"{joint.name}_q{c}" for c in "wxyz"]
        place = [f"{joint.name}_{c}" for c in "xyz"]
        return {"spherical": ball, "free": place + ball, "fixed": []}.get(joint.type, [joint.name])

    def qvel(self, q: np.ndarray, rate: np.ndarray) -> np.ndarray:
        """MuJoCo's velocities of gough's rates of coordinates."""
        out, names = np.zeros(self.mj.nv), list(self.own.layout.q_names)
        for joint in self.joints:
            dof = self.mj.jnt_dofadr[self.number(joint.name)]
            at = [names.index(name) for name in self.coordinates(joint)]
            if joint.type == "free":
                out[dof : dof + 3] = rate[at[:3]]
                out[dof + 3 : dof + 6] = _spin(q[at[3:]], rate[at[3:]])
            elif joint.type == "spherical":
                out[dof : dof + 3] = _spin(q[at], rate[at])
            elif at:
                out[dof] = rate[at[0]]
        return out

    def point(self, body: int, local: np.ndarray) -> tuple[np.ndarray, ...]:
        """(place, rotation, Jp, Jr, drift of both) of a point of a body."""
        m, d = self.mj, self.data
        R = d.xmat[body].reshape(3, 3)
        p = d.xpos[body] + R @ local
        Jp, Jr, Dp, Dr = (np.zeros((3, m.nv)) for _ in range(4))
        mujoco.mj_jac(m, d, Jp, Jr, p, body)
        mujoco.mj_jacDot(m, d, Dp, Dr, p, body)
        return p, R, Jp, Jr, Dp @ d.qvel, Dr @ d.qvel

    def equalities(self) -> tuple[np.ndarray, np.ndarray, float]:
        """(rows, drifts, largest gap) of all active equalities at the state of the data."""
        m, d = self.mj, self.data
        rows, drifts, gap = [np.zeros((0, m.nv))], [np.zeros(0)], 0.0
        for e in range(m.neq):
            if not m.eq_active0[e]:
                continue
            kind, data, pair = int(m.eq_type[e]), m.eq_data[e], (m.eq_obj1id[e], m.eq_obj2id[e])
            if kind in (int(mujoco.mjtEq.mjEQ_JOINT), int(mujoco.mjtEq.mjEQ_TENDON)):
                row, left, drift = np.zeros(m.nv), -data[0], 0.0
                for index, factor in zip(pair, (1.0, -data[1]), strict=True):
                    if index < 0:
                        continue
                    if kind == int(mujoco.mjtEq.mjEQ_TENDON):
                        own, drift_of_own = self.tendon_row(index)
                        row, drift = row + factor * own, drift + factor * drift_of_own
                        left += factor * (d.ten_length[index] - m.tendon_length0[index])
                    else:
                        row[m.jnt_dofadr[index]] += factor
                        left += factor * (d.qpos[m.jnt_qposadr[index]] - m.qpos0[m.jnt_qposadr[index]])
                rows.append(row[None])
                drifts.append(np.array([drift]))
                gap = max(gap, abs(left))
                continue
            if m.eq_objtype[e] == int(mujoco.mjtObj.mjOBJ_SITE):
                bodies = [m.site_bodyid[s] for s in pair]
                local = [m.site_pos[s] for s in pair]
                turn = [_matrix(m.site_quat[s]) for s in pair]
            else:
                bodies, weld = pair, kind == int(mujoco.mjtEq.mjEQ_WELD)
                local = [data[3:6], data[:3]] if weld else [data[:3], data[3:6]]
                turn = [_matrix(data[6:10]) if weld else np.eye(3), np.eye(3)]
            (p1, R1, J1, r1, a1, b1), (p2, R2, J2, r2, a2, b2) = (
                self.point(b, x) for b, x in zip(bodies, local, strict=True)
            )
            rows.append(J1 - J2)
            drifts.append(a1 - a2)
            gap = max(gap, np.abs(p1 - p2).max())
            if kind == int(mujoco.mjtEq.mjEQ_WELD) and data[10]:
                rows.append(r1 - r2)
                drifts.append(b1 - b2)
                gap = max(gap, np.abs(R1 @ turn[0] - R2 @ turn[1]).max())
        return np.vstack(rows), np.concatenate(drifts), float(gap)

    def selection(self) -> tuple[np.ndarray, np.ndarray]:
        """(E, e0): v = E qvel and its derivative E qacc + e0."""
        m, names = self.mj, self.own.layout.v_names
        E, e0 = np.zeros((len(names), m.nv)), np.zeros(len(names))
        by_name = {j.name: j for j in self.own.robot.joints}
        for i, name in enumerate(names):
            if name in TWIST:
                body = str(self.own.robot.platform)
                place, _ = self.own.frame_pose(self._q, body)
                b = mujoco.mj_name2id(m, mujoco.mjtObj.mjOBJ_BODY, self.old_bodies.get(body, body))
                local = self.data.xmat[b].reshape(3, 3).T @ (place - self.data.xpos[b])
                _, _, Jp, Jr, a, w = self.point(b, local)
                E[i], e0[i] = np.vstack([Jp, Jr])[TWIST.index(name)], np.concatenate([a, w])[TWIST.index(name)]
                continue
            joint, k = next((by_name[n], _rate_index(by_name[n], name)) for n in by_name if _has_rate(by_name[n], name))
            number = self.number(joint.name)
            if number is None:
                E[i], e0[i] = self.tendon(joint.name)
            else:
                E[i, m.jnt_dofadr[number] + k] = 1.0
        return E, e0

    def equations(self, q: np.ndarray, v: np.ndarray, same: float | None = None) -> Equations:
        """MuJoCo's equations in v at a state: its tree on the motions that its equalities leave.

        same: below which relative size rows of equalities say nothing new, where the file's numbers are rounded. Then rows that
        say the same contradict each other a little, and which of them hold decides the accelerations; these are taken from the
        motions.
        """
        own, m, d = self.own, self.mj, self.data
        self._q = q
        d.qpos[:], d.qvel[:] = self.qpos(q), 0.0
        mujoco.mj_forward(m, d)
        N = np.stack([self.qvel(q, own.configuration_rate(q, e)) for e in np.eye(len(v))], axis=1)
        d.qvel[:] = N @ v
        mujoco.mj_forward(m, d)
        J, drift, gap = self.equalities()
        E, e0 = self.selection()
        both = np.vstack([J, E])
        held = np.linalg.matrix_rank(J, tol=(same or 1e-8) * max(1.0, np.abs(J).max())) if len(J) else 0
        M = np.zeros((m.nv, m.nv))
        try:
            mujoco.mj_fullM(m, d, M)
        except TypeError:
            mujoco.mj_fullM(m, M, d.qM)
        loss = m.dof_frictionloss * np.sign(d.qvel)
        for t in range(m.ntendon):
            if m.tendon_frictionloss[t]:
                row, _ = self.tendon_row(t)
                loss = loss + row * m.tendon_frictionloss[t] * np.sign(row @ d.qvel)
        a0 = np.linalg.lstsq(both, np.concatenate([-drift, -e0]), rcond=same or 1e-11)[0]
        if same and gap > ROUNDED:
            a0 = self.accelerations(q, v)
        resisting = d.qfrc_bias - d.qfrc_passive + loss
        drives = [j.name for j in own.robot.joints if j.drive is not None]
        B = np.zeros((m.nv, len(drives)))
        for k, name in enumerate(drives):
            number = self.number(name)
            B[:, k] = self.tendon(name)[0] if number is None else np.eye(m.nv)[m.jnt_dofadr[number]]
        return Equations(
            N.T @ M @ N,
            N.T @ (M @ a0 + resisting),
            N.T @ B,
            freedoms=m.nv - int(held),
            gap=gap,
            rows=float(np.abs(J @ N).max(initial=0.0)) / max(1.0, float(np.abs(N).max(initial=0.0))),
            selection=float(np.abs(E @ N - np.eye(len(v))).max(initial=0.0)),
            scale=_scale(N, M, a0, resisting),
        )

    def accelerations(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """MuJoCo's accelerations (nv,) where v stays as it is: differences of sixth order of the model's motions."""

        def rates(t: float) -> np.ndarray:
            there = self.own.integrate(q, v, t)
            return self.qvel(there, self.own.configuration_rate(there, v))

        step = STEP / max(1.0, float(np.abs(rates(0.0)).max(initial=0.0)))
        slopes = [(rates(k * step) - rates(-k * step)) / (2 * k * step) for k in (1, 2, 3)]
        return 1.5 * slopes[0] - 0.6 * slopes[1] + 0.1 * slopes[2]

    def compare(self, q: np.ndarray, v: np.ndarray, vdot: np.ndarray, tau: np.ndarray) -> dict[str, float]:
        """Relative differences of M, h, S, forward and inverse dynamics and frames at a state."""
        own, theirs = self.own, self.equations(q, v)
        M, h, S = theirs.M, theirs.h, theirs.S
        forward = own.forward_dynamics(q, v, tau)
        found = {
            "gap": theirs.gap,
            "freedoms": abs(theirs.freedoms - len(v)),
            "rows": theirs.rows,
            "selection": theirs.selection,
            "M": _difference(own.mass_matrix(q), M),
            "h": _difference(own.bias_force(q, v), h, scale=theirs.scale),
            "S": _difference(own.drive_map(q), S),
            "forward": _difference(forward.vdot, np.linalg.solve(M, S @ tau - h)),
        }
        if len(v) == own.mobility and S.shape[1]:
            inverse = own.inverse_dynamics(q, v, vdot)
            found["inverse"] = _difference(own.drive_map(q) @ inverse.tau, M @ vdot + h)
            if S.shape[1] == len(v) and np.linalg.cond(S) < 1e4:
                found["tau"] = _difference(inverse.tau, np.linalg.solve(S, M @ vdot + h))
        found["frames"] = self.frames(q)
        return found

    def frames(self, q: np.ndarray) -> float:
        """The largest difference of a site's pose."""
        worst = 0.0
        back = self.old_bodies
        platform = getattr(self.own.robot, "platform", None)
        for body in self.own.robot.bodies:
            for frame in body.frames or {}:
                s = mujoco.mj_name2id(self.mj, mujoco.mjtObj.mjOBJ_SITE, frame)
                name = back.get(body.name, body.name)
                if s < 0 or mujoco.mj_id2name(self.mj, mujoco.mjtObj.mjOBJ_BODY, self.mj.site_bodyid[s]) != name:
                    continue
                full = frame if platform is not None and str(platform) == body.name else f"{body.name}.{frame}"
                place, turn = self.own.frame_pose(q, full)
                worst = max(worst, np.abs(place - self.data.site_xpos[s]).max())
                worst = max(worst, np.abs(turn - self.data.site_xmat[s].reshape(3, 3)).max())
        return float(worst)


def compare_with_mujoco(
    file: str | Path, model: Any, states: int = 3, seed: int = 0, reach: float = 0.3
) -> dict[str, float]:
    """The largest differences over states, each led away from home by random velocities."""
    rng = np.random.default_rng(seed)
    truth, worst = Truth(file, model), {}
    n = len(model.layout.v_names)
    for _ in range(states):
        q = model.integrate(model.home, rng.uniform(-1, 1, n), reach)
        drives = sum(j.drive is not None for j in model.robot.joints)
        found = truth.compare(q, rng.uniform(-1, 1, n), rng.uniform(-1, 1, n), rng.uniform(-1, 1, drives))
        for key, value in found.items():
            worst[key] = max(worst.get(key, 0.0), value)
    return worst


def _scale(N: np.ndarray, M: np.ndarray, a0: np.ndarray, resisting: np.ndarray) -> float:
    return float(
        np.abs(N).T.max(initial=1.0) * max(np.abs(M @ a0).max(initial=0.0), np.abs(resisting).max(initial=0.0))
    )


def _difference(found: np.ndarray, wanted: np.ndarray, scale: float = 0.0) -> float:
    size = max(float(np.abs(wanted).max(initial=0.0)), scale, 1e-12)
    return float(np.abs(np.asarray(found) - wanted).max(initial=0.0)) / size


def _spin(wxyz: np.ndarray, rate: np.ndarray) -> np.ndarray:
    w, u = wxyz[0], wxyz[1:]
    return 2.0 * (w * rate[1:] - rate[0] * u - np.cross(u, rate[1:]))


def _matrix(wxyz: np.ndarray) -> np.ndarray:
    out = np.zeros(9)
    mujoco.mju_quat2Mat(out, np.asarray(wxyz, float) / np.linalg.norm(wxyz))
    return out.reshape(3, 3)


def _rates(joint: Any) -> list[str]:
    spins = [f"{joint.name}_w{c}" for c in "xyz"]
    slides = [f"{joint.name}_{c}" for c in "xyz"]
    return {"spherical": spins, "free": slides + spins, "fixed": []}.get(joint.type, [joint.name])


def _has_rate(joint: Any, name: str) -> bool:
    return name in _rates(joint)


def _rate_index(joint: Any, name: str) -> int:
    return _rates(joint).index(name)
