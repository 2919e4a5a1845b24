"""Derivatives by parameters against models built from changed descriptions, at the same q: structural zeros too.

Truth: a number of the description is moved up and down, both robots are built anew with the zeros *they* have, and their
results are compared; the description decides which parameters move with it (a mass centre moves first moments and inertia).
"""

from __future__ import annotations

import json
import pickle
import warnings
from copy import deepcopy
from functools import cache
from typing import Any

import numpy as np
import pytest

import gough
from gough.robot import load, loads
from inner.robot import document

STEP = 1e-6
ACCEPTED = 1e-6
"""Of the result and its derivative: central differences of numbers with 13 digits leave 1e-7."""
FUNCTIONS = ("inverse_dynamics", "forward_dynamics", "mass_matrix", "joint_reactions", "closure_residual")


@cache
def built(name: str) -> gough.Model:
    return build(described(name))


def build(data: dict[str, Any]) -> gough.Model:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return gough.build(loads(json.dumps(data)))


def described(name: str) -> dict[str, Any]:
    """The robot's description with zeros that a file may leave out: they are numbers too."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        data = document(load(name))
    data.setdefault("gravity", [0.0, 0.0, -9.81])
    _fill(data)
    return data


def _fill(data: Any) -> None:
    for x in data.values() if isinstance(data, dict) else data if isinstance(data, list) else ():
        _fill(x)
    if isinstance(data, dict) and "mass" in data and "flexible" not in data:
        data.setdefault("center_of_mass", [0.0, 0.0, 0.0])


def leaves(data: Any, path: tuple = ()) -> list[tuple]:
    """Paths of the numbers of a description that are part of its design; products of inertia that are left out too."""
    if isinstance(data, dict):
        keys = [k for k in data if k not in ("home", "initial", "limits", "source", "format", "velocities", "branch")]
        found = [p for k in keys for p in leaves(data[k], (*path, k))]
        if path and path[-1] == "inertia":
            found += [(*path, k) for k in ("xy", "xz", "yz") if k not in data]
        return found
    if isinstance(data, list):
        return [p for k, x in enumerate(data) for p in leaves(x, (*path, k))]
    return [path] if isinstance(data, float | int) and not isinstance(data, bool) else []


def value_at(data: Any, path: tuple) -> float:
    for key in path:
        data = data[key] if isinstance(data, list) else data.get(key, 0.0)
    return data


def is_axis(path: tuple) -> bool:
    return any(str(key).startswith(("axis", "axes")) for key in path)


def moved(data: dict[str, Any], path: tuple, step: float) -> dict[str, Any]:
    new = deepcopy(data)
    place: Any = new
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value_at(data, path) + step
    if is_axis(path) and isinstance(place, list):
        place[:] = (np.array(place) / np.linalg.norm(place)).tolist()
    return new


def differences(name: str, functions: tuple[str, ...], count: int, seed: int) -> tuple[int, int, list[str]]:
    """(numbers compared, of these with folded parameters that move, what disagrees)."""
    model, data = built(name), described(name)
    rng = np.random.default_rng(seed)
    states = model.sampled_states
    inputs = {k: x[-1] for k, x in states.items() if k != "parameters"}
    made = {f: model.function(f).derivative("parameters", "jvp") for f in functions}
    paths = leaves(data)
    order = rng.permutation(len(paths)).tolist()
    zeros = [k for k in order if not value_at(data, paths[k])]
    compared, folded, wrong = 0, 0, []
    for k in [*zeros[: count // 2], *(k for k in order if k not in zeros)][:count]:
        try:
            above, below = (build(moved(data, paths[k], s * STEP)) for s in (1, -1))
        except (gough.StructureError, gough.DescriptionError):
            continue  # this number holds an over-constrained loop or a right angle together: there is no such robot
        direction = (above.parameters - below.parameters) / (2 * STEP)
        same = above.layout == below.layout == model.layout and above.redundant_closures == model.redundant_closures
        jump = np.abs((above.parameters + below.parameters) / 2 - model.parameters).max()
        if not same or jump > 1e-3 * STEP or not direction.any():
            continue  # a tilted axis has other internal axes, angles jump at a pole; numbers that no equation reads
        compared += 1
        folded += bool(set(np.flatnonzero(direction)) & set(model.pattern))
        for f in functions:
            given = {
                s.name: inputs[s.name][: s.size] for s in model.function(f).program.inputs if s.name != "parameters"
            }
            up, down = (m.function(f).values(**given, parameters=m.parameters) for m in (above, below))
            here = model.function(f).values(**given, parameters=model.parameters)
            found = made[f](**given, parameters=model.parameters, d_parameters=direction).outputs
            for output, x in up.items():
                if output == "joints" and is_axis(paths[k]):
                    continue  # in axes of the description, which do not tilt with the internal ones
                truth = (x - down[output]) / (2 * STEP)
                scale = np.abs(truth).max(initial=0.0) + np.abs(here[output]).max(initial=0.0)
                error = np.abs(found[f"d_{output}"] - truth).max(initial=0.0)
                if not error <= ACCEPTED * scale:
                    wrong.append(f"{f} {output} by {'.'.join(map(str, paths[k]))}: {error:.2e} of {scale:.2e}")
    return compared, folded, wrong


@pytest.mark.quick_cases("five_bar")
@pytest.mark.parametrize("name", ["ankle", "five_bar"])
def test_changed_descriptions_quick(name: str) -> None:
    compared, folded, wrong = differences(name, ("inverse_dynamics", "forward_dynamics"), 6, 1)
    assert not wrong and compared >= 3 and folded >= 1


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["ankle", "five_bar", "pedrammehr2012", "lopes", "fried", "delta", "andrews", "dualemps"]
)
def test_changed_descriptions(name: str) -> None:
    functions = tuple(f for f in FUNCTIONS if f != "inverse_dynamics" or built(name).driven)
    compared, folded, wrong = differences(name, functions, 24, 2)
    assert not wrong and compared >= 6 and folded >= 1


@pytest.mark.slow
@pytest.mark.parametrize("name", ["pedrammehr2012", pytest.param("delta", marks=pytest.mark.slow)])
def test_every_inertia_and_friction_column(name: str) -> None:
    """Drive forces are linear in them: the difference of two designs, of a model that folds nothing, is the column."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model, free = gough.build(name), gough.build(name, free=["*"])
    states = model.sampled_states
    given = {
        k: states[k][-1][: s.size] for s in model.function("inverse_dynamics").program.inputs if (k := s.name) in states
    }
    J = model.function("inverse_dynamics").derivative("parameters")(**(given | {"parameters": model.parameters}))
    ends = (
        ".M",
        ".MX",
        ".MY",
        ".MZ",
        ".XX",
        ".XY",
        ".XZ",
        ".YY",
        ".YZ",
        ".ZZ",
        ".viscous",
        ".coulomb",
        ".rotor_inertia",
    )
    k = [i for i, n in enumerate(model.parameter_names) if n.endswith(ends)]
    assert len(set(k) & set(model.pattern)) > 20
    designs = np.repeat(model.parameters[None], len(k), axis=0)
    designs[np.arange(len(k)), k] += 1.0
    tau = free.function("inverse_dynamics").values
    truth = tau(**(given | {"parameters": designs}))["tau"] - tau(**(given | {"parameters": model.parameters}))["tau"]
    scale = np.abs(truth).max()
    np.testing.assert_allclose(J.outputs["tau_parameters"].T[k], truth, rtol=0, atol=1e-10 * scale)
    assert (np.abs(truth).max(axis=1)[[i in model.pattern for i in k]] > 1e-6 * scale).sum() > 20  # folded ones matter
    loads = [s.name for s in model.function("inverse_dynamics").program.inputs if s.name in ("wrench", "force")]
    assert J.held == ("q", "v", "acceleration", *loads)


