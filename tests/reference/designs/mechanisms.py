"""Random mechanisms of every shape.

    planar          three driven legs (RRR, RPR, PRR) and a platform in a tilted plane; closures are redundant.
                    seed % 3: legs and platform; platform carried by the third leg; platform carried by a free joint
    five_bar        two cranks and two rods in a tilted plane, no platform
    four_bar_chain  one to four four-bars in a row, one drive
    delta           arms with two universal rods each, exact parallelograms: three translations
    tripod          three RPS legs, and a driven two-joint wrist on the platform
    inner_loop      six UPS legs; the first leg's slide is moved by a crank and rod, planar or spatial, inside the leg
    chain_closed    one spatial loop; seed % 3: R-U-S-R; R-S-U-R with a ball in the tree; a free rod with two loops
    hinge_cuts      coupled spatial loops closed by revolute, cylindrical and universal joints, no platform
    other_cuts      coupled spatial loops closed by planar, prismatic, fixed and constant-length joints, no platform
    screws          two coupled spatial loops with helical joints in the tree, one of them driven, and one that is cut
    odd_joints      coupled spatial loops with planar, spherical, cylindrical and fixed joints in the tree, no platform
    effects         coupled spatial loops with armature, springs of every characteristic and friction in every freedom of joints
                    of every type, cables and springs with curves between points; seed % 2: axes of a universal cut skewed
    rubbing_cuts    coupled spatial loops closed by cylindrical, planar and prismatic joints with friction in every freedom
    skewed          coupled spatial loops with universal joints whose axes are not perpendicular, in the tree and cut, with
                    friction, and a massless link with a hinge and a ball as a cut
    coupled_tree    a tree: a carrier with a sun and a planet, a rack that its arm slides, a wrist by a differential of two
                    motors, a universal joint that follows one of them
    coupled_bars    a five-bar whose cranks mesh, one of them driven; seed % 2: which
    coupled_legs    six legs whose slides racks move, pinions and motors on the legs
    redundant       four driven planar legs for three freedoms, with weights on the drives
    idle_rods       six cranks and rods between two balls under a platform: the rods spin, no drive moves them
    idle_loop       R-S-S-R with a rod that spins, a wheel nobody drives on the rocker, no platform

All have off-axis mass centres, full tensors, tilted gravity, friction in drives, joints and loops, rotors and springs.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .drawing import Data, Draw, turn
from .dressing import dress
from .planar import five_bar, four_bar_chain, planar
from .spatial import spatial_loops
from .works import Works


def _around(draw: Draw, count: int) -> list[np.ndarray]:
    """Unit vectors in the horizontal plane, about evenly spread."""
    angles = np.linspace(0, 2 * np.pi, count, endpoint=False) + draw.rng.uniform(-0.2, 0.2, count)
    return [np.array([np.cos(a), np.sin(a), 0.0]) for a in angles]


def _rod(
    works: Works, tag: str, parent: str, start: np.ndarray, end: np.ndarray, leg: str | None = None, **more: Any
) -> str:
    """A rod on a universal joint at `start` towards `end`; its first axis is far from the rod."""
    draw, n = works.draw, end - start
    first = draw.near(more.pop("first", draw.normal_to(n)), 0.3)
    return works.joint(tag, "universal", parent, start, leg=leg, axes=(first, np.cross(first, n)), **more)


def _delta(draw: Draw, name: str, seed: int) -> Data:
    works = Works(draw, name)
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = draw.rotation(), np.array([0, 0, -draw.between(0.7, 0.9)]) + draw.vector(0.08)
    works.platform(X, 2.0)
    for i, out in enumerate(_around(draw, 3)):
        leg = f"leg{i}"
        B = draw.between(0.2, 0.3) * out + draw.vector(0.05)
        t = draw.near(np.cross((0, 0, 1), out), 0.15)
        arm = draw.near(out - draw.between(0.1, 0.6) * np.array([0, 0, 1]), 0.1)
        E = B + draw.between(0.3, 0.4) * arm
        P = X[:3, 3] + draw.between(0.08, 0.15) * out + draw.vector(0.03)
        d = draw.between(0.04, 0.08) * t
        works.leg(leg, B, P)
        crank = works.joint("arm", "revolute", "world", B, 1.5, leg=leg, along=draw.sign() * t, drive=True)
        for side, shift in (("left", d), ("right", -d)):
            rod = _rod(works, f"{side}_rod", crank, E + shift, P + shift, leg, mass=0.4, size=0.2, first=t)
            works.loop(f"{side}_ball", "spherical", rod, "platform", P + shift, leg=leg)
    works.spring("leg0.arm_link", "platform")
    return works.done()


def _tripod(draw: Draw, name: str, seed: int) -> Data:
    works = Works(draw, name)
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = draw.rotation(0.2), np.array([0, 0, draw.between(0.7, 0.9)])
    works.platform(X)
    for i, out in enumerate(_around(draw, 3)):
        leg = f"leg{i}"
        B = draw.between(0.5, 0.7) * out + draw.vector(0.04)
        P = X[:3, 3] + draw.between(0.3, 0.4) * out + draw.vector(0.04)
        works.leg(leg, B, P)
        hinge = works.joint("hinge", "revolute", "world", B, leg=leg, along=draw.near(np.cross((0, 0, 1), out), 0.15))
        slide = works.joint("slide", "prismatic", hinge, B, leg=leg, along=draw.near(P - B, 0.1), drive=True)
        works.cut(leg, "spherical", slide, P)
    pan = works.joint("pan", "revolute", "platform", X[:3, 3] + draw.vector(0.1), along=draw.direction(), drive=True)
    tilt = works.joint("tilt", "revolute", pan, X[:3, 3] + draw.vector(0.2), along=draw.direction(), drive=True)
    works.spring("platform", tilt)
    return works.done(velocities=["vz", "wx", "wy", "pan", "tilt"])


def _inner_loop(draw: Draw, name: str, seed: int) -> Data:
    works = Works(draw, name)
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = draw.rotation(0.4), np.array([0, 0, draw.between(0.7, 0.9)])
    works.platform(X)
    for i, (low, high) in enumerate(
        zip(np.repeat(_around(draw, 3), 2, 0), np.repeat(_around(draw, 3), 2, 0), strict=True)
    ):
        leg, side = f"leg{i}", (-1) ** i
        B = draw.between(0.5, 0.7) * turn((0, 0, 1), 0.3 * side) @ low + draw.vector(0.04)
        P = X[:3, 3] + X[:3, :3] @ (draw.between(0.3, 0.4) * turn((0, 0, 1), 0.8 * side) @ high + draw.vector(0.04))
        works.leg(leg, B, P)
        hip = _rod(works, "hip", "world", B, P, leg, mass=2.0)
        n = (P - B) / np.linalg.norm(P - B)
        if i:
            slide = works.joint("slide", "prismatic", hip, B, leg=leg, along=draw.near(n, 0.2), drive=True)
        else:
            slide = _crank_and_slide(works, leg, hip, B, n, spatial=seed % 2 == 1)
        works.cut(leg, "spherical", slide, P)
    works.spring("leg1.slide_link", "platform")
    return works.done()


def _crank_and_slide(works: Works, leg: str, hip: str, B: np.ndarray, n: np.ndarray, spatial: bool) -> str:
    """A slide moved by a crank and a rod that stand on the same body; returns the slide's body."""
    draw = works.draw
    axis = draw.normal_to(n)
    aside = np.cross(axis, n)
    tilt = 0.3 if spatial else 0.0
    center = B + 0.1 * n + draw.between(0.0, 0.05) * aside
    joint = center + draw.between(0.08, 0.12) * (aside + 0.3 * n) + draw.between(-0.05, 0.05) * axis
    pin = center + 0.35 * n + draw.between(-0.03, 0.03) * aside + draw.between(-0.05, 0.05) * axis
    crank = works.joint("crank", "revolute", hip, center, leg=leg, along=draw.near(axis, tilt), drive=True)
    if spatial:
        rod = _rod(works, "rod", crank, joint, pin, leg)
    else:
        rod = works.joint("rod", "revolute", crank, joint, leg=leg, along=axis)
    slide = works.joint("slide", "prismatic", hip, B + 0.2 * n, leg=leg, along=draw.near(n, tilt))
    more = {} if spatial else {"along": axis}
    works.loop("pin", "spherical" if spatial else "revolute", rod, slide, pin, leg=leg, **more)
    return slide


