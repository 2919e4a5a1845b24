"""Fried, Djouani, Borojeni, Iqbal (undated): the printed equations of a 6-UPS that lead to its drive forces: (1)-(5), (9), (27),
(31), (38), (41), (42), (45), (51), (53), (54), (73)-(82), (87)-(93), (96), (97); the others are steps to these. The product (21)
and the recursion (57)-(58) stand beside them.

The paper's letters; SI; spatial vectors are (angular, linear) in this paper. Leg quantities in the leg frame R_bi (x
along the leg), platform quantities in the base frame R_b. The articular rates Q̇_i = (θ̇^a, ω_y, ω_z) are the leg's own
components of its angular velocity: that is what (23)-(27) make of them, though (11) calls them β̇_b, γ̇_b. The column of β̇_b would
be (sin γ, cos γ, 0), that of ω_y is (tan γ, 1, 0): the same motion.

The geometry (A_i, B_i, mass centres, gravity) is not printed: it is the argument ``data``. Eqs. (22), (62), (63), (76)
and (82) are missing in our text of the paper; H_j is as (23) needs it, W_j is what (64)-(66) make of it, (76) and (82) are the
usual recursion.
"""

from dataclasses import dataclass, field

import numpy as np

from papers.vectors import parallel_axis, rotation_x, rotation_y, rotation_z, skew


@dataclass(frozen=True)
class Corrections:
    """One switch per misprint: True computes the right thing, False what is printed."""

    eq23_spin: bool = True  # (23)-(27): no spin in (23); axes y_base, z_leg give ω_x = ω_y tan γ
    eq39_rates: bool = True  # of the same: (39), (45) use ω_y of (42) as β̇; right is β̇ = ω_y/cos γ
    eq45_third: bool = True  # (43), (45) third term R θ̇~/θ² Rᵗ; right is (θ̇/θ) R diag(0, 1, 1) Rᵗ
    eq81_force: bool = True  # (81) P̃_j f_j is right for S_j from O_{j+1}; for S_j from O_j, as here, it is P̃_j f_{j+1}
    dI_dtheta: bool = True  # I_C2 depends on θ^a: İ ω in (79) and -½ ω·I′ω on the slide are missing
    eq90_vector: bool = True  # (90)-(93) GC; right is the vector from C to G
    eq90_about: bool = True  # (91) I_C at the mass centre; (88) about C needs it about C
    eq97_sign: bool = True  # (97) + Σ[…]{-J⁻ᵗ D}; (94) gives - Σ[…]{-J⁻ᵗ D}


ALL_ON = Corrections()


@dataclass(frozen=True)
class Data:
    """Table 1, and the geometry that is not printed (first six fields, to be given)."""

    A: np.ndarray  # A_i in R_b (6, 3)
    B: np.ndarray  # B_i in R_p (6, 3)
    S_1: np.ndarray  # mass centre of link 1 from A_i, leg frame
    S_2: np.ndarray  # mass centre of link 2 from B_i, leg frame
    CG: np.ndarray  # mass centre of the platform from C, platform frame
    g: np.ndarray  # gravity in R_b
    m_1: float = 0.5
    m_2: float = 1.0
    m_C: float = 3.0
    I_C1: np.ndarray = field(default_factory=lambda: np.diag([0.0002, 0.0038, 0.0038]))
    I_C: np.ndarray = field(default_factory=lambda: np.diag([0.375, 0.1875, 0.1875]))

    def I_C2(self, theta):
        """Table 1: 1e-4 diag(13, a, a)."""
        a = 6.25 + 830 * (theta - 0.83) ** 2
        return 1e-4 * np.diag([13.0, a, a])

    def dI_C2(self, theta):
        """d I_C2/dθ."""
        da = 2 * 830 * (theta - 0.83)
        return 1e-4 * np.diag([0.0, da, da])


def hat(V):
    """Section 2.2: V̂ = [U Ṽ; 0 U]."""
    return np.block([[np.eye(3), skew(V)], [np.zeros((3, 3)), np.eye(3)]])


