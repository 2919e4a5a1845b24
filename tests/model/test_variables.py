"""Variables of descriptions as inputs: against robots that are read again, closed forms and complex steps."""

import math
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gough
from gough.errors import RunWarning, UsageError, VariableWarning
from gough.robot import DescriptionError, Robot, dumps, loads

HEXAPOD = """
format: 2
name: varied
variables:
  base_radius: 520 mm
  top_radius: 310 mm
  a: 12 deg
  b: 17 deg
  height: 640 mm
  rod_length: 400 mm
  rod_mass: 1.3 kg
  top_mass: 9 kg
  offset: 0 mm
  lean: 8 deg
  rubbing: 0 N.s/m
  g_0: 9.81 m/s2
  half: rod_length/2
  load: 0.1*top_mass
gravity: [0, "0.02*g_0", -g_0]
platform:
  shape: {hexagon_plate: {mass: top_mass, side: top_radius, thickness: 20 mm}}
  frames: {tool: {position: [offset, 0, "80 mm + offset"], rpy_zyx: [0, lean, 5 deg]}}
  payload: {mass: load, center_of_mass: [offset, 20 mm, half/4], at: {position: [0, 0, 50 mm], bryant_xyz: [lean, 0.1, 0]}}
templates:
  ups:
    chain:
      - name: base
        type: universal
        axes: [[1, 0, 0], [0, 1, 0]]
        body: {shape: {rod: {mass: rod_mass, length: rod_length}, at: {position: [0, 0, half]}}}
        friction: {viscous: 0.1}
      - name: slide
        type: prismatic
        drive: {rotor_inertia: "2 kg + rod_mass/4", gear: 3, viscous: rubbing}
        spring: {stiffness: "2000 N/m*rod_length/(1 m)", rest: height}
        body:
          mass: 0.8*rod_mass
          center_of_mass: [offset, 0, -half]
          inertia: {about: center_of_mass, xx: "rod_mass*rod_length**2/15", yy: "rod_mass*rod_length**2/15", zz: 1e-3}
          telescopic: {joint: slide, inertia: {xx: [0, "0.1*rod_mass*(1 m)", 0]}}
    cut: {type: spherical}
LEGS
springs:
  - name: hanger
    from: {body: world, position: [0, offset, 2*height]}
    to: {body: platform, position: [0, 0, 20 mm]}
    stiffness: 50
    rest_length: height
home: {pose: {position: [0.01, 0.02, height], rpy_zyx: [2 deg, 1 deg, -2 deg]}}
"""
LEGS = "legs:\n" + "".join(
    f"""  - like: ups
    base:
      position: ["base_radius*cos({outer} deg {s} a)", "base_radius*sin({outer} deg {s} a)", "{k} mm + offset"]
      rpy_zyx: ["{60 * k} deg + a", lean, 3 deg]
    on_platform: {{position: ["top_radius*cos({inner} deg {o} b)", "top_radius*sin({inner} deg {o} b)", 0]}}
"""
    for k, (s, o) in enumerate([("+", "-"), ("-", "+")] * 3)
    for outer, inner in [(60 * (k + k % 2), 60 * (k + 1 - k % 2))]
)
TEXT = HEXAPOD.replace("LEGS", LEGS)
OTHER = {
    "base_radius": 0.55,
    "top_radius": 0.29,
    "a": 0.25,
    "b": 0.2,
    "height": 0.7,
    "rod_length": 0.43,
    "rod_mass": 1.9,
    "top_mass": 7.0,
    "offset": 0.013,
    "lean": 0.21,
    "rubbing": 4.0,
    "g_0": 9.7,
}


@pytest.fixture(scope="module")
def robot() -> Robot:
    return loads(TEXT)


@pytest.fixture(scope="module")
def model(robot: Robot) -> gough.Model:
    return gough.build(robot)


@pytest.fixture(scope="module")
def other(robot: Robot) -> gough.Model:
    return gough.build(robot.with_variables(OTHER))


def state(model: gough.Model) -> dict[str, Any]:
    rng = np.random.default_rng(3)
    pose = model.home_pose + np.array([0.01, -0.02, 0.03, 0, 0.02, 0.01, -0.03])
    pose[3:] /= np.linalg.norm(pose[3:])
    q = np.asarray(model.configuration(pose=pose))
    return {"q": q, "v": rng.normal(size=6), "acceleration": rng.normal(size=6)}


