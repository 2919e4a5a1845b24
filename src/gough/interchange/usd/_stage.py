# pyright: reportAttributeAccessIssue=false
"""A USD stage opened with care, and the values of its prims in SI units.

Layers that a file refers to must lie below its folder: that is settled layer by layer before the stage is composed. Attributes in
single precision are taken as the shortest decimal that means them: what an author typed.
"""

import math
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from gough.errors import MissingFileError, UsageError
from gough.interchange._placing import clean_placement, place_quaternion, three
from gough.interchange.findings import Findings
from gough.interchange.foreign import Placement, Written
from gough.text import exists

REMEDY = "USD is read through usd-core, which is not installed: pip install 'gough[usd]'"
MOST_BYTES = 256_000_000
MOST_LAYERS = 1000
MOST_PRIMS = 500_000
MOST = 1e12
"""No length, mass or coefficient is larger; a bound that is stands for none."""
SHEARED = 1e-5


def need_pxr() -> Any:
    """The package, or what to do about it."""
    try:
        import pxr  # pyright: ignore[reportMissingImports]
    except ImportError:
        raise UsageError(REMEDY) from None
    return pxr


@dataclass
class UsdReading:
    """An open stage: length and mass of its units in m and kg, and where problems are noted."""

    stage: Any
    file: str
    findings: Findings
    length: float = 1.0
    mass: float = 1.0
    noted: set[str] = field(default_factory=set)

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
        x = self._plain(prim, name, found)
        if endless and abs(x) > MOST:
            return math.copysign(math.inf, x)
        if math.isnan(x) or abs(x) > MOST:
            self.refuse(prim, f"{name} is {x:g}", f"a number of at most {MOST:g}")
            return otherwise
        return x

    def vector(self, prim: Any, name: str) -> np.ndarray | None:
        """Three numbers; None where they are not all finite: what USD writes for unset."""
        found = self.value(prim, name)
        if found is None:
            return None
        try:
            x = np.array([self._plain(prim, name, float(v)) for v in found])
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
            w, (x, y, z) = found.GetReal(), found.GetImaginary()
            q = [self._plain(prim, name, float(v)) for v in (w, x, y, z)]
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
        """API schemas of a prim, those that USD itself does not know too."""
        written = prim.GetMetadata("apiSchemas")
        return [str(s) for s in (written.GetAddedOrExplicitItems() if written else ())]

    def targets(self, prim: Any, name: str) -> list[Any]:
        """Paths that a relationship points at."""
        relation = prim.GetRelationship(name)
        return list(relation.GetForwardedTargets()) if relation else []

    def _plain(self, prim: Any, name: str, x: float) -> float:
        kind = str(prim.GetAttribute(name).GetTypeName())
        single = "double" not in kind and not kind.endswith("d") and kind != "int"
        return float(str(np.float32(x))) if single and math.isfinite(x) and abs(x) < 3e38 else float(x)

    def prims(self) -> Iterator[Any]:
        """All active prims, those inside instances too."""
        from pxr import Usd  # pyright: ignore[reportMissingImports]

        for count, prim in enumerate(self.stage.Traverse(Usd.TraverseInstanceProxies())):
            if count > MOST_PRIMS:
                self.refuse(prim, f"more than {MOST_PRIMS} prims", "a smaller stage")
                return
            yield prim

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
        findings.refuse(here, f"not USD: {_first_words(error)}", "a USD file")
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
    if not _check_layers(path, findings):
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


def _check_layers(path: Path, findings: Findings) -> bool:
    """Whether every layer that the file refers to lies below its folder, or is missing."""
    from pxr import Sdf  # pyright: ignore[reportMissingImports]

    folder = os.path.realpath(path.parent)
    seen: set[str] = set()
    stack, size, fine = [os.path.realpath(path)], 0, True
    while stack:
        name = stack.pop()
        if name in seen:
            continue
        seen.add(name)
        plain = name.partition("[")[0]
        if not os.path.isfile(plain):
            continue
        size += os.path.getsize(plain)
        if size > MOST_BYTES or len(seen) > MOST_LAYERS:
            findings.refuse(Written(name, None, ""), "too many or too large layers", f"at most {MOST_BYTES} bytes")
            return False
        layer = Sdf.Layer.FindOrOpen(name)
        if not layer:
            findings.refuse(Written(name, None, ""), "the layer cannot be opened", "a USD file")
            return False
        layer.Reload()  # what is on the disk now, whoever else holds the layer
        for asset in layer.GetCompositionAssetDependencies():
            if not asset:  # a prim of the layer itself
                continue
            found = str(layer.ComputeAbsolutePath(asset))
            inside = os.path.realpath(found.partition("[")[0])
            if "://" in asset or os.path.commonpath([folder, inside]) != folder:
                findings.refuse(
                    Written(name, None, ""), f"it refers to {asset[:120]!r}", "layers below the file's folder"
                )
                fine = False
            else:
                stack.append(found if "[" in found else inside)
    return fine


def _first_words(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    text = lines[0].rpartition(" : ")[2] if lines else type(error).__name__
    return text.strip("'")[:200]
