"""The tool's way for [Fried, section 8], and the active joints along it.

The paper prints neither geometry nor trajectory. Its constant orientation is taken: α = 15°, β = 10°, γ = 5° with
R = Rx(α) Ry(β) Rz(γ) [Fried, eq. 46]. The way is assumed: the platform goes from home on a closed loop in space, x = up: 0.08 m
up, 0.10 m and 0.06 m sideways at different phases, in a window (1 - cos(2πt/T))³/8: at rest at both ends.
"""

from dataclasses import dataclass

import numpy as np

from gough import Model, Run
from gough.spatial import bryant_xyz, quaternion_wxyz_from_rotation
from gough.spatial.poses import rotation_of_quaternion
from gough_papers.along import posed_run
from gough_papers.comparison import EXACT, KnownComparison, equals

HEIGHT = 0.75
"""m: of home, assumed."""
ANGLES = np.radians([15.0, 10.0, 5.0])
"""α, β, γ as printed."""
AMPLITUDES = np.array([0.08, 0.10, 0.06])
DURATION, SAMPLES = 3.0, 601


def carry(model: Model, duration: float = DURATION, samples: int = SAMPLES) -> Run:
    """The robot along the motion; its first and last samples are at rest at the same place."""

    t = np.linspace(0.0, duration, samples)
    w = 2 * np.pi / duration
    a, b, c = 1 - np.cos(w * t), np.sin(w * t), np.cos(w * t)
    window = (a**3 / 8, w * 3 * a**2 * b / 8, w**2 * (6 * a * b**2 + 3 * a**2 * c) / 8)
    waves = [(np.ones_like(t), 0 * t, 0 * t), _wave(w, t, 0.0), _wave(w, t, 0.5 * np.pi)]
    s = np.stack([_product(window, wave) for wave in waves], axis=-1) * AMPLITUDES  # (3 derivatives, n, 3)
    still = np.zeros((samples, 3))
    turned = quaternion_wxyz_from_rotation(np.asarray(bryant_xyz(list(ANGLES)), dtype=float))
    pose = np.concatenate([s[0] + [HEIGHT, 0.0, 0.0], np.tile(turned, (samples, 1))], axis=1)
    return posed_run(model, t, pose, np.concatenate([s[1], still], axis=1), np.concatenate([s[2], still], axis=1))


def _wave(w: float, t: np.ndarray, phase: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return np.cos(w * t + phase), -w * np.sin(w * t + phase), -(w**2) * np.cos(w * t + phase)


def _product(f: tuple[np.ndarray, ...], g: tuple[np.ndarray, ...]) -> np.ndarray:
    """A product and its first two derivatives."""
    return np.stack([f[0] * g[0], f[1] * g[0] + f[0] * g[1], f[2] * g[0] + 2 * f[1] * g[1] + f[0] * g[2]])


@dataclass(frozen=True)
class ActiveJoints:
    """l, rate, acceleration (n, 6) in m, m/s, m/s². rate_off: largest distance of the rates from l' by geometry alone, m/s."""

    run: Run
    l: np.ndarray
    rate: np.ndarray
    acceleration: np.ndarray
    rate_off: float

    @property
    def work(self) -> float:
        """Of all drives over the motion, over the work that went in and out. The motion is closed, starts and ends at rest,
        and all its derivatives are periodic: the trapezoidal rule is then exact to rounding."""
        power = np.einsum("nk,nk->n", self.run.tau, self.rate)
        return float(np.trapezoid(power, self.run.time) / np.trapezoid(np.abs(power), self.run.time))

    def comparisons(self) -> list[KnownComparison]:
        """By what holds of any robot."""
        geometry, loop = "l' = n · velocity of B_i", "work of the drives round the loop"
        return [
            equals("rates, library minus geometry", self.rate_off, 0.0, "m/s", 1e-12, geometry, form=".1e"),
            equals(loop, self.work, 0.0, "of what goes in and out", 1e-10, EXACT, form=".1e"),
        ]


def active_joints(run: Run) -> ActiveJoints:
    """Along a run."""

    model, v, acceleration = run.model, run.v[:, None], run.acceleration[:, None]
    R = rotation_of_quaternion(run.q[:, 3:7])
    arm = np.einsum("nij,kj->nki", R, np.array([leg.on_platform.position for leg in model.robot.legs]))
    L = run.q[:, None, :3] + arm - np.array([leg.base.position for leg in model.robot.legs])
    w, alpha = v[..., 3:], acceleration[..., 3:]
    Ld = v[..., :3] + np.cross(w, arm)
    Ldd = acceleration[..., :3] + np.cross(alpha, arm) + np.cross(w, np.cross(w, arm))
    l = np.linalg.norm(L, axis=-1)
    rate = np.einsum("nki,nki->nk", L, Ld) / l
    second = (np.einsum("nki,nki->nk", Ld, Ld) + np.einsum("nki,nki->nk", L, Ldd) - rate**2) / l  # from l l' = L · L'
    found = model.drive_rates(run.q, run.v)
    return ActiveJoints(run, model.drives(run.q), found, second, float(np.abs(found - rate).max()))
