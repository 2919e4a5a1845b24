"""The figures of agreement in docs/verification.md are those that are measured."""

from __future__ import annotations

import re

import pytest

from docs import agreement
from docs.blocks import ROOT

FAMILIES = {"ups": "UPS", "pus": "PUS", "generic": "mixed legs", "sliding_cuts": "sliding cuts"}


def table() -> dict[str, dict[str, float]]:
    """{quantity: {column: figure}} of the table in docs/verification.md, quantities named as in agreement.py."""
    text = (ROOT / "docs/verification.md").read_text(encoding="utf-8").partition("<!-- agreement -->")[2]
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in re.findall(r"^\|.*\|$", text, re.MULTILINE)
    ]
    head, result = rows[0], {}
    for row in rows[2:]:
        if len(row) != len(head):
            break
        name = row[0] if "CasADi" in row[1] else f"{row[0]}, {row[1]}"
        result[name] = dict(zip(head[2:], map(float, row[2:]), strict=True))
    return result


def test_the_table_is_complete() -> None:
    figures = table()
    assert len(figures) == 10
    assert all(1e-16 < x < 1e-11 for row in figures.values() for x in row.values())


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES)
def test_figures_are_measured(family: str) -> None:
    """Rounding differs between machines: ten times the figure is allowed."""
    figures = table()
    for name, found in agreement.generated(family, seeds=(0,)).items():
        assert found <= 10 * figures[name][FAMILIES[family]], name
