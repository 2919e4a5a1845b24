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
from typing import Any

import numpy as np

from gough.backends.cache import cache_folder, read_entry, write_entry
from gough.backends.llvm._module import KERNEL, write_module, write_rolled
from gough.backends.llvm.target import CpuTarget, compile_object
from gough.program.graph import BLOCK
from gough.program.looping import cut_at_blocks, expand_others
from gough.program.lowering import Lowered, Machine, lower
from gough.program.ops import Call, Op
from gough.program.passes.inputs import HOISTED, split_uniform
from gough.program.program import Program
from gough.program.rolling import roll
from gough.program.rolling.lowering import LoweredStages, lower_stages
from gough.program.rolling.numbers import Numbered, roll_numbers
from gough.program.text import program_from_plain, program_to_plain
from gough.program.trace import no_collecting
from gough.progress import doing

log = logging.getLogger("gough.cache")

MAGIC = b"gough kernel 1\n"
LARGEST_CACHE = 1 << 30
"""Bytes the folder may hold; the files unused for longest go first."""


@dataclass(frozen=True)
class StoredObject:
    """A compiled program: object file, its table (see `Module`), the program of the hoisted work."""

    object_file: bytes
    numbers: np.ndarray
    uniform: np.ndarray
    once: Program | None


def stored_object(program: Program, target: CpuTarget, precision: str, driver: str = KERNEL) -> StoredObject:
    """The compiled program, from the cache where it is there. driver: "kernel" or "march", a time loop."""
    key = key_of(program, target, precision if driver == KERNEL else f"{precision} {driver}")
    folder = cache_folder()
    path = None if folder is None else folder / f"{key[:32]}.kernel"
    entry = None if path is None else _read(path, key)
    if entry is None:
        with doing(f"compiling {program.name}, {len(program)} operations"):
            entry = _compiled(program, target, precision, driver)
        if path is not None:
            _write(path, key, entry)
    return entry


def _compiled(program: Program, target: CpuTarget, precision: str, driver: str) -> StoredObject:
    with no_collecting():
        ready = made_ready(program, target.machine(precision), shared=driver != KERNEL)
        if ready.stages is not None:
            module = write_rolled(ready.stages, target, driver=driver)
        else:
            assert ready.straight is not None
            module = write_module(ready.straight, target, driver=driver)
    return StoredObject(compile_object(module.ir, target), module.numbers, module.uniform, ready.once)


@lru_cache(maxsize=1)
def _versions() -> str:
    """Versions of LLVM, and a hash of the sources that shape code: an edited installation never reads stale objects."""
    import llvmlite
    import llvmlite.binding as llvm

    digest = hashlib.sha256()
    backends = Path(__file__).parent.parent
    for folder in (backends / "llvm", backends.parent / "program"):
        for path in sorted(folder.rglob("*.py")):
            digest.update(path.read_bytes())
    digest.update((backends / "_stage_layout.py").read_bytes())
    return f"{llvmlite.__version__} {llvm.llvm_version_info} {digest.hexdigest()}"


def key_of(program: Program, target: CpuTarget, precision: str) -> str:
    """Hash of all that decides the object file."""
    digest = hashlib.sha256(_versions().encode())
    digest.update(repr((target, precision)).encode())
    _add_program(digest, program)
    return digest.hexdigest()


def _add_program(digest: Any, program: Program) -> None:
    """What a program is, and those it calls, each once and then by its number."""
    order: dict[int, int] = {}
    waiting = [program]
    while waiting:
        here = waiting.pop(0)
        digest.update(repr((here.inputs, here.outputs, here.results, here.checks)).encode())
        digest.update(bytes(here.ops))
        digest.update(repr(here.args).encode())
        for op, args in zip(here.ops, here.args, strict=True):
            if op == BLOCK and isinstance(args[0], Call):
                called = args[0].program
                assert isinstance(called, Program)
                if id(called) not in order:
                    order[id(called)] = len(order)
                    waiting.append(called)
                digest.update(b"call %d" % order[id(called)])


