"""Random asymmetric robots of six legs and a platform.

Families: "ups" and "pus" (universal joints tilted in base and leg, the leg's line through the universal centre, so
closed forms apply), "generic" (legs of many joint and cut types, with offsets, that only Newton assembles) and
"sliding_cuts" (cuts that slide: cylindrical, prismatic, planar; with friction in every freedom).
Every design has off-axis mass centres, full physical tensors, friction in drives, joints and cuts, tilted gravity,
rotor inertias and gears; some have springs, dampers and a payload. The home closes exactly and fixes the branch.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .drawing import Data, Draw, clean, frame, moved, orthonormal, pose

FAMILIES = ("ups", "pus", "generic", "sliding_cuts")
GENERIC_LEGS = ("rrp_spherical", "upr_universal", "upu_revolute", "ups_fixed", "p_constant_length", "rc_spherical")
GENERIC_LEGS += ("p_planar_universal",)
SLIDING_LEGS = ("upr_cylindrical", "upu_prismatic", "up_planar") * 2


class Limb:
    """A leg under construction at home: the world frame of its last body, its chain and its home joints."""

    def __init__(self, draw: Draw, start: np.ndarray, base: bool = True) -> None:
        self.draw = draw
        R = draw.rotation() if base else np.eye(3)
        offset = draw.vector(0.05)
        self.base = pose(start - R @ offset, R)
        self.X = frame(self.base)
        self.chain: list[Data] = []
        self.home: list[list[float]] = []

    def add(self, name: str, kind: str, at: np.ndarray, mass: float, size: float, s: list[float], **more: Any) -> None:
        """Add a joint whose frame has its origin at the world point `at` at home; `turned` is its world rotation."""
        R = more.pop("turned", None)
        XJ = np.eye(4)
        XJ[:3, :3] = self.X[:3, :3] @ self.draw.rotation() if R is None else R
        XJ[:3, 3] = at
        local = np.linalg.inv(self.X) @ XJ
        if "world_axis" in more:
            more["axis"] = clean(XJ[:3, :3].T @ more.pop("world_axis"))
        joint: Data = {"name": name, "type": kind, "pose": pose(local[:3, 3], orthonormal(local[:3, :3]))} | more
        joint["body"] = self.draw.body(f"{name}_link", mass, size) if mass else {"name": f"{name}_link", "mass": 0.0}
        self.chain.append(joint)
        self.home.append(s)
        self.X = self.X @ frame(joint["pose"]) @ moved(joint, s)

    def universal(self, name: str, at: np.ndarray, n: np.ndarray, mass: float, size: float, tilt: float = 0.4) -> None:
        """Add a universal joint at the world point `at` for a leg along n: second axis perpendicular to n at home."""
        draw = self.draw
        first = draw.near(draw.normal_to(n), tilt)
        second = draw.sign() * np.cross(first, n)
        second /= np.linalg.norm(second)
        e0 = draw.direction()
        e1 = draw.normal_to(e0)
        s = [draw.between(-3, 3), draw.between(-3, 3)]
        carried = moved({"type": "revolute", "axis": e0}, s)[:3, :3] @ e1
        now = np.column_stack([e0, carried, np.cross(e0, carried)])
        wanted = np.column_stack([first, second, np.cross(first, second)])
        axes = [clean(e0), clean(e1)]
        axes[1] = clean(np.subtract(axes[1], np.dot(axes[1], axes[0]) * np.array(axes[0])))
        self.add(name, "universal", at, mass, size, s, turned=wanted @ now.T, axes=axes)

    def slide(self, name: str, at: np.ndarray, n: np.ndarray, mass: float, size: float, s: float, **more: Any) -> None:
        """Add a driven slider along the world direction n."""
        self.add(name, "prismatic", at, mass, size, [s], world_axis=n, drive=self.draw.drive(10.0), **more)

    def cut(self, kind: str, at: np.ndarray, X_WP: np.ndarray, aim: np.ndarray, roll: Any = None) -> tuple[Data, Data]:
        """(cut, on_platform) for a cut at the world point `at`: first axis `aim`, a second one away from `roll`."""
        draw = self.draw
        on_leg = np.eye(4)
        on_leg[:3, :3] = draw.rotation()
        on_leg[:3, 3] = (np.linalg.inv(self.X) @ np.append(at, 1))[:3]
        RL = self.X[:3, :3] @ on_leg[:3, :3]
        cut: Data = {"name": "cut", "type": kind, "on_leg": pose(on_leg[:3, 3], orthonormal(on_leg[:3, :3]))}
        RP = X_WP[:3, :3] @ draw.rotation()
        if kind in ("spherical", "universal", "revolute"):
            cut["friction"] = draw.friction(0.2)
        if kind == "universal":
            second = np.cross(aim, draw.near(roll, 0.3))
            cut["axes"] = [clean(RL.T @ aim), clean(RP.T @ second)]
        elif kind in ("revolute", "cylindrical", "planar", "prismatic"):
            cut["axis"] = clean(RL.T @ aim)
            angle = 0.0 if kind == "prismatic" else draw.between(-2, 2)
            RP = RL @ moved({"type": "revolute", "axis": cut["axis"]}, [angle])[:3, :3]
            if kind != "revolute":
                at = at + 0.1 * (draw.normal_to(aim) if kind == "planar" else aim)
        elif kind == "fixed":
            RP = RL
        local = np.linalg.inv(X_WP) @ np.block([[RP, at[:, None]], [np.zeros((1, 3)), np.ones((1, 1))]])
        return cut, pose(local[:3, 3], orthonormal(local[:3, :3]))


def _ups(limb: Limb, B: np.ndarray, P: np.ndarray, X_WP: np.ndarray) -> tuple[Data, Data]:
    draw, length = limb.draw, float(np.linalg.norm(P - B))
    n = (P - B) / length
    limb.universal("hip", B, n, 4.0, 0.08)
    limb.chain[-1]["friction"] = draw.friction(0.3)
    s = draw.between(0.2, 0.5) * length
    limb.slide("slide", B + n * draw.between(-0.1, 0.1), n, 2.0, 0.08, s)
    return limb.cut("spherical", P, X_WP, n)


def _pus(limb: Limb, B: np.ndarray, P: np.ndarray, X_WP: np.ndarray) -> tuple[Data, Data]:
    draw = limb.draw
    along = draw.near((0, 0, 1), 0.4)
    s = draw.between(-0.2, 0.2)
    limb.slide("slide", B - s * along + draw.vector(0.05), along, 3.0, 0.06, s)
    n = (P - B) / np.linalg.norm(P - B)
    limb.universal("hip", B, n, 2.0, 0.1)
    limb.chain[-1]["friction"] = draw.friction(0.3)
    return limb.cut("spherical", P, X_WP, n)


def _generic(kind: str, limb: Limb, B: np.ndarray, P: np.ndarray, X_WP: np.ndarray) -> tuple[Data, Data]:
    """A leg of the named kind from B to P: joints, then the type of its cut."""
    draw, length = limb.draw, float(np.linalg.norm(P - B))
    n = (P - B) / length
    t = draw.normal_to(n)
    near = 0.3
    if draw.chance(0.3):
        limb.add("foot", "fixed", B + draw.vector(0.05), 1.0, 0.05, [])
    s = draw.between(-0.2, 0.2)
    if kind == "p_constant_length":
        limb.slide("slide", B - s * n, draw.near(0.8 * n + np.array([0, 0, 1.0]), near), 2.0, 0.1, s)
        cut, on_platform = limb.cut("constant_length", B + draw.vector(0.05), X_WP, n)
        on_platform["position"] = (np.linalg.inv(X_WP) @ np.append(P, 1))[:3].tolist()
        start = (limb.X @ frame(cut["on_leg"]))[:3, 3]
        end = (X_WP @ frame(on_platform))[:3, 3]
        return cut | {"length": float(np.linalg.norm(end - start))}, on_platform
    if kind == "p_planar_universal":
        limb.slide("slide", B, draw.near(n, near), 2.0, 0.08, s)
        normal = draw.near(n, near)
        t = np.cross(normal, draw.direction())
        t /= np.linalg.norm(t)
        R = np.column_stack([t, np.cross(normal, t), normal])
        x = [*draw.vector(0.1)[:2].tolist(), draw.between(-2, 2)]
        limb.add("table", "planar", P + draw.vector(0.05), 1.0, 0.1, x, turned=R, friction=draw.friction(0.5))
        return limb.cut("universal", P, X_WP, draw.near(draw.normal_to(normal), near), normal)
    if kind == "rc_spherical":
        arm = np.cross(n, t)
        crank = {"friction": draw.friction(0.2), "drive": draw.drive(1.0), "world_axis": draw.near(t, near)}
        limb.add("crank", "revolute", B + 0.3 * arm, 2.0, 0.1, [draw.between(-3, 3)], **crank)
        x = [draw.between(-3, 3), draw.between(-0.1, 0.1)]
        more = {"world_axis": draw.near(t, near), "friction": draw.friction(0.3)}
        limb.add("elbow", "cylindrical", B + draw.vector(0.03), 2.0, 0.1, x, **more)
        return limb.cut("spherical", P, X_WP, n)
    if kind == "rrp_spherical":
        for name, axis in (("yaw", t), ("pitch", np.cross(n, t))):
            more: Data = {"world_axis": draw.near(axis, near), "friction": draw.friction(0.3)}
            if draw.chance(0.5):
                spring = {"stiffness": draw.between(5, 40), "damping": draw.between(0, 2), "rest": draw.between(-1, 1)}
                more["spring"] = spring | {"preload": draw.between(-5, 5)}
            limb.add(name, "revolute", B + draw.vector(0.06), 2.0, 0.08, [draw.between(-3, 3)], **more)
        limb.slide("slide", B + draw.vector(0.1), draw.near(n, near), 2.0, 0.08, s)
        return limb.cut("spherical", P, X_WP, n)
    limb.universal("hip", B, n, 3.0, 0.08, tilt=near)
    limb.chain[-1]["friction"] = draw.friction(0.3)
    limb.slide("slide", B + draw.vector(0.1), draw.near(n, near), 2.0, 0.08, s, friction=draw.friction(1.0))
    if kind == "up_planar":
        return limb.cut("planar", P, X_WP, draw.near(n, near))
    if kind in ("upr_universal", "upr_cylindrical"):
        more = {"world_axis": draw.near(n, near), "friction": draw.friction(0.3)}
        limb.add("wrist", "revolute", P + draw.vector(0.05), 1.0, 0.05, [draw.between(-3, 3)], **more)
        return limb.cut(kind.split("_")[1], P, X_WP, draw.near(t, near), n)
    if kind in ("upu_revolute", "upu_prismatic"):
        limb.universal("wrist", P + draw.vector(0.05), draw.near(t, near), 1.0, 0.05, tilt=near)
        limb.chain[-1]["friction"] = draw.friction(0.3)
        if kind == "upu_prismatic":
            return limb.cut("prismatic", P, X_WP, draw.near(np.cross(n, t), near))
        first, second = (limb.X[:3, :3] @ np.array(a) for a in limb.chain[-1]["axes"])
        return limb.cut("revolute", P, X_WP, draw.near(np.cross(first, second), near))
    h = draw.rng.normal(size=4)
    mass = 0.0 if draw.chance(0.3) else 1.0
    more = {"friction": draw.friction(0.3)}
    limb.add("ball", "spherical", P + draw.vector(0.05), mass, 0.05, (h / np.linalg.norm(h)).tolist(), **more)
    return limb.cut("fixed", P, X_WP, n)


def description(family: str, seed: int, springs: bool | None = None, telescopic: bool = False) -> Data:
    """The random design as description data; `springs` None draws whether there are any."""
    draw = Draw([FAMILIES.index(family), seed])
    tilt = draw.rotation(0.4)
    home = np.eye(4)
    home[:3, :3] = draw.rotation(0.5)
    home[:3, 3] = np.array([0, 0, draw.between(0.7, 0.9)]) + draw.vector(0.1)
    legs: list[Data] = []
    joints: dict[str, Any] = {}
    kinds = SLIDING_LEGS if family == "sliding_cuts" else (GENERIC_LEGS * 2)[seed % 7 :][:6]
    angles = np.repeat(np.array([0, 120, 240]), 2)
    low = np.radians(angles + np.tile([-15, 15], 3) + draw.rng.uniform(-10, 10, 6))
    high = np.radians(angles + np.tile([-45, 45], 3) + draw.rng.uniform(-10, 10, 6))
    for i in range(6):
        B = draw.between(0.5, 0.8) * np.array([np.cos(low[i]), np.sin(low[i]), 0]) + draw.vector(0.08)
        r = draw.between(0.25, 0.4) * np.array([np.cos(high[i]), np.sin(high[i]), 0]) + draw.vector(0.05)
        P = home[:3, 3] + home[:3, :3] @ r
        limb = Limb(draw, B)
        if family in ("generic", "sliding_cuts"):
            cut, on_platform = _generic(kinds[i], limb, B, P, home)
        else:
            cut, on_platform = (_ups if family == "ups" else _pus)(limb, B, P, home)
        if telescopic:
            _add_telescopic(draw, limb.chain)
        legs.append({"name": f"leg{i}", "base": limb.base, "chain": limb.chain, "cut": cut, "on_platform": on_platform})
        for joint, s in zip(limb.chain, limb.home, strict=True):
            if s:
                joints[f"leg{i}.{joint['name']}"] = s[0] if len(s) == 1 else s
    platform = draw.body("platform", 15.0, 0.1)
    if draw.chance(0.5):
        at = pose(draw.vector(0.2), draw.rotation())
        load = {"mass": 3.0, "center_of_mass": draw.vector(0.1).tolist(), "inertia": draw.inertia(0.02), "at": at}
        platform["payload"] = load
    out: Data = {"format": 1, "name": f"{family}_{seed}", "gravity": (tilt @ np.array([0, 0, -9.81])).tolist()}
    out |= {"platform": platform, "legs": legs, "home": {"pose": pose(home[:3, 3], home[:3, :3]), "joints": joints}}
    if springs if springs is not None else draw.chance(0.5):
        out["springs"] = [_spring(draw, "s0", "world", "platform"), _spring(draw, "s1", _link(legs[0]), "platform")]
        out["springs"].append(_spring(draw, "s2", _link(legs[1]), _link(legs[2])))
    return _rubbing(Draw([77, seed]), out) if family == "sliding_cuts" else out


def _rubbing(draw: Draw, out: Data) -> Data:
    """The description with friction in every freedom of the cuts that slide."""
    for leg in out["legs"]:
        count = {"cylindrical": 2, "planar": 3, "prismatic": 1}.get(leg["cut"]["type"], 0)
        if count:
            each = [draw.friction(1.0) for _ in range(count)]
            leg["cut"]["friction"] = each[0] if count == 1 or draw.chance(0.3) else each
    return out | {"format": 2}


def _link(leg: Data) -> str:
    return f"{leg['name']}.{leg['chain'][-1]['body']['name']}"


def _spring(draw: Draw, name: str, start: str, end: str) -> Data:
    ends = {k: {"body": b, "position": draw.vector(0.1).tolist()} for k, b in (("from", start), ("to", end))}
    force = {"stiffness": draw.between(50, 300), "damping": draw.between(1, 20), "preload": draw.between(-10, 10)}
    return {"name": name, "rest_length": draw.between(0.1, 0.5)} | ends | force


def _add_telescopic(draw: Draw, chain: list[Data]) -> None:
    """Make the bodies of a leg telescopic in its slider, where it has one."""
    if any(j["name"] == "slide" for j in chain):
        for joint in chain:
            growth = {k: draw.vector(0.004).tolist() for k in ("xy", "xz", "yz")}
            growth |= {k: (draw.vector(0.01) + 0.06).tolist() for k in ("xx", "yy", "zz")}
            joint["body"]["telescopic"] = {"joint": "slide", "inertia": growth}
