"""Velocities that geometry locks: fewer operations for the same results, and no trust where it does not hold."""

import pickle
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

import gough

FUNCTIONS = (
    "inverse_dynamics",
    "forward_dynamics",
    "dynamics_residual",
    "mass_matrix",
    "bias_force",
    "gravity_force",
    "drive_map",
    "energies",
)
GALLERY = ("delta", "three_rrr", "redundant_planar", "bricard", "andrews")


@cache
def gallery(name: str) -> gough.Model:
    return gough.build(name)


def planar(folder: Path, height: float, turn: str = "0 deg") -> gough.Model:
    """An asymmetric 3-RRR whose platform lies above its base, turned at home."""
    leg = {
        "chain": [
            {
                "name": "motor",
                "type": "revolute",
                "drive": {},
                "body": {"name": "crank", "mass": 0.7, "center_of_mass": [0.1, 0.02, 0.03]}
                | {"inertia": {"about": "center_of_mass", "xx": 2e-4, "yy": 3.7e-3, "zz": 3.7e-3, "xy": 1e-4}},
            },
            {
                "name": "elbow",
                "type": "revolute",
                "pose": {"position": [0.25, 0, height / 2]},
                "body": {"name": "rod", "mass": 0.5, "center_of_mass": [0.12, 0.01, -0.02]}
                | {"inertia": {"about": "center_of_mass", "xx": 1e-4, "yy": 2.6e-3, "zz": 2.6e-3}},
            },
        ],
        "cut": {"name": "pin", "type": "revolute", "on_leg": {"position": [0.26, 0, height / 2]}},
    }
    text = {
        "format": 1,
        "name": "planar",
        "gravity": [0, -9.81, 0],
        "platform": {"mass": 1.2, "center_of_mass": [0.01, 0.02, 0.03]}
        | {"inertia": {"about": "center_of_mass", "xx": 3e-3, "yy": 4e-3, "zz": 6e-3, "xz": 1e-3}},
        "templates": {"rrr": leg},
        "legs": [
            {"like": "rrr", "base": {"position": base}, "on_platform": {"position": tip}}
            for base, tip in (
                ([-0.4, 0.03, 0], [-0.11, 0.01, 0]),
                ([0.2, -0.34, 0], [0.05, -0.08, 0]),
                ([0.22, 0.35, 0], [0.04, 0.09, 0]),
            )
        ],
        "home": {"pose": {"position": [0, 0, height], "rpy_zyx": [turn, 0, 0]}},
    }
    file = folder / "planar.yaml"
    file.write_text(yaml.safe_dump(text))
    return gough.build(file)


def states_of(model: gough.Model, n: int = 40, seed: int = 0) -> dict[str, np.ndarray]:
    """Inputs of all functions at assembled states around home."""
    rng = np.random.default_rng(seed)
    nv = model.layout.nv
    steps = rng.normal(size=(n, nv)) * 0.1 * np.where([u == "m/s" for u in model.layout.v_units], model.size, 1.0)
    q = model.integrate(np.repeat(model.home[None], n, axis=0), steps)
    return {
        "q": q,
        "v": rng.normal(size=(n, nv)),
        "vdot": rng.normal(size=(n, nv)),
        "acceleration": rng.normal(size=(n, model.mobility)),
        "tau": rng.normal(size=(n, len(model.mechanism.drives))),
        "wrench": rng.normal(size=(n, 6)),
        "force": rng.normal(size=(n, nv)),
    }


def call(function: Any, inputs: dict[str, np.ndarray], parameters: np.ndarray) -> Any:
    known = {**inputs, "parameters": parameters}
    return function(**{slot.name: known[slot.name] for slot in function.program.inputs})


def demand_same(model: gough.Model, inputs: dict[str, np.ndarray], parameters: Any = None, tolerance=1e-11) -> None:
    """All functions of a model and of the same without locks agree, bad states included."""
    design = model.parameters if parameters is None else parameters
    for name in FUNCTIONS:
        if name == "inverse_dynamics" and not model.driven:
            continue
        one, other = (call(m.function(name), inputs, design) for m in (model, model.unlocked))
        assert one.bad.tolist() == other.bad.tolist() and one.failed.tolist() == other.failed.tolist(), name
        for key, x in other.outputs.items():
            scale = np.nanmax(np.abs(x), initial=0.0) + 1e-300
            np.testing.assert_allclose(one.outputs[key], x, rtol=0, atol=tolerance * scale, err_msg=f"{name} {key}")


@pytest.mark.parametrize("name", GALLERY)
def test_results_are_those_of_the_whole_equations(name):
    model = gallery(name)
    assert model.locked is not None
    demand_same(model, states_of(model))


@pytest.mark.slow
def test_fewer_operations():
    for name, share in (("delta", 0.3), ("three_rrr", 0.55), ("redundant_planar", 0.6), ("bricard", 0.75)):
        model = gallery(name)
        for function in ("forward_dynamics", "mass_matrix"):
            counted = [m.count(function, baked=True, friction=False).operations for m in (model, model.unlocked)]
            assert counted[0] <= share * counted[1], (name, function, counted)


