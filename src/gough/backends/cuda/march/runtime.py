"""Launching a time loop on a GPU, with cupy and numpy alone.

Many turns in one launch, but not all: between launches Python can be interrupted, and says how far it is.
"""

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

OPTIONS = ("-std=c++17", "--fmad=false")
LAUNCH_S = 0.25
"""About how long one launch should take."""
ARGUMENTS = np.dtype(
    [(name, np.int64) for name in ("steps", "first", "every", "stride", "done", "tiles")]
    + [(name, np.uint64) for name in ("state", "record", "far", "own", "given", "table", "failed", "status")]
)


class MarchKernel:
    """A time loop on the current GPU. signature: entries of a run by "state", "own", "given", "record"; "near" and "far" cells,
    "block", "team" of threads a run, "threads" of a block, "table_in_memory". images: machine code by architecture ("sm_90"),
    where it was compiled ahead."""

    def __init__(self, signature: dict[str, Any], source: str, images: dict[str, Path] | None = None) -> None:
        self.signature, self.source, self.images = signature, source, images or {}
        self._lock = threading.Lock()
        self._modules: dict[int, Any] = {}

    def _module(self, cupy: Any) -> tuple[Any, Any]:
        """(module, function) on the current GPU."""
        device = cupy.cuda.Device()
        if device.id not in self._modules:
            image = self.images.get(f"sm_{device.compute_capability}")
            if image is not None:
                module = cupy.RawModule(path=str(image))
            else:
                module = cupy.RawModule(code=self.source, options=OPTIONS)
            function = module.get_function("march")
            function.max_dynamic_shared_size_bytes = self._shared()
            self._modules[device.id] = (module, function)
        return self._modules[device.id]

    def _shared(self) -> int:
        s = self.signature
        return (8 * s["near"] + 4 * (s["team"] > 1)) * s["block"]

    @property
    def resources(self) -> dict[str, int]:
        """Registers, bytes of local and of shared memory of the loop itself."""
        _, f = self._module(_cupy())
        return {"registers": f.num_regs, "local_bytes": f.local_size_bytes, "shared_bytes": self._shared()}

    @property
    def free_bytes(self) -> int:
        """Memory of the current GPU that is free."""
        cupy = _cupy()
        cupy.get_default_memory_pool().free_all_blocks()
        return int(cupy.cuda.Device().mem_info[0])

    def run(
        self,
        state: np.ndarray,
        steps: int,
        table: np.ndarray,
        given: np.ndarray,
        own: np.ndarray,
        every: int,
        first: int,
        tick: Callable[[int], None] | None = None,
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """(state (runs, n), record (rows, runs, r), failed (runs,), status (runs,)) after `steps` turns; see `CudaMarch`.
        tick: called with the turns done."""
        cupy, s = _cupy(), self.signature
        W, r, runs = s["block"], s["record"], len(state)
        tiles, threads = -(-runs // W), s["threads"]
        rows = max(steps - first + every, 0) // every
        with self._lock:
            module, function = self._module(cupy)
            x, mine = (cupy.asarray(pack_tiles(a, W)) for a in (state, own))
            each, numbers = cupy.asarray(given), cupy.asarray(table)
            record = cupy.full((rows, tiles, r, W), np.nan)
            far = cupy.empty(tiles * max(s["far"], 1) * W)
            failed = cupy.full(tiles * W, -1, dtype=np.int64)
            status = cupy.zeros(tiles * W, dtype=np.uint32)
            if not s["table_in_memory"] and len(table):
                cupy.ndarray(len(table), dtype=np.float64, memptr=module.get_global("numbers")).set(table)
            a = np.zeros(1, dtype=ARGUMENTS)
            a["every"], a["tiles"], a["stride"] = every, tiles, 0 if len(given) == 1 else given.shape[1]
            for name, array in (("state", x), ("far", far), ("own", mine), ("table", numbers)):
                a[name] = array.data.ptr
            a["failed"], a["status"] = failed.data.ptr, status.data.ptr
            done, chunk = 0, 1
            while done < steps:
                chunk = min(chunk, steps - done)
                written = max(done - first + every, 0) // every
                a["steps"], a["done"], a["first"] = chunk, done, first + written * every - done
                a["given"] = each.data.ptr + 8 * int(a["stride"][0]) * done
                a["record"] = record.data.ptr + 8 * written * tiles * r * W
                began = time.perf_counter()
                function((tiles,), (threads,), (a,), shared_mem=self._shared())
                cupy.cuda.get_current_stream().synchronize()
                took = time.perf_counter() - began
                done += chunk
                chunk = max(1, int(chunk * min(LAUNCH_S / max(took, 1e-6), 8.0)))
                if tick is not None:
                    tick(done)
            kept = cupy.ascontiguousarray(record.transpose(0, 1, 3, 2).reshape(rows, tiles * W, r)[:, :runs]).get()
            after = x.get().transpose(0, 2, 1).reshape(tiles * W, -1)[:runs]
            return after, kept, failed.get()[:runs], status.get()[:runs].astype(np.int64)


def pack_tiles(x: np.ndarray, W: int) -> np.ndarray:
    """Rows (runs, n) as (tiles, n, W); the last row is repeated."""
    runs, n = x.shape
    tiles = -(-runs // W)
    filled = np.concatenate([x, np.repeat(x[-1:], tiles * W - runs, axis=0)])
    return np.ascontiguousarray(filled.reshape(tiles, W, n).transpose(0, 2, 1), dtype=np.float64)


def _cupy() -> Any:
    import cupy  # pyright: ignore[reportMissingImports]

    return cupy
