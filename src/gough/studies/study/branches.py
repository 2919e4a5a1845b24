"""States on another side of a singularity than home: loops that turned over between two states of a case.

Where states are led one from the other, a design that comes near a singularity may go on in another assembly: its loops are
closed there, and its numbers are those of another robot. The determinants of what the dependent velocities follow from have the
signs they have at home, in all designs, as long as no loop turned over; where drives are prescribed that of all loops together,
times that of the drive map, tells the same (`gough.analysis.workspace.states`).

Where the platform is led, loops are as they should be on both sides of a pose that drives do not hold. A motion through such a
pose asks for forces that have no bound on the way, however harmless those at the states beside it are: the determinant of the
drive map has one sign along a motion that drives can follow.
"""

from typing import TYPE_CHECKING

import numpy as np

from gough.analysis.conditions import determinant_signs
from gough.kinematics.singularity import block_matrices, driven_rows, scaled_maps

if TYPE_CHECKING:
    from gough.model import Model

NOISE = 1e-12
"""Of a determinant, over the lengths of its rows: of drives that hold nothing anywhere."""


def turned_over(model: "Model", q: np.ndarray, designs: np.ndarray, by_drives: bool) -> np.ndarray:
    """Whether states q (n, nq) of designs (n, m) are on another side than home (n,). by_drives: drives are prescribed, else what
    leads the robot."""
    if not len(q):
        return np.zeros(0, dtype=bool)
    home = model.cached(
        ("signs at home", by_drives), lambda: _signs(model, model.home[None], model.parameters[None], by_drives)
    )
    signs = _signs(model, q, designs, by_drives)
    return ((signs * home) < 0).any(axis=1)


def has_sides(model: "Model") -> bool:
    """Whether the robot has as many drives as what they hold: then their map has a determinant."""
    return len(driven_rows(model)) == len(model.mechanism.drives)


def not_held(model: "Model", q: np.ndarray, designs: np.ndarray, taken: np.ndarray) -> np.ndarray:
    """States (d, s) of a motion q (d, s, nq) of designs (d, m) beyond a pose that the drives do not hold: those of the sign that
    fewer of the design's states have, of those taken (d, s). Of robots that have sides."""
    own = driven_rows(model)
    if not taken.any() or not has_sides(model):
        return np.zeros(taken.shape, dtype=bool)
    S = model.function("drive_map").values(q=q, parameters=designs[:, None])["S"][..., own, :]
    S = np.where(taken[..., None, None], S, 0.0)
    volume = np.linalg.det(S) / np.maximum(np.prod(np.linalg.norm(S, axis=-1), axis=-1), np.finfo(float).tiny)
    ahead, behind = volume > NOISE, volume < -NOISE
    fewer = np.asarray(ahead.sum(axis=1) < behind.sum(axis=1))[:, None]
    both = np.asarray(ahead.any(axis=1) & behind.any(axis=1))[:, None]
    return np.asarray(both & np.where(fewer, ahead, behind))


def _signs(model: "Model", q: np.ndarray, designs: np.ndarray, by_drives: bool) -> np.ndarray:
    """(n, k): of every loop, or of all together with the drive map; none where nothing tells."""
    none = np.zeros((len(q), 0), dtype=np.int8)
    if not len(q) or not model.mechanism.cuts:
        return none
    if not by_drives:
        blocks = block_matrices(model, q, designs, model.size)[1]
        return np.stack(list(map(determinant_signs, blocks)), axis=1) if blocks else none
    maps = scaled_maps(model, q, designs, model.size)
    S = maps.felt
    if S.shape[1] != S.shape[2]:
        return none
    return np.prod([determinant_signs(a) for a in (S, *maps.loops)], axis=0)[:, None]
