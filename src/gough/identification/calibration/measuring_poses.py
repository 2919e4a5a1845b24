"""Where to measure: which geometry poses tell, and poses that tell it best.

Poses are chosen from candidates so that det(1 + Σ Aᵢᵀ Aᵢ) is large, Aᵢ the equations of pose i in units of noise and prior: the
volume of what stays unknown is small (D-optimality). Greedily first, then by exchange (DETMAX, Mitchell 1974) while it grows.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.arguments import a_model, checked, flag, mapping, nothing, number, numbers, whole, word, words
from gough.compilation.arrays import as_array
from gough.errors import UsageError
from gough.frozen import lock_arrays
from gough.identification.calibration._planning import REACH, find_candidates, plan_equations, plan_problem
from gough.identification.calibration._problem import CalibrationProblem, Equations
from gough.identification.calibration.identifiable import IdentifiableGeometry, judge_geometry

if TYPE_CHECKING:
    from gough.model import Model

STATES = 3
"""Poses for each that would be needed, where it is only asked what could be told."""
CANDIDATES, PER_POSE = 300, 8
SWEEPS = 200
WEAK = 1e-2
"""Singular values (prior over noise) that no choice of poses makes matter."""
SIGMA = mapping(number(above=0)) | number(above=0)


@dataclass(frozen=True)
class PlanFigures:
    """What a set of poses promises: log_det of the information (nats), condition of what is told, observability (the geometric
    mean of its singular values over √n, Borm and Menq 1991), position (m) and rotation (rad): rms deviation per axis of the
    platform's pose after the calibration, over all candidates."""

    log_det: float
    condition: float
    observability: float
    position: float
    rotation: float

    def __str__(self) -> str:
        return (
            f"log det {self.log_det:.4g}, condition {self.condition:.3g}, observability {self.observability:.3g}, pose after it "
            f"± {1e3 * self.position:.3g} mm, {1e3 * self.rotation:.3g} mrad"
        )


@dataclass(frozen=True)
class MeasuringPoses:
    """Poses to measure at: q (n, nq), drives (n, drives), pose (n, 7) of the platform or None; chosen: which candidates they are;
    before: figures of as many candidates at random, after: of these."""

    model: "Model"
    q: np.ndarray
    drives: np.ndarray
    pose: np.ndarray | None
    chosen: tuple[int, ...]
    before: PlanFigures
    after: PlanFigures
    told: IdentifiableGeometry

    def __post_init__(self) -> None:
        lock_arrays([self.q, self.drives, self.pose])

    def __len__(self) -> int:
        return len(self.q)

    def __str__(self) -> str:
        name = self.model.robot.name
        return f"{name}: {len(self)} measuring poses\n  at random: {self.before}\n  chosen:    {self.after}"

    def __repr__(self) -> str:
        return f"<gough.MeasuringPoses {self.model.robot.name}: {len(self)} poses>"


