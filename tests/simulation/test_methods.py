"""The registry of methods against their stability functions, and that everything that names methods asks it."""

from __future__ import annotations

from math import inf, pi, sqrt

import numpy as np
import pytest
from typer.testing import CliRunner

import gough
from gough.errors import UsageError
from inner.cli import app
from inner.simulation import METHODS, RungeKutta, method_named, read_scenario, stable_with_any
from laws.subjects import built

STABLE = [m.name for m in METHODS.values() if not m.adaptive and m.longest_step(1e12) == inf]
"""With equal steps, whatever they are."""
RUNGE_KUTTA = [m for m in METHODS.values() if isinstance(m, RungeKutta)]


def growth(method: RungeKutta, y: float) -> float:
    """|R(iy)| by the determinants of the stability function, not as the library has it."""
    z, one = 1j * y, np.ones(method.stages)
    top = np.linalg.det(np.eye(method.stages) - z * method.A + z * np.outer(one, method.b))
    return float(abs(top / np.linalg.det(np.eye(method.stages) - z * method.A)))


@pytest.mark.parametrize("method", RUNGE_KUTTA, ids=lambda m: m.name)
def test_limits_are_those_of_the_stability_functions(method: RungeKutta) -> None:
    below = np.linspace(0.02, 50.0 if method.limit == inf else method.limit, 400)
    assert max(growth(method, y) for y in below) < 1 + 1e-8
    assert method.limit == inf or growth(method, 1.02 * method.limit) > 1
    np.testing.assert_allclose(method.growth(1j * below), [growth(method, y) for y in below], atol=1e-12)
    assert method.implicit == bool(np.diag(method.A).any())
    assert method.adaptive == (not method.implicit and bool(len(method.error)))


def test_leapfrog_is_stable_up_to_its_limit() -> None:
    """cos φ = 1 - x/2 + x²/24 with x = (ωh)² is a rotation while it is between -1 and 1."""
    limit = METHODS["leapfrog"].limit
    turn = [1 - x / 2 + x * x / 24 for x in np.linspace(0.01, limit, 500) ** 2]
    assert max(np.abs(turn)) <= 1 + 1e-12 and 1 - limit**2 / 2 * 1.05 + (limit**2 * 1.05) ** 2 / 24 > 1
    assert limit == pytest.approx(sqrt(12))


def test_longest_step() -> None:
    assert METHODS["rk4"].longest_step(100.0) == pytest.approx(2 * sqrt(2) / (2 * pi * 100.0))
    assert METHODS["sdirk2"].longest_step(1e9) == inf
    assert METHODS["rk4"].longest_step(0.0) == inf
    assert {"sdirk2", "esdirk4"} <= set(STABLE) and not {"rk4", "leapfrog", "dp5"} & set(STABLE)
    assert stable_with_any() == f"{', '.join(STABLE[:-1])} or {STABLE[-1]}"


@pytest.mark.parametrize("name", list(METHODS))
def test_scenarios_take_every_method(name: str) -> None:
    read = read_scenario(f"format: 1\nrobot: five_bar\nduration: 1\nmethod: {name}\n", "x.yaml")
    assert read.settings["method"] == name


def test_names_that_are_none() -> None:
    with pytest.raises(UsageError, match=", ".join(METHODS)):
        method_named("euler")
    with pytest.raises(UsageError, match="method=3"):
        method_named(3)  # pyright: ignore[reportArgumentType]
    with pytest.raises(UsageError, match="cvode_bdf"):
        gough.simulate(built(gough.load("five_bar")), duration=1.0, method="euler")
    with pytest.raises(gough.DescriptionError, match="'rk4'"):
        read_scenario("format: 1\nrobot: five_bar\nduration: 1\nmethod: rk5\n", "x.yaml")
    shown = CliRunner().invoke(app, ["simulate", "--help"], env={"COLUMNS": "300", "NO_COLOR": "1"}).output
    assert all(name in shown for name in METHODS)


def test_the_list_names_each_method_as_it_names_itself():
    assert all(method.name == name for name, method in METHODS.items())


@pytest.mark.parametrize("method", [m.name for m in METHODS.values() if not m.adaptive])
def test_times_of_equal_steps_are_rounded_once(method: str) -> None:
    run = gough.simulate(built("five_bar"), v=[0.1, 0.0], duration=0.6, method=method, step=1e-3)
    times = np.unique(run.time)
    np.testing.assert_array_equal(times, 0.6 * np.arange(601) / 600)
    parts = [run.between(0, 0.3), run.between(0.3, 0.6)]
    assert parts[0].time[-1] == parts[1].time[0] == times[300]
    np.testing.assert_array_equal(gough.Run.concatenate(parts).time, run.time)
