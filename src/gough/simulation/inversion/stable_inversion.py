"""Stable inversion: the motion of everything inside a robot, and the drive forces, with which its tool is exactly on a path.

Where the zero dynamics of a tool are unstable, the inverse model started from rest runs away. There is one motion that stays
bounded: it begins before the tool does (pre-actuation), and ends after it [S. Devasia, D. Chen, B. Paden, IEEE Trans. Automatic
Control 41(7), 1996; E. Bayo, J. Robotic Systems 4(1), 1987]. With x = (z, ż) of the internal coordinates,

    ẋ = F(x, t);   L_s (x - x_0) = 0 at the beginning,   L_u (x - x_1) = 0 at the end                                  (1)

where x_0, x_1 are rest with the tool at the path's ends, L_s sees what dies out and L_u what grows there: what grows is led
from the end backwards. (1) is solved as a boundary value problem by collocation and Newton's iteration with exact
derivatives, as [O. Brüls, G. J. Bastos, R. Seifried, J. Comput. Nonlinear Dyn. 9(1), 2014] do it for servo constraints,
instead of Picard's iteration on the linear split: that one converges only where zeros change by less than their distance
from the axis, which with little damping they do not.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gough.analysis.linear_model import AXES
from gough.analysis.modes import one_design
from gough.arguments import a_model, a_motion, checked, design, number, numbers, word, words, wrenches
from gough.errors import GOOD, RunWarning, UsageError, warn
from gough.model import Model
from gough.simulation.coordinates import units_of
from gough.simulation.inversion._rest import ServoRest, one_of_each_pair, refuse_near_axis
from gough.simulation.inversion._servo import ServoStates
from gough.simulation.inversion._task import COARSE, InversionTask
from gough.simulation.inversion._two_sided import EndConditions, TwoSided
from gough.simulation.inversion.inverted import CutOff, StableInversion
from gough.simulation.motion.motion import LONGEST, Motion, chain, rest

Array = np.ndarray

ALONG = 5
"""Poses along the motion whose zeros are looked at."""
FAINT = 1e-3
"""What is left of a pre-actuation that matters where it is cut off."""
TOLD = 0.01
"""Cut-off of a force, of their largest change, that is told."""
SMOOTH = 1e-6
"""An acceleration that jumps by less than this part of its largest value is continuous."""


@checked(
    model=a_model,
    motion=a_motion,
    frame=word,
    axes=word | words,
    pre=number(least=0, most=LONGEST),
    post=number(least=0, most=LONGEST),
    tolerance=number(above=0),
    margin=number(least=0, most=0.5),
    near=numbers,
    wrench=wrenches,
    parameters=design,
)
def stable_inversion(
    model: Model,
    motion: Motion,
    frame: str | None = None,
    *,
    axes: Sequence[str] | None = None,
    pre: float | None = None,
    post: float | None = None,
    tolerance: float = 1e-7,
    margin: float = 0.01,
    near: Any = None,
    wrench: Any = None,
    parameters: Any = None,
) -> StableInversion:
    """The motion of drives and deformations, and the forces, with which a frame follows a motion exactly.

    motion: of kind "pose" or "point", of the frame it names, or of `frame`; without one of the platform. It begins and ends at
    rest. axes: those of the frame's displacement (x y z in m, rx ry rz in rad, world axes) that count, as many as drives;
    default: all. pre, post (s): pre- and post-actuation; default: until what is cut off moves the tool by less than
    `tolerance` (m; angles times the robot's size), which holds for the time steps, too. margin: a zero nearer to the
    imaginary axis, of its modulus, is refused. near (nq,): the assembly meant (default: home). wrench: constant load from
    outside, as `simulate` takes it. parameters: of another design.
    """
    task = InversionTask.of(model, motion, frame, axes, near, wrench, one_design(model, parameters))
    first, last = task.rest(0.0), task.rest(motion.duration)
    for t in np.linspace(0.0, motion.duration, ALONG):
        here = first if t == 0 else last if t == motion.duration else task.rest(float(t))
        refuse_near_axis(task.servo, here.zeros, margin, f"at t = {t:.4g} s")
        if (np.real(here.zeros) > 0).sum() != (np.real(first.zeros) > 0).sum():
            raise UsageError(
                f"stable_inversion: zeros of {model.robot.name} change sides along the motion: "
                f"{int((np.real(first.zeros) > 0).sum())} grow where it begins, {int((np.real(here.zeros) > 0).sum())} "
                f"at t = {t:.4g} s; "
                "give a motion on one side, or another frame"
            )
    ends = EndConditions(first.rows(growing=False), first.x, last.rows(growing=True), last.x)
    rough = task.bounded_solution(task.nodes(0.0, 0.0, motion.duration / COARSE), ends, None)
    pre = _time_until(*first.tool_parts(rough.x[0]), 1.0, tolerance, FAINT) if pre is None else pre
    post = _time_until(*last.tool_parts(rough.x[-1]), -1.0, tolerance, 1.0) if post is None else post
    found, error = task.refined_solution(pre, post, ends, rough, first, last, tolerance)
    return _gathered(task, found, error, first, last, pre, post)


def _time_until(values: Array, parts: Array, side: float, tolerance: float, share: float) -> float:
    """When (s) the parts (m) that grow (side 1) backwards, or die out (-1) forwards, are below a tolerance (m) together;
    where they are not at once, also below a share of what they were."""
    rates, sizes = np.abs(np.real(values)), np.where(side * np.real(values) > 0, parts, 0.0)

    def left(t: float) -> float:
        return float((sizes * np.exp(-rates * t)).sum())

    if left(0.0) <= tolerance:
        return 0.0
    tolerance = min(tolerance, share * left(0.0))
    low, high = 0.0, 1.0 / rates[sizes > 0].max()
    while left(high) > tolerance:
        low, high = high, 2 * high
    for _ in range(30):
        half = 0.5 * (low + high)
        low, high = (half, high) if left(half) > tolerance else (low, half)
    return high


def _gathered(
    task: InversionTask, found: TwoSided, error: float, first: ServoRest, last: ServoRest, pre: float, post: float
) -> StableInversion:
    """The result; cut-offs that matter and accelerations that jump are told."""
    servo, model, at = task.servo, task.servo.model, found.at.known
    assert isinstance(at, ServoStates)
    t, places = found.nodes.times, [p for p, _ in servo.places]
    entries = [k for _, k in servo.places]
    same = np.flatnonzero(np.diff(t) == 0)
    size = np.abs(at.vdot).max(axis=0) + 1e-300
    jumps = same[(np.abs(at.vdot[same + 1] - at.vdot[same]) > SMOOTH * size).any(axis=1)]
    kept = np.setdiff1d(np.arange(len(t)), np.setdiff1d(same, jumps))
    at = ServoStates(*(x[kept] for x in (at.q, at.v, at.vdot, at.tau, at.inner)))
    _demand_sound(task, at, t[kept])
    task.demand_on_path(at.q, task.wanted_sample(t[kept], found.nodes.left[kept]), t[kept])
    t = t[kept] - t[0]
    drives = servo.drive_motion(at)
    others = at.q[:, places], at.v[:, entries], at.vdot[:, entries]
    nodal = [np.concatenate([a, b], axis=1) for a, b in zip(drives, others, strict=True)]
    names, units = model.layout.q_names, units_of(model).q
    path = task.motion if task.motion.frame else replace(task.motion, frame=servo.target.frame)
    parts = [rest(path, pre, end=False)] if pre else []
    parts += [path, *([rest(path, post)] if post else [])]
    largest = max(float(np.ptp(at.tau, axis=0).max()), 1e-300)

    def cut(seconds: float, here: ServoRest, x: Array, tau: Array) -> CutOff:
        _, sizes = here.tool_parts(x)
        force = here.tau - tau
        return CutOff(seconds, float(sizes.sum()), force, float(np.abs(force).max()) / largest)

    made = StableInversion(
        model,
        str(servo.target.frame),
        tuple(AXES[k] for k in servo.axes),
        t,
        at.q,
        at.v,
        at.vdot,
        at.tau,
        chain(parts) if len(parts) > 1 else path,
        cut(pre, first, found.x[0], at.tau[0]),
        cut(post, last, found.x[-1], at.tau[-1]),
        one_of_each_pair(first.zeros),
        error,
        np.array([first.q, last.q]),
        (nodal[0], nodal[1], nodal[2]),
        tuple(names[p] for p in places),
        tuple(units[p] for p in places),
    )
    told = [
        f"{what}-actuation of {cut.seconds:.4g} s cuts off {100 * cut.share:.2g} % of the forces: give a longer {what}="
        for what, cut in (("pre", made.before), ("post", made.after))
        if cut.share > TOLD
    ]
    if len(jumps):
        when = ", ".join(f"{x:.4g}" for x in found.nodes.times[jumps[:4]]) + (" …" if len(jumps) > 4 else "")
        told.append(
            f"accelerations jump at t = {when} s of the motion, forces with them, which no drive follows: give "
            f"a smoother motion "
            "(gough.motions.quintic, septic)"
        )
    if told:
        warn(f"stable_inversion: {model.robot.name}: " + "; ".join(told), RunWarning)
    return made


def _demand_sound(task: InversionTask, at: ServoStates, t: Array) -> None:
    """UsageError for states that the equations do not hold for: bent too far, near a singularity."""
    model = task.servo.model
    found = model.function("energies")(q=at.q, v=at.v, parameters=task.servo.numbers)
    for k, failure in enumerate(found.failures):
        if failure != GOOD:
            raise UsageError(
                f"stable_inversion: {model.robot.name} at t = {t[k]:.6g} s of the motion: {failure}; give a slower "
                "motion, or another way to go"
            )
