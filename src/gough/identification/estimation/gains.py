"""Gains of measured forces beside base parameters: least squares of the measured force, in which alone the noise is.

A row with a gain is  known = Y φ - g f.  Its columns hold the measured force f with all its noise, so that plain least squares
make g, and all that grows with it, too small (attenuation). The noise e is of f:
    f = (Y φ - known)/g + e,   so Σ e² with e = (known - Y φ + g f)/g = row/g is least, each kind of row over its own noise.
By Gauss and Newton: the slope of e by g has the predicted force in the place of the measured one, so that the equations of the
end are Zᵀ W (known - Y φ + g f) = 0 with instruments Z = [Y, -predicted force], which know nothing of the noise. All of it is
done with the triangles of the rows, and begins with plain least squares.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from gough.errors import UsageError
from gough.identification.estimation._linear import RowTriangles, WeighedSolution, solve_scaled, solve_weighed
from gough.identification.estimation.rows import Piece

TURNS = 60
SETTLED = 1e-9
"""Change of φ over its deviations that ends the turns."""
SHORTEST = 1e-3
"""Part of a step below which nothing is gained any more."""
FIXED, ALONE = 1e-6, 0.01
"""Part of the forces, at least, that no unknown can take over; share in a direction from which a gain is part of it."""
REMEDY = (
    "Leave out what is known: friction that was measured by itself, or all members of one of the combinations that "
    "gough.base_parameters(model) names; or measure a wrench"
)


def demand_scale(triangles: RowTriangles, first: np.ndarray, names: Sequence[str]) -> None:
    """UsageError where base parameters and gains can grow together, and nothing known says how far: the known force of a row, or
    of several, is one that base parameters can take over. With the force F_k that the description predicts in row k (no noise
    in it), a direction of [Y, -F_1, -F_2, …] that changes nothing. first: base parameters of the description, then gains."""
    kinds = len(triangles.R)
    rank = len(first) - kinds
    Y, forces = triangles.R[:, :, :rank], triangles.R[:, :, :rank] @ first[:rank] - triangles.R[:, :, -1]
    size = np.linalg.norm(forces, axis=1)
    weight = 1.0 / np.where(size > 0, size, 1.0)
    rows = (Y * weight[:, None, None]).reshape(-1, rank)
    length = np.linalg.norm(rows, axis=0)
    unit = rows / np.where(length > 0, length, 1.0)
    columns = np.zeros((kinds, forces.shape[1], kinds))
    columns[np.arange(kinds), :, np.arange(kinds)] = forces * weight[:, None]
    columns = columns.reshape(-1, kinds)
    left = columns - unit @ np.linalg.lstsq(unit, columns, rcond=1e-12)[0]
    values, directions = np.linalg.svd(left, full_matrices=False)[1:]
    loose = np.abs(directions[values < FIXED]).max(axis=0, initial=0.0) > ALONE
    if not loose.any():
        return
    whose = "no gain" if loose.all() else f"no gain of {', '.join(n for n, k in zip(names, loose, strict=True) if k)}"
    raise UsageError(
        f"parameters='gains': what is left out of parameters= fixes {whose}, since unknown numbers can take its place (bodies "
        "exchange mass where a joint ties them), so that gains and all that is unknown may shrink to nothing. " + REMEDY
    )


def solve_gains(triangles: RowTriangles, first: np.ndarray) -> tuple[WeighedSolution, np.ndarray]:
    """(the solution, T (p, p) with TᵀT = Zᵀ W Z). first (p,): base parameters, then a gain for every row; what stays where the
    data tell nothing."""
    kinds = len(triangles.R)
    forces = np.linalg.norm(triangles.R[:, :, -1 - kinds : -1], axis=(1, 2))
    phi = solve_weighed(triangles, first, np.where(forces > 0, forces, 1.0)).phi
    rank = len(phi) - kinds
    phi = np.append(phi[:rank], np.where(phi[rank:] == 0, first[rank:], phi[rank:]))
    scale = _force_noise(triangles, phi)
    for _ in range(TURNS):
        T, z = _linearised(triangles, phi, scale)
        aim, inverse, directions, values = solve_scaled(T, z, phi)
        step = aim - phi
        size = np.sqrt(np.maximum((inverse**2).sum(axis=1), 1e-300))
        part, before = 1.0, _misfit(triangles, phi)
        while part > SHORTEST and not _is_better(triangles, phi + part * step, phi, before):
            part /= 2
        phi = phi + part * step
        scale = _force_noise(triangles, phi)
        if part <= SHORTEST or float(np.max(np.abs(part * step) / size, initial=0.0)) < SETTLED:
            break
    T, z = _linearised(triangles, phi, scale)
    _, inverse, directions, values = solve_scaled(T, z, phi)
    sigma = scale * np.abs(phi[-kinds:])
    return WeighedSolution(phi, sigma, inverse, directions, values), T


def instruments(pieces: Iterable[Piece], phi: np.ndarray) -> Iterator[tuple[Piece, np.ndarray]]:
    """Pieces with their instruments: Y with the predicted force in the place of the measured one."""
    for piece in pieces:
        kinds = piece.target.shape[1]
        missing = (piece.target - piece.Y @ phi) / phi[-kinds:]
        Z = np.array(piece.Y)
        Z[:, np.arange(kinds), Z.shape[2] - kinds + np.arange(kinds)] += missing
        yield piece, Z


def _force_noise(triangles: RowTriangles, phi: np.ndarray) -> np.ndarray:
    """Noise (rows,) of the measured forces."""
    return triangles.noise(phi) / np.abs(phi[-len(triangles.R) :])


def _misfit(triangles: RowTriangles, phi: np.ndarray) -> float:
    """Σ log of the noises: what is least where all noises are unknown."""
    return float(np.log(_force_noise(triangles, phi)).sum())


def _is_better(triangles: RowTriangles, phi: np.ndarray, old: np.ndarray, before: float) -> bool:
    """Whether a step keeps the signs of the gains, and leaves no more."""
    kinds = len(triangles.R)
    return bool((phi[-kinds:] * old[-kinds:] > 0).all()) and _misfit(triangles, phi) <= before + 1e-12


def _linearised(triangles: RowTriangles, phi: np.ndarray, scale: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(T (p, p), z (p,)): |T φ' - z|² is Σ e² of all rows, each over its noise `scale`, to first order about φ."""
    R, kinds, p = triangles.R, len(triangles.R), len(phi)
    gains = phi[-kinds:]
    row = R @ np.append(-phi, 1.0)  # known - Y φ + g f, in the triangle's rows
    Z = np.array(R[:, :, :-1])
    Z[np.arange(kinds), :, p - kinds + np.arange(kinds)] += row / gains[:, None]
    whole = np.concatenate([Z, (Z @ phi + row)[:, :, None]], axis=2) / (np.abs(gains) * scale)[:, None, None]
    corner: Any = np.linalg.qr(whole.reshape(-1, p + 1), mode="r")
    return corner[:p, :p], corner[:p, p]
