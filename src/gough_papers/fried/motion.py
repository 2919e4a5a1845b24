"""[Fried]: the paper prints neither geometry nor trajectory; the gallery's geometry is assumed, and so is this motion.

At the assumed home all six legs are alike, so statics have a closed form: by virtual work along x (up, height X),
6 f n = dU/dX with n = X/l,  U/g = m_P X + 6 [m_1 c_1 n + m_2 (l - c_2) n],  l² = X² + d²,  dn/dX = (1 - n²)/l:
6 f n = g [m_P + 6 m_2 + 6 (m_1 c_1 - m_2 c_2) (1 - n²)/l].
"""

import numpy as np

from gough_papers.known import Known, first_sample
from gough_papers.states import States, from_rpy_zyx

ROBOT = "fried"
HEIGHT = 0.75  # assumed, m
_BASE_RADIUS, _PLATFORM_RADIUS, _BETWEEN = 0.6, 0.4, np.radians(36.0)  # assumed; angle between a leg's two ends
_M_P, _M_1, _M_2 = 3.0, 0.5, 1.0  # kg [Fried, Table 1]
_C_1, _C_2 = 0.15, 0.2  # assumed, m


def static_force() -> float:
    """Force (N) of each drive at home, at rest."""
    d2 = _BASE_RADIUS**2 + _PLATFORM_RADIUS**2 - 2 * _BASE_RADIUS * _PLATFORM_RADIUS * np.cos(_BETWEEN)
    l = float(np.sqrt(HEIGHT**2 + d2))
    n = HEIGHT / l
    return 9.81 * (_M_P + 6 * _M_2 + 6 * (_M_1 * _C_1 - _M_2 * _C_2) * (1 - n**2) / l) / (6 * n)


def sway(duration: float = 2.0, samples: int = 201) -> States:
    """From home to 0.1 m up and 0.2 rad about each axis and back, s = (1 - cos(2πt/T))³/8: rests at both ends."""
    t = np.linspace(0.0, duration, samples)
    w = 2 * np.pi / duration
    c, cd, cdd = 1 - np.cos(w * t), w * np.sin(w * t), w**2 * np.cos(w * t)
    s, sd, sdd = c**3 / 8, 3 * c**2 * cd / 8, (6 * c * cd**2 + 3 * c**2 * cdd) / 8
    step = np.array([0.1, 0.0, 0.0, 0.2, 0.2, 0.2])
    home = np.array([HEIGHT, 0.0, 0.0, 0.0, 0.0, 0.0])
    return from_rpy_zyx(t, home + np.outer(s, step), np.outer(sd, step), np.outer(sdd, step))


KNOWN = (Known("f at home", (static_force(),) * 6, "N", 1e-9, "closed form by virtual work", first_sample),)
