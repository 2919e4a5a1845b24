"""Modal data as an NPZ file any code can write: plain arrays, no pickle. docs/modal_files.md lists the keys."""

import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from gough.errors import UsageError
from gough.fem.modal_data import ModalData, ModalFrame, Stated
from gough.fem.units import SI, Units
from gough.files import npz, write_file

FORMAT = 1
REQUIRED = ("modal_format", "nodes", "masses", "shapes", "K")
OPTIONAL = ("M", "D", "inertias", "second", "K_G", "cells", "labels", "units")
FRAMES = ("names", "positions", "rotations", "nodes", "translations", "turnings", "seconds")
STATED = ("mass", "center", "inertia", "frequencies_hz")


def write_modal_file(path: str | Path, data: ModalData) -> Path:
    """Write in m, kg, s; a name without .npz gets it. Returns the path written."""
    path = Path(path)
    path = path if path.suffix == ".npz" else path.with_name(path.name + ".npz")
    m, frames = data.modes, data.frames
    arrays: dict[str, Any] = {"modal_format": np.int64(FORMAT), "units": np.ones(3)}
    for name in (*REQUIRED[1:], "M", "D", "inertias", "second", "K_G", "cells"):
        if (value := getattr(data, name)) is not None:
            arrays[name] = np.asarray(value)
    if data.labels is not None:
        arrays["labels"] = np.array(data.labels, dtype=np.str_)
    if frames:
        arrays["frame_names"] = np.array(list(frames), dtype=np.str_)
        arrays["frame_positions"] = np.array([frame.position for frame in frames.values()])
        arrays["frame_rotations"] = np.array([frame.rotation for frame in frames.values()])
        arrays["frame_nodes"] = np.array([-1 if frame.node is None else frame.node for frame in frames.values()])
        for key, shape in (("translation", (3, m)), ("turning", (3, m)), ("second", (3, m, m))):
            given = [getattr(frame, key) for frame in frames.values()]
            if any(value is not None for value in given):
                arrays[f"frame_{key}s"] = np.array([np.full(shape, np.nan) if v is None else v for v in given])
    for key in STATED:
        if (value := getattr(data.stated, key)) is not None:
            arrays[f"stated_{key}"] = np.asarray(value)
    return write_file(path, npz(arrays))


def read_modal_file(path: str | Path, units: Units | None = None) -> ModalData:
    """Read; units: those of the file where it does not say (its key `units` otherwise). Unknown keys are refused."""
    arrays = _arrays(Path(path))
    _keys(Path(path), arrays)
    if "units" in arrays:
        factors = arrays["units"].astype(float)
        if factors.shape != (3,):
            raise UsageError(f"{path}: units must be three factors to m, kg, s")
        stated = Units(*factors.tolist())
        if units is not None and units != stated:
            raise UsageError(f"{path} states {stated}; leave units= out, or correct the file")
        units = stated
    data = ModalData(
        nodes=_floats(arrays["nodes"]),
        masses=_floats(arrays["masses"]),
        shapes=_floats(arrays["shapes"]),
        K=_floats(arrays["K"]),
        **{name: _floats(arrays[name]) for name in ("M", "D", "inertias", "second", "K_G") if name in arrays},
        **({"cells": arrays["cells"].astype(int)} if "cells" in arrays else {}),
        frames=_frames(Path(path), arrays),
        labels=tuple(str(x) for x in arrays["labels"]) if "labels" in arrays else None,
        stated=_stated(arrays),
    )
    return in_si(data, units or SI)