def test_every_way_to_the_same_columns() -> None:
    """All modes, baked numbers, tangents, second derivatives, CasADi and JAX: one gradient."""
    model = built("five_bar")
    f = model.function("inverse_dynamics")
    state = {"q": model.home, "v": [1.0, -2.0], "acceleration": [0.5, 0.3], "force": np.zeros(2)}
    numbers = {"parameters": model.parameters}
    J = f.derivative("parameters")(**state, **numbers).outputs["tau_parameters"]
    k = model.parameter_names.index("gravity.x")
    assert k in model.pattern and np.abs(J[:, k]).max() > 0.1

    for mode in ("forward", "reverse"):
        again = f.derivative("parameters", mode)(**state, **numbers).outputs["tau_parameters"]
        np.testing.assert_allclose(again, J, atol=1e-11)
    back = f.derivative("parameters", "vjp")(**state, **numbers, bar_tau=[1.0, -2.0]).outputs["bar_parameters"]
    np.testing.assert_allclose(back, [1.0, -2.0] @ J, atol=1e-11)
    baked = model.function("inverse_dynamics", baked=True).derivative("parameters")
    np.testing.assert_allclose(baked(**state, **numbers).outputs["tau_parameters"], J, atol=1e-11)
    both = f.derivative(("parameters", "v"))(**state, **numbers).outputs
    np.testing.assert_allclose(both["tau_parameters"], J, atol=1e-11)
    along = model.tangent_derivative("inverse_dynamics", "q", "parameters")
    np.testing.assert_allclose(along(**state, **numbers).outputs["tau_parameters"], J, atol=1e-11)
    assert along.held == ("v", "acceleration", "force")
    many = {k: np.repeat(np.array(x, dtype=float)[None], 100, axis=0) for k, x in state.items()}
    compiled = f.derivative("parameters")(**many, **numbers).outputs["tau_parameters"]
    np.testing.assert_allclose(compiled[-1], J, atol=1e-11)

    mixed = f.derivative("v").derivative("parameters")(**state, **numbers).outputs["tau_v_parameters"]
    step = 1e-6
    plus, minus = (
        f.derivative("parameters")(**(state | {"v": [1.0 + h, -2.0]}), **numbers).outputs["tau_parameters"]
        for h in (step, -step)
    )
    np.testing.assert_allclose(mixed[:, 0], (plus - minus) / (2 * step), atol=1e-7 * np.abs(J).max())

    import casadi

    c = f.to_casadi(parameters="input")
    x = [casadi.SX.sym(n, *c.size_in(n)) for n in c.name_in()]
    by = casadi.Function("by", x, [casadi.jacobian(c(*x), x[-1])])
    found = by(*state.values(), model.parameters).full()
    np.testing.assert_allclose(found, J, atol=1e-11)


