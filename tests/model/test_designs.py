"""Designs × states: parameters of a design serve all its states, and every call gives what it gives design by design."""

from __future__ import annotations

import math
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

import gough
from gough.compilation import designs as shared
from inner.program import evaluate_nodes
from reference.designs import design

DESIGNS, STATES = 6, 20
TEN = tuple("M MX MY MZ XX XY XZ YY YZ ZZ".split())


@cache
def model_of(name: str) -> gough.Model:
    family, _, seed = name.partition(" ")
    return gough.build(design(family, int(seed)) if seed else name)


def some_designs(model: gough.Model, count: int, of: tuple[str, ...] = (), spread: float = 0.01) -> np.ndarray:
    """Random designs (count, n), no two numbers changed alike; of: only parameters whose names end so."""
    factor = 1.0 + np.random.default_rng(7).uniform(-spread, spread, (count, len(model.parameters)))
    free = [
        i not in model.pattern and (not of or model.parameter_names[i].split(".")[-1] in of)
        for i in range(len(factor[0]))
    ]
    return np.where(free, model.parameters * factor, model.parameters)


def some_poses(model: gough.Model, count: int) -> np.ndarray:
    rng = np.random.default_rng(8)
    poses = np.repeat(model.home[None, :7], count, axis=0)
    poses[:, :3] += 0.02 * model.size * rng.uniform(-1, 1, (count, 3))
    poses[:, 3:] += 0.02 * rng.uniform(-1, 1, (count, 4))
    return poses / np.append(
        np.ones((count, 3)), np.repeat(np.linalg.norm(poses[:, 3:], axis=1)[:, None], 4, axis=1), axis=1
    )


def calls(model: gough.Model) -> dict[str, Any]:
    """Calls of (q, v, acceleration, parameters)."""
    return {
        "inverse_dynamics": lambda q, v, a, p: model.inverse_dynamics(q, v, a, parameters=p).tau,
        "forward_dynamics": lambda q, v, a, p: (
            model.forward_dynamics(q, v, np.ones(len(model.mechanism.drives)), parameters=p).vdot
        ),
        "mass_matrix": lambda q, v, a, p: model.mass_matrix(q, parameters=p),
        "bias_force": lambda q, v, a, p: model.bias_force(q, v, parameters=p),
        "drive_map": lambda q, v, a, p: model.drive_map(q, parameters=p),
        "energies": lambda q, v, a, p: model.energies(q, v, parameters=p).kinetic,
    }


@pytest.mark.quick_cases("pedrammehr2012", "lopes")
@pytest.mark.parametrize("name", ["pedrammehr2012", "lopes", "ups 3", "pus 5"])
def test_calls_are_those_of_each_design(name: str) -> None:
    """Six-legged robots take every design; their configurations and all that follows, to the last bit."""
    model = model_of(name)
    P, poses = some_designs(model, DESIGNS), some_poses(model, STATES)
    q = model.configuration(pose=poses, parameters=P[:, None])
    alone = [model.configuration(pose=poses, parameters=p) for p in P]
    assert q.shape == (DESIGNS, STATES, model.layout.nq)
    assert np.ptp(q, axis=0).max() > 1e-4 * model.size
    np.testing.assert_allclose(q, alone, rtol=0, atol=1e-14 * max(1.0, model.size))
    v, a = np.random.default_rng(1).normal(size=(2, STATES, model.layout.nv))
    for label, call in calls(model).items():
        model.function(label).compile()
        many, one = call(q, v, a, P[:, None]), [call(x, v, a, p) for x, p in zip(q, P, strict=True)]
        np.testing.assert_array_equal(many, one, err_msg=label)


@pytest.mark.quick_cases("three_rrr", "five_bar")
@pytest.mark.parametrize("name", ["delta_fast", "three_rrr", "five_bar", "ankle"])
def test_masses_of_other_robots(name: str) -> None:
    """Robots whose loops close at given drives only while lengths stay; ten parameters of bodies differ."""
    model = model_of(name)
    P = some_designs(model, DESIGNS, TEN)
    drives = model.drives(model.home) + 0.01 * np.random.default_rng(3).uniform(-1, 1, (STATES, len(model.drive_index)))
    drives = (
        drives
        if len(model.drive_index) == model.mobility
        else np.repeat(model.drives(model.home)[None], STATES, axis=0)
    )
    q = model.configuration(drives=drives, parameters=P[:, None])
    np.testing.assert_allclose(q, np.repeat(model.configuration(drives=drives)[None], DESIGNS, axis=0), atol=1e-13)
    v, a = np.random.default_rng(1).normal(size=(2, STATES, model.layout.nv))
    model.function("inverse_dynamics").compile()
    tau = model.inverse_dynamics(q, v, a, parameters=P[:, None]).tau
    one = [model.inverse_dynamics(x, v, a, parameters=p).tau for x, p in zip(q, P, strict=True)]
    np.testing.assert_array_equal(tau, one)
    assert np.ptp(tau, axis=0).max() > 0


