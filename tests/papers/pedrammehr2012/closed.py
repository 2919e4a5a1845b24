"""The closed form of Pedrammehr 2012: F_i = -F_act n + Q_i (Ẍ + α × q) + V_i, eqs. (41)-(43), into (48) and (51).

Letters, shapes and switches are those of ``direct``. The printed (42) and (43) hold only for mass centres on
the leg's axis and for legs whose axis is principal. With ``a = Ẍ + α × q`` the exact angular acceleration of a leg is
    α_n = (n × a + S)/l,   α_t = k·α_n + ω_u ω_v/(n·c),   k = u (u·n)/(1 - (u·n)²),
and the terms that the paper loses are collected in ``_lost_Q`` and ``_lost_V``.
"""

import numpy as np

from papers.pedrammehr2012.direct import ALL_ON, DATA, Legs, kinematics, platform, solve
from papers.vectors import cross, dot, mv, outer, skew, times


def S(k: Legs, w_p, on=ALL_ON):
    """S_i, S_di, S_ui of Appendix 1."""
    rate = k.ldot if on.app1_rate else k.l
    S_i = cross(
        k.n, cross(w_p, cross(w_p, k.q)) - cross(k.w, cross(k.w, times(k.l, k.n))) - 2 * cross(k.w, times(rate, k.n))
    )
    return S_i, cross(k.L_d, cross(k.L_d, S_i)), cross(k.L_u, cross(k.L_u, S_i))


def Q(k: Legs, on=ALL_ON, data=DATA):
    """(42)."""
    n, u, m_u, m_d = skew(k.n), k.u, data.m_u, data.m_d
    U2, D2 = skew(k.L_u) @ skew(k.L_u), skew(k.L_d) @ skew(k.L_d)
    I_ud, un, l2 = k.I_u + k.I_d, dot(k.u, k.n), (k.l**2)[..., None, None]
    row = lambda M: np.einsum("...i,...ij->...j", k.n, M)  # nᵀ M  # noqa: E731
    spin = outer(k.n, times(un / (1 - un**2), np.einsum("...i,...ij->...j", u, n)))  # n (uᵀn) uᵀñ/[1 - (u·n)²]
    last = row(m_u * U2 @ n / l2) + row(m_d * D2 @ n / l2) - row(I_ud @ spin / l2)
    cn = times(1 / dot(k.c, k.n), cross(k.c, k.n))
    printed = m_u * outer(k.n, k.n) + n @ (m_u * U2 + m_d * D2 - I_ud) @ n / l2 + outer(cn, last)
    return printed + _lost_Q(k, cn, spin, data) if on.eq42_off_axis else printed


def _lost_Q(k, cn, spin, data):
    """What (42) drops: n·(α × L_u), L_u × l̈ n, and the halves of α_n and α_t that on-axis legs do not feel."""
    n, m_u, m_d = skew(k.n), data.m_u, data.m_d
    W2 = m_u * skew(k.L_u) @ skew(k.L_u) + m_d * skew(k.L_d) @ skew(k.L_d)
    I_ud, l1 = k.I_u + k.I_d, k.l[..., None, None]
    row = lambda M: np.einsum("...i,...ij->...j", k.n, M)  # nᵀ M  # noqa: E731
    axial = -m_u * outer(k.n, row(skew(k.L_u) @ (n + spin) / l1))  # m_u n·(α × L_u) n
    slide = m_u / l1 * outer(cross(cross(k.L_u, k.n), k.n), k.n)  # m_u (L_u × l̈ n) × n / l
    across = n @ (W2 - I_ud) @ spin / l1**2  # [L × (α_t n × L) + I α_t n] × n / l
    return axial + slide + across + outer(cn, row(W2 @ spin - I_ud @ n) / k.l[..., None] ** 2)


