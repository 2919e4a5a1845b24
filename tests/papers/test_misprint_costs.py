"""Costs of misprints that the reports compute with the library, against the transcriptions with the same slip switched on."""

import warnings
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import gough
from gough_papers import pedrammehr2012 as paths
from gough_papers.fried import costs as fried_costs
from gough_papers.long2014 import costs as long_costs
from gough_papers.long2014 import poses
from gough_papers.lopes import costs as lopes_costs
from gough_papers.pedrammehr2012 import axes
from gough_papers.pedrammehr2012.pods import Switches, pod_forces, pods_of
from papers import fried, library, long2014, lopes, pedrammehr2012
from papers.pedrammehr2012_paths import path
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
    found = long_costs.costs(model("long2014_rigid"), poses().part(rows))
    states = [long2014.poses_path(t) for t in poses().t[rows]]
    right = np.array([long2014.inverse_dynamics(*s).Gamma for s in states])
    for name, switch in LONG.items():
        on = replace(long2014.ALL_ON, **{switch: False})
        printed = np.array([long2014.inverse_dynamics(*s, on=on).Gamma for s in states])
        assert found[name] == pytest.approx(relative(printed, right), rel=1e-9), name


def test_lopes(monkeypatch):
    monkeypatch.setattr(lopes_costs, "SAMPLES", 9)
    found = lopes_costs.costs(model("lopes"))
    for k, T in enumerate(lopes_costs.DURATIONS):
        states = list(zip(*lopes.trajectory(5, T), strict=True))
        right = np.array([lopes.inverse_dynamics_x(*s).tau for s in states])
        for name, switch in (("transposed", "eq14_inverse"), ("no derivative", "eq77_by_x")):
            on = replace(lopes.ALL_ON, **{switch: False})
            printed = np.array([lopes.inverse_dynamics_x(*s, on=on).tau for s in states])
            assert found[name][k] == pytest.approx(relative(printed, right), rel=1e-9), name


def test_fried():
    m = model("fried")
    pose, v, acceleration = fried_costs.random_states()
    found = fried_costs.constant_inertia(m, m.configuration(pose=pose), v, acceleration)
    np.testing.assert_allclose(pose[:, :3], [s[0] for s in STATES], atol=1e-15)
    on = replace(fried.ALL_ON, dI_dtheta=False)
    right, printed = (
        np.array([fried.inverse_dynamics(*s, GALLERY, o).Gamma for s in STATES]) for o in (fried.ALL_ON, on)
    )
    assert found == pytest.approx(relative(printed, right), rel=1e-9)


@pytest.mark.parametrize(
    ("do", "options"),
    [
        ({}, {}),
        ({"spin": False}, {"spin": False}),
        ({"moment": False}, {"moment": False}),
        ({"spin": False, "moment": False}, {"spin": False, "moment": False}),
        ({"eq25": False}, {"on": replace(pedrammehr2012.ALL_ON, eq25_spin=False)}),
        ({"eq32": False}, {"on": replace(pedrammehr2012.ALL_ON, eq32_central=False)}),
        ({"eq50": False}, {"on": replace(pedrammehr2012.ALL_ON, eq50_central=False)}),
    ],
)
def test_pedrammehr2012(do, options):
    """The equations of the reports, with data from the gallery file, are those of the transcription."""
    found = pod_forces(pods_of(model("pedrammehr2012")), paths.path3(), Switches(**do))
    right = pedrammehr2012.inverse_dynamics(*path(3).state, **options)
    assert library.relative_error(found.f, right.f) <= 1e-12
    np.testing.assert_allclose(found.w, right.legs.w, atol=1e-12)
    np.testing.assert_allclose(found.alpha, right.legs.alpha, atol=1e-11)


@pytest.mark.parametrize("k", range(3), ids=["v = n × u", "u along y", "u tangential"])
def test_other_axes(k):
    choice = axes.choices(pedrammehr2012.DATA.b)[k]
    found = axes.forces(axes.model_with(choice), paths.path2())
    data = replace(pedrammehr2012.DATA, u=choice.u, v_sign=choice.sense)
    assert library.relative_error(found, pedrammehr2012.inverse_dynamics(*path(2).state, data=data).f) <= 1e-12
