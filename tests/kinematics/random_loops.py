"""Random mechanisms whose loops are closed by a given joint type at a known configuration, and whether a configuration
closes them, by composing the described frames with plain numpy: nothing of the library's closures is used here."""

from __future__ import annotations

from typing import Any

import numpy as np

Frame = tuple[np.ndarray, np.ndarray]
CUT_ROWS = {
    "fixed": 6,
    "prismatic": 5,
    "revolute": 5,
    "cylindrical": 4,
    "universal": 4,
    "planar": 3,
    "spherical": 3,
    "constant_length": 1,
}
FREEDOMS = {"revolute": 1, "prismatic": 1, "universal": 2, "spherical": 3}
COMMON = {"fixed": 3, "prismatic": 3, "revolute": 1, "cylindrical": 1, "planar": 1}
"""How many axes the two sides have in common: all, or the stated one."""
Z = np.array([0.0, 0.0, 1.0])


def turn(axis: np.ndarray, angle: float) -> np.ndarray:
    """Rotation by an angle about a unit axis (Rodrigues)."""
    x, y, z = axis
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K


def of_quaternion(wxyz: Any) -> np.ndarray:
    """Rotation of a quaternion of any length."""
    q = np.asarray(wxyz, dtype=float) / np.linalg.norm(wxyz)
    angle = 2 * np.arctan2(np.linalg.norm(q[1:]), q[0])
    return turn(q[1:] / max(np.linalg.norm(q[1:]), 1e-300), angle)


def compose(a: Frame, b: Frame) -> Frame:
    """Frame b, given in frame a."""
    return a[0] @ b[0], a[1] + a[0] @ b[1]


def inverse(a: Frame) -> Frame:
    """The frame that undoes a."""
    return a[0].T, -a[0].T @ a[1]


def frame_of(pose: dict | None) -> Frame:
    """A described pose (matrix and position)."""
    pose = pose or {}
    return np.array(pose.get("matrix", np.eye(3)), dtype=float), np.array(pose.get("position", [0, 0, 0]), dtype=float)


def described(frame: Frame) -> dict:
    """A frame as a described pose."""
    return {"matrix": np.asarray(frame[0]).tolist(), "position": np.asarray(frame[1]).tolist()}


def unit(rng: np.random.Generator) -> np.ndarray:
    """A random direction."""
    x = rng.normal(size=3)
    return x / np.linalg.norm(x)


def random_frame(rng: np.random.Generator, reach: float = 0.3) -> Frame:
    """A frame anywhere, turned anyhow."""
    return turn(unit(rng), rng.uniform(-np.pi, np.pi)), rng.uniform(-reach, reach, 3)


def moved(joint: dict, value: Any) -> Frame:
    """What a joint of the tree does at a coordinate (or several)."""
    nothing = np.zeros(3)
    if joint["type"] == "revolute":
        return turn(np.array(joint["axis"]), float(value)), nothing
    if joint["type"] == "prismatic":
        return np.eye(3), np.array(joint["axis"]) * float(value)
    if joint["type"] == "universal":
        first, second = (np.array(a) for a in joint["axes"])
        return turn(first, value[0]) @ turn(second, value[1]), nothing
    return of_quaternion(value), nothing


def freedom_of_cut(kind: str, axis: np.ndarray, rng: np.random.Generator) -> Frame:
    """Where the second side may stand in the first one's frame: a random motion that the joint allows."""
    angle, along = rng.uniform(-np.pi, np.pi), axis * rng.uniform(-0.2, 0.2)
    if kind == "fixed":
        return np.eye(3), np.zeros(3)
    if kind == "prismatic":
        return np.eye(3), along
    if kind == "revolute":
        return turn(axis, angle), np.zeros(3)
    if kind == "cylindrical":
        return turn(axis, angle), along
    if kind == "planar":
        across = np.cross(axis, unit(rng))
        return turn(axis, angle), 0.3 * across
    return random_frame(rng, 0.0)


