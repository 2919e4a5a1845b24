"""Legs without a closed form: Newton's iteration on their closures, all states of a batch at once, legs independent; at home
from a hint, else from many starts."""

import numpy as np

from gough.compilation.designs import ParameterRows, parameters_of
from gough.compilation.function import Function
from gough.dynamics.catalogue import FunctionKey
from gough.errors import GOOD, Status
from gough.kinematics.closing import row_scales
from gough.kinematics.linkage import Linkage
from gough.kinematics.retraction import comparable_coordinates, lengths_per_rate, limit_steps, wrap_angles
from gough.program.verdict import reciprocal_condition
from gough.robot import Robot

ITERATIONS = 60
LARGEST_STEP = 0.5
"""Largest step of an angle (rad), or of a length relative to the robot's size."""
STARTS = 96
GOOD_CONDITION = 0.05
"""Assemblies at least this well conditioned count as equally good; the one nearest the neutral joints is taken."""


def leg_closures(linkage: Linkage, leg: int) -> Function:
    """Function q -> closures of one leg's cuts, all else held."""
    return linkage.function(FunctionKey("leg_closures", leg=leg))


def leg_newton(
    linkage: Linkage, q: np.ndarray, parameters: ParameterRows, legs: list[int]
) -> tuple[np.ndarray, np.ndarray]:
    """(q with the legs closed, failures (n,)) from starting joints in q (n, nq)."""
    q = q.copy()
    failures = np.full(len(q), GOOD, dtype=object)
    for k in legs:
        _solve_leg(linkage, k, q, parameters, failures)
    return q, failures


def search_leg(linkage: Linkage, robot: Robot, leg: int, q: np.ndarray, hint: np.ndarray | None) -> np.ndarray:
    """Joint coordinates (joints,) of q (nq,) with one leg assembled where that is possible.

    With a hint: the assembly Newton finds from it, else the one nearest to it. Without: the best conditioned one.
    """
    links = [linkage.structure.links[i] for i in linkage.structure.legs[leg].links]
    columns = [link.q + j for link in links for j in range(link.nq)]
    if hint is not None:
        found, failures = leg_newton(linkage, q[None], linkage.parameters[None], [leg])
        if not failures[0]:
            return found[0, linkage.structure.layout.joints]
    rng = np.random.default_rng(1000 + leg)
    starts = np.repeat(q[None], STARTS, axis=0)
    reach = (
        float(np.linalg.norm(q[:3] - np.asarray(robot.legs[leg].base.position, dtype=float))) + linkage.structure.length
    )
    for link in links:
        own = linkage.parameters[list(link.dimensions)]
        starts[1:, link.coordinates] = link.motion.random(rng, STARTS - 1, (-0.3 * reach, 1.3 * reach), own)
    found, failures = leg_newton(linkage, starts, linkage.parameters[None], [leg])
    good = np.flatnonzero(failures == GOOD)
    if not len(good):  # the pose may not be quite consistent: what comes nearest is a start for all legs together
        out = leg_closures(linkage, leg).values(q=found, parameters=linkage.parameters)
        error = np.abs(np.concatenate([out["residual"], out["misalignment"]], axis=-1)).max(axis=-1, initial=0.0)
        return found[
            int(np.argmin(np.where(np.isfinite(error), np.round(error, 9), np.inf))), linkage.structure.layout.joints
        ]
    found = found[good]
    wanted = q.copy()
    wanted[columns] = q[columns] if hint is None else hint
    away = wrap_angles(linkage.structure, found - wanted)
    found = found - 2 * np.pi * np.round(
        (found - wanted - away) / (2 * np.pi)
    )  # of whole turns none that is not needed
    away = away * comparable_coordinates(linkage.structure)
    distance = np.abs(away[:, columns]).sum(axis=1)
    if hint is not None:
        return found[int(np.argmin(np.round(distance, 9))), linkage.structure.layout.joints]
    slides = lengths_per_rate(linkage.structure, 1.0)[[c for link in links for c in link.columns]]
    J = leg_closures(linkage, leg)(q=found, parameters=linkage.parameters).outputs["J"]
    condition = reciprocal_condition(J / slides)
    merit = np.minimum(condition, GOOD_CONDITION) - 1e-3 * distance
    return found[int(np.argmax(np.round(merit, 9))), linkage.structure.layout.joints]


def _solve_leg(linkage: Linkage, leg: int, q: np.ndarray, parameters: ParameterRows, failures: np.ndarray) -> None:
    function = leg_closures(linkage, leg)
    active = np.arange(len(q))
    links = [linkage.structure.links[i] for i in linkage.structure.legs[leg].links]
    columns = [c for link in links for c in link.columns]
    slides = lengths_per_rate(linkage.structure, 1.0)[columns]
    cuts = [linkage.structure.cuts[k] for k in linkage.structure.legs[leg].cuts]
    own_rows = [row for cut in cuts for row in range(cut.row, cut.row + cut.rows)]
    scale = np.concatenate([row_scales(linkage)[own_rows], np.ones(sum(len(cut.common_axes) for cut in cuts))])
    best = np.full(len(q), np.inf)
    for _ in range(ITERATIONS):
        rows = parameters_of(parameters, active)
        out = function(q=q[active], parameters=rows).outputs
        residual = np.concatenate([out["residual"], out["misalignment"]], axis=1) / scale
        J = np.concatenate([out["J"], out["A"]], axis=1) / scale[:, None]
        error = np.abs(residual).max(axis=1, initial=0.0)
        stalled = (error < 1e-13) | ((error < 1e-11) & (error >= 0.5 * best[active]))
        best[active] = np.minimum(best[active], error)
        finite = np.isfinite(error)
        failures[active[~finite]] = Status.NOT_CONVERGED.at(linkage.structure.legs[leg].name)
        keep = finite & ~stalled
        active, residual, J = active[keep], residual[keep], J[keep]
        if not len(active):
            return
        step = np.zeros((len(active), linkage.structure.layout.nu))
        step[:, columns] = np.einsum("nij,nj->ni", np.linalg.pinv(J / slides, rcond=1e-12), residual) / slides
        step = limit_steps(linkage.structure, step, linkage.structure.length, LARGEST_STEP)
        for link in links:
            if link.nu:
                own = np.ix_(active, np.array(link.coordinates))
                q[own] = link.motion.retract(q[own], step[:, link.columns])
    reached = best[active] < 1e-10
    failures[active[~reached]] = Status.NOT_CONVERGED.at(linkage.structure.legs[leg].name)
