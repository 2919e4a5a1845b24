"""Long, Khalil, Martinet 2014: the legs, eqs. (1)-(10), the tables, and the switches of all equations.

The paper's letters; SI. Leg quantities in Σ_0i = Rz(γ_i) of the world. The leg's inverse dynamic model (7), which the
paper takes from its references, is the recursion of Newton and Euler over the three links of Table 1 (modified
Denavit-Hartenberg) with Table 3.

Not printed, chosen: γ_i = polar angle of b_i - b_1 and d_1i = |b_i - b_1|, which
together with the branch sin q2 > 0 gives Table 4 to 5.4e-4; g = 9.81; a homogeneous plate's inertia.
"""

from dataclasses import dataclass, field

import numpy as np

from papers.shape_integrals import Integrals, rigid
from papers.vectors import parallel_axis, rotation_x, rotation_z


@dataclass(frozen=True)
class Corrections:
    """One switch per misprint or unsaid convention: True computes the right thing, False the printed or naive one."""

    eq4_last_row: bool = True  # (4), last row: first entry printed c1 s2/(-c2); right is c1 s2 (then it is a_3iᵀ)
    eq36_rate: bool = True  # (36) has J_i q̇_i in A_x (v̇ - J_i q̇_i); right is J̇_i q̇_i (the dot may be lost in the text)
    eq36_sign: bool = True  # c_x = J⁻ᵀc - A_x J̇ q̇: that minus is right; off takes a plus
    into_platform: bool = True  # J_i, A_i, c_i, a_3i are in Σ_0i: rotate into Σ_p; off uses them unrotated
    gravity_rotated: bool = True  # g of (34) in Σ_p; off takes world components
    gravity_once: bool = True  # g in (34) and again in c_r of (35): once; off counts the platform's weight twice
    vector_rate: bool = True  # v̇_p is the acceleration vector in Σ_p; off takes the rate of v_p's components
    rotor_mass: bool = True  # IA_3 = 45.89 is a mass (kg) added to A_33; off leaves it out (kg m² cannot be added)
    about_origin: bool = True  # Table 3 "with respect to frame j": about O_j; off takes tensors at the mass centres
    eq12_coordinate: bool = True  # (12) deforms by Φ_d q̇_e; right is Φ_d q_e
    eq24_twice: bool = True  # (22), (24): the factor 2 of ω × Φ_d q̇_e is right; off takes it once
    eq31_sign: bool = True  # (26)-(31): +r̂_i in W_p is right; off takes a minus
    deformed_W: bool = True  # r_i of (19)-(31) is the deformed one of (12); off takes r_i(0) in W and in J
    eq34_deformed: bool = True  # MS_r and I_0p of the deformed body; off takes a "rigid inertia matrix" I_0p
    eq34_cross: bool = True  # λ_ik = ∫ Φ_k × Φ_i; printed without the cross: off multiplies like components
    eq34_order: bool = True  # column j of MS_re needs Σ_k q_k ∫ Φ_k × Φ_j; the printed λ_kj is ∫ Φ_j × Φ_k
    eq34_rates: bool = True  # f_c, n_c, Q_c, not printed; off takes those of a rigid body of that shape, Q_c = 0
    elastic_gravity: bool = True  # (34)-(35): g acts in c_e too, -MS_deᵀ g; off leaves it in c_r alone


ALL_ON = Corrections()


@dataclass(frozen=True)
class Link:
    """A column of Table 3: tensor, first moments, mass, in the link's frame."""

    I: np.ndarray
    MS: np.ndarray
    M: float


def _link(XX, YY, ZZ, XY, MX, MY, MZ, M):
    return Link(np.array([[XX, XY, 0.0], [XY, YY, 0.0], [0.0, 0.0, ZZ]]), np.array([MX, MY, MZ]), M)


SIDE, THICKNESS, DENSITY = 0.5, 0.015, 7.5e3
PLATE_MASS = DENSITY * THICKNESS * 1.5 * np.sqrt(3.0) * SIDE**2  # 73.0709; the paper prints 73.069


def plate_inertia(thickness=THICKNESS):
    """Central tensor of a homogeneous hexagonal plate; ``thickness=0`` for the plate theory's mid-surface."""
    across = PLATE_MASS * (5 / 24 * SIDE**2 + thickness**2 / 12)
    return np.diag([across, across, PLATE_MASS * 5 / 12 * SIDE**2])


@dataclass(frozen=True)
class Data:
    """Section 6, Tables 1, 3, 4; the platform's integrals and its shapes Φ_d(i) (6, 3, N) at the attachment points."""

    b: np.ndarray = field(
        default_factory=lambda: np.array(
            [[0.1, -0.2, 0], [0.3, -0.2, 0], [1.3, 0.4, 0], [1.0, 1.0, 0], [-0.2, 0.9, 0], [-0.7, 0.5, 0]]
        )
    )
    links: tuple = (
        _link(0.0, 0.0, 5.11, 0.0, 0.0, 0.0, 0.0, 3.176),
        _link(4.823, 0.945, 5.11, 0.215, 4.29, -12.628, 0.0, 30.176),
        _link(1.068, 1.068, 0.0234, 0.0, 0.0, 0.0, -3.018, 5.390),
    )
    IA: float = 45.89
    r: np.ndarray = field(
        default_factory=lambda: (
            SIDE * np.array([[np.cos(t), np.sin(t), 0.0] for t in np.radians([240.0, 300.0, 0.0, 60.0, 120.0, 180.0])])
        )
    )
    body: Integrals = field(default_factory=lambda: rigid(PLATE_MASS, np.zeros(3), plate_inertia()))
    Phi_d: np.ndarray = field(default_factory=lambda: np.zeros((6, 3, 0)))
    g: np.ndarray = field(default_factory=lambda: np.array([0.0, 0.0, -9.81]))  # chosen
    gamma: np.ndarray | None = None  # chosen: None for the polar angles of b_i - b_1

    @property
    def angles(self):
        """γ_i, rad."""
        d = self.b - self.b[0]
        return np.arctan2(d[:, 1], d[:, 0]) if self.gamma is None else self.gamma


