"""Natural frequencies against closed forms: cantilever, hinged beam, pendulum; verdicts."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import gough
from analysis.bending_arm import AREA, RHO, SECOND, E, G, L, arm
from gough.analysis.modes import undamped_modes
from gough.errors import BadStateError, UsageError
from gough.robot import loads

SPEED = np.sqrt(E * SECOND / (RHO * AREA)) / L**2
"""Angular frequency (rad/s) of a beam mode per square of its wave number times length."""
CLAMPED = (1.87510407, 4.69409113, 7.85475744)
HINGED = (3.92660231, 7.06858275, 10.21017612)


def cubic_elements(wave: tuple[float, ...], count: int = 8) -> np.ndarray:
    """Angular frequencies of a beam cut into cubic elements: (k h)⁴/1440 above the exact ones, to leading order."""
    k = np.array(wave)
    return k**2 * SPEED * (1 + (k / count) ** 4 / 1440)


def test_locked_drive_is_a_cantilever(tmp_path: Path) -> None:
    found = gough.natural_frequencies(arm(directory=tmp_path), about="undeformed")
    np.testing.assert_allclose(2 * np.pi * found.frequencies_hz[:3], cubic_elements(CLAMPED), rtol=1e-4)
    np.testing.assert_allclose(2 * np.pi * found.frequencies_hz[0], cubic_elements(CLAMPED)[0], rtol=2e-7)
    assert found.verdict == "stable"


def test_free_drive_is_a_hinged_beam(tmp_path: Path) -> None:
    found = gough.natural_frequencies(arm(directory=tmp_path), drives="free", about="undeformed")
    assert found.verdict == "free: 1 motion without stiffness"
    np.testing.assert_allclose(2 * np.pi * found.frequencies_hz[1:3], cubic_elements(HINGED[:2]), rtol=1e-4)


def test_a_very_stiff_servo_is_a_lock(tmp_path: Path) -> None:
    m = arm(directory=tmp_path)
    locked = gough.natural_frequencies(m, about="undeformed").frequencies_hz[:3]
    servo = gough.natural_frequencies(m, drives={"stiffness": 1e8}, about="undeformed").frequencies_hz[:3]
    np.testing.assert_allclose(servo, locked, rtol=1e-4)


def test_a_servo_damps(tmp_path: Path) -> None:
    m = arm(directory=tmp_path)
    found = gough.natural_frequencies(m, drives={"stiffness": 500.0, "damping": 20.0}, about="undeformed")
    assert (found.damping > -1e-12).all()  # axial motion is not damped
    assert np.real(found.eigenvalues[0]) < 0


def test_hanging_and_standing(tmp_path: Path) -> None:
    """With a free drive the arm is a pendulum: it swings when it hangs and falls when it stands."""
    hanging = gough.natural_frequencies(arm(angle="-90 deg", directory=tmp_path), drives="free")
    pendulum = np.sqrt(1.5 * G / L)
    assert 2 * np.pi * hanging.frequencies_hz[0] == pytest.approx(pendulum, rel=3e-4)  # it bends a little
    assert hanging.stable
    standing = gough.natural_frequencies(arm(angle="90 deg", directory=tmp_path), drives="free")
    assert standing.verdict.startswith("unstable: it departs")
    assert np.real(standing.eigenvalues).max() == pytest.approx(pendulum, rel=3e-4)


def test_gravity_stiffens_and_softens(tmp_path: Path) -> None:
    """A hanging cantilever is stiffer than a standing one, by the beam's own weight; without stiffening they are alike."""
    up, down = (
        gough.natural_frequencies(arm(angle=a, directory=tmp_path)).frequencies_hz[0] for a in ("90 deg", "-90 deg")
    )
    assert up == pytest.approx(down, rel=1e-9)  # this arm has stiffening off


def test_options(tmp_path: Path) -> None:
    m = arm(elements=1, directory=tmp_path)
    with pytest.raises(UsageError, match="locked"):
        gough.natural_frequencies(m, drives="loose")
    with pytest.raises(UsageError, match="equilibrium"):
        gough.natural_frequencies(m, about="home")
    with pytest.raises(UsageError, match="one configuration"):
        gough.natural_frequencies(m, q=np.zeros((2, m.layout.nq)))


def test_rigid_robots_have_servo_modes() -> None:
    """A rigid hexapod on springs in its drives: as many modes as freedoms, frequencies with the root of the stiffness."""
    m = gough.build("long2014_rigid")
    soft = gough.natural_frequencies(m, drives={"stiffness": 1e6}, about="undeformed")
    stiff = gough.natural_frequencies(m, drives={"stiffness": 4e6}, about="undeformed")
    assert len(soft.frequencies_hz) == 6
    np.testing.assert_allclose(stiff.frequencies_hz, 2 * soft.frequencies_hz, rtol=1e-9)
    assert len(gough.natural_frequencies(m).frequencies_hz) == 0  # nothing can move with locked drives


def test_a_motion_without_inertia_is_said() -> None:
    with pytest.raises(BadStateError, match=r"mass matrix is not positive definite .* use stiffening: on"):
        undamped_modes(np.array([[1.0, 2.0], [2.0, 1.0]]), np.eye(2))


def rod_between(first: str, second: str, **more: object) -> np.ndarray:
    """Frequencies (Hz) of a rod of 0.8 m, 80 × 30 mm, held by joints at its two ends."""
    beam: dict = {
        "length": 0.8,
        "section": {"rectangle": {"y": 0.08, "z": 0.03}},
        "section_y": [0, 1, 0],
        "elements": 12,
    }
    beam |= {"material": {"E": 70e9, "nu": 0.3, "density": 2700.0}} | more
    data = {
        "format": 1,
        "name": "rod",
        "gravity": [0, 0, 0],
        "bodies": [{"name": "rod", "flexible": {"beam": beam, "modes": {"kind": "nodal"}, "stiffening": "off"}}],
        "joints": [{"name": "base", "type": first, "parent": "world", "child": "rod"}],
        "loops": [
            {
                "name": "end",
                "type": second,
                "first": {"body": "rod", "pose": {"position": [0.8, 0, 0]}},
                "second": {"body": "world", "pose": {"position": [0.8, 0, 0]}},
            }
        ],
    }
    return gough.natural_frequencies(gough.build(loads(json.dumps(data))), about="undeformed").frequencies_hz


@pytest.mark.parametrize("rotary", [False, True])
def test_a_pinned_beam_has_the_frequencies_of_its_theory_in_space(rotary: bool) -> None:
    """(nπ/L)² √(E I/ρ A), over √(1 + r² (nπ/L)²) with rotary inertia (Rayleigh): though the rod's frame turns with its pin."""
    k, r = np.pi * np.arange(1, 3) / 0.8, 0.08 / np.sqrt(12)
    truth = k**2 * np.sqrt(70e9 / 2700) * r / (2 * np.pi)
    truth = truth / np.sqrt(1 + (r * k) ** 2) if rotary else truth
    found = rod_between("revolute", "revolute", rotary_inertia=rotary)
    np.testing.assert_allclose([found[np.argmin(np.abs(found - f))] for f in truth], truth, rtol=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("rotary", [pytest.param(False, marks=pytest.mark.slow), True])
def test_a_beam_turned_round_is_the_same_beam(rotary: bool) -> None:
    for pin in ("revolute", "spherical"):
        one, other = rod_between("fixed", pin, rotary_inertia=rotary), rod_between(pin, "fixed", rotary_inertia=rotary)
        np.testing.assert_allclose(other[:6], one[:6], rtol=1e-7)
