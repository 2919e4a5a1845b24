"""The whole module of a kernel as IR text: the driver, and the body as IR or, for AVX-512, as assembly."""

import re
from dataclasses import dataclass

import numpy as np

from gough.backends.avx512 import AVX512_OPERATIONS, write_function
from gough.backends.llvm.body import ARGUMENTS, Body
from gough.backends.llvm.driver import write_driver
from gough.backends.llvm.target import Target
from gough.program.program import Program


@dataclass(frozen=True)
class Module:
    """IR text, and what its table holds.

    numbers (n,): the table where its entries are numbers. uniform (n,): positions of uniform inputs, -1 where a number is.
    """

    ir: str
    numbers: np.ndarray
    uniform: np.ndarray


def write_module(program: Program, target: Target, assembler: bool | None = None) -> Module:
    """IR of a lowered program. assembler: write the body as assembly; default: where the target can."""
    if assembler is None:
        assembler = target.assembler and all(op in AVX512_OPERATIONS for op in program.ops)
    body = Body(program, target.lanes, target.fused)
    if assembler:
        text, table = write_function(program)
        body.chunks = body.chunks[:1]
        lines = [f'module asm "{line}"' for line in text.splitlines()]
        functions = [*lines, f"declare void @chunk_0({re.sub('%[a-z0-9]+', '', ARGUMENTS)})"]
    else:
        functions = body.functions()
        table = body.table
    driver = write_driver(program, body)
    ir = "\n".join([*functions, driver, *sorted(body.declared), "!0 = !{}"])
    numbers = np.array([0.0 if isinstance(x, int) else x for x in table])
    uniform = np.array([x if isinstance(x, int) else -1 for x in table], dtype=np.int64)
    return Module(ir, numbers, uniform)
