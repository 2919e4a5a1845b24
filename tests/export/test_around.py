"""Functions around those of the catalogue, in C, beside what the library does by itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gough
from backends.compiled_c import needs_compiler, run_driver
from gough.export import export
from inner.export import AROUND
from laws.subjects import built

ROBOTS = ("five_bar", "lopes_simplified", "delta_flexible")


def computed(model: gough.Model, name: str, **inputs: Any) -> dict[str, np.ndarray]:
    """The program in the interpreter; the driver compares the C with it."""
    program = AROUND[name](model, {"parameters": model.pattern})
    zeros = {"wrench": np.zeros(6), "force": np.zeros(model.layout.nv), "parameters": model.parameters}
    flat = np.concatenate([np.ravel((zeros | inputs)[s.name]) for s in program.inputs])
    found, out, at = program.evaluate_flat(flat).astype(float), {}, 0
    for slot in program.outputs:
        out[slot.name] = found[at : at + slot.size].reshape(slot.shape)
        at += slot.size
    return out


def moved(model: gough.Model) -> np.ndarray:
    """Where the drives are a little off home."""
    return model.configuration(drives=model.drives(model.home) + 1e-3 * np.arange(1, len(model.mechanism.drives) + 1))


@pytest.mark.parametrize("robot", ROBOTS)
def test_forward_geometry_is_the_configuration_of_the_drives(robot: str) -> None:
    model = built(robot)
    q = moved(model)
    v = np.zeros(model.layout.nv)
    v[: model.mobility] = 0.1 * np.arange(1, model.mobility + 1)
    u = model.function("tree_rates").values(q=q, v=v, parameters=model.parameters)["u"]
    rates = u[[model.mechanism.links[d.link].u for d in model.mechanism.drives]]
    found = computed(model, "forward_geometry", q=model.home, drives=q[model.drive_index], drive_rates=rates)
    assert found["q_closed"] == pytest.approx(q, abs=1e-10)
    assert found["v"] == pytest.approx(v, abs=1e-8)


@pytest.mark.parametrize("robot", ROBOTS)
def test_configuration_keeps_what_leads(robot: str) -> None:
    model = built(robot)
    wanted = moved(model)
    near = model.home.copy()
    places = slice(0, 7) if model.mechanism.leads_from_platform else model.drive_index
    if robot == "delta_flexible":
        places = slice(0, 3)
    near[places] = wanted[places]
    assert computed(model, "configuration", q=near)["q_closed"] == pytest.approx(wanted, abs=1e-9)


@pytest.mark.parametrize("robot", ROBOTS[:2])
def test_time_step_is_that_of_the_stepper(robot: str) -> None:
    model, h = built(robot), 5e-4
    tau = np.linspace(1.0, 2.0, len(model.mechanism.drives))
    stepper = gough.Stepper(model, method="rk4", longest_step=h, check="off", smoothing="described")
    q, v = stepper.q.copy(), stepper.v.copy()
    for _ in range(5):
        stepper.step(tau, h)
        after = computed(model, "time_step", q=q, v=v, tau=tau, h=[h])
        q, v = after["q_after"], after["v_after"]
    assert q == pytest.approx(stepper.q, rel=1e-11, abs=1e-13)
    assert v == pytest.approx(stepper.v, rel=1e-10, abs=1e-12)


@pytest.mark.parametrize("robot", ROBOTS[:2])
def test_linear_model_is_that_of_linearize(robot: str) -> None:
    model = built(robot)
    q, v = moved(model), 0.1 * np.arange(1.0, model.layout.nv + 1)
    tau = np.linspace(1.0, 2.0, len(model.mechanism.drives))
    wanted = model.linearize(q, v, tau)
    found = computed(model, "linear_model", q=q, v=v, tau=tau)
    for key in ("A", "B"):
        want = getattr(wanted, key)
        assert found[key] == pytest.approx(want, abs=1e-8 * np.abs(want).max())


@needs_compiler
@pytest.mark.parametrize("name", AROUND)
def test_driver_agrees(name: str, tmp_path: Path) -> None:
    export(built("five_bar"), name, tmp_path, name="f", wrench=name != "time_step")
    done = run_driver(tmp_path, "f")
    assert done.returncode == 0 and " 0 wrong" in done.stdout, done.stdout


def test_what_drives_do_not_tell_is_refused() -> None:
    with pytest.raises(gough.UsageError, match="drives"):
        export(built("redundant_planar"), "forward_geometry")