def random_value(kind: str, rng: np.random.Generator) -> Any:
    """Coordinates of a joint of the tree."""
    if kind == "prismatic":
        return float(rng.uniform(-0.2, 0.2))
    if kind == "revolute":
        return float(rng.uniform(-3, 3))
    if kind == "universal":
        return rng.uniform(-3, 3, 2).tolist()
    q = rng.normal(size=4)
    return (q / np.linalg.norm(q)).tolist()


def random_chain(freedoms: int, rng: np.random.Generator) -> list[dict]:
    """Joints with so many freedoms together, each with a random place and random axes."""
    chain = []
    while freedoms:
        kinds = [k for k, n in FREEDOMS.items() if n <= freedoms]
        share = np.array([{"revolute": 5, "prismatic": 2, "universal": 2, "spherical": 1}[k] for k in kinds], float)
        kind = str(rng.choice(kinds, p=share / share.sum()))
        joint: dict = {"type": kind, "pose": described(random_frame(rng))}
        axis = unit(rng)
        if kind in ("revolute", "prismatic"):
            joint["axis"] = axis.tolist()
        if kind == "universal":
            second = np.cross(axis, unit(rng))
            joint["axes"] = [axis.tolist(), (second / np.linalg.norm(second)).tolist()]
        chain.append(joint)
        freedoms -= FREEDOMS[kind]
    return chain


def closing(kind: str, tip: Frame, rng: np.random.Generator) -> tuple[dict, Frame, Frame]:
    """(keys of a joint that closes a loop, its frame on the body at `tip`, its frame in the world) for the known state."""
    keys: dict = {"type": kind}
    on_tip, axis = random_frame(rng), unit(rng)
    if kind in ("prismatic", "revolute", "cylindrical", "planar"):
        keys["axis"] = axis.tolist()
    world = compose(compose(tip, on_tip), freedom_of_cut(kind, axis, rng))
    if kind == "universal":
        first = tip[0] @ on_tip[0] @ axis
        second = np.cross(first, unit(rng))
        keys["axes"] = [axis.tolist(), (world[0].T @ second / np.linalg.norm(second)).tolist()]
    if kind == "constant_length":
        away = rng.uniform(0.1, 0.4)
        keys["length"] = float(away)
        world = (world[0], world[1] + away * unit(rng))
    return keys, on_tip, world


def body(name: str) -> dict:
    """A body whose mass centre is on no axis."""
    return {"name": name, "mass": 1.0, "center_of_mass": [0.05, 0.03, 0.02]}


def random_loop(kind: str, seed: int, freedoms: int = 1) -> tuple[dict, dict]:
    """(description of a chain from the world to a joint of that type on the world, joint values that close it)."""
    rng = np.random.default_rng(seed)
    while (drawn := _drawn_loop(kind, freedoms, rng)) is None:
        pass
    return drawn


def _drawn_loop(kind: str, freedoms: int, rng: np.random.Generator) -> tuple[dict, dict] | None:
    chain = random_chain(CUT_ROWS[kind] + freedoms, rng)
    names = ["world", *(f"b{k}" for k in range(len(chain)))]
    values: dict = {}
    tip: Frame = (np.eye(3), np.zeros(3))
    for k, joint in enumerate(chain):
        joint |= {"name": f"j{k}", "parent": names[k], "child": names[k + 1]}
        values[f"j{k}"] = random_value(joint["type"], rng)
        tip = compose(compose(tip, frame_of(joint["pose"])), moved(joint, values[f"j{k}"]))
    keys, on_tip, world = closing(kind, tip, rng)
    G = loop_matrix(chain, values, (np.eye(3), np.zeros(3)), keys, on_tip, world)
    velocities = independent(chain, G, CUT_ROWS[kind])
    if velocities is None:
        return None
    first, second = {"body": names[-1], "pose": described(on_tip)}, {"body": "world", "pose": described(world)}
    data = {
        "format": 1,
        "name": f"{kind}_loop",
        "velocities": velocities,
        "bodies": [body(n) for n in names[1:]],
        "joints": chain,
        "loops": [{"name": "weld", **keys, "first": first, "second": second}],
    }
    return data, values


