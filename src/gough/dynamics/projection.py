"""Tree forces projected onto the platform: what is left of the equations of motion when the loops are closed.

Computes  the platform wrench F (6,) that a motion of the closed robot needs with all drives slack, and the drive map S.
Sources   principle of virtual power [Briot 2014, eqs. 44–49], [Long 2014, eqs. 36–43]; factorised form [Fried, eq. 97].
Derivation  u = Γ v with Γ = [1; J⁻¹P]: Γᵀ f = F_P + Σ_legs Pᵀ J⁻ᵀ f_leg; a drive force τ_k on joint k of a leg does the
            same work as the platform wrench Pᵀ J⁻ᵀ e_k τ_k, a column of S. The legs are independent until the sum.
"""

import numpy as np

from gough.dynamics.loads import cut_friction, spring_forces
from gough.dynamics.loops import LegLoop, Loops
from gough.dynamics.recursion import (
    LinkMotion,
    LinkWrench,
    axis_forces,
    gather_leg,
    leg_notes,
    link_wrench,
    move_leg,
    own_forces,
    platform_wrench,
)
from gough.dynamics.twists import point_velocity
from gough.scalar import note, zeros

Vector = np.ndarray


class TreeForces:
    """Forces of the tree for a motion of the closed robot.

    leg_forces[k]: generalised forces (joints,) of leg k; platform: force and moment about its origin, world axes.
    """

    def __init__(self, loops: Loops, v: Vector, u: Vector, ud: Vector) -> None:
        self.loops, self.u, self.ud = loops, u, ud
        posture = loops.posture
        mechanism = posture.mechanism
        self.motions: list[dict[int, LinkMotion]] = []
        self.wrenches: list[dict[int, LinkWrench]] = []
        self.extra = zeros(len(u))
        with note("platform: Newton–Euler [Long 2014, eq. 34], [Pedrammehr 2012, eqs. 45–50, corrected]"):
            self.force, self.moment = platform_wrench(posture, u[:6], ud[:6])
        for k in range(len(mechanism.legs)):
            with leg_notes(posture, k):
                motions = move_leg(posture, k, u, ud)
                wrenches = {i: link_wrench(posture, i, motions[i], u, self.extra) for i in mechanism.legs[k].links}
            cut = loops.legs[k].cut
            friction = cut_friction(cut, motions[cut.cut.tip].w, v[3:])
            if friction is not None:
                wrenches[cut.cut.tip].n = wrenches[cut.cut.tip].n + friction
                self.moment = self.moment - cut.to_world(friction)
            self.motions.append(motions)
            self.wrenches.append(wrenches)
        for link, wrench in spring_forces(posture, lambda i, x: point_velocity(posture, u, i, x)):
            if link == 0:
                self.force = self.force + posture.R_WP @ wrench.f
                self.moment = self.moment + posture.R_WP @ wrench.n
            else:
                target = self.wrenches[mechanism.links[link].leg][link]
                target.f, target.n = target.f + wrench.f, target.n + wrench.n
        self.leg_forces: list[Vector] = []
        for k in range(len(mechanism.legs)):
            with leg_notes(posture, k):
                gather_leg(posture, k, self.wrenches[k])
                forces = axis_forces(posture, k, self.wrenches[k]) + own_forces(posture, k, u, ud)
                self.leg_forces.append(forces + self.extra[loops.legs[k].columns()])

    def projected(self) -> Vector:
        """Γᵀ f (6,): platform wrench for this motion with slack drives, world axes."""
        force, moment = self.force, self.moment
        for loop, forces in zip(self.loops.legs, self.leg_forces, strict=True):
            with note(f"{self.loops.posture.mechanism.legs[loop.leg].name}: projection [Fried, eq. 94]"):
                f, m = loop.cut.wrench_on_platform(loop.transposed(forces))
                force, moment = force + f, moment + m
        return np.concatenate([force, moment])


def drive_columns(loops: Loops) -> np.ndarray:
    """S (6, drives): platform wrench per unit drive force, world axes [Long 2014, eq. 21], [Fried, eq. 96]."""
    mechanism = loops.posture.mechanism
    S = zeros(6, len(mechanism.drives))
    for loop in loops.legs:
        columns = loop.columns()
        with note(f"{mechanism.legs[loop.leg].name}: drive map [Long 2014, eq. 33], [Fried, eq. 96]"):
            for k, drive in enumerate(mechanism.drives):
                link = mechanism.links[drive.link]
                if link.leg == loop.leg:
                    S[:, k] = _column(loop, columns.index(link.u))
    return S


def _column(loop: LegLoop, joint: int) -> Vector:
    e = zeros(len(loop.columns()))
    e[joint] = 1.0
    f, m = loop.cut.wrench_on_platform(loop.transposed(e))
    return np.concatenate([f, m])
