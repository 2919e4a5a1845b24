"""Tree forces of a motion, and what they and the drives are for the independent velocities.

Computes  generalised forces f (nu,) that a motion of the closed robot needs with all drives slack, Γᵀ f, and the drive map S.
Sources   principle of virtual power [Briot 2014], [Long 2014]; a sum over legs [Fried, section 7.5].
Derivation  u = Γ v (loops.py). For a robot of legs Γ = [1; J⁻¹P]: Γᵀ f = F_P + Σ_legs Pᵀ J⁻ᵀ f_leg; a drive force τ_k on
            joint k does the same work as the generalised force Γᵀ e_k τ_k, a column of S.
"""

from collections.abc import Sequence

import numpy as np

from gough.dynamics.closures import CutGeometry
from gough.dynamics.loads import slide_friction, spring_forces, turn_friction
from gough.dynamics.loops import Loops
from gough.dynamics.recursion import (
    LinkMotion,
    LinkWrench,
    gather_tree,
    joint_forces,
    link_notes,
    link_wrench,
    move_tree,
    platform_wrench,
    wrench_at_parent,
)
from gough.dynamics.twists import point_velocity
from gough.scalar import note, zeros
from gough.spatial import cross
from gough.structure import WORLD

Vector = np.ndarray


class TreeForces:
    """Forces of the tree for a motion of the closed robot.

    wrenches: of every link but the platform, gathered inwards; force, moment: the platform's, world axes at its origin;
    generalised: f (nu,), the platform's wrench first, M_tot q̈_tot + c_tot [Briot 2014, eqs. 23–24, 26–27, corrected].
    """

    def __init__(self, loops: Loops, u: Vector, ud: Vector, loads: Sequence[tuple[int, LinkWrench]] = ()) -> None:
        """loads: (link, external wrench on it, own axes about its origin)."""
        self.loops, self.u, self.ud = loops, u, ud
        posture = loops.posture
        self.posture = posture
        mechanism = posture.mechanism
        self.extra = zeros(len(u))
        if mechanism.has_platform:
            with note(
                "platform: wrench [Long 2014, eq. 34, corrected], [Pedrammehr 2012, eqs. 45–47, 49–50, corrected]"
            ):
                self.force, self.moment = platform_wrench(posture, u, ud, self.extra)
        self.motions: dict[int, LinkMotion] = move_tree(posture, u, ud)
        self.wrenches: dict[int, LinkWrench] = {}
        for i, link in enumerate(mechanism.links):
            if not link.is_platform:
                with link_notes(posture, i):
                    self.wrenches[i] = link_wrench(posture, i, self.motions[i], u, ud, self.extra)
        for cut in loops.cuts:
            self._cut_friction(cut)
        for link, wrench in spring_forces(posture, lambda i, x: point_velocity(posture, u, i, x)):
            self._add(link, wrench)
        for link, wrench in loads:
            self._add(link, LinkWrench(-wrench.f, -wrench.n))
        gather_tree(posture, self.wrenches, self.extra)
        self._to_platform()
        self.generalised = joint_forces(posture, self.wrenches, u, ud) + self.extra
        if mechanism.has_platform:
            self.generalised[:6] = np.concatenate([self.force, self.moment])

    def turn_friction(self, cut: CutGeometry) -> Vector | None:
        """Moment on the first link against the friction of a cut, tip axes."""
        second = cut.cut.second
        if self._is_platform(second):
            spin = cut.from_world(self.u[3:6])
        else:
            spin = cut.from_second(self.motions[second].w)
        first = cut.cut.first
        own = cut.from_world(self.u[3:6]) if self._is_platform(first) else self.motions[first].w
        return turn_friction(cut, own, spin, self.u)

    def slide_friction(self, cut: CutGeometry) -> Vector | None:
        """Force on the second link at its cut point against the friction of a cut that slides, tip axes."""
        total: Vector | None = None
        for row, _, force in slide_friction(cut, self.u):
            assert row.c_v is not None
            total = row.c_v * force if total is None else total + row.c_v * force
        return total

    def _cut_friction(self, cut: CutGeometry) -> None:
        """Add the friction of a cut to its links and the platform, C_s (ω_l - ω) [Pedrammehr 2012, eqs. 31, 49]."""
        friction = self.turn_friction(cut)
        if friction is not None:
            self._add(cut.cut.first, LinkWrench(zeros(3), friction))
            if self._is_platform(cut.cut.second):
                self.moment = self.moment - cut.to_world(friction)
            elif cut.cut.second != WORLD:
                self._add(cut.cut.second, LinkWrench(zeros(3), -cut.to_second(friction)))
        for row, _, force in slide_friction(cut, self.u):
            assert row.c_v is not None
            f = row.c_v * force
            n = -cross(cut.L_p, f)
            self._add(cut.cut.first, LinkWrench(-f, n if row.c_L is None else n + row.c_L * force))
            if self._is_platform(cut.cut.second):
                f = cut.to_world(f)
                self.force, self.moment = self.force + f, self.moment + cross(cut.r_world, f)
            elif cut.cut.second != WORLD:
                f = cut.to_second(f)
                self._add(cut.cut.second, LinkWrench(f, cross(cut.b_P, f)))

    def _is_platform(self, link: int) -> bool:
        return link == 0 and self.posture.mechanism.has_platform

    def _add(self, link: int, wrench: LinkWrench) -> None:
        """A wrench on a link, own axes about its origin."""
        if self._is_platform(link):
            self.force = self.force + self.posture.R_WP @ wrench.f
            self.moment = self.moment + self.posture.R_WP @ wrench.n
        elif link != WORLD:
            target = self.wrenches[link]
            target.f, target.n = target.f + wrench.f, target.n + wrench.n

    def _to_platform(self) -> None:
        """Wrenches of the links that the platform carries."""
        if not self.posture.mechanism.has_platform:
            return
        for i, link in enumerate(self.posture.mechanism.links):
            if link.parent == 0:
                self._add(0, wrench_at_parent(self.posture.steps[i], self.wrenches[i]))


def drive_columns(loops: Loops) -> np.ndarray:
    """S (nv, drives): generalised force on v per unit drive force [Long 2014, eqs. 21, 33, corrected], [Fried, eqs. 86, 96].

    Its transpose takes v to the drives' rates [Long 2014, eqs. 5, 19–20, corrected], [Fried, eqs. 8–9], [Lopes, eqs. 6–7],
    [Pedrammehr 2012, eq. 8].
    """
    mechanism = loops.mechanism
    S = zeros(mechanism.layout.nv, len(mechanism.drives))
    for k, drive in enumerate(mechanism.drives):
        with note(f"{drive.name}: drive map [Long 2014, eq. 33, corrected], [Fried, eq. 96]"):
            e = zeros(mechanism.layout.nu)
            e[mechanism.links[drive.link].u] = 1.0
            S[:, k] = loops.project(e)
    return S
