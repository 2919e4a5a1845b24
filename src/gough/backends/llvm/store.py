"""Compiled objects, kept on disk between runs.

An entry's name is a hash of the program, the CPU, the precision and the versions of everything that shapes the code. A
file that is cut short, damaged or of another key is ignored and made again; files appear whole or not at all, so many
processes may share the folder; a folder that cannot be written, or that others can write to, is done without (see `cache`).
"""

import hashlib
import json
import logging
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from gough.backends.cache import cache_folder, read_entry, write_entry
from gough.backends.llvm.choice import made_ready
from gough.backends.llvm.module import KERNEL, write_module, write_rolled
from gough.backends.llvm.target import Target, compile_object
from gough.program.collecting import no_collecting
from gough.program.ops import Call, Op
from gough.program.plain import program_from_plain, program_to_plain
from gough.program.program import Program

log = logging.getLogger("gough.cache")

MAGIC = b"gough kernel 1\n"
LARGEST_CACHE = 1 << 30
"""Bytes the folder may hold; the files unused for longest go first."""


@dataclass(frozen=True)
class Entry:
    """A compiled program: object file, its table (see `Module`), the program of the hoisted work."""

    object_file: bytes
    numbers: np.ndarray
    uniform: np.ndarray
    once: Program | None


def stored(program: Program, target: Target, precision: str, driver: str = KERNEL) -> Entry:
    """The compiled program, from the cache where it is there. driver: "kernel" or "march", a time loop."""
    key = key_of(program, target, precision if driver == KERNEL else f"{precision} {driver}")
    folder = cache_folder()
    path = None if folder is None else folder / f"{key[:32]}.kernel"
    entry = None if path is None else _read(path, key)
    if entry is None:
        entry = _compiled(program, target, precision, driver)
        if path is not None:
            _write(path, key, entry)
    return entry


def _compiled(program: Program, target: Target, precision: str, driver: str) -> Entry:
    with no_collecting():
        ready = made_ready(program, target.machine(precision))
        if ready.stages is not None:
            module = write_rolled(ready.stages, target, driver=driver)
        else:
            assert ready.straight is not None
            module = write_module(ready.straight, target, driver=driver)
    return Entry(compile_object(module.ir, target), module.numbers, module.uniform, ready.once)


@lru_cache(maxsize=1)
def _versions() -> str:
    """Versions of LLVM, and a hash of the sources that shape code: an edited installation never reads stale objects."""
    import llvmlite
    import llvmlite.binding as llvm

    digest = hashlib.sha256()
    backends = Path(__file__).parent.parent
    for folder in (backends / "llvm", backends / "avx512", backends.parent / "program"):
        for path in sorted(folder.rglob("*.py")):
            digest.update(path.read_bytes())
    digest.update((backends / "stage_layout.py").read_bytes())
    return f"{llvmlite.__version__} {llvm.llvm_version_info} {digest.hexdigest()}"


def key_of(program: Program, target: Target, precision: str) -> str:
    """Hash of all that decides the object file."""
    digest = hashlib.sha256(_versions().encode())
    digest.update(repr((target, precision)).encode())
    digest.update(repr((program.inputs, program.outputs, program.ops, program.args, program.results)).encode())
    digest.update(repr(program.checks).encode())
    for op, args in zip(program.ops, program.args, strict=True):
        if op == Op.BLOCK and isinstance(args[0], Call):
            assert isinstance(args[0].program, Program)
            digest.update(key_of(args[0].program, target, precision).encode())
    return digest.hexdigest()


def _read(path: Path, key: str) -> Entry | None:
    data = read_entry(path)
    if data is None:
        return None
    try:
        if not data.startswith(MAGIC):
            raise ValueError("not a kernel")
        digest, body = data[len(MAGIC) : len(MAGIC) + 32], data[len(MAGIC) + 32 :]
        if hashlib.sha256(body).digest() != digest:
            raise ValueError("damaged")
        size = int.from_bytes(body[:8], "little")
        head = json.loads(body[8 : 8 + size])
        if head["key"] != key:
            raise ValueError("of another program")
        once = None if head["once"] is None else program_from_plain(head["once"])
        numbers = np.frombuffer(bytes.fromhex(head["numbers"]), dtype=np.float64).copy()
        uniform = np.array(head["uniform"], dtype=np.int64)
        return Entry(body[8 + size :], numbers, uniform, once)
    except (ValueError, KeyError, TypeError, IndexError) as problem:
        log.warning("%s is %s; it is made again", path, problem)
        return None


def _write(path: Path, key: str, entry: Entry) -> None:
    once = None if entry.once is None else program_to_plain(entry.once)
    numbers = entry.numbers.tobytes().hex()  # bit patterns: some entries are masks
    uniform = entry.uniform.tolist()
    head = json.dumps({"key": key, "numbers": numbers, "uniform": uniform, "once": once}).encode()
    body = len(head).to_bytes(8, "little") + head + entry.object_file
    write_entry(path, MAGIC + hashlib.sha256(body).digest() + body)
    _prune(path.parent)


def _prune(folder: Path) -> None:
    """Remove the files unused for longest beyond LARGEST_CACHE bytes."""
    with suppress(OSError):  # another process may be removing them too
        files = sorted(((f.stat().st_mtime, f.stat().st_size, f) for f in folder.glob("*.kernel")), reverse=True)
        total = 0
        for _, size, file in files:
            total += size
            if total > LARGEST_CACHE:
                file.unlink(missing_ok=True)
