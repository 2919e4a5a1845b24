# pyright: reportAttributeAccessIssue=false
"""A USD stage opened with care, and the values of its prims in SI units.

Layers that a file refers to must lie below its folder: that is settled layer by layer before the stage is composed. Attributes in
single precision are taken as the shortest decimal that means them: what an author typed, or the double beside them (`doubles`).
"""

import math
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from gough.errors import MissingFileError, UsageError
from gough.interchange._placing import clean_placement, place_quaternion, three
from gough.interchange.findings import Findings
from gough.interchange.foreign import FRAME_IN_USD, IN_USD, Placement, Written
from gough.interchange.usd._layers import MOST_PRIMS, check_layers
from gough.interchange.usd.doubles import PREFIX, is_same, shortest
from gough.text import exists

REMEDY = "USD is read through usd-core, which is not installed: pip install 'gough[usd]'"
MOST = 1e12
"""No length, mass or coefficient is larger; a bound that is stands for none."""
SHEARED = 1e-5
DEGREE = math.radians(1.0)
IMPLIED = {
    "NewtonMassAPI": "PhysicsMassAPI",
    "NewtonCollisionAPI": "PhysicsCollisionAPI",
    "NewtonMeshCollisionAPI": "PhysicsCollisionAPI",
    "NewtonSDFCollisionAPI": "PhysicsCollisionAPI",
    "NewtonMaterialAPI": "PhysicsMaterialAPI",
    "NewtonArticulationRootAPI": "PhysicsArticulationRootAPI",
}
"""Schemas of UsdPhysics that others bring with them; USD knows that only where their plugins are installed."""


def need_pxr() -> Any:
    """The package, or what to do about it."""
    try:
        import pxr  # pyright: ignore[reportMissingImports]
    except ImportError:
        raise UsageError(REMEDY) from None
    return pxr


