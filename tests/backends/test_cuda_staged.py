"""GPU kernels in stages: their text, compiled for the CPU, against the interpreter; what is stored and what is made again."""

from __future__ import annotations

import json
import warnings
from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import gough
from backends.cuda_host import COMPILER, HostKernel
from gough import scalar
from gough.backends.cuda._lowering import in_scalars, in_scalars_alike
from gough.backends.cuda._store import write_signature
from gough.backends.cuda.staged import StagedKernel, stage_program
from gough.backends.cuda.staged._bodies import Network
from gough.backends.cuda.staged._planning import pieces_of
from gough.errors import UsageError
from gough.program import Program, Slot, trace
from gough.program.passes.outputs import computed_outputs
from gough_bench.states import random_states
from inner.backends import GpuKernel
from inner.dynamics import FunctionKey, load_sizes
from inner.model import trace_entry
from inner.program import derive, evaluate_nodes, evaluate_with_care, flat_inputs, roll, vjp
from inner.structure import common_pattern
from program import precise
from program.lanes import legs
from program.specimens import random_program
from reference.designs import design

needs_compiler = pytest.mark.skipif(COMPILER is None, reason="no C++ compiler (g++ or c++) on the PATH")
LOOP = "for (int leg"


@pytest.fixture(autouse=True)
def _no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOUGH_CACHE_DIR", "")


def on_host(program: Program, staged: StagedKernel, precision: str = "fast", dtype: str = "float64") -> HostKernel:
    text = staged.write(dtype)
    signature = write_signature(program, in_scalars(program, dtype), staged.memory, text, precision, dtype)
    return HostKernel(SimpleNamespace(signature=json.loads(json.dumps(signature)), source=text.source))


def inputs_of(program: Program, n: int, seed: int = 0) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return [rng.uniform(0.5, 1.5, (1 if s.uniform else n, s.size)) for s in program.inputs]


def assert_precise(program: Program, kernel: HostKernel, n: int = 3) -> None:
    """Results are those of a 50-digit evaluation, status bits those of the checks."""
    given = inputs_of(program, n)
    found, status = kernel(given, n)
    flat = np.concatenate([np.broadcast_to(x, (n, x.shape[1])) for x in given], axis=1)
    for k in range(n):
        truth = [float(x) for x in precise.evaluate(program, flat[k])]
        np.testing.assert_allclose(np.concatenate([x[k] for x in found]), truth, rtol=1e-12, atol=1e-13)
        nodes = evaluate_nodes(program, flat[k])
        failed = {c.name for c in program.checks if not nodes[c.node] >= c.minimum}
        names = kernel.kernel.signature["bits"]
        assert {names[b] for b in range(len(names)) if status[k] >> b & 1} == failed


@needs_compiler
@pytest.mark.parametrize("room", [96, 14])
@pytest.mark.parametrize(
    "options",
    [
        {"lanes": 6, "uniform": True},
        {"lanes": 6},
        {"lanes": 3, "solve": True, "uniform": True},
        {"lanes": 5, "odd": True},
        {"lanes": 4, "order": [3, 1, 0, 2], "uniform": True},
    ],
    ids=str,
)
def test_lanes_in_many_disguises(options: dict[str, Any], room: int) -> None:
    program = legs(**options)
    staged = stage_program(in_scalars(program).each, "fast", "float64", room)
    assert staged is not None and staged.pieces.lanes == options["lanes"]
    kernel = on_host(program, staged)
    assert LOOP in kernel.kernel.source
    assert_precise(program, kernel)


@needs_compiler
@pytest.mark.parametrize(("room", "shared"), [(40, None), (24, None), (24, 16)])
def test_a_gradient_of_lanes(room: int, shared: int | None, limits) -> None:
    """Stages before and after the solve; little shared memory sends values to local memory."""
    if shared is not None:
        limits(cuda_staged_bytes=32 * 8 * shared)
    program = vjp(legs(3, solve=True, uniform=True), ["x", "a"])
    staged = stage_program(in_scalars(program).each, "fast", "float64", room)
    assert staged is not None
    if shared is not None:
        assert staged.layout.far
    assert_precise(program, on_host(program, staged))


@pytest.mark.quick_cases("3")
@needs_compiler
@pytest.mark.parametrize("lanes", [3, 6])
def test_a_jacobian_in_groups_of_sums(lanes: int, limits) -> None:
    """Sums that registers do not hold are made in stages of their own."""
    limits(cuda_most_once=1e9)
    program = derive(legs(lanes, solve=True, uniform=True), ["x", "a"], "jacobian")
    stages = []
    for most in (40, 4):
        limits(cuda_most_sums=most)
        staged = stage_program(in_scalars_alike(program).each, "fast", "float64", 40)
        assert staged is not None
        stages.append(len(staged.pieces.pieces))
        assert_precise(program, on_host(program, staged))
    assert stages[1] > stages[0]


