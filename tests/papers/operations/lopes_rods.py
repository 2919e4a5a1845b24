"""The robot of [Lopes] formulated for itself alone, with as few operations as its own numbers allow; not in the paper.

A link is a thin rod (I_Lxx = 0) between P_i on the platform and its actuator at l_i. With β = b_cm/L and k = I_L/L² its
kinetic energy is quadratic in the velocities of its two ends:

    K_link = ½ A |v_Pi|² + B l̇_i ż_Pi + ½ C l̇_i²,   A = m (1 - β)² + k,  B = m β (1 - β) - k,  C = m β² + k.

- A is mass that sits on the platform: numbers. With D = m_A + C and f_i = l_i + (B/D) z_Pi the rest is
  ½ D ḟ_i² - ½ (B²/D) ż_Pi²: squares of rates of functions of x. ½ ḟ² gives ∇f ∇fᵗ to the mass matrix and ∇f (d∇f/dt)ᵗ to
  the Coriolis matrix, which is that of Christoffel's symbols.
- The points of the platform: Σ p = 0, Σ p pᵗ = 3 r² diag(1, 1, 0) and pairs that coincide, by the layout chosen for it. Table 2
  has I_Px = I_Py = ½ I_Pz: platform and A are three masses at its points and one in its middle.
- l̇_i = c_i·v_Pi with c_i = a_i/a_iz; from |a_i| = L, l̈_i = z̈_Pi + c_ix ẍ_Pi + c_iy ÿ_Pi + (ẋ_Pi² + ẏ_Pi² + q_i²)/a_iz with
  q_i = c_ix ẋ_Pi + c_iy ẏ_Pi.
- Drive forces: D l̈_i + B z̈_Pi and the weights act on actuator i itself. What is left are forces at three points of the
  platform, up to forces t between the points; a pair of links carries what lies in its plane. That is a solve with three
  unknowns, then two a pair.

Functions run on any scalar: x (6,) with l (6,), the actuators' coordinates, known. The simplified model has the same form:
A = m_L1, B = 0, C = m_L2.
"""

from dataclasses import dataclass

import numpy as np

from gough.program import Slot, count, trace
from papers.lopes import DATA, Data

POINTS = ((0.5, np.sqrt(0.75)), (-1.0, 0.0), (0.5, -np.sqrt(0.75)))
"""Of the platform, over its radius; links 2k and 2k + 1 hold point k."""
PAIR_AXES = (0, 1, 0)
"""Along which the base points of a pair lie farther apart: x, y, x."""


@dataclass(frozen=True)
class Rods:
    """Numbers of the formulation. top, low: masses that weigh at P_i and at the actuator."""

    A: float
    B: float
    C: float
    top: float
    low: float
    data: Data

    @property
    def D(self):
        """Mass that goes with l̇²."""
        return self.data.m_A + self.C


def complete(data=DATA):
    """Links as rods."""
    beta, k, m = data.b_cm / data.L, data.I_L[1] / data.L**2, data.m_L
    assert data.I_L[0] == 0 and data.I_L[1] == data.I_L[2]
    A, B, C = m * (1 - beta) ** 2 + k, m * beta * (1 - beta) - k, m * beta**2 + k
    return Rods(A, B, C, m * (1 - beta), m * beta, data)


def simplified(data=DATA):
    """Links as two point masses [Lopes, eqs. 80-91]."""
    return Rods(data.m_L1, 0.0, data.m_L2, data.m_L1, data.m_L2, data)


def turned(v):
    """z × v."""
    return np.array([-v[1], v[0], 0.0])


@dataclass(frozen=True)
class Axes:
    """Columns r1, r2, r3 of R = Rz(ψ) Ry(θ) Rx(φ), n = ∂r1/∂θ, m = ∂r2/∂θ = sin φ r1, and sines and cosines of ψ θ φ."""

    r1: np.ndarray
    r2: np.ndarray
    r3: np.ndarray
    n: np.ndarray
    m: np.ndarray
    s: np.ndarray
    c: np.ndarray


def axes(x):
    """At x (6,)."""
    s, c = np.sin(x[3:]), np.cos(x[3:])
    r1 = np.array([c[0] * c[1], s[0] * c[1], -s[1]])
    n = np.array([-c[0] * s[1], -s[0] * s[1], -c[1]])
    across = np.array([-s[0], c[0], 0.0])  # r2 and r3 turn by φ from here and from -n
    r2 = c[2] * across - s[2] * n
    r3 = -s[2] * across - c[2] * n
    return Axes(r1, r2, r3, n, s[2] * r1, s, c)


