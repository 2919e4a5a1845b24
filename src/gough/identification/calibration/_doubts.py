"""Whether a calibration can have made the robot better: what poses tell of what such measurements could tell, and what is left
unknown elsewhere."""

from dataclasses import replace

import numpy as np

from gough.errors import CalibrationWarning, UsageError, warn
from gough.identification.calibration._adjustment import exact_space, reduce_rows
from gough.identification.calibration._mounts import pose_errors, quaternion_wxyz_of
from gough.identification.calibration._planning import REACH, find_candidates
from gough.identification.calibration._problem import CalibrationProblem, Equations, GeometryEstimate
from gough.identification.calibration._starting import FirstEstimate
from gough.identification.calibration.measurements import COMPONENTS, Observed

REPEATED = 5.0
"""Differences of readings, in their standard deviations, within which a pose is the same."""
NOTHING = 1e-7
"""Uncertainty (robot sizes, rad) that no robot feels: measurements without noise are simulated."""
UNSEEN = 3.0
"""Uncertainty of what was not measured, over the errors of what was, that is told."""
MOVES = 0.02
"""Motion of a component over the workspace, in robot sizes, that makes it one of the robot's freedoms."""
PLACES = 40
"""Poses of the workspace at which the calibrated robot is judged."""
TOLD = 1e-8
"""Singular values, relative to the largest, that are not 0."""


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


def check_count(problem: CalibrationProblem, start: FirstEstimate) -> None:
    """UsageError where poses tell fewer combinations than such measurements could, or leave nothing over."""
    n = len(start.at.q)
    if not n:
        raise UsageError("calibrate: no pose is left to calibrate from")
    equations = problem.equations(start.at)
    each = int(np.median(equations.freedom))
    o, p = problem.observed, len(problem.sizes)
    if each < 1:
        raise UsageError(
            f"calibrate: {len(o.encoders)} encoders and {len(o.components)} components of a pose only tell where "
            f"{problem.model.robot.name} stands ({problem.model.layout.nv} freedoms): nothing is left over for its geometry. "
            f"Measure poses, or more joints than it has freedoms"
        )
    _, first = np.unique(different_poses(problem), return_index=True)
    different = len(first)
    if each * different >= 6 * p:
        return
    many = _many(problem, each)
    could = _rank(many, 1.0)
    ranks = (_rank(_part(many, np.arange(k + 1))) for k in range(len(many.residual)))
    fewest = next((k + 1 for k, rank in enumerate(ranks) if rank >= could), len(many.residual))
    if different > fewest:
        return
    now = min(_rank(_part(equations, first)), could)
    mounts = f", {len(problem.mounts.names)} numbers of its mounts among them," if problem.mounts.names else ""
    repeats = (
        f"the {n} poses are {different} different one{'s' if different > 1 else ''}, the others repeat them, which helps against "
        f"noise alone. They tell"
        if different < n
        else f"{n} pose{'s' if n > 1 else ''} tell{'s' if n == 1 else ''}"
    )
    rest = "" if now < could else ", and nothing is left over: residuals would say nothing"
    raise UsageError(
        f"calibrate: {repeats} {now} of the {could} combinations{mounts} that such measurements can tell of the {p} unknowns"
        f"{rest}. Measure at least {fewest + 1} different poses, better {2 * fewest} (gough.measuring_poses chooses them), or "
        f"name fewer unknowns"
    )


