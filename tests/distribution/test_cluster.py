"""Chunks on real schedulers and workers, each a process: killed, restarted, of another kind; what comes out is what one process
gives."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from distribution.processes import Processes, Squares, environment, items, tries, wait_for
from gough.distribution import PartFolder, run_chunks
from gough.errors import ClusterError, RunWarning, UsageError

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no SIGKILL on this system"),
]


@pytest.fixture
def processes() -> Iterator[Processes]:
    made = Processes()
    yield made
    made.stop()


@pytest.fixture
def two(processes: Processes) -> Processes:
    """A scheduler with two workers."""
    processes.scheduler()
    processes.worker()
    processes.worker()
    return processes


@pytest.fixture
def traces(tmp_path: Path) -> Path:
    made = tmp_path / "traces"
    made.mkdir()
    return made


def demand_all(found: dict[int, np.ndarray], count: int, factor: float = 2.0) -> None:
    assert sorted(found) == list(range(count))
    for k, x in items(count):
        np.testing.assert_array_equal(found[k], factor * x**2)


def in_folder(path: Path) -> PartFolder:
    return PartFolder(path, "study", {"factor": 2.0})


def test_a_worker_is_killed(two: Processes, traces: Path, tmp_path: Path) -> None:
    work, store, killed = Squares(2.0, str(traces), pause=0.25), in_folder(tmp_path / "parts"), []

    def kill() -> None:
        wait_for(lambda: len(store.paths()) >= 3)
        seen = len(tries(traces))
        wait_for(lambda: len(tries(traces)) > seen)
        newest = max(traces.iterdir(), key=lambda path: int(path.name.split("-")[1]))
        killed.append(int(newest.name.split("-")[2]))
        os.kill(killed[0], signal.SIGKILL)

    thread = threading.Thread(target=kill)
    thread.start()
    found = {}
    for x in run_chunks(work, items(24), cluster=two.address, store=store):
        assert x.number not in found and not x.kept
        found[x.number] = x.result["square"]
    thread.join()
    demand_all(found, 24)
    begun = tries(traces)
    assert killed and 24 < sum(begun.values()) <= 26  # what was in flight there, and no more
    assert len(store.paths()) == 24


def test_the_scheduler_is_killed_and_restarted(processes: Processes, traces: Path, tmp_path: Path) -> None:
    first = processes.scheduler()
    workers = [processes.worker("--death-timeout", "5") for _ in range(2)]
    work, store = Squares(2.0, str(traces), pause=0.25), in_folder(tmp_path / "parts")

    def restart() -> None:
        wait_for(lambda: len(store.paths()) >= 3)
        first.kill()
        first.wait()
        time.sleep(2.0)
        for worker in workers:
            worker.kill()
        processes.scheduler()
        processes.worker()

    thread = threading.Thread(target=restart)
    thread.start()
    with pytest.warns(RunWarning, match=r"the connection to the scheduler at tcp://.* was lost; it is sought again"):
        found = list(run_chunks(work, items(20), cluster=processes.address, store=store))
    thread.join()
    assert len(found) == 20
    demand_all({x.number: x.result["square"] for x in found}, 20)
    assert max(tries(traces).values()) <= 2


def test_a_scheduler_that_stays_away_is_told(processes: Processes, traces: Path) -> None:
    scheduler = processes.scheduler()
    processes.worker("--death-timeout", "5")
    work = Squares(2.0, str(traces), pause=0.1)
    chunks = run_chunks(work, items(200), cluster=processes.address, patience=3.0)
    next(chunks)
    scheduler.kill()
    with pytest.warns(RunWarning, match="was lost"), pytest.raises(ClusterError, match="has been gone for 3 s"):
        list(chunks)


def test_the_folder_is_gone_for_some_seconds(two: Processes, traces: Path, tmp_path: Path) -> None:
    work, store, away = Squares(2.0, str(traces), pause=0.05), in_folder(tmp_path / "parts"), tmp_path / "away"

    def hide() -> None:
        wait_for(lambda: len(store.paths()) >= 2)
        store.folder.rename(away)
        time.sleep(3.0)
        away.rename(store.folder)

    thread = threading.Thread(target=hide)
    thread.start()
    with pytest.warns(RunWarning, match="is tried again"):
        found = {x.number: x.result["square"] for x in run_chunks(work, items(30), cluster=two.address, store=store)}
    thread.join()
    demand_all(found, 30)
    assert set(tries(traces).values()) == {1} and len(store.paths()) == 30


def test_chunks_that_fail(two: Processes, traces: Path) -> None:
    once = Squares(2.0, str(traces), trouble=((3, "fails once"),))
    demand_all({x.number: x.result["square"] for x in run_chunks(once, items(6), cluster=two.address)}, 6)
    assert tries(traces)[3] == 2
    always = Squares(2.0, str(traces), trouble=((4, "fails"),))
    with pytest.raises(ClusterError, match=r"chunk 4 failed 3 times, at last by RuntimeError: trouble of 4"):
        list(run_chunks(always, items(6), cluster=two.address))
    assert tries(traces)[4] == 1 + 3


def test_a_chunk_that_kills_its_workers(two: Processes, traces: Path) -> None:
    work = Squares(2.0, str(traces), trouble=((1, "dies"),))
    with pytest.raises(ClusterError, match=r"chunk 1: 4 workers died while they did it, the last one tcp://"):
        list(run_chunks(work, items(3), cluster=two.address))
    assert tries(traces)[1] == 4


def test_workers_without_a_gpu_of_their_own_are_refused(two: Processes, traces: Path) -> None:
    with pytest.raises(
        UsageError, match=r"device='cuda': worker tcp://\S+ sees 0 GPUs and has 1 threads; a worker needs one"
    ):
        list(run_chunks(Squares(2.0, str(traces)), items(2), cluster=two.address, device="cuda"))
    assert not tries(traces)


OTHER = """
import gough.compilation.service as service
import gough.distribution._worker as worker
real = service.cpu_kind()
worker.cpu_kind = lambda: (real[0], real[1] + ",+made-up")
"""


def test_workers_of_two_kinds_are_refused(processes: Processes, traces: Path, tmp_path: Path) -> None:
    (tmp_path / "other.py").write_text(OTHER)
    processes.scheduler()
    processes.worker()
    processes.worker("--preload", str(tmp_path / "other.py"))
    from distributed import Client

    with Client(processes.address, set_as_default=False) as client:
        client.wait_for_workers(2, timeout=60)
        work = Squares(2.0, str(traces))
        with pytest.raises(UsageError, match=r"different kinds: CPU features \+made-up .*mixed=True \(--mixed\)"):
            list(run_chunks(work, items(4), cluster=client))
        assert not tries(traces)  # before anything is done
        demand_all({x.number: x.result["square"] for x in run_chunks(work, items(4), cluster=client, mixed=True)}, 4)


def test_a_worker_of_another_kind_that_comes_later_is_refused(
    processes: Processes, traces: Path, tmp_path: Path
) -> None:
    (tmp_path / "other.py").write_text(OTHER)
    processes.scheduler()
    processes.worker()
    chunks = run_chunks(Squares(2.0, str(traces), pause=0.1), items(500), cluster=processes.address)
    next(chunks)
    processes.worker("--preload", str(tmp_path / "other.py"))
    with pytest.raises(UsageError, match="different kinds"):
        list(chunks)


CLIENT = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # jobs that a shell puts into the background ignore it
from distribution.processes import Squares, items
from gough.distribution import PartFolder, run_chunks
store = PartFolder(sys.argv[2], "study", {"factor": 2.0})
try:
    for _ in run_chunks(Squares(2.0, sys.argv[3], pause=0.2), items(30), cluster=sys.argv[1], store=store):
        pass
except KeyboardInterrupt:
    print("heard", len(store.paths()))
"""


