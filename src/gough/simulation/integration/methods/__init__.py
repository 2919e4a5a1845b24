"""The family of methods of integration: a new one is a file beside this one and its line here."""

from collections.abc import Mapping
from math import inf
from types import MappingProxyType

from gough.errors import UsageError
from gough.simulation.integration.method import Method
from gough.simulation.integration.methods.bs3 import BS3
from gough.simulation.integration.methods.cvode import CVODE, CVODE_BDF
from gough.simulation.integration.methods.dp5 import DP5
from gough.simulation.integration.methods.esdirk4 import ESDIRK4
from gough.simulation.integration.methods.generalised_alpha import GENERALISED_ALPHA
from gough.simulation.integration.methods.leapfrog import LEAPFROG
from gough.simulation.integration.methods.rk4 import RK4
from gough.simulation.integration.methods.sdirk2 import SDIRK2

ALL = (
    DP5,
    BS3,
    CVODE,
    CVODE_BDF,
    RK4,
    LEAPFROG,
    ESDIRK4,
    GENERALISED_ALPHA,
    SDIRK2,
)
"""All methods, in the order they are told."""
METHODS: Mapping[str, Method] = MappingProxyType({m.name: m for m in ALL})
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
