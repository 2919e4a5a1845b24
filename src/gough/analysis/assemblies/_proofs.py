"""Mechanisms whose assemblies can all be computed, recognised by their structure with the drives held.

A platform that only translates, on rods with ball or universal joints, stands where three spheres meet: rod i of length r_i goes
from a_i (ground) to the platform's point x + R b_i with a known R: |x - c_i| = r_i with c_i = a_i - R b_i. Differences of the
first three equations are two planes, their line meets the first sphere in 2, 1 or 0 points; further rods must fit.
"""

from dataclasses import dataclass, field

import numpy as np

from gough.analysis.assemblies._likeness import end_in_rod, rod_angles, rods
from gough.analysis.assemblies._locked import Locked, PassiveJoint, configuration, lock
from gough.analysis.assemblies._places import Frame, axis_of, compose, inverse, link_frames, placement
from gough.analysis.assemblies._planar import NotRecognisedError, planar_assemblies, plane_of
from gough.model import Model
from gough.structure import WORLD

CLOSE_CALL = 1e-11
FITS = 1e-9


@dataclass(frozen=True)
class Rods:
    """platform: its part; on_ground, on_platform (n, 3): ends of the rods in these parts; lengths (n,)."""

    platform: int
    on_ground: np.ndarray
    on_platform: np.ndarray
    lengths: np.ndarray


def _rods_to_platform(locked: Locked, guides: set[int]) -> Rods | None:
    """The rods between ground and one other part, when there is nothing else beside the parts of a guide."""
    ends: list[tuple[int, int, np.ndarray, np.ndarray, float]] = []
    rest = set(range(1, locked.count)) - guides
    carried = {part for joint in locked.joints if joint.kind == "ball" for part in joint.parts} & rest
    used: set[int] = set()
    for part in sorted(carried):
        found = _rod(locked, part, rest)
        if found is not None:
            ends.append(found[:5])
            used |= {part, *found[5]}
    platforms = {x for end in ends for x in end[:2]} - {0}
    if len(ends) < 3 or len(platforms) != 1 or any(0 not in end[:2] for end in ends):
        return None
    platform = platforms.pop()
    if rest - used - {platform} or len(locked.joints) != _joints(locked, used) + _guide_joints(locked, guides):
        return None
    sides = [(e[2], e[3]) if e[0] == 0 else (e[3], e[2]) for e in ends]
    ground, on_platform = (np.array([s[k] for s in sides]) for k in (0, 1))
    return Rods(platform, ground, on_platform, np.array([e[4] for e in ends]))


def _rod(
    locked: Locked, part: int, rest: set[int]
) -> tuple[int, int, np.ndarray, np.ndarray, float, tuple[int, ...]] | None:
    """(part at one end, at the other, points (3,) in them, length, universal joints' middles) when `part` is a rod."""
    found: list[tuple[int, np.ndarray, np.ndarray]] = []  # (neighbour, point in it, point in the rod)
    middles = []
    for joint in locked.at(part):
        side = joint.parts.index(part)
        other = joint.parts[1 - side]
        if joint.kind == "ball":
            found.append((other, joint.point(1 - side), joint.point(side)))
        elif joint.kind == "pin" and other in rest and (beyond := _through(locked, other, joint)) is not None:
            found.append((beyond[0], beyond[1], joint.point(side)))
            middles.append(other)
        else:
            return None
    if len(found) != 2 or len(middles) > 1:
        return None
    length = float(np.linalg.norm(found[0][2] - found[1][2]))
    return found[0][0], found[1][0], found[0][1], found[1][1], length, tuple(middles)


def _through(locked: Locked, middle: int, joint: PassiveJoint) -> tuple[int, np.ndarray] | None:
    """(part, point in it) on the other side of a universal joint whose middle is pinned by `joint` and meets there."""
    others = [j for j in locked.at(middle) if j is not joint]
    if len(others) != 1 or others[0].kind != "pin":
        return None
    side, own = others[0].parts.index(middle), joint.parts.index(middle)
    apart = np.linalg.norm(others[0].point(side) - joint.point(own))
    across = np.linalg.norm(np.cross(others[0].direction(side), joint.direction(own)))
    if apart > 1e-12 or across < 1e-6:
        return None
    return others[0].parts[1 - side], others[0].point(1 - side)


def _joints(locked: Locked, parts: set[int]) -> int:
    return sum(1 for joint in locked.joints if parts & set(joint.parts))


