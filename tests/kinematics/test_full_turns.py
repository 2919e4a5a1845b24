"""Cranks that turn fully: every regular pose is computed, whatever pivots suited home."""

from __future__ import annotations

import json

import numpy as np
import pytest

import gough
from gough.robot import loads
from laws.mechanisms import relative
from reference.energies.lagrange import Reference

BODY = {
    "mass": 0.7,
    "center_of_mass": [0.2, 0.03, -0.02],
    "inertia": {"about": "center_of_mass", "xx": 0.01, "yy": 0.02, "zz": 0.025},
}


def crank_and_rocker() -> dict:
    """Planar, ground 1.0, crank 0.3, rod 0.9, rocker 0.6: the crank turns fully."""
    at = lambda *p: {"position": list(p)}  # noqa: E731
    return {
        "format": 1,
        "name": "rocker",
        "gravity": [0.3, -9.7, 0.5],
        "bodies": [BODY | {"name": n} for n in ("a", "b", "c")],
        "joints": [
            {"name": "crank", "type": "revolute", "parent": "world", "child": "a", "drive": {}},
            {"name": "knee", "type": "revolute", "parent": "a", "child": "b", "pose": at(0.3, 0, 0)},
            {"name": "rocker", "type": "revolute", "parent": "world", "child": "c", "pose": at(1.0, 0, 0)},
        ],
        "loops": [
            {
                "name": "pin",
                "type": "revolute",
                "first": {"body": "b", "pose": at(0.9, 0, 0)},
                "second": {"body": "c", "pose": at(0.6, 0, 0)},
            }
        ],
        "home": {"joints": {"crank": "60 deg", "knee": "-40 deg", "rocker": "110 deg"}},
    }


def spatial_crank_and_rocker() -> dict:
    """Axes z and x; the rod hangs on a ball and closes by a universal joint: four unknowns at once."""
    at = lambda *p: {"position": list(p)}  # noqa: E731
    data = crank_and_rocker()
    data["name"] = "spatial_rocker"
    data["joints"] = [
        {"name": "crank", "type": "revolute", "parent": "world", "child": "a", "drive": {}},
        {"name": "ball", "type": "spherical", "parent": "a", "child": "b", "pose": at(0.12, 0, 0.05)},
        {
            "name": "rocker",
            "type": "revolute",
            "axis": [1, 0, 0],
            "parent": "world",
            "child": "c",
            "pose": at(0.7, 0.35, -0.1),
        },
    ]
    cross = {"axes": [[0, 1, 0], [1, 0, 0]]}
    data["loops"] = [
        {
            "name": "hook",
            "type": "universal",
            "first": {"body": "b", "pose": at(0.85, 0.08, 0.05)},
            "second": {"body": "c", "pose": at(0, 0.1, 0.55)},
        }
        | cross
    ]
    data["home"] = {"joints": {"crank": "20 deg"}}
    return data


@pytest.mark.parametrize(("make", "unknowns"), [(crank_and_rocker, 2), (spatial_crank_and_rocker, 4)])
def test_two_turns(make, unknowns: int) -> None:
    robot = loads(json.dumps(make()))
    m = gough.build(robot)
    assert max(len(b.rows) for b in m.mechanism.selection.blocks) == unknowns
    reference = Reference(robot, list(m.layout.v_names))
    q, v, acceleration = m.home, np.array([3.0]), np.array([7.0])
    turned = []
    for _ in range(240):
        q = m.integrate(q, np.array([4 * np.pi / 240]))
        turned.append(q)
    path = np.array(turned)
    column = m.layout.index("crank")
    np.testing.assert_allclose(path[-1, column] - m.home[column], 4 * np.pi, rtol=1e-12)
    assert (m.closure_error(path) < 1e-10).all()
    result = m.inverse_dynamics(path, v, acceleration)
    assert (result.status == 0).all()
    rng = np.random.default_rng(3)
    for k in rng.choice(len(path), 12, replace=False):
        assert relative(result.tau[k], reference.inverse(path[k], v, acceleration)) < 1e-11
        found = m.forward_dynamics(path[k], v, result.tau[k]).vdot
        assert relative(found, acceleration) < 1e-11
    np.testing.assert_allclose(result.tau[:120], result.tau[120:], rtol=1e-8, atol=1e-9)  # the second turn is the first


RSSR = """
format: 1
name: rssr
bodies:
  - {name: crank, mass: 1.2, center_of_mass: [0.05, 0.01, 0.02]}
  - {name: coupler, mass: 0.8, center_of_mass: [0.01, 0.2, 0.01]}
  - {name: rocker, mass: 1.5, center_of_mass: [0.1, 0.02, 0]}
joints:
  - {name: motor, type: revolute, parent: world, child: crank, drive: {}}
  - {name: u, type: universal, axes: [[1, 0, 0], [0, 0, 1]], parent: crank, child: coupler, pose: {position: [0.1, 0, 0]}}
  - name: rk
    type: revolute
    axis: [1, 0, 0]
    parent: world
    child: rocker
    pose: {position: [0.05, 0.5, -0.2], rpy_zyx: [10 deg, 5 deg, 0]}
loops:
  - name: s
    type: spherical
    first: {body: coupler, pose: {position: [0, 0.52, 0]}}
    second: {body: rocker, pose: {position: [0.02, 0, 0.2]}}
home: {joints: {motor: 0.3}}
"""


def test_leading_far_keeps_the_assembly() -> None:
    """A universal joint that nearly folds on the way: one far call ends where small steps end."""
    m = gough.build(loads(RSSR))
    angles = 0.3 + np.linspace(0.0, 2 * np.pi, 73)
    q, path = m.home, [m.home]
    for step in np.diff(angles):
        for _ in range(20):
            q = m.integrate(q, [step / 20])
        path.append(q)
    led = m.assemble(coordinates={"motor": angles})
    np.testing.assert_allclose(led.q, path, atol=1e-9)
    np.testing.assert_allclose(led.q[-1, 1:], m.home[1:], atol=1e-9)
    np.testing.assert_allclose(m.configuration(drives=angles[:, None]), path, atol=1e-9)
    marked = m.assemble(coordinates={"motor": [np.nan, 0.4]}, on_bad_state="mark")
    assert marked.status.tolist() == [int(gough.Status.NOT_FINITE), 0]
