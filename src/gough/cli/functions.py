"""The functions `gough eval` knows: their inputs, how they run on a batch, names of their results' entries."""

from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from gough.cli.states import TWIST, WRENCH, groups_of
from gough.errors import GOOD, Status

if TYPE_CHECKING:
    from gough.model import Model

Results = tuple[dict[str, np.ndarray], np.ndarray]
Slots = dict[str, np.ndarray]

GEOMETRY = {"configuration": ("q",), "drives": ("q",), "singularity": ("q",), "forward_geometry": ("drives",)}
"""Inputs of the functions that are no single program."""

OPEN = 1e-6
"""Closure error, relative to the robot's size, above which a given q is no configuration."""


def missing_reason(model: "Model", name: str) -> str:
    """Why a robot does not have a function ("" where it has it)."""
    drives, freedoms = len(model.mechanism.drives), model.mobility
    if name == "inverse_dynamics" and drives < freedoms:
        counts = f"{drives} drive{'s' * (drives != 1)} for {freedoms} freedom{'s' * (freedoms != 1)}"
        return f"{model.robot.name} has {counts}; no drive forces give an arbitrary motion"
    if name in ("forward_geometry", "drives") and not drives:
        return f"{model.robot.name} has no drives"
    return ""


def inputs_of(model: "Model", name: str) -> tuple[str, ...]:
    """Input slots of a function; UsageError for an unknown name, or a function this robot does not have."""
    from gough.dynamics.catalogue import CATALOGUE, LOADS, FunctionKey, entry_of
    from gough.errors import UsageError

    if reason := missing_reason(model, name):
        raise UsageError(f"{name} is not there: {reason}")
    if name in GEOMETRY:
        return GEOMETRY[name]
    key = FunctionKey.of(name)
    named = ("frame_pose", "frame_twist", "hybrid_dynamics")
    if key.kind not in (*CATALOGUE, *named) or (key.kind not in CATALOGUE and not key.frames):
        raise UsageError(
            f"no function {name!r}; there are {', '.join([*CATALOGUE, *GEOMETRY])}, frame_pose:NAME, frame_twist:NAME, "
            "hybrid_dynamics:NAME,…"
        )
    inputs = entry_of(model.mechanism, key).inputs
    if name == "joint_reactions":  # forces of the drives follow from the motion, or the motion from them
        inputs = ("q", "v", "tau" if missing_reason(model, "inverse_dynamics") else "acceleration", *LOADS)
    return tuple(i for i in inputs if i != "force" and (i != "wrench" or model.mechanism.has_platform))


def prescribed_names(name: str) -> tuple[str, ...]:
    """The velocities whose accelerations a function is given: those that hybrid dynamics names."""
    from gough.dynamics.catalogue import FunctionKey

    key = None if name in GEOMETRY else FunctionKey.of(name)
    return key.frames if key is not None and key.kind == "hybrid_dynamics" else ()


def run_function(model: "Model", name: str, slots: Slots) -> Results:
    """(outputs (n, …) by name, `Failure` (n,) of each state)."""
    if name in GEOMETRY:
        return _geometry(model, name, slots)
    if name == "joint_reactions":
        first, result = ("forward_dynamics", "vdot") if "tau" in slots else ("inverse_dynamics", "tau")
        found, before = _program(model, first, slots)
        motion = found["vdot"] if result == "vdot" else slots["acceleration"]
        rest = [found[key] for key in ("idle_acceleration", "eddot") if key in found]  # what the inverse model finds
        if result == "tau" and rest:
            motion = np.concatenate([slots["acceleration"], *rest], axis=1)
        forces = {"tau": found[result]} if result == "tau" else {}
        outputs, after = _program(model, name, slots | {"vdot": motion} | forces)
        return outputs, np.where(before != GOOD, before, after)
    return _program(model, name, slots)


def _program(model: "Model", name: str, slots: Slots) -> Results:
    """A function on its inputs; what of the load is not given is zero."""
    from gough.dynamics.catalogue import LOADS

    function = model.function(name)
    sizes = {slot.name: slot.size for slot in function.program.inputs}
    taken = {slot: np.zeros(sizes[slot]) for slot in LOADS if slot in sizes}
    taken |= {key: x for key, x in slots.items() if key in sizes}
    done = function(**taken, parameters=model.parameters)
    return done.outputs, done.failures


def _geometry(model: "Model", name: str, slots: Slots) -> Results:
    from gough.cli.states import Given, assemble_states

    if name == "forward_geometry":
        q, failed = assemble_states(model, Given("drives", slots["drives"], ()), len(slots["drives"]))
        return {"q": q}, failed
    q = slots["q"]
    good = np.full(len(q), GOOD, dtype=object)
    good[~np.isfinite(q).all(axis=1)] = Status.NOT_FINITE.at("input")
    good[(good == GOOD) & ~(model.closure_error(q) <= OPEN)] = Status.OPEN_LOOP.at("q")
    if name == "configuration":
        return {"q": q}, good
    if name == "drives":
        return {"drives": model.drives(q)}, good
    measure = model.singularity(q)
    outputs = {"parallel": measure.parallel, "serial": measure.serial, "manipulability": measure.manipulability}
    if model.layout.nv > model.mobility:
        outputs |= {"inverse": measure.inverse, "inverse_ratio": measure.inverse_ratio}
    return outputs, good


def column_names(model: "Model", outputs: dict[str, np.ndarray]) -> dict[str, list[str]]:
    """Names of the entries of every output (n, …), in the order of its flat form."""
    return {key: _names(model, key, x.shape[1:]) for key, x in outputs.items()}


def _names(model: "Model", key: str, shape: tuple[int, ...]) -> list[str]:
    from gough.dynamics.reactions import joint_links

    layout, mechanism = model.layout, model.mechanism
    v, drives = layout.v_names, layout.drive_names
    known: dict[str, tuple[str, ...] | list[str]] = {
        "q": layout.q_names,
        "drives": drives,
        "tau": [f"tau.{d}" for d in drives],
        "vdot": groups_of(model)["vdot"],
        "idle_acceleration": groups_of(model)["vdot"][layout.idle],
        "eddot": groups_of(model)["vdot"][layout.rigid :],
        "M": [f"M.{a}.{b}" for a, b in product(v, v)],
        "h": [f"h.{a}" for a in v],
        "g": [f"g.{a}" for a in v],
        "S": [f"S.{a}.{d}" for a, d in product(v, drives)],
        "qdot": [f"qdot.{n}" for n in layout.q_names],
        "u": [f"u.{n}" for n in layout.u_names],
        "ud": [f"ud.{n}" for n in layout.u_names],
        "joints": [f"{mechanism.links[i].joint}.{w}" for i, w in product(joint_links(mechanism), WRENCH)],
        "cuts": [f"{c.name}.{w}" for c, w in product(mechanism.cuts, WRENCH)],
        "couplings": [f"{c.name}.force" for c in mechanism.couplings],
        "teeth": [f"{c.name}.tooth" for c in mechanism.couplings if c.radius is not None],
        "twist": TWIST,
    }
    if key == "serial":
        known["serial"] = [f"serial.{name}" for name in model.singularity(model.home).serial_names]
    size = int(np.prod(shape, dtype=int))
    if key in known and len(known[key]) == size:
        return list(known[key])
    if not shape:
        return [key]
    return [f"{key}.{'.'.join(map(str, index))}" for index in np.ndindex(*shape)]
