"""Long, Khalil, Martinet 2014: the platform on its legs, eqs. (11)-(49); without shapes (N = 0) it is rigid.

The paper's letters; SI; platform quantities in Σ_p. J_p⁻¹ and J_e⁻¹ are names, not inverses (21). The platform's shape
integrals are plain numbers (`shape_integrals`), of the paper's plate or of any body: its frame need not be at the mass
centre and its shapes need not be normal modes. Not printed, derived: f_c, n_c, Q_c of (34).
"""

from dataclasses import dataclass, field

import numpy as np

from papers.long2014.legs import ALL_ON, DATA, J_i, J_i_inverse, J_i_rate, joints, leg_model
from papers.vectors import rotation_x, rotation_z, skew


@dataclass(frozen=True)
class State:
    """Pose, twist, acceleration of Σ_p in world axes; elastic coordinates and rates (N,)."""

    position: np.ndarray
    rotation: np.ndarray
    twist: np.ndarray
    acceleration: np.ndarray
    q_e: np.ndarray = field(default_factory=lambda: np.zeros(0))
    dq_e: np.ndarray = field(default_factory=lambda: np.zeros(0))


def platform_model(body, q_e, dq_e, w, g, on=ALL_ON):
    """A_rr (6, 6), A_re (6, N), c_r (6,), c_e (N,) of (34), (35)."""
    N1, N2 = body.I_re, body.I_ee
    S_k = N1 + np.einsum("l,lkab->kab", q_e, N2)  # ∫ r̂ᵀ Φ̂_k dm, r deformed
    bent = q_e if on.eq34_deformed else 0 * q_e
    first = body.MS_r + body.MS_de @ q_e  # MS_r of (34)
    half = np.einsum("k,kab->ab", bent, N1)
    I_0p = body.I_rr + half + half.T + np.einsum("l,k,lkab->ab", bent, bent, N2)
    lam = body.cross if on.eq34_cross else body.product  # [k, j]: of Φ_k and Φ_j
    lam = lam if on.eq34_order else np.swapaxes(lam, 0, 1)
    MS_re = (body.beta + np.einsum("k,kja->ja", q_e, lam)).T
    A_rr = np.block([[body.m * np.eye(3), skew(first).T], [skew(first), I_0p]])
    A_re = np.vstack([body.MS_de, MS_re])
    f_c, n_c, Q_c = np.cross(w, np.cross(w, first)), np.cross(w, I_0p @ w), np.zeros(body.N)
    if on.eq34_rates:
        f_c = f_c + 2 * np.cross(w, body.MS_de @ dq_e)
        n_c = n_c + 2 * np.einsum("k,kab->ab", dq_e, S_k) @ w
        Q_c = -np.einsum("a,kab,b->k", w, S_k, w) + 2 * np.einsum("a,j,jka->k", w, dq_e, body.cross)
    weight = np.concatenate([body.m * g, np.cross(first, g)])
    times = 1 if on.gravity_once else 2
    c_r = np.concatenate([f_c, n_c]) - times * weight
    c_e = Q_c + body.K_ee @ q_e + body.D_ee @ dq_e
    if on.elastic_gravity:
        c_e = c_e - times * body.MS_de.T @ g
    return A_rr, A_re, c_r, c_e


@dataclass(frozen=True)
class Model:
    """The matrices of (35)-(49) at a state, in Σ_p; joint positions and rates (6, 3)."""

    A_rr: np.ndarray
    A_re: np.ndarray
    m_ee: np.ndarray
    c_r: np.ndarray
    c_e: np.ndarray
    W_p: np.ndarray
    W_e: np.ndarray
    A_x: np.ndarray
    h: np.ndarray
    c_x: np.ndarray
    J_p: np.ndarray  # J_p⁻¹ of (21)
    J_e: np.ndarray  # J_e⁻¹ of (21)
    q: np.ndarray
    qdot: np.ndarray

    @property
    def A_ee(self):
        """(45)."""
        return self.m_ee + self.W_e @ self.A_x @ self.W_e.T

    @property
    def mixed(self):
        """A_re + W_p A_x W_eᵀ of (47)-(49)."""
        return self.A_re + self.W_p @ self.A_x @ self.W_e.T

    @property
    def elastic_bias(self):
        """W_e A_x h + W_e c_x + c_e of (44), (49)."""
        return self.W_e @ (self.A_x @ self.h + self.c_x) + self.c_e

    @property
    def A(self):
        """(47)."""
        other = self.A_re.T + self.W_e @ self.A_x @ self.W_p.T
        A = self.A_rr + self.W_p @ self.A_x @ self.W_p.T - self.A_re @ np.linalg.solve(self.A_ee, other)
        return A - self.W_p @ self.A_x @ self.W_e.T @ np.linalg.solve(self.A_ee, other)

    @property
    def J_sys(self):
        """J_sys⁻ᵀ of (48)."""
        return self.J_p.T - self.mixed @ np.linalg.solve(self.A_ee, self.J_e.T)

    @property
    def c(self):
        """(49)."""
        c = self.c_r + self.W_p @ self.A_x @ self.h + self.W_p @ self.c_x
        return c - self.mixed @ np.linalg.solve(self.A_ee, self.elastic_bias)

    def elastic_acceleration(self, Gamma, dV_p):
        """q̈_e (44)."""
        return np.linalg.solve(self.A_ee, self.J_e.T @ Gamma - self.mixed.T @ dV_p - self.elastic_bias)

    @property
    def whole(self):
        """(41)-(43) before q̈_e is eliminated: matrix of (V̇_p, q̈_e), bias, matrix of Γ."""
        M = np.block([[self.A_rr + self.W_p @ self.A_x @ self.W_p.T, self.mixed], [self.mixed.T, self.A_ee]])
        c = np.concatenate([self.c_r + self.W_p @ (self.A_x @ self.h + self.c_x), self.elastic_bias])
        return M, c, np.vstack([self.J_p.T, self.J_e.T])


