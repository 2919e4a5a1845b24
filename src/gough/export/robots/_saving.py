"""`gough.save`: a robot as a file of any format, by its suffix."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from gough.arguments import a_robot, checked, path, words
from gough.errors import UsageError
from gough.export.robots._flatten import flatten
from gough.export.robots._mjcf import mjcf_text
from gough.export.robots._omissions import Omissions
from gough.export.robots._plain import PlainRobot
from gough.export.robots._sdf import sdf_text
from gough.export.robots._urdf import urdf_text
from gough.export.robots._usd import usd_text
from gough.files import write_files
from gough.robot import Robot, dump

Writer = Callable[[PlainRobot, Path, Omissions], Mapping[Path, str]]
WRITERS: dict[str, tuple[str, Writer]] = {
    ".urdf": ("URDF", urdf_text),
    ".xml": ("MJCF", mjcf_text),
    ".mjcf": ("MJCF", mjcf_text),
    ".sdf": ("SDF", sdf_text),
    ".usda": ("USD", usd_text),
}
"""Suffix: the format as people call it, and what writes it."""
YAML = (".yaml", ".yml")


def files_of(path: str | Path) -> list[Path]:
    """The files that `save` writes for one of this name."""
    file = Path(path)
    beside = [file.with_name(f"{file.stem}.loops.yaml")] if file.suffix.lower() == ".urdf" else []
    return [file, *beside]


@checked(robot=a_robot, path=path, leave_out=words)
def save(robot: Robot, path: str | Path, *, leave_out: Sequence[str] = ()) -> list[Path]:
    """Write a robot to a file; its format is that of the suffix: .yaml (gough's own), .urdf, .xml (MuJoCo), .sdf, .usda.

    Beside a .urdf stands NAME.loops.yaml with what URDF has no words for: loops, couplings, drives, home, gravity.
    What a format cannot say is an error that names everything at once where it changes the dynamics, else a
    ConversionWarning. leave_out: what is left out all the same, of "flexible", "telescopic", "massless", "inertia", "weight",
    "armature", "friction", "smoothing", "springs", "couplings", "loops", or "all". Returns the files.
    """
    file = Path(path)
    suffix = file.suffix.lower()
    if suffix in YAML:
        dump(robot, file)
        return [file]
    if suffix not in WRITERS:
        raise UsageError(f"{file}: no format of that suffix; use one of {', '.join((*YAML, *WRITERS))}")
    name, writer = WRITERS[suffix]
    omissions = Omissions(name, str(file), leave_out)
    texts = writer(flatten(robot, omissions), file, omissions)
    omissions.tell()
    return write_files(texts)
