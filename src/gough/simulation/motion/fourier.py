"""Fourier series: periodic motions of drives, joints or coordinates of the platform.

    c(t) = mean + Σ_k a_k cos(2π k t / period) + b_k sin(2π k t / period),   k = 1, 2, …

All derivatives are continuous, over the ends of periods too; a motion begins where its series is at t = 0, with its velocity.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from gough.arguments import checked, mapping, number, numbers, take, whole, word
from gough.errors import UsageError
from gough.simulation.motion._points import unit_of
from gough.simulation.motion.motion import LONGEST, Motion, coordinate_motion
from gough.simulation.motion.paths import PolynomialPath


@checked(
    period=number(above=0, most=LONGEST),
    drives=mapping(),
    joints=mapping(),
    cosines=mapping(numbers),
    sines=mapping(numbers),
    periods=whole(1),
    extend=word,
)
def fourier(
    *,
    period: float,
    drives: Mapping[str, Any] | None = None,
    joints: Mapping[str, Any] | None = None,
    cosines: Mapping[str, Any] | None = None,
    sines: Mapping[str, Any] | None = None,
    periods: int = 1,
    extend: str | None = None,
) -> Motion:
    """Waves about a mean, `periods` times the period (s).

    drives= or joints= {name: mean} (joints: also x y z yaw pitch roll of the platform, those that are the robot's freedoms).
    cosines, sines: {name: [of the first harmonic, of the second, …]} in the unit of the mean; what is absent is 0.
    """
    if (drives is None) == (joints is None):
        raise UsageError("fourier: give the means as exactly one of drives= or joints=, {name: value}")
    kind, means = ("drives", drives) if drives is not None else ("joints", joints)
    names = tuple(means or ())
    if not names:
        raise UsageError(f"fourier: {kind}={{}}; give the mean of at least one coordinate, {{name: value}}")
    center = np.array([take(f"{kind}[{name!r}]", number(), (means or {})[name]) for name in names])
    units = tuple(unit_of(f"{kind}[{name!r}]", (means or {})[name]) for name in names)
    waves = [_rows(key, given or {}, names, kind) for key, given in (("cosines", cosines), ("sines", sines))]
    count = max(len(w) for w in waves)
    C, S = (np.pad(w, ((0, count - len(w)), (0, 0))) for w in waves)
    rates = 2.0 * np.pi / period * np.arange(1, count + 1)
    path = PolynomialPath(np.array([0.0, periods * period]), center[None, :, None], (rates, C, S))
    return coordinate_motion(path, kind, names, units, None, extend)


def _rows(key: str, given: Mapping[str, Any], names: tuple[str, ...], kind: str) -> np.ndarray:
    """Amplitudes (harmonics, coordinates)."""
    unknown = [name for name in given if name not in names]
    if unknown:
        raise UsageError(
            f"fourier: {key} of {', '.join(unknown)}, of which {kind} has no mean; it has {', '.join(names)}"
        )
    columns = {name: np.atleast_1d(np.asarray(x, dtype=float)) for name, x in given.items()}
    for name, x in columns.items():
        if x.ndim != 1 or not np.isfinite(x).all():
            raise UsageError(f"fourier: {key}[{name!r}] has shape {x.shape}; give a list of finite amplitudes")
    out = np.zeros((max(map(len, columns.values()), default=0), len(names)))
    for name, x in columns.items():
        out[: len(x), names.index(name)] = x
    return out
