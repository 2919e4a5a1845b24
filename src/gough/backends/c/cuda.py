"""The same text for CUDA: the function of a state for host and device, and a kernel of one thread a state."""

from gough.backends.c.signature import prototype
from gough.backends.c.source import Listing, default_tables, head_comment, prepare_comment, sizes, status_comment

QUALIFIER = "static __host__ __device__ inline"
BLOCK = 64


def cuda_header(listing: Listing) -> str:
    """Text of NAME.cuh: the function of a state in full, so that own kernels may call it, and what the host calls."""
    guard, name = f"{listing.upper}_CUH", listing.name
    lines = [
        *head_comment(listing.head),
        f"#ifndef {guard}",
        f"#define {guard}",
        "",
        "#include <math.h>",
        "#include <stdint.h>",
        "",
        "#include <cuda_runtime.h>",
        "",
        *sizes(listing),
        "",
        *status_comment(),
        *listing.bits.enumeration(listing.upper),
        "",
        "/* Texts of the bits, in their order (host). */",
        f"extern const char *const {name}_check_names[{len(listing.bits.shown())}];",
        "",
    ]
    if listing.prepared:
        for word, values in listing.defaults.items():
            lines += [
                f"/* The design this was written for (host). */\nextern const double {name}_{word}[{len(values)}];",
                "",
            ]
        lines += [*prepare_comment(), f"{listing.prepare_prototype()};", ""]
    lines += [
        f"/* Outputs of n states, one row a state in every array; `status` has a word a state{_design_words(listing)}.",
        "   All pointers are device memory. */",
        f"{_launcher(listing)};",
        "",
    ]
    for piece in listing.support:
        lines += [piece.replace("static double", f"{QUALIFIER} double"), ""]
    lines += ["/* Outputs of one state; returns its status word. */"]
    lines += [f"{QUALIFIER} {listing.state_prototype()} {{", *listing.state, "}", "", "#endif"]
    return "\n".join(lines) + "\n"


def cuda_source(listing: Listing) -> str:
    """Text of NAME.cu."""
    name, signature = listing.name, listing.signature
    lines = [f'#include "{name}.cuh"', "", *listing.bits.table(name, ""), ""]
    if listing.prepared:
        lines += default_tables(listing, "")
        lines += [listing.prepare_prototype() + " {", *listing.prepare, "}", ""]
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
