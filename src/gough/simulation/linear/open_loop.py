"""The loop opened at the drives, as matrices: forces u into the robot, forces w = -y out of the law; closed u = w.

Continuous  z = (x, i):  ẋ = A x + B u,  i̇ = R x + R_i i,  y = -(F x + F_i i)                                        (1)
On a clock  z = (x, f, m) just after forces arrived; from instant to instant x and f flow under the held u, exactly by the matrix
            exponential, and m⁺ = J_x x + J_f f + J_m m; y = -(what is held in m): one period later z' = Φ z + Γ u        (2)
Without what moves nothing that is held, and stays as it is: see `_without_spins`, `_without_internal_forces`.
"""

from dataclasses import dataclass, replace
from math import floor
from typing import Any

import numpy as np

from gough.simulation.linear.law_slopes import STILL, LawSlopes
from gough.simulation.sampling.line import SAME

Array = np.ndarray
UNFELT = 1e-9
"""Derivative over the largest that is none."""
ROUNDING = 1e-7
"""The same by an idle angle, over others of the same row."""


@dataclass(frozen=True, eq=False)
class OpenLoops:
    """Of many poses: A (n, k, k), B (n, k, drives), C (n, drives, k) of L = C (z - A)⁻¹ B; period (s), None: continuous.
    kept: states of the robot that are in there, the first ones of z. clock: what they follow from on a clock."""

    A: Array
    B: Array
    C: Array
    period: float | None
    kept: tuple[int, ...]
    clock: "ClockedLoops | None" = None

    @property
    def closed(self) -> Array:
        """A of the closed loops (n, k, k)."""
        return self.A - self.B @ self.C

    def part(self, rows: Array) -> "OpenLoops":
        """Those of some poses."""
        clock = None if self.clock is None else self.clock.part(rows)
        return OpenLoops(self.A[rows], self.B[rows], self.C[rows], self.period, self.kept, clock)


def open_loops(slopes: LawSlopes, A: Array, B: Array, q: Array) -> OpenLoops:
    """The loops of a law and of a robot about rest at q (n, nq): ẋ = A x + B u, A (n, 2nv, 2nv), B (n, 2nv, drives)."""
    found = slopes.at(q, slopes.first(q), 0.0)
    clocked = slopes.plant.inner.clocked
    seen = [found["after_x"]] if clocked else [found["tau_x"], found["rates_x"]]
    kept = _felt_states(slopes, A, np.concatenate(seen, axis=1))
    A, B = A[:, kept][:, :, kept], B[:, kept]
    if clocked:
        clock = ClockedLoops.of(slopes, A, B, q, kept)
        return replace(clock.late(0.0), clock=clock)
    found |= {name: found[name][:, :, kept] for name in ("tau_x", "rates_x")}
    F, Fi, R, Ri = (found[name] for name in ("tau_x", "tau_i", "rates_x", "rates_i"))
    whole = np.concatenate(
        [
            np.concatenate([A, np.zeros((*A.shape[:2], Ri.shape[2]))], axis=2),
            np.concatenate([R, Ri], axis=2),
        ],
        axis=1,
    )
    pushed = np.concatenate([B, np.zeros((len(B), Ri.shape[1], B.shape[2]))], axis=1)
    return _reduced(slopes, OpenLoops(whole, pushed, -np.concatenate([F, Fi], axis=2), None, tuple(kept)))


def _reduced(slopes: LawSlopes, loops: OpenLoops) -> OpenLoops:
    """Without what moves nothing that is held, and stays as it is."""
    layout = slopes.model.layout
    idle = [place for place, k in enumerate(loops.kept) if layout.mobility <= k % layout.nv < layout.rigid]
    if idle:
        loops = _without_spins(_without_rounding(loops, [k for k in idle if loops.kept[k] < layout.nv]), idle)
    return _without_internal_forces(loops) if len(layout.drive_names) > layout.mobility else loops


