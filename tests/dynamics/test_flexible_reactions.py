"""Reactions in all joints and loops of mechanisms with flexible bodies, against virtual power on loosened joints.

The motion is that of the inverse model: rigid accelerations given, elastic ones found; wrenches on deflected frames act.
"""

from __future__ import annotations

import numpy as np
import pytest

from dynamics.test_any_mechanism import outside
from dynamics.test_flexible import EVERY, flexible
from dynamics.test_flexible_elements import with_elements
from reference.designs.elements import ELEMENT_DESIGNS
from reference.energies.joint_reactions import JointReactions

QUICK = ("arm+", "five_bar+", "hexapod+", "legs_platform+", "tripod+", "dualemps_loaded", "frame_platform")
NAMES = (
    *QUICK,
    *(pytest.param(name, marks=pytest.mark.slow) for name in (*EVERY, *ELEMENT_DESIGNS) if name not in QUICK),
)
TOLERANCE = 1e-9


@pytest.mark.quick_cases("arm+", "five_bar+", "frame_platform")
@pytest.mark.parametrize("name", NAMES)
def test_reactions(name: str) -> None:
    s = with_elements(name) if name in ELEMENT_DESIGNS else flexible(name)
    m, r = s.model, s.reference
    joints = JointReactions(r)
    for q, v, acceleration, _ in s.states:
        loads = s.loads(3)
        ours = m.joint_reactions(q, v, acceleration, loads)
        tau, eddot = r.inverse_elastic(q, v, acceleration, loads)
        vdot = np.zeros(len(v))
        vdot[~r.elastic], vdot[r.elastic] = acceleration, eddot
        loops = r.reactions(q, v, vdot, tau, loads)
        tree = joints.wrenches(q, v, vdot, tau, loads)
        names = list(ours.joint_names)
        order = [names.index(joint) for joint in joints.names if joint in names]
        found = np.concatenate([ours.cuts[: len(loops)], ours.joints[order]])
        truth = np.concatenate([loops, tree])
        idle = np.concatenate([r.open_reactions(q), joints.open_wrenches(q)])
        assert np.abs(outside(found - truth, idle)).max() < TOLERANCE * np.abs(truth).max()
