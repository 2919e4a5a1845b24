"""How much memory building a flexible body may take; asked before it is taken."""

import os

import numpy as np

from gough.errors import UsageError

VARIABLE = "GOUGH_FEM_MEMORY"
DEFAULT = 2e9


def limit() -> float:
    """Bytes that one body may take while it is built: GOUGH_FEM_MEMORY (GB), default 2."""
    said = os.environ.get(VARIABLE)
    if said is None:
        return DEFAULT
    try:
        value = float(said)
    except ValueError:
        value = 0.0
    if not 0.0 < value < 1e6:
        raise UsageError(f"{VARIABLE}={said!r}: expected a positive number of GB, for instance {VARIABLE}=8")
    return value * 1e9


def demand(size: float, what: str, remedy: str) -> None:
    """Refuse what would take more than the limit; size (bytes) is an estimate."""
    allowed = limit()
    if not size <= allowed:
        raise UsageError(
            f"{what} would take about {size / 1e9:.3g} GB of memory; a flexible body may take {allowed / 1e9:.3g} GB. Remedy: "
            f"{remedy}; or raise the limit: environment variable {VARIABLE}={max(1.0, np.ceil(1.2 * size / 1e9)):.0f} (GB)"
        )