def test_moving_on() -> None:
    """Steps, projections and drive coordinates of designs of their own."""
    model = model_of("lopes")
    P, poses = some_designs(model, DESIGNS), some_poses(model, STATES)
    q = model.configuration(pose=poses, parameters=P[:, None])
    v = np.random.default_rng(1).normal(size=(STATES, 6))
    moved = model.integrate(q, v, 1e-2, parameters=P[:, None])
    closed = model.project(q + 1e-7, parameters=P[:, None])
    led = model.configuration(drives=model.drives(q), parameters=P[:, None])
    for k, p in enumerate(P):
        np.testing.assert_allclose(moved[k], model.integrate(q[k], v, 1e-2, parameters=p), atol=1e-14)
        np.testing.assert_allclose(closed[k], model.project(q[k] + 1e-7, parameters=p), atol=1e-14)
        np.testing.assert_allclose(led[k], q[k], atol=1e-10)
    assert model.closure_error(moved, parameters=P[:, None]).max() < 1e-12


LAYOUTS = {
    "designs first": ((DESIGNS, 1), (STATES,)),
    "states first": ((DESIGNS,), (STATES, 1)),
    "a state each": ((DESIGNS,), (DESIGNS,)),
    "axes of both": ((2, 1, 3, 1), (4, 1, 5)),
    "states around": ((DESIGNS, 1), (4, 1, 5)),
    "one design": ((1, 1), (STATES,)),
    "everyone their own": ((DESIGNS, STATES), (STATES,)),
}


@pytest.mark.parametrize("least", [0, shared.LEAST_RUN, math.inf])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts(layout: str, least: float, limits: Callable[..., None]) -> None:
    """Any leading axes that broadcast, runs of states or a design in every lane: what parameters repeated for each state give."""
    limits(design_run=least)
    own, states = LAYOUTS[layout]
    model = model_of("pedrammehr2012")
    P = some_designs(model, math.prod(own)).reshape(*own, -1)
    poses = some_poses(model, math.prod(states)).reshape(*states, 7)
    v = np.random.default_rng(1).normal(size=(*states, 6))
    batch = np.broadcast_shapes(own, states)
    whole = np.broadcast_to(P, (*batch, P.shape[-1])).copy()
    q = model.configuration(pose=poses, parameters=P)
    np.testing.assert_allclose(q, model.configuration(pose=poses, parameters=whole), rtol=0, atol=1e-14)
    inverse = model.function("inverse_dynamics").compile()
    given = {"q": q, "v": v, "acceleration": v, "wrench": np.zeros(6)}
    truth = inverse(**given, parameters=whole).outputs["tau"]
    forms = {
        "array": P,
        "view": np.broadcast_to(P, (*batch, P.shape[-1])),
        "columns first": np.asfortranarray(P),
        "list": P.tolist(),
        "big-endian": P.astype(">f8"),
    }
    for form, parameters in forms.items():
        tau = inverse(**given, parameters=parameters).outputs["tau"]
        np.testing.assert_allclose(tau, truth, rtol=0, atol=1e-14 * np.abs(truth).max(), err_msg=form)
    parts = [e.outputs["tau"] for e in inverse.chunks(17, **given, parameters=P)]
    np.testing.assert_allclose(np.concatenate(parts), truth.reshape(-1, 6), rtol=0, atol=1e-14 * np.abs(truth).max())


def test_runs_are_the_states() -> None:
    """Runs, chunks and single states of designs by reference against the array they stand for."""
    rng = np.random.default_rng(4)
    for _ in range(200):
        batch = tuple(int(k) for k in rng.integers(1, 5, rng.integers(1, 4)))
        own = tuple(1 if rng.random() < 0.4 else k for k in batch[int(rng.integers(0, len(batch))) :])
        P = rng.normal(size=(*own, 3))
        whole = np.broadcast_to(P, (*batch, 3)).reshape(-1, 3)
        n = len(whole)
        flat = shared.design_rows(P, batch)
        chosen = np.flatnonzero(rng.random(n) < 0.6)
        cases = [(shared.DesignRows.of(P), whole, batch)]
        if isinstance(flat, shared.DesignRows):
            cases += [(flat, whole, (n,)), (flat[chosen], whole[chosen], (len(chosen),))]
        for rows, truth, shape in cases:
            source = shared.SharedDesigns(rows, shape)
            begin, end = sorted(int(k) for k in rng.integers(0, len(truth) + 1, 2))
            np.testing.assert_array_equal(source.chunk(begin, end), truth[begin:end])
            some = rng.integers(0, max(len(truth), 1), 5 if len(truth) else 0)
            np.testing.assert_array_equal(source.some(some), truth[some])
            bounds, designs = source.runs(begin, end)
            assert bounds[0] == 0 and bounds[-1] == end - begin and (np.diff(bounds) > 0).all()
            np.testing.assert_array_equal(np.repeat(designs, np.diff(bounds), axis=0), truth[begin:end])


