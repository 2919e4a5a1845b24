"""Poses, twists and Jacobians of named frames against the reference's body poses and their exact derivatives."""

import numpy as np
import pytest

from dynamics.motions import Motions
from laws.subjects import FEW, Subject, subject


def frames(s: Subject) -> list[str]:
    places = s.reference.layout.places
    return [s.robot.platform.body.name, *(f"{s.robot.legs[p.leg].name}.{p.joint.body.name}" for p in places)]


def spin(X: np.ndarray, Xd: np.ndarray) -> np.ndarray:
    W = Xd[:3, :3] @ X[:3, :3].T
    return np.array([W[2, 1], W[0, 2], W[1, 0]])


@pytest.mark.parametrize("name", FEW)
def test_body_frames(name: str) -> None:
    """Three bodies of each robot: the platform, the first leg's last body and the last body."""
    s = subject(name)
    names = frames(s)
    chosen = [0, len(s.robot.legs[0].chain), len(names) - 1]
    motions = Motions(s.reference)
    truth = [motions.at(x.q, x.v, x.acceleration) for x in s.states]
    for k in chosen:
        position, rotation = s.model.frame_pose(s.batch.q, names[k])
        twist = s.model.frame_twist(s.batch.q, s.batch.v, names[k])
        J = s.model.frame_jacobian(s.batch.q, names[k])
        np.testing.assert_allclose(np.einsum("nij,nj->ni", J, s.batch.v), twist, rtol=1e-12, atol=1e-12)
        for i, motion in enumerate(truth):
            X, Xd, _ = motion[k]
            np.testing.assert_allclose(position[i], X[:3, 3], rtol=0, atol=1e-13 * max(1, np.abs(X).max()))
            np.testing.assert_allclose(rotation[i], X[:3, :3], rtol=0, atol=1e-13)
            expected = np.concatenate([Xd[:3, 3], spin(X, Xd)])
            assert np.abs(twist[i] - expected).max() < 10 * s.tolerances[i] * np.abs(expected).max()


@pytest.mark.parametrize("name", ["pedrammehr2012", "pus-0", "generic-0"])
def test_jacobian_against_finite_motions(name: str) -> None:
    """Every column of J is the motion of the frame when the platform moves a little along it."""
    s = subject(name)
    q = s.states[0].q
    frame = frames(s)[len(s.robot.legs[0].chain)]
    J = s.model.frame_jacobian(q, frame)
    h = 1e-5
    for k, direction in enumerate(np.eye(6)):
        ahead, behind = (s.model.frame_pose(s.model.integrate(q, direction, d), frame) for d in (h, -h))
        linear = (ahead[0] - behind[0]) / (2 * h)
        W = (ahead[1] - behind[1]) / (2 * h) @ s.model.frame_pose(q, frame)[1].T
        found = np.concatenate([linear, [W[2, 1], W[0, 2], W[1, 0]]])
        np.testing.assert_allclose(J[:, k], found, rtol=0, atol=1e-6 * max(1, np.abs(J).max()))


def test_platform_is_a_frame() -> None:
    s = subject("ups-0")
    q, v = s.states[0].q, s.states[0].v
    np.testing.assert_allclose(s.model.frame_twist(q, v, "platform"), v, rtol=1e-14)
    np.testing.assert_allclose(s.model.frame_jacobian(q, "platform"), np.eye(6), rtol=0, atol=1e-15)
    np.testing.assert_allclose(s.model.twist(q, v), v, rtol=0)
