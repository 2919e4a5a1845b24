"""A motion for [Fried, section 8]: the orientation is the paper's and stays, the way of the tool is assumed.

α = 15°, β = 10°, γ = 5° with R = Rx(α) Ry(β) Rz(γ) [Fried, eq. 46]. The platform goes from home on a closed loop in space,
x = up: 0.08 m up, 0.10 m and 0.06 m sideways at different phases, along s(t) = (1 - cos(2πt/T))³/8-shaped windows: at rest at
both ends.
"""

import numpy as np

from gough_papers.fried.motion import HEIGHT
from gough_papers.states import States

ANGLES = np.radians([15.0, 10.0, 5.0])
"""α, β, γ as printed."""
AMPLITUDES = np.array([0.08, 0.10, 0.06])
DURATION, SAMPLES = 3.0, 601


def rotation() -> np.ndarray:
    """Rx(α) Ry(β) Rz(γ)."""
    (ca, cb, cg), (sa, sb, sg) = np.cos(ANGLES), np.sin(ANGLES)
    x = np.array([[1, 0, 0], [0, ca, -sa], [0, sa, ca]])
    y = np.array([[cb, 0, sb], [0, 1, 0], [-sb, 0, cb]])
    z = np.array([[cg, -sg, 0], [sg, cg, 0], [0, 0, 1]])
    return x @ y @ z


def carry(duration: float = DURATION, samples: int = SAMPLES) -> States:
    """The motion; its first and last samples are at rest at the same place."""
    t = np.linspace(0.0, duration, samples)
    w = 2 * np.pi / duration
    window = _product(_powers(w * t), w)
    waves = [(np.ones_like(t), 0 * t, 0 * t), _wave(w, t, 0.0), _wave(w, t, 0.5 * np.pi)]
    s = np.stack([_times(window, wave) for wave in waves], axis=-1) * AMPLITUDES  # (3 derivatives, n, 3)
    still = np.zeros((samples, 3))
    pose = np.concatenate([s[0] + [HEIGHT, 0.0, 0.0], np.tile(_quaternion(rotation()), (samples, 1))], axis=1)
    return States(t, pose, np.concatenate([s[1], still], axis=1), np.concatenate([s[2], still], axis=1))


def _powers(angle: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """1 - cos and its derivatives by the angle."""
    return 1 - np.cos(angle), np.sin(angle), np.cos(angle)


def _product(c: tuple[np.ndarray, np.ndarray, np.ndarray], w: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(1 - cos)³/8 and its time derivatives."""
    a, b, d = c
    return a**3 / 8, w * 3 * a**2 * b / 8, w**2 * (6 * a * b**2 + 3 * a**2 * d) / 8


def _wave(w: float, t: np.ndarray, phase: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return np.cos(w * t + phase), -w * np.sin(w * t + phase), -(w**2) * np.cos(w * t + phase)


def _times(f: tuple[np.ndarray, ...], g: tuple[np.ndarray, ...]) -> np.ndarray:
    """A product and its first two derivatives."""
    return np.stack([f[0] * g[0], f[1] * g[0] + f[0] * g[1], f[2] * g[0] + 2 * f[1] * g[1] + f[0] * g[2]])


def _quaternion(R: np.ndarray) -> np.ndarray:
    w = 0.5 * np.sqrt(1 + np.trace(R))
    return np.array([w, *(np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / (4 * w))])
