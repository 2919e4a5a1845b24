"""DualEMPS in its plane, written by hand for this one robot: how few operations its direct model takes.

A leg: a slide; B, links i2 and i3 in one body with the frame of link i2 and elastic coordinates e of link i3; C at its tip, link
i4, in leg 1 with link 16 and its coordinates e'; in leg 1 D at the tip of C, link 17. Numbers that depend on the design alone are
inputs. Coordinates of a leg: e', e, θ, z. Legs are solved apart (LDLᵀ) and joined by the force in the pin. SI.
"""

from dataclasses import dataclass

import numpy as np

from papers.briot2014 import dualemps
from papers.briot2014.counted import Inputs

PIN = 0.082
LEGS = ({"slide": 0, "turn": 1, "e": (2, 3, 4), "f": (5, 6, 7)}, {"slide": 8, "turn": 9, "e": (10, 11, 12), "f": ()})
"""Places in q_t."""


@dataclass(frozen=True)
class Bent:
    """A rigid link and a beam behind it, in the link's frame. Shapes: s along, b and c across. Integrals over mass: m, x, x²,
    s, b, c, x s, x b, x c, products of shapes; stiffnesses."""

    m: object
    X: object
    I: object
    A: object
    B: object
    C: object
    Sx: object
    Bx: object
    Cx: object
    Saa: object
    Sbb: object
    Sbc: object
    Scc: object
    Psb: object
    Psc: object
    Kaa: object
    Kbb: object
    Kbc: object
    Kcc: object
    length: object


def bent(put, name, link, beam, place):
    """link: rigid, place: of the beam on it along x."""
    length, A, B, C = 2 * beam.MS_r[0] / beam.m, beam.MS_de[0, 0], beam.MS_de[1, 1], beam.MS_de[1, 2]
    numbers = {
        "m": link.m + beam.m,
        "X": link.MS_r[0] + beam.MS_r[0] + place * beam.m,
        "I": link.I_rr[2, 2] + beam.I_rr[2, 2] + 2 * place * beam.MS_r[0] + place**2 * beam.m,
        "A": A,
        "B": B,
        "C": C,
        "Sx": beam.I_re[0, 2, 2] + place * A,
        "Bx": beam.beta[1, 2] + place * B,
        "Cx": beam.beta[2, 2] + place * C,
        "Saa": beam.I_ee[0, 0, 2, 2],
        "Sbb": beam.I_ee[1, 1, 2, 2],
        "Sbc": beam.I_ee[1, 2, 2, 2],
        "Scc": beam.I_ee[2, 2, 2, 2],
        "Psb": beam.cross[0, 1, 2],
        "Psc": beam.cross[0, 2, 2],
        "Kaa": beam.K_ee[0, 0],
        "Kbb": beam.K_ee[1, 1],
        "Kbc": beam.K_ee[1, 2],
        "Kcc": beam.K_ee[2, 2],
        "length": place + length,
    }
    return Bent(**{key: put.fix(f"{name}.{key}", x)[()] for key, x in numbers.items()})


@dataclass(frozen=True)
class Part:
    """A body with all it carries, in its frame, at its origin: mass, first moment (2), inertia; force (2) and moment that its
    motion asks for at accelerations 0; of elastic coordinates: mass matrix (n, n), bias (n,), and what they give the frame's
    linear motion (n, 2) and turn (n,)."""

    m: object
    H: np.ndarray
    I: object
    F: np.ndarray
    N: object
    M: np.ndarray
    Q: np.ndarray
    push: np.ndarray
    turn: np.ndarray


def array(*entries):
    """Of symbols and numbers."""
    return np.array(entries, dtype=object)


def turned(c, s, x):
    """A vector of a frame turned by an angle."""
    return array(c * x[0] - s * x[1], s * x[0] + c * x[1])


def tip_acceleration(w, p, rate):
    """Of a tip at p that moves with `rate` in a frame that turns with w, without accelerations."""
    w2, double = w * w, w + w
    return array(-(w2 * p[0]) - double * rate[1], double * rate[0] - w2 * p[1])


