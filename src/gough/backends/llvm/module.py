"""The whole module of a kernel as IR text."""

from dataclasses import dataclass

import numpy as np

from gough.backends.llvm.body import Body
from gough.backends.llvm.driver import write_driver
from gough.program.program import Program


@dataclass(frozen=True)
class Module:
    """IR text; the numbers it reads (n,); and the check names behind the bits of a status word (bit 0: not finite)."""

    ir: str
    numbers: np.ndarray
    bits: tuple[str, ...]


def write_module(program: Program, lanes: int, fused: bool) -> Module:
    """IR of a lowered program."""
    bits = ("not_finite:result", *dict.fromkeys(c.name for c in program.checks))
    body = Body(program, lanes, fused, {name: min(k, 62) for k, name in enumerate(bits)})
    functions = body.functions()
    driver = write_driver(program, body)
    ir = "\n".join([*functions, driver, *sorted(body.declared), "!0 = !{}"])
    return Module(ir, np.array([*body.numbers, 0.0]), bits)
