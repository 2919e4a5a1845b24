"""Studies on a cluster are those of one process, bit for bit; a killed run goes on where it was."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gough
from distribution.processes import Processes, environment, wait_for
from studies.study.robots import slider_study

KEPT = ("x", "values", "constraints", "violation")


@pytest.mark.slow
@pytest.mark.parametrize(
    "search",
    [
        {"method": "sobol", "count": 9000, "seed": 4},
        {"method": "gradient", "starts": 3},
        {"method": "evolution", "count": 120, "population": 40, "polish": 1},
    ],
)
def test_equal_bits(search: dict[str, object], tmp_path: Path) -> None:
    keys = {"maximise": "way", "search": search, "variables": {"crank": [0.05, 0.3], "rod": [0.25, 0.6]}}
    alone = slider_study(**keys).run()
    many = slider_study(**keys).run(tmp_path / "parts", cluster="local:2")
    again = slider_study(**keys).run(tmp_path / "parts")
    for other in (many, again):
        demand_same(other, alone)


SCRIPT = """
import json, sys, warnings
warnings.simplefilter("ignore")
from studies.study.robots import slider_study
study = slider_study(**json.loads(sys.argv[2]))
study.run(sys.argv[1], cluster=sys.argv[3] if len(sys.argv) > 3 else None)
"""
WIDE: dict[str, Any] = {"maximise": "way", "variables": {"crank": [0.05, 0.3], "rod": [0.25, 0.6]}}
LONG: list[dict[str, Any]] = [
    {"method": "sobol", "count": 4000, "seed": 4},
    {"method": "gradient", "starts": 12},
    {"method": "evolution", "count": 600, "population": 40, "polish": 4},
]
METHODS = [str(search["method"]) for search in LONG]


@pytest.fixture
def processes() -> Iterator[Processes]:
    made = Processes()
    yield made
    made.stop()


def demand_same(other: gough.StudyResult, alone: gough.StudyResult) -> None:
    assert (other.designs, other.robots, other.feasible) == (alone.designs, alone.robots, alone.feasible)
    assert not other.partial
    order = [np.lexsort(found.front.designs.x.T) for found in (alone, other)]
    for name in KEPT:
        a, b = (getattr(f.front.designs, name)[o] for f, o in zip((alone, other), order, strict=True))
        assert a.tobytes() == b.tobytes(), name


def parts_in(folder: Path) -> dict[str, int]:
    return {p.name: p.stat().st_mtime_ns for p in folder.glob("part*.npz")}


def _has_parts(folder: Path, least: int, process: subprocess.Popen[bytes]) -> bool:
    return len(parts_in(folder)) >= least or process.poll() is not None


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no SIGKILL on this system")
@pytest.mark.parametrize("search", LONG, ids=METHODS)
def test_a_killed_run_goes_on(search: dict[str, Any], tmp_path: Path) -> None:
    """kill -9 in mid-run, twice: finished parts stay as they are, and the end is that of a run that was never killed."""
    folder, keys = tmp_path / "parts", WIDE | {"search": search}
    kept: dict[str, int] = {}
    for least in (2, 4):
        words = [sys.executable, "-c", SCRIPT, str(folder), json.dumps(keys)]
        process = subprocess.Popen(words, env=environment())
        wait_for(partial(_has_parts, folder, least, process))
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        found = parts_in(folder)
        assert len(found) >= least and {name: found[name] for name in kept} == kept
        kept = found
    study = slider_study(**keys)
    again = study.run(folder)
    after = parts_in(folder)
    assert {name: after[name] for name in kept} == kept and len(after) > len(kept)
    demand_same(again, study.run())


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no SIGKILL on this system")
@pytest.mark.filterwarnings("ignore::gough.errors.RunWarning")
@pytest.mark.parametrize("trouble", ["worker", "scheduler", "folder"])
@pytest.mark.parametrize("search", LONG, ids=METHODS)
def test_trouble_on_a_cluster(search: dict[str, Any], trouble: str, processes: Processes, tmp_path: Path) -> None:
    """A worker is killed, the scheduler is restarted, the folder is gone for seconds: no part is lost or counted twice."""
    first = processes.scheduler()
    workers = [processes.worker() for _ in range(2)]
    folder, study = tmp_path / "parts", slider_study(**WIDE, search=search)

    def disturb() -> None:
        wait_for(lambda: len(parts_in(folder)) >= 1)
        if trouble == "worker":
            workers[0].kill()
        elif trouble == "scheduler":
            first.kill()
            first.wait()
            for worker in workers:
                worker.kill()
            processes.scheduler()
            processes.worker()
        else:
            folder.rename(tmp_path / "away")
            time.sleep(3.0)
            (tmp_path / "away").rename(folder)

    thread = threading.Thread(target=disturb)
    thread.start()
    found = study.run(folder, cluster=processes.address)
    thread.join()
    demand_same(found, study.run())
    assert len(parts_in(folder)) == len(list(study.run(folder).kept_designs.numbers or parts_in(folder)))


OTHER = """
import gough.compilation.service as service
import gough.distribution._worker as worker
real = service.cpu_kind()
worker.cpu_kind = lambda: (real[0], real[1] + ",+made-up")
"""


@pytest.mark.slow
def test_a_cluster_of_two_kinds_is_refused(processes: Processes, tmp_path: Path) -> None:
    (tmp_path / "other.py").write_text(OTHER)
    processes.scheduler()
    processes.worker()
    processes.worker("--preload", str(tmp_path / "other.py"))
    from distributed import Client

    with Client(processes.address, set_as_default=False) as client:
        client.wait_for_workers(2, timeout=60)
        study = slider_study(**WIDE, search={"method": "sobol", "count": 600})
        with pytest.raises(gough.UsageError, match=r"different kinds: CPU features \+made-up .*mixed=True \(--mixed\)"):
            study.run(tmp_path / "parts", cluster=client)
        assert not parts_in(tmp_path / "parts")
        demand_same(study.run(cluster=client, mixed=True), study.run())
