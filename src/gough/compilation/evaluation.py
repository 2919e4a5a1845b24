"""The outcome of one call of a function."""

import math

import numpy as np

from gough.errors import GOOD


class Evaluation:
    """Outputs of one call: arrays (*batch, *shape) by name, and which states are bad.

    bad (k,): indices over the flattened batch; failed (k,): the `Failure` of each of them. held: where the
    outputs are derivatives, the inputs that stay as they are.
    """

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
    def codes(self) -> np.ndarray:
        """Status code of every state, of the batch's shape."""
        codes = np.zeros(math.prod(self.batch), dtype=np.uint8)
        codes[self.bad] = [failure.status for failure in self.failed]
        return codes.reshape(self.batch)