def _read(path: Path, key: str) -> StoredObject | None:
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
        return StoredObject(body[8 + size :], numbers, uniform, once)
    except (ValueError, KeyError, TypeError, IndexError) as problem:
        log.warning("%s is %s; it is made again", path, problem)
        return None


def _write(path: Path, key: str, entry: StoredObject) -> None:
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


# Straight or rolled: a program with many legs alike may run one leg's code for all of them.
#
# Straight code has every operation written down, and sums over legs stay in registers. Rolled code is a small part of it, but
# what passes between its stages goes through memory. Measured on AVX-512 in picoseconds a state and operation: straight code
# takes 45 until its code and its values leave the first caches, and 1.6 more for every thousand operations beyond 5000; rolled
# code takes 32 in lanes, 60 in what runs once, and 90 for every vector stored. The rule compares the two sums. Time of rolled
# code as a share of straight code's, and bytes of code:
#
#     12 legs: forward dynamics 0.76 (12 of 52 KB), its gradient 0.9, its Jacobian 0.77 (54 of 380 KB),
#              the Jacobian of inverse dynamics 1.0 (70 of 277 KB)
#     24 legs: forward dynamics 0.65 (15 of 108 KB), gradients 0.8 to 0.9, Jacobians 0.7 to 0.9 (60 to 96 of 580 to 780 KB),
#              and 0.3 where others use the same caches
#     6 legs:  0.9 to 1.6, so that fewer than LEAST_LANES legs stay straight
#
# Looking for legs takes as long as all other passes on a program, so it is done only where a quick look finds most operations
# in one number of copies.

SMALLEST = 4000
"""Nodes below which straight code is kept."""
LEAST_LANES, SHARE = 8, 0.4
"""Fewest lanes, and the share of operations that must come in that number, for a closer look."""
PAYS = 0.97
"""Share of the straight code's expected time below which rolled code is taken."""
STRAIGHT, GROWING, FROM, ONCE, LANE, STORED = 45.0, 1.6, 5.0, 60.0, 32.0, 90.0


@dataclass(frozen=True)
class Ready:
    """A program made ready: straight, or in stages; once: as in `Lowered`."""

    once: Program | None
    straight: Program | None
    stages: LoweredStages | None


def made_ready(program: Program, machine: Machine, rolled: bool | None = None, shared: bool = False) -> Ready:
    """The form that is expected to be faster. rolled: False keeps it straight, True rolls it wherever lanes are found. shared: as
    in `expand_others`."""
    once, each = split_uniform(expand_others(program, shared))
    hoisted = any(slot.name == HOISTED for slot in each.inputs)
    if any(op == Op.BLOCK for op in each.ops):
        return Ready(once if hoisted else None, None, cut_at_blocks(each, machine))
    stages = None
    if rolled or (rolled is None and len(each.ops) >= SMALLEST):
        stages = _stages(each, machine, sure=bool(rolled))
    if stages is None:
        lowered: Lowered = lower(once, each, machine)
        return Ready(lowered.once, lowered.each, None)
    return Ready(once if hoisted else None, None, stages)


def _stages(each: Program, machine: Machine, sure: bool) -> LoweredStages | None:
    limits = {} if sure else {"least": LEAST_LANES, "share": SHARE}
    if each.uniform_inputs().any():
        found = roll(each, **limits)
        numbered = None if found is None else Numbered(found)
    else:  # the legs' parameters may be numbers
        numbered = roll_numbers(each, **limits)
    if numbered is None:
        return None
    stages = lower_stages(numbered, machine)
    return stages if sure or pays(stages) else None


def pays(stages: LoweredStages) -> bool:
    """Whether stages are expected to be faster than straight code, by the figures above."""
    once = lane = stored = 0
    for stage in stages.stages:
        operations = sum(op > Op.CONST for op in stage.program.ops)
        if stage.lanes == 1:
            once += operations
        else:
            lane += stage.lanes * operations
        stored += stage.lanes * len(stage.program.results)
    straight = STRAIGHT + GROWING * max((once + lane) / 1000 - FROM, 0.0)
    return ONCE * once + LANE * lane + STORED * stored < PAYS * straight * (once + lane)
