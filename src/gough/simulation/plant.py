"""The equations a time loop integrates, in traced scalars: rates of q and v, or the residual that implicit methods solve.

Free drives      M v̇ + h = S τ, τ by the law; unknown z = v̇.
Prescribed ones  v = (drive rates, elastic rates) and the motion gives the first: z = ë, τ is what is left of the equations.
The works of the drives, of losses run along as three more rates, so that every run has its energy balance.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.dynamics.energies import energies
from gough.dynamics.forward import forward_dynamics
from gough.dynamics.inverse import needed_force, no_wrench
from gough.dynamics.loops import Loops
from gough.dynamics.mass_matrix import mass_matrix
from gough.dynamics.numbers import Numbers
from gough.dynamics.posture import Posture
from gough.dynamics.projection import drive_columns
from gough.dynamics.rates import rate_of_q
from gough.dynamics.regrouping import regrouped
from gough.dynamics.validity import check_state
from gough.errors import UsageError
from gough.scalar import dot, solve_spd, zeros
from gough.simulation.instant import Instant, Rows
from gough.simulation.law import Law

if TYPE_CHECKING:
    from gough.compilation import Model

Vector = np.ndarray
WORKS = ("drives", "losses")


@dataclass(frozen=True, eq=False)
class Plant:
    """One robot under one law. rows: of the motion's table."""

    model: "Model"
    law: Law
    rows: Rows

    def __post_init__(self) -> None:
        if self.law.prescribed and not self.led_by_drives:
            raise UsageError(
                f"{self.model.robot.name}: drives are prescribed, but its velocities are not those of its drives; name the "
                "drives as independent, or use a controller"
            )

    @cached_property
    def led_by_drives(self) -> bool:
        """Whether the rigid part of v is the drives' rates, in any order, and elastic rates do not move them."""
        mechanism = self.model.mechanism
        drives = {mechanism.links[d.link].u for d in mechanism.drives}
        return drives == set(mechanism.selection.independent[: mechanism.layout.mobility])

    @cached_property
    def drive_of(self) -> list[int]:
        """Drive of every rigid entry of v, where drives lead."""
        mechanism = self.model.mechanism
        columns = [mechanism.links[d.link].u for d in mechanism.drives]
        return [columns.index(u) for u in mechanism.selection.independent[: mechanism.layout.mobility]]

    @property
    def unknowns(self) -> int:
        """Number of unknowns z."""
        layout = self.model.layout
        return layout.v_elastic if self.law.prescribed else layout.nv

    @property
    def unknown_of_v(self) -> list[int]:
        """Entries of v whose accelerations are unknown."""
        layout = self.model.layout
        return list(range(layout.mobility if self.law.prescribed else 0, layout.nv))

    @cached_property
    def plain(self) -> list[tuple[int, int]]:
        """(entry of q, entry of v that is its rate) for all entries of v that are rates of coordinates as they stand."""
        mechanism = self.model.mechanism
        of_column: dict[int, int] = {}
        for link in mechanism.links:
            if link.motion == "platform":
                of_column |= {k: k for k in range(3)}
            elif link.nu == 1:
                of_column[link.u] = link.q
            if link.elastic is not None:
                places = range(mechanism.layout.nq)[link.elastic.coordinates]
                of_column |= dict(zip(link.elastic.columns, places, strict=True))
        own = mechanism.selection.independent
        return [(of_column[u], i) for i, u in enumerate(own) if u in of_column]

    def led(self, q: Vector, v: Vector, now: Instant) -> tuple[Vector, Vector]:
        """q and v with the drives where a prescribed motion has them."""
        if not self.law.prescribed:
            return q, v
        q, v = q.copy(), v.copy()
        for k, place in enumerate(self.model.drive_index):
            q[place] = now.position[k]
        for i, k in enumerate(self.drive_of):
            v[i] = now.velocity[k]
        return q, v

    def rates(self, parameters: Vector, q: Vector, v: Vector, now: Instant) -> dict[str, Vector]:
        """qdot (nq,), vdot (nv,), tau (drives,), power (2,): of drives and of losses."""
        numbers = Numbers(self.model.mechanism, parameters)
        q, v = self.led(q, v, now)
        layout = self.model.layout
        loops = Loops(Posture(regrouped(numbers), q))
        check_state(loops)
        if not self.law.prescribed:
            tau = self.law.forces(self.model, numbers, q, v, now)
            vdot = forward_dynamics(regrouped(numbers), q, v, tau, no_wrench(loops))["vdot"]
        else:
            n = layout.mobility
            given = self._given(now)
            if layout.v_elastic:
                first = needed_force(loops, v, np.concatenate([given, zeros(layout.v_elastic)]), no_wrench(loops))
                M = mass_matrix(loops)
                bent = solve_spd(M[n:, n:], -first[n:], "singular:elastic mass matrix")
                tau = self._ordered(first[:n] + M[:n, n:] @ bent)
            else:
                bent = zeros(0)
                tau = self._ordered(needed_force(loops, v, given, no_wrench(loops)))
            vdot = np.concatenate([given, bent])
        return {"qdot": self._qdot(loops, v), "vdot": vdot, "tau": tau, "power": self._power(numbers, loops, q, v, tau)}

    def residual(self, parameters: Vector, q: Vector, v: Vector, z: Vector, now: Instant) -> dict[str, Vector]:
        """R (unknowns,) that vanishes for the right z, and what follows from z: qdot, tau, power, vdot."""
        numbers = Numbers(self.model.mechanism, parameters)
        q, v = self.led(q, v, now)
        n = self.model.layout.mobility
        loops = Loops(Posture(regrouped(numbers), q))
        check_state(loops)
        if self.law.prescribed:
            vdot = np.concatenate([self._given(now), z])
            all_forces = needed_force(loops, v, vdot, no_wrench(loops))
            R, tau = all_forces[n:], self._ordered(all_forces[:n])
        else:
            vdot = z
            tau = self.law.forces(self.model, numbers, q, v, now)
            push = drive_columns(loops) @ tau if len(tau) else zeros(len(v))
            R = needed_force(loops, v, vdot, no_wrench(loops)) - push
        power = self._power(numbers, loops, q, v, tau)
        return {"R": R, "qdot": self._qdot(loops, v), "vdot": vdot, "tau": tau, "power": power}

    def _given(self, now: Instant) -> Vector:
        return np.array([now.acceleration[k] for k in self.drive_of], dtype=object)

    def _ordered(self, forces: Vector) -> Vector:
        """Forces on the rigid entries of v as drive forces."""
        out = zeros(len(forces))
        for i, k in enumerate(self.drive_of):
            out[k] = forces[i]
        return out

    @staticmethod
    def _qdot(loops: Loops, v: Vector) -> Vector:
        return rate_of_q(loops.posture, loops.rates(v))

    def _power(self, numbers: Numbers, loops: Loops, q: Vector, v: Vector, tau: Vector) -> Vector:
        u = loops.rates(v)
        rates = [u[self.model.mechanism.links[d.link].u] for d in self.model.mechanism.drives]
        losses: Any = energies(numbers, q, v)["losses"]
        return np.array([dot(tau, rates) if len(rates) else 0.0, losses], dtype=object)
