"""Forward dynamics undoes inverse dynamics and the other way round; geometry likewise."""

import numpy as np
import pytest

from laws.subjects import PAIRS, Subject, errors, subject


def check(s: Subject) -> None:
    m, b = s.model, s.batch
    tau = m.inverse_dynamics(b.q, b.v, b.acceleration, b.wrench).tau
    vdot = m.forward_dynamics(b.q, b.v, tau, b.wrench).vdot
    conditions = np.linalg.cond(m.mass_matrix(b.q))
    assert (errors(vdot, b.acceleration) < np.maximum(1e-11, 1e-14 * conditions)).all()
    vdot = m.forward_dynamics(b.q, b.v, b.tau, b.wrench).vdot
    again = m.inverse_dynamics(b.q, b.v, vdot, b.wrench).tau
    assert (errors(again, b.tau) < np.maximum(1e-11, 1e-14 * conditions)).all()


@pytest.mark.quick_cases("ups-0", "lopes")
@pytest.mark.parametrize("name", PAIRS)
def test_forward_of_inverse_and_inverse_of_forward(name: str) -> None:
    check(subject(name))


@pytest.mark.parametrize("name", PAIRS)
def test_pose_of_configuration_of_pose(name: str) -> None:
    s = subject(name)
    for x in s.states:
        q = s.model.configuration(pose=x.q[:7], near=x.q)
        np.testing.assert_array_equal(q[:7], x.q[:7])
        assert s.model.closure_error(q) < 1e-10
