"""A mechanism with its drives held: rigid parts, and the passive joints between them.

Bodies joined by fixed joints, fixed cuts and held drives are one part; part 0 contains the world. Where all links of a
part are follows from where the part is.
"""

from dataclasses import dataclass

import numpy as np

from gough.analysis.assemblies._places import Frame, axis_of, compose, inverse, link_displacement, placement
from gough.joints.motions import Ball, Rotation, Translation
from gough.model import Model
from gough.spatial import quaternion_wxyz_from_rotation
from gough.structure import WORLD


@dataclass(frozen=True)
class PassiveJoint:
    """kind: "pin" (a rotation about `axis`), "slide" (along it), "ball", or the type of a cut that is none of these.

    parts: the two parts; frames: the joint's frame in each; axis (3,): in both frames. link: the tree's link that it
    carries, or -1 for a cut.
    """

    kind: str
    parts: tuple[int, int]
    frames: tuple[Frame, Frame]
    axis: np.ndarray
    link: int

    def point(self, side: int) -> np.ndarray:
        """The joint's origin (3,) in part `side`."""
        return self.frames[side][1]

    def direction(self, side: int) -> np.ndarray:
        """The joint's axis (3,) in part `side`."""
        return self.frames[side][0] @ self.axis


@dataclass(frozen=True)
class Locked:
    """places: (part, frame in the part) of every link; count: number of parts."""

    places: dict[int, tuple[int, Frame]]
    joints: list[PassiveJoint]
    count: int

    def at(self, part: int) -> list[PassiveJoint]:
        """The joints of a part."""
        return [joint for joint in self.joints if part in joint.parts]


IDENTITY: Frame = (np.eye(3), np.zeros(3))
KINDS = {Rotation: "pin", Translation: "slide", Ball: "ball"}
CUTS = {"revolute": "pin", "spherical": "ball"}
Z = np.array([0.0, 0.0, 1.0])


def lock(model: Model, drives: np.ndarray, parameters: np.ndarray) -> Locked:
    """The mechanism with drive coordinates (drives,) held."""
    mechanism = model.mechanism
    q = model.home.copy()
    q[model.drive_index] = drives

    def place(positions: tuple[int, ...]) -> Frame:
        return placement(mechanism, parameters, positions)

    rigid: list[tuple[int, int, Frame]] = []  # (link, other link, frame of the other in the link)
    loose = []
    for i, link in enumerate(mechanism.links):
        if link.is_fixed or link.drive is not None:
            R, p = link_displacement(link, q[None], parameters)
            rigid.append((link.parent, i, compose(place(link.placement), (R[0], p[0]))))
        elif not link.is_platform and link.nu:
            kind = KINDS.get(type(link.motion), "")
            axis = axis_of(link) if link.nu == 1 else Z
            loose.append((kind, (link.parent, i), (place(link.placement), IDENTITY), axis, i))
    for cut in mechanism.cuts:
        frames = place(cut.on_first), place(cut.on_second)
        if cut.type == "fixed":
            rigid.append((cut.first, cut.second, compose(frames[0], inverse(frames[1]))))
        else:
            loose.append((CUTS.get(cut.type, cut.type), (cut.first, cut.second), frames, Z, -1))
    places, count = _parts(len(mechanism.links), rigid)
    joints = []
    for kind, links, frames, axis, link in loose:
        (a, at_a), (b, at_b) = (places[k] for k in links)
        joints.append(PassiveJoint(kind, (a, b), (compose(at_a, frames[0]), compose(at_b, frames[1])), axis, link))
    return Locked(places, joints, count)


def _parts(links: int, rigid: list[tuple[int, int, Frame]]) -> tuple[dict[int, tuple[int, Frame]], int]:
    places: dict[int, tuple[int, Frame]] = {}
    count = 0
    for root in (WORLD, *range(links)):
        if root in places:
            continue
        places[root] = (count, IDENTITY)
        grown = [root]
        while grown:
            here = grown.pop()
            for a, b, frame in rigid:
                for start, end, step in ((a, b, frame), (b, a, inverse(frame))):
                    if start == here and end not in places:
                        places[end] = (count, compose(places[here][1], step))
                        grown.append(end)
        count += 1
    return places, count


def configuration(model: Model, locked: Locked, parts: dict[int, Frame], drives: np.ndarray) -> np.ndarray:
    """q (nq,) for frames of parts in the world; joints whose parts are not all known stay as at home."""
    q = model.home.copy()
    q[model.drive_index] = drives
    frames = {i: compose(parts[part], own) for i, (part, own) in locked.places.items() if part in parts}
    if model.mechanism.has_platform and 0 in frames:
        q[:3] = frames[0][1]
        q[3:7] = np.asarray(quaternion_wxyz_from_rotation(frames[0][0]), dtype=float)
    for joint in locked.joints:
        if joint.link < 0 or not all(part in parts for part in joint.parts):
            continue
        link = model.mechanism.links[joint.link]
        before, after = (compose(parts[k], f) for k, f in zip(joint.parts, joint.frames, strict=True))
        R, p = compose(inverse(before), after)
        q[link.coordinates] = link.motion.recognise(R, p, model.parameters[list(link.dimensions)])
    return q