def _felt_states(slopes: LawSlopes, A: Array, seen: Array) -> list[int]:
    """States x without those of idle freedoms that neither the others nor the law feel: bodies that spin by themselves. seen
    (n, …, 2nv): derivatives of the law."""
    layout = slopes.model.layout
    nv, idle = layout.nv, range(layout.mobility, layout.rigid)
    alone = {x for k in idle for x in (k, layout.nv + k)}
    both = np.abs(seen).reshape(*seen.shape[:2], 2, nv)  # by motions, and by rates
    told = (both > UNFELT * both.max(axis=3, keepdims=True, initial=0.0)).any(axis=(0, 1)).ravel()
    felt = np.abs(A).max(axis=0) > UNFELT * np.abs(A).max()
    found = set(range(2 * nv)) - alone
    more = {x for x in alone if told[x] or felt[sorted(found), x].any()}
    while more:  # what is felt by those that are felt
        found |= {y for x in more for y in (x % nv, x % nv + nv)}
        more = {x for x in alone - found if felt[sorted(found), x].any()}
    return sorted(found)


@dataclass(frozen=True, eq=False)
class ClockedLoops:
    """What one period of a clock is made of, from which equation (2) follows for forces that arrive later, too, by any time.

    flow (n, both, both), push (n, both, drives): (x, f)' = flow (x, f) + push u; jumps: (time (s), J (n, size, size)) of instants
    at which states z = (x, f, m) become J z, the first begin (s) after forces arrived, the last one a period later. C (n, drives,
    size). kept: as of `OpenLoops`."""

    slopes: LawSlopes
    flow: Array
    push: Array
    jumps: tuple[tuple[float, Array], ...]
    C: Array
    period: float
    kept: tuple[int, ...]

    @classmethod
    def of(cls, slopes: LawSlopes, A: Array, B: Array, q: Array, kept: list[int]) -> "ClockedLoops":
        """Of a robot (A, B) about rest at q, less the states that are not kept."""
        inner, n, size, drives = slopes.plant.inner, len(q), A.shape[1], B.shape[2]
        flowing, names = slopes.plant.flowing, inner.names
        held = [k for k, name in enumerate(names) if name.startswith("held[")]
        cells = [k for k, name in enumerate(names) if k >= flowing and not name.partition("[")[0].endswith(STILL)]
        f, instants = list(range(flowing)), slopes.instants()
        cycles = max(line.whole for line in slopes.clock.lines(slopes.plant.laws_robot.model)) + 3
        memory = slopes.settle_clock(q, instants, cycles)
        acts = slopes.at(q, memory, 0.0)
        acts |= {name: acts[name][:, :, kept] for name in ("tau_x", "rates_x")}
        tau_x, tau_f, tau_h = acts["tau_x"], acts["tau_i"][:, :, f], acts["tau_i"][:, :, held]
        flow_x, flow_f, flow_h = (
            acts["rates_x"][:, f],
            acts["rates_i"][:, f][:, :, f],
            acts["rates_i"][:, f][:, :, held],
        )
        G = np.concatenate(
            [np.concatenate([A + B @ tau_x, B @ tau_f], axis=2), np.concatenate([flow_x, flow_f], axis=2)], axis=1
        )
        H = np.concatenate([B @ tau_h, flow_h], axis=1)
        both, own = size + flowing, [*f, *cells]
        jumps, period = [], slopes.clock.of.period
        begin = instants[-1] - period
        for t in instants:
            found = slopes.at(q, memory, cycles * period + t)
            J = np.zeros((n, both + len(cells), both + len(cells)))
            J[:, :size, :size] = np.eye(size)
            J[:, size:, :size] = found["after_x"][:, own][:, :, kept]
            J[:, size:, size:] = found["after_i"][:, own][:, :, own]
            jumps.append((t - begin, J))
            memory = slopes.step(q, memory, cycles * period + t)
        C = np.zeros((n, drives, both + len(cells)))
        for k, place in enumerate(held):
            C[:, k, both + cells.index(place)] = -1.0
        return cls(slopes, G, H, tuple(jumps), C, period, tuple(kept))

    def part(self, rows: Array) -> "ClockedLoops":
        """Those of some poses."""
        jumps = tuple((t, J[rows]) for t, J in self.jumps)
        return replace(self, flow=self.flow[rows], push=self.push[rows], jumps=jumps, C=self.C[rows])

    def late(self, time: float) -> OpenLoops:
        """The loops where all forces arrive later by this time (s), which the law does not know of."""
        whole = floor(time / self.period + SAME)
        phase = time - whole * self.period
        phase = phase if phase > SAME * self.period else 0.0
        n, drives, both = len(self.C), self.C.shape[1], self.flow.shape[1]
        Z, B = self._one_period(phase)
        loops = _without_idle_cells(OpenLoops(Z, B, self.C, self.period, self.kept), both)
        depth, size = whole + bool(phase), loops.A.shape[1]
        A, pushed = (
            np.zeros((n, size + depth * drives, size + depth * drives)),
            np.zeros((n, size + depth * drives, drives)),
        )
        A[:, :size, :size] = loops.A
        places = [
            slice(size + k * drives, size + (k + 1) * drives) for k in range(depth)
        ]  # forces on their way, newest first
        for k, place in enumerate(places[1:]):
            A[:, place, places[k]] = np.eye(drives)
        if depth:
            pushed[:, places[0]] = np.eye(drives)
        if whole:
            A[:, :size, places[whole - 1]] += loops.B[:, :, :drives]
        else:
            pushed[:, :size] += loops.B[:, :, :drives]
        if phase:
            A[:, :size, places[whole]] += loops.B[:, :, drives:]
        C = np.concatenate([loops.C, np.zeros((n, drives, depth * drives))], axis=2)
        return _reduced(self.slopes, OpenLoops(A, pushed, C, self.period, self.kept))

    def _one_period(self, phase: float) -> tuple[Array, Array]:
        """(Φ, (Γ, Γ of the forces before)): of forces that arrive this much (s) after the others."""
        from scipy import linalg

        n, both, drives, total = len(self.C), self.flow.shape[1], self.push.shape[2], self.C.shape[2]
        whole = np.zeros((n, both + drives, both + drives))
        whole[:, :both, :both], whole[:, :both, both:] = self.flow, self.push
        Z = np.zeros((n, total, total + 2 * drives))  # of z at the begin of the period, u and the u before
        Z[:, :, :total] = np.eye(total)
        before = 0.0
        for t, J in self.jumps:
            for a, b, u in ((before, min(t, phase), total + drives), (max(before, phase), t, total)):
                if b > a:
                    step = linalg.expm(whole * (b - a))
                    Z[:, :both] = step[:, :both, :both] @ Z[:, :both]
                    Z[:, :both, u : u + drives] += step[:, :both, both:]
            Z, before = J @ Z, t
        return Z[:, :, :total], Z[:, :, total:]


