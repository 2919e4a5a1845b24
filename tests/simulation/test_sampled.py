"""Numbers that differ from run to run: draws by their laws, all combinations, names that say what they change."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from gough import simulate_many
from gough.errors import UsageError
from gough.vary import monte_carlo, normal, spread, sweep, uniform, within
from laws.subjects import built


@pytest.fixture(scope="module")
def model() -> gough.Model:
    return built(gough.load("four_bar_chain"))


def test_draws_follow_their_laws() -> None:
    found = monte_carlo({"a": normal(3.0, 0.5), "b": uniform(-1.0, 4.0)}, 20000, seed=4).values
    a, b = found["a"], found["b"]
    assert abs(a.mean() - 3.0) < 0.02 and abs(a.std() - 0.5) < 0.02
    assert abs(np.mean(np.abs(a - 3.0) < 0.5) - 0.6827) < 0.02
    assert b.min() >= -1.0 and b.max() <= 4.0 and abs(b.mean() - 1.5) < 0.05
    assert abs(np.corrcoef(a, b)[0, 1]) < 0.03


def test_draws_are_the_seeds_and_the_names() -> None:
    few = monte_carlo({"a": uniform(0, 1)}, 5, seed=1).values["a"]
    more = monte_carlo({"b": normal(0, 1), "a": uniform(0, 1)}, 9, seed=1).values["a"]
    np.testing.assert_array_equal(few, more[:5])
    assert (monte_carlo({"a": uniform(0, 1)}, 5, seed=2).values["a"] != few).all()


def test_stratified_draws_fill_every_slice() -> None:
    x = monte_carlo({"a": uniform(0.0, 1.0)}, 50, stratified=True).values["a"]
    assert sorted((x * 50).astype(int).tolist()) == list(range(50))


def test_a_sweep_has_all_combinations() -> None:
    found = sweep({"a": [1.0, 2.0], "b": [3.0, 4.0, 5.0]})
    pairs = list(zip(found.values["a"].tolist(), found.values["b"].tolist(), strict=True))
    assert pairs == [(a, b) for a in (1.0, 2.0) for b in (3.0, 4.0, 5.0)]


def test_parameters_by_name(model: gough.Model) -> None:
    name = next(n for n, x in zip(model.parameter_names, model.parameters, strict=True) if n.endswith(".M") and x)
    k = model.parameter_names.index(name)
    own = model.parameters[k]
    found = simulate_many(model, v=[1.0], duration=0.05, vary=sweep({name: [own, 2 * own]}))
    by_hand = simulate_many(
        model, v=[1.0], duration=0.05, parameters=model.parameters_with({name: np.array([own, 2 * own])})
    )
    np.testing.assert_array_equal(found.end_q, by_hand.end_q)
    np.testing.assert_array_equal(found.varied[name], [own, 2 * own])
    drawn = monte_carlo({name: within(0.1)}, 100)
    designs = drawn.parameters(model)
    assert designs is not None
    assert 0.9 * own <= designs[:, k].min() < designs[:, k].max() <= 1.1 * own
    assert np.array_equal(np.delete(designs, k, axis=1), np.delete(np.tile(model.parameters, (100, 1)), k, axis=1))


def test_first_states_by_name(model: gough.Model) -> None:
    turn, rate = model.layout.q_names[0], model.layout.v_names[0]
    found = simulate_many(
        model, duration=0.02, step=1e-3, vary=sweep({f"at.{turn}": [0.9, 1.1], f"rate.{rate}": [0.5, 1.0]})
    )
    assert found.q[:, 0, 0].tolist() == pytest.approx([0.9, 0.9, 1.1, 1.1])
    assert found.v[:, 0, 0].tolist() == pytest.approx([0.5, 1.0, 0.5, 1.0])
    assert model.closure_error(found.q).max() < 1e-10
    one = gough.simulate(
        model, q=model.configuration(coordinates={turn: 1.1}), v=[0.5], duration=0.02, method="rk4", step=1e-3
    )
    assert np.abs(found.end_q[2] - one.q[-1]).max() < 1e-13


def test_loads_by_name() -> None:
    """Runs under loads of their own are single runs under these loads; a run tells its load and its energies."""
    robot = built(gough.load("five_bar"))
    motion = gough.motions.quintic(drives=[robot.home[robot.drive_index]] * 2, durations=[0.1])
    law = gough.laws.JointPD(stiffness=400.0, damping=5.0)
    varied = sweep({"wrench.left_rod.tool.fy": [-20.0, 0.0, 5.0]})
    base = {"left_rod.tool": [3.0, 0, 0, 0, 0, 0]}
    found = simulate_many(robot, motion=motion, controller=law, wrench=base, vary=varied, step=1e-3)
    for k, force in enumerate((-20.0, 0.0, 5.0)):
        alone = gough.simulate(
            robot, motion, law, wrench={"left_rod.tool": [3.0, force, 0, 0, 0, 0]}, method="rk4", step=1e-3
        )
        assert np.abs(found.end_q[k] - alone.q[-1]).max() < 1e-12
    run = found.run(2)
    assert run.stopped == "finished" and run["work.wrench"].shape == run.time.shape
    assert run.summary()["energy_error"] < 1e-6


def test_the_start_in_equilibrium() -> None:
    """With loads of their own, robots at rest in their own equilibrium stay there while their drives are held."""
    robot = built(gough.load("dualemps"))
    start = robot.home[robot.drive_index]
    motion = gough.motions.quintic(drives=[start, start], durations=[0.05])
    found = simulate_many(robot, motion=motion, step=2e-4, start="static", smoothing="described")
    still = simulate_many(robot, motion=motion, step=2e-4, smoothing="described")
    elastic = robot.layout.elastic
    moved = [np.ptp(x.q[0][:, elastic], axis=0).max() for x in (found, still)]
    assert moved[0] < 1e-9 + 1e-4 * moved[1]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: normal(1.0, -1.0), "not negative"),
        (lambda: uniform(2.0, 1.0), "lower"),
        (lambda: monte_carlo({}, 3), "draw"),
        (lambda: monte_carlo({"a": 3.0}, 3), "draw"),  # type: ignore[dict-item]
        (lambda: monte_carlo({"a": normal(0, 1)}, 0), "runs=0"),
        (lambda: sweep({"a": []}), "at least one"),
    ],
)
def test_bad_draws(make, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        make()


@pytest.mark.parametrize(
    ("what", "words"),
    [
        ({"no.such": [1.0]}, "no parameter"),
        ({"rate.no": [1.0]}, "no such velocity"),
        ({"wrench.f": [1.0]}, "ends in"),
        ({"at.no": [1.0]}, "no"),
    ],
)
def test_bad_names(model: gough.Model, what: dict, words: str) -> None:
    with pytest.raises((UsageError, KeyError), match=words):
        simulate_many(model, duration=0.01, vary=sweep(what))


def test_factors_are_for_parameters(model: gough.Model) -> None:
    with pytest.raises(UsageError, match="for parameters"):
        simulate_many(model, duration=0.01, vary=monte_carlo({f"rate.{model.layout.v_names[0]}": spread(0.1)}, 3))
