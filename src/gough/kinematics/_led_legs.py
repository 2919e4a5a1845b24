"""Legs that follow the platform by themselves: joints at poses, in closed form or by Newton's iteration in small steps."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gough.compilation.designs import ParameterRows, parameters_of, parameters_of_one
from gough.compilation.status import are_good
from gough.dynamics.legs.geometry import Branch
from gough.dynamics.legs.kinds import ELBOWS
from gough.dynamics.validity import CLOSURE_TOLERANCE
from gough.errors import GOOD, Status
from gough.kinematics._leg_newton import leg_newton
from gough.kinematics.closed_form_legs import ClosedFormLegs
from gough.kinematics.closing import closure_errors
from gough.kinematics.linkage import Assembly, Linkage
from gough.kinematics.openings import openings
from gough.spatial.poses import integrate_pose, pose_difference

LARGEST_STEP = 0.25
"""Largest step (relative to the robot's size, or rad) of a pose along which legs without closed form are led."""
MOST_STEPS = 24


@dataclass(frozen=True)
class LedLegs:
    """The legs of a robot led from home."""

    linkage: Linkage
    assembly: Assembly

    @cached_property
    def closed(self) -> ClosedFormLegs:
        """Those with a closed form."""
        return ClosedFormLegs(self.linkage, self.assembly.kinds)

    def close(
        self,
        poses: np.ndarray,
        parameters: ParameterRows,
        near: np.ndarray | None = None,
        branch: Sequence[Branch] | None = None,
    ) -> tuple[np.ndarray, np.ndarray]:
        """(q (n, nq), failures (n,)) at poses (n, 7 + elastic), in the assembly of home, of `near` (n, nq) or of `branch`."""
        legs = self.closed
        joints, failures = self.joints(poses, parameters, near, branch)
        if near is not None:
            for k in legs.others:
                joints[:, legs.columns(k)] = near[:, legs.lead :][:, legs.columns(k)]
        q = np.concatenate([poses, joints], axis=1)
        if legs.others:
            open_ = are_good(failures)
            own = parameters_of(parameters, open_)
            q[open_], failures[open_] = self._follow(q[open_], own, None if near is None else near[open_])
        good = self._judge(q, parameters, failures)
        if not good.all():
            q[~good, legs.lead :] = np.nan
        return q, failures

    def _judge(self, q: np.ndarray, parameters: ParameterRows, failures: np.ndarray) -> np.ndarray:
        """Which states (n,) are good. The joint that is open in one whose legs were found is named (in place): no q is handed
        out that is none."""
        good = are_good(failures)
        found = np.flatnonzero(good)
        if good.all():
            error = closure_errors(self.linkage, q, parameters)
        else:
            error = closure_errors(self.linkage, q[found], parameters_of(parameters, found))
        for state in found[~(error < CLOSURE_TOLERANCE)]:
            own = parameters_of_one(parameters, state)
            failures[state] = Status.NOT_CONVERGED.at(openings(self.linkage, q[state], own)[0].cut.name)
            good[state] = False
        return good

    def joints(
        self,
        poses: np.ndarray,
        parameters: ParameterRows,
        near: np.ndarray | None,
        branch: Sequence[Branch] | None,
    ) -> tuple[np.ndarray, np.ndarray]:
        """(joints (n, joints), failures (n,)): those of closed-form legs at poses (n, 7), others as at home."""
        legs = self.closed
        n, home = len(poses), self.assembly.home[legs.lead :]
        if all(kind is None for kind in legs.kinds):
            return np.repeat(home[None], n, axis=0), np.full(n, GOOD, dtype=object)
        if near is None:
            evaluation = legs.evaluate(poses, parameters, branch or self.assembly.branches)
            joints, failures = evaluation.outputs["joints"].reshape(n, len(home)), evaluation.failures
            cranks = self.cranks
            if len(cranks):  # they turn freely: count their turns from home
                joints[:, cranks] = home[cranks] + legs.wrap(joints[:, cranks] - home[cranks], cranks)
        else:
            joints, failures = legs.nearest(poses, parameters, near)
        if len(self._others):
            joints[:, self._others] = home[self._others]
        return joints, failures

    @cached_property
    def cranks(self) -> np.ndarray:
        """Joints of legs with elbows, whose turns are counted from home."""
        legs = self.closed
        return np.array([c for k, kind in enumerate(legs.kinds) if kind in ELBOWS for c in legs.columns(k)], dtype=int)

    @cached_property
    def _others(self) -> np.ndarray:
        """Joints of no leg with a closed form."""
        legs = self.closed
        return np.setdiff1d(np.arange(self.linkage.structure.layout.nq - legs.lead), legs.by_leg[0])

    def _follow(
        self, q: np.ndarray, parameters: ParameterRows, near: np.ndarray | None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Newton legs led from home (or `near`) to the poses of q in small steps, so that they keep their assembly."""
        legs = self.closed
        start = np.broadcast_to(self.assembly.home[:7] if near is None else near[:, :7], (len(q), 7))
        whole = pose_difference(start, q[:, :7])
        size = np.abs(whole) / np.array([self.linkage.structure.length] * 3 + [1.0] * 3)
        steps = int(np.clip(np.ceil(size.max(initial=0.0) / LARGEST_STEP), 1, MOST_STEPS))
        x, failures = q.copy(), np.full(len(q), GOOD, dtype=object)
        for k in range(1, steps + 1):
            x[:, :7] = q[:, :7] if k == steps else integrate_pose(start, whole * (k / steps))
            x, failures = leg_newton(self.linkage, x, parameters, legs.others)
            lost = failures != GOOD  # an intermediate pose out of reach: go on from the start
            x[lost, legs.lead :] = q[lost, legs.lead :]
        return x, failures
