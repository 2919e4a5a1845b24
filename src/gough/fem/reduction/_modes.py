"""Elastic modes K φ = λ M φ, lowest first, rigid motions taken out.

The body is held at as many freedoms as it has rigid motions (chosen so that these are well determined); with L Lᵀ the
stiffness so held and P the projection along the rigid motions R that makes everything M-orthogonal to them,

    F = P L⁻ᵀ L⁻¹ Pᵀ,   P = 1 - R (RᵀMR)⁻¹ RᵀM

is the flexibility of the free body under loads balanced by its own inertia, and F M φ = φ/λ has the elastic modes alone: no
shift, and the lowest modes are the most accurate. Masses may be singular: what has no mass has no mode.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve, cholesky, eigh, solve_triangular
from scipy.sparse import block_array, csc_array, csr_array
from scipy.sparse.linalg import LinearOperator, eigsh, splu

from gough.errors import ReductionWarning, UsageError, warn
from gough.fem._memory import demand
from gough.fem._slopes import apart, orthogonal_to
from gough.fem._sparse import Factor, most_telling_rows, order
from gough.fem.reduction._rigid import RigidMotions
from gough.fem.reduction.choices import ModeCut
from gough.scalar.slopes import has_slopes, join_slopes, real_part

APART = 1e-3
"""By how much slopes of modes that are one group may differ, of the largest."""
FAINT = 1e-9
"""Part of the slope that λ may have which is rounding."""
MASSLESS = 1e-14
"""Modes whose 1/λ is below this part of the largest are freedoms without mass."""


class ElasticModes:
    """Modes of K, M (d, d); `rigid` None where the freedoms are held."""

    def __init__(
        self, K: csr_array, M: csr_array, rigid: RigidMotions | None, name: Callable[[int], str] = "freedom {}".format
    ) -> None:
        d = order(csr_array(K))
        self.K, self.M = csr_array(K), csr_array(M)
        none = np.zeros((d, 0))
        self.rigid = RigidMotions(none, none) if rigid is None else rigid
        self.held = most_telling_rows(real_part(self.rigid.all))
        self.free = np.setdiff1d(np.arange(d), self.held)
        self.factor = Factor(csr_array(self.K[self.free][:, self.free]), lambda j: name(int(self.free[j])))
        R = self.rigid.massive
        self.MR = self.M @ R
        self.carry = _solver(R.T @ self.MR) if R.shape[1] else None
        self.plain = self
        if has_slopes(self.K, self.M, R):
            own = RigidMotions(real_part(self.rigid.massive), real_part(self.rigid.massless))
            self.plain = ElasticModes(apart(self.K)[0], apart(self.M)[0], own, name)
        self._known: tuple[np.ndarray, np.ndarray] | None = None
        self.available = len(self.free)

    def balance(self, load: np.ndarray) -> np.ndarray:
        """Pᵀ load: what is left of a load (d, …) when the rigid body's inertia carries its resultant."""
        return load if self.carry is None else load - self.MR @ self.carry(self.rigid.massive.T @ load)

    def elastic(self, x: np.ndarray) -> np.ndarray:
        """P x: M-orthogonal to the rigid motions."""
        return x if self.carry is None else x - self.rigid.massive @ self.carry(self.MR.T @ x)

    def deflection(self, load: np.ndarray) -> np.ndarray:
        """Static deflection (d, …) under a load, balanced by inertia where the body is free."""
        bent = self.factor.solve(self.balance(load)[self.free])
        x = np.zeros(load.shape, dtype=bent.dtype)
        x[self.free] = bent
        return self.elastic(x)

    def lowest(self, count: int) -> tuple[np.ndarray, np.ndarray]:
        """(λ (k,) in (rad/s)², mass-normalised shapes (d, k)), k = count or all there are (then `available` = k); values alone,
        see `with_slopes`."""
        if self.plain is not self:
            found = self.plain.lowest(count)
            self.available = self.plain.available
            return found
        known = self._known
        if known is None or (len(known[0]) < count and len(known[0]) < self.available):
            wide = self.factor.L is not None or count > len(self.free) // 4
            taken = 8.0 * order(self.K) * (5 * len(self.free) if wide else 6 * count)
            demand(taken, f"{count} modes of {len(self.free)} freedoms", "ask for fewer modes, or a coarser mesh")
            self._known = known = self._all() if wide else self._few(count)
        return known[0][:count], known[1][:, :count]

    def _all(self) -> tuple[np.ndarray, np.ndarray]:
        n = len(self.free)
        L = self.factor.L
        if L is None:
            L = cholesky(self.K[self.free][:, self.free].toarray(), lower=True)
        G = np.zeros((order(self.K), n))
        G[self.free] = solve_triangular(L, np.eye(n), lower=True).T
        G = self.elastic(G)
        flexibility, Y = eigh(G.T @ (self.M @ G))
        flexibility, Y = flexibility[::-1], Y[:, ::-1]
        real = flexibility > MASSLESS * flexibility.max(initial=0.0)
        self.available = int(real.sum())
        return self._polish(G @ Y[:, real])

    def _few(self, count: int) -> tuple[np.ndarray, np.ndarray]:
        """Lanczos' method; then once more beside what it found, because it can overlook a member of a degenerate group."""
        found = self._lanczos(count, np.zeros((order(self.K), 0)), 0.0)
        while True:
            values, shapes = self._polish(found)
            other = self._lanczos(1, shapes, 1e-4)
            value = np.sum(other * (self.K @ other)) / np.sum(other * (self.M @ other))
            if value > (1.0 - 1e-3) * values[-1]:
                return values[:count], shapes[:, :count]
            found = np.concatenate([shapes, other], axis=1)

    def _lanczos(self, count: int, known: np.ndarray, tolerance: float) -> np.ndarray:
        """Shapes (d, count) of the lowest modes M-orthogonal to the known ones (d, k)."""
        carried = self.M @ known

        def apart(x: np.ndarray) -> np.ndarray:
            return x - known @ (carried.T @ x)

        d = order(self.K)
        inverse = LinearOperator((d, d), matvec=lambda b: apart(self.deflection(np.ravel(b))), dtype=float)  # pyright: ignore[reportCallIssue]
        start = inverse @ (self.M @ np.random.default_rng(known.shape[1]).standard_normal(d))
        basis = min(max(2 * count + 1, 20), d)
        return eigsh(self.K, count, M=self.M, sigma=0.0, OPinv=inverse, v0=start, ncv=basis, tol=tolerance)[1]  # pyright: ignore[reportArgumentType]

    def _polish(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """λ by Rayleigh's quotient, shapes M-orthonormal, in ascending order."""
        if x.shape[1] == 0:
            return np.zeros(0), x
        x = self.elastic(x)
        x = x / np.sqrt(np.sum(x * (self.M @ x), axis=0))
        x = x[:, np.argsort(np.sum(x * (self.K @ x), axis=0))]
        L = cholesky(x.T @ (self.M @ x), lower=True)  # low modes are kept, higher ones made orthogonal to them
        x = solve_triangular(L, x.T, lower=True).T
        values = np.sum(x * (self.K @ x), axis=0)
        return values, x

    def with_slopes(self, values: np.ndarray, shapes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Modes (whole groups of them, lowest first) with the slopes that K and M give them; a group's in some position.

        Of a group Φ with λ_j, slopes W + Φ C:  (K - λ_j M) w_j = -(K' - λ_j M') φ_j + M Φ μ,  Φᵀ M W = 0,  C = -½ Φᵀ M' Φ:
        [R. B. Nelson, AIAA J. 14(9), 1976], with the group's own motion taken out instead of a row.
        """
        if self.plain is self:
            return values, shapes
        (K, dK), (M, dM) = apart(self.K), apart(self.M)
        changes, moves = np.zeros(len(values)), np.zeros(shapes.shape)
        largest = _largest(dK) / _largest(K) + _largest(dM) / _largest(M)
        still, ends = real_part(self.rigid.massless), _group_ends(values, ModeCut(0).pair_tolerance)
        for a, b in zip([0, *ends[:-1]], ends, strict=True):
            own = shapes[:, a:b]
            forces, carried = dK @ own - (dM @ own) * values[a:b], M @ own
            changes[a:b] = _demand_together(values[a:b], own.T @ forces, values[a] * largest, a)
            edge = csr_array(np.concatenate([carried, still], axis=1))
            for j in range(a, b):
                bordered = csc_array(block_array([[K - values[j] * M, edge], [edge.T, None]]))
                force = forces[:, j - a] - carried @ (own.T @ forces[:, j - a])
                load = np.concatenate([-force, np.zeros(b - a + still.shape[1])])
                moves[:, j] = _refined(bordered, load)[: len(shapes)]
            moves[:, a:b] -= 0.5 * own @ (own.T @ (dM @ own))
        if still.shape[1]:  # their part is what keeps the held freedoms where rigid motion takes them
            every = real_part(self.rigid.all)
            part = np.linalg.solve(every[self.held], moves[self.held])[-still.shape[1] :]
            moves -= still @ part
        return join_slopes(values, changes), join_slopes(shapes, moves)


def _solver(A: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    """b → A⁻¹ b of a positive definite A."""
    if has_slopes(A):
        return lambda b: np.linalg.solve(A, b)
    factor = cho_factor(A)
    return lambda b: cho_solve(factor, b)


def _refined(A: csc_array, b: np.ndarray) -> np.ndarray:
    """x with A x = b, rounding of the factors taken off."""
    lu = splu(A)
    x = lu.solve(b)
    return x + lu.solve(b - A @ x)


def _largest(A: csr_array) -> float:
    return float(np.abs(A.data).max(initial=0.0))


def _demand_together(values: np.ndarray, change: np.ndarray, size: float, first: int) -> np.ndarray:
    """Slopes (times STEP) of a group's λ; an error where they part: then no shapes are those that follow.

    change: ΦᵀK'Φ - λ ΦᵀM'Φ; size: that it may have.
    """
    found = np.diag(change)
    off = np.abs(change - found.mean() * np.eye(len(found))).max() if len(found) > 1 else 0.0
    if off > APART * np.abs(found).max(initial=0.0) + FAINT * size:
        hz = np.sqrt(values[0]) / (2 * np.pi)
        raise UsageError(
            f"modes {first + 1}–{first + len(values)} are equal ({hz:.6g} Hz), and are taken apart: their shapes do not follow "
            "smoothly. Ask by a variable that keeps them equal, or describe the body with kind: nodal or craig_bampton"
        )
    return found


Measure = np.ndarray | csr_array


@dataclass(frozen=True)
class KeptModes:
    """λ (k,) in (rad/s)², shapes (d, k), remarks."""

    values: np.ndarray
    shapes: np.ndarray
    remarks: tuple[str, ...]


def keep(solver: ElasticModes, cut: ModeCut, *rows: Measure) -> KeptModes:
    """The modes a cut asks for. rows (r, d): linear measures, most telling first, that fix signs and turn groups."""
    if cut.count == 0:
        return KeptModes(np.zeros(0), np.zeros((order(solver.K), 0)), ())
    values, shapes, wanted = _enough(solver, cut)
    ends = _group_ends(values, cut.pair_tolerance)
    kept, remarks = wanted, ()
    if wanted not in ends and wanted:
        start, end = max((e for e in ends if e < wanted), default=0), min(e for e in ends if e > wanted)
        kept = {"keep": end, "drop": start, "split": wanted}[cut.pairs]
        done = {"keep": "kept whole", "drop": "left out whole", "split": "split as asked"}[cut.pairs]
        hz = np.sqrt(values[start]) / (2 * np.pi)
        remark = (
            f"a cut at {wanted} modes splits the degenerate modes {start + 1}–{end} ({hz:.6g} Hz): {done}, {kept} modes"
        )
        warn(remark, ReductionWarning)
        remarks = (remark,)
    if kept == 0:
        lowest = np.sqrt(values[0]) / (2 * np.pi) if len(values) else np.inf
        raise UsageError(f"no mode is kept: the lowest is at {lowest:.6g} Hz; raise up_to_hz or count")
    whole = min(e for e in ends if e >= kept)
    values, shapes = solver.with_slopes(values[:whole], shapes[:, :whole])
    return KeptModes(values[:kept], in_position(values, shapes, cut.pair_tolerance, *rows)[:, :kept], remarks)


def _enough(solver: ElasticModes, cut: ModeCut) -> tuple[np.ndarray, np.ndarray, int]:
    """Modes past the cut and past the group it falls in, and how many the cut asks for."""
    ask = (cut.count or 10) + 6
    while True:
        values, shapes = solver.lowest(min(ask, solver.available))
        everything = len(values) >= solver.available
        if cut.count is not None:
            wanted = cut.count
            if everything and wanted > len(values):
                raise UsageError(
                    f"{wanted} modes asked for, but the body has only {len(values)} elastic ones; ask for fewer"
                )
        else:
            wanted = int(np.sum(np.sqrt(values) <= 2 * np.pi * (cut.up_to_hz or 0.0)))
        ends = _group_ends(values, cut.pair_tolerance)
        past = len(ends) > 1 and wanted <= ends[-2]
        if everything or past:
            return values, shapes, wanted
        ask *= 2


def _group_ends(values: np.ndarray, tolerance: float) -> list[int]:
    """Where groups of equal frequencies end (exclusive indices)."""
    w = np.sqrt(np.maximum(real_part(values), 0.0))
    return [*(np.flatnonzero(np.diff(w) > tolerance * w[1:]) + 1).tolist(), len(w)] if len(w) else []


def in_position(values: np.ndarray, shapes: np.ndarray, tolerance: float, *rows: Measure) -> np.ndarray:
    """Shapes (d, k) with signs fixed and every degenerate group turned (see `turn_group`), by λ (k,) and its tolerance."""
    ends = _group_ends(values, tolerance)
    parts = [turn_group(shapes[:, a:b], *rows) for a, b in zip([0, *ends[:-1]], ends, strict=True)]
    return np.concatenate(parts, axis=1)


def turn_group(shapes: np.ndarray, *rows: Measure) -> np.ndarray:
    """The same span (d, k), orthonormally turned: the row with the largest values is carried by the first shape alone,
    positive, the next row among the rest by the second, and so on. One shape: its largest value is positive."""
    left = shapes
    done = []
    while left.shape[1]:
        measured = next(
            (m for m in (r @ left for r in rows) if np.abs(m).max(initial=0.0) > 1e-9 * np.abs(left).max()), left
        )
        size = np.linalg.norm(measured, axis=1)
        row = int(np.flatnonzero(size >= (1.0 - 1e-6) * size.max())[0])  # the first of equals: rounding does not decide
        Q = orthogonal_to(measured[row])
        left = left @ Q
        first = left[:, 0] * np.sign((measured[row] @ Q[:, 0]).real)
        done.append(first)
        left = left[:, 1:]
    return np.stack(done, axis=1)