def _guide_joints(locked: Locked, guides: set[int]) -> int:
    return sum(1 for joint in locked.joints if joint.kind == "slide")


def _guide_of(locked: Locked) -> tuple[set[int], int, list[PassiveJoint]] | None:
    """(parts between, guided part, its three slides from the ground), or None."""
    slides = [joint for joint in locked.joints if joint.kind == "slide"]
    path, here, between = [], 0, set()
    for _ in range(3):
        onward = [j for j in slides if here in j.parts and j not in path]
        if len(onward) != 1:
            return None
        path.append(onward[0])
        here = onward[0].parts[1 - onward[0].parts.index(here)]
        between.add(here)
    return (between - {here}, here, path) if len(slides) == 3 else None


def _guided_parts(path: list[PassiveJoint]) -> tuple[list[Frame], np.ndarray]:
    """(frames of the guided parts with all slides at 0, directions (3, 3) of the slides as columns, ground axes)."""
    frame: Frame = (np.eye(3), np.zeros(3))
    frames, directions, here = [], [], 0
    for joint in path:
        side = joint.parts.index(here)
        at = compose(frame, joint.frames[side])
        directions.append(at[0] @ joint.axis * (1.0 if side == 0 else -1.0))
        frame = compose(at, inverse(joint.frames[1 - side]))
        frames.append(frame)
        here = joint.parts[1 - side]
    return frames, np.column_stack(directions)


def _turn_of_pairs(rods: Rods) -> np.ndarray | None:
    """The platform's rotation (3, 3) when rods 2i and 2i + 1 are parallelograms, or None when they are none."""
    if len(rods.lengths) != 6:
        return None
    a, b = rods.on_ground[0::2] - rods.on_ground[1::2], rods.on_platform[0::2] - rods.on_platform[1::2]
    u, s, vt = np.linalg.svd(b.T @ a)
    R = vt.T @ np.diag([1.0, 1.0, np.linalg.det(vt.T @ u.T)]) @ u.T
    size = np.abs(rods.on_ground).max()
    apart = max(np.abs(b @ R.T - a).max(), np.abs(rods.lengths[0::2] - rods.lengths[1::2]).max())
    return R if s[1] > 1e-6 * s[0] and apart < FITS * size else None


def _spheres(centres: np.ndarray, radii: np.ndarray, doubts: list[str]) -> list[np.ndarray]:
    """Points (3,) common to three or more spheres (n, 3), (n,)."""
    size = max(float(np.abs(centres - centres[0]).max()), float(radii.max()))
    c, r = (centres - centres[0]) / size, radii / size
    normals = 2.0 * c[1:3]
    right = (c[1:3] ** 2).sum(axis=1) - r[1:3] ** 2 + r[0] ** 2
    along = np.cross(normals[0], normals[1])
    if np.linalg.norm(along) < 1e-9:
        doubts.append("three spheres have their centres on a line")
        return []
    along /= np.linalg.norm(along)
    foot = np.linalg.lstsq(normals, right, rcond=None)[0]
    square = r[0] ** 2 - foot @ foot
    if abs(square) < CLOSE_CALL * max(1.0, float(foot @ foot)):
        doubts.append("three spheres touch: too close to tell two assemblies from none")
        square = 0.0
    if square < 0:
        return []
    points = [foot + along * h for h in ((np.sqrt(square), -np.sqrt(square)) if square > 0 else (0.0,))]
    out = []
    for x in points:
        misfit = float(np.abs(np.linalg.norm(x - c, axis=1) - r).max())
        if misfit <= FITS:
            out.append(centres[0] + size * x)
        elif misfit <= 1e3 * FITS:
            doubts.append("a rod fits only nearly")
    return out


COUNTS = {
    "two rods": "two rods on a pin (two circles: at most 2)",
    "platform": "a platform on three rods (a polynomial of degree 6: at most 6)",
}


@dataclass
class Candidates:
    """q (n, nq): assemblies that must be all, when `doubts` is empty; proof: by what."""

    q: np.ndarray
    proof: str
    doubts: list[str] = field(default_factory=list)


def candidates(model: Model, drives: np.ndarray, parameters: np.ndarray) -> Candidates | None:
    """All assemblies of a mechanism that is recognised, else None; not yet closed to the last digit."""
    locked = lock(model, drives, parameters)
    for recognise in (_planar, _guided, _pairs):
        found = recognise(model, locked, drives, parameters)
        if found is not None:
            return found
    return None


