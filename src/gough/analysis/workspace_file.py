"""A workspace as an NPZ file: plain arrays and one JSON text with names and units; no pickle."""

import json
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import numpy as np

from gough.analysis.grids import Axis, Samples
from gough.analysis.workspace_result import Workspace
from gough.analysis.workspace_states import COLUMNS
from gough.errors import FileError
from gough.files import npz, read_npz, write_file
from gough.text import unprintable_in

KIND, FORMAT = "gough workspace", 1
UNITS = {"parallel": "1", "serial": "1", "margin": "unit of the limit", "orientations": "rad", "length": "m"}


def save(workspace: Workspace, path: Path) -> Path:
    """Write; a name without .npz gets it. Returns the path written."""
    path = path if path.suffix == ".npz" else path.with_name(path.name + ".npz")
    arrays = {name: getattr(workspace, name) for name in COLUMNS}
    arrays |= {n: x for n in ("orientations", "q") if (x := getattr(workspace, n)) is not None}
    arrays |= {f"axis {a.name}": a.values for a in workspace.samples.axes} if workspace.samples.is_grid else {}
    rest = {f.name: getattr(workspace, f.name) for f in fields(Workspace) if f.name not in (*arrays, *COLUMNS)}
    rest = {name: x for name, x in rest.items() if x is not None}
    about = {"kind": KIND, "format": FORMAT, "units": UNITS} | rest | {"samples": asdict(workspace.samples)}
    return write_file(path, npz({"about": np.array(json.dumps(about)), **arrays}))


def load(path: Path) -> Workspace:
    """Read; newer formats and other files are refused."""
    arrays = read_npz(path, "a workspace file (NPZ written by Workspace.save)")
    try:
        about = json.loads(str(arrays.pop("about", "{}")))
    except (ValueError, RecursionError):
        about = {}
    if not isinstance(about, dict) or about.pop("kind", None) != KIND or unprintable_in(about) is not None:
        raise FileError(f"{path} is not a workspace file (NPZ written by Workspace.save)")
    if about.pop("format", FORMAT) > FORMAT:
        raise FileError(f"{path} was written by a newer gough; this one reads format {FORMAT}")
    try:
        return _workspace(about, arrays)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise FileError(f"{path} is damaged: what it says of itself cannot be read ({error})") from error


def _workspace(about: dict[str, Any], arrays: dict[str, np.ndarray]) -> Workspace:
    about.pop("units")
    samples = about.pop("samples")
    samples["axes"] = tuple(Axis(**axis) for axis in samples["axes"])
    names = {name: tuple(about.pop(name)) for name in ("place_names", "loop_names", "limit_names", "limit_units")}
    columns = {name: arrays.get(name) for name in (*COLUMNS, "orientations", "q")}
    return Workspace(samples=Samples(**samples), **names, **columns, **about)