DATA = Data()
INITIAL_POSITION = np.array([0.25, np.sqrt(3.0) / 4, 1.0])  # with identity orientation: the pose of Table 4
TABLE_4 = np.array(
    [
        [-1.671, -1.373, -2.016, -1.958, -1.656, -1.936],
        [1.767, 1.764, 1.814, 1.859, 1.389, 1.345],
        [1.025, 1.039, 1.142, 1.126, 1.0203, 1.099],
    ]
).T


def joints(p_0i):
    """q_i (3,) of a leg from its tip p_i - b_i in Σ_0i; branch sin q2 > 0."""
    q3 = np.sqrt(p_0i @ p_0i)
    ux, uy, uz = p_0i / q3
    return np.array([np.arctan2(-uz, ux), np.arctan2(np.hypot(ux, uz), -uy), q3])


def J_i(q):
    """(3)."""
    (s1, s2), (c1, c2), q3 = np.sin(q[:2]), np.cos(q[:2]), q[2]
    return np.array(
        [[-q3 * s1 * s2, q3 * c1 * c2, c1 * s2], [0, q3 * s2, -c2], [-q3 * c1 * s2, -q3 * c2 * s1, -s1 * s2]]
    )


def J_i_inverse(q, on=ALL_ON):
    """(4)."""
    (s1, s2), (c1, c2), q3 = np.sin(q[:2]), np.cos(q[:2]), q[2]
    first = c1 * s2 if on.eq4_last_row else c1 * s2 / (-c2)
    return np.array(
        [
            [-s1 / (q3 * s2), 0, -c1 / (q3 * s2)],
            [c1 * c2 / q3, s2 / q3, -c2 * s1 / q3],
            [first, -c2, -s1 * s2],
        ]
    )


def J_i_rate(q, qdot):
    """d/dt of (3)."""
    (s1, s2), (c1, c2), q3 = np.sin(q[:2]), np.cos(q[:2]), q[2]
    d1, d2, d3 = qdot
    by_1 = np.array([[-q3 * c1 * s2, -q3 * s1 * c2, -s1 * s2], [0, 0, 0], [q3 * s1 * s2, -q3 * c2 * c1, -c1 * s2]])
    by_2 = np.array(
        [[-q3 * s1 * c2, -q3 * c1 * s2, c1 * c2], [0, q3 * c2, s2], [-q3 * c1 * c2, q3 * s2 * s1, -s1 * c2]]
    )
    by_3 = np.array([[-s1 * s2, c1 * c2, 0], [0, s2, 0], [-c1 * s2, -c2 * s1, 0]])
    return d1 * by_1 + d2 * by_2 + d3 * by_3


def leg_torques(q, qdot, qddot, g_0i, on=ALL_ON, data=DATA):
    """τ_i = A_i q̈ + c_i of the open leg: recursion over Table 1, all in link frames; gravity as a base acceleration."""
    R = [rotation_x(-np.pi / 2) @ rotation_z(q[0]), rotation_x(np.pi / 2) @ rotation_z(q[1]), rotation_x(np.pi / 2)]
    z = np.array([0.0, 0.0, 1.0])
    w, dw, a, passed = np.zeros(3), np.zeros(3), -g_0i, []
    for j, (rotate, link) in enumerate(zip(R, data.links, strict=True)):
        if j < 2:  # revolute, origins coincide
            a, w, dw = rotate.T @ a, rotate.T @ w, rotate.T @ dw
            dw = dw + np.cross(w, qdot[j] * z) + qddot[j] * z
            w = w + qdot[j] * z
        else:  # prismatic along z, from the origin of link 2
            w, dw = rotate.T @ w, rotate.T @ dw
            r = q[2] * z
            a = rotate.T @ a + np.cross(dw, r) + np.cross(w, np.cross(w, r))
            a = a + 2 * np.cross(w, qdot[2] * z) + qddot[2] * z
        inertia = link.I if on.about_origin else link.I + parallel_axis(link.M, link.MS / link.M)
        f = link.M * a + np.cross(dw, link.MS) + np.cross(w, np.cross(w, link.MS))
        n = inertia @ dw + np.cross(link.MS, a) + np.cross(w, inertia @ w)
        passed.append((f, n))
    (f, n), tau = passed[2], np.zeros(3)
    tau[2] = f[2] + (data.IA * qddot[2] if on.rotor_mass else 0.0)
    n = R[2] @ (n + np.cross([0.0, 0.0, q[2]], f)) + passed[1][1]
    f = R[2] @ f + passed[1][0]
    tau[1] = n[2]
    tau[0] = (R[1] @ n + passed[0][1])[2]
    return tau


def leg_model(q, qdot, g_0i, on=ALL_ON, data=DATA):
    """A_i, c_i of (7)."""
    zero = np.zeros(3)
    c = leg_torques(q, qdot, zero, g_0i, on, data)
    A = np.column_stack([leg_torques(q, zero, e, zero, on, data) for e in np.eye(3)])
    return A, c
