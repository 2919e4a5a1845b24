"""The closed form of [Pedrammehr 2012, eqs. 41–43, corrected] for a 6-UPS robot, with its slips as switches.

F_i = -F_act n + Q_i a + V_i with a = Ẍ + α × q. What (42) has of n × a and (43) of S_i comes together in y = n × a + S_i, that
is l α_n: so Q_i a + V_i is written here in one. As printed it holds for mass centres on the pod's axis and for pods whose axis is
principal; `_lost` has the rest.
Frames    world axes; arrays (n, 6, 1) and (n, 6, 3) over states and pods.
"""

import numpy as np

from gough_papers.pedrammehr2012.pods import ALL_ON, PodMotion, Pods, Switches, cross, dot, drive_forces, on, pod_motion


def closed_form_forces(
    pods: Pods, pose: np.ndarray, twist: np.ndarray, acceleration: np.ndarray, do: Switches = ALL_ON
) -> np.ndarray:
    """Drive forces (n, 6), N, as of `pod_forces`, with spin and the moment along u × v."""
    k = pod_motion(pods, pose, twist, acceleration, do)
    n, l, w, w_p = k.n, k.l, k.w, twist[:, None, 3:]
    m_d, m_u, g, (C_u, C_p, C_s) = pods.lower.m, pods.upper.m, pods.gravity, pods.friction
    a = acceleration[:, None, :3] + cross(acceleration[:, None, 3:], k.q)
    around = cross(w_p, cross(w_p, k.q))
    rate = k.ld if do.appendix1 else l
    y = cross(n, a + around - _twice(w, l * n) - 2 * rate * cross(w, n))  # n × a + S_i, Appendix 1
    alpha_t = _dot(k.u, y) * k.un / (l * (1 - k.un**2)) + k.last
    ldd = _dot(n, a + around - _twice(w, l * n))

    swung = _swung(pods, k, y) / l  # with S_di and S_ui
    weight, gyro = -cross(m_u * k.L_u + m_d * k.L_d, g), cross(w, on(k.I, w))
    rub = C_u * w + C_s * (w - w_p)
    arm = k.L_d if do.eq43 else k.L_u
    turning = m_u * cross(k.L_u, _twice(w, k.L_u)) + m_d * cross(k.L_d, _twice(w, arm))
    turning = turning + 2 * m_u * k.ld * cross(k.L_u, cross(w, n))
    axial = m_u * (_dot(n, _twice(w, k.L_u) - g) + ldd) + C_p * k.ld
    across = cross(weight + on(k.I, y) / l - swung + turning + gyro + rub, n)
    along = _dot(n, weight - swung + on(k.I, alpha_t * n) + gyro + rub)
    if do.eq42:
        lost = _lost(pods, k, y / l, alpha_t * n, ldd)
        axial, across, along = axial + lost[0], across + lost[1], along + lost[2]
    F = axial * n + across / l - along / (l * k.nc) * cross(k.c, n)
    return drive_forces(pods, k, F, twist, acceleration, do)


def _lost(
    pods: Pods, k: PodMotion, alpha_n: np.ndarray, spin: np.ndarray, ldd: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What (42) and (43) drop: along n, across n (already × n), and of N·n."""
    n, w, m_d, m_u = k.n, k.w, pods.lower.m, pods.upper.m
    swung = -_swung(pods, k, spin)
    axial = m_u * _dot(n, cross(alpha_n + spin, k.L_u))
    across = cross(swung + on(k.I, spin) + m_u * ldd * cross(k.L_u, n), n)
    turning = m_u * cross(k.L_u, _twice(w, k.L_u)) + m_d * cross(k.L_d, _twice(w, k.L_d))
    turning = turning + 2 * m_u * k.ld * cross(k.L_u, cross(w, n))
    return axial, across, _dot(n, swung + on(k.I, alpha_n) + turning)


def _swung(pods: Pods, k: PodMotion, x: np.ndarray) -> np.ndarray:
    """m L × (L × x) of both parts."""
    return pods.upper.m * cross(k.L_u, cross(k.L_u, x)) + pods.lower.m * cross(k.L_d, cross(k.L_d, x))


def _twice(w: np.ndarray, x: np.ndarray) -> np.ndarray:
    return cross(w, cross(w, x))


def _dot(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Over the last axis, which stays."""
    return dot(a, b)[..., None]
