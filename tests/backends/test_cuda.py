"""GPU kernels as text, without a GPU: what is made, kept, saved and refused."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

from backends import cuda_nvrtc
from gough.backends.cuda import DeviceProblem, GpuKernel, StateKernel, load, runtime
from gough.backends.cuda._lowering import lower_for_gpu
from gough.backends.cuda._registers import FewLive, order_for_few_live, plan_registers
from gough.errors import UsageError
from gough.program import Program
from inner.program import Op
from program.specimens import random_program


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOUGH_CACHE_DIR", str(tmp_path / "cache"))


def test_the_text_needs_no_cupy() -> None:
    """The same text under another hash seed, and nothing of CuPy is imported."""
    code = (
        "import sys; sys.path.insert(0, 'tests')\n"
        "from program.specimens import random_program\n"
        "from gough.backends.cuda import GpuKernel\n"
        "import hashlib; print(hashlib.sha256(GpuKernel(random_program(3, 80)).source.encode()).hexdigest())\n"
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


def most_alive(program: Program, order: list[int]) -> int:
    """Largest number of computed values that wait for a use."""
    search = FewLive(program)
    most = 0
    for i in order:
        search._do(i)
        most = max(most, len(search.alive))
    return most


@pytest.mark.parametrize("seed", range(3))
def test_the_order_is_one_and_keeps_few_values(seed: int) -> None:
    program = lower_for_gpu(random_program(seed, 300)).each
    order = order_for_few_live(program)
    recorded = [i for i, op in enumerate(program.ops) if op > Op.CONST]
    assert sorted(order) == recorded
    place = {i: k for k, i in enumerate(order)}
    assert all(place[k] < place[i] for i in order for k in program.operands(i) if k in place)
    assert most_alive(program, order) <= most_alive(program, recorded)


@pytest.mark.parametrize("cheap", [0, 8, 1000])
def test_a_plan_reads_only_what_is_there(cheap: int) -> None:
    """Run the steps on sets of names: operands are held, loads follow stores, no more values than there is room for."""
    program = lower_for_gpu(random_program(4, 300)).each
    room = 16
    plan = plan_registers(program, order_for_few_live(program), room, cheap)
    made: set[int] = set()
    slots: dict[int, int] = {}
    uniform = program.uniform_inputs()
    for step in plan.steps:
        if step.kind == "store":
            assert step.node in made
            slots[step.slot] = step.node
        elif step.kind == "load":
            assert slots[step.slot] == step.node
        elif step.kind != "input":
            for k in program.operands(step.node):
                fixed = program.ops[k] == Op.CONST or (program.ops[k] == Op.INPUT and uniform[program.args[k][0]])
                assert fixed or k in made
        if step.kind != "store":
            made.add(step.node)
    assert plan.slots > 0 and plan.most_held <= room + 3
    assert plan.tally()["do"] == sum(op > Op.CONST for op in program.ops)


def test_texts_are_kept_and_damaged_ones_made_again(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    program = random_program(3, 60)
    first = GpuKernel(program)
    (file,) = (tmp_path / "cache").glob("*.cuda.kernel")
    kept = json.loads(file.read_text())
    assert kept["source"] == first.source
    for damage in ("{", json.dumps(kept | {"source": "void"}), json.dumps(kept | {"key": "other"})):
        file.write_text(damage)
        assert GpuKernel(program).source == first.source
    assert caplog.text.count("made again") == 3
    assert json.loads(file.read_text()) == kept


@pytest.mark.parametrize(
    ("options", "words"),
    [({"precision": "half"}, "fast, ieee"), ({"dtype": "float16"}, "float64, float32"), ({"block": 100}, "32, 64")],
)
def test_options_that_are_none(options: dict, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        GpuKernel(random_program(3, 60), **options)


def test_a_saved_kernel_needs_neither_gough_nor_a_gpu_to_be_read(tmp_path: Path) -> None:
    program = random_program(1, 80, uniform=True)
    kernel = GpuKernel(program)
    folder = kernel.save(tmp_path / "saved", defaults={"p": np.array([1.0, 2.0, 3.0])})
    assert sorted(p.name for p in folder.iterdir()) == ["gough_kernel.py", "kernel.cu", "signature.json"]
    code = (
        "import sys, importlib.abc\n"
        "class Refuse(importlib.abc.MetaPathFinder):\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name.split('.')[0] in ('gough', 'cupy'): raise ImportError('refused')\n"
        "sys.meta_path.insert(0, Refuse())\n"
        f"sys.path.insert(0, {str(folder)!r})\n"
        "import numpy as np, gough_kernel\n"
        "f = gough_kernel.load()\n"
        "print(f.uniform_values({'p': np.array([1.0, 2.0, 3.0])}).tolist())\n"
        "try:\n    f(x=np.zeros((2, 6)))\n"
        "except gough_kernel.DeviceProblem as problem:\n    assert 'pip install cupy' in str(problem)\n"
        "else:\n    raise SystemExit('ran without cupy')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    ours = StateKernel(kernel.signature, kernel.source).uniform_values({"p": np.array([1.0, 2.0, 3.0])})
    assert json.loads(done.stdout) == ours.tolist()
    assert load(folder).signature["defaults"] == {"p": [1.0, 2.0, 3.0]}


def test_bad_saves_and_loads(tmp_path: Path) -> None:
    kernel = GpuKernel(random_program(1, 60))
    with pytest.raises(UsageError, match="no input 'z'"):
        kernel.save(tmp_path / "a", defaults={"z": np.zeros(3)})
    with pytest.raises(UsageError, match="shape"):
        kernel.save(tmp_path / "a", defaults={"p": np.zeros(4)})
    with pytest.raises(DeviceProblem, match="holds no saved kernel"):
        load(tmp_path)
    with pytest.raises(DeviceProblem, match="format 99"):
        StateKernel(kernel.signature | {"format": 99}, kernel.source)


def test_compiling_ahead_without_nvcc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(UsageError, match="needs nvcc"):
        GpuKernel(random_program(1, 60)).save(tmp_path / "a", gpus=("sm_90",))


@pytest.mark.quick_cases("float64")
@pytest.mark.skipif(shutil.which("nvcc") is None, reason="no nvcc on the PATH to compile CUDA text")
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_nvcc_takes_the_text(tmp_path: Path, dtype: str) -> None:
    folder = GpuKernel(random_program(1, 120), dtype=dtype).save(tmp_path / "saved", gpus=("sm_90",))
    assert (folder / "kernel.sm_90.cubin").stat().st_size > 1000
    assert set(load(folder).images) == {"sm_90"}


@pytest.mark.skipif(cuda_nvrtc.library() is None, reason="no NVRTC (pip install nvidia-cuda-nvrtc, 128 MB)")
@pytest.mark.parametrize(("dtype", "precision"), [("float64", "fast"), ("float64", "ieee"), ("float32", "fast")])
def test_nvrtc_takes_the_text(dtype: str, precision: str) -> None:
    """CuPy compiles with NVRTC, which knows less than nvcc: no host headers."""
    nvrtc = cuda_nvrtc.library()
    assert nvrtc is not None
    kernel = GpuKernel(random_program(1, 80, uniform=True), precision, dtype)
    assert len(cuda_nvrtc.compiled(nvrtc, kernel.source, ("-arch=sm_90", *runtime.OPTIONS))) > 1000


def _fake_cupy(monkeypatch: pytest.MonkeyPatch, count) -> None:
    module = ModuleType("cupy")
    module.cuda = SimpleNamespace(runtime=SimpleNamespace(getDeviceCount=count))
    monkeypatch.setitem(sys.modules, "cupy", module)


def test_what_can_be_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cupy", None)
    with pytest.raises(DeviceProblem, match="pip install cupy"):
        runtime.array_module()

    def no_driver() -> int:
        raise RuntimeError("cudaErrorInsufficientDriver")

    _fake_cupy(monkeypatch, no_driver)
    with pytest.raises(DeviceProblem, match=r"cudaErrorInsufficientDriver.*Install the NVIDIA driver"):
        runtime.array_module()
    _fake_cupy(monkeypatch, lambda: 0)
    with pytest.raises(DeviceProblem, match=r"no GPU.*NumPy"):
        runtime.array_module()
