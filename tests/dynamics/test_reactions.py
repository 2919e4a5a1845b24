"""Reactions in tree joints and cuts against Newton's and Euler's balance of every body, written in world axes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gough
from dynamics.motions import Motions, needed_wrench, pseudo_inertia, to_world_origin
from gough.errors import UsageError
from laws.subjects import FEW, Subject, subject
from reference.designs import design
from reference.energies.lagrange import Reference
from reference.energies.states import random_states

TELESCOPIC = ("fried",)  # its bodies change their tensor: momentum balance below has no such term


def spring_wrenches(robot: Any, moving: dict[str, tuple]) -> dict[str, np.ndarray]:
    """Wrench of all point-to-point springs on each body, about the world's origin."""
    out = {name: np.zeros(6) for name in moving}
    still = (np.eye(4), np.zeros((4, 4)), np.zeros((4, 4)))
    for s in robot.springs:
        ends = []
        for point in (s.from_, s.to):
            name = "platform" if point.body == robot.platform.name else point.body
            X, Xd, _ = still if name == "world" else moving[name]
            x = np.append(point.position, 1.0)
            ends.append((name, (X @ x)[:3], (Xd @ x)[:3]))
        line = ends[1][1] - ends[0][1]
        length = np.linalg.norm(line)
        along = line / length
        tension = s.stiffness * (length - s.rest_length) + s.preload + s.damping * along @ (ends[1][2] - ends[0][2])
        for (name, p, _), sign in zip(ends, (1.0, -1.0), strict=True):
            if name != "world":
                f = sign * tension * along
                out[name] += np.concatenate([f, np.cross(p, f)])
    return out


def balances(robot: Any, reference: Reference, model: Any, state: Any) -> tuple[np.ndarray, float]:
    """(unbalanced wrench of every body (bodies, 6), size of the largest reaction)."""
    q, v, acceleration, wrench, _ = state
    motions = Motions(reference).at(q, v, acceleration)
    places = reference.layout.places
    names = [f"{robot.legs[p.leg].name}.{p.joint.body.name}" for p in places]
    moving = dict(zip(["platform", *names], motions, strict=True))
    springs = spring_wrenches(robot, moving)
    reactions = model.joint_reactions(q, v, acceleration, wrench)
    assert reactions.joint_names == tuple(f"{robot.legs[p.leg].name}.{p.joint.name}" for p in places)
    assert reactions.cut_names == tuple(f"{leg.name}.{leg.cut.name}" for leg in robot.legs)
    joints = []  # wrench of the antecedent on each body, about the world's origin
    for row, (X, _, _) in zip(reactions.joints, motions[1:], strict=True):
        R, p = X[:3, :3], X[:3, 3]
        joints.append(to_world_origin(np.concatenate([R @ row[:3], R @ row[3:]]), p))
    points = reference.loop_points(q)
    # The joint wrench on the leg's side acts where the leg is: a constant-length cut has two points.
    cuts = [to_world_origin(w, p) for w, p in zip(reactions.cuts, points, strict=True)]
    left = []
    total = to_world_origin(wrench, q[:3]) + sum(cuts) + springs["platform"]
    left.append(total - needed_wrench(pseudo_inertia(robot.platform.body), motions[0][0], motions[0][2], robot.gravity))
    for k, p in enumerate(places):
        X, _, Xdd = motions[1 + k]
        total = joints[k] + springs[names[k]]
        last = robot.legs[p.leg].chain[-1] is p.joint
        total = total - (cuts[p.leg] if last else joints[k + 1])
        left.append(total - needed_wrench(pseudo_inertia(p.joint.body), X, Xdd, robot.gravity))
    return np.array(left), float(max(np.abs(reactions.joints).max(), np.abs(reactions.cuts).max()))


@pytest.mark.parametrize("name", [n for n in FEW if n not in TELESCOPIC])
def test_every_body_is_balanced(name: str) -> None:
    s: Subject = subject(name)
    for state, accepted in zip(s.states, s.tolerances, strict=True):
        left, size = balances(s.robot, s.reference, s.model, state)
        assert np.abs(left).max() < 10 * accepted * size


@pytest.mark.parametrize("name", FEW)
def test_cuts_are_the_multipliers_of_the_reference(name: str) -> None:
    s = subject(name)
    for state, accepted in zip(s.states, s.tolerances, strict=True):
        q, v, acceleration, wrench, _ = state
        tau = s.reference.inverse(q, v, acceleration, wrench)
        truth = s.reference.reactions(q, v, acceleration, tau, wrench)
        ours = s.model.joint_reactions(q, v, acceleration, wrench).cuts
        assert np.abs(ours - truth).max() < 10 * accepted * np.abs(truth).max()


