"""Whether poses are enough: what they tell of what such measurements could tell."""

from dataclasses import replace

import numpy as np

from gough.errors import UsageError
from gough.identification.calibration._adjustment import exact_space, reduce_rows
from gough.identification.calibration._doubts import different_poses
from gough.identification.calibration._planning import REACH, find_candidates
from gough.identification.calibration._problem import CalibrationProblem, Equations
from gough.identification.calibration._starting import FirstEstimate

TOLD = 1e-8
"""Singular values, relative to the largest, that are not 0."""


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
