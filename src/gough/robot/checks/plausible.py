"""Numbers of a description that can hardly be meant: lengths in other units, degrees taken as radians, grams as kilograms.

What is said is a doubt, not an error: every number here can be modelled. The bounds are wide, so that a real robot is
hardly ever doubted.
"""

import itertools
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from pydantic import BaseModel

from gough.joints import ALL
from gough.robot.checks.couplings import joint_of, placed_couplings
from gough.robot.effects import each
from gough.robot.pose import Mdh, Pose
from gough.robot.robot import Robot
from gough.robot.tree import WORLD, bodies, placed_joints, placed_loops

FAR_HOME = 100.0
"""The platform's home is farther from all bases than so many extents of the robot, or a frame from its body."""
LONG = 10.0
"""A length (m) that is seldom meant beside others that are a hundred times shorter."""
FAR_MASS = 10.0
"""A mass centre is farther from its joint, or a radius of gyration larger, than so many extents of the robot."""
DENSE, FILLED = 25e3, 1500.0
"""A body is heavier than a cube of this density (kg/m³) with the robot's extent as its edge: no solid is denser; or than one of
plastic, and"""
HEAVY = 200.0
"""so many times heavier than the lightest that has a mass."""
SOFTEST, STIFFEST = 1e3, 1.3e12
"""Young's moduli (Pa) of soft gels and of diamond."""
LIGHTEST, DENSEST = 8.0, 23e3
"""Densities (kg/m³) of foams and of osmium."""
HEAVY_IS_STIFF = 2500.0, 1e9
"""Nothing of so many kg/m³ (filled rubber is lighter) has a Young's modulus (Pa) below that."""
FASTEST = 25e3
"""Speed of sound √(E/ρ) (m/s) above that of diamond and carbon fibres."""
SAME_GEAR = 1e-2
"""A gear is as near to 2π/lead, relatively, as one that was computed from it."""
LONG_LEAD = 0.5
"""A full turn of a screw moves it by so many m: leads of real ones are 1 to 100 mm."""
DAMPED = 0.5
"""A ratio to critical damping that no material reaches, nor a joint with dampers in it."""


Doubt = tuple[str, str]
"""(place, what is doubtful there)."""


def description_doubts(robot: Robot) -> list[str]:
    """Sentences about numbers that can hardly be meant, each with its place and value."""
    told = robot.file is not None  # angles of a file are told with their lines when it is read
    angles = [] if told else [*_angles(robot), *_joint_angles(robot)]
    found = [
        *angles,
        *_lengths(robot),
        *_materials(robot),
        *_leads(robot),
        *_gears(robot),
        *_carriers(robot),
        *_springs(robot),
    ]
    size = extent(robot)
    if size > 0:
        found += [*_home(robot, size), *_masses(robot, size)]
    return [f"{_place_list(places)}: {text}" for text, places in _by_sentence(found).items()]


def _by_sentence(found: list[tuple[str, str]]) -> dict[str, list[str]]:
    """{sentence: places} of (place, sentence): legs are alike."""
    out: dict[str, list[str]] = {}
    for place, text in found:
        places = out.setdefault(text, [])
        if place not in places:
            places.append(place)
    return out


def _place_list(places: list[str], most: int = 3) -> str:
    return ", ".join(places[:most]) + (f" and {len(places) - most} more" if len(places) > most else "")


def extent(robot: Robot) -> float:
    """Largest distance (m) that the description states between joints of a body, or within the base; 0 without any."""
    lengths = [0.0]
    base = []
    for joint in placed_joints(robot):
        lengths.append(_norm(joint.joint.placement.position))
        if joint.base is not None:
            base.append(joint.base.position)
    for loop in placed_loops(robot):
        lengths += [_norm(loop.first_pose.position), _norm(loop.second_pose.position), loop.length or 0.0]
    lengths += [_norm(leg.on_platform.position) for leg in robot.legs]
    if len(base) > 1:
        points = np.array(base, dtype=float)
        lengths += np.linalg.norm(points - points.mean(axis=0), axis=1).tolist()
    for body in bodies(robot).values():
        beam = getattr(body.flexible, "beam", None)
        lengths.append(float(getattr(beam, "length", None) or 0.0))
        lengths += [size for shape in body.shape for size in shape.solid.sizes()]
    return max(lengths)


