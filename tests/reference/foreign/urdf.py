"""Pinocchio's reading of a URDF file, closed by the loops that stand in it (URDF+) or beside it (`robot.yaml` of LAAS).

Loops, couplings and types of joints are read a second time here, with plain XML and YAML.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin
import yaml

from interchange.urdf_peer import Tied, UrdfPeer
from reference.foreign.comparing import Reduced

TYPES = {"3d": "spherical", "6d": "fixed"}
AXES = {"X": (1.0, 0.0, 0.0), "Y": (0.0, 1.0, 0.0), "Z": (0.0, 0.0, 1.0)}
PARTS = {2: ("1", "2"), 3: ("wx", "wy", "wz"), 6: ("x", "y", "z", "wx", "wy", "wz")}
"""Rates of joints that have several, by their number, as a model names them."""
SAME = 1e-7
"""Rows that differ by less are one: what rounding in a file makes of redundant loops."""


class UrdfReading:
    """The equations of a URDF file by Pinocchio, in the velocities of a model."""

    def __init__(self, file: Path, model: Any, loops: Path | None = None) -> None:
        self.own = model
        root = ET.fromstring(file.read_bytes().lstrip())
        beside = [loops] if loops else [file.with_suffix(".yaml"), file.with_name("robot.yaml")]
        said: dict[str, Any] = next(
            (_laas(path) for path in beside if path.exists() and "closed_loop" in path.read_text("utf-8")), {}
        )
        retyped = dict(zip(said.get("joint_name", []), said.get("joint_type", []), strict=True))
        pairs = said.get("closed_loop", [])
        kinds = said.get("type", ["6d"] * len(pairs))
        ties = [Tied(a, b, TYPES[kind.lower()]) for (a, b), kind in zip(pairs, kinds, strict=True)]
        tree = pin.buildModelFromUrdf(str(file))
        couplings = [*_mimics(root), *_rolling(root)]
        self.peer = UrdfPeer(
            file,
            [*ties, *_pins(root)],
            couplings,
            model.robot.gravity,
            model=_retyped(tree, retyped) if retyped else tree,
        )
        old = model.robot.source.get("renamed joints", {})
        self.old = {joint.name: old.get(joint.name, joint.name) for joint in model.robot.joints}

    def reduced(self, q: np.ndarray, v: np.ndarray) -> Reduced:
        """M, h, S by projecting Pinocchio's tree on the motions that the loops leave."""
        peer = self.peer
        state = peer.configuration(self._values(q))
        index = [self._place(name) for name in self.own.layout.v_names]
        J, _, gap = peer.closures(state, np.zeros(peer.model.nv))
        held = np.linalg.matrix_rank(J, tol=SAME * max(1.0, np.abs(J).max())) if len(J) else 0
        N, u, g, _ = peer.follow(state, index, v, SAME)
        upper = np.triu(pin.crba(peer.model, peer.data, state))
        M = upper + np.triu(upper, 1).T
        h = pin.rnea(peer.model, peer.data, state, u, np.zeros(peer.model.nv)).copy()
        h += peer.model.damping * u + peer.model.friction * np.sign(u)
        S = N[[self._place(name) for name in self.own.layout.drive_names]].T
        return Reduced(N.T @ M @ N, N.T @ (h + M @ g), S, peer.model.nv - held, gap)

    def _values(self, q: np.ndarray) -> dict[str, list[float]]:
        """Coordinates of joints by the names of the file, in the order that Pinocchio has but for quaternions."""
        found: dict[str, list[float]] = {}
        for name, value in zip(self.own.layout.q_names, q.tolist(), strict=True):
            joint = next((j for j in self.old if name == j), None) or name.rpartition("_")[0]
            found.setdefault(self.old[joint], []).append(value)
        return found

    def _place(self, rate: str) -> int:
        if rate in self.old:
            return self.peer.places(self.old[rate])[1].start
        joint, _, part = rate.rpartition("_")
        where = self.peer.places(self.old[joint])[1]
        return where.start + PARTS[where.stop - where.start].index(part)


def _laas(file: Path) -> dict[str, Any]:
    return yaml.safe_load(file.read_text("utf-8"))


