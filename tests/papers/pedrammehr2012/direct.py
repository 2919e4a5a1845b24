"""Pedrammehr, Mahboubkhah, Khani 2012: the printed equations (1)-(40), (45)-(50) of a 6-UPS with true universal joints.

The direct Newton-Euler route is here, the closed form (41)-(43), (48), (51) is in ``closed``, the
three paths of Appendix 2 are in ``paths``. The paper's letters; SI; world axes unless said otherwise.
A quantity of the legs has the shape (..., 6, 3), a state broadcasts on the leading axes.

Not printed, chosen: u_i = base x axis, v_i = (u × n)/|u × n|, c_i = u × v, c'_i = n × v, G = (0, 0, -9.81).
"""

from dataclasses import dataclass, field

import numpy as np

from papers.vectors import cross, dot, mv, parallel_axis, times, transpose


@dataclass(frozen=True)
class Corrections:
    """One switch per misprint: True computes the right thing, False what is printed."""

    eq21_axis: bool = True  # (21) lacks c_i: "ω_u ω_v × l n"; read as the product ω_u ω_v l n when off
    eq25_spin: bool = True  # (25) ends with -ω_u ω_v; right is +ω_u ω_v/(n·c), with n·c = -|u × n| for v along u × n
    eq32_central: bool = True  # (32)-(33) add parallel-axis terms that (31) has already, as m L × L̈
    eq32_axes: bool = True  # these terms have components in base axes, inside T(…)Tᵀ; without them it does nothing
    eq50_central: bool = True  # (50) adds a parallel-axis term that (49) has already, as m r × Ẍ_g
    eq42_off_axis: bool = True  # (42)-(43) drop terms that vanish only if mass centres and principal axes lie on n
    eq43_lower: bool = True  # (43) has L_ui for L_di in the lower part's centripetal term
    app1_rate: bool = True  # S_i of Appendix 1 has 2 ω_l × l n; right is l̇ (the dot may be lost in the text)


ALL_ON = Corrections()


def _rows(*rows):
    return np.array(rows, dtype=float)


A = _rows(  # connection points on the moving platform, {P}
    [0.3, 0.3, 0.0, -0.2, -0.15, 0.15],
    [0.0, 0.2, 0.3, 0.1, -0.20, -0.15],
    [0.1, 0.0, 0.0, -0.1, -0.05, -0.05],
)
B = _rows(  # connection points on the base, {W}
    [0.6, 0.1, -0.3, -0.3, 0.2, 0.5],
    [0.2, 0.5, 0.3, -0.4, -0.3, -0.2],
    [0.0, 0.1, 0.1, 0.0, -0.05, 0.0],
)


@dataclass(frozen=True)
class Data:
    """Appendix 2 and the choices that are not printed; friction included."""

    a: np.ndarray = field(default_factory=lambda: A.T)
    b: np.ndarray = field(default_factory=lambda: B.T)
    m_p: float = 40.0
    m_d: float = 3.0
    m_u: float = 1.0
    C_u: float = 0.0001
    C_p: float = 0.001
    C_s: float = 0.0002
    L_do: np.ndarray = field(default_factory=lambda: _rows(0.4, 0.14, -0.18))
    L_uo: np.ndarray = field(default_factory=lambda: _rows(-0.6, -0.08, -0.08))
    I_do: np.ndarray = field(
        default_factory=lambda: _rows([0.01, 0.005, 0.007], [0.005, 0.002, 0.003], [0.007, 0.003, 0.001])
    )
    I_uo: np.ndarray = field(
        default_factory=lambda: _rows([0.005, 0.002, 0.002], [0.002, 0.002, 0.001], [0.002, 0.001, 0.003])
    )
    r_o: np.ndarray = field(default_factory=lambda: _rows(0.04, 0.03, -0.06))
    I_p: np.ndarray = field(
        default_factory=lambda: _rows([0.05, 0.003, 0.004], [0.003, 0.04, 0.003], [0.004, 0.003, 0.10])
    )
    G: np.ndarray = field(default_factory=lambda: _rows(0.0, 0.0, -9.81))  # chosen
    u: np.ndarray = field(default_factory=lambda: _rows(1.0, 0.0, 0.0))  # chosen: fixed axis of every universal joint
    v_sign: float = 1.0  # chosen: v = v_sign (u × n)/|u × n|


DATA = Data()