def _stated_lengths(robot: Robot) -> Iterator[tuple[str, float]]:
    """(place, distance (m)) of everything that is placed: bases from where most of them are, the rest in their bodies."""
    bases = np.array([leg.base.position for leg in robot.legs], dtype=float)
    for leg, away in zip(robot.legs, bases - np.median(bases, axis=0) if len(bases) else (), strict=True):
        yield f"legs[{leg.name}].base.position", _norm(away)
        yield f"legs[{leg.name}].on_platform.position", _norm(leg.on_platform.position)
    for joint in placed_joints(robot):
        if joint.parent != WORLD:
            yield f"{joint.name}: its position", _norm(joint.joint.placement.position)
    for loop in placed_loops(robot):
        for body, pose in ((loop.first, loop.first_pose), (loop.second, loop.second_pose)):
            if body != WORLD:
                yield f"{loop.name}: its position on {body}", _norm(pose.position)
        yield f"{loop.name}: length", loop.length or 0.0


def _lengths(robot: Robot) -> Iterator[Doubt]:
    """Distances that are beyond all others: millimetres without their unit, in some places or in one."""
    stated = sorted((x for x in _stated_lengths(robot) if x[1] > 0), key=lambda x: x[1])
    gaps = [b[1] / a[1] if b[1] > LONG else 0.0 for a, b in itertools.pairwise(stated)]
    if max(gaps, default=0.0) < FAR_HOME:
        return
    first = int(np.argmax(gaps)) + 1
    for place, length in stated[first:]:
        text = f"{length:.4g} m, where all other distances are at most {stated[first - 1][1]:.3g} m"
        yield place, f"{text}. Are these millimetres? Write the unit, for instance '{length:.4g} mm'."


def _leads(robot: Robot) -> Iterator[Doubt]:
    """Screws that move far with a turn: millimetres without their unit."""
    for placed in placed_joints(robot):
        for d in ALL[placed.joint.type].dimensions:
            value = getattr(placed.joint, d.key, None)
            if d.per_turn and value and abs(value) > LONG_LEAD:
                text = (
                    f"{value:g} m per turn; screws have 1 to 100 mm. Is it millimetres? Write the unit, '{value:g} mm'."
                )
                yield f"{placed.name}: {d.key}", text


def _gears(robot: Robot) -> Iterator[Doubt]:
    """A drive's gear that says once more what the joint's lead says."""
    for placed in placed_joints(robot):
        joint, drive = placed.joint, placed.joint.drive
        if drive is None:
            continue
        for d in ALL[joint.type].dimensions:
            value = getattr(joint, d.key, None)
            if d.per_turn and value and abs(abs(drive.gear * value) / (2 * math.pi) - 1) < SAME_GEAR:
                text = (
                    f"{drive.gear:.6g} is 2π/{d.key} ({d.key} {value:g} m), and the coordinate of a {joint.type} joint is the "
                    f"angle already: a rotor's inertia would count (2π/{d.key})⁴. Leave gear out."
                )
                yield f"{placed.name}: drive.gear", text


def _norm(position: Any) -> float:
    return float(np.linalg.norm(np.asarray(position, dtype=float)))


def _home(robot: Robot, size: float) -> Iterator[Doubt]:
    slides = [j.name for j in placed_joints(robot) if ALL[j.joint.type].slides]
    places = {f"home.joints.{name}": abs(robot.home.joints[name][0]) for name in slides if name in robot.home.joints}
    for name, body in bodies(robot).items():
        places |= {f"{name}: frame {key}": _norm(frame.position) for key, frame in body.frames.items()}
    for place, away in places.items():
        if away > FAR_HOME * size:
            text = f"{away:.4g} m, in a robot whose largest distance is {size:.3g} m. Are these millimetres? Write the unit."
            yield place, text
    pose = robot.home.pose
    if pose is None:
        return
    bases = [leg.base.position for leg in robot.legs] or [(0.0, 0.0, 0.0)]
    away = min(_norm(np.subtract(pose.position, base)) for base in bases)
    if away > FAR_HOME * size:
        text = (
            f"the platform is {away:.4g} m from the nearest base, in a robot whose largest distance is {size:.3g} m. "
            f"Are these millimetres? Write the unit, for instance '{pose.position[2]:g} mm'."
        )
        yield "home.pose", text


