"""The truth: closed-form dynamics where there is one, the library's everywhere to rounding, although nothing is shared."""

import numpy as np
import pytest

from bench.cases import bare_model, case
from gough.robots import four_bar_chain
from gough_bench.peer import difference
from gough_bench.run import bare_model as bare
from gough_bench.states import PeerStates, random_states
from gough_bench.truth import true_answers

ROBOTS = ("pedrammehr2012", "delta", "five_bar", "ankle", "tripod_wrist", "andrews", "bricard", "delta_fast")


@pytest.mark.parametrize("robot", ROBOTS)
@pytest.mark.parametrize("function", ["inverse_dynamics", "forward_dynamics"])
def test_the_library_has_it(robot, function):
    model = bare_model(robot)
    if function == "inverse_dynamics" and not model.driven:
        return
    states = case(robot, function).states
    if function == "inverse_dynamics":
        found = model.inverse_dynamics(states.q, states.v, states.acceleration).tau
    else:
        found = model.forward_dynamics(states.q, states.v, states.tau).vdot
    truth = true_answers(model, states, function)
    assert truth is not None and difference(found, truth) < 1e-11


def test_parallelograms_fall_as_one_body():
    """Cranks of a chain of parallelograms turn alike, couplers only shift: one freedom, its equation by hand."""
    n, length, mass, g = 3, 1.0, 1.0, 9.81
    model = bare(four_bar_chain(n, angle=0.4))
    angle, rate = 0.4, 1.3
    thin = mass * length**2 / 3
    inertia = (n + 1) * thin + n * mass * length**2
    load = ((n + 1) * mass * length / 2 + n * mass * length) * g * np.sin(angle)
    q, none = model.home[None], np.zeros((1, 0))
    states = PeerStates(q, np.array([[rate]]), none, none, none, none)
    found = true_answers(model, states, "forward_dynamics")
    assert found is not None
    np.testing.assert_allclose(found, [[load / inertia]], rtol=1e-15)


def test_forces_at_rest_are_the_mass_matrix():
    """The five-bar's forces at rest without gravity in its plane are its mass matrix: the same from kinetic energy."""
    model = bare_model("five_bar")
    states = random_states(model, 4)
    q, n = states.q, len(states.q)
    columns = []
    for k in range(2):
        a = np.zeros((n, 2))
        a[:, k] = 1.0
        columns.append(true_answers(model, PeerStates(q, 0 * a, a, a, a, a), "inverse_dynamics"))
    M = np.stack(columns, axis=2)
    v = states.v
    kinetic = model.energies(q, v).kinetic
    np.testing.assert_allclose(0.5 * np.einsum("ni,nij,nj->n", v, M, v), kinetic, rtol=1e-13)


def test_robots_it_does_not_know():
    assert true_answers(bare_model("fried"), case("fried", "forward_dynamics").states, "forward_dynamics") is None
    model = bare_model("five_bar")
    assert true_answers(model, random_states(model, 2), "mass_matrix") is None
