"""Idle freedoms: found, placed in v, accelerated as energies and Pinocchio say, held where they have no inertia."""

from __future__ import annotations

import json
import warnings
from functools import cache
from typing import Any

import numpy as np
import pytest

import gough
from dynamics.idle_robots import CART_POLE, RODS, TOLERANCE, hexapod, relative, solved
from gough.robot import loads
from laws.mechanisms import mechanism
from reference.designs import description, design
from reference.peers.pinocchio import PinocchioPeer

MANY = [f"{family}-{seed}" for family in ("idle_loop", "idle_rods") for seed in range(2, 8)]
FEW = ["idle_loop-0", "idle_loop-1", "idle_rods-0", *(pytest.param(n, marks=pytest.mark.slow) for n in MANY)]


@cache
def peer(name: str) -> PinocchioPeer:
    subject = mechanism(name)
    return PinocchioPeer(subject.robot, subject.reference.velocities)


@pytest.mark.parametrize("name", FEW)
def test_accelerations_are_those_of_energies_and_of_pinocchio(name: str) -> None:
    subject = mechanism(name)
    model, n = subject.model, subject.model.mobility
    assert n == len(model.mechanism.drives) and model.layout.v_idle == model.layout.nv - n
    for q, v, acceleration, wrench, tau in subject.states:
        outside = subject.reference.external(q, wrench)
        for truth in (subject.reference, peer(name)):
            force, vdot = solved(truth, q, v, list(range(n)), acceleration[:n], outside)
            found = model.inverse_dynamics(q, v, acceleration[:n], wrench)
            assert relative(found.tau, force) < TOLERANCE and relative(found.idle_acceleration, vdot[n:]) < TOLERANCE
            assert (
                relative(model.forward_dynamics(q, v, tau, wrench).vdot, truth.forward(q, v, tau, wrench)) < TOLERANCE
            )


@pytest.mark.parametrize("family", ["idle_loop", "idle_rods"])
def test_idle_freedoms_are_found_where_none_is_named(family: str) -> None:
    """The same robot with the velocities that are chosen for it: the same forces and motion of all joints."""
    data = description(family, 1)
    named = gough.build(design(family, 1))
    del data["velocities"]
    with pytest.warns(gough.IdleWarning, match=named.layout.idle_names[0].rsplit("_", 1)[0]):
        found = gough.build(loads(str(data).replace("'", '"').replace("True", "true")))
    assert found.mobility == named.mobility and found.layout.v_idle == named.layout.v_idle
    u = named.function("tree_rates")(q=named.home, v=np.ones(named.layout.nv), parameters=named.parameters).outputs["u"]
    own = list(found.mechanism.selection.independent)
    a = np.ones(named.mobility)
    ours, truth = (
        found.inverse_dynamics(found.home, u[own], a),
        named.inverse_dynamics(named.home, np.ones(len(own)), a),
    )
    assert relative(ours.tau, truth.tau) < 1e-9


def test_a_hexapod_on_rods_between_balls() -> None:
    text = RODS.read_text()
    unnamed = "\n".join(line for line in text.splitlines() if not line.startswith("velocities"))
    with pytest.warns(gough.IdleWarning, match=r'leg0\.knee_wz.*without inertia.*idle: \["leg\*\.knee_wz"\]'):
        model = gough.build(loads(unnamed))
    layout = model.layout
    assert (model.mobility, layout.v_idle, layout.rigid, layout.nv) == (6, 6, 12, 12)
    assert layout.idle_names == tuple(f"leg{k}.knee_wz" for k in range(6)) == layout.v_names[layout.idle]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        named = gough.build(loads(text))
    assert named.layout == layout and named.driven
    rng = np.random.default_rng(0)
    q = model.integrate(model.home, 0.01 * rng.normal(size=12))
    v, a = rng.normal(size=12), rng.normal(size=6)
    found = model.inverse_dynamics(q, v, a)
    assert found.idle_acceleration.tolist() == [0.0] * 6  # nothing accelerates them
    still = np.where(np.arange(12) < 6, v, 0.0)
    np.testing.assert_allclose(found.tau, model.inverse_dynamics(q, still, a).tau, rtol=1e-9)  # nor do they do anything
    np.testing.assert_allclose(model.forward_dynamics(q, v, found.tau).vdot, [*a, *np.zeros(6)], atol=1e-9)
    assert model.inverse_dynamics(np.array([q, q]), v, a).idle_acceleration.shape == (2, 6)


