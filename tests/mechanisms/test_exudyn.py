"""Flexible closed loops against Exudyn: natural frequencies of DualEMPS and of a loaded four-bar, and the four-bar's swing.

Exudyn's beams take any rotation exactly; the library's are shapes of small slopes in a frame that follows the body, with the
shortening of second order. Unloaded, both are the same cubic elements. Bent, they differ by squares of the slopes within a
body: cutting a strip into more bodies takes them away. Tolerances are what was measured, times about
1.5 (3 where it is rounding).
"""

from __future__ import annotations

from functools import cache
from math import radians

import numpy as np
import pytest

import gough
from mechanisms.dualemps_in_exudyn import dualemps
from mechanisms.flexible_four_bar import FourBar, bow, swing

pytest.importorskip("exudyn", reason="Exudyn is not installed (pip install 'gough[peers]')")

STANDING = FourBar((0.25, 0.5, 0.45), radians(60), 1, height=0.002, mass=0.2)
"""Its weight presses on the rocker and bends the locked crank: the pins move by 5 mm."""
HANGING = {"stout": 0.006, "thin": 0.001}
"""Strips (thickness, m) of a four-bar that swings through 108 degrees. The coupler bows by 7 mm where they are thin, 0.2 mm
where stout; the weight pulls the thin rocker with 8.3 N, 1.5 times the load at which it would buckle if pressed."""
TIMES = np.linspace(0.0, 1.0, 101)


