"""USD as text: prims and their attributes, with doubles beside attributes in single precision.

UsdPhysics has masses, frames and bounds as single precision numbers, which other programs read. Where these lose digits of ours,
`gough:` and the attribute's own name hold the double, in a custom attribute that other programs leave alone; the reader takes it
as long as it rounds to what the standard attribute says.
"""

from typing import Any

import numpy as np

from gough.interchange.foreign import Placement
from gough.interchange.usd.doubles import PREFIX, shortest
from gough.spatial.rotation import quaternion_wxyz_from_rotation

DOUBLES = {"float": "double", "float3": "double3", "point3f": "double3", "vector3f": "double3", "quatf": "quatd"}
"""Types of attributes in single precision whose digits are kept, and those that keep them."""


class UsdText:
    """Lines of a layer, prim by prim."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.depth = 0

    def open(self, kind: str, name: str, apis: list[str] | None = None) -> None:
        """Begin a prim."""
        lead = "    " * self.depth
        listed = ", ".join(f'"{api}"' for api in apis or ())
        said = f" (\n{lead}    prepend apiSchemas = [{listed}]\n{lead})" if listed else ""
        self.lines += [f'{lead}def {kind} "{name}"{said}', f"{lead}{{"]
        self.depth += 1

    def close(self) -> None:
        """End it."""
        self.depth -= 1
        self.lines += ["    " * self.depth + "}", ""]

    def add(self, line: str) -> None:
        """A line of the prim that is open."""
        self.lines.append(f"{'    ' * self.depth}{line}")

    def say(self, what: str, value: Any) -> None:
        """An attribute, its type before its name; of a number (or several) in single precision the double beside it."""
        kind, _, name = what.rpartition(" ")
        if kind not in DOUBLES:
            self.add(f"{what} = {_spell(value)}")
            return
        exact = np.asarray(value, dtype=float)
        single = np.array([shortest(x) for x in exact.ravel()]).reshape(exact.shape)
        self.add(f"{what} = {_spell(single)}")
        if (single != exact).any():
            self.add(f"custom {DOUBLES[kind]} {PREFIX}{name} = {_spell(exact)}")

    def place(self, at: Placement) -> None:
        """Where a prim is in the one above it."""
        self.say("double3 xformOp:translate", at.position)
        self.say("quatd xformOp:orient", quaternion_wxyz_from_rotation(at.rotation))
        self.add('uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:orient"]')


def _spell(value: Any) -> str:
    if isinstance(value, list) and value and isinstance(value[0], tuple):
        return f"[{', '.join(_spell(x) for x in value)}]"
    numbers = np.asarray(value, dtype=float)
    if numbers.ndim == 0:
        number = float(numbers) + 0.0
        return str(int(number)) if number.is_integer() and abs(number) < 1e15 else repr(number)
    return f"({', '.join(_spell(x) for x in numbers)})"
