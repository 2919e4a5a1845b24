"""Fourier series: periodic motions of drives, joints or the platform.

    c(t) = mean + Σ_k a_k cos(2π k t / period) + b_k sin(2π k t / period),   k = 1, 2, …

All derivatives are continuous, over the ends of periods too; a motion begins where its series is at t = 0, with its velocity.
Of a pose c are x y z and the angles of R = Rz(yaw) Ry(pitch) Rx(roll).
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from gough.arguments import checked, mapping, number, numbers, take, whole, word
from gough.errors import UsageError
from gough.simulation.motion._points import pose_of, unit_of
from gough.simulation.motion.motion import LONGEST, Motion, coordinate_motion, pose_motion
from gough.simulation.motion.paths import PolynomialPath
from gough.spatial.euler import euler_angles

POSED = {"x": "m", "y": "m", "z": "m", "yaw": "rad", "pitch": "rad", "roll": "rad"}
"""What waves of a pose are named, and measured in."""


@checked(
    period=number(above=0, most=LONGEST),
    drives=mapping(),
    joints=mapping(),
    cosines=mapping(numbers),
    sines=mapping(numbers),
    periods=whole(1),
    frame=word,
    extend=word,
)
def fourier(
    *,
    period: float,
    pose: Any = None,
    drives: Mapping[str, Any] | None = None,
    joints: Mapping[str, Any] | None = None,
    cosines: Mapping[str, Any] | None = None,
    sines: Mapping[str, Any] | None = None,
    periods: int = 1,
    frame: str | None = None,
    extend: str | None = None,
) -> Motion:
    """Waves about a mean, `periods` times the period (s).

    pose: the mean pose of the platform (or of `frame`), whose waves are named x y z (m) and yaw pitch roll (rad); or drives= or
    joints= {name: mean} (joints: also x y z yaw pitch roll of the platform, those that are the robot's freedoms).
    cosines, sines: {name: [of the first harmonic, of the second, …]} in the unit of the mean; what is absent is 0.
    """
    given = [key for key, x in (("pose", pose), ("drives", drives), ("joints", joints)) if x is not None]
    if len(given) != 1:
        raise UsageError(
            "fourier: give the mean as exactly one of pose= (of the platform), drives= or joints= {name: value}"
            + (f" (given: {', '.join(given)})" if given else "")
        )
    kind = given[0]
    if kind == "pose":
        mean = pose_of("pose", pose)
        center = np.concatenate([mean[:3], euler_angles("rpy_zyx", mean[None, 3:])[0]])
        path = _path(period, periods, kind, tuple(POSED), center, cosines, sines)
        return pose_motion(path, "rpy_zyx", frame=frame, extend=extend)
    if frame is not None:
        raise UsageError("fourier: frame= goes with pose=")
    means = (drives if kind == "drives" else joints) or {}
    names = tuple(means)
    if not names:
        raise UsageError(f"fourier: {kind}={{}}; give the mean of at least one coordinate, {{name: value}}")
    center = np.array([take(f"{kind}[{name!r}]", number(), means[name]) for name in names])
    units = tuple(unit_of(f"{kind}[{name!r}]", means[name]) for name in names)
    return coordinate_motion(
        _path(period, periods, kind, names, center, cosines, sines), kind, names, units, None, extend
    )


def _path(
    period: float,
    periods: int,
    kind: str,
    names: tuple[str, ...],
    center: np.ndarray,
    cosines: Mapping[str, Any] | None,
    sines: Mapping[str, Any] | None,
) -> PolynomialPath:
    """The series of the coordinates `names` about their means (n,)."""
    waves = [_rows(key, given or {}, names, kind) for key, given in (("cosines", cosines), ("sines", sines))]
    count = max(len(w) for w in waves)
    C, S = (np.pad(w, ((0, count - len(w)), (0, 0))) for w in waves)
    rates = 2.0 * np.pi / period * np.arange(1, count + 1)
    return PolynomialPath(np.array([0.0, periods * period]), center[None, :, None], (rates, C, S))


def _rows(key: str, given: Mapping[str, Any], names: tuple[str, ...], kind: str) -> np.ndarray:
    """Amplitudes (harmonics, coordinates)."""
    unknown = [name for name in given if name not in names]
    if unknown and kind == "pose":
        raise UsageError(f"fourier: {key} of {', '.join(unknown)}; waves of a pose are named {', '.join(names)}")
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
