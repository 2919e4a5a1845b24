"""A run as NPZ: an array for each group, and the JSON text `about`."""

import json
from pathlib import Path
from typing import BinaryIO

import numpy as np

from gough.errors import UsageError
from gough.files import npz, read_npz
from gough.simulation.results.contents import Contents, about_of


def write(file: BinaryIO, contents: Contents) -> None:
    """All groups, compressed; numbers come back bit by bit."""
    arrays = {name: x for name, (x, _, _) in contents.groups.items()}
    npz({"about": np.array(json.dumps(contents.about)), **arrays})(file)


def read(path: Path) -> Contents:
    """What `write` wrote."""
    arrays = read_npz(path, "the file of a run (NPZ written by Run.save)")
    about = about_of(str(arrays["about"]) if "about" in arrays else None, path)
    lost = [name for name in about["columns"] if name not in arrays]
    if lost:
        raise UsageError(f"{path}: the arrays {', '.join(lost)} are missing")
    groups = {n: (arrays[n], tuple(c), tuple(about["units"][n])) for n, c in about["columns"].items()}
    return Contents(about, groups)
