"""What it costs to take the second link's inertia of [Fried] as constant, with the library alone.

At every state a design of its own: the inertia that the link has at that length, but none of its change (eqs. 79, 82). The
states are those on which the transcription of the printed equations was measured: ten, random, about home.
"""

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from gough.compilation import Model

HOME, OFFSET, ANGLE, SPEED, ACCELERATION = (0.75, 0.0, 0.0), 0.1, 0.3, 1.0, 5.0
"""m, rad, m/s and rad/s, m/s² and rad/s²: half-widths of the random states."""
COUNT, SEED = 10, 2


def random_states() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(pose (n, 7), v (n, 6), acceleration (n, 6))."""
    rng = np.random.default_rng(SEED)
    pose, v, acceleration = [], [], []
    for _ in range(COUNT):
        place, turn = np.array(HOME) + rng.uniform(-OFFSET, OFFSET, 3), rng.uniform(-ANGLE, ANGLE, 3)
        angle = np.linalg.norm(turn)
        pose.append([*place, np.cos(angle / 2), *(np.sin(angle / 2) / angle * turn)])
        v.append(rng.uniform(-SPEED, SPEED, 6))
        acceleration.append(rng.uniform(-ACCELERATION, ACCELERATION, 6))
    return np.array(pose), np.array(v), np.array(acceleration)


def constant_inertia(model: "Model", q: np.ndarray, v: np.ndarray, acceleration: np.ndarray) -> float:
    """Largest error over the largest force of the same state, all states."""
    right = model.inverse_dynamics(q, v, acceleration).tau
    value = dict(zip(model.parameter_names, map(float, model.parameters), strict=True))
    lengths = model.drives(q)
    changes: dict[str, float | np.ndarray] = {}
    for k, leg in enumerate(model.robot.legs):
        for axis in ("YY", "ZZ"):
            name = f"{leg.name}.link2.telescopic.{axis}"
            powers = [value[f"{name}{i}"] for i in range(3)]
            changes[f"{name}0"] = sum(c * lengths[:, k] ** i for i, c in enumerate(powers))
            changes |= {f"{name}{i}": np.zeros(len(q)) for i in (1, 2)}
    wrong = model.inverse_dynamics(q, v, acceleration, parameters=model.parameters_with(changes)).tau
    return float((np.abs(wrong - right).max(axis=1) / np.abs(right).max(axis=1)).max())
