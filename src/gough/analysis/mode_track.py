"""One natural vibration of a robot from pose to pose: its frequency and damping along a path.

At every pose the vibrations about static equilibrium are those of `gough.natural_frequencies`: ω_k and shapes φ_k with
φ_kᵀ M φ_k = 1. The one that is followed is a direction φ, taken on by projection onto those modes that swing within NEAR of its
frequency at the pose before, c_k = φ_kᵀ M φ:

    φ ← Σ c_k φ_k / |c|,   ω² = Σ c_k² ω_k² / |c|².                                                       (1)

Where one mode is near, ω is its own; of modes that cross, or swing alike (the two lateral ones of a symmetric robot), it is that
of the motion which was followed, without a kink. Its eigenvalue λ with damping is that of φ with all modes that are not near,
eliminated exactly: with amplitudes x of these, C_φ = φᵀ C φ and the row C_x of damping between φ and them,

    λ² + λ C_φ + ω² - λ² C_x (λ² + λ C_xx + Ω_x²)⁻¹ C_xᵀ = 0.                                               (2)

A motion with accelerations a(t) of the rigid velocities pushes mode k by g_k = φ_kᵀ M [a, 0] and leaves it with the energy
½|∫ g_k exp(-iωt) dt|², ω = ω_k, were it not damped. The mode that a motion
excites most is the one with the largest mean of it over BAND about ω_k, where a zero next to ω_k does not hide it; φ_k is that of
the pose with the largest acceleration.

Drives that give way damp, often strongly: no undamped shape is near theirs. There λ and complex shapes y in terms of the φ_k are
those of λ² y + λ C y + Ω² y = 0, yᵀ (2λ + C) y = 1, followed by λ and by likeness |yᴴ y'|². What a motion leaves of one a
swing after its end T, when what is damped out at once is gone, is

    y yᵀ ∫ g exp(λ (T + 2π/Im λ - t)) dt.                                                                      (3)
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gough.analysis.equilibrium import static_equilibrium
from gough.analysis.linear_forces import RestForces
from gough.analysis.modes import free_motions, undamped_modes
from gough.errors import BadStateError, UsageError
from gough.kinematics.retraction import step_units
from gough.model import Model
from gough.text import short_repr

NEAR = 0.03
"""Modes whose frequencies differ by less than this part are one motion where they meet."""
BAND = 0.15
"""Relative width, to either side, of the frequencies about a mode in which a motion's excitation counts."""
NOTHING = 1e-9
"""A part of the energy this small is none."""
ROUNDS = 50
"""Most iterations for an eigenvalue."""
LOST = 0.3
"""Least part |c|² of a shape that modes near its frequency must have at the next pose, and least likeness of damped shapes."""
FAR = 0.3
"""Largest relative change of an eigenvalue from pose to pose."""
SWINGS = 1e-6
"""Im λ over |λ| that is a swing."""


@dataclass(frozen=True, eq=False)
class ModeTrack:
    """frequencies_hz (n,): |λ|/2π; damping (n,): ratios -Re λ/|λ|; at poses one after the other.

    mode: its number at the first pose, from 0 on, the nearest where several are followed as one. excited: the part of the energy
    it has where it was chosen for what a motion excites, NaN where its number was given.
    """

    frequencies_hz: np.ndarray
    damping: np.ndarray
    mode: int
    excited: float

    __repr__ = short_repr


@dataclass(frozen=True, eq=False)
class _Swing:
    """One pose: ω² (k,), shapes (nv, k), M and C (nv, nv)."""

    squares: np.ndarray
    shapes: np.ndarray
    M: np.ndarray
    C: np.ndarray

    @property
    def frequencies(self) -> np.ndarray:
        """Hz (k,), slowest first."""
        return np.sqrt(np.maximum(self.squares, 0.0)) / (2 * np.pi)


