"""Programs of robots: compiled code is the interpreter for every function, text is the same under two hash seeds,
threads share a model, models and functions travel by pickle, derivatives are exact."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from gough.program import evaluate
from inner.dynamics import CATALOGUE
from laws.subjects import GALLERY, Subject, built, subject
from laws.test_batches import calls, states

FUNCTIONS = (*CATALOGUE, "frame_pose:platform", "frame_twist:platform")


def inputs_of(s: Subject, name: str, n: int) -> dict[str, np.ndarray]:
    q, v, a, w, tau = states(s.name, n, 3)
    known = {"q": q, "v": v, "acceleration": a, "vdot": a, "wrench": w, "tau": tau, "pose": q[:, :7]}
    known["parameters"] = s.model.parameters
    return {slot.name: known[slot.name] for slot in s.model.function(name).program.inputs}


def compare(s: Subject, name: str) -> None:
    given = inputs_of(s, name, 11)
    f = s.model.function(name)
    truth = evaluate(f.program, given)
    compiled = f.compile()(**given)
    assert compiled.good, list(compiled.names)
    designs = f(**given | {"parameters": np.tile(s.model.parameters, (11, 1))})
    for key, value in truth.items():
        size = np.abs(value).max(initial=1e-2)  # a closure's residual is zero
        np.testing.assert_allclose(compiled.outputs[key], value, rtol=0, atol=1e-10 * size, err_msg=key)
        np.testing.assert_allclose(designs.outputs[key], value, rtol=0, atol=1e-10 * size, err_msg=key)


@pytest.mark.quick_cases(
    "forward_dynamics", "joint_motion", "energies", "joint_reactions", "inverse_dynamics", "closure_rows"
)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_compiled_code_is_the_interpreter(function: str) -> None:
    compare(subject("lopes"), function)


@pytest.mark.slow
@pytest.mark.parametrize("name", [*GALLERY, "ups-0", "pus-0", "generic-0", "sliding_cuts-0"])
def test_compiled_code_is_the_interpreter_for_every_robot(name: str) -> None:
    for function in FUNCTIONS:
        compare(subject(name), function)


SCRIPT = """
import hashlib, sys, warnings
warnings.simplefilter("ignore")
sys.path.insert(0, sys.argv[1])
from laws.subjects import subject
from gough.program import to_text
from inner.program import expand_blocks
from inner.program import minimise
for name in sys.argv[2:]:
    model = subject(name).model
    f = model.function("inverse_dynamics")
    for program in (f, f.derivative("v", "jvp"), f.derivative("v", "vjp")):
        print(name, program.name, hashlib.sha256(program.text().encode()).hexdigest())
    print(name, model.count("inverse_dynamics", friction=False))
    print(name, hashlib.sha256(to_text(minimise(expand_blocks(f.program))).encode()).hexdigest())
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", ["lopes", pytest.param("generic-0", marks=pytest.mark.slow)])
def test_text_is_the_same_under_two_hash_seeds(name: str) -> None:
    here = Path(__file__).resolve().parents[1]
    printed = []
    for seed in ("1", "4242"):
        environment = os.environ | {"PYTHONHASHSEED": seed, "OMP_NUM_THREADS": "1"}
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT, str(here), name],
            env=environment,
            capture_output=True,
            text=True,
            timeout=600,
        )
        assert done.returncode == 0, done.stderr
        printed.append(done.stdout)
    assert printed[0] == printed[1] and printed[0].count("\n") == 5


def test_eight_threads_share_a_model() -> None:
    """A fresh model, first asked by eight threads at once: tracing, geometry and compiling happen in the threads."""
    data = [states("lopes", 60 if k % 2 else 3, k) for k in range(8)]
    alone = [calls(subject("lopes").model, *x) for x in data]
    fresh = built(subject("lopes").robot)
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda x: calls(fresh, *x), data))
    for a, b in zip(alone, together, strict=True):
        for key, value in a.items():
            size = max(1e-2, float(np.abs(value).max()))  # a closure's residual is zero
            np.testing.assert_allclose(b[key], value, rtol=0, atol=1e-9 * size, err_msg=key)


