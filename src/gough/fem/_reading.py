"""One way into files of other programs: regular files of bounded size, plain numbers, their units, and errors that name file,
place, remedy.

Every public reader is `guard`ed: what its own checks did not foresee still ends as a UsageError that names the files.
Sizes are estimated before anything is allocated (`memory.py`).
"""

from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from gough.errors import GoughError, UsageError
from gough.fem._memory import demand
from gough.text import demand_file, read_file

Reader = TypeVar("Reader", bound=Callable[..., Any])

TEXT_GROWS = 8
"""Memory that a text of numbers takes while it is read, a byte of the file."""
LARGEST_LABEL = 2**53
"""Whole numbers beyond this are not exact as doubles."""


def guard(what: str, remedy: str) -> Callable[[Reader], Reader]:
    """A reader whose unforeseen failures say which file is no `what`, and what to do."""

    def decorate(reader: Reader) -> Reader:
        @wraps(reader)
        def read(*arguments: Any, **options: Any) -> Any:
            try:
                return reader(*arguments, **options)
            except GoughError:
                raise
            except Exception as failure:  # the file decides what can go wrong here
                files = ", ".join(str(x) for x in (*arguments, *options.values()) if isinstance(x, str | Path))
                reason = f"{type(failure).__name__}: {failure}" if str(failure) else type(failure).__name__
                raise UsageError(f"{files}: cannot be read as {what} ({shorten(reason)}); {remedy}") from failure

        return read  # type: ignore[return-value]

    return decorate


def blame_numbers(made: Reader) -> Reader:
    """A maker of bodies whose failures in linear algebra say that the numbers are to blame."""

    @wraps(made)
    def make(*arguments: Any, **options: Any) -> Any:
        try:
            return made(*arguments, **options)
        except GoughError:
            raise
        except (ValueError, ArithmeticError, RuntimeError, MemoryError) as failure:  # LinAlgError is a ValueError
            raise UsageError(
                f"the numbers of this body cannot be worked with ({type(failure).__name__}: {shorten(str(failure))}): look for "
                "entries that are far too large or too small, for wrong units, and for parts without stiffness or mass"
            ) from failure

    return make  # type: ignore[return-value]


def shorten(text: str, most: int = 200) -> str:
    """One line of at most so many characters, without control characters."""
    line = " ".join("".join(c if c.isprintable() else " " for c in str(text)).split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


def regular_file(path: str | Path, grows: float = 1.0) -> int:
    """Size (bytes) of a plain file, or an error; grows: memory a byte of it takes while it is read."""
    demand_file(path)
    size = Path(path).stat().st_size
    if not size:
        raise UsageError(f"{path} is empty")
    demand(grows * size, f"reading {path} ({size / 1e6:.3g} MB)", "write fewer freedoms or modes")
    return size


def lines_of(path: str | Path, encoding: str = "utf-8") -> Iterator[tuple[int, str]]:
    """(number from 1, line) of a text file."""
    size = regular_file(path, TEXT_GROWS)
    try:
        text = read_file(path, size).decode(encoding)
    except UnicodeDecodeError as failure:
        raise UsageError(f"{path} is no text file (byte {failure.start} is no {encoding})") from None
    if "\0" in text:
        raise UsageError(f"{path} is no text file (it holds zero bytes)")
    yield from enumerate(text.splitlines(), start=1)


def real(word: str, where: str, what: str = "a number") -> float:
    """A finite number of a text, or an error that names its place; Fortran's 1.5D+3 too."""
    try:
        value = float(word.replace("D", "E").replace("d", "e")) if "_" not in word else np.nan
    except ValueError:
        value = np.nan
    if not np.isfinite(value):
        raise UsageError(f"{where}: {shorten(repr(word), 60)} is not {what}; expected a finite number")
    return value


def whole(word: str, where: str, what: str = "a number") -> int:
    """A whole number of a text, also written 3.0 or 3E0, or an error that names its place."""
    value = real(word, where, what)
    if value != int(value) or abs(value) > LARGEST_LABEL:
        raise UsageError(f"{where}: {shorten(word, 60)} is not {what}; expected a whole number")
    return int(value)


def whole_numbers(values: np.ndarray, where: str, what: str) -> np.ndarray:
    """Integers from an array of numbers that are whole, or an error."""
    values = np.asarray(values)
    if values.dtype.kind not in "biuf" or not np.isfinite(values).all():
        raise UsageError(f"{where}: {what} must be whole numbers")
    wrong = values[(values != np.round(values)) | (np.abs(values.astype(float)) > LARGEST_LABEL)]
    if wrong.size:
        raise UsageError(f"{where}: {what} must be whole numbers, not {wrong.ravel()[0]:g}")
    return values.astype(np.int64)


def real_numbers(values: Any, what: str) -> np.ndarray:
    """Floats from an array of plain real numbers (bool, integer, float; complex ones without imaginary part), or an error."""
    values = np.asarray(values)
    if values.dtype.kind == "c":
        if np.abs(values.imag).max(initial=0.0) > 1e-9 * np.abs(values).max(initial=0.0):
            raise UsageError(
                f"{what} is complex: write real numbers (undamped modes, real K and M; damping goes into D)"
            )
        values = values.real
    if values.dtype.kind not in "biuf":
        kind = {"U": "text", "S": "text", "V": "records", "O": "objects"}.get(values.dtype.kind, str(values.dtype))
        raise UsageError(f"{what} holds {kind}, not numbers")
    return values.astype(float)


class NumberTable:
    """Rows of `width` numbers collected one by one without a Python object for each."""

    def __init__(self, width: int) -> None:
        self.width, self.numbers = width, array("d")

    def add(self, row: list[float]) -> None:
        """A row of `width` numbers."""
        self.numbers.extend(row)

    def rows(self) -> np.ndarray:
        """(rows, width)."""
        return np.frombuffer(self.numbers, dtype=float).reshape(-1, self.width).copy()


DENSEST = 22600.0  # kg/m³, osmium
LARGEST = 50.0  # m


@dataclass(frozen=True)
class UnitFactors:
    """What the units of a file are in m, kg, s; force follows. mm, tonne, s, N: UnitFactors(1e-3, 1e3)."""

    length: float = 1.0
    mass: float = 1.0
    time: float = 1.0

    def __post_init__(self) -> None:
        if not all(np.isfinite(u) and u > 0.0 for u in (self.length, self.mass, self.time)):
            raise UsageError(f"units must be positive factors to m, kg, s, not {self.length}, {self.mass}, {self.time}")


SI = UnitFactors()


def doubtful_units(mass: float, nodes: np.ndarray) -> list[str]:
    """Sentences on a mass (kg) or nodes (n, 3) (m) that are not credible; empty where they are."""
    size = float(np.ptp(nodes, axis=0).max()) if len(nodes) else 0.0
    found = []
    if size > LARGEST:
        found.append(
            f"the nodes span {size:.4g} m: is the length unit mm? Convert it, or give units= where a file is read"
        )
    if size > 0.0 and mass > DENSEST * size**3:
        found.append(
            f"the body weighs {mass:.6g} kg in a cube of {size:.4g} m, more than solid osmium: check density and units "
            "(kg, m; or units= where a file is read)"
        )
    return found
