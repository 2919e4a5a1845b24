"""The door to work in chunks, by threads of one process: parts on disk, what is refused, what is waited for."""

from __future__ import annotations

import threading
import time
import warnings
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from distribution.processes import Squares, items, tries, wait_for
from gough.distribution import PartFolder, run_chunks
from gough.errors import ClusterError, FileError, RunWarning, UsageError


@pytest.fixture
def traces(tmp_path: Path) -> Path:
    made = tmp_path / "traces"
    made.mkdir()
    return made


def folder(path: Path, factor: float = 2.0) -> PartFolder:
    return PartFolder(path / "parts", "study", {"factor": factor, "grid": [1, 2, 3]})


def test_every_chunk_comes_once(traces: Path) -> None:
    found = {x.number: x.result["square"] for x in run_chunks(Squares(2.0, str(traces)), items(9), threads=3)}
    assert sorted(found) == list(range(9))
    for k, x in items(9):
        np.testing.assert_array_equal(found[k], 2.0 * x**2)
    assert set(tries(traces).values()) == {1}


def test_few_results_wait_for_who_takes_them(traces: Path) -> None:
    with closing(run_chunks(Squares(1.0, str(traces)), items(200), threads=2)) as chunks:
        next(chunks)
        time.sleep(0.3)
        assert len(tries(traces)) < 10


def test_parts_that_are_there_are_not_done_again(tmp_path: Path, traces: Path) -> None:
    work = Squares(2.0, str(traces))
    with closing(run_chunks(work, items(8), store=folder(tmp_path), threads=1)) as chunks:
        first = {next(chunks).number for _ in range(3)}
    done = {int(path.stem[4:]) for path in folder(tmp_path).paths()}
    assert first <= done
    again = {x.number: x for x in run_chunks(work, items(8), store=folder(tmp_path))}
    assert {k for k, x in again.items() if x.kept} == done and len(again) == 8
    assert all(tries(traces)[k] == 1 for k in done)
    for k, x in items(8):
        np.testing.assert_array_equal(again[k].result["square"], 2.0 * x**2)


def test_another_jobs_folder_is_refused_with_the_difference(tmp_path: Path) -> None:
    folder(tmp_path)
    with pytest.raises(UsageError, match=r"holds another study: factor is 2\.0 there and 3\.0 here; give an empty"):
        folder(tmp_path, 3.0)


def test_a_folder_that_is_gone_for_a_while_is_waited_for(tmp_path: Path, traces: Path) -> None:
    store, away = folder(tmp_path), tmp_path / "away"
    store.folder.rename(away)
    threading.Timer(1.0, lambda: away.rename(store.folder)).start()
    with pytest.warns(RunWarning, match=r"cannot be reached.* is tried again for 60 s"):
        numbers = [
            x.number for x in run_chunks(Squares(1.0, str(traces)), items(3), store=store, threads=1, patience=60.0)
        ]
    assert sorted(numbers) == [0, 1, 2] and len(store.paths()) == 3 and set(tries(traces).values()) == {1}


def test_a_folder_that_stays_away_is_told(tmp_path: Path, traces: Path) -> None:
    store = folder(tmp_path)
    store.folder.rename(tmp_path / "away")
    with (
        pytest.warns(RunWarning, match="cannot be reached"),
        pytest.raises(FileError, match=r"part 0 could not be kept .*the same call again goes on"),
    ):
        list(run_chunks(Squares(1.0, str(traces)), items(1), store=store, patience=0.5))
    assert not store.folder.exists()  # parts are not written where their head is not


def test_who_ends_a_run_does_not_wait_for_its_folder(tmp_path: Path, traces: Path) -> None:
    """As Ctrl-C does: a thread that waits to write a part gives up."""
    store, began = folder(tmp_path), time.monotonic()
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        with closing(run_chunks(Squares(1.0, str(traces)), items(9), store=store, threads=1, patience=60.0)) as chunks:
            next(chunks)
            wait_for(lambda: len(store.paths()) == 2)
            store.folder.rename(tmp_path / "away")
            next(chunks)
            wait_for(lambda: told)
    assert "cannot be reached" in str(told[0].message)
    assert time.monotonic() - began < 30.0


def test_files_that_are_no_parts_do_not_count(tmp_path: Path) -> None:
    store = folder(tmp_path)
    store.write(3, {"square": np.zeros(2)})
    for name in ("part000003 (copy).npz", "part_old.npz", "parts.npz"):
        (store.folder / name).write_bytes(store.path(3).read_bytes())
    assert store.paths() == [store.path(3)]


def test_an_error_says_in_which_chunk(traces: Path) -> None:
    class Bad(Squares):
        def prepare(self):
            def go(item, tick):
                raise UsageError("no")

            return go

    with pytest.raises(UsageError, match="no") as caught:
        list(run_chunks(Bad(1.0, str(traces)), items(1)))
    assert caught.value.__notes__ == ["in chunk 0"]


@pytest.mark.slow
def test_nobody_at_the_address(traces: Path) -> None:
    with pytest.raises(UsageError, match=r"cluster='tcp://127\.0\.0\.1:9': no scheduler answers there.*dask scheduler"):
        list(run_chunks(Squares(1.0, str(traces)), items(2), cluster="tcp://127.0.0.1:9"))


def test_work_that_cannot_travel_is_refused() -> None:
    class Locked(Squares):
        pass

    work = Locked(1.0, "")
    object.__setattr__(work, "factor", threading.Lock())
    with pytest.raises(UsageError, match="cannot be sent to other processes"):
        list(run_chunks(work, items(2), cluster="tcp://127.0.0.1:9"))
    assert issubclass(ClusterError, RuntimeError)
