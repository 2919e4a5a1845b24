"""Writing an FMU: a robot, alone or with the controller that moves it, as C99 sources with the interface of FMI 2.0 or 3.0."""

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gough.arguments import a_law, a_model, a_motion, checked, design, flag, number, numbers, word, words
from gough.arguments import path as path_kind
from gough.errors import ExportWarning, UsageError, warn
from gough.export.fmu._description import build_description, description, page, terminals
from gough.export.fmu._packing import binary_place, compile_sources, compiler, pack
from gough.export.fmu._subject import subject_of_fmu
from gough.export.fmu._text import sources_of
from gough.export.fmu._variables import Variables
from gough.files import write_file

if TYPE_CHECKING:
    from gough.model import Model
    from gough.simulation.control.law import Law
    from gough.simulation.motion.motion import Motion

VERSIONS = ("3.0", "2.0")
TOKEN = "@token@"
"""Stands for the token until all texts, of which it is made, are there."""


@checked(
    model=a_model,
    path=path_kind,
    version=word,
    drives=word,
    controller=a_law,
    motion=a_motion | word,
    loads=words,
    frames=words,
    q=numbers,
    v=numbers,
    start=word,
    parameters=design,
    method=word,
    step=number(above=0),
    derivatives=flag,
    binary=flag,
    name=word,
)
def export_fmu(
    model: "Model",
    path: str | Path,
    *,
    version: str = "3.0",
    drives: str = "forces",
    controller: "Law | None" = None,
    motion: "Motion | str | None" = None,
    loads: Sequence[str] | None = None,
    frames: Sequence[str] | None = None,
    q: Any = None,
    v: Any = None,
    start: str = "given",
    parameters: Any = None,
    method: str = "rk4",
    step: float = 1e-3,
    derivatives: bool = True,
    binary: bool = True,
    name: str | None = None,
) -> Path:
    """Write the robot as an FMU for Model Exchange and Co-Simulation; returns the file.

    version: of the standard. drives: what is given from outside, "forces", or "motions": their accelerations, so that their
    forces are outputs. controller, motion: of a closed loop that moves by itself, as `simulate` takes them. loads: frames that
    take a wrench from outside, default the platform. frames: whose pose and twist are outputs, default the platform and all that
    the description names. q (nq,), v (nv,): where it begins; start: "static" is in equilibrium there, with the forces of the
    drives that hold it as what their inputs begin with. parameters: another design. method, step (s): of
    Co-Simulation, equal explicit steps.
    derivatives: directional and adjoint ones. binary: compile the sources where there is a C compiler. name: of the
    model, a C identifier.
    """
    target = Path(path)
    if version not in VERSIONS:
        raise UsageError(f"version={version!r}; use one of {', '.join(VERSIONS)}")
    if target.suffix != ".fmu":
        raise UsageError(f"{target}: an FMU is a file that ends in .fmu")
    word = re.sub(r"[^A-Za-z0-9]+", "_", model.robot.name).strip("_") or "robot" if name is None else name
    word = f"x{word}" if name is None and word[0].isdigit() else word
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", word):
        raise UsageError(f"name={name!r} is no C identifier; use letters, digits and _")
    subject = subject_of_fmu(
        model,
        drives=drives,
        controller=controller,
        motion=motion,
        loads=loads,
        frames=frames,
        q=q,
        v=v,
        start=start,
        parameters=parameters,
        method=method,
        step=step,
        derivatives=derivatives,
    )
    variables = Variables(subject)
    made = sources_of(subject, variables, word, version, TOKEN)
    tool = "gough"
    texts = {f"sources/{file}": text for file, text in made.files.items()}
    texts["modelDescription.xml"] = description(subject, variables, word, version, TOKEN, made.units, tool)
    texts["documentation/index.html"] = page(subject, variables, word, tool)
    if version == "3.0":
        texts["sources/buildDescription.xml"] = build_description(word, made.units)
        texts["terminalsAndIcons/terminalsAndIcons.xml"] = terminals(subject, variables)
    token = _token(texts)
    contents: dict[str, str | bytes] = {file: text.replace(TOKEN, token) for file, text in texts.items()}
    place, cc = binary_place(version, word), compiler()
    if binary and (place is None or cc is None):
        lacks = "there is no C compiler (cc, gcc, clang)" if cc is None else "the standard has no name for this machine"
        warn(f"{target}: sources alone, {lacks}; importers that compile sources can run it", ExportWarning)
    elif binary and place is not None and cc is not None:
        own = {file: text.replace(TOKEN, token) for file, text in made.files.items()}
        contents[place] = compile_sources(own, made.units, word, cc)
    return write_file(target, pack(contents))


def _token(texts: dict[str, str]) -> str:
    """A token that follows from all texts."""
    digest = hashlib.sha256()
    for file, text in sorted(texts.items()):
        digest.update(f"{file}\0{text}\0".encode())
    h = digest.hexdigest()
    return f"{{{h[:8]}-{h[8:12]}-{h[12:16]}-{h[16:20]}-{h[20:32]}}}"
