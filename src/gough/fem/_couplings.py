"""What a body's mass does together with its rigid motion, from a mass matrix instead of mass points.

A mass matrix M of freedoms x knows every product ∫ u·w dm of two fields that freedoms can make. So with the freedoms of unit
translations t_a, unit turns ρ_c and stretches s_ab (displacement ½ (e_a x_b + e_b x_a)) it gives

    mass, ∫ x dm, inertia      t'M t, t'M ρ, ρ'M ρ      exactly, also of a superelement: static condensation keeps rigid motion
    ∫ Φ_a dm                   t_a'M                    exactly
    ∫ (x × Φ)_c dm             ρ_c'M                    exactly
    ∫ (Φ_a x_b + Φ_b x_a) dm   2 s_ab'M                 exactly where the freedoms can follow a linear field: solids, and straight
                               beams and flat plates but for the inertia of their sections; of a superelement the field of least
                               energy with these displacements at its nodes.

Turns of nodes have no value in a stretch by themselves, and coordinates of no node (a superelement's modes) in none of these
fields: they take those of least energy xᵀK x. A direction that freedoms do not have (a plate without membrane, a beam in its
plane) leaves its part to the mass points. A direction that only some nodes have may be condensed at the others: it is where K
lets the body go that way.
"""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csc_array, csr_array, diags_array
from scipy.sparse.linalg import splu

from gough.errors import ModalDataWarning, warn
from gough.fem._geometry import hat
from gough.fem.elastic_body import ShapeIntegrals, cross_products, without_noise

HELD_LOOSELY = 1e-9
"""Stiffness added to turns, relative to their own, so that those that cost nothing (a straight beam's twist) stay zero."""
NOWHERE = 1e-9
"""Displacement, relative to the body's size, that a direction which is not there need not follow."""
LOOSE = 1e-6
"""Energy of a rigid motion, relative to the terms that cancel in it, that is no more than rounding."""
CLOSE = 0.01
CYCLIC = ((0, 1, 2), (1, 2, 0), (2, 0, 1))


@dataclass(frozen=True)
class Couplings:
    """mass; MS (3,); J (3, 3); first (3, d): ∫ Φ_a dm of each freedom; moments (3, 3, d): ∫ Φ_a x_b dm."""

    mass: float
    MS: np.ndarray
    J: np.ndarray
    first: np.ndarray
    moments: np.ndarray

    def in_axes(self, R: np.ndarray, origin: np.ndarray) -> "Couplings":
        """In axes turned by R (3, 3), their own origin at `origin` (3,)."""
        first, arm = np.einsum("ac,cd->ad", R, self.first), R @ self.MS
        moments = np.einsum("ac,be,ced->abd", R, R, self.moments) + np.einsum("ad,b->abd", first, origin)
        spread = R @ (0.5 * np.trace(self.J) * np.eye(3) - self.J) @ R.T  # ∫ x xᵀ dm
        spread = spread + np.outer(arm, origin) + np.outer(origin, arm) + self.mass * np.outer(origin, origin)
        return Couplings(self.mass, arm + self.mass * origin, cross_products(spread), first, moments)

    def in_freedoms(self, T: csr_array) -> "Couplings":
        """Of freedoms y with x = T y."""
        moments = (T.T @ self.moments.reshape(9, -1).T).T.reshape(3, 3, -1)
        return Couplings(self.mass, self.MS, self.J, (T.T @ self.first.T).T, moments)

    def shape_integrals(self, points: ShapeIntegrals, V: np.ndarray, M: np.ndarray) -> ShapeIntegrals:
        """The integrals of shapes V (d, m) with modal mass M (m, m): what mass points do not know better comes from here."""
        size = np.sqrt(np.maximum(np.diag(M), 0.0))
        reach = np.sqrt(max(0.5 * float(np.trace(self.J)), 0.0))
        MSde = without_noise(self.first @ V, np.sqrt(self.mass) * size)
        moments = without_noise(self.moments @ V, reach * size)
        return ShapeIntegrals(self.mass, self.MS, self.J, MSde, cross_products(moments.transpose(2, 0, 1)), points.N2)


