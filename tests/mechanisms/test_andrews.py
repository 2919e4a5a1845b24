"""Andrews' squeezer: the gallery's bodies and joints against the benchmark's equations and its published numbers."""

from __future__ import annotations

import numpy as np
import pytest

from mechanisms.andrews import END, END_MULTIPLIERS, END_RATES, NAMES, START, TORQUE, squeezer
from mechanisms.models import model

STATES = {"start": (START, 0.0), "end": (END, END_RATES[0])}

ANDREWS = "andrews"


def order() -> list[int]:
    return [model(ANDREWS).layout.index(name) for name in NAMES]


def placed(p: np.ndarray | tuple) -> np.ndarray:
    """The benchmark's angles as q."""
    q = np.zeros(7)
    q[order()] = p
    return q


def test_one_freedom_and_spatial_rows_that_a_plane_does_not_need() -> None:
    """Three loops of five rows each, two of them independent in a plane."""
    assert model(ANDREWS).mobility == 1
    assert model(ANDREWS).layout.v_names == ("beta",)
    assert len(model(ANDREWS).redundant_closures) == 9


@pytest.mark.parametrize("name", STATES)
def test_printed_angles_close_the_loops(name: str) -> None:
    p = STATES[name][0]
    assert squeezer().gap(np.array(p)) < 1e-15
    assert model(ANDREWS).closure_error(placed(p)) < 1e-14


@pytest.mark.parametrize("name", STATES)
def test_accelerations_and_loop_forces(name: str) -> None:
    """Accelerations are 1e4 at the start, up to 6e5 at the end."""
    reference, m = squeezer(), model(ANDREWS)
    printed, rate = STATES[name]
    p = reference.closed(np.array(printed))
    pd = reference.rates(p, rate)
    expected = reference.solve(p, pd, TORQUE)
    q = m.project(placed(printed))
    np.testing.assert_allclose(q, placed(p), rtol=0, atol=1e-14)
    found = m.forward_dynamics(q, [rate], [TORQUE]).vdot
    largest = np.abs(expected.accelerations).max()
    assert abs(found[0] - expected.accelerations[0]) < 1e-11 * largest
    motion = m.function("joint_motion").values(q=q, v=np.array([rate]), vdot=found, parameters=m.parameters)
    np.testing.assert_allclose(motion["u"][order()], pd, rtol=0, atol=1e-11 * max(1.0, abs(rate)))
    np.testing.assert_allclose(motion["ud"][order()], expected.accelerations, rtol=0, atol=1e-11 * largest)
    reactions = m.joint_reactions(q, [rate], found, tau=[TORQUE])
    assert reactions.cut_names == ("tip_k3", "tip_k4", "tip_k6")
    forces = reactions.cuts[:, :2].ravel()
    np.testing.assert_allclose(forces, expected.multipliers, rtol=0, atol=1e-11 * np.abs(expected.multipliers).max())
    np.testing.assert_array_equal(reactions.cuts[:, 2:], 0.0)
    np.testing.assert_allclose(m.inverse_dynamics(q, [rate], found).tau, [TORQUE], rtol=1e-9)


@pytest.mark.parametrize("name", STATES)
def test_energies(name: str) -> None:
    reference, m = squeezer(), model(ANDREWS)
    printed, rate = STATES[name]
    p = reference.closed(np.array(printed))
    energies = m.energies(m.project(placed(printed)), [rate])
    found = (float(energies.kinetic), float(energies.potential))
    np.testing.assert_allclose(found, reference.energies(p, reference.rates(p, rate)), rtol=1e-12, atol=1e-16)


def test_published_multipliers_at_the_end() -> None:
    """At t = 0.03 s, to the accuracy of the published run."""
    m = model(ANDREWS)
    q = m.project(placed(END))
    found = m.forward_dynamics(q, END_RATES[:1], [TORQUE]).vdot
    forces = m.joint_reactions(q, END_RATES[:1], found, tau=[TORQUE]).cuts[:, :2].ravel()
    assert np.abs(forces - END_MULTIPLIERS).max() < 1e-6 * np.abs(END_MULTIPLIERS).max()
