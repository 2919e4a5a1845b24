"""Gains of measured forces, against a mass on a slide in closed form: M a + d v = g f, with much noise in f."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import gough
from gough import Samples
from gough.robot import loads

from .motions import five_bar, samples

SLIDE = """
format: 1
name: slide
bodies: [{name: head, mass: 2.0}]
joints: [{name: x, type: prismatic, parent: world, child: head, axis: [1, 0, 0], drive: {viscous: 30 N.s/m}}]
velocities: [x]
"""
MASS, VISCOUS, GAIN = 2.6, 30.0, 1.3


def measured(seed: int, noise: float) -> Samples:
    """Of a slide of MASS whose force sensor shows the force over GAIN; rows of their own noise, no filter."""
    t = np.arange(4000) * 2e-3
    x, v, a = np.zeros((3, len(t)))
    for amplitude, w, phase in ((0.2, 2.0, 0.0), (0.08, 5.0, 1.0), (0.02, 11.0, 2.0)):
        x += amplitude * np.sin(w * t + phase)
        v += amplitude * w * np.cos(w * t + phase)
        a -= amplitude * w**2 * np.sin(w * t + phase)
    force = (MASS * a + VISCOUS * v) / GAIN
    force = force + noise * force.std() * np.random.default_rng(seed).normal(size=len(t))
    model = gough.build(loads(SLIDE))
    columns = (x[:, None], v[:, None], a[:, None], force[:, None])
    return Samples(model, t, *columns, None, np.zeros(len(t), dtype=int), ("run",))


@pytest.mark.parametrize("noise", [0.01, 0.5])
def test_noise_of_forces_does_not_make_gains_small(noise: float) -> None:
    """Least squares with the measured force among its columns would find 1/(1 + noise²) of gain and mass: 20 % less at 0.5."""
    off = []
    for seed in range(20):
        data = measured(seed, noise)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # half of the force is noise
            found = gough.identify(data.model, data, parameters=("head.M", "gains"))
        off.append(
            [
                (found.gains[0] - GAIN) / found.gain_deviations[0],
                (found.base_values[0] - MASS) / found.base_deviations[0],
            ]
        )
    z = np.array(off)
    assert np.abs(z.mean(axis=0)).max() < 4 / np.sqrt(len(z))
    assert 0.5 < np.sqrt((z**2).mean()) < 1.5


def test_gains_far_from_one_are_found() -> None:
    data = measured(1, 0.01)
    for factor in (1e-3, 1e3):
        scaled = Samples(
            data.model, data.time, data.q, data.v, data.acceleration, data.force / factor, None, data.run, data.runs
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = gough.identify(data.model, scaled, parameters=("head.M", "gains"))
        assert found.gains[0] == pytest.approx(GAIN * factor, rel=0.01)
        assert found.base_values[0] == pytest.approx(MASS, rel=0.01)


def test_a_known_body_whose_part_unknown_ones_can_take_is_refused() -> None:
    """The mass that a crank carries is that of the rod at its end as well: all gains and unknowns could be 0."""
    with pytest.raises(gough.UsageError, match="fixes no gain, since unknown numbers can take its place"):
        gough.identify(five_bar(), samples(0.01), parameters=("left_crank.*", "left_rod.*", "right_rod.*", "gains"))