def _chain_closed(draw: Draw, name: str, seed: int) -> Data:
    works = Works(draw, name)
    turned = draw.rotation()
    a1, a2 = (turned @ draw.near(a, 0.4) for a in ((0, 0, 1), (0, 1, 0)))
    A, D = draw.vector(0.1), turned @ np.array([0.8, 0.2, 0.1]) + draw.vector(0.1)
    tip = A + draw.between(0.2, 0.3) * draw.normal_to(a1)
    end = D + draw.between(0.4, 0.5) * np.cross(a2, draw.near(turned @ np.array([1.0, 0, 0]), 0.3))
    crank = works.joint("crank", "revolute", "world", A, along=a1, drive=True)
    rocker = works.joint("rocker", "revolute", "world", D, along=a2)
    if seed % 3 == 2:
        rod = works.joint("rod", "free", "world", (tip + end) / 2, size=0.2)
        works.loop("ball", "spherical", crank, rod, tip)
        first = draw.normal_to(end - tip)
        works.loop("joint", "universal", rod, rocker, end, axes=(first, np.cross(first, draw.near(end - tip, 0.2))))
    elif seed % 3 == 1:
        rod = works.joint("rod", "spherical", crank, tip, size=0.2)
        first = draw.normal_to(end - tip)
        works.loop("joint", "universal", rod, rocker, end, axes=(first, np.cross(first, draw.near(end - tip, 0.2))))
    else:
        rod = _rod(works, "rod", crank, tip, end, size=0.2)
        works.loop("ball", "spherical", rod, rocker, end)
    works.spring("world", rod)
    return works.done(velocities="drives")


