"""The parameter vector: every number of a design that equations use, with a name, a unit and its structural value."""

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise, repeat

import numpy as np

from gough.errors import PatternError, UsageError
from gough.frozen import FrozenDict
from gough.joints.springs import pushes_from
from gough.robot.item import nearest
from gough.scalar import FormulaNode, VariedNumber
from gough.scalar.slopes import STEP

ANGLE_TOLERANCE = 1e-12
"""An angle this close to a multiple of 90° is structure (rad)."""
UNIT_TOLERANCE = 1e-3
"""By how much the length of a quaternion may differ from 1; wide enough for differences in its entries."""


_OF_BODY = re.compile(r"(.+)\.(mass|m|inertia|cent(?:er|re)_of_mass|com)(?:[._]([xyz]{1,2}))?", re.IGNORECASE)
"""What people call the inertial parameters of a body, and a component."""
_INERTIA, _FIRST = ("XX", "XY", "XZ", "YY", "YZ", "ZZ"), ("MX", "MY", "MZ")


ABSCISSA = "abscissa"
"""Kind of the lengths or coordinates of a spring's table, which grow; its first one is the kind "abscissa first"."""
CABLE = "cable"
"""Kind of the coefficients of a spring that never pushes; its first one is the kind "cable first"."""
TURN = "turn"
"""Kind of the entries of a quaternion that places something; its first one is the kind "turn first"."""
FRICTION = ("viscous", "coulomb", "smoothing")
"""Coefficients of a joint's or drive's friction: kinds of parameters, and the last words of their names."""


@dataclass
class GrowingTable:
    """The table while a structure is built; positions never change."""

    names: list[str] = field(default_factory=list)
    units: list[str] = field(default_factory=list)
    values: list[float] = field(default_factory=list)
    kinds: list[str] = field(default_factory=list)
    formulas: dict[int, FormulaNode] = field(default_factory=dict)
    slopes: dict[int, float] = field(default_factory=dict)
    """{position: change per unit of a variable} of numbers that came with one (`gough.scalar.slopes`)."""

    def add(self, name: str, value: float, unit: str = "", kind: str = "") -> int:
        """Position of a new parameter."""
        self.names.append(name)
        self.units.append(unit)
        if isinstance(value, VariedNumber):
            self.formulas[len(self.values)] = value.node
        if isinstance(value, complex):
            self.slopes[len(self.values)] = value.imag / STEP
        self.values.append(float(value.real))
        self.kinds.append(kind)
        return len(self.names) - 1

    def add_all(
        self, name: str, suffixes: Iterable[str], values: Iterable[float], unit: str | Sequence[str]
    ) -> tuple[int, ...]:
        """Positions of a group of parameters `name.suffix`."""
        units = repeat(unit) if isinstance(unit, str) else unit
        return tuple(self.add(f"{name}.{s}", v, u) for s, v, u in zip(suffixes, values, units, strict=False))

    def add_friction(self, name: str, values: Sequence[float], units: Sequence[str]) -> tuple[int, ...]:
        """Positions of the coefficients FRICTION of a joint or drive."""
        rows = zip(FRICTION, values, units, strict=True)
        return tuple(self.add(f"{name}.friction.{kind}", value, unit, kind) for kind, value, unit in rows)

    def finish(self) -> "ParameterTable":
        """The table as it stays."""
        formulas = FrozenDict(self.formulas)
        return ParameterTable(tuple(self.names), tuple(self.units), tuple(self.values), tuple(self.kinds), formulas)


