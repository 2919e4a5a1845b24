"""What a function of a robot costs: operations, seconds to derive and compile it, microseconds a state."""

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from gough.compilation import Model

TIMED_STATES = 20_000


@dataclass(frozen=True)
class Cost:
    """microseconds: of a state in a batch of TIMED_STATES, all threads."""

    operations: int
    derive_s: float
    compile_s: float
    microseconds: float

    @property
    def cells(self) -> tuple[str, ...]:
        """In print."""
        return (str(self.operations), *(f"{x:.2f}" for x in (self.derive_s, self.compile_s, self.microseconds)))


HEAD = ("operations", "derive s", "compile s", "µs/state")


def cost(model: "Model", name: str, q: Any = None, v: Any = None, given: Any = None) -> Cost:
    """Of inverse or forward dynamics at states q, v, given (accelerations or forces), home at rest where left out."""
    begin = time.perf_counter()
    function = model.function(name)
    operations = model.count(name).operations
    derived = time.perf_counter()
    function.compile()
    compiled = time.perf_counter()
    layout = model.layout
    rest = (model.home, np.zeros(layout.nv), np.zeros(len(layout.drive_names)))  # as many drives as freedoms
    many = [_many(np.atleast_2d(r if x is None else x)) for x, r in zip((q, v, given), rest, strict=True)]
    call = getattr(model, name)
    times = []
    for _ in range(5):
        start = time.perf_counter()
        call(*many)
        times.append(time.perf_counter() - start)
    return Cost(operations, derived - begin, compiled - derived, 1e6 * min(times) / TIMED_STATES)


def _many(rows: np.ndarray) -> np.ndarray:
    return rows[np.resize(np.arange(len(rows)), TIMED_STATES)]
