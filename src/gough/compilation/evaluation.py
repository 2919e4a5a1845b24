"""The outcome of one call of a function."""

import math

import numpy as np

from gough.compilation.status import status_of


class Evaluation:
    """Outputs of one call: arrays (*batch, *shape) by name, and which states are bad.

    bad (k,): indices over the flattened batch; failed (k,): the check each of them fails, "status:place". held: where the
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
    def names(self) -> np.ndarray:
        """The failed check of every state (n,), "" where it is good."""
        names = np.full(math.prod(self.batch), "", dtype=object)
        names[self.bad] = self.failed
        return names

    @property
    def codes(self) -> np.ndarray:
        """Status code of every state, of the batch's shape."""
        codes = np.zeros(math.prod(self.batch), dtype=np.uint8)
        codes[self.bad] = [status_of(str(name)) for name in self.failed]
        return codes.reshape(self.batch)
