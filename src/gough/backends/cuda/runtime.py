"""Running a compiled program on a GPU, with cupy and numpy alone: this file travels with saved kernels.

A kernel is its signature (plain data), its CUDA text and, where it was compiled ahead, its machine code per GPU.
"""

import json
import logging
import math
import threading
from pathlib import Path
from typing import Any

import numpy as np

log = logging.getLogger("gough.cuda")

OPTIONS = ("-std=c++17", "--fmad=false")
FORMAT = 1
WAVES = 8
"""Blocks launched for each that a GPU holds at once: warps of a multiprocessor do not get on alike, and where each has a fixed
share of the tiles some end early and leave the others alone (an H200 then has a tenth of its warps idle)."""
MOST_DESIGNS = 8
"""Designs whose numbers a kernel keeps: the hoisted work takes longer than a launch."""
INSTALL = "pip install cupy-cuda13x (or cupy-cuda12x; nvidia-smi says which CUDA the driver has)"


class DeviceProblem(RuntimeError):
    """No GPU, no CuPy, or arrays a kernel cannot take; the message says what to install or to do."""


def array_module() -> Any:
    """cupy with a GPU that answers, or a DeviceProblem."""
    try:
        import cupy  # pyright: ignore[reportMissingImports]
    except ImportError as problem:
        raise DeviceProblem(f"GPU arrays need CuPy, which cannot be imported ({problem}): {INSTALL}") from None
    try:
        count = cupy.cuda.runtime.getDeviceCount()
    except Exception as problem:  # CuPy has several classes for what can be missing
        raise DeviceProblem(
            f"CuPy is installed, but its CUDA does not answer ({problem}). Install the NVIDIA driver, or the CuPy that "
            f"goes with it: {INSTALL}. Without a GPU give NumPy arrays."
        ) from None
    if not count:
        raise DeviceProblem("CuPy finds no GPU (see CUDA_VISIBLE_DEVICES); give NumPy arrays to compute on the CPU")
    return cupy


