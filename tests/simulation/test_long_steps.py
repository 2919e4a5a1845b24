"""Equal steps that are too long for what swings: said of clocked laws, sprung robots, bent ones and many runs at once."""

from __future__ import annotations

import json
import re
import warnings
from typing import Any

import numpy as np
import pytest

import gough
from gough import laws, sensors, vary
from gough.errors import RunWarning
from gough.robot import loads
from laws.subjects import built
from simulation.test_lqr import TWO

K, PERIOD = 2e7, 2e-3
LIMIT = 2 * np.sqrt(2) / np.sqrt(K * (1 / 1.0 + 1 / 0.5))
"""RK4 on an undamped vibration: h ω < 2√2, ω² = k (1/m₁ + 1/m₂)."""
PD = laws.JointPD(100.0, 20.0)
SEEN = laws.Sampled(PD, PERIOD, delay=1e-3, sensors=sensors.Encoders())
MOVE = gough.motions.quintic(drives=[[0.0], [0.1]], durations=0.1)
V = [0.0, 1e-3]


def sprung() -> gough.Model:
    joints = [TWO["joints"][0], TWO["joints"][1] | {"spring": {"stiffness": K}}]
    return built(loads(json.dumps(TWO | {"format": 2, "joints": joints, "idle": ["spring"]})))


def told(call: Any) -> tuple[Any, list[str]]:
    """(what it returns, warnings about steps)."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        found = call()
    return found, [str(w.message) for w in seen if "too long for what is stiffest" in str(w.message)]


@pytest.mark.parametrize(
    ("law", "more"),
    [(PD, ", or an implicit one"), (laws.Sampled(PD, PERIOD), ", or an implicit one"), (SEEN, "its steps")],
    ids=["continuous", "clocked", "with encoders"],
)
def test_a_joint_on_a_hard_spring(law: laws.Law, more: str) -> None:
    """The step that is said is one with which the run ends, and meets the clock; implicit methods have no encoders."""
    model = sprung()
    run, (text,) = told(lambda: gough.simulate(model, MOVE, law, method="rk4", step=1e-3, v=V))
    assert not run.info.finished and f"rk4 needs less than {LIMIT:.3g} s" in text and text.endswith(more)
    hz = float(re.search(r"\(([\d.]+) Hz\)", text)[1])  # type: ignore[index]
    assert hz == pytest.approx(np.sqrt(K * 3) / (2 * np.pi), rel=1e-3)
    step = 0.9 * LIMIT
    if isinstance(law, laws.Sampled):
        step = float(re.search(r"step=([\d.e-]+), which meets", text)[1])  # type: ignore[index]
        assert LIMIT / 2 < step < LIMIT and PERIOD / step == pytest.approx(round(PERIOD / step), abs=1e-6)
    run, said = told(lambda: gough.simulate(model, MOVE, law, method="rk4", step=step, v=V))
    assert run.info.finished and not said


def test_many_runs_look_at_designs() -> None:
    """Two of five springs are too hard for the step."""
    model = sprung()
    hard = vary.sweep({"spring.spring.stiffness": np.linspace(0.5, 1.5, 5) * K})
    step = LIMIT / np.sqrt(1.1)
    for law in (PD, laws.Sampled(PD, 3 * step)):
        _, said = told(lambda law=law: gough.simulate_many(model, motion=MOVE, controller=law, vary=hard, step=step))
        assert len(said) == 1 and "step, run 3: " in said[0]
    _, said = told(
        lambda: gough.simulate_many(model, motion=MOVE, controller=PD, vary=hard, step=0.99 * LIMIT / np.sqrt(1.5))
    )
    assert not said


@pytest.mark.slow
@pytest.mark.parametrize("start", ["given", "static"])
def test_a_robot_that_its_weight_bends(start: str) -> None:
    """In equilibrium bodies are bent, and their vibrations are those they were."""
    model = built(gough.load("delta_flexible"))
    at = model.drives(model.home)
    move = gough.motions.quintic(drives=[at, at + 0.02], durations=0.01)
    for law in (laws.JointPD(bandwidth=5.0), laws.Sampled(laws.JointPD(bandwidth=5.0), 1e-3)):
        run, (text,) = told(lambda law=law: gough.simulate(model, move, law, method="rk4", step=1e-3, start=start))
        assert not run.info.finished and "(1191" in text
        limit = float(re.search(r"less than ([\d.e-]+) s", text)[1])  # type: ignore[index]
        assert limit == pytest.approx(2 * np.sqrt(2) / (2 * np.pi * 1194), rel=0.02)
    with pytest.warns(RunWarning, match="step, run 0: 0.001 s is too long"):
        gough.simulate_many(model, motion=move, controller=law, step=1e-3, start=start, q=np.tile(model.home, (2, 1)))
