"""Calls for one state go straight to machine code: the same numbers, bit for bit, and the same words as calls for batches."""

from __future__ import annotations

import gc
import multiprocessing
import pickle
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import gough
from gough.backends.llvm._python_entry import layout_holds
from gough.program import Slot, trace
from inner.backends import Kernel
from laws.subjects import built, described

ROBOTS = [
    "pedrammehr2012",
    "dualemps",
    *(
        pytest.param(n, marks=pytest.mark.slow)
        for n in ("lopes", "fried", "five_bar", "delta", "delta_flexible", "long2014", "hexapod_flexible")
    ),
]
CALLS = {
    "inverse_dynamics": "q v a",
    "forward_dynamics": "q v tau",
    "mass_matrix": "q",
    "bias_force": "q v",
    "gravity_force": "q",
    "drive_map": "q",
    "energies": "q v",
    "configuration_rate": "q v",
    "frame_pose": "q frame",
    "frame_twist": "q v frame",
}


class Case:
    """A model, all its functions compiled, with random good states and the four ways of a state to be bad."""

    def __init__(self, name: str, n: int = 5) -> None:
        self.model = m = built(described(name))
        rng = np.random.default_rng(3)
        self.frame = next(iter(m.mechanism.frames), None) or m.mechanism.links[-1].name
        for call in CALLS:
            m.function(f"{call}:{self.frame}" if "frame" in call else call).compile()
        steps = 1e-3 * rng.uniform(-1, 1, (n, m.layout.nv))
        q = m.integrate(m.home, steps, on_bad_state="mark")
        q = q[np.isfinite(q).all(axis=1)]
        assert len(q)
        self.states = [
            {
                "q": x.copy(),
                "v": rng.normal(size=m.layout.nv),
                "a": rng.normal(size=m.layout.mobility),
                "tau": rng.normal(size=len(m.mechanism.drives)),
                "frame": self.frame,
            }
            for x in q
        ]

    def bad_states(self) -> list[dict[str, Any]]:
        state, layout = self.states[0], self.model.layout
        turned, opened = state["q"].copy(), state["q"].copy()
        if self.model.mechanism.has_platform:
            turned[3:7] *= 1.1
        opened[layout.joints.start :] += 0.3
        return [state | {"q": q} for q in (np.full(layout.nq, np.nan), turned, opened)] + [
            state | {"v": np.full(layout.nv, np.inf)}
        ]


_cases: dict[str, Case] = {}


@pytest.fixture
def case(request: pytest.FixtureRequest) -> Case:
    if request.param not in _cases:
        _cases[request.param] = Case(request.param)
    return _cases[request.param]


def arrays(result: Any) -> list[np.ndarray]:
    if isinstance(result, np.ndarray):
        return [result]
    return list(result) if isinstance(result, tuple) else list(vars(result).values())


def arguments(call: str, state: dict[str, Any]) -> list[Any]:
    return [state[name] for name in CALLS[call].split()]


def batched(values: list[Any]) -> list[Any]:
    return [x[None] if isinstance(x, np.ndarray) else x for x in values]


@pytest.mark.parametrize("case", ROBOTS, indirect=True)
@pytest.mark.parametrize("call", CALLS)
def test_same_as_batches(case: Case, call: str) -> None:
    method = getattr(case.model, call)
    for state in [*case.states, *case.states]:
        values = arguments(call, state)
        alone, many = method(*values), method(*batched(values), parameters=case.model.parameters)
        assert type(alone) is type(many)
        for x, y in zip(arrays(alone), arrays(many), strict=True):
            assert x.dtype == y.dtype and x.shape == y.shape[1:]
            np.testing.assert_array_equal(x, y[0])
    ready = call if "frame" not in call else (call, case.frame)
    assert ready in case.model._straight or not layout_holds()


@pytest.mark.parametrize("case", ROBOTS, indirect=True)
@pytest.mark.parametrize("call", CALLS)
def test_bad_states_among_good_ones(case: Case, call: str) -> None:
    method = getattr(case.model, call)
    for state in case.bad_states():
        values = arguments(call, state)
        method(*arguments(call, case.states[0]))
        general = {"on_bad_state": "mark", "parameters": case.model.parameters}
        alone, many = method(*values, on_bad_state="mark"), method(*batched(values), **general)
        for x, y in zip(arrays(alone), arrays(many), strict=True):
            np.testing.assert_array_equal(x, y[0])
        raised = []
        for given, more in (
            (values, {}),
            (batched(values), {}),
            (batched(values), {"parameters": case.model.parameters}),
        ):
            try:
                method(*given, **more)
            except gough.BadStateError as error:
                raised.append(str(error).replace(" (first at index 0)", ""))
        assert len(raised) in (0, 3) and len(set(raised)) <= 1


