"""Logs that come to a dead centre, or go through it: a crank that its slider drives, in closed form.

x(θ) = r cos θ + √(l² - (r sin θ - e)²); the slide turns the crank by S = dx/dθ, 0 where crank and rod are in line. The force is
that of a crank's inertia and a slider's mass, f = m ẍ + I θ̈ / S."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import gough
from gough.robot import loads

CRANK, ROD, ASIDE = 0.10, 0.25, 0.02
ENGINE = """
format: 1
name: engine
gravity: [0, 0, -9.81]
bodies:
  - {{name: crank, mass: 1, inertia: {{about: center_of_mass, zz: 8e-3}}}}
  - {{name: rod, parameters: {{M: 0.01, ZZ: 1e-4}}}}
  - {{name: slider, mass: 0.8}}
joints:
  - {{name: crank, type: revolute, parent: world, child: crank}}
  - {{name: elbow, type: revolute, parent: crank, child: rod, pose: {{position: [{r}, 0, 0]}}}}
  - {{name: slide, type: prismatic, axis: [1, 0, 0], parent: world, child: slider, pose: {{position: [0, {e}, 0]}}, drive: {{}}}}
loops:
  - {{name: pin, type: revolute, first: {{body: rod, pose: {{position: [{l}, 0, 0]}}}}, second: {{body: slider}}}}
velocities: {leading}
home: {{joints: {{crank: {home[0]}, elbow: {home[1]}, slide: {home[2]}}}}}
"""
MIDDLE = 1.3


def place(angle: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(elbow, slide, S) of crank angles (n,)."""
    lift = np.arcsin((ASIDE - CRANK * np.sin(angle)) / ROD)
    turn = -CRANK * np.cos(angle) / (ROD * np.cos(lift))
    x = CRANK * np.cos(angle) + ROD * np.cos(lift)
    return lift - angle, x, -CRANK * np.sin(angle) - ROD * np.sin(lift) * turn


def engine(leading: str) -> gough.Model:
    elbow, x, _ = place(np.array([MIDDLE]))
    home = (MIDDLE, float(elbow[0]), float(x[0]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return gough.build(loads(ENGINE.format(r=CRANK, l=ROD, e=ASIDE, leading=leading, home=home)))


def swing(reach: float) -> tuple[gough.Record, float]:
    """A log of the slide, crank `reach` rad about MIDDLE; and how small |S| becomes beside its median."""
    t = np.arange(6000) / 500
    angle = MIDDLE + reach * np.sin(2.0 * t)
    _, x, S = place(angle)
    rate = np.gradient(angle, t)
    force = 0.8 * np.gradient(np.gradient(x, t), t) + 8e-3 * np.gradient(rate, t) / S
    noise = 1e-6 * np.random.default_rng(0).normal(size=len(t))
    record = gough.Record("log", t, {"slide": x + noise}, {"slide": np.clip(force, -50, 50)})
    return record, float(np.abs(S).min() / np.median(np.abs(S)))


def notes_of(model: gough.Model, record: gough.Record, *accept: str) -> str:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        gough.condition(model, record, accept=("saturated", *accept), shifts=None)
    return " ".join(str(w.message) for w in caught)


@pytest.mark.parametrize("leading", ["drives", "[crank]"])
def test_a_way_far_from_dead_centres_is_not_said_to_meet_one(leading: str) -> None:
    record, least = swing(1.0)
    assert least > 0.3
    assert "singular pose" not in notes_of(engine(leading), record)


@pytest.mark.parametrize("leading", ["drives", "[crank]"])
def test_a_way_close_to_a_dead_centre_is_told(leading: str) -> None:
    """Drives that lead have a map that is 1 everywhere: the closures tell."""
    record, least = swing(1.23)
    assert 0.0 < least < 0.05
    assert "comes to a singular pose" in notes_of(engine(leading), record)


@pytest.mark.parametrize("leading", ["drives", "[crank]"])
def test_a_way_through_a_dead_centre_is_refused_as_such(leading: str) -> None:
    """The slide does not tell on which side of it the crank is: states behind it were those of the other side."""
    record, _ = swing(1.5)
    with pytest.raises(gough.BadDataError, match=r"comes to a singular pose.* may be in another assembly"):
        gough.condition(engine(leading), record, accept=("saturated",))
    assert "may mean another assembly" in notes_of(engine(leading), record, "reach").replace("\n", " ")
