"""All terms of mechanisms with flexible bodies against energies with automatic differentiation, and against MuJoCo.

States are assembled, deformed, moving and vibrating, with wrenches on frames tied to flexible bodies.
"""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import pytest

from laws.mechanisms import relative
from laws.subjects import built
from reference.designs.flexible import FLEXIBLE_DESIGNS, named_flexible
from reference.designs.parts import sliding_pair
from reference.energies.lagrange import Reference
from reference.energies.states import random_states
from reference.flexible.lagrange import FlexibleReference
from reference.flexible.states import FlexibleState, random_flexible_states
from reference.peers.mujoco import MujocoPeer

STATES = 2
QUICK = ("arm+", "arm=", "arm~", "five_bar+", "hexapod+", "inner_loop+", "legs_platform+", "tripod+", "wire")
"""+ with displacements of second order, = by their moments, ~ only together with rigid motion."""
EVERY = tuple(name + end for name in FLEXIBLE_DESIGNS for end in ("", "+", "=", "~"))
NAMES = (*QUICK, *(pytest.param(name, marks=pytest.mark.slow) for name in EVERY if name not in QUICK))


class FlexibleSubject:
    """A robot with flexible bodies, its model, its reference in the same velocities, states and loads."""

    def __init__(self, name: str) -> None:
        self.robot = named_flexible(name)
        self.model = built(self.robot)
        self.reference = FlexibleReference(self.robot, list(self.model.layout.v_names))

    @cached_property
    def states(self) -> list[FlexibleState]:
        """Assembled states away from singularities."""
        return random_flexible_states(self.reference, STATES, 0)

    @cached_property
    def frames(self) -> list[str]:
        """Two named frames tied to flexible bodies, of different ones where there are several."""
        own = [f"{name}." for name in self.reference.tree.flexible]
        platform = self.reference.layout.platform
        on_platform = set()
        if platform in self.reference.tree.flexible and not isinstance(self.robot.platform, str):
            on_platform = set(self.robot.platform.body.frames)
        found = [n for n in self.model.mechanism.frames if n in on_platform or n.startswith(tuple(own))]
        return [found[0], found[-1]] if len(found) > 1 else found

    def loads(self, seed: int) -> dict[str, np.ndarray]:
        """A wrench on each of these frames."""
        rng = np.random.default_rng(seed)
        return {frame: rng.normal(size=6) * [60, 60, 60, 10, 10, 10] for frame in self.frames}

    def __call__(self, function: str, **inputs: Any) -> dict[str, np.ndarray]:
        """The library's numbers at one state."""
        return self.model.function(function)(parameters=self.model.parameters, **inputs).outputs


@lru_cache(maxsize=24)
def flexible(name: str) -> FlexibleSubject:
    """The subject, shared by the files that compare it."""
    return FlexibleSubject(name)


def accepted(condition: float) -> float:
    """Relative to the largest entry."""
    return 1e-10 if condition < 1e4 else 1e-14 * condition


def balanced(A: np.ndarray) -> float:
    """Condition number with rows and columns scaled to length one, so that units do not count."""
    for axis in (1, 0, 1, 0):
        A = A / np.linalg.norm(A, axis=axis, keepdims=True)
    return float(np.linalg.cond(A))


def compare_terms(s: FlexibleSubject, x: FlexibleState, tolerance: float) -> None:
    q, v, r = x.q, x.v, s.reference
    assert relative(s("mass_matrix", q=q)["M"], r.mass_matrix(q)) < tolerance
    assert relative(s("bias_force", q=q, v=v)["h"], r.bias(q, v)) < tolerance
    assert relative(s("bias_force", q=q, v=0 * v)["h"], r.bias(q, 0 * v)) < tolerance
    assert relative(s("drive_map", q=q)["S"], r.drive_map(q)) < tolerance
    energies, (kinetic, potential) = s("energies", q=q, v=v), r.energies(q, v)
    size = max(kinetic, abs(potential))
    assert abs(energies["kinetic"] - kinetic) < tolerance * size
    assert abs(energies["potential"] - potential) < tolerance * size
    assert energies["losses"] == pytest.approx(r.dissipation(q, v), rel=tolerance)


