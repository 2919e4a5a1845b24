"""A wrench as a function of time: recorded once on traced scalars, a part of the compiled loop from then on."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from gough.arguments import number, take
from gough.errors import UsageError
from gough.program import Program, Slot, trace
from gough.program.interpreter import evaluate
from gough.simulation._formulas import digest_of, foreign_to_formulas
from gough.simulation.loads.load import WRENCH, TimeLoad

Vector = np.ndarray
LOOKS = (0.0, 0.137, 1.91, 23.4)
"""Times (s) at which the record is compared with the function."""
CLOSE = 1e-9


@dataclass(frozen=True, eq=False)
class Formula(TimeLoad):
    """function: of the time (s), gives six numbers; a formula in t: no `if` on t, nothing read but numbers, arrays, NumPy,
    `gough.scalar` and functions of that kind. highest (Hz): highest frequency in it, where there is one, to be told steps that
    are too long."""

    function: Callable[[Any], Any] = field(repr=False)
    highest: float = 0.0
    name: ClassVar[str] = "formula"

    def __post_init__(self) -> None:
        object.__setattr__(self, "highest", take("formula: highest (Hz)", number(0), self.highest))
        why = foreign_to_formulas(self.function)
        if why:
            raise self._refusal(why)
        try:
            first, second = self._record(), self._record()
        except Exception as problem:
            raise self._refusal(f"it does more than a formula does ({type(problem).__name__}: {problem})") from problem
        if digest_of(first) != digest_of(second):
            raise self._refusal("it is another formula every time")
        for t in LOOKS:
            try:
                wanted = np.asarray(self.function(t), dtype=float)
            except Exception as problem:
                raise UsageError(f"formula: at t = {t:g} s it fails ({type(problem).__name__}: {problem})") from problem
            found = evaluate(first, {"t": np.array([t])})["w"]
            if wanted.shape != (6,) or not np.isfinite(wanted).all():
                raise UsageError(
                    f"formula: at t = {t:g} s it gives {wanted.tolist()}; give six finite numbers ({WRENCH})"
                )
            if not np.abs(found - wanted).max() <= CLOSE * max(1e-300, np.abs(wanted).max()):
                raise self._refusal(f"at t = {t:g} s it gives other numbers than its formula")

    @staticmethod
    def _refusal(why: str) -> UsageError:
        return UsageError(
            f"formula: {why}; write it as a formula of t alone (gough.scalar.select for branches), or give its values at times: "
            "gough.loads.Series(times, wrenches)"
        )

    def _record(self) -> Program:
        return trace(lambda t: {"w": np.asarray(self.function(t[0]), dtype=object)}, (Slot("t", (1,)),), "load")

    @cached_property
    def _digest(self) -> Hashable:
        return digest_of(self._record())

    @property
    def structure(self) -> Hashable:
        """See `TimeLoad`."""
        return self._digest

    @property
    def fastest(self) -> float:
        """See `TimeLoad`."""
        return self.highest

    def numbers(self, t: float, run: int) -> Vector:
        """See `TimeLoad`: none."""
        return np.zeros(0)

    def at(self, t: Any, numbers: Vector) -> Vector:
        """See `TimeLoad`."""
        return np.asarray(self.function(t), dtype=object)

    def describe(self) -> dict[str, Any]:
        """See `TimeLoad`."""
        return {
            "load": self.name,
            "function": getattr(self.function, "__name__", "function"),
            "formula": str(self._digest),
        }
