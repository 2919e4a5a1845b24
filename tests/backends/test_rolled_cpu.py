"""Rolled programs as machine code give what the interpreter gives for the program they were made of."""

from __future__ import annotations

import platform
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from backends.kernels import run
from gough import scalar
from gough.backends.llvm import Kernel, store
from gough.backends.llvm import _kernel as kernel
from gough.backends.llvm._module import write_module, write_rolled
from gough.backends.llvm.store import StoredObject
from gough.program import Program, Slot, trace
from gough.program.passes.inputs import fix_input
from inner.backends import KNOWN, CpuTarget, compile_object, host
from inner.program import Op, evaluate_nodes, expand_blocks, flat_inputs, result_columns
from program.lanes import legs
from program.specimens import random_program

N = 21
TIERS = ("assembler", "llvm", "ieee", "avx2", "sse2")


def rolled_kernel(program: Program, tier: str, monkeypatch: pytest.MonkeyPatch) -> Kernel:
    """The program rolled, whatever it costs, by one of the tiers."""
    target = KNOWN[tier] if tier in KNOWN else host()
    if tier == "assembler" and not target.assembler:
        pytest.skip("this CPU has no AVX-512")
    if tier in KNOWN and (
        platform.machine() != "x86_64" or platform.system() != "Linux" or host().lanes < target.lanes
    ):
        pytest.skip("code of another CPU")
    entry = rolled_entry(program, target, "ieee" if tier == "ieee" else "fast", tier == "assembler")
    with monkeypatch.context() as patched:
        patched.setattr(kernel, "stored_object", lambda *_: entry)
        return Kernel(program)


def rolled_entry(program: Program, target: CpuTarget, precision: str, assembler: bool) -> StoredObject:
    ready = store.made_ready(program, target.machine(precision), rolled=True)
    assert ready.stages is not None
    module = write_rolled(ready.stages, target, assembler)
    return StoredObject(compile_object(module.ir, target), module.numbers, module.uniform, ready.once)


def rows_of(program: Program, seed: int = 0, uniform: bool = True) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return [rng.uniform(0.5, 1.5, (1 if s.uniform and uniform else N, s.size)) for s in program.inputs]


def assert_same(program: Program, made: Kernel, rows: list[np.ndarray], rtol: float = 1e-12) -> None:
    """Values and flags are those of the interpreter on the program with its blocks expanded."""
    expanded = expand_blocks(program)
    named = {s.name: x for s, x in zip(program.inputs, rows, strict=True)}
    with np.errstate(all="ignore"):
        nodes = evaluate_nodes(expanded, flat_inputs(expanded, named, N))
    truth = result_columns(expanded, nodes, N)
    found, status = run(made, rows, N)
    good = np.ones(N, bool)
    for check in expanded.checks:
        good &= np.broadcast_to(nodes[check.node] >= check.minimum, N)
    for a, b in zip(found, truth, strict=True):
        finite = np.isfinite(b).all(axis=1)
        np.testing.assert_array_equal((status & 1 != 0) | finite, True, "a result that is not finite is flagged")
        np.testing.assert_allclose(a[good & finite], b[good & finite], rtol=rtol, atol=1e-12)
    np.testing.assert_array_equal(status & 2 != 0, ~good)