def compare_motion(s: FlexibleSubject, x: FlexibleState, tolerance: float) -> None:
    q, v, r = x.q, x.v, s.reference
    vdot = np.random.default_rng(1).normal(size=len(v))
    moved = s("joint_motion", q=q, v=v, vdot=vdot)
    joints = 6 if s.model.mechanism.has_platform else 0  # the reference's own platform rates are not a twist
    assert relative(moved["u"][joints:], r.rates(q, v)[joints:]) < tolerance
    assert relative(moved["ud"][joints:], r.accelerations(q, v, vdot)[joints:]) < tolerance
    assert relative(s("configuration_rate", q=q, v=v)["qdot"], r.configuration_rates(q, v)) < tolerance
    for frame in s.frames:
        pose, truth = s(f"frame_pose:{frame}", q=q), r.frame_pose(q, frame)
        assert np.abs(pose["position"] - truth[:3, 3]).max() < tolerance
        assert np.abs(pose["rotation"] - truth[:3, :3]).max() < tolerance
        assert relative(s(f"frame_twist:{frame}", q=q, v=v)["twist"], r.twist(q, v, frame)) < tolerance


def compare_dynamics(s: FlexibleSubject, x: FlexibleState, condition: float) -> None:
    q, v, acceleration, tau = x
    m, r, loads = s.model, s.reference, s.loads(2)
    M, bent = r.mass_matrix(q), r.elastic
    assert relative(m.forward_dynamics(q, v, tau, loads).vdot, r.forward(q, v, tau, loads)) < accepted(
        max(condition, balanced(M))
    )
    ours = m.inverse_dynamics(q, v, acceleration, loads)
    force, eddot = r.inverse_elastic(q, v, acceleration, loads)
    tolerance = accepted(max(condition, balanced(np.hstack([r.drive_map(q), -M[:, bent]]))))
    assert relative(ours.tau, force) < tolerance
    assert relative(ours.eddot, eddot) < tolerance


@pytest.mark.quick_cases("tripod+", "arm=", "inner_loop+", "arm+")
@pytest.mark.parametrize("name", NAMES)
def test_reference(name: str) -> None:
    s = flexible(name)
    assert s.model.layout.q_names == tuple(s.reference.layout.q_names)
    assert s.model.layout.v_elastic == s.reference.elastic.sum() > 0
    assert s.frames
    for x in s.states:
        condition = s.reference.condition(x.q)
        assert np.abs(s("closure_residual", q=x.q)["residual"]).max(initial=0.0) < 1e-12
        compare_terms(s, x, accepted(condition))
        compare_motion(s, x, accepted(condition))
        compare_dynamics(s, x, condition)


def test_parts_on_springs_in_mujoco() -> None:
    """A flexible body that is rigid parts on springs, against the same parts on joints."""
    pair = sliding_pair(5)
    model = built(pair.flexible)
    jointed = {new: old for old, new in pair.renamed.items()}
    rigid = Reference(pair.jointed, [jointed.get(n, n) for n in model.layout.v_names])
    peer = MujocoPeer(pair.jointed, rigid.velocities)
    order = [rigid.layout.q_names.index(jointed.get(n, n)) for n in model.layout.q_names]
    for x in random_states(rigid, STATES, 0):
        q, p = x.q, x.q[order]
        push = next(iter(x.wrench.values()))
        loads = dict.fromkeys(pair.frames.values(), push)
        assert relative(model.mass_matrix(p), peer.mass_matrix(q)) < 1e-10
        assert relative(model.bias_force(p, x.v), peer.bias(q, x.v)) < 1e-10
        vdot = peer.forward(q, x.v, x.tau, dict.fromkeys(pair.frames, push))
        assert relative(model.forward_dynamics(p, x.v, x.tau, loads).vdot, vdot) < 1e-10
        needed = model.inverse_dynamics(p, x.v, vdot[:3], loads)
        assert relative(needed.tau, x.tau) < 1e-9
        assert relative(needed.eddot, vdot[3:]) < 1e-9