def columns(x, l, rods):
    """For each point: p, ∂p/∂(ψ, θ, φ); for each link: √D/a_iz, c_ix √D, c_iy √D and √D ∇f (6,)."""
    data, at, root = rods.data, axes(x), np.sqrt(rods.D)
    up = root * (1 + rods.B / rods.D)
    u, w = data.r_P * np.array(POINTS).T
    p = [u[k] * at.r1 + w[k] * at.r2 for k in range(3)]
    by = [(turned(p[k]), u[k] * at.n + w[k] * at.m, w[k] * at.r3) for k in range(3)]
    gradients, slopes = [], []
    for i in range(6):
        k = i // 2
        place = x[:3] + p[k]
        inverse = root / (place[2] - l[i])
        cx, cy = (place[0] - data.b[i, 0]) * inverse, (place[1] - data.b[i, 1]) * inverse
        gradients.append([cx, cy, up, *(d[0] * cx + d[1] * cy + up * d[2] for d in by[k])])
        slopes.append((inverse, cx, cy))
    return at, p, by, slopes, np.array(gradients)


def mass_matrix(x, l, rods):
    """I_E (6, 6)."""
    at, _, _, _, G = columns(x, l, rods)
    M = np.zeros((6, 6), dtype=G.dtype)
    for i in range(6):
        for j in range(i + 1):
            M[i, j] = M[j, i] = sum(G[n, i] * G[n, j] for n in range(6))
    for entry, number in _platform_matrix(at, rods).items():
        M[entry] = M[entry] + number
    M[4, 3] = M[3, 4]
    M[5, 3] = M[3, 5]
    M[5, 4] = M[4, 5]
    return M


def inertias(rods):
    """Mass of the platform with A, J about its x and y, Jz - J, and (B²/D) Σ p_x², (B²/D) 6."""
    data, fixed = rods.data, rods.B**2 / rods.D
    assert data.I_P[0] == data.I_P[1]
    J = data.I_P[0] + 3 * rods.A * data.r_P**2
    return data.m_P + 6 * rods.A, J, data.I_P[2] + 6 * rods.A * data.r_P**2 - J, 3 * data.r_P**2 * fixed, 6 * fixed


def _platform_matrix(at, rods):
    """{entry of the upper triangle: of the platform with A, less (B²/D) Σ ∇z ∇zᵗ}."""
    m, J, more, s, six = inertias(rods)
    (_, s2, s3), (_, c2, c3) = at.s, at.c
    spin = more * (c2 * c3)
    lower = np.array([-s2 * s3, c2 * c3])  # of ∇ r2z by θ, φ; ∇ r1z is (-cos θ, 0)
    return {
        (0, 0): m, (1, 1): m, (2, 2): m - six,
        (3, 3): J + spin * (c2 * c3), (3, 4): -spin * s3, (3, 5): -J * s2,
        (4, 4): J + more * (s3 * s3) - s * (c2 * c2 + lower[0] * lower[0]),
        (4, 5): -s * (lower[0] * lower[1]), (5, 5): J - s * (lower[1] * lower[1]),
    }  # fmt: skip


def coriolis_matrix(x, l, xdot, rods):
    """V_E (6, 6) by Christoffel's symbols."""
    at, _, by, slopes, G = columns(x, l, rods)
    a, b, c = xdot[3:]
    u, w = rods.data.r_P * np.array(POINTS).T
    up = np.sqrt(rods.D) * (1 + rods.B / rods.D)
    # rates of the columns of R and of their derivatives: ∂r1/∂φ = 0, ∂n/∂θ = -r1, ∂r3/∂θ = cos φ r1, ∂r3/∂φ = -r2
    dr1 = a * turned(at.r1) + b * at.n
    dn = a * turned(at.n) - b * at.r1
    dm = at.s[2] * dr1 + (c * at.c[2]) * at.r1
    dr3 = a * turned(at.r3) + (b * at.c[2]) * at.r1 - c * at.r2
    dr2 = a * turned(at.r2) + b * at.m + c * at.r3
    rates = []
    for i in range(6):
        k = i // 2
        inverse, cx, cy = slopes[i]
        dp = u[k] * dr1 + w[k] * dr2
        d_by = (turned(dp), u[k] * dn + w[k] * dm, w[k] * dr3)
        vx, vy = xdot[0] + dp[0], xdot[1] + dp[1]
        back = (cx * vx + cy * vy) / rods.D  # -ȧ_z over √D
        dcx, dcy = inverse * (vx + back * cx), inverse * (vy + back * cy)
        turning = (
            d[0] * dcx + d[1] * dcy + dd[0] * cx + dd[1] * cy + up * dd[2] for d, dd in zip(by[k], d_by, strict=True)
        )
        rates.append([dcx, dcy, 0.0, *turning])
    rates = np.array(rates)
    V = np.array([[sum(G[n, i] * rates[n, j] for n in range(6)) for j in range(6)] for i in range(6)])
    V[:, 2] = 0.0
    V[3:, 3:] = V[3:, 3:] + _platform_coriolis(at, xdot, rods)
    return V


