"""d(T + U)/dt = tau . qdot + wrench . V - losses, by exact derivatives of the energy program along the motion."""

import numpy as np
import pytest

from laws.subjects import PAIRS, Subject, subject


def rate_of_energy(s: Subject, qdot: np.ndarray, vdot: np.ndarray) -> np.ndarray:
    m, b = s.model, s.batch
    f = m.function("energies")
    by_q = f.derivative("q", "jvp")(q=b.q, v=b.v, parameters=m.parameters, d_q=qdot).outputs
    by_v = f.derivative("v", "jvp")(q=b.q, v=b.v, parameters=m.parameters, d_v=vdot).outputs
    return by_q["d_kinetic"] + by_q["d_potential"] + by_v["d_kinetic"] + by_v["d_potential"]


@pytest.mark.parametrize("name", PAIRS)
def test_power_balance(name: str) -> None:
    s = subject(name)
    m, b = s.model, s.batch
    vdot = m.forward_dynamics(b.q, b.v, b.tau, b.wrench).vdot
    gained = rate_of_energy(s, m.configuration_rate(b.q, b.v), vdot)
    driven = np.einsum("ni,ni->n", b.tau, m.drive_rates(b.q, b.v))
    pushed = np.einsum("ni,ni->n", b.wrench, b.v)
    lost = m.energies(b.q, b.v).losses
    size = np.abs(driven) + np.abs(pushed) + lost + np.abs(gained)
    assert (np.abs(gained - driven - pushed + lost) < 100 * s.tolerances * size).all()


@pytest.mark.parametrize("name", PAIRS)
def test_velocity_terms_do_no_work(name: str) -> None:
    """v . (h(v) - h(0)) - losses = half of v . Mdot v: what the velocity terms take is what M's change gives."""
    s = subject(name)
    m, b = s.model, s.batch
    h = m.bias_force(b.q, b.v) - m.bias_force(b.q, np.zeros(6))
    losses = m.energies(b.q, b.v).losses
    rate = m.function("mass_matrix").derivative("q", "jvp")(
        q=b.q, parameters=m.parameters, d_q=m.configuration_rate(b.q, b.v)
    )
    half = np.einsum("ni,nij,nj->n", b.v, rate.outputs["d_M"], b.v) / 2
    spent = np.einsum("ni,ni->n", b.v, h)
    size = np.einsum("ni,ni->n", np.abs(b.v), np.abs(h)) + losses
    assert (np.abs(spent - losses - half) < 100 * s.tolerances * size).all()
