"""Writing a law on a clock as a controller in C: sensors in, forces out, one step a sample."""

import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gough
from gough.arguments import a_law, a_model, a_motion, checked, design, folder, number, numbers, word
from gough.compilation.service import compile_program
from gough.errors import UsageError
from gough.export._head import WIDTH
from gough.export._recording import record_samples
from gough.files import write_files
from gough.simulation.control.law import Law
from gough.simulation.motion.motion import Motion
from gough.simulation.run.law_sample import AFTER, LawSample
from gough.simulation.run.sampled_reference import Entries
from gough.simulation.run.settings import RunSettings
from gough.simulation.run.setup import settle

if TYPE_CHECKING:
    from gough.backends.c.listing import Listing
    from gough.model import Model

REFERENCES = ("motion", "input")
PRECISIONS = ("double", "single")
BUILD = (
    "Compile as C99 and link with libm: cc -std=c99 -O2 -c NAME.c. Not with -ffast-math: the status relies on NaN. With "
    "-ffp-contract=off all numbers but those of atan2 are the same on every machine, to the last bit. Nothing is allocated, no "
    "global changes, every loop has a bound that is known; one state may be stepped by one thread at a time."
)


@checked(
    model=a_model,
    law=a_law,
    folder=folder,
    motion=a_motion | word,
    name=word,
    reference=word,
    precision=word,
    step=number(above=0),
    q=numbers,
    v=numbers,
    start=word,
    smoothing=word | numbers,
    parameters=design,
)
def export_law(
    model: "Model",
    law: Law,
    folder: str | Path = ".",
    *,
    motion: Motion | str | None = None,
    name: str | None = None,
    reference: str = "motion",
    precision: str = "double",
    step: float | None = None,
    q: Any = None,
    v: Any = None,
    start: str = "given",
    smoothing: Any = "auto",
    parameters: Any = None,
) -> list[Path]:
    """Write a law on a clock as a controller in C; returns the files, the header first.

    law: `gough.laws.Sampled(law, period, sensors=…, observer=…)`. What its sensors measure is given to NAME_step at every sample,
    without sensors q and v. motion: what it follows; reference: "motion", it is compiled in, or "input": the reference is given
    at every sample, of the kind of this motion. name: of the functions, default ROBOT_controller. precision: "double" or
    "single". step (s): of the observer's estimate between samples, as of `gough.simulate` with method "rk4". q, v, start,
    smoothing, parameters: as `gough.simulate` takes them; the controller begins where the robot would.
    """
    return write_files(
        {
            Path(folder) / file: text
            for file, text in law_texts(
                sampled_law(model, law, motion, reference, precision, step, q, v, start, smoothing, parameters), name
            ).items()
        }
    )


def sampled_law(
    model: "Model",
    law: Law,
    motion: Motion | str | None = None,
    reference: str = "motion",
    precision: str = "double",
    step: float | None = None,
    q: Any = None,
    v: Any = None,
    start: str = "given",
    smoothing: Any = "auto",
    parameters: Any = None,
) -> LawSample:
    """The programs of a law, as `export_law` writes them."""
    for key, given, known in (("reference", reference, REFERENCES), ("precision", precision, PRECISIONS)):
        if given not in known:
            raise UsageError(f"{key}={given!r}; use {' or '.join(map(repr, known))}")
    duration = 1.0 if motion is None else None
    more = {} if step is None else {"step": step}
    settings = RunSettings.of(motion, law, duration, "rk4", start=start, smoothing=smoothing, check="off", **more)
    setup = settle(model, settings, q, v, None, parameters)
    return LawSample(setup, reference == "motion", precision)


def law_texts(law: LawSample, name: str | None = None) -> dict[str, str]:
    """{file name: text}: header, source, test driver."""
    sample, rates = law.sample_program, law.rates_program
    kept = {slot.name.removesuffix(AFTER) for slot in sample.outputs if slot.name.endswith(AFTER)}
    kept |= {slot.name for slot in sample.inputs}  # what stays as it was at the begin
    inputs = (*law.readings, *(() if law.follows else law.reference.entries))
    frame = {
        "period": law.period,
        "inputs": {x.name: x.size for x in inputs},
        "seen": {key: x for key, x in law.seen_memory.items() if key in kept},
        "cells": {key: x for key, x in law.law_memory.items() if key in kept},
        "commands": law.commands.size,
        "waits": law.waits,
        "pieces": law.reference.pieces if law.follows else None,
        "on_the_way": law.on_the_way,
        "substeps": law.substeps,
        "substep": law.substep,
        "precision": law.precision,
    }
    word = name or _plain(f"{law.setup.model.robot.name}_controller")

    def about(listing: "Listing", other: "Listing | None") -> tuple[list[str], dict[str, Any]]:
        return _head(law, inputs, listing, other, word), record_samples(law, list(frame["inputs"]))

    return compile_program(sample, "c", frame=frame, about=about, name=word, rates=rates)


def _plain(text: str) -> str:
    return "".join(c if c.isascii() and c.isalnum() else "_" for c in text)


def _head(
    law: LawSample, inputs: tuple[Entries, ...], listing: "Listing", other: "Listing | None", name: str
) -> list[str]:
    """Lines of the comment at the top."""
    of = law.law.of
    around = [x.name for x in law.law.sensors] + ([] if of.observer is None else [of.observer.name])
    lines = [
        f"{law.setup.model.robot.name}: {of.law.name} every {law.period:g} s"
        + (f", with {', '.join(around)}" if around else ""),
        "",
        f"Written by gough {gough.__version__}; change law or robot and write it again rather than this text.",
    ]
    lines += ["", *textwrap.wrap(f"Operations of a sample: {_counted(listing)}.", WIDTH)]
    if other is not None:
        n = 4 * sum(law.substeps)
        lines += textwrap.wrap(f"Then {n} times for the estimate: {_counted(other)}.", WIDTH)
    stack = listing.stack + (0 if other is None else other.stack)
    if stack:
        size = 4 if law.precision == "single" else 8
        lines.append(f"Values between the parts of the text stand on the stack: {stack * size} bytes.")
    if of.delay:
        lines += textwrap.wrap(f"Commands are made to arrive {of.delay:g} s after their sample.", WIDTH)
    lines += ["", *textwrap.wrap(BUILD.replace("NAME", name), WIDTH, break_on_hyphens=False), ""]
    lines.append(f"All arrays are {law.precision} precision, SI units; world axes unless a name says otherwise.")
    for kind, several in (("in ", inputs), ("out", (law.commands,))):
        for x in several:
            lines += ["", f"{kind}  {x.name}[{x.size}]"]
            lines += [f"     {k:3d} {entry}{f' [{unit}]' if unit else ''}" for k, (entry, unit) in enumerate(x.rows)]
    return [line.rstrip() for line in lines]


def _counted(listing: "Listing") -> str:
    return ", ".join(f"{what} {n}" for what, n in listing.operations.items() if n) or "none"
