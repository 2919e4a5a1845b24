"""A slot's name means one thing of one length, in every function of every robot; old names work and warn."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import gough
from gough.model.functions import slots_of
from gough.robot import gallery
from inner.dynamics import CATALOGUE, load_sizes
from inner.export import Options, subject_of
from laws.subjects import built


@pytest.mark.quick_cases(
    "five_bar", "delta", "dualemps", "three_rrr", "lopes", "delta_flexible", "andrews", "three_prs", "fried"
)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", gallery())
def test_a_name_is_a_length(name: str) -> None:
    model = built(gough.load(name))
    layout, platform = model.layout, model.mechanism.has_platform
    lengths = {"q": layout.nq, "v": layout.nv, "acceleration": model.mobility, "vdot": layout.nv, "wrench": 6}
    lengths |= {"force": layout.nv, "tau": len(layout.drive_names), "parameters": len(model.parameters)}
    for entry in CATALOGUE.values():
        slots = {s.name: s.size for s in slots_of(model.mechanism, entry.inputs)}
        assert slots == {slot: lengths[slot] for slot in slots}
        left_out = set(entry.inputs) - set(slots)
        assert ("wrench" in left_out) == ("wrench" in entry.inputs and not platform)
        same = model.mechanism.leads_from_platform
        assert ("force" in left_out) == ("force" in entry.inputs and same)
        assert left_out <= {"wrench", "force"}


@pytest.mark.parametrize(
    ("name", "loads"), [("five_bar", ["force"]), ("lopes_simplified", ["wrench"]), ("delta", ["wrench", "force"])]
)
def test_a_program_has_the_loads_its_robot_needs(name: str, loads: list[str]) -> None:
    model = built(gough.load(name))
    assert list(load_sizes(model.mechanism)) == loads
    for function in ("inverse_dynamics", "forward_dynamics", "dynamics_residual", "joint_reactions"):
        found = [s.name for s in model.function(function).program.inputs]
        assert [x for x in found if x in ("wrench", "force")] == loads
        program = subject_of(model, function, Options(wrench=False), model.pattern).program
        assert not {"wrench", "force"} & {s.name for s in program.inputs}


def test_a_force_along_v_does_in_every_function_what_drives_do() -> None:
    """v of the five-bar are the rates of its drives."""
    model = built(gough.load("five_bar"))
    assert model.layout.v_names == model.layout.drive_names
    tau, force = np.array([0.3, 0.4]), np.array([0.1, -0.2])
    known = {"q": model.home, "v": [1.0, -2.0], "parameters": model.parameters}
    vdot = model.function("forward_dynamics")(**known, tau=tau, force=force).outputs["vdot"]
    np.testing.assert_allclose(vdot, model.forward_dynamics(model.home, [1.0, -2.0], tau + force).vdot, rtol=1e-12)
    needed = model.function("inverse_dynamics")(**known, acceleration=vdot, force=force).outputs["tau"]
    np.testing.assert_allclose(needed, tau, rtol=1e-10)
    reactions = model.function("joint_reactions")
    found = reactions(**known, vdot=vdot, tau=tau, force=force).outputs
    for name, truth in reactions(**known, vdot=vdot, tau=tau + force, force=np.zeros(2)).outputs.items():
        np.testing.assert_allclose(found[name], truth, rtol=0, atol=1e-12 * np.abs(truth).max())


def test_a_force_along_a_platforms_velocities_is_a_wrench() -> None:
    """v of the Delta are vx vy vz."""
    model = built(gough.load("delta"))
    assert model.layout.v_names == ("vx", "vy", "vz")
    known = {"q": model.home, "v": np.ones(3), "vdot": np.ones(3), "tau": np.ones(3), "parameters": model.parameters}
    push, nothing = np.array([3.0, -4.0, 5.0]), np.zeros(3)
    for function in ("dynamics_residual", "joint_reactions"):
        f = model.function(function)
        found = f.values(**known, wrench=np.zeros(6), force=push)
        for name, truth in f.values(**known, wrench=[*push, 0.0, 0.0, 0.0], force=nothing).items():
            np.testing.assert_allclose(found[name], truth, rtol=0, atol=1e-11 * np.abs(truth).max())


def test_old_slots_without_a_platform() -> None:
    model = built(gough.load("five_bar"))
    state = {"q": model.home, "v": [1.0, -2.0], "parameters": model.parameters}
    f, load = model.function("dynamics_residual"), np.array([1.0, 2.0])
    truth = f(**state, vdot=[0.5, 0.0], tau=[0.0, 0.0], force=load).outputs["residual"]
    with pytest.warns(DeprecationWarning, match="'force'"), pytest.warns(DeprecationWarning, match="'vdot'"):
        found = f(**state, acceleration=[0.5, 0.0], tau=[0.0, 0.0], wrench=load).outputs["residual"]
    np.testing.assert_array_equal(found, truth)
    with pytest.warns(DeprecationWarning, match="'force'"):
        along = f.derivative("wrench", "jvp")
    with pytest.warns(DeprecationWarning, match="'d_force'"):
        moved = along(**state, vdot=[0.5, 0.0], tau=[0.0, 0.0], force=load, d_wrench=load).outputs["d_residual"]
    np.testing.assert_allclose(moved, -load)
    with pytest.warns(DeprecationWarning, match="'vdot'"):
        assert model.tangent_derivative("dynamics_residual", "acceleration").program.outputs[0].name == "residual_vdot"
    with pytest.warns(DeprecationWarning, match="'force'") as said:
        subject = subject_of(model, "inverse_dynamics", Options(derivative="wrench"), model.pattern)
    assert subject.function.endswith("jacobian force") and len(said) == 1
    with pytest.raises(gough.UsageError, match=r"no input 'wrong'.*It takes .*force \(\.\.\., 2\)"):
        f(**state, vdot=[0.5, 0.0], tau=[0.0, 0.0], wrong=load)


def test_old_slot_of_a_platform_and_other_freedoms_is_split() -> None:
    model = built(gough.load("delta"))
    f = model.function("forward_dynamics")
    load = np.random.default_rng(0).normal(size=(4, 9))
    state = {"q": model.home, "v": np.zeros(3), "tau": np.zeros(3), "parameters": model.parameters}
    with pytest.warns(DeprecationWarning, match=r"'wrench' \(6\) and 'force' \(3\)"):
        found = f(**state, wrench=load).outputs["vdot"]
    np.testing.assert_array_equal(found, f(**state, wrench=load[:, :6], force=load[:, 6:]).outputs["vdot"])
    with pytest.raises(gough.UsageError, match=r": force \(\.\.\., 3\) is missing \(zeros where nothing pushes\)\. It"):
        f(**state, wrench=load[:, :6])
    with pytest.raises(gough.UsageError, match=r"no input 'forces' \(did you mean 'force'\?\)\. It takes q"):
        f(**state, wrench=load[:, :6], forces=load[:, 6:])
    with pytest.raises(gough.UsageError, match=r"d_v \(\.\.\., 3\) is missing \(zeros where it does not change\)"):
        f.derivative("v", "jvp")(**state, wrench=load[:, :6], force=load[:, 6:])


@pytest.mark.filterwarnings("ignore::gough.errors.FrictionWarning")
def test_accelerations_of_reactions() -> None:
    model = built(gough.load("flexible_slider_crank"))
    q, v, n, nv = model.home, np.zeros(model.layout.nv), model.mobility, model.layout.nv
    solved = model.inverse_dynamics(q, v, np.ones(n))
    vdot = np.concatenate([np.ones(n), solved.eddot])
    truth = model.joint_reactions(q, v, np.ones(n)).joints
    with warnings.catch_warnings():
        warnings.simplefilter("error", DeprecationWarning)
        given = model.joint_reactions(q, v, tau=solved.tau, vdot=vdot).joints
    np.testing.assert_allclose(given, truth, rtol=0, atol=1e-9 * np.abs(truth).max())
    with pytest.warns(DeprecationWarning, match="called vdot"):
        again = model.joint_reactions(q, v, vdot, tau=solved.tau).joints
    np.testing.assert_array_equal(again, given)
    with pytest.warns(DeprecationWarning, match="elastic part is dropped"):
        dropped = model.joint_reactions(q, v, 0 * vdot + 1.0).joints
    np.testing.assert_array_equal(dropped, truth)
    mistakes: tuple[dict[str, Any], ...] = (
        {},
        {"vdot": vdot},
        {"acceleration": np.ones(n), "vdot": vdot},
        {"acceleration": np.ones(nv + 1)},
    )
    for wrong in mistakes:
        with pytest.raises(gough.UsageError, match="acceleration"):
            model.joint_reactions(q, v, **wrong)
    with pytest.raises(gough.UsageError, match="vdot"):
        model.joint_reactions(q, v, np.ones(n), tau=solved.tau)
    rigid = built(gough.load("five_bar"))
    with warnings.catch_warnings():
        warnings.simplefilter("error", DeprecationWarning)
        one = rigid.joint_reactions(rigid.home, [0.0, 0.0], [1.0, 2.0]).joints
        two = rigid.joint_reactions(rigid.home, [0.0, 0.0], vdot=[1.0, 2.0]).joints
    np.testing.assert_array_equal(one, two)
