"""Costs of misprints that the reports compute with the library, against the transcriptions with the same slip switched on."""

import warnings
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import gough
from gough_papers.along import posed_run, run_along
from gough_papers.fried.paper import HEIGHT, LIFT, constant_inertia, random_states
from gough_papers.long2014.paper import misprint_costs as long_costs
from gough_papers.lopes import paper as lopes_paper
from gough_papers.pedrammehr2012 import axes
from gough_papers.pedrammehr2012.closed import closed_form_forces
from gough_papers.pedrammehr2012.pods import Switches, pod_forces, pods_of
from papers import fried, library, lopes
from papers.long2014 import legs as long2014
from papers.long2014.path import poses_path
from papers.long2014.platform import State, inverse_dynamics
from papers.pedrammehr2012 import closed as pedrammehr2012_closed
from papers.pedrammehr2012 import direct as pedrammehr2012
from papers.pedrammehr2012.paths import path
from papers.test_fried import GALLERY, STATES


@cache
def model(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return gough.build(name)


def relative(found, right):
    return np.max(np.max(np.abs(found - right), axis=1) / np.max(np.abs(right), axis=1))


LONG = {
    "weight twice": "gravity_once",
    "weight not turned": "gravity_rotated",
    "centres": "about_origin",
    "rate of components": "vector_rate",
    "no rotor": "rotor_mass",
}


def test_long2014():
    """At nine instants of the motion."""
    rows = slice(60, 361, 37)
    run = run_along(model("long2014_rigid"), "long2014_poses")
    few = posed_run(run.model, run.time[rows], run.q[rows, :7], run.v[rows], run.acceleration[rows])
    found = long_costs(few)
    states = [State(*poses_path(t)) for t in few.time]
    right = np.array([inverse_dynamics(s)[0] for s in states])
    for name, switch in LONG.items():
        on = replace(long2014.ALL_ON, **{switch: False})
        printed = np.array([inverse_dynamics(s, on=on)[0] for s in states])
        assert found[name] == pytest.approx(relative(printed, right), rel=1e-9), name


def test_lopes(limits):
    limits(lopes_samples=9)
    found = lopes_paper.misprint_costs(model("lopes"))
    for k, T in enumerate(lopes_paper.COST_DURATIONS):
        states = list(zip(*lopes.trajectory(5, T), strict=True))
        right = np.array([lopes.inverse_dynamics_x(*s).tau for s in states])
        for name, switch in (("transposed", "eq14_inverse"), ("no derivative", "eq77_by_x")):
            on = replace(lopes.ALL_ON, **{switch: False})
            printed = np.array([lopes.inverse_dynamics_x(*s, on=on).tau for s in states])
            assert found[name][k] == pytest.approx(relative(printed, right), rel=1e-9), name


@pytest.mark.parametrize(("lift", "shortest", "longest"), [(0.0, 0.64, 1.02), (LIFT, 1.01, 1.38)])
def test_fried(lift, shortest, longest):
    """At the states of the report, and higher; the legs are as long as it says."""
    pose, v, acceleration = random_states(HEIGHT + lift)
    found = constant_inertia(model("fried"), pose, v, acceleration)
    states = [(s[0] + [lift, 0.0, 0.0], *s[1:]) for s in STATES]
    np.testing.assert_allclose(pose[:, :3], [s[0] for s in states], atol=1e-15)
    on = replace(fried.ALL_ON, dI_dtheta=False)
    right, printed = ([fried.inverse_dynamics(*s, GALLERY, o) for s in states] for o in (fried.ALL_ON, on))
    assert found == pytest.approx(relative(*(np.array([x.Gamma for x in f]) for f in (printed, right))), rel=1e-9)
    lengths = [leg.theta for x in right for leg in x.legs]
    assert (round(min(lengths), 2), round(max(lengths), 2)) == (shortest, longest)


@pytest.mark.parametrize(
    ("do", "options"),
    [
        ({}, {}),
        ({"spin": False}, {"spin": False}),
        ({"moment": False}, {"moment": False}),
        ({"spin": False, "moment": False}, {"spin": False, "moment": False}),
        ({"eq25": False}, {"on": replace(pedrammehr2012.ALL_ON, eq25_spin=False)}),
        ({"eq32": False}, {"on": replace(pedrammehr2012.ALL_ON, eq32_central=False)}),
        (
            {"eq32": False, "eq32_axes": False},
            {"on": replace(pedrammehr2012.ALL_ON, eq32_central=False, eq32_axes=False)},
        ),
        ({"eq50": False}, {"on": replace(pedrammehr2012.ALL_ON, eq50_central=False)}),
    ],
)
def test_pedrammehr2012(do, options):
    """The equations of the reports, with data from the gallery file, are those of the transcription."""
    run = run_along(model("pedrammehr2012"), "pedrammehr2012_path3")
    found = pod_forces(pods_of(run.model), run.q[:, :7], run.v, run.acceleration, Switches(**do))
    right = pedrammehr2012.inverse_dynamics(*path(3).state, **options)
    assert library.relative_error(found.f, right.f) <= 1e-12
    np.testing.assert_allclose(found.w, right.legs.w, atol=1e-12)
    np.testing.assert_allclose(found.alpha, right.legs.alpha, atol=1e-11)


CLOSED = {"eq42": "eq42_off_axis", "eq43": "eq43_lower", "appendix1": "app1_rate", "eq25": "eq25_spin"}
CLOSED |= {"eq32": "eq32_central", "eq32_axes": "eq32_axes", "eq50": "eq50_central"}


@pytest.mark.parametrize("switched", [(), *((name,) for name in CLOSED), tuple(CLOSED)])
def test_pedrammehr2012_closed_form(switched):
    """The same of the other route, where the report has Q and V in one."""
    run = run_along(model("pedrammehr2012"), "pedrammehr2012_path3")
    do = Switches(**dict.fromkeys(switched, False))
    found = closed_form_forces(pods_of(run.model), run.q[:, :7], run.v, run.acceleration, do)
    slips = replace(pedrammehr2012.ALL_ON, **{CLOSED[name]: False for name in switched})
    assert library.relative_error(found, pedrammehr2012_closed.inverse_dynamics(*path(3).state, on=slips)) <= 1e-12


@pytest.mark.quick_cases("u along b", "u along y")
@pytest.mark.parametrize("k", range(5), ids=["v = n × u", "u along y", "u tangential", "u along b", "u against b"])
def test_other_axes(k):
    choice = axes.choices(pedrammehr2012.DATA.b)[k]
    found = run_along(axes.model_with(choice), "pedrammehr2012_path2").tau
    data = replace(pedrammehr2012.DATA, u=choice.u, v_sign=choice.sense)
    assert library.relative_error(found, pedrammehr2012.inverse_dynamics(*path(2).state, data=data).f) <= 1e-12
