"""Moving a configuration by a step of the tree velocities, on the group: quaternions stay unit quaternions."""

import numpy as np

from gough.dynamics.validity import QUATERNION_TOLERANCE
from gough.structure import Link, Structure


def retract(mechanism: Structure, q: np.ndarray, step: np.ndarray) -> np.ndarray:
    """q (n, nq) moved by `step` (n, nu): translations and rotation vectors."""
    out = q.copy()
    for link in mechanism.links:
        if link.nu:
            out[:, link.coordinates] = link.motion.retract(q[:, link.coordinates], step[:, link.columns])
        if link.elastic is not None:
            out[:, link.elastic.coordinates] += step[:, link.elastic.columns]
    return out


def normalise_quaternions(mechanism: Structure, q: np.ndarray) -> np.ndarray:
    """q (..., nq) with all quaternions of unit length."""
    out = q.copy()
    for link in mechanism.links:
        if link.quaternion is not None:
            norm = np.linalg.norm(out[..., link.quaternion], axis=-1, keepdims=True)
            out[..., link.quaternion] /= np.where(norm > 0, norm, np.nan)
    return out


def bad_quaternions(mechanism: Structure, q: np.ndarray) -> np.ndarray:
    """Where each of q (n, nq) has a quaternion that is not of unit length to 1e-6, the rule of every q that is given; "" if
    nowhere. Only `integrate` and `project`, which make a q, normalise."""
    places = np.full(len(q), "", dtype=object)
    for link in mechanism.links:
        if link.quaternion is not None:
            off = np.abs(np.linalg.norm(q[:, link.quaternion], axis=1) - 1.0) > QUATERNION_TOLERANCE
            places[off & (places == "")] = "platform" if link.is_platform else link.joint
    return places


def neutral(mechanism: Structure) -> np.ndarray:
    """q (nq,) with all joints at zero and unit quaternions."""
    q = np.zeros(mechanism.layout.nq)
    for link in mechanism.links:
        q[link.coordinates] = link.motion.neutral()
    return q


def step_units(mechanism: Structure, size: float) -> np.ndarray:
    """Typical size (nu,) of every tree velocity's step: the robot's size for lengths, 1 for angles, as many turns of a spindle as
    move its slide by that size; elastic ones: their own."""
    units = np.array([size if unit == "m/s" else 1.0 for unit in mechanism.layout.u_units])
    for link, step in _spindle_steps(mechanism, size):
        units[link.columns] = step
    for link in mechanism.links:
        if link.elastic is not None:
            units[link.elastic.columns] = link.elastic.units
    return units


def coordinate_sizes(mechanism: Structure, size: float) -> np.ndarray:
    """Typical size (nq,) of every coordinate's change: the robot's for lengths, 1 for angles and quaternions, a large
    amplitude for elastic ones; of spindles as for `step_units`."""
    sizes = np.array([size if unit == "m" else 1.0 for unit in mechanism.layout.q_units])
    for link, step in _spindle_steps(mechanism, size):
        sizes[list(link.coordinates)] = step
    for link in mechanism.links:
        if link.elastic is not None:
            sizes[link.elastic.coordinates] = link.elastic.units
    return sizes


def lengths_per_rate(mechanism: Structure, size: float) -> np.ndarray:
    """How far (m) a unit of each tree velocity (nu,) moves what it carries: 1 for lengths, the size for angles, of a spindle what
    its lead makes of a radian."""
    lengths = np.array([1.0 if unit == "m/s" else size for unit in mechanism.layout.u_units])
    for link, step in _spindle_steps(mechanism, size):
        lengths[link.columns] = size / step
    return lengths


def limit_steps(structure: Structure, step: np.ndarray, size: float, largest: float) -> np.ndarray:
    """Steps (n, nu) of the tree velocities shortened to `largest`, in the measure of `step_units`, all of a state alike.

    A screw that a hinge turns back moves along its axis alone, and is measured by that, and so are all where one is to make a
    turn and more: fine screws could not be followed a part of a turn at a time.
    """
    unit = step_units(structure, size)
    screws = {link.u: (link.leg, pitch) for link in structure.links if (pitch := pitch_of(structure, link))}
    if not screws:
        return step / np.maximum((np.abs(step) / unit).max(axis=1, initial=0.0) / largest, 1.0)[:, None]
    hinges = {link.u: link.leg for link in structure.links if link.motion.periodic}
    along = unit.copy()
    along[list(hinges)] = np.inf
    along[list(screws)] = size / np.array([pitch for _, pitch in screws.values()])
    step = step / np.maximum((np.abs(step) / along).max(axis=1) / largest, 1.0)[:, None]
    sliding = np.zeros(step.shape, dtype=bool)
    for screw, hinge in ((a, b) for a, (leg, _) in screws.items() for b in hinges if hinges[b] == leg):
        net = np.minimum(np.abs(step[:, hinge] + step[:, screw]), np.abs(step[:, hinge] - step[:, screw]))
        sliding[:, [screw, hinge]] |= (net <= largest)[:, None]
    far = np.abs(step[:, list(screws)]).max(axis=1) >= 2 * np.pi
    sliding[:, list(screws)] |= far[:, None]
    rest = np.where(sliding, 0.0, step)
    return step - rest + rest / np.maximum((np.abs(rest) / unit).max(axis=1) / largest, 1.0)[:, None]


