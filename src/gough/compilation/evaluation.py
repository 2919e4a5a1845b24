"""The outcome of one call of a function."""

import math

import numpy as np

from gough.errors import GOOD
from gough.text import show_entry


class Evaluation:
    """Outputs of one call: arrays (*batch, *shape) by name, and which states are bad.

    bad (k,): indices over the flattened batch; failed (k,): the `Failure` of each of them. held: where the
    outputs are derivatives, the inputs that stay as they are.
    """

    __slots__ = ("bad", "batch", "failed", "held", "outputs")

    def __init__(
        self,
        outputs: dict[str, np.ndarray],
        bad: np.ndarray,
        failed: np.ndarray,
        batch: tuple[int, ...],
        held: tuple[str, ...] = (),
    ) -> None:
        self.outputs = outputs
        self.bad = bad
        self.failed = failed
        self.batch = batch
        self.held = held

    def blame(self, earlier: "Evaluation") -> "Evaluation":
        """The same outputs, with the failures of a call whose outputs were inputs of this one where it has any."""
        first = np.broadcast_to(earlier.failures.reshape(earlier.batch), self.batch).reshape(-1)
        failures = np.where(first != GOOD, first, self.failures)
        bad = np.flatnonzero(failures != GOOD)
        return Evaluation(self.outputs, bad, failures[bad], self.batch, self.held)

    def group_last(self) -> "Evaluation":
        """The same outputs, the states of the batch's last axis counted as one: it fails as the first of them that does."""
        failures = self.failures.reshape(self.batch)
        which = np.argmax(failures != GOOD, axis=-1)
        first = np.take_along_axis(failures, which[..., None], axis=-1).reshape(-1)
        bad = np.flatnonzero(first != GOOD)
        return Evaluation(self.outputs, bad, first[bad], self.batch[:-1], self.held)

    @property
    def good(self) -> bool:
        """True when no state is bad."""
        return not len(self.bad)

    @property
    def failures(self) -> np.ndarray:
        """The `Failure` of every state (n,), GOOD where there is none."""
        failures = np.full(math.prod(self.batch), GOOD, dtype=object)
        failures[self.bad] = self.failed
        return failures

    @property
    def names(self) -> np.ndarray:
        """Texts of `failures` (n,), "singular:drives", "" where a state is good."""
        return np.array([str(failure) for failure in self.failures], dtype=object)

    @property
    def status(self) -> np.ndarray:
        """Codes as in the results of model calls: `codes`."""
        return self.codes

    def __repr__(self) -> str:
        outputs = ", ".join(f"{name}={show_entry(x)}" for name, x in self.outputs.items())
        count = math.prod(self.batch)
        state = "1 state" if count == 1 else f"{count} states"
        kinds = sorted({str(failure) for failure in self.failed})
        bad = f"{len(self.bad)} bad ({', '.join(kinds[:3])}{', …' if len(kinds) > 3 else ''})" if kinds else "all good"
        return f"<Evaluation of {state}, {bad}: {outputs}>"

    @property
    def codes(self) -> np.ndarray:
        """Status code of every state, of the batch's shape."""
        codes = np.zeros(math.prod(self.batch), dtype=np.uint8)
        codes[self.bad] = [failure.status for failure in self.failed]
        return codes.reshape(self.batch)
