"""A compiled program as a function of arrays."""

import ctypes
import os
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait

import numpy as np

from gough.backends.backend import address
from gough.backends.llvm._design_runs import DesignTables, design_runs
from gough.backends.llvm._python_entry import ENTRIES, ENTRY, PythonEntries, layout_holds
from gough.backends.llvm.store import StoredObject, stored_object
from gough.backends.llvm.target import LoadedObject, host
from gough.locks import make_lock
from gough.program.program import Program
from gough.program.verdict import flat_inputs

_SIGNATURE = ctypes.CFUNCTYPE(ctypes.c_int64, *([ctypes.c_void_p] * 5), ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p)

DESIGNS = 64
"""Designs whose numbers a kernel keeps."""


class Kernel:
    """Machine code of a program for this CPU.

    A status word is 0 for a good state; bit 0: a result is not finite, bit 1: a check fails. Which one, and whether the
    state is truly bad, is for the interpreter to say.
    precision: "fast" (reciprocals by Newton steps, 1–2 ulp) or "ieee" (divisions and roots correctly rounded).
    """

    def __init__(self, program: Program, precision: str = "fast") -> None:
        self.program = program
        entry: StoredObject = stored_object(program, host(), precision)
        self.once = entry.once
        self._numbers = entry.numbers
        self._uniform_entries = np.flatnonzero(entry.uniform >= 0)
        self._uniform_inputs = entry.uniform[self._uniform_entries]
        self._code = LoadedObject(entry.object_file)
        self._uniform = [slot.uniform for slot in program.inputs]
        self._tables = DesignTables(program, entry)
        self._designs: dict[bytes, tuple[np.ndarray, np.ndarray | None]] = {}
        self._address = self._code.address("kernel")
        self._function = _SIGNATURE(self._address)
        self._entries: PythonEntries | None = None
        if layout_holds():
            one, several = self._code.address(ENTRY), self._code.address(ENTRIES)
            self._entries = PythonEntries(one, several, len(program.ops))

    def __call__(
        self, inputs: Sequence[np.ndarray], n: int, outputs: Sequence[np.ndarray], threads: int = 1
    ) -> tuple[np.ndarray, np.ndarray]:
        """Fill `outputs` (n, size) per slot; returns (states that fail a check (k,), their status words (k,)).

        inputs: per slot an array (n, size) or (1, size) of float64 whose rows are contiguous, any number of bytes apart; one
        row is used for all states.
        """
        table, hoisted = self._design(inputs)
        arrays = _Arrays(inputs if hoisted is None else (*inputs, hoisted), outputs)
        numbers = address(table)

        def run(begin: int, end: int, status: np.ndarray) -> bool:
            return self._function(*arrays.places, address(status), begin, end, numbers) != 0

        return over_slices(run, n, SLICE, threads)

    @property
    def table_size(self) -> int:
        """Numbers that a design takes while its states are computed."""
        return len(self._numbers)

    def over_designs(
        self, inputs: Sequence[np.ndarray], bounds: np.ndarray, outputs: Sequence[np.ndarray], threads: int = 1
    ) -> tuple[np.ndarray, np.ndarray]:
        """The same for runs of states that have a design each. bounds (k + 1,): where they begin, from 0, and the last one ends;
        inputs: of uniform slots a row a run (k, size)."""
        n = int(bounds[-1])
        tables = self._tables.fill(inputs)
        rows = [x[:1] if uniform else x for x, uniform in zip(inputs, self._uniform, strict=True)]
        arrays = _Arrays(rows if self.once is None else (*rows, tables), outputs)
        places = address(tables) + tables.strides[0] * np.arange(len(tables), dtype=np.int64)
        ends = np.ascontiguousarray(bounds[1:], dtype=np.int64)
        function, first_end, first_place = design_runs(), address(ends), address(places)

        def run(begin: int, end: int, status: np.ndarray) -> bool:
            skipped = 8 * int(np.searchsorted(ends, begin, side="right"))
            at = first_end + skipped, first_place + skipped
            return function(self._address, *arrays.places, address(status), begin, end, *at) != 0

        return over_slices(run, n, SLICE, threads)

    @property
    def has_entries(self) -> bool:
        """Whether Python's arrays lie in memory as entries take them."""
        return self._entries is not None

    def entries(self, inputs: Sequence[np.ndarray]) -> tuple[Callable[..., int], Callable[..., int]]:
        """Functions of arrays of one state and of several (see `_python_entry`) with the design of `inputs`, rows (1, size) per
        slot, of which only those of uniform slots count. Whoever calls them keeps the kernel."""
        assert self._entries is not None
        uniform = [x[0] for x, uniform in zip(inputs, self._uniform, strict=True) if uniform]
        return self._entries.bind(*self._design(inputs), np.concatenate(uniform) if uniform else np.zeros(0))

    def _design(self, inputs: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray | None]:
        """(numbers and uniform inputs in the order of their use, the row (1, k) computed once per design)."""
        key = b"".join([x[:1].tobytes() for x, uniform in zip(inputs, self._uniform, strict=True) if uniform])
        known = self._designs.get(key)
        if known is None:
            hoisted = None if self.once is None else self._hoisted(self.once, inputs)
            known = self._table([*inputs] if hoisted is None else [*inputs, hoisted]), hoisted
            if len(self._designs) < DESIGNS:
                self._designs[key] = known
        return known

    def _hoisted(self, once: Program, inputs: Sequence[np.ndarray]) -> np.ndarray:
        known = {
            s.name: x[:1] if s.uniform and len(x) else np.zeros((1, s.size))
            for s, x in zip(once.inputs, inputs, strict=True)
        }
        return once.evaluate_flat(flat_inputs(once, known, 1)[0]).reshape(1, -1).astype(float)

    def _table(self, inputs: Sequence[np.ndarray]) -> np.ndarray:
        if not len(self._uniform_entries):
            return self._numbers
        table = self._numbers.copy()
        row = np.concatenate([x[0] if len(x) else np.zeros(x.shape[1]) for x in inputs])
        table[self._uniform_entries] = row[self._uniform_inputs]
        return table