def _hinge_cuts(draw: Draw, name: str, seed: int) -> Data:
    return spatial_loops(draw, name, (("RUUR", "revolute"), ("RCU", "cylindrical"), ("RPUR", "universal")))


def _other_cuts(draw: Draw, name: str, seed: int) -> Data:
    shapes = (("RUR", "planar"), ("RUUR", "prismatic"), ("RUPUR", "fixed"), ("RR", "constant_length"))
    return spatial_loops(draw, name, shapes)


def _odd_joints(draw: Draw, name: str, seed: int) -> Data:
    return spatial_loops(draw, name, (("RLU", "revolute"), ("RFSC", "revolute"), ("RCFR", "spherical")))


def _effects(draw: Draw, name: str, seed: int) -> Data:
    shapes = (("RLU", "revolute"), ("RFSC", "revolute"), ("RPUR", "inclined" if seed % 2 else "universal"))
    return dress(draw, spatial_loops(draw, name, shapes))


def _rubbing_cuts(draw: Draw, name: str, seed: int) -> Data:
    shapes = (("RCU", "cylindrical"), ("RUR", "planar"), ("RUUR", "prismatic"))
    out = spatial_loops(draw, name, shapes)
    for loop, count in zip(out["loops"], (2, 3, 1), strict=True):
        each = [draw.friction(2.0) for _ in range(count)]
        loop["friction"] = each[0] if count == 1 or draw.chance(0.3) else each
    return out | {"format": 2}


SKEWED = (("RVVR", "revolute"), ("RPVR", "inclined"), ("RV", "revolute_spherical"))


def _spun_rod(works: Works, parent: str, start: np.ndarray, end: np.ndarray, leg: str | None = None) -> tuple[str, str]:
    """(body, velocity) of a rod on a ball: which component of its rate, in its own axes, is nearest to its line."""
    rod = works.joint("rod", "spherical", parent, start, leg=leg, size=0.2)
    line = works.X[rod][:3, :3].T @ (end - start)
    return rod, rod.removesuffix("_link") + "_w" + "xyz"[int(np.argmax(np.abs(line)))]


def _idle_rods(draw: Draw, name: str, seed: int) -> Data:
    works = Works(draw, name)
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = draw.rotation(0.3), np.array([0, 0, draw.between(0.7, 0.9)])
    works.platform(X)
    spins = []
    for i, out in enumerate(np.repeat(_around(draw, 3), 2, 0)):
        leg, side = f"leg{i}", (-1) ** i
        B = draw.between(0.5, 0.7) * turn((0, 0, 1), 0.3 * side) @ out + draw.vector(0.04)
        P = X[:3, 3] + X[:3, :3] @ (draw.between(0.3, 0.4) * turn((0, 0, 1), 0.8 * side) @ out + draw.vector(0.04))
        E = B + draw.between(0.15, 0.25) * draw.near(np.array([0.3, 0.2, 0.5]) * side + out, 0.2)
        works.leg(leg, B, P)
        along = draw.near(np.cross(E - B, P - E), 0.2)
        crank = works.joint("crank", "revolute", "world", B, leg=leg, along=along, drive=True)
        rod, spin = _spun_rod(works, crank, E, P, leg)
        works.cut(leg, "spherical", rod, P)
        spins.append(spin)
    works.spring("leg1.rod_link", "platform")
    return works.done(velocities=["vx", "vy", "vz", "wx", "wy", "wz", *spins])


