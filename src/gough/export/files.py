"""Writing a robot's function to files."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from gough.arguments import a_function, a_model, checked, flag, folder, instance, word
from gough.compilation.function import Function
from gough.compilation.service import compile_program
from gough.errors import UsageError
from gough.export._around import sampled_inputs
from gough.export._head import head_lines
from gough.export._references import References, references
from gough.export.subject import ExportSubject, Options, subject_of
from gough.files import write_files
from gough.structure.alike import common_pattern

if TYPE_CHECKING:
    from gough.backends.c import Listing
    from gough.model import Model

TARGETS = ("c", "cuda")
LEGS = ("auto", "loops", "flat")
BUILD = {
    "c": (
        "Compile as C99 and link with libm: cc -std=c99 -O2 -c NAME.c. Fastest with the machine's vectors and multiply-adds, "
        "for gcc: -O3 -march=native -ffp-contract=fast -fno-math-errno. "
        "Not with -ffast-math: the status relies on NaN, angles on the order of operations."
    ),
    "cuda": "Compile with nvcc: nvcc -O3 -c NAME.cu. Not with -use_fast_math: the status relies on NaN.",
}
"""How the text is compiled."""


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
    variables=flag,
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
    variables: bool = False,
) -> list[Path]:
    """Write a function of a robot as source text; returns the files, the header first.

    function: a name as for `model.function`, or a Function (a derivative, for instance). target: "c" or "cuda".
    name: of the C function, default ROBOT_FUNCTION. baked: parameters as numbers instead of an input. friction, wrench
    (and force along v), checks: False leaves them out. derivative: input slot to differentiate by, in a mode ("jacobian",
    "jvp", "vjp").
    legs: "loops" over what is done alike three times or more (C only), "flat": one function of plain statements, or "auto": what
    is expected to be faster for a single state, with large blocks as loops and long texts in parts.
    variables: the description's variables (`model.variables`) are an input in the place of parameters.
    """
    options = Options(baked, friction, wrench, checks, derivative, mode, legs, variables)
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
    if options.legs not in LEGS:
        raise UsageError(f"legs={options.legs!r}; use one of {', '.join(LEGS)}")
    subject = subject_of(model, function, options, model.pattern)
    if options.legs == "auto":
        texts = _texts(subject, target, name, "blocks")
        if texts is not None:
            return texts
    if options.legs != "flat" and target == "c":
        common = common_pattern(model.mechanism, model.pattern)
        alike = subject_of(model, function, replace(options, baked=False), common)
        texts = _texts(replace(alike, options=options), target, name, options.legs)
        if texts is not None:
            return texts
        if options.legs == "loops":
            raise UsageError(f"{model.robot.name} {alike.function} does nothing three times alike; use legs='flat'")
    texts = _texts(subject, target, name, "plain" if options.legs == "auto" else "flat")
    assert texts is not None
    return texts


def _texts(subject: ExportSubject, target: str, name: str | None, loops: str) -> dict[str, str] | None:
    """{file name: text}; None where loops over what legs do alike are not found, or do not pay."""
    model, options = subject.model, subject.options

    def about(listing: "Listing") -> tuple[list[str], References]:
        build = BUILD[target].replace("NAME", listing.name)
        return head_lines(subject, listing, build), references(model, subject.program, more=sampled_inputs(model))

    return compile_program(
        subject.program,
        "c",
        about=about,
        language=target,
        name=name,
        title=f"{model.robot.name} {subject.function}",
        loops=loops,
        fixed=subject.fixed,
        defaults={"parameters": model.parameters},
        checks=options.checks,
        baked=options.baked,
    )
