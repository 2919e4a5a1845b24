"""Ever stiffer bodies become rigid ones: drive forces with quasi-static elastic coordinates approach those of the rigid robot.

Quasi-static: elastic rates and accelerations are zero, so the elastic coordinates are what the loads of the motion need.
The error is then of first order in the flexibility. With undeformed bodies (e = 0) nothing holds what the bodies carry:
the elastic accelerations, which do not know the stiffness, change the drive forces for good.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from scipy.optimize import fsolve

import gough
from gough.robot import Body, load
from gough.robot import tree as view
from laws.subjects import built
from reference.designs.flexible import named_flexible
from reference.flexible.described import elastic_bodies
from reference.flexible.points import flexible_robot

DECADES = 10.0 ** np.arange(1, 7)
MOTION = ([0.3, -0.2, 0.25, 0.4, 0.3, -0.5], [1.5, -2.0, 1.0, 2.0, -1.5, 1.0])
"""Twist and acceleration of the platform."""


def stiff(robot: Any) -> Any:
    """The robot with rigid bodies of the same mass, mass centre and inertia in the place of its flexible ones."""
    made = {}
    for name, body in elastic_bodies(robot).items():
        J = body.J
        ten = {"M": body.mass} | dict(zip(("MX", "MY", "MZ"), body.MS, strict=True))
        entries = {"XX": J[0, 0], "YY": J[1, 1], "ZZ": J[2, 2], "XY": J[0, 1], "XZ": J[0, 2], "YZ": J[1, 2]}
        old = view.bodies(robot)[name]
        frames = {key: pose.model_dump(exclude_none=True) for key, pose in old.frames.items()}
        own = {"name": old.name, "parameters": {k: float(x) for k, x in (ten | entries).items()}, "frames": frames}
        made[name] = Body.model_validate(own)
    return _exchanged(robot, made)


def _exchanged(robot: Any, made: dict[str, Body]) -> Any:
    bare = flexible_robot(robot, dict.fromkeys(made))
    legs = [
        leg.model_copy(
            update={
                "chain": tuple(
                    j.model_copy(update={"body": made.get(f"{leg.name}.{j.body.name}", j.body)}) for j in leg.chain
                )
            }
        )
        for leg in bare.legs
    ]
    platform = bare.platform.model_copy(update={"body": made.get(bare.platform.name, bare.platform.body)})
    return bare.model_copy(update={"legs": tuple(legs), "platform": platform})


class Stiffened:
    """A robot with all elastic stiffnesses times a factor, in one pose and motion."""

    def __init__(self, robot: Any) -> None:
        self.model = built(robot)
        m = self.model
        assert m.mobility == 6 and m.layout.v_names[:6] == ("vx", "vy", "vz", "wx", "wy", "wz")
        self.stiffnesses = np.array(["Ke[" in name for name in m.parameter_names])
        assert self.stiffnesses.sum() >= m.layout.n_elastic
        self.v = np.concatenate([MOTION[0], np.zeros(m.layout.n_elastic)])

    def inverse(self, factor: float, e: np.ndarray) -> gough.InverseDynamics:
        """Drive forces and elastic accelerations at elastic coordinates e."""
        m = self.model
        parameters = m.parameters * np.where(self.stiffnesses, factor, 1.0)
        q = m.configuration(pose=m.home[:7], elastic=e)
        return m.inverse_dynamics(q, self.v, MOTION[1], parameters=parameters)

    def quasi_static(self, factor: float, start: np.ndarray) -> np.ndarray:
        """factor · e with no elastic acceleration."""
        answer: Any = fsolve(lambda z: self.inverse(factor, z / factor).eddot, start, xtol=1e-13, full_output=True)
        found, info, done, message = answer
        assert done == 1 or np.abs(info["fvec"]).max() < 1e-9, message
        return np.asarray(found)


def errors(robot: Any, rigid: Any) -> tuple[np.ndarray, np.ndarray]:
    """Largest error of drive forces relative to the rigid robot's at each factor: quasi-static, and with e = 0."""
    limp, hard = Stiffened(robot), built(rigid)
    truth = hard.inverse_dynamics(hard.configuration(pose=hard.home[:7]), *MOTION).tau
    size = np.abs(truth).max()
    z = np.zeros(limp.model.layout.n_elastic)
    quasi, plain = [], []
    for factor in DECADES[::-1]:
        z = limp.quasi_static(factor, z)
        quasi.append(np.abs(limp.inverse(factor, z / factor).tau - truth).max() / size)
        plain.append(np.abs(limp.inverse(factor, 0 * z).tau - truth).max() / size)
    return np.array(quasi[::-1]), np.array(plain[::-1])


SLOW = ("generic", "legs_platform", "legs_platform+")
CASES = ("long2014", "ups+", *(pytest.param(name, marks=pytest.mark.slow) for name in SLOW))
"""+ with displacements of second order. generic: legs of many kinds; legs_platform: flexible legs as well."""


@pytest.mark.quick_cases("ups+")
@pytest.mark.parametrize("name", CASES)
def test_rigid_limit(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gough.robot.UnphysicalInertiaWarning)
        robot = load(name) if name == "long2014" else named_flexible(name)
        rigid = load("long2014_rigid") if name == "long2014" else stiff(robot)
    quasi, plain = errors(robot, rigid)
    slopes = np.diff(np.log10(quasi))
    np.testing.assert_allclose(slopes[-2:], -1.0, atol=1e-4)
    away = np.abs(slopes + 1)[:-1]  # the second order in the flexibility: a tenth in every decade
    np.testing.assert_allclose(np.diff(np.log10(away)), -1.0, atol=0.15)
    assert plain.min() > 0.1
    np.testing.assert_allclose(plain, plain[0], rtol=1e-9)