def _platform_coriolis(at, xdot, rods):
    """(3, 3) for ψ θ φ: Christoffel's symbols of `_platform_matrix`."""
    _, J, more, s, _ = inertias(rods)
    (_, s2, s3), (_, c2, c3) = at.s, at.c
    a, b, c = xdot[3:]
    # halves of the derivatives: I_ψψ = J + Δ c2² c3², I_ψθ = -Δ c2 c3 s3, I_θθ = J + Δ s3², I_ψφ = -J s2
    spin = more * c3
    pp_t, pp_f = -spin * c3 * (s2 * c2), -spin * s3 * (c2 * c2)
    tt_f = spin * s3
    pt_t, pt_f, pf_t = 0.5 * (tt_f * s2), more * c2 * (s3 * s3 - 0.5), -0.5 * J * c2
    low, high = pt_f + pf_t, pt_f - pf_t
    V = np.array(
        [
            [pp_t * b + pp_f * c, pp_t * a + 2 * pt_t * b + low * c, pp_f * a + low * b],
            [-pp_t * a + high * c, tt_f * c, high * a + tt_f * b],
            [-pp_f * a - high * b, -high * a - tt_f * b, 0.0],
        ]
    )
    rate = np.array([-c2 * s3 * b - s2 * c3 * c, -s2 * c3 * b - c2 * s3 * c])  # of ∇ r2z by θ, φ
    lower = (-s2 * s3, c2 * c3)
    for i in range(2):
        for j in range(2):
            V[1 + i, 1 + j] = V[1 + i, 1 + j] - s * (lower[i] * rate[j])
    V[1, 1] = V[1, 1] + s * (c2 * s2 * b)
    return V


def drive_forces(position, R, l, twist, acceleration, rods):
    """τ (6,) from the platform's pose, twist and acceleration, linear first, world axes. R: only its first two columns."""
    data, w, alpha, D, B = rods.data, twist[3:], acceleration[3:], rods.D, rods.B
    mass, J, _, _, _ = inertias(rods)
    point = J / (1.5 * data.r_P**2)  # of three such masses at the points; the rest is in the middle
    assert np.isclose(data.I_P[2], 2 * data.I_P[0])
    middle = (mass - 3 * point) / 3
    weight = data.g * (data.m_P + 6 * rods.top) / 3
    xx, yy, zz = w * w
    xy, xz, yz = w[0] * w[1], w[0] * w[2], w[1] * w[2]
    W = np.array(  # r̈ = W r
        [
            [-yy - zz, xy - alpha[2], xz + alpha[1]],
            [xy + alpha[2], -xx - zz, yz - alpha[0]],
            [xz - alpha[1], yz + alpha[0], -xx - yy],
        ]
    )
    r, speeds, turns = R.T[:2], [], []
    for k in range(2):
        speeds.append([w[1] * r[k][2] - w[2] * r[k][1], w[2] * r[k][0] - w[0] * r[k][2]])
        turns.append(W @ r[k])
    forces, ends = [], []
    own, normals = [None] * 6, []
    spread = middle * acceleration[:3]
    spread = np.array([spread[0], spread[1], spread[2] + weight])
    for k, (u, v) in enumerate(data.r_P * np.array(POINTS)):
        place = position + u * r[0] + v * r[1]
        vx, vy = (twist[j] + u * speeds[0][j] + v * speeds[1][j] for j in range(2))
        lift = acceleration[:3] + u * turns[0] + v * turns[1]
        square, total, along = vx * vx + vy * vy, 0.0, []
        for i in (2 * k, 2 * k + 1):
            inverse = 1.0 / (place[2] - l[i])
            cx, cy = (place[0] - data.b[i, 0]) * inverse, (place[1] - data.b[i, 1]) * inverse
            q = cx * vx + cy * vy
            second = lift[2] + cx * lift[0] + cy * lift[1] + (square + q * q) * inverse
            own[i] = D * second + (B * lift[2] + data.g * (data.m_A + rods.low))
            total = total + second
            along.append((cx, cy))
        (ax, ay), (bx, by) = along
        normals.append((ay - by, bx - ax, ax * by - ay * bx))
        ends.append(along)
        force = spread + point * lift
        forces.append(np.array([force[0], force[1], force[2] + B * total]))
    return _carried(forces, ends, normals, r, own)


