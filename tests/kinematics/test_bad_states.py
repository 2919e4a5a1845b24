"""Bad states get a status, good ones of the same batch keep their results; raise carries everything in `.result`."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import numpy as np
import pytest

import gough
from gough import Status
from kinematics.hexapods import folded_position, model, yawed
from laws.subjects import subject

Z = np.zeros(6)
SIZES = [5, 70]  # interpreted and compiled


def good_states(n: int) -> np.ndarray:
    m = model()
    steps = np.random.default_rng(n).uniform(-0.05, 0.05, (n, 6))
    return m.integrate(m.home, steps)


def spoiled(kind: str, q: np.ndarray) -> np.ndarray:
    """A configuration with one named trouble."""
    q = q.copy()
    if kind == "nan":
        q[12] = np.nan
    elif kind == "infinite":
        q[0] = np.inf
    elif kind == "quaternion":
        q[3:7] *= 1 + 1e-5
    elif kind == "zero quaternion":
        q[3:7] = 0
    elif kind == "open":
        q[9] += 1e-4
    elif kind == "singular":
        q = model().configuration(pose=yawed(np.pi / 2))
    elif kind == "folded":
        q = model().configuration(pose=(folded_position(), np.eye(3)), on_bad_state="mark")
        q[7:10] = [0.3, np.pi / 2, 0.9]
    return q


EXPECTED = {
    "nan": Status.NOT_FINITE,
    "infinite": Status.NOT_FINITE,
    "quaternion": Status.BAD_QUATERNION,
    "zero quaternion": Status.BAD_QUATERNION,
    "open": Status.OPEN_LOOP,
    "singular": Status.SINGULAR,
    "folded": Status.FOLDED,
}


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("kind", EXPECTED)
def test_inverse_dynamics(kind: str, n: int) -> None:
    m = model()
    q = good_states(n)
    truth = m.inverse_dynamics(q, Z, np.ones(6)).tau
    q[3] = spoiled(kind, q[3])
    marked = m.inverse_dynamics(q, Z, np.ones(6), on_bad_state="mark")
    assert marked.status[3] == EXPECTED[kind], Status(marked.status[3]).name
    assert np.isnan(marked.tau[3]).all()
    others = np.arange(n) != 3
    assert (marked.status[others] == Status.OK).all()
    np.testing.assert_allclose(marked.tau[others], truth[others], rtol=1e-10)
    with pytest.raises(gough.BadStateError, match=f"1 of {n}.*(?s:.)*{EXPECTED[kind].name}") as caught:
        m.inverse_dynamics(q, Z, np.ones(6))
    np.testing.assert_array_equal(caught.value.result.status, marked.status)
    np.testing.assert_array_equal(caught.value.result.tau, marked.tau)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("kind", [k for k in EXPECTED if k != "singular"])
def test_forward_dynamics(kind: str, n: int) -> None:
    m = model()
    q = good_states(n)
    q[3] = spoiled(kind, q[3])
    marked = m.forward_dynamics(q, Z, np.ones(6), on_bad_state="mark")
    assert marked.status[3] == EXPECTED[kind] and np.isnan(marked.vdot[3]).all()
    assert (np.delete(marked.status, 3) == 0).all() and np.isfinite(np.delete(marked.vdot, 3, axis=0)).all()


def test_a_parallel_singularity_does_not_stop_forward_dynamics() -> None:
    """The mass matrix is regular there: the platform moves, it only cannot be held."""
    m = model()
    q = m.configuration(pose=yawed(np.pi / 2))
    assert m.singularity(q).parallel < 1e-12
    assert np.isfinite(m.forward_dynamics(q, Z, np.ones(6)).vdot).all()


@pytest.mark.parametrize("kind", ["v", "acceleration", "wrench", "tau", "parameters"])
@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_other_inputs_that_are_not_finite(kind: str, n: int, value: float) -> None:
    m = model()
    q = good_states(n)
    given: dict[str, Any] = {"v": np.zeros((n, 6)), "acceleration": np.zeros((n, 6)), "wrench": np.zeros((n, 6))}
    given["parameters"] = np.tile(m.parameters, (n, 1))
    given["tau"] = np.zeros((n, 6))
    column = m.parameter_names.index("platform.M") if kind == "parameters" else 2
    given[kind][3, column] = value
    if kind == "tau":
        r: Any = m.forward_dynamics(q, given["v"], given["tau"], on_bad_state="mark")
    else:
        r = m.inverse_dynamics(
            q,
            given["v"],
            given["acceleration"],
            given["wrench"],
            parameters=given["parameters"],
            on_bad_state="mark",
        )
    assert r.status[3] == Status.NOT_FINITE and (np.delete(r.status, 3) == 0).all()


@pytest.mark.parametrize("kind", ["nan", "quaternion", "open"])
@pytest.mark.parametrize(
    "call",
    [
        lambda m, q: m.mass_matrix(q),
        lambda m, q: m.bias_force(q, Z),
        lambda m, q: m.gravity_force(q),
        lambda m, q: m.drive_map(q),
        lambda m, q: m.energies(q, Z),
        lambda m, q: m.joint_reactions(q, Z, Z),
        lambda m, q: m.frame_pose(q, "platform"),
        lambda m, q: m.frame_twist(q, Z, "platform"),
        lambda m, q: m.frame_jacobian(q, "leg0.upper"),
        lambda m, q: m.configuration_rate(q, Z),
        lambda m, q: m.drive_rates(q, Z),
    ],
    ids="mass_matrix bias gravity drive_map energies reactions pose twist jacobian rate drive_rates".split(),
)
def test_no_call_takes_a_bad_q_without_a_word(call: Any, kind: str) -> None:
    m = model()
    with pytest.raises(gough.BadStateError):
        call(m, spoiled(kind, np.array(m.home)))
    call(m, m.home)


def test_status_does_not_depend_on_what_was_asked_before() -> None:
    """The same bad state, interpreted first and compiled then, in every function."""
    m = model()
    bad = spoiled("nan", np.array(m.home))
    for name in ("drive_map", "frame_pose:platform", "mass_matrix", "energies"):
        f = m.function(name)
        given = {s.name: {"q": bad, "v": Z, "parameters": m.parameters}[s.name] for s in f.program.inputs}
        fresh = pickle.loads(pickle.dumps(f))
        assert list(fresh(**given).names) == list(fresh.compile()(**given).names), name


def test_one_bad_state_alone_raises_and_carries_its_result() -> None:
    m = model()
    with pytest.raises(gough.BadStateError, match=r"model\.configuration or model\.project") as caught:
        m.inverse_dynamics(spoiled("open", np.array(m.home)), Z, Z)
    assert caught.value.result.status == Status.OPEN_LOOP and caught.value.result.tau.shape == (6,)


def test_many_troubles_are_listed_once_each() -> None:
    m = model()
    q = good_states(60)
    for k, kind in enumerate(("nan", "open", "open", "quaternion", "singular")):
        q[10 + k] = spoiled(kind, q[10 + k])
    with pytest.raises(gough.BadStateError) as caught:
        m.inverse_dynamics(q.reshape(6, 10, -1), Z, np.ones(6))
    text = str(caught.value)
    assert "5 of 60" in text and "2 × OPEN_LOOP" in text and "(1, 0)" in text
    for word in ("NOT_FINITE", "BAD_QUATERNION", "SINGULAR at drives"):
        assert word in text
    assert caught.value.result.tau.shape == (6, 10, 6)


@pytest.mark.parametrize(
    ("name", "coordinate", "low", "high"),
    [
        ("lopes", "pitch", -1.1, -1.0),
        ("pedrammehr2012", "roll", 0.4, 0.55),
        pytest.param("ups-0", "yaw", -1.8, -1.6, marks=pytest.mark.slow),
        pytest.param("generic-0", "roll", 0.85, 1.0, marks=pytest.mark.slow),
    ],
)
def test_singularities_of_other_robots(name: str, coordinate: str, low: float, high: float) -> None:
    """Turn the platform until det S of the reference changes sign: at the root the inverse model says so."""
    s = subject(name)

    def q_of(angle: float) -> np.ndarray:
        return s.model.configuration(coordinates={coordinate: angle})

    def det(angle: float) -> float:
        return float(np.linalg.det(s.reference.drive_map(q_of(angle))))

    sign = np.sign(det(low))
    assert sign == -np.sign(det(high))
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if np.sign(det(middle)) == sign else (low, middle)
    at_root = s.model.inverse_dynamics(q_of(low), Z, np.ones(6), on_bad_state="mark")
    assert at_root.status == Status.SINGULAR and np.isnan(at_root.tau).all()
    assert s.model.singularity(q_of(low)).parallel < 1e-10
    batch = np.stack([q_of(low)] * 3 + [s.model.home] * 60)
    assert (s.model.inverse_dynamics(batch, Z, np.ones(6), on_bad_state="mark").status[:3] == Status.SINGULAR).all()


@pytest.mark.parametrize("length", [0.0, 0.9, 1.0 + 1e-5])
def test_a_quaternion_of_a_given_state_has_unit_length_in_every_call(length: float) -> None:
    """One rule: evaluations, equilibria and runs refuse it; only what makes a q (`project`, `integrate`) normalises."""
    m = model()
    q = m.home.copy()
    q[3:7] *= length
    still = np.zeros(6)
    for call in (
        lambda: m.forward_dynamics(q, still, still),
        lambda: m.mass_matrix(q),
        lambda: gough.static_equilibrium(m, q=q),
        lambda: gough.natural_frequencies(m, q=q, about="undeformed"),
    ):
        with pytest.raises(gough.BadStateError, match="BAD_QUATERNION at platform"):
            call()
    for run in (
        lambda: gough.simulate(m, q=q, duration=0.01),
        lambda: gough.simulate_many(m, q=np.stack([m.home, q]), duration=0.01),
    ):
        with pytest.raises(gough.UsageError, match=r"q.*quaternion \(qw qx qy qz\) of platform is not of unit length"):
            run()
    if length:
        np.testing.assert_allclose(m.project(q), m.home, atol=1e-12)


@pytest.mark.parametrize("name", ["lopes", "five_bar"])
def test_coordinates_that_there_are_not_are_refused_for_every_robot(name: str) -> None:
    m = gough.build(name)
    for call in (m.coriolis_matrix, m.coordinate_terms):
        with pytest.raises(gough.UsageError, match="coordinates='rpy_xyz'; use one of rpy_zyx, bryant_xyz"):
            call(m.home, np.zeros(m.layout.nv), "rpy_xyz")


def test_a_gap_is_told_with_the_parameters_of_the_call() -> None:
    lopes = subject("lopes").model
    names = list(lopes.parameter_names)
    moved = {"leg0.slide.x": float(lopes.parameters[names.index("leg0.slide.x")]) + 0.05}
    with pytest.raises(
        gough.BadStateError, match=r"leg0.ball is 50 mm apart with the parameters of this call.*project"
    ):
        lopes.inverse_dynamics(lopes.home, Z, Z, parameters=moved)
    lopes.inverse_dynamics(lopes.project(lopes.home, parameters=moved), Z, Z, parameters=moved)


@pytest.mark.parametrize("name", ["five_bar", "delta", "lopes"])
def test_infinite_numbers_are_named_without_words_of_numpy(name: str) -> None:
    """States are marked, and no warning of the arithmetic takes the place of the answer."""
    model = gough.build(name)
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        for number in (np.inf, np.nan, 1e308):
            v, q = np.ones(model.layout.nv), model.home.copy()
            v[0] = q[0] = number
            for _ in range(20):  # interpreted, then compiled
                model.integrate(model.home, v, on_bad_state="mark")
                model.project(q, on_bad_state="mark")
                model.mass_matrix(q, on_bad_state="mark")
            model.integrate(np.repeat(model.home[None], 3, axis=0), v, 0.0, on_bad_state="mark")