@pytest.mark.parametrize("case", ROBOTS, indirect=True)
@pytest.mark.parametrize("n", [1, 2, 7, 64, 5000])
def test_rows_of_states(case: Case, n: int) -> None:
    """Straight batches are the general ones, bit for bit; one row of an input serves all states; bad states are marked alike."""
    m = case.model
    design: dict[str, Any] = {"parameters": m.parameters}
    rng = np.random.default_rng(n)
    which = rng.integers(0, len(case.states), n)
    many: dict[str, Any] = {k: np.array([case.states[i][k] for i in which]) for k in ("q", "v", "a", "tau")}
    many["frame"] = case.frame
    for call in CALLS:
        method, values = getattr(m, call), arguments(call, many)
        for x, y in zip(arrays(method(*values)), arrays(method(*values, **design)), strict=True):
            assert x.shape == y.shape and x.dtype == y.dtype
            np.testing.assert_array_equal(x, y)
    one = m.inverse_dynamics(many["q"], many["v"][:1], many["a"]).tau
    np.testing.assert_array_equal(one, m.inverse_dynamics(many["q"], many["v"][0], many["a"], **design).tau)
    many["q"][n // 2] = np.nan
    found = [m.energies(many["q"], many["v"], on_bad_state="mark", **more) for more in ({}, design)]
    assert found[0].status[n // 2] and (found[0].status == found[1].status).all()
    np.testing.assert_array_equal(found[0].kinetic, found[1].kinetic)


@pytest.mark.parametrize("case", ["pedrammehr2012"], indirect=True)
def test_nothing_is_remembered(case: Case) -> None:
    """Inputs changed in place are seen; results stay as they were."""
    m, state = case.model, case.states[0]
    q, v, a = state["q"].copy(), state["v"].copy(), state["a"].copy()
    first = m.inverse_dynamics(q, v, a)
    kept = first.tau.copy()
    a *= 2
    second = m.inverse_dynamics(q, v, a)
    assert (second.tau != kept).any() and (first.tau == kept).all() and not np.shares_memory(first.tau, second.tau)
    assert first.status.shape == () and first.status.dtype == np.uint8 and first.eddot.shape == (0,)


@pytest.mark.parametrize("case", ["pedrammehr2012"], indirect=True)
def test_any_numbers(case: Case) -> None:
    """Lists, other types, strides, read-only arrays and keywords give the same."""
    m, state = case.model, case.states[1]
    q, v, a = state["q"], state["v"], state["a"]
    truth = m.inverse_dynamics(q, v, a).tau
    wide = np.zeros((len(q), 2))
    wide[:, 0] = q
    still = q.copy()
    still.setflags(write=False)
    for other in (q.tolist(), tuple(q), wide[:, 0], still, q.astype(">f8"), q[::-1].copy()[::-1]):
        np.testing.assert_array_equal(m.inverse_dynamics(other, v, a).tau, truth)
    np.testing.assert_array_equal(m.inverse_dynamics(q=q, v=v, acceleration=a).tau, truth)
    np.testing.assert_array_equal(m.inverse_dynamics(q, v, a, np.zeros(6)).tau, truth)
    assert m.inverse_dynamics(q, v[:0].reshape(0, 1) * np.zeros((0, 6)), a).tau.shape == (0, 6)


@pytest.mark.parametrize("case", ["pedrammehr2012"], indirect=True)
@pytest.mark.parametrize(
    "q", [np.zeros(3), np.zeros((25, 1)), np.zeros(()), [1.0], "home", None, np.zeros(25, complex)]
)
def test_what_is_no_state_is_refused_as_ever(case: Case, q: Any) -> None:
    m = case.model
    m.inverse_dynamics(*(case.states[0][k] for k in "qva"))
    with pytest.raises(gough.UsageError, match="q"):
        m.inverse_dynamics(q, np.zeros(6), np.zeros(6))


SLOW = ("lopes", "delta", "delta_flexible")
LOADED = ["pedrammehr2012", *(pytest.param(n, marks=pytest.mark.slow) for n in SLOW)]


@pytest.mark.parametrize("case", LOADED, indirect=True)
def test_wrenches_and_designs(case: Case) -> None:
    """One state with a wrench, another design, names or numbers of other kinds is that state of a batch, bit for bit."""
    m, state = case.model, case.states[1]
    wrench = np.arange(6.0)
    mass = next(n for n in m.parameter_names if n.endswith(".M") and m.parameters[m.parameter_names.index(n)] > 0)
    design = m.parameters_with({mass: 2.5})
    frames = list(dict.fromkeys([case.frame, m.mechanism.links[0].name, *list(m.mechanism.frames)[:2]]))
    for frame in frames:
        for kind in ("frame_pose", "frame_twist"):
            m.function(f"{kind}:{frame}").compile()
    for call, third in (("inverse_dynamics", "a"), ("forward_dynamics", "tau")):
        method, given = getattr(m, call), [state["q"], state["v"], state[third]]
        method(*given)
        rows = [x[None] for x in given]
        for alone, many in (
            (method(*given, wrench), method(*rows, wrench[None])),
            (method(*given, wrench=wrench.tolist()), method(*rows, wrench=wrench[None])),
            (method(*given, parameters=design), method(*rows, parameters=design)),
            (method(*given, wrench, parameters={mass: 2.5}), method(*rows, wrench[None], parameters=design)),
            (method(*[x.tolist() for x in given], on_bad_state="mark"), method(*rows)),
            *((method(*given, {f: wrench}), method(*rows, {f: wrench})) for f in frames),
            (method(*given, dict.fromkeys(frames, wrench)), method(*rows, dict.fromkeys(frames, wrench[None]))),
        ):
            for x, y in zip(arrays(alone), arrays(many), strict=True):
                np.testing.assert_array_equal(x, y[0])
        call: Any = m.mass_matrix
        with pytest.raises(TypeError):
            method(*given, q=state["q"])
        with pytest.raises(TypeError):
            call(state["q"], wrench=wrench)
        for wrong in (wrench[:5], {frames[0]: wrench[:5]}, {"nowhere": wrench}, {3: wrench}):
            with pytest.raises(gough.UsageError, match=r"wrench|frame"):
                method(*given, wrong)


@pytest.mark.parametrize("case", ["pedrammehr2012"], indirect=True)
def test_no_negative_mass(case: Case) -> None:
    """Whether named or in a vector, of a model's call or of a function, before and after compiling."""
    m, design = case.model, case.model.parameters.copy()
    design[m.parameter_names.index("platform.M")] = -3.0
    given = [case.states[0][k] for k in "qva"]
    for parameters in ({"platform.M": -3.0}, design, np.stack([m.parameters, design])):
        with pytest.raises(gough.UsageError, match=r"platform\.M = -3 kg: a mass is not negative"):
            m.inverse_dynamics(*given, parameters=parameters)
    for f in (m.function("inverse_dynamics"), built(m.robot).function("inverse_dynamics")):
        with pytest.raises(gough.UsageError, match="a mass is not negative"):
            f(**function_inputs(case) | {"parameters": design})


def test_an_array_is_no_mapping_of_outputs() -> None:
    m = built(gough.load("five_bar"))
    f = m.function("inverse_dynamics")
    inputs = {s.name: np.zeros(s.shape) for s in f.program.inputs} | {"q": m.home, "parameters": m.parameters}
    for _ in range(2):
        for out in (np.empty(2), [np.empty(2)], "tau"):
            with pytest.raises(gough.UsageError, match="out"):
                f(**inputs, out=out)
        f.compile()


@pytest.mark.parametrize("case", ["pedrammehr2012"], indirect=True)
def test_an_evaluation_says_what_it_is(case: Case) -> None:
    f, inputs = case.model.function("inverse_dynamics"), function_inputs(case)
    good = f(**inputs)
    assert repr(good).startswith("<Evaluation of 1 state, all good: tau=[") and good.status.shape == ()
    q = np.stack([inputs["q"], np.full_like(inputs["q"], np.nan)])
    some = f(**inputs | {"q": q})
    assert "2 states, 1 bad (not_finite:" in repr(some) and "tau=array (2, 6)" in repr(some)
    of_model = case.model.inverse_dynamics(q, inputs["v"], inputs["acceleration"], on_bad_state="mark")
    np.testing.assert_array_equal(some.status, of_model.status)


def function_inputs(case: Case, name: str = "inverse_dynamics") -> dict[str, Any]:
    f, state = case.model.function(name), case.states[0]
    known = {"q": state["q"], "v": state["v"], "acceleration": state["a"], "tau": state["tau"]}
    zeros = {s.name: np.zeros(s.shape) for s in f.program.inputs}
    return {k: known.get(k, x) for k, x in zeros.items()} | {"parameters": case.model.parameters}


@pytest.mark.parametrize("case", ["pedrammehr2012", "dualemps"], indirect=True)
def test_functions_fill_arrays_of_the_caller(case: Case) -> None:
    f, inputs = case.model.function("inverse_dynamics"), function_inputs(case)
    truth = f(**inputs).outputs
    out = {s.name: np.full(s.shape, 7.0) for s in f.program.outputs}
    found = f(**inputs, out=out)
    assert found.good and found.batch == () and found.failures.tolist() == f(**inputs).failures.tolist()
    for name, x in out.items():
        assert found.outputs[name] is x or np.shares_memory(found.outputs[name], x)
        np.testing.assert_array_equal(x, truth[name])
    part = {"tau": np.zeros(len(truth["tau"]))}
    np.testing.assert_array_equal(f(**inputs, out=part).outputs["tau"], truth["tau"])
    np.testing.assert_array_equal(part["tau"], truth["tau"])


@pytest.mark.parametrize("case", ["pedrammehr2012"], indirect=True)
def test_wrong_arrays_of_the_caller(case: Case) -> None:
    f, inputs = case.model.function("inverse_dynamics"), function_inputs(case)
    still = np.zeros(6)
    still.setflags(write=False)
    for tau in (np.zeros(5), still, np.zeros(12)[::2], np.zeros(6, np.float32), [0.0] * 6):
        with pytest.raises(gough.UsageError, match="out"):
            f(**inputs, out={"tau": tau})
    with pytest.raises(gough.UsageError, match="no output"):
        f(**inputs, out={"tau": np.zeros(6), "force": np.zeros(6)})
    with pytest.raises(gough.UsageError, match="missing"):
        f(**{k: x for k, x in inputs.items() if k != "v"})
    with pytest.raises(gough.UsageError, match="no input 'w'"):
        f(**inputs, w=np.zeros(6))


@pytest.mark.parametrize("case", ["pedrammehr2012"], indirect=True)
def test_designs(case: Case) -> None:
    """Each design has its numbers, also when its array changes, and when more are asked for than are kept."""
    m, f, inputs = case.model, case.model.function("inverse_dynamics"), function_inputs(case)
    mass = m.parameter_names.index("platform.M")
    design = m.parameters.copy()
    for k in range(150):
        design[mass] = 1.0 + 0.01 * (k % 80)
        alone = f(**inputs | {"parameters": design}).outputs["tau"]
        if k % 7 == 0:
            many = f(**{name: x[None] for name, x in (inputs | {"parameters": design}).items()}).outputs["tau"]
            np.testing.assert_array_equal(alone, many[0])
    zero = next(iter(m.pattern))
    design[zero] += 0.1
    with pytest.raises(gough.PatternError):
        f(**inputs | {"parameters": design})


@pytest.mark.parametrize("case", ["pedrammehr2012"], indirect=True)
def test_threads(case: Case) -> None:
    m = case.model
    truth = [m.inverse_dynamics(s["q"], s["v"], s["a"]).tau for s in case.states]

    def work(k: int) -> bool:
        state = case.states[k % len(truth)]
        return all(
            (m.inverse_dynamics(state["q"], state["v"], state["a"]).tau == truth[k % len(truth)]).all()
            for _ in range(200)
        )

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(12)))