@dataclass(frozen=True, eq=False)
class _Damped:
    """One pose: λ (k,), 1/s, of what swings, above the real axis, slowest first; y (modes, k) of (3), in undamped shapes."""

    values: np.ndarray
    shapes: np.ndarray

    @classmethod
    def of(cls, swing: _Swing) -> "_Damped":
        """The eigenvalues of a pose."""
        n = len(swing.squares)
        C = swing.shapes.T @ swing.C @ swing.shapes
        whole = np.block([[np.zeros((n, n)), np.eye(n)], [-np.diag(swing.squares), -C]])
        values, y = np.linalg.eig(whole)
        up = np.flatnonzero(np.imag(values) > SWINGS * np.abs(values))
        up = up[np.argsort(np.abs(values[up]))]
        values, y = values[up], y[:n, up]
        unit = 2.0 * values * (y * y).sum(axis=0) + np.einsum("ik,ij,jk->k", y, C, y)
        return cls(values, y / np.sqrt(unit.astype(complex)))

    @property
    def frequencies(self) -> np.ndarray:
        """|λ|/2π, Hz (k,)."""
        return np.abs(self.values) / (2 * np.pi)

    def remaining_parts(self, pushes: np.ndarray, t: np.ndarray) -> np.ndarray:
        """Parts (k,) of the energy that pushes (m, modes) at equal times t (m,) leave by (3)."""
        g, energy = pushes @ self.shapes, np.zeros(len(self.values))
        for share in np.linspace(1 - BAND, 1 + BAND, 9):
            decay = np.minimum(np.real(self.values), 0.0) + 1j * share * np.imag(self.values)
            after = t[-1] + 2 * np.pi / np.imag(self.values) - t[:, None]
            energy += np.abs(np.trapezoid(g * np.exp(decay * after), t, axis=0)) ** 2
        energy *= np.abs(self.values) ** 2 * (np.abs(self.shapes) ** 2).sum(axis=0)
        energy[np.abs(self.values) * (t[1] - t[0]) > 1.0] = 0.0  # times do not resolve what is faster
        return energy / max(energy.sum(), 1e-300)


def swings_at(model: Model, q: np.ndarray, drives: Any, parameters: np.ndarray) -> list[_Swing]:
    """The vibrations at poses q (n, nq), each about its own equilibrium, in typical sizes of v."""
    rest = static_equilibrium(model, q=q, parameters=parameters)
    forces = RestForces(model, parameters)
    unit = step_units(model.mechanism, model.size)[list(model.mechanism.selection.independent)]
    moving = model.mechanism.moving
    terms = forces.mass(rest.q), forces.damping(rest.q, rest.tau), forces.stiffness(rest.q, rest.tau)
    M, C, K = ((A * unit[:, None] * unit) for A in terms)
    S = forces.drive_map(rest.q) * unit[:, None]
    out = []
    for k in range(len(q)):
        m, c, stiff = (A[k][np.ix_(moving, moving)] for A in (M, C, K))
        N, stiff, c = free_motions(S[k][moving], stiff, c, drives)
        squares, y = undamped_modes(N.T @ m @ N, N.T @ stiff @ N)
        shapes = N @ y
        size = np.sqrt(np.einsum("ik,ij,jk->k", shapes, m, shapes))
        out.append(_Swing(squares, shapes / size, m, c))
    return out


def excited_parts(swing: _Swing, model: Model, t: np.ndarray, accelerations: np.ndarray) -> np.ndarray:
    """Parts (k,) of the energy that rigid accelerations (m, mobility) at equal times t (m,) leave in each mode."""
    g = np.stack([_pushes(swing, model, a) for a in accelerations])
    w = np.sqrt(np.maximum(swing.squares, 0.0))
    energy = np.zeros(len(w))
    for share in np.linspace(1 - BAND, 1 + BAND, 9):
        energy += np.abs(np.trapezoid(g * np.exp(-1j * share * w * t[:, None]), t, axis=0)) ** 2
    energy[(swing.squares <= 0) | (w * (t[1] - t[0]) > 1.0)] = 0.0  # times do not resolve what is faster
    return energy / max(energy.sum(), 1e-300)


def _pushes(swing: _Swing, model: Model, acceleration: np.ndarray) -> np.ndarray:
    """g (k,) of all modes."""
    unit = step_units(model.mechanism, model.size)[list(model.mechanism.selection.independent)]
    whole = np.zeros(model.layout.nv)
    whole[: model.layout.mobility] = acceleration
    return swing.shapes.T @ swing.M @ (whole / unit)[model.mechanism.moving]


