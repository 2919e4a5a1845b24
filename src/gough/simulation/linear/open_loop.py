"""The loop opened at the drives, as matrices: forces u into the robot, forces w = -y out of the law; closed u = w.

Continuous  z = (x, i):  ẋ = A x + B u,  i̇ = R x + R_i i,  y = -(F x + F_i i)                                        (1)
On a clock  z = (x, f, m) just after forces arrived; from instant to instant x and f flow under the held u, exactly by the matrix
            exponential, and m⁺ = J_x x + J_f f + J_m m; y = -(what is held in m): one period later z' = Φ z + Γ u        (2)
"""

from dataclasses import dataclass

import numpy as np

from gough.simulation.linear.law_slopes import STILL, LawSlopes

Array = np.ndarray
UNFELT = 1e-9
"""Derivative over the largest that is none."""


@dataclass(frozen=True, eq=False)
class OpenLoops:
    """Of many poses: A (n, k, k), B (n, k, drives), C (n, drives, k) of L = C (z - A)⁻¹ B; period (s), None: continuous.
    kept: states of the robot that are in there, the first ones of z."""

    A: Array
    B: Array
    C: Array
    period: float | None
    kept: tuple[int, ...]

    @property
    def closed(self) -> Array:
        """A of the closed loops (n, k, k)."""
        return self.A - self.B @ self.C

    def part(self, rows: Array) -> "OpenLoops":
        """Those of some poses."""
        return OpenLoops(self.A[rows], self.B[rows], self.C[rows], self.period, self.kept)


def open_loops(slopes: LawSlopes, A: Array, B: Array, q: Array) -> OpenLoops:
    """The loops of a law and of a robot about rest at q (n, nq): ẋ = A x + B u, A (n, 2nv, 2nv), B (n, 2nv, drives)."""
    found = slopes.at(q, slopes.first(q), 0.0)
    clocked = slopes.plant.inner.clocked
    kept = _felt_states(slopes, A, found["after_x" if clocked else "tau_x"])
    A, B = A[:, kept][:, :, kept], B[:, kept]
    if not clocked:
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
        return OpenLoops(whole, pushed, -np.concatenate([F, Fi], axis=2), None, tuple(kept))
    return _sampled(slopes, A, B, q, kept)


def _felt_states(slopes: LawSlopes, A: Array, seen: Array) -> list[int]:
    """States x without those of idle freedoms that neither the others nor the law feel: bodies that spin by themselves. seen
    (n, …, 2nv): derivatives of the law."""
    layout = slopes.model.layout
    nv, idle = layout.nv, range(layout.mobility, layout.rigid)
    alone = [x for k in idle for x in (k, layout.nv + k)]
    others = [x for x in range(2 * nv) if x not in alone]
    felt = np.abs(A[:, others]).max(axis=(0, 1)) > UNFELT * np.abs(A).max()
    felt |= np.abs(seen).max(axis=(0, 1), initial=0.0) > UNFELT * np.abs(seen).max(initial=0.0)
    return [x for x in range(2 * nv) if x in others or any(felt[[y for y in alone if y % nv == x % nv]])]


def _sampled(slopes: LawSlopes, A: Array, B: Array, q: Array, kept: list[int]) -> OpenLoops:
    """Equation (2)."""
    from scipy import linalg

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
    flow_x, flow_f, flow_h = (acts["rates_x"][:, f], acts["rates_i"][:, f][:, :, f], acts["rates_i"][:, f][:, :, held])
    G = np.concatenate(
        [np.concatenate([A + B @ tau_x, B @ tau_f], axis=2), np.concatenate([flow_x, flow_f], axis=2)], axis=1
    )
    H = np.concatenate([B @ tau_h, flow_h], axis=1)
    both, total = size + flowing, size + flowing + len(cells)
    whole, state = np.zeros((n, both + drives, both + drives)), slice(size, both)
    whole[:, :both, :both], whole[:, :both, both:] = G, H
    Z = np.zeros((n, total, total + drives))  # of z at the begin of the period and u
    Z[:, :, :total] = np.eye(total)
    period, before = slopes.clock.of.period, instants[-1] - slopes.clock.of.period
    for t in instants:
        step = linalg.expm(whole * (t - before))
        Z[:, :both] = step[:, :both, :both] @ Z[:, :both]
        Z[:, :both, total:] += step[:, :both, both:]
        found, now = slopes.at(q, memory, cycles * period + t), Z.copy()
        J, seen = found["after_i"], found["after_x"][:, :, kept]
        Z[:, both:] = (
            seen[:, cells] @ now[:, :size]
            + J[:, cells][:, :, f] @ now[:, state]
            + J[:, cells][:, :, cells] @ now[:, both:]
        )
        Z[:, state] = (
            seen[:, f] @ now[:, :size] + J[:, f][:, :, f] @ now[:, state] + J[:, f][:, :, cells] @ now[:, both:]
        )
        memory, before = slopes.step(q, memory, cycles * period + t), t
    C = np.zeros((n, drives, total))
    for k, place in enumerate(held):
        C[:, k, both + cells.index(place)] = -1.0
    return _without_idle_cells(OpenLoops(Z[:, :, :total], Z[:, :, total:], C, period, tuple(kept)), both)


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


def continuous_poles(poles: Array, period: float | None) -> Array:
    """Poles in 1/s: of loops on a clock logarithms over the period, NaN where they vanish within it."""
    if period is None:
        return poles
    gone = np.abs(poles) < 1e-8
    return np.where(gone, np.nan, np.log(np.where(gone, 1.0, poles).astype(complex)) / period)