def _in_child(pipe: Any, model: gough.Model, state: dict[str, Any]) -> None:
    pipe.send(model.inverse_dynamics(state["q"], state["v"], state["a"]).tau)


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="no fork on this system")
@pytest.mark.parametrize("case", ["pedrammehr2012"], indirect=True)
def test_fork_and_pickle(case: Case) -> None:
    m, state = case.model, case.states[0]
    truth = m.inverse_dynamics(state["q"], state["v"], state["a"]).tau
    here, there = multiprocessing.Pipe()
    child = multiprocessing.get_context("fork").Process(target=_in_child, args=(there, m, state))
    child.start()
    np.testing.assert_array_equal(here.recv(), truth)
    child.join()
    again = pickle.loads(pickle.dumps(m))
    assert not again._straight
    np.testing.assert_allclose(again.inverse_dynamics(state["q"], state["v"], state["a"]).tau, truth, rtol=1e-12)


def test_without_entries(limits: Any) -> None:
    """Where arrays lie otherwise than known, one state is a batch of one."""
    limits(python_entries=lambda: False)
    m = built(gough.load("five_bar"))
    m.function("mass_matrix").compile()
    found = m.mass_matrix(m.home)
    assert m.function("mass_matrix").one_state is None and not m._straight
    np.testing.assert_array_equal(found, m.mass_matrix(m.home[None])[0])


