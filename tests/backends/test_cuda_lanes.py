"""Time loops for a GPU whose legs run as one text: stages in lanes, sums over the legs, and the text run by a C++ compiler."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import gough
from backends import cuda_nvrtc
from backends.cuda_march_host import COMPILER, on_host
from gough.errors import Status
from gough.program import Program, Slot, evaluate, trace
from gough.scalar import call, check
from inner.backends import CudaMarch, cuda_march
from inner.program import Machine, expand_blocks

LeavingStage, stages_in_lanes = cuda_march._lanes.LeavingStage, cuda_march._lanes.stages_in_lanes
UnevenCells, settle_cells = cuda_march._cells.UnevenCells, cuda_march._cells.settle_cells
Team = cuda_march.Team
needs_compiler = pytest.mark.skipif(COMPILER is None, reason="no C++ compiler")
NUMBERS = {"p": np.linspace(0.1, 0.4, 6)}


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOUGH_CACHE_DIR", str(tmp_path / "cache"))


def legs(n: int = 6) -> Program:
    """Legs with two entries of the state and a number each; they meet in sums, of which all of them read."""

    def equations(x: np.ndarray, p: np.ndarray) -> dict:
        ends, sums = [], [0.0] * 7
        for k in range(n):
            a, b = x[2 * k], x[2 * k + 1]
            for j in range(8):
                a, b = a * b + p[k], 0.5 * b * a + 0.1 * (j + 1)
            check(Status.OUT_OF_REACH.at(f"leg{k}"), 40.0 - x[2 * k], 0.0)
            sums = [s + (a * b + 0.3 * j) * (b - 0.1 * j * a) for j, s in enumerate(sums)]
            ends.append((a, b))
        whole = sums[0] / (1.0 + sums[1] * sums[1]) + sums[2] / (2.0 + sums[3] * sums[3] * sums[4] * sums[4])
        y = [z for a, b in ends for z in (a * whole / (1.0 + b * b), sums[6] / (20.0 + a * a + sums[5] * sums[5]))]
        return {"y": np.array(y)}

    return trace(equations, [Slot("x", (2 * n,)), Slot("p", (n,), uniform=True)], "legs")


def turn(n: int = 6) -> Program:
    """Two calls of what the legs do."""
    inner = legs(n)

    def made(state: np.ndarray, p: np.ndarray) -> dict:
        once = call(inner, np.concatenate([state, p]))
        twice = call(inner, np.concatenate([0.5 * (state + once), p]))
        return {"state": 0.25 * (state + twice), "record": twice[:2], "running": 1.0}

    return trace(made, [Slot("state", (2 * n,)), Slot("p", (n,), uniform=True)], "turn")


def test_a_stage_leaves_the_terms_of_its_sums() -> None:
    found = stages_in_lanes(legs(), Machine(seeds=False))
    assert found is not None and found.lanes == 6
    leaving = [s for s in found.stages if isinstance(s, LeavingStage)]
    assert sum(s.terms for s in leaving) >= 7 and all(s.sums == -(-s.terms // s.lanes) for s in leaving)
    assert all(not s.summed for s in found.stages)


def test_little_that_is_alike_is_not_in_lanes() -> None:
    program = trace(lambda x: {"y": np.cumprod(x)}, [Slot("x", (9,))])
    assert stages_in_lanes(program, Machine(seeds=False)) is None


def test_as_many_legs_abreast_as_leave_all_registers() -> None:
    for runs, count, abreast in ((80, 6, 3), (40, 6, 6), (80, 3, 3), (200, 4, 1)):
        team = Team(runs).with_legs(count)
        assert team.abreast == abreast and team.of_block % 32 == 0
        assert team.threads * runs <= team.of_block


def test_cells_of_lanes_lie_side_by_side() -> None:
    homes = settle_cells({(4, 5, 6): 9, 1: 5, 5: 1, 2: 1}, near=4)
    assert [homes[k][0] for k in (4, 5, 6, 1, 2)] == ["NEAR"] * 4 + ["FAR"]
    assert [homes[k][2] - homes[4][2] for k in (4, 5, 6)] == [0, 1, 2]


@pytest.mark.quick_cases("4-0", "6-30", "4-None")
@needs_compiler
@pytest.mark.parametrize("near", [0, 30, None])
@pytest.mark.parametrize("n", [4, 6])
def test_is_the_interpreters_loop(n: int, near: int | None, limits) -> None:
    limits(cuda_long=100, loop_called=100)
    program = turn(n)
    numbers = {"p": NUMBERS["p"][:n]}
    state = np.random.default_rng(0).uniform(0.1, 0.4, (3, 2 * n))
    march = on_host(CudaMarch(program, near=near))
    assert f"#define LEGS {n}" in march.source and "EACH_LEG(part_" in march.source and "ADD_" in march.source
    found = march(state, 5, march.table(numbers))
    x = state
    for k in range(5):
        truth = evaluate(program, {"state": x, **numbers})
        np.testing.assert_allclose(found.record[k], truth["record"], rtol=1e-13)
        x = truth["state"]
    np.testing.assert_allclose(found.state, x, rtol=1e-13)
    assert (found.failed == -1).all()


@needs_compiler
def test_a_leg_that_fails_stops_its_run(limits) -> None:
    limits(cuda_long=100, loop_called=100)
    state = np.full((2, 12), 0.2)
    state[1, 6] = 50.0
    march = on_host(CudaMarch(turn()))
    found = march(state, 2, march.table(NUMBERS))
    assert found.failed.tolist() == [-1, 0] and found.status[0] == 0 and found.status[1] & 2


def test_nvrtc_compiles_the_text(limits) -> None:
    nvrtc = cuda_nvrtc.library()
    if nvrtc is None:
        pytest.skip("no NVRTC here")
    limits(cuda_long=100, loop_called=100)
    options = (*cuda_march.runtime.OPTIONS, "--gpu-architecture=sm_90")
    assert cuda_nvrtc.compiled(nvrtc, CudaMarch(turn()).source, options)


def test_a_cell_of_two_groups_has_no_place() -> None:
    with pytest.raises(UnevenCells):
        settle_cells({(4, 5, 6): 9, (5, 6, 7): 2}, near=4)


@pytest.mark.slow
def test_six_flexible_legs_are_one_text() -> None:
    """Closures are eliminated leg by leg, and legs leave sums on the platform: most of forward dynamics is the legs'."""
    alike = gough.build("hexapod_flexible").function("forward_dynamics").alike
    assert alike is not None
    program = expand_blocks(alike())
    found = stages_in_lanes(program, Machine(seeds=False))
    assert found is not None and found.lanes == 6 and found.operations < 0.3 * len(program.ops)