@pytest.mark.parametrize("name", ["lopes", pytest.param("generic-0", marks=pytest.mark.slow)])
def test_models_and_functions_travel_by_pickle(name: str) -> None:
    s = subject(name)
    x = s.states[0]
    truth = s.model.inverse_dynamics(*x[:4])
    again = pickle.loads(pickle.dumps(s.model))
    np.testing.assert_allclose(again.inverse_dynamics(*x[:4]).tau, truth.tau, rtol=1e-12)
    np.testing.assert_array_equal(again.home, s.model.home)
    f = pickle.loads(pickle.dumps(s.model.function("inverse_dynamics").compile()))
    out = f(q=x.q, v=x.v, acceleration=x.acceleration, wrench=x.wrench, parameters=s.model.parameters)
    np.testing.assert_allclose(out.outputs["tau"], truth.tau, rtol=1e-10)
    kept = pickle.loads(pickle.dumps(truth))
    np.testing.assert_array_equal(kept.tau, truth.tau)


def test_pickle_keeps_what_is_free() -> None:
    model = built(subject("lopes").robot, free=["gravity.*"])
    again = pickle.loads(pickle.dumps(model))
    assert again.free == model.free and again.pattern == model.pattern


@pytest.mark.quick_cases("parameters-fried-4", "v-lopes-60", "acceleration-lopes-60", "wrench-fried-4")
@pytest.mark.parametrize(
    ("name", "n"), [("lopes", 60), ("fried", 4), pytest.param("generic-0", 4, marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("wrt", ["v", "acceleration", "wrench", "parameters"])
def test_derivatives_of_the_inverse_model(name: str, n: int, wrt: str) -> None:
    """jvp and vjp among each other and against symmetric differences."""
    s = subject(name)
    given = inputs_of(s, "inverse_dynamics", n)
    f = s.model.function("inverse_dynamics")
    rng = np.random.default_rng(1)
    direction = rng.normal(size=given[wrt].shape)
    if wrt == "parameters":
        direction *= np.abs(given[wrt])
        direction[list(s.model.pattern)] = 0.0  # structure does not move
    pushed = f.derivative(wrt, "jvp")(**given, **{f"d_{wrt}": direction}).outputs["d_tau"]
    h = 1e-7  # geometry may move by that much before the loops count as open
    ahead, behind = (f(**given | {wrt: given[wrt] + d * direction}).outputs["tau"] for d in (h, -h))
    difference = (ahead - behind) / (2 * h)
    np.testing.assert_allclose(pushed, difference, rtol=0, atol=1e-5 * np.abs(difference).max())
    weights = rng.normal(size=pushed.shape)
    pulled = f.derivative(wrt, "vjp")(**given, bar_tau=weights).outputs[f"bar_{wrt}"]
    dots = np.einsum("ni,ni->n", pulled, np.broadcast_to(direction, pulled.shape))
    np.testing.assert_allclose(dots, np.einsum("ni,ni->n", weights, pushed), rtol=0, atol=1e-9 * np.abs(dots).max())


def test_jacobian_by_v_is_the_directional_derivatives() -> None:
    s = subject("lopes")
    given = inputs_of(s, "inverse_dynamics", 4)
    f = s.model.function("inverse_dynamics")
    J = f.derivative("v")(**given).outputs["tau_v"]
    for k, e in enumerate(np.eye(6)):
        pushed = f.derivative("v", "jvp")(**given, d_v=e).outputs["d_tau"]
        np.testing.assert_allclose(J[:, :, k], pushed, rtol=0, atol=1e-10 * np.abs(J).max())


def test_directions_per_state_for_one_design() -> None:
    """d_parameters (n, np) with one row of parameters: every state its own direction."""
    s = subject("lopes")
    given = inputs_of(s, "inverse_dynamics", 60)
    rng = np.random.default_rng(2)
    directions = rng.normal(size=(60, len(s.model.parameters))) * np.abs(s.model.parameters)
    f = s.model.function("inverse_dynamics").derivative("parameters", "jvp")
    together = f(**given, d_parameters=directions).outputs["d_tau"]
    for i in (0, 1, 9, 33):
        one = {k: (x[i] if x.ndim == 2 else x) for k, x in given.items()}
        alone = f(**one, d_parameters=directions[i]).outputs["d_tau"]
        np.testing.assert_allclose(together[i], alone, rtol=0, atol=1e-9 * np.abs(alone).max())
