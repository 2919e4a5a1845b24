"""Lopes (undated): the printed equations (3)-(91) of a 6-PUS with vertical actuators, complete and simplified model.

The paper's letters; SI; {B} axes. x = (x_P y_P z_P ψ θ φ), R = Rz(ψ) Ry(θ) Rx(φ) (4). Derivatives by x, which the paper
takes symbolically, are complex steps here (exact to rounding), so the functions of x accept complex numbers; the matrices
of the bodies accept scalars that count their operations too (``papers.operations``).

Not printed, chosen: base points at 15, 105, 135, 225, 255, 345 deg; g = 9.81; the trajectory's duration (2 s each way)
and its spline, see ``trajectory``; a_cm, which falls out of (75). Platform points at 60, 60, 180, 180, 300, 300 deg follow from
(89)-(90), up to half a turn.
"""

from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True)
class Corrections:
    """One switch per misprint: True computes the right thing, False what is printed."""

    eq14_inverse: bool = True  # (14) τ = J_Eᵀ f; right is J_E⁻ᵀ f
    eq13_inverse: bool = True  # (13) M_B = J_Aᵀ M_E; right is J_A⁻ᵀ M_E
    eq77_by_x: bool = True  # (77)-(78) differentiate I by ẋ (it does not depend on it); right is by x
    eq46_row_i: bool = True  # (46), (63) print J_C1j for every leg; right is row i of J_C
    eq63_a_x: bool = True  # (63), row 2, column 3: -a_iz (1 - J_C13); right is -a_ix (1 - J_C13)
    eq59_spin: bool = True  # (59) has no spin; the universal joint makes the link spin (no effect if I_Lxx = 0)


ALL_ON = Corrections()


def _ring(radius, degrees):
    angle = np.radians(degrees)
    return radius * np.stack([np.cos(angle), np.sin(angle), np.zeros_like(angle)], axis=-1)


@dataclass(frozen=True)
class Data:
    """Table 2 and the layout that is not printed."""

    L: float = 1.837
    m_P: float = 1.430
    m_A: float = 0.123
    m_L: float = 0.389
    m_L1: float = 0.194
    m_L2: float = 0.194
    b_cm: float = 0.918
    r_P: float = 0.750
    phi_P: float = 0.0
    I_P: np.ndarray = field(default_factory=lambda: np.array([0.2, 0.2, 0.4]))
    I_L: np.ndarray = field(default_factory=lambda: np.array([0.0, 0.1, 0.1]))
    b: np.ndarray = field(default_factory=lambda: _ring(1.5, [15.0, 105.0, 135.0, 225.0, 255.0, 345.0]))  # chosen
    p: np.ndarray = field(default_factory=lambda: _ring(0.75, [60.0, 60.0, 180.0, 180.0, 300.0, 300.0]))  # (89)-(90)
    g: float = 9.81  # chosen
    u: np.ndarray = field(default_factory=lambda: np.array([1.0, 0.0, 0.0]))  # chosen: universal joint's fixed axis


DATA = Data()
Z = np.array([0.0, 0.0, 1.0])


def rotation(x):
    """(4), written out as printed."""
    (s1, s2, s3), (c1, c2, c3) = np.sin(x[3:]), np.cos(x[3:])
    return np.array(
        [
            [c1 * c2, c1 * s2 * s3 - s1 * c3, c1 * s2 * c3 + s1 * s3],
            [s1 * c2, s1 * s2 * s3 + c1 * c3, s1 * s2 * c3 - c1 * s3],
            [-s2, c2 * s3, c2 * c3],
        ]
    )


def J_A(x):
    """(9): ω = J_A (ψ̇ θ̇ φ̇)."""
    (s1, s2), (c1, c2) = np.sin(x[3:5]), np.cos(x[3:5])
    return np.array([[0, -s1, c2 * c1], [0, c1, c2 * s1], [1, 0, -s2]])


def T(x):
    """(29)."""
    M = np.eye(6, dtype=np.asarray(x).dtype)
    M[3:, 3:] = J_A(x)
    return M


def links(x, data=DATA):
    """ᴾp_i|_B (6, 3) and a_i (6, 3) from actuator to platform: the inverse geometry, actuator below."""
    p = data.p @ rotation(x).T
    a = x[:2] + p[:, :2] - data.b[:, :2]
    return p, np.column_stack([a, np.sqrt(data.L**2 - a[:, 0] ** 2 - a[:, 1] ** 2)])


def lengths(x, data=DATA):
    """l_i (6)."""
    p, a = links(x, data)
    return x[2] + p[:, 2] - data.b[:, 2] - a[:, 2]


def J_C(x, data=DATA):
    """(6): l̇ = J_C (v, ω); from a_i·(v + ω × p_i - l̇ z_B) = 0. Not printed; the third entry of a row is a_iz/a_iz = 1."""
    p, a = links(x, data)
    along = a / a[:, 2:]
    return np.hstack([along, np.cross(p, along)])