@cache
def settled(elements: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Exudyn's standing four-bar, crank locked: frequencies (5,) Hz without and with its loads, the tip's displacement."""
    plane, nodes = STANDING.exudyn(elements, locked=True)
    unloaded = plane.frequencies_hz(5)
    plane.settle()
    return unloaded, plane.frequencies_hz(5), plane.position(nodes["tip"]) - STANDING.pins[1]


@cache
def standing(bodies: int, elements: int, stiffening: str = "auto") -> gough.Model:
    return STANDING.model(bodies, elements, stiffening)


@cache
def rest(bodies: int, elements: int, stiffening: str = "auto") -> tuple[np.ndarray, np.ndarray]:
    """The library's: frequencies (5,) Hz and the tip's displacement."""
    model = standing(bodies, elements, stiffening)
    found = gough.natural_frequencies(model)
    return found.frequencies_hz[:5], model.frame_pose(found.q, f"coupler{bodies}.tip")[0][:2] - STANDING.pins[1]


def hanging(kind: str) -> FourBar:
    # Damping takes the strips' axial vibrations away and leaves the bending: 0.3 % of critical at 10 Hz.
    return FourBar((0.4, 0.5, 0.45), radians(-160), -1, HANGING[kind], mass=0.5, beta=1e-4)


@cache
def peer_swing(kind: str, elements: int, step: float = 2.5e-4) -> dict[str, np.ndarray]:
    """Exudyn's swing without its step's error: two runs, extrapolated."""
    from reference.peers.exudyn import sharpened

    runs = []
    for h in (2 * step, step):
        plane, nodes = hanging(kind).exudyn(elements, locked=False)
        runs.append(plane.swing(nodes, TIMES, h))
    return {key: sharpened(runs[0][key], runs[1][key]) for key in runs[0]}


def apart(a: dict[str, np.ndarray], b: dict[str, np.ndarray]) -> tuple[float, float]:
    """Largest distance of the tips and difference of the coupler's bows, m."""
    return float(np.hypot(*(a["tip"] - b["tip"]).T).max()), float(np.abs(bow(a) - bow(b)).max())


def test_dualemps_with_one_element_a_link() -> None:
    """The frequencies of [Briot 2014, Table 3] by a third program. The sixth has axial motion, cubic there, linear here."""
    found = gough.natural_frequencies(gough.build("dualemps"), about="undeformed").frequencies_hz
    expected = dualemps(1).frequencies_hz(6)
    np.testing.assert_allclose(found[:5], expected[:5], rtol=1e-9)  # measured 3.4e-10
    np.testing.assert_allclose(found[5], expected[5], rtol=2e-5)  # measured 1.2e-5


def test_dualemps_with_eight_elements_a_link() -> None:
    found = gough.natural_frequencies(gough.build("dualemps_8"), about="undeformed").frequencies_hz[:8]
    four, eight, sixteen = (dualemps(n).frequencies_hz(8) for n in (4, 8, 16))
    np.testing.assert_allclose(found, eight, rtol=3e-8)  # measured 1e-8: Exudyn differentiates by differences
    np.testing.assert_array_less(found / sixteen - 1, 6e-4)  # what eight elements leave: 5.4e-4 in the eighth
    np.testing.assert_allclose((four - eight)[:6] / (eight - sixteen)[:6], 16, rtol=0.1)  # cubic elements: fourth order


@pytest.mark.slow
def test_unloaded_four_bar() -> None:
    found = gough.natural_frequencies(standing(1, 4), about="undeformed").frequencies_hz[:5]
    np.testing.assert_allclose(found, settled(4)[0], rtol=3e-8)  # the same elements: measured 1e-8


@pytest.mark.slow
def test_loaded_four_bar() -> None:
    """About static equilibrium with prestress. Slopes reach 0.037: their squares, 1.3e-3, bound what one body leaves."""
    whole, cut = rest(1, 4), rest(2, 2)
    np.testing.assert_allclose(whole[0], settled(4)[1], rtol=1.6e-3)  # measured 1.1e-3, the first
    np.testing.assert_allclose(cut[0], settled(4)[1], rtol=4.5e-4)  # measured 3.0e-4
    fine = settled(16)
    errors = [abs(f[0][0] / fine[1][0] - 1) for f in (whole, cut)]
    assert errors[0] < 1.4e-3 and errors[1] < errors[0] / 4  # measured 9.1e-4, 1.4e-4
    sags = [np.hypot(*(f[1] - fine[2])) / np.hypot(*fine[2]) for f in (whole, cut)]
    assert sags[0] < 1e-3 and sags[1] < sags[0] / 4  # measured 6.2e-4, 1.0e-4


@pytest.mark.slow
def test_loaded_four_bar_shows_geometric_stiffening() -> None:
    loose = rest(1, 4, "off")[0]
    assert np.abs(loose / settled(16)[1] - 1)[[0, 1, 2]].min() > 0.04  # without: 5, 5 and 10 % away


@pytest.mark.slow
def test_loaded_four_bar_of_four_bodies_a_strip() -> None:
    found = rest(4, 2)
    np.testing.assert_allclose(found[0], settled(8)[1], rtol=3e-5)  # measured 2.1e-5, the first
    assert abs(found[0][0] / settled(32)[1][0] - 1) < 2.7e-5  # measured 1.8e-5
    assert np.hypot(*(found[1] - settled(32)[2])) < 1e-7  # of 5.4 mm; measured 6.4e-8


def test_swing_of_stout_strips() -> None:
    """Small deflections on the same mesh, through 108 degrees: nothing but the step is left."""
    run = swing(hanging("stout").model(1, 2), 1, TIMES, 1e-5)
    travel = np.hypot(*np.ptp(run["tip"], axis=0))
    assert travel > 0.6
    tip, bent = apart(run, peer_swing("stout", 2))
    assert tip < 2e-8 and bent < 9e-8  # m; measured 1.1e-8 and 5.6e-8, of a bow of 1.8e-4


@pytest.mark.slow
def test_swing_of_stout_strips_on_a_finer_mesh() -> None:
    assert apart(peer_swing("stout", 2), peer_swing("stout", 8))[1] < 4e-6  # m; what two elements leave: 2.7e-6


@pytest.mark.slow
def test_swing_of_thin_strips() -> None:
    """Large rotations, and tension that stiffens. Two bodies of one element each, against a mesh that is fine enough."""
    run = swing(hanging("thin").model(2, 1), 2, TIMES, 1e-5)
    tip, bent = apart(run, peer_swing("thin", 8))
    assert np.abs(bow(run)).max() > 7e-3
    assert tip < 1.1e-5 and bent < 4.2e-4  # m; measured 7.0e-6 and 2.8e-4: 4 % of the bow


@pytest.mark.slow
def test_swing_of_thin_strips_of_one_body_each() -> None:
    """Bows of 7 mm in one body with all freedoms of its nodes: their mass matrix stays positive definite."""
    run = swing(hanging("thin").model(1, 2), 1, TIMES, 1e-5)
    tip, bent = apart(run, peer_swing("thin", 8))
    assert tip < 7e-6 and bent < 1.9e-4  # m; measured 4.7e-6 and 1.2e-4


@pytest.mark.slow
def test_swing_of_thin_strips_cut_finer() -> None:
    """Four bodies a strip: the bow's difference falls sixteen times."""
    run, fine = swing(hanging("thin").model(4, 1), 4, TIMES, 1e-6), peer_swing("thin", 16)
    tip, bent = apart(run, fine)
    assert tip < 7e-7 and bent < 2.8e-5  # m; measured 4.1e-7 and 1.8e-5: 0.25 % of the bow
    meshes = [apart(peer_swing("thin", n), fine)[1] for n in (4, 8)]
    assert meshes[0] > 2e-4 and meshes[1] < meshes[0] / 16  # Exudyn's own meshes: 3.3e-4, 1.1e-5
    loose = apart(swing(hanging("thin").model(2, 1, "off"), 2, TIMES, 1e-6), fine)
    assert loose[0] > 0.03 and loose[1] > 3e-3  # without stiffening another motion: 0.055 m and 5.1e-3 m
