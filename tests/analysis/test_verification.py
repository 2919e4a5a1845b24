"""The self-checks pass on right models and notice wrong ones."""

import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import gough
from gough.analysis.verification import laws
from gough.robot import dumps, loads
from inner.analysis import LawCheck, sample, verify

UNEQUAL = Path(__file__).with_name("five_unequal_legs.yaml")
NAMES = [
    "closure_error",
    "drive_rates",
    "mass_matrix_symmetric",
    "mass_matrix_positive",
    "kinetic_energy",
    "equation_of_motion",
    "forward_of_inverse",
    "power_balance",
    "reactions",
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
        del vars(built)[name]


def verdicts(model, states=3):
    return {c.name: c.verdict for c in verify(model, states=states, seed=1).checks}


def wrong(model, name, change):
    """The model with the result of one of its calls changed."""
    right = getattr(model, name)
    vars(model)[name] = lambda *a, **k: change(right(*a, **k))
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


def test_wrong_reactions_are_noticed(lopes):
    """One joint of one leg, one part in a million."""

    def change(r):
        joints = r.joints.copy()
        joints[:, 0] *= 1 + 1e-6
        return replace(r, joints=joints)

    wrong(lopes, "joint_reactions", change)
    assert verdicts(lopes)["reactions"] == "FAIL"


def test_wrong_forward_dynamics_is_noticed(lopes):
    wrong(lopes, "forward_dynamics", lambda r: replace(r, vdot=r.vdot * (1 + 1e-8)))
    assert verdicts(lopes)["equation_of_motion"] == "FAIL"


@pytest.mark.quick_cases("andrews", "five_bar")
@pytest.mark.parametrize("name", ["five_bar", "andrews", "ankle", "delta_fast"])
def test_other_mechanisms(name):
    """No platform; a spring on the ground and stiff forces; a platform that a tree carries; fewer than six freedoms."""
    done = verify(gough.build(name), states=2, seed=2)
    assert [c.name for c in done.checks] == NAMES
    assert all(c.verdict == "pass" for c in done.checks), done


@pytest.mark.slow
@pytest.mark.parametrize("name", ["delta", "three_rrr", "redundant_planar", "tripod_wrist", "agile_eye"])
def test_other_platforms(name):
    assert verify(gough.build(name), states=4).passed


FLEXIBLE = (
    "dualemps",
    "flexible_slider_crank",
    *(
        pytest.param(name, marks=pytest.mark.slow)
        for name in ("spin_up_beam", "delta_flexible", "hexapod_flexible", "long2014")
    ),
)


@pytest.mark.quick_cases("dualemps")
@pytest.mark.parametrize("name", FLEXIBLE)
def test_flexible_robots(name):
    """Momentum of deformed bodies and of elastic rates is in the balance; stiff rods have accelerations of 1e6 and more."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        done = verify(gough.build(name), states=4)
    assert all(c.verdict == "pass" for c in done.checks), done


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_rounding_of_an_ill_conditioned_inverse_model_is_no_failure(seed):
    """A slender forearm: at poses far from singularities the inverse dynamics has a condition of 1e6 and more."""
    done = verify(gough.build(UNEQUAL), states=24, seed=seed)
    assert done.passed, done
    code = next(c for c in done.checks if c.name == "code")
    assert code.tolerance < 1e-6 and (code.measured <= 1e-10 or "inverse_dynamics, state" in code.note)


def test_code_that_differs_is_told_with_its_function_and_state(lopes, monkeypatch):
    right = laws.evaluate

    def other(program, slots):
        found = right(program, slots)
        if "tau" in found:
            found["tau"][1] *= 1 + 1e-9
        return found

    monkeypatch.setattr(laws, "evaluate", other)
    code = next(c for c in verify(lopes, states=3, seed=1).checks if c.name == "code")
    assert code.verdict == "FAIL" and "tau of inverse_dynamics, state 1" in code.note


def test_wrong_reactions_of_a_flexible_robot_are_noticed():
    """A loop's reaction goes through flexible links to the ground."""
    model = gough.build("dualemps")

    def change(r):
        joints = r.joints.copy()
        joints[:, r.joint_names.index("q21")] *= 1 + 1e-6
        return replace(r, joints=joints)

    wrong(model, "joint_reactions", change)
    assert verdicts(model)["reactions"] == "FAIL"


@pytest.mark.parametrize("name", ["bricard", "four_bar_chain"])
def test_laws_of_inverse_dynamics_are_skipped_by_name_without_drives(name):
    done = verify(gough.build(name), states=3, seed=1)
    assert done.passed
    skipped = {c.name: c.note for c in done.checks if c.verdict == "skipped"}
    assert set(skipped) == {"drive_rates", "forward_of_inverse"}
    assert skipped["forward_of_inverse"] == "skipped: drives 0, freedoms 1: no inverse dynamics"
    assert all(c.verdict == "pass" for c in done.checks if c.name not in skipped)


def test_a_mechanism_without_drives_is_checked_too():
    """Its power balance and reactions notice a wrong acceleration."""
    model = gough.build("four_bar_chain")
    wrong(model, "forward_dynamics", lambda r: replace(r, vdot=r.vdot * (1 + 1e-6)))
    found = {c.name: c.verdict for c in verify(model, states=3, seed=1).checks}
    assert found["equation_of_motion"] == found["power_balance"] == found["reactions"] == "FAIL"


BALANCED = """
format: 1
name: parallelogram
bodies:
  - {name: left, mass: 1, center_of_mass: [0, 0.5, 0], inertia: {about: center_of_mass, xx: 0.1, zz: 0.1}}
  - {name: right, mass: 1, center_of_mass: [0, 0.5, 0], inertia: {about: center_of_mass, xx: 0.1, zz: 0.1}}
  - {name: bar, mass: 2, center_of_mass: [1, 0, 0]}
joints:
  - {name: a, type: revolute, parent: world, child: left, drive: {}}
  - {name: b, type: revolute, parent: world, child: right, pose: {position: [2, 0, 0]}}
  - {name: c, type: revolute, parent: left, child: bar, pose: {position: [0, 1, 0]}}
loops:
  - name: pin
    type: revolute
    first: {body: bar, pose: {position: [2, 0, 0]}}
    second: {body: right, pose: {position: [0, 1, 0]}}
home: {joints: {a: 10 deg, b: 10 deg, c: -10 deg}}
"""


def test_a_bias_force_that_is_nothing_but_rounding_is_no_failure():
    """Across gravity, with a mass matrix that does not change, h is zero."""
    done = verify(gough.build(loads(BALANCED)), states=3)
    assert done.passed, done


def test_nan_never_passes():
    assert LawCheck("x", "", np.nan, 1.0).verdict == "FAIL"
    assert LawCheck("x", "", np.nan, 0.0, above=True).verdict == "FAIL"
    assert LawCheck("x", "", -1.0, 0.0, above=True, required=False).verdict == "not required"
    assert LawCheck("x", "", np.nan, 1.0, required=False).verdict == "skipped"


def test_states_are_regular_and_depend_on_the_seed_only(lopes):
    one, again, other = sample(lopes, 5, 0), sample(lopes, 5, 0), sample(lopes, 5, 1)
    assert one.q.shape == (5, lopes.layout.nq)
    assert np.array_equal(one.q, again.q) and not np.array_equal(one.q, other.q)
    assert (lopes.singularity(one.q).parallel > 1e-3).all()


def test_no_states_is_refused(lopes):
    with pytest.raises(gough.UsageError, match="positive whole number"):
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


@pytest.mark.parametrize(
    "text",
    [
        """
format: 2
name: telescope
bodies:
  - {name: tube, mass: 1, inertia: {about: center_of_mass, xx: 0.1, yy: 0.1, zz: 0.01}}
  - name: rod
    mass: 1
    center_of_mass: [0, 0, 0.1]
    inertia: {about: center_of_mass, xx: 0.01, yy: 0.01, zz: 0.001}
    telescopic: {joint: slide, inertia: {xx: [0, 0.1, 0.2], yy: [0, 0.1, 0.2]}}
joints:
  - {name: turn, type: revolute, axis: [0, 1, 0], parent: world, child: tube, drive: {}}
  - {name: slide, type: prismatic, parent: tube, child: rod, drive: {}}
""",
        """
format: 2
name: sprung
variables: {a: 0.3 m, gap: 1 cm, mass: 0.7 kg}
bodies:
  - {name: rod, mass: mass, center_of_mass: [a/2, 0, 0], inertia: {about: center_of_mass, xx: 0.001, yy: 0.01, zz: 0.01}}
joints: [{name: hinge, type: revolute, axis: [0, 1, 0], parent: world, child: rod, pose: {position: [a, 0, a]}, drive: {}}]
springs:
  - name: rope
    from: {body: world, position: [a, a, a]}
    to: {body: rod, position: [a/3, 0, 0]}
    stiffness: 100 N/m
    rest_length: a
    damping: 2
    tension_only: true
    rounding: gap
    clearance: gap
""",
    ],
)
def test_bodies_of_trees_that_telescope_and_springs_of_variables(text):
    done = verify(gough.build(loads(text)), states=2)
    assert done.passed and {c.name: c.verdict for c in done.checks}["reactions"] == "pass"