def test_names_units_and_values(model: gough.Model) -> None:
    found = model.variables
    assert found.names == tuple(OTHER)
    assert found.units[:5] == ("m", "m", "rad", "rad", "m")
    assert found.units[-2:] == ("N.s/m", "m/s2")
    assert found.values[0] == 0.52
    assert "half" in model.robot.variables
    assert not found.values.flags.writeable


def test_parameters_are_those_of_a_robot_that_is_read_again(model: gough.Model, other: gough.Model) -> None:
    np.testing.assert_allclose(model.parameters_with(variables=OTHER), other.parameters, rtol=1e-12, atol=1e-13)


def test_inverse_dynamics_is_that_of_a_robot_that_is_read_again(model: gough.Model, other: gough.Model) -> None:
    s = state(other)
    expected = other.inverse_dynamics(**s).tau
    by_parameters = model.inverse_dynamics(**s, parameters=model.parameters_with(variables=OTHER)).tau
    np.testing.assert_allclose(by_parameters, expected, rtol=1e-12, atol=1e-10)
    function = model.function("inverse_dynamics", variables=True)
    loads_ = {slot.name: np.zeros(slot.shape) for slot in function.program.inputs if slot.name not in s}
    values = np.array([OTHER[name] for name in model.variables.names])
    by_variables = function(**{**loads_, **s, "variables": values}).outputs["tau"]
    np.testing.assert_allclose(by_variables, expected, rtol=1e-12, atol=1e-10)


def test_batches_broadcast_and_parameters_come_last(model: gough.Model) -> None:
    found = model.parameters_with(
        {"platform.M": 3.0}, variables={"a": np.linspace(0.1, 0.3, 4)[:, None], "offset": np.zeros(5)}
    )
    assert found.shape == (4, 5, len(model.parameters))
    assert (found[..., model.parameter_names.index("platform.M")] == 3.0).all()
    one = model.parameters_with({"platform.M": 3.0}, variables={"a": 0.3})
    np.testing.assert_array_equal(found[3, 2], one)


SWING = """
format: 2
name: pendulum
variables: {tilt: 10 deg, reach: 40 deg, c: 100 mm}
bodies: [{name: arm, mass: 1, center_of_mass: [0, 0, -c], inertia: {about: center_of_mass, xx: 0.1, yy: 0.1, zz: 0.1}}]
joints: [{name: h, type: revolute, axis: [0, 1, 0], parent: world, child: arm, drive: {stroke: [-reach, 2*reach]}}]
home: {joints: {h: tilt*c/(100 mm)}}
"""


def test_variables_that_move_nothing_are_told() -> None:
    """Limits and home are no parameters: other values have no effect in a vector of them, nor in runs."""
    own = gough.build(loads(SWING))
    with pytest.warns(
        VariableWarning, match=r"follows reach \(joints\[0\]\.drive\.stroke\[0\], .*\[1\] do\).*with_variables"
    ):
        assert np.array_equal(own.parameters_with(variables={"reach": "30 deg"}), own.parameters)
    assert own.parameters_with(variables={"c": "5 cm", "reach": own.robot.variables["reach"]}) == pytest.approx(
        own.parameters_with(variables={"c": 0.05})
    )
    settings = {"duration": 0.01, "step": 1e-3, "stored": 2}
    with pytest.raises(UsageError, match=r"follows tilt \(home\.joints\.h.* does\).*at\.NAME.*with_variables"):
        gough.simulate_many(own, vary=gough.vary.sweep({"tilt": [0.1, 0.2]}), **settings)
    with pytest.warns(RunWarning, match=r"own home.*does not follow c \(home\.joints\.h.* does\)"):
        gough.simulate_many(own, vary=gough.vary.sweep({"c": [0.1, 0.2]}), **settings)
    with pytest.raises(UsageError, match=r"variable c: '5 kg' is a mass"):
        own.parameters_with(variables={"c": "5 kg"})


def test_zeros_that_a_variable_moves_stay_inputs(model: gough.Model) -> None:
    names = {model.parameter_names[i] for i in model.pattern}
    assert not names & set(model.moved_parameters("offset"))
    assert not names & set(model.moved_parameters("rubbing"))
    assert "leg0.slide.drive.friction.viscous" in model.moved_parameters("rubbing")
    assert "platform.MX" in model.moved_parameters("offset")
    with pytest.raises(UsageError, match="no variable 'ofset'; use 'offset'"):
        model.moved_parameters("ofset")


