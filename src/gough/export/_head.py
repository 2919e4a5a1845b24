"""The comment at the top of an exported header: what it computes, counts, and every entry of inputs and outputs."""

import textwrap
from collections.abc import Mapping
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

import gough
from gough.export.subject import ExportSubject, read_positions
from gough.joints import ALL
from gough.program import Slot
from gough.simulation.coordinates import MASS_NORMALISED, units_of

if TYPE_CHECKING:
    from gough.backends.c.listing import Argument, Listing
    from gough.model import Model

WIDTH = 110


def head_lines(subject: ExportSubject, listing: "Listing", build: str) -> list[str]:
    """Lines of the head; build: how the text is compiled."""
    model, options = subject.model, subject.options
    left_out = [
        w
        for w, kept in (("friction", options.friction), ("wrench", options.wrench), ("checks", options.checks))
        if not kept
    ]
    lines = [f"{model.robot.name}: {subject.function}", ""]
    lines += [
        f"Written by gough {gough.__version__}; change the robot's description and write it again rather than this text."
    ]
    if left_out:
        lines.append(f"Left out: {', '.join(left_out)}.")
    lines.append(
        "Parameters are numbers in the code." if options.baked else "Parameters are an input: prepare a design once."
    )
    if subject.held:
        lines += textwrap.wrap(f"A derivative at which these are held: {', '.join(subject.held)}.", WIDTH)
    lines += ["", *_counts(listing), ""]
    lines += [*textwrap.wrap(build, WIDTH, break_on_hyphens=False), ""]  # flags stay whole
    lines += [
        "All arrays are double precision, matrices row by row; SI units; world axes unless a name says otherwise."
    ]
    for argument in listing.signature.varying:
        lines += ["", f"in   {argument.word}[{argument.slot.size}]{_unit(argument)}", *_entries(subject, argument)]
    for argument in listing.signature.outputs:
        lines += ["", f"out  {argument.word}[{argument.slot.size}]{_unit(argument)}", *_entries(subject, argument)]
    for argument in listing.signature.uniform:
        lines += ["", *_design(subject, argument)]
    return [line.rstrip() for line in lines]


def _counts(listing: "Listing") -> list[str]:
    lines = textwrap.wrap(f"Operations of a state: {_counted(listing.operations)}.", WIDTH)
    if listing.prepared:
        lines += textwrap.wrap(f"Operations of a design: {_counted(listing.design_operations)}.", WIDTH)
    if listing.stack:
        lines.append(f"Values between the parts of the text stand on the stack: {listing.stack * 8} bytes.")
    return lines


def _counted(operations: Mapping[str, int]) -> str:
    return ", ".join(f"{what} {n}" for what, n in operations.items() if n) or "none"


def _unit(argument: "Argument") -> str:
    shape = argument.slot.shape
    grid = f", {shape[0]} rows of {argument.slot.size // shape[0]}" if len(shape) > 1 else ""
    return f" [{argument.slot.unit}]{grid}" if argument.slot.unit else grid


def _entries(subject: ExportSubject, argument: "Argument") -> list[str]:
    rows = entries(subject.model, argument.slot)
    if len(rows) == 1 and rows[0][0] == argument.slot.name:
        return []
    return [f"     {k:3d} {name}{f' [{unit}]' if unit else ''}" for k, (name, unit) in enumerate(rows)]


def _design(subject: ExportSubject, argument: "Argument") -> list[str]:
    """Parameters that are read, one a line; structural ones and those this function does not read, as lists."""
    rows = entries(subject.model, argument.slot)
    read = {p - argument.offset for p in read_positions(subject.program)}
    fixed = {p - argument.offset: value for p, (value, _) in subject.fixed.items()}
    lines = [f"in   {argument.word}[{argument.slot.size}], once a design; read are"]
    lines += [f"     {k:3d} {name}{f' [{unit}]' if unit else ''}" for k, (name, unit) in enumerate(rows) if k in read]
    for title, places in {
        "structural zeros, folded in; a design in which one differs is refused:": [
            k for k, x in fixed.items() if x == 0.0
        ],
        "right angles, likewise:": [k for k, x in fixed.items() if x != 0.0],
        "not read:": [k for k in range(len(rows)) if k not in read and k not in fixed],
    }.items():
        texts = [f"{k} {rows[k][0]}" + (f" = {fixed[k]:.6g}" if fixed.get(k) else "") for k in places]
        if texts:
            text = textwrap.wrap(", ".join(texts), WIDTH - 8, break_on_hyphens=False, break_long_words=False)
            lines += [f"     {title}", *(f"       {x}" for x in text)]
    return lines