def part(body, w, g, e, de, tip, c, s):
    """Body with coordinates e (3,), its frame turning with w, its origin accelerated by g (2,) or None, and what hangs on its
    tip, turned by e[2] (cosine c, sine s)."""
    a, b, f = e
    U, V, W = body.Sx + body.Saa * a, body.Sbb * b + body.Sbc * f, body.Sbc * b + body.Scc * f
    MS = array(body.X + body.A * a, body.B * b + body.C * f)
    cross_a, cross_b, cross_f = body.Psb * b + body.Psc * f, body.Bx + body.Psb * a, body.Cx + body.Psc * a
    w2, double = w * w, w + w
    da, db, df = de
    F = array(-(w2 * MS[0]) - double * (body.B * db + body.C * df), double * (body.A * da) - w2 * MS[1])
    N = double * (U * da + V * db + W * df)
    along = double * da
    Q = array(
        body.Kaa * a - w2 * U - double * (body.Psb * db + body.Psc * df),
        body.Kbb * b + body.Kbc * f - w2 * V + body.Psb * along,
        body.Kbc * b + body.Kcc * f - w2 * W + body.Psc * along,
    )
    if g is not None:
        F, N = F + body.m * g, N + (MS[0] * g[1] - MS[1] * g[0])
        Q = Q + array(body.A * g[0], body.B * g[1], body.C * g[1])
    p, H, T = array(body.length + a, b), turned(c, s, tip.H), turned(c, s, tip.F)
    G = H + tip.m * p
    dot = p[0] * H[0] + p[1] * H[1]
    F, N, Q = F + T, N + (tip.N + p[0] * T[1] - p[1] * T[0]), Q + array(T[0], T[1], tip.N)
    hung = array((tip.m, 0.0, -H[1]), (0.0, tip.m, H[0]), (-H[1], H[0], tip.I))
    M = array((body.Saa, 0.0, 0.0), (0.0, body.Sbb, body.Sbc), (0.0, body.Sbc, body.Scc)) + hung
    push = array((body.A + tip.m, 0.0), (0.0, body.B + tip.m), (-H[1], body.C + H[0]))
    turn = array(-cross_a - G[1], cross_b + G[0], cross_f + tip.I + dot)
    I = body.I + (a * (body.Sx + U) + b * V + f * W) + tip.I + dot + (p[0] * G[0] + p[1] * G[1])
    carried = array(*(turned(c, s, x) for x in tip.push)).reshape(len(tip.Q), 2)
    between = np.column_stack([carried, tip.turn]) if len(tip.Q) else np.zeros((0, 3))
    whole = np.block([[tip.M, between], [between.T, M]])
    turns = array(*(t + (p[0] * x[1] - p[1] * x[0]) for t, x in zip(tip.turn, carried, strict=True)), *turn)
    return Part(
        body.m + tip.m, MS + G, I, F, N, whole, np.concatenate([tip.Q, Q]), np.concatenate([carried, push]), turns
    )


def rigid_part(m, mx, zz, w, g):
    """A link with its mass on its x axis, its origin accelerated by g in its own axes."""
    none = np.zeros(0)
    F = array(m * g[0] - (w * w) * mx, m * g[1])
    return Part(m, array(mx, 0.0), zz, F, mx * g[1], np.zeros((0, 0)), none, np.zeros((0, 2)), none)


def leg_equations(put, leg, q, dq):
    """(M (n, n), bias (n,), Jᵀ (n, 2), acceleration (2,) of the pin without accelerations) in the axes of link i2."""
    of = dualemps.robot().elements
    first = LEGS[leg]["slide"]
    k = 0 if first == 0 else 7
    B = bent(put, f"B{leg}", of[k + 1].body, of[k + 2].body, of[k + 2].place_p[0])
    theta, w = q[LEGS[leg]["turn"]], dq[LEGS[leg]["turn"]]
    e, de = q[list(LEGS[leg]["e"])], dq[list(LEGS[leg]["e"])]
    c, s = e[2].cos(), e[2].sin()
    w_C, p = w + de[2], array(B.length + e[0], e[1])
    tip = tip_acceleration(w, p, de)
    g = array(c * tip[0] + s * tip[1], c * tip[1] - s * tip[0])
    if LEGS[leg]["f"]:
        place = of[4].place_p[0] + of[5].place_p[0]
        C_body = bent(put, "C", of[3].body, of[5].body, place)
        f, df = q[list(LEGS[leg]["f"])], dq[list(LEGS[leg]["f"])]
        c2, s2 = f[2].cos(), f[2].sin()
        at = g + tip_acceleration(w_C, array(C_body.length + f[0], f[1]), df)
        m, mx, zz = _rigid(put, "D", of[6].body)
        D = rigid_part(m, mx, zz, w_C + df[2], array(c2 * at[0] + s2 * at[1], c2 * at[1] - s2 * at[0]))
        hung = part(C_body, w_C, g, f, df, D, c2, s2)
    else:
        m, mx, zz = _rigid(put, "C2", of[10].body)
        hung = rigid_part(m, mx, zz, w_C, g)
    whole = part(B, w, None, e, de, hung, c, s)
    ct, st = theta.cos(), theta.sin()
    slide = put.fix(f"slide{leg}", of[k].body.m)[()]
    along = array(*(st * x[0] + ct * x[1] for x in whole.push))  # z0 is (sin θ, cos θ) in these axes
    turn_slide = ct * whole.H[0] - st * whole.H[1]
    n = len(whole.Q)
    M = np.zeros((n + 2, n + 2), dtype=object)
    M[:n, :n], M[:n, n], M[:n, n + 1] = whole.M, whole.turn, along
    M[n, n], M[n, n + 1], M[n + 1, n + 1] = whole.I, turn_slide, slide + whole.m
    bias = np.concatenate([whole.Q, array(whole.N, st * whole.F[0] + ct * whole.F[1])])
    d = put.fix(f"pin{leg}", PIN)[()]
    r = array(d * c, d * s)
    J = np.zeros((n + 2, 2), dtype=object)
    J[n - 3 :] = array((1.0, 0.0), (0.0, 1.0), (-r[1], r[0]), (-(p[1] + r[1]), p[0] + r[0]), (st, ct))
    w2 = w_C * w_C
    return M, bias, J, tip - array(w2 * r[0], w2 * r[1])


