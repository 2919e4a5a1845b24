"""Controllers in C, cross-compiled: a Cortex-M7, an aarch64 and another compiler give the same numbers to the last bit.

IEEE 754 says what sums, products, quotients, roots and rounding to whole numbers give; sines and cosines are of these alone in
the text. With -ffp-contract=off nothing is left to the machine, but for the arc tangent of libm, which no law here has.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gough
from backends.compiled_c import needs_compiler
from export.controllers import at_samples, off
from gough import laws
from gough.export import export_law
from gough.observers import Kalman
from gough.sensors import Accelerometer, Encoders
from laws.subjects import built

pytestmark = needs_compiler
T = 1e-3
STEPS = 60
ROUNDING = 1e-10
"""Of the largest command: what contracted products may change, with gains of the law over it."""


def tools() -> Any:
    """benchmarks/real_time/other_machines.py."""
    name = "other_machines"
    if name not in sys.modules:
        path = Path(__file__).parents[2] / "benchmarks" / "real_time" / f"{name}.py"
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None and spec.loader is not None
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


def hexapod() -> tuple[gough.Model, laws.Sampled, dict[str, Any]]:
    law = laws.ComputedTorque(900.0, 60.0)
    return built("lopes_simplified"), laws.Sampled(law, T, sensors=Encoders(noise=1e-7, bandwidth=60.0)), {}


def flexible() -> tuple[gough.Model, laws.Sampled, dict[str, Any]]:
    sensors = [Encoders(noise=1e-6, bandwidth=200.0), Accelerometer(frame="link16.tip", noise=0.01)]
    law = laws.Sampled(laws.PID(4e4, 600.0, integral=1e5), T, sensors=sensors, observer=Kalman())
    return built("dualemps"), law, {"step": 5e-5}


def plate() -> tuple[gough.Model, laws.Sampled, dict[str, Any]]:
    law = laws.Sampled(
        laws.JointPD(bandwidth=8.0, damping_ratio=0.7), 2.5e-4, sensors=Encoders(noise=1e-6), observer=Kalman()
    )
    return built("long2014"), law, {"step": 2.5e-4, "start": "static"}


CASES = {
    "computed torque from encoders": hexapod,
    "flexible with an observer": flexible,
    "a plate of ten modes with an observer": plate,
}


def exported(name: str, precision: str, folder: Path) -> np.ndarray:
    """Write a controller; readings (n, width) of a run with it."""
    model, law, more = CASES[name]()
    start = model.drives(model.home)
    by = 0.01 * (law.period / T) ** 4 * np.arange(1, 1 + len(start))
    move = gough.motions.quintic(drives=[start, start + by], durations=STEPS * law.period)
    export_law(model, law, folder, motion=move, name="controller", precision=precision, **more)
    run = gough.simulate(model, move, law, method="rk4", check="off", **more)
    sensors: Any = law.sensors
    rows = at_samples(run, law.period)
    return np.concatenate([run[x.name][rows][:, : len(x.channels(model)[0])] for x in sensors], axis=1)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, str], tuple[Path, np.ndarray]]:
    """(folder, readings) of a controller, by its name and precision."""

    @cache
    def find(name: str, precision: str) -> tuple[Path, np.ndarray]:
        folder = tmp_path_factory.mktemp("controller")
        return folder, exported(name, precision, folder)

    return find


@pytest.mark.slow
@pytest.mark.parametrize("precision", ["double", "single"])
@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("machine", ["AARCH64", "CORTEX_M7", "CLANG"])
def test_same_bits_on_other_machines(
    machine: str, name: str, precision: str, written: Callable[[str, str], tuple[Path, np.ndarray]]
) -> None:
    other = getattr(tools(), machine)
    if other.missing:
        pytest.skip(f"{other.name}: no {' or '.join(other.missing)} on this machine")
    folder, readings = written(name, precision)
    here = tools().Crossing(folder, tools().HOST, readings).run()
    there = tools().Crossing(folder, other, readings).run()
    assert not any(status for status, _ in here.steps) and len(here.steps) == STEPS
    assert there.steps == here.steps
    contracted = tools().Crossing(folder, other, readings, ("-ffp-contract=fast",)).run()
    kind = np.float32 if precision == "single" else np.float64
    if machine != "CLANG":  # a PC may have no multiply-adds
        assert contracted.steps != here.steps  # the flag is what makes them the same
    wrong = off(contracted.commands(kind), here.commands(kind))
    assert wrong < ROUNDING * (1.0 if precision == "double" else 1e7)