@needs_compiler
@pytest.mark.parametrize("part", [2, 4])
def test_rows_that_leave_early(part: int, limits) -> None:
    """Results of a stage in the middle leave at its end, a few entries at a time; others when all is done."""
    limits(cuda_staged_bytes=32 * 8 * 22, cuda_part=part, cuda_most_once=1e9)

    def equations(x: Any, a: Any, p: Any) -> dict[str, Any]:
        def legs_of(term: Any) -> Any:
            return sum((term(a[k], *p[k]) for k in range(1, 5)), term(a[0], *p[0]))

        t = [legs_of(lambda b, u, v, _: scalar.sin(b * x[0] + u) * v)]
        t += [legs_of(lambda b, u, v, _: scalar.cos(b * x[1] + v) * u * b)]
        early = [t[0] * (1.5 + k) + t[1] * t[0] * (k + 0.5) for k in range(9)]
        late = legs_of(lambda b, _, v, w: scalar.sin(b * early[4] + t[1]) * w + scalar.cos(v * early[3]))
        return {"early": early, "late": [late * late, late - t[0]]}

    program = trace(equations, [Slot("x", (2,)), Slot("a", (5,)), Slot("p", (5, 3), uniform=True)], "two rows")
    staged = stage_program(in_scalars_alike(program).each, "fast", "float64", 24)
    assert staged is not None and staged.layout.windows and staged.memory.over == ((1,),)
    assert_precise(program, on_host(program, staged))


@needs_compiler
def test_single_precision_and_ieee() -> None:
    program = legs(6, uniform=True)
    given = inputs_of(program, 5)
    truth, _ = on_host(program, _staged(program, "ieee", "float64"), "ieee")(given, 5)
    found, _ = on_host(program, _staged(program, "fast", "float32"), dtype="float32")(given, 5)
    for a, b in zip(found, truth, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)
    assert_precise(program, on_host(program, _staged(program, "ieee", "float64"), "ieee"))


def _staged(program: Program, precision: str, dtype: str) -> StagedKernel:
    staged = stage_program(in_scalars(program, dtype).each, precision, dtype, 96)
    assert staged is not None
    return staged


@needs_compiler
def test_each_lane_has_its_bit() -> None:
    """Checks with a name and a minimum of their own in every lane."""
    program = legs(6, uniform=True)
    kernel = on_host(program, _staged(program, "fast", "float64"))
    given = inputs_of(program, 4)
    given[0][1:] = np.array([[0.0, 0.0, 0.0], [np.nan, 1.0, 1.0], [1.0, 1.0, 1.0]])
    found, status = kernel(given, 4)
    names = kernel.kernel.signature["bits"]
    assert len([n for n in names if n.startswith("out_of_reach:leg")]) == 6
    assert status[0] == 0 and status[1] == 0 and status[3] == 0
    flagged = {names[b] for b in range(len(names)) if status[2] >> b & 1}
    assert flagged >= {f"out_of_reach:leg{k}" for k in range(6)} and np.isnan(found[0][2]).all()


def test_nothing_alike_stays_straight() -> None:
    program = random_program(5, 200)
    assert stage_program(in_scalars(program).each, "fast", "float64", 96) is None


def test_a_cheapest_cut() -> None:
    """Two ways from 0 to 3 with bottlenecks 2 (near the source) and 1 (near the target)."""
    network = Network(4)
    for a, b, capacity in ((0, 1, 2.0), (1, 3, 5.0), (0, 2, 7.0), (2, 3, 1.0)):
        network.add_arc(a, b, capacity)
    assert network.source_side(0, 3) == [True, False, True, False]


def test_cheap_values_are_made_again_and_dear_ones_stored() -> None:
    program = vjp(legs(6, solve=False, uniform=True), ["x", "a"])
    kept = {}
    rolled = roll(in_scalars(program).each)
    assert rolled is not None
    for price in (0.1, 100.0):
        pieces = pieces_of(rolled, price, "fast", "float64").pieces
        kept[price] = (sum(p.kept for p in pieces if p.lanes > 1), sum(p.lanes * len(p.program.ops) for p in pieces))
    assert kept[100.0][0] <= kept[0.1][0] and kept[100.0][1] >= kept[0.1][1]


# ---------------------------------------------------------------- robots


