"""Files that a description names: meshes and modal data, relative to the description's own file."""

import hashlib
import os
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ValidationInfo, WithJsonSchema, WrapValidator

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


def resolve_path(file: str, description: str | None) -> Path:
    """A path written in a description (None: in no file), from where the program runs."""
    folder = Path() if description is None else Path(description).parent
    return folder / file


def with_absolute_paths(item: Any, folder: str, key: str = "") -> Any:
    """A model, or models in tuples and mappings, with paths of files as they are from a folder; key: under which it stands."""
    if isinstance(item, BaseModel):
        new: dict[Any, Any] = {}
        for name in type(item).model_fields:
            value = getattr(item, name)
            if name in PATHS.get(key, ()) and isinstance(value, str):
                new[name] = os.path.realpath(os.path.join(folder, value))
            else:
                new[name] = with_absolute_paths(value, folder, name)
        changed = {name: value for name, value in new.items() if value is not getattr(item, name)}
        return item.model_copy(update=changed) if changed else item
    if isinstance(item, tuple):
        entries = tuple(with_absolute_paths(entry, folder, key) for entry in item)
        return item if all(a is b for a, b in zip(entries, item, strict=True)) else entries
    return item


def move_paths(data: Any, old: Path, new: Path, absolute: bool = False) -> None:
    """Change the paths of files in the plain data of a description, relative to the folder `old`, so that they are of `new`, or
    absolute ones."""
    if old.resolve() == new.resolve():
        return
    for _, entry, name in files_in(data):
        if not Path(entry[name]).is_absolute():
            there = (old / entry[name]).resolve()
            entry[name] = (there if absolute else Path(os.path.relpath(there, new.resolve()))).as_posix()


def files_in(data: Any) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Where the plain data of a description names files: (key of the mapping in PATHS, the mapping, the path's key in it)."""
    for key, value in data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ():
        entries = [entry for entry in (value if isinstance(value, list) else [value]) if isinstance(entry, dict)]
        if key in PATHS and entries:
            yield from ((key, entry, name) for entry, name in product(entries, PATHS[key]) if name in entry)
        elif key != "source":
            yield from files_in(value)


def content_mark(path: Any, description: str | None) -> Any:
    """Name and SHA-256 of a file that a description (None: in no file) names; the path itself where it cannot be read."""
    try:
        data = resolve_path(path, description).read_bytes()
    except (OSError, TypeError):
        return path
    return f"{Path(path).name} with SHA-256 {hashlib.sha256(data).hexdigest()}"


def is_mesh(key: Any, value: Any) -> bool:
    """Whether an entry of a description's plain data is a body's mesh, or its meshes."""
    entries = value if isinstance(value, list) and value else [value]
    return key == "mesh" and all(isinstance(entry, Mapping) and "file" in entry for entry in entries)


def without_lost_meshes(data: Any, folder: Path) -> Any:
    """Plain data of a description without meshes whose files are not there (relative to a folder): looks can be done without."""
    if isinstance(data, list):
        return [without_lost_meshes(entry, folder) for entry in data]
    if not isinstance(data, Mapping):
        return data
    kept = {}
    for key, value in data.items():
        if not is_mesh(key, value):
            kept[key] = without_lost_meshes(value, folder)
            continue
        entries = value if isinstance(value, list) else [value]
        there = [entry for entry in entries if (folder / str(entry["file"])).is_file()]
        if there:
            kept[key] = there if len(there) > 1 else there[0]
    return kept
