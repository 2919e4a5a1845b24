"""Time loops of one run: what the library writes as assembly is what LLVM makes of the same program, to the last bit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gough import scalar
from gough.errors import Status
from gough.program import Program, Slot, trace
from inner.backends import SCALAR_OPERATIONS, March, host
from inner.program import Op
from program.specimens import random_program

SPECIAL = [0.0, -0.0, 1.0, -2.5, 1e-310, 1e300, np.inf, -np.inf, np.nan]


@pytest.fixture(autouse=True)
def _needs_the_assembler() -> None:
    if not host().scalar_assembler:
        pytest.skip("this CPU has no AVX with fused multiply-adds")


def both(program: Program, patch: pytest.MonkeyPatch) -> list[March]:
    """The loop by LLVM and by the assembler, neither from the cache."""
    patch.setenv("GOUGH_CACHE_DIR", "")
    return [March(program, one_run=True, assembler=assembler) for assembler in (False, True)]


def assert_same(program: Program, states: np.ndarray, patch: pytest.MonkeyPatch, turns: int = 1) -> None:
    """States (n, k), one after the other."""
    llvm, own = both(program, patch)
    table, other = llvm.table({}), own.table({})
    for state in states:
        a, b = llvm(state[None], turns, table), own(state[None], turns, other)
        assert a.turns == b.turns and a.status.tolist() == b.status.tolist() and a.failed.tolist() == b.failed.tolist()
        for x, y in ((a.record, b.record), (a.state, b.state)):
            same = (x.view(np.int64) == y.view(np.int64)) | (np.isnan(x) & np.isnan(y))
            assert same.all(), (state, x, y)


def as_loop(program: Program) -> Program:
    """A program of x → y as a loop that records y and keeps its state."""
    size = program.n_inputs
    results = [i for i, op in enumerate(program.ops) if op == Op.INPUT]
    assert len(results) == size
    slots = (Slot("state", (size,)), Slot("record", (len(program.results),)))
    return replace(
        program, inputs=(Slot("state", (size,)),), outputs=slots, results=(*results, *program.results), checks=()
    )


@pytest.mark.quick_cases("0", "1")
@pytest.mark.parametrize("seed", range(6))
def test_random_programs(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Many live values, so that registers are spilled; inputs that are no numbers among them."""
    program = random_program(seed, 600)
    ops = [Op.SELECT if op == Op.ATAN2 else op for op in program.ops]
    args = [(*a, a[0]) if op == Op.ATAN2 else a for op, a in zip(program.ops, program.args, strict=True)]
    read = {a[0] for op, a in zip(ops, args, strict=True) if op == Op.INPUT}
    for k in sorted(set(range(program.n_inputs)) - read):
        ops, args = [*ops, Op.INPUT], [*args, (k,)]
    loop = replace(program, ops=ops, args=args, notes=())
    order = {a[0]: i for i, (op, a) in enumerate(zip(ops, args, strict=True)) if op == Op.INPUT}
    loop = as_loop(loop)
    loop = replace(loop, results=(*(order[k] for k in range(len(order))), *program.results))
    rng = np.random.default_rng(seed)
    states = rng.normal(size=(9, program.n_inputs))
    states[3:, 0] = rng.choice(SPECIAL, 6)
    assert_same(loop, states, monkeypatch)


@pytest.mark.parametrize("name", ["sin", "cos", "sqrt", "sign", "abs_", "reciprocal", "reciprocal root", "select"])
def test_operations(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    functions = {
        "reciprocal": lambda x: 1.0 / x[0],
        "reciprocal root": lambda x: 1.0 / scalar.sqrt(x[0]),
        "select": lambda x: scalar.select(x[0], x[1], 2.0 * x[1]),
    }
    function = functions.get(name, lambda x: getattr(scalar, name)(x[0]))

    def step(state: np.ndarray) -> dict:
        return {"state": state, "record": np.array([function(state)]), "running": 1.0}

    program = trace(step, [Slot("state", (2,))])
    values = [*SPECIAL, *np.random.default_rng(0).normal(size=40) * 30]
    assert_same(program, np.array([[x, 0.7] for x in values]), monkeypatch)


def test_checks_and_lost_states(monkeypatch: pytest.MonkeyPatch) -> None:
    """A check that fails, one on NaN, a result that is not finite: the status words of LLVM's code."""

    def step(state: np.ndarray) -> dict:
        scalar.check(Status.RESIDUAL.at("a"), state[0], -1.0)
        scalar.check(Status.RESIDUAL.at("b"), 3.0 - state[1], 0.0)
        after = np.array([state[0] - 0.25, state[1] * state[1]], dtype=object)
        return {"state": after, "record": after, "running": 1.0}

    program = trace(step, [Slot("state", (2,))])
    states = np.array([[1.0, 0.5], [-2.0, 0.5], [1.0, 4.0], [np.nan, 0.0], [0.0, 1e200], [np.inf, 2.0]])
    assert_same(program, states, monkeypatch, turns=12)


def test_all_operations_of_lowered_programs_but_arc_tangents_are_written() -> None:
    left = {op for op in Op if op not in SCALAR_OPERATIONS}
    assert left == {Op.SIN, Op.COS, Op.ATAN2, Op.ROUND, Op.RCP_SEED, Op.RSQRT_SEED, Op.BLOCK, Op.ITEM}


def test_an_arc_tangent_is_left_to_llvm(monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that the assembler cannot write runs all the same."""
    monkeypatch.setenv("GOUGH_CACHE_DIR", "")

    def step(state: np.ndarray) -> dict:
        return {"state": state, "record": np.array([scalar.atan2(state[0], state[1])]), "running": 1.0}

    march = March(trace(step, [Slot("state", (2,))]), one_run=True)
    found = march(np.array([[1.0, 2.0]]), 1, march.table({}))
    assert found.record[0, 0, 0] == np.arctan2(1.0, 2.0)