@dataclass(frozen=True)
class ParameterTable:
    """Names, units and values of the parameters of a design."""

    names: tuple[str, ...]
    units: tuple[str, ...]
    values: tuple[float, ...]
    kinds: tuple[str, ...]
    """What a parameter is, where somebody asks: "mass", "viscous", "coulomb", "smoothing", else ""."""
    formulas: Mapping[int, FormulaNode] = field(default_factory=FrozenDict)
    """{position: formula of the description's variables} of those that follow variables; they are never structure."""

    def of_kind(self, kind: str) -> list[int]:
        """Positions of the parameters of a kind; "friction" stands for all its coefficients."""
        wanted = FRICTION if kind == "friction" else (kind,)
        return [i for i, known in enumerate(self.kinds) if known in wanted]

    def structural(self, free: Sequence[str] = ()) -> dict[int, float]:
        """{position: exact value} of the parameters that are structure: exact zeros and multiples of 90°.

        `free` lists names (or prefixes ending in "*") that stay inputs.
        """
        for name in free:
            if not any(_matches(name, n) for n in self.names):
                raise UsageError(f"free={name!r} names no parameter; `gough show ROBOT --parameters` lists them")
        pattern = {}
        for i, (name, unit, value) in enumerate(zip(self.names, self.units, self.values, strict=True)):
            if i in self.formulas or any(_matches(f, name) for f in free):
                continue
            exact = structural_value(value, unit)
            if exact is not None:
                pattern[i] = exact
        return pattern

    def even(self, pattern: dict[int, float]) -> dict[int, float]:
        """Structural zeros that results depend on evenly: folded, their derivative is 0 and right (friction smoothing)."""
        return {i: x for i, x in pattern.items() if self.kinds[i] == "smoothing"}

    def check(self, values: np.ndarray, pattern: dict[int, float]) -> None:
        """Refuse parameter arrays (..., n) that differ from the structural values a program was compiled with, or have a negative
        mass."""
        self.guard(pattern)(values)

    def meant_by(self, name: str) -> str:
        """What to use in the place of a name that no parameter has; words for inertial parameters are known."""
        found = _OF_BODY.fullmatch(name)
        if found is None:
            return nearest(name, list(self.names))
        body, word, part = found[1], found[2].lower(), (found[3] or "").upper()
        if word in ("mass", "m"):
            return nearest(f"{body}.M", list(self.names))
        kinds, what = (_INERTIA, "about the body's origin") if word == "inertia" else (_FIRST, "mass × centre of mass")
        known = [f"{body}.{kind}" for kind in kinds if f"{body}.{kind}" in self.names and kind.endswith(part)]
        return f"{', '.join(map(repr, known))} ({what})" if known else nearest(name, list(self.names))

    def check_numbers(self, values: np.ndarray) -> None:
        """Refuse parameter arrays (..., n) with numbers that cannot be."""
        self.check_masses(values)
        if len(self.growing[0]):
            self.check_springs(values)
        if self.cables:
            self.check_cables(values)
        if self.turns:
            self.check_turns(values)

    def check_masses(self, values: np.ndarray) -> None:
        """Refuse parameter arrays (..., n) with a mass below zero."""
        places = self._masses
        masses = values[..., places]
        if (masses < 0).any():
            least = masses.reshape(-1, len(places)).min(axis=0)
            k = int(np.argmin(np.where(least < 0, least, np.inf)))
            raise UsageError(f"{self.names[places[k]]} = {least[k]:g} kg: a mass is not negative")

    def check_springs(self, values: np.ndarray) -> None:
        """Refuse parameter arrays (..., n) in which the table of a spring does not grow."""
        first, second = self.growing
        grown = values[..., second] > values[..., first]
        if not grown.all():
            k = int(np.argmin(grown.reshape(-1, len(second)).all(axis=0)))
            raise UsageError(
                f"{self.names[second[k]]} is not above {self.names[first[k]]}: the table of a spring grows from point to point"
            )

    def check_cables(self, values: np.ndarray) -> None:
        """Refuse parameter arrays (..., n) in which the polynomial of a one-sided spring turns negative above rest."""
        for own in self.cables:
            terms = values[..., own].reshape(-1, len(own))
            for c in np.unique(terms[(terms < 0).any(axis=1)], axis=0):
                pushed = pushes_from(c)
                if pushed is not None:
                    name = self.names[own[0]].removesuffix(".c1")
                    raise UsageError(
                        f"{name} = 0, {', '.join(f'{x:g}' for x in c)} is below 0 from {pushed:.6g} above rest on: a spring with "
                        "tension_only never pushes"
                    )

    def check_turns(self, values: np.ndarray) -> None:
        """Refuse parameter arrays (..., n) with a quaternion that is none; those nearly of length 1 are scaled when used."""
        for own in self.turns:
            length = np.linalg.norm(values[..., own], axis=-1)
            off = ~(np.abs(length - 1.0) <= UNIT_TOLERANCE)
            if off.any():
                raise UsageError(
                    f"{self.names[own[0]]} and the three after it are a quaternion of length {np.ravel(length[off])[0]:.6g} "
                    "instead of 1. They follow variables: change those, parameters_with(variables={…}), or give all four"
                )

    @cached_property
    def cables(self) -> list[list[int]]:
        """Positions of the coefficients of every one-sided polynomial."""
        return self._groups(CABLE)

    @cached_property
    def turns(self) -> list[list[int]]:
        """Positions of the entries of every quaternion that places something."""
        return self._groups(TURN)

    def _groups(self, kind: str) -> list[list[int]]:
        """Positions of the parameters of a kind, in the groups that begin with its first one."""
        own = [i for i, known in enumerate(self.kinds) if known.startswith(kind)]
        firsts = [k for k, i in enumerate(own) if self.kinds[i] != kind]
        return [own[a:b] for a, b in pairwise([*firsts, len(own)])]

    @cached_property
    def growing(self) -> tuple[np.ndarray, np.ndarray]:
        """(positions, positions of the ones after them) of the abscissae of tables."""
        own = [i for i, kind in enumerate(self.kinds) if kind.startswith(ABSCISSA)]
        pairs = [(a, b) for a, b in pairwise(own) if self.kinds[b] == ABSCISSA]
        return np.array([a for a, _ in pairs], dtype=int), np.array([b for _, b in pairs], dtype=int)

    @cached_property
    def _masses(self) -> np.ndarray:
        return np.array(self.of_kind("mass"), dtype=int)

    def guard(self, pattern: dict[int, float]) -> Callable[[np.ndarray], None]:
        """`check` for one pattern, made ready."""
        names, n = self.names, len(self.names)
        where = np.fromiter(pattern, dtype=int, count=len(pattern))
        exact = np.array([pattern[int(i)] for i in where])
        allowed = ANGLE_TOLERANCE * np.array([self.units[int(i)] == "rad" for i in where])
        whole, free = np.zeros(n), np.ones(n, dtype=bool)
        whole[where], free[where] = exact, False

        def check(values: np.ndarray) -> None:
            if values.shape[-1:] != (n,):
                raise UsageError(f"parameters has shape {values.shape}; expected (..., {n})")
            self.check_numbers(values)
            if ((values == whole) | free).all():  # the usual case, without picking columns
                return
            wrong = ~(np.abs(values[..., where] - exact) <= allowed)  # NaN is wrong too
            if wrong.any():
                found = [names[i] for i in where[wrong.reshape(-1, len(where)).any(axis=0)]]
                shown = ", ".join(found[:6]) + (" …" if len(found) > 6 else "")
                raise PatternError(
                    f"these parameters are structural zeros (or right angles) of this model and may not change: {shown}. "
                    f"Build it with gough.build(robot, free={found[:6]!r}) to keep them as inputs."
                )

        return check


def structural_value(value: float, unit: str) -> float | None:
    """The exact structural value of a number, or None when it is a plain input."""
    if unit == "rad":
        quarter = round(value / (math.pi / 2))
        return quarter * (math.pi / 2) if abs(value - quarter * (math.pi / 2)) <= ANGLE_TOLERANCE else None
    return 0.0 if value == 0.0 else None


def _matches(pattern: str, name: str) -> bool:
    return name.startswith(pattern[:-1]) if pattern.endswith("*") else name == pattern