def _rigid(put, name, body):
    return tuple(put.fix(f"{name}.{k}", x)[()] for k, x in (("m", body.m), ("X", body.MS_r[0]), ("I", body.I_rr[2, 2])))


class Factored:
    """LDLᵀ of the upper triangle of M (n, n), without a choice of pivots."""

    def __init__(self, M):
        self.n, M = len(M), M.copy()
        self.L, self.inverse = np.zeros(M.shape, dtype=object), np.zeros(len(M), dtype=object)
        for k in range(self.n):
            self.inverse[k] = 1.0 / M[k, k]
            for i in range(k + 1, self.n):
                self.L[i, k] = M[k, i] * self.inverse[k]
            for i in range(k + 1, self.n):
                for j in range(i, self.n):
                    M[i, j] = M[i, j] - self.L[i, k] * M[k, j]

    def forward(self, x):
        """L⁻¹ x."""
        x = x.copy()
        for i in range(self.n):
            x[i] = x[i] - self.L[i, :i] @ x[:i] if i else x[i]
        return x

    def backward(self, y):
        """L⁻ᵀ D⁻¹ y."""
        x = self.inverse * y
        for i in reversed(range(self.n - 1)):
            x[i] = x[i] - self.L[i + 1 :, i] @ x[i + 1 :]
        return x


def direct_model(state, tau, shared=True):
    """(book, numbers of its inputs, accelerations of leg 1: e', e, θ, z and of leg 2: e, θ, z) for numbers to put in."""
    put = Inputs(shared)
    q, dq, force = put.vary("q", state.q), put.vary("dq", state.dq), put.vary("tau", tau)
    legs = []
    for leg in (0, 1):
        M, bias, J, b = leg_equations(put, leg, q, dq)
        load = np.concatenate([-bias[:-1], array(force[leg] - bias[-1])])
        of = Factored(M)
        y, Y = of.forward(load), np.column_stack([of.forward(J[:, k]) for k in (0, 1)])
        scaled = Y * of.inverse[:, None]
        S = array(*(scaled[:, i] @ Y[:, j] for i, j in ((0, 0), (0, 1), (1, 1))))
        legs.append((of, y, Y, S, scaled.T @ y + b))
    between = q[LEGS[1]["turn"]] - q[LEGS[0]["turn"]]
    c, s = between.cos(), between.sin()
    (of1, y1, Y1, S1, t1), (of2, y2, Y2, S2, t2) = legs
    off = turned(c, s, t2) - t1
    xx, xy, yy = S2  # in the axes of leg 1: R S Rᵀ
    mean, skew = (c * c) * xx + (s * s) * yy, (c * s) * xy
    k = mean - (skew + skew)
    S = array(S1[0] + k, S1[1] + (c * s) * (xx - yy) + (c * c - s * s) * xy, S1[2] + (xx + yy - k))
    one = 1.0 / (S[0] * S[2] - S[1] * S[1])
    pin = array((S[2] * off[0] - S[1] * off[1]) * one, (S[0] * off[1] - S[1] * off[0]) * one)
    back = array(c * pin[0] + s * pin[1], c * pin[1] - s * pin[0])
    first = of1.backward(y1 + Y1 @ pin)
    second = of2.backward(y2 - Y2 @ back)
    return put.book, put.numbers, first, second
