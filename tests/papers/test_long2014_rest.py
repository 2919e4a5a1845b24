"""[Long 2014] at rest by energies alone: the numbers that the report puts beside the library's, to their digits.

The plate's mesh and modes, as freedoms of its nodes, are the library's, the stiffnesses those of Table 2; displacements, masses
and all that follows are the reference's own (`reference.elements`, `reference.flexible.rest`).
"""

import warnings
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

import gough
from gough_papers.along import PATHS
from gough_papers.long2014 import rest
from papers.long2014.legs import DATA
from reference.designs.elements import design_elements
from reference.energies.lagrange import Reference
from reference.flexible.lagrange import FlexibleReference
from reference.flexible.points import flexible_robot
from reference.flexible.rest import (
    Still,
    elastic_of,
    free_eigenvalues,
    locked_eigenvalues,
    output,
    settle,
    zeros,
)


@cache
def twin():
    return design_elements("long2014")[1]


@cache
def reference() -> FlexibleReference:
    return FlexibleReference(twin())


@cache
def still() -> Still:
    return settle(reference())


def plate() -> Any:
    return reference().tree.flexible["platform"]


def test_forces_that_hold_it():
    np.testing.assert_allclose(still().tau, rest.FORCES, rtol=0, atol=0.005)


def test_sag():
    up = np.array([plate().at(r)[0][2] for r in DATA.r]) @ elastic_of(reference(), still().q)
    np.testing.assert_allclose(1e3 * np.abs(up).max(), rest.SAG_MM, rtol=0, atol=0.0005)


def test_growth_with_locked_and_with_free_drives():
    assert abs(locked_eigenvalues(still()).real.max() - rest.LOCKED_GROWTH) <= 0.0005
    assert abs(free_eigenvalues(still()).real.max() - rest.FREE_GROWTH) <= 0.0005


def test_without_load_it_looks_stable():
    weightless = FlexibleReference(twin().model_copy(update={"gravity": (0.0, 0.0, 0.0)}))
    found = settle(weightless)
    assert np.abs(found.tau).max() < 1e-6 and np.abs(elastic_of(weightless, found.q)).max() < 1e-9
    assert abs(locked_eigenvalues(found).real.max() - rest.UNLOADED_GROWTH) <= 0.000005


def test_zero_dynamics():
    q = still().q
    floating, centre = (zeros(still(), output(reference(), q, frame)) for frame in (None, "center"))
    assert abs(floating.real.max() - rest.FLOATING_SLOWEST) <= 0.005
    growing = np.sort(centre.real[centre.real > 0])
    np.testing.assert_allclose(growing, rest.CENTRE_ZEROS, rtol=0, atol=0.05)


@cache
def rigid_forces():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rigid = Reference(gough.load("long2014_rigid"))
    return rigid.inverse(rigid.home(), np.zeros(6), np.zeros(6))


def test_forces_that_hold_a_rigid_platform():
    (known,) = PATHS["long2014_poses"].known
    np.testing.assert_allclose(rigid_forces(), known.value, rtol=0, atol=known.tolerance)


@pytest.mark.slow
def test_the_rigid_limit():
    """A plate 1 to 1000 times as stiff at rest, beside a rigid one."""
    truth = rigid_forces()
    found = []
    for factor in rest.STIFFER:
        robot = flexible_robot(twin(), {"platform": replace(plate(), K=factor * plate().K)})
        found.append(np.abs(settle(FlexibleReference(robot)).tau - truth).max())
    digits = [0.0005, 0.00005, 0.000005, 0.0000005]
    assert np.all(np.abs(np.array(found) - rest.SETTLED) <= digits), found
