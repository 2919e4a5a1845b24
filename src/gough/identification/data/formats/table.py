"""A log as a table of named columns, whatever file it came from; units that headers write beside the names."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from gough.robot.units import OTHER_WORDS, UNITS, UnitError, parse_unit

_HEADED = re.compile(r"\s*(.*?)\s*[\[(<{]\s*([^\])>}]*?)\s*[\])>}]\s*")
_SUFFIX = re.compile(r"(.+)[_\s/](mm|um|cm|m|deg|rad|ms|us|ns|s|N|kN|Nm|rpm)")
RAW = ("A", "mA", "V", "mV", "counts", "count", "cts", "inc", "ticks", "%", "bit", "bits", "1", "-")
"""Units of raw numbers, that need a gain."""
NANOSECONDS = ("ns", "nsec", "nanosecond", "nanoseconds")
"""Counters of clocks have them; nothing in a description does."""


@dataclass(frozen=True)
class LogTable:
    """columns {name: (n,)}; units {name: as written, "" where nothing is}; notes: what was done to read it. file: its path."""

    file: str
    columns: Mapping[str, np.ndarray]
    units: Mapping[str, str]
    notes: tuple[str, ...] = ()
    also: Mapping[str, str] = field(default_factory=dict)
    """Other names {name: column}: headers with their units."""
    left_out: Mapping[str, str] = field(default_factory=dict)
    """{column of the file that is none of the table: why}."""

    def say_left_out(self) -> str:
        """ "left out: mode (text), z (complex numbers)"; "" where nothing is."""
        few = ", ".join(f"{name} ({why})" for name, why in list(self.left_out.items())[:8])
        more = f" … and {len(self.left_out) - 8} more" if len(self.left_out) > 8 else ""
        return f"left out: {few}{more}" if few else ""


def headed_table(file: str, columns: Mapping[str, np.ndarray], notes: tuple[str, ...] = ()) -> LogTable:
    """A table of columns whose names may carry units: "time [ms]", "leg0.slide (mm)"."""
    named, units, also = {}, {}, {}
    for header, x in columns.items():
        name, unit = split_header(header)
        name = header if name in named else name
        named[name], units[name], also[header] = x, unit, name
    return LogTable(file, named, units, notes, also)


def split_header(header: str) -> tuple[str, str]:
    """(name, unit) of a header; unit "" where none is written in brackets."""
    match = _HEADED.fullmatch(header)
    if match is None or not match[1] or match[2].isdigit():  # q[0] is a name
        return header.strip(), ""
    return match[1], match[2]


def split_suffix(name: str) -> tuple[str, str]:
    """(stem, unit) of a name such as "time_ms"; unit "" where it ends in none."""
    match = _SUFFIX.fullmatch(name)
    return (name, "") if match is None else (match[1], match[2])


def unit_scale(unit: str) -> tuple[float, tuple[int, int, int, int]]:
    """The factor to SI and the dimension of a unit as people write it: "N m", "mm/s", "degrees"."""
    plain = unit.strip().replace("·", ".").replace("²", "2")
    plain = OTHER_WORDS.get(plain, OTHER_WORDS.get(plain.lower(), plain))
    if " " in plain and "/" not in plain:
        plain = ".".join(plain.split())
    plain = {"sec": "s", "nm": "Nm", "n": "N", "NM": "Nm", "µs": "us", "μs": "us"}.get(plain, plain)
    if plain in NANOSECONDS:
        return 1e-9, (0, 0, 1, 0)
    scale, dimension = parse_unit(plain.replace(" ", ""))
    return float(scale), dimension


def is_unit(text: str) -> bool:
    """Whether a cell of a line of units is one."""
    plain = text.strip().strip("[]()")
    if plain in ("", *RAW) or plain in UNITS:
        return True
    try:
        unit_scale(plain)
    except UnitError:
        return False
    return True
