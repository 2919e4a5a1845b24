"""Real zeros of a trigonometric polynomial, with a proof of their number.

Derivation  F(φ) = Σ c_k e^{ikφ}, |k| ≤ n, real: with z = e^{iφ} a polynomial z^n F of degree 2n whose zeros come in pairs
z, 1/z̄. Discs |z - z_k| ≤ m |p(z_k)| / |p_m Π (z_k - z_j)| around approximate zeros cover all zeros, and a group of
overlapping discs has as many zeros as discs [Smith 1970]. A disc that meets the unit circle and stays clear of all others
has one zero; its pair lies next to it, so both are the same and on the circle. Discs off the circle have no real zero.
"""

from collections.abc import Callable

import numpy as np

NEGLIGIBLE = 1e-13
"""Coefficients below this, relative to the terms they are the sum of, are zero."""


def real_zeros(
    function: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]], degree: int
) -> tuple[np.ndarray, str | None]:
    """(angles in (-π, π], why their number is not certain or None) of F of a trigonometric degree.

    function: angles (n,) -> (F (n,), sizes (n,) of the terms that F is the sum of).
    """
    count = 4 * degree + 4
    angles = 2 * np.pi * np.arange(count) / count
    values, sizes = function(angles)
    noise = NEGLIGIBLE * float(np.max(sizes))
    spectrum = np.fft.fft(values) / count
    c = np.concatenate([spectrum[-degree:], spectrum[: degree + 1]])  # c[-degree] … c[degree]
    if not np.isfinite(values).all():
        return np.zeros(0), "the polynomial is not finite"
    rest = np.abs(spectrum[degree + 1 : -degree]).max()
    if rest > 10 * noise:
        return np.zeros(0), "the polynomial's degree is higher than it should be"
    while len(c) > 1 and max(abs(c[0]), abs(c[-1])) <= noise:
        c = c[1:-1]
    if len(c) == 1:
        return np.zeros(0), "every angle is a zero" if abs(c[0]) <= noise else None
    zeros = _polished(c, np.roots(c[::-1]))
    radii = _discs(c, zeros, noise)
    real = np.abs(np.abs(zeros) - 1.0) <= radii
    gaps = np.abs(zeros[:, None] - zeros[None]) - radii[None] - 4.0 * radii[:, None]
    np.fill_diagonal(gaps, np.inf)
    if not np.isfinite(radii).all() or (gaps.min(axis=1)[real] <= 0).any():
        near = np.angle(zeros[np.abs(np.abs(zeros) - 1.0) <= np.maximum(radii, 1e-5)])
        return _distinct(near), "two zeros are too close to tell whether they are real"
    return np.sort(np.angle(zeros[real])), None


def _polished(c: np.ndarray, zeros: np.ndarray) -> np.ndarray:
    """Newton's steps on each zero, kept where they help."""
    p, slope = c[::-1], np.polyder(c[::-1])
    for _ in range(3):
        with np.errstate(all="ignore"):
            better = zeros - np.polyval(p, zeros) / np.polyval(slope, zeros)
        helped = np.isfinite(better) & (np.abs(np.polyval(p, better)) < np.abs(np.polyval(p, zeros)))
        zeros = np.where(helped, better, zeros)
    return zeros


def _discs(c: np.ndarray, zeros: np.ndarray, noise: float) -> np.ndarray:
    """Radii (m,) of the discs; every coefficient may be wrong by `noise`."""
    powers = np.abs(zeros)[:, None] ** np.arange(len(c))
    value = np.abs(np.polyval(c[::-1], zeros)) + noise * powers.sum(axis=1) + 1e-15 * powers @ np.abs(c)
    apart = zeros[:, None] - zeros[None]
    np.fill_diagonal(apart, 1.0)
    with np.errstate(all="ignore"):
        return len(zeros) * value / (np.abs(c[-1]) * np.abs(np.prod(apart, axis=1)))


def _distinct(angles: np.ndarray) -> np.ndarray:
    out: list[float] = []
    for angle in np.sort(angles):
        if not out or angle - out[-1] > 1e-4:
            out.append(float(angle))
    return np.array(out)
