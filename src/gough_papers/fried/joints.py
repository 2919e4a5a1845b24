"""Active joints of [Fried] along a motion: lengths, rates, accelerations, forces, and the work of the drives."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gough_papers.comparison import Comparison, equals
from gough_papers.known import EXACT
from gough_papers.states import States

if TYPE_CHECKING:
    from gough.compilation import Model


@dataclass(frozen=True)
class Joints:
    """l, rate, acceleration (n, 6) in m, m/s, m/s²; force (n, 6), N. rate_off: largest distance of the rates from l' by
    geometry alone, m/s."""

    states: States
    q: np.ndarray
    l: np.ndarray
    rate: np.ndarray
    acceleration: np.ndarray
    force: np.ndarray
    rate_off: float

    @property
    def work(self) -> float:
        """Of all drives over the motion, over the work that went in and out. The motion is closed, starts and ends at rest,
        and all its derivatives are periodic: the trapezoidal rule is then exact to rounding."""
        power = np.einsum("nk,nk->n", self.force, self.rate)
        return float(np.trapezoid(power, self.states.t) / np.trapezoid(np.abs(power), self.states.t))

    def comparisons(self) -> list[Comparison]:
        """By what holds of any robot."""
        return [
            equals(
                "rates, library minus geometry",
                self.rate_off,
                0.0,
                "m/s",
                1e-12,
                "l' = n · velocity of B_i",
                form=".1e",
            ),
            equals(
                "work of the drives round the loop", self.work, 0.0, "of what goes in and out", 1e-10, EXACT, form=".1e"
            ),
        ]


def joints(model: "Model", s: States) -> Joints:
    """Along states of the platform."""
    from gough.spatial.poses import rotation_of_quaternion

    q = model.configuration(pose=s.pose)
    R = rotation_of_quaternion(s.pose[:, 3:])
    arm = np.einsum("nij,kj->nki", R, np.array([leg.on_platform.position for leg in model.robot.legs]))
    L = s.pose[:, None, :3] + arm - np.array([leg.base.position for leg in model.robot.legs])
    w, alpha = s.v[:, None, 3:], s.acceleration[:, None, 3:]
    Ld = s.v[:, None, :3] + np.cross(w, arm)
    Ldd = s.acceleration[:, None, :3] + np.cross(alpha, arm) + np.cross(w, np.cross(w, arm))
    l = np.linalg.norm(L, axis=-1)
    rate = np.einsum("nki,nki->nk", L, Ld) / l
    second = (np.einsum("nki,nki->nk", Ld, Ld) + np.einsum("nki,nki->nk", L, Ldd) - rate**2) / l  # from l l' = L · L'
    found = model.drive_rates(q, s.v)
    tau = model.inverse_dynamics(q, s.v, s.acceleration).tau
    return Joints(s, q, model.drives(q), found, second, tau, float(np.abs(found - rate).max()))