def _without_idle_cells(loops: OpenLoops, both: int) -> OpenLoops:
    """Without memory that nothing writes into, or that nothing reads."""
    A, kept = np.abs(loops.A).max(axis=0), np.ones(loops.A.shape[1], dtype=bool)
    for _ in range(len(kept)):
        written = (A[:, kept].sum(axis=1) > 0) | (np.abs(loops.B).max(axis=(0, 2)) > 0)
        read = (A[kept].sum(axis=0) > 0) | (np.abs(loops.C).max(axis=(0, 1)) > 0)
        alone = A[:, kept].sum(axis=1) - np.where(kept, np.diag(A), 0.0) == 0
        dead = ~written | ~read | (alone & (np.abs(loops.B).max(axis=(0, 2)) == 0))
        dead[:both] = False
        if not (dead & kept).any():
            break
        kept &= ~dead
    return OpenLoops(loops.A[:, kept][:, :, kept], loops.B[:, kept], loops.C[:, :, kept], loops.period, loops.kept)


def _without_rounding(loops: OpenLoops, angles: list[int]) -> OpenLoops:
    """With nothing where it is rounding that an idle angle does: over inertias of spins that are small rounding is large."""
    one = 0.0 if loops.period is None else np.eye(loops.A.shape[1])
    change, C = loops.A - one, loops.C.copy()
    seen = [(X, np.abs(X).max(axis=2)) for X in (change, C)]
    for k in angles:
        if all((np.abs(X[:, :, k]) <= ROUNDING * rows).all() for X, rows in seen):
            change[:, :, k] = C[:, :, k] = 0.0
    return replace(loops, A=change + one, C=C)


