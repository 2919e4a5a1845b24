"""Gains and zeros of measured forces: told with the numbers that the test made them with, and not where something else is wrong.

Forces are those of masses at the elbows and at the pin of a five-bar, by virtual power: places in closed form, their slopes by
complex steps, accelerations by differences of ninth order; with friction. The description has bars."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import gough
from gough.robot import loads

Change = Callable[[np.ndarray], np.ndarray]
NAMES = ("left_motor", "right_motor")
APART, CRANKS, RODS = 0.24, (0.25, 0.22), (0.36, 0.31)
HOME = (0.02, 0.42)
MASSES = (0.9, 0.7, 0.6)
"""kg, at the elbows and at the pin."""


@cache
def model() -> gough.Model:
    bar = {"mass": 0.7, "center_of_mass": (0.13, 0, 0), "inertia": {"about": "center_of_mass", "yy": 4e-3, "zz": 4e-3}}
    friction = {"viscous": 0.2, "coulomb": 0.1, "smoothing": 0.05}
    made = gough.robots.five_bar(
        APART, CRANKS, RODS, home=HOME, crank=bar, rod=bar, drive=friction, gravity=(0.0, -9.81, 0.0)
    )
    return gough.build(made)


def places(angles: np.ndarray) -> np.ndarray:
    """(n, 6): both elbows and the pin, x y each, of the cranks' angles (n, 2), which may be complex."""
    ends = [((k - 0.5) * APART + CRANKS[k] * np.cos(angles[:, k]), CRANKS[k] * np.sin(angles[:, k])) for k in range(2)]
    (x0, y0), (x1, y1) = ends
    square = (x1 - x0) ** 2 + (y1 - y0) ** 2
    along = 0.5 * (1.0 + (RODS[0] ** 2 - RODS[1] ** 2) / square)
    across = np.sqrt(RODS[0] ** 2 / square - along**2)
    pin = x0 + along * (x1 - x0) - across * (y1 - y0), y0 + along * (y1 - y0) + across * (x1 - x0)
    return np.stack([x0, y0, x1, y1, *pin], axis=1)


@cache
def log() -> gough.Record:
    rng, t = np.random.default_rng(2), np.arange(6000) / 500
    w = 2 * np.pi * 0.25 * np.arange(1, 6)
    C, S = 0.25 * rng.normal(size=(2, 2, 5)) / np.arange(1, 6)
    home = model().drives(model().home)

    def angles(t: np.ndarray) -> np.ndarray:
        return home + np.cos(np.outer(t, w)) @ C.T + np.sin(np.outer(t, w)) @ S.T

    h, nine = 1e-3, (-1 / 560, 8 / 315, -1 / 5, 8 / 5, -205 / 72, 8 / 5, -1 / 5, 8 / 315, -1 / 560)
    push = np.sum([c * places(angles(t + k * h)) for k, c in zip(range(-4, 5), nine, strict=True)], axis=0) / h**2
    push[:, 1::2] += 9.81
    push *= np.repeat(MASSES, 2)
    x, step = angles(t), 1e-30
    slopes = [places(x + 1j * step * np.eye(2)[k]).imag / step for k in range(2)]
    rate = -(np.sin(np.outer(t, w)) * w) @ C.T + (np.cos(np.outer(t, w)) * w) @ S.T
    tau = np.stack([(push * slope).sum(axis=1) for slope in slopes], axis=1)
    tau += 0.25 * rate + 0.12 * rate / np.sqrt(rate**2 + 0.05**2)
    tau += 0.01 * tau.std(axis=0) * rng.normal(size=tau.shape)
    x = np.round(x / 1e-5) * 1e-5
    return gough.Record("log", t, dict(zip(NAMES, x.T, strict=True)), dict(zip(NAMES, tau.T, strict=True)))


def test_the_log_is_that_of_its_masses() -> None:
    """Nothing is said of it, and forces are predicted to their noise."""
    found = gough.identify(model(), log())
    assert found.fits[0].error < 0.005


def said(changed: dict[str, Change], **more: object) -> str:
    forces = {d: changed.get(d, lambda x: x)(np.array(x)) for d, x in log().forces.items()}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        gough.identify(model(), replace(log(), forces=forces), **more)  # pyright: ignore[reportArgumentType]
    return " ".join(str(w.message) for w in caught)


@pytest.mark.parametrize("gain", [1.02, 1.05, 1.15, 4.0, 0.2])
def test_a_gain_of_one_drive_is_told_with_its_number(gain: float) -> None:
    """A gain of 1.15 moved numbers by 95 deviations, and 4 was said to be 5.3."""
    text = said({"right_motor": lambda x: gain * x})
    told = {
        name: (float(x), float(s)) for name, x, s in re.findall(r"the force of (\w+) were (\S+) ± (\S+) times", text)
    }
    x, s = told["right_motor"]  # of two drives, either may be meant
    assert abs(x * gain - 1) < 4 * s * gain < 0.05, text


def test_a_constant_beside_a_force_is_told_with_its_number() -> None:
    text = said({"left_motor": lambda x: x - 0.3, "right_motor": lambda x: x + 0.2})
    told = {name: (float(x), float(s)) for name, x, s in re.findall(r"(\w+) ([+-][\d.]+) ± (\S+) N m", text)}
    for name, truth in (("left_motor", -0.3), ("right_motor", 0.2)):
        x, s = told[name]
        assert abs(x - truth) < 5 * s < 0.1, text