def loop_matrix(chain: list[dict], values: dict, base: Frame, cut: dict, on_tip: Frame, world: Frame) -> np.ndarray:
    """How every rate of a chain moves its loop's frames, by differences (rows, rates)."""

    def rows(name: str, own: int, step: float) -> np.ndarray:
        tip = base
        for joint in chain:
            value, meant = values[joint["name"]], joint["name"] == name
            if joint["type"] == "universal":
                value = [x + step * (meant and own == k) for k, x in enumerate(value)]
            elif joint["type"] != "spherical":
                value = value + step * meant
            tip = compose(compose(tip, frame_of(joint["pose"])), moved(joint, value))
            if joint["type"] == "spherical" and meant:
                tip = tip[0] @ turn(np.eye(3)[own], step), tip[1]
        return relative(cut, compose(inverse(compose(tip, on_tip)), world))

    rates = [(j["name"], k) for j in chain for k in range(FREEDOMS[j["type"]])]
    return np.stack([(rows(*rate, 1e-6) - rows(*rate, -1e-6)) / 2e-6 for rate in rates], axis=1)


def independent(chain: list[dict], G: np.ndarray, needed: int) -> list[str] | None:
    """Names of rates that determine all others of a loop of rank `needed`; None where it is a special mechanism:
    three slides, a ball that only spins."""
    _, s, vt = np.linalg.svd(G)
    rates = [(j["name"], j["type"], k) for j in chain for k in range(FREEDOMS[j["type"]])]
    rank = int((s > 1e-2).sum())
    if rank < needed:
        return None
    null, chosen = vt[rank:].T, []
    for _ in range(null.shape[1]):
        size = [np.linalg.norm(row) * (kind != "spherical") for (_, kind, _), row in zip(rates, null, strict=True)]
        k = int(np.argmax(size))
        if size[k] < 0.2:
            return None
        name, kind, own = rates[k]
        chosen.append(f"{name}_{own + 1}" if kind == "universal" else name)
        e = null[k] / size[k]
        null = null - np.outer(null @ e, e)
    return chosen


def relative(cut: dict, second: Frame) -> np.ndarray:
    """What the second side's frame in the first one's must not do, to first order: 0 when closed."""
    R, d = second
    kind, axis = cut["type"], np.array(cut.get("axis", Z))
    tilt, turned = np.cross(axis, R @ axis), np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    if kind == "constant_length":
        return np.array([np.linalg.norm(d)])
    if kind == "universal":
        return np.array([*d, np.array(cut["axes"][0]) @ R @ np.array(cut["axes"][1])])
    parts = {
        "fixed": (d, turned),
        "prismatic": (np.cross(axis, d), turned),
        "revolute": (d, tilt),
        "cylindrical": (np.cross(axis, d), tilt),
        "planar": ([axis @ d], tilt),
        "spherical": (d,),
    }
    return np.concatenate(parts[kind])


def random_platform(kind: str, seed: int, legs: int = 3) -> tuple[dict, dict]:
    """(description of a platform on legs that end in a joint of that type, with its exact home pose, joint values)."""
    rng = np.random.default_rng(seed)
    pose = random_frame(rng, 0.2)
    described_legs, values = [], {}
    while len(described_legs) < legs:
        k, base, tip = len(described_legs), *([random_frame(rng, 0.4)] * 2)
        chain, own = random_chain(CUT_ROWS[kind], rng), {}
        for i, joint in enumerate(chain):
            joint |= {"name": f"j{i}", "body": body(f"b{i}")}
            own[f"j{i}"] = random_value(joint["type"], rng)
            tip = compose(compose(tip, frame_of(joint["pose"])), moved(joint, own[f"j{i}"]))
        keys, on_tip, world = closing(kind, tip, rng)
        if independent(chain, loop_matrix(chain, own, base, keys, on_tip, world), CUT_ROWS[kind]) is None:
            continue
        values |= {f"leg{k}.{name}": value for name, value in own.items()}
        on_platform = compose(inverse(pose), world)
        cut = {"name": "weld", **keys, "on_leg": described(on_tip)}
        described_legs.append(
            {"base": described(base), "on_platform": described(on_platform), "chain": chain, "cut": cut}
        )
    data = {
        "format": 1,
        "name": f"{kind}_legs",
        "platform": {"mass": 1.0},
        "velocities": "platform",
        "legs": described_legs,
        "home": {"pose": described(pose)},
    }
    return data, values


