"""Compares descriptions number by number."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel


def assert_alike(ours: Any, theirs: Any, place: str = "") -> None:
    """Same structure and texts, numbers to rounding; sources are left aside."""
    if isinstance(ours, BaseModel):
        assert type(ours) is type(theirs), place
        ours, theirs = ({k: getattr(x, k) for k in type(x).model_fields if k != "source"} for x in (ours, theirs))
    if isinstance(ours, dict):
        assert list(ours) == list(theirs), place
        for key in ours:
            assert_alike(ours[key], theirs[key], f"{place}.{key}")
    elif isinstance(ours, tuple | list):
        assert len(ours) == len(theirs), place
        for k, (a, b) in enumerate(zip(ours, theirs, strict=True)):
            assert_alike(a, b, f"{place}[{k}]")
    elif isinstance(ours, float):
        assert ours == pytest.approx(theirs, rel=1e-6, abs=1e-6), place
    else:
        assert ours == theirs, place
