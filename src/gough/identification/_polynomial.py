"""Polynomials of a design's numbers, with which combinations of parameters are written as people read them."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

import numpy as np

SMALL = 1e-13
"""A coefficient that is rounding."""
Product = tuple[tuple[str, int], ...]
"""((name, power), …), by name; powers may be negative."""


class Polynomial:
    """A sum of products of named numbers, {product: factor}. sin(x)² is written 1 - cos(x)², so that equal ones look equal."""

    __slots__ = ("terms",)

    def __init__(self, terms: Mapping[Product, float]) -> None:
        self.terms = {names: x for names, x in terms.items() if abs(x) > SMALL}

    @staticmethod
    def of(value: "Polynomial | float") -> "Polynomial":
        """A number as a polynomial."""
        return value if isinstance(value, Polynomial) else Polynomial({(): float(value)})

    @staticmethod
    def of_name(name: str) -> "Polynomial":
        """One number by its name."""
        return Polynomial({((name, 1),): 1.0})

    @property
    def constant(self) -> float | None:
        """Its value, where it depends on nothing."""
        return None if any(self.terms) else self.terms.get((), 0.0)

    @property
    def degree(self) -> int:
        """How many numbers its longest product has."""
        return max((sum(abs(n) for _, n in names) for names in self.terms), default=0)

    @property
    def reciprocal(self) -> "Polynomial | None":
        """1 over it, where it is a single product."""
        if len(self.terms) != 1:
            return None
        [(names, x)] = self.terms.items()
        return Polynomial({tuple((name, -n) for name, n in names): 1.0 / x})

    def __bool__(self) -> bool:
        return bool(self.terms)

    def __add__(self, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented
        total = defaultdict(float, self.terms)
        for names, x in Polynomial.of(other).terms.items():
            total[names] += x
        return Polynomial(total)

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented
        total: defaultdict[Product, float] = defaultdict(float)
        for a, x in self.terms.items():
            for b, y in Polynomial.of(other).terms.items():
                for names, factor in _multiply(a, b):
                    total[names] += x * y * factor
        return Polynomial(total)

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self) -> "Polynomial":
        return Polynomial({names: -x for names, x in self.terms.items()})

    def __sub__(self, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented
        return self + -Polynomial.of(other)

    def __rsub__(self, other: float) -> "Polynomial":
        return -self + other

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Polynomial | float | int) and not (self - other).terms

    __hash__ = None  # type: ignore[assignment]

    def value(self, numbers: Mapping[str, float]) -> float:
        """Its value where its names are these numbers."""
        total = 0.0
        for names, x in self.terms.items():
            for name, n in names:
                x *= numbers[name] ** n
            total += x
        return total

    def __str__(self) -> str:
        return join_terms([(x, show_product(names)) for names, x in sorted(self.terms.items())])


def join_terms(terms: list[tuple[float, str]]) -> str:
    """Factors and what they stand before as a sum: 'a - 2 b'."""
    out = ""
    for x, what in terms:
        size = abs(x)
        factor = "" if what and abs(size - 1.0) < SMALL else f"{size:.6g}"
        text = factor + what[1:] if factor and what.startswith("1/") else f"{factor} {what}".strip()
        out += text if not out and x > 0 else f"-{text}" if not out else f" {'+' if x > 0 else '-'} {text}"
    return out or "0"


def show_product(names: Product) -> str:
    """((a, 2), (b, -1)): 'a^2/b'."""
    above = [name if n == 1 else f"{name}^{n}" for name, n in names if n > 0]
    below = [name if n == -1 else f"{name}^{-n}" for name, n in names if n < 0]
    if not below:
        return " ".join(above)
    return f"{' '.join(above) or '1'}/{below[0] if len(below) == 1 else '(' + ' '.join(below) + ')'}"


def _multiply(a: Product, b: Product) -> list[tuple[Product, float]]:
    powers = dict(a)
    for name, n in b:
        powers[name] = powers.get(name, 0) + n
    return _without_squared_sines({name: n for name, n in powers.items() if n})


def _without_squared_sines(powers: dict[str, int]) -> list[tuple[Product, float]]:
    squared = next((name for name, n in powers.items() if n > 1 and name.startswith("sin(")), None)
    if squared is None:
        return [(tuple(sorted(powers.items())), 1.0)]
    cosine = squared.replace("sin(", "cos(", 1)
    rest = {name: n - 2 * (name == squared) for name, n in powers.items()}
    rest = {name: n for name, n in rest.items() if n}
    turned = rest | {cosine: rest.get(cosine, 0) + 2}
    turned = {name: n for name, n in turned.items() if n}
    return [*_without_squared_sines(rest), *((names, -x) for names, x in _without_squared_sines(turned))]
