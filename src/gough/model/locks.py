"""For which designs and states what geometry locks of a model holds."""

from typing import TYPE_CHECKING

import numpy as np

from gough.kinematics.design_ties import DesignTies, find_ties

if TYPE_CHECKING:
    from gough.model.model import Model

NEAR = 1e-7
"""How far a first state may be from where it is locked: closing its loops brings it there."""


def keeps_locks(model: "Model", designs: np.ndarray) -> bool:
    """Whether designs (n, size) lock what the model's own does, as far as is known."""
    own, locked = model.parameters, model.locked
    if locked is None or (designs == own).all():
        return True
    ties: DesignTies = model.cached("design ties", lambda: find_ties(model.linkage, model.assembly, locked))
    return ties.keep(designs)


def is_locked_at(model: "Model", q: np.ndarray) -> bool:
    """Whether configurations (n, nq) are where geometry locks what it locks at home."""
    if model.locked is None:
        return True
    chosen = model.locked.selection
    off = [q[:, place] - number for place, number in chosen.constants]
    off += [q[:, r.coordinate] - r.factor * q[:, r.twin] - r.offset for r in chosen.twins]
    return bool((np.abs(off) <= NEAR).all())
