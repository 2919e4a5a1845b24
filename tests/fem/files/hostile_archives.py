"""NPZ files, spoilt: their arrays, the headers of these, and the archive itself."""

import io
import re
import struct
import warnings
import zipfile
from collections.abc import Callable

import numpy as np


def _opened_arrays(data: bytes) -> dict[str, np.ndarray]:
    try:
        with np.load(io.BytesIO(data)) as file:
            return {name: x for name in file.files if isinstance(x := file[name], np.ndarray)}
    except Exception:  # spoilt already
        return {}


def arrays(data: bytes, rng: np.random.Generator) -> bytes:
    """One array of the file replaced by one that cannot be, or its kind or shape changed."""
    found = _opened_arrays(data)
    if not found:
        return data
    name = list(found)[rng.integers(len(found))]
    x = found[name]
    nasty = [np.nan, np.inf, -1.0, 0.0, 1e308, 1e-308, 1e200]
    ways: list[Callable[[], object]] = [
        lambda: x.astype(str),
        lambda: x.astype(complex) * (1 + 1j) if x.dtype.kind in "iuf" else x[..., None],
        lambda: np.zeros(x.shape, dtype=[("a", float), ("b", int)]),
        lambda: np.zeros_like(x),
        lambda: x[None],
        lambda: x.ravel(),
        lambda: x.ravel()[:0],
        lambda: x.T,
        lambda: np.array(1.0),
        lambda: np.array([1, 1]),
        lambda: np.full(x.shape, nasty[rng.integers(len(nasty))]),
        lambda: x * 1e60 if x.dtype.kind == "f" else x,
        lambda: np.concatenate([x.reshape(-1, *x.shape[1:])] * 2) if x.ndim else x,
        lambda: x.astype(np.int8) if x.dtype.kind in "iuf" else x,
        lambda: np.where(rng.random(x.shape) < 0.2, nasty[rng.integers(len(nasty))], x) if x.dtype.kind == "f" else x,
        lambda: np.datetime64("2020-01-01"),
        lambda: b"bytes",
    ]
    action = rng.integers(6)
    if action == 0:
        del found[name]
    elif action == 1:
        optional = [
            "M",
            "D",
            "K_G",
            "second",
            "inertias",
            "stated_mass",
            "stated_frequencies_hz",
            "labels",
            "units",
            "cells",
            "what",
        ]
        made = [
            np.zeros(3),
            np.ones(()),
            np.eye(5),
            np.zeros((12, 5, 5)),
            np.array(["a"]),
            -np.ones(3),
            np.full((5, 5), np.nan),
        ]
        found[optional[rng.integers(len(optional))]] = made[rng.integers(len(made))]
    else:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found[name] = np.asarray(ways[rng.integers(len(ways))]())
    out = io.BytesIO()
    (np.savez if rng.random() < 0.5 else np.savez_compressed)(out, **found)  # pyright: ignore[reportArgumentType]
    return out.getvalue()


def headers(data: bytes, rng: np.random.Generator) -> bytes:
    """Headers of arrays that state what is not there: huge or negative shapes, other types, nonsense."""
    found = _opened_arrays(data)
    if not found:
        return data
    name = list(found)[rng.integers(len(found))]
    shapes = [
        "(1000000000000,)",
        "(-1,)",
        "(1, 2",
        "(10**9,)",
        "(99999, 99999, 99999)",
        "1.5",
        "()",
        f"{(1,) * 40}",
        "(True,)",
    ]
    kinds = ["<f8", "|O", "<M8[D]", "|V16", ">c16", "<U1000000", "[('a', '<f8')]", "f4", "xyz", "|S0", "<f2"]
    kind, shape = kinds[rng.integers(len(kinds))], shapes[rng.integers(len(shapes))]
    text = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}"
    if rng.random() < 0.1:
        text = "(" * 5000
    header = text.encode().ljust(118) + b"\n"
    member = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + b"\0" * 64
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        for key, x in found.items():
            plain = io.BytesIO()
            np.save(plain, x)
            file.writestr(f"{key}.npy", member if key == name else plain.getvalue())
    return out.getvalue()


def zipped(data: bytes, rng: np.random.Generator) -> bytes:
    """The archive itself: flags, methods, stated sizes, a bomb, members that are no arrays."""
    match rng.integers(5):
        case 0:  # flags (encrypted) or method in headers
            out = bytearray(data)
            for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
                at = [m.start() for m in re.finditer(re.escape(mark), data)]
                if at:
                    out[at[rng.integers(len(at))] + offset + int(rng.integers(3))] = int(rng.integers(256))
            return bytes(out)
        case 1:  # stated sizes in the directory
            out = bytearray(data)
            at = [m.start() for m in re.finditer(rb"PK\x01\x02", data)]
            if at:
                where = at[rng.integers(len(at))] + 20
                out[where : where + 8] = rng.integers(0, 256, 8, dtype=np.uint8).tobytes()
            return bytes(out)
        case 2:
            out = io.BytesIO()
            with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
                file.writestr("K.npy", b"\0" * 5_000_000)
            return out.getvalue()
        case 3:
            out = io.BytesIO()
            with zipfile.ZipFile(out, "w") as file:
                file.writestr("../K.npy", b"nothing")
            return out.getvalue()
        case _:
            return b"PK\x05\x06" + b"\0" * 18
