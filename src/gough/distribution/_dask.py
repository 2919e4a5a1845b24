"""Chunks on a Dask cluster: handed out a few at a time, repeated where they are lost, refused where machines differ.

Dask moves tasks of workers that die to others by itself. What it does not do is done here: a scheduler that was restarted gets
all chunks in flight again; a chunk that fails is tried a bounded number of times; few results wait in memory at a time.
The work travels as a task of its own on which the chunks depend, so that Dask brings it once to every worker, to later ones too.
"""

import asyncio
import concurrent.futures
import logging
import os
import pkgutil
import queue
import time
import uuid
from collections import Counter, deque
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from typing import Any

from gough.distribution._worker import Job, Machine, describe_worker, run_chunk
from gough.distribution.chunks import LOCAL, ChunkWork, is_over, note_chunk
from gough.distribution.parts import PartFolder
from gough.errors import ClusterError, GoughError, RunWarning, UsageError, warn

REMEDY = "cluster= needs dask.distributed: pip install 'gough[cluster]'"
CONNECTING = 10.0
"""Seconds that a scheduler has to answer."""
GLANCE = 0.5
"""Seconds between two looks at the connection while nothing is finished."""
LOOK = 5.0
"""Seconds between two looks at who works."""
NOBODY = 60.0
"""Seconds without a worker before that is said."""
AHEAD = 2
"""Chunks handed out for each thread of the workers: one at work, one waiting."""
MOST_LOSSES = 10
"""Times that a chunk may be lost with its scheduler or be cancelled by others."""
GATHERING = 300.0
"""Seconds that one result has to arrive."""
QUIET = logging.WARNING
"""Of what Dask says in workers of this machine."""
SHOWN = 6
"""Features of CPUs that a message names."""
PROBE = "gough.distribution._worker:PACKAGES"
"""What a worker must have."""
CANCELLED = (asyncio.CancelledError, concurrent.futures.CancelledError)
"""What versions of Dask raise for a task that is lost."""
Settings = tuple[bool, str, int, float, float | None]
"""mixed, device, tries, patience, until: as `run_chunks` takes them."""


class _Lost(Exception):
    """The connection to the scheduler is gone."""


def run_on_cluster(
    work: ChunkWork,
    chunks: Sequence[Any],
    todo: list[int],
    store: PartFolder | None,
    cluster: Any,
    settings: Settings,
) -> Generator[tuple[int, Any], None, None]:
    """(number, result) of the chunks `todo` as they are finished; see `run_chunks`."""
    job, patience = Job.of(work), settings[3]
    with open_client(cluster) as client, closing(_Flight(client, job, settings)) as flight:
        for k, result in flight.stream(chunks, todo):
            if store is not None:
                store.keep(k, result, patience)
            yield k, result


@contextmanager
def open_client(cluster: Any) -> Iterator[Any]:
    """A client; what is made here ends here."""
    try:
        from distributed import Client  # pyright: ignore[reportMissingImports]
    except ImportError as problem:
        raise UsageError(REMEDY) from problem
    if isinstance(cluster, Client):
        if cluster.asynchronous:
            raise UsageError("cluster: this Client is asynchronous; give one with asynchronous=False, or its address")
        yield cluster
        return
    local = LOCAL.fullmatch(cluster) if isinstance(cluster, str) else None
    if local:
        with _local_cluster(int(local[1])) as own, Client(own) as client:
            yield client
        return
    address = cluster if isinstance(cluster, str) else cluster.scheduler_address
    with closing(_connect(address)) as client:
        yield client


def _connect(address: str, **more: Any) -> Any:
    from distributed import Client  # pyright: ignore[reportMissingImports]

    try:
        return Client(address, timeout=CONNECTING, set_as_default=False, **more)
    except (OSError, TimeoutError, ValueError) as problem:
        raise UsageError(
            f"cluster={address!r}: no scheduler answers there within {CONNECTING:g} s ({type(problem).__name__}). Start one with "
            "`dask scheduler` and workers with `dask worker ADDRESS --nthreads 1`, or give 'local:N'"
        ) from problem


@contextmanager
def _local_cluster(workers: int) -> Iterator[Any]:
    """Worker processes of one thread on this machine, and their scheduler in this one: they end with it."""
    made: Any
    if os.name == "nt":  # these import the main script, which must guard itself
        from distributed import LocalCluster  # pyright: ignore[reportMissingImports]

        made = LocalCluster(n_workers=workers, threads_per_worker=1, memory_limit=0, dashboard_address=None)
    else:
        from distributed.deploy.spec import SpecCluster  # pyright: ignore[reportMissingImports]
        from distributed.deploy.subprocess import SubprocessWorker  # pyright: ignore[reportMissingImports]
        from distributed.scheduler import Scheduler  # pyright: ignore[reportMissingImports]

        here: dict[str, Any] = {"host": "127.0.0.1", "dashboard": False}
        each = here | {"nthreads": 1, "memory_limit": 0, "death_timeout": 30, "silence_logs": QUIET}
        one = {"cls": SubprocessWorker, "options": {"worker_class": "distributed.Nanny", "worker_kwargs": each}}
        scheduler = {"cls": Scheduler, "options": here | {"port": 0, "dashboard_address": "127.0.0.1:0"}}
        quiet: Any = QUIET
        made = SpecCluster(workers=dict.fromkeys(range(workers), one), scheduler=scheduler, silence_logs=quiet)
    with made:
        yield made