def V(k: Legs, w_p, on=ALL_ON, data=DATA):
    """(43)."""
    n, l, w, G, m_u, m_d = k.n, k.l, k.w, data.G, data.m_u, data.m_d
    S_i, S_d, S_u = S(k, w_p, on)
    I_ud, un, nc = k.I_u + k.I_d, dot(k.u, n), dot(n, k.c)
    ww = lambda x: cross(w, cross(w, x))  # noqa: E731
    gyro = cross(w, mv(I_ud, w))
    axial = m_u * dot(n, ww(k.L_u)) + m_u * (dot(cross(w_p, cross(w_p, k.q)), n) - dot(ww(times(l, n)), n))
    axial = axial - m_u * dot(n, G) + data.C_p * k.ldot
    gravity = -cross(m_u * k.L_u + m_d * k.L_d, G)
    across = (
        cross(gravity, n)
        + m_u * times(1 / l, cross(n, S_u))
        + m_u * cross(cross(k.L_u, ww(k.L_u)), n)
        + 2 * m_u * times(k.ldot, cross(cross(k.L_u, cross(w, n)), n))
        + m_d * times(1 / l, cross(n, S_d))
        + m_d * cross(cross(k.L_d, ww(k.L_d if on.eq43_lower else k.L_u)), n)
        - times(1 / l, cross(n, mv(I_ud, S_i)))
        + cross(gyro, n)
        + data.C_u * cross(w, n)
        + data.C_s * cross(w - w_p, n)
    )
    product = k.w_u * k.w_v / nc if on.eq25_spin else -k.w_u * k.w_v
    alpha_t = dot(k.u, S_i) * un / (l * (1 - un**2)) + product
    along = (
        dot(gravity, n)
        - m_u * dot(n, S_u) / l
        - m_d * dot(n, S_d) / l
        + dot(n, mv(I_ud, times(alpha_t, n)))
        + dot(gyro, n)
        + data.C_s * dot(w - w_p, n)
        + data.C_u * dot(w, n)
    )
    if on.eq42_off_axis:
        lost = _lost_V(k, w_p, S_i, alpha_t, data)
        axial, across, along = axial + lost[0], across + lost[1], along + lost[2]
    return times(axial, n) + times(1 / l, across) - times(along / (l * nc), cross(k.c, n))


def _lost_V(k, w_p, S_i, alpha_t, data):
    """What (43) drops, in the same order as ``_lost_Q``: parts along n, across n, and of N·n."""
    n, w, m_u, m_d = k.n, k.w, data.m_u, data.m_d
    spin, alpha_n = times(alpha_t, n), times(1 / k.l, S_i)
    ww = lambda x: cross(w, cross(w, x))  # noqa: E731
    I_ud = k.I_u + k.I_d
    lddot = dot(cross(w_p, cross(w_p, k.q)), n) - dot(ww(times(k.l, n)), n)
    swing = m_u * cross(k.L_u, cross(spin, k.L_u)) + m_d * cross(k.L_d, cross(spin, k.L_d))  # L × (α_t n × L)
    axial = m_u * dot(n, cross(alpha_n + spin, k.L_u))
    across = cross(swing + mv(I_ud, spin) + m_u * times(lddot, cross(k.L_u, n)), n)
    along = dot(n, swing + mv(I_ud, alpha_n) + m_u * cross(k.L_u, ww(k.L_u)) + m_d * cross(k.L_d, ww(k.L_d)))
    along = along + 2 * m_u * k.ldot * dot(n, cross(k.L_u, cross(w, n)))
    return axial, across, along


def inverse_dynamics(position, rotation, twist, acceleration, on=ALL_ON, data=DATA, F_ext=0.0, M_ext=0.0):
    """Actuator forces (..., 6) by (48) and (51)."""
    k = kinematics(position, rotation, twist, acceleration, on, data)
    w = np.asarray(twist, float)[..., 3:]
    Xddot, alpha = np.split(np.asarray(acceleration, float), 2, axis=-1)
    R, G, m_p = np.asarray(rotation, float), data.G, data.m_p
    Q_i, V_i = Q(k, on, data), V(k, w[..., None, :], on, data)
    r, _, I_p = platform(rotation, twist, acceleration, on, data)
    q, r_ = skew(k.q), skew(r)
    centripetal = cross(w, cross(w, r)) - G
    force = (  # (48)
        mv(m_p * np.eye(3) + Q_i.sum(-3), Xddot)
        - mv(m_p * r_ + (Q_i @ q).sum(-3), alpha)
        + m_p * centripetal
        + V_i.sum(-2)
        - mv(R, F_ext * np.ones(3))
    )
    moment = (  # (51)
        mv(m_p * r_ + (q @ Q_i).sum(-3), Xddot)
        + mv(I_p - m_p * r_ @ r_ - (q @ Q_i @ q).sum(-3), alpha)
        + m_p * cross(r, centripetal)
        + cross(k.q, V_i).sum(-2)
        + cross(w, mv(I_p, w))
        - data.C_s * (k.w - w[..., None, :]).sum(-2)
        - mv(R, M_ext * np.ones(3))
    )
    return solve(k.n, k.q, force, moment)
