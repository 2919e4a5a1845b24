"""Sampled assembled states around home: they fix elimination orders and scales of pivots."""

from typing import TYPE_CHECKING

import numpy as np

from gough.dynamics.inverse import wrench_size
from gough.errors import GOOD
from gough.kinematics.mobility import neighbours
from gough.spatial.poses import integrate_pose

if TYPE_CHECKING:
    from gough.model.model import Model

STATES = 24
SPREAD = (0.25, 0.25)
"""Largest offsets from home: positions relative to the robot's size, angles in rad."""
SPREADS = (0.15, 0.4, 1.0)
"""The same for steps of all joints of other mechanisms; the widest meet other pivots (cranks that turn far)."""


def sample_states(model: "Model") -> dict[str, np.ndarray]:
    """States that assemble: home and random neighbours, with random velocities; the same on every run."""
    return model.cached("samples", lambda: _sample(model))


def states_around(model: "Model", q: np.ndarray) -> dict[str, np.ndarray]:
    """The same for given configurations q (n, nq)."""
    return _moving(model, q, np.random.default_rng(20120321))


def _sample(model: "Model") -> dict[str, np.ndarray]:
    rng = np.random.default_rng(20120321)
    return _moving(model, _configurations(model, rng)[:STATES], rng)


def _moving(model: "Model", q: np.ndarray, rng: np.random.Generator) -> dict[str, np.ndarray]:
    n = len(q)
    return {
        "q": q,
        "pose": q[:, : model.layout.joints.start],
        "v": rng.normal(size=(n, model.layout.nv)),
        "acceleration": rng.normal(size=(n, model.layout.nv)),
        "wrench": rng.normal(size=(n, wrench_size(model.mechanism))),
        "tau": rng.normal(size=(n, len(model.mechanism.drives))),
        "parameters": model.parameters[None],
    }


def _configurations(model: "Model", rng: np.random.Generator) -> np.ndarray:
    if model.geometry.by_legs:
        steps = rng.uniform(-1, 1, (STATES * 2, 6)) * np.array([SPREAD[0] * model.size] * 3 + [SPREAD[1]] * 3)
        poses = np.concatenate([model.home[None, :7], integrate_pose(model.home[None, :7], steps)])
        units = [
            x for i in model.mechanism.flexible if (e := model.mechanism.links[i].elastic) is not None for x in e.units
        ]
        bent = rng.uniform(-1, 1, (len(poses), len(units))) * np.array(units) if units else None
        q, names = model.geometry.from_pose(poses, model.parameters[None], elastic=bent)
        return q[names == GOOD]
    # The block order is not yet fitted: move along the free motions and close with all closures.
    found = [model.home[None]]
    for reach in SPREADS:
        found.append(neighbours(model, model.null_space, STATES // 2, reach))
    return np.concatenate(found)