class _Flight:
    """Chunks on their way."""

    def __init__(self, client: Any, job: Job, settings: Settings) -> None:
        self.client, self.job = client, job
        self.mixed, self.device, self.tries, self.patience, self.until = settings
        self.address, self.security = client.scheduler.address, client.security
        self.token, self.count = uuid.uuid4().hex[:8], 0
        self.flying: dict[Any, int] = {}
        self.done: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self.own: list[Any] = []  # clients made here
        self.sent: Any = None  # the work as a task
        self.call: Any = None  # a task where there are no workers
        self.workers: dict[str, int] = {}
        self.looked, self.alone, self.said = -LOOK, time.monotonic(), False
        self.kind: tuple[str, Machine] | None = None
        self.failed: Counter[int] = Counter()
        self.lost: Counter[int] = Counter()

    def stream(self, chunks: Sequence[Any], todo: list[int]) -> Iterator[tuple[int, Any]]:
        """(number, result) as they are finished."""
        waiting = deque(todo)
        while (waiting or self.flying) and not is_over(self.until):
            try:
                self._look()
                while waiting and len(self.flying) < AHEAD * sum(self.workers.values()):
                    self._hand_out(waiting[0], chunks[waiting[0]])
                    waiting.popleft()
                future = self._next_done()
                if future is None:
                    continue
                k = self.flying[future]
                result = self._result_of(future, k)
                del self.flying[future]  # not before: what is lost on the way is still in flight
            except _Lost:
                for k in self.flying.values():
                    self._count_loss(k)
                waiting.extendleft(sorted(self.flying.values(), reverse=True))
                self.flying.clear()
                self._connect_again()
                continue
            if result is None:
                waiting.append(k)
            else:
                yield k, result[0]

    def close(self) -> None:
        """Give up what is not finished."""
        with suppress(Exception):
            if self.flying:
                self.client.cancel(list(self.flying), force=True)
        self.flying.clear()
        self.sent = self.call = None
        for client in self.own:
            with suppress(Exception):
                client.close(timeout=5)

    def _hand_out(self, k: int, item: Any) -> None:
        if self.sent is None or self.sent.status in ("cancelled", "lost", "error"):
            self.sent = self._ask(
                lambda: self.client.submit(_same, self.job, key=f"gough-work-{self.job.key}-{self.token}", retries=0)
            )
        self.count += 1
        key = f"gough-{self.token}-{self.count}"
        future = self._ask(
            lambda: self.client.submit(run_chunk, self.sent, item, self.device, key=key, pure=False, retries=0)
        )
        self.flying[future] = k
        future.add_done_callback(self.done.put)

    def _next_done(self) -> Any:
        """A future that is finished, failed or lost; None where there is none for a while."""
        try:
            future = self.done.get(timeout=GLANCE)
        except queue.Empty:
            self._demand_connection()
            return None
        return future if future in self.flying else None  # of a connection that was lost

    def _result_of(self, future: Any, k: int) -> tuple[Any] | None:
        """The result of a chunk; None where it is to be done again."""
        if future.status == "finished":
            found, who, result = self._ask(lambda: future.result(timeout=GATHERING))
            self._demand_alike(who, found)
            return (result,)
        if future.status == "error":
            self._judge(future.exception(timeout=GATHERING), k)
        else:  # cancelled: with the connection, or by others
            self._demand_connection()
            self._count_loss(k)
        return None

    def _judge(self, problem: Any, k: int) -> None:
        """Raise what is final; count what may be chance."""
        from distributed import KilledWorker  # pyright: ignore[reportMissingImports]

        if isinstance(problem, GoughError):
            note_chunk(problem, k)
            raise problem
        self.failed[k] += 1
        if isinstance(problem, KilledWorker):
            raise ClusterError(
                f"chunk {k}: {problem.allowed_failures + 1} workers died while they did it, the last one "
                f"{getattr(problem.last_worker, 'address', problem.last_worker)}; see their logs"
            ) from problem
        if self.failed[k] >= self.tries:
            raise ClusterError(f"chunk {k} failed {self.tries} times, at last by {_words(problem)}") from problem

    def _count_loss(self, k: int) -> None:
        self.lost[k] += 1
        if self.lost[k] > MOST_LOSSES:
            raise ClusterError(
                f"chunk {k} was lost {MOST_LOSSES} times: its scheduler was restarted, or others cancelled it"
            )

    def _ask(self, call: Any) -> Any:
        """A call of the client; _Lost where the connection is."""
        try:
            return call()
        except (*CANCELLED, OSError, TimeoutError, RuntimeError) as problem:
            if isinstance(problem, GoughError):
                raise
            raise _Lost from problem

    def _demand_connection(self) -> None:
        if self.client.status != "running":
            raise _Lost

    def _connect_again(self) -> None:
        """Wait for the scheduler: the same client, or, where that gave up, one of our own."""
        self.sent, self.call, self.looked, began = None, None, -LOOK, time.monotonic()
        warn(f"the connection to the scheduler at {self.address} was lost; it is sought again", RunWarning)
        while time.monotonic() - began < self.patience:
            time.sleep(GLANCE)
            if self.client.status == "running":
                return
            if self.client.status == "closed":
                with suppress(UsageError):
                    self.client = _connect(self.address, security=self.security)
                    self.own.append(self.client)
                    return
        raise ClusterError(
            f"the scheduler at {self.address} has been gone for {self.patience:g} s; where there is a folder, what is done stays "
            "there, and the same call goes on from it"
        )

    def _look(self) -> None:
        """Who works now; new workers say what they are."""
        now = time.monotonic()
        if now - self.looked < LOOK and self.workers:
            return
        found: dict[str, int] = dict(self._ask(lambda: self.client.nthreads()))
        new, self.workers, self.looked = [x for x in found if x not in self.workers], found, now
        if found:
            self.alone, self.call = now, None
        else:  # clusters that adapt themselves start workers where there is something to do
            self.call = self.call or self._ask(lambda: self.client.submit(pkgutil.resolve_name, PROBE, pure=False))
        if not found and now - self.alone > NOBODY and not self.said:
            self.said = True
            warn(f"the scheduler at {self.address} has had no worker for {NOBODY:g} s; still waiting", RunWarning)
        if new:  # one without this gough dies of our own functions, so it is asked by Python's
            found = self._ask(lambda: self.client.run(pkgutil.resolve_name, PROBE, workers=new, on_error="return"))
            self._check_present(found)
            told = self._ask(lambda: self.client.run(describe_worker, self.device, workers=new, on_error="return"))
            self._check(told)

    def _check_present(self, found: dict[str, Any]) -> None:
        for who, is_ in found.items():
            if isinstance(is_, ImportError | AttributeError):
                raise UsageError(
                    f"worker {who} cannot import this version of gough ({is_}); install it there: pip install 'gough[cluster]'"
                ) from is_

    def _check(self, told: dict[str, Any]) -> None:
        for who, is_ in told.items():
            if isinstance(is_, OSError):  # it left meanwhile
                continue
            if isinstance(is_, BaseException):
                raise UsageError(
                    f"worker {who} cannot work: {_words(is_)}; is the same gough installed there?"
                ) from is_
            self._demand_alike(who, is_["machine"])
            if self.device == "cuda":
                _demand_one_gpu(who, is_["gpus"], self.workers.get(who, 1))
        if self.device == "cuda":
            seen = Counter((who.rpartition(":")[0], *gpu) for who, x in told.items() for gpu in x["gpus"])
            if max(seen.values(), default=0) > 1:
                raise UsageError(
                    "device='cuda': several workers share a GPU; start one for each (LocalCUDACluster of dask-cuda does)"
                )

    def _demand_alike(self, who: str, found: Machine) -> None:
        """Refuse a machine of another kind than the first one's."""
        if self.kind is None:
            self.kind = who, found
        first, known = self.kind
        if found == known or self.mixed:
            return
        raise UsageError(
            f"workers of different kinds: {_machine_differences(known, found)} ({first} and {who}). Their results differ in the "
            "last bits; take workers of one kind, or allow it: mixed=True (--mixed)"
        )


def _demand_one_gpu(who: str, gpus: list[Any], threads: int) -> None:
    if len(gpus) != 1 or threads != 1:
        raise UsageError(
            f"device='cuda': worker {who} sees {len(gpus)} GPUs and has {threads} threads; a worker needs one GPU of its own and "
            "one thread (LocalCUDACluster of dask-cuda starts such ones)"
        )


def _machine_differences(a: Machine, b: Machine) -> str:
    """What two machines differ in, in words."""
    words = [
        f"{name} {a.get(name)} and {b.get(name)}"
        for name in {**a, **b}
        if name != "features" and a.get(name) != b.get(name)
    ]
    one, other = (set(x.get("features", "").split(",")) for x in (a, b))
    apart = sorted(one ^ other)
    if apart:
        words.append(f"CPU features {', '.join(apart[:SHOWN])}{', …' if len(apart) > SHOWN else ''}")
    return "; ".join(words)


def _same(x: Any) -> Any:
    """The work, as a task that Dask can do again where its result is lost."""
    return x


def _words(problem: BaseException) -> str:
    return f"{type(problem).__name__}: {problem}"