def _masses(robot: Robot, size: float) -> Iterator[Doubt]:
    stated = {name: body.central_inertia() for name, body in bodies(robot).items() if body.flexible is None}
    weights = [mass for mass, _, _ in stated.values() if mass > 0]
    lightest = min(weights, default=0.0)
    for name, (mass, centre, tensor) in stated.items():
        if not mass > 0:
            continue
        away = _norm(centre)
        if away > FAR_MASS * size:
            text = (
                f"its mass centre is {away:.4g} m from its joint, in a robot whose largest distance is {size:.3g} m. "
                "Are these millimetres? Write the unit."
            )
            yield name, text
        gyration = math.sqrt(max(float(np.trace(tensor)), 0.0) / (2 * mass))
        if gyration > FAR_MASS * size:
            text = (
                f"an inertia of {float(np.trace(tensor)) / 2:.3g} kg m² with a mass of {mass:.3g} kg is that of masses "
                f"{gyration:.3g} m away, in a robot whose largest distance is {size:.3g} m. Inertias are in kg m², or write "
                "the unit ('12 kg.mm2')."
            )
            yield name, text
        if mass > DENSE * size * size * size or (mass > FILLED * size * size * size and mass > HEAVY * lightest):
            others = f"the lightest body has {lightest:.3g} kg" if lightest < mass else "nothing so small is so heavy"
            text = (
                f"a mass of {mass:.4g} kg in a robot whose largest distance is {size:.3g} m; {others}. "
                f"Are these grams? Write the unit, for instance '{mass:g} g'."
            )
            yield name, text


def _carriers(robot: Robot) -> Iterator[Doubt]:
    """Of wheels and racks whose joints do not count from the same body."""
    joints = {joint.name: joint for joint in placed_joints(robot)}
    types = {name: joint.joint.type for name, joint in joints.items()}
    below = {joint.body_name: joint for joint in joints.values()}

    def carrier(body: str) -> str:
        while body in below and types[below[body].name] == "fixed":
            body = below[body].parent
        return body

    for coupling in placed_couplings(robot):
        if coupling.described.type not in ("gear", "rack"):
            continue
        on = {term.coordinate: carrier(joints[joint_of(term.coordinate, types)].parent) for term in coupling.terms}
        if len(set(on.values())) > 1:
            both = " and ".join(f"{name} turns or slides on {body}" for name, body in on.items())
            text = (
                f"{both}: a {coupling.described.type} holds between coordinates that count from one carrier, and one of these "
                "moves with its own. Is that meant? Else write a differential with the carrier's coordinate in it."
            )
            yield coupling.name, text


def _springs(robot: Robot) -> Iterator[Doubt]:
    """Of springs in which nothing is stated that gives a force."""
    held = [(f"springs[{spring.name}]", spring) for spring in robot.springs]
    for joint in placed_joints(robot):
        own = each(getattr(joint.joint, "spring", None), 1)
        held += [(f"{joint.name}: its spring", spring) for spring in own if spring is not None]
    for place, spring in held:
        if not {"stiffness", "damping", "preload", "polynomial", "table"} & spring.model_fields_set:
            yield place, "a spring with nothing in it: it has no force. Give it a stiffness, a damping or a preload."


def _materials(robot: Robot) -> Iterator[Doubt]:
    """Of flexible bodies: stiffness, density, damping. What is soft and light (rubber, foam, gel) is possible."""
    for name, body in bodies(robot).items():
        for kind in ("beam", "plate", "solid"):
            material = getattr(getattr(body.flexible, kind, None), "material", None)
            if material is not None:
                for key, text in _material(float(material.E), float(material.density), material.G):
                    yield f"{name}: flexible.{kind}.material.{key}", text
        ratios = getattr(getattr(body.flexible, "damping", None), "ratio", None) or ()
        largest = max(ratios, default=0.0)
        if largest >= DAMPED:
            text = (
                f"{largest:g} of critical damping; bodies have 0.001 to 0.1, and at 1 they do not swing at all. Is it per "
                f"cent? Write {largest / 100:g}."
            )
            yield f"{name}: flexible.damping.ratio", text