def test_constants_that_are_identified_are_no_doubt() -> None:
    text = said({"right_motor": lambda x: x + 0.2}, parameters=("inertia", "friction", "offsets"))
    assert "constants" not in text and "the force of" not in text


def lost(x: np.ndarray) -> np.ndarray:
    x[2500:2800] = 0.0
    return x


@pytest.mark.parametrize(
    "change",
    [lambda x: x, lambda x: np.round(2 * x) / 2, lost, lambda x: x + 0.3 * np.linspace(0, 1, len(x))],
    ids=["good", "coarse", "lost for 0.6 s", "drifts"],
)
def test_other_faults_are_no_gains(change: Change) -> None:
    """The noise of a force explained itself: a healthy drive was said to measure 0.001 ± 0.009 of its force."""
    assert "the force of" not in said({"left_motor": change})


def test_a_sensor_that_measures_something_else_is_no_factor() -> None:
    """Noise alone was said to be a force that is 887 ± 900 times too small."""
    text = said({"left_motor": lambda x: 0.01 * np.random.default_rng(1).normal(size=len(x))})
    x, s = (float(n) for n in re.findall(r"only (\S+) ± (\S+) of the force of left_motor were measured", text)[0])
    assert abs(x) < 5 * s < 0.2


GANTRY = """
format: 1
name: gantry
bodies: [{name: beam, mass: 9}, {name: head, mass: 4}]
joints:
  - {name: x, type: prismatic, axis: [1, 0, 0], parent: world, child: beam, drive: {viscous: 20}}
  - {name: y, type: prismatic, axis: [0, 1, 0], parent: beam, child: head, drive: {viscous: 10}}
"""


def gantry_log(gain: float, seed: int) -> gough.Record:
    """Newton's law along two axes of their own: m a + d v; the force of y measured with another gain."""
    rng, t = np.random.default_rng(seed), np.arange(4000) / 500
    w = 2 * np.pi * 0.3 * np.arange(1, 5)
    positions, forces = {}, {}
    for name, mass, viscous, factor in (("x", 13.0, 20.0, 1.0), ("y", 4.0, 10.0, gain)):
        a, b = 0.05 * rng.normal(size=(2, 4))
        c, s = np.cos(np.outer(t, w)), np.sin(np.outer(t, w))
        positions[name] = c @ a + s @ b
        force = mass * -(c @ (a * w**2) + s @ (b * w**2)) + viscous * (c @ (b * w) - s @ (a * w))
        forces[name] = factor * (force + 0.05 * rng.normal(size=len(t)))
    return gough.Record(f"log {seed}", t, positions, forces)


def test_a_gain_that_is_a_mass_is_told_by_a_weighed_body_alone() -> None:
    """Axes that share no mass: the gain is in the numbers, and no log, validation neither, tells it; what was weighed does."""
    model = gough.build(loads(GANTRY))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = gough.identify(model, gantry_log(1.15, 0), validation=gantry_log(1.15, 1))
    head = found.base.names.index("head.M")
    assert abs(found.base_values[head] / (1.15 * 4.0) - 1.0) < 1e-3
    with pytest.warns(gough.errors.IdentificationWarning, match="the data contradict prior=.*most head.M"):
        gough.identify(model, gantry_log(1.15, 0), prior={"head.M": 0.05})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        gough.identify(model, gantry_log(1.0, 0), prior={"head.M": 0.05})
        known = gough.identify(model, gantry_log(1.15, 0), parameters=("friction", "gains"))
    assert np.abs(known.gains * [1.0, 1.15] - 1.0).max() < 5 * 1.15 * known.gain_deviations.max() < 0.01


def test_a_gain_that_nothing_fixes_is_named_though_another_one_is_fixed() -> None:
    """The beam, unknown, takes over the head along x: its gain came out as 1e-12 ± 3e-6 and its mass as -4 ± 3e-5 kg."""
    model = gough.build(loads(GANTRY))
    with pytest.raises(gough.UsageError, match=r"fixes no gain of x, since"):
        gough.identify(model, gantry_log(1.0, 0), parameters=("beam.M", "friction", "gains"))


def test_runs_of_different_robots_are_told() -> None:
    """Heads of 4 and 5.2 kg: by themselves both are right, and the mean of them is neither."""
    model = gough.build(loads(GANTRY))
    with pytest.warns(
        gough.errors.IdentificationWarning, match=r"if each of log 0, log 1 is fitted by itself: another robot"
    ):
        gough.identify(model, [gantry_log(1.0, 0), gantry_log(1.3, 1)])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        gough.identify(model, [gantry_log(1.0, 0), gantry_log(1.0, 1)])


def test_a_misfit_that_all_runs_share_is_none_of_different_robots() -> None:
    logs = []
    for seed in range(2):
        log = gantry_log(1.0, seed)
        logs.append(replace(log, forces={**log.forces, "x": log.forces["x"] + 30.0 * np.sin(9.0 * log.time)}))
    with pytest.warns(gough.errors.IdentificationWarning) as told:
        gough.identify(gough.build(loads(GANTRY)), logs)
    assert not any("fitted by itself" in str(w.message) for w in told)
