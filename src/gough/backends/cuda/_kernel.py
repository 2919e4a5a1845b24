"""A program as a GPU kernel: its text is made here, without a GPU; `runtime` compiles and runs it."""

import json
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from gough.backends.cuda._frame import Text
from gough.backends.cuda._lowering import DTYPES, in_scalars_alike, lower_for_gpu
from gough.backends.cuda._memory import (
    FAR,
    FEW_THREADS,
    MANY_THREADS,
    MORE_THREADS,
    NEAR,
    OPERATION,
    THREADS,
    Memory,
    choose_memory,
    fit_memory,
)
from gough.backends.cuda._registers import RegisterPlan, order_for_few_live, plan_registers
from gough.backends.cuda._store import save_kernel, stored_text, write_signature
from gough.backends.cuda._text import write_text
from gough.backends.cuda.runtime import StateKernel
from gough.backends.cuda.staged import stage_program
from gough.errors import UsageError
from gough.program.lowering import PRECISIONS, Lowered
from gough.program.program import Program

BLOCK = 64
"""Threads of a block, of straight code."""
BLOCKS = (32, 64, 128, 256)
ROOM = {"float64": 96, "float32": 200}
"""Values a thread holds in its 255 registers."""
ROOM_IN_STAGES = {"float64": 108, "float32": 200}
"""The same in stages, whose texts the assembler mixes less: with 112 it begins to spill, with 96 a Jacobian is 7 % slower."""
ROOM_OF_MANY = 68
"""Doubles a thread holds in 168 registers."""
FEW_SLOTS = 16
"""Programs that store more than this with all registers are not tried with fewer."""
CHEAP = (8, 64, 1000)
"""Operations at most that making a value again may take instead of storing it; what is cheapest is taken."""
STRAIGHT = 1.5
"""Straight code whose values do not fit takes so much longer than is estimated: it outgrows the instruction cache too
(measured 1.6 for a gradient of 3400 operations, 2.4 for a Jacobian of 8300)."""


class GpuKernel:
    """CUDA of a program; one thread a state.

    precision: "fast" (reciprocals by Newton steps, 1–2 ulp) or "ieee" (divisions and roots correctly rounded). dtype:
    "float64" or "float32"; `relative_error` is then the largest error seen against double precision. block: threads that
    share a tile of states; default 64, and 32 in stages. alike: the same function, with the same slots, in which legs
    differ in inputs only (not in what is zero); it is taken where the kernel is made in stages, leg by leg.
    """

    def __init__(
        self,
        program: Program,
        precision: str = "fast",
        dtype: str = "float64",
        block: int | None = None,
        alike: Program | None = None,
    ) -> None:
        if precision not in PRECISIONS:
            raise UsageError(f"precision={precision!r}; use one of {', '.join(PRECISIONS)}")
        if dtype not in DTYPES:
            raise UsageError(f"dtype={dtype!r}; a GPU kernel computes in one of {', '.join(DTYPES)}")
        self.program, self.precision, self.dtype = program, precision, np.dtype(dtype)
        if block is not None and block not in BLOCKS:
            raise UsageError(f"block={block!r}; use one of {', '.join(map(str, BLOCKS))}")
        if alike is not None and (alike.inputs, alike.outputs) != (program.inputs, program.outputs):
            raise UsageError(f"alike has other slots than {program.name}; give the same function with the same outputs")
        other = () if alike is None else (alike,)
        made = stored_text(
            (program, *other), (precision, dtype, block), lambda: make_text(program, precision, dtype, block, alike)
        )
        self.signature: dict[str, Any] = made["signature"]
        self.source: str = made["source"]
        self.bits = tuple(self.signature["bits"])
        self.relative_error: float | None = None

    @cached_property
    def runtime(self) -> StateKernel:
        """The kernel on a GPU; compiled at its first launch."""
        return StateKernel(self.signature, self.source)

    def save(self, path: str | Path, defaults: dict[str, np.ndarray] | None = None, gpus: tuple[str, ...] = ()) -> Path:
        """Write a folder that cupy and numpy alone can run (see docs/gpu.md).

        defaults: values of uniform inputs a call may leave out. gpus: architectures ("sm_90", …) to compile for now,
        with nvcc; without, the loader compiles at its first call.
        """
        return save_kernel(self.signature, self.source, Path(path), defaults or {}, gpus)

    def measure_error(self, outputs: list[np.ndarray], truth: list[np.ndarray]) -> float:
        """Largest |difference| / largest |entry| of a row, over states; kept as the largest seen in `relative_error`."""
        worst = self.relative_error or 0.0
        for x, y in zip(outputs, truth, strict=True):
            if not y.size:
                continue
            scale = np.abs(y).max(axis=1)
            error = np.abs(np.asarray(x, dtype=np.float64) - y).max(axis=1) / np.where(scale > 0, scale, 1.0)
            good = error[np.isfinite(error)]
            worst = max(worst, float(good.max(initial=0.0)))
        self.relative_error = worst
        return worst