def _many(problem: CalibrationProblem, each: int) -> Equations:
    """The equations of poses like these, were there many."""
    states = find_candidates(problem.model, 3 * len(problem.sizes) // each + 10, REACH, 0)
    o = problem.observed
    pose = None if o.pose is None else states[:, :7] * 0.0
    many = replace(o, readings=np.zeros((len(states), len(o.encoders))), pose=pose)
    return CalibrationProblem(problem.model, many, problem.unknowns).seen_equations(problem.start(states))


def _part(equations: Equations, poses: np.ndarray) -> Equations:
    e = equations
    return replace(e, residual=e.residual[poses], matrix=e.matrix[poses], freedom=e.freedom[poses])


def _rank(equations: Equations, least: float = 0.0) -> int:
    """How many combinations of all unknowns equations tell, by singular values above `least`: 1 where they tell them better than
    they were known before."""
    R, _ = reduce_rows(equations, np.ones(len(equations.residual)))
    Z = exact_space(equations.exact, equations.exact_rest, R.shape[1])[1]
    values = np.linalg.svd(R @ Z, compute_uv=False)
    return int((values > max(least, TOLD * values.max(initial=0.0))).sum())


def warn_of_copies(observed: Observed) -> None:
    """CalibrationWarning where readings and pose are those of another pose, to the last digit."""
    if observed.pose is None:
        return
    rows = np.concatenate([observed.readings, observed.pose], axis=1)
    _, first, own = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    copies = [k for k, of in enumerate(first[own.ravel()]) if k != of]
    if copies:
        told = ", ".join(f"{k} of {first[own.ravel()[k]]}" for k in copies[:4]) + (" …" if len(copies) > 4 else "")
        warn(
            f"calibrate: {len(copies)} poses are copies of others, readings and pose to the last digit ({told}): the same noise "
            "twice tells nothing new, and deviations are too small; give every measurement once",
            CalibrationWarning,
        )


def warn_of_reach(problem: CalibrationProblem, at: GeometryEstimate, root: np.ndarray, missed: np.ndarray) -> None:
    """CalibrationWarning where poses of the calibrated robot, in the workspace around home, are less certain than the description
    was wrong at the poses measured: missed (n, components). root (p, k): of the covariance. Components that were not measured
    are judged by what was."""
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
    wide = replace(o, components=tuple(range(6 if problem.mounts.turns or problem.mounts.knows_tool else 3)))
    wide = replace(wide, sigma=np.concatenate([o.sigma[: len(o.encoders)], np.ones(len(wide.components))]))
    spread = CalibrationProblem(model, wide, problem.unknowns).pose_slopes(there) @ root
    deviations = np.sqrt(np.mean(np.sum(spread**2, axis=2), axis=0))
    after = float(np.sqrt(np.mean(deviations[[o.components[k] for k in kind]] ** 2)))
    before = float(np.sqrt(np.mean(missed[:, kind] ** 2)))
    noise = float(np.sqrt(np.mean(o.sigma[len(o.encoders) :][kind] ** 2)))
    known = max(before, noise, NOTHING * (model.size if placed else 1.0))
    _warn_of_unseen(problem, there, deviations, known if placed else known * model.size)
    if after > known:
        repeats = len(o.readings) - len(np.unique(different_poses(problem)))
        again = f" ({repeats} of them repeat others, which helps against noise alone)" if repeats else ""
        warn(
            f"calibrate: {model.robot.name}: in its workspace the calibrated robot is uncertain by {1e3 * after:.3g} {unit} rms "
            f"an axis, and the description misses the measured poses by {1e3 * before:.3g} {unit}: it may have become worse. The "
            f"{len(o.readings)} poses{again} tell too little: spread them (gough.measuring_poses chooses them), name fewer "
            f"unknowns, or state a prior",
            CalibrationWarning,
        )


def _warn_of_unseen(problem: CalibrationProblem, there: GeometryEstimate, deviations: np.ndarray, known: float) -> None:
    """CalibrationWarning where components of the pose (deviations (6,)) that move over states but were not measured are less
    certain than the description was wrong: known (m)."""
    model, o = problem.model, problem.observed
    sizes = np.array([1.0] * 3 + [model.size] * 3)
    p, R = there.mounts.seen_poses(*problem.programs.pose(there.q, there.values[problem.placed]))
    one = np.concatenate([p[0], quaternion_wxyz_of(R[:1])[0]])
    moves = np.ptp(pose_errors(p, R, np.tile(one, (len(p), 1)))[0], axis=0) * sizes > MOVES * model.size
    asked = range(3 if {0, 1, 2} <= set(o.components) else 6)  # of a reflector alone nobody expects how it turns
    lost = [k for k in asked if k not in o.components and moves[k] and deviations[k] * sizes[k] > UNSEEN * known]
    if not lost:
        return
    worst = max(lost, key=lambda k: deviations[k] * sizes[k])
    unit = "mm" if worst < 3 else "mrad"
    warn(
        f"calibrate: {model.robot.name}: {', '.join(COMPONENTS[k] for k in lost)} of its pose were not measured, and the "
        f"calibrated robot is uncertain there by up to {1e3 * deviations[worst]:.3g} {unit}: what was measured does not tell "
        f"them. Measure them too, name fewer unknowns, or state a prior that says how well numbers are known",
        CalibrationWarning,
    )
