"""The same physics when the loop is cut elsewhere: a ball as the cut, or as a tree joint closed by a fixed cut."""

from __future__ import annotations

import copy

import numpy as np
import pytest

from laws.plain import Data, made, plain
from laws.subjects import built, errors, subject
from reference.energies.homogeneous import quaternion_of
from reference.energies.lagrange import Reference
from reference.energies.states import State

ALL = list(range(6))


def ball_in_the_tree(data: Data, legs: list[int]) -> Data:
    """The robot with the spherical cut of some legs moved into their chains; the new cut is rigid."""
    out = copy.deepcopy(data)
    for k in legs:
        leg = out["legs"][k]
        cut = leg["cut"]
        assert cut["type"] == "spherical"
        ball: Data = {"name": "ball", "type": "spherical", "pose": cut["on_leg"]}
        ball["body"] = {"name": "ball_link", "parameters": {"M": 0.0}}
        if "friction" in cut:
            ball["friction"] = cut["friction"]
        leg["chain"].append(ball)
        leg["cut"] = {"name": "weld", "type": "fixed"}
    return out


def with_balls(reference: Reference, q: np.ndarray, legs: list[int]) -> np.ndarray:
    """The configuration with the quaternions of the new joints filled in."""
    R_P = rotation(q[3:7])
    parts, robot = [q[:7]], reference.robot
    bodies = reference.body_poses(q)
    for k, leg in enumerate(robot.legs):
        own = [(p, X) for p, X in zip(reference.layout.places, bodies.values(), strict=True) if p.leg == k]
        parts += [q[p.q] for p, _ in own]
        if k in legs:
            on_leg = own[-1][1][:3, :3] @ np.asarray(leg.cut.on_leg.rotation())
            on_platform = R_P @ np.asarray(leg.on_platform.rotation())
            parts.append(quaternion_of(on_leg.T @ on_platform))
    return np.concatenate(parts)


def rotation(h: np.ndarray) -> np.ndarray:
    w, u = h[0], h[1:]
    K = np.array([[0, -u[2], u[1]], [u[2], 0, -u[0]], [-u[1], u[0], 0]])
    return np.eye(3) + 2 * w * K + 2 * K @ K


@pytest.mark.parametrize(
    ("name", "legs"),
    [
        pytest.param("ups-0", [1], marks=pytest.mark.slow),
        ("lopes", ALL),
        pytest.param("ups-0", ALL, marks=pytest.mark.slow),
        pytest.param("pus-0", ALL, marks=pytest.mark.slow),
        pytest.param("fried", ALL, marks=pytest.mark.slow),
    ],
)
def test_ball_cut_or_carried(name: str, legs: list[int]) -> None:
    s = subject(name)
    data = ball_in_the_tree(plain(s.robot), legs)
    home = with_balls(s.reference, s.model.home, legs)
    names = [f"leg{k}.ball" for k in legs]
    position = 7
    for k, leg in enumerate(s.robot.legs):
        for p in s.reference.layout.places:
            position += (p.q.stop - p.q.start) if p.leg == k else 0
        if k in legs:
            data["home"]["joints"][f"{leg.name}.ball"] = home[position : position + 4].tolist()
            position += 4
    other = built(made(data))
    assert [n for n in other.layout.q_names if n.endswith("ball_qw")] == [f"{n}_qw" for n in names]
    states = [x._replace(q=with_balls(s.reference, x.q, legs)) for x in s.states]
    b = State(*(np.array(x) for x in zip(*states, strict=True)))
    assert (other.closure_error(b.q) < 1e-10).all()
    tau = other.inverse_dynamics(b.q, b.v, b.acceleration, b.wrench).tau
    assert (
        errors(tau, s.model.inverse_dynamics(s.batch.q, b.v, b.acceleration, b.wrench).tau) < 50 * s.tolerances
    ).all()
    vdot = other.forward_dynamics(b.q, b.v, b.tau, b.wrench).vdot
    assert (errors(vdot, s.model.forward_dynamics(s.batch.q, b.v, b.tau, b.wrench).vdot) < 50 * s.tolerances).all()
    found = other.joint_reactions(b.q, b.v, b.acceleration, b.wrench).cuts
    truth = s.model.joint_reactions(s.batch.q, b.v, b.acceleration, b.wrench).cuts
    assert (errors(found, truth) < 50 * s.tolerances).all()
