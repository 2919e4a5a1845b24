"""Static equilibrium against closed forms of a heavy beam, and against the minimum of the energy."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import gough
from analysis.bending_arm import AREA, RHO, SECOND, E, G, L, arm
from gough.errors import BadStateError, Status, UsageError
from gough.robot import loads


def tip_height(model: gough.Model, q: np.ndarray) -> float:
    return float(model.frame_pose(q, "beam.tip")[0][2])


def test_a_heavy_cantilever_sags(tmp_path: Path) -> None:
    m = arm(directory=tmp_path)
    rest = gough.static_equilibrium(m)
    weight = RHO * AREA * G * L
    assert rest.status == 0
    assert tip_height(m, rest.q) == pytest.approx(-weight * L**3 / (8 * E * SECOND), rel=1e-9)
    assert rest.tau[0] == pytest.approx(weight * L / 2, rel=1e-6)  # the sag moves the mass a little inwards


def test_a_load_at_the_tip(tmp_path: Path) -> None:
    m = arm(directory=tmp_path)
    before = tip_height(m, gough.static_equilibrium(m).q)
    load = {"beam.tip": np.array([0, 0, -5.0, 0, 0, 0])}
    after = tip_height(m, gough.static_equilibrium(m, wrench=load).q)
    assert after - before == pytest.approx(-5.0 * L**3 / (3 * E * SECOND), rel=1e-6)


def test_held_drives_forces_and_coordinates_agree(tmp_path: Path) -> None:
    m = arm(directory=tmp_path)
    rest = gough.static_equilibrium(m)
    locked = gough.static_equilibrium(m, drives=m.drives(rest.q))
    pushed = gough.static_equilibrium(m, tau=rest.tau, near=rest.q)
    np.testing.assert_allclose(locked.q, rest.q, atol=1e-12)
    np.testing.assert_allclose(pushed.q, rest.q, atol=1e-10)
    np.testing.assert_allclose(locked.tau, rest.tau, rtol=1e-9)


def test_energy_is_stationary(tmp_path: Path) -> None:
    """A step along any elastic coordinate changes the potential energy only to second order."""
    m = arm(elements=2, directory=tmp_path)
    rest = gough.static_equilibrium(m)
    none = np.zeros(m.layout.nv)
    for k in range(m.layout.n_elastic):
        step = np.zeros(m.layout.nv)
        step[1 + k] = 1e-5
        up, down = (m.energies(m.integrate(rest.q, s * step), none).potential for s in (1, -1))
        here = m.energies(rest.q, none).potential
        assert abs(up - down) < 1e-6 * abs(up + down - 2 * here) + 1e-13


def test_a_batch_of_angles(tmp_path: Path) -> None:
    m = arm(directory=tmp_path)
    angles = np.linspace(-1.0, 1.0, 7)
    q = m.configuration(drives=angles[:, None])
    rest = gough.static_equilibrium(m, q=q)
    assert rest.q.shape == q.shape
    assert (rest.status == 0).all()
    weight = RHO * AREA * G * L
    np.testing.assert_allclose(rest.tau[:, 0], weight * L / 2 * np.cos(angles), rtol=2e-3)  # rigid, but for the sag


def test_one_thing_is_held(tmp_path: Path) -> None:
    m = arm(elements=1, directory=tmp_path)
    with pytest.raises(UsageError, match="one of"):
        gough.static_equilibrium(m, drives=[0.0], tau=[0.0])


@pytest.mark.slow
def test_a_beam_that_carries_itself_needs_no_drive(tmp_path: Path) -> None:
    """About a vertical hinge the drive has nothing to hold; the tip sinks by ρ g A L⁴ / 8 E I, and it is found from there too."""
    path = tmp_path / "level.yaml"
    path.write_text(
        """
format: 1
name: level
gravity: [0, 0, -9.81]
bodies:
  - name: rod
    frames: {tip: {position: [1.2, 0, 0]}}
    flexible:
      beam:
        length: 1.2
        section: {rectangle: {y: 30 mm, z: 20 mm}}
        section_y: [0, 1, 0]
        material: {E: 70 GPa, nu: 0.3, density: 2700}
      modes: {kind: nodal}
joints:
  - {name: motor, type: revolute, parent: world, child: rod, drive: {}}
""",
        encoding="utf-8",
    )
    m = gough.build(path)
    rest = gough.static_equilibrium(m)
    sunk = 2700 * 9.81 * 1.2**4 / (8 * 70e9 * 0.02**2 / 12)
    assert rest.tau[0] == pytest.approx(0.0, abs=1e-9)
    assert m.frame_pose(rest.q, "rod.tip")[0][2] == pytest.approx(-sunk, rel=1e-9)
    again = gough.static_equilibrium(m, q=rest.q)
    assert again.q == pytest.approx(rest.q, rel=1e-9, abs=1e-12)


def test_a_neutral_rest_is_a_rest() -> None:
    """Gravity across the plane of a five-bar does no work: it rests wherever it is, and goes nowhere where it is pushed."""
    m = gough.build("five_bar")
    q = m.integrate(m.home, [0.2, -0.1])
    rest = gough.static_equilibrium(m, tau=[0.0, 0.0], near=q)
    assert rest.status == 0
    np.testing.assert_allclose(rest.q, q, atol=1e-14)
    with pytest.raises(BadStateError, match="out of balance along a motion that does not change them"):
        gough.static_equilibrium(m, tau=[0.0, 1.0])


def test_a_rest_that_is_neutral_along_one_motion_is_found_along_the_others() -> None:
    """A cart on a level rail with a pendulum: the bob hangs straight below, the cart stays."""
    text = """
format: 1
name: cart
bodies: [{name: cart, mass: 2}, {name: bob, mass: 1, center_of_mass: [0, 0, -0.3]}]
joints:
  - {name: rail, type: prismatic, axis: [1, 0, 0], parent: world, child: cart}
  - {name: pin, type: revolute, axis: [0, 1, 0], parent: cart, child: bob}
velocities: [rail, pin]
"""
    rest = gough.static_equilibrium(gough.build(loads(text)), tau=[], near=[0.7, 0.4])
    np.testing.assert_allclose(rest.q, [0.7, 0.0], atol=1e-9)


def test_what_is_wrong_with_the_given_state_is_said() -> None:
    m = gough.build("five_bar")
    apart = m.home + [0.1, 0, 0, 0]
    for call in (
        lambda: gough.static_equilibrium(m, q=apart),
        lambda: gough.static_equilibrium(m, tau=[0, 0], near=apart),
        lambda: gough.natural_frequencies(m, q=apart, about="undeformed"),
    ):
        with pytest.raises(BadStateError, match=r"OPEN_LOOP at pin[\s\S]*mm apart"):
            call()
    marked = gough.static_equilibrium(m, q=np.stack([m.home, apart]), on_bad_state="mark")
    assert [Status(int(s)).name for s in marked.status] == ["OK", "OPEN_LOOP"]
    assert np.isnan(marked.q[1]).all()
