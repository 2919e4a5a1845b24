"""The family of methods of integration: a new one is a file beside this one and its line here."""

from collections.abc import Iterator, Mapping
from importlib import import_module
from math import inf
from typing import TYPE_CHECKING

from gough.errors import UsageError

if TYPE_CHECKING:
    from gough.simulation.integration.method import Method

FILES = {
    "dp5": "dp5",
    "bs3": "bs3",
    "cvode": "cvode",
    "cvode_bdf": "cvode",
    "rk4": "rk4",
    "leapfrog": "leapfrog",
    "esdirk4": "esdirk4",
    "generalised_alpha": "generalised_alpha",
    "sdirk2": "sdirk2",
}
"""All methods, in the order they are told, and the files they stand in, each under its name in capitals."""


class _Methods(Mapping[str, "Method"]):
    """A method is loaded when it is first asked for: commands list the names before anything runs."""

    def __getitem__(self, name: str) -> "Method":
        return getattr(import_module(f"{__name__}.{FILES[name]}"), name.upper())

    def __iter__(self) -> Iterator[str]:
        return iter(FILES)

    def __len__(self) -> int:
        return len(FILES)


METHODS: Mapping[str, "Method"] = _Methods()
"""All methods by name."""


def method_named(name: str) -> "Method":
    """The method of a name; UsageError for another one."""
    found = METHODS.get(name) if isinstance(name, str) else None
    if found is None:
        raise UsageError(f"method={name!r}; use one of {', '.join(METHODS)}")
    return found


def stable_with_any() -> str:
    """The methods that are stable with any equal steps, in words."""
    *names, last = (m.name for m in METHODS.values() if not m.adaptive and m.limit == inf)
    return f"{', '.join(names)} or {last}"