def in_si(data: ModalData, units: Units) -> ModalData:
    """Data in m, kg, s. Coordinates are scaled so that M keeps its values (mass-normalised modes stay so)."""
    if units == SI:
        return data
    L, mass, T = units.length, units.mass, units.time
    move, turn = 1.0 / np.sqrt(mass), 1.0 / (np.sqrt(mass) * L)  # per new coordinate e' = √mass L e
    scale = np.array([move] * 3 + [turn] * 3)[: data.shapes.shape[1], None]
    second = 1.0 / (mass * L)

    def times(value: np.ndarray | None, factor: Any) -> np.ndarray | None:
        return None if value is None else np.asarray(value) * factor

    frames = {
        name: replace(
            frame,
            position=np.asarray(frame.position) * L,
            translation=times(frame.translation, move),
            turning=times(frame.turning, turn),
            second=times(frame.second, second),
        )
        for name, frame in data.frames.items()
    }
    s = data.stated
    stated = Stated(
        None if s.mass is None else s.mass * mass,
        times(s.center, L),
        times(s.inertia, mass * L**2),
        times(s.frequencies_hz, 1.0 / T),
    )
    K_G = times(data.K_G, np.array([1.0 / L] * 3 + [1.0] * 9)[:, None, None])
    return replace(
        data,
        nodes=data.nodes * L,
        masses=data.masses * mass,
        inertias=times(data.inertias, mass * L**2),
        shapes=data.shapes * scale,
        K=data.K / T**2,
        D=times(data.D, 1.0 / T),
        second=times(data.second, second),
        K_G=K_G,
        frames=frames,
        stated=stated,
    )


def _arrays(path: Path) -> dict[str, np.ndarray]:
    try:
        with np.load(path, allow_pickle=False) as file:
            return {name: file[name] for name in file.files}
    except FileNotFoundError:
        raise UsageError(f"{path}: no such file") from None
    except (ValueError, EOFError, AttributeError, zipfile.BadZipFile):
        raise UsageError(f"{path} is not an NPZ file of plain arrays") from None


def _keys(path: Path, arrays: dict[str, np.ndarray]) -> None:
    if missing := [key for key in REQUIRED if key not in arrays]:
        raise UsageError(f"{path} is no modal data: it lacks {', '.join(missing)}")
    if int(arrays["modal_format"]) != FORMAT:
        raise UsageError(f"{path} has modal format {int(arrays['modal_format'])}; this gough reads format {FORMAT}")
    known = {*REQUIRED, *OPTIONAL, *(f"frame_{key}" for key in FRAMES), *(f"stated_{key}" for key in STATED)}
    if unknown := sorted(set(arrays) - known):
        raise UsageError(f"{path}: unknown keys {', '.join(unknown)}; known are {', '.join(sorted(known))}")


def _stated(arrays: dict[str, np.ndarray]) -> Stated:
    mass, *rest = (_floats(arrays[f"stated_{key}"]) if f"stated_{key}" in arrays else None for key in STATED)
    return Stated(None if mass is None else float(mass), *rest)


def _floats(array: np.ndarray) -> np.ndarray:
    return array if np.iscomplexobj(array) else array.astype(float)


def _frames(path: Path, arrays: dict[str, np.ndarray]) -> dict[str, ModalFrame]:
    if "frame_names" not in arrays:
        return {}
    names = [str(name) for name in arrays["frame_names"]]
    if len(set(names)) < len(names):
        raise UsageError(f"{path}: two frames have one name")
    if "frame_positions" not in arrays:
        raise UsageError(f"{path} names frames, but lacks frame_positions (f, 3)")
    given = {key: arrays[f"frame_{key}"] for key in FRAMES if f"frame_{key}" in arrays}
    if wrong := [key for key, value in given.items() if len(value) != len(names)]:
        raise UsageError(f"{path}: frame_{wrong[0]} has {len(given[wrong[0]])} rows for {len(names)} frames")

    def part(key: str, k: int) -> np.ndarray | None:
        value = given[key][k].astype(float) if key in given else None
        return None if value is None or np.isnan(value).any() else value

    return {
        name: ModalFrame(
            position=given["positions"][k].astype(float),
            rotation=given["rotations"][k].astype(float) if "rotations" in given else np.eye(3),
            node=int(given["nodes"][k]) if "nodes" in given and given["nodes"][k] >= 0 else None,
            translation=part("translations", k),
            turning=part("turnings", k),
            second=part("seconds", k),
        )
        for k, name in enumerate(names)
    }
