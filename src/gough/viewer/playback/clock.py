"""The clock of a playback: which time of the run is shown now."""

import threading
import time
from collections.abc import Callable

import numpy as np

from gough.errors import UsageError

SLOWEST, FASTEST = 0.01, 100.0


class Player:
    """Runs from `start` to `end` (s) at `speed` times real time. now: a clock in seconds; several threads may ask.

    At the end it begins again with `loop`, else it stops there; played from the end it begins again.
    """

    def __init__(self, start: float, end: float, now: Callable[[], float] = time.monotonic) -> None:
        if not (np.isfinite(start) and np.isfinite(end) and start <= end):
            raise UsageError(f"playback from {start} s to {end} s: give finite times, the first not after the last")
        self.start, self.end = float(start), float(end)
        self._now = now
        self._lock = threading.RLock()
        self._playing, self._loop, self._speed = False, False, 1.0
        self._time = self.start  # shown when the clock stood at _since
        self._since = now()

    @property
    def playing(self) -> bool:
        """Whether time goes on."""
        with self._lock:
            self._catch_up()
            return self._playing

    @property
    def time(self) -> float:
        """The time shown (s)."""
        with self._lock:
            self._catch_up()
            return self._time

    @property
    def speed(self) -> float:
        """Seconds of the run in a second."""
        return self._speed

    @speed.setter
    def speed(self, value: float) -> None:
        if not (np.isfinite(value) and SLOWEST <= value <= FASTEST):
            raise UsageError(f"speed {value}: give {SLOWEST:g} to {FASTEST:g} times real time")
        with self._lock:
            self._catch_up()
            self._speed = float(value)

    @property
    def loop(self) -> bool:
        """Whether it begins again at the end."""
        return self._loop

    @loop.setter
    def loop(self, value: bool) -> None:
        with self._lock:
            self._catch_up()
            self._loop = bool(value)

    def play(self) -> None:
        """Go on; from the end: from the start. A run of one instant stays still."""
        with self._lock:
            self._catch_up()
            if self._time >= self.end:
                self._time = self.start
            self._playing = self.end > self.start

    def pause(self) -> None:
        """Stay at the time shown."""
        with self._lock:
            self._catch_up()
            self._playing = False

    def toggle(self) -> None:
        """Play or pause."""
        with self._lock:
            if self.playing:
                self.pause()
            else:
                self.play()

    def seek(self, time: float) -> float:
        """Show another time (s), at most the ends; returns it. Playing goes on."""
        if not np.isfinite(time):
            raise UsageError(f"time {time}: give a finite one")
        with self._lock:
            self._since = self._now()
            self._time = min(max(float(time), self.start), self.end)
            return self._time

    def _catch_up(self) -> None:
        now = self._now()
        passed, self._since = max(now - self._since, 0.0), now
        if not self._playing:
            return
        wanted = self._time + passed * self._speed
        if wanted < self.end:
            self._time = wanted
        elif self._loop:
            self._time = self.start + (wanted - self.start) % (self.end - self.start)
        else:
            self._time, self._playing = self.end, False