def test_a_robot_that_locks_nothing_is_left_alone():
    for name in ("pedrammehr2012", "five_bar", "ankle", "tripod_wrist"):
        model = gough.build(name)
        assert model.locked is None and model.unlocked is model


@pytest.mark.quick_cases("0.06-20 deg")
@pytest.mark.parametrize("turn", ["0 deg", "20 deg"])
@pytest.mark.parametrize("height", [0.0, 0.06])
def test_planes_above_the_base(tmp_path, height, turn):
    model = planar(tmp_path, height, turn)
    assert model.locked is not None
    assert {model.layout.u_names[c] for c in model.locked.selection.locked} == {"vz", "wx", "wy"}
    demand_same(model, states_of(model))
    run, other = (gough.simulate(m, duration=0.2, method="rk4", step=1e-3) for m in (model, model.unlocked))
    np.testing.assert_allclose(run.q, other.q, rtol=0, atol=1e-11)
    assert model.closure_error(run.q[-1]) < 1e-12


def test_other_branches_are_not_trusted():
    """A Delta can be put together with its platform turned: nothing is locked there."""
    model = gallery("delta")
    rng = np.random.default_rng(3)
    n = 400
    q = np.repeat(model.home[None], n, axis=0)
    q[:, 7:] += 0.7 * rng.normal(size=(n, model.layout.nq - 7))
    turned = rng.normal(size=(n, 4))
    q[:, 3:7] = turned / np.linalg.norm(turned, axis=1)[:, None]
    q = model.project(q, on_bad_state="mark")
    q = q[np.isfinite(q).all(axis=1) & (np.abs(np.abs(q[:, 3]) - 1.0) > 1e-3)]
    assert len(q) > 10
    inputs = states_of(model, len(q))
    mixed = np.concatenate([q[: len(q) // 2], inputs["q"][len(q) // 2 :]])
    for states in (q, mixed):
        demand_same(model, inputs | {"q": states}, tolerance=1e-9)
    one = [model.forward_dynamics(q[0], inputs["v"][0], inputs["tau"][0]) for _ in range(300)][-1]
    other = model.unlocked.forward_dynamics(q[0], inputs["v"][0], inputs["tau"][0])
    np.testing.assert_allclose(one.vdot, other.vdot, rtol=1e-12)
    run, whole = (gough.simulate(m, duration=0.02, q=q[0], method="rk4", step=1e-3) for m in (model, model.unlocked))
    np.testing.assert_array_equal(run.q, whole.q)


def test_bad_states_keep_their_failures():
    model = gallery("delta")
    inputs = states_of(model, 12)
    q = inputs["q"].copy()
    q[1, 3:7] *= 1.01  # no unit quaternion
    q[2, 3:7] = [np.cos(0.05), 0, 0, np.sin(0.05)]  # turned, loops open
    q[3, 8] += 1e-3
    q[4, 11] += 1e-3  # a rod that no longer follows its twin
    q[5, 0] = np.nan
    q[6, 3:7] *= -1.0  # the same turn
    demand_same(model, inputs | {"q": q})
    assert call(model.function("mass_matrix"), inputs | {"q": q}, model.parameters).bad.tolist() == [1, 2, 3, 4, 5]


def test_where_the_rods_stand_up_nothing_holds_the_platform():
    """With all rods vertical their couples are in a plane: the closures that lock the platform are singular."""
    model = gallery("delta")
    arm = np.arccos((0.045 - 0.16) / 0.52)
    q = model.home.copy()
    q[2] = -0.52 * np.sin(arm) - 1.24
    names = model.layout.q_names
    for leg in range(3):
        q[names.index(f"leg{leg}.arm")] = arm
        for side in ("left", "right"):
            q[names.index(f"leg{leg}.{side}_1")], q[names.index(f"leg{leg}.{side}_2")] = -arm, 0.0
    assert model.closure_error(q) < 1e-12
    inputs = states_of(model, 3)
    for states in (q[None], np.stack([inputs["q"][0], q, inputs["q"][1]])):
        some = {k: x[: len(states)] for k, x in inputs.items()} | {"q": states}
        demand_same(model, some)
        assert len(call(model.function("mass_matrix"), some, model.parameters).bad) == 1


def changed(model: gough.Model, **factors: float) -> np.ndarray:
    """Parameters whose names end in a key, times its factor."""
    out = model.parameters.copy()
    for end, factor in factors.items():
        places = [i for i, name in enumerate(model.parameter_names) if name.replace(".", "_").endswith(end)]
        assert places
        out[places] *= factor
    return out


@pytest.mark.slow
def test_designs_that_unlock_it_are_the_whole_equations():
    model = gallery("delta")
    heavier, longer = changed(model, left_rod_M=1.3), changed(model, leg0_left_ball_on_leg_z=1.02)
    inputs = states_of(model)
    demand_same(model, inputs, heavier)
    q = model.project(inputs["q"], parameters=longer)
    assert np.abs(q[:, 4:7]).max() > 1e-3  # the platform turns
    for design in (longer, np.stack([longer, model.parameters])[np.arange(len(q)) % 2]):
        demand_same(model, inputs | {"q": model.project(q, parameters=design)}, design)
    run, whole = (
        gough.simulate(m, duration=0.02, parameters=longer, method="rk4", step=1e-3) for m in (model, model.unlocked)
    )
    np.testing.assert_allclose(run.q, whole.q, rtol=0, atol=1e-12)
    assert np.abs(run.q[:, 4:7]).max() > 1e-4


def test_designs_of_a_plane_stay_in_it(tmp_path):
    """Whatever the lengths of a planar robot, it moves in its plane: these designs are not slower."""
    model = gallery("three_rrr")
    rng = np.random.default_rng(5)
    lengths = [i for i, unit in enumerate(model.mechanism.table.units) if unit == "m" and i not in model.pattern]
    designs = np.repeat(model.parameters[None], 40, axis=0)
    designs[:, lengths] *= 1 + 0.05 * rng.uniform(-1, 1, (40, len(lengths)))
    assert model.function("mass_matrix").suits({"parameters": designs})
    inputs = states_of(model)
    demand_same(model, inputs | {"q": model.project(inputs["q"], parameters=designs)}, designs)


@pytest.mark.slow
def test_ensembles_of_designs():
    model = gallery("delta")
    designs = np.stack([model.parameters, changed(model, leg0_left_ball_on_leg_z=1.01)])
    for own in (designs, designs[:1]):
        runs = gough.simulate_many(model, duration=0.02, parameters=own, step=1e-3)
        whole = gough.simulate_many(model.unlocked, duration=0.02, parameters=own, step=1e-3)
        np.testing.assert_allclose(runs.q, whole.q, rtol=0, atol=1e-12)


@pytest.mark.slow
def test_derivatives():
    model = gallery("delta")
    inputs = states_of(model, 8)
    for wrt in ("v", "acceleration", "q", "parameters"):
        one, other = (
            call(m.function("inverse_dynamics").derivative(wrt), inputs, m.parameters) for m in (model, model.unlocked)
        )
        for key, x in other.outputs.items():
            np.testing.assert_allclose(one.outputs[key], x, rtol=0, atol=1e-11 * np.abs(x).max())
    for wrt in (["q"], ["q", "v"], ["parameters"]):
        one, other = (
            call(m.tangent_derivative("forward_dynamics", *wrt), inputs, m.parameters) for m in (model, model.unlocked)
        )
        for key, x in other.outputs.items():
            np.testing.assert_allclose(one.outputs[key], x, rtol=0, atol=1e-10 * np.abs(x).max(), err_msg=key)


def test_copies_in_other_processes():
    model = gallery("delta")
    inputs = states_of(model, 8)
    exact = call(model.function("forward_dynamics"), inputs, model.parameters).outputs["vdot"]
    for copy in (pickle.loads(pickle.dumps(model)).function("forward_dynamics"),):
        np.testing.assert_allclose(
            call(copy, inputs, model.parameters).outputs["vdot"], exact, rtol=0, atol=1e-12 * np.abs(exact).max()
        )
    alone = pickle.loads(pickle.dumps(model.function("forward_dynamics")))
    np.testing.assert_allclose(
        call(alone, inputs, model.parameters).outputs["vdot"], exact, rtol=0, atol=1e-12 * np.abs(exact).max()
    )


@pytest.mark.parametrize("name", ["delta_fast", "delta", "three_rrr"])
def test_whatever_leads_a_load_is_carried_alike(name: str) -> None:
    """A relation may give either of its two velocities: led by its drives a platform on a guide follows the guide's slides."""
    by_platform, by_drives, rng = gough.build(name), gough.build(name, velocities="drives"), np.random.default_rng(3)
    assert by_drives.locked is not None
    n = by_platform.layout.nv
    for _ in range(4):
        q = by_platform.integrate(by_platform.home, 0.03 * rng.normal(size=n))
        v, wrench, tau = rng.normal(size=n), rng.normal(size=6), rng.normal(size=n)
        rate = by_platform.configuration_rate(q, v)
        places = [by_drives.layout.q_names.index(drive) for drive in by_drives.layout.v_names]
        np.testing.assert_allclose(by_drives.configuration_rate(q, rate[places]), rate, atol=1e-13)
        vdot, drives = by_platform.forward_dynamics(q, v, tau, wrench=wrench).vdot, by_drives.forward_dynamics
        wanted = drives(q, rate[places], tau, wrench=wrench).vdot
        forces = by_drives.inverse_dynamics(
            q, rate[places], wanted
        ).tau  # without the load: the difference is its share
        same = by_platform.inverse_dynamics(q, v, vdot).tau
        np.testing.assert_allclose(forces, same, atol=1e-11)
        assert np.abs(same - tau).max() > 1e-3
