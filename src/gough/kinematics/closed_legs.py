"""Platforms that cannot take every pose, on legs with closed forms: what the legs leave open decides."""

from typing import TYPE_CHECKING

import numpy as np

from gough.errors import GOOD, Status
from gough.kinematics.closing import CLOSED, close, closure_errors
from gough.kinematics.leading import pose_led

if TYPE_CHECKING:
    from gough.model.model import Model

NEARLY = 1e-5
"""Closure error below which a pose counts as rounded: Newton's iteration then finds the one the platform can take."""


def close_platform(
    model: "Model", q: np.ndarray, names: np.ndarray, parameters: np.ndarray, near: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    """(q, failed checks) of configurations q (n, nq) whose legs reach a pose: the other joints follow, the loops are checked.

    A pose that leaves loops open is out of the platform's reach.
    """
    mechanism = model.mechanism
    outside = [link for link in mechanism.links if link.leg < 0 and not link.is_platform and link.nu]
    if near is not None:
        for link in outside:
            q[:, link.q : link.q + link.nq] = near[:, link.q : link.q + link.nq]
    good = np.flatnonzero(names == GOOD)
    if outside and len(good):
        free = np.zeros(mechanism.layout.nu, dtype=bool)
        free[[column for link in outside for column in link.columns]] = True
        q[good] = close(model, q[good], _rows(parameters, good), free)[0]
    error = closure_errors(model, q[good], _rows(parameters, good))
    rounded = good[(error > CLOSED) & (error < NEARLY)]
    names[good[~(error < NEARLY)]] = Status.OUT_OF_REACH.at("platform")
    if len(rounded):
        q[rounded], names[rounded] = pose_led(model, q[rounded, :7], _rows(parameters, rounded), q[rounded])
    q[names != GOOD, model.layout.joints] = np.nan
    return q, names


def _rows(parameters: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    return parameters if len(parameters) == 1 else parameters[chosen]
