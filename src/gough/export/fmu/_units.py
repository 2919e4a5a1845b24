"""Units as the standard wants them: exponents of SI base units."""

import re

BASE = ("kg", "m", "s", "rad")
DERIVED: dict[str, dict[str, int]] = {
    "N": {"kg": 1, "m": 1, "s": -2},
    "J": {"kg": 1, "m": 2, "s": -2},
    "W": {"kg": 1, "m": 2, "s": -3},
    "Pa": {"kg": 1, "m": -1, "s": -2},
    "Hz": {"s": -1},
}
PART = re.compile(r"([A-Za-z]+)\^?(-?[0-9]+)?$")


def exponents(unit: str) -> dict[str, int] | None:
    """{base unit: exponent} of a unit like "N m", "kg m2" or "rad/s"; {} of a pure number, None of what is no such unit."""
    out: dict[str, int] = {}
    sign = 1
    for half in unit.split("/"):
        for word in half.replace("*", " ").split():
            if word == "1":
                continue
            found = PART.match(word)
            if found is None or found[1] not in (*BASE, *DERIVED):
                return None
            power = sign * int(found[2] or 1)
            for base, own in DERIVED.get(found[1], {found[1]: 1}).items():
                out[base] = out.get(base, 0) + power * own
        sign = -1
    return {base: out[base] for base in BASE if out.get(base)}