def _material(E: float, density: float, G: float | None) -> Iterator[Doubt]:
    heavy, stiff = HEAVY_IS_STIFF
    sound = math.sqrt(E / density)
    if not LIGHTEST <= density <= DENSEST:
        like = "lighter than foam" if density < LIGHTEST else "denser than any solid"
        meant = (
            f" Is it g/cm³? Write '{density:g} g/cm3'." if LIGHTEST <= 1e3 * density <= DENSEST else " Write the unit."
        )
        yield "density", f"{density:g} kg/m³ is {like}.{meant}"
    elif sound > FASTEST and E <= STIFFEST:
        yield (
            "density",
            f"{density:g} kg/m³ with E = {E:.4g} Pa carries sound at {sound:.3g} m/s, faster than diamond. Write units.",
        )
    if E < SOFTEST or (density > heavy and stiff > E):
        like = "softer than gel" if E < SOFTEST else f"softer than anything of {density:g} kg/m³ is"
        meant = ((f"{E:g} GPa", 1e9), (f"{E:g} MPa", 1e6), (f"{E / 1e6:g} GPa", 1e3))
        written = next((text for text, factor in meant if stiff <= factor * E <= STIFFEST), "70 GPa")
        yield "E", f"{E:.4g} Pa is {like}. Is it another unit? Write it, for instance '{written}'."
    elif E > STIFFEST:
        yield "E", f"{E:.4g} Pa is stiffer than diamond. Write the unit, for instance '70 GPa'."
    if G is not None and not 1e-3 * E <= G <= 2.0 * E:
        yield "G", f"{G:.4g} Pa beside E = {E:.4g} Pa; most materials have G of 0.03 to 0.5 E. Write the units."


def _angles(item: Any, place: str = "") -> Iterator[Doubt]:
    """Angles of poses and Denavit–Hartenberg parameters beyond a full turn, anywhere in a description."""
    if isinstance(item, Pose):
        for key in ("rpy_zyx", "bryant_xyz"):
            for value in getattr(item, key) or ():
                yield from _beyond_a_turn(f"{place}.{key}".lstrip("."), float(value))
    elif isinstance(item, Mdh):
        for key in ("gamma", "alpha", "theta"):
            yield from _beyond_a_turn(f"{place}.{key}", float(getattr(item, key)))
    if isinstance(item, BaseModel):
        for key, field in type(item).model_fields.items():
            yield from _angles(getattr(item, key), f"{place}.{field.alias or key}".lstrip("."))
    elif isinstance(item, tuple | list) and item and isinstance(item[0], BaseModel):
        for entry in item:
            yield from _angles(entry, f"{place}[{getattr(entry, 'name', '')}]")
    elif isinstance(item, dict):
        for key, entry in item.items():
            yield from _angles(entry, f"{place}.{key}")


def _beyond_a_turn(place: str, value: float) -> Iterator[Doubt]:
    if abs(value) > 2 * math.pi * (1 + 1e-9):
        yield place, f"an angle of {value:g} rad is more than a full turn. Are these degrees? Write '{value:g} deg'."


def _joint_angles(robot: Robot) -> Iterator[Doubt]:
    """Whole numbers beyond a full turn where joints turn: several turns are possible, but they are not whole in radians."""
    for placed in placed_joints(robot):
        kind = ALL[placed.joint.type]
        if not kind.in_angles or not all(motion.periodic for motion in kind.motions or ()):
            continue
        drive = getattr(placed.joint, "drive", None)
        stated: dict[str, float | None] = {}
        for key in ("lower", "upper"):
            bounds = getattr(placed.joint.limits, key)
            stated |= {f"limits.{key}{' ' * k}": x for k, x in enumerate(each(bounds, 1))}
        if drive is not None and drive.stroke is not None:
            stated |= {"drive.stroke": drive.stroke[0], "drive.stroke ": drive.stroke[1]}
        stated |= {f"home.joints {k}": x for k, x in enumerate(robot.home.joints.get(placed.name, ()))}
        for key, value in stated.items():
            if value is not None and float(value).is_integer():
                yield from _beyond_a_turn(f"{placed.name}: {key.strip()}", float(value))