def own_parameters(values: dict[str, complex]) -> dict[str, complex]:
    """Some parameters of the description above, written by hand for complex numbers."""
    x = values
    out: dict[str, complex] = {"gravity.y": 0.02 * x["g_0"], "gravity.z": -x["g_0"]}
    out["leg0.base.x"] = x["base_radius"] * np.cos(x["a"])
    out["leg1.base.y"] = x["base_radius"] * np.sin(2 * np.pi / 3 - x["a"])
    out["leg0.cut.on_platform.x"] = x["top_radius"] * np.cos(np.pi / 3 - x["b"])
    out["leg3.slide.M"] = out["leg3.slide_body.M"] = 0.8 * x["rod_mass"]
    mass, length, centre = 0.8 * x["rod_mass"], x["rod_length"], -x["rod_length"] / 2
    out["leg3.slide_body.MX"] = mass * x["offset"]
    out["leg3.slide_body.YY"] = x["rod_mass"] * length**2 / 15 + mass * (centre**2 + x["offset"] ** 2)
    out["leg3.slide_body.XZ"] = -mass * x["offset"] * centre
    out["leg3.base_body.XX"] = x["rod_mass"] * length**2 / 3
    out["leg5.slide.rotor_inertia"] = 9 * (2 + x["rod_mass"] / 4)
    out["leg2.slide.spring.stiffness"] = 2000 * length
    out["leg2.base.yaw"], out["leg2.base.pitch"] = 2 * np.pi / 3 + x["a"], x["lean"]
    load, top = 0.1 * x["top_mass"], x["top_mass"]
    p = np.array([x["offset"], 0.02, x["rod_length"] / 8], dtype=complex)
    c, s = np.cos(x["lean"]), np.sin(x["lean"])
    turn = np.array([[1, 0, 0], [0, c, -s], [0, s, c]]) @ np.array(
        [[np.cos(0.1), 0, np.sin(0.1)], [0, 1, 0], [-np.sin(0.1), 0, np.cos(0.1)]]
    )
    p = turn @ p + np.array([0, 0, 0.05])
    out["platform.M"] = top + load
    out |= {f"platform.M{k}": load * p[i] for i, k in enumerate("XYZ")}
    side, thick = x["top_radius"], 0.02
    out["platform.ZZ"] = 5 * top * side**2 / 12 + load * (p[0] ** 2 + p[1] ** 2)
    out["platform.XX"] = 5 * top * side**2 / 24 + top * thick**2 / 12 + load * (p[1] ** 2 + p[2] ** 2)
    out["platform.XY"] = -load * p[0] * p[1]
    return out


def test_derivatives_of_parameters_are_complex_steps(model: gough.Model) -> None:
    names = model.variables.names
    derived = model._parameters_of_variables.derivative("variables")
    values = np.array([OTHER[name] for name in names])
    jacobian = derived(variables=values).outputs["parameters_variables"]
    rows = {model.parameter_names[i]: k for k, i in enumerate(model.mechanism.table.formulas)}
    checked = 0
    for k, name in enumerate(names):
        moved = {**OTHER, name: OTHER[name] + 1e-30j}
        for parameter, value in own_parameters(moved).items():
            if parameter in rows:
                assert jacobian[rows[parameter], k] == pytest.approx(value.imag / 1e-30, rel=1e-12, abs=1e-12), (
                    name,
                    parameter,
                )
                checked += 1
    assert checked > 200


PENDULUM = """
format: 2
name: pendulum
variables: {long: 0.7 m, m_0: 1.2 kg, m_1: 0.4 kg, tilt: 0.3 rad, rotor: 0.05 kg.m2, ratio: 4}
gravity: [0, -9.81, 0]
bodies:
  - name: link
    shape:
      - {rod: {mass: m_0, length: long, axis: x}, at: {position: [long/2, 0, 0]}}
      - {sphere: {mass: m_1, radius: "0.1*long"}, at: {position: [long, 0, 0]}}
joints:
  - name: pin
    type: revolute
    parent: world
    child: link
    pose: {rpy_zyx: [tilt, 0, 0]}
    drive: {rotor_inertia: rotor, gear: ratio, viscous: "0.2 N.m.s*long/(1 m)"}
home: {joints: {pin: 0.2}}
"""


