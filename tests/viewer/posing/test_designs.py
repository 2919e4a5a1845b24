"""Along a front: robots between two designs are closed, those at its stops are the ones that their descriptions make."""

from __future__ import annotations

import warnings
from itertools import combinations

import numpy as np
import pytest

import gough
from gough import StudyResult
from gough.errors import UsageError
from inner.viewer import DesignStates, Figure, demand_designs, front_way, smooth_way, subject_of, usual_designs
from studies.study.robots import EXAMPLES, slider_study


@pytest.fixture(scope="module")
def found() -> StudyResult:
    """Cranks that push far with little torque."""
    return slider_study(minimise=["torque"], maximise=["way"], search={"method": "sobol", "count": 64, "seed": 1}).run()


@pytest.mark.slow
def test_between_designs_the_loops_are_closed(found: StudyResult) -> None:
    """By hand: the piston stands at a cos φ + sqrt(l² - a² sin² φ)."""
    states, way = DesignStates(found), front_way(found, 0, True)
    layout = states.space.model.layout
    motor, slide = layout.q_names.index("motor"), layout.q_names.index("slide")
    assert len(way.rows) > 4
    for place in np.linspace(0.0, way.last, 23):
        a, b, part = way.stops(place)
        crank, rod = x = way.variables(place)
        assert x == pytest.approx((1 - part) * found.front.designs.x[a] + part * found.front.designs.x[b])
        for state in (0, 37, 180):
            q = states.between("turn", state, x, states.of_row("turn", a)[state])
            angle = 2 * np.pi * state / 180
            assert np.sin(q[motor] - angle) == pytest.approx(0.0, abs=1e-12)
            wanted = crank * np.cos(angle) + np.sqrt(rod**2 - (crank * np.sin(angle)) ** 2)
            assert q[slide] == pytest.approx(wanted, abs=1e-10)


def test_stops_follow_their_objective_and_are_true_designs(found: StudyResult) -> None:
    F, order = found.front.objectives, front_way(found, 1, True)
    assert sorted(order.rows) == list(range(len(found))) and (np.diff(F[order.rows, 1]) >= 0).all()
    short = front_way(found, 1, False)
    assert (short.rows[0], short.rows[-1]) == (order.rows[0], order.rows[-1])
    assert (np.diff(F[short.rows, 1]) >= 0).all() and set(short.rows) <= set(order.rows)
    k = len(short.rows) // 2
    assert short.stops(float(k)) == (short.rows[k], short.rows[k], 0.0) and short.place_of(int(short.rows[k])) == k
    assert np.array_equal(short.variables(float(k)), found.front.designs.x[short.rows[k]])


def test_the_smooth_way_is_the_best_of_all() -> None:
    points = np.random.default_rng(4).normal(size=(9, 3))

    def cost(way: tuple[int, ...]) -> float:
        return float((np.diff(points[list(way)], axis=0) ** 2).sum())

    ways = [(0, *inner, 8) for n in range(8) for inner in combinations(range(1, 8), n)]
    assert tuple(smooth_way(points)) == min(ways, key=cost)


@pytest.mark.slow
def test_a_design_is_drawn_as_its_own_description_makes_it() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        study = gough.load_study(EXAMPLES / "motion_platform_study.yaml")
        found = _few(study)
        states = DesignStates(found)
        for row in (0, len(found) - 1):
            x, q = found.front.designs.x[row], states.of_row("ride", row)
            drawn = states.figure(x, q[0])
            rebuilt = Figure(gough.build(found.robot(row)), home=q[0])
            assert len(drawn.pieces) == len(rebuilt.pieces)
            for mine, other in zip(drawn.pieces, rebuilt.pieces, strict=True):
                assert mine.mesh.vertices == pytest.approx(other.mesh.vertices, abs=1e-9)
            here, there = drawn.place(q[40]), rebuilt.place(q[40])
            assert here.position == pytest.approx(there.position, abs=1e-12)


def _few(study: gough.Study) -> StudyResult:
    from dataclasses import replace

    return replace(study, search=replace(study.search, count=64)).run()


def test_the_usual_choice_has_the_best_of_all() -> None:
    found = _few(gough.load_study(EXAMPLES / "motion_platform_study.yaml"))
    chosen = usual_designs(found)
    values = found.front.designs.values
    best = {values[:, 0].argmin(), values[:, 1].argmin(), values[:, 2].argmax(), values[:, 3].argmin()}
    assert {int(k) for k in best} <= set(chosen)
    F = np.array([1, 1, -1, 1]) * values
    scaled = (F - F.min(axis=0)) / np.ptp(F, axis=0)
    assert int((scaled**2).sum(axis=1).argmin()) in chosen


def test_what_cannot_be_shown_says_why(found: StudyResult) -> None:
    none = slider_study(constraints={"way": {"at_least": 9.0}}, search={"method": "sobol", "count": 4}).run()
    with pytest.raises(UsageError, match=r"none of 4 designs is feasible .* loosen constraints"):
        subject_of(none)
    aimless = slider_study(minimise=[], search={"method": "sobol", "count": 4}).run()
    with pytest.raises(UsageError, match="without an objective"):
        demand_designs(aimless)
    with pytest.raises(UsageError, match="a study is shown alone"):
        subject_of(found, "five_bar")