def J_E(x, data=DATA):
    """(5) with (33)."""
    return J_C(x, data) @ T(x)


def J_B(p_i, J, data=DATA):
    """(46), the printed 6×3 stack read as two 3×3 blocks side by side; ``J`` is the row of J_C."""
    (px, py, pz), k = p_i, data.b_cm / (data.L - data.b_cm)
    block = [
        [1, 0, 0, 0, pz, -py],
        [0, 1, 0, -pz, 0, px],
        [k * J[0], k * J[1], k * J[2] + 1, py + k * J[3], -px + k * J[4], k * J[5]],
    ]
    return (1 - data.b_cm / data.L) * np.array(block)


def J_D(p_i, a_i, J, on=ALL_ON, data=DATA):
    """(63), read as (46) is."""
    (px, py, pz), (ax, ay, az) = p_i, a_i
    a23 = ax if on.eq63_a_x else az
    block = [
        [-ay * J[0], -ay * J[1] - az, ay * (1 - J[2])],
        [az + ax * J[0], ax * J[1], -a23 * (1 - J[2])],
        [-ay, ax, 0],
        [ay * (py - J[3]) + az * pz, -ay * (px + J[4]), -ay * J[5] - az * px],
        [-ax * (py - J[3]), az * pz + ax * (px + J[4]), -az * py + ax * J[5]],
        [-ax * pz, -ay * pz, ax * px + ay * py],
    ]
    D = 1 / (data.L * data.L) * np.hstack([block[:3], block[3:]])
    if on.eq59_spin:  # ω·c = 0 with c = u × v, v along u × a: the link spins about a
        c = np.cross(data.u, np.cross(data.u, a_i))
        D = D - np.outer(a_i, c @ D) / (a_i @ c)
    return D


def I_L_B(a_i, data=DATA):
    """(52)-(57): R_L I_L R_Lᵀ; (55) is 0/0 for a vertical link."""
    x_L = a_i / data.L  # (54)
    y_L = np.array([-a_i[1], a_i[0], 0]) / np.sqrt(a_i[0] ** 2 + a_i[1] ** 2)  # (55)
    R_L = np.column_stack([x_L, y_L, np.cross(x_L, y_L)])  # (53), (56)
    return R_L @ np.diag(data.I_L) @ R_L.T


def I_P_E(x, data=DATA):
    """The mobile platform: (18), (20), (21), (23), (28)."""
    R, T_, I_B = rotation(x), T(x), np.zeros((6, 6), dtype=np.asarray(x).dtype)
    I_B[:3, :3] = data.m_P * np.eye(3, dtype=int)
    I_B[3:, 3:] = R @ np.diag(data.I_P) @ R.T
    return T_.T @ I_B @ T_


def I_A_E(x, data=DATA):
    """The six actuators together: (40), (41)."""
    J = J_E(x, data)
    return data.m_A * (J.T @ J)


def I_L_tra_E(p_i, J, T_, data=DATA):
    """A link in translation: (46), (48), (50); ``J`` is its row of J_C."""
    B = J_B(p_i, J, data) @ T_
    return data.m_L * (B.T @ B)


def I_L_rot_E(p_i, a_i, J, T_, on=ALL_ON, data=DATA):
    """A link in rotation: (52)-(57), (63), (65)."""
    D = J_D(p_i, a_i, J, on, data) @ T_
    return D.T @ I_L_B(a_i, data) @ D


def inertia(x, on=ALL_ON, data=DATA, with_links=True):
    """I_E (73): the sum over the bodies."""
    I_E = I_P_E(x, data) + I_A_E(x, data)
    if not with_links:
        return I_E
    (p, a), JC, T_ = links(x, data), J_C(x, data), T(x)
    for i in range(6):
        row = JC[i if on.eq46_row_i else 0]
        I_E = I_E + I_L_tra_E(p[i], row, T_, data) + I_L_rot_E(p[i], a[i], row, T_, on, data)
    return I_E


def potential(x, data=DATA, with_links=True):
    """P (66)-(69); a_cm left out."""
    (p, _), l = links(x, data), lengths(x, data)
    beta = data.b_cm / data.L
    P = data.m_P * data.g * x[2] + np.sum(data.m_A * data.g * l)  # (67), (68)
    if with_links:
        P = P + np.sum(data.m_L * data.g * ((1 - beta) * x[2] + (1 - beta) * p[:, 2] + beta * l))  # (69)
    return P


def by_x(function, x, step=1e-30):
    """∂function/∂x_k stacked on the first axis, by complex steps."""
    return np.array([np.imag(function(x + 1j * step * e)) / step for e in np.eye(6)])


def coriolis(x, xdot, on=ALL_ON, data=DATA, with_links=True):
    """V_E by (76)-(79)."""
    dI = by_x(lambda y: inertia(y, on, data, with_links), x)  # (78), 36×6 as (6, 6, 6)
    U = np.einsum("i,kij->kj", xdot, dI) if on.eq77_by_x else np.zeros((6, 6))  # (77), (79)
    return 0.5 * (np.einsum("k,kij->ij", xdot, dI) + U.T - U)  # (76)


