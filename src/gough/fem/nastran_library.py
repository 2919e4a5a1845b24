"""pyNastran, loaded late."""

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from gough.errors import UsageError
from gough.fem.reading import regular_file, shortened

DROPPED = "in1d"
GROWS = 10
"""Memory that pyNastran takes, a byte of a file."""
REMEDY = (
    "this needs pyNastran: pip install --no-deps pyNastran cpylog docopt-ng (without --no-deps its release 1.4.1 asks for an "
    "older numpy than gough's). Or write modal data as NPZ, or matrices as DMIG, with a table of nodes"
)


def pynastran(module: str) -> Any:
    """A module of pyNastran, or an error with the remedy."""
    try:
        with _names_numpy_dropped():
            return importlib.import_module(module)
    except ImportError as failure:
        raise UsageError(f"{REMEDY} ({failure})") from None
    except AttributeError as failure:
        raise UsageError(
            f"the pyNastran installed does not work with numpy {np.__version__} ({failure}); {REMEDY}"
        ) from None


@contextmanager
def _names_numpy_dropped() -> Iterator[None]:
    """pyNastran 1.4.1 takes `numpy.in1d` while it is imported, which numpy 2.4 no longer has; its successor is `isin`."""
    if hasattr(np, DROPPED):
        yield
        return
    setattr(np, DROPPED, np.isin)
    try:
        yield
    finally:
        delattr(np, DROPPED)


def read_by(module: str, function: str, path: str | Path, **options: Any) -> Any:
    """What a reader of pyNastran makes of a file; its failures name the file."""
    regular_file(path, GROWS)
    reader = getattr(pynastran(module), function)
    try:
        return reader(str(path), debug=None, **options)
    except Exception as failure:  # its readers raise errors of every kind
        raise UsageError(
            f"{path} cannot be read by pyNastran: {type(failure).__name__}: {shortened(str(failure))}"
        ) from failure
