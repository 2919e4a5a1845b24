"""Foreign runs: their equations, their integration, their noise; and that the library's regressor finds their numbers."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gough
from identification.foreign import (
    NAMES,
    CleanRun,
    Experiment,
    Noise,
    Plant,
    clean_run,
    experiment,
    measure,
    nearby,
    simulate,
)
from identification.foreign.run import TOLERANCE, ControlledPlant, start_of

PARAMETERS = ("inertia", "rotors", "friction", "offsets")
SHORT = 0.15
OTHERS = [pytest.param(name, marks=pytest.mark.slow) for name in NAMES if name != "five_bar"]


@cache
def short_run(name: str) -> tuple[Experiment, CleanRun]:
    of = experiment(name)
    return of, simulate(of, SHORT)


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("runs")


def relative(found: Any, truth: Any) -> float:
    return float(np.abs(np.asarray(found) - truth).max() / np.abs(truth).max())


@pytest.mark.parametrize("name", NAMES)
def test_accelerations_are_those_of_the_other_closing_of_the_tree(name: str) -> None:
    """Friction, rotors and offsets too; the peer's rows and null space are another program than the plant's."""
    of, rng = experiment(name), np.random.default_rng(5)
    plant = Plant(of.robot, of.model.layout.v_names, of.offsets)
    states = of.model.sampled_states
    for q, v in zip(states["q"][1:4], 0.02 * states["v"], strict=False):
        tau = 10.0 * rng.normal(size=len(of.offsets))
        nu, _ = plant.peer._move(q, v)
        x = plant.from_library(q)
        seen, acceleration = plant.independent(x, nu, plant.accelerate(x, nu, tau))
        assert relative(seen, v) < 1e-10
        assert relative(acceleration, plant.peer.forward(q, v, tau - of.offsets)) < 1e-10


def runge_kutta_4(loop: ControlledPlant, y: Any, duration: float, steps: int) -> np.ndarray:
    h = duration / steps
    for k in range(steps):
        t = k * h
        a = loop.rates(t, y)
        b = loop.rates(t + h / 2, y + h / 2 * a)
        c = loop.rates(t + h / 2, y + h / 2 * b)
        y = y + h / 6 * (a + 2 * b + 2 * c + loop.rates(t + h, y + h * c))
    return y


@pytest.mark.parametrize("name", ["five_bar", *OTHERS])
def test_integration_is_good_to_a_billionth(name: str) -> None:
    """Another method with steps halved: towards the same end."""
    of, run = short_run(name)
    loop = ControlledPlant(of, Plant(of.robot, of.model.layout.v_names, of.offsets))
    start, last = start_of(loop), run.time[-1]
    ends = [runge_kutta_4(loop, start, last, n)[loop.plant.drive_coordinates] for n in (150, 300)]
    errors = [np.abs(end - run.positions[-1]).max() for end in ends]
    assert errors[1] < 1e-9 and (errors[1] < errors[0] / 8 or errors[1] < 1e-12)
    assert run.gap.max() < 1e-11


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_tighter_tolerance_gives_the_same_run(name: str) -> None:
    of = experiment(name)
    run, tight = (simulate(of, 2.0, 100.0, tolerance) for tolerance in (TOLERANCE, 0.01 * TOLERANCE))
    for key in ("q", "rates", "forces", "accelerations"):
        assert relative(getattr(run, key), getattr(tight, key)) < 1e-9 * (10 if key == "accelerations" else 1)


@pytest.mark.parametrize("name", ["five_bar", *OTHERS])
def test_closed_loop_of_the_library_does_the_same(name: str) -> None:
    """Two unrelated programs, one robot, one controller: the robot has no offsets here, which a description cannot have."""
    of = replace(experiment(name), offsets=(0.0,) * len(experiment(name).offsets))
    run = simulate(of, SHORT)
    settings: Any = {"q": run.q[0], "v": run.v[0], "duration": run.time[-1], "smoothing": "described"}
    ours = gough.simulate(of.model, of.motion(), of.controller, method="rk4", step=2e-4, **settings)
    assert relative(ours.q[-1], run.q[-1]) < 1e-8 and relative(ours.tau[-1], run.forces[-1]) < 1e-6


@pytest.mark.parametrize("name", NAMES)
def test_regressor_gives_the_forces(name: str) -> None:
    of, run = short_run(name)
    y = gough.regressor(of.model, PARAMETERS)
    rows = y(run.q, run.v, run.acceleration)
    assert relative(rows.Y @ of.truth(y.unknowns) + rows.rest, run.forces) < 1e-9


def least_squares(of: Experiment, run: CleanRun) -> tuple[np.ndarray, np.ndarray]:
    """Base parameters from exact states and forces, and the true ones."""
    b = gough.base_parameters(of.model, PARAMETERS)
    y = gough.regressor(of.model, PARAMETERS)
    rows = y(run.q, run.v, run.acceleration)
    W = b.columns(rows.Y).reshape(-1, b.rank)
    size = np.linalg.norm(W, axis=0)
    found = np.linalg.lstsq(W / size, (run.forces - rows.rest).ravel(), rcond=None)[0] / size
    return found, b.matrix @ of.truth(y.unknowns)


def test_five_bar_is_found_from_a_second() -> None:
    of = experiment("five_bar")
    found, truth = least_squares(of, simulate(of, 1.0, 200.0))
    assert np.abs(found / truth - 1.0).max() < 1e-6


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_every_number_is_found_from_the_whole_run(name: str, folder: Path) -> None:
    of = experiment(name)
    run = clean_run(of, folder, rate_hz=250.0)
    found, truth = least_squares(of, run)
    assert np.abs(found / truth - 1.0).max() < 1e-6
    again = clean_run(of, folder, rate_hz=250.0)
    assert np.array_equal(again.q, run.q) and len(list(folder.glob(f"{name}-*"))) == 1


def test_records_have_noise_and_counts() -> None:
    of, run = short_run("hexapod")
    noise = Noise(slide_count=2e-6, encoder=3.0)
    one, two = (measure(run, of, np.random.default_rng(8), n) for n in (noise, replace(noise, encoder=0.0)))
    for k, drive in enumerate(of.model.layout.drive_names):
        counts = one.positions[drive] / 2e-6
        assert np.abs(counts - np.round(counts)).max() < 1e-6
        error = one.positions[drive] - run.positions[:, k]
        assert 5e-6 < error.std() < 7e-6 and np.abs(two.positions[drive] - run.positions[:, k]).max() <= 1.001e-6
        assert np.array_equal(one.forces[drive], two.forces[drive]), "forces draw from a stream of their own"
        share = (one.forces[drive] - run.forces[:, k]).std() / np.sqrt((run.forces[:, k] ** 2).mean())
        assert 0.012 < share < 0.018
        assert np.array_equal(one.reference[drive], run.reference[:, k])
    other = measure(run, of, np.random.default_rng(9), noise)
    assert not np.array_equal(other.forces["leg0.slide"], one.forces["leg0.slide"])


def test_robots_of_drawings_are_near_and_have_the_same_base_parameters() -> None:
    of = experiment("five_bar")
    drawn = gough.build(nearby(of.robot))
    b, other = (gough.base_parameters(m, PARAMETERS) for m in (of.model, drawn))
    assert b.names == other.names and np.allclose(b.matrix, other.matrix, atol=1e-9)
    truth, guess = b.matrix @ of.truth(b.regressor.unknowns), other.values
    inertial = [k for k, unit in enumerate(b.units) if unit == "kg m2"]
    assert 0.005 < np.abs(guess / truth - 1.0)[inertial].max() < 0.5


def test_feed_forward_is_a_reference_moved() -> None:
    of = replace(experiment("five_bar"), feed_forward=np.array([0.4, -0.8]))
    assert np.allclose(of.motion().at(0.0).position, of.reference.center + np.array([1e-3, -2e-3]))
