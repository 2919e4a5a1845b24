"""The spread of estimates: from sums over blocks, whatever pieces and threads the data come in; samples on a disk stay there."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gough
from gough import Samples
from inner.identification import Piece, Residuals, Thinning, block_squares, spans, spread_matrices, stretches

from .motions import samples


@pytest.mark.parametrize("parts", [1, 3, 8])
def test_covariance_by_blocks_is_the_plain_sum(parts: int) -> None:
    """Noise that lasts 3 samples: A⁻¹ Σ G G' A⁻' of sums of blocks of 12, in extended precision."""
    rng = np.random.default_rng(parts)
    n, rows, p = 24 * 400, 2, 5
    Y, Z = rng.normal(size=(2, n, rows, p))
    phi, sigma = rng.normal(size=p), np.array([0.5, 3.0])
    white = rng.normal(size=(n + 2, rows))
    e = (white[2:] + white[1:-1] + white[:-2]) * sigma
    target = Y @ phi + e
    correlation = np.zeros((rows, 61))
    correlation[:, :3] = [1.0, 2 / 3, 1 / 3]
    seen = Residuals((e**2).sum(axis=0), correlation, n)
    assert seen.memory == pytest.approx(3.0) and seen.block == 12
    edges = np.linspace(0, n // 12, parts + 1).astype(int) * 12
    pieces = [(Piece(Y[a:b], target[a:b], 0, a, target[a:b]), Z[a:b]) for a, b in pairwise(edges)]
    inverse = np.linalg.inv(rng.normal(size=(p, p)))

    def squares(*given: Any) -> list[tuple[np.ndarray, int]]:
        return [block_squares([pair], *given) for pair in pieces]

    found = spread_matrices(squares, phi, sigma, inverse, np.eye(p), np.eye(p), seen)
    left = target.astype(np.longdouble) - Y.astype(np.longdouble) @ phi
    g = np.einsum("nr,nrp->np", left / sigma**2, Z).reshape(-1, 12, p).sum(axis=1)
    right = inverse @ (g.T @ g * (len(g) / (len(g) - p))) @ inverse.T
    assert np.abs(found.covariance - right).max() < 1e-12 * np.abs(right).max()


@pytest.mark.parametrize("factor", [1, 3])
@pytest.mark.parametrize(("each", "together"), [(700, 1), (100, 33), (20, 64)])
def test_pieces_take_every_equation_once_and_leave_blocks_whole(factor: int, each: int, together: int) -> None:
    one, thinning = samples(), Thinning(factor)
    n = len(one)
    data = replace(one.rows(np.r_[:n, :n]), run=np.repeat([0, 1], n), runs=("a", "b"))
    found = list(spans(data, thinning, each, together))
    for run, begin, end in stretches(data):
        own = [(a, b) for r, a, b in found if r == run]
        sizes = [thinning.size_of(b - a) for a, b in own]
        assert own[0][0] == begin and own[-1][1] <= end and sum(sizes) == thinning.size_of(end - begin)
        starts = np.cumsum([0, *sizes[:-1]])
        assert [a for a, _ in own] == [begin + s * factor for s in starts]
        assert all(size % together == 0 for size in sizes[:-1])


@pytest.mark.filterwarnings("ignore")
def test_samples_on_a_disk_stay_there_and_give_what_those_in_memory_do(tmp_path: Path) -> None:
    model = gough.build("pedrammehr2012")
    rng, count = np.random.default_rng(0), 5000
    some = model.sampled_states["q"]
    q, v, a = some[rng.integers(0, len(some), count)], *rng.normal(size=(2, count, model.layout.nv))
    tau = model.inverse_dynamics(q, v, a).tau
    tau = tau * (1 + 0.01 * rng.normal(size=tau.shape))
    given = {"q": q, "v": v, "acceleration": a, "force": tau}
    for name, x in given.items():
        np.save(tmp_path / name, x)
    lazy = {name: np.load(tmp_path / f"{name}.npy", mmap_mode="r") for name in given}
    rest = {"wrench": None, "run": np.zeros(count, dtype=int), "runs": ("disk",)}
    on_disk, in_memory = (Samples(model, np.arange(count) * 1e-3, **x, **rest) for x in (lazy, given))
    found, other = (gough.identify(model, x, tied="legs", consistent=False) for x in (on_disk, in_memory))
    assert np.array_equal(found.base_values, other.base_values)
    assert all(np.shares_memory(getattr(found.samples, name), x) for name, x in lazy.items())


@pytest.mark.filterwarnings("ignore")
@pytest.mark.slow
def test_very_many_samples_are_gone_through_in_parts() -> None:
    """More equations than are kept: by parts the estimate is that of the same rows in one least squares, its deviations are those
    of white noise."""
    model = gough.build("pedrammehr2012")
    rng, count = np.random.default_rng(1), 40_000
    some = model.sampled_states["q"]
    q, v, a = some[rng.integers(0, len(some), count)], *rng.normal(size=(2, count, model.layout.nv))
    named = ("inertia", "friction")
    base = gough.base_parameters(model, named)
    tau = model.inverse_dynamics(q, v, a).tau
    noise = 0.02 * np.abs(tau).mean(axis=0)
    measured = tau + noise * rng.normal(size=tau.shape)
    data = Samples(model, np.arange(count) * 1e-3, q, v, a, measured, None, np.zeros(count, dtype=int), ("x",))
    found = gough.identify(model, data, parameters=named, consistent=False)
    Y = gough.regressor(model, named)(q, v, a).Y[:, :, list(base.kept)] / noise[:, None]
    size = np.linalg.norm(Y, axis=(0, 1))
    plain, *_ = np.linalg.lstsq((Y / size).reshape(-1, base.rank), (measured / noise).ravel(), rcond=None)
    deviations = np.sqrt(np.diag(np.linalg.inv(np.einsum("nrp,nrq->pq", Y, Y, optimize=True))))
    assert np.abs((found.base_values - plain / size) / deviations).max() < 0.05  # noises are estimates
    assert np.abs(found.base_deviations / deviations - 1).max() < 0.1
    assert found.fits[0].share == pytest.approx(noise / np.sqrt(np.mean(measured**2, axis=0)), rel=0.02)