def _idle_loop(draw: Draw, name: str, seed: int) -> Data:
    works = Works(draw, name)
    turned = draw.rotation()
    a1, a2 = (turned @ draw.near(a, 0.4) for a in ((0, 0, 1), (0, 1, 0)))
    A, D = draw.vector(0.1), turned @ np.array([0.8, 0.2, 0.1]) + draw.vector(0.1)
    tip = A + draw.between(0.2, 0.3) * draw.normal_to(a1)
    end = D + draw.between(0.4, 0.5) * np.cross(a2, draw.near(turned @ np.array([1.0, 0, 0]), 0.3))
    crank = works.joint("crank", "revolute", "world", A, along=a1, drive=True)
    rocker = works.joint("rocker", "revolute", "world", D, along=a2)
    works.joint("wheel", "revolute", rocker, D + draw.vector(0.3), along=draw.direction())
    rod, spin = _spun_rod(works, crank, tip, end)
    works.loop("ball", "spherical", rod, rocker, end)
    works.spring("world", rod)
    return works.done(velocities=["crank", spin, "wheel"])


def _coupled_tree(draw: Draw, name: str, seed: int) -> Data:
    works = Works(draw, name)
    axis, center = draw.direction(), draw.vector(0.1)
    arm = works.joint("arm", "revolute", "world", center, 2.0, along=axis, drive=seed % 2 == 0)
    away = center + 0.3 * draw.normal_to(axis)
    works.joint("sun", "revolute", arm, center, along=axis, drive=True)
    planet = works.joint("planet", "revolute", arm, away, along=axis)
    works.couple("mesh", "gear", joints=["sun", "planet"], teeth=[18, 41], module=0.006, offset="home")
    works.joint("wheel", "revolute", planet, away + draw.vector(0.1), along=draw.direction())
    works.couple("belt", "mimic", joint="wheel", of="arm", ratio=-draw.between(0.5, 2.5), offset="home")
    rail = works.joint("rail", "prismatic", "world", draw.vector(0.3), along=draw.direction(), drive=seed % 2 == 1)
    works.couple(
        "rack", "rack", pinion="arm", slide="rail", radius=draw.sign() * draw.between(0.05, 0.2), offset="home"
    )
    m1 = works.joint("m1", "revolute", rail, draw.vector(0.3), along=draw.direction(), drive=True)
    works.joint("m2", "revolute", rail, draw.vector(0.3), along=draw.direction(), drive=True)
    pitch = works.joint("pitch", "revolute", rail, draw.vector(0.3), along=draw.direction())
    roll = works.joint("roll", "revolute", pitch, draw.vector(0.3), along=draw.direction())
    for sign, follower in ((1.0, "pitch"), (-1.0, "roll")):
        half = {"m1": 0.5 + draw.between(-0.1, 0.1), "m2": sign * 0.5, follower: -1.0}
        works.couple(f"half_{follower}", "differential", coefficients=half, offset="home")
    first = draw.direction()
    hook = works.joint("hook", "universal", roll, draw.vector(0.4), axes=(first, draw.normal_to(first)))
    free = draw.between(0.5, 1.5)
    works.couple("follow", "mimic", joint="hook_1", of="m1", ratio=free, offset=_gap(works, "hook", "m1", free))
    works.couple("again", "differential", coefficients={"hook_2": 2.0, "m2": free}, offset=_sum(works, free))
    works.spring(m1, hook)
    return works.done(velocities="drives")


def _gap(works: Works, follower: str, leader: str, ratio: float) -> float:
    joints = works.home["joints"]
    return float(joints[follower][0] - ratio * joints[leader])


def _sum(works: Works, share: float) -> float:
    joints = works.home["joints"]
    return float(2.0 * joints["hook"][1] + share * joints["m2"])


def _coupled_bars(draw: Draw, name: str, seed: int) -> Data:
    data = five_bar(draw, name, seed)
    del data["joints"][2 * (seed % 2)]["drive"]
    cranks = {"joints": ["motor0", "motor1"], "radii": [draw.between(0.1, 0.2), draw.between(0.1, 0.2)]}
    mesh = {"name": "mesh", "type": "gear", "offset": "home", "internal": seed % 4 > 1} | cranks
    return data | {"format": 2, "couplings": [mesh]}


