"""Zero dynamics against the numbers of independent models of Long's robot, and against the arm's closed form."""

from __future__ import annotations

import warnings
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.linalg

import gough
from analysis.bending_arm import arm
from gough.analysis.zero_dynamics import growth_without_stress
from gough.errors import UsageError

TIP = "beam.tip"


@cache
def long2014() -> gough.Model:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return gough.build("long2014")


@pytest.mark.slow
def test_long2014_floating_frame_is_stable() -> None:
    """Slowest at the initial pose, by energies (tests/papers/test_long2014_rest.py)."""
    found = gough.zero_dynamics(long2014())
    assert found.stable
    assert np.real(found.eigenvalues).max() == pytest.approx(-16.76, abs=0.005)


def test_long2014_material_centre_is_unstable() -> None:
    """Zeros by energies (tests/papers/test_long2014_rest.py)."""
    found = gough.zero_dynamics(long2014(), output="center")
    growing = np.sort(np.real(found.eigenvalues[np.real(found.eigenvalues) > 0]))
    assert not found.stable
    np.testing.assert_allclose(growing, [232.6, 365.0, 436.2], rtol=0, atol=0.05)
    assert "center" in found.verdict
    assert "gough.stable_inversion" in found.verdict


def test_long2014_departs_with_locked_legs() -> None:
    """With prestress, by energies (tests/papers/test_long2014_rest.py); the undeformed plate looks fine."""
    found = gough.natural_frequencies(long2014())
    assert found.verdict.startswith("unstable: it departs")
    assert np.real(found.eigenvalues).max() == pytest.approx(2.518, abs=0.0005)
    assert gough.natural_frequencies(long2014(), about="undeformed").stable


def test_the_tip_of_an_arm_is_not_minimum_phase(tmp_path: Path) -> None:
    """The hub of a flexible arm can be tracked (clamped beam, which swings), its tip cannot (real zeros of both signs)."""
    m = arm(elements=4, directory=tmp_path)
    hub = gough.zero_dynamics(m)
    clamped = gough.natural_frequencies(m).frequencies_hz
    np.testing.assert_allclose(np.sort(np.abs(hub.eigenvalues))[:3] / (2 * np.pi), clamped[:3], rtol=1e-6)


def pencil_zeros(model: gough.Model, frame: str, axis: str) -> np.ndarray:
    """Finite zeros (1/s) from the drives' forces to a frame along an axis: Rosenbrock's pencil of the linear model,
    [A B; C 0] - s [1 0; 0 0]."""
    linear = gough.linear_model(model, outputs=[frame])
    row = linear.C[[linear.outputs.index(f"{frame}.{axis}")]]
    n, m = linear.B.shape
    whole, unit = np.zeros((n + m, n + m)), np.zeros((n + m, n + m))
    whole[:n, :n], whole[:n, n:], whole[n:, :n], unit[:n, :n] = linear.A, linear.B, row, np.eye(n)
    found = np.asarray(scipy.linalg.eigvals(whole, unit))
    return found[np.isfinite(found) & (np.abs(found) < 1e7)]


def test_zeros_of_a_tip_along_an_axis(tmp_path: Path) -> None:
    """Of an arm with one drive the tip moves and turns: what is held must be said. Real zeros of both signs."""
    m = arm(elements=4, directory=tmp_path)
    with pytest.raises(
        UsageError, match=r"moves in 3 directions, the robot has 1 drives; give 1 of them that are held, axes="
    ):
        gough.zero_dynamics(m, output=TIP)
    for axis in ("z", "ry"):
        found = gough.zero_dynamics(m, output=TIP, axes=axis)
        zeros = pencil_zeros(m, TIP, axis)
        slow = found.eigenvalues[np.abs(found.eigenvalues) < 1500]
        known = np.sort(
            np.real(zeros[np.abs(zeros) < 1500])
        )  # real, of both signs; the pencil's fast ones are ill-conditioned
        assert known[0] < 0 < known[-1] and len(known) == 4
        np.testing.assert_allclose(np.sort(np.real(slow)), known, rtol=5e-5)
    found = gough.zero_dynamics(m, output=TIP, axes=["z"])
    assert not found.stable and f"frame '{TIP}' along z exactly makes deformations grow" in found.verdict
    for bad, words in (("w", "give some of x, y, z"), (["z", "z"], "each once"), ("y", "moves in 0 directions")):
        with pytest.raises(UsageError, match=words):
            gough.zero_dynamics(m, output=TIP, axes=bad)
    with pytest.raises(UsageError, match="axes= are those of a frame"):
        gough.zero_dynamics(m, axes="z")


def test_what_it_needs() -> None:
    with pytest.raises(UsageError, match="no flexible bodies"):
        gough.zero_dynamics(gough.build("five_bar"))
    with pytest.raises(UsageError, match="moves in"):
        gough.zero_dynamics(long2014(), output="leg0.link1")


@pytest.mark.parametrize(
    ("name", "grows"), [pytest.param("delta_flexible", True, marks=pytest.mark.slow), ("dualemps", False)]
)
def test_growth_while_the_floating_frame_is_held_is_that_of_the_inverse_model(name: str, grows: bool) -> None:
    """Outside: elastic accelerations of inverse dynamics for a frame that does not accelerate, differenced by elastic
    coordinates and rates, are a linear system whose fastest growth is looked for."""
    m = gough.build(name)
    n, d, still = m.layout.n_elastic, 1e-6, np.zeros(m.mobility)
    both = np.concatenate([np.eye(n), -np.eye(n)]) * d
    held: dict[str, Any] = {"pose": m.home[:7]} if m.mechanism.has_platform else {"coordinates": {}}
    bent = m.configuration(**held, elastic=both)
    rates = np.concatenate([np.zeros((2 * n, m.mobility)), both], axis=1)
    pushed = m.inverse_dynamics(bent, np.zeros(m.layout.nv), still).eddot
    moving = m.inverse_dynamics(m.home, rates, still).eddot
    of_e, of_rate = ((x[:n] - x[n:]).T / (2 * d) for x in (pushed, moving))
    found = np.linalg.eigvals(np.block([[np.zeros((n, n)), np.eye(n)], [of_e, of_rate]])).real.max()
    growth = growth_without_stress(m, m.home, m.parameters)
    assert growth == pytest.approx(found, rel=1e-3) if grows else growth == 0.0
    if grows:
        assert gough.zero_dynamics(m).eigenvalues.real.max() == pytest.approx(growth, rel=1e-3)
