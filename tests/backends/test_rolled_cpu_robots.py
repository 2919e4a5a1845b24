"""Rolled machine code of robots' functions against the interpreter: hexapods, one of them without any symmetry, a Delta,
and a robot whose legs have nothing in common."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from backends.kernels import run
from backends.test_rolled_cpu import rolled_kernel
from gough.backends.llvm import store
from gough.program import Program
from gough.program.passes.outputs import computed_outputs
from gough.robot import Robot
from gough.robots import hexapod
from gough_bench.growth import legs_on_platform
from gough_bench.states import random_states
from inner.backends import host
from inner.program import evaluate_with_care, flat_inputs, vjp
from laws.subjects import built

N = 19


def lopsided() -> Robot:
    """A hexapod whose joints lie anywhere, with other masses in every leg's bodies."""
    rng = np.random.default_rng(7)
    angle = 2 * np.pi * np.arange(6) / 6
    ring = np.stack([np.cos(angle), np.sin(angle), 0 * angle], 1)
    base = 1.1 * ring + rng.uniform(-0.2, 0.2, (6, 3))
    top = 0.6 * np.roll(ring, 1, axis=0) + rng.uniform(-0.1, 0.1, (6, 3))
    body = {"mass": 2.0, "center_of_mass": (0.01, -0.02, 0.2)}
    body |= {"inertia": {"about": "center_of_mass", "xx": 0.03, "yy": 0.04, "zz": 0.02, "xy": 0.001}}
    return hexapod(
        base, top, platform={**body, "mass": 20.0}, home=(0.05, 0.02, 1.0), lower=body, upper=body, name="lopsided"
    )


def assert_same(model: gough.Model, program: Program, tier: str, monkeypatch: pytest.MonkeyPatch) -> None:
    program = computed_outputs(program).program
    rng = np.random.default_rng(1)
    states = random_states(model, N)
    known = {k: getattr(states, k) for k in ("q", "v", "acceleration", "tau")} | {"parameters": model.parameters[None]}
    rows = [known[s.name] if s.name in known else rng.normal(size=(N, s.size)) for s in program.inputs]
    named = {s.name: x for s, x in zip(program.inputs, rows, strict=True)}
    truth, failed = evaluate_with_care(program, flat_inputs(program, named, N))
    assert not any(failed)
    found, status = run(rolled_kernel(program, tier, monkeypatch), [np.ascontiguousarray(x) for x in rows], N)
    assert not status.any()
    for a, b in zip(found, truth, strict=True):
        np.testing.assert_allclose(a, b, rtol=0, atol=1e-10 * np.abs(b).max())


TIERS = ("assembler", *(pytest.param(tier, marks=pytest.mark.slow) for tier in ("llvm", "ieee", "avx2", "sse2")))


@pytest.mark.slow
@pytest.mark.parametrize("tier", TIERS)
def test_a_hexapod_without_symmetry(tier: str, monkeypatch: pytest.MonkeyPatch) -> None:
    model = gough.build(lopsided())
    inverse = model.function("inverse_dynamics").program
    assert_same(model, vjp(inverse, ["q", "v", "acceleration"]), tier, monkeypatch)
    assert_same(model, model.tangent_derivative("inverse_dynamics", "v", "acceleration").program, tier, monkeypatch)
    assert_same(model, model.function("forward_dynamics").program, tier, monkeypatch)
    baked = model.function("inverse_dynamics", baked=True).program
    assert_same(model, baked, tier, monkeypatch)
    found = store.made_ready(baked, host().machine("fast"), rolled=True).stages
    assert found is not None and found.lanes == 6, "legs that differ in numbers only are alike"


@pytest.mark.parametrize("tier", TIERS)
@pytest.mark.parametrize("name", [pytest.param(name, marks=pytest.mark.slow) for name in ("delta", "pedrammehr2012")])
def test_robots_of_the_gallery(name: str, tier: str, monkeypatch: pytest.MonkeyPatch) -> None:
    model = built(gough.load(name))
    assert_same(model, vjp(model.function("inverse_dynamics").program, ["q", "v"]), tier, monkeypatch)
    assert_same(model, model.function("forward_dynamics").program, tier, monkeypatch)


@pytest.mark.slow
@pytest.mark.parametrize("tier", ["assembler", "llvm", "ieee", "avx2", "sse2"])
def test_jacobians(tier: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for model in (gough.build(lopsided()), gough.build("delta")):
        program = model.tangent_derivative("inverse_dynamics", "q", "v", "acceleration").program
        assert_same(model, program, tier, monkeypatch)


@pytest.mark.slow
def test_many_legs_are_rolled_by_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    model = gough.build(legs_on_platform(16))
    for program in (
        model.tangent_derivative("forward_dynamics", "q", "v", "tau").program,
        model.tangent_derivative("inverse_dynamics", "q", "v", "acceleration").program,
    ):
        ready = store.made_ready(program, host().machine("fast"))
        assert ready.stages is not None and ready.stages.lanes == 16
        assert_same(model, program, "assembler" if host().assembler else "llvm", monkeypatch)


def test_a_robot_without_legs_alike_stays_straight() -> None:
    model = gough.build("andrews")
    program = model.function("forward_dynamics").program
    assert store.made_ready(program, host().machine("fast")).straight is not None
