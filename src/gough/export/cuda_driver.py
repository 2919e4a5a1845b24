"""The test driver for CUDA: reference values on the host, and on the device where there is one."""

from gough.backends.c import Listing
from gough.export.driver import comparison, prepared_lines, tables
from gough.export.references import References


def cuda_driver(listing: Listing, references: References) -> str:
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
