"""The test driver: a small program that compares an exported function with reference values."""

from collections.abc import Sequence

import numpy as np

from gough.backends.c import Listing
from gough.backends.c.design import wrapped
from gough.backends.c.words import number
from gough.export.references import References


def driver(listing: Listing, references: References) -> str:
    """Text of NAME_test.c: main returns 0 where the function gives the reference values, 1 where it does not.

    With a number n as its argument, it also prints the time of a call: that of the fastest of some slices of n calls, which
    take the states in turn.
    """
    name, signature = listing.name, listing.signature
    n = len(next(iter(references.outputs.values()), ()))
    calls = [f"{a.word}[i]" for a in signature.varying]
    calls += ["prepared"] if listing.prepared else []
    calls += [f"{a.word}_now" for a in signature.outputs]
    call = f"{name}({', '.join(calls)})"
    lines = [
        f"/* Compares {name} with reference values; returns 0 where all agree. With a number n as its argument it also",
        "   prints the time of a call: that of the fastest of some slices of n calls, which take the states in turn.",
        f"   cc -std=c99 -O2 {name}.c {name}_test.c -lm && ./a.out */",
        f'#include "{name}.h"',
        "",
        "#include <math.h>",
        "#include <stdio.h>",
        "#include <stdlib.h>",
        "#include <time.h>",
        "",
        f"enum {{ STATES = {n}, SLICES = 20 }};",
        "",
        *tables(listing, references),
        "int main(int argc, char **argv) {",
        "    int wrong = 0;",
        "    double worst = 0.0;",
        *[f"    double {a.word}_now[{a.slot.size}];" for a in signature.outputs],
        *prepared_lines(listing),
        "    for (int i = 0; i < STATES; ++i) {",
        f"        const uint64_t status = {call};",
        "        if (status != 0) {",
        "            ++wrong;",
        f"            for (int k = 0; k < {listing.upper}_CHECKS; ++k) {{",
        "                if (status >> k & 1) {",
        f'                    printf("state %d: %s\\n", i, {name}_check_names[k]);',
        "                }",
        "            }",
        "        }",
    ]
    for a in signature.outputs:
        lines += comparison(a.word, a.slot.size, f"{a.word}_now")
    lines += [
        "    }",
        f'    printf("{name}: %d states, %d wrong, largest difference %.3g of its tolerance\\n", STATES, wrong, worst);',
        "    if (argc > 1) {",
        "        const long calls = atol(argv[1]);",
        "        double least = 1e30;",
        "        for (int slice = 0; slice < SLICES; ++slice) {",
        "            const clock_t start = clock();",
        "            for (long j = 0; j < calls / SLICES; ++j) {",
        "                const int i = (int)(j % STATES);",
        f"                (void){call};",
        "            }",
        "            const double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;",
        "            least = seconds < least ? seconds : least;",
        "        }",
        '        printf("%.1f ns a call\\n", 1e9 * least / (double)(calls / SLICES));',
        "    }",
        "    return wrong != 0;",
        "}",
    ]
    return "\n".join(lines) + "\n"


def tables(listing: Listing, references: References, prefix: str = "static ") -> list[str]:
    """Definitions of inputs, expected outputs and tolerances."""
    lines = []
    for a in listing.signature.varying:
        lines += _table(f"{prefix}const double {a.word}[STATES][{a.slot.size}]", references.inputs[a.slot.name])
    for a in listing.signature.outputs:
        lines += _table(
            f"{prefix}const double {a.word}_expected[STATES][{a.slot.size}]", references.outputs[a.slot.name]
        )
        lines += _table(f"{prefix}const double {a.word}_tolerance[STATES]", references.tolerances[a.slot.name])
    return lines


def _table(head: str, values: np.ndarray) -> list[str]:
    if values.ndim == 1:
        return [f"{head} = {{", *wrapped([number(float(x)) for x in values]), "};", ""]
    rows: list[str] = []
    for row in values:
        inside = wrapped([number(float(x)) for x in row])
        rows += [f"    {{{inside[0].strip()}", *(f"     {line.strip()}" for line in inside[1:])]
        rows[-1] = rows[-1].rstrip(",") + "},"
    return [f"{head} = {{", *rows, "};", ""]


def prepared_lines(listing: Listing) -> Sequence[str]:
    """Statements that prepare the shipped design."""
    if not listing.prepared:
        return []
    designs = ", ".join(f"{listing.name}_{a.word}" for a in listing.signature.uniform)
    return [
        f"    double prepared[{listing.prepared}];",
        f"    if ({listing.name}_prepare({designs}, prepared) != 0) {{",
        f'        printf("{listing.name}: the design is refused\\n");',
        "        return 1;",
        "    }",
    ]


def comparison(word: str, size: int, now: str) -> list[str]:
    """Statements that compare the output `now` of state i with its reference."""
    return [
        f"        for (int k = 0; k < {size}; ++k) {{",
        f"            const double difference = fabs({now}[k] - {word}_expected[i][k]);",
        f"            if (!(difference <= {word}_tolerance[i])) {{",
        "                ++wrong;",
        f'                printf("state %d: {word}[%d] = %.17g, expected %.17g\\n", i, k, {now}[k], {word}_expected[i][k]);',
        f"            }} else if (difference > worst * {word}_tolerance[i]) {{",
        f"                worst = difference / {word}_tolerance[i];",
        "            }",
        "        }",
    ]
