"""Writing a robot's function to files."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from gough.arguments import a_function, a_model, checked, flag, folder, instance, word
from gough.backends.c import Listing, flat_listing, header, rolled_listing, source
from gough.backends.c.cuda import cuda_header, cuda_source
from gough.backends.c.words import checked_identifier, identifier
from gough.compilation.function import Function
from gough.errors import UsageError
from gough.export.driver import driver
from gough.export.head import head_lines
from gough.export.references import references
from gough.export.subject import Options, Subject, subject_of
from gough.files import write_files
from gough.structure.alike import common_pattern

if TYPE_CHECKING:
    from gough.model import Model
from gough.export.driver import comparison, prepared_lines, tables
from gough.export.references import References

TARGETS = ("c", "cuda")
LEGS = ("auto", "loops", "flat")
BUILD_C = (
    "Compile as C99 and link with libm: cc -std=c99 -O2 -c NAME.c. Fastest with the machine's vectors and multiply-adds, "
    "for gcc: -O3 -march=native -ffp-contract=fast -fno-math-errno. "
    "Not with -ffast-math: the status relies on NaN, angles on the order of operations."
)
BUILD_CUDA = "Compile with nvcc: nvcc -O3 -c NAME.cu. Not with -use_fast_math: the status relies on NaN."


@checked(
    model=a_model,
    function=word | a_function,
    folder=folder,
    target=word,
    name=word,
    baked=flag,
    friction=flag,
    wrench=flag,
    checks=flag,
    derivative=word,
    mode=word,
    legs=word,
)
def export(
    model: "Model",
    function: "str | Function",
    folder: str | Path = ".",
    target: str = "c",
    *,
    name: str | None = None,
    baked: bool = False,
    friction: bool = True,
    wrench: bool = True,
    checks: bool = True,
    derivative: str = "",
    mode: str = "jacobian",
    legs: str = "auto",
) -> list[Path]:
    """Write a function of a robot as source text; returns the files, the header first.

    function: a name as for `model.function`, or a Function (a derivative, for instance). target: "c" or "cuda".
    name: of the C function, default ROBOT_FUNCTION. baked: parameters as numbers instead of an input. friction, wrench,
    checks: False leaves them out. derivative: input slot to differentiate by, in a mode ("jacobian", "jvp", "vjp").
    legs: "loops" over what is done alike three times or more (C only), "flat", or "auto": what is faster for a single state.
    """
    options = Options(baked, friction, wrench, checks, derivative, mode, legs)
    texts = export_texts(model, function, target, name, options)
    return write_files({Path(folder) / file: text for file, text in texts.items()})


@checked(
    model=a_model,
    function=word | a_function,
    target=word,
    name=word,
    options=instance("gough.export.subject.Options", "gough.export.subject.Options(...)"),
)
def export_texts(
    model: "Model",
    function: "str | Function",
    target: str = "c",
    name: str | None = None,
    options: Options | None = None,
) -> dict[str, str]:
    """{file name: text} of a function: header, source, test driver."""
    options = options or Options()
    if target not in TARGETS:
        raise UsageError(f"target={target!r}; use one of {', '.join(TARGETS)}")
    if target == "cuda" and options.legs == "loops":
        raise UsageError("target='cuda' has no loops over legs: a thread's values stay in registers; use legs='flat'")
    subject, listing = _listing(model, function, name, replace(options, legs="flat") if target == "cuda" else options)
    word = listing.name
    known = references(model, subject.program)
    if target == "cuda":
        listing = replace(listing, head=head_lines(subject, listing, BUILD_CUDA.replace("NAME", word)))
        texts = (cuda_header(listing), cuda_source(listing), cuda_driver(listing, known))
        return dict(zip((f"{word}.cuh", f"{word}.cu", f"{word}_test.cu"), texts, strict=True))
    listing = replace(listing, head=head_lines(subject, listing, BUILD_C.replace("NAME", word)))
    texts = (header(listing), source(listing), driver(listing, known))
    return dict(zip((f"{word}.h", f"{word}.c", f"{word}_test.c"), texts, strict=True))


def _listing(model: "Model", function: "str | Function", name: str | None, options: Options) -> tuple[Subject, Listing]:
    """(what is exported, its text): with loops over lanes where they are found and wanted."""
    if options.legs not in LEGS:
        raise UsageError(f"legs={options.legs!r}; use one of {', '.join(LEGS)}")

    def word(subject: Subject) -> str:
        return identifier(f"{model.robot.name} {subject.function}") if name is None else checked_identifier(name)

    design = {"parameters": model.parameters}
    if options.legs != "flat":
        alike = subject_of(
            model, function, replace(options, baked=False), common_pattern(model.mechanism, model.pattern)
        )
        listing = rolled_listing(
            alike.program,
            word(alike),
            alike.fixed,
            design,
            options.checks,
            options.baked,
            paying=options.legs == "auto",
        )
        if listing is not None:
            return replace(alike, options=options), listing
        if options.legs == "loops":
            raise UsageError(f"{model.robot.name} {alike.function} does nothing three times alike; use legs='flat'")
    subject = subject_of(model, function, options, model.pattern)
    return subject, flat_listing(subject.program, word(subject), subject.fixed, design, options.checks)


# The test driver for CUDA: reference values on the host, and on the device where there is one.


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
