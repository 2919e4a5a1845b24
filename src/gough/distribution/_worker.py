"""What runs in worker processes: work is prepared there once, by its hash; machines say what they are."""

import hashlib
import os
import pickle
from collections import OrderedDict
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from gough.compilation.service import cpu_kind
from gough.compilation.threads import calls_here
from gough.distribution.chunks import ChunkWork, Go
from gough.errors import UsageError
from gough.locks import make_lock, make_nested_lock

MOST_JOBS = 4
"""Prepared works that a process keeps: models, machine code; the one that was not used for the longest time goes first."""
PACKAGES = ("gough", "numpy", "llvmlite")
Machine = dict[str, str]
"""What bits of results depend on, by name."""


@dataclass(frozen=True)
class Job:
    """Work as it travels. key: hash of the data."""

    key: str
    data: bytes

    @classmethod
    def of(cls, work: ChunkWork) -> "Job":
        """UsageError where the work cannot be pickled."""
        import cloudpickle  # pyright: ignore[reportMissingImports]

        try:
            data = cloudpickle.dumps(work)
        except (pickle.PicklingError, TypeError, AttributeError) as problem:
            raise UsageError(f"cluster: this cannot be sent to other processes ({problem})") from problem
        return cls(hashlib.sha256(data).hexdigest(), data)


class _Prepared:
    """The works of this process."""

    def __init__(self) -> None:
        self._made: OrderedDict[str, tuple[Any, list[Go]]] = OrderedDict()
        self._lock = make_lock()

    def find(self, job: Job) -> Go:
        """Prepared now, or before; one thread does it, others wait."""
        with self._lock:
            lock, made = self._made.setdefault(job.key, (make_nested_lock(), []))
            self._made.move_to_end(job.key)
            while len(self._made) > MOST_JOBS:
                self._made.popitem(last=False)
        with lock:
            if not made:
                made.append(pickle.loads(job.data).prepare())
            return made[0]


_prepared = _Prepared()


def run_chunk(job: Job, item: Any, device: str) -> tuple[Machine, str, Any]:
    """(the machine that did it, who that is, the result) of one chunk; calls of it use this thread alone."""
    with calls_here(threads=1):
        result = _prepared.find(job)(item, lambda part: None)
    return machine(device), name_worker(), result


def describe_worker(device: str) -> dict[str, Any]:
    """What a worker is: machine, name, GPUs that it sees (device "cuda")."""
    return {"machine": machine(device), "name": name_worker(), "gpus": list(_gpus()) if device == "cuda" else []}


def name_worker() -> str:
    """The worker that this thread works for."""
    from distributed import get_worker  # pyright: ignore[reportMissingImports]

    try:
        return str(get_worker().address)
    except ValueError:
        return f"process {os.getpid()}"


@lru_cache(maxsize=2)
def machine(device: str) -> Machine:
    """CPU (and GPU) of this process and versions of what computes."""
    cpu, features = cpu_kind()
    found = {"cpu": cpu, "features": features}
    if device == "cuda":
        found["gpu"] = ", ".join(sorted({name for name, _ in _gpus()}))
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:  # run from its sources
            found[package] = "not installed"
    return found


@lru_cache(maxsize=1)
def _gpus() -> tuple[tuple[str, str], ...]:
    """(name, place on the bus) of every GPU this process sees."""
    try:
        import cupy  # pyright: ignore[reportMissingImports]

        count = cupy.cuda.runtime.getDeviceCount()
        known = [cupy.cuda.runtime.getDeviceProperties(k) for k in range(count)]
        return tuple((x["name"].decode(), f"{x['pciDomainID']}:{x['pciBusID']}:{x['pciDeviceID']}") for x in known)
    except Exception:  # no CuPy, no driver, no GPU
        return ()
