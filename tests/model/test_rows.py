"""A few states in rows go straight to machine code: what it gives is what the call for batches gives, bad states included."""

import numpy as np
import pytest

import gough

ROBOTS = ("five_bar", "delta", "pedrammehr2012", "dualemps")
NAMES = ("loop_matrices", "drive_map", "closure_residual", "leading_step", "tree_rates", "energies", "joint_motion")


def inputs(model: gough.Model, name: str, n: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(n)
    sizes = {"q": model.layout.nq, "v": model.layout.nv, "vdot": model.layout.nv}
    slots = [s.name for s in model.function(name).program.inputs if s.name != "parameters"]
    out = {slot: 0.1 * rng.standard_normal((n, sizes[slot])) for slot in slots}
    out["q"] += model.home
    if n > 2:
        out["q"][1] = np.nan
        out["q"][2] = 1e200
    if "v" in out and n % 2:
        out["v"] = out["v"][:1]  # one row for all states
    return out


@pytest.mark.quick_cases(
    "energies-delta",
    "drive_map-five_bar",
    "joint_motion-dualemps",
    "leading_step-pedrammehr2012",
    "tree_rates-dualemps",
    "closure_residual-five_bar",
    "loop_matrices-pedrammehr2012",
)
@pytest.mark.parametrize("robot", ROBOTS)
@pytest.mark.parametrize("name", NAMES)
def test_rows_are_the_batch(robot: str, name: str) -> None:
    model = gough.build(robot)
    function = model.function(name)
    function.compile()
    rng = np.random.default_rng(1)
    free = [k for k in range(len(model.parameters)) if k not in model.pattern]
    design = model.parameters.copy()
    design[free] *= 1.0 + 0.01 * rng.standard_normal(len(free))
    for n in (1, 2, 5, 8, 101):
        given = inputs(model, name, n)
        slow = {slot: x.tolist() for slot, x in given.items()}  # lists are for the call for batches
        for parameters in (model.parameters, design, design[None]):
            fast, general = (function.values(**x, parameters=parameters) for x in (given, slow))
            for slot in general:
                assert fast[slot].tobytes() == general[slot].tobytes()
            a, b = (function(**x, parameters=parameters) for x in (given, slow))
            assert a.batch == b.batch and a.failures.tolist() == b.failures.tolist()
            assert a.bad.tolist() == b.bad.tolist()
            for slot in b.outputs:
                assert a.outputs[slot].tobytes() == b.outputs[slot].tobytes()


def test_what_is_not_in_rows_is_for_batches() -> None:
    model = gough.build("delta")
    function = model.function("drive_map").compile()
    expected = function.values(q=model.home[None], parameters=model.parameters)["S"][0]
    for q in (model.home, model.home.tolist(), np.stack([model.home] * 2)[::2][0], model.home[None, None]):
        found = function.values(q=q, parameters=model.parameters)["S"]
        np.testing.assert_array_equal(found.reshape(expected.shape), expected)
    for none in (np.zeros((0, model.layout.nq)), np.zeros((5000, model.layout.nq)) + model.home):
        assert function.values(q=none, parameters=model.parameters)["S"].shape == (len(none), *expected.shape)
    with pytest.raises(gough.UsageError):
        function.values(q=np.zeros((3, 2)), parameters=model.parameters)
    with pytest.raises(gough.UsageError):
        function.values(q=model.home[None], parameters=model.parameters[:-1])


def test_a_function_without_outputs() -> None:
    """A robot without loops has no matrices of loops."""
    model = gough.build("spin_up_beam")
    function = model.function("loop_matrices").compile()
    for n in (1, 3, 101):
        q = np.repeat(model.home[None], n, axis=0)
        assert function.values(q=q, parameters=model.parameters) == {}
        assert function(q=q, parameters=model.parameters).outputs == {}