class _Arrays:
    """Arrays of rows as machine code is told of them: addresses, and how many numbers rows are apart. places: where those of
    inputs and of outputs begin, in `_words`."""

    def __init__(self, inputs: Sequence[np.ndarray], outputs: Sequence[np.ndarray]) -> None:
        arrays = (*inputs, *outputs)
        strides = [0 if len(x) == 1 else x.strides[0] >> 3 for x in arrays]
        self._words = np.array([address(x) for x in arrays] + strides, dtype=np.int64)
        first, ins, all_ = address(self._words), 8 * len(inputs), 8 * len(arrays)
        self.places = (first, first + all_, first + ins, first + all_ + ins)


# Running a kernel over slices of states, on several threads; between slices Python can be interrupted.

SLICE = 1 << 14
"""States per call into machine code: a few milliseconds of the largest programs, a few times the cache of small ones."""

PARALLEL_ABOVE = 4096
"""Fewer states run on the calling thread: handing them over would take longer."""

WIDEST = 8
"""States of the widest tile: a kernel writes status words of whole tiles."""

Run = Callable[[int, int, np.ndarray], bool]
"""run(begin, end, status) -> whether a status word is set; status has room for a slice."""


def over_slices(run: Run, n: int, size: int, threads: int) -> tuple[np.ndarray, np.ndarray]:
    """(indices of flagged states, their words), in order."""
    if threads > 1 and n > PARALLEL_ABOVE:
        size = min(size, max(512, -(-n // (4 * threads)) // 64 * 64))
        return _threaded(run, n, size, threads)
    flags = _Flags(min(n, size))
    for begin in range(0, n, size):
        flags.run(run, begin, min(begin + size, n))
    return _collected([flags])


class _Flags:
    def __init__(self, size: int) -> None:
        self.status = _words(size + WIDEST)
        self.found: list[tuple[np.ndarray, np.ndarray]] = []

    def run(self, run: Run, begin: int, end: int) -> None:
        if run(begin, end, self.status):
            bad = np.flatnonzero(self.status[: end - begin])
            self.found.append((bad + begin, self.status[bad]))


_kept = threading.local()


def _words(size: int) -> np.ndarray:
    """Room for status words, kept by each thread: fresh memory costs as much as a thousand states."""
    words = getattr(_kept, "words", None)
    if words is None or len(words) < size:
        words = _kept.words = np.empty(size, dtype=np.int64)
    return words


def _threaded(run: Run, n: int, size: int, threads: int) -> tuple[np.ndarray, np.ndarray]:
    stop = threading.Event()
    begins = iter(range(0, n, size))
    turn = threading.Lock()
    busy: list[int] = []  # one entry for each other thread that may write

    def work() -> _Flags:
        flags = _Flags(size)
        while not stop.is_set():
            with turn:
                begin = next(begins, None)
            if begin is None:
                break
            flags.run(run, begin, min(begin + size, n))
        return flags

    def help_out() -> _Flags:
        busy.append(1)
        try:
            return work()
        finally:
            busy.pop()

    jobs: list[Future] = []
    try:
        jobs += [_pool(threads).submit(help_out) for _ in range(threads - 1)]
        own = work()  # one thread fewer to wake, and to wait for
        jobs = [job for job in jobs if not job.cancel()]  # the pool may be busy, and nothing is left to do
        while wait(jobs, timeout=0.1, return_when=FIRST_EXCEPTION).not_done and not any(_failed(job) for job in jobs):
            pass
    finally:
        stop.set()
        _quiet(busy)
    return _collected([own, *(job.result() for job in jobs)])


def _quiet(busy: list[int]) -> None:
    """Waits until nobody is busy: an interrupt, of whatever line, and the next one leave no thread writing into arrays that the
    caller may free."""
    again: KeyboardInterrupt | None = None
    while busy:
        try:
            time.sleep(1e-4)
        except KeyboardInterrupt as interrupt:
            again = interrupt
    if again is not None:
        raise again


def _failed(job: Future) -> bool:
    return job.done() and job.exception() is not None


_pools: dict[int, ThreadPoolExecutor] = {}
_pools_lock = make_lock()


def _pool(threads: int) -> ThreadPoolExecutor:
    """Threads that wait for work between calls: starting them takes as long as thousands of states.

    They are started by a thread of their own: an interrupt, which meets the main one, would leave half of them unknown to the
    pool, and Python waits for those at its end.
    """

    def make() -> None:
        pool, meeting = ThreadPoolExecutor(threads, thread_name_prefix="gough"), threading.Barrier(threads)
        for job in [pool.submit(meeting.wait) for _ in range(threads)]:
            job.result()
        _pools[threads] = pool

    with _pools_lock:
        if threads not in _pools:
            maker = threading.Thread(target=make, name="gough pool", daemon=True)
            maker.start()
            maker.join()
        return _pools[threads]


if hasattr(os, "register_at_fork"):  # a child has none of its parent's threads
    os.register_at_fork(after_in_child=_pools.clear)


def _collected(parts: list[_Flags]) -> tuple[np.ndarray, np.ndarray]:
    found = [pair for flags in parts for pair in flags.found]
    if not found:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    states = np.concatenate([states for states, _ in found])
    words = np.concatenate([words for _, words in found])
    order = np.argsort(states)
    return states[order], words[order]