def _coupled_legs(draw: Draw, name: str, seed: int) -> Data:
    works = Works(draw, name)
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = draw.rotation(0.4), np.array([0, 0, draw.between(0.7, 0.9)])
    works.platform(X)
    spread = zip(np.repeat(_around(draw, 3), 2, 0), np.repeat(_around(draw, 3), 2, 0), strict=True)
    for i, (low, high) in enumerate(spread):
        leg, side = f"leg{i}", (-1) ** i
        B = draw.between(0.5, 0.7) * turn((0, 0, 1), 0.3 * side) @ low + draw.vector(0.04)
        P = X[:3, 3] + X[:3, :3] @ (draw.between(0.3, 0.4) * turn((0, 0, 1), 0.8 * side) @ high + draw.vector(0.04))
        works.leg(leg, B, P)
        hip = _rod(works, "hip", "world", B, P, leg, mass=2.0)
        n = (P - B) / np.linalg.norm(P - B)
        works.joint("motor", "revolute", hip, B + 0.1 * n, leg=leg, along=draw.direction(), drive=True)
        slide = works.joint("slide", "prismatic", hip, B, leg=leg, along=draw.near(n, 0.2))
        radius = draw.sign() * draw.between(0.08, 0.2)
        joints = works.home["joints"]
        offset = joints[f"{leg}.slide"] - radius * joints[f"{leg}.motor"]
        works.couple("rack", "rack", leg, pinion="motor", slide="slide", radius=radius, offset=float(offset))
        works.cut(leg, "spherical", slide, P)
    works.spring("leg1.slide_link", "platform")
    return works.done()


MAKERS = {
    "planar": lambda draw, name, seed: planar(draw, name, seed, 3),
    "five_bar": five_bar,
    "four_bar_chain": four_bar_chain,
    "delta": _delta,
    "tripod": _tripod,
    "inner_loop": _inner_loop,
    "chain_closed": _chain_closed,
    "hinge_cuts": _hinge_cuts,
    "other_cuts": _other_cuts,
    "odd_joints": _odd_joints,
    "redundant": lambda draw, name, seed: planar(draw, name, seed, 4),
    "screws": lambda draw, name, seed: spatial_loops(draw, name, (("RHUU", "helical"), ("HUU", "universal"))),
    "effects": _effects,
    "skewed": lambda draw, name, seed: spatial_loops(draw, name, SKEWED) | {"format": 2},
    "idle_rods": _idle_rods,
    "idle_loop": _idle_loop,
    "coupled_tree": _coupled_tree,
    "coupled_bars": _coupled_bars,
    "coupled_legs": _coupled_legs,
    "rubbing_cuts": _rubbing_cuts,
}
FAMILIES = tuple(MAKERS)
MOBILITY = {
    "planar": 3,
    "five_bar": 2,
    "four_bar_chain": 1,
    "delta": 3,
    "tripod": 5,
    "inner_loop": 6,
    "chain_closed": 1,
}
MOBILITY |= {"coupled_tree": 4, "coupled_bars": 1, "coupled_legs": 6}
MOBILITY |= {"hinge_cuts": 3, "other_cuts": 4, "odd_joints": 3, "redundant": 3, "screws": 2, "effects": 3, "skewed": 3}
MOBILITY |= {"idle_rods": 12, "idle_loop": 3, "rubbing_cuts": 3}
"""Freedoms of every design of a family, idle ones among them."""


def description(family: str, seed: int, telescopic: bool = False) -> Data:
    """The random design as description data; `telescopic` lets bodies' inertia follow a joint, where there is one."""
    draw = Draw([100 + FAMILIES.index(family), seed])
    out = MAKERS[family](draw, f"{family}_{seed}", seed)
    if telescopic:
        for leg in out.get("legs", []):
            _add_telescopic(draw, leg["chain"], [joint["body"] for joint in leg["chain"]])
        _add_telescopic(draw, out.get("joints", []), out.get("bodies", []))
    return out


def _add_telescopic(draw: Draw, joints: list[Data], bodies: list[Data]) -> None:
    scalar = [joint["name"] for joint in joints if joint["type"] in ("revolute", "prismatic")]
    for body in bodies if scalar else []:
        growth = {key: draw.vector(0.003).tolist() for key in ("xy", "xz", "yz")}
        growth |= {key: (draw.vector(0.005) + 0.03).tolist() for key in ("xx", "yy", "zz")}
        body["telescopic"] = {"joint": scalar[-1], "inertia": growth}
