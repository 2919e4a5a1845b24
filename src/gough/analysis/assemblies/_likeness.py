"""Which configurations are one assembly: modulo full turns, signs of quaternions, and rods turned over.

A rod hangs on a universal (or ball) joint and ends in one spherical joint: when both of its ends are given, the joint
still has two solutions, the rod turned half about itself. They are one assembly; the one nearer to home is shown.
"""

from dataclasses import dataclass

import numpy as np

from gough.analysis.assemblies._places import Frame, axis_of, compose, link_displacement, placement, rotations_about
from gough.dynamics.legs.geometry import universal_angles
from gough.joints.motions import Rotation, Translation
from gough.kinematics.retraction import coordinate_sizes
from gough.model import Model
from gough.structure import Mechanism

ALIKE = 1e-6
"""Largest difference (sizes, rad) between two finds of one assembly."""

FOLDED, ALIKE_FOLDED = 1e-5, 1e-4
"""Reciprocal condition below which two assemblies are about to meet, and the largest difference there."""


@dataclass(frozen=True)
class Rod:
    """turning: its universal joint's two links, or its ball joint's one; slides: prismatic links after it; cut: its end."""

    turning: tuple[int, ...]
    slides: tuple[int, ...]
    cut: int

    @property
    def last(self) -> int:
        """The link that carries the end."""
        return (*self.turning, *self.slides)[-1]


def rods(mechanism: Mechanism) -> list[Rod]:
    """All rods of a mechanism."""
    children: dict[int, list[int]] = {}
    for i, link in enumerate(mechanism.links):
        children.setdefault(link.parent, []).append(i)
    ends: dict[int, list[int]] = {}
    for k, cut in enumerate(mechanism.cuts):
        ends.setdefault(cut.first, []).append(k)
        ends.setdefault(cut.second, []).append(k)
    found = []
    for i, link in enumerate(mechanism.links):
        chain = [i]
        while len(children.get(chain[-1], [])) == 1 and chain[-1] not in ends:
            chain.append(children[chain[-1]][0])
        motions = [type(mechanism.links[j].motion) for j in chain]
        heads = 1 if link.is_ball else 2 if motions[:2] == [Rotation, Rotation] else 0
        if not heads or any(not issubclass(m, Translation) for m in motions[heads:]) or children.get(chain[-1]):
            continue
        driven = any(mechanism.links[j].drive is not None for j in chain[:heads])
        meets = heads == 1 or _meets(mechanism, chain[1])
        cuts = ends.get(chain[-1], [])
        if not driven and meets and len(cuts) == 1 and mechanism.cuts[cuts[0]].type == "spherical":
            found.append(Rod(tuple(chain[:heads]), tuple(chain[heads:]), cuts[0]))
    return found


def _meets(mechanism: Mechanism, link: int) -> bool:
    """Whether a link's joint has its origin in that of its parent, by structure."""
    return all(mechanism.table.values[k] == 0.0 for k in mechanism.links[link].placement[:3])


def signature(model: Model, q: np.ndarray) -> np.ndarray:
    """Numbers (n, k) that are equal for configurations of one assembly and continuous in q."""
    turning = {i for rod in rods(model.mechanism) for i in rod.turning}
    columns, sizes = [np.zeros((len(q), 0))], coordinate_sizes(model.mechanism, model.size)
    for i, link in enumerate(model.mechanism.links):
        if i in turning or link.drive is not None:
            continue
        own = link.motion.signature(q[:, link.coordinates], model.size)
        columns.append(own / sizes[list(link.coordinates)] if link.dimensions else own)
    return np.concatenate(columns, axis=1)


def groups(signatures: np.ndarray, conditions: np.ndarray | None = None) -> list[np.ndarray]:
    """Rows (n, k) that are alike, as lists of row numbers, the first of each first.

    Where the reciprocal conditions (n,) are next to 0, Newton's iteration ends anywhere near: these count as alike earlier.
    """
    folded = np.zeros(len(signatures), dtype=bool) if conditions is None else conditions < FOLDED
    found: list[np.ndarray] = []
    left = np.arange(len(signatures))
    while len(left):
        apart = np.abs(signatures[left] - signatures[left[0]]).max(axis=1, initial=0.0)
        same = apart < np.where(folded[left] & folded[left[0]], ALIKE_FOLDED, ALIKE)
        found.append(left[same])
        left = left[~same]
    return found


