"""How much of a body's give under loads at its frames a basis of shapes can show.

The body is held as its shapes are (a frame clamped, or free and balanced by its own inertia). With unit forces or moments b at a
frame, the elements give F = bᵀ K⁻¹ b and the shapes V give F_V = (Vᵀb)ᵀ (VᵀKV)⁻¹ (Vᵀb), never more: what is missing, D = F - F_V,
is a compliance too. The direction d that misses most, max dᵀDd / dᵀFd, is an eigenvector of D against F: modes of a
clamped rod show all of its bending at the tip and nothing of its stretching, whatever the axes are.
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh

from gough.fem._sparse import order
from gough.fem.reduction.bases import build_basis, clamp, free_support
from gough.fem.reduction.choices import MEAN, BasisChoice, FreeModes
from gough.fem.reduction.ties import FrameTie, TiedElements

KINDS = {"force": ("x", "y", "z"), "moment": ("rx", "ry", "rz")}
RIGID = 1e-9
"""Compliance in a direction, against the softest of its kind at the frame, that is none."""


@dataclass(frozen=True)
class MissingCompliance:
    """A load under which shapes give less than the elements.

    frame: where it acts; kind: force or moment; direction (3,): body axes, a unit vector; compliance: of the elements along it
    (m/N, rad/N m); share: the part of it that the shapes do not show, 0 to 1.
    """

    frame: str
    kind: str
    direction: np.ndarray
    compliance: float
    share: float


def missing_compliance(tied: TiedElements, choice: BasisChoice) -> list[MissingCompliance]:
    """Every principal direction of load at every frame that is not held, the worst of each frame first."""
    basis = build_basis(tied, choice)
    loaded = {name: frame for name, frame in tied.frames.items() if name != basis.held and len(frame.own)}
    if not loaded:
        return []
    K = tied.elements.K
    columns = np.concatenate([frame.own for frame in loaded.values()])
    load = np.zeros((order(K), len(columns)))
    load[columns, np.arange(len(columns))] = 1.0
    floats = basis.held == MEAN or isinstance(choice, FreeModes)
    support = free_support(tied) if floats else clamp(tied, basis.held)
    V = support.solver.elastic(basis.shapes) if floats else basis.shapes  # seen from the axes of the deflections
    energy = V.T @ (K @ V)
    shown = V.T @ load
    F = load.T @ support.deflection(load)
    unit = 1.0 / np.sqrt(np.diag(energy))  # coordinates are metres, radians, m kg^½
    shown_in_units = unit[:, None] * shown
    F_V = shown_in_units.T @ np.linalg.lstsq(energy * np.outer(unit, unit), shown_in_units, rcond=1e-13)[0]
    out, start = [], 0
    for name, frame in loaded.items():
        part = slice(start, start + len(frame.own))
        out += _of_frame(name, frame, F[part, part], F_V[part, part])
        start += len(frame.own)
    return out


def _of_frame(name: str, frame: FrameTie, F: np.ndarray, F_V: np.ndarray) -> list[MissingCompliance]:
    found = []
    for kind, names in KINDS.items():
        mine = [k for k, component in enumerate(frame.components) if component in names]
        if not mine:
            continue
        axes = np.eye(3)[[names.index(frame.components[k]) for k in mine]]
        here, shown = F[np.ix_(mine, mine)], F_V[np.ix_(mine, mine)]
        values, W = eigh(0.5 * (here + here.T))
        soft = values > RIGID * max(float(values.max()), 0.0)
        if not soft.any():
            continue
        W = W[:, soft] / np.sqrt(values[soft])  # unit compliance along every column
        shares, U = eigh(W.T @ (here - shown) @ W)
        for share, direction in zip(shares[::-1], (W @ U).T[::-1], strict=True):
            length = float(np.linalg.norm(direction))
            unit = direction / length @ axes
            unit = unit * np.sign(unit[np.argmax(np.abs(unit))])
            found.append(MissingCompliance(name, kind, _plain(unit), 1.0 / length**2, float(np.clip(share, 0.0, 1.0))))
    return sorted(found, key=lambda m: -round(m.share, 6))


def _plain(unit: np.ndarray) -> np.ndarray:
    return np.where(np.abs(unit) < 1e-6, 0.0, unit)
