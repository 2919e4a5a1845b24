"""The self-checks pass on right models and notice wrong ones."""

import warnings
from dataclasses import replace

import numpy as np
import pytest

import gough
from gough.analysis.verification import Check, sample, verify
from gough.robot import loads
from gough.robot.writer import dumps

NAMES = [
    "closure_error",
    "drive_rates",
    "mass_matrix_symmetric",
    "mass_matrix_positive",
    "kinetic_energy",
    "forward_of_inverse",
    "power_balance",
    "code",
    "digits",
]


@pytest.fixture(scope="module")
def built():
    return gough.build("lopes")


@pytest.fixture
def lopes(built):
    """One model for all tests; what a test changed is undone."""
    yield built
    for name in [n for n in vars(built) if callable(getattr(type(built), n, None))]:
        delattr(built, name)


def verdicts(model, states=3):
    return {c.name: c.verdict for c in verify(model, states=states, seed=1).checks}


def wrong(model, name, change):
    """The model with the result of one of its calls changed."""
    right = getattr(model, name)
    setattr(model, name, lambda *a, **k: change(right(*a, **k)))
    return model


def test_all_laws_hold(lopes):
    done = verify(lopes, states=3, seed=1)
    assert [c.name for c in done.checks] == NAMES
    assert done.passed
    assert all(c.verdict == "pass" for c in done.checks)
    assert (done.robot, done.states, done.seed) == ("lopes", 3, 1)


@pytest.mark.slow
def test_friction_and_telescopic_inertia_are_part_of_the_balance():
    """Robots with losses (Pedrammehr) and inertia that depends on a joint (Fried)."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in ("pedrammehr2012", "fried"):
            assert verify(gough.build(name), states=2).passed


def test_wrong_drive_forces_are_noticed(lopes):
    """One part in a million."""
    wrong(lopes, "inverse_dynamics", lambda r: replace(r, tau=r.tau * (1 + 1e-6)))
    found = verdicts(lopes)
    assert found["forward_of_inverse"] == "FAIL"
    assert found["power_balance"] == "FAIL"
    assert found["digits"] == "FAIL"
    assert found["closure_error"] == "pass"


def test_a_wrong_potential_is_noticed(lopes):
    wrong(lopes, "energies", lambda e: replace(e, potential=e.potential * (1 + 1e-5)))
    assert verdicts(lopes)["power_balance"] == "FAIL"


def test_a_wrong_mass_matrix_is_noticed(lopes):
    wrong(lopes, "mass_matrix", lambda M: M + 1e-6 * np.eye(6, k=1))
    found = verdicts(lopes)
    assert found["mass_matrix_symmetric"] == "FAIL"
    assert found["kinetic_energy"] == "FAIL"


def test_an_indefinite_mass_matrix_is_noticed(lopes):
    wrong(lopes, "mass_matrix", lambda M: M - 100 * np.eye(6))
    assert verdicts(lopes)["mass_matrix_positive"] == "FAIL"


def test_a_wrong_drive_map_is_noticed(lopes):
    wrong(lopes, "drive_rates", lambda r: r * (1 + 1e-7))
    assert verdicts(lopes)["drive_rates"] == "FAIL"


def test_open_loops_are_noticed(lopes):
    wrong(lopes, "closure_error", lambda e: e + 1e-9)
    assert verdicts(lopes)["closure_error"] == "FAIL"


def test_nan_never_passes():
    assert Check("x", "", np.nan, 1.0).verdict == "FAIL"
    assert Check("x", "", np.nan, 0.0, above=True).verdict == "FAIL"
    assert Check("x", "", -1.0, 0.0, above=True, required=False).verdict == "not required"


def test_states_are_regular_and_depend_on_the_seed_only(lopes):
    one, again, other = sample(lopes, 5, 0), sample(lopes, 5, 0), sample(lopes, 5, 1)
    assert one.q.shape == (5, lopes.layout.nq)
    assert np.array_equal(one.q, again.q) and not np.array_equal(one.q, other.q)
    assert (lopes.singularity(one.q).parallel > 1e-3).all()


def test_no_states_is_refused(lopes):
    with pytest.raises(gough.UsageError, match="at least 1"):
        verify(lopes, states=0)


def test_a_home_among_singularities_is_said():
    """A 6-UPS with similar hexagons is singular at every pose with parallel plates, and near it."""
    angles = np.radians([0.0, 60.0, 120.0, 180.0, 240.0, 300.0])
    ring = np.column_stack([np.cos(angles), np.sin(angles), 0 * angles])
    robot = gough.robots.hexapod(0.5 * ring, 0.5 * ring, platform={"mass": 1.0}, home=[0, 0, 500.0], name="tall")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(gough.UsageError, match="regular"):
            verify(gough.build(loads(dumps(robot))), states=4)
