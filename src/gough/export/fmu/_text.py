"""C text of an FMU: the programs as functions, tables of numbers, what joins both, and the files that are the same for all."""

import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import numpy as np

from gough.compilation.service import compile_program
from gough.export.fmu._programs import design_program, programs_of
from gough.export.fmu._subject import FmuSubject
from gough.export.fmu._variables import Variables
from gough.export.subject import fixed_inputs
from gough.kinematics.retraction import step_units
from gough.program import Program

PREFIX = "fmu_"
"""Of all global names and files in the templates; texts have the name of the model there."""
FIXED = ("core.h", "core.c", "charts.c", "face.h", "march.c", "slopes.c", "snapshots.c", "watch.c")
OF_VERSION = {"2.0": ("fmi2.c", "fmi2_more.c", "memory2.h"), "3.0": ("fmi3.c", "fmi3_more.c")}
PROGRAMS = ("rates", "outputs", "closing", "loops", "clock", "forward", "adjoint", "design")
CALLS = {
    "rates": (("q", "v", "inner", "row", "t"), ("qdot", "vdot", "flow", "tau")),
    "outputs": (("q", "v", "inner", "row", "t"), ("told",)),
    "closing": (("q", "v"), ("next", "step")),
    "loops": (("q",), ("groups",)),
    "clock": (("q", "v", "inner", "row", "t"), ("after", "time", "event")),
    "forward": (("q", "v", "inner", "row", "t", "d_q", "d_v", "d_inner", "d_row"), ("d_all",)),
    "adjoint": (("q", "v", "inner", "row", "t", "bar_all"), ("bar_q", "bar_v", "bar_inner", "bar_row")),
    "design": (("design",), ("parameters",)),
}
"""Arguments of what joins programs and the rest: inputs, outputs; t is a number."""


@dataclass(frozen=True, eq=False)
class Sources:
    """files: {name: text} of the folder `sources`; units: those that are compiled, in order."""

    files: Mapping[str, str]
    units: tuple[str, ...]


def sources_of(subject: FmuSubject, variables: Variables, name: str, version: str, token: str) -> Sources:
    """All source files. name: of the model, a C identifier. version: "2.0" or "3.0"."""
    programs = programs_of(subject)
    names, _, _, by_variables = variables.design
    programs["design"] = design_program(subject, names, by_variables)
    texts: dict[str, str] = {}
    prepared: dict[str, int] = {}
    for key, program in programs.items():
        own, size = _program_texts(subject, program, f"{name}_program_{key}")
        texts, prepared[key] = texts | own, size
    joined = {
        f"{name}_model.h": _header(subject, variables, programs, prepared, token),
        f"{name}_model.c": _model(subject, variables, programs, prepared, name),
    }
    for file in (*FIXED, *OF_VERSION[version]):
        joined[f"{name}_{file}"] = files("gough.export.fmu").joinpath("text", file).read_text(encoding="utf-8")
    out = {file: text.replace(PREFIX, f"{name}_") for file, text in joined.items()} | texts
    out = dict(sorted(out.items()))
    return Sources(out, tuple(file for file in out if file.endswith(".c")))


def _program_texts(subject: FmuSubject, program: Program, name: str) -> tuple[dict[str, str], int]:
    """({file: text}, numbers that are prepared for a design) of a program."""
    fixed = fixed_inputs(subject.plant.model, program, subject.plant.model.pattern)
    for loops in ("blocks", "plain"):
        found: list[Any] = []

        def about(listing: Any, found: list[Any] = found) -> tuple[list[str], None]:
            found.append(listing)
            return [f"{program.name}: one state a call; {sum(listing.operations.values())} operations."], None

        texts = compile_program(program, "c", about=about, name=name, loops=loops, fixed=fixed, defaults={})
        if texts is not None:
            return texts, found[0].prepared
    raise AssertionError(f"no text of {name}")


