"""Singularities of the flexible inverse model, against mass matrix and drive map from energies (automatic differentiation)."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from laws.subjects import built
from reference.designs.flexible import design_flexible
from reference.flexible.lagrange import FlexibleReference
from reference.flexible.states import random_flexible_states


@pytest.mark.parametrize("name", ["hexapod", "five_bar"])
def test_ratio_is_that_of_the_whole_system(name: str) -> None:
    """det [S_r, -M_re; S_e, -M_ee] = ± det S_r det M_z, with M_z from a unit acceleration of one elastic coordinate at a time:
    what force it meets when the drives keep the rigid accelerations zero."""
    robot = design_flexible(name, False)
    model = built(robot)
    reference = FlexibleReference(robot, list(model.layout.v_names))
    n = model.layout.mobility
    for x in random_flexible_states(reference, 2, 0):
        M, S = reference.mass_matrix(x.q), reference.drive_map(x.q)
        zero_dynamics = M[n:, n:] - S[n:] @ np.linalg.solve(S[:n], M[:n, n:])
        found = model.singularity(x.q)
        expected = np.linalg.det(zero_dynamics) / np.linalg.det(M[n:, n:])
        assert found.inverse_ratio == pytest.approx(expected, rel=1e-8)
        whole = np.block([[S[:n], -M[:n, n:]], [S[n:], -M[n:, n:]]])
        side = np.sign(np.linalg.det(whole)) * np.sign(np.linalg.det(S[:n])) * (-1) ** len(zero_dynamics)
        assert np.sign(found.inverse_ratio) == side


def test_a_rigid_robot_has_one_singularity() -> None:
    model = built(gough.load("pedrammehr2012"))
    found = model.singularity(model.home)
    assert found.inverse == found.parallel
    assert found.inverse_ratio == 1.0
