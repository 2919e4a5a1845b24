"""What is deprecated says in which version it leaves, works until then, and is gone by then."""

import ast
import re
import warnings
from pathlib import Path

import pytest

import gough
from gough import fem
from gough.errors import warn_deprecated

SOURCES = Path(__file__).resolve().parents[2] / "src"
OWN = SOURCES / "gough" / "errors.py"


def version(text: str) -> tuple[int, int]:
    """(0, 2) of "0.2.0"."""
    major, minor = re.findall(r"\d+", text)[:2]
    return int(major), int(minor)


def deprecations() -> list[tuple[str, str]]:
    """(place, version that drops it) of all calls of `warn_deprecated`."""
    found = []
    for path in SOURCES.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if path == OWN or "eprecat" not in text:
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "warn_deprecated":
                [leaves] = [key.value for key in node.keywords if key.arg == "leaves"]
                assert isinstance(leaves, ast.Constant), "the version is written out"
                found.append((f"{path.relative_to(SOURCES)}:{node.lineno}", str(leaves.value)))
    return found


def test_nothing_stays_longer_than_it_was_told() -> None:
    late = [place for place, leaves in deprecations() if version(leaves) <= version(gough.__version__)]
    assert not late, f"take these out, and say so in CHANGELOG.md under Removed: {late}"


def test_there_is_one_way_to_deprecate() -> None:
    """No other code says `DeprecationWarning`."""
    others = [p for p in SOURCES.rglob("*.py") if p != OWN and "DeprecationWarning" in p.read_text(encoding="utf-8")]
    assert not others


def test_the_warning_says_what_to_write_and_when_the_old_way_leaves_at_the_line_of_the_user() -> None:
    with pytest.warns(
        DeprecationWarning, match=r"mass is called weight now; the old way leaves with gough 9\.9"
    ) as told:
        warn_deprecated("mass is called weight now", leaves="9.9")
    assert told[0].filename == __file__


def test_an_old_name_still_works() -> None:
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        assert fem.Tie is fem.NodeTie
    assert [w.category for w in told] == [DeprecationWarning]
