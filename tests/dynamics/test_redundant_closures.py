"""Closures that are left out as redundant: designs under which they contradict the others are named, in calls and in runs."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import gough
from gough import laws
from gough.errors import BadStateError, Site
from gough.robot import loads

GEARS = """
format: 2
name: geared_twice
variables: {k: 2}
bodies: [{name: a, shape: {disc: {mass: 1, radius: 0.1}}}, {name: b, shape: {disc: {mass: 1, radius: 0.1}}}]
joints:
  - {name: ja, type: revolute, parent: world, child: a, drive: {}}
  - {name: jb, type: revolute, parent: world, child: b}
couplings:
  - {name: one, type: gear, joints: [ja, jb], ratio: FIRST}
  - {name: two, type: mimic, joint: jb, of: ja, ratio: -k}
"""


@cache
def geared(first: str = "2") -> gough.Model:
    return gough.build(loads(GEARS.replace("FIRST", first)))


def test_every_call_names_the_coupling_that_contradicts() -> None:
    model = geared()
    wrong = model.parameters_with(variables={"k": 3})
    calls = [
        lambda p: model.inverse_dynamics(model.home, [0.0], [1.0], parameters=p),
        lambda p: model.forward_dynamics(model.home, [0.0], [1.0], parameters=p),
        lambda p: model.hybrid_dynamics(model.home, [0.0], {"ja": 1.0}, parameters=p),
        lambda p: model.mass_matrix(model.home, parameters=p),
        lambda p: gough.static_equilibrium(model, tau=[0.0], parameters=p),
    ]
    for call in calls:
        with pytest.raises(BadStateError, match=r"OPEN_LOOP at two.*contradicts"):
            call(wrong)
        call(model.parameters)
    by_variables = model.function("inverse_dynamics", variables=True)
    states = {"q": model.home, "v": [0.0], "acceleration": [1.0], "force": [0.0], "variables": [[2.0], [3.0]]}
    assert [f.site for f in by_variables(**states).failures] == [Site.NAMED, Site.CONTRADICTION]


def test_runs_steppers_and_ensembles_do_not_begin() -> None:
    model = geared()
    wrong, law = model.parameters_with(variables={"k": 3}), laws.Free((0.1,))
    with pytest.raises(gough.UsageError, match=r"cannot begin.*two.*contradicts"):
        gough.simulate(model, None, law, duration=0.1, parameters=wrong)
    with pytest.raises(gough.UsageError, match=r"cannot begin.*two"):
        gough.Stepper(model, parameters=wrong)
    with pytest.raises(gough.UsageError, match=r"run 1 cannot begin.*two"):
        gough.simulate_many(model, controller=law, duration=0.1, parameters=[model.parameters, wrong])


def test_designs_that_change_both_alike_are_those_of_a_robot_built_so() -> None:
    model = geared("k")
    numbers, built = model.parameters_with(variables={"k": 3}), gough.build(geared("k").robot.with_variables({"k": 3}))
    found = model.forward_dynamics([0.2, -0.6], [0.4], [1.0], parameters=numbers)
    np.testing.assert_allclose(found.vdot, built.forward_dynamics([0.2, -0.6], [0.4], [1.0]).vdot, rtol=1e-12)
    disc = 0.5 * 0.1**2  # m r² / 2; the other one turns three times as fast
    np.testing.assert_allclose(found.vdot, [1.0 / (disc + 9 * disc)], rtol=1e-12)
    run = gough.simulate(model, None, laws.Free((0.1,)), duration=0.1, parameters=numbers)
    assert run.stopped == "finished" and not run.status.any()


@pytest.mark.parametrize("name", ["agile_eye", "bricard", "three_rrr"])
def test_robots_whose_closures_are_redundant_stay_good(name: str) -> None:
    """At their sampled states, with equations that look at every closure."""
    model = gough.build(name).unlocked
    states = model.sampled_states
    program = model.function("energies").program
    assert any(c.failure.site == Site.CONTRADICTION for c in program.checks)
    found = model.function("energies")(q=states["q"], v=states["v"], parameters=model.parameters)
    assert not any(found.failures)


THREE_ROCKERS = """
format: 2
name: three_rockers
variables: {drop: 0 mm}
gravity: [0, 0, 0]
bodies:
  - {name: first, shape: {rod: {mass: 1, axis: y, length: 0.2}, at: {position: [0, 0.1, 0]}}}
  - {name: second, shape: {rod: {mass: 1, axis: y, length: 0.2}, at: {position: [0, 0.1, 0]}}}
  - {name: third, shape: {rod: {mass: 1, axis: y, length: 0.2}, at: {position: [0, 0.1, 0]}}}
  - {name: coupler, shape: {rod: {mass: 1, axis: x, length: 0.3}, at: {position: [0.15, 0, 0]}}}
joints:
  - {name: a, type: revolute, parent: world, child: first, drive: {}, pose: {position: [0.05, 0.1, 0]}}
  - {name: b, type: revolute, parent: first, child: coupler, pose: {position: [0, 0.2, 0]}}
  - {name: c, type: revolute, parent: world, child: second, pose: {position: [0.35, 0.1, 0]}}
  - {name: d, type: revolute, parent: world, child: third, pose: {position: [0.2, 0.1 m - drop, 0]}}
loops:
  - name: one
    type: revolute
    first: {body: coupler, pose: {position: [0.3, 0, 0]}}
    second: {body: second, pose: {position: [0, 0.2, 0]}}
  - name: two
    type: revolute
    first: {body: coupler, pose: {position: [0.15, 0, 0]}}
    second: {body: third, pose: {position: [0, 0.2 m + drop, 0]}}
home: {joints: {a: 0, b: 0, c: 0, d: 0}}
"""


@cache
def rockers() -> gough.Model:
    return gough.build(loads(THREE_ROCKERS))


def test_a_loop_that_closes_at_home_alone_ends_the_run() -> None:
    """A longer middle rocker: home closes, and its velocities agree; away from there the loop opens by its curvature."""
    model = rockers()
    assert model.mobility == 1 and model.mechanism.selection.removed
    wrong = model.parameters_with(variables={"drop": 0.05})
    assert model.forward_dynamics(model.home, [0.0], [0.1], parameters=wrong).status == 0
    run = gough.simulate(model, None, laws.Free((0.1,)), duration=1.0, parameters=wrong)
    assert run.failure.status == gough.Status.OPEN_LOOP and run.summary()["closure_error"] < 2e-3
    assert gough.simulate(model, None, laws.Free((0.1,)), duration=1.0).stopped == "finished"
    with pytest.warns(gough.errors.RunWarning, match=r"open loops: 1 of 2 runs .*run 1 "):
        gough.simulate_many(model, controller=laws.Free((0.1,)), duration=1.0, parameters=[model.parameters, wrong])
