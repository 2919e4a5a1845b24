"""Ensembles on a cluster are those of one process, bit for bit; ensembles in a folder stay there until they are asked for."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gough
from cli.command import gough_json
from distribution.processes import Processes, environment, wait_for
from gough import Ensemble, simulate_many, vary
from gough.errors import UsageError

ARRAYS = ("time", "q", "v", "tau", "works", "end_q", "end_v", "failed")


@pytest.fixture(scope="module")
def five_bar() -> gough.Model:
    return gough.build("five_bar")


@pytest.fixture(scope="module")
def workers() -> Iterator[Processes]:
    made = Processes()
    made.scheduler()
    made.worker()
    made.worker()
    yield made
    made.stop()


def given(model: gough.Model, what: str) -> dict[str, Any]:
    """Designs; loads along a motion under a law; plain first states."""
    if what == "designs":
        draws = {"left_rod.M": vary.within(0.1), "rate.left_motor": vary.normal(0.0, 1.0)}
        return {"vary": vary.monte_carlo(draws, 300, seed=3), "duration": 0.2, "stored": 10}
    if what == "loads":
        start = model.home[model.drive_index]
        motion = gough.motions.quintic(drives=[start, start + 0.2, start - 0.1], durations=[0.2, 0.15])
        draws = {"wrench.left_rod.tool.fx": vary.normal(0.0, 5.0)}
        law = gough.laws.JointPD(stiffness=300.0, damping=8.0)
        return {"motion": motion, "controller": law, "vary": vary.monte_carlo(draws, 40, seed=1), "step": 2e-3}
    return {"v": np.linspace(-1.0, 1.0, 66).reshape(33, 2), "duration": 0.1, "stored": 5}


def demand_same(a: Ensemble, b: Ensemble) -> None:
    for name in ARRAYS:
        x, y = getattr(a, name), getattr(b, name)
        assert x.shape == y.shape and x.tobytes() == y.tobytes(), name
    np.testing.assert_array_equal(a.energy_error, b.energy_error)
    np.testing.assert_array_equal(a.crossed, b.crossed)


@pytest.mark.slow
@pytest.mark.parametrize("what", ["designs", "loads", "states"])
def test_bits_of_one_process(five_bar: gough.Model, workers: Processes, tmp_path: Path, what: str) -> None:
    alone = simulate_many(five_bar, **given(five_bar, what))
    told: list[int] = []
    many = simulate_many(
        five_bar,
        cluster=workers.address,
        folder=tmp_path / "a",
        progress=lambda k, n: told.append(k),
        **given(five_bar, what),
    )
    demand_same(many, alone)
    assert many.resumed == 0 and told[-1] == alone.runs and told == sorted(told)
    again = simulate_many(five_bar, folder=tmp_path / "a", **given(five_bar, what))  # one process takes it up
    demand_same(again, alone)
    assert again.resumed == alone.runs


@pytest.mark.slow
def test_on_processes_of_this_machine_and_by_a_client(five_bar: gough.Model, workers: Processes) -> None:
    from distributed import Client

    alone = simulate_many(five_bar, **given(five_bar, "states"))
    demand_same(simulate_many(five_bar, cluster="local:2", **given(five_bar, "states")), alone)
    with Client(workers.address, set_as_default=False) as client:
        demand_same(simulate_many(five_bar, cluster=client, **given(five_bar, "states")), alone)
        assert client.status == "running"  # it is not ours to close


SCRIPT = """
import sys, warnings, gough
warnings.simplefilter("ignore")
model = gough.build("five_bar")
drawn = gough.vary.monte_carlo({"rate.left_motor": gough.vary.uniform(0.5, 1.5)}, 14 * 256, seed=7)
gough.simulate_many(model, vary=drawn, duration=2.0, step=1e-4, stored=5, folder=sys.argv[1], cluster=sys.argv[2])
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no SIGKILL on this system")
@pytest.mark.filterwarnings("ignore::gough.errors.RunWarning")
def test_the_client_is_killed(five_bar: gough.Model, workers: Processes, tmp_path: Path) -> None:
    folder = tmp_path / "runs"
    words = [sys.executable, "-c", SCRIPT, str(folder), workers.address]
    process = subprocess.Popen(words, env=environment())
    wait_for(lambda: len(list(folder.glob("part*.npz"))) >= 2 or process.poll() is not None)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    finished = {p.name: p.stat().st_mtime_ns for p in folder.glob("part*.npz")}
    assert 2 <= len(finished) < 16
    drawn = vary.monte_carlo({"rate.left_motor": vary.uniform(0.5, 1.5)}, 14 * 256, seed=7)
    same: dict[str, Any] = {"vary": drawn, "duration": 2.0, "step": 1e-4, "stored": 5}
    again = simulate_many(five_bar, folder=folder, cluster=workers.address, **same)
    assert again.resumed == len(finished) * 224
    assert {p: (folder / p).stat().st_mtime_ns for p in finished} == finished
    demand_same(again, simulate_many(five_bar, **same))


