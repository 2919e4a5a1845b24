"""What misprints of [Lopes] cost, from the library's matrices in the paper's own coordinates x y z ψ θ φ."""

from typing import TYPE_CHECKING

import numpy as np

from gough_papers.comparison import Comparison, equals
from gough_papers.lopes.motion import p1p2p1

if TYPE_CHECKING:
    from gough.compilation import Model

SAMPLES = 201
DURATIONS = (2.0, 0.5)
MEASURED = {"transposed": (5.613, 5.718), "no derivative": (0.0166, 0.256)}
"""{name: relative error for both durations}, by the transcription of the printed equations at the same samples."""
DIGITS = {"transposed": (0.0005, 0.0005), "no derivative": (0.00005, 0.0005)}
NAMED = {"transposed": "(14): J_Eᵀ for J_E⁻ᵀ", "no derivative": "(77)–(78): ∂I/∂ẋ"}


def costs(model: "Model") -> dict[str, tuple[float, float]]:
    """{name: relative error for both durations}."""
    each = [_costs(model, T) for T in DURATIONS]
    return {name: (each[0][name], each[1][name]) for name in MEASURED}


def _costs(model: "Model", duration: float) -> dict[str, float]:
    s = p1p2p1(duration, SAMPLES)
    q = model.configuration(pose=s.pose)
    right = model.inverse_dynamics(q, s.v, s.acceleration).tau
    terms = model.coordinate_terms(q, s.v, "rpy_zyx")
    S = model.drive_map(q)  # S τ is the wrench on the platform; v = T ẋ
    J_E = np.swapaxes(S, -1, -2) @ terms.T
    f_E = np.einsum("nji,nj->ni", terms.T, np.einsum("nij,nj->ni", S, right))
    C, xdot = terms.C, terms.xdot
    # with ∂I/∂ẋ = 0 only half of İ = C + Cᵀ is left of (76)
    lost = np.einsum("nij,nj->ni", 0.5 * (C + np.swapaxes(C, -1, -2)) - C, xdot)
    without = np.linalg.solve(np.swapaxes(J_E, -1, -2), (f_E + lost)[..., None])[..., 0]
    transposed = np.einsum("nji,nj->ni", J_E, f_E)
    return {"transposed": _relative(transposed, right), "no derivative": _relative(without, right)}


def comparisons(found: dict[str, tuple[float, float]]) -> list[Comparison]:
    """With the transcription's figures, in per cent."""
    return [
        equals(
            f"cost of {NAMED[name]}, {T:g} s",
            100 * value[k],
            100 * MEASURED[name][k],
            "%",
            100 * DIGITS[name][k],
            "transcription of the printed equations",
            form=".4g",
        )
        for name, value in found.items()
        for k, T in enumerate(DURATIONS)
    ]


def _relative(found: np.ndarray, right: np.ndarray) -> float:
    return float((np.abs(found - right).max(axis=1) / np.abs(right).max(axis=1)).max())
