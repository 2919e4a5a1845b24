"""Flexible bodies are the same whatever their size: coordinates are metres, radians and m kg^½, and none hides another."""

import math
import warnings

import numpy as np
import pytest

import gough
from gough.robot import loads
from inner.structure import clean_body, elastic_bodies, is_still, point_key

E, RHO = 210e9, 7850.0
KINDS = [
    "kind: craig_bampton, number: 6",
    "kind: guyan",
    "kind: attachment, number: 2",
    "kind: clamped, number: 3",
    "kind: nodal",
]

COLUMN = """
format: 1
name: column
gravity: [0, 0, {gravity}]
bodies:
  - name: rod
    frames: {{tip: {{position: [{L}, 0, 0]}}}}
    flexible:
      beam: {{length: {L}, section: {{rectangle: {{y: {h}, z: {b}}}}}, section_y: [0, 1, 0], material: {{E: 210 GPa, nu: 0.3, density: 7850}}, elements: 4}}
      modes: {{{modes}}}
      stiffening: {stiffening}
  - {{name: load, mass: {mass}}}
joints:
  - {{name: motor, type: revolute, parent: world, child: rod, drive: {{}}, pose: {{axes: {{x: [0, 0, 1], y: [0, 1, 0]}}}}}}
  - {{name: fix, type: fixed, parent: rod, child: load, pose: {{position: [{L}, 0, 0]}}}}
"""  # noqa: E501


def column(scale, modes, stiffening="on"):
    """A flexure of 5 mm · scale that carries nine tenths of Euler's load; gravity as if everything were similar."""
    L, h, b = 5e-3 * scale, 50e-6 * scale, 2e-3 * scale
    load = 0.9 * math.pi**2 * E * b * h**3 / 12 / (4 * L**2)
    mass = 0.04 * scale**3
    return COLUMN.format(L=L, h=h, b=b, modes=modes, stiffening=stiffening, mass=mass, gravity=-load / mass)


def exact(scale):
    """Beam-column without mass of its own: stiffness P k / (tan kL - kL), k² = P/EI."""
    L, b, h = 5e-3 * scale, 2e-3 * scale, 50e-6 * scale
    k = math.sqrt(0.9) * math.pi / (2 * L)
    stiffness = k**2 * E * b * h**3 / 12 * k / (math.tan(k * L) - k * L)
    return math.sqrt(stiffness / (0.04 * scale**3)) / (2 * math.pi)


@pytest.mark.parametrize(("modes", "error"), [(KINDS[0], 1e-3), (KINDS[1], 0.04), (KINDS[2], 6e-3)])
@pytest.mark.parametrize("scale", [1.0, 1e-3])
@pytest.mark.parametrize("stiffening", ["on", "rigid_motion"])
def test_a_small_flexure_softens_under_its_load(scale, modes, error, stiffening):
    """Closed form of a column at nine tenths of its buckling load, where the unloaded frequency is three times as high."""
    model = gough.build(loads(column(scale, modes, stiffening)))
    first = gough.natural_frequencies(model).frequencies_hz[0]
    assert first == pytest.approx(exact(scale), rel=error)


def constants(scale, modes):
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # no coordinate lacks mass at one size and has it at another
        return clean_body(elastic_bodies(loads(column(scale, modes)))["rod"])


@pytest.mark.parametrize("modes", KINDS)
def test_what_is_zero_does_not_depend_on_the_size(modes):
    large, small = (constants(scale, modes) for scale in (100.0, 1e-3))
    for one, other in zip(large.frames.values(), small.frames.values(), strict=True):
        for name in ("translation", "turning", "second"):
            assert np.array_equal(getattr(one, name) != 0.0, getattr(other, name) != 0.0), name
    assert large.slaved is not None and small.slaved is not None
    assert large.slaved.MSde.shape == small.slaved.MSde.shape


PLATE = """
format: 1
name: wing
bodies:
  - name: plate
    frames: {{tip: {{position: [0.2, 0, 0]}}}}
    flexible:
      plate: {{outline: [[0, -0.04], [0.2, -0.02], [0.2, 0.02], [0, 0.04]], thickness: 4 mm, material: {{E: 210 GPa, nu: 0.3, density: 7850}}, size: 0.1, membrane: {membrane}}}
      modes: {{number: 3}}
      {rest}
joints: [{{name: elbow, type: revolute, parent: world, child: plate, drive: {{}}}}]
"""  # noqa: E501


@pytest.mark.slow
@pytest.mark.parametrize("rest", ["", "ties: {at: {origin: {radius: 45 mm}}}"])
def test_a_plate_with_membrane_hangs_on_a_joint(rest):
    """Clamped at the origin it stays there; it bends as the plate without membrane does."""
    bent, both = (elastic_bodies(loads(PLATE.format(membrane=x, rest=rest)))["plate"] for x in ("false", "true"))
    assert both.frequencies_hz[0] == pytest.approx(bent.frequencies_hz[0], rel=1e-6)
    assert is_still(clean_body(both).frames[point_key(np.zeros(3))])