@pytest.mark.parametrize("how", ["SIGKILL", "SIGINT"])
def test_the_client_is_killed_and_goes_on(two: Processes, traces: Path, tmp_path: Path, how: str) -> None:
    folder = tmp_path / "parts"
    words = [sys.executable, "-W", "ignore", "-c", CLIENT, two.address, str(folder), str(traces)]
    process = subprocess.Popen(words, env=environment(), stdout=subprocess.PIPE, text=True)
    wait_for(lambda: len(list(folder.glob("part*.npz"))) >= 4)
    process.send_signal(getattr(signal, how))
    told = process.communicate(timeout=60)[0]
    finished = {path: path.stat().st_mtime_ns for path in folder.glob("part*.npz")}
    assert 4 <= len(finished) < 30
    assert (told.split() == ["heard", str(len(finished))]) == (how == "SIGINT")
    wait_for(lambda: len(tries(traces)) >= len(finished))
    before = tries(traces)
    again = {
        x.number: x
        for x in run_chunks(
            Squares(2.0, str(traces), pause=0.05), items(30), cluster=two.address, store=in_folder(folder)
        )
    }
    demand_all({k: x.result["square"] for k, x in again.items()}, 30)
    assert sum(x.kept for x in again.values()) == len(finished)
    assert {path: path.stat().st_mtime_ns for path in finished} == finished
    assert all(tries(traces)[k] == before[k] for k, x in again.items() if x.kept)


def test_processes_of_this_machine_end_with_the_call(traces: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", environment()["PYTHONPATH"])
    who = set()
    for x in run_chunks(Squares(1.0, str(traces), pause=0.1), items(12), cluster="local:2"):
        who.add(int(x.result["process"]))
    assert len(who) == 2 and os.getpid() not in who

    def is_gone(pid: int) -> bool:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        return False

    wait_for(lambda: all(map(is_gone, who)))
