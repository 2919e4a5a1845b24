"""Header and source of a program: a function of one state, and one that prepares what depends on the design alone.

    int      NAME_prepare(parameters, prepared)         once a design; 0, or 1 + the first input that is not what it must be
    uint64_t NAME(varying inputs…, prepared, outputs…)   once a state; a bit for every check that fails

`prepared` holds the uniform inputs a state needs and what is computed from them. Nothing is allocated, nothing static
changes: both functions may run on many threads at once.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from gough.backends.c.checks import StatusBits
from gough.backends.c.design import wrapped
from gough.backends.c.signature import Signature, prototype
from gough.backends.c.words import comment, number

SIGN = """\
static double sign(double x) {
    return x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : x;
}"""


@dataclass(frozen=True)
class Listing:
    """The pieces of a program's text. head: lines of the comment at the top; prepared: numbers a design gives (0 without
    a design); prepare: body of the function of a design; state: body of the function of a state; support: functions and
    tables it uses; defaults: {word of a uniform slot: numbers}, the design that is shipped; operations, design_operations:
    {kind: number} of a state and of a design."""

    name: str
    signature: Signature
    bits: StatusBits
    state: Sequence[str]
    head: Sequence[str] = ()
    prepared: int = 0
    prepare: Sequence[str] = ()
    support: Sequence[str] = ()
    defaults: Mapping[str, np.ndarray] = field(default_factory=dict)
    operations: Mapping[str, int] = field(default_factory=dict)
    design_operations: Mapping[str, int] = field(default_factory=dict)

    @property
    def upper(self) -> str:
        """Prefix of the constants."""
        return self.name.upper()

    def state_prototype(self) -> str:
        """Head of the function of a state."""
        return prototype("uint64_t", self.name, self.signature.state_arguments(self.prepared))

    def prepare_prototype(self) -> str:
        """Head of the function of a design."""
        return prototype("int", f"{self.name}_prepare", self.signature.design_arguments(self.prepared))


def header(listing: Listing) -> str:
    """Text of NAME.h."""
    guard = f"{listing.upper}_H"
    lines = [
        *head_comment(listing.head),
        f"#ifndef {guard}",
        f"#define {guard}",
        "",
        "#include <stdint.h>",
        "",
        "#ifdef __cplusplus",
        'extern "C" {',
        "#endif",
        "",
        *sizes(listing),
        "",
        *status_comment(),
        *listing.bits.enumeration(listing.upper),
        "",
        "/* Texts of the bits, in their order. */",
        f"extern const char *const {listing.name}_check_names[{len(listing.bits.shown())}];",
        "",
    ]
    if listing.prepared:
        for word, values in listing.defaults.items():
            lines += [
                "/* The design this was written for. */",
                f"extern const double {listing.name}_{word}[{len(values)}];",
                "",
            ]
        lines += [*prepare_comment(), f"{listing.prepare_prototype()};", ""]
    lines += ["/* Outputs of one state; returns its status word. */", f"{listing.state_prototype()};", ""]
    lines += ["#ifdef __cplusplus", "}", "#endif", "", "#endif"]
    return "\n".join(lines) + "\n"


def source(listing: Listing) -> str:
    """Text of NAME.c."""
    lines = [
        f'#include "{listing.name}.h"',
        "",
        "#include <math.h>",
        *(["#include <string.h>"] if any("memcpy" in x for x in listing.support) else []),
        "",
    ]
    lines += [*listing.bits.table(listing.name, ""), ""]
    if listing.prepared:
        lines += default_tables(listing, "")
    for piece in listing.support:
        lines += [piece, ""]
    if listing.prepared:
        lines += [listing.prepare_prototype() + " {", *listing.prepare, "}", ""]
    lines += [listing.state_prototype() + " {", *listing.state, "}"]
    return "\n".join(lines) + "\n"


def head_comment(lines: Sequence[str]) -> list[str]:
    """A comment of several lines; indentation is kept."""
    if not lines:
        return []
    first, *rest = [" " * (len(x) - len(x.lstrip())) + comment(x) for x in lines]
    return [f"/* {first}", *(f"   {x}".rstrip() for x in rest), "*/"]


def sizes(listing: Listing) -> list[str]:
    """Enumeration of the lengths of all arrays."""
    s = listing.signature
    rows = [f"    {listing.upper}_{a.word.upper()}_SIZE = {a.slot.size}" for a in (*s.varying, *s.uniform, *s.outputs)]
    if listing.prepared:
        rows.append(f"    {listing.upper}_PREPARED_SIZE = {listing.prepared}")
    return ["/* Lengths of the arrays. */", "enum {", ",\n".join(rows), "};"]


def status_comment() -> list[str]:
    """What the status word means."""
    return [
        "/* Status: bit number of each check. Outputs are always computed; trust them where the status is 0, and only there.",
        "   A bit is set where its check fails: (status >> NAME) & 1. */",
    ]


def prepare_comment() -> list[str]:
    """What the function of a design does."""
    return [
        "/* Work that is done once a design. Returns 0, or 1 + the position of the first parameter that differs from the",
        "   structural value (a zero, a right angle) this program was made with: `prepared` is then not filled. */",
    ]


def default_tables(listing: Listing, qualifier: str) -> list[str]:
    """Definitions of the designs that are shipped."""
    lines = []
    for word, values in listing.defaults.items():
        head = f"{qualifier}const double {listing.name}_{word}[{len(values)}] = {{"
        lines += [head, *wrapped([number(float(x)) for x in values]), "};", ""]
    return lines
