"""Whether a state can be near a singular pose at all, in a microsecond: what `Watch` would find need not be computed where it is
known.

A is the scaled matrix of a loop or leg, s and S its extreme singular values at the last full look, f the largest s/S seen. With
the Frobenius norm d = |A - A0| of its change since then, singular values move by d at most (Weyl's inequality):
    s - d <= s(A),   S(A) <= S + d                                                                              (1)
So no A within a ball of radius r < s is singular, and none is nearer to it than (s - r)/(S + r). `radii` chooses r such that
`Watch` trusts all states of the ball, and machine code compares d with it, state by state. Of equal steps `Watch` also asks how
much nearer one comes: s/S changes by 2 d/S at most in a step that changes A by d.                              (2)
What is open is in no ball.
"""

from typing import Any

import numpy as np

from gough.dynamics.loops import Loops
from gough.dynamics.numbers import Numbers
from gough.dynamics.posture import Posture
from gough.dynamics.rates import loop_matrices
from gough.kinematics.closing import row_scales
from gough.kinematics.singularity import block_scales, has_even_screws
from gough.program import Program
from gough.scalar import select
from gough.simulation.integration._rates import trace_states
from gough.simulation.integration.crossing import NEAR, OPEN, PER_STEP, Watch, closed_rows
from gough.simulation.integration.plant import Plant

Vector = np.ndarray
CAREFUL = 1.05
"""Beyond the limits of `Watch`: rounding, and conditions that it computes to six digits."""
HALF = 0.5
"""Distance over the largest one, from which on `Watch` does not ask how fast it changes."""
PARTS: Vector = np.linspace(0.9, 0.02, 45)
"""Radii that are tried, over s, the largest first."""
WIDE = 0.2
"""A radius over s that is enough, so that it need not be known how fast A changes."""
NONE = 1e300
"""Of 1/r²: no ball at all."""


def radii(s: Vector, S: Vector, farthest: Vector, single: Vector, equal_steps: bool) -> tuple[Vector, Vector]:
    """(radii r (n,), how much A may change in a step (n,), inf where that does not matter) of loops and legs with singular values
    s, S (n,), whose largest distance was `farthest` (n,). single (n,): which are 1 x 1, whose distance is s itself. r is 0 where
    there is no ball."""
    part = PARTS[:, None] * s
    low_S, high_S = np.where(single, 1.0, S - part), np.where(single, 1.0, S + part)
    with np.errstate(divide="ignore", invalid="ignore"):
        low, high = (s - part) / high_S, (s + part) / low_S
        largest = np.maximum(farthest, np.where(low_S > 0, high, np.inf))
        far, half = (low > CAREFUL * limit * largest for limit in (NEAR, HALF))
        step = PER_STEP / (2.0 * CAREFUL) * (s - part) * low_S / high_S  # (2)
    wide = half[PARTS >= WIDE].any(axis=0)
    good = np.where(wide, half, far) if equal_steps else far
    k, n = good.argmax(axis=0), np.arange(len(s))
    found = good[k, n] & (low_S[k, n] > 0)
    r = np.where(found, part[k, n], 0.0)
    return r, np.where(wide | (not equal_steps), np.inf, step[k, n])


class SafeBall:
    """The states around the one looked at last that `watch` would trust. `good`: whether there is such a ball."""

    def __init__(self, plant: Plant, parameters: Vector, watch: Watch) -> None:
        self.watch = watch
        mechanism = plant.model.mechanism
        sizes = np.array([len(rows) for rows, _ in mechanism.loop_groups.values()], dtype=int)
        self.single, self.n = sizes == 1, int((sizes**2).sum())
        ends = np.cumsum(sizes**2)
        self.alike = [  # size, groups, their entries
            (k, np.flatnonzero(sizes == k), np.add.outer(ends[sizes == k] - k * k, np.arange(k * k)).reshape(-1))
            for k in sorted(set(sizes.tolist()))
        ]
        self.good = self.known = not watch.idle and not has_even_screws(mechanism, plant.model.size)
        if self.known:
            code = plant.loop_code("safe ball", lambda: ball_program(plant))
            self.loop = code.march.bind_table(code.table(parameters))
            self.state: Vector = self.loop.state
            self.state[:] = 0.0

    def lay_around(self, loop: Any, at: int) -> None:
        """Around a record of a loop, of a state that was looked at, with all before it."""
        if not self.known:
            return
        n = self.n
        self.state[2 * n : -1] = 0.0
        self.good = self.loop.read_records(loop, at, 1) and bool(self.state[-1] > 0.0)
        A = self.state[:n]
        if not (self.good and np.isfinite(A).all()):
            self.good = False
            return
        s, S = np.zeros(len(self.single)), np.zeros(len(self.single))
        for k, groups, entries in self.alike:
            values = np.linalg.svd(A[entries].reshape(-1, k, k), compute_uv=False)
            s[groups], S[groups] = values[:, -1], values[:, 0]
        r, step = radii(s, S, self.watch.farthest, self.single, self.watch.equal_steps)
        self.good = bool((r > 0).all())
        self.state[n : 2 * n] = A
        with np.errstate(divide="ignore"):
            self.state[2 * n : -1] = np.minimum(np.concatenate([r, step]) ** -2.0, NONE)

    def has(self, loop: Any, first: int, count: int) -> bool:
        """Whether so many records of a loop, from the first on, lie in it; False where that is not known."""
        return self.good and self.loop.read_records(loop, first, count) and bool(self.state[-1] > 0.0)


def ball_program(plant: Plant) -> Program:
    """State: A of the record before, A at the centre, 1/r² of each group, 1/(most change of a step)², what is left. Given: a
    record. It ends where nothing is left, or what is left is no number."""
    mechanism = plant.model.mechanism
    scales = block_scales(mechanism, plant.model.size)
    sizes = [len(rows) ** 2 for rows, _ in scales]
    n, groups = sum(sizes), len(sizes)
    rows = closed_rows(plant.model)
    per_open = 1.0 / (OPEN * row_scales(plant.model)[rows])

    def equations(state: Vector, given: Vector, parameters: Vector) -> dict[str, Any]:
        numbers = Numbers(mechanism, parameters)
        found = loop_matrices(numbers, given)
        A = np.concatenate([(found[f"J{k}"] * own[1] * own[0]).reshape(-1) for k, own in enumerate(scales)])
        limits, most, total, first = state[2 * n : -1], 0.0, 0.0, 0
        for k, size in enumerate(sizes):
            own = slice(first, first + size)
            for at, limit in ((n, limits[k]), (0, limits[groups + k])):
                change = A[own] - state[at + first : at + first + size]
                part = sum(x * x for x in change) * limit
                most, total = select(part - most, part, most), total + part
            first += size
        open_ = sum(((Loops(Posture(numbers, given)).residual()[rows] * per_open) ** 2).tolist())
        most, total = select(open_ - most, open_, most), total + open_
        left = select(NONE - total, 1.0 - most, -1.0)  # where one is no number, the sum is none
        return {"state": np.concatenate([A, state[n:-1], [left]]), "running": left}

    return trace_states(
        plant, equations, f"{mechanism.name} safe ball", state=2 * n + 2 * groups + 1, given=plant.model.layout.nq
    )
