"""The natural vibrations of a robot along a path, and what pushes them as the robot goes along it.

Along a path q(s) the rigid velocities are V(s) ṡ and their accelerations V s̈ + V' ṡ². The forces that these take of mode k,
drives locked, are those of the equations of motion at the robot that does not bend, r(q, v, v̇) = M v̇ + h, without weight and
along φ_k:

    f_k = A_k(s) s̈ + B_k(s) ṡ² + C_k(s) ṡ,    η̈_k + c_k(s) η̇_k + ω_k(s)² η_k = -f_k                        (1)

for its amplitude η_k, φ_kᵀ M φ_k = 1. Shapes follow each other from pose to pose: modes that come near one another
somewhere on the path form a group, and the shapes of a group are turned among each other at every pose so that they overlap most
with those before, ΦᵀMΦ nearest to 1 (polar decomposition), and once for all so that they have no stiffness in common on average.
What they have in common elsewhere, the rates of shapes and what fast motion does to stiffness are left out: (1) is true where the
robot's modes change little while they swing once, and speeds are small beside theirs.
Damping C ties modes of different groups: an eigenvalue λ_k and its motion φ_k + Σ x_j φ_j, complex, are those of

    λ² + λ C_kk + ω_k² + λ C_kx x = 0,    (λ² + λ C_xx + Ω_x²) x = -λ C_xk,                                 (2)

and forces count along it, f_k + Σ x_j f_j.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gough.analysis.linear_forces import RestForces
from gough.analysis.mode_track import swings_at
from gough.errors import BadStateError, UsageError
from gough.kinematics.retraction import step_units
from gough.model.linear import without_coulomb
from gough.simulation.motion.motion import Motion
from gough.simulation.motion.paths import PolynomialPath, piece_of
from gough.simulation.motion.spline import path_through

if TYPE_CHECKING:
    from gough.model import Model

Complex = NDArray[np.complex128]
NEAR = 0.03
"""Modes whose frequencies differ by less than this part somewhere are one group."""
LOST = 0.7
"""Least overlap of a group's shapes at neighbouring poses."""
STILL = 1e-6
"""A frequency this small beside the largest is none."""
COUNT = 8
"""Functions of s that a mode has: Re λ, Im λ, and real and imaginary parts of A, B, C."""
ROUNDS = 50
"""Most iterations for an eigenvalue."""
RESTS = 0.7
"""Modes of larger damping ratios come to rest by themselves."""


@dataclass(frozen=True, eq=False)
class PathModes:
    """λ (1/s), A, B, C of (1) of k modes, splines over s from 0 to 1. own: all of them side by side."""

    own: PolynomialPath
    count: int

    def at(self, s: np.ndarray) -> tuple[Complex, Complex]:
        """(λ, A, B, C and their slopes over s), each (4, m, k), complex, at s (m,)."""
        x, slope = _values(self.own, np.clip(s, 0.0, 1.0))
        rows = (np.moveaxis(y.reshape(len(s), COUNT, self.count), 1, 0) for y in (x, slope))
        values, slopes = (y[::2] + 1j * y[1::2] for y in rows)
        return values, slopes

    @cached_property
    def _hertz(self) -> np.ndarray:
        """Frequencies (201, k) on the path."""
        return self.at(np.linspace(0.0, 1.0, 201))[0][0].imag / (2 * np.pi)

    @property
    def slowest(self) -> float:
        """The lowest frequency on the path, Hz."""
        return float(self._hertz.min())

    @property
    def fastest(self) -> float:
        """The highest frequency on the path, Hz; 0 where there is no mode."""
        return float(self._hertz.max(initial=0.0))

    def below(self, frequency: float) -> "PathModes":
        """Those modes that are slower (Hz) everywhere on the path."""
        return self.chosen_modes(self._hertz.max(axis=0, initial=0.0) < frequency)

    def chosen_modes(self, chosen: np.ndarray) -> "PathModes":
        """Those modes for which chosen (k,) is true."""
        kept = np.tile(chosen, COUNT)
        return PathModes(PolynomialPath(self.own.breaks, self.own.coefficients[:, kept]), int(chosen.sum()))