@pytest.mark.slow
def test_the_command(workers: Processes, tmp_path: Path) -> None:
    words = ["simulate", "five_bar", "--duration", "0.1", "--vary", "rate.left_motor=uniform(0,1)", "--runs", "20"]
    words += ["--method", "rk4", "--step", "1ms"]
    alone = gough_json(*words)
    many = gough_json(*words, "--cluster", workers.address, "--out", tmp_path / "runs")
    assert many["ends"] == alone["ends"] and many["failed"] == 0


def test_what_is_refused(five_bar: gough.Model) -> None:
    with pytest.raises(UsageError, match=r"cluster='here'; expected 'local:N' for N processes, the address"):
        simulate_many(five_bar, duration=0.1, cluster="here")
    with pytest.raises(UsageError, match="threads= is of this process"):
        simulate_many(five_bar, duration=0.1, cluster="local:2", threads=2)


def test_a_folder_is_read_when_it_is_asked_for(five_bar: gough.Model, tmp_path: Path) -> None:
    """Single runs and doubts take no more memory than a part; whole arrays come with the first question for them."""
    v = np.linspace(-0.2, 0.2, 4096).reshape(2048, 2)
    same: dict[str, Any] = {"v": v, "duration": 0.1, "step": 1e-3, "stored": 100}
    here = simulate_many(five_bar, **same)
    simulate_many(five_bar, folder=tmp_path, **same)
    size = sum(getattr(here, name).nbytes for name in ("q", "v", "tau", "works"))
    tracemalloc.start()
    kept = simulate_many(five_bar, folder=tmp_path, **same)
    assert kept.energy_error.max() < 1e-3 and not kept.crossed.any() and len(kept.run(1234))
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert kept.resumed == 2048 and most < 0.6 * size, (most, size)
    demand_same(kept, here)
    for k, run in zip(range(3), kept, strict=False):
        np.testing.assert_array_equal(run.q, here.run(k).q)
        assert run.info == here.run(k).info


def test_a_part_that_is_gone_later_is_told(five_bar: gough.Model, tmp_path: Path) -> None:
    kept = simulate_many(five_bar, v=np.zeros((20, 2)), duration=0.02, folder=tmp_path)
    (tmp_path / "part000001.npz").unlink()
    assert len(kept.run(0).time)
    with pytest.raises(gough.errors.FileError, match=r"part000001\.npz: cannot be read"):
        kept.run(9)


def test_another_ensembles_folder_is_refused_by_name(five_bar: gough.Model, tmp_path: Path) -> None:
    simulate_many(five_bar, duration=0.1, folder=tmp_path)
    with pytest.raises(UsageError, match=r"another ensemble: duration is 0\.1 there and 0\.2 here, motion is"):
        simulate_many(five_bar, duration=0.2, folder=tmp_path)
