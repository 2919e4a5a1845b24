"""Sampled assembled states around home: they fix elimination orders and scales of pivots."""

import numpy as np

from gough.dynamics.inverse import load_sizes
from gough.dynamics.mass_matrix import legs_follow
from gough.errors import GOOD
from gough.kinematics._led_legs import LedLegs
from gough.kinematics.linkage import Assembly, Linkage
from gough.kinematics.mobility import neighbours
from gough.spatial.poses import integrate_pose
from gough.structure import Mechanism

STATES = 24
SPREAD = (0.25, 0.25)
"""Largest offsets from home: positions relative to the robot's size, angles in rad."""
SPREADS = (0.15, 0.4, 1.0)
"""The same for steps of all joints of other mechanisms; the widest meet other pivots (cranks that turn far)."""


def sample_states(
    linkage: Linkage, assembly: Assembly, mechanism: Mechanism, q: np.ndarray | None = None
) -> dict[str, np.ndarray]:
    """{slot: (n, size)} of states that assemble: home and random neighbours (or q (n, nq)) with random velocities, the same on
    every run.

    Only functions that need no choice of velocities are called: the orders of elimination of all others begin here.
    """
    rng = np.random.default_rng(20120321)
    if q is None:
        q = _configurations(linkage, assembly, mechanism, rng)[:STATES]
    n, layout, loads = len(q), mechanism.layout, load_sizes(mechanism)
    v, vdot = rng.normal(size=(n, layout.nv)), rng.normal(size=(n, layout.nv))
    load = rng.normal(size=(n, sum(loads.values())))
    wrench, force = load[:, : loads.get("wrench", 0)], load[:, loads.get("wrench", 0) :]
    if "force" in loads:
        force[:, list(mechanism.selection.without_inertia)] = 0.0  # nothing could take it
    tau = rng.normal(size=(n, len(mechanism.drives)))
    return {
        "q": q,
        "pose": q[:, : layout.joints.start],
        "v": v,
        "acceleration": vdot[:, : layout.mobility],
        "vdot": vdot,
        "wrench": wrench,
        "force": force,
        "tau": tau,
        "prescribed": rng.normal(size=(n, layout.nu)),
        "parameters": linkage.parameters[None],
    }


def _configurations(linkage: Linkage, assembly: Assembly, mechanism: Mechanism, rng: np.random.Generator) -> np.ndarray:
    home = assembly.home
    if legs_follow(mechanism):
        steps = rng.uniform(-1, 1, (STATES * 2, 6)) * np.array([SPREAD[0] * mechanism.length] * 3 + [SPREAD[1]] * 3)
        poses = np.concatenate([home[None, :7], integrate_pose(home[None, :7], steps)])
        units = np.array([x for link in mechanism.links if link.elastic is not None for x in link.elastic.units])
        bent = rng.uniform(-1, 1, (len(poses), len(units))) * units
        q, failures = LedLegs(linkage, assembly).close(np.concatenate([poses, bent], axis=1), linkage.parameters[None])
        return q[failures == GOOD]
    found = [home[None]]  # else along the free motions, closed with all closures
    for reach in SPREADS:
        found.append(neighbours(linkage, home, assembly.free_motions[0], STATES // 2, reach))
    return np.concatenate(found)