def _carried(forces, ends, normals, r, own):
    """own + what the links of each pair take of the forces (3,) at the three points.

    The forces may be changed by t_k (p_k+1 - p_k) at point k and minus that at point k + 1. Then each must lie in the plane of
    its pair: n_k·(h_k + t_k e_k - t_k-1 e_k-1) = 0.
    """
    edges = [np.array(POINTS[(k + 1) % 3]) - np.array(POINTS[k]) for k in range(3)]
    first, before, right = [], [], []
    for k in range(3):
        n = normals[k]
        along = [n[0] * r[j][0] + n[1] * r[j][1] + n[2] * r[j][2] for j in range(2)]
        e, d = edges[k], edges[k - 1]
        first.append(e[0] * along[0] + e[1] * along[1])
        before.append(d[0] * along[0] + d[1] * along[1])
        right.append(n[0] * forces[k][0] + n[1] * forces[k][1] + n[2] * forces[k][2])
    # first_k t_k = before_k t_k-1 - right_k, k = 0, 1, 2 in a ring
    (f0, f1, f2), (b0, b1, b2), (h0, h1, h2) = first, before, right
    t2 = (-b2 * (b1 * h0 + f0 * h1) - f0 * f1 * h2) / (f0 * f1 * f2 - b0 * b1 * b2)
    t0 = (b0 * t2 - h0) / f0
    t1 = (b1 * t0 - h1) / f1
    t, tau = (t0, t1, t2), list(own)
    for k in range(3):
        pull = [t[k] * edges[k][j] - t[k - 1] * edges[k - 1][j] for j in range(2)]
        axis = PAIR_AXES[k]
        side, up = (forces[k][j] + pull[0] * r[0][j] + pull[1] * r[1][j] for j in (axis, 2))
        a, b = ends[k][0][axis], ends[k][1][axis]
        part = (side - b * up) / (a - b)
        tau[2 * k] = tau[2 * k] + part
        tau[2 * k + 1] = tau[2 * k + 1] + (up - part)
    return np.array(tau)


# ---- counted by the library's rules: equal terms shared, numeric parameters, sines and cosines apart


def count_mass_matrix(rods):
    """Of I_E."""
    return _count(lambda x, l: {"M": mass_matrix(x, l, rods)}, x=6, l=6)


def count_coriolis_matrix(rods):
    """Of V_E."""
    return _count(lambda x, l, xdot: {"V": coriolis_matrix(x, l, xdot, rods)}, x=6, l=6, xdot=6)


def count_drive_forces(rods):
    """Of τ from a pose with a unit quaternion."""

    def equations(pose, l, twist, acceleration):
        R = rotation_of(pose[3:])
        return {"tau": drive_forces(pose[:3], R, l, twist, acceleration, rods)}

    return _count(equations, pose=7, l=6, twist=6, acceleration=6)


def rotation_of(h):
    """The first two columns of R of a unit quaternion (w, x, y, z), as a matrix (3, 2)."""
    w, x, y, z = h
    X, Y = 2 * x, 2 * y
    wz = 2 * (w * z)
    return np.array(
        [
            [1 - Y * y - 2 * (z * z), X * y - wz],
            [X * y + wz, 1 - X * x - 2 * (z * z)],
            [X * z - Y * w, Y * z + X * w],
        ]
    )


def _count(equations, **sizes):
    return count(trace(equations, [Slot(name, (n,)) for name, n in sizes.items()]))
