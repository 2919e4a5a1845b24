"""The test driver: a small program that compares an exported function with reference values."""

from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np

from gough.backends._cfamily import C, wrap_entries
from gough.backends.c.listing import Listing


class Expected(Protocol):
    """Reference values: inputs {slot: (n, size)} of those that vary, outputs {slot: (n, size)}, tolerances {slot: (n,)}."""

    @property
    def inputs(self) -> Mapping[str, np.ndarray]: ...
    @property
    def outputs(self) -> Mapping[str, np.ndarray]: ...
    @property
    def tolerances(self) -> Mapping[str, np.ndarray]: ...


def driver(listing: Listing, references: Expected) -> str:
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


def tables(listing: Listing, references: Expected) -> list[str]:
    """Definitions of inputs, expected outputs and tolerances."""
    lines = []
    for a in listing.signature.varying:
        lines += _table(f"static const double {a.word}[STATES][{a.slot.size}]", references.inputs[a.slot.name])
    for a in listing.signature.outputs:
        lines += _table(
            f"static const double {a.word}_expected[STATES][{a.slot.size}]", references.outputs[a.slot.name]
        )
        lines += _table(f"static const double {a.word}_tolerance[STATES]", references.tolerances[a.slot.name])
    return lines


def _table(head: str, values: np.ndarray) -> list[str]:
    if values.ndim == 1:
        return [f"{head} = {{", *wrap_entries([C.number(float(x)) for x in values]), "};", ""]
    rows: list[str] = []
    for row in values:
        inside = wrap_entries([C.number(float(x)) for x in row])
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


# The same for CUDA: reference values on the host, and on the device where there is one.


def cuda_driver(listing: Listing, references: Expected) -> str:
    """Text of NAME_test.cu: main returns 0 where host and device give the reference values."""
    name, signature = listing.name, listing.signature
    n = len(next(iter(references.outputs.values()), ()))
    outputs = signature.outputs
    calls = [f"{a.word}[i]" for a in signature.varying]
    calls += ["prepared"] if listing.prepared else []
    calls += [f"{a.word}_now[i]" for a in outputs]
    device = [*(a.word for a in signature.varying), *(["prepared"] if listing.prepared else [])]
    lines = [
        f"/* Compares {name} with reference values on the host, and on the device where there is one; returns 0 where all",
        f"   agree.  nvcc {name}.cu {name}_test.cu && ./a.out */",
        f'#include "{name}.cuh"',
        "",
        "#include <stdio.h>",
        "",
        f"enum {{ STATES = {n} }};",
        "",
        *tables(listing, references),
        *[f"static double {a.word}_now[STATES][{a.slot.size}];" for a in outputs],
        "static uint64_t status_now[STATES];",
        "",
        "static int compare(const char *where) {",
        "    int wrong = 0;",
        "    double worst = 0.0;",
        "    for (int i = 0; i < STATES; ++i) {",
        "        if (status_now[i] != 0) {",
        "            ++wrong;",
        '            printf("state %d: status %llx\\n", i, (unsigned long long)status_now[i]);',
        "        }",
    ]
    for a in outputs:
        lines += comparison(a.word, a.slot.size, f"{a.word}_now[i]")
    lines += [
        "    }",
        f'    printf("{name} on the %s: %d states, %d wrong, largest difference %.3g of its tolerance\\n", where, STATES,',
        "           wrong, worst);",
        "    return wrong;",
        "}",
        "",
        "static void *copied(const void *from, size_t bytes) {",
        "    void *to = NULL;",
        "    if (cudaMalloc(&to, bytes) != cudaSuccess) {",
        "        return NULL;",
        "    }",
        "    if (from != NULL) {",
        "        cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice);",
        "    }",
        "    return to;",
        "}",
        "",
        "int main(void) {",
        *prepared_lines(listing),
        "    for (int i = 0; i < STATES; ++i) {",
        f"        status_now[i] = {name}({', '.join(calls)});",
        "    }",
        '    int wrong = compare("host");',
        "    int devices = 0;",
        "    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {",
        '        printf("no device: only the host was compared\\n");',
        "        return wrong != 0;",
        "    }",
        *[f"    double *d_{x} = (double *)copied({x}, sizeof {x});" for x in device],
        *[f"    double *d_{a.word} = (double *)copied(NULL, sizeof {a.word}_now);" for a in outputs],
        "    uint64_t *d_status = (uint64_t *)copied(NULL, sizeof status_now);",
        f"    cudaError_t problem = {name}_batch(STATES, {', '.join(f'd_{x}' for x in [*device, *(a.word for a in outputs)])},",
        "                                     d_status, 0);",
        "    if (problem == cudaSuccess) {",
        "        problem = cudaDeviceSynchronize();",
        "    }",
        "    if (problem != cudaSuccess) {",
        '        printf("device: %s\\n", cudaGetErrorString(problem));',
        "        return 1;",
        "    }",
        *[f"    cudaMemcpy({a.word}_now, d_{a.word}, sizeof {a.word}_now, cudaMemcpyDeviceToHost);" for a in outputs],
        "    cudaMemcpy(status_now, d_status, sizeof status_now, cudaMemcpyDeviceToHost);",
        '    wrong += compare("device");',
        "    return wrong != 0;",
        "}",
    ]
    return "\n".join(lines) + "\n"
