"""Axes in loops that are all but parallel: what rounded angles make of axes that were meant to be."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gough.joints.motions.rotation import Rotation
from gough.kinematics.linkage import Linkage
from gough.structure import CutJoint, Structure

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


def worst_tilt(linkage: Linkage, q: np.ndarray, cuts: Sequence[CutJoint] | None = None) -> TiltedAxes | None:
    """The pair of axes in loops that is most out of parallel at q (nq,), of those that are all but parallel.

    cuts: only pairs of axes that the loop of one of these contains.
    """
    structure = linkage.structure
    moved = axes_in_loops(structure)
    if len(moved) < 2:
        return None
    axes = _axes(linkage, q, moved)
    tilts = np.linalg.norm(np.cross(axes[:, None], axes[None]), axis=2)
    near = np.triu((tilts > LEAST) & (tilts < MOST))
    if cuts is not None:
        inside = np.array([[k in ring_of(structure, cut) for k in moved] for cut in cuts], dtype=bool)
        near &= (inside[:, :, None] & inside[:, None, :]).any(axis=0)
    if not near.any():
        return None
    first, second = np.unravel_index(int(np.argmax(np.where(near, tilts, 0.0))), tilts.shape)
    names = structure.links[moved[first]].joint, structure.links[moved[second]].joint
    return TiltedAxes(names, float(tilts[first, second]), int(near.sum()))


def ring_of(structure: Structure, cut: CutJoint) -> set[int]:
    """Links that a loop leads through: between the sides of its cut, without what carries both."""
    return set(structure.path_to_root(cut.first)) ^ set(structure.path_to_root(cut.second))


def axes_in_loops(structure: Structure) -> list[int]:
    """Links between the sides of a cut that turn about, or slide along, one axis."""
    found = {k for cut in structure.cuts for k in ring_of(structure, cut)}
    return [k for k in sorted(found) if structure.links[k].nu == 1 and structure.links[k].tie is None]


def say_odd_axes(linkage: Linkage, q: np.ndarray, cuts: Sequence[CutJoint] | None = None) -> str:
    """ "; the axis of elbow is not parallel to the others of loop pin, which all are": of loops with one odd axis of turning.

    cuts: of the loops of these (default: of all).
    """
    structure, told = linkage.structure, []
    for cut in structure.cuts if cuts is None else cuts:
        ring = ring_of(structure, cut)
        moving = [k for k in sorted(ring) if structure.links[k].nu]
        turning = [k for k in moving if isinstance(structure.links[k].motion, Rotation)]
        if turning != moving or any(structure.links[k].tie is not None for k in turning) or len(turning) < FEWEST:
            continue
        axes = _axes(linkage, q, turning)
        apart = np.linalg.norm(np.cross(axes[:, None], axes[None]), axis=2) > MOST
        odd = np.flatnonzero(apart.sum(axis=1) == len(turning) - 1)
        if len(odd) == 1 and apart.sum() == 2 * (len(turning) - 1):
            joint = structure.links[turning[int(odd[0])]].joint
            told.append(f"the axis of {joint} is not parallel to the others of loop {cut.name}, which all are")
    return "".join(f"; {text}" for text in told[:FEWEST])


def _axes(linkage: Linkage, q: np.ndarray, links: Sequence[int]) -> np.ndarray:
    """Directions (k, 3) at q (nq,) of the axes of links that have one."""
    structure = linkage.structure
    found = linkage.function("link_poses").values(q=q[None], parameters=linkage.parameters)["rotations"]
    rotations = np.reshape(found, (len(structure.links), 3, 3))
    return np.array([rotations[k] @ structure.links[k].to_user[:, structure.links[k].axis] for k in links])
