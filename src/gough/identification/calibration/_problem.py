"""Measurements as equations for the unknowns: the states of all poses are found with them, and eliminated.

Unknowns x: geometry π, zeros and scales of encoders, mounts of the instrument. Each pose has a state q of its own, with closed
loops φ(q, π) = 0, and predicts all that was measured, encoders as well: y = h(q, x). To first order, δu a motion of the tree,

    φ + φ_π δπ = G δu                         δu = Γ δv + G⁺ (φ + φ_π δπ)      Γ: motions that keep the loops closed
    r + H δu + K δx = noise                   r = (h - y) / σ

so r + H G⁺ φ + (K + H G⁺ φ_π) δx + H Γ δv = noise. What δv can explain is projected away, pose by pose: the rows that are left
are equations for x alone, with the noise of encoders and of poses in its right place (errors in variables). Where closures are
redundant, Nᵀ G = 0, the geometry must keep Nᵀ (φ + φ_π δπ) = 0: equations that hold exactly.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from gough.identification.calibration._mounts import Mounts, pose_errors, quaternion_wxyz_of
from gough.identification.calibration._programs import GeometryPrograms
from gough.identification.calibration._unknowns import GeometricUnknown
from gough.identification.calibration.measurements import AT_ORIGIN, Observed
from gough.kinematics.closing import row_scales
from gough.kinematics.retraction import limit_steps, periodic_coordinates, retract, step_units

if TYPE_CHECKING:
    from gough.model import Model

SINGULAR = 1e-9
"""Singular values of closures and of H Γ, relative to the largest, that count as 0."""
LARGEST_STEP = 0.3
"""Of a state in one iteration (robot sizes, rad)."""
RESTS, RESTED = 12, 1e-11
"""Iterations of the states, unknowns held, and the step (robot sizes, rad) at which they rest."""
OPEN = 1e-8
"""Closure error (robot sizes) beyond which a state tells nothing."""
AT_ONCE = 4096
"""Poses whose equations are made together."""


@dataclass(frozen=True)
class GeometryEstimate:
    """values (k,) of the geometric unknowns, mounts, the states q (n, nq), and how far all unknowns (p,) are from where they
    were expected, in units of their prior deviations."""

    values: np.ndarray
    mounts: Mounts
    q: np.ndarray
    away: np.ndarray


@dataclass(frozen=True)
class Equations:
    """Linearised at an estimate; unknowns in units of their prior deviations.

    residual (n, m), matrix (n, m, p): what is left of the rows when states are eliminated. freedom (n,): how many rows of a pose
    are left, as a rank. raw (n, m): (h - y)/σ with states as they are. exact, exact_rest: rows (c, p) and (c,) of what must hold,
    exact x = -exact_rest. motion: for the step of the states. open (n,): largest scaled closure error.
    """

    residual: np.ndarray
    matrix: np.ndarray
    freedom: np.ndarray
    raw: np.ndarray
    exact: np.ndarray
    exact_rest: np.ndarray
    motion: "_Motion"
    open: np.ndarray


@dataclass(frozen=True)
class _Motion:
    """δu = still + by_unknowns δx + Γ δv, δv = -(eliminate) (r + A δx)."""

    still: np.ndarray
    by_unknowns: np.ndarray
    Gamma: np.ndarray
    eliminate: np.ndarray
    rest: np.ndarray
    slope: np.ndarray

    def step(self, x: np.ndarray) -> np.ndarray:
        """δu (n, nu) for a step (p,) of the unknowns, the states following at their best."""
        v = -np.einsum("nfm,nm->nf", self.eliminate, self.rest + self.slope @ x)
        return self.still + self.by_unknowns @ x + np.einsum("nuf,nf->nu", self.Gamma, v)


class CalibrationProblem:
    """A model, what was measured, and the unknowns."""

    def __init__(self, model: "Model", observed: Observed, unknowns: Sequence[GeometricUnknown]) -> None:
        self.model, self.observed, self.unknowns = model, observed, tuple(unknowns)
        self.placed = [k for k, u in enumerate(unknowns) if u.place is not None]
        self.programs = GeometryPrograms(model, [u.place for u in unknowns if u.place is not None], observed.frame)
        self.redundant = len(model.redundant_closures)
        self.row_scales = row_scales(model.linkage)
        self.units = step_units(model.mechanism, model.size)

    @cached_property
    def mounts(self) -> Mounts:
        """As they are before anything is found."""
        o = self.observed
        base, tool = (AT_ORIGIN if x is None else x for x in (o.base, o.tool))
        seen = o.pose is not None
        turns = any(k >= 3 for k in o.components)
        return Mounts(base, tool, o.base is not None or not seen, o.tool is not None or not seen, turns)

    @property
    def names(self) -> tuple[str, ...]:
        """Of all unknowns, those of mounts last."""
        return (*(u.name for u in self.unknowns), *self.mounts.names)

    @property
    def sizes(self) -> np.ndarray:
        """How well each unknown (p,) is known before: standard deviations; of mounts the robot's size, and 1 rad."""
        mounts = [self.model.size if name[-2:] in (".x", ".y", ".z") else 1.0 for name in self.mounts.names]
        return np.array([*(u.prior for u in self.unknowns), *mounts])

    def start(self, q: np.ndarray, mounts: Mounts | None = None) -> GeometryEstimate:
        """The estimate before anything is found."""
        values = np.array([u.value for u in self.unknowns])
        return GeometryEstimate(values, mounts or self.mounts, q, np.zeros(len(self.sizes)))

    def subset(self, poses: np.ndarray) -> "CalibrationProblem":
        """The same with some of the poses."""
        o = self.observed
        pose = None if o.pose is None else o.pose[poses]
        return CalibrationProblem(self.model, replace(o, readings=o.readings[poses], pose=pose), self.unknowns)

    def parameters(self, values: np.ndarray) -> np.ndarray:
        """The design (n,) with these values of the unknowns."""
        out = np.array(self.model.parameters)
        out[self.programs.places] = values[self.placed]
        return out

    def correction(self, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(zeros, scales) of all encoders: coordinate = scale · reading + zero."""
        own = {u.name: x for u, x in zip(self.unknowns, values, strict=True) if u.encoder is not None}
        names = self.observed.encoders
        zeros = np.array([own.get(f"{name}.zero", 0.0) for name in names])
        return zeros, np.array([own.get(f"{name}.scale", 1.0) for name in names])

    def move(self, at: GeometryEstimate, equations: Equations, step: np.ndarray) -> GeometryEstimate:
        """After a step (p,) in units of the unknowns' prior deviations, the states following."""
        x = step * self.sizes
        k = len(self.unknowns)
        du = limit_steps(self.model.mechanism, equations.motion.step(step), self.model.size, LARGEST_STEP)
        q = retract(self.model.mechanism, at.q, du)
        return GeometryEstimate(at.values + x[:k], at.mounts.move(x[k:]), q, at.away + step)

    def rest(self, at: GeometryEstimate) -> tuple[GeometryEstimate, Equations]:
        """The same with loops closed and the states where they fit best, unknowns held; and the equations there."""
        nothing = np.zeros(len(self.sizes))
        equations = self.equations(at)
        for _ in range(RESTS):
            du = equations.motion.step(nothing)
            size = np.abs(du / self.units).max(initial=0.0)
            if not np.isfinite(size) or size < RESTED:
                break
            du = limit_steps(self.model.mechanism, du, self.model.size, LARGEST_STEP)
            at = replace(at, q=retract(self.model.mechanism, at.q, du))
            equations = self.equations(at)
        return at, equations

    def seen_equations(self, at: GeometryEstimate) -> Equations:
        """The equations of measurements that agree with an estimate, its loops closed with the readings held as states have
        them."""
        drives = at.q[:, self.model.drive_index]
        standing = self.lead(at, drives)
        good = np.asarray(np.isfinite(standing.q).all(axis=1))
        standing = replace(standing, q=np.where(good[:, None], standing.q, at.q))
        found = self._agreeing(standing).equations(standing)
        keep = good & (found.open < OPEN)
        return replace(found, matrix=found.matrix * keep[:, None, None], freedom=found.freedom * keep)

    def _agreeing(self, at: GeometryEstimate) -> "CalibrationProblem":
        """The same with measurements as an estimate predicts them."""
        o = self.observed
        zeros, scales = self.correction(at.values)
        readings = (at.q[:, list(o.entries)] - zeros) / scales
        pose = None
        if o.pose is not None:
            p, R = at.mounts.seen_poses(*self.programs.pose(at.q, at.values[self.placed]))
            pose = np.concatenate([p, quaternion_wxyz_of(R)], axis=1)
        return CalibrationProblem(self.model, replace(o, readings=readings, pose=pose), self.unknowns)

    def lead(self, at: GeometryEstimate, drives: np.ndarray, iterations: int = 60) -> GeometryEstimate:
        """The same with loops closed and drive coordinates (n, drives) as given, by Newton from its states; NaN where that ends
        nowhere."""
        structure, q = self.model.mechanism, at.q.copy()
        entries = structure.drive_index
        columns = [structure.links[d.link].u for d in structure.drives]
        rows = np.eye(len(self.units))[columns] * self.units[columns][:, None]
        for _ in range(iterations):
            good = np.isfinite(q).all(axis=1)
            out = self.programs.closures(q[good], at.values[self.placed])
            missing = np.concatenate([out["residual"] / self.row_scales, drives[good] - q[good][:, entries]], axis=1)
            if not len(missing) or np.abs(missing).max() < 1e-13:
                break
            G = np.concatenate(
                [
                    out["G"] * self.units / self.row_scales[:, None],
                    np.broadcast_to(rows, (int(good.sum()), *rows.shape)),
                ],
                axis=1,
            )
            du = np.einsum("nur,nr->nu", np.linalg.pinv(G, rcond=SINGULAR), missing) * self.units
            du = limit_steps(structure, du, self.model.size, LARGEST_STEP)
            q[good] = retract(structure, q[good], du)
        good = np.isfinite(q).all(axis=1)
        out = self.programs.closures(q[good], at.values[self.placed])
        error = np.abs(out["residual"] / self.row_scales).max(axis=1, initial=0.0)
        error = np.asarray(np.maximum(error, np.abs(drives[good] - q[good][:, entries]).max(axis=1, initial=0.0)))
        lost = np.flatnonzero(good)[~np.asarray(error < 1e-9)]
        q[lost] = np.nan
        return replace(at, q=q)

    def pose_slopes(self, at: GeometryEstimate) -> np.ndarray:
        """Total derivative (n, 6, p) of the seen pose by the unknowns, SI, readings of the encoders held and loops closed."""
        k = len(self.observed.encoders)
        own = self._agreeing(at)
        m = own.equations(at).motion
        _, H, K = own._measured(at, slice(None), at.values[self.placed])
        held = (H[:, :k] @ m.Gamma, H[:, :k] @ m.by_unknowns + K[:, :k] * self.sizes)
        motion = m.by_unknowns - m.Gamma @ (np.linalg.pinv(held[0], rcond=SINGULAR) @ held[1])
        D = (H[:, k:] @ motion / self.sizes + K[:, k:]) * self.observed.sigma[k:, None]
        out = np.zeros((len(at.q), 6, D.shape[2]))
        out[:, list(self.observed.components)] = D
        return out

    def equations(self, at: GeometryEstimate) -> Equations:
        """Linearised at an estimate, some thousand poses at a time."""
        n = len(at.q)
        if n <= AT_ONCE:
            return self._equations(at, slice(None))
        parts = [self._equations(at, slice(a, a + AT_ONCE)) for a in range(0, n, AT_ONCE)]
        motion = _Motion(*(np.concatenate([getattr(p.motion, f.name) for p in parts]) for f in fields(_Motion)))
        names = [f.name for f in fields(Equations) if f.name != "motion"]
        return Equations(motion=motion, **{name: np.concatenate([getattr(p, name) for p in parts]) for name in names})

    def _equations(self, at: GeometryEstimate, part: slice) -> Equations:
        q, geometry, sizes = at.q[part], at.values[self.placed], self.sizes
        n, p = len(q), len(sizes)
        out = self.programs.closures(q, geometry)
        U, s, V, rank = self._decomposed(out["G"])
        phi = out["residual"] / self.row_scales
        slope = np.zeros((n, len(self.row_scales), p))
        slope[:, :, self.placed] = self.programs.closures_by_geometry(q, geometry) / self.row_scales[:, None]
        slope *= sizes
        spread = np.swapaxes(U[:, :, :rank], 1, 2)
        solve = np.swapaxes(V[:, :rank], 1, 2) / s[:, None, :rank]
        still = np.einsum("nur,nrk,nk->nu", solve, spread, phi, optimize=True)
        by_unknowns = solve @ (spread @ slope)
        Gamma = np.swapaxes(V[:, rank:], 1, 2)
        idle = np.swapaxes(U[:, :, rank:], 1, 2)
        exact, exact_rest = idle @ slope, np.einsum("nkr,nr->nk", idle, phi)
        raw, H, K = self._measured(at, part, geometry)
        H = H * self.units
        rest = raw + np.einsum("nmu,nu->nm", H, still)
        A = K * sizes + H @ by_unknowns
        B = H @ Gamma
        eliminate, projector, freedom = _eliminated(B)
        units = self.units[:, None]
        motion = _Motion(still * self.units, by_unknowns * units, Gamma * units, eliminate, rest, A)
        wrong = np.maximum(np.abs(phi).max(axis=1, initial=0.0), np.abs(out["misalignment"]).max(axis=1, initial=0.0))
        left = np.einsum("nij,nj->ni", projector, rest)
        return Equations(left, projector @ A, freedom, raw, exact.reshape(-1, p), exact_rest.reshape(-1), motion, wrong)

    def _decomposed(self, G: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
        """Singular value decomposition of the scaled closures, and their rank."""
        U, s, V = np.linalg.svd(G * self.units / self.row_scales[:, None], full_matrices=True)
        rank = G.shape[1] - self.redundant
        return U, np.maximum(s, 1e-300), V, rank

    def _measured(
        self, at: GeometryEstimate, part: slice, geometry: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(h - y)/σ (n, m), H (n, m, nu) and K (n, m, p): all that was measured, predicted, with its derivatives."""
        o, q = self.observed, at.q[part]
        n, nu, p, k = len(q), len(self.units), len(self.sizes), len(o.encoders)
        zeros, scales = self.correction(at.values)
        m = k + len(o.components)
        r, H, K = np.zeros((n, m)), np.zeros((n, m, nu)), np.zeros((n, m, p))
        predicted = (q[:, list(o.entries)] - zeros) / scales
        r[:, :k] = self._nearest_turns(predicted - o.readings[part], scales)
        H[:, np.arange(k), list(o.columns)] = 1.0 / scales
        for j, unknown in enumerate(self.unknowns):
            if unknown.encoder is not None:
                i = o.encoders.index(unknown.encoder)
                K[:, i, j] = -predicted[:, i] / scales[i] if unknown.is_scale else -1.0 / scales[i]
        if o.pose is not None:
            c, g = list(o.components), len(self.unknowns)
            position, R = self.programs.pose(q, geometry)
            by_motion, by_geometry = self.programs.pose_rates(q, geometry, R)
            error, slope = pose_errors(*at.mounts.seen_poses(position, R), o.pose[part])
            r[:, k:] = error[:, c]
            H[:, k:] = (slope @ at.mounts.seen_rates(position, R, by_motion))[:, c]
            K[:, k:, self.placed] = (slope @ at.mounts.seen_rates(position, R, by_geometry))[:, c]
            K[:, k:, g:] = (slope @ at.mounts.own_rates(position, R))[:, c]
        return r / o.sigma, H / o.sigma[:, None], K / o.sigma[:, None]

    def _nearest_turns(self, difference: np.ndarray, scales: np.ndarray) -> np.ndarray:
        """Of angles of which whole turns make no difference the nearest one."""
        turn = 2.0 * np.pi / scales
        return difference - np.where(self._periodic, np.round(difference / turn) * turn, 0.0)

    @cached_property
    def _periodic(self) -> np.ndarray:
        return np.isin(self.observed.entries, periodic_coordinates(self.model.mechanism))


def _eliminated(B: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(B⁺ (n, f, m), the projector (n, m, m) on what B cannot explain, the rank of that (n,))."""
    U, s, V = np.linalg.svd(B, full_matrices=False)
    good = s > SINGULAR * np.maximum(s[:, :1], 1e-300)
    inverse = np.where(good, 1.0 / np.where(good, s, 1.0), 0.0)
    plus = np.einsum("nkf,nk,nmk->nfm", V, inverse, U, optimize=True)
    kept = U * good[:, None, :]
    projector = np.eye(B.shape[1]) - kept @ np.swapaxes(kept, 1, 2)
    return plus, projector, B.shape[1] - good.sum(axis=1)
