"""The same physics seen otherwise: world frame moved, units rescaled, legs permuted, description written otherwise."""

from __future__ import annotations

import numpy as np
import pytest

from laws.plain import made, mixes_units, moved, moved_state, plain, rescaled, rescaled_state
from laws.subjects import PAIRS, built, errors, subject
from reference.energies.states import State


def forces_and_accelerations(model, states: list[State]) -> tuple[np.ndarray, np.ndarray]:
    b = State(*(np.array(x) for x in zip(*states, strict=True)))
    tau = model.inverse_dynamics(b.q, b.v, b.acceleration, b.wrench).tau
    return tau, model.forward_dynamics(b.q, b.v, b.tau, b.wrench).vdot


@pytest.mark.quick_cases("generic-0", "lopes")
@pytest.mark.parametrize("name", PAIRS)
def test_written_in_the_other_way(name: str) -> None:
    """Templates, MDH, centre-of-mass tensors and payloads against legs in place, matrices and ten parameters."""
    s = subject(name)
    other = built(made(plain(s.robot)))
    for ours, theirs in zip(
        forces_and_accelerations(s.model, s.states), forces_and_accelerations(other, s.states), strict=True
    ):
        assert (errors(theirs, ours) < 10 * s.tolerances).all()
    np.testing.assert_allclose(other.home, s.model.home, rtol=0, atol=1e-9)


@pytest.mark.quick_cases("ups-0", "lopes")
@pytest.mark.parametrize("name", PAIRS)
def test_world_frame_moved(name: str, rng: np.random.Generator) -> None:
    s = subject(name)
    R = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    R *= np.linalg.det(R)
    p = rng.normal(size=3)
    other = built(made(moved(plain(s.robot), R, p)))
    theirs = forces_and_accelerations(other, [moved_state(x, R, p) for x in s.states])
    ours = forces_and_accelerations(s.model, s.states)
    turned = np.concatenate([ours[1][:, :3] @ R.T, ours[1][:, 3:] @ R.T], axis=1)
    assert (errors(theirs[0], ours[0]) < 20 * s.tolerances).all()
    assert (errors(theirs[1], turned) < 20 * s.tolerances).all()


@pytest.mark.quick_cases("ups-0", "lopes")
@pytest.mark.parametrize("name", PAIRS)
def test_units_rescaled(name: str) -> None:
    """Length, mass and time in other units: forces scale as M L / T², moments as M L² / T²."""
    s = subject(name)
    data = plain(s.robot)
    L, M, T = (1.0 if mixes_units(data) else 1.7), 0.3, 2.3
    other = built(made(rescaled(data, L, M, T)))
    theirs = forces_and_accelerations(other, [rescaled_state(s.robot, x, L, M, T) for x in s.states])
    ours = forces_and_accelerations(s.model, s.states)
    unit = np.array([M * L / T**2 * (L if u == "N m" else 1.0) for u in s.model.layout.drive_units])
    assert (errors(theirs[0], ours[0] * unit) < 20 * s.tolerances).all()
    back = theirs[1] * T**2 / np.array([L, L, L, 1, 1, 1])
    assert (errors(back, ours[1]) < 20 * s.tolerances).all()


@pytest.mark.quick_cases("ups-0", "lopes")
@pytest.mark.parametrize("name", PAIRS)
def test_legs_permuted(name: str, rng: np.random.Generator) -> None:
    """Legs in another order: drive forces in that order, the same acceleration."""
    s = subject(name)
    order = rng.permutation(len(s.robot.legs))
    data = plain(s.robot)
    data["legs"] = [data["legs"][k] for k in order]
    other = built(made(data))
    columns = [s.model.layout.q_names.index(n) for n in other.layout.q_names]
    drives = [s.model.layout.drive_names.index(n) for n in other.layout.drive_names]
    assert columns != sorted(columns) and drives != sorted(drives)
    states = [x._replace(q=x.q[columns], tau=x.tau[drives]) for x in s.states]
    theirs = forces_and_accelerations(other, states)
    ours = forces_and_accelerations(s.model, s.states)
    assert (errors(theirs[0], ours[0][:, drives]) < 20 * s.tolerances).all()
    assert (errors(theirs[1], ours[1]) < 20 * s.tolerances).all()
