"""Header and source of a program: a function of one state, and one that prepares what depends on the design alone.

    int      NAME_prepare(parameters, prepared)         once a design; 0, or 1 + the first input that is not what it must be
    uint64_t NAME(varying inputs…, prepared, outputs…)   once a state; a bit for every check that fails

`prepared` holds the uniform inputs a state needs and what is computed from them. Nothing is allocated, nothing static
changes: both functions may run on many threads at once. For CUDA the function of a state is
one of host and device, in the header, so that own kernels may call it; beside it stands a kernel of one thread a state.
"""

import re
from collections.abc import Sequence

from gough.backends._cfamily import C, comment, wrap_entries
from gough.backends.c.listing import Listing, prototype

QUALIFIER = "static __host__ __device__ inline"
NOT_INLINED = "static __host__ __device__ __noinline__"
BLOCK = 64
"""Threads of a block of the kernel."""


def header(listing: Listing) -> str:
    """Text of NAME.h."""
    lines = [
        *["#include <stdint.h>", "", "#ifdef __cplusplus", 'extern "C" {', "#endif", ""],
        *declarations(listing),
        *["/* Outputs of one state; returns its status word. */", f"{listing.state_prototype()};", ""],
        *["#ifdef __cplusplus", "}", "#endif", ""],
    ]
    return _guarded(listing, "H", lines)


def source(listing: Listing) -> str:
    """Text of NAME.c."""
    lines = [
        f'#include "{listing.name}.h"',
        "",
        "#include <math.h>",
        *(["#include <string.h>"] if any("memcpy" in x for x in listing.support) else []),
        "",
        *definitions(listing),
    ]
    for piece in listing.support:
        lines += [piece, ""]
    lines += [*prepare_function(listing), listing.state_prototype() + " {", *listing.state, "}"]
    return "\n".join(lines) + "\n"


def cuda_header(listing: Listing) -> str:
    """Text of NAME.cuh: the function of a state in full, so that own kernels may call it, and what the host calls."""
    lines = [
        *["#include <math.h>", "#include <stdint.h>", "", "#include <cuda_runtime.h>", ""],
        *declarations(listing, " (host)"),
        f"/* Outputs of n states, one row a state in every array; `status` has a word a state{_design_words(listing)}.",
        "   All pointers are device memory. */",
        f"{_launcher(listing)};",
        "",
    ]
    for piece in listing.support:
        lines += [_for_device(piece), ""]
    lines += ["/* Outputs of one state; returns its status word. */"]
    lines += [f"{QUALIFIER} {listing.state_prototype()} {{", *listing.state, "}", ""]
    return _guarded(listing, "CUH", lines)


def _for_device(piece: str) -> str:
    """A function or table that the function of a state uses, in the words of CUDA. Parts of a long text stay functions: compilers
    would take minutes for all of them as one."""
    piece = re.sub(r"^static (?=double )", f"{QUALIFIER} ", piece, flags=re.MULTILINE)
    piece = re.sub(r"^static (?=(void|int|uint64_t) )", f"{NOT_INLINED} ", piece, flags=re.MULTILINE)
    return re.sub(r"\brestrict\b", "__restrict__", piece)


def cuda_source(listing: Listing) -> str:
    """Text of NAME.cu."""
    name, signature = listing.name, listing.signature
    lines = [f'#include "{name}.cuh"', "", *definitions(listing), *prepare_function(listing)]
    rows = [f"{a.word} + i * {a.slot.size}" for a in signature.varying]
    rows += ["prepared"] if listing.prepared else []
    rows += [f"{a.word} + i * {a.slot.size}" for a in signature.outputs]
    names = [a.word for a in signature.varying] + (["prepared"] if listing.prepared else [])
    names += [a.word for a in signature.outputs]
    lines += [
        prototype("static __global__ void", f"{name}_kernel", ["int64_t n", *_pointers(listing), "uint64_t *status"])
        + " {",
        "    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;",
        "    if (i < n) {",
        f"        status[i] = {name}({', '.join(rows)});",
        "    }",
        "}",
        "",
        _launcher(listing) + " {",
        f"    const int64_t blocks = (n + {BLOCK - 1}) / {BLOCK};",
        "    if (n == 0) {",
        "        return cudaSuccess;",
        "    }",
        f"    void *arguments[] = {{&n, {', '.join(f'(void *)&{x}' for x in names)}, &status}};",
        f"    const void *kernel = (const void *){name}_kernel;",
        f"    return cudaLaunchKernel(kernel, dim3((unsigned)blocks), dim3({BLOCK}), arguments, 0, stream);",
        "}",
    ]
    return "\n".join(lines) + "\n"


def _pointers(listing: Listing) -> list[str]:
    signature = listing.signature
    design = ["const double *prepared"] if listing.prepared else []
    ins = [f"const double *{a.word}" for a in signature.varying]
    return [*ins, *design, *(f"double *{a.word}" for a in signature.outputs)]


def _launcher(listing: Listing) -> str:
    arguments = ["int64_t n", *_pointers(listing), "uint64_t *status", "cudaStream_t stream"]
    return prototype("cudaError_t", f"{listing.name}_batch", arguments)


def _design_words(listing: Listing) -> str:
    return ", `prepared` is one row for all" if listing.prepared else ""


# What both have.


def _guarded(listing: Listing, kind: str, lines: Sequence[str]) -> str:
    guard = f"{listing.upper}_{kind}"
    top = [*head_comment(listing.head), f"#ifndef {guard}", f"#define {guard}", ""]
    return "\n".join([*top, *lines, "#endif"]) + "\n"


def declarations(listing: Listing, where: str = "") -> list[str]:
    """Sizes, bits of the status, the function of a design and the design that is shipped. where: they are found."""
    name = listing.name
    lines = [
        *[*sizes(listing), "", *status_comment(), *listing.bits.enumeration(listing.upper), ""],
        f"/* Texts of the bits, in their order{where}. */",
        f"extern const char *const {name}_check_names[{len(listing.bits.bit_rows())}];",
        "",
    ]
    if listing.prepared:
        for word, values in listing.defaults.items():
            shipped = f"extern const double {name}_{word}[{len(values)}];"
            lines += [f"/* The design this was written for{where}. */", shipped, ""]
        lines += [*prepare_comment(), f"{listing.prepare_prototype()};", ""]
    return lines


def definitions(listing: Listing) -> list[str]:
    """Tables of the bits' texts and of the designs that are shipped."""
    lines = [*listing.bits.table(listing.name), ""]
    for word, values in listing.defaults.items() if listing.prepared else ():
        head = f"const double {listing.name}_{word}[{len(values)}] = {{"
        lines += [head, *wrap_entries([C.number(float(x)) for x in values]), "};", ""]
    return lines


def prepare_function(listing: Listing) -> list[str]:
    """The function of a design, where there is one."""
    if not listing.prepared:
        return []
    parts = [line for piece in listing.design for line in (piece, "")]
    return [*parts, listing.prepare_prototype() + " {", *listing.prepare, "}", ""]


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
