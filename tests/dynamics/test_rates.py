"""Joint rates and accelerations, and the rate of q, against the reference's implicit derivatives of the closures."""

import numpy as np
import pytest

from laws.subjects import FEW, Subject, errors, subject


def compare(s: Subject) -> None:
    m, b = s.model, s.batch
    out = m.function("joint_motion")(q=b.q, v=b.v, vdot=b.acceleration, parameters=m.parameters).outputs
    rates, seconds = [], []
    for x in s.states:
        xdd = s.reference.accelerations(x.q, x.v, x.acceleration)
        rates.append(s.reference.rates(x.q, x.v))
        seconds.append(np.concatenate([x.acceleration, xdd[6:]]))
    assert (errors(out["u"], rates) < 10 * s.tolerances).all()
    assert (errors(out["ud"], seconds) < 10 * s.tolerances).all()
    truth = [s.reference.configuration_rates(x.q, x.v) for x in s.states]
    assert (errors(m.configuration_rate(b.q, b.v), truth) < 10 * s.tolerances).all()
    truth = [s.reference.drive_rates(x.q, x.v) for x in s.states]
    assert (errors(m.drive_rates(b.q, b.v), truth) < 10 * s.tolerances).all()


@pytest.mark.parametrize("name", FEW)
def test_reference(name: str) -> None:
    compare(subject(name))


@pytest.mark.parametrize("name", FEW)
def test_integrate_follows_the_rate(name: str) -> None:
    """q after a short step against configuration_rate, by symmetric steps: the error falls with the square."""
    s = subject(name)
    q, v = s.states[0].q, s.states[0].v
    slope = s.model.configuration_rate(q, v)
    wrong = []
    for h in (1e-3, 5e-4):
        difference = (s.model.integrate(q, v, h) - s.model.integrate(q, v, -h)) / (2 * h)
        wrong.append(np.abs(difference - slope).max() / np.abs(slope).max())
    assert wrong[1] < 1e-4 and (wrong[1] < 0.3 * wrong[0] or wrong[1] < 1e-10)
