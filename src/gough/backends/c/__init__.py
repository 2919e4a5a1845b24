"""C99 text of programs: readable, self-contained, without allocation; the same text serves CUDA.

`flat` writes plain statements, `_lanes` loops over what is done alike, `_parts` long programs in parts, with large blocks as
loops; all give a `listing` of pieces, with what depends on the design alone. `_source` puts the pieces into files, `_driver`
writes the program that tests them.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from gough.backends._cfamily import checked_identifier, identifier
from gough.backends.backend import Backend
from gough.backends.c._driver import Expected, cuda_driver, driver
from gough.backends.c._lanes import rolled_listing
from gough.backends.c._looping import LONG, LONGEST
from gough.backends.c._parts import parts_listing
from gough.backends.c._precision import with_single_eliminations
from gough.backends.c._sines import with_own_sines
from gough.backends.c._source import cuda_header, cuda_source, header, source
from gough.backends.c._stepped import SteppedFrame, SteppedText
from gough.backends.c._stepped_driver import Recording, stepped_driver
from gough.backends.c.flat import flat_listing
from gough.backends.c.listing import Fixed, Listing
from gough.program.program import Program

__all__ = [
    "BACKEND",
    "Fixed",
    "Listing",
    "flat_listing",
    "header",
    "parts_listing",
    "rolled_listing",
    "source",
    "with_own_sines",
    "write_files",
]


def write_files(
    program: Program,
    about: Callable[[Listing], tuple[list[str], Expected | None]],
    *,
    language: str = "c",
    name: str | None = None,
    title: str = "",
    loops: str = "flat",
    fixed: Mapping[int, Fixed] | None = None,
    defaults: Mapping[str, np.ndarray] | None = None,
    checks: bool = True,
    baked: bool = False,
) -> dict[str, str] | None:
    """{file: text} of a program; None where the loops that are asked for are not found, or do not pay.

    about: (lines of the comment at the top, reference values for the test driver, None for no driver) of a listing.
    language: "c" or "cuda". name: of the function, default made from `title`. loops: "flat" for plain statements in one
    function, "plain" for parts where there are many, "blocks" for large blocks as loops, "loops" over what is done alike, "auto"
    where they are expected to be faster.
    Others: see `flat_listing` and `rolled_listing`.
    """
    word = identifier(title) if name is None else checked_identifier(name)
    listing = None
    if loops in ("blocks", "plain"):
        listing = parts_listing(program, word, fixed, defaults, checks, LONGEST if loops == "blocks" else LONG)
    if loops == "flat" or (loops == "plain" and listing is None):
        listing = flat_listing(program, word, fixed, defaults, checks)
    elif loops in ("loops", "auto"):
        listing = rolled_listing(program, word, fixed, defaults, checks, baked, paying=loops == "auto")
    if listing is None:
        return None
    head, expected = about(listing)
    listing = replace(listing, head=head)
    if language == "cuda":
        texts = {f"{word}.cuh": cuda_header(listing), f"{word}.cu": cuda_source(listing)}
        return texts if expected is None else texts | {f"{word}_test.cu": cuda_driver(listing, expected)}
    texts = {f"{word}.h": header(listing), f"{word}.c": source(listing)}
    return texts if expected is None else texts | {f"{word}_test.c": driver(listing, expected)}


def write_stepped(
    sample: Program,
    frame: Mapping[str, Any],
    about: Callable[[Listing, Listing | None], tuple[list[str], dict[str, Any]]],
    *,
    name: str,
    rates: Program | None = None,
) -> dict[str, str]:
    """{file: text} of a controller: a state of the caller's and a step, around the program of a sample and, of an observer, that
    of its estimate's rates. frame: as `SteppedFrame` has it; about: (lines of the comment at the top, samples for the test driver
    as `Recording` has them) of their listings."""
    word = checked_identifier(name)
    around = SteppedFrame(**frame)
    made = _long_listing(sample, f"{word}_sample", around.precision)
    other = None if rates is None else _long_listing(rates, f"{word}_rates", around.precision)
    head, recording = about(made, other)
    text = SteppedText(word, around, made, other, head)
    return {
        f"{word}.h": text.header(),
        f"{word}.c": text.source(),
        f"{word}_test.c": stepped_driver(word, around, Recording(**recording)),
    }


def _long_listing(program: Program, name: str, precision: str) -> Listing:
    """Large blocks as loops, long texts in parts, else one function."""
    if precision == "single":
        program = with_single_eliminations(program)
    found = parts_listing(program, name, least=LONGEST) or parts_listing(program, name, least=LONG)
    return flat_listing(program, name) if found is None else found


class CBackend(Backend):
    """compile: the files of a program, see `write_files`; of a controller, where there is a frame: `write_stepped`."""

    name = "c"

    def compile(self, program: Program, **options: Any) -> dict[str, str] | None:
        """{file: text}."""
        return write_stepped(program, **options) if "frame" in options else write_files(program, **options)


BACKEND = CBackend()
