"""What calls of a model say about one bad state of two: their own name, the user's states, a remedy that they have."""

import inspect
import pickle

import numpy as np
import pytest

import gough

TWIST = np.ones(6)
CALLS = {
    "assemble": lambda m, q, bad: m.assemble(q[..., :7] + bad, near=m.home),
    "configuration": lambda m, q, bad: m.configuration(q[..., :7] + bad),
    "forward_geometry": lambda m, q, bad: m.forward_geometry(m.drives(m.home) + 50 * bad),
    "integrate": lambda m, q, bad: m.integrate(m.home, [[0, 0, 0], [0, np.nan, 0]]),
    "project": lambda m, q, bad: m.project(np.where(bad > 0, np.nan, q)),
    "frame_pose": lambda m, q, bad: m.frame_pose(q, "platform"),
    "frame_twist": lambda m, q, bad: m.frame_twist(q, np.ones(3), "platform"),
    "frame_jacobian": lambda m, q, bad: m.frame_jacobian(q, "platform"),
    "twist": lambda m, q, bad: m.twist(q, np.ones(3)),
    "velocity": lambda m, q, bad: m.velocity(q, TWIST),
    "configuration_rate": lambda m, q, bad: m.configuration_rate(q, np.ones(3)),
    "drive_rates": lambda m, q, bad: m.drive_rates(q, np.ones(3)),
    "inverse_dynamics": lambda m, q, bad: m.inverse_dynamics(q, np.ones(3), np.ones(3)),
    "forward_dynamics": lambda m, q, bad: m.forward_dynamics(q, np.ones(3), np.ones(3)),
    "hybrid_dynamics": lambda m, q, bad: m.hybrid_dynamics(q, np.ones(3), dict.fromkeys(m.layout.drive_names, 1.0)),
    "mass_matrix": lambda m, q, bad: m.mass_matrix(q),
    "bias_force": lambda m, q, bad: m.bias_force(q, np.ones(3)),
    "gravity_force": lambda m, q, bad: m.gravity_force(q),
    "drive_map": lambda m, q, bad: m.drive_map(q),
    "energies": lambda m, q, bad: m.energies(q, np.ones(3)),
    "joint_reactions": lambda m, q, bad: m.joint_reactions(q, np.ones(3), np.ones(3)),
    "coriolis_matrix": lambda m, q, bad: m.coriolis_matrix(q, np.ones(3)),
    "coordinate_terms": lambda m, q, bad: m.coordinate_terms(q, np.ones(3)),
    "linearize": lambda m, q, bad: m.linearize(q, np.zeros(3), np.zeros(3)),
}
"""Each with a second state that is bad: loops that are open, or a pose out of reach."""
SAY_NOTHING = {
    "drives",
    "closure_error",
    "singularity",
    "limit_margins",
    "tangent_derivative",
    "igm",
    "dgm",
    "idm",
    "ddm",
}
"""Those that measure any state, make functions, or are other names."""


@pytest.fixture(scope="module")
def delta():
    return gough.build("delta")


def test_all_calls_are_here() -> None:
    groups = [c for c in gough.Model.__mro__ if c.__name__.endswith("Calls") and c.__name__ != "DesignCalls"]
    public = {name for group in groups for name in vars(group) if not name.startswith("_")}
    assert len(groups) == 4 and public - SAY_NOTHING == set(CALLS)


@pytest.mark.parametrize("call", CALLS)
def test_one_of_two_is_named_as_the_user_knows_it(delta, call: str) -> None:
    bad = np.array([[0.0], [1.0]])
    q = np.array([delta.home, delta.home])
    q[1, 0] += 0.01
    with pytest.raises(gough.BadStateError) as error:
        CALLS[call](delta, q, bad)
    text = str(error.value)
    assert text.startswith(f"{call}: 1 of 2 states are bad"), text
    assert "(first at index 1)" in text
    if call not in ("assemble", "configuration", "forward_geometry", "integrate", "project"):
        assert "OPEN_LOOP at leg" in text and "left_ball is 10 mm apart" in text
    takes = inspect.signature(getattr(delta, call)).parameters
    assert ("on_bad_state" in text) == ("on_bad_state" in takes or "options" in takes)
    assert (error.value.result is None) == ("on_bad_state" not in text)


def test_a_twist_of_unknown_states_is_unknown() -> None:
    m = gough.build("lopes")
    q = np.array([m.home, np.full(m.layout.nq, np.nan)])
    found = m.twist(q, TWIST, on_bad_state="mark")
    np.testing.assert_array_equal(found[0], TWIST)
    assert np.isnan(found[1]).all()
    with pytest.raises(gough.BadStateError, match=r"twist: 1 of 2 states .*\n.*NOT_FINITE at input"):
        m.twist(q, TWIST)
    with pytest.raises(gough.BadStateError, match="velocity: 1 of 1 states"):
        m.velocity(q[0], np.nan * TWIST)


def test_an_error_goes_to_another_process_with_its_results():
    model = gough.build("five_bar")
    with pytest.raises(gough.BadStateError) as caught:
        model.mass_matrix(np.stack([model.home, model.home + 0.1]))
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value)
    np.testing.assert_array_equal(again.result, caught.value.result)


@pytest.mark.parametrize("robot", ["lopes", "five_bar"])
def test_which_input_is_not_finite(robot: str) -> None:
    """Interpreted and compiled, alone and in a batch."""
    m = gough.build(robot)
    q, z = m.home.copy(), np.zeros(m.mobility)
    none, nowhere = np.full(m.mobility, np.nan), np.full(m.layout.nq, np.nan)
    tau = np.full(len(m.mechanism.drives), np.inf)
    for _ in range(2):
        for name, call in {
            "q": lambda: m.inverse_dynamics(nowhere, z, z),
            "v": lambda: m.inverse_dynamics(np.stack([q, q]), np.stack([z, none]), z),
            "acceleration": lambda: m.inverse_dynamics(q, z, none),
            "tau": lambda: m.forward_dynamics(q, z, tau),
            "drives": lambda: m.configuration(drives=tau),
            "near": lambda: m.configuration(drives=m.drives(q), near=nowhere),
        }.items():
            with pytest.raises(gough.BadStateError, match=f"NOT_FINITE at input {name}"):
                call()
        with pytest.raises(gough.BadStateError, match="NOT_FINITE at input v"):
            m.integrate(q, none)
        with pytest.raises(gough.BadStateError, match="NOT_FINITE at input q"):
            m.integrate(nowhere, z)
        with pytest.raises(gough.BadStateError, match="NOT_FINITE at input q"):
            m.project(nowhere)
        for name in ("inverse_dynamics", "forward_dynamics"):
            m.function(name).compile()