def pendulum_torque(x: dict[str, complex], q: complex, v: complex, acceleration: float) -> complex:
    J = x["m_0"] * x["long"] ** 2 / 3 + x["m_1"] * (x["long"] ** 2 + 0.4 * (0.1 * x["long"]) ** 2)
    first = x["m_0"] * x["long"] / 2 + x["m_1"] * x["long"]
    inertia = (J + x["ratio"] ** 2 * x["rotor"]) * acceleration
    return inertia + 9.81 * first * np.cos(q + x["tilt"]) + 0.2 * x["long"] * v


def test_derivatives_of_inverse_dynamics_are_complex_steps_of_the_closed_form() -> None:
    model = gough.build(loads(PENDULUM))
    function = model.function("inverse_dynamics", variables=True).derivative("variables")
    names = model.variables.names
    rng = np.random.default_rng(5)
    for _ in range(5):
        values = dict(zip(names, model.variables.values * rng.uniform(0.5, 1.5, len(names)), strict=True))
        q, v, acceleration = rng.normal(size=3)
        given = {"q": [q], "v": [v], "acceleration": [acceleration], "variables": np.array(list(values.values()))}
        given |= {s.name: np.zeros(s.shape) for s in function.program.inputs if s.name not in given}
        found = function(**given).outputs["tau_variables"][0]
        for k, name in enumerate(names):
            step = pendulum_torque({**values, name: values[name] + 1e-30j}, q, v, acceleration).imag / 1e-30
            assert found[k] == pytest.approx(step, rel=1e-12, abs=1e-12), name
    assert function.held == (
        "q",
        "v",
        "acceleration",
        *(s.name for s in function.program.inputs if s.name in ("wrench", "force")),
    )


def test_tangents_by_variables_are_complex_steps_of_the_closed_form() -> None:
    model = gough.build(loads(PENDULUM))
    function = model.tangent_derivative("inverse_dynamics", "q", "v", "variables", variables=True)
    values = dict(zip(model.variables.names, 1.3 * model.variables.values, strict=True))
    given = {"q": [0.7], "v": [-0.4], "acceleration": [1.1], "variables": np.array(list(values.values()))}
    given |= {s.name: np.zeros(s.shape) for s in function.program.inputs if s.name not in given}
    found = function(**given).outputs
    step = 1e-30j
    assert found["tau_q"][0, 0] == pytest.approx(pendulum_torque(values, 0.7 + step, -0.4, 1.1).imag / 1e-30, rel=1e-12)
    assert found["tau_v"][0, 0] == pytest.approx(pendulum_torque(values, 0.7, -0.4 + step, 1.1).imag / 1e-30, rel=1e-12)
    by_length = pendulum_torque({**values, "long": values["long"] + step}, 0.7, -0.4, 1.1).imag / 1e-30
    assert found["tau_variables"][0, 0] == pytest.approx(by_length, rel=1e-12)


def test_tangents_of_a_closed_robot_are_those_of_a_robot_that_is_read_again(
    model: gough.Model, other: gough.Model
) -> None:
    s = state(other)
    made = model.tangent_derivative("inverse_dynamics", "q", variables=True)
    again = other.tangent_derivative("inverse_dynamics", "q")
    given = {
        **s,
        "variables": np.array([OTHER[name] for name in model.variables.names]),
        "parameters": other.parameters,
    }
    taus = []
    for function in (made, again):
        inputs = {x.name: given.get(x.name, np.zeros(x.shape)) for x in function.program.inputs}
        taus.append(function(**inputs).outputs["tau_q"])
    np.testing.assert_allclose(*taus, rtol=0, atol=1e-11 * np.abs(taus[1]).max())


