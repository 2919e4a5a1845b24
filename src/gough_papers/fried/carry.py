"""The tool's way for [Fried, section 8], and the active joints along it.

The paper prints neither geometry nor trajectory. Its constant orientation is taken: α = 15°, β = 10°, γ = 5° with
R = Rx(α) Ry(β) Rz(γ). The way is assumed: the platform goes from home on a closed loop in space, x = up: waves
of 0.08 m up, 0.10 m and 0.06 m sideways at different phases, in a window (1 - cos(2πt/T))³/8 that leaves 0.03 m of the last one:
at rest at both ends.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from gough import Model, Run
from gough.motions import function
from gough.spatial.poses import rotation_of_quaternion
from gough_papers.along import posed_run
from gough_papers.comparison import BALANCE, KnownComparison, Tolerance, equals, exact, rounding

HEIGHT = 0.75
"""m: of home, assumed."""
ANGLES = np.radians([15.0, 10.0, 5.0])
"""α, β, γ as printed."""
AMPLITUDES = (0.08, 0.10, 0.06)
"""m: up and sideways."""
DURATION, SAMPLES = 3.0, 601


def carry(model: Model, duration: float = DURATION, samples: int = SAMPLES) -> Run:
    """The robot along the motion; its first and last samples are at rest at the same place."""
    w = 2 * np.pi / duration

    def pose(t: Any) -> list[Any]:
        window = (1 - np.cos(w * t)) ** 3 / 8
        waves = (1.0, np.cos(w * t), np.cos(w * t + 0.5 * np.pi))
        x, y, z = (a * window * wave for a, wave in zip(AMPLITUDES, waves, strict=True))
        return [HEIGHT + x, y, z, *ANGLES]

    t = np.linspace(0.0, duration, samples)
    at = function(pose, duration, orientation="bryant_xyz").at(t)
    return posed_run(model, t, at.position, at.velocity, at.acceleration)


@dataclass(frozen=True)
class ActiveJoints:
    """l, rate, acceleration (n, 6) in m, m/s, m/s². rate_off, acceleration_off: largest distance from l' and l'' by geometry
    alone, m/s and m/s²."""

    run: Run
    l: np.ndarray
    rate: np.ndarray
    acceleration: np.ndarray
    rate_off: float
    acceleration_off: float

    @property
    def work(self) -> float:
        """Of all drives over the motion, over the work that went in and out. The motion is closed, starts and ends at rest,
        and all its derivatives are periodic: the trapezoidal rule is then exact to rounding."""
        power = np.einsum("nk,nk->n", self.run.tau, self.rate)
        return float(np.trapezoid(power, self.run.time) / np.trapezoid(np.abs(power), self.run.time))

    def comparisons(self) -> list[KnownComparison]:
        """By what holds of any robot."""
        exactly = {
            "rates": (self.rate_off, "m/s", exact("l' = n · velocity of B_i")),
            "accelerations": (self.acceleration_off, "m/s²", exact("from l l' = L · L'")),
        }
        found = [
            equals(f"{name}, library minus geometry", off, 0.0, unit, rounding(1e-12), why, form=".1e")
            for name, (off, unit, why) in exactly.items()
        ]
        periodic = Tolerance(1e-10, "on a periodic motion the trapezoidal rule is exact to rounding")
        loop = "work of the drives round the loop"
        return [*found, equals(loop, self.work, 0.0, "of what goes in and out", periodic, BALANCE, form=".1e")]


def active_joints(run: Run) -> ActiveJoints:
    """Along a run: the library's lengths, rates and accelerations [Fried, eq. 53], beside those by geometry [Fried, eqs. 6–7]."""
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
    motion = model.function("joint_motion").values(q=run.q, v=run.v, vdot=run.acceleration, parameters=model.parameters)
    columns = [model.layout.u_names.index(name) for name in model.layout.drive_names]
    found, faster = model.drive_rates(run.q, run.v), motion["ud"][:, columns]
    off = [float(np.abs(a - b).max()) for a, b in ((found, rate), (faster, second))]
    return ActiveJoints(run, model.drives(run.q), found, faster, *off)
