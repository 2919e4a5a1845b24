"""Time loops for a GPU in which several threads share a run: their rounds, their cells, and their text run by a C++ compiler."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from backends import cuda_nvrtc
from backends.cuda_march_host import COMPILER, on_host
from backends.test_cuda_march import GRAVITY, heavy
from backends.test_march import RUNS, STEPS, by_interpreter, pendulum
from gough.program import Program, Slot, evaluate, trace
from inner.backends import FRAME, LARGEST_BLOCK, CudaMarch, Pieces, cuda_march, in_pieces, lay_out, rounds_of
from inner.program import Call, Machine, Op, cut_at_blocks, expand_blocks
from program.specimens import random_program

needs_compiler = pytest.mark.skipif(COMPILER is None, reason="no C++ compiler")
ORDERS = [(), ("-DGOUGH_BACKWARDS",)]


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOUGH_CACHE_DIR", str(tmp_path / "cache"))


def chains(n: int, length: int) -> Program:
    """n chains of operations that meet at the end."""

    def made(state: np.ndarray) -> dict:
        y = state
        for k in range(length):
            y = y * state + float(k + 2)
        return {"state": y * y.sum(), "record": y[:1], "running": 1.0}

    return trace(made, [Slot("state", (n,))])


# ---------------------------------------------------------------- rounds


@pytest.mark.parametrize("team", [2, 3, 7])
@pytest.mark.parametrize("seed", range(4))
def test_a_round_reads_earlier_rounds_and_its_own_warp(seed: int, team: int) -> None:
    program = expand_blocks(random_program(seed))
    work = [i for i, op in enumerate(program.ops) if op > Op.CONST]
    rounds = rounds_of(program, work, team)
    home = {i: (r, warp) for r, shares in enumerate(rounds) for warp, share in enumerate(shares) for i in share}
    assert sorted(home) == work and sum(len(s) for shares in rounds for s in shares) == len(work)
    for i, (r, warp) in home.items():
        for k in program.operands(i):
            if k in home:
                assert home[k][0] < r or home[k] == (r, warp)
    for shares in rounds:
        assert all(share == sorted(share) for share in shares)


def test_chains_are_dealt_evenly() -> None:
    program = chains(6, 40)
    work = [i for i, op in enumerate(program.ops) if op > Op.CONST]
    shares = rounds_of(program, work, 3)[0]
    assert max(map(len, shares)) <= 1.1 * min(map(len, shares))


def pieces_of(program: Program, team: int) -> Pieces:
    return in_pieces(cut_at_blocks(expand_blocks(program), Machine(seeds=False)), team)


@pytest.mark.parametrize("seed", range(4))
def test_cells_are_used_again_only_in_a_later_round(seed: int) -> None:
    pieces = pieces_of(random_program(seed), 3)
    rounds = [post.round for post in pieces.posts]
    assert rounds == sorted(rounds)
    layout = lay_out(pieces.stages, rounds)
    times = [*rounds, rounds[-1] + 1]
    written: dict[int, int] = {}  # place: round of its last writing
    read: dict[int, int] = {}
    for stage, now in zip(layout.stages, times, strict=False):
        for place in stage.inputs:
            if place.space == FRAME:
                assert written[place.at] <= now
                read[place.at] = now
        for place in (p for places in stage.outputs for p in places):
            assert read.get(place.at, -1) < now and written.get(place.at, -1) < now
            written[place.at] = now


# ---------------------------------------------------------------- the loop


@needs_compiler
@pytest.mark.parametrize("flags", ORDERS, ids=["forwards", "backwards"])
@pytest.mark.parametrize(("team", "near"), [(2, 0), (3, None), (5, 4)])
def test_is_the_interpreters_loop(team: int, near: int | None, flags: tuple[str, ...]) -> None:
    program = pendulum()
    rng = np.random.default_rng(0)
    state, own = rng.normal(size=(RUNS, 2)) * 0.1, np.full((RUNS, 1), 1e3)
    given = np.column_stack([rng.uniform(0.01, 0.03, STEPS), rng.normal(size=STEPS)])
    march = on_host(CudaMarch(program, near=near, team=team), launch=7, flags=flags)
    assert march.signature["team"] == team
    truth = by_interpreter(program, state, own, given)
    for every, first in ((1, None), (3, 1)):
        found = march(state, STEPS, march.table(GRAVITY), given, own, every=every, first=first)
        np.testing.assert_allclose(found.record, truth[(first or every) - 1 :: every], rtol=0, atol=1e-14)
        np.testing.assert_allclose(found.state, truth[-1, :, :2], rtol=0, atol=1e-14)
        assert (found.failed == -1).all() and (found.status == 0).all()


@needs_compiler
@pytest.mark.parametrize("flags", ORDERS, ids=["forwards", "backwards"])
def test_a_failed_run_keeps_its_last_good_state(flags: tuple[str, ...]) -> None:
    program = pendulum()
    state, own = np.zeros((RUNS, 2)), np.full((RUNS, 1), 1e3)
    own[4] = 0.01
    given = np.tile([0.02, 3.0], (STEPS, 1))
    march = on_host(CudaMarch(program, team=3), launch=2, flags=flags)
    truth = by_interpreter(program, state, own, given)
    found = march(state, STEPS, march.table(GRAVITY), given[:1], own)
    first = int(np.argmax(truth[:, 4, 1] ** 2 > 0.01))
    assert found.failed.tolist() == [first if k == 4 else -1 for k in range(RUNS)]
    assert found.status[4] == 2
    np.testing.assert_allclose(found.state[4], truth[first - 1, 4, :2], rtol=0, atol=1e-14)
    np.testing.assert_allclose(found.state[5], truth[-1, 5, :2], rtol=0, atol=1e-14)
    assert np.isnan(found.record[first:, 4]).all() and np.isfinite(found.record[:first, 4]).all()


@needs_compiler
@pytest.mark.parametrize("flags", ORDERS, ids=["forwards", "backwards"])
def test_blocks_and_calls(flags: tuple[str, ...], limits) -> None:
    limits(loop_least=100, loop_straight=1e4, loop_called=100)
    program = heavy()
    rng = np.random.default_rng(1)
    n = program.inputs[0].size
    state, own = rng.uniform(0.5, 1.5, (3, n)), rng.normal(size=(3, program.inputs[1].size)) * 0.2
    march = on_host(CudaMarch(program, team=4), flags=flags)
    assert "solve_symmetric<" in march.source and "called_0" in march.source and "case 3:" in march.source
    found = march(state, 4, march.table({"shift": np.array([0.3])}), None, own)
    x = state
    for k in range(4):
        truth = evaluate(program, {"state": x, "own": own, "shift": np.array([0.3])})
        np.testing.assert_allclose(found.record[k], truth["record"], rtol=1e-12)
        x = truth["state"]
    np.testing.assert_allclose(found.state, x, rtol=1e-12)


@needs_compiler
def test_one_thread_and_a_team_give_the_same_bits() -> None:
    program = chains(5, 30)
    state = np.random.default_rng(2).uniform(0.1, 0.2, (4, 5))
    found = [
        on_host(CudaMarch(program, team=k))(state, 1, np.array(CudaMarch(program, team=k).table({}))) for k in (1, 3)
    ]
    assert np.array_equal(found[0].state, found[1].state)


# ---------------------------------------------------------------- the choice


def test_long_turns_have_a_team(limits) -> None:
    short, long = chains(6, 5), chains(6, 60)
    limits(cuda_long=400)
    assert CudaMarch(short).signature["team"] == 1 and CudaMarch(short).signature["block"] == cuda_march.BLOCK
    s = CudaMarch(long).signature
    assert (s["team"], s["block"]) == (cuda_march.TEAM, cuda_march.RUNS)


def test_calls_count_every_time() -> None:
    program = heavy()
    blocks = [program.block(i) for i, op in enumerate(program.ops) if op == Op.BLOCK]
    called = [b.program for b in blocks if isinstance(b, Call)]
    own = sum(op > Op.CONST and op != Op.ITEM for op in program.ops)
    each = [cuda_march.operations_of(x) for x in called if isinstance(x, Program)]
    assert len(each) == 2 and cuda_march.operations_of(program) == own + sum(each)


def test_without_a_gpu_cells_fit_on_every_one() -> None:
    assert cuda_march.shared_of_block() >= LARGEST_BLOCK
    near = cuda_march.choose_team(pendulum(), 80, None, 4).near
    assert (8 * near + 4) * 80 <= cuda_march.shared_of_block()


def test_nvrtc_compiles_the_text() -> None:
    nvrtc = cuda_nvrtc.library()
    if nvrtc is None:
        pytest.skip("no NVRTC here")
    for program in (pendulum(), heavy()):
        assert cuda_nvrtc.compiled(
            nvrtc, CudaMarch(program, team=3).source, (*cuda_march.runtime.OPTIONS, "--gpu-architecture=sm_90")
        )
