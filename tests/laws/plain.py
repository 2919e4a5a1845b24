"""A description rewritten in one plain form, and the same robot seen otherwise: moved, rescaled, permuted.

Plain form: legs in place, poses as matrices, bodies by ten parameters about the origin with payloads folded in. The
parameters are those of the references' own reading of masses.
"""

from __future__ import annotations

import copy
import json
from typing import Any

import numpy as np

from gough.robot import loads
from reference.energies import masses
from reference.energies.homogeneous import quaternion_of
from reference.energies.states import State
from reference.energies.tree import Layout

Data = dict[str, Any]
ANGULAR = ("revolute", "universal", "spherical")
MIXED = ("cylindrical", "planar")  # one friction coefficient for an angle and a length


def plain(robot: Any) -> Data:
    """The robot's description in plain form."""
    legs = []
    for leg in robot.legs:
        legs.append(
            {
                "name": leg.name,
                "base": pose(leg.base),
                "on_platform": pose(leg.on_platform),
                "chain": [_joint(j) for j in leg.chain],
                "cut": _present(leg.cut, "name", "type", "axis", "axes", "length")
                | {"on_leg": pose(leg.cut.on_leg)}
                | _friction(leg.cut),
            }
        )
    out: Data = {"format": 2, "name": robot.name, "gravity": list(robot.gravity), "legs": legs}
    out["platform"] = _body(robot.platform.body)
    joints = {k: list(v) for k, v in robot.home.joints.items()}
    out["home"] = {"pose": pose(robot.home.pose), "joints": joints}
    keys = ("name", "stiffness", "damping", "rest_length", "preload")
    out["springs"] = [
        _present(s, *keys) | {"from": _present(s.from_, "body", "position"), "to": _present(s.to, "body", "position")}
        for s in robot.springs
    ]
    return out


def made(data: Data) -> Any:
    """A `Robot` of plain data."""
    import warnings

    from gough.robot import UnphysicalInertiaWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnphysicalInertiaWarning)
        return loads(json.dumps(data))


def pose(p: Any) -> Data:
    """A pose by position and matrix."""
    return {"position": list(p.position), "matrix": np.asarray(p.rotation()).tolist()}


def _present(item: Any, *keys: str) -> Data:
    found = {k: getattr(item, k) for k in keys}
    return {k: v for k, v in found.items() if v is not None}


def _law(item: Any) -> Data:
    return _present(item, "viscous", "coulomb", "smoothing")


def _friction(item: Any) -> Data:
    if isinstance(item.friction, tuple):
        return {"friction": [None if x is None else _law(x) for x in item.friction]}
    law = _law(item.friction)
    return {"friction": law} if any(law.values()) else {}


def _body(body: Any) -> Data:
    P = np.asarray(masses.pseudo_inertia(body))
    J = np.trace(P[:3, :3]) * np.eye(3) - P[:3, :3]
    ten = dict(zip("MX MY MZ".split(), P[:3, 3], strict=True)) | {"M": P[3, 3]}
    ten |= {"XX": J[0, 0], "XY": J[0, 1], "XZ": J[0, 2], "YY": J[1, 1], "YZ": J[1, 2], "ZZ": J[2, 2]}
    out: Data = {"name": body.name, "parameters": {k: float(v) for k, v in ten.items()}}
    if body.telescopic is not None:
        C = body.telescopic.coefficients()
        entries = {"xx": (0, 0), "yy": (1, 1), "zz": (2, 2), "xy": (0, 1), "xz": (0, 2), "yz": (1, 2)}
        growth = {k: C[:, i, j].tolist() for k, (i, j) in entries.items()}
        out["telescopic"] = {"joint": body.telescopic.joint, "inertia": growth}
    return out


def _joint(joint: Any) -> Data:
    out = _present(joint, "name", "type", "axis", "axes")
    out |= {"pose": pose(joint.placement), "body": _body(joint.body)} | _friction(joint)
    if joint.spring is not None:
        out["spring"] = _present(joint.spring, "stiffness", "damping", "rest", "preload")
    if joint.drive is not None:
        out["drive"] = _present(joint.drive, "rotor_inertia", "gear") | _law(joint.drive)
    return out


# -- the world's frame moved ------------------------------------------------------------------------------------


def moved(data: Data, R: np.ndarray, p: np.ndarray) -> Data:
    """The same robot seen from a frame in which everything stands turned by R and shifted by p."""
    out = copy.deepcopy(data)
    out["gravity"] = (R @ data["gravity"]).tolist()
    for place in [leg["base"] for leg in out["legs"]] + [out["home"]["pose"]]:
        place["position"] = (R @ place["position"] + p).tolist()
        place["matrix"] = (R @ np.array(place["matrix"])).tolist()
    for spring in out["springs"]:
        for end in ("from", "to"):
            if spring[end]["body"] == "world":
                spring[end]["position"] = (R @ spring[end]["position"] + p).tolist()
    return out


