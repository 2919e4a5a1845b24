"""Velocities of drives stand in the order of the drives, whatever their leads and lengths make of the choice."""

import numpy as np
import pytest

import gough
from gough.robot import loads

TEXT = """
format: 1
name: screwbar
bodies:
  - {name: carriage, mass: 1.5}
  - {name: rod1, mass: 0.6, inertia: {about: center_of_mass, xx: 0.0045, yy: 0.0045, zz: 0.0045}}
  - {name: flywheel, mass: 0.3, inertia: {about: center_of_mass, xx: 2e-4, yy: 1e-4, zz: 1e-4}}
  - {name: crank, mass: 0.8, inertia: {about: center_of_mass, xx: 0.003, yy: 0.003, zz: 0.003}}
  - {name: rod2, mass: 0.5, inertia: {about: center_of_mass, xx: 0.003, yy: 0.003, zz: 0.003}}
joints:
  - {name: screw, type: ball_screw, lead: LEAD, axis: [1, 0, 0], parent: world, child: carriage, drive: {}}
  - {name: spin, type: revolute, axis: [1, 0, 0], parent: world, child: flywheel}
  - {name: elbow1, type: revolute, parent: carriage, child: rod1}
  - {name: motor, type: revolute, parent: world, child: crank, drive: {}, pose: {position: [0.4, 0, 0]}}
  - {name: elbow2, type: revolute, parent: crank, child: rod2, pose: {position: [0.2, 0, 0]}}
loops:
  - name: pin
    type: revolute
    first: {body: rod1, pose: {position: [0.3, 0, 0]}}
    second: {body: rod2, pose: {position: [0.3, 0, 0]}}
  - {name: nut, type: helical, lead: 10 mm, axis: [1, 0, 0], first: {body: flywheel}, second: {body: carriage}}
home: {joints: {screw: 0, elbow1: 68.3754 deg, motor: 90 deg, elbow2: 74.7547 deg}}
"""


@pytest.mark.parametrize("lead", ["5 mm", "100 mm", "2 m"])
def test_drives_lead_in_their_own_order(lead):
    model = gough.build(loads(TEXT.replace("LEAD", lead)))
    assert model.layout.v_names == model.layout.drive_names == ("screw", "motor")
    assert model.with_(velocities="drives").layout.v_names == ("screw", "motor")
    assert model.with_(velocities=["motor", "screw"]).layout.v_names == ("motor", "screw")
    v = np.array([3.0, -0.2])
    np.testing.assert_allclose(model.drive_rates(model.home, v), v)
