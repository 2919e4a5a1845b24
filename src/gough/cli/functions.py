"""The functions `gough eval` knows: their inputs, how they run on a batch, names of their results' entries."""

from itertools import product
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from gough.compilation import Model

Results = tuple[dict[str, np.ndarray], np.ndarray]

GEOMETRY = {"configuration": ("q",), "drives": ("q",), "singularity": ("q",), "forward_geometry": ("drives",)}
"""Inputs of the functions that are no single program."""

OPEN = 1e-6
"""Closure error, relative to the robot's size, above which a given q is no configuration."""

WRENCH = ("fx", "fy", "fz", "mx", "my", "mz")
TWIST = ("vx", "vy", "vz", "wx", "wy", "wz")


def inputs_of(model: "Model", name: str) -> tuple[str, ...]:
    """Input slots of a function; UsageError for an unknown name."""
    from gough.compilation.catalogue import CATALOGUE, entry_of
    from gough.errors import UsageError

    if name in GEOMETRY:
        return GEOMETRY[name]
    if name == "joint_reactions":  # forces of the drives follow from the motion
        return ("q", "v", "acceleration", "wrench")
    if name.partition(":")[0] not in (*CATALOGUE, "frame_pose", "frame_twist") or name in ("frame_pose", "frame_twist"):
        raise UsageError(
            f"no function {name!r}; there are {', '.join([*CATALOGUE, *GEOMETRY])}, frame_pose:NAME, frame_twist:NAME"
        )
    return entry_of(model.mechanism, name).inputs


def run(model: "Model", name: str, slots: dict[str, np.ndarray]) -> Results:
    """(outputs (n, …) by name, failed check (n,), "" where good)."""
    if name in GEOMETRY:
        return _geometry(model, name, slots)
    if name == "joint_reactions":
        first = model.function("inverse_dynamics")(**slots, parameters=model.parameters)
        motion = {key: x for key, x in slots.items() if key != "wrench"} | {"tau": first.outputs["tau"]}
        then = model.function(name)(**motion, parameters=model.parameters)
        return then.outputs, np.where(first.names != "", first.names, then.names)
    done = model.function(name)(**slots, parameters=model.parameters)
    return done.outputs, done.names


def _geometry(model: "Model", name: str, slots: dict[str, np.ndarray]) -> Results:
    if name == "forward_geometry":
        drives = slots["drives"]
        start = np.broadcast_to(model.home, (len(drives), model.layout.nq))
        finite = np.isfinite(drives).all(axis=1)
        q = np.full(start.shape, np.nan)
        failed = np.full(len(drives), "not_finite:input", dtype=object)
        q[finite], failed[finite] = model.geometry.from_drives(drives[finite], model.parameters[None], start[finite])
        return {"q": q}, failed
    q = slots["q"]
    good = np.where(np.isfinite(q).all(axis=1), "", "not_finite:input").astype(object)
    good[(good == "") & ~(model.closure_error(q) <= OPEN)] = "open_loop:q"
    if name == "configuration":
        return {"q": q}, good
    if name == "drives":
        return {"drives": model.drives(q)}, good
    measure = model.singularity(q)
    outputs = {"parallel": measure.parallel, "serial": measure.serial, "manipulability": measure.manipulability}
    return outputs, good


def column_names(model: "Model", outputs: dict[str, np.ndarray]) -> dict[str, list[str]]:
    """Names of the entries of every output (n, …), in the order of its flat form."""
    return {key: _names(model, key, x.shape[1:]) for key, x in outputs.items()}


def _names(model: "Model", key: str, shape: tuple[int, ...]) -> list[str]:
    from gough.cli.state_inputs import ACCELERATION
    from gough.dynamics.reactions import joint_links

    layout, mechanism = model.layout, model.mechanism
    v, drives = layout.v_names, layout.drive_names
    known: dict[str, tuple[str, ...] | list[str]] = {
        "q": layout.q_names,
        "drives": drives,
        "tau": [f"tau.{d}" for d in drives],
        "vdot": ACCELERATION[: layout.nv],
        "M": [f"M.{a}.{b}" for a, b in product(v, v)],
        "h": [f"h.{a}" for a in v],
        "g": [f"g.{a}" for a in v],
        "S": [f"S.{a}.{d}" for a, d in product(v, drives)],
        "qdot": [f"qdot.{n}" for n in layout.q_names],
        "u": [f"u.{n}" for n in layout.u_names],
        "ud": [f"ud.{n}" for n in layout.u_names],
        "joints": [f"{mechanism.links[i].joint}.{w}" for i, w in product(joint_links(mechanism), WRENCH)],
        "cuts": [f"{c.name}.{w}" for c, w in product(mechanism.cuts, WRENCH)],
        "serial": [f"serial.{leg.name}" for leg in mechanism.legs],
        "twist": TWIST,
    }
    size = int(np.prod(shape, dtype=int))
    if len(known.get(key, ())) == size:
        return list(known[key])
    if not shape:
        return [key]
    return [f"{key}.{'.'.join(map(str, index))}" for index in np.ndindex(*shape)]
