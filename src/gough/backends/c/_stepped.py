"""A controller in C: a program of one sample between a state that the caller owns and a step of fixed cost.

    void     NAME_init(NAME_state *state)                         to the begin
    uint64_t NAME_step(NAME_state *state, readings…, command)      one sample; a bit for every check that fails

Nothing is allocated, nothing static changes, every loop has a bound that is known. A sample that fails leaves what the law
remembers as it was, and commands are those of the sample before; rates at the next one are those that are remembered, as its
reading may differ from a wrong one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil, log2

import numpy as np

from gough.backends._cfamily import C, wrap_entries
from gough.backends.c._precision import single_precision
from gough.backends.c._sines import with_own_sines
from gough.backends.c._source import head_comment
from gough.backends.c.listing import Listing, StatusBits, prototype
from gough.errors import Failure

Vector = np.ndarray
AFTER = "_after"
"""Ends the name of an output that is a cell of the memory from then on."""
ON_ITS_WAY = """ Bits of the estimate are about its way to
   the next sample: the commands are those of this one, the estimate stays where it is."""
NEAR = 1e-12
"""Of 1 s and of a time: a piece of the motion begins where it is so near."""


@dataclass(frozen=True, eq=False)
class SteppedFrame:
    """What stands around the program of a sample. period (s). inputs: {name: size} of what `NAME_step` is given. seen, cells:
    {name: first values} of the memory, the first of which goes on where a sample fails. commands: how many. waits: see
    `LawSample`. pieces: rows (begin, end, origin, numbers…) of a motion, None without one. on_the_way: commands that arrive late:
    (whole periods, whether less than one is left). substeps, substep (s): of the estimate. precision: "double" or "single"."""

    period: float
    inputs: Mapping[str, int]
    seen: Mapping[str, Vector]
    cells: Mapping[str, Vector]
    commands: int
    waits: tuple[int, ...]
    pieces: Vector | None
    on_the_way: tuple[int, bool]
    substeps: tuple[int, int]
    substep: float
    precision: str = "double"

    @property
    def real(self) -> str:
        """The type of numbers."""
        return "float" if self.precision == "single" else "double"

    def number(self, x: float) -> str:
        """A number in this precision."""
        text = C.number(float(x))
        return single_precision(text) if self.precision == "single" else text

    @property
    def sent(self) -> int:
        """Commands that are remembered for the estimate."""
        return self.on_the_way[0] + 1 + self.on_the_way[1]


@dataclass(frozen=True, eq=False)
class SteppedText:
    """The texts of a controller. name: of its functions. sample, rates: the listings of its programs; head: lines of the comment
    at the top of the header."""

    name: str
    frame: SteppedFrame
    sample: Listing
    rates: Listing | None
    head: Sequence[str]

    @property
    def upper(self) -> str:
        """Prefix of the constants."""
        return self.name.upper()

    @property
    def failures(self) -> tuple[Failure, ...]:
        """Of all bits, those of the estimate's rates behind those of the sample."""
        own = self.sample.bits.failures
        return (
            own
            if self.rates is None
            else (*own, *(replace(f, place=f"{f.place} (estimate)") for f in self.rates.bits.failures))
        )

    @property
    def bits(self) -> StatusBits:
        """Bits of the status."""
        return StatusBits(self.failures)

    def header(self) -> str:
        """Text of NAME.h."""
        name, frame, real = self.name, self.frame, self.frame.real
        sizes = {**frame.inputs, "command": frame.commands}
        rows = [f"    {self.upper}_{word.upper()}_SIZE = {n}" for word, n in sizes.items()]
        cells = [f"    {real} {word}[{len(x)}];" for word, x in (*frame.seen.items(), *frame.cells.items())]
        sent = [f"    {real} sent[{frame.sent * frame.commands}];"] if self.rates else []
        guard = f"{self.upper}_H"
        lines = [
            *head_comment(self.head),
            *[f"#ifndef {guard}", f"#define {guard}", "", "#include <stdint.h>", ""],
            *["#ifdef __cplusplus", 'extern "C" {', "#endif", ""],
            *["/* Lengths of the arrays. */", "enum {", ",\n".join(rows), "};", ""],
            "/* Time between samples (s). */",
            f"#define {self.upper}_PERIOD {C.number(frame.period)}",
            "",
            "/* Status: bit number of each check that failed, (status >> NAME) & 1; 0 where all hold. */",
            *self.bits.enumeration(self.upper),
            "",
            "/* Texts of the bits, in their order. */",
            f"extern const char *const {name}_check_names[{len(self.bits.bit_rows())}];",
            "",
            "/* All that is remembered. count: samples so far; flags: all bits that were ever set; failed: samples that failed",
            "   one after the other, up to now. */",
            "typedef struct {",
            "    uint64_t count;",
            "    uint64_t flags;",
            "    uint64_t failed;",
            f"    {real} command[{frame.commands}];",
            *cells,
            *sent,
            f"}} {name}_state;",
            "",
            "/* To the begin: the next sample is the first one. */",
            f"void {name}_init({name}_state *state);",
            "",
            "/* One sample; call it every period. Where its status is not 0 the commands are those of the sample before (0 at",
            "   the first one), and of what is remembered only the readings go on."
            + (ON_ITS_WAY if self.rates is not None else "")
            + " */",
            f"{self._step_prototype()};",
            "",
            *["#ifdef __cplusplus", "}", "#endif", "", "#endif"],
        ]
        return "\n".join(lines) + "\n"

    def source(self) -> str:
        """Text of NAME.c."""
        name, frame = self.name, self.frame
        support = list(self.sample.support) + ([] if self.rates is None else list(self.rates.support))
        parts: list[str] = []
        for listing in (self.sample, self.rates):
            if listing is not None:
                parts += [*listing.bits.enumeration(listing.upper), ""]
        for piece in dict.fromkeys(support):
            parts += [piece, ""]
        for listing in (self.sample, self.rates):
            if listing is not None:
                parts += [f"static {listing.state_prototype()} {{", *listing.state, "}", ""]
        text = "\n".join(parts)
        text = with_own_sines(single_precision(text) if frame.precision == "single" else text, frame.precision)
        lines = [
            f'#include "{name}.h"',
            "",
            "#include <math.h>",
            *(["#include <string.h>"] if "memcpy" in text else []),
            "",
            *self.bits.table(name),
            "",
            text,
            *self._tables(),
            *self._init(),
            "",
            *(self._follow() if self.rates is not None else []),
            *self._step(),
        ]
        return "\n".join(lines) + "\n"

    def _step_prototype(self) -> str:
        real = self.frame.real
        ins = [f"const {real} {word}[{n}]" for word, n in self.frame.inputs.items()]
        return prototype(
            "uint64_t",
            f"{self.name}_step",
            [f"{self.name}_state *state", *ins, f"{real} command[{self.frame.commands}]"],
        )

    # ---------------------------------------------------------------- tables

    def _tables(self) -> list[str]:
        frame, lines = self.frame, []
        for word, values in (*frame.seen.items(), *frame.cells.items()):
            lines += self._table(f"first_{word}", values)
        if frame.pieces is not None:
            begins, _, origins = frame.pieces[:, :3].T
            lines += self._table("begins", begins - NEAR * (1.0 + np.abs(begins)), "double")
            lines += self._table("origins", origins, "double")
            rows = frame.pieces[:, 3:]
            lines.append(f"static const {frame.real} pieces[{len(rows)}][{rows.shape[1]}] = {{")
            for row in rows:
                lines += ["    {", *wrap_entries([frame.number(x) for x in row]), "    },"]
            lines += ["};", ""]
        return lines

    def _table(self, word: str, values: Vector, kind: str = "") -> list[str]:
        own = kind or self.frame.real
        number = C.number if own == "double" else self.frame.number
        head = f"static const {own} {word}[{len(values)}] = {{"
        return [head, *wrap_entries([number(float(x)) for x in values]), "};", ""]

    # ---------------------------------------------------------------- functions

    def _init(self) -> list[str]:
        frame = self.frame
        zero = frame.number(0.0)
        lines = [
            f"void {self.name}_init({self.name}_state *state) {{",
            "    state->count = 0U;",
            "    state->flags = 0U;",
            "    state->failed = 0U;",
            *_loop("k", frame.commands, [f"state->command[k] = {zero};"]),
        ]
        for word, x in (*frame.seen.items(), *frame.cells.items()):
            lines += _loop("k", len(x), [f"state->{word}[k] = first_{word}[k];"])
        if self.rates is not None:
            lines += _loop("k", frame.sent * frame.commands, [f"state->sent[k] = {zero};"])
        return [*lines, "}"]

    def _follow(self) -> list[str]:
        assert self.rates is not None
        frame, real = self.frame, self.frame.real
        n, m, rates = len(frame.cells["estimate"]), frame.commands, f"{self.name}_rates"
        half, whole = frame.number(0.5 * frame.substep), frame.number(frame.substep)
        sixth, third = frame.number(1.0 / 6.0), frame.number(1.0 / 3.0)
        total = f"({sixth} * k1[k] + {third} * k2[k] + {third} * k3[k] + {sixth} * k4[k])"
        inner = [
            f"status |= {rates}(estimate, held, k1);",
            *_loop("k", n, [f"x[k] = estimate[k] + {half} * k1[k];"], 0),
            f"status |= {rates}(x, held, k2);",
            *_loop("k", n, [f"x[k] = estimate[k] + {half} * k2[k];"], 0),
            f"status |= {rates}(x, held, k3);",
            *_loop("k", n, [f"x[k] = estimate[k] + {whole} * k3[k];"], 0),
            f"status |= {rates}(x, held, k4);",
            *_loop("k", n, [f"estimate[k] += {total} * {whole};"], 0),
        ]
        return [
            f"/* The estimate after some classical Runge-Kutta steps of {frame.substep:g} s with the forces that are held. */",
            prototype(
                "static uint64_t",
                f"{self.name}_follow",
                [f"{real} estimate[{n}]", f"const {real} held[{m}]", "int steps"],
            )
            + " {",
            "    uint64_t status = 0U;",
            "    for (int step = 0; step < steps; ++step) {",
            f"        {real} x[{n}], k1[{n}], k2[{n}], k3[{n}], k4[{n}];",
            *[f"        {line}" for line in inner],
            "    }",
            "    return status;",
            "}",
            "",
        ]

    def _step(self) -> list[str]:
        frame, name, real = self.frame, self.name, self.frame.real
        one, zero = frame.number(1.0), frame.number(0.0)
        read = {a.slot.name for a in self.sample.signature.varying}
        needs_piece, needs_time = "piece" in read or "since" in read, read & {"time", "since", "piece"}
        lines = [f"{self._step_prototype()} {{", f"    {name}_state next = *state;"]
        if needs_time:
            lines.append(f"    const double now = (double)state->count * {self.upper}_PERIOD;")
        if needs_piece and frame.pieces is not None:
            lines += self._piece(len(frame.pieces))
        lines += [f"    const {real} time[1] = {{({real})now}};"] if "time" in read else []
        lines += [f"    const {real} since[1] = {{({real})(now - origins[at])}};"] if "since" in read else []
        if "first" in read:
            lines.append(f"    const {real} first[1] = {{state->count == 0U ? {one} : {zero}}};")
        if "waits" in read:
            entries = ", ".join(f"waiting || state->count <= {x}U ? {one} : {zero}" for x in frame.waits)
            lines.append("    const int waiting = state->failed != 0U;")
            lines.append(f"    const {real} waits[{len(frame.waits)}] = {{{entries}}};")
        words = [self._input_word(a.slot.name) for a in self.sample.signature.varying]
        words += [f"next.{a.slot.name.removesuffix(AFTER)}" for a in self.sample.signature.outputs]
        unread = [word for word in frame.inputs if word not in read]
        lines += [f"    (void){word};" for word in unread]
        lines += [
            f"    {'const ' if self.rates is None else ''}uint64_t status = {name}_sample({', '.join(words)});",
            "    if (status != 0U) {",
            *(self._recover()),
            "    }",
            *([] if self.rates is None else self._go_on()),
            "    next.count = state->count + 1U;",
            "    next.flags = state->flags | status;",
            "    next.failed = status != 0U ? state->failed + 1U : 0U;",
            *_loop("k", frame.commands, ["command[k] = next.command[k];"]),
            "    *state = next;",
            "    return status;",
            "}",
        ]
        return lines

    def _recover(self) -> list[str]:
        name, seen = self.name, self.frame.seen
        if not seen:
            return ["        next = *state;"]
        lines = [f"        const {name}_state tried = next;", "        next = *state;"]
        for word, x in seen.items():
            body = [f"if (isfinite(tried.{word}[k])) {{", f"    next.{word}[k] = tried.{word}[k];", "}"]
            lines += _loop("k", len(x), body, 8)
        return lines

    def _go_on(self) -> list[str]:
        """The estimate until the next sample, with commands as they arrive."""
        frame = self.frame
        m, n, (whole, part) = frame.commands, len(frame.cells["estimate"]), frame.on_the_way
        size, real = frame.sent * frame.commands, self.frame.real
        older = f"state->count == 0U ? next.command[k % {m}] : state->sent[k - {m}]"
        lines = _loop("k", m, ["next.sent[k] = next.command[k];"])
        if size > m:
            lines += [f"    for (int k = {m}; k < {size}; ++k) {{", f"        next.sent[k] = {older};", "    }"]
        before, after = frame.substeps
        lines += [
            f"    {real} kept[{n}];",
            *_loop("k", n, ["kept[k] = next.estimate[k];"]),
            "    uint64_t going = 0U;",
        ]
        if part:
            lines.append(f"    going |= {self.name}_follow(next.estimate, next.sent + {(whole + 1) * m}, {before});")
        at = f" + {whole * m}" if whole else ""
        lines += [
            f"    going |= {self.name}_follow(next.estimate, next.sent{at}, {after});",
            "    if (going != 0U) {",
            *_loop("k", n, ["next.estimate[k] = kept[k];"], 8),
            f"        status |= {self._shifted('going')};",
            "    }",
        ]
        return lines

    def _shifted(self, word: str) -> str:
        """Bits of the rates behind those of the sample."""
        own = len(self.sample.bits.bit_rows())
        assert self.rates is not None
        if own + len(self.rates.bits.bit_rows()) <= 64:
            return f"{word} << {own}"
        return f"UINT64_C(1) << {min(own, 63)}"

    def _piece(self, count: int) -> list[str]:
        """Which piece of the motion is now: as many halvings as there can be."""
        return [
            "    int at = 0;",
            f"    int behind = {count};",
            f"    for (int k = 0; k < {max(ceil(log2(count)), 1)}; ++k) {{",
            "        const int middle = (at + behind) / 2;",
            "        if (now >= begins[middle]) {",
            "            at = middle;",
            "        } else {",
            "            behind = middle;",
            "        }",
            "    }",
        ]

    def _input_word(self, slot: str) -> str:
        if slot == "last_command":
            return "state->command"
        if slot == "piece":
            return "pieces[at]"
        if slot in self.frame.seen or slot in self.frame.cells:
            return f"state->{slot}"
        return slot


def _loop(word: str, count: int, body: Sequence[str], indent: int = 4) -> list[str]:
    pad = " " * indent
    return [f"{pad}for (int {word} = 0; {word} < {count}; ++{word}) {{", *(f"{pad}    {x}" for x in body), f"{pad}}}"]