def _retyped(tree: Any, kinds: Mapping[str, str]) -> Any:
    """The tree with other joints in the places of some: SPHERICAL, FIXED, UJOINT_XY for turns about x, then y."""
    made = pin.Model()
    made.name = tree.name
    at = {0: (0, pin.SE3.Identity())}
    damping, friction = [np.zeros(0)], [np.zeros(0)]
    unknown = set(kinds) - set(tree.names)
    if unknown:
        raise ValueError(f"no joint {', '.join(sorted(unknown))}")
    for k in range(1, tree.njoints):
        name, parent = tree.names[k], tree.parents[k]
        under, moved = at[parent]
        placement = moved * tree.jointPlacements[k]
        kind = kinds.get(name)
        if kind == "FIXED":
            at[k] = (under, placement)
            made.appendBodyToJoint(under, tree.inertias[k], placement)
            continue
        old = tree.joints[k]
        own, same = old, True
        if kind is not None:
            own, same = _joint(kind), False
        at[k] = (made.addJoint(under, own, placement, name), pin.SE3.Identity())
        made.appendBodyToJoint(at[k][0], tree.inertias[k], pin.SE3.Identity())
        count = own.nv if not same else old.nv
        for kept, values in ((damping, tree.damping), (friction, tree.friction)):
            rates = values[old.idx_v : old.idx_v + old.nv]
            kept.append(rates if same else np.full(count, rates.max()))
    for frame in tree.frames[1:]:
        joint, moved = at[frame.parentJoint]
        made.addFrame(pin.Frame(frame.name, joint, 0, moved * frame.placement, frame.type), False)
    made.damping, made.friction = np.concatenate(damping), np.concatenate(friction)
    made.gravity = tree.gravity
    return made


def _joint(kind: str) -> Any:
    if kind == "SPHERICAL":
        return pin.JointModelSpherical()
    first, second = (np.array(AXES[letter]) for letter in kind.removeprefix("UJOINT_"))
    return pin.JointModelUniversal(first, second)


def _mimics(root: ET.Element) -> list[dict[str, float]]:
    return [
        {str(joint.get("name")): 1.0, str(of.get("joint")): -float(of.get("multiplier", 1))}
        for joint in root.findall("joint")
        for of in joint.findall("mimic")
        if joint.get("type") != "fixed"
    ]


def _pins(root: ET.Element) -> list[Tied]:
    """Revolute loops of URDF+."""
    found = []
    for loop in root.findall("loop"):
        ends = [_child(loop, which) for which in ("predecessor", "successor")]
        first, second = (str(end.get("link")) for end in ends)
        axis = _numbers(_child(loop, "axis").get("xyz", "1 0 0"))
        found.append(Tied(first, second, "revolute", _origin(ends[0]), _origin(ends[1]), (axis[0], axis[1], axis[2])))
    return found


def _rolling(root: ET.Element) -> list[dict[str, float]]:
    """Couplings of URDF+: ratio times the joints on the way to the predecessor are those on the way to the successor."""
    above = {
        _child(joint, "child").get("link"): (str(joint.get("name")), _child(joint, "parent").get("link"))
        for joint in root.findall("joint")
    }

    def way(link: str | None) -> list[str]:
        names = []
        while link in above:
            name, link = above[link]
            names.append(name)
        return names

    found = []
    for coupling in root.findall("coupling"):
        first, second = (way(_child(coupling, which).get("link")) for which in ("predecessor", "successor"))
        ratio = float(_child(coupling, "ratio").get("value", 1))
        shared = {*first} & {*second}
        row = {name: ratio for name in first if name not in shared}
        found.append(row | {name: -1.0 for name in second if name not in shared})
    return found


def _origin(element: ET.Element) -> tuple[Any, Any]:
    own = element.find("origin")
    if own is None:
        return (0.0, 0.0, 0.0), np.eye(3)
    turn = pin.rpy.rpyToMatrix(*_numbers(own.get("rpy", "0 0 0")))
    return _numbers(own.get("xyz", "0 0 0")), turn


def _numbers(text: str) -> list[float]:
    return [float(word) for word in text.split()]


def _child(element: ET.Element, tag: str) -> ET.Element:
    found = element.find(tag)
    if found is None:
        raise ValueError(f"<{element.tag} name={element.get('name')!r}> without <{tag}>")
    return found
