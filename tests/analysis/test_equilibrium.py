"""Static equilibrium against closed forms of a heavy beam, and against the minimum of the energy."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import gough
from analysis.bending_arm import AREA, RHO, SECOND, E, G, L, arm
from gough.errors import UsageError


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
