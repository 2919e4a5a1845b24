"""Fronts by generations, descents and designs between, beside a closed form; slopes of all entries of extremes; looks at runs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import gough
from studies.study.robots import EXAMPLES, slider_study
from studies.study.test_study import torque

SEARCH = {"method": "evolution", "count": 120, "population": 20, "polish": 6, "iterations": 20, "seed": 3}


@pytest.mark.slow
def test_the_front_of_a_slider_crank() -> None:
    """The way is 2 r; what the motor needs for it is least for one rod, which closed forms tell for every crank."""
    found = slider_study(maximise="way", search=SEARCH | {"count": 240, "polish": 12}).run()
    a, rods = np.linspace(0, 2 * np.pi, 181), np.linspace(0.25, 0.6, 400)
    assert len(found.descents) == 12 and found.designs == 240 + sum(d[3] for d in found.descents)
    r = found.front.designs.x[:, 0]
    assert r.min() < 0.051 and r.max() > 0.199  # ends of both objectives
    needed, ways = found.front.designs.values[:, 1], 2 * r
    for crank, own in zip(r, needed, strict=True):
        assert own > (1 - 1e-3) * min(np.abs(torque(crank, rod, 2.0, a, 2 * np.pi)).max() for rod in rods)
    # what a front covers, of what the exact one does, up to the torque of the largest crank
    cranks = np.linspace(0.05, 0.2, 200)
    exact = np.array([min(np.abs(torque(c, rod, 2.0, a, 2 * np.pi)).max() for rod in rods) for c in cranks])
    assert covered(ways, needed, exact.max()) > 0.95 * covered(2 * cranks, exact, exact.max())


def covered(ways: np.ndarray, torques: np.ndarray, most: float) -> float:
    """The area of pairs (way above 0.1, torque up to `most`) that some design beats."""
    order = np.argsort(torques)
    best = np.maximum.accumulate(ways[order])
    steps = np.diff(np.minimum(np.append(torques[order], most), most))
    return float(((best - 0.1) * steps).sum())


@pytest.mark.slow
def test_an_ended_run_goes_on(tmp_path: Path) -> None:
    study = slider_study(maximise="way", search=SEARCH)
    whole = study.run(tmp_path / "whole")
    parts = sorted((tmp_path / "whole").glob("part*.npz"))
    assert gough.StudyResult.load(tmp_path / "whole").designs == whole.designs
    for path in parts[len(parts) // 2 :]:
        path.unlink()
    seen = gough.StudyResult.load(tmp_path / "whole")
    assert seen.partial and 0 < seen.designs < whole.designs
    again = study.run(tmp_path / "whole")
    assert np.array_equal(again.front.objectives, whole.front.objectives) and again.designs == whole.designs
    with pytest.raises(gough.UsageError, match="no such folder"):
        gough.StudyResult.load(tmp_path / "none")


@pytest.mark.parametrize("generations", ["nsga2", "nsga3"])
def test_generations_alone_without_polish(generations: str) -> None:
    found = slider_study(maximise="way", search=SEARCH | {"polish": 0, "generations": generations}).run()
    assert found.designs == 120 and not found.descents


@pytest.mark.slow
def test_the_front_of_nsga3_beside_closed_forms() -> None:
    """As above, by generations alone: they come near the exact front, and along all of it."""
    found = slider_study(maximise="way", search=SEARCH | {"count": 1200, "polish": 0, "generations": "nsga3"}).run()
    a, rods = np.linspace(0, 2 * np.pi, 181), np.linspace(0.25, 0.6, 400)
    cranks = np.linspace(0.05, 0.2, 200)
    exact = np.array([min(np.abs(torque(c, rod, 2.0, a, 2 * np.pi)).max() for rod in rods) for c in cranks])
    ways, needed = 2 * found.front.designs.x[:, 0], found.front.designs.values[:, 1]
    assert ways.min() < 0.11 and ways.max() > 0.39
    assert covered(ways, needed, exact.max()) > 0.95 * covered(2 * cranks, exact, exact.max())


def test_what_generations_may_be() -> None:
    with pytest.raises(gough.DescriptionError, match="no generations 'nsga4'; use nsga2 or nsga3"):
        slider_study(maximise="way", search=SEARCH | {"generations": "nsga4"})
    with pytest.raises(gough.DescriptionError, match="several objectives"):
        slider_study(search=SEARCH | {"generations": "nsga3"})


@pytest.mark.parametrize("name", ["force", "room"])
def test_slopes_of_all_entries(name: str) -> None:
    """Beside differences of the entries of designs to either side, which slopes have no part in."""
    study = gough.make_study(
        {
            "robot": str(EXAMPLES / "motion_platform.yaml"),
            "variables": {"base_radius": [0.7, 1.3], "top_radius": [0.4, 0.9], "base_spread": [0.1, 0.4]},
            "cases": {"poses": {"poses": [{"x": 0.1, "pitch": 0.1}, {"y": 0.07, "roll": -0.08, "z": 1.04}]}},
            "measures": {
                "force": {"measure": "peak force", "case": "poses"},
                "room": {"measure": "leg distance:50 mm", "case": "poses"},
            },
            "minimise": "force",
        }
    )
    e = study.evaluator
    measure, x, h = next(m for m in e.measures if m.name == name), np.array([0.95, 0.61, 0.21]), 1e-6

    def entries(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        here = e.states_at(x)
        assert here is not None
        return here.entries(measure)

    found = entries(x)[1]
    assert len(found) == 2 * (6 if name == "force" else 15)
    for k, d in enumerate(np.eye(3) * h):
        differences = (entries(x + d)[0] - entries(x - d)[0]) / (2 * h)
        np.testing.assert_allclose(found[:, k], differences, rtol=1e-6, atol=1e-6 * np.abs(differences).max())
