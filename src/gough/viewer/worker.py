"""The threads of one page: computations of which only the latest of a kind counts, and things that happen at a beat.

Two lanes: "quick" for what moves the robot, "slow" for what may take seconds (maps, equilibria), so that a slow computation
never holds the picture up.
"""

import threading
import time
from collections.abc import Callable

Task = Callable[[], None]
LONGEST_WAIT = 0.5
"""Seconds a lane sleeps at most: a bound, should a wake-up get lost."""


class Ticker:
    """A task at a steady beat of `period` seconds, until `stop`; beats that were missed are left out."""

    def __init__(self, period: float, task: Task, wake: Task) -> None:
        self.period = period
        self.task = task
        self.due = time.monotonic()
        self.stopped = False
        self._wake = wake

    def stop(self) -> None:
        """No further beat begins."""
        self.stopped = True
        self._wake()

    def advance(self, now: float) -> None:
        """The next beat after now."""
        self.due += self.period * max(1, int((now - self.due) / self.period) + 1)


class Lane:
    """A thread that runs the latest task of every key, oldest key first, and its tickers."""

    def __init__(self, name: str, failed: Callable[[Exception], None]) -> None:
        self._failed = failed
        self._condition = threading.Condition()
        self._tasks: dict[str, Task] = {}
        self._tickers: list[Ticker] = []
        self._closed = False
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def post(self, key: str, task: Task) -> None:
        """Run the task soon; a waiting task of the same key is dropped. Nothing happens once the lane is closed."""
        with self._condition:
            if not self._closed:
                self._tasks.pop(key, None)
                self._tasks[key] = task
                self._condition.notify()

    def cancel(self, key: str) -> None:
        """Drop the waiting task of a key."""
        with self._condition:
            self._tasks.pop(key, None)

    def every(self, period: float, task: Task) -> Ticker:
        """Run the task at a beat."""
        with self._condition:
            ticker = Ticker(period, task, self._wake)
            if not self._closed:
                self._tickers.append(ticker)
                self._condition.notify()
            return ticker

    def close(self, timeout: float | None = None) -> None:
        """No further task begins; waits for the running one for `timeout` seconds unless called from it."""
        with self._condition:
            self._closed = True
            self._tasks.clear()
            self._tickers.clear()
            self._condition.notify_all()
        if timeout and threading.current_thread() is not self._thread:
            self._thread.join(timeout)

    def _wake(self) -> None:
        with self._condition:
            self._condition.notify()

    def _next(self) -> Task | None:
        """The task to run now; None when the lane is closed."""
        with self._condition:
            while not self._closed:
                self._tickers = [t for t in self._tickers if not t.stopped]
                now = time.monotonic()
                due = [t for t in self._tickers if t.due <= now]
                if self._tasks:
                    return self._tasks.pop(next(iter(self._tasks)))
                if due:
                    ticker = min(due, key=lambda t: t.due)
                    ticker.advance(now)
                    return ticker.task
                wait = min((t.due - now for t in self._tickers), default=LONGEST_WAIT)
                self._condition.wait(min(wait, LONGEST_WAIT))
            return None

    def _run(self) -> None:
        while (task := self._next()) is not None:
            try:
                task()
            except Exception as error:
                if not self._closed:
                    self._failed(error)


class Worker:
    """The lanes of one page. failed: told of exceptions of tasks."""

    def __init__(self, failed: Callable[[Exception], None]) -> None:
        self._quick = Lane("gough view, quick", failed)
        self._slow = Lane("gough view, slow", failed)

    def post(self, key: str, task: Task, slow: bool = False) -> None:
        """Run the task soon; the latest of a key counts."""
        (self._slow if slow else self._quick).post(key, task)

    def cancel(self, key: str) -> None:
        """Drop what waits under a key."""
        self._quick.cancel(key)
        self._slow.cancel(key)

    def every(self, period: float, task: Task) -> Ticker:
        """Run the task every `period` seconds in the quick lane."""
        return self._quick.every(period, task)

    def close(self, timeout: float | None = None) -> None:
        """End both lanes."""
        self._quick.close(timeout)
        self._slow.close(timeout)
