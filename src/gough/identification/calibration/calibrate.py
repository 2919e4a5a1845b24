"""`gough.calibrate`: geometry from measured poses, or from redundant encoders alone."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.arguments import a_model, checked, flag, instance, mapping, nothing, number, word, words
from gough.errors import CalibrationWarning, UsageError, warn
from gough.identification.calibration._adjustment import (
    Adjusted,
    adjust,
    is_more_than_chance,
    noise_of,
    root_of_covariance,
)
from gough.identification.calibration._doubts import check_count, warn_of_copies, warn_of_reach
from gough.identification.calibration._outliers import LEAST_NOISE, adjust_robustly, check_poses
from gough.identification.calibration._problem import CalibrationProblem
from gough.identification.calibration._starting import OF_MOTION, FirstEstimate, find_start
from gough.identification.calibration._unknowns import choose_geometry, steep_placements
from gough.identification.calibration.calibration import Calibration, few
from gough.identification.calibration.identifiable import judge_geometry
from gough.identification.calibration.measurements import COMPONENTS, Measurements, Observed, observe
from gough.identification.data.record import Record

if TYPE_CHECKING:
    from gough.model import Model

MOST_OUTLIERS = 0.3
"""Share of strange poses beyond which the robot, not the poses, may be strange."""
MUCH = 10.0
"""Residuals in standard deviations from which the order of poses is in doubt."""
a_measurement = instance(
    "gough.identification.calibration.measurements.Measurements", "gough.Measurements(readings, pose)"
) | instance("gough.identification.data.record.Record", "a Record")
SIGMA = mapping(number(above=0)) | number(above=0)


@checked(
    model=a_model,
    measurements=a_measurement,
    unknowns=word | words,
    sigma=SIGMA | nothing,
    prior=SIGMA | nothing,
    robust=flag,
)
def calibrate(
    model: "Model",
    measurements: Measurements | Record,
    *,
    unknowns: str | Sequence[str] = "geometry",
    sigma: Mapping[str, float] | float | None = None,
    prior: Mapping[str, float] | float | None = None,
    robust: bool = True,
) -> Calibration:
    """Geometry of a robot that fits measurements best.

    measurements: readings of encoders with measured poses, or with more encoders than freedoms. unknowns: what is looked for, by
    words ("geometry", "positions", "axes", "zeros", "scales"), names or patterns with stars. sigma: standard deviations of what
    was measured, {"position": m, "rotation": rad, "readings": m or rad, or encoders and x y z rx ry rz by name}; default: found
    from the residuals, readings ten times as good as poses. prior: how well numbers are known before, {word, name or pattern:
    standard deviation in m, rad}; default 5 % of the robot's size and 0.05 rad: it decides only what the measurements do not.
    robust: poses that do not fit the others are left out and named.
    """
    if model.layout.n_elastic:
        raise UsageError(
            f"calibrate: {model.robot.name} has flexible bodies, which bend where it stands; take a rigid description"
        )
    measured = _of_record(measurements) if isinstance(measurements, Record) else measurements
    observed = observe(model, measured, sigma)
    chosen = choose_geometry(model, unknowns, observed.encoders, prior)
    problem = CalibrationProblem(model, observed, chosen)
    start = find_start(problem)
    used = problem.subset(start.usable)
    check_count(used, start)
    warn_of_copies(observed)
    found, keep = _fit(used, start, robust)
    if not observed.given:  # deviations of what was measured, and so the prior's part, follow from the residuals
        noise = max(noise_of(found, keep)[0], LEAST_NOISE)
        used = CalibrationProblem(model, replace(used.observed, sigma=used.observed.sigma * noise), chosen)
        found = adjust(used, found.at, keep.astype(float))
    return _finish(used, start, found, keep)


def _of_record(record: Record) -> Measurements:
    return Measurements(dict(record.positions), record.pose)


def _fit(problem: CalibrationProblem, start: FirstEstimate, robust: bool) -> tuple[Adjusted, np.ndarray]:
    if robust:
        return adjust_robustly(problem, start.at)
    n = len(start.at.q)
    return adjust(problem, start.at, np.ones(n)), np.ones(n, dtype=bool)


def _finish(problem: CalibrationProblem, start: FirstEstimate, found: Adjusted, keep: np.ndarray) -> Calibration:
    model, o, at = problem.model, problem.observed, found.at
    noise, freedom = noise_of(found, keep)
    root = root_of_covariance(found, keep.astype(float), max(noise, 1.0) if o.given else 1.0) * problem.sizes[:, None]
    covariance = root @ root.T
    tests = check_poses(found, keep, o.given)
    outliers = dict(start.refused)
    residuals = np.full((len(start.usable) + len(start.refused), len(o.names)), np.nan)
    residuals[start.usable] = _best_residuals(found) * -o.sigma
    for k in np.flatnonzero(~keep):
        worst = int(np.argmax(np.abs(residuals[start.usable[k]] / o.sigma)))
        amount = 1e3 * residuals[start.usable[k], worst]
        unit = "mm" if _is_length(problem, worst) else "mrad"
        outliers[int(start.usable[k])] = (
            f"misses by chi2 {tests.squares[k]:.3g} in {tests.rows[k]} rows, good ones stay below {tests.limits[k]:.3g}; "
            f"{o.names[worst]} by {amount:.3g} {unit}"
        )
    outliers = dict(sorted(outliers.items()))
    kept = start.usable[keep]
    told = judge_geometry(problem.subset(keep), _of_kept(found, keep), at.values, least=1.0)
    zeros, scales = problem.correction(at.values)
    result = Calibration(
        model,
        problem.unknowns,
        at.values,
        np.sqrt(np.diag(covariance))[: len(problem.unknowns)],
        covariance,
        problem.names,
        problem.parameters(at.values),
        dict(zip(o.encoders, map(float, zeros), strict=True)),
        dict(zip(o.encoders, map(float, scales), strict=True)),
        at.mounts,
        o.frame,
        residuals,
        o.names,
        {name: float(np.sqrt(np.mean(residuals[kept, k] ** 2))) for k, name in enumerate(o.names)},
        noise if o.given else 1.0,
        freedom,
        tuple(map(int, kept)),
        outliers,
        told,
        found.iterations,
        found.settled,
        o.given,
        root,
    )
    _warn(result, found, keep)
    _warn_of_order(result, problem)
    if found.settled:
        warn_of_reach(problem.subset(keep), at, root, start.missed[keep])
    return result


def _of_kept(found: Adjusted, keep: np.ndarray) -> Any:
    e = found.equations
    return replace(e, residual=e.residual[keep], matrix=e.matrix[keep], freedom=e.freedom[keep])


def _best_residuals(found: Adjusted) -> np.ndarray:
    """Predicted minus measured (n, measured) in deviations, at the states that fit best."""
    return found.equations.residual


def _is_length(problem: CalibrationProblem, k: int) -> bool:
    o = problem.observed
    return (
        problem.model.layout.q_units[o.entries[k]] == "m"
        if k < len(o.entries)
        else o.components[k - len(o.entries)] < 3
    )


def _warn(result: Calibration, found: Adjusted, keep: np.ndarray) -> None:
    name = result.model.robot.name
    felt = np.abs(found.equations.matrix).max(axis=(0, 1), initial=0.0)
    seen = [u.name for u, x in zip(result.unknowns, felt[: len(result.unknowns)], strict=True) if x > 1e-8 * felt.max()]
    steep = steep_placements(result.model, seen)
    if steep:
        warn(
            f"calibrate: {name}: {', '.join(steep[:6])} has a pitch of 90°, where yaw and roll turn about one axis: an error of "
            f"its axes about the third has no number and is not looked for. Describe it with axes that are turned otherwise",
            CalibrationWarning,
        )
    if not found.settled:
        warn(
            f"calibrate: {name}: no convergence in {found.iterations} iterations; the numbers are the best so far. A prior that "
            f"says how well numbers are known, fewer unknowns or better readings may help",
            CalibrationWarning,
        )
    total = len(result.poses) + len(result.outliers)
    if result.outliers:
        many = len(result.outliers) > MOST_OUTLIERS * total
        told = few(list(result.outliers))
        warn(
            f"calibrate: {name}: left out {len(result.outliers)} of {total} poses that do not fit: {told}. `.outliers` says why"
            + (
                "; so many that the unknowns may miss what is wrong (gains, other joints, an instrument that moved)"
                if many
                else ""
            ),
            CalibrationWarning,
        )
    if result.sigma_given and is_more_than_chance(result.noise**2 * result.freedom, result.freedom):
        warn(
            f"calibrate: {name}: residuals are {result.noise:.3g} times what sigma says: the noise is larger, or the unknowns "
            f"miss something (other joints, scales of encoders, elasticity). Deviations are those of noise as large as the "
            f"residuals; what the unknowns miss is not in them",
            CalibrationWarning,
        )
    if found.equations.open[keep].max(initial=0.0) > 1e-8:
        own = found.equations.open[keep]
        warn(
            f"calibrate: {name}: loops stay open by {own.max():.2g} of its size at pose {result.poses[int(np.argmax(own))]}: "
            f"redundant closures contradict each other with these numbers",
            CalibrationWarning,
        )


def _warn_of_order(result: Calibration, problem: CalibrationProblem) -> None:
    """CalibrationWarning where poses are still missed by a part of the motion itself."""
    o = problem.observed
    placed = [c for c in o.components if c < 3]
    if o.pose is None or not placed:
        return
    names = [COMPONENTS[c] for c in placed]
    left = np.sqrt(np.mean([result.rms[name] ** 2 for name in names]))
    motion = np.sqrt(np.mean(np.var(o.pose[:, placed], axis=0)))
    beyond_noise = not left < MUCH * _sigma_of(o, names)
    if (beyond_noise or not o.given) and (not left < OF_MOTION * motion or (beyond_noise and not result.settled)):
        warn(
            f"calibrate: {result.model.robot.name}: positions are missed by {1e3 * left:.3g} mm rms, and they move by "
            f"{1e3 * motion:.3g} mm: look first at the order of the drives and of the poses (rows shifted against the readings?) "
            f"and at the axes (a mirrored one?)",
            CalibrationWarning,
        )


def _sigma_of(observed: Observed, names: Sequence[str]) -> float:
    return float(np.mean([observed.sigma[observed.names.index(name)] for name in names]))
