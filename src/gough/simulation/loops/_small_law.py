"""Laws as linear theory takes them."""

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from gough.errors import UsageError
from gough.simulation.control.clocked import Clocked
from gough.simulation.control.law import Law
from gough.simulation.control.sampled import Sampled
from gough.simulation.integration.methods import METHODS
from gough.simulation.linear.law_slopes import exact_sampling, feedback_of, kinds_of, standing
from gough.simulation.run.clocks import law_in_loop

if TYPE_CHECKING:
    from gough.model import Model


def told_law(law: Law) -> str:
    """The name of a law, of one on a clock that of what is sampled."""
    if not isinstance(law, Sampled):
        return law.name
    inner = law.law.name if isinstance(law.law, Law) else getattr(law.law, "__name__", "")
    return f"{inner}, {law.name}" if inner else law.name


def small_law(law: Law, model: "Model", kind: str | None) -> tuple[Law, str]:
    """(the law as a time loop has it, without what small signals do not meet; kind of its reference). UsageError for what has no
    linear loop."""
    inner = law.law if isinstance(law, Sampled) else law
    if isinstance(inner, Law):
        inner = feedback_of(inner)
        if inner.prescribed:
            raise UsageError(f"{inner.name}: the drives follow the motion whatever force it takes; there is no loop")
        known = kinds_of(inner, model)
        if not known:
            raise UsageError(f"{inner.name} feeds nothing back; there is no loop")
        if kind is not None and kind not in known:
            raise UsageError(f"kind={kind!r}: {inner.name} takes {', '.join(map(repr, known))}")
        chosen = known[0] if kind is None else kind
        found = law_in_loop(
            law if isinstance(law, Sampled) else replace(inner, limit=None), METHODS["rk4"], model, None
        )
    else:
        found, chosen = _function_in_loop(law, model, kind)
    if isinstance(found, Sampled):
        raise UsageError(f"a Python function has no linear loop where it cannot be recorded: {found.called}")
    if isinstance(found, Clocked):  # its observer knows the noise that small signals leave out
        found = replace(found, of=exact_sampling(found.of), limit=None)
    return found, chosen


def _function_in_loop(law: Law, model: "Model", kind: str | None) -> tuple[Law, str]:
    """(a function as a time loop has it, kind of the reference that it reads): none, or one of the drives."""
    kinds = ("", "drives") if kind is None else (kind,)
    if not set(kinds) <= {"", "drives"}:
        raise UsageError(f"kind={kind!r}: a function takes 'drives', or '' for no motion")
    for chosen in kinds[:-1]:
        with suppress(UsageError):  # one behind sensors that asks for a motion
            found = law_in_loop(law, METHODS["rk4"], model, None)
            if not isinstance(found, Sampled):
                return found, chosen
    last = kinds[-1]
    return law_in_loop(law, METHODS["rk4"], model, standing(model, last) if last else None), last
