"""Where the surfaces are that files of robots name: `package://`, `model://`, `file://`, or a path beside the file.

A package is a folder of its name: in one of the folders that the user gives, that folder itself, or one of those above the file.
"""

import os
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import unquote

DRAWN = (".stl", ".obj", ".ply")
"""What the viewer reads."""
IN_PACKAGES = ("package://", "model://")
POINTERS = "surfaces that are pointers of Git LFS are not drawn; `git lfs pull` fetches them"
MOST_ABOVE = 40
"""Folders above the file that are looked at."""


def find_mesh(uri: str, file: Path, packages: Sequence[Path]) -> Path | None:
    """The file that a URI means, or None: not there, in an unknown package, of another computer."""
    folder = file.parent
    for scheme in IN_PACKAGES:
        if uri.lower().startswith(scheme):
            name, _, inside = unquote(uri[len(scheme) :]).partition("/")
            places = [*(p / name for p in packages), *(p for p in packages if p.resolve().name == name)]
            places += [above / name for above in _above(folder)] + [a for a in _above(folder) if a.name == name]
            return next((found for place in places if (found := _inside(place, inside)) is not None), None)
    if uri.lower().startswith("file://"):
        path = Path(unquote(uri[len("file://") :]))
    elif "://" in uri:
        return None
    else:
        path = folder / uri
    return path if _is_file(path) else None


def is_pointer(found: Path) -> bool:
    """Whether a file is a pointer of Git LFS, which stands where the surface itself was not fetched."""
    with found.open("rb") as file:
        return file.read(40).startswith(b"version https://git-lfs")


def mesh_path(found: Path, file: Path) -> str:
    """As a description writes it: relative to its file where it lies below it."""
    folder = file.parent.absolute()
    absolute = Path(os.path.abspath(found))
    return str(absolute.relative_to(folder)) if absolute.is_relative_to(folder) else str(absolute)


def _above(folder: Path) -> list[Path]:
    absolute = folder.absolute()
    return [absolute, *absolute.parents][:MOST_ABOVE]


def _inside(place: Path, inside: str) -> Path | None:
    """A file of a package; not what lies outside of it."""
    path = Path(os.path.normpath(place / inside))
    return path if path.is_relative_to(os.path.normpath(place)) and _is_file(path) else None


def _is_file(path: Path) -> bool:
    try:
        return path.is_file() and os.access(path, os.R_OK)
    except (OSError, ValueError):  # a name that is none
        return False