def moved_state(s: State, R: np.ndarray, p: np.ndarray) -> State:
    """A state of the moved robot."""
    q = s.q.copy()
    q[:3] = R @ q[:3] + p
    a, b = quaternion_of(R), s.q[3:7]
    q[3:7] = [a[0] * b[0] - a[1:] @ b[1:], *(a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:]))]

    def turned(x: np.ndarray) -> np.ndarray:
        return np.concatenate([R @ x[:3], R @ x[3:]])

    return State(q, turned(s.v), turned(s.acceleration), turned(s.wrench), s.tau)


# -- other units ------------------------------------------------------------------------------------------------


def rescaled(data: Data, L: float, M: float, T: float) -> Data:
    """The same robot with lengths times L, masses times M and times times T."""
    out = copy.deepcopy(data)
    out["gravity"] = [g * L / T**2 for g in data["gravity"]]
    _scale_body(out["platform"], L, M)
    for leg in out["legs"]:
        for place in (leg["base"], leg["on_platform"], leg["cut"]["on_leg"]):
            _times(place, L, "position")
        _times(leg["cut"], L, "length")
        _scale_cut_friction(leg["cut"], L, M, T)
        kinds = {j["name"]: j["type"] for j in leg["chain"]}
        for joint in leg["chain"]:
            _times(joint["pose"], L, "position")
            unit = 1.0 if joint["type"] in ANGULAR else L
            for law in (joint.get("friction"), joint.get("drive")):
                if law is not None:
                    _scale_law(law, unit, L, M, T)
            force = M * L**2 / T**2 / unit
            if "drive" in joint:
                _times(joint["drive"], force / unit * T**2, "rotor_inertia")
            if "spring" in joint:
                _times(joint["spring"], force / unit, "stiffness")
                _times(joint["spring"], force / unit * T, "damping")
                _times(joint["spring"], force, "preload")
                _times(joint["spring"], unit, "rest")
            _scale_body(joint["body"], L, M)
            growth = joint["body"].get("telescopic")
            if growth is not None:
                step = 1.0 if kinds[growth["joint"]] in ANGULAR else L
                for key, c in growth["inertia"].items():
                    growth["inertia"][key] = [x * M * L**2 / step**k for k, x in enumerate(c)]
    for spring in out["springs"]:
        for key, factor in (("stiffness", M / T**2), ("damping", M / T), ("preload", M * L / T**2), ("rest_length", L)):
            _times(spring, factor, key)
        for end in ("from", "to"):
            _times(spring[end], L, "position")
    _times(out["home"]["pose"], L, "position")
    for name, values in out["home"]["joints"].items():
        leg, joint = name.split(".")
        kind = next(j["type"] for x in out["legs"] if x["name"] == leg for j in x["chain"] if j["name"] == joint)
        out["home"]["joints"][name] = (np.array(values) * coordinate_units(kind, L)).tolist()
    return out


def coordinate_units(kind: str, L: float) -> list[float]:
    """Factors of a joint's coordinates in q."""
    return {
        "fixed": [],
        "prismatic": [L],
        "revolute": [1.0],
        "universal": [1.0, 1.0],
        "cylindrical": [1.0, L],
        "planar": [L, L, 1.0],
        "spherical": [1.0] * 4,
    }[kind]


def rescaled_state(robot: Any, s: State, L: float, M: float, T: float) -> State:
    """A state of the rescaled robot."""
    layout = Layout.of(robot)
    q = s.q.copy()
    q[:3] *= L
    for p in layout.places:
        q[p.q] *= coordinate_units(p.joint.type, L)
    force = M * L / T**2
    drives = np.array([force * (L if p.joint.type == "revolute" else 1.0) for p in layout.drives])
    twist = np.array([L, L, L, 1, 1, 1.0])
    wrench = force * np.array([1, 1, 1, L, L, L])
    return State(q, s.v * twist / T, s.acceleration * twist / T**2, s.wrench * wrench, s.tau * drives)


def mixes_units(data: Data) -> bool:
    """True when a joint's one friction coefficient acts on an angle and on a length: no scale of length can be right."""
    joints = [j for leg in data["legs"] for j in (*leg["chain"], leg["cut"])]
    return any(j["type"] in MIXED and isinstance(j.get("friction"), dict) for j in joints)


def _scale_cut_friction(cut: Data, L: float, M: float, T: float) -> None:
    law = cut.get("friction", [])
    units = {"cylindrical": [1.0, L], "planar": [L, L, 1.0], "prismatic": [L]}.get(cut["type"], [1.0, 1.0])
    for own, unit in zip(law if isinstance(law, list) else [law], units, strict=False):
        if own is not None:
            _scale_law(own, unit, L, M, T)


def _scale_law(law: Data, unit: float, L: float, M: float, T: float) -> None:
    """viscous, coulomb and smoothing of a coordinate whose own unit scales by `unit`."""
    force = M * L**2 / T**2 / unit
    _times(law, force / unit * T, "viscous")
    _times(law, force, "coulomb")
    _times(law, unit / T, "smoothing")


def _scale_body(body: Data, L: float, M: float) -> None:
    for key in body["parameters"]:
        order = 0 if key == "M" else 1 if key[0] == "M" else 2
        _times(body["parameters"], M * L**order, key)


def _times(data: Data, factor: float, key: str) -> None:
    if data.get(key) is not None:
        data[key] = (np.asarray(data[key]) * factor).tolist()
