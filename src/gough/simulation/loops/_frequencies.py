"""Responses of closed loops over frequency, and where something of them crosses a value or is largest; many poses at once.

S = 1 - C (s - A + B C)⁻¹ B of the loop opened at the drives; s = jω, or z = e^{jωT} on a clock, up to its Nyquist frequency. With
the other drives' loops closed the loop of drive k is L_k = 1/S_kk - 1. Frequencies are even in log ω, thick around the lightly
damped poles of the closed loops and of those that have one drive's loop open: nothing narrow is stepped over.

Of all drives at once: the eigenvalues λ of L are 1/s - 1 of those of S, s. Which of them is which from one frequency to the next
is never asked (`Responses.locus_crossings`).
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gough.simulation.linear.open_loop import OpenLoops, continuous_poles

Array = np.ndarray
PER_DECADE = 24
BEYOND = 30.0
"""How far beyond the slowest and the fastest pole frequencies go."""
DECADES = 7.0
"""At most, from the highest frequency down."""
LIGHT = 0.3
"""Damping ratio below which a pole gets frequencies of its own."""
AROUND = np.concatenate([-np.geomspace(3e-2, 3.0, 7)[::-1], np.geomspace(3e-2, 3.0, 7)])
"""Distances of these from the pole's frequency, in its decay rates …"""
NARROW = np.concatenate([-np.geomspace(1e-7, 0.3, 20)[::-1], np.geomspace(1e-7, 0.3, 20)])
"""… and of its frequency, those that are longer than decays."""
REFINEMENTS = 60
HALVINGS = 6
"""Of a step of frequency in which eigenvalues may have changed sides both ways."""
LARGEST = 4e6
"""Numbers of matrices at a time."""