@pytest.mark.slow
def test_gradients_of_jax() -> None:
    import jax

    model = built("five_bar")
    f = model.function("inverse_dynamics")
    here = [model.home, np.array([1.0, -2.0]), np.array([0.5, 0.3]), np.zeros(2)]
    J = f.derivative("parameters")(
        **dict(zip([s.name for s in f.program.inputs], [*here, model.parameters], strict=True))
    )
    jax.config.update("jax_enable_x64", True)
    try:
        g = f.to_jax(parameters="input")
        found = jax.jacrev(lambda p: g(*here, p)["tau"])(np.array(model.parameters))
    finally:
        jax.config.update("jax_enable_x64", False)
    np.testing.assert_allclose(found, J.outputs["tau_parameters"], atol=1e-11)


def test_what_cannot_be_right_is_refused() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        hexapod = gough.build("pedrammehr2012")
    posed = hexapod.function("inverse_dynamics@pose")
    for call in (lambda: posed.derivative("parameters"), lambda: posed.to_casadi(parameters="input")):
        with pytest.raises(gough.UsageError, match=r"with q = model.configuration"):
            call()
    again = pickle.loads(pickle.dumps(built("five_bar").function("inverse_dynamics")))
    with pytest.raises(gough.UsageError, match=r"gravity.x.*free="):
        again.derivative("parameters")
    again.derivative("v")


def test_friction_at_rest_has_no_made_up_slope() -> None:
    """Without smoothing the force jumps; at rest its derivative is that of `sign`, 0, in balls too."""
    data = described("ankle")
    data["templates"]["leg"]["cut"]["friction"] = {"coulomb": 2.0}
    data["joints"][0]["friction"]["coulomb"] = 3.0
    model = build(data)
    rub = model.parameters_with(
        {"left.ball.friction.coulomb": 0, "right.ball.friction.coulomb": 0, "ankle.friction.coulomb": 0}
    )
    slope = model.function("bias_force").derivative("v")
    found, truth = (slope(q=model.home, v=np.zeros(2), parameters=p).outputs["h_v"] for p in (model.parameters, rub))
    np.testing.assert_allclose(found, truth, atol=1e-12)
