"""Code for CPUs other than this one: every kind of lanes is compiled, and holds the instructions it should."""

from __future__ import annotations

import re

import pytest

from gough.backends.llvm._module import write_module
from gough.program.lowering import lower
from inner.backends import KNOWN, compile_object, host, target_machine
from inner.program import expand_blocks, split_uniform
from program.specimens import OPERATIONS, random_program, specimen

REGISTER = {"avx512": r"%zmm\d", "avx2": r"%ymm\d", "sse2": r"%xmm\d", "neon": r"\bv\d+\.2d"}
FUSED = {"avx512": "vfmadd", "avx2": "vfmadd", "neon": "fmla"}


def assembly(name: str, precision: str = "fast", seed: int = 0) -> str:
    import llvmlite.binding as llvm

    target = KNOWN[name]
    lowered = lower(*split_uniform(expand_blocks(random_program(seed, 120))), target.machine(precision))
    module = llvm.parse_assembly(write_module(lowered.each, target).ir)
    return target_machine(target).emit_assembly(module)


@pytest.mark.parametrize("name", KNOWN)
def test_vectors_of_the_right_width(name: str) -> None:
    text = assembly(name)
    assert re.search(REGISTER[name], text)
    wider = {"avx2": r"%zmm", "sse2": r"%[yz]mm"}.get(name)
    assert wider is None or not re.search(wider, text)
    if name in FUSED:
        assert FUSED[name] in text
    else:
        assert not re.search(r"\bcallq?\s+fma\b", text), "without multiply-adds there must be no call of libm's fma"


def test_reciprocals_by_seeds_on_avx512_unless_ieee() -> None:
    assert "vrcp14pd" in assembly("avx512") and "vdivpd" not in assembly("avx512")
    assert "vrcp14pd" not in assembly("avx512", "ieee") and "vdivpd" in assembly("avx512", "ieee")
    assert "vdivpd" in assembly("avx2") and "vrcp" not in assembly("avx2")


@pytest.mark.quick_cases("neon", "avx2")
@pytest.mark.parametrize("name", KNOWN)
def test_every_operation_compiles(name: str) -> None:
    target = KNOWN[name]
    for operation in OPERATIONS:
        lowered = lower(*split_uniform(expand_blocks(specimen(operation))), target.machine("fast"))
        assert compile_object(write_module(lowered.each, target).ir, target)


def test_the_host_is_known() -> None:
    assert host().lanes in (2, 4, 8) and host().cpu