def track_modes(
    model: Model,
    q: np.ndarray,
    drives: Any,
    parameters: np.ndarray,
    which: Sequence[int | np.ndarray | None],
    excitation: tuple[np.ndarray, np.ndarray],
) -> list[ModeTrack]:
    """Modes along poses q (n, nq) that follow each other closely, at equal times. which: numbers at the first pose (from 0 on);
    None for the one that the excitation excites most of those not followed yet; or frequencies (n,) about which it is (Hz).
    excitation: equal times (m,), s, from the first pose to the last, and rigid accelerations (m, mobility)."""
    swings = swings_at(model, q, drives, parameters)
    count = len(swings[0].squares)
    if not count or (not model.layout.n_elastic and drives == "locked"):
        raise UsageError(
            f"{model.robot.name} has nothing that swings with its drives {'locked' if drives == 'locked' else 'so held'}: make "
            "bodies flexible, or say how its drives are held, drives={'stiffness': …, 'damping': …}"
        )
    t, accelerations = excitation
    if drives != "locked":
        return _damped_tracks(model, swings, which, t, accelerations)
    pull = accelerations[int(np.linalg.norm(accelerations, axis=1).argmax())]
    busiest = round(float(np.linalg.norm(accelerations, axis=1).argmax()) / (len(t) - 1) * (len(q) - 1))
    swing = swings[busiest]
    f, part = swing.frequencies, excited_parts(swing, model, t, accelerations)
    taken: list[float] = []  # frequencies that are followed already, at the busiest pose
    out = []
    for wanted in which:
        if isinstance(wanted, int):
            _demand_number(model, wanted, count)
            made = _followed(swings, 0, np.eye(count)[wanted], float("nan"))
        else:
            free = (swing.squares > 0) & np.array([all(abs(x - t) > NEAR * t for t in taken) for x in f])
            if wanted is not None:
                about = float(wanted[busiest])
                free &= np.abs(f - about) <= NEAR * about
            k = _most_excited(model, free, part, bool(taken))
            near = np.abs(f - f[k]) <= NEAR * f[k]
            made = _followed(swings, busiest, _direction(swing, model, pull, near), float(part[near].sum()))
        taken.append(float(made.frequencies_hz[busiest]))
        out.append(made)
    return out


def _demand_number(model: Model, wanted: int, count: int) -> None:
    if not 0 <= wanted < count:
        raise UsageError(f"modes: {wanted}; {model.robot.name} has {count}, counted from 0")


def _most_excited(model: Model, free: np.ndarray, part: np.ndarray, others: bool) -> int:
    """Of the modes (k,) that are free, the one with the largest part (k,) of the energy; a UsageError where there is none."""
    if not free.any() or part[free].max() < NOTHING:
        other = "other " if others else ""
        raise UsageError(f"{model.robot.name}: the motion excites no {other}mode; name one by its number, modes=")
    return int(np.flatnonzero(free)[part[free].argmax()])


def _damped_tracks(
    model: Model,
    swings: list[_Swing],
    which: Sequence[int | np.ndarray | None],
    t: np.ndarray,
    accelerations: np.ndarray,
) -> list[ModeTrack]:
    """As `track_modes`, of robots whose drives give way."""
    damped = [_Damped.of(swing) for swing in swings]
    none = [k for k, one in enumerate(damped) if not len(one.values)]
    if none:
        raise UsageError(
            f"{model.robot.name}: with its drives so held nothing swings at pose {none[0]} of {len(swings)}: there is no "
            "vibration to put to rest"
        )
    pushed = round(float(np.linalg.norm(accelerations, axis=1).argmax()) / (len(t) - 1) * (len(swings) - 1))
    busy = damped[pushed]
    part = busy.remaining_parts(np.stack([_pushes(swings[pushed], model, a) for a in accelerations]), t)
    taken: list[float] = []
    out = []
    for wanted in which:
        start, excited = pushed, float("nan")
        if isinstance(wanted, int):
            _demand_number(model, wanted, len(swings[0].squares))
            alike = np.abs(damped[0].shapes) ** 2
            start, k = 0, int((alike / alike.sum(axis=0))[wanted].argmax())
        else:
            free = np.array([all(abs(x - y) > NEAR * y for y in taken) for x in busy.frequencies])
            if wanted is not None:
                about = float(wanted[pushed])
                free &= np.abs(busy.frequencies - about) <= NEAR * about
            k = _most_excited(model, free, part, bool(taken))
            excited = float(part[k])
        values = _followed_damped(swings, damped, start, k)
        f = np.abs(values) / (2 * np.pi)
        mode = int(np.abs(swings[0].frequencies - f[0]).argmin())
        out.append(ModeTrack(f, -np.real(values) / np.abs(values), mode, excited))
        taken.append(float(f[pushed]))
    return out


