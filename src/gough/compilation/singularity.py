"""Distance to singularities, serial and parallel told apart, with a stated characteristic length."""

from typing import TYPE_CHECKING, Any

import numpy as np

from gough.compilation.newton import closure_function
from gough.compilation.results import Singularity

if TYPE_CHECKING:
    from gough.compilation.model import Model


def singularity(model: "Model", q: Any, parameters: np.ndarray, length: float | None) -> Singularity:
    """Measures at q (..., nq). Columns of S with moments divided by `length` (default: the robot's size), rotary drives
    by it too, so that all entries are forces per force; a leg's columns and rows are scaled alike."""
    scale = model.size if length is None else float(length)
    S = model.function("drive_map")(q=q, parameters=parameters).outputs["S"].copy()
    S[..., 3:, :] /= scale
    rotary = np.array([u == "N m" for u in model.layout.drive_units])
    S[..., :, rotary] *= scale
    serial = []
    for k in range(len(model.mechanism.legs)):
        function = model.cached(("closure", k), lambda k=k: closure_function(model, k))
        J = function(q=q, parameters=parameters).outputs["J"]
        links = [model.mechanism.links[i] for i in model.mechanism.legs[k].links]
        column = np.array(
            [1.0 if link.motion == "translation" else 1.0 / scale for link in links for _ in range(link.nu)]
        )
        point = [kind == "point" for kind in _row_kinds(model, k)]
        row = np.where(point, 1.0, scale)
        serial.append(_reciprocal(J * column * row[:, None]))
    finite = np.asarray(np.isfinite(S).all(axis=(-2, -1)))
    det = (
        np.abs(np.linalg.det(np.where(finite[..., None, None], S, 0.0)))
        if S.shape[-1] == S.shape[-2]
        else np.full(finite.shape, np.nan)
    )
    return Singularity(_reciprocal(S), np.stack(serial, axis=-1), np.where(finite, det, np.nan), scale)


def _row_kinds(model: "Model", leg: int) -> list[str]:
    cut = model.mechanism.cuts[model.mechanism.legs[leg].cut]
    return [c.kind if c.kind != "along" else "point" for c in cut.closures for _ in range(c.rows)]


def _reciprocal(a: np.ndarray) -> np.ndarray:
    finite = np.asarray(np.isfinite(a).all(axis=(-2, -1)))
    s = np.linalg.svd(np.where(finite[..., None, None], a, 0.0), compute_uv=False)
    largest = np.where(s[..., 0] > 0, s[..., 0], 1.0)
    return np.where(finite, s[..., -1] / largest, np.nan)
