"""Identification on a cluster is that of one process, bit for bit; the truth of its numbers is a matter of its own tests."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gough
from distribution.processes import Processes

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::gough.errors.IdentificationWarning")]


@pytest.fixture(scope="module")
def workers() -> Iterator[Processes]:
    made = Processes()
    made.scheduler()
    made.worker()
    made.worker()
    yield made
    made.stop()


def recorded(name: str, runs: int = 4, duration: float = 2.0) -> dict[str, Any]:
    """Runs of a robot whose numbers are others than described, under a law, with noise."""
    described = gough.build(name)
    heavier = {
        n: 1.1 * x for n, x in zip(described.parameter_names, described.parameters, strict=True) if n.endswith(".M")
    }
    real = gough.build(described.robot.with_parameters(heavier))
    home = described.drives(described.home)
    law = gough.laws.JointPD(stiffness=300.0, damping=20.0)
    motions, records = [], []
    for seed in range(runs):
        t, rng = np.linspace(0.0, duration, 9), np.random.default_rng(seed)
        drives = home + 0.2 * np.sin(np.outer(t, rng.uniform(1.0, 4.0, len(home))))
        motions.append(gough.motions.spline(times=t, drives=drives, names=described.layout.drive_names, degree=5))
        run = gough.simulate(real, motions[-1], law, method="rk4", step=1e-3)
        more: dict[str, Any] = {"resolution": 1e-6, "noise": {"force": 0.01}, "seed": seed}
        records.append(gough.Record.from_run(run, f"run {seed}", rate_hz=500, **more))
    samples = gough.condition(described, records)
    return {"model": described, "samples": samples, "controller": law, "motion": motions}


def demand_same(a: gough.Identification, b: gough.Identification) -> None:
    for name in ("phi", "covariance", "sigma", "singular_values"):
        assert getattr(a.estimate, name).tobytes() == getattr(b.estimate, name).tobytes(), name
    assert a.parameters == b.parameters and a.deviations == b.deviations and a.estimate.turns == b.estimate.turns
    assert [f.rms.tolist() for f in a.fits] == [f.rms.tolist() for f in b.fits] and a.warnings == b.warnings


@pytest.mark.parametrize("method", ["ls", "iv", "didim"])
def test_equal_bits(method: str, workers: Processes, limits: Callable[..., None]) -> None:
    """Equations are made anew at each pass, as of many samples, and go to workers in parts; so do runs of the simulated robot."""
    limits(equations_kept=0)
    limits(equations_alone=128)
    made = recorded("five_bar")
    train, check = made["samples"].split(0.25)
    told = {} if method == "ls" else {"controller": made["controller"], "motion": made["motion"][:3]}
    same: dict[str, Any] = {"method": method, "validation": check, **told}
    alone = gough.identify(made["model"], train, **same)
    many = gough.identify(gough.build("five_bar"), train, **same, cluster=workers.address)
    demand_same(many, alone)
    assert abs(alone.base_values[0] / alone.base.values[0] - 1.0) > 0.01  # it found other numbers than described


def test_few_equations_stay_here(workers: Processes) -> None:
    made = recorded("five_bar", runs=2)
    demand_same(
        gough.identify(made["model"], made["samples"], cluster=workers.address),
        gough.identify(made["model"], made["samples"]),
    )


def test_samples_on_a_disk(workers: Processes, tmp_path: Path, limits: Callable[..., None]) -> None:
    limits(equations_kept=0)
    made = recorded("five_bar", runs=2)["samples"]
    arrays = {}
    for name in ("time", "q", "v", "acceleration", "force", "run"):
        np.save(tmp_path / f"{name}.npy", getattr(made, name))
        arrays[name] = np.load(tmp_path / f"{name}.npy", mmap_mode="r")
    there = gough.Samples(made.model, wrench=None, runs=made.runs, band_hz=made.band_hz, block=made.block, **arrays)
    demand_same(gough.identify(made.model, there, cluster="local:2"), gough.identify(made.model, made))


def test_runs_that_cannot_be_simulated_are_told_as_here(workers: Processes) -> None:
    made = recorded("five_bar", runs=2)
    same: dict[str, Any] = {"method": "iv", "controller": made["controller"], "motion": made["motion"], "begin": 0.5}
    said = []
    for cluster in (None, workers.address):
        with pytest.raises(gough.UsageError, match="before the motion does") as caught:
            gough.identify(made["model"], made["samples"], **same, cluster=cluster)
        said.append(re.sub(r"run 'run \d'", "a run", str(caught.value)))  # whichever of them was looked at first
    assert said[0] == said[1]