def _values(path: PolynomialPath, s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Many functions (m, n) and their slopes at s (m,), piece by piece."""
    which, count = piece_of(path.breaks, s, False), path.coefficients.shape[2]
    x, slope = (np.empty((len(s), path.coefficients.shape[1])) for _ in range(2))
    for k in np.unique(which):
        here = np.flatnonzero(which == k)
        powers = (s[here] - path.breaks[k])[:, None] ** np.arange(count)
        rows = path.coefficients[k].T
        x[here] = powers @ rows
        slope[here] = (powers[:, :-1] * np.arange(1, count)) @ rows[1:]
    return x, slope


def path_modes(model: "Model", path: Motion, samples: int, parameters: np.ndarray) -> PathModes:
    """path: runs along at constant speed, s = t from 0 to 1."""
    from gough.simulation.motion.shape import states_of

    s = np.linspace(0.0, 1.0, samples)
    along = states_of(model, path, s, parameters)
    swings = swings_at(model, along.q, "locked", parameters)
    if not len(swings[0].squares):
        raise UsageError(
            f"{model.robot.name} has nothing that swings with its drives locked: make bodies flexible, or take another motion"
        )
    groups = _groups(np.array([x.frequencies for x in swings]))
    unit = step_units(model.mechanism, model.size)[list(model.mechanism.selection.independent)]
    push = [x[:, model.mechanism.moving] * unit[model.mechanism.moving] for x in _pushes(model, along, parameters)]
    turned = [_turned_shapes(swings, group) for group in groups]
    shapes = np.concatenate([x for x, _ in turned], axis=2)
    squares = np.concatenate([np.einsum("nii->ni", blocks) for _, blocks in turned], axis=1)
    if not squares.shape[1]:
        raise UsageError(f"{model.robot.name}: no mode swings along the path")
    if not (squares > 0).all():
        k = int(np.flatnonzero((squares <= 0).any(axis=1))[0])
        raise BadStateError(f"a mode does not swing at s = {s[k]:.3g} of the path: no stiffness leads it back", None)
    member = np.repeat(np.arange(len(groups)), [len(g) for g in groups])
    damping = np.einsum("nik,nij,njl->nkl", shapes, np.array([x.C for x in swings]), shapes)
    found = [_damped_modes(w, C, member) for w, C in zip(squares, damping, strict=True)]
    value: Complex = np.array([v for v, _ in found])
    own: Complex = np.array([x for _, x in found])
    along_own: list[Complex] = [np.einsum("nkj,nij,ni->nk", own, shapes, x) for x in push]
    rows = np.stack([part for x in (value, *along_own) for part in (x.real, x.imag)], axis=1)
    made = PathModes(path_through(s, rows.reshape(samples, -1), 5, "free"), squares.shape[1])
    swinging = np.asarray((-value.real < RESTS * np.abs(value)).all(axis=0))
    if not swinging.any():
        raise UsageError(f"{model.robot.name}: damping leaves no mode that swings along the path")
    return made.chosen_modes(swinging)


def _damped_modes(squares: np.ndarray, C: np.ndarray, member: np.ndarray) -> tuple[Complex, Complex]:
    """λ (k,) of (2), above the real axis, and motions (k, k) as amplitudes of the undamped modes, a row each."""
    values: Complex = np.zeros(len(squares), dtype=complex)
    rows: Complex = np.eye(len(squares), dtype=complex)
    for k, square in enumerate(squares):
        others = member != member[k]
        value, x = 1j * np.sqrt(square), np.zeros(int(others.sum()), dtype=complex)
        for _ in range(ROUNDS):
            D = value * C[np.ix_(others, others)] + np.diag(value**2 + squares[others])
            x = np.linalg.solve(D, -value * C[others, k])
            linear = C[k, k] + C[k, others] @ x
            root = np.sqrt(linear**2 - 4.0 * square)
            found = 0.5 * (-linear + (root if root.imag >= 0 else -root))
            done = abs(found - value) <= 1e-13 * abs(value)
            value = found
            if done:
                break
        values[k], rows[k, others] = value, x
    return values, rows


def _groups(f: np.ndarray) -> list[np.ndarray]:
    """Numbers of the modes (n poses, k) that swing, slowest first, those that come near each other together."""
    swing = np.flatnonzero((f > STILL * f.max()).any(axis=0))
    apart = (f[:, swing[1:]] - f[:, swing[:-1]] > NEAR * f[:, swing[:-1]]).all(axis=0) if len(swing) else []
    return [g for g in np.split(swing, np.flatnonzero(apart) + 1) if len(g)]


def _turned_shapes(swings: list, group: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(shapes (n, nv, g) that follow each other, their stiffness ΦᵀKΦ (n, g, g))."""
    turns = [np.eye(len(group))]
    for k in range(1, len(swings)):
        before, here = swings[k - 1], swings[k]
        M = 0.5 * (before.M + here.M)
        overlap = here.shapes[:, group].T @ M @ before.shapes[:, group] @ turns[-1]
        u, size, vt = np.linalg.svd(overlap)
        if size.min() < LOST:
            f = here.frequencies[group]
            raise BadStateError(
                f"the modes of {f.min():.6g} … {f.max():.6g} Hz are lost at pose {k} of {len(swings)} on the path: shapes "
                "change too much from pose to pose; take more samples=",
                None,
            )
        turns.append(u @ vt)
    blocks = np.array([t.T @ (x.squares[group, None] * t) for x, t in zip(swings, turns, strict=True)])
    Q = np.linalg.eigh(blocks.mean(axis=0))[1]
    shapes = np.array([x.shapes[:, group] @ t @ Q for x, t in zip(swings, turns, strict=True)])
    return shapes, np.einsum("ij,njk,kl->nil", Q.T, blocks, Q)


def _pushes(model: "Model", along, parameters: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Forces (n, nv) for s̈ = 1, for ṡ² = 1 and for ṡ = 1, at the robot that does not bend."""
    smooth = without_coulomb(model, parameters)
    load = RestForces(model, smooth).load(along.q)
    none = np.zeros((1, len(model.mechanism.drives)))
    rest, rigid = np.zeros_like(along.v), np.zeros_like(along.v)
    rigid[:, : along.acceleration.shape[1]] = along.acceleration

    def forces(v: np.ndarray, vdot: np.ndarray) -> np.ndarray:
        inputs = {"q": along.q, "v": v, "vdot": vdot, "tau": none, **load, "parameters": smooth}
        return model.function("dynamics_residual").values(**inputs)["residual"]

    still = forces(rest, rest)
    there, back = forces(along.v, rigid) - still, forces(-along.v, rigid) - still
    return forces(rest, along.v) - still, 0.5 * (there + back), 0.5 * (there - back)