@checked(
    model=a_model,
    q=numbers | nothing,
    unknowns=word | words,
    encoders=words,
    components=words | nothing,
    frame=word | nothing,
    generic=flag,
)
def identifiable_geometry(
    model: "Model",
    q: Any = None,
    *,
    unknowns: str | Sequence[str] = "geometry",
    encoders: Sequence[str] = (),
    components: Sequence[str] | None = None,
    frame: str | None = None,
    base: Any = None,
    tool: Any = None,
    generic: bool = False,
) -> IdentifiableGeometry:
    """What measurements at states q (n, nq) tell of geometric numbers; default many states around home.

    encoders: joints that are measured besides the drives; components: what is seen of the frame's pose, () for encoders alone;
    unknowns, frame, base and tool as for `calibrate` and `Measurements`. generic: of a robot whose numbers are not quite those of
    the description: a Delta whose platform turns a little tells more than one that only moves in parallel.
    """
    mounts = {k: x for k, x in (("base", base), ("tool", tool)) if x is not None}
    given = None if q is None else np.atleast_2d(as_array("q", q, model.layout.nq))
    states = find_candidates(model, 20, REACH, 0) if given is None else given
    plan = (unknowns, list(encoders), components, frame, mounts, None, None)
    problem = plan_problem(model, states, *plan)
    if given is None:
        each = max(int(np.median(plan_equations(problem, states, False, 0)[1].freedom)), 1)
        states = find_candidates(model, STATES * len(problem.sizes) // each + 10, REACH, 0)
        problem = plan_problem(model, states, *plan)
    at, equations = plan_equations(problem, states, generic, 1)
    return judge_geometry(problem, equations, at.values)


@checked(
    model=a_model,
    count=whole(1),
    unknowns=word | words,
    candidates=numbers | nothing,
    encoders=words,
    components=words | nothing,
    frame=word | nothing,
    sigma=SIGMA | nothing,
    prior=SIGMA | nothing,
    reach=number(above=0),
    seed=whole(0),
)
def measuring_poses(
    model: "Model",
    count: int,
    *,
    unknowns: str | Sequence[str] = "geometry",
    candidates: Any = None,
    encoders: Sequence[str] = (),
    components: Sequence[str] | None = None,
    frame: str | None = None,
    base: Any = None,
    tool: Any = None,
    sigma: Any = None,
    prior: Any = None,
    reach: float = REACH,
    seed: int = 0,
) -> MeasuringPoses:
    """`count` poses at which measuring tells the geometry best.

    candidates: states q (n, nq) to choose from; default some hundred at random around home within `reach` (robot sizes, rad),
    within the description's limits and away from singularities. Other arguments as for `calibrate` and `identifiable_geometry`.
    """
    if candidates is None:
        states = find_candidates(model, max(CANDIDATES, PER_POSE * count), reach, seed)
    else:
        states = np.atleast_2d(as_array("candidates", candidates, model.layout.nq))
    if len(states) < count:
        raise UsageError(f"measuring_poses: {len(states)} candidates for {count} poses; give more, or a larger reach")
    mounts = {k: x for k, x in (("base", base), ("tool", tool)) if x is not None}
    problem = plan_problem(model, states, unknowns, list(encoders), components, frame, mounts, sigma, prior)
    at, equations = plan_equations(problem, states, False, seed)
    A = _compressed(equations)
    chosen = _exchange(A, _greedy(A, count))
    some = np.random.default_rng(seed).permutation(len(states))[:count]
    D = problem.pose_slopes(at) if problem.observed.pose is not None else None
    q = states[chosen]
    return MeasuringPoses(
        model,
        q,
        model.drives(q),
        q[:, :7] if model.mechanism.has_platform else None,
        tuple(map(int, chosen)),
        _figures(problem, equations, some, D),
        _figures(problem, equations, chosen, D),
        judge_geometry(problem, _part(equations, chosen), at.values, least=1.0),
    )


def _part(equations: Equations, poses: np.ndarray) -> Equations:
    e = equations
    return replace(e, residual=e.residual[poses], matrix=e.matrix[poses], freedom=e.freedom[poses])


def _compressed(equations: Equations) -> np.ndarray:
    """Equations (n, k, r) of all candidates in as few rows and directions as matter."""
    A = equations.matrix
    k = int(equations.freedom.max(initial=1))
    _, s, V = np.linalg.svd(A, full_matrices=False)
    rows = s[:, :k, None] * V[:, :k]
    total = np.linalg.qr(rows.reshape(-1, A.shape[2]), mode="r")
    _, size, turn = np.linalg.svd(total, full_matrices=False)
    return rows @ turn[size > WEAK].T


def _gains(A: np.ndarray, inverse: np.ndarray) -> np.ndarray:
    """log det (n,) that each pose would add to the information whose inverse (r, r) this is."""
    inner = np.einsum("nkr,rs,nls->nkl", A, inverse, A, optimize=True)
    return np.linalg.slogdet(np.eye(A.shape[1]) + inner)[1]


def _greedy(A: np.ndarray, count: int) -> np.ndarray:
    """As many poses, each the best beside those before it."""
    information, chosen, free = np.eye(A.shape[2]), [], np.ones(len(A), dtype=bool)
    for _ in range(count):
        gains = np.where(free, _gains(A, np.linalg.inv(information)), -np.inf)
        best = int(np.argmax(gains))
        chosen.append(best)
        free[best] = False
        information = information + A[best].T @ A[best]
    return np.array(chosen)


def _exchange(A: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """Poses (count,) exchanged one by one, the best that is missing for the one that matters least, while det grows."""
    chosen = chosen.copy()
    information = np.eye(A.shape[2]) + np.einsum("nkr,nks->rs", A[chosen], A[chosen])
    for _ in range(SWEEPS):
        free = np.ones(len(A), dtype=bool)
        free[chosen] = False
        if not free.any():
            break
        added = np.where(free, _gains(A, np.linalg.inv(information)), -np.inf)
        best = int(np.argmax(added))
        more = information + A[best].T @ A[best]
        inverse = np.linalg.inv(more)
        inner = np.einsum("nkr,rs,nls->nkl", A[chosen], inverse, A[chosen], optimize=True)
        lost = -np.linalg.slogdet(np.eye(A.shape[1]) - inner)[1]
        least = int(np.argmin(lost))
        if added[best] - lost[least] <= 1e-9:
            break
        information = more - A[chosen[least]].T @ A[chosen[least]]
        chosen[least] = best
    return chosen


def _figures(problem: CalibrationProblem, equations: Equations, poses: np.ndarray, D: np.ndarray | None) -> PlanFigures:
    A = equations.matrix[poses].reshape(-1, len(problem.sizes))
    _, s, V = np.linalg.svd(A, full_matrices=True)
    s = np.concatenate([s, np.zeros(A.shape[1])])[: A.shape[1]]
    told = s[s > 1.0]
    position = rotation = np.nan
    if D is not None:
        half = np.einsum("nip,pr->nir", D * problem.sizes, V.T / np.sqrt(1.0 + s**2))
        square = np.mean(np.sum(half**2, axis=2), axis=0)
        seen = list(problem.observed.components)
        places, turns = [k for k in seen if k < 3], [k for k in seen if k >= 3]
        position = float(np.sqrt(square[places].mean())) if places else np.nan
        rotation = float(np.sqrt(square[turns].mean())) if turns else np.nan
    mean = float(np.exp(np.mean(np.log(told)))) if len(told) else 0.0
    condition = float(told[0] / told[-1]) if len(told) else np.inf
    return PlanFigures(float(np.sum(np.log1p(s**2))), condition, mean / np.sqrt(len(poses)), position, rotation)
