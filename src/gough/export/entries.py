"""Names and units of the entries of a function's inputs and outputs."""

from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from gough.program import Slot
from gough.simulation.results.units import MASS_NORMALISED, units_of

if TYPE_CHECKING:
    from gough.compilation import Model

TWIST = ("vx", "vy", "vz", "wx", "wy", "wz")
WRENCH = ("fx", "fy", "fz", "mx", "my", "mz")
FORCE = {"m/s": "N", "rad/s": "N m", f"{MASS_NORMALISED}/s": "N/kg^0.5", "1/s": "N m"}
"""Unit of the force that works along a rate of some unit."""

Entry = tuple[str, str]
"""Name and unit."""


def entries(model: "Model", slot: Slot) -> list[Entry]:
    """(name, unit) of every entry of a slot; the unit is that of the slot where entries have none of their own."""
    known = _inputs(model, slot.name) or _outputs(model, slot.name)
    if slot.name == "acceleration":
        known = known[: slot.size]  # elastic rates, which stand last, have theirs found, not given
    if len(known) == slot.size:
        return known
    index = ["".join(f"[{k}]" for k in place) for place in np.ndindex(*slot.shape)]
    unit = slot.unit if "," not in slot.unit else ""
    return [(f"{slot.name}{place}", unit) for place in index]


def _inputs(model: "Model", slot: str) -> list[Entry]:
    layout, mechanism = model.layout, model.mechanism
    units = units_of(model)
    v = list(zip(layout.v_names, units.v, strict=True))
    if slot == "q":
        return list(zip(layout.q_names, units.q, strict=True))
    if slot == "pose":
        lead = layout.joints.start
        return list(zip(layout.q_names[:lead], units.q[:lead], strict=True))
    if slot == "v":
        return v
    if slot in ("acceleration", "vdot"):
        return [(f"d/dt {n}", f"{u}2") for n, u in v]
    if slot == "tau":
        return list(zip(layout.drive_names, layout.drive_units, strict=True))
    if slot == "wrench":
        platform = [(n, "N" if n[0] == "f" else "N m") for n in WRENCH] if mechanism.has_platform else []
        along = [(f"force along {n}", FORCE.get(u, "")) for n, u in v]
        return platform + along if not (platform and mechanism.selection.leads_from_platform) else platform
    if slot == "parameters":
        return list(zip(mechanism.table.names, mechanism.table.units, strict=True))
    return []


def _outputs(model: "Model", slot: str) -> list[Entry]:
    from gough.dynamics.reactions import joint_links

    layout, mechanism = model.layout, model.mechanism
    v, drives, units = layout.v_names, layout.drive_names, units_of(model)
    force = {"f": "N", "m": "N m"}
    table: dict[str, list[Entry]] = {
        "M": [(f"{a} {b}", "") for a, b in product(v, v)],
        "h": [(n, FORCE.get(u, "")) for n, u in zip(v, units.v, strict=True)],
        "g": [(n, FORCE.get(u, "")) for n, u in zip(v, units.v, strict=True)],
        "eddot": [(f"d/dt {n}", f"{u}2") for n, u in zip(v, units.v, strict=True)][layout.mobility :],
        "S": [(f"{a} {d}", "") for a, d in product(v, drives)],
        "qdot": [(f"d/dt {n}", f"{u}/s") for n, u in zip(layout.q_names, units.q, strict=True)],
        "u": list(zip(layout.u_names, units.u, strict=True)),
        "ud": [(f"d/dt {n}", f"{u}2") for n, u in zip(layout.u_names, units.u, strict=True)],
        "joints": [(f"{mechanism.links[i].joint} {w}", force[w[0]]) for i in joint_links(mechanism) for w in WRENCH],
        "cuts": [(f"{c.name} {w}", force[w[0]]) for c in mechanism.cuts for w in WRENCH],
        "twist": [(n, "m/s" if n[0] == "v" else "rad/s") for n in TWIST],
    }
    return table.get(slot, [])