def normal_form(model: Model, q: np.ndarray, parameters: np.ndarray) -> np.ndarray:
    """q (n, nq) with passive angles in (-π, π], quaternions with a first positive entry, rods as near home as they can."""
    out = q.copy()
    mechanism = model.mechanism
    for rod in rods(mechanism):
        if len(rod.turning) == 2:
            _turn_over(model, out, parameters, rod)
    for link in mechanism.links:
        if link.quaternion is not None:
            part = out[:, link.quaternion]
            large = np.abs(part) > 1e-9
            first = np.take_along_axis(part, large.argmax(axis=1)[:, None], axis=1)
            out[:, link.quaternion] = np.where(first < 0, -part, part)
        elif link.motion.periodic and link.drive is None:
            angle = np.remainder(out[:, link.q] + np.pi, 2 * np.pi) - np.pi
            out[:, link.q] = np.where(angle < -np.pi + 1e-9, angle + 2 * np.pi, angle)
    return out


def _turn_over(model: Model, q: np.ndarray, parameters: np.ndarray, rod: Rod) -> None:
    """Replace a rod's two angles by the other solution where that is nearer to home."""
    mechanism = model.mechanism
    first, second = (mechanism.links[i] for i in rod.turning)
    between = placement(mechanism, parameters, second.placement)[0]
    end = end_in_rod(model, q, parameters, rod)
    axes = axis_of(first), between @ axis_of(second)
    w = end @ between.T
    turns = link_displacement(first, q, parameters)[0], between, link_displacement(second, q, parameters)[0]
    t = np.einsum("nij,jk,nkl,nl->ni", *turns, end)
    home = model.home[[first.q, second.q]]
    for k in range(len(q)):
        options = []
        for sign in (1.0, -1.0):
            angles = rod_angles(axes, w[k], t[k], sign)
            if angles is not None and _misses(axes, angles, w[k], t[k]) < 1e-9 * model.size:
                away = np.abs(np.remainder(angles - home + np.pi, 2 * np.pi) - np.pi).sum()
                options.append((round(float(away), 6), tuple(angles)))
        if options:
            q[k, [first.q, second.q]] = min(options)[1]


def rod_angles(axes: tuple[np.ndarray, np.ndarray], w: np.ndarray, t: np.ndarray, sign: float) -> np.ndarray | None:
    """Angles (2,) about two axes that turn w into t, one of two solutions; None where there is none."""
    try:
        angles = np.array(universal_angles("rod", axes, w, t, sign), dtype=float)
    except (ArithmeticError, ValueError):
        return None
    return angles if np.isfinite(angles).all() else None


def _misses(axes: tuple[np.ndarray, np.ndarray], angles: np.ndarray, w: np.ndarray, t: np.ndarray) -> float:
    return float(
        np.linalg.norm(rotations_about(axes[0], angles[:1])[0] @ rotations_about(axes[1], angles[1:])[0] @ w - t)
    )


def end_in_rod(model: Model, q: np.ndarray, parameters: np.ndarray, rod: Rod) -> np.ndarray:
    """The rod's end (n, 3) in the axes after its universal joint."""
    mechanism = model.mechanism
    cut = mechanism.cuts[rod.cut]
    frame: Frame = (np.broadcast_to(np.eye(3), (len(q), 3, 3)), np.zeros((len(q), 3)))
    for i in rod.slides:
        link = mechanism.links[i]
        frame = compose(
            frame, compose(placement(mechanism, parameters, link.placement), link_displacement(link, q, parameters))
        )
    return compose(frame, placement(mechanism, parameters, cut.on_first if cut.first == rod.last else cut.on_second))[1]