def own_force(joint: Any, rate: float, second: float, coordinate: float) -> float:
    """Force that a scalar joint's friction, spring and rotor take from its drive (contract: opposing the motion)."""
    out = 0.0
    for law in (joint.friction, joint.drive):
        if law is not None:
            coulomb = law.coulomb * rate / np.hypot(rate, law.smoothing) if law.coulomb else 0.0
            out += law.viscous * rate + coulomb
    if joint.spring is not None:
        out += joint.spring.stiffness * (coordinate - joint.spring.rest)
        out += joint.spring.damping * rate - joint.spring.preload
    if joint.drive is not None:
        out += joint.drive.gear**2 * joint.drive.rotor_inertia * second
    return out


@pytest.mark.parametrize("name", [n for n in FEW if n not in TELESCOPIC])
def test_reactions_do_no_work(name: str) -> None:
    """Along a joint's axis only its drive, friction, spring and rotor act: the constraint has no component there."""
    s = subject(name)
    for state, accepted in zip(s.states, s.tolerances, strict=True):
        q, v, acceleration, wrench, _ = state
        reactions = s.model.joint_reactions(q, v, acceleration, wrench).joints
        tau = dict(zip(s.model.layout.drive_names, s.reference.inverse(q, v, acceleration, wrench), strict=True))
        xd, xdd = s.reference.rates(q, v), s.reference.accelerations(q, v, acceleration)
        for row, p in zip(reactions, s.reference.layout.places, strict=True):
            joint = p.joint
            given = tau.get(f"{s.robot.legs[p.leg].name}.{joint.name}", 0.0)
            if joint.type in ("revolute", "prismatic"):
                axis = np.asarray(joint.axis if joint.axis is not None else (0, 0, 1))
                # A revolute's moment is at the body's origin, which lies on the axis.
                found = axis @ (row[3:] if joint.type == "revolute" else row[:3])
                k = p.x.start
                own = own_force(joint, float(xd[k]), float(xdd[k]), float(q[p.q.start]))
                assert abs(found - (given - own)) < 10 * accepted * np.abs(reactions).max(), joint.name
            elif joint.type == "universal" and joint.friction.viscous == joint.friction.coulomb == 0.0:
                second = np.asarray(joint.axes[1])
                assert abs(second @ row[3:]) < 10 * accepted * np.abs(reactions).max(), joint.name


def test_platform_frame_wrench_is_the_same_wrench_at_the_origin() -> None:
    robot = design("ups", 2)
    tool = {"tool": {"position": [0.1, -0.2, 0.3], "rpy_zyx": [0.3, 0.2, 0.1]}}
    from gough.robot import Pose

    body = robot.platform.body.model_copy(update={"frames": {"tool": Pose.model_validate(tool["tool"])}})
    platform = robot.platform.model_copy(update={"body": body})
    robot = robot.model_copy(update={"platform": platform})
    from laws.subjects import built

    model, reference = built(robot), Reference(robot)
    q, v, acceleration, wrench, _ = random_states(reference, 1, 0)[0]
    p, _ = model.frame_pose(q, "tool")
    moved = np.concatenate([wrench[:3], wrench[3:] + np.cross(p - q[:3], wrench[:3])])
    at_tool = model.inverse_dynamics(q, v, acceleration, {"tool": wrench}).tau
    np.testing.assert_allclose(at_tool, model.inverse_dynamics(q, v, acceleration, moved).tau, rtol=1e-11)
    np.testing.assert_allclose(
        model.joint_reactions(q, v, acceleration, {"tool": wrench}).cuts,
        model.joint_reactions(q, v, acceleration, moved).cuts,
        rtol=0,
        atol=1e-9,
    )


def test_a_mechanism_at_rest_has_reactions() -> None:
    """Four-bars without drives, cranks hanging: forces cancel but for rounding, which is no motion."""
    model = gough.build("four_bar_chain")
    q = model.configuration(coordinates={"foot0": np.pi}, near=model.home)
    assert 0 < np.abs(model.bias_force(q, [0.0])).max() < 1e-12
    found = model.joint_reactions(q, [0.0], [0.0])
    feet = [found.joint_names.index(f"foot{k}") for k in range(3)]
    weight = 9.81 * sum(x for n, x in zip(model.parameter_names, model.parameters, strict=True) if n.endswith(".M"))
    assert np.isclose(np.linalg.norm(found.joints[feet, :3].sum(axis=0)), weight, rtol=1e-9)
    with pytest.raises(UsageError, match=r"has no drives.*forward_dynamics\(q, v, \[\]\)"):
        model.joint_reactions(q, [0.0], [1.0])