def make_text(
    program: Program, precision: str, dtype: str, block: int | None = None, alike: Program | None = None
) -> dict[str, Any]:
    """{"signature", "source"} of a program; needs no GPU and no CuPy.

    One straight text where a thread's values fit into registers and shared memory; else, where three legs or more do the
    same, in stages with a loop over the legs, if that is estimated to be faster.
    """
    lowered = lower_for_gpu(program, precision, dtype)
    each = lowered.each
    order = order_for_few_live(each)
    itemsize = np.dtype(dtype).itemsize
    plans = [plan_registers(each, order, ROOM[dtype], cheap) for cheap in CHEAP]
    layouts = [(plan, choose_memory(each, plan.slots, block or BLOCK, itemsize)) for plan in plans]
    if dtype == "float64" and min(plan.slots for plan in plans) <= FEW_SLOTS:
        layouts += _with_many_threads(each, order, block or BLOCK, itemsize)
    plan, memory = min(layouts, key=lambda x: estimated_cycles(*x))
    if memory.threads < THREADS:
        split = in_scalars_alike(alike or program, dtype)
        staged = stage_program(split.each, precision, dtype, ROOM_IN_STAGES[dtype], block)
        if staged is not None and staged.cycles < STRAIGHT * estimated_cycles(plan, memory):
            return _made(program, split, staged.memory, staged.write(dtype), precision, dtype)
    return _made(program, lowered, memory, write_text(each, plan, memory, dtype), precision, dtype)


def _with_many_threads(each: Program, order: list[int], block: int, itemsize: int) -> list[tuple[RegisterPlan, Memory]]:
    """Plans for more threads with fewer registers each, where shared memory holds what does not fit."""
    if MANY_THREADS % block:
        return []
    plan = plan_registers(each, order, min(ROOM_OF_MANY, ROOM["float64"]), CHEAP[0])
    memory = fit_memory(each, plan.slots, block, itemsize, MANY_THREADS)
    return [] if memory is None or not memory.staged_out else [(plan, memory)]


def _made(program: Program, lowered: Lowered, memory: Memory, text: Text, precision: str, dtype: str) -> dict[str, Any]:
    signature = write_signature(program, lowered, memory, text, precision, dtype)
    return {"signature": json.loads(json.dumps(signature)), "source": text.source}


def estimated_cycles(plan: RegisterPlan, memory: Memory) -> int:
    """Rough cost of a thread's steps."""
    tally = plan.tally()
    accesses = sorted(plan.accesses(), reverse=True)
    near, far = sum(accesses[: memory.near]), sum(accesses[memory.near :])
    work = tally["do"] + tally["again"]
    slow = FEW_THREADS if memory.threads < THREADS else MORE_THREADS if memory.threads > THREADS else 1.0
    return round(slow * (OPERATION * work + NEAR * (tally["input"] + near) + FAR * far))
