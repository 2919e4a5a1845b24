"""Launching a reduced kernel, with cupy and numpy alone; the numbers of its states on the host."""

import threading
from typing import Any

import numpy as np

from gough.backends.cuda.runtime import OPTIONS, WAVES, DeviceProblem, array_module

ROW_BYTES = 64 * 1024
"""Of rows of states in shared memory at most; longer ways are gone in parts."""

_STEPS = {
    "ADD": np.add,
    "SUB": np.subtract,
    "MUL": np.multiply,
    "DIV": np.divide,
    "NEG": np.negative,
    "SQRT": np.sqrt,
    "SIN": np.sin,
    "COS": np.cos,
    "ATAN2": np.arctan2,
    "ABS": np.abs,
    "SIGN": np.sign,
    "SELECT": lambda c, a, b: np.where(c > 0, a, b),
}


def run_table(signature: dict[str, Any], rows: dict[str, np.ndarray], weights: np.ndarray) -> np.ndarray:
    """Numbers (s, row) of states, weights (s, measures) last."""
    program, count, values = signature["states"], len(weights), []
    with np.errstate(all="ignore"):
        for op, *args in program["steps"]:
            if op == "INPUT":
                values.append(np.broadcast_to(rows[args[0]], (count, rows[args[0]].shape[1]))[:, args[1]])
            elif op == "CONST":
                values.append(np.float64(float.fromhex(args[0])))
            else:
                values.append(_STEPS[op](*[values[k] for k in args]))
    own = [np.broadcast_to(values[k], (count,)) for k in program["results"]]
    return np.ascontiguousarray(np.concatenate([np.array(own).reshape(len(own), count).T, weights], axis=1))


class ReducedRuntime:
    """One kernel on a GPU."""

    def __init__(self, signature: dict[str, Any], source: str) -> None:
        self.signature, self.source = signature, source
        self.block, self.cells, self.row = (int(signature[k]) for k in ("block", "cells", "row"))
        self._lock = threading.Lock()
        self._functions: dict[int, Any] = {}
        pointers = [(name, np.uint64) for name in ("status", "designs", "table", "out")]
        counts = [(name, np.int64) for name in ("n", "states", "rows")]
        self.arguments = np.dtype([*counts, *pointers], align=True)

    def rows_at_once(self, states: int, room: int = 227 * 1024) -> int:
        """Rows of states in shared memory, of which a block may have `room` bytes."""
        own = 8 * self.cells * self.block
        left = min(room - own, max(ROW_BYTES, 0)) // (8 * self.row)
        if left < 1:
            raise DeviceProblem(f"the kernel wants {own} bytes of shared memory a block, this GPU has {room}")
        return min(states, left)

    def _function(self, shared: int) -> tuple[Any, int]:
        """(compiled function, blocks that fill the current GPU)."""
        cupy = array_module()
        device = cupy.cuda.Device()
        known = device.attributes
        with self._lock:
            if device.id not in self._functions:
                try:
                    function = cupy.RawModule(code=self.source, options=OPTIONS).get_function("reduced")
                except cupy.cuda.compiler.CompileException as problem:
                    raise DeviceProblem(f"NVRTC does not compile this kernel: {problem}") from None
                self._functions[device.id] = function
            function = self._functions[device.id]
            function.max_dynamic_shared_size_bytes = shared
        registers = -(-function.num_regs // 8) * 8 * self.block
        blocks = min(
            known["MaxRegistersPerMultiprocessor"] // registers,
            known["MaxSharedMemoryPerMultiprocessor"] // (shared + 1024),
            known["MaxThreadsPerMultiProcessor"] // self.block,
        )
        return function, max(blocks, 1) * known["MultiProcessorCount"]

    def launch(self, designs: Any, table: Any, waves: int = WAVES) -> tuple[Any, Any]:
        """(measures (n, m), status words (n,)) of designs (n, inputs), with the numbers of their states (s, row), all on the GPU.
        Nothing is waited for."""
        cupy = array_module()
        n, states = len(designs), len(table)
        out = cupy.empty((n, self.signature["measures"]))
        status = cupy.empty(n, dtype=np.uint32)
        if n == 0:
            return out, status
        room = cupy.cuda.Device().attributes["MaxSharedMemoryPerBlockOptin"]
        rows = self.rows_at_once(states, room)
        shared = 8 * (self.cells * self.block + rows * self.row)
        function, blocks = self._function(shared)
        designs, table = cupy.ascontiguousarray(designs), cupy.ascontiguousarray(table)
        a = np.zeros(1, dtype=self.arguments)
        a["n"], a["states"], a["rows"] = n, states, rows
        for name, x in {"status": status, "designs": designs, "table": table, "out": out}.items():
            a[name] = x.data.ptr
        function((min(waves * blocks, -(-n // self.block)),), (self.block,), (a,), shared_mem=shared)
        return out, status