def test_spins_of_rods_are_no_forces_of_the_drives() -> None:
    """Of rods whose spin has hardly any inertia the forces are those of rods without: the limit is not singular."""
    thin, bare = hexapod(1e-12), hexapod()
    q, v, a = bare.home, np.zeros(12), np.arange(6.0)
    np.testing.assert_allclose(thin.inverse_dynamics(q, v, a).tau, bare.inverse_dynamics(q, v, a).tau, rtol=1e-6)


def test_a_force_on_what_has_no_inertia_is_said() -> None:
    """Friction of the ball would turn a rod without inertia at once."""
    text = RODS.read_text().replace(
        "type: spherical\n        pose", "type: spherical\n        friction: {viscous: 0.1}\n        pose"
    )
    model = gough.build(loads(text))
    v = np.zeros(12)
    v[6] = 1.0
    with pytest.raises(gough.BadStateError, match=r"SINGULAR at leg0\.knee_wz"):
        model.inverse_dynamics(model.home, v, np.zeros(6))


@pytest.mark.parametrize("name", ["idle_loop-0", "idle_rods-0"])
def test_reactions_derivatives_and_configurations(name: str) -> None:
    subject = mechanism(name)
    model, n = subject.model, subject.model.mobility
    q, v, acceleration, wrench, _ = subject.states[0]
    a = acceleration[:n]
    found = model.inverse_dynamics(q, v, a, wrench)
    vdot = np.concatenate([a, found.idle_acceleration])
    np.testing.assert_array_equal(found.free_acceleration, vdot[n:])
    reactions = model.joint_reactions(q, v, a, wrench)
    truth = subject.reference.reactions(q, v, vdot, found.tau, wrench)
    assert relative(reactions.cuts, truth) < 1e-9
    load: dict[str, Any] = {s.name: np.zeros(s.size) for s in model.function("inverse_dynamics").program.inputs}
    load = {k: x for k, x in load.items() if k in ("wrench", "force")}
    given = {"v": v, "acceleration": a, **load, "parameters": model.parameters}
    slopes = model.tangent_derivative("inverse_dynamics", "q")(q=q, **given).outputs
    for k in (0, n):  # along a velocity that is led, and along an idle one
        step = np.zeros(len(v))
        step[k] = 1e-6
        ahead, behind = (
            model.function("inverse_dynamics")(q=model.integrate(q, s * step), **given).outputs for s in (1, -1)
        )
        for slot in ("tau", "idle_acceleration"):
            by_steps = (ahead[slot] - behind[slot]) / 2e-6
            (key,) = [x for x in slopes if x.split(" ")[0].removeprefix("d").startswith(slot) or slot in x]
            np.testing.assert_allclose(slopes[key][:, k], by_steps, atol=1e-6 * (1 + np.abs(slopes[key]).max()))
    turned = model.integrate(q, np.where(np.arange(len(v)) < n, 0.0, 0.3))
    np.testing.assert_allclose(model.drives(turned), model.drives(q), atol=1e-12)
    np.testing.assert_allclose(model.configuration(drives=model.drives(turned), near=turned), turned, atol=1e-9)
    np.testing.assert_allclose(model.project(turned), turned, atol=1e-12)
    if model.mechanism.has_platform:
        np.testing.assert_allclose(model.configuration(turned[:7], near=turned), turned, atol=1e-9)


def test_an_idle_coordinate_is_set_by_its_name() -> None:
    model = hexapod()
    q = model.configuration(coordinates={"leg2.knee_wz": 0.4})
    moved = np.flatnonzero(np.abs(q - model.home) > 1e-9)
    assert {model.layout.q_names[k].rsplit("_", 1)[0] for k in moved} == {"leg2.knee"}


def test_robots_without_drives_have_no_idle_freedoms() -> None:
    """Nothing leads them: their freedoms are their mobility."""
    model = gough.build(loads(CART_POLE.replace(", drive: {}", "")))
    assert (model.mobility, model.layout.v_idle) == (2, 0)


