"""Files that a description names: meshes and modal data, relative to the description's own file."""

import os
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import ValidationInfo, WithJsonSchema, WrapValidator

from gough.robot.item import Fault, as_error

PATHS = {
    "mesh": ("file",),
    "solid": ("file",),
    "modal": ("file", "bulk", "op2"),
    "matrix_market": ("stiffness", "mass", "nodes", "freedoms"),
    "abaqus": ("stiffness", "mass", "nodes", "freedoms"),
    "dmig": ("file", "nodes"),
    "op4": ("file", "nodes", "freedoms"),
}
"""Which entries of a mapping hold paths, by the mapping's key."""


def _existing(value: Any, _: Any, info: ValidationInfo) -> str:
    """The path as written; while a description is read, the file must be there."""
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    if not isinstance(value, str) or not value:
        raise as_error([Fault((), value, "not a path", "a path of a file, relative to this one")])
    folder = (info.context or {}).get("folder")
    if folder is not None and not (Path(folder) / value).is_file():
        raise as_error([Fault((), value, "no such file", f"a path relative to {Path(folder).resolve()}")])
    return value


FilePath = Annotated[str, WrapValidator(_existing), WithJsonSchema({"type": "string"})]
LengthUnit = Literal["m", "cm", "mm", "um", "in"]


def resolved(file: str, description: str | None) -> Path:
    """A path written in a description (None: in no file), from where the program runs."""
    folder = Path() if description is None else Path(description).parent
    return folder / file


def renamed(data: Any, old: Path, new: Path) -> None:
    """Change the paths of files in the plain data of a description, relative to the folder `old`, so that they are of `new`."""
    if old.resolve() == new.resolve():
        return
    for key, value in data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ():
        if key in PATHS and isinstance(value, dict):
            for name in PATHS[key]:
                if name in value and not Path(value[name]).is_absolute():
                    value[name] = Path(os.path.relpath((old / value[name]).resolve(), new.resolve())).as_posix()
        elif key != "source":
            renamed(value, old, new)