@dataclass
class UsdReading:
    """An open stage: length and mass of its units in m and kg, and where problems are noted. angle: the unit of angles in
    MuJoCo's words (rad); auto_limits: whether their ranges count without a switch."""

    stage: Any
    file: str
    findings: Findings
    length: float = 1.0
    mass: float = 1.0
    angle: float = DEGREE
    auto_limits: bool = True
    noted: set[str] = field(default_factory=set)
    found: list[Any] = field(default_factory=list)
    """Prims of the stage, once they were looked up."""

    def at(self, prim: Any) -> Written:
        """Where a prim stands: USD has paths, no lines."""
        return Written(self.file, None, str(prim.GetPath()) if prim else "")

    def refuse(self, prim: Any, message: str, expected: str = "") -> None:
        """Note what makes the file unusable."""
        self.findings.refuse(self.at(prim), message, expected)

    def note(self, prim: Any, message: str) -> None:
        """Note what is left out; the same words of many places once, at the first."""
        if message not in self.noted:
            self.noted.add(message)
            self.findings.remark(self.at(prim), message)

    def value(self, prim: Any, name: str) -> Any:
        """An attribute's value at the earliest time; None where it has none."""
        from pxr import Usd  # pyright: ignore[reportMissingImports]

        attribute = prim.GetAttribute(name)
        return attribute.Get(Usd.TimeCode.EarliestTime()) if attribute else None

    def has(self, prim: Any, name: str) -> bool:
        """Whether an attribute is written anywhere."""
        attribute = prim.GetAttribute(name)
        return bool(attribute) and attribute.HasAuthoredValue()

    def number(self, prim: Any, name: str, otherwise: float = 0.0, endless: bool = False) -> float:
        """A number; endless: whether it may be infinite."""
        found = self.value(prim, name)
        if found is None:
            return otherwise
        if isinstance(found, bool) or not isinstance(found, int | float):
            self.refuse(prim, f"{name} is {str(found)[:40]!r}", "a number")
            return otherwise
        (x,) = self._digits(prim, name, [float(found)])
        if endless and abs(x) > MOST:
            return math.copysign(math.inf, x)
        if math.isnan(x) or abs(x) > MOST:
            self.refuse(prim, f"{name} is {x:g}", f"a number of at most {MOST:g}")
            return otherwise
        return x

    def numbers(self, prim: Any, name: str) -> list[float]:
        """An array of finite numbers; empty where it has none."""
        found = self.value(prim, name)
        try:
            out = [] if found is None else [float(x) for x in found]
        except (TypeError, ValueError):
            out = [math.nan]
        if not all(abs(x) <= MOST for x in out):
            self.refuse(prim, f"{name} is {str(found)[:40]!r}", f"numbers of at most {MOST:g}")
            return []
        return out

    def vector(self, prim: Any, name: str) -> np.ndarray | None:
        """Three numbers; None where they are not all finite: what USD writes for unset."""
        found = self.value(prim, name)
        if found is None:
            return None
        try:
            x = np.array(self._digits(prim, name, [float(v) for v in found]))
        except (TypeError, ValueError):
            x = np.zeros(0)
        if x.shape != (3,):
            self.refuse(prim, f"{name} is {str(found)[:40]!r}", "three numbers")
            return None
        if not np.isfinite(x).all():
            return None
        if np.abs(x).max() > MOST:
            self.refuse(prim, f"{name} is {str(found)[:60]}", f"numbers of at most {MOST:g}")
            return None
        return x

    def quaternion(self, prim: Any, name: str) -> tuple[float, float, float, float] | None:
        """wxyz of length 1; None where it is zero: what USD writes for unset."""
        found = self.value(prim, name)
        if found is None:
            return None
        try:
            q = self._digits(prim, name, _parts(found))
        except (AttributeError, TypeError, ValueError):
            self.refuse(prim, f"{name} is {str(found)[:40]!r}", "a quaternion")
            return None
        size = math.hypot(*q)
        if not math.isfinite(size):
            self.refuse(prim, f"{name} is {str(found)[:60]}", "a quaternion of length 1")
            return None
        if size < 1e-6:
            return None
        return (q[0] / size, q[1] / size, q[2] / size, q[3] / size)

    def truth(self, prim: Any, name: str, otherwise: bool) -> bool:
        """true or false."""
        found = self.value(prim, name)
        return otherwise if found is None else bool(found)

    def word(self, prim: Any, name: str, otherwise: str = "") -> str:
        """A token or a text."""
        found = self.value(prim, name)
        return otherwise if found is None else str(found)

    def schemas(self, prim: Any) -> list[str]:
        """API schemas of a prim, those that USD itself does not know too, and those that they bring."""
        written = prim.GetMetadata("apiSchemas")
        found = [str(s) for s in (written.GetAddedOrExplicitItems() if written else ())]
        return [*found, *(IMPLIED[s] for s in found if s in IMPLIED)]

    def targets(self, prim: Any, name: str) -> list[Any]:
        """Paths that a relationship points at."""
        relation = prim.GetRelationship(name)
        return list(relation.GetForwardedTargets()) if relation else []

    def _digits(self, prim: Any, name: str, found: list[float]) -> list[float]:
        """The numbers of an attribute with all digits that are known of them."""
        kind = str(prim.GetAttribute(name).GetTypeName())
        single = "double" not in kind and not kind.endswith("d") and kind != "int"
        plain = [shortest(x) for x in found] if single else found
        beside = self.value(prim, PREFIX + name)
        if beside is None:
            return plain
        try:
            doubles = _parts(beside)
        except (AttributeError, TypeError, ValueError):
            doubles = []
        if len(doubles) != len(found) or not all(is_same(x, y) for x, y in zip(found, doubles, strict=True)):
            told = [", ".join(f"{x!r}" for x in numbers) or str(beside)[:40] for numbers in (plain, doubles)]
            self.note(
                prim, f"{name} is {told[0]}, {PREFIX}{name} {told[1]}: the second is left out as it is not the first"
            )
            return plain
        return doubles if single else plain

    def tell_lone_doubles(self) -> None:
        """Say which doubles stand beside nothing: what they were of is gone."""
        for prim in self.prims():
            for attribute in prim.GetAuthoredPropertiesInNamespace(PREFIX.rstrip(":")):
                name = str(attribute.GetName())
                if name not in (IN_USD, FRAME_IN_USD) and not self.has(prim, name.removeprefix(PREFIX)):
                    self.note(prim, f"{name} is left out: there is no {name.removeprefix(PREFIX)} beside it")

    def prims(self) -> Iterator[Any]:
        """All active prims, those inside instances too."""
        from pxr import Usd  # pyright: ignore[reportMissingImports]

        if not self.found:
            for prim in self.stage.Traverse(Usd.TraverseInstanceProxies()):
                if len(self.found) >= MOST_PRIMS:
                    self.refuse(prim, f"more than {MOST_PRIMS} prims", "a smaller stage")
                    break
                self.found.append(prim)
        return iter(self.found)

    def matrix(self, prim: Any) -> np.ndarray:
        """A prim's frame in the world (4, 4) in m, columns are its axes with their scales."""
        from pxr import Usd, UsdGeom  # pyright: ignore[reportMissingImports]

        found = UsdGeom.Imageable(prim).ComputeLocalToWorldTransform(Usd.TimeCode.EarliestTime())
        X = np.array([[float(v) for v in row] for row in found]).T
        X[:3] *= self.length
        return X

    def place(self, prim: Any) -> tuple[Placement, np.ndarray]:
        """(a prim's frame in the world without its scales, scales (3,) in m a unit); shear and mirrors are refused."""
        X = self.matrix(prim)
        scales = np.linalg.norm(X[:3, :3], axis=0)
        bad = not np.isfinite(X).all() or np.abs(X).max() > MOST or scales.min() < 1e-12
        if bad:
            self.refuse(prim, "its place in the world is not a frame", "finite translations and scales that are not 0")
            return Placement(), np.full(3, self.length)
        R = X[:3, :3] / scales
        if np.abs(R.T @ R - np.eye(3)).max() > SHEARED or np.linalg.det(R) < 0:
            what = "mirrored" if np.linalg.det(R) < 0 else "sheared"
            self.refuse(prim, f"its axes are {what} in the world", "rotations, and scales along the prim's own axes")
            return Placement(), np.full(3, self.length)
        u, _, vt = np.linalg.svd(R)
        scales = np.where(np.abs(scales / self.length - 1) < 1e-9, self.length, scales)
        return clean_placement(Placement(three(X[:3, 3]), u @ vt)), scales

    def local(self, prim: Any, position: str, rotation: str, scales: np.ndarray) -> Placement:
        """A frame that two attributes place on a prim of these scales."""
        p = self.vector(prim, position)
        q = self.quaternion(prim, rotation)
        return place_quaternion(np.zeros(3) if p is None else p * scales, q or (1.0, 0.0, 0.0, 0.0))