def bryant(R):
    """α, β, γ of (1)."""
    return np.arctan2(-R[1, 2], R[2, 2]), np.arcsin(R[0, 2]), np.arctan2(-R[0, 1], R[0, 0])


@dataclass(frozen=True)
class Leg:
    """Kinematics of segment i: angles, rates and accelerations Q, Q̇, Q̈, its Jacobian (25) and frame (2)."""

    theta: float
    beta: float
    gamma: float
    R: np.ndarray
    n: np.ndarray
    BC: np.ndarray
    J_inverse: np.ndarray
    Qdot: np.ndarray
    Qddot: np.ndarray


def leg_kinematics(i, C, R, V, Vdot, on, data):
    """Eqs. (2)-(54); V = (ω, v) and V̇ of the platform in R_b."""
    AB = C - data.A[i] + R @ data.B[i]  # (3), (5)
    theta = np.sqrt(AB @ AB)  # (4)
    n = AB / theta
    beta, gamma = np.arctan2(-n[2], n[0]), np.arcsin(n[1])  # x axis of (2)
    R_beta, R_gamma = rotation_y(beta), rotation_z(gamma)
    R_b = R_beta @ R_gamma  # (2), (38)
    sb, cb, sg, cg = np.sin(beta), np.cos(beta), np.sin(gamma), np.cos(gamma)
    J_inverse = np.array(  # (27)
        [
            [cb * cg, sg, -cg * sb],
            [-sb / theta, 0, -cb / theta],
            [-cb * sg / theta, cg / theta, sg * sb / theta],
        ]
    )
    BC = -R @ data.B[i]
    calB = np.hstack([skew(BC), np.eye(3)])  # (31), (33)
    Qdot = J_inverse @ calB @ V  # (41), (42)
    thetadot, w_y, w_z = Qdot

    betadot = w_y / cg if on.eq39_rates else w_y
    stretch = thetadot / theta * np.diag([0.0, 1.0, 1.0]) if on.eq45_third else skew([thetadot, 0, 0]) / theta**2
    Psi = skew([0, betadot, 0]) + R_beta @ skew([0, 0, w_z]) @ R_beta.T + R_b @ stretch @ R_b.T  # (45)

    alpha_, beta_, _ = bryant(R)
    R_a, R_ab = rotation_x(alpha_), rotation_x(alpha_) @ rotation_y(beta_)
    axes = np.column_stack([[1.0, 0, 0], R_a[:, 1], R_ab[:, 2]])
    rates = np.linalg.solve(axes, V[:3])  # Bryant angle rates of the platform
    calR = (
        skew([rates[0], 0, 0]) + R_a @ skew([0, rates[1], 0]) @ R_a.T + R_ab @ skew([0, 0, rates[2]]) @ R_ab.T
    )  # (51)
    calA = np.hstack([(calR - Psi) @ skew(BC) + skew(BC) @ calR.T, -Psi])  # (54)
    Qddot = J_inverse @ (calB @ Vdot + calA @ V)  # (53)
    return Leg(theta, beta, gamma, R_b, n, BC, J_inverse, Qdot, Qddot)


def H(gamma, on):
    """H_2 (6, 1) and H_1 (6, 2) in the leg frame, as (23) has them; with spin the column of ω_y is (tan γ, 1, 0)."""
    H_2, H_1 = np.zeros((6, 1)), np.zeros((6, 2))
    H_2[3, 0] = H_1[1, 0] = H_1[2, 1] = 1.0
    if on.eq23_spin:
        H_1[0, 0] = np.tan(gamma)
    return H_2, H_1


def W(gamma, on):
    """W_2 (6, 5) and W_1 (6, 4) of the constraint forces in (61), made orthonormal with Wᵗ H = 0 (64)."""
    return tuple(np.linalg.svd(H_j)[0][:, H_j.shape[1] :] for H_j in H(gamma, on))


