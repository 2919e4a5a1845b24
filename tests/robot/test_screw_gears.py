"""Motors that turn and move a joint that slides: J (2π/p)² is a mass."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from gough import DescriptionError
from gough.robot import Robot, loads
from gough.robot.writer import dumps

SLIDE = """
format: 2
name: slide
source: assumed
variables: {{lead: 16 mm, rotor: 2e-4 kg.m2}}
gravity: [0, 0, 0]
bodies: [{{name: table, mass: 3 kg, inertia: {{about: center_of_mass, xx: 1, yy: 1, zz: 1}}}}]
joints:
  - {{name: move, type: {kind}, parent: world, child: table, axis: [1, 0, 0], drive: {{{drive}}}}}
"""


def slide(drive: str, kind: str = "prismatic") -> Robot:
    return loads(SLIDE.format(drive=drive, kind=kind))


@pytest.mark.parametrize(
    "drive",
    [
        "rotor_inertia: 2e-4 kg.m2, gear: 2*pi/16 mm",
        "rotor_inertia: 2e-4 kg.m2, gear: 392.69908169872414 rad/m",
        "rotor_inertia: 2 kg.cm2, gear: 2*pi/lead",
        "rotor_inertia: rotor, gear: 2*(pi*1 rad)/lead",
        "rotor_inertia: 2e-4, gear: 392.69908169872414",
    ],
)
def test_a_screw_adds_mass(drive: str) -> None:
    robot = slide(drive)
    for made in (robot, loads(dumps(robot))):
        model = gough.build(made)
        tau = model.inverse_dynamics(model.home, [0.0], [1.0]).tau
        assert tau == pytest.approx([3.0 + 2e-4 * (2 * np.pi / 0.016) ** 2], rel=1e-12)


def test_another_lead() -> None:
    model = gough.build(slide("rotor_inertia: rotor, gear: 2*pi/lead").with_variables({"lead": "8 mm"}))
    tau = model.inverse_dynamics(model.home, [0.0], [1.0]).tau
    assert tau == pytest.approx([3.0 + 2e-4 * (2 * np.pi / 0.008) ** 2], rel=1e-12)


@pytest.mark.parametrize(
    ("drive", "kind", "words"),
    [
        ("rotor_inertia: 2e-4 kg.m2", "prismatic", "no gear says how far"),
        ("rotor_inertia: 2e-4 kg.m2, gear: 393", "prismatic", "no gear says how far"),
        ("rotor_inertia: 2 kg, gear: 2*pi/16 mm", "prismatic", "not the inertia of what turns"),
        ("rotor_inertia: 2e-4 kg.m2, gear: 2*pi/16 mm", "revolute", "a gear per length on a joint that turns"),
        ("rotor_inertia: 2 kg, gear: 5", "revolute", "inertia"),
        ("rotor_inertia: 2 kg, gear: 5 mm", "prismatic", "rad/m"),
        ("rotor_inertia: 2 kg, gear: 0", "prismatic", "zero|not 0"),
    ],
)
def test_what_does_not_fit_is_told(drive: str, kind: str, words: str) -> None:
    with pytest.raises(DescriptionError, match=words):
        slide(drive, kind)
