"""`velocities: any`: what platform and drives leave open is led by joints that are found."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from gough.robot import DescriptionError, dumps, loads

FOUR_BAR = """
format: 2
name: passive_four_bar
gravity: [0, -9.81, 0]
bodies:
  - {name: crank, mass: 1, center_of_mass: [0.2, 0.01, 0], inertia: {about: center_of_mass, zz: 0.02}}
  - {name: rod, mass: 2, center_of_mass: [0.5, -0.02, 0], inertia: {about: center_of_mass, zz: 0.1}}
  - {name: rocker, mass: 1.5, center_of_mass: [0.3, 0, 0], inertia: {about: center_of_mass, zz: 0.05}}
joints:
  - {name: j1, type: revolute, parent: world, child: crank}
  - {name: j2, type: revolute, parent: crank, child: rod, pose: {position: [0.4, 0, 0]}}
  - {name: j3, type: revolute, parent: rod, child: rocker, pose: {position: [1, 0, 0]}}
loops:
  - name: foot
    type: revolute
    first: {body: rocker, pose: {position: [0.7, 0, 0]}}
    second: {body: world, pose: {position: [1, 0, 0]}}
velocities: any
home: {joints: {j1: 1.2666, j2: -0.9462, j3: -1.9898}}
"""


def test_a_mechanism_without_drives_is_led_by_a_joint_that_is_found() -> None:
    found = gough.build(loads(FOUR_BAR))
    assert found.mobility == 1 and found.layout.v_names[0] in ("j1", "j2", "j3")
    for name in ("j1", "j3"):
        named = gough.build(loads(FOUR_BAR.replace("velocities: any", f"velocities: [{name}]")))
        u = found.function("tree_rates")(q=found.home, v=[0.7], parameters=found.parameters).outputs["u"]
        own = u[list(found.layout.u_names).index(name)]
        first, second = found.forward_dynamics(found.home, [0.7], []), named.forward_dynamics(named.home, [own], [])
        rates = [
            m.function("joint_motion")(q=m.home, v=v, vdot=d.vdot, parameters=m.parameters).outputs["ud"]
            for m, v, d in ((found, [0.7], first), (named, [own], second))
        ]
        np.testing.assert_allclose(*rates, rtol=1e-10, atol=1e-12)


def test_it_is_a_word_of_format_2() -> None:
    robot = loads(FOUR_BAR)
    assert loads(dumps(robot)) == robot and dumps(robot).startswith("format: 2")
    with pytest.raises(DescriptionError, match="velocities: a value of format 2"):
        loads(FOUR_BAR.replace("format: 2", "format: 1"))


def test_drives_that_lead_everything_are_taken_as_usual() -> None:
    usual = gough.build("five_bar")
    assert usual.with_(velocities="any").layout.v_names == usual.layout.v_names