class StateKernel:
    """One program on a GPU. Call it with arrays by name, or `launch` it on rows."""

    def __init__(self, signature: dict[str, Any], source: str, images: dict[str, Path] | None = None) -> None:
        if signature.get("format") != FORMAT:
            raise DeviceProblem(f"the kernel has format {signature.get('format')}; this loader reads {FORMAT}")
        self.signature, self.source = signature, source
        self.images = images or {}
        self.dtype = np.dtype(signature["dtype"])
        self.block = int(signature["block"])
        self.shared_bytes = int(signature["shared_bytes"])
        self._lock = threading.Lock()
        self._functions: dict[int, tuple[Any, int]] = {}
        self._designs: dict[tuple, np.ndarray] = {}
        varying, outputs = max(len(signature["varying"]), 1), max(len(signature["outputs"]), 1)
        count = max(len(signature["uniform"]), 1)
        last = ("uniform", self.dtype, (count,)) if signature["by_value"] else ("uniform", np.uint64)
        self._arguments = np.dtype(
            [
                ("n", np.int64),
                ("status", np.uint64),
                ("flagged", np.uint64),
                ("in", np.uint64, (varying,)),
                ("row", np.int64, (varying,)),
                ("entry", np.int64, (varying,)),
                ("out", np.uint64, (outputs,)),
                last,
            ],
            align=True,
        )

    @property
    def registers(self) -> int:
        """Registers of a thread on the current GPU."""
        return self._function()[0].num_regs

    def _function(self) -> tuple[Any, int]:
        """(compiled function, blocks that fill the current GPU)."""
        cupy = array_module()
        device = cupy.cuda.Device()
        with self._lock:
            if device.id not in self._functions:
                self._functions[device.id] = self._compiled(cupy, device)
            return self._functions[device.id]

    def _compiled(self, cupy: Any, device: Any) -> tuple[Any, int]:
        known = device.attributes
        room = known["MaxSharedMemoryPerBlockOptin"]
        if self.shared_bytes > room:
            raise DeviceProblem(
                f"the kernel wants {self.shared_bytes} bytes of shared memory a block, this GPU has {room}; "
                f"make it with a smaller block (now {self.block})"
            )
        image = self.images.get(f"sm_{device.compute_capability}")
        try:
            if image is not None:
                module = cupy.RawModule(path=str(image))
            else:
                module = cupy.RawModule(code=self.source, options=OPTIONS)
            function = module.get_function("states")
            function.max_dynamic_shared_size_bytes = self.shared_bytes
        except cupy.cuda.compiler.CompileException as problem:
            raise DeviceProblem(f"NVRTC does not compile this kernel: {problem}") from None
        registers = -(-function.num_regs // 8) * 8 * self.block
        blocks = min(
            known["MaxRegistersPerMultiprocessor"] // registers,
            known["MaxSharedMemoryPerMultiprocessor"] // (self.shared_bytes + 1024),
            known["MaxThreadsPerMultiProcessor"] // self.block,
        )
        return function, max(blocks, 1) * known["MultiProcessorCount"]

    def uniform_values(self, given: dict[str, np.ndarray]) -> np.ndarray:
        """The uniform scalars the kernel takes, from rows (size,) of uniform slots on the host; not to be written to. Those of
        the last few designs are known."""
        once = self.signature["once"]
        rows = {k: np.asarray(x, dtype=np.float64).ravel() for k, x in given.items()}
        key = tuple((k, x.tobytes()) for k, x in rows.items())
        found = self._designs.get(key)
        if found is None:
            if once is not None:
                rows["hoisted"] = run_plain(once, rows)
            found = np.array([rows[name][k] for name, k in self.signature["uniform"]], dtype=self.dtype)
            found.setflags(write=False)
            if len(self._designs) >= MOST_DESIGNS:
                self._designs.clear()
            self._designs[key] = found
        return found

    def launch(self, rows: dict[str, Any], uniform: np.ndarray, n: int, outputs: list[Any]) -> tuple[Any, Any]:
        """Fill `outputs`, arrays (n, size) without gaps; returns (status words (n,) on the GPU, how many are not 0).

        rows: per varying slot an array (n, size), or (1, size) for all states, of the kernel's dtype and any strides.
        uniform: what `uniform_values` gives. Nothing is waited for: work is queued on the current stream.
        """
        cupy = array_module()
        function, blocks = self._function()
        status, flagged = cupy.empty(n, dtype=np.uint32), cupy.zeros(1, dtype=np.uint32)
        if n == 0:
            return status, flagged
        a = np.zeros(1, dtype=self._arguments)
        size = self.dtype.itemsize
        keep = []
        for k, name in enumerate(self.signature["varying"]):
            x = rows[name]
            if x.strides[1] != size and (not self.signature["staged"] or x.strides[1] % size or x.strides[0] % size):
                x = cupy.ascontiguousarray(x)  # such a kernel reads its rows where they lie, entry beside entry
            keep.append(x)
            a["in"][0, k] = x.data.ptr
            a["row"][0, k] = 0 if len(x) == 1 else x.strides[0] // size
            a["entry"][0, k] = x.strides[1] // size
        for k, x in enumerate(outputs):
            a["out"][0, k] = x.data.ptr
        a["n"], a["status"], a["flagged"] = n, status.data.ptr, flagged.data.ptr
        if self.signature["by_value"]:
            a["uniform"][0, : len(uniform)] = uniform
        else:
            keep.append(cupy.asarray(uniform))
            a["uniform"] = keep[-1].data.ptr
        grid = min(WAVES * blocks, -(-n // self.block))
        function((grid,), (self.block,), (a,), shared_mem=self.shared_bytes)
        return status, flagged

    def __call__(self, **arrays: Any) -> dict[str, Any]:
        """Outputs (..., *shape) by name, and "status" (...): 0 for good states, else bits of `signature["bits"]`.

        Arrays (..., *shape) on the GPU broadcast on leading axes; uniform slots have one row, on the GPU or not. States
        that fail a check are NaN: the library judges them with more care, a saved kernel cannot.
        """
        cupy = array_module()
        slots = {s["name"]: s for s in self.signature["inputs"]}
        arrays = {**{k: np.array(x) for k, x in self.signature["defaults"].items()}, **arrays}
        if set(arrays) != set(slots):
            raise DeviceProblem(f"{self.signature['name']} takes {sorted(slots)}, got {sorted(arrays)}")
        fixed = {k: to_host(arrays[k], slot["shape"], k) for k, slot in slots.items() if slot["uniform"]}
        given = {k: as_device(cupy, arrays[k], self.dtype, k) for k in slots if not slots[k]["uniform"]}
        rows, batch, n = rows_of(cupy, {k: (x, tuple(slots[k]["shape"])) for k, x in given.items()})
        out = [cupy.empty((n, math.prod(s["shape"])), dtype=self.dtype) for s in self.signature["outputs"]]
        status, flagged = self.launch(rows, self.uniform_values(fixed), n, out)
        if int(flagged[0]):
            for x in out:
                x[status != 0] = np.nan
        named = {
            s["name"]: x.reshape((*batch, *s["shape"])) for s, x in zip(self.signature["outputs"], out, strict=True)
        }
        return named | {"status": status.reshape(batch)}


def as_device(cupy: Any, x: Any, dtype: np.dtype, name: str) -> Any:
    """x as an array on the GPU; one that is there is neither copied nor converted, host arrays are sent over."""
    if not hasattr(x, "__cuda_array_interface__"):
        return cupy.asarray(np.asarray(x, dtype=dtype))
    x = cupy.asarray(x)
    if x.dtype != dtype:
        remedy = f"convert it with {name}.astype('{dtype.name}')"
        if x.dtype == np.float32:
            remedy += ", or ask for single precision: function.compile(backend='cuda', dtype='float32')"
        raise DeviceProblem(f"{name} is {x.dtype} on the GPU, this kernel computes in {dtype.name}; {remedy}")
    return x


def to_host(x: Any, shape: Any, name: str) -> np.ndarray:
    """One row of numbers (size,) on the host."""
    row = np.asarray(x.get() if hasattr(x, "get") else x, dtype=np.float64)
    size = math.prod(shape)
    if row.size != size:
        raise DeviceProblem(f"{name} has shape {row.shape}; this kernel takes one row ({size}) for all states")
    return row.reshape(size)


def rows_of(cupy: Any, given: dict[str, tuple[Any, tuple[int, ...]]]) -> tuple[dict[str, Any], tuple[int, ...], int]:
    """(rows (n, size) or (1, size) per slot, batch axes, n) of arrays (..., *shape) broadcast on leading axes."""
    batches = {}
    for name, (x, shape) in given.items():
        cut = x.ndim - len(shape)
        if cut < 0 or x.shape[cut:] != shape:
            expected = ", ".join(["...", *map(str, shape)])
            raise DeviceProblem(f"{name} has shape {x.shape}; expected ({expected})")
        batches[name] = x.shape[:cut]
    try:
        batch = np.broadcast_shapes(*batches.values())
    except ValueError:
        shapes = ", ".join(f"{k} {x.shape}" for k, (x, _) in given.items())
        raise DeviceProblem(f"leading axes do not broadcast: {shapes}") from None
    n = math.prod(batch)
    rows = {}
    for name, (x, shape) in given.items():
        size = math.prod(shape)
        if math.prod(batches[name]) == 1:
            rows[name] = x.reshape(1, size)
        elif batches[name] == batch:
            rows[name] = x.reshape(n, size)  # a view wherever the leading axes have one stride
        else:
            rows[name] = cupy.broadcast_to(x, (*batch, *shape)).reshape(n, size)
    return rows, batch, n


_PLAIN = {
    "ADD": lambda a, b: a + b,
    "SUB": lambda a, b: a - b,
    "MUL": lambda a, b: a * b,
    "DIV": lambda a, b: np.divide(a, b),
    "NEG": lambda a: -a,
    "SQRT": np.sqrt,
    "SIN": np.sin,
    "COS": np.cos,
    "ATAN2": np.arctan2,
    "ABS": np.abs,
    "SIGN": np.sign,
    "ROUND": np.rint,
    "SELECT": lambda c, a, b: a if c > 0 else b,
}


def run_plain(program: dict[str, Any], rows: dict[str, np.ndarray]) -> np.ndarray:
    """Results of the program of the hoisted work: {inputs: [slot, k] per input, steps: [op, *operands], results}."""
    values: list[Any] = []
    with np.errstate(all="ignore"):
        for op, *args in program["steps"]:
            if op == "INPUT":
                values.append(np.float64(rows[args[0]][args[1]]))
            elif op == "CONST":
                values.append(np.float64(float.fromhex(args[0])))
            else:
                values.append(_PLAIN[op](*[values[k] for k in args]))
    return np.array([values[k] for k in program["results"]], dtype=np.float64)


def load(folder: Any = None) -> StateKernel:
    """The kernel saved in a folder (default: the one this file lies in)."""
    folder = Path(__file__).parent if folder is None else Path(folder)
    try:
        signature = json.loads((folder / "signature.json").read_text(encoding="utf-8"))
        source = (folder / "kernel.cu").read_text(encoding="utf-8")
    except (OSError, ValueError) as problem:
        raise DeviceProblem(f"{folder} holds no saved kernel: {problem}") from None
    return StateKernel(signature, source, {p.stem.split(".", 1)[1]: p for p in folder.glob("kernel.*.cubin")})