def named_values(names: tuple[str, ...], q: np.ndarray, joints: list[tuple[str, str]]) -> dict:
    """Coordinates of joints (name, type) out of q, by their names."""
    at = {name: k for k, name in enumerate(names)}
    ends = {"universal": ("_1", "_2"), "spherical": ("_qw", "_qx", "_qy", "_qz")}
    return {
        name: [float(q[at[name + end]]) for end in ends[kind]] if kind in ends else float(q[at[name]])
        for name, kind in joints
    }


def misses(data: dict, names: tuple[str, ...], q: np.ndarray) -> float:
    """How far the worst loop is open at q: lengths in m, directions as differences of unit vectors."""
    worst = [0.0]
    if "loops" in data:
        values = named_values(names, q, [(j["name"], j["type"]) for j in data["joints"]])
        at: dict[str, Frame] = {"world": (np.eye(3), np.zeros(3))}
        for joint in data["joints"]:
            here = compose(at[joint["parent"]], frame_of(joint.get("pose")))
            at[joint["child"]] = compose(here, moved(joint, values[joint["name"]]))
        for loop in data["loops"]:
            sides = [compose(at[s["body"]], frame_of(s.get("pose"))) for s in (loop["first"], loop["second"])]
            worst.append(apart(loop, *sides))
    for k, leg in enumerate(data.get("legs", ())):
        own = [(f"leg{k}.{j['name']}", j["type"]) for j in leg["chain"]]
        values = named_values(names, q, own)
        tip = frame_of(leg["base"])
        for joint, (name, _) in zip(leg["chain"], own, strict=True):
            tip = compose(compose(tip, frame_of(joint["pose"])), moved(joint, values[name]))
        platform = of_quaternion(q[3:7]), np.asarray(q[:3])
        second = compose(platform, frame_of(leg["on_platform"]))
        worst.append(apart(leg["cut"], compose(tip, frame_of(leg["cut"]["on_leg"])), second))
    return max(worst)


def apart(joint: dict, first: Frame, second: Frame) -> float:
    """How far two frames are from where a joint that closes a loop lets them be."""
    kind, d = joint["type"], second[1] - first[1]
    if kind == "constant_length":
        return abs(float(np.linalg.norm(d)) - joint["length"])
    if kind == "universal":
        a, b = (side[0] @ np.array(axis) for side, axis in zip((first, second), joint["axes"], strict=True))
        return max(float(np.linalg.norm(d)), abs(float(a @ b)))
    if kind == "spherical":
        return float(np.linalg.norm(d))
    axis = np.array(joint.get("axis", Z))
    along = first[0] @ axis
    gap = {"fixed": d, "revolute": d, "planar": along * (along @ d)}.get(kind, d - along * (along @ d))
    common = [axis] if COMMON[kind] == 1 else list(np.eye(3))
    turned = [float(np.linalg.norm(first[0] @ a - second[0] @ a)) for a in common]
    return max(float(np.linalg.norm(gap)), *turned)


def guesses(values: dict, manner: str, seed: int) -> dict:
    """home.joints: none, exact, near (within 0.05), or far (any value)."""
    rng = np.random.default_rng([seed, 7])
    out = {}
    for name, value in values.items():
        x = np.asarray(value, dtype=float)
        if manner == "near":
            x = x + rng.uniform(-0.05, 0.05, x.shape)
        if manner == "far":
            x = rng.uniform(-3, 3, x.shape) if x.shape != (4,) else rng.normal(size=4)
        if x.shape == (4,):
            x = x / np.linalg.norm(x)
        out[name] = x.tolist()
    return {} if manner == "none" else out
