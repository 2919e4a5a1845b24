"""The methods of time integration: their names and what must be known of them to choose one."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf, pi, sqrt
from types import MappingProxyType

from gough.errors import UsageError


@dataclass(frozen=True)
class Method:
    """One method. order: of its error. implicit: solves equations in every step. adaptive: steps chosen by the error, else equal
    ones. limit: largest ωh at which an undamped vibration ω does not grow with steps h; inf: none. use: what for, in words.
    """

    name: str
    order: int
    implicit: bool
    adaptive: bool
    limit: float
    use: str

    @property
    def steps(self) -> str:
        """How steps are chosen, in words."""
        return "by the error" if self.adaptive else "equal"

    def longest_step(self, frequency_hz: float) -> float:
        """Longest stable step (s) for a vibration (Hz); inf where any is."""
        return self.limit / (2 * pi * frequency_hz) if frequency_hz > 0 else inf


_ALL = (
    Method("dp5", 5, False, True, 0.997, "rigid robots, and flexible ones whose stiffest mode you want to see"),
    Method("cvode", 12, False, True, 1.0, "tight tolerances: orders up to 12; needs gough[sundials]"),
    Method(
        "cvode_bdf", 5, True, True, inf, "tight tolerances of stiff and damped robots, friction; needs gough[sundials]"
    ),
    Method("rk4", 4, False, False, 2 * sqrt(2), "flexible robots, many short runs, results at equal times"),
    Method("leapfrog", 2, False, False, sqrt(12), "lightly damped vibrations over a long time: one evaluation a step"),
    Method("esdirk4", 4, True, False, inf, "stiff robots: steps longer than the stiffest mode allows"),
    Method(
        "generalised_alpha",
        2,
        True,
        False,
        inf,
        "stiff vibrations: damping of the unresolved ones chosen by rho_infinity",
    ),
    Method("sdirk2", 2, True, False, inf, "the same where low accuracy will do; damps what it does not resolve most"),
)

METHODS: Mapping[str, Method] = MappingProxyType({m.name: m for m in _ALL})
"""All methods by name."""


def method_named(name: str) -> Method:
    """The method of a name; UsageError for another one."""
    found = METHODS.get(name) if isinstance(name, str) else None
    if found is None:
        raise UsageError(f"method={name!r}; use one of {', '.join(METHODS)}")
    return found


def stable_with_any() -> str:
    """The methods that are stable with any equal steps, in words."""
    *names, last = (m.name for m in METHODS.values() if not m.adaptive and m.limit == inf)
    return f"{', '.join(names)} or {last}"
