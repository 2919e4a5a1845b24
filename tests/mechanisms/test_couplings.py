"""Coupled joints: gear trains and racks against closed forms, the gallery's geared robots, runs, designs, exported code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gough
from backends.compiled_c import needs_compiler, run_driver
from gough.laws import Free
from gough.robot import loads
from laws.mechanisms import mechanism
from mechanisms.models import model
from reference.designs import design

SUN, PLANET, RING = 18, 27, 72
I_SUN, I_CARRIER, I_PLANET, M_PLANET, ARM = 0.02, 0.11, 0.004, 0.7, 0.15
G = 9.81


def read(**data: Any) -> Any:
    return loads(json.dumps({"format": 2, "name": "train", "gravity": [0, 0, 0], "velocities": "drives"} | data))


def wheel(name: str, moment: float, mass: float = 1.0) -> dict[str, Any]:
    inertia = {"about": "center_of_mass", "xx": moment, "yy": moment, "zz": moment}
    return {"name": name, "mass": mass, "inertia": inertia}


def hinge(name: str, parent: str, child: str, at: float = 0.0, **more: Any) -> dict[str, Any]:
    return {
        "name": name,
        "type": "revolute",
        "parent": parent,
        "child": child,
        "pose": {"position": [at, 0, 0]},
        **more,
    }


def planetary(gears: bool) -> gough.Model:
    """A sun that is driven, a planet on a carrier, a ring that stands still: with all wheels on the carrier, or on the world."""
    bodies = [wheel("carrier_body", I_CARRIER), wheel("sun_body", I_SUN), wheel("planet_body", I_PLANET, M_PLANET)]
    joints = [hinge("carrier", "world", "carrier_body"), hinge("planet", "carrier_body", "planet_body", ARM)]
    if not gears:  # the sun turns on the world: Willis's equations
        joints.append(hinge("sun", "world", "sun_body", drive={}))
        inner = {"planet": PLANET, "sun": SUN, "carrier": -SUN}
        outer = {"planet": PLANET, "carrier": RING}
        relations = [
            {"name": n, "type": "differential", "coefficients": c} for n, c in (("inner", inner), ("outer", outer))
        ]
        return gough.build(read(bodies=bodies, joints=joints, couplings=relations))
    bodies += [wheel("ring_body", 0.3), wheel("shaft_body", 0.0, 0.0)]
    joints += [hinge("sun", "carrier_body", "sun_body"), hinge("ring", "carrier_body", "ring_body")]
    joints.append(hinge("shaft", "world", "shaft_body", drive={}))
    couplings = [
        {"name": "inner", "type": "gear", "joints": ["sun", "planet"], "teeth": [SUN, PLANET]},
        {"name": "outer", "type": "gear", "joints": ["planet", "ring"], "teeth": [PLANET, RING], "internal": True},
        {"name": "held", "type": "mimic", "joint": "ring", "of": "carrier", "ratio": -1},
        {"name": "input", "type": "differential", "coefficients": {"shaft": 1, "carrier": -1, "sun": -1}},
    ]
    return gough.build(read(bodies=bodies, joints=joints, couplings=couplings))


@pytest.mark.parametrize("gears", [False, True])
def test_a_planetary_train_turns_and_resists_as_willis_says(gears: bool) -> None:
    m = planetary(gears)
    assert m.mobility == 1 and not m.redundant_closures
    slow = SUN / (SUN + RING)  # carrier over sun
    spin = slow * (1 - RING / PLANET)  # planet over sun, seen from the world
    q = m.configuration(drives=[2.3])
    at = {n: q[m.layout.index(n)] for n in m.layout.q_names}
    assert at["carrier"] == pytest.approx(2.3 * slow, rel=1e-13)
    assert at["carrier"] + at["planet"] == pytest.approx(2.3 * spin, rel=1e-13)
    inertia = I_SUN + slow**2 * (I_CARRIER + M_PLANET * ARM**2) + spin**2 * I_PLANET
    assert m.mass_matrix(q)[0, 0] == pytest.approx(inertia, rel=1e-13)
    assert m.forward_dynamics(q, [1.7], [0.9]).vdot[0] == pytest.approx(0.9 / inertia, rel=1e-12)
    # what the carrier's load needs at the sun, by power
    load = {"carrier_body": np.array([0, 0, 0, 0, 0, 5.0])}
    assert m.inverse_dynamics(q, [0], [0], load).tau[0] == pytest.approx(-5.0 * slow, rel=1e-12)


def test_a_rack_lifts_its_weight_at_the_pitch_radius() -> None:
    mass, moment, radius, torque = 3.0, 0.05, 0.04, 2.0
    bodies = [wheel("pinion_body", moment), {"name": "rack_body", "mass": mass}]
    slide = {"name": "rail", "type": "prismatic", "parent": "world", "child": "rack_body", "axis": [0, 0, 1]}
    joints = [hinge("pinion", "world", "pinion_body", axis=[0, 1, 0], drive={}), slide]
    rack = {"name": "rack", "type": "rack", "pinion": "pinion", "slide": "rail", "radius": "40 mm", "offset": "0.1 m"}
    m = gough.build(read(bodies=bodies, joints=joints, couplings=[rack], gravity=[0, 0, -G]))
    q = m.configuration(drives=[7.0])
    assert q[m.layout.index("rail")] == pytest.approx(0.1 + 7.0 * radius, rel=1e-14)
    turned = (torque - mass * G * radius) / (moment + mass * radius**2)
    assert m.forward_dynamics(q, [3.0], [torque]).vdot[0] == pytest.approx(turned, rel=1e-13)
    found = m.joint_reactions(q, [3.0], [turned])
    pushed = mass * (G + turned * radius)  # on the rack, upwards
    np.testing.assert_allclose(found.couplings, [-radius * pushed], rtol=1e-12)
    np.testing.assert_allclose(found.tooth_forces, [-pushed], rtol=1e-12)
    assert found.coupling_names == ("rack",)


def test_the_wrist_pitches_by_the_mean_and_rolls_by_the_difference_of_its_motors() -> None:
    m = model("differential_wrist")
    right, left = 0.9, -0.4
    q = m.configuration(drives=[right, left])
    assert q[m.layout.index("pitch")] == pytest.approx((right + left) / 2, abs=1e-13)
    assert q[m.layout.index("roll")] == pytest.approx((right - left) / 3, abs=1e-13)
    # kinetic energy of wheels, rotors, frame and hand by hand: both motors alike only pitch
    lift = 0.3 * 0.02**2 + 3e-4
    level = m.configuration(drives=[0.5, 0.5])
    c = np.array([0.12, 0.005, -0.01])  # of the hand, from the pitch axis
    hand = 0.6 * (c[0] ** 2 + c[2] ** 2) + 1.1e-3
    motors = 2 * (5e-5 + 900 * 4e-6)
    whole = np.ones(2) @ m.mass_matrix(level) @ np.ones(2)
    assert whole == pytest.approx(lift + hand + motors, rel=1e-12)
    # both motors together hold frame and hand
    still = m.inverse_dynamics(level, np.zeros(2), np.zeros(2)).tau
    arm = 0.3 * 0.02 * np.cos(0.5) + 0.6 * (0.12 * np.cos(0.5) - 0.01 * np.sin(0.5))
    assert still.sum() == pytest.approx(-arm * G, rel=1e-12)


def test_the_gripper_closes_parallel_pads_by_one_motor() -> None:
    m = model("geared_gripper")
    assert m.layout.v_names == ("motor",)
    for angle in (0.4, 1.1):
        q = m.configuration(drives=[angle])
        (left, one), (right, other) = m.frame_pose(q, "left_pad.tip"), m.frame_pose(q, "right_pad.tip")
        np.testing.assert_allclose(one, np.eye(3), atol=1e-12)
        np.testing.assert_allclose(other, np.eye(3), atol=1e-12)
        assert left[1] - right[1] == pytest.approx(2 * (0.012 + 0.06 * np.sin(angle) - 0.008), abs=1e-12)
        # an object between the pads: the motor holds both of its forces
        grip = {"left_pad.tip": np.array([0, 40.0, 0, 0, 0, 0]), "right_pad.tip": np.array([0, -40.0, 0, 0, 0, 0])}
        tau = m.inverse_dynamics(q, [0], [0], grip).tau[0]
        assert tau == pytest.approx(-2 * 40.0 * 0.06 * np.cos(angle), rel=1e-11)
        half = m.joint_reactions(q, [0], [0], grip)
        # one half of it goes through the mesh, at a pitch radius of 12 mm
        np.testing.assert_allclose(half.tooth_forces, [40.0 * 0.06 * np.cos(angle) / 0.012], rtol=1e-10)


@pytest.mark.quick_cases("coupled_tree-0", "coupled_bars-0")
@pytest.mark.parametrize("name", ["coupled_tree-0", "coupled_tree-1", "coupled_bars-0", "coupled_legs-0"])
def test_couplings_hold_in_motion_and_do_no_work(name: str) -> None:
    s = mechanism(name)
    m = s.model
    C = np.zeros((len(m.mechanism.couplings), m.layout.nu))
    for row, coupling in zip(C, m.mechanism.couplings, strict=True):
        for term in coupling.terms:
            row[term.u] = term.coefficient(m.parameters.tolist())
    for q, v, acceleration, wrench, _ in s.states:
        moved = m.function("joint_motion")(q=q, v=v, vdot=acceleration, parameters=m.parameters).outputs
        scale = np.abs(C) @ np.abs(moved["u"])
        assert (np.abs(C @ moved["u"]) <= 1e-12 * scale).all()
        assert (np.abs(C @ moved["ud"]) <= 1e-12 * (np.abs(C) @ np.abs(moved["ud"]))).all()
        forces = m.joint_reactions(q, v, acceleration, wrench).couplings
        first = np.array([row[c.terms[0].u] for row, c in zip(C, m.mechanism.couplings, strict=True)])
        multipliers = forces / first
        power = multipliers * (C @ moved["u"])
        assert (np.abs(power) <= 1e-12 * np.abs(multipliers) * scale).all()


def bare(family: str, seed: int) -> gough.Model:
    """A random design without friction, dampers and springs that lose energy."""
    robot = design(family, seed)
    data = json.loads(json.dumps(gough.robot.writer.document(robot)))

    def strip(x: Any) -> None:
        if isinstance(x, dict):
            x.pop("friction", None)
            for key in ("damping", "viscous", "coulomb", "smoothing"):
                x.pop(key, None)
        for y in x.values() if isinstance(x, dict) else x if isinstance(x, list) else ():
            strip(y)

    strip(data)
    return gough.build(loads(json.dumps(data)))


@pytest.mark.quick_cases("coupled_bars")
@pytest.mark.parametrize("family", ["coupled_tree", "coupled_bars"])
def test_runs_keep_energy_and_couplings(family: str) -> None:
    m = bare(family, 0)
    v = 0.5 * np.random.default_rng(3).normal(size=m.layout.nv)
    run = gough.simulate(m, None, Free(), v=v, duration=0.3, tolerance=1e-11)
    total = m.energies(run.q, run.v).total
    assert np.abs(total - total[0]).max() < 1e-8 * np.abs(m.energies(run.q, run.v).kinetic).max()
    assert m.closure_error(run.q).max() < 1e-10
    name = m.mechanism.couplings[0].name
    assert run[f"{name}.force"].shape[0] == len(run.time)


@pytest.mark.parametrize(("name", "key", "value"), [("mesh", "ratio", 0.71), ("follow", "offset", 0.4)])
def test_another_design_is_the_robot_built_with_it(name: str, key: str, value: float) -> None:
    m = mechanism("coupled_tree-0").model
    data = json.loads(json.dumps(gough.robot.writer.document(m.robot)))
    other = next(c for c in data["couplings"] if c["name"] == name)
    if key == "ratio":
        for gone in ("teeth", "module"):
            del other[gone]
        home = data["home"]["joints"]  # the offset that the first design takes from home
        other["offset"] = m.parameters[m.parameter_names.index(f"{name}.offset")]
        assert home
    other[key] = value
    fresh = gough.build(loads(json.dumps(data)))
    design_numbers = m.parameters_with({f"{name}.{key}": value})
    drives = m.home[m.drive_index] + 0.1
    q = m.configuration(drives=drives, parameters=design_numbers)
    np.testing.assert_allclose(q, fresh.configuration(drives=drives, near=q), atol=1e-12)
    v, a = np.full(4, 0.7), np.linspace(-2, 2, 4)
    ours = m.inverse_dynamics(q, v, a, parameters=design_numbers).tau
    np.testing.assert_allclose(ours, fresh.inverse_dynamics(q, v, a).tau, rtol=1e-11, atol=1e-11)


def test_derivatives_by_ratios_are_those_of_designs() -> None:
    m, h = mechanism("coupled_tree-0").model, 1e-6
    k = m.parameter_names.index("belt.ratio")
    state = {"q": m.home, "v": np.full(4, 0.6), "acceleration": np.ones(4)}
    J = (
        m.function("inverse_dynamics")
        .derivative("parameters")(**state, force=np.zeros(4), parameters=m.parameters)
        .outputs
    )
    ends = []
    for sign in (1, -1):
        numbers = m.parameters.copy()
        numbers[k] += sign * h
        numbers[m.parameter_names.index("belt.offset")] -= sign * h * m.home[m.layout.index("arm")]  # the same q
        ends.append(m.inverse_dynamics(*state.values(), parameters=numbers).tau)
    truth = (ends[0] - ends[1]) / (2 * h)
    np.testing.assert_allclose(J["tau_parameters"][:, k], truth, atol=1e-7 * np.abs(truth).max())


def test_an_offset_of_zero_is_structure_that_can_be_freed() -> None:
    m = model("geared_gripper")
    k = m.parameter_names.index("mesh.offset")
    assert k in m.pattern
    slope = m.function("closure_residual").derivative("parameters")(q=m.home, parameters=m.parameters).outputs
    row = m.mechanism.couplings[0].row
    expected = np.zeros(m.mechanism.rows)
    expected[row] = 1.0
    np.testing.assert_allclose(slope["residual_parameters"][:, k], expected, atol=1e-15)
    with pytest.raises(gough.PatternError, match=r"mesh\.offset"):
        m.mass_matrix(m.home, parameters=m.parameters_with({"mesh.offset": 0.1}))
    free = gough.build("geared_gripper", free=["mesh.offset"])
    q = free.configuration(drives=[0.8], parameters=free.parameters_with({"mesh.offset": 0.1}))
    assert q[m.layout.index("follower")] == pytest.approx(-0.7, abs=1e-12)


def test_a_relation_said_twice_is_left_out() -> None:
    data = gough.robot.writer.document(gough.load("differential_wrist"))
    twice = {"name": "again", "type": "differential", "coefficients": {"pitch": 4, "right": -2, "left": -2}}
    m = gough.build(loads(json.dumps(data | {"couplings": [*data["couplings"], twice]})))
    once = model("differential_wrist")
    assert m.redundant_closures == ("again (relation)",) and m.mobility == 2
    v, a = [0.4, -0.3], [2.0, 5.0]
    np.testing.assert_allclose(
        m.inverse_dynamics(m.home, v, a).tau, once.inverse_dynamics(m.home, v, a).tau, rtol=1e-12
    )


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"name": "bad", "type": "mimic", "joint": "left_hip", "of": "motor", "ratio": 2}, "a coupling .mesh, bad."),
        ({"name": "far", "type": "mimic", "joint": "left_wrist", "of": "motor", "ratio": -1, "offset": 40}, "far"),
    ],
)
def test_a_coupling_that_the_loops_contradict_is_named(change: dict[str, Any], said: str) -> None:
    data = gough.robot.writer.document(gough.load("geared_gripper"))
    data["couplings"] = [*data["couplings"], change]
    with pytest.raises(gough.StructureError, match=said):
        gough.build(loads(json.dumps(data)))


def test_whole_turns_of_a_coupled_wheel_count() -> None:
    m = planetary(False)
    q = m.configuration(coordinates={"carrier": 2 * np.pi})
    assert q[m.layout.index("carrier")] == pytest.approx(2 * np.pi)
    assert q[m.layout.index("sun")] == pytest.approx(2 * np.pi * (SUN + RING) / SUN)


def test_a_state_off_a_coupling_is_named() -> None:
    m = model("differential_wrist")
    q = m.home.copy()
    q[m.layout.index("roll")] += 1e-3
    with pytest.raises(gough.BadStateError, match=r"difference is off by 0\.0573 deg"):
        m.mass_matrix(q)


def test_rest_and_modes() -> None:
    data = gough.robot.writer.document(gough.load("differential_wrist"))
    data["joints"][2]["spring"] = {"stiffness": 4.0}
    for joint in data["joints"][:2]:
        del joint["drive"]["viscous"]
    m = gough.build(loads(json.dumps(data)))
    rest = gough.static_equilibrium(m, drives=[0.0, 0.0])
    np.testing.assert_allclose(rest.tau, m.inverse_dynamics(rest.q, np.zeros(2), np.zeros(2)).tau, rtol=1e-10)
    free = gough.natural_frequencies(m, q=rest.q, drives="free")
    M = m.mass_matrix(rest.q)
    h, n = 1e-6, 2
    K = np.zeros((n, n))
    for i in range(n):
        step = np.zeros(n)
        step[i] = h
        pull = [m.gravity_force(m.integrate(rest.q, s * step)) for s in (1, -1)]
        K[:, i] = (pull[0] - pull[1]) / (2 * h)
    K += 4.0 * np.full((2, 2), 0.25)  # of the spring on pitch = (right + left) / 2
    truth = np.sort(np.linalg.eigvals(np.linalg.solve(M, K)).real)
    ours = np.sort((free.eigenvalues**2).real * -1)
    np.testing.assert_allclose(np.unique(np.round(ours, 6)), np.round(truth, 6), rtol=1e-4, atol=1e-4)


@needs_compiler
def test_exported_reactions_give_the_reference_values(tmp_path: Path) -> None:
    for function in ("joint_reactions", "forward_dynamics"):
        model("geared_gripper").export(function, tmp_path)
        done = run_driver(tmp_path, f"geared_gripper_{function}")
        assert done.returncode == 0, done.stdout + done.stderr


def test_assemblies_are_refused_with_the_reason() -> None:
    with pytest.raises(gough.UsageError, match="whole turns"):
        gough.assemblies(model("geared_gripper"), [0.5])
