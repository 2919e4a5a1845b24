"""A run as NPZ: an array for each group, and the JSON text `about`."""

import json
import zipfile
from pathlib import Path
from typing import BinaryIO

import numpy as np

from gough.errors import UsageError
from gough.simulation.results.files import Contents, about_of


def write(file: BinaryIO, contents: Contents) -> None:
    """All groups, compressed; numbers come back bit by bit."""
    arrays = {name: x for name, (x, _, _) in contents.groups.items()}
    np.savez_compressed(file, about=np.array(json.dumps(contents.about)), **arrays)  # pyright: ignore[reportArgumentType]


def read(path: Path) -> Contents:
    """What `write` wrote."""
    try:
        with np.load(path, allow_pickle=False) as data:
            arrays = {name: data[name] for name in data.files}
    except (ValueError, EOFError, OSError, zipfile.BadZipFile):
        raise UsageError(f"{path} is not the file of a run (NPZ written by Run.save)") from None
    about = about_of(str(arrays["about"]) if "about" in arrays else None, path)
    lost = [name for name in about["columns"] if name not in arrays]
    if lost:
        raise UsageError(f"{path}: the arrays {', '.join(lost)} are missing")
    groups = {n: (arrays[n], tuple(c), tuple(about["units"][n])) for n, c in about["columns"].items()}
    return Contents(about, groups)
