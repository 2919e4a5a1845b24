"""The whole module of a kernel as IR text: the driver, and the bodies as IR or, for AVX-512, as assembly."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from gough.backends._stage_layout import lay_out
from gough.backends.llvm._assembler import AVX512_OPERATIONS, write_function, write_stages
from gough.backends.llvm._blocks import Callee
from gough.backends.llvm._body import StageBodies, VectorBody
from gough.backends.llvm._driver import Callables, write_driver
from gough.backends.llvm._march_driver import write_march
from gough.backends.llvm._scalar_assembler import SCALAR_OPERATIONS, write_scalar_function, write_scalar_stages
from gough.backends.llvm._writer import ARGUMENTS
from gough.backends.llvm.target import CpuTarget
from gough.program.beside import Beside
from gough.program.looping import Called
from gough.program.program import Program
from gough.program.rolling.lowering import LoweredStages

KERNEL, MARCH = "kernel", "march"
"""Drivers: one evaluation of every state, or a time loop."""


@dataclass(frozen=True)
class Module:
    """IR text, and what its table holds.

    numbers (n,): the table where its entries are numbers. uniform (n,): positions of uniform inputs, -1 where a number is.
    """

    ir: str
    numbers: np.ndarray
    uniform: np.ndarray


def write_module(program: Program, target: CpuTarget, assembler: bool | None = None, driver: str = KERNEL) -> Module:
    """IR of a lowered program. assembler: write the body as assembly; default: where the target can."""
    if assembler is None:
        assembler = _can_assemble([program], target)
    body = VectorBody(program, target.lanes, target.fused)
    if assembler:
        text, table = write_scalar_function(program) if target.lanes == 1 else write_function(program)
        body.calls = body.calls[:1]
        functions = _assembled(text, body.calls)
    else:
        functions, table = body.functions(), body.table
    return _module(program, body, functions, table, driver)


def write_rolled(
    lowered: LoweredStages, target: CpuTarget, assembler: bool | None = None, driver: str = KERNEL
) -> Module:
    """IR of a program in stages; as `write_module`."""
    written = write_stages_of(lowered, target, assembler)
    return _module(lowered.program, written.bodies, written.functions, written.table, driver)


@dataclass(frozen=True)
class WrittenModule:
    """Stages as text: all functions, what a driver calls, entries of the table."""

    functions: list[str]
    bodies: StageBodies
    table: list[float | int]


_written = Beside()
"""Text of programs that are called."""


def write_stages_of(
    lowered: LoweredStages, target: CpuTarget, assembler: bool | None = None, prefix: str = ""
) -> WrittenModule:
    """Functions of all stages, and of all programs they call. prefix: of their names."""
    if assembler is None:
        assembler = _can_assemble([s.program for s in lowered.stages], target)
    layout = lay_out(lowered)
    called = {id(s.block): s.block for s in layout.stages if isinstance(s.block, Called)}
    names = [f"{prefix}call{n}_" for n in range(len(called))]
    inner: dict[int, WrittenModule] = {
        key: _written.get(c.stages, (target, name), partial(write_stages_of, c.stages, target, None, name))
        for name, (key, c) in zip(names, called.items(), strict=True)
    }
    callees = {
        key: Callee(
            w.bodies.calls,
            w.bodies.outputs,
            w.bodies.scratch_size,
            called[key].stages.program.n_inputs,
            f"@{prefix}call{n}_table",
            [x is not None for x in called[key].uniform],
        )
        for n, (key, w) in enumerate(inner.items())
    }
    bodies = StageBodies(layout, target.lanes, target.fused, prefix, callees)
    if assembler:
        straight = [s for s, stage in enumerate(layout.stages) if stage.block is None]
        names = [bodies.calls[s] for s in straight]
        write = write_scalar_stages if target.lanes == 1 else write_stages
        text, table = write(replace(layout, stages=tuple(layout.stages[s] for s in straight)), names)
        functions = [*_assembled(text, names), *bodies.loops()]
    else:
        functions, table = bodies.functions(), list(bodies.table)
    for key, written in inner.items():
        functions += [*written.functions, f"{callees[key].offset} = internal constant i64 {len(table)}"]
        table += [_outer(called[key], x) for x in written.table]
        bodies.declared |= written.bodies.declared
    return WrittenModule(functions, bodies, table)


def _outer(called: Called, entry: float | int) -> float | int:
    """An entry of a called program's table, as the caller sees it."""
    found = called.uniform[entry] if isinstance(entry, int) else entry
    assert found is not None
    return found


def _can_assemble(programs: Sequence[Program], target: CpuTarget) -> bool:
    known = SCALAR_OPERATIONS if target.lanes == 1 else AVX512_OPERATIONS
    return target.assembler and all(known.issuperset(program.ops) for program in programs)


def _assembled(text: str, names: Sequence[str]) -> list[str]:
    lines = [f'module asm "{line}"' for line in text.splitlines()]
    return [*lines, *(f"declare void @{name}({re.sub('%[a-z0-9]+', '', ARGUMENTS)})" for name in names)]


def _module(
    program: Program, bodies: Callables, functions: list[str], table: Sequence[float | int], driver: str
) -> Module:
    text = write_driver(program, bodies) if driver == KERNEL else write_march(program, bodies)
    ir = "\n".join([*functions, text, *sorted(bodies.declared), "!0 = !{}"])
    numbers = np.array([0.0 if isinstance(x, int) else x for x in table])
    uniform = np.array([x if isinstance(x, int) else -1 for x in table], dtype=np.int64)
    return Module(ir, numbers, uniform)
