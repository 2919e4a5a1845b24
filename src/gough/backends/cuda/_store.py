"""Kernels on disk.

Texts are kept between runs beside the CPU's objects: ordering a large program takes seconds. The machine code NVRTC makes of a
text is kept by CuPy, under CUPY_CACHE_DIR. Saved kernels are folders with the text, its signature (what a loader must know, as
plain data), the loader and, on request, machine code.
"""

import hashlib
import json
import logging
import shutil
import subprocess
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from gough.backends import _cfamily as cfamily
from gough.backends.cache import cache_folder, read_entry, write_entry
from gough.backends.cuda import runtime
from gough.backends.cuda._frame import BY_VALUE, Text
from gough.backends.cuda._memory import Memory, varying_slots
from gough.backends.cuda.runtime import FORMAT
from gough.backends.llvm.store import key_of
from gough.errors import UsageError
from gough.files import make_folder, write_files
from gough.program.lowering import Lowered
from gough.program.ops import Op
from gough.program.program import Program, Slot

log = logging.getLogger("gough.cache")


def stored_text(programs: tuple[Program, ...], options: tuple, make: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """{"signature", "source"} of programs, from the cache where it is there; damaged or foreign files are made again."""
    key = _key(programs, options)
    folder = cache_folder()
    path = None if folder is None else folder / f"{key[:32]}.cuda.kernel"
    found = None if path is None else _read(path, key)
    if found is None:
        found = make()
        if path is not None:
            _write(path, key, found)
    return found


def _key(programs: tuple[Program, ...], options: tuple) -> str:
    keys = [key_of(program, ("cuda", *options), "") for program in programs]  # type: ignore[arg-type]
    digest = hashlib.sha256("".join(keys).encode())
    digest.update(_sources())
    return digest.hexdigest()


@lru_cache(maxsize=1)
def _sources() -> bytes:
    """Hash of the files that shape texts: an edited installation never reads stale texts."""
    digest = hashlib.sha256()
    for path in (*sorted(Path(__file__).parent.rglob("*.py")), Path(cfamily.__file__)):
        digest.update(path.read_bytes())
    return digest.digest()


def _read(path: Path, key: str) -> dict[str, Any] | None:
    kept = read_entry(path)
    if kept is None:
        return None
    try:
        data = json.loads(kept)
    except (ValueError, RecursionError) as problem:
        log.warning("%s is damaged (%s); it is made again", path, problem)
        return None
    if not isinstance(data, dict) or data.get("key") != key or not isinstance(data.get("source"), str):
        log.warning("%s is of another program or damaged; it is made again", path)
        return None
    if hashlib.sha256(_body(data)).hexdigest() != data.get("digest"):
        log.warning("%s is damaged; it is made again", path)
        return None
    return {"signature": data["signature"], "source": data["source"]}


def _body(data: dict[str, Any]) -> bytes:
    return json.dumps([data["signature"], data["source"]], sort_keys=True).encode()


def _write(path: Path, key: str, made: dict[str, Any]) -> None:
    text = json.dumps({"key": key, "digest": hashlib.sha256(_body(made)).hexdigest(), **made})
    write_entry(path, text.encode())


# Signatures.


def write_signature(
    program: Program, lowered: Lowered, memory: Memory, text: Text, precision: str, dtype: str
) -> dict[str, Any]:
    """Signature of a kernel; JSON keeps it."""
    each = lowered.each
    owner = [[slot.name, k] for slot in each.inputs for k in range(slot.size)]
    itemsize = 8 if dtype == "float64" else 4
    return {
        "format": FORMAT,
        "name": program.name,
        "dtype": dtype,
        "precision": precision,
        "block": memory.block,
        "shared_bytes": memory.block_scalars * itemsize,
        "staged": memory.stages > 0,
        "inputs": [_slot(s) for s in program.inputs],
        "outputs": [_slot(s) for s in program.outputs],
        "varying": [each.inputs[s].name for s in varying_slots(each)],
        "uniform": [owner[k] for k in text.uniform],
        "by_value": len(text.uniform) <= BY_VALUE,
        "bits": [str(failure) for failure in text.bits],
        "once": None if lowered.once is None else _plain(lowered.once),
        "defaults": {},
    }


def _slot(slot: Slot) -> dict[str, Any]:
    return {"name": slot.name, "shape": list(slot.shape), "unit": slot.unit, "uniform": slot.uniform}


def _plain(program: Program) -> dict[str, Any]:
    """Steps by name, so that a loader needs no table of ours."""
    owner = [[slot.name, k] for slot in program.inputs for k in range(slot.size)]
    steps: list[list[Any]] = []
    for op, args in zip(program.ops, program.args, strict=True):
        if op == Op.INPUT:
            steps.append(["INPUT", *owner[args[0]]])
        elif op == Op.CONST:
            steps.append(["CONST", float(args[0]).hex()])
        else:
            steps.append([Op(op).name, *args])
    return {"steps": steps, "results": list(program.results)}


# Saved kernels.

LOADER = "gough_kernel.py"
NVCC_OPTIONS = ("-std=c++17", "-fmad=false")


def save_kernel(
    signature: dict[str, Any], source: str, folder: Path, defaults: dict[str, Any], gpus: tuple[str, ...]
) -> Path:
    """Write the folder; files of an earlier save are replaced."""
    slots = {s["name"]: s for s in signature["inputs"]}
    for name, value in defaults.items():
        if name not in slots:
            raise UsageError(f"defaults: no input {name!r}; there are {', '.join(slots)}")
        if np.shape(value) != tuple(slots[name]["shape"]):
            raise UsageError(f"defaults: {name} has shape {np.shape(value)}; expected {tuple(slots[name]['shape'])}")
    kept = {name: np.asarray(value, dtype=float).tolist() for name, value in defaults.items()}
    make_folder(folder)
    for old in folder.glob("kernel.*.cubin"):
        old.unlink()
    files = {"signature.json": json.dumps(signature | {"defaults": kept}, indent=1), "kernel.cu": source}
    files[LOADER] = Path(runtime.__file__).read_text(encoding="utf-8")
    write_files({folder / name: text for name, text in files.items()})
    for gpu in gpus:
        compile_ahead(folder / "kernel.cu", folder / f"kernel.{gpu}.cubin", gpu)
    return folder


def compile_ahead(source: Path, image: Path, gpu: str) -> str:
    """Machine code of a text for a GPU by nvcc; returns the assembler's report (registers, spills)."""
    nvcc = shutil.which("nvcc")
    if nvcc is None:
        raise UsageError(
            "compiling ahead needs nvcc (the CUDA toolkit) on the PATH; leave gpus=() to compile on loading"
        )
    command = [nvcc, "-cubin", f"-arch={gpu}", "-Xptxas", "-v", *NVCC_OPTIONS, "-o", str(image), str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise UsageError(f"nvcc does not compile {source} for {gpu}:\n{done.stderr}")
    return done.stderr
