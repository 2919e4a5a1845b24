"""What a function asks of its slot "parameters": names and numbers of a design, and which arrays may stand for them."""

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np


class DesignTable(Protocol):
    """A design's parameters, as whoever makes functions has them (`structure.ParameterTable`)."""

    @property
    def names(self) -> Sequence[str]:
        """One for each entry."""
        ...

    @property
    def values(self) -> Sequence[float]:
        """The design's numbers."""
        ...

    def check(self, values: np.ndarray, pattern: dict[int, float]) -> None:
        """Raise when the array does not have the numbers that were folded."""
        ...

    def guard(self, pattern: dict[int, float]) -> Callable[[np.ndarray], None]:
        """`check` for one pattern, made ready."""
        ...

    def even(self, pattern: dict[int, float]) -> dict[int, float]:
        """Those of the folded numbers that results depend on evenly."""
        ...
