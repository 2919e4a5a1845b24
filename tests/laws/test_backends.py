"""Every function of a robot gives the same numbers on every backend as in the interpreter, which defines them.

Backends: machine code by the assembler and by LLVM, fast and IEEE; exported C; the text of a GPU kernel, compiled for the
CPU; CasADi; JAX (its own tests run the rest of the catalogue).
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import gough
from backends import compiled_c, cuda_host
from backends.compiled_c import Compiled
from backends.kernels import choose_writer, run
from dynamics.test_dry_friction import four_bar
from gough import Function
from gough.backends import BACKENDS, find_backend
from gough.compilation.service import compile_loop
from gough.errors import UsageError
from gough_bench.states import random_states
from inner.backends import GpuKernel, Kernel, flat_listing, host
from inner.dynamics import CATALOGUE
from laws.subjects import built
from reference.designs import design

N = 11
ROBOTS = ("five_bar", "lopes")
MORE = (
    "pedrammehr2012",
    "delta",
    "redundant_planar",
    "three_rrr",
    "fried",
    "andrews",
    "ankle",
    "dry four-bar",
    "effects-0",
)
SUBJECTS = (*ROBOTS, *(pytest.param(name, marks=pytest.mark.slow) for name in MORE))


@lru_cache(maxsize=2)
def model(name: str) -> gough.Model:
    if name == "dry four-bar":
        return four_bar(
            Rotation.from_rotvec(np.random.default_rng(3).normal(size=3)), 1.0, "universal", {"coulomb": 0.5}
        )
    family, _, seed = name.partition("-")
    return built(design(family, int(seed)) if seed else gough.load(name))


@lru_cache(maxsize=2)
def functions(name: str) -> dict[str, tuple[Function, dict[str, np.ndarray], dict[str, np.ndarray]]]:
    """{function: (itself, inputs, outputs by the interpreter)}."""
    m, rng = model(name), np.random.default_rng(1)
    states = random_states(m, N)
    known = {"q": states.q, "v": states.v, "vdot": states.acceleration, "tau": states.tau}
    known["acceleration"] = states.acceleration[:, : m.mobility]
    found = {}
    for key in CATALOGUE:
        try:
            f = m.function(key)
        except UsageError:
            continue
        inputs = {s.name: known[s.name] if s.name in known else rng.normal(size=(N, s.size)) for s in f.program.inputs}
        inputs["parameters"] = m.parameters
        f.interpreted = True
        found[key] = (f, inputs, f.values(**inputs))
        f.interpreted = key == "closure_rows"
    assert len(found) >= 12
    return found


def assert_same(truth: dict[str, np.ndarray], found: dict[str, np.ndarray], where: str) -> None:
    for key, expected in truth.items():
        scale = np.abs(expected).max(initial=0.0) + 1e-5  # residuals of closed loops are rounding
        error = np.abs(found[key].reshape(expected.shape) - expected).max(initial=0.0) / scale
        assert error <= 1e-9, f"{where} {key}: {error:.1e}"


def rows_of(f: Function, inputs: dict[str, np.ndarray]) -> list[np.ndarray]:
    return [np.ascontiguousarray(inputs[s.name].reshape(-1, s.size), dtype=float) for s in f.program.inputs]


@pytest.mark.quick_cases("assembler-lopes", "llvm-five_bar", "ieee-five_bar")
@pytest.mark.parametrize("name", SUBJECTS)
@pytest.mark.parametrize("tier", ["assembler", "llvm", "ieee"])
def test_machine_code(name: str, tier: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if tier == "assembler" and not host().assembler:
        pytest.skip("this CPU has no AVX-512")
    if tier == "llvm":
        choose_writer(monkeypatch, False)
    for key, (f, inputs, truth) in functions(name).items():
        kernel = Kernel(f.program, "ieee" if tier == "ieee" else "fast")
        found, _ = run(kernel, rows_of(f, inputs), N)
        named = {s.name: x for s, x in zip(f.program.outputs, found, strict=True)}
        assert_same(truth, named, f"{name} {key}")


@pytest.mark.quick_cases("five_bar")
@pytest.mark.parametrize("name", SUBJECTS)
def test_exported_c(name: str, tmp_path: Path) -> None:
    if compiled_c.COMPILER is None:
        pytest.skip("no C compiler (gcc or cc) on this machine")
    for k, (key, (f, inputs, truth)) in enumerate(functions(name).items()):
        folder = tmp_path / str(k)
        folder.mkdir()
        compiled = Compiled.of(flat_listing(f.program, f"f{k}"), folder, "-std=c99", "-O0")
        for i in range(2):
            one = {s: x if s == "parameters" else x[i] for s, x in inputs.items()}
            flat, _ = compiled(one)
            assert_same(
                {"all": np.concatenate([truth[s.name][i].ravel() for s in f.program.outputs])}, {"all": flat}, key
            )


@pytest.mark.slow
@pytest.mark.parametrize("name", [ROBOTS[0], *(pytest.param(n, marks=pytest.mark.slow) for n in (*ROBOTS[1:], *MORE))])
def test_gpu_text_on_the_cpu(name: str) -> None:
    if cuda_host.COMPILER is None:
        pytest.skip("no C++ compiler (g++ or c++) on this machine")
    for key, (f, inputs, truth) in functions(name).items():
        kernel = cuda_host.HostKernel(GpuKernel(f.program))
        found, _ = kernel(rows_of(f, inputs), N)
        named = {s.name: x for s, x in zip(f.program.outputs, found, strict=True)}
        assert_same(truth, named, f"{name} {key}")


@pytest.mark.parametrize("name", SUBJECTS)
def test_casadi(name: str) -> None:
    for key, (f, inputs, truth) in functions(name).items():
        g = f.to_casadi()
        for i in range(2):
            out = g(**{s: x[i] for s, x in inputs.items() if s != "parameters"})
            named = {s: np.array(x) for s, x in out.items()}
            assert_same({s: x[i] for s, x in truth.items()}, named, f"{name} {key}")


def test_every_backend_has_a_case_here() -> None:
    cases = {"llvm": test_machine_code, "c": test_exported_c, "cuda": test_gpu_text_on_the_cpu}
    cases |= {"casadi": test_casadi, "jax": test_jax}
    assert set(cases) == set(BACKENDS)
    for name in BACKENDS:
        assert find_backend(name).name == name


@pytest.mark.parametrize("name", ["c", "casadi", "jax"])
def test_backends_without_time_loops_say_so(name: str) -> None:
    with pytest.raises(UsageError, match="no time loops"):
        compile_loop(model("five_bar").function("mass_matrix").program, name)


def test_jax() -> None:
    import jax

    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    try:
        compare_jax()
    finally:
        jax.config.update("jax_enable_x64", before)


def compare_jax() -> None:
    import jax

    for key in ("inverse_dynamics", "forward_dynamics"):
        f, inputs, truth = functions("five_bar")[key]
        g = jax.jit(jax.vmap(f.to_jax()))
        found = g(*[inputs[s.name] for s in f.program.inputs if s.name != "parameters"])
        assert_same(truth, {s: np.asarray(x) for s, x in found.items()}, key)