def test_arrays_lie_as_known() -> None:
    """On CPython with NumPy as it is released; should this fail, calls still work, at a tenth of the speed."""
    assert layout_holds()


def test_outputs_some_of_which_are_fixed() -> None:
    """Several matrices, entries of one of which are numbers: each has its shape."""
    m = built(gough.load("five_bar"))
    for name in ("loop_matrices", "drive_map", "mass_matrix"):
        f = m.function(name).compile()
        alone, many = (f(q=q, parameters=m.parameters).outputs for q in (m.home.copy(), m.home[None]))
        assert {k: x.shape for k, x in alone.items()} == {k: x.shape[1:] for k, x in many.items()}
        for k, x in alone.items():
            np.testing.assert_array_equal(x, many[k][0])


def test_results_may_be_written_over_inputs():
    """Whatever lies over what: the numbers are those of arrays apart, of flagged states too."""
    model = gough.build("five_bar")
    function = model.function("inverse_dynamics").compile()
    rng = np.random.default_rng(4)
    n = 64
    row = np.zeros((n + 1, 2))
    row[:-1] = rng.normal(size=(n, 2))
    given = {"acceleration": np.ones(2), "force": np.zeros(2), "parameters": model.parameters}
    q = np.repeat(model.home[None], n, axis=0)
    exact = function(q=q, v=row[:-1].copy(), **given).outputs["tau"]
    function(q=q, v=row[:-1], **given, out={"tau": row[1:]})
    np.testing.assert_array_equal(row[1:], exact)
    for state in (model.home, model.home + np.array([0.0, 0.1, 0.0, 0.0]), np.full(4, np.nan)):
        v = np.array([0.3, -0.2])
        apart = function(q=state, v=v, **given)
        over = function(q=state, v=v, **given, out={"tau": v})
        assert apart.failed.tolist() == over.failed.tolist()
        np.testing.assert_array_equal(v, apart.outputs["tau"])


