"""[Fried]: the transcription against an energy balance, each misprint against its size, the library against both.

The paper prints no geometry: ``GALLERY`` is the library's assumed one, ``OFFSET`` adds mass centres off the axes.
"""

from dataclasses import fields, replace

import numpy as np
import pytest

from papers import fried, library
from papers.fried import ALL_ON, Data
from papers.states import energy_rate, motion_through, random_states, stacked


def ring(radius, degrees):
    angle = np.radians(degrees)
    return radius * np.stack([np.zeros_like(angle), np.cos(angle), np.sin(angle)], axis=-1)


GALLERY = Data(
    A=ring(0.6, [12.0, 108.0, 132.0, 228.0, 252.0, 348.0]),
    B=ring(0.4, [48.0, 72.0, 168.0, 192.0, 288.0, 312.0]),
    S_1=np.array([0.15, 0.0, 0.0]),
    S_2=np.array([-0.2, 0.0, 0.0]),
    CG=np.zeros(3),
    g=np.array([-9.81, 0.0, 0.0]),
)
OFFSET = replace(
    GALLERY, S_1=np.array([0.15, 0.02, -0.03]), S_2=np.array([-0.2, -0.02, 0.01]), CG=np.array([0.04, 0.03, -0.02])
)
OFFSET_EDITS = (
    ("center_of_mass: [0.15, 0, 0]", "center_of_mass: [0.15, 0.02, -0.03]"),
    ("center_of_mass: [-0.2, 0, 0]", "center_of_mass: [-0.2, -0.02, 0.01]"),
    ("  mass: 3\n", "  mass: 3\n  center_of_mass: [0.04, 0.03, -0.02]\n"),
)
STATES = random_states(10, np.array([0.75, 0.0, 0.0]), 0.1, 0.3, 1.0, 5.0, seed=2)


def forces(data, on=ALL_ON):
    return np.array([fried.inverse_dynamics(*state, data, on).Gamma for state in STATES])


@pytest.fixture(scope="module")
def right():
    return forces(OFFSET)


def off(name):
    return replace(ALL_ON, **{name: False})


@pytest.mark.parametrize("data", [GALLERY, OFFSET], ids=["gallery", "offset"])
def test_power_balance(data):
    for state in STATES[:5]:
        r = fried.inverse_dynamics(*state, data)
        rates = np.array([leg.Qdot[0] for leg in r.legs])
        rate = energy_rate(lambda p, R, V: fried.energy(p, R, V, data), state)
        assert abs(rate - r.Gamma @ rates) <= 1e-8 * np.abs(r.Gamma) @ np.abs(rates)


def test_articular_acceleration_is_the_derivative_of_the_rate():
    h, state = 1e-4, STATES[0]

    def rate(t):
        place, R, twist = motion_through(state, t)
        return fried.inverse_dynamics(place, R, twist, np.zeros(6), OFFSET).legs[2].Qdot

    change = (8 * (rate(h) - rate(-h)) - (rate(2 * h) - rate(-2 * h))) / (12 * h)
    assert np.max(np.abs(change - fried.inverse_dynamics(*state, OFFSET).legs[2].Qddot)) <= 1e-8


def test_rotation_matrix_and_angles():
    R = STATES[0][1]
    alpha, beta, gamma = fried.bryant(R)
    again = fried.rotation_x(alpha) @ fried.rotation_y(beta) @ fried.rotation_z(gamma)  # (46)
    assert np.max(np.abs(again - R)) <= 1e-14


def test_platform_equilibrium():
    """Contact forces φ_i carry the platform alone (89)."""
    state = STATES[1]
    r = fried.inverse_dynamics(*state, GALLERY)
    assert np.allclose(r.phi.sum(0), 3.0 * (state[3][:3] - GALLERY.g), atol=1e-10)


# (81): 19 % is stated for a geometry that is not recorded, a band of a factor 3 around it; here it is 27.2 % (gallery: 25.5 %).
# The 1.4 % stated for dI/dθ is not reached here: these terms grow with the square of the speed and make 0.2 % at 1 m/s, 1.5 %
# at 2 m/s.
@pytest.mark.parametrize(
    ("name", "least", "most"),
    [
        ("eq81_force", 0.063, 0.57),
        ("dI_dtheta", 1e-3, 1.0),
        ("eq23_spin", 1e-3, 1.0),
        ("eq39_rates", 1e-3, 1.0),
        ("eq45_third", 1e-3, 1.0),
        ("eq90_vector", 1e-3, 1.0),
        ("eq90_about", 1e-4, 1.0),
        ("eq97_sign", 0.5, 10.0),
    ],
)
def test_size_of_a_misprint(name, least, most, right):
    assert least < library.relative_error(forces(OFFSET, off(name)), right) < most


def test_every_switch_is_tested():
    assert len(fields(ALL_ON)) == 8


def test_library():
    found = library.drive_forces("fried", *stacked(STATES))
    assert library.relative_error(found, forces(GALLERY)) <= library.TOLERANCE


def test_library_with_mass_centres_off_the_axes(right):
    found = library.drive_forces("fried", *stacked(STATES), edits=OFFSET_EDITS)
    assert library.relative_error(found, right) <= library.TOLERANCE


def test_rates_and_contact_forces_of_the_library():
    """(9), (41) and (83): what the source cites them for."""
    m = library.model("fried", OFFSET_EDITS)
    position, R, twist, acceleration = stacked(STATES)
    q = m.configuration(pose=(position, R))
    right = [fried.inverse_dynamics(*state, OFFSET) for state in STATES]
    rates = np.array([[leg.Qdot[0] for leg in r.legs] for r in right])
    assert library.relative_error(m.drive_rates(q, twist), rates) <= library.TOLERANCE
    phi = m.joint_reactions(q, twist, acceleration).cuts[..., :3]
    assert np.max(np.abs(phi - [r.phi for r in right])) <= library.TOLERANCE * np.max(np.abs(phi))
