"""NPZ files of plain arrays: every member is judged by its header before memory is taken for it."""

import zipfile
import zlib
from pathlib import Path

import numpy as np
from numpy.lib import format as npy

from gough.errors import UsageError
from gough.fem.memory import demand
from gough.fem.reading import regular_file, shortened

ENCRYPTED = 0x1
PLAIN = "biufcUS"
"""Kinds of numbers and texts; records and Python objects are none."""
MOST_ARRAYS = 1000
LONGEST_HEADER = 10_000


def read_arrays(path: str | Path) -> dict[str, np.ndarray]:
    """Arrays by name; an error where the file is no NPZ, is damaged, encrypted, or states sizes that it does not have."""
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
        raise UsageError(
            f"{path} is damaged, or packed in a way that is not read ({shortened(str(failure))})"
        ) from None


def _array(file: zipfile.ZipFile, member: zipfile.ZipInfo, path: str | Path) -> np.ndarray:
    where = f"{path}: {shortened(member.filename, 60)!r}"
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
            raise UsageError(f"{where} is no array ({shortened(str(failure), 100)})") from None
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
