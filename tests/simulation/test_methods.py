"""The registry of methods against their stability functions, and that everything that names methods asks it."""

from __future__ import annotations

from math import inf, pi, sqrt

import numpy as np
import pytest
from typer.testing import CliRunner

import gough
from gough.cli.main import app
from gough.errors import UsageError
from gough.simulation.integration.methods import METHODS, method_named, stable_with_any
from gough.simulation.integration.tableaux import tableaux
from gough.simulation.scenarios.files import read_scenario
from laws.subjects import built


def growth(name: str, y: float) -> float:
    """|R(iy)| of a Runge–Kutta method."""
    t = tableaux()[name]
    return float(abs(1 + 1j * y * t.b @ np.linalg.solve(np.eye(t.stages) - 1j * y * t.A, np.ones(t.stages))))


@pytest.mark.parametrize("name", list(tableaux()))
def test_limits_are_those_of_the_stability_functions(name: str) -> None:
    limit = METHODS[name].limit
    below = np.linspace(0.02, 50.0 if limit == inf else limit, 400)
    assert max(growth(name, y) for y in below) < 1 + 1e-8
    assert limit == inf or growth(name, 1.02 * limit) > 1
    assert METHODS[name].order == tableaux()[name].order
    assert METHODS[name].implicit == bool(tableaux()[name].gamma)
    assert METHODS[name].adaptive == (name == "dp5")


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
    assert stable_with_any() == "esdirk4, generalised_alpha or sdirk2"


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
