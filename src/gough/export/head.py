"""The comment at the top of an exported header: what it computes, counts, and every entry of inputs and outputs."""

import textwrap
from collections.abc import Mapping

import gough
from gough.backends.c import Listing
from gough.backends.c.signature import Argument
from gough.export.entries import entries
from gough.export.subject import Subject, read_positions

WIDTH = 110


def head_lines(subject: Subject, listing: Listing, build: str) -> list[str]:
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
    lines += [*textwrap.wrap(build, WIDTH), ""]
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


def _counts(listing: Listing) -> list[str]:
    lines = textwrap.wrap(f"Operations of a state: {_counted(listing.operations)}.", WIDTH)
    if listing.prepared:
        lines += textwrap.wrap(f"Operations of a design: {_counted(listing.design_operations)}.", WIDTH)
    return lines


def _counted(operations: Mapping[str, int]) -> str:
    return ", ".join(f"{what} {n}" for what, n in operations.items() if n) or "none"


def _unit(argument: Argument) -> str:
    shape = argument.slot.shape
    grid = f", {shape[0]} rows of {argument.slot.size // shape[0]}" if len(shape) > 1 else ""
    return f" [{argument.slot.unit}]{grid}" if argument.slot.unit else grid


def _entries(subject: Subject, argument: Argument) -> list[str]:
    rows = entries(subject.model, argument.slot)
    if len(rows) == 1 and rows[0][0] == argument.slot.name:
        return []
    return [f"     {k:3d} {name}{f' [{unit}]' if unit else ''}" for k, (name, unit) in enumerate(rows)]


def _design(subject: Subject, argument: Argument) -> list[str]:
    """Parameters that are read, one a line; structural ones and those this function does not read, as lists."""
    rows = entries(subject.model, argument.slot)
    read = {p - argument.offset for p in read_positions(subject.program)}
    fixed = {p - argument.offset: f.value for p, f in subject.fixed.items()}
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
