"""The end of a search: the best motion that keeps everything on a fine grid, checked by the calls every motion is checked by."""

from collections.abc import Sequence

import numpy as np

from gough.errors import UsageError
from gough.identification.excitation._constraints import Constraints
from gough.identification.excitation._led import LedStates
from gough.identification.excitation._problem import ExcitationProblem
from gough.identification.excitation._search import Search
from gough.identification.excitation.result import BoundUse, Excitation
from gough.simulation.motion.limits import check_motion

FINE = 10
"""Samples of the last check for each of the search."""
TRIES, SHORTER = 6, 0.97
"""How often, and by how much, a motion is made smaller that the last check still refuses."""
ENOUGH = 0.9
"""A motion that keeps everything in this part of its size is not worth comparing with others that were worse before."""


def best_unknowns(problem: ExcitationProblem, search: Search, ends: Sequence[np.ndarray]) -> np.ndarray:
    """The best unknowns that keep everything on the fine grid; UsageError with what is in the way where there are none."""
    fine = np.arange(FINE * len(problem.times)) * problem.basis.period / (FINE * len(problem.times))
    points = [problem.point(x) for x in ends] + ([search.best] if search.best is not None else [])
    found: list[tuple[float, np.ndarray]] = []
    for p in sorted(points, key=lambda p: p.objective):
        problem.forget()
        problem.states(p.x)  # so that the fine grid begins near it
        fitted, factor = problem.shrink(p.x, fine)
        if factor > 0.0:
            found.append((problem.point(fitted).objective, fitted))
        if factor > ENOUGH:
            break
    if found:
        return min(found, key=lambda f: f[0])[1]
    least = search.least
    assert least is not None
    k, n = int(least.constraints.argmin()), len(problem.times)
    when = problem.times[k % n]
    raise UsageError(
        f"excitation: no motion of {problem.space.model.robot.name} was found that keeps everything. The best of "
        f"{len(search.history)} tried breaks {_in_words(problem, least.x, k // n, k % n)} at t = {when:.4g} s. Widen it, give a "
        "longer period, fewer harmonics, smaller margins=, more starts= or a larger budget="
    )


def _in_words(problem: ExcitationProblem, x: np.ndarray, which: int, sample: int) -> str:
    states, c = problem.states(x), problem.constraints
    if not states.good.all():
        return "reach (the loops do not close)"
    if which >= len(c.bounds):
        near = c.conditions(states.q)[sample, which - len(c.bounds)]
        return f"{c.names[which]} ({near:.3g}, at least {c.distance:g})"
    b = c.bounds[which]
    x = c.values(states)[sample, which]
    return f"{b} ({x:.4g} {b.unit} of {b.lower:.4g} … {b.upper:.4g}, of which {c.free[which]:.3g} stay free)"


def finish_excitation(
    problem: ExcitationProblem, search: Search, x: np.ndarray, first: np.ndarray, scaled_by: str, notes: Sequence[str]
) -> Excitation:
    """The result at unknowns x, or at `first`, those of the unoptimised motion, where a search that ended early has none
    better."""
    leading, basis, measure, model = problem.space, problem.basis, problem.measure, problem.space.model
    samples = FINE * len(problem.times)
    first, kept = _shrink_everywhere(problem, first)
    if kept and _worth(problem, first) < _worth(problem, x):
        x = first
    for _ in range(TRIES):
        motion = basis.motion(problem.coefficients(x), leading.kind, leading.names)
        report = check_motion(model, motion, samples=samples + 1, condition=problem.constraints.distance)
        states = LedStates(report.q, report.v, report.acceleration, report.status == 0)
        uses = _uses(problem.constraints, report.t, states) if states.good.all() else []
        if report.ok and states.good.all() and all(use.margin >= 0.0 for use in uses):
            break
        x = SHORTER * x
    else:
        broken = [f"\n  {use}" for use in uses if use.margin < 0.0]
        raise UsageError(
            f"excitation: the motion that was found is refused by the last check, also when {SHORTER:g}^{TRIES} as large; try "
            f"another seed= or a larger distance=:\n{report}{''.join(broken)}"
        )
    even = slice(0, samples)  # without the end, which is the beginning
    measured = LedStates(*(a[even] for a in (states.q, states.v, states.vdot, states.good)))
    fine = np.arange(samples) * basis.period / samples
    problem.forget()
    problem.states(first)
    unoptimised = problem.states(first, fine)
    if not unoptimised.good.all():
        coarse = problem.states(first)
        unoptimised = coarse if coarse.good.all() else unoptimised
    followed = unoptimised.good
    if not followed.all():
        lost = f"{int((~followed).sum())} of {len(followed)} samples"
        notes = [*notes, f"the unoptimised motion cannot be followed at {lost}; what it tells is that of the others"]
    u = unoptimised
    before = measure.measure(LedStates(*(a[followed] for a in (u.q, u.v, u.vdot, u.good))))
    assert measure.columns is not None
    return Excitation(
        robot=model.robot.name,
        space=leading.space,
        objective=measure.objective,
        basis=basis,
        coefficients=problem.coefficients(x),
        motion=motion,
        base=measure.base,
        measure=measure.measure(measured),
        before=before,
        before_motion=basis.motion(problem.coefficients(first), leading.kind, leading.names),
        scaling=measure.columns,
        scaled_by=scaled_by,
        limits=tuple(uses),
        report=report,
        history=tuple(search.history),
        notes=tuple(notes),
        ending=search.ending,
    )


def _shrink_everywhere(problem: ExcitationProblem, x: np.ndarray) -> tuple[np.ndarray, bool]:
    """(the motion as small as it must be to keep everything on the fine grid too, whether it does at any size)."""
    problem.forget()
    problem.states(x)
    samples = FINE * len(problem.times)
    fitted, factor = problem.shrink(x, np.arange(samples) * problem.basis.period / samples)
    return (fitted, True) if factor > 0.0 else (x, False)


def _worth(problem: ExcitationProblem, x: np.ndarray) -> float:
    """Condition of a motion on the fine grid, or -log det of a d-optimal one; infinite where the robot cannot follow."""
    problem.forget()
    problem.states(x)
    samples = FINE * len(problem.times)
    states = problem.states(x, np.arange(samples) * problem.basis.period / samples)
    if not states.good.all():
        return np.inf
    told = problem.measure.measure(states)
    return told.condition if problem.measure.objective == "condition" else -told.log_det


def _uses(constraints: Constraints, t: np.ndarray, states: LedStates) -> list[BoundUse]:
    x, out = constraints.values(states), []
    for k, b in enumerate(constraints.bounds):
        margin = b.margins(x[:, k])
        at = int(margin.argmin())
        ends = (float(x[:, k].min()), float(x[:, k].max()))
        out.append(BoundUse(str(b), b.unit, b.source, b.lower, b.upper, *ends, float(margin[at]), float(t[at])))
    near = constraints.conditions(states.q)
    for k, name in enumerate(constraints.names[len(constraints.bounds) :]):
        at, d = int(near[:, k].argmin()), constraints.distance
        ends = (float(near[:, k].min()), float(near[:, k].max()))
        out.append(BoundUse(name, "", "singularity", d, 1.0, *ends, ends[0] - d, float(t[at])))
    return out