def _without_spins(loops: OpenLoops, idle: list[int]) -> OpenLoops:
    """Without idle freedoms (places of their states in z) that go on as they go while all others and all forces rest: laws that
    know momenta see them, too, as z = p_s of equation (1) that follows. Of D, their space, D = (G, 1) in the rows (r, a):
    z_r' = z_r - G z_a."""
    found = []
    for k in range(len(loops.A)):
        J, scale = _balanced(loops, k)
        still = np.delete(np.eye(len(J))[: len(loops.kept)], idle, axis=0)
        V = _unseen(J, np.concatenate([still, _unit(loops.C[k] * scale)]))
        _, size, rows = np.linalg.svd(V[idle])
        D = V @ rows[: int((size > UNFELT).sum())].T
        here = D.T @ J @ D
        if np.abs(here @ here).max(initial=0.0) > UNFELT * np.abs(J).max():  # they do not just go on
            return loops
        found.append(D * scale[:, None])
    places = _same_places([D[idle].T for D in found])
    if places is None:
        return loops
    a = [idle[x] for x in places]
    r = [x for x in range(loops.A.shape[1]) if x not in a]
    G = np.array([D[r] @ np.linalg.inv(D[a]) for D in found])
    A, B = (x[:, r] - G @ x[:, a] for x in (loops.A, loops.B))
    kept = tuple(x for place, x in enumerate(loops.kept) if place not in a)
    return OpenLoops(A[:, :, r], B, loops.C[:, :, r], loops.period, kept)


def _without_internal_forces(loops: OpenLoops) -> OpenLoops:
    """Without integrals of forces by which redundant drives only work against each other: constants of the loop, U' z, on which
    no force of the drives acts; of no motion. With U' z = 0, z_a = -(U_a')⁻¹ U_r' z_r of as many states a of the law."""
    found, n = [], len(loops.kept)
    for k in range(len(loops.A)):
        J, scale = _balanced(loops, k)
        V = _unseen(J, np.eye(len(J))[:n])
        V = V @ _null(J @ V, np.abs(J).max())
        U = _null(J.T, np.abs(J).max())
        U = U @ _null((loops.B[k] / scale[:, None]).T @ U, np.abs(loops.B[k] / scale[:, None]).max())
        if not V.shape[1] or V.shape != U.shape or not np.linalg.cond(U.T @ V) < 1.0 / UNFELT:
            return loops  # there are none, they grow, or are of motions
        found.append(U / scale[:, None])
    places = _same_places([U[n:].T for U in found])
    if places is None:
        return loops
    a = [n + x for x in places]
    r = [x for x in range(loops.A.shape[1]) if x not in a]
    T = np.zeros((len(found), loops.A.shape[1], len(r)))
    T[:, r] = np.eye(len(r))
    T[:, a] = np.array([-np.linalg.solve(U[a].T, U[r].T) for U in found])
    return OpenLoops(loops.A[:, r] @ T, loops.B[:, r], loops.C @ T, loops.period, loops.kept)


def _balanced(loops: OpenLoops, k: int) -> tuple[Array, Array]:
    """(J, scale): the closed loop of one pose, its rates or changes from sample to sample, of z/scale."""
    from scipy import linalg

    J = loops.closed[k] - (0.0 if loops.period is None else np.eye(loops.A.shape[1]))
    J, (scale, _) = linalg.matrix_balance(J, permute=False, separate=True)
    return J, scale


def _unit(C: Array) -> Array:
    return C / max(np.abs(C).max(initial=0.0), np.finfo(float).tiny)


def _unseen(J: Array, C: Array) -> Array:
    """Orthonormal basis (k, m) of the largest space that J maps into itself and C to nothing."""
    V = _null(C, 1.0)
    while V.shape[1]:
        JV = J @ V
        inside = _null(JV - V @ (V.T @ JV), np.abs(J).max())
        if inside.shape[1] == V.shape[1]:
            break
        V = V @ inside
    return V


def _null(M: Array, size: float) -> Array:
    """Orthonormal basis of what M maps to nothing beside this size."""
    _, found, rows = np.linalg.svd(M)
    return rows[int((found > UNFELT * size).sum()) :].T


def _same_places(bases: list[Array]) -> list[int] | None:
    """Columns by which all of some matrices (m, …) are told, as many as there are rows; None where there are no rows, or where
    the columns of the first one do not tell another."""
    from scipy import linalg

    m = len(bases[0])
    if not m or any(len(X) != m for X in bases):
        return None
    factors: Any = linalg.qr(bases[0], pivoting=True)
    places = [int(x) for x in factors[2][:m]]
    told = all(np.linalg.cond(X[:, places]) < 1.0 / UNFELT for X in bases)
    return places if told else None


def continuous_poles(poles: Array, period: float | None) -> Array:
    """Poles in 1/s: of loops on a clock logarithms over the period, NaN where they vanish within it."""
    if period is None:
        return poles
    gone = np.abs(poles) < 1e-8
    return np.where(gone, np.nan, np.log(np.where(gone, 1.0, poles).astype(complex)) / period)
