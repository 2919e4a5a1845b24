"""Modal data as an NPZ file any code can write: plain arrays, no pickle. docs/modal_files.md lists the keys."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from gough.errors import UsageError
from gough.fem.array_file import read_arrays
from gough.fem.memory import demand
from gough.fem.modal_checks import shapes_fit
from gough.fem.modal_data import ModalData, ModalFrame, Stated
from gough.fem.reading import guarded, real_numbers, shortened, whole_numbers
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


@guarded("modal data", "write the arrays again with numpy.savez; docs/modal_files.md lists the keys")
def read_modal_file(path: str | Path, units: Units | None = None) -> ModalData:
    """Read; units: those of the file where it does not say (its key `units` otherwise). Unknown keys are refused."""
    arrays = read_arrays(path)
    _keys(Path(path), arrays)

    def numbers(name: str) -> np.ndarray:
        return real_numbers(arrays[name], f"{path}: {name}")

    if "units" in arrays:
        factors = numbers("units")
        if factors.shape != (3,):
            raise UsageError(f"{path}: units must be three factors to m, kg, s")
        stated = Units(*factors.tolist())
        if units is not None and units != stated:
            raise UsageError(f"{path} states {stated}; leave units= out, or correct the file")
        units = stated
    cells = whole_numbers(arrays["cells"], f"{path}", "cells") if "cells" in arrays else np.zeros((0, 2), dtype=int)
    data = ModalData(
        nodes=numbers("nodes"),
        masses=numbers("masses"),
        shapes=numbers("shapes"),
        K=numbers("K"),
        **{name: numbers(name) for name in ("M", "D", "inertias", "second", "K_G") if name in arrays},
        cells=cells,
        frames=_frames(str(path), arrays),
        labels=_labels(arrays["labels"], f"{path}: labels") if "labels" in arrays else None,
        stated=_stated(arrays, str(path)),
    )
    _fits(data, str(path))
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


def _keys(path: Path, arrays: dict[str, np.ndarray]) -> None:
    if missing := [key for key in REQUIRED if key not in arrays]:
        raise UsageError(f"{path} is no modal data: it lacks {', '.join(missing)}")
    form = arrays["modal_format"]
    if form.size != 1 or form.dtype.kind not in "iuf":
        raise UsageError(f"{path}: modal_format must be the number {FORMAT}, not {form.dtype} {form.shape}")
    if form.item() != FORMAT:
        raise UsageError(f"{path} has modal format {form.item():g}; this gough reads format {FORMAT}")
    known = {*REQUIRED, *OPTIONAL, *(f"frame_{key}" for key in FRAMES), *(f"stated_{key}" for key in STATED)}
    if unknown := sorted(set(arrays) - known):
        names = shortened(", ".join(unknown))
        raise UsageError(f"{path}: unknown keys {names}; known are {', '.join(sorted(known))}")


def _fits(data: ModalData, where: str) -> None:
    """Shapes of arrays that `modal_checks` could not name the file of, and how much memory the body would take."""
    try:
        shapes_fit(data)
    except UsageError as error:
        raise UsageError(f"{where}: {error}") from None
    if data.cells.size and (data.cells.ndim != 2 or data.cells.max() >= len(data.nodes) or data.cells.min() < -1):
        raise UsageError(f"{where}: cells must be (c, k) node numbers from 0 to {len(data.nodes) - 1} (-1: none)")
    m = data.modes
    demand(
        8.0 * (12 * len(data.nodes) * m * (2 + (0 if data.second is None else m)) + 40.0 * m**2),
        f"{where} ({len(data.nodes)} nodes, {m} modes)",
        "write fewer nodes or fewer modes",
    )


def _labels(values: np.ndarray, where: str) -> tuple[str, ...]:
    if values.dtype.kind not in "US" or values.ndim != 1:
        raise UsageError(f"{where} must be a list of texts, not {values.dtype} {values.shape}")
    try:
        names = [x.decode() if isinstance(x, bytes) else str(x) for x in values.tolist()]
    except UnicodeDecodeError:
        raise UsageError(f"{where}: texts must be UTF-8") from None
    return tuple(shortened(name, 60) for name in names)


def _stated(arrays: dict[str, np.ndarray], where: str) -> Stated:
    found: dict[str, Any] = {}
    m = arrays["K"].shape[0] if arrays["K"].ndim else 0
    for key, shape in (("mass", ()), ("center", (3,)), ("inertia", (3, 3)), ("frequencies_hz", (m,))):
        if (name := f"stated_{key}") not in arrays:
            continue
        value = real_numbers(arrays[name], f"{where}: {name}")
        value = value.reshape(()) if key == "mass" and value.size == 1 else value
        if value.shape != shape or not np.isfinite(value).all():
            raise UsageError(f"{where}: {name} must be finite numbers {shape}, not {value.shape}")
        found[key] = value
    if not (mass := found.get("mass", np.ones(()))) > 0.0:
        raise UsageError(f"{where}: stated_mass is {float(mass):g} kg; a body has a positive mass, or leave it out")
    if (found.get("frequencies_hz", np.ones(1)) <= 0.0).any():
        raise UsageError(f"{where}: stated_frequencies_hz must be positive; rigid modes are left out")
    if "inertia" in found and not found["inertia"].any():
        raise UsageError(f"{where}: stated_inertia is zero; leave it out")
    stated = float(mass) if "mass" in found else None
    return Stated(stated, *(found.get(key) for key in STATED[1:]))


def _frames(where: str, arrays: dict[str, np.ndarray]) -> dict[str, ModalFrame]:
    given = {key: arrays[f"frame_{key}"] for key in FRAMES if f"frame_{key}" in arrays}
    if not given:
        return {}
    if lacking := [key for key in ("names", "positions") if key not in given]:
        raise UsageError(f"{where} has frames, but lacks frame_{lacking[0]}")
    names = _labels(given.pop("names"), f"{where}: frame_names")
    if len(set(names)) < len(names):
        raise UsageError(f"{where}: two frames have one name")
    f, m = len(names), arrays["shapes"].shape[-1] if arrays["shapes"].ndim else 0
    shapes = {
        "positions": (f, 3),
        "rotations": (f, 3, 3),
        "nodes": (f,),
        "translations": (f, 3, m),
        "turnings": (f, 3, m),
    }
    shapes["seconds"] = (f, 3, m, m)
    numbers: dict[str, np.ndarray] = {}
    for key, value in given.items():
        numbers[key] = real_numbers(value, f"{where}: frame_{key}")
        if value.shape != shapes[key]:
            raise UsageError(
                f"{where}: frame_{key} must be {shapes[key]} for {f} frames and {m} modes, not {value.shape}"
            )
    if not all(np.isfinite(numbers[key]).all() for key in ("positions", "rotations") if key in numbers):
        raise UsageError(f"{where}: frame positions and rotations must be finite numbers")
    nodes = whole_numbers(numbers.get("nodes", np.full(f, -1.0)), where, "frame_nodes")

    def part(key: str, k: int) -> np.ndarray | None:
        value = numbers[key][k] if key in numbers else None
        if value is not None and np.isinf(value).any():
            raise UsageError(f"{where}: frame_{key} of {names[k]!r} is infinite")
        return None if value is None or np.isnan(value).any() else value

    return {
        name: ModalFrame(
            position=numbers["positions"][k],
            rotation=numbers["rotations"][k] if "rotations" in numbers else np.eye(3),
            node=int(nodes[k]) if nodes[k] >= 0 else None,
            translation=part("translations", k),
            turning=part("turnings", k),
            second=part("seconds", k),
        )
        for k, name in enumerate(names)
    }
