"""Column maps: what the columns of a log mean, and how their numbers become SI.

    {"t_ms": "time [ms]", "enc1": {"is": "position leg0.slide", "unit": "mm"},
     "iq1": {"is": "force leg0.slide", "gain": 12.5, "sign": -1}}

Meanings: time, position NAME, rate NAME (a drive or another joint's coordinate), force DRIVE, reference DRIVE, pose.x … pose.qz,
wrench.fx … wrench.mz. A number of the log becomes (sign · gain · number + offset) · unit. With a gain (motor current times torque
constant times gear) the unit is that of the product; without one that of the column. An offset is a number in that same unit, or
a text with a unit of its own, "90 deg". `wrap`: what a counter or an angle goes through before it begins again, in numbers of the
log, or a text with a unit.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.arguments import is_number
from gough.errors import UsageError
from gough.identification.data._sentinels import find_sentinels
from gough.identification.data.formats.table import RAW, split_header, unit_scale
from gough.robot.item import nearest
from gough.robot.units import UnitError, convert, fits, kind_of
from gough.structure.layout import POSE_NAMES

if TYPE_CHECKING:
    from gough.model import Model

WRENCH = ("fx", "fy", "fz", "mx", "my", "mz")
ROLES = ("position", "rate", "force", "reference")
KEYS = ("is", "unit", "gain", "offset", "sign", "wrap")


@dataclass(frozen=True)
class ColumnUse:
    """What a column is: role ("time", one of ROLES, "pose", "wrench"), name (a coordinate, a drive, a component), and how its
    numbers become SI. unit: as written, "" where nobody did. si: the unit they become."""

    role: str
    name: str
    si: str
    unit: str = ""
    gain: float | None = None
    offset: float | str = 0.0
    sign: float = 1.0
    wrap: float | str | None = None

    @property
    def meaning(self) -> str:
        """As it is written in a map."""
        if self.role == "time":
            return "time"
        return f"{self.role}.{self.name}" if self.role in ("pose", "wrench") else f"{self.role} {self.name}"

    def scale(self, header: str = "") -> float:
        """The factor from numbers of the log to SI, with gain and sign; header as in `unit_factor`."""
        return self.sign * self.unit_factor(header) * (1.0 if self.gain is None else self.gain)

    def unit_factor(self, header: str = "") -> float:
        """The factor of the unit alone; header: the unit that the log writes, which counts where the map has none. UsageError
        where it cannot be."""
        unit = self.unit or ("" if self.gain is not None else header)
        if not unit:
            return 1.0
        if unit in RAW and self.gain is None and unit not in ("1", "-"):
            raise UsageError(f"numbers in {unit}: say gain: (in {self.si} per {unit}) in the column map")
        try:
            factor, dimension = (1.0, (0, 0, 0, 0)) if unit in ("1", "-") else unit_scale(unit)
        except UnitError as problem:
            raise UsageError(f"{problem}; write a unit of {self.si}, or a gain:") from None
        kind = kind_of(self.si)
        if unit not in ("1", "-") and kind is not None and not fits(dimension, kind):
            raise UsageError(f"the unit {unit} does not measure what {self.si} does")
        return factor

    def values(self, raw: np.ndarray, header: str = "") -> np.ndarray:
        """Numbers of the log in SI."""
        if self.wrap is not None:
            words = np.isin(raw, find_sentinels(raw))  # for "no value": they are no counts, and told later
            raw = np.where(words, raw, unwrap(np.where(words, np.nan, raw), self._period(header)))
        return raw * self.scale(header) + self._quantity(self.offset, self.unit_factor(header))

    def _quantity(self, given: float | str, factor: float) -> float:
        """In SI: a number times the factor, a text with its own unit."""
        if isinstance(given, str):
            return float(convert(given, (kind_of(self.si) or "number",)))
        return float(given) * factor

    def _period(self, header: str) -> float:
        """Of a wrap, in numbers of the log."""
        scale = abs(self.scale(header))
        return self._quantity(self.wrap or 0.0, scale) / scale


def unwrap(x: np.ndarray, period: float) -> np.ndarray:
    """x (n,) without jumps of whole periods; NaN stay."""
    out = x.copy()
    good = np.isfinite(x)
    out[good] = np.unwrap(x[good], period=period)
    return out


def meanings(model: "Model") -> dict[str, str]:
    """Every meaning that a column of a log of this robot may have, with its SI unit."""
    layout = model.layout
    drives = dict(zip(layout.drive_names, layout.drive_units, strict=True))
    scalar = {layout.q_names[link.q]: layout.q_units[link.q] for link in model.mechanism.links if link.nu == 1}
    out = {"time": "s"}
    for name, unit in scalar.items():
        out |= {f"position {name}": unit, f"rate {name}": f"{unit}/s"}
        if name in drives:
            out |= {f"force {name}": drives[name], f"reference {name}": unit}
    if layout.n_pose:
        out |= {f"pose.{n}": "m" if n in ("x", "y", "z") else "1" for n in POSE_NAMES}
        out |= {f"wrench.{n}": "N" if n.startswith("f") else "N m" for n in WRENCH}
    return out


def use_of(meaning: str, si: str, unit: str = "") -> ColumnUse:
    """The use behind a meaning."""
    if meaning == "time":
        return ColumnUse("time", "", si, unit)
    role, name = meaning.split("." if meaning.startswith(("pose.", "wrench.")) else " ", 1)
    return ColumnUse(role, name, si, unit)


def read_columns(model: "Model", columns: Any) -> dict[str, ColumnUse]:
    """{column: use} of a mapping or a YAML file; all that is wrong in it is told at once."""
    file = "columns"
    if isinstance(columns, str | Path):
        file, columns = str(columns), _read_yaml(Path(columns))
    if not isinstance(columns, Mapping) or not columns:
        raise UsageError(f"{file}: a column map is {{column: meaning}}, {{'t_ms': 'time [ms]', …}}")
    known, out, wrong = meanings(model), {}, []
    for column, entry in columns.items():
        try:
            out[str(column)] = _use(entry, known)
        except (UsageError, UnitError) as problem:
            wrong.append(f"  {column}: {problem}")
    twice = [u.meaning for u in out.values()]
    wrong += [f"  {m}: said of several columns" for m in dict.fromkeys(twice) if twice.count(m) > 1]
    if wrong:
        raise UsageError("\n".join([f"{file}: a column map that does not fit to {model.robot.name}", *wrong]))
    return out


def _read_yaml(path: Path) -> Any:
    from gough.robot.errors import DescriptionError
    from gough.robot.reader import read, read_document

    data, problems = read(read_document(path), str(path))
    if problems:
        raise DescriptionError(problems)
    return data.get("columns", data) if isinstance(data, Mapping) else data


def _use(entry: Any, known: Mapping[str, str]) -> ColumnUse:
    details = {"is": entry} if isinstance(entry, str) else dict(entry) if isinstance(entry, Mapping) else {}
    strange = [key for key in details if key not in KEYS]
    if "is" not in details or strange or not isinstance(details["is"], str):
        raise UsageError(f"{entry!r}; write a meaning, or {{is: …}} with {', '.join(KEYS[1:])}")
    meaning, unit = split_header(details["is"])
    meaning = " ".join(meaning.split())
    if meaning not in known:
        raise UsageError(f"{meaning!r} is nothing that is measured; expected {nearest(meaning, list(known))}")
    use = use_of(meaning, known[meaning], str(details.get("unit", unit)))
    given = {key: details[key] for key in ("gain", "sign") if key in details}
    given |= {key: _quantity_of(key, details[key]) for key in ("offset", "wrap") if key in details}
    for key in ("gain", "sign"):
        if key in given and not is_number(given[key]):
            raise UsageError(f"{key}: {given[key]!r} is not a number")
    if given.get("sign", 1) not in (1, -1):
        raise UsageError(f"sign: {given['sign']!r}; use 1 or -1")
    if given.get("gain", 1) == 0:
        raise UsageError("gain: 0 makes 0 of every number; leave the column out, or say what one unit of it is")
    use = replace(use, **given)
    for key in ("offset", "wrap"):
        if isinstance(given.get(key), str):
            _check_quantity(key, given[key], use.si)
    if use.wrap is not None and not _positive(use.wrap, use.si):
        raise UsageError(
            f"wrap: {use.wrap!r}; what a counter goes through before it begins again is more than 0: 8192, '360 deg'"
        )
    use.scale()
    return use


def _quantity_of(key: str, value: Any) -> float | str:
    """A number, also one written as text, or a text with a unit."""
    if is_number(value):
        return float(value)
    if not isinstance(value, str):
        raise UsageError(f"{key}: {value!r} is not a number")
    try:
        plain = float(value)
    except ValueError:
        return value
    if not is_number(plain):
        raise UsageError(f"{key}: {value!r} is not a number")
    return plain


def _check_quantity(key: str, text: str, si: str) -> None:
    try:
        convert(text, (kind_of(si) or "number",))
    except UnitError as problem:
        raise UsageError(
            f"{key}: {text!r}: {problem}; write a number in the column's unit, or one with a unit of {si}"
        ) from None


def _positive(given: float | str, si: str) -> bool:
    return (convert(given, (kind_of(si) or "number",)) if isinstance(given, str) else given) > 0