@pytest.mark.slow
def test_derivatives_of_a_closed_robot_are_differences_of_robots_read_again(model: gough.Model, robot: Robot) -> None:
    """At the same q: parameters move, the configuration is held."""
    s = state(model)
    function = model.function("inverse_dynamics", variables=True).derivative("variables")
    given = {**s, "variables": model.variables.values}
    given |= {x.name: np.zeros(x.shape) for x in function.program.inputs if x.name not in given}
    found = function(**given).outputs["tau_variables"]
    plain = model.function("inverse_dynamics", variables=True)
    size = np.abs(found).max()
    for name in ("rod_mass", "top_mass", "g_0", "rubbing"):  # these open no loop
        k = model.variables.names.index(name)
        torques = []
        for sign in (1, -1):
            x = model.variables.values[k] + sign * 1e-3
            built = gough.build(robot.with_variables({name: float(x)})) if x >= 0 else None
            values = model.variables.values.copy()
            values[k] = x
            by_formula = plain.values(**{**given, "variables": values})["tau"]
            if built is not None:
                np.testing.assert_allclose(by_formula, built.inverse_dynamics(**s).tau, rtol=1e-11, atol=1e-10)
            torques.append(by_formula)
        np.testing.assert_allclose(found[:, k], (torques[0] - torques[1]) / 2e-3, rtol=1e-6, atol=1e-7 * size)


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ({"top_mas": 3.0}, "no variable 'top_mas'; use 'top_mass'"),
        ({"half": 3.0}, "follows from others, 'rod_length/2'; change those"),
        ({"rod_mass": -1.0}, "it is not negative"),
        ({"top_radius": 0.0}, "it is positive"),
        ({"a": np.ones(2), "b": np.ones(3)}, "do not broadcast"),
    ],
)
def test_what_is_wrong_with_variables_is_told(model: gough.Model, variables: dict, message: str) -> None:
    with pytest.raises(UsageError, match=message.replace("(", r"\(")):
        model.parameters_with(variables=variables)


@pytest.mark.parametrize(
    ("values", "error", "message"),
    [
        ({"long": "3 kg"}, UsageError, "is a mass, and long is a length"),
        ({"long": "three"}, UsageError, "not a number"),
        ({"long": math.nan}, UsageError, "not a finite number"),
        ({"lon": 1.0}, UsageError, "no variable 'lon'"),
        ({"long": -1.0}, DescriptionError, "shape"),
    ],
)
def test_a_robot_with_other_variables_is_checked(values: dict, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        loads(PENDULUM).with_variables(values)


@pytest.mark.parametrize("about", ["center_of_mass", "origin"])
def test_a_load_may_vanish(about: str) -> None:
    load = f'payload: {{mass: extra, center_of_mass: [0.1, 0.2, long/3], inertia: {{about: {about}, xx: "extra*(0.3 m)**2"}}, '
    load += "at: {position: [long, 0, 0], rpy_zyx: [0.3, tilt, 0.1]}}"
    text = PENDULUM.replace("ratio: 4}", "ratio: 4, extra: 0 kg}").replace("    shape:\n", f"    {load}\n    shape:\n")
    model = gough.build(loads(text))
    other = gough.build(model.robot.with_variables({"extra": 0.7, "tilt": 0.5}))
    found = model.parameters_with(variables={"extra": 0.7, "tilt": 0.5})
    np.testing.assert_allclose(found, other.parameters, rtol=1e-13, atol=1e-15)
    plain = (
        text.replace("extra: 0 kg", "none: 0 kg")
        .replace('"extra*(0.3 m)**2"', "0.063")
        .replace("mass: extra", "mass: 0.7")
    )
    plain = plain.replace("long/3", repr(0.7 / 3)).replace("[long, 0, 0], rpy", "[0.7, 0, 0], rpy")
    fixed = gough.build(loads(plain.replace("tilt: 0.3 rad", "tilt: 0.5 rad").replace("tilt, 0.1", "0.5, 0.1")))
    np.testing.assert_allclose(found, fixed.parameters, rtol=1e-13, atol=1e-15)


def test_robots_without_variables_say_so() -> None:
    model = gough.build("five_bar")
    assert model.variables.names == ()
    with pytest.raises(UsageError, match="has no variables"):
        model.function("inverse_dynamics", variables=True)
    with pytest.raises(UsageError, match="the description has none"):
        model.parameters_with(variables={"a": 1.0})
    with pytest.raises(UsageError, match="has no variables"):
        model.robot.with_variables({"a": 1.0})


def test_kept_through_files_pickles_and_copies(robot: Robot, model: gough.Model, tmp_path: Path) -> None:
    assert loads(dumps(robot)) == robot
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.parameters_with(variables=OTHER), model.parameters_with(variables=OTHER))
    back = robot.with_variables(OTHER).with_variables(
        dict(zip(model.variables.names, model.variables.values, strict=True))
    )
    np.testing.assert_array_equal(gough.build(back).parameters, model.parameters)
    assert robot.with_variables({}) == robot


def test_a_variable_among_parameters_is_named(model: gough.Model) -> None:
    with pytest.raises(UsageError, match=r"'top_mass' is a variable of the description: variables=\{'top_mass': …\}"):
        model.parameters_with({"top_mass": 3.0})