@lru_cache(maxsize=4)
def built(robot: str) -> gough.Model:
    """A robot of the gallery, or a hexapod of six different legs ("random")."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # published inertias that no body has
        return gough.build(design("ups", 3) if robot == "random" else gough.load(robot))


def programs(model: gough.Model, name: str) -> tuple[Program, Program]:
    """(as the model folds it, with legs alike) of a function or its derivatives."""
    made = []
    for pattern in (model.pattern, common_pattern(model.mechanism, model.pattern)):
        program = model.order_solves(trace_entry(model.mechanism, FunctionKey("inverse_dynamics"), pattern))
        if name == "gradient":
            program = vjp(program, ["v", "acceleration"])
        elif name == "jacobian":
            program = derive(program, ["v"], "jacobian")
        made.append(computed_outputs(program).program)
    return made[0], made[1]


def assert_same_as_interpreter(model: gough.Model, kernel: GpuKernel, n: int = 9) -> None:
    rng = np.random.default_rng(1)
    states = random_states(model, n)
    known = {"q": states.q, "v": states.v, "acceleration": states.acceleration, "parameters": model.parameters[None]}
    known |= {slot: rng.normal(size=(n, size)) for slot, size in load_sizes(model.mechanism).items()}
    given = [known[s.name] if s.name in known else rng.normal(size=(n, s.size)) for s in kernel.program.inputs]
    named = {s.name: x for s, x in zip(kernel.program.inputs, given, strict=True)}
    truth, failed = evaluate_with_care(kernel.program, flat_inputs(kernel.program, named, n))
    found, status = HostKernel(kernel)(given, n)
    assert not status.any() and not any(failed)
    for a, b in zip(found, truth, strict=True):
        scale = np.abs(b).max(axis=1, keepdims=True) + 1e-9
        assert (np.abs(a - b) / scale).max() < 1e-10


@pytest.mark.slow
@needs_compiler
@pytest.mark.parametrize(
    ("robot", "name"),
    [
        ("pedrammehr2012", "gradient"),
        pytest.param("random", "gradient", marks=pytest.mark.slow),
        pytest.param("random", "jacobian", marks=pytest.mark.slow),
        pytest.param("pedrammehr2012", "jacobian", marks=pytest.mark.slow),
        pytest.param("delta", "gradient", marks=pytest.mark.slow),
        pytest.param("delta", "jacobian", marks=pytest.mark.slow),
    ],
)
def test_robots_in_stages(robot: str, name: str, limits) -> None:
    """Made in stages whatever is estimated to be faster."""
    limits(cuda_straight=1e9, cuda_threads=1 << 20, cuda_most_once=1e9)
    model = built(robot)
    plain, common = programs(model, name)
    kernel = GpuKernel(plain, alike=common)
    assert LOOP in kernel.source and kernel.signature["block"] in (32, 64)
    assert_same_as_interpreter(model, kernel)


@pytest.mark.slow
def test_what_is_made_in_stages() -> None:
    """Large derivatives of robots with legs; not what fits into registers, nor robots without legs."""
    model = built("pedrammehr2012")
    plain, common = programs(model, "inverse")
    assert LOOP not in GpuKernel(plain, alike=common).source
    plain, common = programs(model, "jacobian")
    assert LOOP in GpuKernel(plain, alike=common).source
    by_q = vjp(model.function("inverse_dynamics").program, ["q"])
    assert LOOP not in GpuKernel(by_q).source  # single legs have zeros of their own
    five_bar = gough.build("five_bar")
    assert LOOP not in GpuKernel(five_bar.function("inverse_dynamics").derivative("q").program).source


def test_alike_with_other_slots() -> None:
    one = trace(lambda x: {"y": x[0]}, [Slot("x", (1,))])
    two = trace(lambda x: {"y": x[0]}, [Slot("x", (2,))])
    with pytest.raises(UsageError, match="same outputs"):
        GpuKernel(one, alike=two)


@needs_compiler
@pytest.mark.slow
def test_functions_bring_the_program_that_legs_have_in_common() -> None:
    """`model.function(...).derivative(...)` reaches a kernel in stages by itself, although zeros of single legs are folded."""
    from gough.compilation._device import device_kernel

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = gough.build("pedrammehr2012")
    f = model.function("inverse_dynamics@pose").derivative(("pose", "v", "acceleration"), mode="vjp")
    kernel = device_kernel(f)
    assert LOOP in kernel.source
    states = random_states(model, 3)
    rng = np.random.default_rng(5)
    given = {
        "pose": states.q[:, :7],
        "v": states.v,
        "acceleration": states.acceleration,
        **{slot: np.zeros((1, size)) for slot, size in load_sizes(model.mechanism).items()},
        "parameters": model.parameters[None],
    }
    rows = [given.get(s.name, rng.normal(size=(3, s.size))) for s in f.program.inputs]
    found, _ = HostKernel(kernel)(rows, 3)
    named = {s.name: x.reshape(len(x), *s.shape) for s, x in zip(f.program.inputs, rows, strict=True)}
    truth = f.values(**named)
    for slot, x in zip(f._computed.program.outputs, found, strict=True):
        wanted = truth[slot.name].reshape(3, -1)
        kept = np.isnan(f._computed.fixed[[s.name for s in f.program.outputs].index(slot.name)])
        np.testing.assert_allclose(x, wanted[:, kept], rtol=1e-9, atol=1e-9 * np.abs(wanted).max())
