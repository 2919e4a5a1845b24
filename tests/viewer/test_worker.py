"""Threads of a page: the latest of a kind counts, slow does not hold up quick, errors do not end a lane."""

import threading
import time

from gough.viewer._session import Worker


def until(condition, seconds: float = 5.0) -> bool:
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.002)
    return True


def waited(gate: threading.Event) -> None:
    gate.wait(5.0)


def test_the_latest_task_of_a_key_counts() -> None:
    errors: list[Exception] = []
    worker, gate, done = Worker(errors.append), threading.Event(), []
    worker.post("first", lambda: waited(gate))  # holds the lane
    for k in range(100):
        worker.post("pose", lambda k=k: done.append(k))
    worker.post("other", lambda: done.append("other"))
    gate.set()
    assert until(lambda: "other" in done)
    assert done == [99, "other"] and not errors
    worker.close(2.0)


def test_slow_work_does_not_hold_up_the_quick_lane() -> None:
    worker, gate, quick = Worker(lambda e: None), threading.Event(), threading.Event()
    worker.post("map", lambda: waited(gate), slow=True)
    worker.post("pose", quick.set)
    assert quick.wait(5.0)
    gate.set()
    worker.close(2.0)


def test_an_error_is_told_and_the_lane_goes_on() -> None:
    errors, done = [], threading.Event()
    worker = Worker(errors.append)
    worker.post("bad", lambda: 1 / 0)  # type: ignore[arg-type]
    worker.post("good", done.set)
    assert done.wait(5.0) and isinstance(errors[0], ZeroDivisionError)
    worker.close(2.0)


def test_a_ticker_beats_until_it_is_stopped() -> None:
    worker, beats = Worker(lambda e: None), []
    ticker = worker.every(0.005, lambda: beats.append(time.monotonic()))
    assert until(lambda: len(beats) >= 5)
    ticker.stop()
    time.sleep(0.05)
    count = len(beats)
    time.sleep(0.05)
    assert len(beats) == count
    worker.close(2.0)


def test_a_closed_worker_takes_nothing_more() -> None:
    worker, done = Worker(lambda e: None), []
    worker.close(2.0)
    worker.post("late", lambda: done.append(1))
    worker.every(0.001, lambda: done.append(2))
    time.sleep(0.05)
    assert not done


def test_closing_from_within_a_task_does_not_hang() -> None:
    worker, done = Worker(lambda e: None), threading.Event()

    def end() -> None:
        worker.close(2.0)
        done.set()

    worker.post("end", end)
    assert done.wait(5.0)
