"""Bias force, gravity force and drive map against the references; M vdot + h = S tau + wrench among them."""

import numpy as np
import pytest

from dynamics.comparisons import compare_with_peer, compare_with_reference
from laws.subjects import FEW, GALLERY, PEERS, TOLERANCE, described, errors, subject
from reference.designs import design
from reference.energies.lagrange import Reference

TERMS = ("bias", "drive_map")


@pytest.mark.parametrize("name", FEW)
@pytest.mark.parametrize("term", TERMS)
def test_reference(term: str, name: str) -> None:
    compare_with_reference(term, subject(name))


@pytest.mark.parametrize("peer", PEERS)
@pytest.mark.parametrize("name", FEW)
def test_peers(name: str, peer: str) -> None:
    for term in TERMS:
        compare_with_peer(term, subject(name), peer)


@pytest.mark.parametrize("name", [*GALLERY, "ups-0", "generic-0"])
def test_gravity_is_what_vanishes_without_it(name: str) -> None:
    """g = h(with gravity) - h(without) at rest, both by the reference: springs stay out of g."""
    s = subject(name)
    robot = described(name)
    weightless = Reference(robot.model_copy(update={"gravity": (0.0, 0.0, 0.0)}))
    truth = [s.reference.bias(x.q, np.zeros(6)) - weightless.bias(x.q, np.zeros(6)) for x in s.states]
    assert (errors(s.model.gravity_force(s.batch.q), truth) < 10 * s.tolerances).all()


@pytest.mark.parametrize("name", FEW)
def test_terms_are_those_of_the_equation_of_motion(name: str) -> None:
    """inverse_dynamics solves S tau = M a + h - wrench although it never forms M."""
    s = subject(name)
    m, b = s.model, s.batch
    tau = m.inverse_dynamics(b.q, b.v, b.acceleration, b.wrench).tau
    left = np.einsum("nij,nj->ni", m.mass_matrix(b.q), b.acceleration) + m.bias_force(b.q, b.v)
    right = np.einsum("nij,nj->ni", m.drive_map(b.q), tau) + b.wrench
    assert (errors(right, left) < 10 * s.tolerances).all()


@pytest.mark.parametrize("name", ["ups", pytest.param("generic", marks=pytest.mark.slow)])
def test_telescopic_designs(name: str) -> None:
    """Inertia that depends on a joint coordinate, in all legs, with its velocity terms; peers have no such bodies."""
    from laws.subjects import built
    from reference.energies.states import random_states

    robot = design(name, 5, telescopic=True)
    reference, model = Reference(robot), built(robot)
    for q, v, acceleration, wrench, tau in random_states(reference, 3, 1):
        accepted = TOLERANCE
        assert errors(model.mass_matrix(q)[None], reference.mass_matrix(q)[None])[0] < accepted
        assert errors(model.bias_force(q, v)[None], reference.bias(q, v)[None])[0] < accepted
        ours = model.inverse_dynamics(q, v, acceleration, wrench).tau
        assert errors(ours[None], reference.inverse(q, v, acceleration, wrench)[None])[0] < accepted
        ours = model.forward_dynamics(q, v, tau, wrench).vdot
        assert errors(ours[None], reference.forward(q, v, tau, wrench)[None])[0] < accepted
