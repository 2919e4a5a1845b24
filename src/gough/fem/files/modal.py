"""Modal data as an NPZ file any code can write: plain arrays, no pickle. docs/modal_files.md lists the keys."""

import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy

from gough.errors import UsageError
from gough.fem._memory import demand
from gough.fem._reading import SI, UnitFactors, guard, real_numbers, regular_file, shorten, whole_numbers
from gough.fem.modal.data import ModalData, ModalFrame, Stated, demand_shapes, in_si
from gough.files import npz, write_file

FORMAT = 1
REQUIRED = ("modal_format", "nodes", "masses", "shapes", "K")
OPTIONAL = ("M", "D", "inertias", "second", "K_G", "cells", "labels", "units")
FRAMES = ("names", "positions", "rotations", "nodes", "translations", "turnings", "seconds")
ENCRYPTED = 0x1
PLAIN = "biufcUS"
"""Kinds of numbers and texts; records and Python objects are none."""
MOST_ARRAYS = 1000
LONGEST_HEADER = 10_000
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


@guard("modal data", "write the arrays again with numpy.savez; docs/modal_files.md lists the keys")
def read_modal_file(path: str | Path, units: UnitFactors | None = None) -> ModalData:
    """Read; units: those of the file where it does not say (its key `units` otherwise). Unknown keys are refused."""
    arrays = read_arrays(path)
    _keys(Path(path), arrays)

    def numbers(name: str) -> np.ndarray:
        return real_numbers(arrays[name], f"{path}: {name}")

    if "units" in arrays:
        factors = numbers("units")
        if factors.shape != (3,):
            raise UsageError(f"{path}: units must be three factors to m, kg, s")
        stated = UnitFactors(*factors.tolist())
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
        stated=_read_stated(arrays, str(path)),
    )
    _demand_fit(data, str(path))
    return in_si(data, units or SI)


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
        names = shorten(", ".join(unknown))
        raise UsageError(f"{path}: unknown keys {names}; known are {', '.join(sorted(known))}")


def _demand_fit(data: ModalData, where: str) -> None:
    """Refuse arrays that do not belong together, naming the file, and a body that would take too much memory."""
    try:
        demand_shapes(data)
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
    return tuple(shorten(name, 60) for name in names)


def _read_stated(arrays: dict[str, np.ndarray], where: str) -> Stated:
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


def read_arrays(path: str | Path) -> dict[str, np.ndarray]:
    """Arrays by name of an NPZ file; every member is judged by its header before memory is taken for it.

    An error where the file is no NPZ, is damaged, encrypted, or states sizes that it does not have.
    """
    regular_file(path)
    try:
        with zipfile.ZipFile(path) as file:
            members = file.infolist()
            if len(members) > MOST_ARRAYS:
                raise UsageError(f"{path} has {len(members)} arrays; expected {MOST_ARRAYS} at most")
            demand(2.0 * sum(m.file_size for m in members), f"reading {path}", "write fewer nodes or fewer modes")
            return {member.filename.removesuffix(".npy"): _array(file, member, path) for member in members}
    except zipfile.BadZipFile as failure:
        raise UsageError(f"{path} is not an NPZ file of plain arrays, or is damaged ({failure})") from None
    except (zlib.error, EOFError, NotImplementedError, RuntimeError, OSError) as failure:
        raise UsageError(f"{path} is damaged, or packed in a way that is not read ({shorten(str(failure))})") from None


def _array(file: zipfile.ZipFile, member: zipfile.ZipInfo, path: str | Path) -> np.ndarray:
    where = f"{path}: {shorten(member.filename, 60)!r}"
    if member.flag_bits & ENCRYPTED:
        raise UsageError(f"{where} is encrypted; write it without a password")
    with file.open(member) as stream:
        try:
            version = npy.read_magic(stream)
            reader = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}[version]
            shape, fortran, dtype = reader(stream, max_header_size=LONGEST_HEADER)
        except KeyError:
            raise UsageError(f"{where} is in an unknown version of NumPy's format") from None
        except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError) as failure:
            raise UsageError(f"{where} is no array ({shorten(str(failure), 100)})") from None
        if dtype.kind not in PLAIN:
            raise UsageError(f"{where} holds {dtype}; expected plain arrays of numbers or texts")
        if any(n < 0 for n in shape) or len(shape) > 8:
            raise UsageError(f"{where} has the shape {shape}")
        count = 1
        for n in shape:
            count *= int(n)
        left = member.file_size - stream.tell()
        if count * dtype.itemsize != left:
            raise UsageError(
                f"{where} states {count} numbers of {dtype.itemsize} bytes, but {left} bytes follow: it is damaged"
            )
        data = stream.read()
    array = np.frombuffer(data, dtype=dtype, count=count) if dtype.itemsize and count else np.zeros(count, dtype=dtype)
    return array.reshape(shape, order="F" if fortran else "C").astype(dtype.newbyteorder("="))