def test_a_design_of_another_type_is_another_one():
    model = gough.build("five_bar")
    function = model.function("inverse_dynamics").compile()
    given = {"q": model.home, "v": np.ones(2), "acceleration": np.ones(2), "force": np.zeros(2)}
    assert function(**given, parameters=model.parameters).good
    with pytest.raises(ValueError, match="structural zeros"):
        function(**given, parameters=model.parameters.view(np.int64))


@pytest.mark.parametrize("cut", range(9))
def test_every_number_of_a_design_is_compared(cut: int) -> None:
    """By an entry itself: another number at any place, another length, rank or order is another design."""
    size = 24 + cut
    slots = (Slot("x", (1,)), Slot("parameters", (size,), uniform=True))
    kernel = Kernel(trace(lambda x, parameters: {"y": x * sum(parameters)}, slots))
    design, x, y = np.arange(1.0, size + 1), np.ones(1), np.zeros(1)
    entry = kernel.entries([x[None], design[None]])[0]
    assert entry(x, y, design) == entry(x, y, design.copy()) == entry(x, y) == 0
    for k in range(size):
        other = design.copy()
        other[k] = np.nextafter(other[k], 0)
        assert entry(x, y, other) == -1
    wrong = [
        design[:-1],
        np.append(design, 0.0),
        design[None],
        np.repeat(design, 2)[::2],
        design.astype(int),
        list(design),
        None,
    ]
    assert [entry(x, y, other) for other in wrong] == [-1] * len(wrong)


def test_straight_calls_keep_their_code():
    model = gough.build("five_bar")
    function = model.function("mass_matrix").compile()
    ready: Any = function.one_state
    call: Any = ready.caller(model.parameters)
    exact = call(model.home)[0]
    del ready
    del function
    model._cache.clear()
    gc.collect()
    np.testing.assert_array_equal(call(model.home)[0], exact)
