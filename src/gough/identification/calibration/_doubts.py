"""Whether a calibration can have made the robot better: how many different poses there are, what it leaves unknown elsewhere."""

from dataclasses import replace

import numpy as np

from gough.errors import CalibrationWarning, UsageError, warn
from gough.identification.calibration._planning import REACH, find_candidates
from gough.identification.calibration._problem import CalibrationProblem, GeometryEstimate

REPEATED = 5.0
"""Differences of readings, in their standard deviations, within which a pose is the same."""
NOTHING = 1e-7
"""Uncertainty (robot sizes, rad) that no robot feels: measurements without noise are simulated."""
PLACES = 40
"""Poses of the workspace at which the calibrated robot is judged."""


def different_poses(problem: CalibrationProblem) -> np.ndarray:
    """Which pose (n,) each is, repeats having the number of the first one."""
    o = problem.observed
    near = REPEATED * o.sigma[: len(o.encoders)]
    out = np.arange(len(o.readings))
    for k in range(len(out)):
        if out[k] == k:
            same = (np.abs(o.readings[k:] - o.readings[k]) <= near).all(axis=1)
            out[k:][same & (out[k:] == np.arange(k, len(out)))] = k
    return out


def warn_of_reach(
    problem: CalibrationProblem, at: GeometryEstimate, covariance: np.ndarray, missed: np.ndarray
) -> None:
    """CalibrationWarning where poses of the calibrated robot, in the workspace around home, are less certain than the description
    was wrong at the poses measured: missed (n, components)."""
    model, o = problem.model, problem.observed
    placed = [k for k, c in enumerate(o.components) if c < 3]
    kind, unit = (placed, "mm") if placed else (list(range(len(o.components))), "mrad")
    if not kind:
        return
    try:
        q = find_candidates(model, PLACES, REACH, 0)
    except UsageError:
        return
    there = problem.lead(replace(at, q=q), q[:, model.drive_index])
    there = replace(there, q=there.q[np.isfinite(there.q).all(axis=1)])
    if not len(there.q):
        return
    D = problem.pose_slopes(there)[:, [o.components[k] for k in kind]]
    after = float(np.sqrt(np.mean(np.einsum("nij,jk,nik->ni", D, covariance, D, optimize=True))))
    before = float(np.sqrt(np.mean(missed[:, kind] ** 2)))
    noise = float(np.sqrt(np.mean(o.sigma[len(o.encoders) :][kind] ** 2)))
    if after > max(before, noise, NOTHING * (model.size if placed else 1.0)):
        repeats = len(o.readings) - len(np.unique(different_poses(problem)))
        again = f" ({repeats} of them repeat others, which helps against noise alone)" if repeats else ""
        warn(
            f"calibrate: {model.robot.name}: in its workspace the calibrated robot is uncertain by {1e3 * after:.3g} {unit} rms "
            f"an axis, and the description misses the measured poses by {1e3 * before:.3g} {unit}: it may have become worse. The "
            f"{len(o.readings)} poses{again} tell too little: spread them (gough.measuring_poses chooses them), name fewer "
            f"unknowns, or state a prior",
            CalibrationWarning,
        )
