"""Models of gallery mechanisms, each built once a process; a warning about one is an error."""

from __future__ import annotations

import warnings
from functools import cache

import gough


@cache
def model(name: str) -> gough.Model:
    """The model of a gallery robot."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return gough.build(name)
