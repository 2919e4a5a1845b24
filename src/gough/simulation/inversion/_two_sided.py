"""ẋ = F(x, t) with conditions at both ends: collocation and Newton's iteration, of a system of any kind.

A step from x_i to x_{i+1} of length h is Lobatto's of fourth order (Hermite, Simpson):
    x_m = (x_i + x_{i+1})/2 + h/8 (F_i - F_{i+1}),   x_{i+1} - x_i = h/6 (F_i + 4 F_m + F_{i+1})                      (1)
symmetric and A-stable: what dies out forwards dies out, and what dies out backwards does so backwards, however long the step is
beside it. Conditions stand apart: C x = c of what dies out at the beginning, of what grows at the end. Newton's equations are
solved by orthogonal elimination from the beginning to the end, which is stable where both kinds are there [S. J. Wright,
SIAM J. Scientific and Statistical Computing 13(3), 1992].
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

Array = np.ndarray
ITERATIONS = 25
SETTLED, ROUNDED = 1e-11, 1e-8
"""Largest last step, of the largest of x (typical sizes are 1); a step so small that rounding alone leaves no less behind it."""
HALVINGS = 6


@dataclass(frozen=True, eq=False)
class EndConditions:
    """What holds at the ends: rows (a, n) and (b, n), a + b = n, of x - first and x - last that vanish there."""

    start: Array
    first: Array
    end: Array
    last: Array


@dataclass(frozen=True, eq=False)
class Nodes:
    """t (m + 1,), s. before, after (m,): of every step, which of the times at which F is asked for are its ends; there are
    more than nodes where F jumps. times, left: of all these, and whether the value before a jump is meant."""

    t: Array
    before: Array
    after: Array
    times: Array
    left: Array

    @classmethod
    def of(cls, t: Array, jumps: Array) -> "Nodes":
        """Nodes at t, of which some are times at which F jumps."""
        split = np.isin(t, jumps)
        split[[0, -1]] = False
        which = np.repeat(np.arange(len(t)), 1 + split)
        left = np.zeros(len(which), dtype=bool)
        firsts = np.searchsorted(which, np.arange(len(t)))
        left[firsts[split]] = True
        left[-1] = True
        lasts = firsts + split
        return cls(t, lasts[:-1], firsts[1:], t[which], left)

    @property
    def of_node(self) -> Array:
        """Which node each of `times` is."""
        return np.searchsorted(self.t, self.times)


@dataclass(frozen=True, eq=False)
class Values:
    """F (n, size) at some times, what was computed on the way, and, where asked for, its slopes (n, size, size)."""

    F: Array
    known: object
    slopes: Array | None


System = Callable[[Array, Array, Array, object, bool], Values]
"""(x (n, size), times (n,), left (n,), what was known before or None, whether slopes are wanted) -> Values."""


@dataclass(frozen=True, eq=False)
class TwoSided:
    """x (m + 1, size) at the nodes; at the nodes' times and in the middles of the steps what the system gave. worst: what is
    left of equation (1); settled: whether the iteration came to rest, or made the one step that was asked for."""

    nodes: Nodes
    x: Array
    at: Values
    middle: Values
    settled: bool


def solve_two_sided(
    system: System, nodes: Nodes, ends: EndConditions, guess: Array, iterations: int = ITERATIONS
) -> TwoSided:
    """x at the nodes from a guess (m + 1, size); not settled where Newton's iteration does not come to rest. iterations: most of
    them; one alone is the linear equations about the guess, solved where that leaves less of the true ones."""
    x, known = guess.copy(), (None, None)
    found = _evaluate(system, nodes, x, known)
    size, settled, before = _size(found[2], x, ends), False, 0.0
    for _ in range(iterations):
        if not np.isfinite(size):
            break
        step = _newton_step(nodes, ends, x, *found)
        share = 1.0
        for _ in range(HALVINGS):
            tried = _evaluate(system, nodes, x + share * step, (found[0].known, found[1].known))
            next_size = _size(tried[2], x + share * step, ends)
            if next_size < size or next_size < 1e-9:
                break
            share *= 0.5
        else:
            settled = float(np.abs(step).max()) <= ROUNDED * max(1.0, float(np.abs(x).max()))
            break
        x, found, size = x + share * step, tried, next_size
        moved = float(np.abs(share * step).max())
        after = moved * min(moved / before, 1.0) if before else moved
        # what the next step is at most, while they shrink faster and faster; of the first nothing is known
        if after <= SETTLED * max(1.0, float(np.abs(x).max())) or iterations == 1:
            settled = True
            break
        before = moved
    return TwoSided(nodes, x, found[0], found[1], settled)


def _evaluate(system: System, nodes: Nodes, x: Array, known: tuple[object, object]) -> tuple[Values, Values, Array]:
    """(F and slopes at the nodes' times, those in the middles, what is left of (1) (m, size))."""
    h = np.diff(nodes.t)[:, None]
    at = system(x[nodes.of_node], nodes.times, nodes.left, known[0], True)
    F, G = at.F[nodes.before], at.F[nodes.after]
    middle = 0.5 * (x[:-1] + x[1:]) + h / 8 * (F - G)
    times = 0.5 * (nodes.t[:-1] + nodes.t[1:])
    mid = system(middle, times, np.zeros(len(times), dtype=bool), known[1], True)
    return at, mid, x[1:] - x[:-1] - h / 6 * (F + 4 * mid.F + G)


def _size(left: Array, x: Array, ends: EndConditions) -> float:
    most = np.abs(left).max(initial=0.0)
    for rows, where, wanted in ((ends.start, x[0], ends.first), (ends.end, x[-1], ends.last)):
        most = max(most, np.abs(rows @ (where - wanted)).max(initial=0.0))
    return float(most)


def _newton_step(nodes: Nodes, ends: EndConditions, x: Array, at: Values, middle: Values, left: Array) -> Array:
    """The step (m + 1, size) that takes (1) and the conditions at the ends away to first order."""
    from scipy.linalg import get_lapack_funcs, solve_triangular

    assert at.slopes is not None and middle.slopes is not None
    n, a = x.shape[1], len(ends.start)
    eye = np.eye(n)
    factor, reflect = get_lapack_funcs(("geqrf", "ormqr"), (x,))
    rows, wanted = ends.start, -ends.start @ (x[0] - ends.first)
    back: list[tuple[Array, Array]] = []
    for i, h in enumerate(np.diff(nodes.t)):
        A, B, half = at.slopes[nodes.before[i]], at.slopes[nodes.after[i]], middle.slopes[i]
        whole = np.zeros((a + n, 2 * n + 1), order="F")
        whole[:a, :n], whole[:a, -1] = rows, wanted
        whole[a:, :n] = -eye - h / 6 * (A + half @ (2 * eye + 0.5 * h * A))
        whole[a:, n:-1] = eye - h / 6 * (B + half @ (2 * eye - 0.5 * h * B))
        whole[a:, -1] = -left[i]
        reflected, tau, _, _ = factor(np.asfortranarray(whole[:, :n]))
        rest, _, _ = reflect("L", "T", reflected, tau, np.asfortranarray(whole[:, n:]), 64 * (n + 1))
        top = solve_triangular(reflected[:n], rest[:n], check_finite=False)
        back.append((top[:, :n], top[:, n]))
        rows, wanted = rest[n:, :n], rest[n:, n]
    whole = np.concatenate([rows, ends.end])
    step = np.empty_like(x)
    step[-1] = np.linalg.solve(whole, np.concatenate([wanted, -ends.end @ (x[-1] - ends.last)]))
    for i in range(len(back) - 1, -1, -1):
        step[i] = back[i][1] - back[i][0] @ step[i + 1]
    return step
