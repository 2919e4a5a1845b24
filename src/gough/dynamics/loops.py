"""Motion of the closed robot: joint rates and accelerations of every leg from the platform's motion.

Computes  u and u̇ (all tree velocities and accelerations) from v and v̇, and what projections need again later.
Sources   [Briot 2014, eqs. 30–36]; [Long 2014, eqs. 2, 6, 22]; [Fried, eqs. 41, 53]; [Pedrammehr 2012, eqs. 13–25].
Derivation  per leg J q̇ = P v and J q̈ = P v̇ + bias, with J regular outside serial singularities (closures.py).
"""

from dataclasses import dataclass

import numpy as np

from gough.dynamics.closures import CutGeometry, PointMotion
from gough.dynamics.posture import Posture
from gough.dynamics.recursion import LinkMotion, move_leg
from gough.scalar import note, solve, zeros
from gough.spatial import cross

Vector = np.ndarray


@dataclass
class LegLoop:
    """One leg of the closed robot: its cut geometry, the Jacobian and (once solved) its rates."""

    leg: int
    cut: CutGeometry
    J: np.ndarray
    point: PointMotion | None = None

    @property
    def place(self) -> str:
        """Label of this leg's solves; a small pivot there means a serial singularity."""
        return f"folded:{self.cut.posture.mechanism.legs[self.leg].name}"

    def columns(self) -> list[int]:
        """Positions of the leg's joint rates in u."""
        links = self.cut.posture.mechanism.links
        return [links[i].u + k for i in self.cut.links for k in range(links[i].nu)]

    def transposed(self, rhs: np.ndarray) -> np.ndarray:
        """μ with Jᵀ μ = rhs (joints,) or (joints, m)."""
        return solve(self.J.T, rhs, self.place)


class Loops:
    """All legs at a posture."""

    def __init__(self, posture: Posture) -> None:
        self.posture = posture
        self.weightless = posture.without_gravity()
        self.legs: list[LegLoop] = []
        for k, leg in enumerate(posture.mechanism.legs):
            with note(f"{leg.name}: closure [Briot 2014, eqs. 30–36], [Long 2014, eq. 3]"):
                cut = CutGeometry(posture, posture.mechanism.cuts[leg.cut])
                self.legs.append(LegLoop(k, cut, cut.jacobian()))

    def rates(self, v: Vector) -> Vector:
        """u (nu,) for the platform twist v (6,), world axes."""
        u = zeros(self.posture.mechanism.layout.nu)
        u[:6] = v
        for loop in self.legs:
            with note(f"{self.posture.mechanism.legs[loop.leg].name}: rates [Long 2014, eq. 2], [Fried, eq. 41]"):
                point = loop.cut.platform_point(v, zeros(6))
                u[loop.columns()] = solve(loop.J, loop.cut.platform_rates(point), loop.place)
        return u

    def accelerations(self, v: Vector, u: Vector, acceleration: Vector) -> Vector:
        """u̇ (nu,) for rates u and the platform's classical acceleration (6,), world axes."""
        ud = zeros(len(u))
        ud[:6] = acceleration
        for loop in self.legs:
            name = self.posture.mechanism.legs[loop.leg].name
            with note(f"{name}: accelerations [Long 2014, eq. 6], [Fried, eq. 53]"):
                point = loop.cut.platform_point(v, acceleration)
                tip = self.tip_motion(loop, u, zeros(len(u)))
                ud[loop.columns()] = solve(loop.J, loop.cut.acceleration_rhs(point, tip), loop.place)
        return ud

    def tip_motion(self, loop: LegLoop, u: Vector, ud: Vector) -> PointMotion:
        """Motion of the leg's cut point, tip axes."""
        motion: LinkMotion = move_leg(self.weightless, loop.leg, u, ud)[loop.cut.cut.tip]
        c = loop.cut.L_p
        a = motion.a + cross(motion.wd, c) + cross(motion.w, cross(motion.w, c))
        velocity = zeros(3)
        if any(row.kind in ("along", "distance") for row in loop.cut.rows):
            for k, column in enumerate(loop.columns()):
                velocity = velocity + loop.cut.linear[k] * u[column]
        return PointMotion(velocity, a, motion.w, motion.wd)