def simplified(data=DATA):
    """(86)-(91): the links' end masses given to platform and actuators."""
    m, r2, phi, s, c = data.m_L1, data.r_P**2, data.phi_P, np.sin, np.cos
    third = np.pi / 3
    I_xx = 2 * m * r2 * (s(third - phi) ** 2 + s(third + phi) ** 2 + s(phi) ** 2)  # (89)
    I_yy = 2 * m * r2 * (c(third - phi) ** 2 + c(third + phi) ** 2 + c(phi) ** 2)  # (90)
    I_zz = 6 * m * r2  # (91)
    I_P = data.I_P + np.array([I_xx, I_yy, I_zz])  # (88)
    return Data(**{**vars(data), "m_A": data.m_A + data.m_L2, "m_P": data.m_P + 6 * m, "I_P": I_P})  # (86), (87)


@dataclass(frozen=True)
class Forces:
    """τ (6,), the generalised force f_{B|E} (6,) and its form in base axes f_B (6,) by (13)."""

    tau: np.ndarray
    f_E: np.ndarray
    f_B: np.ndarray


def inverse_dynamics_x(x, xdot, xddot, on=ALL_ON, data=DATA, model="complete"):
    """(70)-(72), (14) in the paper's coordinates; ``model`` is complete or simplified."""
    full = model == "complete"
    if not full:
        data = simplified(data)
    kinetic = inertia(x, on, data, full) @ xddot + coriolis(x, xdot, on, data, full) @ xdot  # (70)
    f = kinetic + by_x(lambda y: potential(y, data, full), x)  # (71), (72)
    J, A = J_E(x, data), J_A(x)
    tau = np.linalg.solve(J.T, f) if on.eq14_inverse else J.T @ f  # (14)
    moment = np.linalg.solve(A.T, f[3:]) if on.eq13_inverse else A.T @ f[3:]  # (13)
    return Forces(tau, f, np.concatenate([f[:3], moment]))


def coordinates(position, rotation, twist, acceleration):
    """x, ẋ, ẍ from pose, twist and acceleration of the platform origin in {B} axes: (4) and (8) solved backwards."""
    R = np.asarray(rotation, float)
    angles = [np.arctan2(R[1, 0], R[0, 0]), np.arcsin(-R[2, 0]), np.arctan2(R[2, 1], R[2, 2])]
    x = np.concatenate([position, angles])
    rates = np.linalg.solve(J_A(x), twist[3:])
    xdot = np.concatenate([twist[:3], rates])
    Jdot = np.einsum("k,kij->ij", xdot, by_x(J_A, x))
    return x, xdot, np.concatenate([acceleration[:3], np.linalg.solve(J_A(x), acceleration[3:] - Jdot @ rates)])


def inverse_dynamics(position, rotation, twist, acceleration, on=ALL_ON, data=DATA, model="complete"):
    """Actuator forces τ (6,) for one state."""
    return inverse_dynamics_x(*coordinates(position, rotation, twist, acceleration), on, data, model).tau


P1 = np.array([0.0, 0.0, 2.0, 0.0, 0.0, 0.0])
P2 = np.concatenate([[-0.1, -0.2, 2.5], np.radians([15.0, -15.0, 15.0])])


def trajectory(samples=101, duration=2.0):
    """P1 → P2 → P1 in x, ẋ, ẍ, each (2·samples - 1, 6); s = ½ - 9/16 cos(πt/T) + 1/16 cos(3πt/T) each way (chosen)."""
    w, t = np.pi / duration, np.linspace(0, duration, samples)
    s = 0.5 - 9 / 16 * np.cos(w * t) + 1 / 16 * np.cos(3 * w * t)
    ds = 9 / 16 * w * np.sin(w * t) - 3 / 16 * w * np.sin(3 * w * t)
    dds = 9 / 16 * w**2 * np.cos(w * t) - 9 / 16 * w**2 * np.cos(3 * w * t)
    there = np.outer(s, P2 - P1) + P1, np.outer(ds, P2 - P1), np.outer(dds, P2 - P1)
    back = P1 + P2 - there[0][1:], -there[1][1:], -there[2][1:]
    return tuple(np.concatenate(pair) for pair in zip(there, back, strict=True))


def world_state(x, xdot, xddot):
    """Position, rotation, twist and acceleration of the platform origin in {B} axes: (4), (8) and its derivative."""
    Jdot = np.einsum("k,kij->ij", xdot, by_x(J_A, x))
    twist = np.concatenate([xdot[:3], J_A(x) @ xdot[3:]])
    return x[:3], rotation(x), twist, np.concatenate([xddot[:3], J_A(x) @ xddot[3:] + Jdot @ xdot[3:]])
