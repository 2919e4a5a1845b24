"""Andrews' squeezer in its published angles, derived here from energies: the benchmark's own index-1 equations.

p = (beta, Theta, gamma, Phi, delta, Omega, epsilon). Data, initial and final state: Test Set for IVP Solvers, problem
`andrews` (IFToMM A03).
"""

from __future__ import annotations

from functools import cache

import casadi as ca

from mechanisms.index1 import Index1

NAMES = ("beta", "theta", "gamma", "phi", "delta", "omega", "epsilon")
TORQUE = 0.033
START = (
    (-0.0617138900142764, 0.0, 0.4552798191630704, 0.2226683901658859)
    + (0.4873649795438426, -0.2226683901658859, 1.2305474445498212)
)  # fmt: skip
END = (
    (15.81077119629904, -15.75637105984298, 0.04082224013073101, -0.5347301163226948)
    + (0.5244099658805304, 0.5347301163226948, 1.048080741042263)
)  # fmt: skip
END_RATES = (
    (1139.920302151208, -1424.379294994111, 11.03291221937134, 19.29337464421385)
    + (0.5735699284790808, -19.29337464421385, 0.3231791658026955)
)  # fmt: skip
END_MULTIPLIERS = (
    (199.1753333731910, -29.75531228015052, 23.06654119098399)
    + (31.45271365475927, 22.64249232082739, 11.61740700019673)
)  # fmt: skip

M = (0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498)
I = (2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5)
xa, ya, xb, yb, xc, yc = -0.06934, -0.00227, -0.03635, 0.03273, 0.014, 0.072
c0, l0 = 4530.0, 0.07785
d, da, e, ea, rr, ra = 0.028, 0.0115, 0.02, 0.01421, 0.007, 0.00092
ss, sa, sb, sc, sd = 0.035, 0.01874, 0.01043, 0.018, 0.02
ta, tb, u, ua, ub, zf, zt, fa = 0.02308, 0.00916, 0.04, 0.01228, 0.00449, 0.02, 0.04, 0.01421


def along(angle: ca.SX) -> ca.SX:
    return ca.vertcat(ca.cos(angle), ca.sin(angle))


def across(angle: ca.SX) -> ca.SX:
    """A quarter turn behind `along`."""
    return ca.vertcat(ca.sin(angle), -ca.cos(angle))


@cache
def squeezer() -> Index1:
    """The equations; the load is the torque on beta."""
    p, pd, torque = ca.SX.sym("p", 7), ca.SX.sym("pd", 7), ca.SX.sym("torque")
    beta, theta, gamma, phi, delta, omega, epsilon = ca.vertsplit(p)
    A, B, C = ca.vertcat(xa, ya), ca.vertcat(xb, yb), ca.vertcat(xc, yc)
    centres = (
        ra * along(beta),
        rr * along(beta) - da * along(beta + theta),
        B + sa * across(gamma) + sb * along(gamma),
        A + zt * along(delta) + (e - ea) * across(phi + delta),
        A + ta * along(delta) - tb * across(delta),
        A + u * across(epsilon) + (zf - fa) * along(omega + epsilon),
        A + ua * across(epsilon) - ub * along(epsilon),
    )
    angles = (beta, beta + theta, gamma, phi + delta, delta, omega + epsilon, epsilon)
    kinetic = ca.SX(0)
    for mass, inertia, centre, angle in zip(M, I, centres, angles, strict=True):
        velocity, spin = ca.jtimes(centre, p, pd), ca.jtimes(angle, p, pd)
        kinetic += mass * ca.dot(velocity, velocity) / 2 + inertia * spin**2 / 2
    stretch = ca.norm_2(B + sc * across(gamma) + sd * along(gamma) - C) - l0
    E = rr * along(beta) - d * along(beta + theta)
    g = ca.vertcat(
        E - (B + ss * across(gamma)),
        E - (A + zt * along(delta) + e * across(phi + delta)),
        E - (A + u * across(epsilon) + zf * along(omega + epsilon)),
    )
    push = ca.vertcat(torque, ca.SX.zeros(6))
    return Index1(p, pd, kinetic, c0 * stretch**2 / 2, g, push, torque)
