"""`gough.load`: a robot from any file that holds one, or from the gallery by its name."""

import os
from collections.abc import Callable, Sequence
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any

from gough.arguments import Kind, checked, folder, path, word, words
from gough.errors import MissingFileError, UsageError
from gough.interchange.compose import Choices, compose
from gough.interchange.findings import Findings
from gough.interchange.foreign import ForeignRobot, ReadingOptions
from gough.interchange.matching import meant_hint
from gough.interchange.xml import read_xml
from gough.robot import Robot
from gough.robot.fields import number
from gough.robot.loader import load as load_description
from gough.text import exists

READERS = {
    "urdf": "gough.interchange.urdf",
    "mjcf": "gough.interchange.mjcf",
    "sdf": "gough.interchange.sdf",
    "usd": "gough.interchange.usd",
}
"""Format: module with `read(path, options, findings) -> ForeignRobot`."""
SUFFIXES = {".urdf": "urdf", ".mjcf": "mjcf", ".sdf": "sdf", ".world": "sdf"}
SUFFIXES |= dict.fromkeys((".usd", ".usda", ".usdc", ".usdz"), "usd")
ALONE = ("urdf", "mjcf")
"""Formats whose files hold one robot."""
MOST_BESIDE = 2000
"""Files that are looked at for the one that may be meant."""
ROOTS = {"robot": "urdf", "mujoco": "mjcf", "sdf": "sdf"}
"""Root elements of `.xml`."""


positive_length = Kind(
    'a positive, finite length: a number of metres, or a text with its unit ("0.02 mm")',
    lambda value: float(number(value, ("length",), "positive")),
)


def _folders(value: Any) -> tuple[Path, ...]:
    if isinstance(value, str | bytes | os.PathLike):
        raise TypeError(value)  # its letters would be folders
    return tuple(Path(folder.take(each)) for each in value)


folders = Kind("a list of paths of folders", _folders)


@checked(
    path_or_name=path,
    loops=path,
    platform=word,
    drives=word | words,
    packages=folders,
    model=word,
    closure_tolerance=positive_length,
)
def load(
    path_or_name: str | Path,
    *,
    loops: str | Path | None = None,
    platform: str | None = None,
    drives: Sequence[str] | str | None = None,
    packages: Sequence[str | Path] = (),
    model: str | None = None,
    closure_tolerance: float | str | None = None,
) -> Robot:
    """A robot from a file (.yaml, .urdf, .xml of MuJoCo, .sdf, .usd), or from the gallery by its name.

    Of other programs' files: loops, a file with the joints that close them (URDF has no words for these); platform, the
    name of the body that is the robot's output; drives, names of the driven joints, or patterns with * and ?; packages, folders
    in which `package://NAME/…` and `model://NAME/…` are looked up; model, the robot's name in a file that holds several;
    closure_tolerance (m, or a text with its unit), by how much loops may stay open, instead of what the format's reader or the
    file of loops allows.
    What cannot be carried over is a ConversionWarning, or an error where it changes the dynamics.

    Raises DescriptionError with all problems at once; FileNotFoundError where there is no such file or name.
    """
    file = Path(path_or_name)
    kind = format_of(file)
    if kind is None and file.suffix.lower() == ".xml" and not exists(file):
        raise _missing_file(file)
    if kind is None:
        given = {"loops": loops, "platform": platform, "drives": drives, "packages": packages or None, "model": model}
        given["closure_tolerance"] = closure_tolerance
        said = [name for name, value in given.items() if value is not None]
        if said:
            raise UsageError(
                f"{said[0]}= is for files of other programs; {path_or_name} is a description, which says it itself"
            )
        return load_description(path_or_name)
    if not exists(file):
        raise _missing_file(file)
    findings = Findings()
    options = ReadingOptions(None if loops is None else Path(loops), tuple(Path(p) for p in packages), model)
    foreign = _reader(kind)(file, options, findings)
    if model is not None and kind in ALONE and model != foreign.name:
        raise UsageError(f"model={model!r}: {path_or_name} holds one robot, {foreign.name!r}; leave it out")
    names = [drives] if isinstance(drives, str) else drives
    tolerance = None if closure_tolerance is None else float(closure_tolerance)
    return compose(foreign, Choices(platform, names, tolerance), findings)


def _missing_file(file: Path) -> MissingFileError:
    """With the file beside it that may be meant."""
    try:
        beside = [p.name for p in islice(file.parent.iterdir(), MOST_BESIDE) if p.suffix.lower() in (*SUFFIXES, ".xml")]
    except OSError:
        beside = []
    return MissingFileError(file, f"no such file{meant_hint(file.name, beside)}")


def format_of(file: Path) -> str | None:
    """The format of another program's file; None for a description or a name."""
    suffix = file.suffix.lower()
    if suffix == ".xacro" or file.name.lower().endswith(".urdf.xacro"):
        made = f"{file.stem.removesuffix('.urdf')}.urdf"
        raise UsageError(f"{file}: a xacro file is a program that writes URDF; run `xacro {file.name} > {made}`")
    if suffix == ".xml" and exists(file):
        root = read_xml(file)
        if root.tag not in ROOTS:
            raise UsageError(f"{file}: an XML file of <{root.tag}>; <robot> (URDF), <mujoco> and <sdf> are read")
        return ROOTS[root.tag]
    return SUFFIXES.get(suffix)


def _reader(kind: str) -> Callable[[Path, ReadingOptions, Findings], ForeignRobot]:
    module: Any = import_module(READERS[kind])
    return module.read
