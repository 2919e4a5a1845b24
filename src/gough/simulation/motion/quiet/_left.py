"""What a time law leaves of a path's vibrations, and how that changes with the law, exactly.

The amplitude of mode k after (1) of `_path_modes` is, of frequencies that are β times as high and vary slowly [Liouville, Green],

    R_k = ∫₀ᵀ f_k E dt/√(ω(t) ω(T)),  E = exp(∫ₜᵀ λ dτ),  λ = Re λ_k + iω,  ω = β Im λ_k.                  (1)

Along a law s(t) = Σ x_i B_i its derivative is

    ∂R/∂x_i = ∫ [∂f/∂s̈ B̈_i + ∂f/∂ṡ Ḃ_i + (∂f/∂s - f ω'/2ω) B_i] E dt/√… + ∫ λ'(s) B_i F dt,                  (2)

F(t) = ∫₀ᵗ f E dτ/√… . Integrals are Gauss's over the law's pieces, F by the polynomials through his points.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from gough.simulation.motion.quiet._law import DEGREE, STILL, SplineLaws
from gough.simulation.motion.quiet._path_modes import Complex, PathModes

POINTS = 6
"""Gauss points of a panel."""
TURN = 1.5
"""Largest phase (rad) that a panel's fastest mode goes through."""


@dataclass(frozen=True, eq=False)
class _Panels:
    """Times t (panels, POINTS), weights (POINTS,) of a panel's integral, rising integrals (POINTS, POINTS), width (s)."""

    t: np.ndarray
    weights: np.ndarray
    rising: np.ndarray

    @classmethod
    def of(cls, duration: float, count: int) -> "_Panels":
        x, w = np.polynomial.legendre.leggauss(POINTS)
        h = duration / count
        nodes = 0.5 * (x + 1.0) * h
        powers = np.arange(POINTS)
        V = (nodes[:, None] / h) ** powers
        integral = h * (nodes[:, None] / h) ** (powers + 1) / (powers + 1)
        return cls(np.arange(count)[:, None] * h + nodes, 0.5 * w * h, integral @ np.linalg.inv(V))

    def whole(self, f: Any) -> Any:
        """∫ f over everything; f (panels · POINTS, …)."""
        return np.tensordot(np.tile(self.weights, len(self.t)), f, 1)

    def rise(self, f: Any) -> Any:
        """∫ from 0 to each time of f (panels · POINTS, …)."""
        rows = (
            np.ascontiguousarray(f).view(float).reshape(*self.t.shape, -1)
        )  # complex numbers as two: weights are real
        inner = self.rising @ rows
        before = np.cumsum(self.weights @ rows, axis=0)
        inner[1:] += before[:-1, None]
        return inner.view(f.dtype).reshape(f.shape)


def _local_basis(B: np.ndarray, pieces: int) -> np.ndarray:
    """(pieces, DEGREE + 1, points of a piece): the only B_i (m, coefficients) that a piece has."""
    rows = B.reshape(pieces, -1, B.shape[1])
    own = np.arange(pieces)[:, None] + np.arange(DEGREE + 1)
    return np.ascontiguousarray(np.swapaxes(np.take_along_axis(rows, own[:, None, :], 2), 1, 2))


def _phases(theta: np.ndarray, factors: np.ndarray) -> Iterator[Complex]:
    """exp(iβθ) for each β of the factors; of those at equal steps each from the one before."""
    found, step, before = np.zeros(0, dtype=complex), np.zeros(0, dtype=complex), np.nan
    for k, beta in enumerate(factors):
        width = beta - factors[k - 1] if k else np.nan
        if abs(width - before) <= 1e-12:
            found = found * step
        else:
            found = np.exp(1j * beta * theta)
            if k + 1 < len(factors):
                before = factors[k + 1] - beta
                step = np.exp(1j * before * theta)
        yield found


class Leftover:
    """Amplitudes that laws leave, of all modes at all factors β (b,)."""

    def __init__(self, modes: PathModes, laws: SplineLaws, factors: np.ndarray) -> None:
        self.modes, self.laws, self.factors = modes, laws, factors
        fastest = 2 * np.pi * modes.fastest * factors.max()
        each = max(1, int(np.ceil(fastest * laws.duration / laws.pieces / TURN)))
        self.panels = _Panels.of(laws.duration, laws.pieces * each)
        self.basis = laws.basis(self.panels.t.ravel())
        weights = np.tile(self.panels.weights, len(self.panels.t))[:, None]
        self.weighted = [_local_basis(weights * B, laws.pieces) for B in self.basis]

    def _pushed(self, x: np.ndarray) -> tuple[Complex, tuple[Complex, ...], Complex, Complex]:
        """At all points: f (m, k), its slopes by s̈, ṡ and s, λ (m, k) and its slope by s."""
        c = self.laws.coefficients(x)
        s, first, second = (B @ c for B in self.basis)
        (lam, A, B, C), (lamp, Ap, Bp, Cp) = self.modes.at(s)
        first, second = first[:, None], second[:, None]
        f = A * second + B * first**2 + C * first
        return f, (A, 2 * B * first + C, Ap * second + Bp * first**2 + Cp * first), lam, lamp

    def amplitudes(self, x: np.ndarray, slopes: bool = True) -> tuple[Complex, Complex]:
        """R (b, k), complex, and its derivatives (b, k, n) by the free coefficients."""
        f, (by_second, by_first, by_s), lam, lamp = self._pushed(x)
        last = np.sqrt(self.modes.at(np.ones(1))[0][0, 0].imag)
        to_go = self.panels.whole(lam) - self.panels.rise(lam)
        size = np.exp(to_go.real) / (np.sqrt(lam.imag) * last)
        by_s = by_s - 0.5 * f * (lamp.imag / lam.imag)
        R: list[Any] = []
        J: list[Any] = []
        for beta, phase in zip(self.factors, _phases(to_go.imag, self.factors), strict=True):
            E = phase * (size / beta)
            fE = f * E
            R.append(self.panels.whole(fE))
            if slopes:
                by = by_s * E + (lamp.real + 1j * beta * lamp.imag) * self.panels.rise(fE)
                J.append(self._summed(by, by_first * E, by_second * E)[:, STILL:-STILL])
        return np.array(R, dtype=complex), np.array(J, dtype=complex)

    def _summed(self, *parts: Complex) -> Complex:
        """Σ over all points of y B_i, weights included: (k, coefficients) of y (m, k) beside the values and two slopes of B."""
        pieces, k = self.laws.pieces, parts[0].shape[1]
        own = 0.0
        for y, B in zip(parts, self.weighted, strict=True):  # real and imaginary parts side by side: B is real
            own = own + B @ np.ascontiguousarray(y).view(float).reshape(pieces, -1, 2 * k)
        out = np.zeros((pieces + DEGREE, k), dtype=complex)
        for shift, rows in enumerate(np.moveaxis(np.ascontiguousarray(own).view(complex), 1, 0)):
            out[shift : shift + pieces] += rows
        return out.T

    def peak(self, x: np.ndarray) -> float:
        """The largest √Σ η_k² while the law is under way, frequencies as they are."""
        f, _, lam, _ = self._pushed(x)
        theta = self.panels.rise(lam)
        grown = self.panels.rise(f * np.exp(-theta) / np.sqrt(lam.imag))
        eta = (grown * np.exp(theta)).imag / np.sqrt(lam.imag)
        return float(np.sqrt((eta**2).sum(axis=1)).max(initial=0.0))
