"""Frequencies that are equal: means, and slopes to either side along one number."""

import warnings
from itertools import pairwise

import numpy as np
import pytest

import gough
from gough.errors import RepeatedModesWarning
from gough.robot import loads

from .rebuilding import built

CROSSED = """
format: 2
name: crossed_slides
variables: {angle: 0 rad, k: 900 N/m, load: 1.5 kg}
gravity: [0, 0, 0]
bodies: [{name: table, mass: 0.7}, {name: head, mass: load}]
joints:
  - {name: x, type: prismatic, parent: world, child: table, axis: [1, 0, 0], spring: {stiffness: k*(1 + 0.7 kg/load)}}
  - name: y
    type: prismatic
    parent: table
    child: head
    pose: {rpy_zyx: [angle, 0, 0]}
    axis: [0, 1, 0]
    spring: {stiffness: k}
velocities: [x, y]
"""


def test_slides_whose_axes_stop_being_square() -> None:
    """M = [[m₁ + m, -m s], [-m s, m]], K = diag: λ' = ± λ √(m / (m₁ + m)) by the angle; by m both fall alike, or apart."""
    model = gough.build(loads(CROSSED))
    with pytest.warns(RepeatedModesWarning, match="frequency 0, frequency 1 are equal"):
        found = gough.sensitivity(model, "frequency:0,1", by=["angle", "k", "load"])
    f, m = np.sqrt(900 / 1.5) / (2 * np.pi), 1.5
    split = 0.5 * f * np.sqrt(m / (0.7 + m))
    assert found.repeated == ("frequency 0", "frequency 1") and np.allclose(found.values, f, rtol=1e-12)
    assert np.allclose(found["angle"], 0.0, atol=1e-10) and np.allclose(found["k"], f / 1800, rtol=1e-10)
    assert np.allclose(found.one_sided[:, 0], [[-split, split], [split, -split]], rtol=1e-10)
    assert np.allclose(found.one_sided[:, 1], f / 1800, rtol=1e-10)
    # k (1 + 0.7 / m) / (0.7 + m) = k / m: both fall alike
    assert np.allclose(found.one_sided[:, 2], -f / 2 / m, rtol=1e-9)


def test_frequencies_apart_have_slopes_of_their_own() -> None:
    model = built("dualemps")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = gough.sensitivity(model, "frequency:0,1", by=["slider2.M"])
    assert found.repeated == () and np.array_equal(found.one_sided[..., 0], found.derivatives)


@pytest.mark.slow
def test_pairs_of_an_even_robot_split_when_one_leg_changes() -> None:
    """delta_flexible at home has pairs of modes. The length of one arm takes them apart, by its amount to either side."""
    model = built("delta_flexible")
    with pytest.warns(RepeatedModesWarning):
        found = gough.sensitivity(model, "frequency:0,1,6,7", by=["leg0.elbow.x"])
    assert len(found.repeated) == 4
    whole = model.unlocked
    i = model.parameter_names.index("leg0.elbow.x")

    def at(h: float) -> np.ndarray:
        p = model.parameters.copy()
        p[i] += h
        q = whole.integrate(model.home, np.zeros(model.layout.nv), 1.0, parameters=p)
        return gough.natural_frequencies(whole, q, parameters=p).frequencies_hz[[0, 1, 6, 7]]

    for side, sign in ((0, 1.0), (1, -1.0)):
        d = [sign * (at(sign * h) - at(0.0)) / h for h in (8e-3, 4e-3, 2e-3, 1e-3)]
        while len(d) > 1:  # errors of every power of h
            order = 5 - len(d)
            d = [(2**order * near - far) / (2**order - 1) for far, near in pairwise(d)]
        assert np.abs(found.one_sided[:, 0, side] - d[0]).max() < 1e-5 * np.abs(found.one_sided).max()
    assert np.ptp(found.one_sided[:, 0], axis=1).max() > 0.1 * np.abs(found.derivatives).max()
