"""Whether a motion is clearly possible: a verdict on the samples and by the bounds of `check_motion`, most often at a tenth of
its time.

Conditions are bounded from below, 1/(|A| |A⁻¹|) <= σ_min/σ_max in Frobenius' norm, and no determinant changes its sign between
neighbours with |A' - A| |A⁻¹| < 1. So a motion is clear only if the full check has nothing to say; whatever comes near a bound,
and all that is not looked at here, is not clear, and is for the full check.
"""

from typing import TYPE_CHECKING

import numpy as np

from gough.kinematics.lead_along import lead_along, suits
from gough.kinematics.singularity import block_matrices, drive_map_scales
from gough.simulation.motion.paths import Sample
from gough.simulation.motion.targets import MotionTarget

if TYPE_CHECKING:
    from gough.model import Model

AS_CHECKED = ("closing_step", "joint_motion", "tree_rates")
"""Functions that the full check compiles: a run begins with the same numbers whichever check it had."""
SURE = 2.0
"""Times the smallest good condition that is clearly good."""
MARGIN = 1e-6
"""To limits, of the robot's size, a radian and the largest rates."""


def is_clear(target: MotionTarget, wanted: Sample, near: np.ndarray | None, condition: float) -> bool:
    """Whether the robot clearly reaches, regular and within its limits of coordinates and rates, what is wanted (n, …) of it,
    from `near` (nq,), default home."""
    model = target.model
    if target.kind != "drives" or not suits(model):
        return False
    q = lead_along(model, wanted.position, model.home if near is None else near, target.numbers)
    if q is None:
        return False
    S = model.function("drive_map").values(q=q, parameters=target.numbers)["S"][:, : model.mobility]
    rows, columns = model.cached("drive map scales", lambda: drive_map_scales(model, model.size))
    _, blocks = block_matrices(model, q, target.numbers, model.size)
    inverse = _inverses(S)
    matrices = [(S / rows[:, None] * columns, inverse * rows / columns[:, None])]
    matrices += [(a, _inverses(a)) for a in _alike(blocks)]
    if not all(_is_regular(a, b, SURE * condition) for a, b in matrices):
        return False
    model.geometry.one_lead.compile()
    for name in AS_CHECKED:
        model.function(name).kernel()
    return _is_within(target, q, inverse, wanted)


def _alike(blocks: list[np.ndarray]) -> list[np.ndarray]:
    """Matrices (n, k, k) of a size together (n, m, k, k)."""
    sizes = dict.fromkeys(a.shape[-1] for a in blocks)
    return [np.stack([a for a in blocks if a.shape[-1] == size], axis=1) for size in sizes]


def _inverses(a: np.ndarray) -> np.ndarray:
    """Of (..., k, k); not finite where there is none."""
    if a.shape[-1] == 3:
        x, y, z = a[..., 0, :], a[..., 1, :], a[..., 2, :]
        columns = np.stack([_cross(y, z), _cross(z, x), _cross(x, y)], axis=-1)
        with np.errstate(divide="ignore", invalid="ignore"):
            return columns / (x * columns[..., :, 0]).sum(axis=-1)[..., None, None]
    try:
        return np.linalg.inv(a)
    except np.linalg.LinAlgError:
        return np.full_like(a, np.nan)


def _cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return a[..., [1, 2, 0]] * b[..., [2, 0, 1]] - a[..., [2, 0, 1]] * b[..., [1, 2, 0]]


def _norms(a: np.ndarray) -> np.ndarray:
    return np.sqrt(np.einsum("...ij,...ij->...", a, a))


def _is_regular(a: np.ndarray, inverse: np.ndarray, condition: float) -> bool:
    """Whether matrices (n, …, k, k) along a motion stay clear of singularities, at the samples and between them."""
    back = _norms(inverse)
    largest = (
        np.maximum(_norms(a), 1.0) if a.shape[-1] == 1 else _norms(a)
    )  # a number alone has nothing to be compared with
    far = largest * back * condition < 1.0
    return bool(far.all()) and bool((_norms(np.diff(a, axis=0)) * back[:-1] < 1.0).all())


def _is_within(target: MotionTarget, q: np.ndarray, inverse: np.ndarray, wanted: Sample) -> bool:
    """Whether limits of coordinates and rates are kept, with a margin. inverse (n, drives, mobility): of the drive map."""
    model: Model = target.model
    still = np.zeros(model.layout.nv)

    def stated() -> bool:
        return bool(model.limit_margins(model.home, still).limits)

    if not model.cached("limits without forces", stated):
        return True
    v = np.zeros((len(q), model.layout.nv))
    v[:, : model.mobility] = np.einsum("nij,ni->nj", inverse, wanted.velocity)
    margins = model.limit_margins(q, v, parameters=target.parameters).margins
    return bool((margins > MARGIN * (1.0 + model.size + np.abs(v).max(initial=0.0))).all())