def _followed_damped(swings: list[_Swing], damped: list[_Damped], start: int, number: int) -> np.ndarray:
    """λ (n,) at all poses of the vibration with that number at pose `start`."""
    out = np.zeros(len(swings), dtype=complex)
    for way in (range(start, len(swings)), range(start - 1, -1, -1)):
        value: Any = damped[start].values[number]
        y: Any = swings[start].shapes @ damped[start].shapes[:, number]
        for k in way:
            here = damped[k]
            seen = swings[k].shapes.T @ swings[k].M @ y
            alike = np.abs(here.shapes.conj().T @ seen) ** 2
            alike /= (np.abs(here.shapes) ** 2).sum(axis=0) * (np.abs(seen) ** 2).sum()
            alike[np.abs(here.values - value) > FAR * abs(value)] = 0.0
            best = int(alike.argmax())
            if not alike[best] > LOST:
                raise BadStateError(
                    f"the vibration of {abs(value) / (2 * np.pi):.6g} Hz, damping ratio {-value.real / abs(value):.3g}, is lost "
                    f"at pose {k} of {len(swings)}: nothing near it swings alike. Take more samples, another mode (modes=), or a "
                    "constant frequency= and damping=",
                    None,
                )
            out[k] = value = here.values[best]
            y = swings[k].shapes @ here.shapes[:, best]
    return out


def _direction(swing: _Swing, model: Model, acceleration: np.ndarray, near: np.ndarray) -> np.ndarray:
    """The excited motion among modes `near` (k,) each other, as amplitudes (k,) of length 1."""
    g = _pushes(swing, model, acceleration) * near
    return g / np.linalg.norm(g)


def _followed(swings: list[_Swing], start: int, amplitudes: np.ndarray, excited: float) -> ModeTrack:
    """(1) from pose `start` to both ends."""
    f, zeta = np.zeros(len(swings)), np.zeros(len(swings))
    first = swings[start]
    phi = first.shapes @ amplitudes
    for way in (range(start, len(swings)), range(start, -1, -1)):
        last: Any = phi
        frequency = float(np.sqrt(max(amplitudes**2 @ first.squares, 0.0))) / (2 * np.pi)
        for k in way:
            swing = swings[k]
            near = np.abs(swing.frequencies - frequency) <= NEAR * frequency
            c = (swing.shapes.T @ swing.M @ last) * near
            kept = float(c @ c)
            if not kept > LOST * float(last @ swing.M @ last):
                raise BadStateError(
                    f"the mode of {frequency:.6g} Hz is lost at pose {k} of {len(swings)}: no mode near it moves alike. Take "
                    "more samples, another mode (modes=), or a constant frequency=",
                    None,
                )
            square = float(c**2 @ swing.squares) / kept
            if square <= 0:
                raise BadStateError(
                    f"the mode does not swing at pose {k} of {len(swings)}: no stiffness leads it back", None
                )
            last = swing.shapes @ (c / np.sqrt(kept))
            value = _eigenvalue(swing, c / np.sqrt(kept), near, square)
            f[k], zeta[k] = abs(value) / (2 * np.pi), -value.real / abs(value)
            frequency = float(np.sqrt(square)) / (2 * np.pi)
    return ModeTrack(f, zeta, int(np.abs(swings[0].frequencies - f[0]).argmin()), excited)


def _eigenvalue(swing: _Swing, c: np.ndarray, near: np.ndarray, square: float) -> complex:
    """λ (1/s) of (2) for amplitudes c (k,) of modes `near` (k,), above the real axis."""
    C = swing.shapes.T @ swing.C @ swing.shapes
    own, row, rest = float(c @ C @ c), (c @ C)[~near], C[np.ix_(~near, ~near)]
    value = complex(0.0, np.sqrt(square))
    for _ in range(ROUNDS):
        D = value * rest + np.diag(value**2 + swing.squares[~near])
        lead = 1.0 - complex(row @ np.linalg.solve(D, row)) if len(row) else 1.0
        root = np.sqrt(complex(own**2) - 4.0 * lead * square)
        found = max(((-own + x) / (2.0 * lead) for x in (root, -root)), key=lambda x: x.imag)
        if abs(found - value) <= 1e-14 * abs(value):
            break
        value = found
    return value
