"""The robot's tree as plain numbers, for peers that take trees: joints depth first, fixed links merged, central inertias.

Written from the structure (every joint moves along or about a coordinate axis of its link), so a peer gets its cheapest
joint types. A joint with sign -1 has the opposite coordinate there.
"""

from dataclasses import dataclass

import numpy as np

from gough import Model
from gough.spatial import rpy_zyx
from gough.structure import WORLD, Link

AXES = "XYZ"


@dataclass
class PeerJoint:
    """A moving link: R, p place it in the joint `parent` (0: the world); mass, center (3,), tensor (3, 3) about the
    mass centre, link axes; rotor: inertia on its coordinate. kind: RX…RZ, PX…PZ, ball or free."""

    link: Link
    parent: int
    kind: str
    R: np.ndarray
    p: np.ndarray
    mass: float
    first_moment: np.ndarray
    about_origin: np.ndarray
    rotor: float

    @property
    def center(self) -> np.ndarray:
        """Mass centre (3,), m."""
        return self.first_moment / self.mass if self.mass else np.zeros(3)

    @property
    def tensor(self) -> np.ndarray:
        """Inertia (3, 3) about the mass centre."""
        c = self.center
        return self.about_origin - self.mass * (c @ c * np.eye(3) - np.outer(c, c))


class Tree:
    """joints[k] is joint number k + 1; `placed[link]` = (joint number, R, p) of every link, fixed ones included.

    tied: links that are frames on bodies that bend, placed as if those did not.
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        self.joints: list[PeerJoint] = []
        self.tied: list[int] = []
        self.placed: dict[int, tuple[int, np.ndarray, np.ndarray]] = {WORLD: (0, np.eye(3), np.zeros(3))}
        links = model.mechanism.links
        self.gravity = model.parameters[list(model.mechanism.gravity)]
        children: dict[int, list[int]] = {}
        for i, link in enumerate(links):
            children.setdefault(link.parent, []).append(i)
        waiting = children.get(WORLD, [])[::-1]
        while waiting:  # depth first
            i = waiting.pop()
            self._add(i, links[i])
            waiting += children.get(i, [])[::-1]

    def placement(self, positions: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
        """(R, p) of a placement of the structure."""
        if not positions:
            return np.eye(3), np.zeros(3)
        x = self.model.parameters[list(positions)]
        return np.asarray(rpy_zyx([float(a) for a in x[3:]]), float), x[:3].copy()

    def frame(self, link: int, positions: tuple[int, ...]) -> tuple[int, np.ndarray, np.ndarray]:
        """(joint number, R, p) of a frame on a link."""
        joint, R, p = self.placed[link]
        own_R, own_p = self.placement(positions)
        return joint, R @ own_R, p + R @ own_p

    def _add(self, index: int, link: Link) -> None:
        mass, first, second = self._inertia(link)
        parent, R, p = self.frame(link.parent, link.placement)
        if link.is_fixed or link.tie is not None:
            self.placed[index] = (parent, R, p)
            if link.tie is not None:
                self.tied.append(index)
            elif parent:
                _carry(self.joints[parent - 1], R, p, mass, first, second)
            return
        turning = f"{'P' if link.motion.slides else 'R'}{AXES[link.axis]}"
        kind = "free" if link.is_platform else "ball" if link.is_ball else turning
        rotor = float(sum(self.model.parameters[i] for i in link.rotors))
        self.joints.append(PeerJoint(link, parent, kind, R, p, mass, first, second, rotor))
        self.placed[index] = (len(self.joints), np.eye(3), np.zeros(3))

    def _inertia(self, link: Link) -> tuple[float, np.ndarray, np.ndarray]:
        """Mass, first moment (3,), inertia (3, 3) about the link's origin."""
        if link.ten is None:
            return 0.0, np.zeros(3), np.zeros((3, 3))
        m, mx, my, mz, xx, xy, xz, yy, yz, zz = self.model.parameters[list(link.ten)]
        return float(m), np.array([mx, my, mz]), np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def _carry(joint: PeerJoint, R: np.ndarray, p: np.ndarray, mass: float, first: np.ndarray, second: np.ndarray) -> None:
    """Add a body fixed at (R, p) to a joint's body: mass, first moment and inertia about the joint's origin."""
    turned = R @ first
    cross = 2.0 * (p @ turned) * np.eye(3) - np.outer(p, turned) - np.outer(turned, p)
    joint.about_origin = joint.about_origin + R @ second @ R.T + cross + mass * (p @ p * np.eye(3) - np.outer(p, p))
    joint.first_moment = joint.first_moment + turned + mass * p
    joint.mass += mass


# ---- the loops as what engines for trees have: points that coincide, frames that are welded

KNOWN = {"spherical": "point", "fixed": "weld", "revolute": "hinge"}


@dataclass(frozen=True)
class LoopClosure:
    """A frame (R, p) on joint `first` and one on joint `second` (0: the world) that share their origin ("point") or all
    ("weld")."""

    kind: str
    first: int
    R1: np.ndarray
    p1: np.ndarray
    second: int
    R2: np.ndarray
    p2: np.ndarray


def lacking_in_trees(model: Model, bending: bool = False) -> str:
    """What of the robot engines for trees of rigid bodies do not have; "" where they have all. bending: bodies may bend."""
    lacking = [
        f"a {kind} joint that closes a loop" for kind in sorted({c.type for c in model.mechanism.cuts} - set(KNOWN))
    ]
    if model.mechanism.couplings:
        lacking.append("coupled joints")
    if any(link.telescopic is not None for link in model.mechanism.links):
        lacking.append("inertia that depends on a joint")
    if any(link.weight_share is not None for link in model.mechanism.links):
        lacking.append("bodies of whose weight a share acts")
    if any(link.dimensions for link in model.mechanism.links):
        lacking.append("a screw")
    if model.mechanism.flexible and not bending:
        lacking.append("bodies that bend")
    return "it does not have " + " or ".join(lacking) if lacking else ""


def has_redundant_closures(model: Model) -> bool:
    """Whether the closures below depend on each other."""
    return bool(model.mechanism.selection.removed) or any(cut.type == "revolute" for cut in model.mechanism.cuts)


def closures(tree: Tree) -> list[LoopClosure]:
    """Closures of all cuts; a hinge is two points on its axis, as far apart as the robot's size, or one where its axis cannot
    tilt anyway, as in plane loops: redundant rows cost peers much."""
    found, removed = [], set(tree.model.mechanism.selection.removed)
    for cut in tree.model.mechanism.cuts:
        kind = KNOWN[cut.type]
        first, R1, p1 = tree.frame(cut.first, cut.on_first)
        second, R2, p2 = tree.frame(cut.second, cut.on_second)
        found.append(LoopClosure("weld" if kind == "weld" else "point", first, R1, p1, second, R2, p2))
        if kind == "hinge" and not {cut.row + 3, cut.row + 4} <= removed:
            axis = next(axis for side, axis in cut.free_axes if side != "ball")
            far1, far2 = p1 + tree.model.size * R1[:, axis], p2 + tree.model.size * R2[:, axis]
            found.append(LoopClosure("point", first, R1, far1, second, R2, far2))
    return found
