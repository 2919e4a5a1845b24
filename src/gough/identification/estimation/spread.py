"""How far estimates spread: the covariance of φ, whatever the colour of the noise.

Any estimate here solves Zᵀ W (target - Y φ) = 0, so φ - truth = A⁻¹ Σ g with g = zᵀ w e of a sample and A = Zᵀ W Y, and
    cov φ = A⁻¹ cov(Σ g) A⁻ᵀ = H S Hᵀ,   A⁻¹ = H Kᵀ,   S = cov(Σ Kᵀ g).
Filters make neighbouring residuals e alike, drives share disturbances, Coulomb friction rattles at reversals: so cov(Σ g) is not
taken from a model of the noise but from sums of g over blocks of samples longer than they remember each other (Newey and West
1987 with a window of blocks). With fewer blocks than TOLD a parameter the noise is taken as white, times what the
autocorrelation of the residuals adds. g is multiplied by K before it is squared: with H = K = T⁻¹, T the triangle of the data, S
is about 1 however badly the data are conditioned, while Σ g gᵀ would have the condition squared, its inverse be rounding alone.
Then S^(-½) H⁻¹ is a root of the information (cov φ)⁻¹ that no rounding makes smaller or larger.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import ceil

import numpy as np

from gough.compilation.row_squares import RowSquares, block_sums
from gough.identification.estimation.rows import Piece

TOLD = 8
"""Blocks for each parameter, at least."""
LAGS = 60
"""Of the autocorrelation."""
MEMORY = 4.0
"""Length of a block over the time in which residuals forget."""
SURE = 1e-9
"""Least eigenvalue of S beside its largest: residuals that cancel over blocks do not tell φ without noise."""


@dataclass(frozen=True)
class Residuals:
    """What an estimate leaves: sums of squares (rows,) and autocorrelation (rows, LAGS + 1) over `count` samples."""

    squares: np.ndarray
    correlation: np.ndarray
    count: int

    @property
    def memory(self) -> float:
        """Equations that tell as much as one."""
        return memory_of(self.correlation)

    @property
    def block(self) -> int:
        """Equations of a block, of which the next one knows nothing."""
        return max(1, ceil(MEMORY * self.memory))


def gather_residuals(pieces: Iterable[Piece], phi: np.ndarray, most: int | None = None) -> Residuals:
    """From the pieces of samples, or from the first of them up to `most` samples; correlations within a piece only."""
    products, count, counts = np.zeros((1, LAGS + 1)), 0, np.zeros(LAGS + 1)
    for piece in pieces:
        e = piece.target - piece.Y @ phi
        count += len(e)
        lags = min(LAGS + 1, len(e))
        products = products + np.pad(_lagged_products(e, lags), ((0, 0), (0, LAGS + 1 - lags)))
        counts[:lags] += len(e) - np.arange(lags)
        if most is not None and count >= most:
            break
    mean = products / np.maximum(counts, 1.0)
    return Residuals(products[:, 0], mean / np.where(mean[:, :1] > 0, mean[:, :1], 1.0), count)


def _lagged_products(e: np.ndarray, lags: int) -> np.ndarray:
    """Σ e(t) e(t + lag) (rows, lags) of e (n, rows), by Fourier's transform."""
    size = 1 << int(np.ceil(np.log2(2 * len(e))))
    power = np.abs(np.fft.rfft(e, size, axis=0)) ** 2
    return np.fft.irfft(power, size, axis=0)[:lags].T


def memory_of(correlation: np.ndarray) -> float:
    """Samples that tell as much as one: 1 + 2 Σ ρ, up to where the mean correlation of the rows first falls below its noise."""
    mean = correlation.mean(axis=0)
    low = np.flatnonzero(mean[1:] < 0.05)
    end = int(low[0]) + 1 if len(low) else len(mean)
    return float(max(1.0, 1.0 + 2.0 * mean[1:end].sum()))


Pairs = Iterable[tuple[Piece, np.ndarray]]
"""Pieces and their instruments Z (n, rows, p), which are Y itself in least squares."""
BlockSquares = Callable[[np.ndarray, np.ndarray, np.ndarray, int], list[tuple[np.ndarray, int]]]


def block_squares(
    pairs: Pairs, phi: np.ndarray, sigma: np.ndarray, even: np.ndarray, length: int
) -> tuple[np.ndarray, int]:
    """(Σ Kᵀg (Kᵀg)ᵀ (p, p), number) of blocks of `length` samples, g = Σ zᵀ w e of a block; sigma (rows,): noises that rows are
    weighed by; even (p, p): K."""
    p, blocks = len(phi), 0
    total = RowSquares((1, p + 1))
    for piece, Z in pairs:
        sums = block_sums((piece.Y, piece.target), Z, phi, 1.0 / sigma**2, length)
        total.add((sums @ even)[:, None], np.zeros((len(sums), 1)))
        blocks += len(sums)
    return total.total[0, :p, :p], blocks


@dataclass(frozen=True)
class SpreadMatrices:
    """covariance (p, p) of φ; information (k, p): a root of its inverse on what the data tell, |information δφ|² is the square of
    a distance in deviations."""

    covariance: np.ndarray
    information: np.ndarray


def spread_matrices(
    squares: BlockSquares,
    phi: np.ndarray,
    sigma: np.ndarray,
    half: np.ndarray,
    even: np.ndarray,
    plain: np.ndarray,
    seen: Residuals,
    rank: int | None = None,
) -> SpreadMatrices:
    """Of φ (p,). squares: `block_squares` of parts of all equations by (φ, sigma, even, length), asked only where there are
    blocks enough. sigma (rows,): noises that rows were weighed by; half, even (p, p): H and K; plain: Kᵀ Zᵀ W Z K; seen: the
    residuals of φ; rank: of H, p where the data tell all."""
    p = len(phi)
    if seen.count < seen.block * TOLD * p:
        dof = max(1.0, seen.count * len(sigma) - p)
        S = plain * seen.memory * float((seen.squares / sigma**2).sum()) / dof
    else:
        found = squares(phi, sigma, even, seen.block)
        total, blocks = sum(own for own, _ in found), sum(count for _, count in found)
        S = np.asarray(total * blocks / max(1, blocks - p))
    return SpreadMatrices(half @ S @ half.T, _root_of_information(half, (S + S.T) / 2, p if rank is None else rank))


def _root_of_information(half: np.ndarray, S: np.ndarray, rank: int) -> np.ndarray:
    """S^(-½) H⁻¹ (rank, p) on the first `rank` directions of both."""
    size = np.linalg.norm(half, axis=1)
    size = np.where(size > 0, size, 1.0)
    U, values, Vt = np.linalg.svd(half / size[:, None])
    inner, directions = np.linalg.eigh(Vt[:rank] @ S @ Vt[:rank].T)
    if not len(inner) or not inner[-1] > 0:
        return np.zeros((0, len(size)))
    inner = np.maximum(inner, SURE * inner[-1])
    with np.errstate(divide="ignore", over="ignore"):
        own = Vt[:rank].T @ directions / np.sqrt(inner)
        return (own.T @ (Vt[:rank].T / values[:rank]) @ U[:, :rank].T) / size