def _header(
    subject: FmuSubject, variables: Variables, programs: Mapping[str, Program], prepared: Mapping[str, int], token: str
) -> str:
    """Text of NAME_model.h."""
    plant, model = subject.plant, subject.plant.model
    groups = _groups(subject)
    layout, own = model.layout, "forces" if subject.drives == "forces" else ""
    sizes = {
        "NQ": layout.nq,
        "NV": layout.nv,
        "NU": layout.nu,
        "NI": plant.inner_size,
        "NF": plant.flowing,
        "ROW": plant.rows.size,
        "PIECES": max(len(subject.rows), 1),
        "FIRST": plant.rows.first,
        "DEGREE": plant.rows.degree,
        "DRIVES": len(subject.names),
        "MODE": {"forces": 1, "motions": 2, "": 0}[subject.drives],
        "LED": int(plant.law.prescribed),
        "INPUTS": len(variables.of_kind("input")),
        "LOADS": plant.wrenches.size,
        "DESIGN": len(variables.of_kind("design")),
        "PARAMETERS": len(model.parameters),
        "TOLD": len(variables.of_kind("told")),
        "FORCES": 0 if own else len(subject.names),
        "STATES": len(variables.states),
        "STAGES": subject.method.stages,
        "TURNED": len(subject.turned),
        "CLOCKED": int(plant.inner.clocked > 0),
        "CLOSING": int("closing" in programs),
        "COUPLED": int(subject.coupled),
        "DERIVATIVES": int("forward" in programs),
        "ALL": layout.nv + plant.inner_size + len(variables.of_kind("told")) + len(subject.names),
        "GROUPS": len(groups),
        "ENTRIES": sum(n * n for n in groups.values()),
        "WIDEST": max(groups.values(), default=0),
        "PREPARED": sum(prepared.values()),
    }
    lines = [
        "/* Sizes, tables and functions of this model. */",
        "#ifndef fmu_MODEL_H",
        "#define fmu_MODEL_H",
        "",
        "#include <stdint.h>",
        "",
        f'#define fmu_TOKEN "{token}"',
        f"#define fmu_STEP {_number(subject.step)}",
        "#define fmu_N(n) ((n) > 0 ? (n) : 1)",
        "",
        "enum {",
        *(f"    fmu_{key} = {value}," for key, value in sizes.items()),
        *(f"    fmu_OF_{key.upper()} = {k}," for k, key in enumerate(PROGRAMS)),
        "    fmu_PROGRAMS",
        "};",
        "",
        "/* place: of a quaternion in q. entry: of its angular velocities in v, or -1. body: they are in axes that turn. */",
        "typedef struct {",
        "    int place, entry[3], body;",
        "} fmu_Turned;",
        "",
        *(f"extern const {kind} fmu_{key};" for key, kind, _ in _tables(subject, variables)),
        "extern const char *const fmu_parameter_names[fmu_PARAMETERS];",
        "extern const char *const fmu_group_names[fmu_N(fmu_GROUPS)];",
        "",
        "const char *fmu_check_text(int program, uint64_t status);",
        "int fmu_prepare(const double *parameters, double *prepared);",
        *(f"{_prototype(key)};" for key in PROGRAMS),
        "",
        "#endif",
    ]
    return "\n".join(lines) + "\n"


def _tables(subject: FmuSubject, variables: Variables) -> Iterator[tuple[str, str, str]]:
    """(name with its shape, type, entries) of the tables."""
    plant, model = subject.plant, subject.plant.model
    nq, nv = model.layout.nq, model.layout.nv
    first = subject.first
    own = first[nq + nv + 3 : nq + nv + 3 + plant.inner_size]
    begin = plant.rows.stretch(0.0, 0.0, np.zeros(plant.rows.size - plant.rows.first - len(plant.rows.tail)))
    rows = subject.rows if len(subject.rows) else begin[None]
    turned = [f"{{{t.place}, {{{', '.join(map(str, t.entries))}}}, {int(t.body)}}}" for t in subject.turned]
    of_drive = {k: i for i, k in enumerate(plant.drive_of)} if plant.law.prescribed else {}
    method = subject.method
    yield "first_q[fmu_N(fmu_NQ)]", "double", _entries(first[:nq])
    yield "first_v[fmu_N(fmu_NV)]", "double", _entries(first[nq : nq + nv])
    yield "first_own[fmu_N(fmu_NI)]", "double", _entries(own)
    yield "first_input[fmu_N(fmu_INPUTS)]", "double", _entries(x.start or 0.0 for x in variables.of_kind("input"))
    yield "design_start[fmu_N(fmu_DESIGN)]", "double", _entries(variables.design[2])
    yield "nominals[fmu_N(fmu_STATES)]", "double", _entries([x.nominal or 1.0 for x in variables.states])
    yield "units[fmu_N(fmu_NU)]", "double", _entries(step_units(model.mechanism, model.size))
    yield "plain[fmu_N(fmu_NV)]", "int", _words(str(subject.plain.get(k, -1)) for k in range(nv))
    yield "turned[fmu_N(fmu_TURNED)]", "fmu_Turned", _words(turned or ["{0, {-1, -1, -1}, 0}"])
    yield "drive_q[fmu_N(fmu_DRIVES)]", "int", _words(map(str, model.drive_index))
    yield "drive_v[fmu_N(fmu_DRIVES)]", "int", _words(str(of_drive.get(k, -1)) for k in range(len(subject.names)))
    yield "group_sizes[fmu_N(fmu_GROUPS)]", "int", _words(map(str, _groups(subject).values()))
    yield "input_place[fmu_N(fmu_INPUTS)]", "int", _words(map(str, _input_places(subject)))
    yield "rows[fmu_PIECES][fmu_ROW]", "double", _words(f"{{{_entries(row)}}}" for row in rows)
    yield "A[fmu_STAGES][fmu_STAGES]", "double", _words(f"{{{_entries(row)}}}" for row in method.A)
    yield "b[fmu_STAGES]", "double", _entries(method.b)
    yield "c[fmu_STAGES]", "double", _entries(method.c)