# Names and units of the entries of a function's inputs and outputs.

TWIST = ("vx", "vy", "vz", "wx", "wy", "wz")
WRENCH = ("fx", "fy", "fz", "mx", "my", "mz")
FORCE = {"m/s": "N", "rad/s": "N m", f"{MASS_NORMALISED}/s": "N/kg^0.5", "1/s": "N m"}
"""Unit of the force that works along a rate of some unit."""

Entry = tuple[str, str]
"""Name and unit."""


def entries(model: "Model", slot: Slot) -> list[Entry]:
    """(name, unit) of every entry of a slot; the unit is that of the slot where entries have none of their own."""
    known = _inputs(model, slot.name) or _outputs(model, slot.name)
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
    if slot in ("acceleration", "vdot"):  # idle and elastic rates stand last; of the first theirs are found, not given
        end = layout.mobility if slot == "acceleration" else layout.nv
        return _accelerations(model, v[:end])
    if slot == "tau":
        return list(zip(layout.drive_names, layout.drive_units, strict=True))
    if slot == "wrench":
        return [(n, "N" if n[0] == "f" else "N m") for n in WRENCH]
    if slot == "force":
        return [(f"force along {n}", FORCE.get(u, "")) for n, u in v]
    if slot == "parameters":
        turns = {d.key for joint in ALL.values() for d in joint.dimensions if d.per_turn}
        table = zip(mechanism.table.names, mechanism.table.units, strict=True)
        return [(n, f"{u} a turn" if n.rpartition(".")[2] in turns else u) for n, u in table]
    return []


def _accelerations(model: "Model", rates: list[Entry]) -> list[Entry]:
    """Of velocities: one that is called like its coordinate is that coordinate's second derivative."""
    return [(f"{'d2/dt2' if n in model.layout.q_names else 'd/dt'} {n}", f"{u}2") for n, u in rates]


def _outputs(model: "Model", slot: str) -> list[Entry]:
    from gough.dynamics.reactions import joint_links

    layout, mechanism = model.layout, model.mechanism
    v, drives, units = layout.v_names, layout.drive_names, units_of(model)
    force = {"f": "N", "m": "N m"}
    table: dict[str, list[Entry]] = {
        "M": [(f"{a} {b}", "") for a, b in product(v, v)],
        "h": [(n, FORCE.get(u, "")) for n, u in zip(v, units.v, strict=True)],
        "g": [(n, FORCE.get(u, "")) for n, u in zip(v, units.v, strict=True)],
        "idle_acceleration": _accelerations(model, list(zip(v, units.v, strict=True))[layout.idle]),
        "eddot": _accelerations(model, list(zip(v, units.v, strict=True))[layout.rigid :]),
        "S": [(f"{a} {d}", "") for a, d in product(v, drives)],
        "qdot": [(f"d/dt {n}", f"{u}/s") for n, u in zip(layout.q_names, units.q, strict=True)],
        "u": list(zip(layout.u_names, units.u, strict=True)),
        "ud": _accelerations(model, list(zip(layout.u_names, units.u, strict=True))),
        "joints": [(f"{mechanism.links[i].joint} {w}", force[w[0]]) for i in joint_links(mechanism) for w in WRENCH],
        "cuts": [(f"{c.name} {w}", force[w[0]]) for c in mechanism.cuts for w in WRENCH],
        "couplings": [
            (f"{c.name} on {layout.q_names[c.terms[0].q]}", "N" if c.terms[0].slides else "N m")
            for c in mechanism.couplings
        ],
        "teeth": [(c.name, "N") for c in mechanism.couplings if c.radius is not None],
        "twist": [(n, "m/s" if n[0] == "v" else "rad/s") for n in TWIST],
    }
    return table.get(slot, [])
