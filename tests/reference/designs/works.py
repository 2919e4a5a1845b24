"""A mechanism under construction at its home: bodies stand in the world, joints and loops are placed by world points.

The written data (poses in the parent's frame, axes in random joint frames, home coordinates away from zero) follow, so
that the home closes exactly. Joints go to a leg's chain, to the top level, or both kinds in one robot.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .drawing import Data, Draw, clean, frame, moved, orthonormal, pose

SCALAR = ("revolute", "prismatic")
LEAD = -0.35
"""Of every screw (m)."""
TURNING_CUTS = ("spherical", "universal", "inclined", "revolute", "helical")


def _written(X: np.ndarray) -> Data:
    return pose(X[:3, 3], orthonormal(X[:3, :3]))


def _at(R: np.ndarray, p: Any) -> np.ndarray:
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = R, p
    return X


def _motion(joint: Data, s: list[float]) -> np.ndarray:
    """4x4 motion of a joint of any type at the coordinates s."""
    if joint["type"] != "free":
        return moved(joint, s)
    X = moved({"type": "spherical"}, s[3:])
    X[:3, 3] = s[:3]
    return X


class Works:
    """Bodies, joints and loops of a robot at home. Bodies are named in full: "crank_link", "leg0.slide_link"."""

    def __init__(self, draw: Draw, name: str) -> None:
        self.draw, self.name = draw, name
        self.X: dict[str, np.ndarray] = {"world": np.eye(4)}
        self.legs: dict[str, Data] = {}
        self.out: Data = {"format": 1, "name": name}
        self.out["gravity"] = (draw.rotation(0.6) @ np.array([0, 0, -9.81])).tolist()
        self.home: Data = {"joints": {}}
        self.springs: list[Data] = []

    def platform(self, X: np.ndarray, mass: float = 8.0, size: float = 0.1) -> None:
        """A free platform at the world pose X, with a named frame and at times a payload."""
        body = self.draw.body("platform", mass, size)
        body["frames"] = {"tool": pose(self.draw.vector(0.2), self.draw.rotation())}
        if self.draw.chance(0.5):
            at = pose(self.draw.vector(0.1), self.draw.rotation())
            inertia = self.draw.inertia(0.01)
            body["payload"] = {"mass": 1.5, "center_of_mass": self.draw.vector(0.1).tolist(), "inertia": inertia}
            body["payload"]["at"] = at
        self.out["platform"] = body
        self.home["pose"] = _written(X)
        self.X["platform"] = X

    def leg(self, name: str, at: Any, on_platform: Any) -> None:
        """A leg with its base near the world point `at` and its frame on the platform at the point `on_platform`."""
        base = _at(self.draw.rotation(), np.asarray(at) + self.draw.vector(0.05))
        seat = np.linalg.inv(self.X["platform"]) @ _at(self.draw.rotation(), on_platform)
        self.legs[name] = {"name": name, "base": _written(base), "chain": [], "on_platform": _written(seat)}

    def joint(
        self, name: str, kind: str, parent: str, at: Any, mass: float = 1.0, size: float = 0.08, **more: Any
    ) -> str:
        """Add a joint at the world point `at` and its body; returns the body's full name.

        more: s (home coordinates, default random), along (world axis), axes (two perpendicular world axes of a
        universal joint), turned (world rotation of the joint frame), leg, drive (True or data), plain (no friction).
        """
        draw, leg = self.draw, more.get("leg")
        turned = more.get("turned")
        R = draw.rotation() if turned is None else turned
        data: Data = {"name": name, "type": kind}
        s = more.get("s")
        if kind == "universal":
            first, second = more["axes"]
            R, axes, s = self._universal(first, second, s, more.get("skewed", False))
            data["axes"] = axes
        elif "along" in more:
            data["axis"] = clean(R.T @ more["along"])
        if kind == "helical":
            data["lead"] = LEAD
        s = s if s is not None else self._coordinates(kind)
        own = _at(R, at)
        full = f"{leg}.{name}_link" if leg else f"{name}_link"
        before = self.X[parent]
        if leg and parent == "world":
            before = frame(self.legs[leg]["base"])
        data["pose"] = _written(np.linalg.inv(before) @ own)
        self.X[full] = before @ frame(data["pose"]) @ _motion(data, s)
        if more.get("drive"):
            data["drive"] = draw.drive(1.0) if more["drive"] is True else more["drive"]
        elif kind not in ("fixed", "free") and not more.get("plain"):
            data["friction"] = draw.friction(0.3)
        if kind in SCALAR and draw.chance(0.25):
            spring = {"stiffness": draw.between(5, 30), "damping": draw.between(0, 1), "rest": draw.between(-1, 1)}
            data["spring"] = spring | {"preload": draw.between(-3, 3)}
        body = draw.body(f"{name}_link", mass, size) if mass else {"name": f"{name}_link", "mass": 0.0}
        body["frames"] = {"mark": pose(draw.vector(0.1), draw.rotation())}
        if leg:
            chain = self.legs[leg]["chain"]
            held = parent.removeprefix(f"{leg}.").removesuffix("_link") if parent != "world" else "base"
            if held != (chain[-1]["name"] if chain else "base"):
                data["on"] = held
            chain.append(data | {"body": body})
        else:
            self.out.setdefault("bodies", []).append(body)
            self.out.setdefault("joints", []).append(data | {"parent": parent, "child": body["name"]})
        if len(s):
            self.home["joints"][f"{leg}.{name}" if leg else name] = s[0] if len(s) == 1 else list(s)
        return full

    def free_body(self, name: str, at: Any, mass: float) -> str:
        """A body that a free joint carries from the world; returns its name."""
        body = self.draw.body(f"{name}_link", mass, 0.1)
        self.X[body["name"]] = _at(self.draw.rotation(), at)
        self.out.setdefault("bodies", []).append(body)
        joint = {"name": name, "type": "free", "parent": "world", "child": body["name"]}
        self.out.setdefault("joints", []).append(joint)
        return body["name"]

    def home_pose(self, body: str) -> None:
        """Say in the home where a body stands, for the one that is the platform."""
        self.home["pose"] = _written(self.X[body])

    def loop(self, name: str, kind: str, first: str, second: str, at: Any, **more: Any) -> None:
        """Close the tree at the world point `at`; more: along, axes (on first, on second), leg, slip, length_to."""
        draw, leg = self.draw, more.get("leg")
        at = np.asarray(at, float)
        R1, R2 = draw.rotation(), draw.rotation()
        data: Data = {"name": name, "type": kind}
        end = at
        if kind in ("universal", "inclined"):
            a1, a2 = more["axes"]
            data |= {"type": "universal", "axes": [clean(R1.T @ a1), clean(R2.T @ a2)]}
            if kind == "inclined":
                data["angle"] = float(np.arctan2(np.linalg.norm(np.cross(a1, a2)), a1 @ a2))
        elif kind == "revolute_spherical":
            end = np.asarray(more["length_to"], float)
            data |= {"axis": clean(R1.T @ more["along"]), "length": float(np.linalg.norm(end - at))}
        elif kind == "fixed":
            R2 = R1
        elif kind == "constant_length":
            end = np.asarray(more["length_to"], float)
            data["length"] = float(np.linalg.norm(end - at))
        elif kind != "spherical":
            along = np.asarray(more["along"], float)
            data["axis"] = clean(R1.T @ along)
            angle = 0.0 if kind == "prismatic" else draw.between(-2, 2)
            R2 = R1 @ moved({"type": "revolute", "axis": data["axis"]}, [angle])[:3, :3]
            if kind == "helical":
                data["lead"] = LEAD
                end = at + LEAD * angle / (2 * np.pi) * along
                self.home["joints"][name] = angle
            elif kind != "revolute":
                end = at + 0.1 * (draw.normal_to(along) if kind == "planar" else along)
        if kind in TURNING_CUTS and not more.get("plain"):
            data["friction"] = draw.friction(0.2)
        for key, body, X in (("first", first, _at(R1, at)), ("second", second, _at(R2, end))):
            base = self.X[body]
            if leg and body == "world":
                base = frame(self.legs[leg]["base"])
            if leg and body == "platform":
                base = base @ frame(self.legs[leg]["on_platform"])
            short = body.removeprefix(f"{leg}.") if leg else body
            data[key] = {"body": short, "pose": _written(np.linalg.inv(base) @ X)}
        target = self.legs[leg] if leg else self.out
        target.setdefault("loops", []).append(data)

    def couple(self, name: str, kind: str, leg: str | None = None, **keys: Any) -> None:
        """Tie coordinates as the keys of the coupling say."""
        self.out["format"] = 2
        target = self.legs[leg] if leg else self.out
        target.setdefault("couplings", []).append({"name": name, "type": kind} | keys)

    def cut(self, leg: str, kind: str, first: str, at: Any, along: Any = None) -> None:
        """Close a leg on the platform by its cut at the world point `at`; sets the leg's frame on the platform."""
        draw = self.draw
        R1, R2 = draw.rotation(), draw.rotation()
        data: Data = {"name": "cut", "type": kind, "friction": draw.friction(0.2)}
        if along is not None:
            data["axis"] = clean(R1.T @ along)
            R2 = R1 @ moved({"type": "revolute", "axis": data["axis"]}, [draw.between(-2, 2)])[:3, :3]
        data["on_leg"] = _written(np.linalg.inv(self.X[first]) @ _at(R1, at))
        self.legs[leg]["cut"] = data
        self.legs[leg]["on_platform"] = _written(np.linalg.inv(self.X["platform"]) @ _at(R2, at))

    def spring(self, start: str, end: str) -> None:
        """A spring and damper between random points of two bodies."""
        draw = self.draw
        ends = {k: {"body": b, "position": draw.vector(0.1).tolist()} for k, b in (("from", start), ("to", end))}
        force = {"stiffness": draw.between(20, 100), "damping": draw.between(1, 8), "preload": draw.between(-5, 5)}
        name = f"s{len(self.springs)}"
        self.springs.append({"name": name, "rest_length": draw.between(0.1, 0.5)} | ends | force)

    def done(self, **more: Any) -> Data:
        """The description's data."""
        out = dict(self.out)
        if self.legs:
            out["legs"] = list(self.legs.values())
        if self.springs:
            out["springs"] = self.springs
        return out | {"home": self.home} | more

    def _coordinates(self, kind: str) -> list[float]:
        draw = self.draw
        turn, slide = draw.between(-3, 3), draw.between(-0.2, 0.2)
        if kind in ("spherical", "free"):
            h = draw.rng.normal(size=4)
            shift = draw.vector(0.1).tolist() if kind == "free" else []
            return shift + (h / np.linalg.norm(h)).tolist()
        return {
            "fixed": [],
            "revolute": [turn],
            "helical": [2.0 * turn],
            "prismatic": [slide],
            "cylindrical": [turn, slide],
            "planar": [slide, draw.between(-0.2, 0.2), turn],
        }[kind]

    def _universal(
        self, first: Any, second: Any, s: Any, skewed: bool
    ) -> tuple[np.ndarray, list[list[float]], list[float]]:
        """(joint rotation, axes, coordinates) of a universal joint whose axes are these world directions at home."""
        draw = self.draw
        first, second = np.array(clean(first)), np.asarray(second, float)
        cosine = float(first @ clean(second)) if skewed else 0.0
        second = np.array(clean(second - (second @ first) * first))
        e0 = draw.direction()
        e1 = draw.normal_to(e0)
        e1 = np.array(clean(e1 - (e1 @ e0) * e0))
        s = [draw.between(-3, 3), draw.between(-3, 3)] if s is None else list(s)
        now = moved({"type": "revolute", "axis": e0}, s)[:3, :3] @ e1
        have, want = (np.column_stack([a, b, np.cross(a, b)]) for a, b in ((e0, now), (first, second)))
        return want @ have.T, [clean(e0), clean(np.sqrt(1 - cosine**2) * e1 + cosine * e0)], s
