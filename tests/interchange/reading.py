"""Texts as files, read with what is said about them kept apart."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest

import gough
from gough.interchange import ConversionWarning
from gough.robot import DescriptionError


def saved(folder: Path, text: str, name: str = "") -> Path:
    """The file with this text; without a name one that its first words ask for."""
    file = folder / (name or ("robot.usda" if text.startswith("#usda") else "robot.sdf"))
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file


def read_quietly(file: Path, **options: Any) -> Any:
    """The robot, without remarks."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConversionWarning)
        return gough.load(file, **options)


def refusals(file: Path, **options: Any) -> str:
    """What is refused, a line each."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(DescriptionError) as caught:
            gough.load(file, **options)
    return str(caught.value)


def remarks(file: Path, **options: Any) -> str:
    """What is left out, a line each."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        gough.load(file, **options)
    return "\n".join(str(w.message) for w in caught if w.category is ConversionWarning)
