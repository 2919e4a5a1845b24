"""Axes in loops that are all but parallel: what rounded angles make of axes that were meant to be."""

from dataclasses import dataclass

import numpy as np

from gough.kinematics.linkage import Linkage
from gough.structure import Structure

LEAST, MOST = 1e-9, 1e-3
"""Angles (rad) between axes that are neither parallel nor meant not to be."""
FEWEST = 3
"""Axes of a loop of which one may be the odd one."""


@dataclass(frozen=True)
class TiltedAxes:
    """Two joints whose axes are an angle (rad) out of parallel, the worst of as many pairs as there are."""

    joints: tuple[str, str]
    angle: float
    pairs: int

    def __str__(self) -> str:
        more = f"; {self.pairs} pairs of axes are" if self.pairs > 1 else ""
        return f"the axes of {' and '.join(self.joints)} are {np.degrees(self.angle):.3g} deg out of parallel{more}"


def worst_tilt(linkage: Linkage, q: np.ndarray) -> TiltedAxes | None:
    """The pair of axes in loops that is most out of parallel at q (nq,), of those that are all but parallel."""
    structure = linkage.structure
    moved = axes_in_loops(structure)
    if len(moved) < 2:
        return None
    found = linkage.function("link_poses").values(q=q[None], parameters=linkage.parameters)["rotations"]
    rotations = np.reshape(found, (len(structure.links), 3, 3))
    axes = [rotations[k] @ structure.links[k].to_user[:, structure.links[k].axis] for k in moved]
    tilts = np.linalg.norm(np.cross(np.array(axes)[:, None], np.array(axes)[None]), axis=2)
    near = np.triu((tilts > LEAST) & (tilts < MOST))
    if not near.any():
        return None
    first, second = np.unravel_index(int(np.argmax(np.where(near, tilts, 0.0))), tilts.shape)
    names = structure.links[moved[first]].joint, structure.links[moved[second]].joint
    return TiltedAxes(names, float(tilts[first, second]), int(near.sum()))


def axes_in_loops(structure: Structure) -> list[int]:
    """Links between the sides of a cut that turn about, or slide along, one axis."""
    found: set[int] = set()
    for cut in structure.cuts:
        found |= set(structure.path_to_root(cut.first)) ^ set(structure.path_to_root(cut.second))
    return [k for k in sorted(found) if structure.links[k].nu == 1 and structure.links[k].tie is None]


def say_odd_axes(linkage: Linkage, q: np.ndarray) -> str:
    """ "; the axis of elbow is not parallel to the others of loop pin, which all are": of loops with one odd axis."""
    structure = linkage.structure
    found = linkage.function("link_poses").values(q=q[None], parameters=linkage.parameters)["rotations"]
    rotations, told = np.reshape(found, (len(structure.links), 3, 3)), []
    for cut in structure.cuts:
        inside = set(structure.path_to_root(cut.first)) ^ set(structure.path_to_root(cut.second))
        turning = [k for k in sorted(inside) if structure.links[k].nu == 1 and structure.links[k].tie is None]
        if len(turning) != sum(structure.links[k].nu > 0 for k in inside) or len(turning) < FEWEST:
            continue
        axes = np.array([rotations[k] @ structure.links[k].to_user[:, structure.links[k].axis] for k in turning])
        apart = np.linalg.norm(np.cross(axes[:, None], axes[None]), axis=2) > MOST
        odd = np.flatnonzero(apart.sum(axis=1) == len(turning) - 1)
        if len(odd) == 1 and apart.sum() == 2 * (len(turning) - 1):
            joint = structure.links[turning[int(odd[0])]].joint
            told.append(f"the axis of {joint} is not parallel to the others of loop {cut.name}, which all are")
    return "".join(f"; {text}" for text in told[:FEWEST])
