"""A model and what geometry locks of it: whether knowing it pays, and for which designs it holds."""

from typing import TYPE_CHECKING

import numpy as np

from gough.dynamics.catalogue import FunctionKey
from gough.kinematics.design_ties import DesignTies, find_ties
from gough.kinematics.locking import lock
from gough.model.functions import trace_entry
from gough.program import count
from gough.structure import Mechanism

if TYPE_CHECKING:
    from gough.model.model import Model

WORTH = 0.9
"""Part of the operations of all rates below which it pays to know what is locked; else the closures say it as cheaply."""
NEAR = 1e-7
"""How far a first state may be from where it is locked: closing its loops brings it there."""


def locked_mechanism(model: "Model") -> Mechanism | None:
    """The mechanism of a model with what geometry locks; None where nothing is, or it would not pay."""
    locked = lock(model.linkage, model.assembly, model.mechanism)
    if locked is None:
        return None
    key = FunctionKey("tree_rates")
    now, before = (count(trace_entry(x, key, model.pattern)).operations for x in (locked, model.mechanism))
    return locked if now <= WORTH * before else None


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
    off += [q[:, r.coordinate] - r.factor * q[:, r.twin] for r in chosen.relations if r.coordinate is not None]
    return bool((np.abs(off) <= NEAR).all())
