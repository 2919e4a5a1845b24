"""Slots by the names they had: taken for one version, with a warning that says the new ones.

"force" was the end of "wrench", or all of it where there is no platform; "vdot" was called "acceleration", as the shorter
vector of the rigid freedoms still is.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from gough.compilation.arrays import checked_numbers
from gough.errors import warn_deprecated
from gough.program import Program
from gough.program.inputs import CHANGE

RENAMED = {"acceleration": "vdot", "wrench": "force"}


def current_names(program: Program, names: tuple[str, ...]) -> tuple[str, ...]:
    """Names of slots, old ones that the program does not have replaced."""
    slots = {s.name for s in program.inputs}
    return tuple(name if name in slots else _renamed(program, name, slots) for name in names)


def current_inputs(program: Program, inputs: Mapping[str, Any]) -> Mapping[str, Any]:
    """Inputs by slot, old names replaced and old vectors split; asked for only where names are not those of the program."""
    slots, found = {s.name: s.size for s in program.inputs}, {}
    for name, value in inputs.items():
        new = _new_name(name)
        if name not in slots:
            found[_renamed(program, name, slots.keys() - inputs.keys())] = value
        elif new in slots and new not in inputs and np.shape(value)[-1:] == (slots[name] + slots[new],):
            text = f"{program.name}: {name!r} is split now: give {name!r} ({slots[name]}) and {new!r} ({slots[new]})"
            warn_deprecated(text, leaves="0.3")
            both = checked_numbers(name, value)
            found[name], found[new] = both[..., : slots[name]], both[..., slots[name] :]
        else:
            found[name] = value
    return found


def _new_name(name: str) -> str:
    plain = name.removeprefix(CHANGE)
    return (CHANGE if name != plain else "") + RENAMED.get(plain, "")


def _renamed(program: Program, name: str, free: set[str]) -> str:
    """The new name, where it is that of a free slot."""
    new = _new_name(name)
    if new not in free:
        return name
    warn_deprecated(f"{program.name}: the slot {name!r} is called {new!r} now", leaves="0.3")
    return new