@pytest.mark.parametrize("threads", [1, 3])
def test_threads(threads: int) -> None:
    """Slices of states end within runs, runs within slices."""
    model = model_of("pedrammehr2012")
    P, v = some_designs(model, 41, TEN), np.random.default_rng(1).normal(size=(331, 6))
    inverse = model.function("inverse_dynamics").compile()
    given = {"q": model.home, "v": v, "acceleration": v, "wrench": np.zeros(6)}
    tau = inverse(**given, parameters=P[:, None], threads=threads).outputs["tau"]
    for p, one in zip(P, tau, strict=True):
        np.testing.assert_array_equal(one, inverse(**given, parameters=p).outputs["tau"])


def test_work_of_a_design_is_done_once(limits: Callable[..., None]) -> None:
    model = model_of("pedrammehr2012")
    inverse = model.function("inverse_dynamics").compile()
    assert inverse.kernel().once is not None
    P, v = some_designs(model, 70, TEN), np.zeros((100, 6))
    done: list[int] = []

    def work(program: Any, values: np.ndarray) -> list:
        done.append(len(values))
        return evaluate_nodes(program, values)

    limits(design_work=work)
    inverse(q=model.home, v=v, acceleration=v, wrench=np.zeros(6), parameters=P[:, None])
    assert sum(done) == 70


@pytest.mark.parametrize("name", ["pedrammehr2012", "lopes", "delta_fast", "three_rrr"])
def test_closed_forms_never_iterate(name: str, limits: Callable[..., None]) -> None:
    model = model_of(name)
    assert model.geometry.in_closed_form

    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("an iteration")

    P = some_designs(model, DESIGNS, TEN)
    q = model.configuration(drives=model.drives(model.home)) if name == "three_rrr" else model.home
    limits(iterations=refuse)
    found = model.configuration(pose=np.repeat(q[None, :7], STATES, axis=0), parameters=P[:, None])
    np.testing.assert_allclose(found, np.broadcast_to(q, found.shape), atol=1e-9)


def test_bad_designs_among_good_ones() -> None:
    """Each bad state has its status and place, is named by design and state, and leaves the others as they are."""
    model = model_of("lopes")
    P, poses = some_designs(model, DESIGNS), some_poses(model, STATES)
    P[1, model.parameter_names.index("platform.M")] = np.nan
    P[3, model.parameter_names.index("leg2.slide.x")] *= 5.0
    poses[4, 3:] *= 2.0
    found = model.assemble(pose=poses, parameters=P[:, None], on_bad_state="mark")
    for k, p in enumerate(P):
        one = model.assemble(pose=poses, parameters=p, on_bad_state="mark")
        np.testing.assert_array_equal(found.status[k], one.status)
        np.testing.assert_array_equal(found.places[k], one.places)
        np.testing.assert_allclose(found.q[k], one.q, rtol=0, atol=1e-14)
    assert (found.status[3] != 0).all() and (found.status[:, 4] != 0).all() and not found.status[0, 5:].any()
    assert set(found.places[3, 5:]) == {"leg2"}
    with pytest.raises(gough.BadStateError, match=r"19 × OUT_OF_REACH at leg2 \(first at index \(3, 0\)\)"):
        model.configuration(pose=poses, parameters=P[:, None])
    v, q = np.ones((STATES, 6)), np.where(np.isnan(found.q), model.home, found.q)
    model.function("inverse_dynamics").compile()
    marked = model.inverse_dynamics(q, v, v, parameters=P[:, None], on_bad_state="mark")
    for k, p in enumerate(P):
        one = model.inverse_dynamics(q[k], v, v, parameters=p, on_bad_state="mark")
        np.testing.assert_array_equal(marked.status[k], one.status)
        np.testing.assert_array_equal(marked.tau[k], one.tau)
    assert np.isnan(marked.tau[1]).all() and np.isfinite(marked.tau[0, 5:]).all()
    with pytest.raises(gough.BadStateError) as error:
        model.inverse_dynamics(q, v, v, parameters=P[:, None])
    np.testing.assert_array_equal(error.value.result.tau, marked.tau)
    assert "(1, 0)" in str(error.value)