@dataclass(frozen=True, eq=False)
class Responses:
    """Of stable loops."""

    loops: OpenLoops

    @cached_property
    def poles(self) -> Array:
        """Of the closed loops (n, k), 1/s, also on a clock."""
        return continuous_poles(np.linalg.eigvals(self.loops.closed), self.loops.period)

    @cached_property
    def frequencies(self) -> Array:
        """ω (n, m), rad/s, rising."""
        loops, n = self.loops, len(self.loops.A)
        sets = [self.poles]
        for k in range(loops.B.shape[2]):  # one drive's loop open
            others = [j for j in range(loops.B.shape[2]) if j != k]
            A = loops.A - loops.B[:, :, others] @ loops.C[:, others]
            sets.append(continuous_poles(np.linalg.eigvals(A), loops.period))
        poles = np.concatenate(sets, axis=1) + 0j
        real, imag = np.real(poles), np.imag(poles)
        size = np.abs(poles)
        known = np.isfinite(size) & (size > 1e-9 * np.nanmax(np.where(np.isfinite(size), size, 0.0), axis=1)[:, None])
        fast = np.where(known, size, 0.0).max(axis=1, initial=1e-9)
        slow = np.where(known, size, np.inf).min(axis=1, initial=np.inf)
        high = BEYOND * fast if loops.period is None else np.full(n, np.pi / loops.period)
        slow = np.maximum(np.minimum(slow, high) / BEYOND, high * 10.0**-DECADES)
        count = int(PER_DECADE * np.log10(high / slow).max()) + 2
        even = slow[:, None] * (high / slow)[:, None] ** np.linspace(0.0, 1.0, count)
        decay, w = np.abs(real), np.abs(imag)
        light = known & (imag > 0) & (decay < LIGHT * size) & (w < high[:, None])
        columns = np.flatnonzero(light.any(axis=0))
        decay, w, light = decay[:, columns, None], w[:, columns, None], light[:, columns, None]
        away = np.where(np.abs(NARROW) * w > decay, NARROW * w, 0.0)
        near = np.concatenate([np.broadcast_to(w, (*w.shape[:2], 1)), w + AROUND * decay, w + away], axis=2)
        near = np.where(light & (near > slow[:, None, None]) & (near < high[:, None, None]), near, high[:, None, None])
        return np.sort(np.concatenate([even, near.reshape(n, -1)], axis=1), axis=1)

    def sensitivity(self, poses: Array, w: Array) -> Array:
        """S (m, drives, drives) of poses (m,) at ω (m,)."""
        loops = self.loops
        k, out = loops.A.shape[1], np.empty((len(w), loops.B.shape[2], loops.B.shape[2]), dtype=complex)
        at = 1j * w if loops.period is None else np.exp(1j * w * loops.period)
        closed, many = loops.closed, max(1, int(LARGEST / k**2))
        for a in range(0, len(w), many):
            of = poses[a : a + many]
            matrix = at[a : a + many, None, None] * np.eye(k) - closed[of]
            out[a : a + many] = np.eye(out.shape[1]) - loops.C[of] @ np.linalg.solve(matrix, loops.B[of] + 0j)
        return out

    @cached_property
    def grid(self) -> Array:
        """S (n, m, drives, drives) at `frequencies`."""
        n, m = self.frequencies.shape
        found = self.sensitivity(np.repeat(np.arange(n), m), self.frequencies.ravel())
        return found.reshape(n, m, *found.shape[1:])

    def crossings(self, value: Callable[[Array], Array], allowed: Callable[[Array], Array]) -> tuple[Array, ...]:
        """(pose, drive, ω, S_kk) (c,) where value(S_kk) changes its sign and allowed(S_kk) holds."""
        own = np.diagonal(self.grid, axis1=2, axis2=3)
        x = value(own)
        changes = (x[:, :-1] * x[:, 1:] < 0) & np.isfinite(x[:, :-1] + x[:, 1:])
        pose, place, drive = np.nonzero(changes)
        a, b = self.frequencies[pose, place], self.frequencies[pose, place + 1]
        fa, fb = x[pose, place, drive], x[pose, place + 1, drive]
        w, S = 0.5 * (a + b), own[pose, place, drive]
        for k in range(REFINEMENTS):
            with np.errstate(divide="ignore", invalid="ignore"):
                secant = b - fb * (b - a) / (fb - fa)
            w = np.where((k % 3 < 2) & (secant > a) & (secant < b), secant, 0.5 * (a + b))
            S = self.sensitivity(pose, w)[np.arange(len(w)), drive, drive]
            now = value(S)
            left = np.sign(now) == np.sign(fa)
            a, fa = np.where(left, w, a), np.where(left, now, fa)
            b, fb = np.where(left, b, w), np.where(left, fb, now)
            if not len(w) or ((b - a) <= 1e-12 * b).all() or (np.abs(now) <= 1e-12).all():
                break
        good = allowed(S)  # a sign that changes through infinity is none
        return pose[good], drive[good], w[good], S[good]

    @cached_property
    def loci(self) -> Array:
        """Eigenvalues of S (n, m, drives) at `frequencies`, in no order."""
        return np.linalg.eigvals(self.grid)

    def locus_crossings(
        self, value: Callable[[Array], Array], allowed: Callable[[Array], Array]
    ) -> tuple[Array, Array, Array]:
        """(pose, ω, eigenvalue of S) (c,) where value of an eigenvalue changes its sign and allowed holds.

        Loci cross each other, so eigenvalues are counted: steps in which the number of those below 0 changes hold a crossing,
        whichever they are. Steps in which as many may have gone up as down, being nearer to 0 on both sides than S changes in the
        step, are halved until one sees.
        """
        x, change = value(self.loci), np.linalg.norm(np.diff(self.grid, axis=1), axis=(2, 3))
        kept = _may_change(x[:, :-1], x[:, 1:], change) & (np.diff(self.frequencies, axis=1) > 0)
        pose, place = np.nonzero(kept)
        a, b = self.frequencies[pose, place], self.frequencies[pose, place + 1]
        Sa, Sb = self.grid[pose, place], self.grid[pose, place + 1]
        for _ in range(HALVINGS):
            w = 0.5 * (a + b)
            S = self.sensitivity(pose, w)
            pose, a, b = np.tile(pose, 2), np.concatenate([a, w]), np.concatenate([w, b])
            Sa, Sb = np.concatenate([Sa, S]), np.concatenate([S, Sb])
            x, y = (value(np.linalg.eigvals(X)) for X in (Sa, Sb))
            good = _may_change(x, y, np.linalg.norm(Sb - Sa, axis=(1, 2)))
            pose, a, b, Sa, Sb = pose[good], a[good], b[good], Sa[good], Sb[good]
        sa, sb = np.linalg.eigvals(Sa), np.linalg.eigvals(Sb)
        changes = np.abs((value(sa) > 0).sum(axis=1) - (value(sb) > 0).sum(axis=1))
        pose, a, b, sa, sb = (x[changes > 0] for x in (pose, a, b, sa, sb))
        w, s = self._located(value, pose, a, b, sa, sb)
        near = np.argsort(np.abs(value(s)), axis=1)
        own = np.arange(s.shape[1]) < changes[changes > 0][:, None]  # several at once: of robots that are symmetric
        row, column = np.nonzero(own)
        found = s[row, near[row, column]]
        good = allowed(found)
        return pose[row][good], w[row][good], found[good]

    def _located(
        self, value: Callable[[Array], Array], pose: Array, a: Array, b: Array, sa: Array, sb: Array
    ) -> tuple[Array, Array]:
        """(ω (c,), eigenvalues (c, drives)) where the number of those above 0 changes between a and b (c,)."""
        w, s = 0.5 * (a + b), sa
        for k in range(REFINEMENTS):
            rise = ((value(sb) > 0).sum(axis=1) > (value(sa) > 0).sum(axis=1))[:, None]
            fa, fb = (_nearest(np.where(rise == up, -value(x), value(x))) for x, up in ((sa, True), (sb, False)))
            with np.errstate(divide="ignore", invalid="ignore"):
                secant = b - fb * (b - a) / (fb + fa)
            w = np.where((k % 3 < 2) & (secant > a) & (secant < b), secant, 0.5 * (a + b))
            s = np.linalg.eigvals(self.sensitivity(pose, w))
            counts = [(value(x) > 0).sum(axis=1) for x in (sa, s)]
            left = counts[0] == counts[1]
            a, sa = np.where(left, w, a), np.where(left[:, None], s, sa)
            b, sb = np.where(left, b, w), np.where(left[:, None], sb, s)
            if not len(w) or ((b - a) <= 1e-12 * b).all() or (np.abs(value(s)).min(axis=1) <= 1e-12).all():
                break
        return w, s

    def largest(self, measure: Callable[[Array], Array]) -> tuple[Array, Array]:
        """(largest value (n, …), its ω (n, …)) of measure(S (m, drives, drives)) (m, …) over frequency."""
        n, m = self.frequencies.shape
        values = measure(self.grid.reshape(n * m, *self.grid.shape[2:])).reshape(n, m, -1)
        values = np.where(np.isfinite(values), values, -np.inf)
        top = values.argmax(axis=1)
        pose, column = (x.ravel() for x in np.indices(top.shape))
        place = top.ravel()
        best, at = values[pose, place, column], self.frequencies[pose, place]
        a = self.frequencies[pose, np.maximum(place - 1, 0)]
        b = self.frequencies[pose, np.minimum(place + 1, m - 1)]
        ratio = 0.5 * (np.sqrt(5.0) - 1.0)
        for _ in range(32):  # golden section
            c, d = b - ratio * (b - a), a + ratio * (b - a)
            both = measure(self.sensitivity(np.tile(pose, 2), np.concatenate([c, d]))).reshape(2 * len(pose), -1)
            fc, fd = both[np.arange(len(pose)), column], both[len(pose) + np.arange(len(pose)), column]
            a, b = np.where(fc > fd, a, c), np.where(fc > fd, d, b)
            for x, f in ((c, fc), (d, fd)):
                at, best = np.where(f > best, x, at), np.maximum(f, best)
        return best.reshape(top.shape), at.reshape(top.shape)


def _nearest(values: Array) -> Array:
    """The least one above 0 of each row (c, k)."""
    return np.where(values > 0, values, np.inf).min(axis=1, initial=np.inf)


def _may_change(x: Array, y: Array, change: Array) -> Array:
    """Whether some of values (…, k) changed their sign, x before and y after, or some one way and as many the other way. change
    (…): of what they are of."""
    up = x > 0, y > 0
    mixed = up[0].any(axis=-1) & ~up[0].all(axis=-1)
    ends = [np.abs(np.where(side, v, np.inf)).min(axis=-1) for v, s in zip((x, y), up, strict=True) for side in (s, ~s)]
    return (up[0].sum(axis=-1) != up[1].sum(axis=-1)) | (mixed & (np.max(ends, axis=0) < change))
