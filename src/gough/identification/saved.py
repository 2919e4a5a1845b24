"""What is kept of an identification: numbers by name with their covariance, for ensembles and studies."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.arguments import checked, path
from gough.errors import FileError, UsageError
from gough.files import npz, read_npz, write_file
from gough.frozen import FrozenDict, lock_arrays
from gough.text import short_repr

if TYPE_CHECKING:
    from gough.identification.identification import Identification

FORMAT = 1
WHAT = "an identification (Identification.save writes them)"


@dataclass(frozen=True)
class SavedIdentification:
    """Made by `gough.load_identification`. names (n): parameters, also tied ones, {left_rod,right_rod}.M; values (n,),
    covariance (n, n), units (n); told (n,): whether data say more of each than the description; robot: its name; method: "ls",
    "iv" or "didim"."""

    names: tuple[str, ...]
    values: np.ndarray
    covariance: np.ndarray
    units: tuple[str, ...]
    told: np.ndarray
    robot: str
    method: str

    def __post_init__(self) -> None:
        lock_arrays([self.values, self.covariance, self.told])

    @property
    def parameters(self) -> Mapping[str, float]:
        """{name: number} (SI)."""
        return FrozenDict(zip(self.names, map(float, self.values), strict=True))

    @property
    def deviations(self) -> Mapping[str, float]:
        """{name: standard deviation}."""
        return FrozenDict(zip(self.names, np.sqrt(np.maximum(np.diag(self.covariance), 0.0)).tolist(), strict=True))

    __repr__ = short_repr


def saved_numbers(found: "Identification") -> SavedIdentification:
    """Of an identification, its own numbers."""
    own, unknowns = found.standard, found.base.regressor.unknowns
    names, units = tuple(u.name for u in unknowns), tuple(u.unit for u in unknowns)
    arrays = (np.array(own.values), np.array(own.covariance))
    return SavedIdentification(names, *arrays, units, np.array(own.told), found.model.robot.name, found.method)


def save_identification(saved: SavedIdentification, target: str | Path) -> Path:
    """Write an .npz."""
    if Path(target).suffix.lower() != ".npz":
        raise UsageError(f"save({str(target)!r}): an identification is kept as .npz; give a name that ends so")
    about = {
        "format": FORMAT,
        "kind": "identification",
        "robot": saved.robot,
        "method": saved.method,
        "names": list(saved.names),
        "units": list(saved.units),
    }
    arrays = {"values": saved.values, "covariance": saved.covariance, "told": saved.told}
    return write_file(target, npz({"about": np.array(json.dumps(about)), **arrays}))


@checked(file=path)
def load_identification(file: str | Path) -> SavedIdentification:
    """What `Identification.save` wrote; FileError where it is something else or damaged."""
    found = read_npz(file, WHAT)
    try:
        about: Any = json.loads(str(found["about"]))
        if about["kind"] != "identification":
            raise ValueError(f"it holds a {about['kind']}")
        if about["format"] > FORMAT:
            raise FileError(f"{file}: format {about['format']} of a later version of gough; this one reads {FORMAT}")
        names, units = tuple(about["names"]), tuple(about["units"])
        values, C, told = (found[key] for key in ("values", "covariance", "told"))
        n = len(names)
        if values.shape != (n,) or C.shape != (n, n) or told.shape != (n,) or len(units) != n:
            raise ValueError(f"{n} names with numbers {values.shape} and covariance {C.shape}")
        return SavedIdentification(
            names, values.astype(float), C.astype(float), units, told.astype(bool), about["robot"], about["method"]
        )
    except (KeyError, ValueError, TypeError) as problem:
        raise FileError(f"{file} is not {WHAT}: {problem}") from problem
