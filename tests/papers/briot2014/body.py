"""Briot, Khalil 2014: the generalised Newton-Euler model of one flexible body, eqs. (4) and (53)-(68), and its switches.

The paper's letters; SI; everything in the body's frame at its origin A_j; a rigid body has no shape functions.
"""

from dataclasses import dataclass

import numpy as np

from papers.vectors import skew


@dataclass(frozen=True)
class Corrections:
    """One switch per misprint or unsaid convention: True computes the right thing, False the printed or naive one."""

    eq12_carried: bool = True  # (12), (14), (18), (19): Φ at A_ij, carried there from the tip where an offset follows
    eq19_prismatic: bool = True  # (19) lacks 2 q̇ (ω + Φ_r q̇_e) × a of a prismatic joint
    eq19_angular: bool = True  # (19) h_ang: angular part of a_ij; off lets a prismatic axis in too
    eq19_frames: bool = True  # (19) h_ang mixes frames ij and i(j-1), and rotates one term twice
    eq34_tip: bool = True  # (34), (35): p from the deformed tip of link il; printed from its frame
    eq37_turning: bool = True  # (37) J̇_p t_p: R [ω × (ω × p); 0] alone; off adds dR/dt as the symbol says
    eq39_minus: bool = True  # (39) needs -(J_t^f)⁻¹ b*
    eq57_order: bool = True  # (57): column k of MS_re needs Σ_i λ_ik q_i; printed λ_ki
    eq63_minus: bool = True  # (63) needs a minus, as (51) has it; shows where forces go from joint to joint
    eq68_in_link: bool = True  # (68): g in the link's frame; off takes world components
    exact_rotation: bool = True  # ᶦʲR of (16) after a flexible link: exp of Φ_r q_e; off takes 1 + (Φ_r q_e)^
    exact_rate: bool = True  # ω_e of (2): the rate of that rotation; off takes Φ_r q̇_e, right for small turns


ALL_ON = Corrections()


def body_model(body, t, q_e, dq_e, g, on=ALL_ON):
    """M_j (6 + N, 6 + N), c_j (6 + N,) of (4), (64); t: twist (6,) of the body's frame, g: gravity, both in its axes."""
    w, N = t[3:], body.N
    MS = body.MS_r + body.MS_de @ q_e  # (56)
    half = np.einsum("k,kab->ab", q_e, body.I_re)
    I = body.I_rr + half + half.T + np.einsum("i,k,ikab->ab", q_e, q_e, body.I_ee)  # (60)
    lam = body.cross  # (59): [k, i]
    order = "i,ika->ka" if on.eq57_order else "i,kia->ka"
    MS_re = (body.beta + np.einsum(order, q_e, lam)).T  # (57), (58)
    M = np.block(
        [
            [body.m * np.eye(3), skew(MS).T, body.MS_de],
            [skew(MS), I, MS_re],
            [body.MS_de.T, MS_re.T, body.M_ee],
        ]
    )  # (64)
    f_in = np.cross(w, skew(MS).T @ w + 2 * body.MS_de @ dq_e)  # (65)
    c_in = np.cross(w, I @ w) + 2 * np.einsum("k,kab,b->a", dq_e, body.I_re, w)  # (66)
    c_in = c_in + 2 * np.einsum("i,k,ikab,b->a", q_e, dq_e, body.I_ee, w)
    s_in = 2 * np.einsum("kia,a,k->i", lam, w, dq_e) - np.einsum("a,iba,b->i", w, body.I_re, w)  # (67)
    s_in = s_in - np.einsum("a,ikab,b,k->i", w, body.I_ee, w, q_e)
    gravity = np.concatenate([-body.m * g, -skew(MS) @ g, -body.MS_de.T @ g])  # (68)
    c = np.concatenate([f_in, c_in, s_in + body.K_ee @ q_e]) + gravity
    assert M.shape == (6 + N, 6 + N)
    return M, c
