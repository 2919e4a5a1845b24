"""States on another side of a singularity than home: loops that turned over between two states of a case.

Where states are led one from the other, a design that comes near a singularity may go on in another assembly: its loops are
closed there, and its numbers are those of another robot. The determinants of what the dependent velocities follow from have the
signs they have at home, in all designs, as long as no loop turned over; where drives are prescribed that of all loops together,
times that of the drive map, tells the same (`gough.analysis.workspace.states`).
"""

from typing import TYPE_CHECKING

import numpy as np

from gough.analysis.conditions import determinant_signs
from gough.kinematics.singularity import block_matrices, scaled_maps

if TYPE_CHECKING:
    from gough.model import Model


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
