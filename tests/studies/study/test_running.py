"""Runs of studies: budgets of time, what is kept and where, tables."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gough
from cli.command import gough_json
from studies.study.robots import EXAMPLES, slider_study

WIDE: dict[str, Any] = {"variables": {"crank": [0.05, 0.3], "rod": [0.25, 0.6]}, "maximise": "way"}
SEARCHES = [
    {"method": "sobol", "count": 5000, "seed": 2},
    {"method": "gradient", "starts": 6},
    {"method": "evolution", "count": 400, "population": 40, "polish": 2},
]
KEPT = ("x", "values", "constraints", "violation")


def demand_same(a: gough.StudyResult, b: gough.StudyResult) -> None:
    assert (a.designs, a.robots, a.feasible, len(a)) == (b.designs, b.robots, b.feasible, len(b))
    order = [np.lexsort(found.front.designs.x.T) for found in (a, b)]
    for name in KEPT:
        x, y = (getattr(f.front.designs, name)[o] for f, o in zip((a, b), order, strict=True))
        assert x.tobytes() == y.tobytes(), name


@pytest.mark.slow
@pytest.mark.parametrize("search", SEARCHES, ids=[str(s["method"]) for s in SEARCHES])
def test_a_budget_ends_every_method_and_a_later_run_goes_on(search: dict[str, Any], tmp_path: Path) -> None:
    """What was done in time is a part of what comes of the whole, and is not done again."""
    study = slider_study(**WIDE, search=search)
    began = time.perf_counter()
    whole = study.run()
    took = time.perf_counter() - began
    began = time.perf_counter()
    first = study.run(tmp_path / "parts", budget=0.4 * took)
    assert time.perf_counter() - began < 0.9 * took
    assert first.partial and first.out_of_time and first.designs < whole.designs and not whole.partial
    parts = [p for p in (tmp_path / "parts").glob("part*.npz") if not np.load(p).get("cut", False)]
    done = {p: p.stat().st_mtime_ns for p in parts}
    rest = study.run(tmp_path / "parts")
    assert not rest.partial and {p: p.stat().st_mtime_ns for p in done} == done
    if search["method"] != "gradient":  # descents that were cut went on from their best points
        demand_same(rest, whole)


@pytest.mark.parametrize("solver", ["ipopt", "slsqp"])
def test_a_descent_that_is_cut_keeps_its_best_point(solver: str, tmp_path: Path, limits: Callable[..., None]) -> None:
    """By the slider's stroke, twice the crank: largest at the crank's upper end."""
    study = slider_study(**WIDE, minimise=[], search={"method": "gradient", "starts": 1, "solver": solver})
    calls = [0]

    def is_over(until: float | None) -> bool:
        calls[0] += 1
        return until is not None and calls[0] > 7

    limits(study_over=is_over)
    first = study.run(tmp_path, budget=1e6)
    assert first.out_of_time and 0 < first.designs < 7 and len(first) == 1
    reached = first.values()["way"]
    assert reached >= study.evaluate()["way"] - 1e-9
    (part,) = tmp_path.glob("part*.npz")
    assert bool(np.load(part)["cut"])
    limits(study_over=lambda until: False)
    rest = study.run(tmp_path)
    assert not rest.partial and rest.designs > first.designs and rest.values()["way"] >= reached
    if solver == "ipopt":
        assert rest.values()["way"] == pytest.approx(0.6, rel=1e-5)
    assert not bool(np.load(part)["cut"])


def test_a_run_without_time_says_so() -> None:
    study = slider_study(**WIDE, search={"method": "gradient", "starts": 2, "budget": "1 us"})
    with pytest.raises(gough.UsageError, match="time was over before a design kept all constraints"):
        study.run().variables()


def test_a_budget_as_it_is_written(tmp_path: Path) -> None:
    assert slider_study(search={"method": "sobol", "budget": "10 min"}).search.budget == 600.0
    for wrong in ("3 m", -1.0, 0, "soon"):
        with pytest.raises(gough.DescriptionError, match=r"search\.budget"):
            slider_study(search={"method": "sobol", "budget": wrong})
    late = slider_study(**WIDE, search={"method": "sobol", "count": 20_000, "budget": "1 ms"}).run(tmp_path)
    assert late.out_of_time and late.designs == 0 and late.kept.x.shape == (0, 2)
    with pytest.raises(gough.UsageError, match="budget"):
        slider_study().run(budget=-1.0)
    study = str(EXAMPLES / "two_slides_study.yaml")
    found = gough_json("design", study, "--budget", "1 ms", "--out", tmp_path / "out")
    assert found["partial"] and found["out_of_time"]
    again = gough_json("design", study, "--out", tmp_path / "out")
    assert not again["partial"] and again["front"][0]["variables"]["rod"] == pytest.approx(np.hypot(0.3, 0.6), rel=1e-5)


@pytest.mark.slow
def test_all_designs_as_a_table(tmp_path: Path, limits: Callable[..., None]) -> None:
    """Streamed part by part; pandas and pyarrow read what plain calls give."""
    parquet = pytest.importorskip("pyarrow.parquet")
    limits(study_chunk=181 * 50)
    study = slider_study(**WIDE, search={"method": "sobol", "count": 512, "seed": 3}, keep="all")
    found = study.run(tmp_path / "parts")
    assert len(list((tmp_path / "parts").glob("part*.npz"))) == 11
    table = parquet.read_table(found.save(tmp_path) / "designs.parquet").to_pydict()
    assert list(table) == ["crank", "rod", "way", "torque", "violation"] and len(table["way"]) == 512
    x = np.stack([table["crank"], table["rod"]], axis=1)
    np.testing.assert_array_equal(x, study.evaluator.space.from_unit(_sobol(512, 3)))
    good = np.array(table["violation"]) == 0
    np.testing.assert_array_equal(good, x[:, 0] < x[:, 1] * (1 - 1e-9))
    np.testing.assert_allclose(np.array(table["way"])[good], 2 * x[good, 0], rtol=1e-9)
    lines = (tmp_path / "designs.csv").read_text().splitlines()
    assert lines[0] == "crank,rod,way,torque,violation" and len(lines) == 513
    assert [float(v) for v in lines[7].split(",")] == pytest.approx([table[n][6] for n in table], nan_ok=True)
    plain = slider_study(**WIDE, search={"method": "sobol", "count": 512, "seed": 3}, keep="all").run()
    np.testing.assert_array_equal(plain.kept.x, found.kept.x)


def _sobol(count: int, seed: int) -> np.ndarray:
    from scipy.stats import qmc

    return qmc.Sobol(2, scramble=True, rng=np.random.default_rng(seed)).random(count)


@pytest.mark.slow
def test_kept_designs_stay_in_their_folder(tmp_path: Path, limits: Callable[..., None]) -> None:
    """A result of many designs takes the memory of its front and a part."""
    limits(study_chunk=2000)
    keys: dict[str, Any] = {"measures": {"mass": "mass", "area": "mass"}, "cases": {}, "minimise": "mass"}
    study = slider_study(
        **keys | {"variables": {"load": [1.0, 3.0]}}, search={"method": "sobol", "count": 2**18}, keep="all"
    )
    study.run(tmp_path / "parts")
    whole = 2**18 * 4 * 8
    tracemalloc.start()
    found = study.run(tmp_path / "parts")
    found.save(tmp_path)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found.designs == 2**18 and most < 0.8 * whole, (most, whole)
    assert sum(len(part.x) for part in found.kept_parts()) == 2**18