def test_refused() -> None:
    model = model_of("lopes")
    P, v = some_designs(model, 4), np.zeros(6)
    poses, q = np.tile(model.home[:7], (4, 3, 1)), np.tile(model.home, (4, 3, 1))
    for call in (
        lambda: model.configuration(pose=poses, parameters=P),
        lambda: model.inverse_dynamics(q, v, v, parameters=P),
        lambda: model.project(q, parameters=P),
    ):
        with pytest.raises(gough.UsageError, match=r"do not broadcast.*parameters \(4, 433\).*as \(4, 1, 433\)"):
            call()
    with pytest.raises(gough.UsageError, match=r"do not broadcast.*\(5, 1, 433\)$"):
        model.configuration(pose=poses, parameters=np.tile(P[:1, None], (5, 1, 1)))
    with pytest.raises(gough.UsageError, match="expected"):
        model.configuration(pose=poses, parameters=P[:, None, :-1])
    P[2, next(iter(model.pattern))] += 0.1
    for call in (
        lambda: model.configuration(pose=np.tile(poses[0, 0], (100, 1)), parameters=P[:, None]),
        lambda: model.mass_matrix(np.tile(model.home, (100, 1)), parameters=P[:, None]),
    ):
        with pytest.raises(gough.PatternError, match="structural"):
            call()


def test_nothing_of_a_batch() -> None:
    model = model_of("lopes")
    P = some_designs(model, 3)
    assert model.configuration(pose=np.zeros((3, 0, 7)), parameters=P[:, None]).shape == (3, 0, model.layout.nq)
    assert model.configuration(pose=np.zeros((0, 7)), parameters=P[:, None]).shape == (3, 0, model.layout.nq)
    q = np.zeros((0, model.layout.nq))
    assert model.inverse_dynamics(q, np.zeros(6), np.zeros(6), parameters=P[:, None]).tau.shape == (3, 0, 6)


def test_memory_of_a_call() -> None:
    """Parameters repeated for all states would be 138 MB; q and the forces are 10."""
    model = model_of("lopes")
    P, poses, v = some_designs(model, 400), some_poses(model, 100), np.ones((100, 6))
    for kernel in ("inverse_dynamics", "closure_residual"):
        model.function(kernel).compile()
    model.configuration(pose=poses, parameters=P[:2, None])
    tracemalloc.start()
    try:
        q = model.configuration(pose=poses, parameters=P[:, None])
        model.inverse_dynamics(q, v, v, parameters=P[:, None])
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 50e6


MANY = """
import sys
import warnings
import numpy as np
warnings.simplefilter("ignore")
import gough
model = gough.build("pedrammehr2012")
N = int(sys.argv[1])
P = np.repeat(model.parameters[None], N, axis=0)
P[:, model.parameter_names.index("platform.M")] *= np.linspace(0.5, 2.0, N)
poses, v = np.tile(model.home[:7], (100, 1)), np.ones((100, 6))
poses[:, 2] += np.linspace(-0.02, 0.02, 100)
q = model.configuration(pose=poses, parameters=P[:, None])
tau = model.inverse_dynamics(q, v, v, parameters=P[:, None]).tau
assert tau.shape == (N, 100, 6) and np.isfinite(tau).all()
[line] = [x for x in open("/proc/self/status") if x.startswith("VmHWM")]  # getrusage has that of who started it, too
print(1024 * int(line.split()[1]))
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="/proc/self/status")
def test_memory_of_a_process() -> None:
    """10 000 designs of 100 states each: q alone is 200 MB, parameters for every state would be 3.5 GB."""
    _, peak = (  # the first makes the code, whose making takes memory, too
        int(subprocess.run([sys.executable, "-c", MANY, n], capture_output=True, text=True, check=True).stdout)
        for n in ("10", "10000")
    )
    assert peak < 0.5e9


@pytest.mark.parametrize(
    "call", ["configuration", "project", "integrate", "singularity", "limit_margins", "inverse_dynamics"]
)
def test_a_design_that_breaks_the_pattern_is_refused_by_every_call(call: str) -> None:
    """Geometry, too: a pin that is moved off its folded zero is no design of this model."""
    model = gough.build("five_bar")
    place = model.parameter_names.index("pin.first.y")
    assert place in model.pattern
    other = model.parameters.copy()
    other[place] += 0.01
    still = np.zeros(2)
    given: dict[str, tuple] = {
        "configuration": (),
        "integrate": (model.home, still),
        "inverse_dynamics": (model.home, still, still),
    }
    options: dict[str, Any] = {"drives": model.drives(model.home)} if call == "configuration" else {}
    with pytest.raises(gough.PatternError, match=r"pin\.first\.y"):
        getattr(model, call)(*given.get(call, (model.home,)), parameters=other, **options)
    getattr(model, call)(*given.get(call, (model.home,)), parameters=model.parameters.copy(), **options)