def test_a_named_order_keeps_led_velocities_first() -> None:
    model = gough.build(loads(CART_POLE.replace("[rail, swing]", "[swing, rail]")))
    assert model.layout.v_names == ("rail", "swing") and model.layout.idle_names == ("swing",)


@pytest.mark.parametrize("stiffening", ["rigid_motion", "on"])
def test_idle_and_elastic_accelerations_are_found_together(stiffening: str) -> None:
    """A trolley with a beam and a weight that swing: what inverse dynamics finds solves M v̇ + h = S τ, and goes forward again."""
    beam = (
        gough.load("spin_up_beam")
        .bodies[0]
        .model_dump(mode="json", exclude_none=True, exclude_defaults=True, by_alias=True)
    )
    beam["flexible"]["stiffening"] = stiffening
    weight = {"name": "weight", "mass": 2, "center_of_mass": [0.4, 0.1, 0]}
    weight["inertia"] = {"about": "center_of_mass", "xx": 0.1, "yy": 0.1, "zz": 0.15}
    hang = [
        {"name": n, "type": "revolute", "parent": "trolley", "child": c}
        for n, c in (("hub", "beam"), ("pin", "weight"))
    ]
    rail = {"name": "rail", "type": "prismatic", "axis": [1, 0, 0], "parent": "world", "child": "trolley", "drive": {}}
    data = {
        "format": 1,
        "name": "bent",
        "bodies": [{"name": "trolley", "mass": 5}, beam, weight],
        "joints": [rail, *hang],
    }
    model = gough.build(loads(json.dumps(data | {"velocities": ["rail", "hub", "pin"]})))
    layout = model.layout
    assert (model.mobility, layout.v_idle, layout.idle_names) == (1, 2, ("hub", "pin")) and layout.v_elastic > 0
    v = 0.3 * np.random.default_rng(0).normal(size=layout.nv) * np.where(np.arange(layout.nv) < layout.rigid, 1.0, 0.01)
    found = model.inverse_dynamics(model.home, v, [1.3])
    assert len(found.eddot) == layout.v_elastic
    vdot = np.concatenate([[1.3], found.idle_acceleration, found.eddot])
    M, h, S = model.mass_matrix(model.home), model.bias_force(model.home, v), model.drive_map(model.home)
    np.testing.assert_allclose(M @ vdot + h, S @ found.tau, atol=1e-12 * np.abs(h).max())
    assert relative(model.forward_dynamics(model.home, v, found.tau).vdot, vdot) < 1e-10


def test_jax_and_casadi_give_the_same_accelerations() -> None:
    import jax

    subject = mechanism("idle_loop-0")
    model, n = subject.model, subject.model.mobility
    q, v, acceleration, _, _ = subject.states[0]
    tau, vdot = solved(subject.reference, q, v, list(range(n)), acceleration[:n], np.zeros(model.layout.nv))
    function = model.function("inverse_dynamics")
    given = {"q": q, "v": v, "acceleration": acceleration[:n]}
    inputs = {s.name: given.get(s.name, np.zeros(s.shape)) for s in function.program.inputs if s.name != "parameters"}
    with jax.enable_x64(True):
        by_jax = function.to_jax()(**inputs)
    for made in (by_jax, function.to_casadi()(**inputs)):
        assert relative(np.asarray(made["tau"]).ravel(), tau) < TOLERANCE
        assert relative(np.asarray(made["idle_acceleration"]).ravel(), vdot[n:]) < TOLERANCE


def test_too_few_named_velocities_are_told_with_the_idle_ones() -> None:
    text = RODS.read_text().partition("velocities:")[0]
    idle = hexapod().layout.idle_names
    with pytest.raises(
        gough.StructureError, match=r"names 6 .*, but 12 are independent: a mobility of 6 and 6 idle"
    ) as found:
        gough.build(loads(text + "\nvelocities: [vx, vy, vz, wx, wy, wz]\n"))
    assert all(name in str(found.value) for name in idle)
    gough.build(loads(text + f"\nvelocities: [vx, vy, vz, wx, wy, wz, {', '.join(idle)}]\n"))
