"""Finding an assembly of a leg without a closed form at home: Newton from a hint, else from many starts."""

from typing import TYPE_CHECKING

import numpy as np

from gough.errors import GOOD
from gough.kinematics.newton import closure_function, leg_newton
from gough.kinematics.retraction import periodic_coordinates
from gough.program.verdict import reciprocal_condition

if TYPE_CHECKING:
    from gough.model.model import Model

STARTS = 96
GOOD_CONDITION = 0.05
"""Assemblies at least this well conditioned count as equally good; the one nearest the neutral joints is taken."""


def search_leg(model: "Model", leg: int, q: np.ndarray, hint: np.ndarray | None) -> np.ndarray:
    """Joint coordinates (joints,) of q (nq,) with one leg assembled where that is possible.

    With a hint: the assembly Newton finds from it, else the one nearest to it. Without: the best conditioned one.
    """
    links = [model.mechanism.links[i] for i in model.mechanism.legs[leg].links]
    columns = [link.q + j for link in links for j in range(link.nq)]
    if hint is not None:
        found, names = leg_newton(model, q[None], model.parameters[None], [leg])
        if not names[0]:
            return found[0, model.layout.joints]
    rng = np.random.default_rng(1000 + leg)
    starts = np.repeat(q[None], STARTS, axis=0)
    reach = float(np.linalg.norm(q[:3] - np.asarray(model.robot.legs[leg].base.position, dtype=float))) + model.size
    for link in links:
        own = model.parameters[list(link.dimensions)]
        starts[1:, link.coordinates] = link.motion.random(rng, STARTS - 1, (-0.3 * reach, 1.3 * reach), own)
    found, names = leg_newton(model, starts, model.parameters[None], [leg])
    good = np.flatnonzero(names == GOOD)
    if not len(good):  # the pose may not be quite consistent: what comes nearest is a start for all legs together
        function = model.cached(("closure", leg), lambda: closure_function(model, leg))
        out = function.values(q=found, parameters=model.parameters)
        error = np.abs(np.concatenate([out["residual"], out["misalignment"]], axis=-1)).max(axis=-1, initial=0.0)
        return found[int(np.argmin(np.where(np.isfinite(error), np.round(error, 9), np.inf))), model.layout.joints]
    found = found[good]
    wanted = q[columns] if hint is None else hint
    distance = np.abs(_wrapped(model, columns, found[:, columns] - wanted)).sum(axis=1)
    if hint is not None:
        return found[int(np.argmin(np.round(distance, 9))), model.layout.joints]
    function = model.cached(("closure", leg), lambda: closure_function(model, leg))
    condition = reciprocal_condition(function(q=found, parameters=model.parameters).outputs["J"])
    merit = np.minimum(condition, GOOD_CONDITION) - 1e-3 * distance
    return found[int(np.argmax(np.round(merit, 9))), model.layout.joints]


def _wrapped(model: "Model", columns: list[int], difference: np.ndarray) -> np.ndarray:
    angular = np.isin(columns, periodic_coordinates(model.mechanism))
    return np.where(angular, np.remainder(difference + np.pi, 2 * np.pi) - np.pi, difference)
