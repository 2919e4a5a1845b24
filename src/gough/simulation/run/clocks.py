"""Controllers on a clock inside the time loop: which of them can be, and with which steps."""

from dataclasses import replace
from math import ceil
from typing import TYPE_CHECKING

from gough.errors import UsageError
from gough.simulation._formulas import digest_of
from gough.simulation.control.clocked import Clocked
from gough.simulation.control.law import Law
from gough.simulation.control.linear.design import model_and_numbers
from gough.simulation.control.observers.observer import Observer
from gough.simulation.control.recorded import record_function
from gough.simulation.control.sampled import Sampled
from gough.simulation.integration.explicit import ExplicitRungeKutta
from gough.simulation.integration.kept import Recent
from gough.simulation.integration.method import Method
from gough.simulation.motion.motion import Motion
from gough.simulation.run.settings import RunSettings

if TYPE_CHECKING:
    from gough.model import Model

WHOLE = 1e-6
"""How far a number may be from a whole one."""


def law_in_loop(law: Law, method: Method, model: "Model", motion: Motion | None) -> Law:
    """The law as the time loop has it: of one on a clock a part of the loop, where the method has steps that a clock can tick at
    the begin of, and where a function can be recorded; else itself, whose forces are asked for between the steps. In all cases
    with what it takes from the robot (`Law.tune`)."""
    if not isinstance(law, Sampled):
        return _tuned(law, model, None)
    if isinstance(law.law, Law):
        tuned = _tuned(law.law, model, law.period)
        law = law if tuned is law.law else replace(law, law=tuned)
    if law.observer is not None and isinstance(method, ExplicitRungeKutta):
        law = replace(law, observer=_tuned_observer(law, law.observer, model, motion))
    if not isinstance(method, ExplicitRungeKutta):
        if law.equipped:
            raise UsageError(f"method {method.name!r} has no sensors and actuators around a law; take rk4, dp5 or bs3")
        return law
    if isinstance(law.law, Law):
        return Clocked(law, limit=law.limit)
    found, why = (None, "it has reset=") if law.reset else record_function(law.law, model, motion, digest_of)
    if found is not None:
        return Clocked(replace(law, law=found), limit=law.limit)
    if law.equipped:
        raise UsageError(
            f"sensors=, actuators=: the function must be called at every sample: {why}; write it as a formula of t, q, v and the "
            "motion, or as a law (docs/extending/controller.md)"
        )
    return law.with_reason(why)


def _tuned(law: Law, model: "Model", period: float | None) -> Law:
    """`Law.tune`; designs of the last few laws are known."""
    try:
        hash(law)
    except TypeError:  # one of arrays or mappings
        return law.tune(model, period)
    recent: Recent = model.cached("tuned laws", Recent)
    return recent.get((law, period), lambda: law.tune(model, period))


def _tuned_observer(law: Sampled, observer: Observer, model: "Model", motion: Motion | None) -> Observer:
    """`Observer.tuned_for` the robot that the law computes with; those of the last few are known."""
    own, numbers = model_and_numbers(model, *reversed(law.knows()))

    def tuned() -> Observer:
        return observer.tuned_for(own, numbers, law.period, law.sensors, motion)  # type: ignore[arg-type]

    key = (observer, own, numbers.tobytes(), law.period, law.sensors, motion)
    try:
        hash(key)
    except TypeError:  # of arrays or mappings
        return tuned()
    recent: Recent = model.cached("tuned observers", Recent)
    return recent.get(key, tuned)


def with_fitting_step(settings: RunSettings, law: Law, model: "Model") -> RunSettings:
    """Settings with equal steps that meet all times of the law's clock; UsageError where none do."""
    if not isinstance(law, Clocked) or settings.method.adaptive:
        return settings
    grid = law.grid(model)
    if grid is None:
        times = ", ".join(f"{line.name} {line.period:g} s late by {line.delay:g} s" for line in law.lines(model))
        raise UsageError(
            f"equal steps of {settings.method.name} do not meet all times of the controller ({times}): they have no common "
            "measure; give periods and delays that are multiples of one time, or take dp5, whose steps are of any length"
        )
    asked = settings.taken_step
    count = max(ceil(grid / asked - WHOLE), 1)
    if settings.step is not None and asked < grid and abs(grid / asked - round(grid / asked)) > WHOLE * grid / asked:
        raise UsageError(
            f"step={asked:g} s: the times of the controller are multiples of {grid:g} s, which is no multiple of the step; give "
            f"step={grid / count:.12g}"
        )
    return replace(settings, step=grid / count)