def _groups(subject: FmuSubject) -> dict[str, int]:
    """{leg or loop: size of its matrix}."""
    return {name: len(rows) for name, (rows, _) in subject.plant.model.mechanism.loop_groups.items()}


def _input_places(subject: FmuSubject) -> list[int]:
    """Where inputs stand in a row: forces, or accelerations as coefficients of squares, then loads."""
    rows = subject.plant.rows
    power = 2 if subject.drives == "motions" else 0
    own = [rows.first + k * (rows.degree + 1) + power for k in range(len(subject.names))] if subject.drives else []
    return [*own, *range(rows.size - subject.plant.wrenches.size, rows.size)]


def _model(
    subject: FmuSubject, variables: Variables, programs: Mapping[str, Program], prepared: Mapping[str, int], name: str
) -> str:
    """Text of NAME_model.c."""
    table = subject.plant.model.mechanism.table.names
    lines = ["/* Tables of this model, and its functions as the rest calls them. */", '#include "fmu_model.h"', ""]
    lines += [*(f'#include "{name}_program_{key}.h"' for key in programs), ""]
    for key, kind, text in _tables(subject, variables):
        lines += [f"const {kind} fmu_{key} = {{", *_wrapped(text), "};", ""]
    lines += [
        "const char *const fmu_parameter_names[fmu_PARAMETERS] = {",
        *(f"    {_literal(x)}," for x in table),
        "};",
        "",
    ]
    names = [f"    {_literal(x)}," for x in _groups(subject)] or ['    "",']
    lines += ["const char *const fmu_group_names[fmu_N(fmu_GROUPS)] = {", *names, "};", ""]
    lines += [
        "/* The first check that fails, in words. */",
        "const char *fmu_check_text(int program, uint64_t status) {",
    ]
    lines += ["    int k = 0;", "    while (k < 63 && !(status >> k & 1)) {", "        ++k;", "    }"]
    for key in programs:
        own = f"{name}_program_{key}"
        lines += [
            f"    if (program == fmu_OF_{key.upper()} && status) {{",
            f"        return {own}_check_names[k];",
            "    }",
        ]
    lines += ['    return "a result is not finite: it";', "}", ""]
    lines += ["int fmu_prepare(const double *parameters, double *prepared) {", "    int wrong = 0;"]
    for key, (begin, size) in _places(prepared).items():
        if size:
            lines.append(f"    wrong = wrong ? wrong : {name}_program_{key}_prepare(parameters, prepared + {begin});")
    lines += ["    return wrong;", "}", ""]
    for key in PROGRAMS:
        lines += [*_joint(key, programs.get(key), _places(prepared).get(key, (0, 0)), f"{name}_program_{key}"), ""]
    return "\n".join(lines)


def _places(prepared: Mapping[str, int]) -> dict[str, tuple[int, int]]:
    out, begin = {}, 0
    for key, size in prepared.items():
        out[key] = begin, size
        begin += size
    return out


def _prototype(key: str) -> str:
    inputs, outputs = CALLS[key]
    parts = [] if key == "design" else ["const double *prepared"]
    parts += ["double t" if x == "t" else f"const double *{x}" for x in inputs]
    return f"uint64_t fmu_{key}({', '.join([*parts, *(f'double *{x}' for x in outputs)])})"


def _joint(key: str, program: Program | None, place: tuple[int, int], name: str) -> list[str]:
    """The function by which a program is called, whatever inputs it has."""
    inputs, outputs = CALLS[key]
    begin, size = place
    out = [f"{_prototype(key)} {{"]
    prepared = [] if key == "design" else ["prepared"]
    if program is None:
        return [*out, *(f"    (void){x};" for x in (*prepared, *inputs, *outputs)), "    return 0;", "}"]
    there = {s.name for s in (*program.inputs, *program.outputs) if s.size}
    args = [("&t" if x == "t" else x) for x in (s.name for s in program.inputs if not s.uniform) if x in there]
    args += [f"prepared + {begin}"] if size else []
    args += [s.name for s in program.outputs if s.name in there]
    unused = [x for x in (*inputs, *outputs) if x not in there] + ([] if size else prepared)
    out += [f"    (void){x};" for x in unused]
    return [*out, f"    return {name}({', '.join(args)});", "}"]


def _entries(values: Iterable[float]) -> str:
    return _words(_number(float(x)) for x in values)


def _words(values: Iterable[str]) -> str:
    return ", ".join(values) or "0"


def _number(x: float) -> str:
    return repr(x + 0.0)


def _wrapped(text: str, width: int = 110) -> Sequence[str]:
    return [f"    {line}" for line in textwrap.wrap(text, width, break_long_words=False)]


def _literal(text: str) -> str:
    plain = "".join(c if 32 <= ord(c) < 127 and c not in '"\\?' else "_" for c in text)
    return f'"{plain}"'