def interbody_forces(leg, on, data):
    """F_2, F_1 (6,) in the leg frame by (57), (58): what Q̈ alone needs."""
    (H_2, H_1), shift = H(leg.gamma, on), hat([leg.theta, 0, 0])
    V_1 = H_1 @ leg.Qddot[1:]
    V_2 = shift.T @ V_1 + H_2 @ leg.Qddot[:1]  # (57)
    F_2 = spatial_inertia(data.m_2, data.I_C2(leg.theta), data.S_2) @ V_2  # (58)
    return F_2, spatial_inertia(data.m_1, data.I_C1, data.S_1) @ V_1 + shift @ F_2


def spatial_inertia(m, I_C, S):
    """I_j about O_j, (angular, linear)."""
    return np.block([[I_C + parallel_axis(m, S), m * skew(S)], [-m * skew(S), m * np.eye(3)]])


def factors(leg, on):
    """H_i (12, 3) and P_i⁻¹ (12, 12) of sections 2.1.3 and 2.2, link 2 first."""
    H_2, H_1 = H(leg.gamma, on)
    calH = np.block([[H_2, np.zeros((6, 2))], [np.zeros((6, 1)), H_1]])
    calP = np.block([[np.eye(6), np.zeros((6, 6))], [-hat([leg.theta, 0, 0]), np.eye(6)]])
    return calH, np.linalg.inv(calP)


def jacobian(leg, on):
    """J_Bi = β P⁻ᵗ H (6, 3) in leg axes (21), order (θ, ω_y, ω_z); the spherical joint B_i is O_N, so P_N = 0 in (17)."""
    calH, P_inverse = factors(leg, on)
    beta = np.hstack([hat(np.zeros(3)).T, np.zeros((6, 6))])  # (18)
    return beta @ P_inverse.T @ calH


def mass_matrix(leg, on, data):
    """M_i = Hᵗ P⁻¹ I P⁻ᵗ H (73), order (θ, ω_y, ω_z)."""
    calH, P_inverse = factors(leg, on)
    calI = np.zeros((12, 12))
    calI[:6, :6] = spatial_inertia(data.m_2, data.I_C2(leg.theta), data.S_2)
    calI[6:, 6:] = spatial_inertia(data.m_1, data.I_C1, data.S_1)
    return calH.T @ P_inverse @ calI @ P_inverse.T @ calH


def bias(leg, on, data):
    """C_i + G_i by (74)-(82), order (θ, ω_y, ω_z), articular accelerations zero."""
    theta, (thetadot, w_y, w_z) = leg.theta, leg.Qdot
    H_2, H_1 = H(leg.gamma, on)
    w = H_1[:3] @ [w_y, w_z]  # (74)
    dw = np.zeros(3)  # (75)
    if on.eq23_spin:
        dw[0] = w_y * w_z / np.cos(leg.gamma) ** 2  # d/dt tan γ
    P, slide = np.array([theta, 0, 0]), np.array([thetadot, 0, 0])
    a_1 = -leg.R.T @ data.g
    a_2 = a_1 + np.cross(dw, P) + np.cross(w, np.cross(w, P)) + 2 * np.cross(w, slide)  # (76)

    def body(m, I_C, S, a):
        f = m * (a + np.cross(dw, S) + np.cross(w, np.cross(w, S)))  # (77), (78)
        return f, I_C @ dw + np.cross(w, I_C @ w), np.cross(S, f)  # (79)

    f_C2, n_C2, S_f2 = body(data.m_2, data.I_C2(theta), data.S_2, a_2)
    f_C1, n_C1, S_f1 = body(data.m_1, data.I_C1, data.S_1, a_1)
    if on.dI_dtheta:
        n_C2 = n_C2 + thetadot * data.dI_C2(theta) @ w
    f_2, n_2 = f_C2, n_C2 + S_f2  # (80), (81) with P_2 = 0
    f_1 = f_2 + f_C1  # (80)
    n_1 = n_2 + np.cross(P, f_2 if on.eq81_force else f_1) + n_C1 + S_f1  # (81)
    along = H_2.T @ np.concatenate([n_2, f_2])  # (82)
    if on.dI_dtheta:
        along = along - 0.5 * w @ data.dI_C2(theta) @ w
    return np.concatenate([along, H_1.T @ np.concatenate([n_1, f_1])])  # (82)