def couplings_of(
    K: csr_array,
    M: csr_array,
    T: csr_array,
    R: csr_array | None,
    nodes: np.ndarray,
    points: tuple[np.ndarray, np.ndarray, csr_array],
) -> Couplings:
    """From stiffness and mass (d, d) whose node displacements and turns are T x and R x; points: mass, position, field."""
    n, centre = len(nodes), nodes.mean(axis=0)
    x = nodes - centre
    mass, position, field = points[0], points[1] - centre, points[2]
    present = (np.diff(T.indptr) > 0).reshape(n, 3)
    near = NOWHERE * np.abs(x).max(initial=0.0)
    unit = np.tile(np.eye(3), (n, 1, 1))
    turn = -hat(x)  # (n, 3, c): displacement of a node for a unit turn about c
    stretch = 0.5 * (np.einsum("ai,nj->naij", np.eye(3), x) + np.einsum("aj,ni->naij", np.eye(3), x))

    no_displacement = np.diff(csc_array(T).indptr) == 0
    no_node = no_displacement if R is None else no_displacement & (np.diff(csc_array(R).indptr) == 0)
    moved, turned = T.T @ unit.reshape(-1, 3), T.T @ turn.reshape(-1, 3)
    if R is not None:
        turned = turned + R.T @ unit.reshape(-1, 3)
    t, rho = (_of_least_energy(K, no_node, x) for x in (moved, turned))
    s = _of_least_energy(K, no_displacement, T.T @ stretch.reshape(-1, 9))
    translates, turns = (
        _can_follow(f, near, present) | _is_loose(K, v, f, near, present) for f, v in ((unit, t), (turn, rho))
    )
    stretches = _can_follow(stretch.reshape(n, 3, 9), near, present).reshape(3, 3)
    stretches |= np.logical_and.outer(translates, translates)

    of_points = couplings_of_points(mass, position, field)  # where M has no say
    first, moments = of_points.first, of_points.moments
    first[translates] = (M @ t).T[translates]
    even, odd = 0.5 * (moments + moments.transpose(1, 0, 2)), 0.5 * (moments - moments.transpose(1, 0, 2))
    by_stretch = (M @ s).T.reshape(3, 3, -1)
    even = np.where(stretches[:, :, None], by_stretch, even)
    by_turn = (M @ rho).T
    for a, b, c in CYCLIC:
        if turns[c]:  # ∫ x_a Φ_b - x_b Φ_a
            odd[b, a], odd[a, b] = 0.5 * by_turn[c], -0.5 * by_turn[c]

    tt, tr, rr = t.T @ (M @ t), t.T @ (M @ rho), rho.T @ (M @ rho)
    total = float(np.diag(tt)[translates].mean()) if translates.any() else float(mass.sum())
    MS = of_points.MS
    for a, b, c in CYCLIC:  # t_a'M ρ_b = ∫ e_a · (e_b × x) dm, and the other way round
        known = [sign * tr[i, j] for i, j, sign in ((a, b, 1.0), (b, a, -1.0)) if translates[i] and turns[j]]
        if known:
            MS[c] = np.mean(known)
    along = np.array([s[:, 4 * a] @ (M @ s[:, 4 * a]) for a in range(3)])  # ∫ x_a² dm
    J = _inertia(rr, turns, along, stretches.diagonal(), of_points.J)
    _warn_of_mass(total, np.diag(tt)[translates], J)
    return Couplings(total, MS, J, first, even + odd).in_axes(np.eye(3), centre)


def _can_follow(fields: np.ndarray, near: float, present: np.ndarray) -> np.ndarray:
    """Which displacements of nodes (n, 3, f) need no direction that is not there: present (n, 3)."""
    return ~np.any((np.abs(fields) > near) & ~present[:, :, None], axis=(0, 1))


def _is_loose(K: csr_array, x: np.ndarray, fields: np.ndarray, near: float, present: np.ndarray) -> np.ndarray:
    """Which rigid motions x (d, f) cost nothing and need no direction (n, 3, f) that no node has: freedoms were condensed."""
    some = np.broadcast_to(present.any(axis=0), present.shape)
    energy, terms = np.sum(x * (K @ x), axis=0), np.sum(np.abs(x) * (abs(K) @ np.abs(x)), axis=0)
    return _can_follow(fields, near, some) & (np.abs(energy) <= LOOSE * terms)


def couplings_of_points(mass: np.ndarray, position: np.ndarray, field: csr_array) -> Couplings:
    """The couplings that mass points have: mass (g,), position (g, 3), field (3 g, d)."""
    weight = np.repeat(mass, 3)
    first = (field.T @ (weight[:, None] * np.tile(np.eye(3), (len(mass), 1)))).T
    at = np.einsum("ai,gj->gaij", np.eye(3), position).reshape(-1, 9)
    moments = (field.T @ (weight[:, None] * at)).T.reshape(3, 3, -1)
    J = cross_products(position.T @ (mass[:, None] * position))
    return Couplings(float(mass.sum()), position.T @ mass, J, first, moments)


def _of_least_energy(K: csr_array, free: np.ndarray, fields: np.ndarray) -> np.ndarray:
    """Fields (d, f) with the freedoms marked in free (d,) where K costs least."""
    loose = np.flatnonzero(free)
    if not len(loose):
        return fields
    stiff = csr_array(K[loose][:, loose])
    own = stiff.diagonal()
    hold = HELD_LOOSELY * np.where(own > 0.0, own, max(float(own.max(initial=0.0)), 1.0))
    out = fields.copy()
    out[loose] = -splu(csc_array(stiff + diags_array(hold))).solve(K[loose] @ fields)
    return out


def _inertia(
    rr: np.ndarray, turns: np.ndarray, along: np.ndarray, stretches: np.ndarray, points: np.ndarray
) -> np.ndarray:
    """J (3, 3): rr where freedoms follow both turns; else moments from stretches, then from other turns, then from points."""
    spread = np.where(stretches, along, np.diag(0.5 * np.trace(points) * np.eye(3) - points))
    J = np.where(np.logical_and.outer(turns, turns), 0.5 * (rr + rr.T), points)
    for a, b, c in CYCLIC:
        if turns[c]:
            continue
        if turns[a] and turns[b] and not (stretches[a] and stretches[b]):
            J[c, c] = rr[a, a] + rr[b, b] - 2.0 * spread[c]
        else:
            J[c, c] = spread[a] + spread[b]
    return J


def _warn_of_mass(mass: float, along: np.ndarray, J: np.ndarray) -> None:
    """Warn of a matrix that no body's mass has: other masses along other axes, or an inertia that none has."""
    if along.size and (mass <= 0.0 or np.ptp(along) > CLOSE * mass):
        warn(
            f"the mass matrix gives masses of {', '.join(f'{m:.6g}' for m in along)} kg along its axes, a body has one: see that "
            "nodes, freedoms and units are those of the matrix",
            ModalDataWarning,
        )
    moments = np.linalg.eigvalsh(J)
    if moments[0] < -CLOSE * moments[2] or moments[2] > (1.0 + CLOSE) * (moments[0] + moments[1]):
        warn(
            f"the mass matrix gives principal moments of inertia {', '.join(f'{m:.6g}' for m in moments)} kg m2, which no body "
            "has: see that nodes, freedoms and units are those of the matrix",
            ModalDataWarning,
        )
