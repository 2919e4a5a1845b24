"""Time loops for a GPU, their text run by a C++ compiler, against the interpreter's loop."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from backends import cuda_nvrtc
from backends.cuda_march_host import COMPILER, on_host
from backends.test_march import RUNS, STEPS, by_interpreter, pendulum
from gough.errors import Status
from gough.program import Program, Slot, evaluate, trace
from gough.scalar import call, product, solve_spd
from inner.backends import CudaMarch, cuda_march

needs_compiler = pytest.mark.skipif(COMPILER is None, reason="no C++ compiler")
GRAVITY = {"gravity": np.array([9.0])}


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOUGH_CACHE_DIR", str(tmp_path / "cache"))


@needs_compiler
@pytest.mark.parametrize("near", [0, 3, None])
def test_is_the_interpreters_loop(near: int | None) -> None:
    program = pendulum()
    rng = np.random.default_rng(0)
    state, own = rng.normal(size=(RUNS, 2)) * 0.1, np.full((RUNS, 1), 1e3)
    given = np.column_stack([rng.uniform(0.01, 0.03, STEPS), rng.normal(size=STEPS)])
    march = on_host(CudaMarch(program, near=near), launch=7)
    truth = by_interpreter(program, state, own, given)
    turns: list[int] = []
    for every, first in ((1, None), (3, None), (3, 1), (4, 2)):
        found = march(state, STEPS, march.table(GRAVITY), given, own, every=every, first=first, tick=turns.append)
        np.testing.assert_allclose(found.record, truth[(first or every) - 1 :: every], rtol=0, atol=1e-14)
        np.testing.assert_allclose(found.state, truth[-1, :, :2], rtol=0, atol=1e-14)
        assert (found.failed == -1).all() and (found.status == 0).all()
    assert turns[:3] == [7, 14, 20]


@needs_compiler
def test_a_failed_run_keeps_its_last_good_state_and_the_others_go_on() -> None:
    program = pendulum()
    state, own = np.zeros((RUNS, 2)), np.full((RUNS, 1), 1e3)
    own[4] = 0.01
    given = np.tile([0.02, 3.0], (STEPS, 1))
    march = on_host(CudaMarch(program), launch=2)
    truth = by_interpreter(program, state, own, given)
    found = march(state, STEPS, march.table(GRAVITY), given[:1], own)
    first = int(np.argmax(truth[:, 4, 1] ** 2 > 0.01))
    assert found.failed.tolist() == [first if k == 4 else -1 for k in range(RUNS)]
    assert found.status[4] == 2
    np.testing.assert_allclose(found.state[4], truth[first - 1, 4, :2], rtol=0, atol=1e-14)
    np.testing.assert_allclose(found.state[5], truth[-1, 5, :2], rtol=0, atol=1e-14)
    assert np.isnan(found.record[first:, 4]).all()


def heavy(n: int = 12, m: int = 8) -> Program:
    """A turn with a large solve and a product, which run as loops, and a program that is called twice."""
    state, numbers = [Slot("x", (n,))], Slot("shift", (1,), uniform=True)

    def moved(x: np.ndarray, shift: np.ndarray) -> dict:
        out = x
        for _ in range(9):
            out = np.array(
                [a * (1.0 / (2.0 + a * b)) + 0.1 * shift[0] for a, b in zip(out, np.roll(out, 1), strict=True)]
            )
        return {"y": out}

    inner = trace(moved, (*state, numbers))

    def step(state: np.ndarray, own: np.ndarray, shift: np.ndarray) -> dict:
        x = call(inner, np.concatenate([state, shift]))
        L = own.reshape(n, m)
        A = product(L, L.T) + np.diag(4.0 + x * x)
        y = solve_spd(A, x, Status.SINGULAR.at("matrix"))
        after = call(inner, np.concatenate([0.5 * state + y, shift]))
        return {"state": after, "record": y, "running": 1.0}

    return trace(step, (Slot("state", (n,)), Slot("own", (n * m,)), numbers))


@needs_compiler
@pytest.mark.parametrize("longest", [60, 20000])
def test_blocks_run_as_loops_and_calls_as_functions(longest: int, monkeypatch: pytest.MonkeyPatch, limits) -> None:
    functions = cuda_march._functions
    cut = functions.in_pieces
    monkeypatch.setattr(functions, "in_pieces", lambda lowered, team: cut(lowered, team, longest))
    limits(loop_least=100, loop_straight=1e4)
    program = heavy()
    rng = np.random.default_rng(1)
    n = program.inputs[0].size
    state, own = rng.uniform(0.5, 1.5, (3, n)), rng.normal(size=(3, program.inputs[1].size)) * 0.2
    march = on_host(CudaMarch(program))
    assert "solve_symmetric<" in march.source and "multiply<" in march.source and "called_0" in march.source
    assert ("part_9" in march.source) == (longest == 60)
    found = march(state, 4, march.table({"shift": np.array([0.3])}), None, own)
    x = state
    for k in range(4):
        truth = evaluate(program, {"state": x, "own": own, "shift": np.array([0.3])})
        np.testing.assert_allclose(found.record[k], truth["record"], rtol=1e-12)
        x = truth["state"]
    np.testing.assert_allclose(found.state, x, rtol=1e-12)


@needs_compiler
def test_a_table_beyond_constant_memory(limits) -> None:
    limits(cuda_table=2)
    program = pendulum()
    march = on_host(CudaMarch(program))
    assert march.signature["table_in_memory"]
    state, own, given = np.full((2, 2), 0.1), np.full((2, 1), 1e3), np.array([[0.02, 0.0]])
    found = march(state, 3, march.table(GRAVITY), given, own)
    truth = by_interpreter(program, state, own, np.repeat(given, 3, axis=0))
    np.testing.assert_allclose(found.record, truth, rtol=0, atol=1e-14)


def test_nvrtc_compiles_the_text() -> None:
    nvrtc = cuda_nvrtc.library()
    if nvrtc is None:
        pytest.skip("no NVRTC here")
    for program in (pendulum(), heavy()):
        assert cuda_nvrtc.compiled(
            nvrtc, CudaMarch(program).source, (*cuda_march.runtime.OPTIONS, "--gpu-architecture=sm_90")
        )


def test_arrays_that_do_not_fit_are_refused() -> None:
    march = CudaMarch(pendulum())
    table = march.table(GRAVITY)
    with pytest.raises(ValueError, match="fit"):
        march(np.zeros((3, 5)), 2, table, np.zeros((1, 2)), np.zeros((3, 1)))
    with pytest.raises(ValueError, match="rows"):
        march(np.zeros((3, 2)), 5, table, np.zeros((2, 2)), np.zeros((3, 1)))


def test_the_text_needs_no_cupy() -> None:
    """The same text under another hash seed, and nothing of CuPy is imported."""
    code = (
        "import sys; sys.path.insert(0, 'tests')\n"
        "from backends.test_march import pendulum\n"
        "from gough.backends.cuda.march import CudaMarch\n"
        "import hashlib; print(hashlib.sha256(CudaMarch(pendulum()).source.encode()).hexdigest())\n"
        "assert 'cupy' not in sys.modules\n"
    )
    root = Path(__file__).parents[2]
    found = set()
    for seed in ("1", "2"):
        environment = {"PYTHONHASHSEED": seed, "PYTHONPATH": str(root / "src"), "GOUGH_CACHE_DIR": "", "PATH": ""}
        done = subprocess.run([sys.executable, "-c", code], cwd=root, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        found.add(done.stdout)
    assert len(found) == 1
