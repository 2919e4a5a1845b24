"""Gains of springs, dampers and integrals by what they do: how fast, and how damped.

An error that obeys ë + 2 ζ ω ė + ω² e = 0 has bandwidth ω/2π (Hz) and damping ratio ζ; with an integral
(s² + 2 ζ ω s + ω²)(s + ω_i) = 0. A law that computes accelerations takes the coefficients themselves. One that computes forces
takes them times the mass m that each drive feels, at home, bodies straight: with y = Sᵀ v the drives' rates,
Λ = (Sᵀ M⁻¹ S)⁻¹ is their inertia, and its diagonal what one drive feels while the others stand still (those that no drive
leads follow without force). Redundant drives share it evenly: their stiffnesses add up to ω² m.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.errors import UsageError
from gough.simulation.control.law import as_numbers
from gough.simulation.control.own_robot import believed_parameters

if TYPE_CHECKING:
    from gough.model import Model

Numbers = float | tuple[float, ...]
RANK = 1e-10
"""Singular value of Sᵀ M⁻¹ S, over the largest, that is none."""


def wanted_bandwidth(name: str, bandwidth: Any, ratio: Any, given: Mapping[str, Any]) -> tuple[Any, Any]:
    """(bandwidth, damping ratio) checked; a UsageError where gains are given both ways, or neither. given: the gains by name."""
    told = [key for key, x in given.items() if x is not None]
    if bandwidth is None:
        if ratio is not None:
            raise UsageError(f"{name}: damping_ratio= belongs to bandwidth= (Hz); give both, or {' and '.join(given)}")
        missing = [key for key, x in given.items() if x is None]
        if missing:
            raise UsageError(f"{name}: give {' and '.join(given)}, or bandwidth= (Hz) and damping_ratio=")
        return None, None
    if told:
        raise UsageError(f"{name}: {' and '.join(told)} follow from bandwidth=; give one or the other")
    bandwidth, ratio = (
        as_numbers("bandwidth", bandwidth, 0.0),
        as_numbers("damping_ratio", 1.0 if ratio is None else ratio, 0.0),
    )
    for key, x in (("bandwidth", bandwidth), ("damping_ratio", ratio)):
        if not np.min(np.asarray(x, dtype=float)) > 0:
            raise UsageError(f"{name}: {key}={x!r}: must be above 0")
    lengths = {np.size(x) for x in (bandwidth, ratio)} - {1}
    if len(lengths) > 1:
        raise UsageError(
            f"{name}: {np.size(bandwidth)} bandwidths and {np.size(ratio)} damping ratios; give one, or one each"
        )
    return bandwidth, ratio


def gains_of(bandwidth: Any, ratio: Any, integral_bandwidth: Any = None) -> tuple[Numbers, Numbers, Numbers]:
    """(K_p (1/s²), K_d (1/s), K_i (1/s³)) by bandwidths (Hz) and damping ratios; K_i 0 without that of the integral."""
    w, z = 2 * np.pi * np.asarray(bandwidth, dtype=float), np.asarray(ratio, dtype=float)
    wi = np.zeros(()) if integral_bandwidth is None else 2 * np.pi * np.asarray(integral_bandwidth, dtype=float)
    return _plain(w**2 + 2 * z * w * wi), _plain(2 * z * w + wi), _plain(w**2 * wi + 0.0 * z)


def _plain(x: np.ndarray) -> Numbers:
    return float(x) if x.ndim == 0 else tuple(map(float, x))


def tuned_gains(model: "Model", own: "Model | None", nominal: Any, per_mass: Sequence[Any]) -> list[tuple[float, ...]]:
    """Gains times the masses that the drives feel. model: of the robot that runs; own, nominal: of the law, as it `knows`."""
    of = model if own is None else own
    masses = mass_at_drives(of, believed_parameters(of, nominal))
    found = []
    for gains in per_mass:
        x = np.asarray(gains, dtype=float)
        if x.ndim and len(x) != len(masses):
            raise UsageError(
                f"bandwidth, damping_ratio: {len(x)} numbers are given, the robot has {len(masses)} drives"
            )
        found.append(tuple(map(float, x * masses)))
    return found


def mass_at_drives(model: "Model", parameters: np.ndarray) -> np.ndarray:
    """What each drive feels (drives,), kg or kg·m², at home; see above."""
    mechanism, layout, q = model.mechanism, model.layout, model.home
    names = layout.drive_names
    if not names:
        raise UsageError(f"bandwidth=: {model.robot.name} has no drives")
    if float(model.closure_error(q, parameters)) > 1e-8:
        q = model.project(q, parameters)
    stiff = [k for k in mechanism.moving if k < layout.rigid]
    M = model.mass_matrix(q, parameters=parameters)[np.ix_(stiff, stiff)]
    S = model.drive_map(q, parameters=parameters)[stiff]
    felt = S.T @ np.linalg.solve(M, S) if stiff else np.zeros((len(names), len(names)))
    size = np.sqrt(np.diag(felt))
    idle = [name for name, x in zip(names, size, strict=True) if not x > 0]
    if idle:
        raise UsageError(
            f"bandwidth=: {', '.join(idle)} moves no mass of {model.robot.name} at home; give stiffness and damping"
        )
    scaled = felt / np.outer(size, size)
    rank = int(np.linalg.matrix_rank(scaled, tol=RANK * np.linalg.norm(scaled, 2), hermitian=True))
    return np.diag(np.linalg.pinv(scaled, rcond=RANK, hermitian=True)) / size**2 * (len(names) / rank)
