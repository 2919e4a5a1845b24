"""Screens that reduce where they compute, by a GPU's text on the CPU: their fronts are those of ordinary calls."""

import warnings

import numpy as np
import pytest
from scipy.stats import qmc
from tests.backends.cuda_host import COMPILER
from tests.studies.screening.reduced_host import ReducingMachine, beaten
from tests.studies.screening.test_screen import PLATFORM, PUS, VARIANTS, assert_same, by_calls, pus, study_of

import gough
from inner.studies import (
    HostMachine,
    ParetoFront,
    Screen,
    SweepPoints,
    _chunks,
    first_of_many,
    front_rows,
    round_objectives,
)

needs_compiler = pytest.mark.skipif(COMPILER is None, reason="no C++ compiler")


@needs_compiler
@pytest.mark.slow
@pytest.mark.parametrize("name", ["plain", "constraints", "tolerances", "grid", "sample"])
def test_fronts_are_those_of_ordinary_calls(name, limits, monkeypatch):
    study = study_of(VARIANTS[name])
    plain = by_calls(study, limits)
    limits(study_machine=ReducingMachine)
    monkeypatch.setitem(_chunks.SCREENED, "cpu", 12 * 200)  # several chunks: later ones know what earlier ones found
    found = study.run()
    order = [np.lexsort(f.front.designs.x.T) for f in (found, plain)]
    for f, rows in zip((found, plain), order, strict=True):
        for key in ("x", "values", "constraints"):
            object.__setattr__(f.front.designs, key, getattr(f.front.designs, key)[rows])
    assert_same(found, plain)


@needs_compiler
@pytest.mark.slow
def test_tilts_reach_and_doubts():
    """Designs that do not reach are bad for good; what elimination doubts are few; angles and conditions are those of calls."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        study = gough.make_study({"robot": pus(), **PUS})
        x = SweepPoints(study.evaluator.space, "latin hypercube", 400, 3).at(0, 400)
        screen = Screen.of(study.evaluator, ReducingMachine(2))
        assert list(screen.reduced) == ["around"]
        (found, doubtful), (plain, _) = (s.evaluate(x) for s in (screen, Screen.of(study.evaluator, HostMachine())))
        called = study.evaluator.evaluate(x)
    assert not doubtful.any()
    assert np.array_equal(found.violation > 0, called.violation > 0)
    assert 0 < (found.violation > 0).sum() < 400
    good = found.violation == 0
    assert np.allclose(found.values[good], called.values[good], rtol=1e-10)
    assert np.allclose(plain.values[good], called.values[good], rtol=1e-10)


def test_quantities_without_scalars_are_written_first(caplog):
    """Distances of legs take more than sums of columns: their case goes the way it went, and the log says so."""
    measures = PUS["measures"] | {"near": {"measure": "leg distance", "case": "around"}}
    with warnings.catch_warnings(), caplog.at_level("INFO", "gough.studies"):
        warnings.simplefilter("ignore")
        study = gough.make_study({"robot": pus(), **PUS, "measures": measures})
        assert not Screen.of(study.evaluator, ReducingMachine()).reduced
    assert "numbers of every state are written" in caplog.text


class _Elsewhere:
    """A module that is not NumPy, and does the same."""

    def __getattr__(self, name):
        return getattr(np, name)


@pytest.mark.parametrize("count", [1, 2, 3, 1000, 5001, 2**21])
def test_points_made_elsewhere_are_those_of_scipy(count):
    space = study_of(PLATFORM).evaluator.space
    points = SweepPoints(space, "sobol", count, 7)
    begin = max(0, count - 300)
    engine = qmc.Sobol(4, scramble=True, rng=np.random.default_rng(7))
    if begin:
        engine.fast_forward(begin)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = space.lower + engine.random(count - begin) * (space.upper - space.lower)
    assert np.array_equal(points.at(begin, count, _Elsewhere()), expected)
    assert np.array_equal(points.at(begin, count), expected)


@pytest.mark.parametrize("shape", [(500, 2), (600, 3), (300, 5), (0, 3), (1, 2), (400, 1)])
def test_first_of_many_is_what_nothing_beats(shape):
    """Beside every pair compared, with ties and equal rows, and with some that are known before."""
    plain = np.random.default_rng(1).random(shape)
    for F in (plain, np.round(plain, 1), -plain):
        F = round_objectives(F)
        some = len(F) // 3
        assert set(first_of_many(F, (), beaten).tolist()) == set(np.flatnonzero(~beaten(F, F)).tolist())
        later = first_of_many(F[some:], F[:some], beaten)
        assert set((later + some).tolist()) == {k for k in np.flatnonzero(~beaten(F, F)) if k >= some}


def test_fronts_grow_as_they_are_made_at_once():
    """Parts one after the other give the front of all rows; of equal ones the first."""
    rng = np.random.default_rng(2)
    for digits in (1, 3):
        F = np.round(rng.random((900, 3)), digits)
        front = ParetoFront.empty(1, 3, 0, 3)
        for k in range(0, 900, 150):
            part = F[k : k + 150]
            numbers = np.arange(k, k + 150, dtype=float)[:, None]
            front = front.with_(type(front.designs)(numbers, part, np.zeros((150, 0)), np.zeros(150)), part)
        assert sorted(front.designs.x[:, 0].tolist()) == np.flatnonzero(front_rows(F)).tolist()