@dataclass(frozen=True)
class Legs:
    """Kinematics of the six pods; shapes (..., 6) and (..., 6, 3)."""

    q: np.ndarray
    l: np.ndarray
    n: np.ndarray
    ldot: np.ndarray
    lddot: np.ndarray
    u: np.ndarray
    v: np.ndarray
    c: np.ndarray
    w_u: np.ndarray
    w_v: np.ndarray
    w_n: np.ndarray
    w_t: np.ndarray
    w: np.ndarray  # ω_li
    alpha_18: np.ndarray  # α_li by (18)-(21)
    alpha: np.ndarray  # α_li by (22)-(25)
    L_d: np.ndarray
    L_u: np.ndarray
    Lddot_d: np.ndarray
    Lddot_u: np.ndarray
    I_d: np.ndarray
    I_u: np.ndarray


def kinematics(position, rotation, twist, acceleration, on=ALL_ON, data=DATA, spin=True):
    """Eqs. (1)-(30), (32)-(33). ``spin=False``: ω_l·n = α_l·n = 0, which the paper improves on."""
    X, R = np.asarray(position, float), np.asarray(rotation, float)
    Xdot, w_p = np.asarray(twist, float)[..., None, :3], np.asarray(twist, float)[..., None, 3:]
    Xddot, alpha_p = np.asarray(acceleration, float)[..., None, :3], np.asarray(acceleration, float)[..., None, 3:]

    q = np.einsum("...ij,kj->...ki", R, data.a)  # (3)
    a = X[..., None, :] + q  # (2)
    L = a - data.b  # (1)
    l = np.sqrt(dot(L, L))  # (4)
    n = times(1 / l, L)  # (5)
    Ldot = Xdot + cross(w_p, q)  # velocity of the connection point: d/dt of (7)
    ldot = dot(Xdot, n) + dot(w_p, cross(q, n))  # (8)
    Lddot = Xddot + cross(alpha_p, q) + cross(w_p, cross(w_p, q))  # acceleration of the connection point

    u = np.broadcast_to(data.u, n.shape)
    v = cross(u, n)  # chosen, see the head
    v = data.v_sign * times(1 / np.sqrt(dot(v, v)), v)
    c = cross(u, v)
    nc, un = dot(n, c), dot(u, n)
    w_u = -dot(Ldot - times(ldot, n), v) / (l * nc)  # (13)
    w_v = dot(Ldot - times(ldot, n), u) / (l * nc)  # (14)
    w_n = times(1 / l, cross(n, Ldot))  # (16)
    w_t = -dot(w_n, c) / nc if spin else np.zeros_like(l)  # (17)
    w = w_n + times(w_t, n)  # (15), equal to (12)

    # (9); the last bracket is d/dt (q × n)
    wn = cross(w, n)
    lddot = dot(Xddot, n) + dot(alpha_p, cross(q, n)) + dot(Xdot, wn)
    lddot = lddot + dot(w_p, cross(cross(w_p, q), n) + cross(q, wn))

    centripetal = cross(w, cross(w, times(l, n)))
    coriolis = times(2 * ldot, wn)
    product = times(w_u * w_v * l, cross(c, n) if on.eq21_axis else n)
    Lddot_prime = Lddot - product - centripetal - coriolis - times(lddot, n)  # (21)
    a_u = -dot(Lddot_prime, v) / (l * nc)  # (19)
    a_v = dot(Lddot_prime, u) / (l * nc)  # (20)
    alpha_18 = times(a_u, u) + times(a_v, v) + times(w_u * w_v, c)  # (18)

    a_n = times(1 / l, cross(n, Lddot) - cross(n, centripetal + coriolis))  # (23)
    last = w_u * w_v / nc if on.eq25_spin else -w_u * w_v
    a_t = dot(a_n, u) * un / (1 - un**2) + last if spin else np.zeros_like(l)  # (25)
    alpha = a_n + times(a_t, n)  # (22)

    T = np.stack([n, v, cross(n, v)], axis=-1)  # (28)
    L_d = mv(T, data.L_do)  # (26)
    L_u = L + mv(T, data.L_uo)  # (27)
    Lddot_d = cross(alpha, L_d) + cross(w, cross(w, L_d))  # (29)
    Lddot_u = cross(alpha, L_u) + cross(w, cross(w, L_u)) + coriolis + times(lddot, n)  # (30)
    I_do, I_uo = data.I_do, data.I_uo
    if not on.eq32_central:  # (32)-(33) as printed: components of L_di, L_ui of (26)-(27), base axes, inside T(…)Tᵀ
        inside_d, inside_u = (mv(transpose(T), L) for L in (L_d, L_u)) if on.eq32_axes else (L_d, L_u)
        I_do = I_do + parallel_axis(data.m_d, inside_d)
        I_uo = I_uo + parallel_axis(data.m_u, inside_u)
    I_d, I_u = T @ I_do @ transpose(T), T @ I_uo @ transpose(T)  # (32), (33)
    return Legs(
        q, l, n, ldot, lddot, u, v, c, w_u, w_v, w_n, w_t, w, alpha_18, alpha, L_d, L_u, Lddot_d, Lddot_u, I_d, I_u
    )


