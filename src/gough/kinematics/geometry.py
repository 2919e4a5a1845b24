"""Configurations of the closed robot at platform poses: joints in closed form, else by Newton's iteration.

A platform that cannot take every pose, on legs with closed forms: what the legs leave open decides.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from gough.compilation.designs import ParameterRows, parameters_of
from gough.compilation.status import are_good
from gough.dynamics.legs.geometry import Branch
from gough.dynamics.mass_matrix import legs_follow
from gough.errors import Status, UsageError
from gough.kinematics._led_legs import LedLegs
from gough.kinematics.closing import CLOSED, close, closure_errors
from gough.kinematics.leading import pose_led
from gough.kinematics.linkage import LedLinkage
from gough.kinematics.one_state.lead import OneLead
from gough.kinematics.one_state.pose import OnePose

NEARLY = 1e-5
"""Closure error below which a pose counts as rounded: Newton's iteration then finds the one the platform can take."""


@dataclass(frozen=True)
class Geometry:
    """Inverse geometry of one robot."""

    linkage: LedLinkage

    @property
    def kinds(self) -> tuple[str | None, ...]:
        """Closed form of every leg."""
        return self.linkage.assembly.kinds

    @property
    def branches(self) -> tuple[Branch, ...]:
        """The branch of every leg at home."""
        return self.linkage.assembly.branches

    @property
    def by_legs(self) -> bool:
        """Whether a pose gives the joints of every leg by itself."""
        return self.linkage.cached("by legs", lambda: legs_follow(self.linkage.mechanism))

    @property
    def legs_reach(self) -> bool:
        """Whether each leg follows a pose by itself, whatever v is: a robot led by its drives takes the same poses."""

        def reach() -> bool:
            mechanism = self.linkage.mechanism
            own = mechanism.selection
            led = replace(own, independent=(*range(6), *own.independent[mechanism.layout.mobility :]))
            return legs_follow(replace(mechanism, selection=led))

        return self.linkage.cached("legs reach", reach)

    @property
    def by_closed_legs(self) -> bool:
        """Whether closed forms give all legs of a platform that v may not lead, or that has fewer than six freedoms."""
        mechanism = self.linkage.mechanism
        known = bool(self.kinds) and all(kind is not None for kind in self.kinds)
        return (
            known
            and not mechanism.tolerances
            and not mechanism.couplings
            and all(c.leg >= 0 or c.type == "fixed" for c in mechanism.cuts)
        )

    @property
    def in_closed_form(self) -> bool:
        """Whether joints follow from a pose without an iteration over all states: they may be found a part at a time."""
        if self.legs_reach:
            return not self.led_legs.closed.others
        return self.by_closed_legs

    def from_pose(
        self,
        poses: np.ndarray,
        parameters: ParameterRows,
        near: np.ndarray | None = None,
        branch: Sequence[Branch] | None = None,
        elastic: np.ndarray | None = None,
    ) -> tuple[np.ndarray, np.ndarray]:
        """(q (n, nq), failures (n,)) of poses (n, 7); elastic (n, k): default those of near, else 0."""
        elastic = self._bent(len(poses), near, elastic)
        by_legs = self.legs_reach
        if not by_legs and not self.by_closed_legs:
            if branch is not None:
                raise UsageError(f"branch=: the legs of {self.linkage.structure.name} have no closed form; use near=")
            return pose_led(self.linkage, poses, parameters, self._started(elastic, near))
        poses = np.concatenate([poses, elastic], axis=1)
        legs = self.led_legs
        if by_legs:
            return legs.close(poses, parameters, near, branch)
        joints, failures = legs.joints(poses, parameters, near, branch)
        return self._close_platform(np.concatenate([poses, joints], axis=1), failures, parameters, near)

    @property
    def led_legs(self) -> LedLegs:
        """The legs led from home."""
        return self.linkage.cached("led legs", lambda: LedLegs(self.linkage, self.linkage.assembly))

    @property
    def one_pose(self) -> OnePose | None:
        """What finds q at one pose after the other, where all joints follow in closed form."""

        def made() -> OnePose | None:
            if not OnePose.suits(self.led_legs):
                return None
            if self.legs_reach:
                return OnePose(self.led_legs)
            return OnePose(self.led_legs, CLOSED) if self.by_closed_legs else None

        return self.linkage.cached("one pose", made)

    @property
    def one_lead(self) -> OneLead:
        """What leads one configuration after the other by small steps."""
        return self.linkage.cached("one lead", lambda: OneLead(self.linkage))

    def _bent(self, n: int, near: np.ndarray | None, elastic: np.ndarray | None) -> np.ndarray:
        if elastic is not None:
            return elastic
        place = self.linkage.layout.elastic
        return np.zeros((n, place.stop - place.start)) if near is None else near[:, place]

    def _started(self, elastic: np.ndarray, near: np.ndarray | None) -> np.ndarray | None:
        """Where a search starts: `near` (or home) with these elastic coordinates."""
        if not elastic.shape[1]:
            return near
        start = np.repeat(self.linkage.home[None], len(elastic), axis=0) if near is None else near.copy()
        start[:, self.linkage.layout.elastic] = elastic
        return start

    def _close_platform(
        self, q: np.ndarray, failures: np.ndarray, parameters: ParameterRows, near: np.ndarray | None
    ) -> tuple[np.ndarray, np.ndarray]:
        """(q, failures) of configurations q (n, nq) whose legs reach a pose: the other joints follow, the loops are checked.

        A pose that leaves loops open is out of the platform's reach.
        """
        linkage, mechanism = self.linkage, self.linkage.mechanism
        outside = [link for link in mechanism.links if link.leg < 0 and not link.is_platform and link.nu]
        if near is not None:
            for link in outside:
                q[:, link.q : link.q + link.nq] = near[:, link.q : link.q + link.nq]
        good = np.flatnonzero(are_good(failures))
        if outside and len(good):
            free = np.zeros(mechanism.layout.nu, dtype=bool)
            free[[column for link in outside for column in link.columns]] = True
            q[good] = close(linkage, q[good], parameters_of(parameters, good), free)[0]
        error = closure_errors(linkage, q[good], parameters_of(parameters, good))
        rounded = good[(error > CLOSED) & (error < NEARLY)]
        failures[good[~(error < NEARLY)]] = Status.OUT_OF_REACH.at("platform")
        if len(rounded):
            own = parameters_of(parameters, rounded)
            q[rounded], failures[rounded] = pose_led(linkage, q[rounded, :7], own, q[rounded])
        q[~are_good(failures), linkage.layout.joints] = np.nan
        return q, failures
