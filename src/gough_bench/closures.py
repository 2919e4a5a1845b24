"""The loops of a robot as what engines for trees have: points that coincide, frames that are welded."""

from dataclasses import dataclass

import numpy as np

from gough.compilation import Model
from gough_bench.tree import Tree

KNOWN = {"spherical": "point", "fixed": "weld", "revolute": "hinge"}


@dataclass(frozen=True)
class Closure:
    """A frame (R, p) on joint `first` and one on joint `second` (0: the world) that share their origin ("point") or all
    ("weld")."""

    kind: str
    first: int
    R1: np.ndarray
    p1: np.ndarray
    second: int
    R2: np.ndarray
    p2: np.ndarray


def not_a_tree(model: Model) -> str:
    """What of the robot engines for trees of rigid bodies do not have; "" where they have all."""
    lacking = [
        f"a {kind} joint that closes a loop" for kind in sorted({c.type for c in model.mechanism.cuts} - set(KNOWN))
    ]
    if any(link.telescopic is not None for link in model.mechanism.links):
        lacking.append("inertia that depends on a joint")
    return "it does not have " + " or ".join(lacking) if lacking else ""


def redundant(model: Model) -> bool:
    """Whether the closures below depend on each other."""
    return bool(model.mechanism.selection.removed) or any(cut.type == "revolute" for cut in model.mechanism.cuts)


def closures(tree: Tree) -> list[Closure]:
    """Closures of all cuts; a hinge is two points on its axis, as far apart as the robot's size."""
    found = []
    for cut in tree.model.mechanism.cuts:
        kind = KNOWN[cut.type]
        first, R1, p1 = tree.frame(cut.first, cut.on_first)
        second, R2, p2 = tree.frame(cut.second, cut.on_second)
        found.append(Closure("weld" if kind == "weld" else "point", first, R1, p1, second, R2, p2))
        if kind == "hinge":
            axis = next(axis for side, axis in cut.free_axes if side != "ball")
            far1, far2 = p1 + tree.model.size * R1[:, axis], p2 + tree.model.size * R2[:, axis]
            found.append(Closure("point", first, R1, far1, second, R2, far2))
    return found
