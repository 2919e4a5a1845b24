"""The slider-crank with an elastic rod at 0.1 s: the IVP test set's numbers, and those of a physical model."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gough
from gough.errors import ModalDataWarning
from gough.fem import ElasticBody, elastic_body_of_modes, write_modal_file
from gough.robot import load
from mechanisms.slider_crank import END, LENGTH, RATE, START, by_chord, described, moved, rod
from reference.flexible.described import elastic_bodies, tied_frame
from reference.flexible.points import flexible_robot

PUBLISHED = [-0.3311734987910881, 0.1697373326718410]
"""Rod's angle and slider's place of the test set, whose longitudinal mass block lacks a factor 1/15."""
PHYSICAL = [-0.331173430, 0.169737396]
"""With the factor. The angle follows from the slider's place by the triangle of crank, rod and slider."""


def q_of(t: float, e: np.ndarray) -> np.ndarray:
    angle, place = by_chord(t, e)
    return np.array([*e, RATE * t, angle - RATE * t, place])


class HeavyRod:
    """The rod as the test set has it: longitudinal motion with fifteen times its mass."""

    def elastic_body(self, points: dict[str, np.ndarray]) -> ElasticBody:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ModalDataWarning)
            body = elastic_body_of_modes(rod())
        M, N2 = body.M.copy(), body.N2.copy()
        M[2:, 2:] *= 15
        N2[2:, 2:] *= 15
        frames = {key: f for key, p in points.items() for f in body.frames.values() if np.allclose(f.position, p)}
        return replace(body, M=M, N2=N2, frames=frames)


def physical(folder: Path) -> Any:
    write_modal_file(folder / "rod.npz", rod())
    return described(str(folder / "crank.yaml"))


@pytest.mark.slow
def test_the_test_set_s_model(tmp_path: Path) -> None:
    """Its initial values are printed to nine digits: the slider's place does not close the loop better than 2e-10."""
    model = gough.build(flexible_robot(physical(tmp_path), {"rod": HeavyRod()}))
    e = moved(model, START, q_of, 1e-7)
    np.testing.assert_allclose(by_chord(END, e), PUBLISHED, rtol=0, atol=1e-10)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::gough.errors.ModalDataWarning")
def test_the_physical_model(tmp_path: Path) -> None:
    """By a modal file; the shapes have no unit mass, which is said."""
    model = gough.build(physical(tmp_path))
    assert model.closure_error(q_of(0.013, np.array(START[:4]))) < 1e-14
    e = moved(model, START, q_of, 1e-6)
    np.testing.assert_allclose(by_chord(END, e), PHYSICAL, rtol=0, atol=1e-9)


def test_forward_dynamics_gives_the_steady_crank(tmp_path: Path) -> None:
    """The drive force of the inverse model keeps the crank's rate."""
    with pytest.warns(ModalDataWarning, match="not mass-normalised"):
        model = gough.build(physical(tmp_path))
    q, v = q_of(0.013, np.array(START[:4])), np.array([RATE, *START[4:]])
    steady = model.inverse_dynamics(q, v, [0.0])
    vdot = model.forward_dynamics(q, v, steady.tau).vdot
    np.testing.assert_allclose(vdot, [0.0, *steady.eddot], atol=1e-9 * np.abs(steady.eddot).max())


class Bent:
    """The gallery's rod: clamped at the crank's pin, six shapes of finite elements of which one is longitudinal."""

    def __init__(self) -> None:
        self.robot = load("flexible_slider_crank")
        self.body = elastic_bodies(self.robot)["rod"]
        self.pin = tied_frame(self.body, [LENGTH, 0, 0])

    def chord(self, e: np.ndarray) -> np.ndarray:
        """From pin to pin (3,), rod's axes."""
        assert self.pin.second is not None
        p = self.pin.position + self.pin.translation @ e
        return p + np.einsum("akl,k,l->a", self.pin.second, e, e) / 2

    def by_chord(self, t: float, e: np.ndarray) -> np.ndarray:
        """(angle of the chord, slider's place)."""
        return by_chord(t, np.array([0, 0, 0, np.linalg.norm(self.chord(e)) - LENGTH]))

    def q(self, t: float, e: np.ndarray) -> np.ndarray:
        """The assembled robot."""
        angle, place = self.by_chord(t, e)
        x, y, _ = self.chord(e)
        return np.array([*e, RATE * t, angle - np.arctan2(y, x) - RATE * t, place])

    def start(self) -> np.ndarray:
        """The test set's displacements and velocities at the nodes, seen from the clamped end, as well as shapes can."""
        x = self.body.nodes[:, 0]
        s = x / LENGTH
        fields = np.zeros((2, len(s), 3))
        for field, (middle, end) in zip(fields, (START[2:4], START[6:8]), strict=True):
            field[:, 0] = middle * 4 * s * (1 - s) + end * s * (2 * s - 1)
        slope = (START[4] + 2 * START[5]) * np.pi / LENGTH
        fields[1, :, 1] = START[4] * np.sin(np.pi * s) + START[5] * np.sin(2 * np.pi * s) - slope * x
        shapes = self.body.shapes.reshape(-1, self.body.modes)
        return np.concatenate([np.linalg.lstsq(shapes, f.ravel(), rcond=None)[0] for f in fields])


@pytest.mark.slow
def test_the_gallery_s_robot() -> None:
    """Another basis, and bending that shortens: within a fifth of the stretch that moves the slider by 8e-6 m."""
    rod = Bent()
    model = gough.build(rod.robot)
    start = rod.start()
    assert model.closure_error(rod.q(0.013, start[: rod.body.modes])) < 1e-14
    found = rod.by_chord(END, moved(model, start, rod.q, 1e-5))
    rigid = by_chord(END, np.zeros(4))
    np.testing.assert_allclose(found, PHYSICAL, rtol=0, atol=1.5e-6)
    assert np.abs(rigid - PHYSICAL).min() > 7e-6
