"""Files with damage of every kind."""

from collections.abc import Iterator

import numpy as np


def mutants(data: bytes, count: int, seed: int) -> Iterator[bytes]:
    """Bits and bytes changed, ends cut off, pieces lost, put in, blanked and moved."""
    rng = np.random.default_rng(seed)
    for k in range(count):
        found = bytearray(data)
        i, j, n = int(rng.integers(len(data))), int(rng.integers(len(data))), int(rng.integers(1, 200))
        if k % 7 == 0:
            found[i] ^= 1 << int(rng.integers(8))
        elif k % 7 == 1:
            found[i] = int(rng.integers(256))
        elif k % 7 == 2:
            del found[i:]
        elif k % 7 == 3:
            del found[i : i + n]
        elif k % 7 == 4:
            found[i:i] = rng.bytes(n)
        elif k % 7 == 5:
            found[i : i + n] = bytes(len(found[i : i + n]))
        else:
            found[i : i + n] = found[j : j + n]
        yield bytes(found)
