"""Measurements that could be made: states within limits, and the equations that measuring there would give."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.errors import UsageError
from gough.identification.calibration._problem import CalibrationProblem, Equations, GeometryEstimate
from gough.identification.calibration._unknowns import choose_geometry
from gough.identification.calibration.measurements import AT_ORIGIN, COMPONENTS, Measurements, observe

if TYPE_CHECKING:
    from gough.model import Model

REACH = 0.3
"""Of candidates from home: robot sizes, rad."""
REGULAR = 0.3
"""Distance from singularities that a candidate keeps, of that at home."""
TRIES = 6
GENERIC = 0.2
"""By how much numbers of a robot that is not quite the described one differ, in prior deviations."""


def find_candidates(model: "Model", count: int, reach: float, seed: int) -> np.ndarray:
    """States (n, nq), n ≤ count, within the description's limits and away from singularities: around home, at random."""
    rng, layout, found = np.random.default_rng(seed), model.layout, np.zeros((0, model.layout.nq))
    steps = np.array([reach * (model.size if unit.startswith("m") else 1.0) for unit in layout.v_units])
    steps[layout.mobility :] = 0.0  # idle ones tell nothing
    least = REGULAR * float(model.singularity(model.home).parallel)
    for _ in range(TRIES):
        if len(found) >= count:
            break
        q = model.integrate(model.home, rng.uniform(-1.0, 1.0, (2 * count, layout.nv)) * steps, on_bad_state="mark")
        q = q[np.isfinite(q).all(axis=1)]
        good = model.limit_margins(q).within & (model.singularity(q).parallel >= least)
        found = np.concatenate([found, q[good]])
    if not len(found):
        raise UsageError(
            f"{model.robot.name}: no pose around home is within limits and away from singularities; give candidates=q (n, nq)"
        )
    return found[:count]


def plan_problem(
    model: "Model",
    q: np.ndarray,
    unknowns: str | Sequence[str],
    encoders: Sequence[str],
    components: Sequence[str] | None,
    frame: str | None,
    mounts: Mapping[str, Any],
    sigma: Any,
    prior: Any,
) -> CalibrationProblem:
    """The problem of measurements at states q (n, nq), as they would be without errors."""
    layout = model.layout
    names = list(dict.fromkeys([*layout.drive_names, *encoders]))
    strange = [name for name in names if name not in layout.q_names]
    if strange:
        raise UsageError(
            f"encoders: no coordinate {', '.join(strange)}; there are {', '.join(layout.q_names[layout.joints])}"
        )
    readings = {name: q[:, layout.index(name)] for name in names}
    if components is not None and not len(components):
        measured = Measurements(readings)
    else:
        seen = np.tile(AT_ORIGIN, (len(q), 1))
        measured = Measurements(readings, seen, components=components or COMPONENTS, frame=frame, **mounts)
    observed = observe(model, measured, sigma)
    return CalibrationProblem(model, observed, choose_geometry(model, unknowns, observed.encoders, prior))


def plan_equations(
    problem: CalibrationProblem, q: np.ndarray, generic: bool, seed: int
) -> tuple[GeometryEstimate, Equations]:
    """The equations at states, of the described robot or of one that is not quite it (`generic`)."""
    at = problem.start(q)
    if generic:
        rng = np.random.default_rng(seed)
        moved = np.array([rng.normal() * GENERIC * u.prior for u in problem.unknowns])
        moved[[u.is_scale for u in problem.unknowns]] *= 0.1
        at = GeometryEstimate(at.values + moved, at.mounts, q, at.away)
    return at, problem.seen_equations(at)