@dataclass(frozen=True)
class Forces:
    """Γ (6,), leg 1 first; kinematics of the legs; contact forces φ_i of the legs on the platform (6, 3)."""

    Gamma: np.ndarray
    legs: tuple
    phi: np.ndarray


def inverse_dynamics(position, rotation, twist, acceleration, data, on=ALL_ON):
    """Γ for one state; twist and acceleration are (linear, angular) of C in R_b axes."""
    R, C = np.asarray(rotation, float), np.asarray(position, float)
    V, Vdot = np.roll(twist, 3), np.roll(acceleration, 3)  # (angular, linear)
    w = V[:3]
    legs = tuple(leg_kinematics(i, C, R, V, Vdot, on, data) for i in range(6))

    CG, m = R @ data.CG, data.m_C
    GC = CG if on.eq90_vector else -CG
    I_C = data.I_C + parallel_axis(m, data.CG) if on.eq90_about else data.I_C
    I_C = R @ I_C @ R.T  # (91)
    Lambda = np.block([[I_C, m * skew(GC)], [-m * skew(GC), m * np.eye(3)]])  # (90)
    C_C = np.concatenate([-np.cross(w, I_C @ w), m * np.cross(w, np.cross(GC, w))])  # (92)
    G_C = np.vstack([m * skew(GC), m * np.eye(3)]) @ data.g  # (93)
    F = Lambda @ Vdot - (G_C + C_C)  # (88)

    D = [mass_matrix(leg, on, data) @ leg.Qddot + bias(leg, on, data) for leg in legs]  # (87)
    open_leg = [-leg.J_inverse.T @ D_i for leg, D_i in zip(legs, D, strict=True)]
    carried = sum(np.vstack([skew(leg.BC).T, np.eye(3)]) @ f for leg, f in zip(legs, open_leg, strict=True))
    J_inverse = np.array([np.concatenate([np.cross(leg.n, leg.BC), leg.n]) for leg in legs])  # (9), leg 1 first
    Gamma = np.linalg.solve(J_inverse.T, F - carried if on.eq97_sign else F + carried)  # (96), (97)
    phi = np.array([f + leg.n * G for leg, f, G in zip(legs, open_leg, Gamma, strict=True)])  # (87)
    return Forces(Gamma, legs, phi)


def energy(position, rotation, twist, data):
    """Kinetic plus potential energy, for power balance: not in the paper; legs spin as a universal joint has them."""
    R, w_p = np.asarray(rotation, float), twist[3:]
    CG = R @ data.CG
    v_G = twist[:3] + np.cross(w_p, CG)
    T = 0.5 * data.m_C * v_G @ v_G + 0.5 * w_p @ R @ data.I_C @ R.T @ w_p
    P = -data.m_C * data.g @ (position + CG)
    for i in range(6):
        AB = position - data.A[i] + R @ data.B[i]
        l = np.sqrt(AB @ AB)
        n, v_B = AB / l, twist[:3] + np.cross(w_p, R @ data.B[i])
        y = np.array([0.0, 1.0, 0.0])
        z = np.cross(n, y) / np.linalg.norm(np.cross(n, y))  # second axis, perpendicular to y and the leg
        w = np.cross(n, v_B) / l
        c = np.cross(y, z)
        w = w - n * (w @ c) / (n @ c)
        R_b = np.column_stack([n, np.cross(z, n), z])
        for m, I_C, S, v, o in (
            (data.m_1, data.I_C1, data.S_1, np.zeros(3), data.A[i]),
            (data.m_2, data.I_C2(l), data.S_2, v_B, data.A[i] + AB),
        ):
            v_C, w_b = v + np.cross(w, R_b @ S), R_b.T @ w
            T += 0.5 * m * v_C @ v_C + 0.5 * w_b @ I_C @ w_b
            P -= m * data.g @ (o + R_b @ S)
    return T + P
