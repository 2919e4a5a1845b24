"""What acts in joints and between points of a drawn mechanism: armatures, springs of all kinds and friction of every freedom."""

from __future__ import annotations

import numpy as np

from .drawing import Data, Draw

FREEDOMS = {"revolute": 1, "prismatic": 1, "helical": 1, "universal": 2, "cylindrical": 2, "planar": 3, "spherical": 1}


def dress(draw: Draw, out: Data) -> Data:
    """The description with an armature in every joint that moves, and springs, dampers and friction of every kind."""
    for joint in out["joints"]:
        count = FREEDOMS.get(joint["type"], 0)
        if not count:
            continue
        armatures = [draw.between(0.01, 0.2) for _ in range(count)]
        joint["armature"] = armatures if count > 1 else armatures[0]
        if joint["type"] == "spherical":
            h = draw.rng.normal(size=4)
            ball = {"stiffness": draw.between(5, 30), "damping": draw.between(0, 1)}
            joint["spring"] = ball | {"rest_quaternion_wxyz": (h / np.linalg.norm(h)).tolist()}
        elif count > 1:
            joint["spring"] = [characteristic(draw) if draw.chance(0.8) else None for _ in range(count)]
            joint["friction"] = [draw.friction(0.3) if draw.chance(0.8) else None for _ in range(count)]
        elif "drive" not in joint:
            joint["spring"] = characteristic(draw)
    for loop in out["loops"]:
        if loop["type"] == "universal":
            loop["friction"] = [draw.friction(0.2), draw.friction(0.2)]
    tied = out["springs"][0]
    ends, names = {key: tied[key] for key in ("from", "to")}, ("rest_length", "rest")
    for k, kind in enumerate(("table", "polynomial", "cable", "rounded", "passing")):
        own = characteristic(draw, kind if kind != "passing" else "linear")
        own = {names[0] if key == names[1] else key: abs(x) if key == names[1] else x for key, x in own.items()}
        if kind == "passing":
            own["clearance"] = draw.between(0.05, 0.2)
        moved = {key: {"body": end["body"], "position": draw.vector(0.15).tolist()} for key, end in ends.items()}
        out["springs"].append({"name": f"more{k}"} | moved | own)
    return out | {"format": 2}


def characteristic(draw: Draw, kind: str = "") -> Data:
    """A spring and damper of a kind, random where none is said."""
    kind = kind or str(draw.rng.choice(["linear", "table", "polynomial", "cable", "rounded"]))
    out: Data = {"damping": draw.between(0.2, 2)}
    rest, k = draw.between(-0.8, 0.8), draw.between(5, 30)
    if kind == "table":
        at = np.cumsum(draw.rng.uniform(0.1, 0.6, 5)) - 1.0
        return out | {"table": [[float(x), draw.between(-8, 8)] for x in at]}
    if kind == "polynomial":
        return out | {"rest": rest, "preload": draw.between(-3, 3), "polynomial": draw.rng.uniform(-9, 9, 4).tolist()}
    if kind == "cable":
        return out | {"rest": rest, "stiffness": k, "tension_only": True}
    if kind == "rounded":
        wide = {"rounding": draw.between(0.1, 1.5), "tension_only": True}
        return out | {"rest": rest, "polynomial": [0.0, k, draw.between(-3, 9), 2.0]} | wide
    return out | {"rest": rest, "stiffness": k, "preload": draw.between(-3, 3)}
