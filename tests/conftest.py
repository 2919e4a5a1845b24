"""What every test shares: reproducible randomness, hypothesis profiles, a matplotlib without a window."""

import gc
import os
import sys
import zlib
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import settings

from reference.limits import turn_limits

os.environ.setdefault("MPLBACKEND", "Agg")
# Kept even where the surroundings keep none: each worker and each `gough` of a test would compile all modules anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# No deadline: the first example of a model compiles it.
settings.register_profile("default", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "default")


def pytest_collection_finish() -> None:
    """What collecting made stays until the end: the garbage collector need not look at it again."""
    gc.collect()
    gc.freeze()


@pytest.fixture
def rng(request: pytest.FixtureRequest) -> np.random.Generator:
    """Random numbers that depend on the test's name only."""
    return np.random.default_rng(zlib.crc32(request.node.nodeid.encode()))


@pytest.fixture
def limits(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Turns inner limits for one test: `limits(newton_columns=0)`, see `reference.limits`."""
    return turn_limits(monkeypatch)