@dataclass(frozen=True)
class Forces:
    """Result of the inverse model: actuator forces (..., 6), joint moments m_i, platform reactions F_i, kinematics."""

    f: np.ndarray
    m: np.ndarray
    F: np.ndarray
    legs: Legs


def platform(rotation, twist, acceleration, on=ALL_ON, data=DATA):
    """r (47), Ẍ_g (46) and I_p (50) of the moving platform."""
    R = np.asarray(rotation, float)
    w = np.asarray(twist, float)[..., 3:]
    Xddot, alpha = np.split(np.asarray(acceleration, float), 2, axis=-1)
    r = mv(R, data.r_o)  # (47)
    Xddot_g = Xddot + cross(alpha, r) + cross(w, cross(w, r))  # (46)
    I_p = data.I_p if on.eq50_central else data.I_p + parallel_axis(data.m_p, r)  # as printed: r of (47), base axes
    return r, Xddot_g, R @ I_p @ transpose(R)  # (50)


def solve(n, q, force, moment):
    """F_act from Σ F_act n = force and Σ F_act q × n = moment, the left and right of (48) and (51)."""
    columns = transpose(np.concatenate([n, cross(q, n)], axis=-1))
    right = np.concatenate([force, moment], axis=-1)
    return np.linalg.solve(columns, right[..., None])[..., 0]


def inverse_dynamics(
    position, rotation, twist, acceleration, on=ALL_ON, data=DATA, F_ext=0.0, M_ext=0.0, spin=True, moment=True
):
    """Actuator forces by the direct route (31)-(40), (45), (49).

    ``F_ext``, ``M_ext`` act on the platform in platform axes. ``moment=False`` leaves the universal joint's moment
    m_i c_i (34) out, as models do that have it along n; ``spin=False`` as in ``kinematics``. Neither is a misprint.
    """
    k = kinematics(position, rotation, twist, acceleration, on, data, spin)
    w_p = np.asarray(twist, float)[..., 3:]
    R, G, m_u, m_d = np.asarray(rotation, float), data.G, data.m_u, data.m_d
    I_ud = k.I_u + k.I_d
    N = (  # (36)
        -cross(m_u * k.L_u + m_d * k.L_d, G)
        + m_u * cross(k.L_u, k.Lddot_u)
        + m_d * cross(k.L_d, k.Lddot_d)
        + mv(I_ud, k.alpha)
        + cross(k.w, mv(I_ud, k.w))
        + data.C_s * (k.w - w_p[..., None, :])
        + data.C_u * k.w
    )
    m = dot(N, k.n) / dot(k.c, k.n) if moment else np.zeros_like(k.l)  # (37)
    F_known = (  # (40) without -F_act n
        times(m_u * dot(k.n, k.Lddot_u - G) + data.C_p * k.ldot, k.n)
        + times(1 / k.l, cross(N, k.n) - times(m, cross(k.c, k.n)))
    )
    r, Xddot_g, I_p = platform(rotation, twist, acceleration, on, data)
    alpha_p, m_p = np.asarray(acceleration, float)[..., 3:], data.m_p
    force = m_p * Xddot_g - m_p * G - mv(R, F_ext * np.ones(3)) + F_known.sum(-2)  # (45)
    moment_p = (  # (49)
        m_p * cross(r, Xddot_g)
        - m_p * cross(r, G)
        - mv(R, M_ext * np.ones(3))
        + mv(I_p, alpha_p)
        + cross(w_p, mv(I_p, w_p))
        - data.C_s * (k.w - w_p[..., None, :]).sum(-2)
        + cross(k.q, F_known).sum(-2)
    )
    f = solve(k.n, k.q, force, moment_p)
    return Forces(f, m, F_known - times(f, k.n), k)
