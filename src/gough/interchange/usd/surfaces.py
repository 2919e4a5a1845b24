# pyright: reportAttributeAccessIssue=false
"""Meshes of a stage: triangles of a prim, and which of them show a body.

They stay in the stage: a description names its file and the prim, and the viewer reads the triangles from there.
"""

import math
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from gough.errors import UsageError
from gough.interchange._placing import clean_placement, three
from gough.interchange.findings import Findings
from gough.interchange.foreign import Looks, Placement
from gough.interchange.usd._stage import SHEARED, UsdReading, hearing_usd, need_pxr, open_stage

Triangles = tuple[np.ndarray, np.ndarray]


def triangles_of(reading: UsdReading, prim: Any) -> Triangles | None:
    """(corners (n, 3) in the prim's units and axes, faces (m, 3) with outward normals); None where they are none."""
    points, counts, numbers = (reading.value(prim, n) for n in ("points", "faceVertexCounts", "faceVertexIndices"))
    try:
        corners = np.asarray(points, dtype=float).reshape(-1, 3)
        sizes, order = np.asarray(counts, dtype=int).ravel(), np.asarray(numbers, dtype=int).ravel()
    except (TypeError, ValueError):
        return None
    bad = not len(corners) or not len(order) or (sizes < 0).any() or sizes.sum() != len(order)
    if bad or order.min() < 0 or order.max() >= len(corners):
        return None
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    fans = []
    for k in range(1, int(sizes.max()) - 1):
        first = starts[sizes > k + 1]
        fans.append(np.column_stack([order[first], order[first + k], order[first + k + 1]]))
    faces = np.concatenate(fans) if fans else np.zeros((0, 3), dtype=int)
    return corners, faces[:, ::-1] if reading.word(prim, "orientation") == "leftHanded" else faces


def find_looks(reading: UsdReading, at: Placement, prims: list[Any]) -> tuple[Looks, ...]:
    """Meshes among prims of a body that stands at a place, those that are shown."""
    from pxr import Usd, UsdGeom  # pyright: ignore[reportMissingImports]

    found = []
    for prim in prims:
        image = UsdGeom.Imageable(prim)
        if image.ComputeVisibility(Usd.TimeCode.EarliestTime()) == "invisible":
            continue
        if image.ComputePurpose() not in ("default", "render"):
            continue
        here, scales = _place(reading, at, prim)
        if here is None or triangles_of(reading, prim) is None:
            reading.note(prim, "meshes that are sheared, or have no faces, are not drawn")
            continue
        file = Path(reading.file).name
        looks = Looks.with_scales(file, scales, here, prim=str(prim.GetPath()), color=_colour(reading, prim))
        found += [] if looks is None else [looks]
    return tuple(found)


def _place(reading: UsdReading, body: Placement, prim: Any) -> tuple[Placement | None, list[float]]:
    """(where a prim's axes are in the body's, its scales to m: the first one negative where it is mirrored)."""
    X = reading.matrix(prim)
    scales = np.linalg.norm(X[:3, :3], axis=0)
    if not np.isfinite(X).all() or scales.min() < 1e-12 or np.abs(X).max() > 1e12:
        return None, []
    if np.linalg.det(X[:3, :3]) < 0:
        scales[0] = -scales[0]
    R = body.rotation.T @ (X[:3, :3] / scales)
    if np.abs(R.T @ R - np.eye(3)).max() > SHEARED:
        return None, []
    u, _, vt = np.linalg.svd(R)
    position = body.rotation.T @ (X[:3, 3] - np.asarray(body.position))
    return clean_placement(Placement(three(position), u @ vt)), scales.tolist()


def _colour(reading: UsdReading, prim: Any) -> tuple[int, int, int] | None:
    """The prim's own colour, else the diffuse one of its material."""
    shown = reading.value(prim, "primvars:displayColor")
    if not shown:
        shown = [_diffuse(reading, prim)]
    try:
        red, green, blue = (round(255 * min(1.0, max(0.0, float(x)))) for x in shown[0])
    except (TypeError, ValueError, IndexError):
        return None
    return red, green, blue


def _diffuse(reading: UsdReading, prim: Any) -> Any:
    from pxr import UsdShade  # pyright: ignore[reportMissingImports]

    material, _ = UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial()
    for child in material.GetPrim().GetAllChildren() if material else ():
        for name in ("inputs:diffuseColor", "inputs:diffuse_color_constant"):
            if (found := reading.value(child, name)) is not None and not math.isnan(sum(found)):
                return found
    return None


def read_triangles(file: Path, prim: str) -> Triangles:
    """Triangles of a prim of a file; UsageError where there are none."""
    need_pxr()
    try:
        reading = _open(str(file), file.stat().st_mtime_ns)
    except OSError:
        raise UsageError(f"{file}: no such file") from None
    found = reading.stage.GetPrimAtPath(prim) if prim.startswith("/") else None
    triangles = triangles_of(reading, found) if found else None
    if triangles is None:
        raise UsageError(f"{file}: {prim} is no mesh with faces; name the path of a Mesh")
    return triangles


@lru_cache(maxsize=2)
def _open(file: str, _stamp: int) -> UsdReading:
    """A stage, kept for its next prim; the file's time tells whether it has changed."""
    findings = Findings()
    reading: UsdReading | None = None
    with hearing_usd(Path(file), findings):
        reading = open_stage(Path(file), findings)
    findings.tell_problems()
    assert reading is not None
    return reading
