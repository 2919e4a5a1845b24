"""Mechanisms whose assemblies can all be computed, recognised by their structure with the drives held."""

from dataclasses import dataclass, field

import numpy as np

from gough.analysis.assemblies.delta import guide_of, guided_parts, rods_to_platform, spheres, turn_of_pairs
from gough.analysis.assemblies.likeness import end_in_rod, rod_angles, rods
from gough.analysis.assemblies.locked import Locked, configuration, lock
from gough.analysis.assemblies.places import Frame, axis_of, compose, inverse, link_frames, placement
from gough.analysis.assemblies.planar import NotRecognisedError, planar_assemblies, plane_of
from gough.model import Model
from gough.structure import WORLD

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
    guide = guide_of(locked)
    if guide is None:
        return None
    between, platform, path = guide
    frames, directions = guided_parts(path)
    rods_found = rods_to_platform(locked, between)
    if rods_found is None or rods_found.platform != platform or abs(np.linalg.det(directions)) < 1e-9:
        return None
    R, origin = frames[-1]
    doubts: list[str] = []
    q = []
    for x in spheres(rods_found.on_ground - rods_found.on_platform @ R.T, rods_found.lengths, doubts):
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
    found = rods_to_platform(locked, set())
    R = None if found is None else turn_of_pairs(found)
    if found is None or R is None:
        return None
    doubts: list[str] = []
    q = []
    for x in spheres((found.on_ground - found.on_platform @ R.T)[0::2], found.lengths[0::2], doubts):
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