@contextmanager
def hearing_usd(path: Path, findings: Findings) -> Iterator[None]:
    """What USD itself says within becomes a finding: errors are refused, warnings noted, nothing is printed."""
    from pxr import Tf, UsdUtils  # pyright: ignore[reportMissingImports]

    here = Written(str(path), None, "")
    quiet = UsdUtils.CoalescingDiagnosticDelegate()
    try:
        yield
    except Tf.ErrorException as error:
        words = _first_words(error)
        line = re.match(r"(?:\S+:)?(\d+):\d+: ", words)
        at = here if line is None else Written(str(path), int(line[1]), "")
        findings.refuse(at, f"not USD: {words if line is None else words[line.end() :]}", "a USD file")
    finally:
        for found in quiet.TakeUncoalescedDiagnostics():
            findings.remark(here, f"USD says: {str(found.commentary)[:200]}")
        del quiet


def open_stage(path: Path, findings: Findings) -> UsdReading | None:
    """The stage of a file; None where it cannot be composed, and it is refused."""
    from pxr import Usd, UsdGeom, UsdPhysics  # pyright: ignore[reportMissingImports]

    here = Written(str(path), None, "")
    if not exists(path) or not path.is_file():
        raise MissingFileError(path, "no such file")
    if not check_layers(path, findings):
        return None
    stage = Usd.Stage.Open(str(path.absolute()))
    if not stage:
        findings.refuse(here, "the stage cannot be opened", "a USD file")
        return None
    length, mass = UsdGeom.GetStageMetersPerUnit(stage), UsdPhysics.GetStageKilogramsPerUnit(stage)
    reading = UsdReading(stage, str(path), findings)
    for name, unit in (("metersPerUnit", length), ("kilogramsPerUnit", mass)):
        if not (1e-9 <= unit <= 1e9):
            findings.refuse(here, f"{name} is {unit:g}", "a positive number")
            return None
    reading.length, reading.mass = float(length), float(mass)
    return reading


def _parts(value: Any) -> list[float]:
    """The numbers of a value: one, those of a vector, wxyz of a quaternion."""
    if isinstance(value, int | float):
        return [float(value)]
    if hasattr(value, "GetImaginary"):
        value = (value.GetReal(), *value.GetImaginary())
    return [float(x) for x in value]


def _first_words(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    text = lines[0].rpartition(" : ")[2] if lines else type(error).__name__
    return text.strip("'")[:200]