def in_lengths(structure: Structure, motions: np.ndarray) -> np.ndarray:
    """Motions (n, nu, k), scaled by `step_units`, with screws measured by what they slide, and so are hinges that turn with one:
    a fine screw makes many turns of a short way, which is no reason to call the way none."""
    out = motions.copy()
    for link in structure.links:
        share = pitch_of(structure, link) / structure.length
        if not 0.0 < share < 1.0:
            continue
        own = motions[:, link.u]
        alike = 1e-9 * np.abs(own).max(initial=0.0)
        hinges = [other.u for other in structure.links if other.motion.periodic]
        turning = [u for u in hinges if any(np.abs(motions[:, u] + x * own).max() <= alike for x in (1, -1))]
        out[:, [link.u, *turning]] *= share
    return out


def turns_and_slides(structure: Structure) -> bool:
    """Whether there is a joint that turns and slides at once: a screw."""
    return any(pitch_of(structure, link) for link in structure.links)


def pitch_of(structure: Structure, link: Link) -> float:
    """How far (m) a radian moves what turns and slides at once; 0 of other links."""
    if not (link.dimensions and link.motion.turns and link.motion.slides):
        return 0.0
    ((linear, _),) = link.motion.unit_motions([structure.table.values[k] for k in link.dimensions])
    return 0.0 if linear is None else float(np.linalg.norm(np.asarray(linear, dtype=float)))


def _spindle_steps(structure: Structure, size: float) -> list[tuple[Link, float]]:
    """(link, step that moves its slide by `size`) of links that a lead measures, and of motors and wheels that are coupled to
    them and move nothing else of a loop."""
    values = structure.table.values
    found = [
        (link, link.motion.step_size(size, [values[k] for k in link.dimensions]))
        for link in structure.links
        if link.dimensions
    ]
    if not found or not structure.couplings:
        return found
    steps = {link.u: step for link, step in found}
    held = {i for cut in structure.cuts for end in (cut.first, cut.second) for i in structure.path_to_root(end)}
    wheels = {
        link.u: link for i, link in enumerate(structure.links) if link.motion.turns and link.nu == 1 and i not in held
    }
    waiting = list(structure.couplings)
    while coupling := next((c for c in waiting if any(u in steps for u in c.columns)), None):
        waiting.remove(coupling)
        size_of = {term.u: abs(term.coefficient(values)) for term in coupling.terms}
        known = next(u for u in coupling.columns if u in steps)
        for u in coupling.columns:
            if u in wheels and u not in steps:
                steps[u] = steps[known] * size_of[known] / size_of[u]
                found.append((wheels[u], steps[u]))
    return found


def comparable_coordinates(structure: Structure) -> np.ndarray:
    """What each coordinate's change (nq,) is multiplied by where changes are added up: 1, of a spindle what its slide moves."""
    out = np.ones(structure.layout.nq)
    for link, step in _spindle_steps(structure, 1.0):
        out[list(link.coordinates)] = 1.0 / step
    return out


def wrap_angle(difference: np.ndarray) -> np.ndarray:
    """Angles brought into [-π, π)."""
    return np.remainder(difference + np.pi, 2 * np.pi) - np.pi


def wrap_angles(structure: Structure, difference: np.ndarray) -> np.ndarray:
    """Differences (..., nq) of coordinates with angles of which whole turns make no difference brought into [-π, π)."""
    angular = np.isin(np.arange(structure.layout.nq), periodic_coordinates(structure))
    return np.where(angular, wrap_angle(difference), difference)


def periodic_coordinates(structure: Structure) -> list[int]:
    """Entries of q that are angles of which whole turns make no difference; those of wheels that turn others do."""
    coupled = {term.q for coupling in structure.couplings for term in coupling.terms}
    return [c for link in structure.links if link.motion.periodic for c in link.coordinates if c not in coupled]