def _planar(model: Model, locked: Locked, drives: np.ndarray, parameters: np.ndarray) -> Candidates | None:
    plane = plane_of(locked)
    if plane is None:
        return None
    try:
        places, steps, doubts = planar_assemblies(plane, locked.count)
    except NotRecognisedError:
        return None
    q = [
        configuration(model, locked, {part: plane.frame(part, place) for part, place in state.items()}, drives)
        for state in places
    ]
    counted = [f"{steps.count(name)} × {text}" for name, text in COUNTS.items() if name in steps]
    return Candidates(_rows(model, q), "planar mechanism: " + (", then ".join(counted) or "no loops left"), doubts)


def _guided(model: Model, locked: Locked, drives: np.ndarray, parameters: np.ndarray) -> Candidates | None:
    guide = _guide_of(locked)
    if guide is None:
        return None
    between, platform, path = guide
    frames, directions = _guided_parts(path)
    rods_found = _rods_to_platform(locked, between)
    if rods_found is None or rods_found.platform != platform or abs(np.linalg.det(directions)) < 1e-9:
        return None
    R, origin = frames[-1]
    doubts: list[str] = []
    q = []
    for x in _spheres(rods_found.on_ground - rods_found.on_platform @ R.T, rods_found.lengths, doubts):
        along = np.linalg.solve(directions, x - origin)
        parts: dict[int, Frame] = {0: (np.eye(3), np.zeros(3))}
        moved, here = np.zeros(3), 0
        for k, joint in enumerate(path):
            moved = moved + directions[:, k] * along[k]
            here = joint.parts[1 - joint.parts.index(here)]
            parts[here] = (frames[k][0], frames[k][1] + moved)
        q += _with_rods(model, configuration(model, locked, parts, drives), parameters, doubts)
    proof = "platform that only translates on rods (three spheres: at most 2)"
    return Candidates(_rows(model, q), proof, doubts)


def _pairs(model: Model, locked: Locked, drives: np.ndarray, parameters: np.ndarray) -> Candidates | None:
    found = _rods_to_platform(locked, set())
    R = None if found is None else _turn_of_pairs(found)
    if found is None or R is None:
        return None
    doubts: list[str] = []
    q = []
    for x in _spheres((found.on_ground - found.on_platform @ R.T)[0::2], found.lengths[0::2], doubts):
        parts: dict[int, Frame] = {0: (np.eye(3), np.zeros(3)), found.platform: (R, x)}
        q += _with_rods(model, configuration(model, locked, parts, drives), parameters, doubts)
    unturned = (
        "those with parallel rods are all here (three spheres: at most 2); with a turned platform there may be more"
    )
    return Candidates(_rows(model, q), "", [*doubts, unturned])


def _with_rods(model: Model, q: np.ndarray, parameters: np.ndarray, doubts: list[str]) -> list[np.ndarray]:
    """[q with the universal joints of all rods turned towards their ends], or [] where one cannot."""
    mechanism = model.mechanism
    frames = link_frames(model, q[None], parameters)
    out = q.copy()
    for rod in rods(mechanism):
        if len(rod.turning) != 2:
            continue
        first, second = (mechanism.links[i] for i in rod.turning)
        cut = mechanism.cuts[rod.cut]
        link, positions = (cut.second, cut.on_second) if cut.first == rod.last else (cut.first, cut.on_first)
        goal = placement(mechanism, parameters, positions)
        target = goal[1] if link == WORLD else compose(frames[link], goal)[1][0]
        base = placement(mechanism, parameters, first.placement)
        if first.parent != WORLD:
            base = compose(frames[first.parent], base)
            base = base[0][0], base[1][0]
        between = placement(mechanism, parameters, second.placement)[0]
        w = between @ end_in_rod(model, q[None], parameters, rod)[0]
        back = inverse(base)
        t = back[0] @ target + back[1]
        angles = rod_angles((axis_of(first), between @ axis_of(second)), w, t, 1.0)
        if angles is None:
            doubts.append(f"{first.joint}: the universal joint may not let its rod reach")
            return []
        out[[first.q, second.q]] = angles
    return [out]


def _rows(model: Model, q: list[np.ndarray]) -> np.ndarray:
    return np.array(q).reshape(len(q), model.layout.nq)
