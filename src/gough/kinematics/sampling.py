"""Sampled assembled states around home: they fix elimination orders and scales of pivots."""

import numpy as np

from gough.dynamics.inverse import load_sizes
from gough.dynamics.mass_matrix import legs_follow
from gough.errors import GOOD
from gough.kinematics._led_legs import LedLegs
from gough.kinematics.linkage import LedLinkage
from gough.kinematics.mobility import neighbours
from gough.spatial.poses import integrate_pose

STATES = 24
SPREAD = (0.25, 0.25)
"""Largest offsets from home: positions relative to the robot's size, angles in rad."""
SPREADS = (0.15, 0.4, 1.0)
"""The same for steps of all joints of other mechanisms; the widest meet other pivots (cranks that turn far)."""


def sample_states(linkage: LedLinkage) -> dict[str, np.ndarray]:
    """States that assemble: home and random neighbours, with random velocities; the same on every run."""
    return linkage.cached("samples", lambda: _sample(linkage))


def _sample(linkage: LedLinkage) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(20120321)
    q = linkage.sampled
    return _moving(linkage, _configurations(linkage, rng)[:STATES] if q is None else q, rng)


def _moving(linkage: LedLinkage, q: np.ndarray, rng: np.random.Generator) -> dict[str, np.ndarray]:
    n, layout, loads = len(q), linkage.layout, load_sizes(linkage.mechanism)
    v, vdot = rng.normal(size=(n, layout.nv)), rng.normal(size=(n, layout.nv))
    load = rng.normal(size=(n, sum(loads.values())))
    return {
        "q": q,
        "pose": q[:, : layout.joints.start],
        "v": v,
        "acceleration": vdot[:, : layout.mobility],
        "vdot": vdot,
        "wrench": load[:, : loads.get("wrench", 0)],
        "force": load[:, loads.get("wrench", 0) :],
        "tau": rng.normal(size=(n, len(linkage.mechanism.drives))),
        "parameters": linkage.parameters[None],
    }


def _configurations(linkage: LedLinkage, rng: np.random.Generator) -> np.ndarray:
    if legs_follow(linkage.mechanism):
        steps = rng.uniform(-1, 1, (STATES * 2, 6)) * np.array([SPREAD[0] * linkage.size] * 3 + [SPREAD[1]] * 3)
        poses = np.concatenate([linkage.home[None, :7], integrate_pose(linkage.home[None, :7], steps)])
        units = np.array(
            [x for link in linkage.mechanism.links if link.elastic is not None for x in link.elastic.units]
        )
        bent = rng.uniform(-1, 1, (len(poses), len(units))) * units
        q, failures = LedLegs(linkage).close(np.concatenate([poses, bent], axis=1), linkage.parameters[None])
        return q[failures == GOOD]
    # The block order is not yet fitted: move along the free motions and close with all closures.
    found = [linkage.home[None]]
    for reach in SPREADS:
        found.append(neighbours(linkage, linkage.home, linkage.assembly.free_motions[0], STATES // 2, reach))
    return np.concatenate(found)