def robot_model(state, data=DATA, on=ALL_ON):
    """Everything of (11)-(45) at a state."""
    R, body, Phi, q_e, dq_e = state.rotation, data.body, data.Phi_d, state.q_e, state.dq_e
    v_p, w = R.T @ state.twist[:3], R.T @ state.twist[3:]
    W_p, W_e, A_x, c_x, h, rows_p, rows_e, qs, dqs = [], [], np.zeros((18, 18)), [], [], [], [], [], []
    for i in range(6):
        r = data.r[i] + Phi[i] @ (q_e if on.eq12_coordinate else dq_e)  # (12)
        v_i = v_p + np.cross(w, r) + Phi[i] @ dq_e  # (18)
        h.append(np.cross(w, np.cross(w, r)) + (2 if on.eq24_twice else 1) * np.cross(w, Phi[i] @ dq_e))  # (24)
        S = R.T @ rotation_z(data.angles[i])  # Σ_0i → Σ_p
        q = joints(S.T @ (R.T @ (state.position - data.b[i]) + r))  # (11)
        dq = np.linalg.inv(J_i(q)) @ S.T @ v_i  # (2)
        A_i, c_i = leg_model(q, dq, S.T @ R.T @ data.g, on, data)  # (7)
        Q = S if on.into_platform else np.eye(3)
        J_inv = J_i_inverse(q, on) @ Q.T  # (4)
        a_3 = J_inv[2]
        Jq = Q @ (J_i_rate(q, dq) @ dq if on.eq36_rate else J_i(q) @ dq)
        A_xi = J_inv.T @ A_i @ J_inv  # (37)
        c_x.append(J_inv.T @ c_i + (-1 if on.eq36_sign else 1) * A_xi @ Jq)  # (36), (37)
        A_x[3 * i : 3 * i + 3, 3 * i : 3 * i + 3] = A_xi
        arm = r if on.deformed_W else data.r[i]
        W_p.append(np.vstack([np.eye(3), skew(arm) if on.eq31_sign else -skew(arm)]))  # (31)
        W_e.append(Phi[i].T)
        rows_p.append(np.concatenate([a_3, np.cross(arm, a_3)]))  # (21)
        rows_e.append(a_3 @ Phi[i])
        qs.append(q)
        dqs.append(dq)
    g = R.T @ data.g if on.gravity_rotated else data.g
    A_rr, A_re, c_r, c_e = platform_model(body, q_e, dq_e, w, g, on)
    W_p, W_e, c_x, h = np.hstack(W_p), np.hstack(W_e), np.concatenate(c_x), np.concatenate(h)
    rows = np.array(rows_p), np.array(rows_e)
    return Model(A_rr, A_re, body.M_ee, c_r, c_e, W_p, W_e, A_x, h, c_x, *rows, np.array(qs), np.array(dqs))


def inverse_dynamics(state, data=DATA, on=ALL_ON):
    """Γ (6,) of (46), q̈_e (N,) of (44)."""
    R, model = state.rotation, robot_model(state, data, on)
    dv, dw = R.T @ state.acceleration[:3], R.T @ state.acceleration[3:]
    if not on.vector_rate:
        dv = dv - np.cross(R.T @ state.twist[3:], R.T @ state.twist[:3])
    dV_p = np.concatenate([dv, dw])
    Gamma = np.linalg.solve(model.J_sys, model.A @ dV_p + model.c)
    return Gamma, model.elastic_acceleration(Gamma, dV_p)


def direct_dynamics(state, Gamma, data=DATA, on=ALL_ON):
    """V̇_p (6,) in world axes of (46), q̈_e (N,) of (44)."""
    R, model = state.rotation, robot_model(state, data, on)
    dV_p = np.linalg.solve(model.A, model.J_sys @ Gamma - model.c)
    dV_world = np.concatenate([R @ dV_p[:3], R @ dV_p[3:]])
    return dV_world, model.elastic_acceleration(Gamma, dV_p)


def energy(position, rotation, twist, data=DATA):
    """Kinetic plus potential energy of a rigid platform: not in the paper, for power balance; kinetic from A of (47)."""
    R, still = np.asarray(rotation, float), np.zeros(6)
    model = robot_model(State(position, R, still, still), data)
    V_p = np.concatenate([R.T @ twist[:3], R.T @ twist[3:]])
    P = -data.body.m * data.g @ position
    for i, q in enumerate(model.q):
        R_1 = rotation_z(data.angles[i]) @ rotation_x(-np.pi / 2) @ rotation_z(q[0])
        R_2 = R_1 @ rotation_x(np.pi / 2) @ rotation_z(q[1])
        R_3 = R_2 @ rotation_x(np.pi / 2)
        P -= data.g @ (R_2 @ data.links[1].MS + R_3 @ (data.links[2].M * np.array([0.0, 0.0, q[2]]) + data.links[2].MS))
    return 0.5 * V_p @ model.A @ V_p + P
