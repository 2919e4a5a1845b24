"""Misuse of calls: wrong shapes, names and options raise at once and say what to do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gough
from kinematics.hexapods import model

Z = np.zeros(6)

MISUSE: dict[str, tuple[Any, str]] = {
    "short q": (lambda m: m.mass_matrix(np.zeros(5)), r"q has shape \(5,\)"),
    "short v": (lambda m: m.inverse_dynamics(m.home, np.zeros(5), Z), r"v has shape \(5,\)"),
    "short acceleration": (lambda m: m.inverse_dynamics(m.home, Z, 1.0), "acceleration has shape"),
    "short wrench": (lambda m: m.inverse_dynamics(m.home, Z, Z, np.zeros(3)), "wrench has shape"),
    "short tau": (lambda m: m.forward_dynamics(m.home, Z, np.zeros(7)), "tau has shape"),
    "batches": (lambda m: m.bias_force(np.tile(m.home, (3, 1)), np.zeros((2, 6))), "do not broadcast"),
    "batches of a frame": (lambda m: m.frame_twist(np.tile(m.home, (3, 1)), np.zeros((2, 6)), "platform"), "broadcast"),
    "unknown frame": (lambda m: m.frame_pose(m.home, "tool"), "no frame 'tool'"),
    "wrench at an unknown frame": (lambda m: m.inverse_dynamics(m.home, Z, Z, {"tool": Z}), "no frame 'tool'"),
    "short wrench at a frame": (lambda m: m.inverse_dynamics(m.home, Z, Z, {"platform": np.zeros(3)}), "wrench"),
    "unknown function": (lambda m: m.function("dynamics"), "no function 'dynamics'"),
    "unknown option": (lambda m: m.mass_matrix(m.home, on_bad_state="ignore"), "on_bad_state='ignore'"),
    "unknown parameter": (lambda m: m.mass_matrix(m.home, parameters={"mass": 1.0}), "no parameter 'mass'"),
    "a mass": (lambda m: m.parameters_with({"platform.mass": 3}), "use 'platform.M' "),
    "a mass centre": (lambda m: m.parameters_with({"platform.center_of_mass": 3}), "'platform.MX', 'platform.MY'"),
    "a moment of inertia": (lambda m: m.parameters_with({"platform.inertia.xx": 3}), "use 'platform.XX' "),
    "few parameters": (lambda m: m.mass_matrix(m.home, parameters=np.zeros(3)), r"parameters has shape \(3,\)"),
    "few parameters for geometry": (lambda m: m.configuration(m.home[:7], parameters=np.zeros(3)), "parameters"),
    "drive rates": (lambda m: m.drive_rates(m.home, np.zeros(5)), "v has shape"),
    "step": (lambda m: m.integrate(m.home, np.zeros(5)), "v has shape"),
    "unknown derivative": (lambda m: m.function("drive_map").derivative("z"), "no input 'z'"),
    "unknown mode": (lambda m: m.function("drive_map").derivative("q", "hessian"), "mode='hessian'"),
    "unknown backend": (lambda m: m.function("drive_map").compile("fpga"), "backend='fpga'"),
    "unknown input": (lambda m: m.function("drive_map")(q=m.home, v=Z, parameters=m.parameters), "takes"),
    "missing input": (lambda m: m.function("drive_map")(parameters=m.parameters), "takes"),
}


@pytest.mark.parametrize("name", MISUSE)
def test_misuse(name: str) -> None:
    call, message = MISUSE[name]
    with pytest.raises(gough.UsageError, match=message):
        call(model())


def test_unknown_option_is_refused_before_any_work() -> None:
    with pytest.raises(gough.UsageError, match="on_bad_state"):
        model().configuration(model().home[:7], on_bad_state="skip")
    with pytest.raises(gough.UsageError, match="on_bad_state"):
        model().integrate(model().home, Z, on_bad_state="skip")


def test_unknown_robots() -> None:
    with pytest.raises(Exception, match="no_such_robot"):
        gough.build("no_such_robot")
    with pytest.raises(gough.UsageError, match="names no parameter"):
        gough.build("lopes", free=["nothing.at.all"])


def test_home_and_parameters_cannot_be_overwritten() -> None:
    m = model()
    with pytest.raises(ValueError, match="read-only"):
        m.home[0] = 1.0
    with pytest.raises(ValueError, match="read-only"):
        m.parameters[0] = 1.0


def test_aliases_of_the_khalil_school() -> None:
    m = model()
    tau = m.inverse_dynamics(m.home, Z, Z).tau
    np.testing.assert_array_equal(m.idm(m.home, Z, Z).tau, tau)
    np.testing.assert_array_equal(m.ddm(m.home, Z, tau).vdot, m.forward_dynamics(m.home, Z, tau).vdot)
    np.testing.assert_array_equal(m.igm(m.home[:7]), m.configuration(m.home[:7]))
    np.testing.assert_array_equal(m.dgm(m.drives(m.home)), m.forward_geometry(m.drives(m.home)))


def test_reactions_refuse_forces_that_do_not_belong_to_the_motion() -> None:
    """Given drive forces must give the given acceleration: else the platform is out of balance."""
    m = model()
    tau = m.inverse_dynamics(m.home, Z, Z).tau
    m.joint_reactions(m.home, Z, Z, tau=tau)
    with pytest.raises((gough.UsageError, gough.BadStateError)):
        m.joint_reactions(m.home, Z, Z, tau=tau + 10.0)


def test_functions_tell_what_they_are() -> None:
    m = model()
    f = m.function("inverse_dynamics")
    assert f is m.function("inverse_dynamics")
    assert "inverse_dynamics" in repr(f) and "6 loops" in repr(m)
    assert f.text().startswith("# hexapod inverse_dynamics")


@pytest.mark.parametrize(
    ("robot", "why"),
    [
        ("five_bar", r"five_bar has no platform, so no pose; .*configuration\(drives=…\)"),
        ("delta", r"the platform of delta has 3 freedoms, .*configuration\(pose=…\)"),
    ],
)
def test_a_function_of_the_pose_says_why_there_is_none(robot: str, why: str) -> None:
    with pytest.raises(gough.UsageError, match=why):
        gough.build(robot).function("inverse_dynamics@pose")


def test_another_robot_by_name() -> None:
    model = gough.build("five_bar", precision="ieee").with_(robot="delta")
    assert model.robot.name == "delta" and model.precision == "ieee"
