"""What a case prescribes of a robot's velocities, and how far a design is from a state that it does not take.

Of named angles, R = Rz(yaw) Ry(pitch) Rx(roll), ω = ẏaw e_z + ṗitch Rz e_y + ṙoll R e_x: with pitch and roll held ω is along z
of the world, with yaw and roll held it is square to it. What the guide of a platform keeps is held as if it were named, and so
is what geometry keeps at 0, as far as it does: with pitch 0, ω_z is the rate of yaw.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from gough.kinematics.closing import close
from gough.kinematics.leading import COORDINATES
from gough.model.coordinates import pose_of_coordinates
from gough.robot.robot import Platform
from gough.scalar import VariedNumber
from gough.simulation.motion.targets import MotionTarget
from gough.spatial.euler import coordinates_of

if TYPE_CHECKING:
    from gough.model import Model

ANGLES = frozenset(COORDINATES[3:])
FLAT = 1e-9
"""Of an angle that geometry keeps at 0 (rad)."""
GRADED = 8
"""States of a design, at most, whose deficit is measured."""
AT_ONCE = 2048
"""States that are closed together."""


def prescribed_columns(
    model: "Model", kind: str, names: Sequence[str], target: MotionTarget | None
) -> tuple[int, ...] | None:
    """Tree velocities that are held at rest, or prescribed by a motion in the order of its coordinates; None where they follow
    from what is prescribed by each design's own kinematics."""
    if target is not None and target.columns is None:
        return None
    if kind == "pose":
        return tuple(range(6))
    if kind == "drives":
        return tuple(model.mechanism.links[d.link].u for d in model.mechanism.drives)
    found = {model.layout.q_names[link.q]: link.u for link in model.mechanism.links if link.nu == 1}
    found |= {name: k for k, name in enumerate(COORDINATES[:3])} if model.mechanism.has_platform else {}
    still, turns = kept_angles(model), ANGLES & {*names}
    if target is not None and turns:
        return tuple(found.get(n, 5) for n in names) if turns == {"yaw"} and {"pitch", "roll"} <= still else None
    held = still | turns if turns else still
    out = [found[n] for n in names if n in found]
    out += [3, 4] if turns and {"pitch", "roll"} <= held else []
    return (*out, 5) if turns and {"yaw", "roll"} <= held else tuple(out)


def kept_angles(model: "Model") -> frozenset[str]:
    """Those of yaw, pitch, roll that stay as they are: by the guide of the platform in all designs, or 0 by geometry, of which
    designs may differ (`are_kept`)."""
    return _guided_angles(model) | _flat_angles(model)


def unmoved_coordinates(model: "Model") -> dict[str, float]:
    """{name: value} of those of x y z yaw pitch roll of the platform that are as at home in all states."""
    x = _sampled_coordinates(model)
    if len(x) < 2:
        return {}
    off = np.abs(x - x[0]).max(axis=0) / np.array([model.size] * 3 + [1.0] * 3)
    return {name: float(x[0, k]) for k, name in enumerate(COORDINATES) if off[k] <= FLAT}


def _sampled_coordinates(model: "Model") -> np.ndarray:
    """x y z yaw pitch roll (n, 6) at home and at states around it; none without a platform."""
    if not model.mechanism.has_platform:
        return np.zeros((0, 6))
    q = np.concatenate([model.home[None], model.sampled_states["q"]])
    return coordinates_of(q[np.isfinite(q).all(axis=1)][:, :7], "rpy_zyx")


def are_kept(model: "Model", q: np.ndarray) -> np.ndarray:
    """Whether states q (…, nq) keep the angles that are 0 by geometry; true at bad ones."""
    flat = [k for k, name in enumerate(COORDINATES) if name in _flat_angles(model)]
    if not flat:
        return np.ones(q.shape[:-1], dtype=bool)
    return np.asarray(~(np.abs(coordinates_of(q[..., :7], "rpy_zyx")[..., flat]) > FLAT).any(axis=-1))


def _flat_angles(model: "Model") -> frozenset[str]:
    x = _sampled_coordinates(model)
    if len(x) < 2:
        return frozenset()
    largest = np.abs(x).max(axis=0)
    return frozenset(name for name, x in zip(COORDINATES, largest, strict=True) if name in ANGLES and x <= FLAT)


def _guided_angles(model: "Model") -> frozenset[str]:
    robot = model.robot
    if not isinstance(robot.platform, Platform) or robot.platform.freedoms is None or robot.home.pose is None:
        return frozenset()
    turned = np.ravel(np.array(robot.home.pose.varied_rotation(), dtype=object))
    varied = any(isinstance(x, VariedNumber) for x in turned)
    return frozenset() if varied else ANGLES - {*robot.platform.freedoms}


def closure_deficits(
    model: "Model",
    columns: Sequence[int],
    asked: tuple[str, Sequence[str], np.ndarray],
    P: np.ndarray,
    missed: np.ndarray,
) -> np.ndarray:
    """Mean closure error (d,) that is left of missed states (d, s) of designs (d, m), over the robot's size, times their part of
    all; 0 where none is missed. asked: (kind, names, positions (d or 1, s, n)) of a case."""
    kind, names, position = asked
    free = np.ones(model.layout.nu, dtype=bool)
    free[[*columns, *model.mechanism.elastic_columns]] = False
    chosen = np.zeros_like(missed)
    for k in np.flatnonzero(missed.any(axis=1)):
        own = np.flatnonzero(missed[k])
        chosen[k, own[np.unique(np.linspace(0, len(own) - 1, min(len(own), GRADED)).astype(int))]] = True
    designs, states = np.nonzero(chosen)
    start = np.repeat(model.home[None], len(states), axis=0)
    _put(model, kind, names, start, position[designs if len(position) > 1 else 0, states])
    left = np.zeros(missed.shape)
    for k in range(0, len(states), AT_ONCE):
        d, s = designs[k : k + AT_ONCE], states[k : k + AT_ONCE]
        found = close(model.linkage, start[k : k + AT_ONCE], P[d], free)[1]
        left[d, s] = np.nan_to_num(found, nan=1.0, posinf=1.0)
    return left.sum(axis=1) / np.maximum(chosen.sum(axis=1), 1) * missed.mean(axis=1)


def _put(model: "Model", kind: str, names: Sequence[str], q: np.ndarray, position: np.ndarray) -> None:
    """Set what is prescribed in q (n, nq), whatever the loops say."""
    if kind == "pose":
        q[:, :7] = position
    elif kind == "drives":
        q[:, model.drive_index] = position
    else:
        platform = [k for k, name in enumerate(names) if name in COORDINATES]
        if platform:
            x = coordinates_of(q[:, :7], "rpy_zyx")
            x[:, [COORDINATES.index(names[k]) for k in platform]] = position[:, platform]
            q[:, :7] = pose_of_coordinates(x.T)
        for k, name in enumerate(names):
            if k not in platform:
                q[:, model.layout.q_names.index(name)] = position[:, k]