@pytest.mark.quick_cases("False-llvm", "False-ieee")
@pytest.mark.parametrize("tier", TIERS)
@pytest.mark.parametrize("uniform", [False, True])
def test_legs(tier: str, uniform: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    backwards = [*range(11, -1, -1)]
    for program in (
        legs(2, uniform=uniform),
        legs(3, solve=True, uniform=uniform),
        legs(5, odd=True, uniform=uniform),
        legs(12, backwards, uniform=uniform),
    ):
        assert_same(program, rolled_kernel(program, tier, monkeypatch), rows_of(program))


@pytest.mark.parametrize("tier", ["assembler", "llvm"])
def test_legs_whose_parameters_are_numbers(tier: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    program = fix_input(legs(6, uniform=True), "p", rng.uniform(0.5, 1.5, 24))
    ready = store.made_ready(program, host().machine("fast"), rolled=True)
    assert ready.stages is not None and ready.stages.lanes == 6 and ready.stages.numbers
    assert_same(program, rolled_kernel(program, tier, monkeypatch), rows_of(program))


@pytest.mark.parametrize("tier", ["assembler", "llvm", "sse2"])
def test_inputs_of_legs_that_lie_anywhere(tier: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Steps that differ from leg to leg, more steps than a stage has pointers, inputs that are results."""
    places = np.random.default_rng(2).permutation(64).reshape(8, 8)

    def equations(x: Any, a: Any, p: Any) -> dict[str, Any]:
        made = []
        for k in range(4):
            y = scalar.sin(a[places[0][k]]) * p[places[1][k]] + x[0]
            for j in range(1, 8):
                y = y * a[k * j + j] + scalar.cos(a[places[j][k]] + y) / (x[1] + p[k * j])
            made.append(y)
        return {"y": made, "sum": sum(made), "same": [a[3], p[2], 2.5]}

    slots = [Slot("x", (2,)), Slot("a", (64,)), Slot("p", (64,), uniform=True)]
    program = trace(equations, slots, "anywhere")
    assert_same(program, rolled_kernel(program, tier, monkeypatch), rows_of(program))


@pytest.mark.parametrize("seed", [3, 5, 13])
def test_programs_without_meaning(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is taken for lanes, values stay."""
    program = random_program(seed, 250, uniform=seed % 2 == 0)
    assert_same(program, rolled_kernel(program, "llvm", monkeypatch), rows_of(program, seed), 1e-9)


@pytest.mark.parametrize("tier", ["assembler", "llvm"])
def test_a_bad_leg_is_flagged(tier: str, monkeypatch: pytest.MonkeyPatch) -> None:
    program = legs(6)
    rows = rows_of(program)
    rows[1][3, 4] = np.nan
    rows[1][5, 0] = 1e17  # an angle too large to reduce
    rows[0][8] = 1e200  # a length that overflows
    made = rolled_kernel(program, tier, monkeypatch)
    _, status = run(made, rows, N)
    assert set(np.flatnonzero(status)) == {3, 5, 8}


def long_legs(lanes: int, rounds: int = 45, alike: bool = True) -> Program:
    """Many operations in every leg; or in legs that each do something else."""

    def equations(x: Any, a: Any, p: Any) -> dict[str, Any]:
        total = 0.0
        for k in range(lanes):
            y, z = a[k] + x[0], a[k] * x[1]
            for j in range(rounds):
                kind = j % 2 if alike else (k * 7 + j * (k + 3)) % 5
                y, z = (
                    (y * p[k, 0] + z, z * x[2] - y) if kind == 0 else (y - z * p[k, 1], z + p[k, kind % 3] * y * x[1])
                )
            total = total + y * z
        return {"total": total}

    return trace(equations, [Slot("x", (3,)), Slot("a", (lanes,)), Slot("p", (lanes, 3), uniform=True)], "long legs")


def test_the_form_is_chosen_by_the_program() -> None:
    machine = host().machine("fast")
    many, flat = store.made_ready(long_legs(24), machine), store.made_ready(long_legs(24), machine, rolled=False)
    assert many.stages is not None and many.stages.lanes == 24 and flat.straight is not None
    assert many.stages.operations * 8 < sum(op > Op.CONST for op in flat.straight.ops)
    for program in (long_legs(4, 300), long_legs(24, 8), long_legs(24, alike=False)):
        ready = store.made_ready(program, machine)
        assert ready.stages is None and ready.straight is not None


def test_rolled_and_straight_code_agree_and_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limits) -> None:
    monkeypatch.setenv("GOUGH_CACHE_DIR", str(tmp_path))
    written: list[str] = []
    monkeypatch.setattr(store, "write_rolled", lambda *a, **k: (written.append("rolled"), write_rolled(*a, **k))[1])
    monkeypatch.setattr(store, "write_module", lambda *a, **k: (written.append("straight"), write_module(*a, **k))[1])
    program = long_legs(24)
    rows = rows_of(program)
    first, _ = run(Kernel(program), rows, N)
    again, _ = run(Kernel(program), rows, N)
    assert written == ["rolled"], "the second kernel comes from the disk"
    np.testing.assert_array_equal(first[0], again[0])
    limits(rolled_smallest=1 << 40)
    monkeypatch.setenv("GOUGH_CACHE_DIR", "")
    straight, _ = run(Kernel(program), rows, N)
    assert written == ["rolled", "straight"]
    np.testing.assert_allclose(first[0], straight[0], rtol=1e-12)


@pytest.mark.parametrize("name", KNOWN)
@pytest.mark.parametrize("precision", ["fast", "ieee"])
def test_every_target_compiles(name: str, precision: str) -> None:
    assert rolled_entry(legs(6, solve=True, uniform=True), KNOWN[name], precision, KNOWN[name].assembler).object_file
