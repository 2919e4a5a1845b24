"""Planar robots: all assemblies against a brute-force scan; any tilt, lengths and form of description."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from analysis.planar_designs import ThreeRRR, turn
from inner.spatial import rotation_of_quaternion

SEEDS = range(5)


def same_poses(result: gough.Assemblies, design: ThreeRRR, places: list) -> None:
    """Every platform pose of the truth once, and no other."""
    assert len(result) == len(places)
    left = list(range(len(places)))
    for q in result.q:
        for k in left:
            position, rotation = design.world(places[k])
            if np.abs(q[:3] - position).max() < 1e-7 and np.abs(rotation_of_quaternion(q[3:7]) - rotation).max() < 1e-7:
                left.remove(k)
                break
        else:
            raise AssertionError(f"not an assembly: {q[:7]}")
    assert not left


@pytest.mark.parametrize("seed", SEEDS)
def test_three_rrr_has_exactly_the_scanned_assemblies(seed: int) -> None:
    design = ThreeRRR.random(seed)
    model = gough.build(design.legs())
    rng = np.random.default_rng(seed)
    for trial in range(3):
        drives = design.drives(design.home, (0, 0, 0)) if trial == 0 else rng.uniform(-np.pi, np.pi, 3)
        result = gough.assemblies(model, drives, starts=64 if trial == 0 else 0)
        same_poses(result, design, design.assemblies(drives))
        assert result.complete and "degree 6" in result.proof and result.doubt == ""
        assert result.closure_errors.max(initial=0.0) < 1e-10
        np.testing.assert_array_equal(result.q[:, model.drive_index], np.tile(drives, (len(result), 1)))


def test_six_real_assemblies_exist_and_are_found() -> None:
    """Some design has all six; the search finds them too."""
    most = 0
    for seed in range(12):
        design = ThreeRRR.random(seed)
        model = None
        rng = np.random.default_rng(seed)
        for _ in range(40):
            drives = rng.uniform(-np.pi, np.pi, 3)
            places = design.assemblies(drives, 721)
            most = max(most, len(places))
            if len(places) == 6:
                model = model or gough.build(design.legs())
                result = gough.assemblies(model, drives, starts=400)
                same_poses(result, design, design.assemblies(drives))
                assert result.complete and (result.hits > 0).all()
                return
    raise AssertionError(f"at most {most} assemblies in all designs")


@pytest.mark.parametrize("spherical", [False, True], ids=["pins", "balls"])
@pytest.mark.parametrize("seed", [0, 3])
def test_bodies_and_loops_are_recognised_too(seed: int, spherical: bool) -> None:
    design = ThreeRRR.random(seed)
    model = gough.build(design.bodies(spherical))
    drives = design.drives(design.home, (0, 0, 0))
    places = design.assemblies(drives)
    result = gough.assemblies(model, drives, starts=128)
    assert result.complete and len(result) == len(places)
    E = design.elbow_points(drives)
    angles = [model.layout.index(n) for n in ("m0", "e0", "plate")]
    found = sorted(np.exp(1j * (q[angles].sum() + design.zero[0])) for q in result.q)
    wanted = sorted(np.exp(1j * t) for _, t in places)
    np.testing.assert_allclose(np.sort_complex(found), np.sort_complex(wanted), atol=1e-8)
    for q in result.q:  # rod 0 leads from its elbow to the platform's pin
        rod = q[angles[:2]].sum() + design.zero[0]
        pin = E[0] + design.rods[0] * np.array([np.cos(rod), np.sin(rod)])
        assert min(np.abs(pin - p - turn(t) @ design.B[0]).max() for p, t in places) < 1e-8


def test_drives_out_of_reach_have_no_assembly_and_that_is_proved() -> None:
    model = gough.build(ThreeRRR.random(1).legs())
    names = {f"leg{i}.cut.on_leg.x": 0.05 for i in range(3)}
    result = gough.assemblies(model, model.drives(model.home), starts=50, parameters=names)
    assert len(result) == 0 and result.complete and result.q.shape == (0, model.layout.nq)


def test_a_parallelogram_platform_is_not_called_complete() -> None:
    """Elbows congruent to the pins and equal rods: the platform moves freely on a circle."""
    design = ThreeRRR.random(2)
    design.rods = np.full(3, 0.5)
    design.home = (np.array([0.1, 0.05]), 0.0)
    design.A = design.B + np.array([0.1, 0.05]) + 0.5 * np.array([np.cos(1.0), np.sin(1.0)])
    design.A -= design.cranks[:, None] * np.array([np.cos(0.3), np.sin(0.3)])
    drives = 0.3 - design.zero
    np.testing.assert_allclose(np.linalg.norm(design.elbow_points(drives) - design.B - [0.1, 0.05], axis=1), 0.5)
    model = gough.build(ThreeRRR.random(2).legs())
    changes = {}
    for i in range(3):
        position = design.W[1] + design.W[0] @ [*design.A[i], design.heights[i, 0]]
        changes |= {f"leg{i}.motor.{axis}": position[k] for k, axis in enumerate("xyz")}
        changes |= {f"leg{i}.cut.on_leg.x": 0.5}
    result = gough.assemblies(model, drives, starts=0, parameters=changes)
    assert not result.complete and result.doubt
