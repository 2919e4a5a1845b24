"""Pages written from the code are fresh: `python tests/docs/refresh.py --generated` writes them."""

from __future__ import annotations

import inspect
import json
import re

import pytest

import gough
from docs import generated
from docs.blocks import ROOT
from gough_papers.citations import EQUATIONS, PAPERS, errata
from inner.robot import Item

REMEDY = "`python tests/docs/refresh.py --generated` writes it"


@pytest.mark.parametrize("name", generated.PAGES)
def test_page_is_fresh(name: str) -> None:
    path = ROOT / "docs" / name
    assert path.exists() and path.read_text(encoding="utf-8") == generated.fresh_page(name), (
        f"{name} is stale: {REMEDY}"
    )


def test_parts_are_fresh() -> None:
    pages = generated.with_parts()
    assert len(pages) == len(PAPERS) + 1  # and the comparison with other programs
    for page in pages:
        text = page.read_text(encoding="utf-8")
        assert generated.fresh_parts(text) == text, f"{page.name} is stale: {REMEDY}"


def test_every_table_of_errata_stands_in_a_page() -> None:
    texts = "".join(page.read_text(encoding="utf-8") for page in generated.with_parts())
    assert set(re.findall(r"<!-- generated: (\S+) -->", texts)) == set(generated.PARTS)
    assert sum(len(table.rows) for table in errata()) > 50


def test_every_equation_is_ticked_off() -> None:
    """Each is cited in the source, or a reason says why it is not in the code."""
    text = (ROOT / "docs" / "equations.md").read_text(encoding="utf-8")
    assert "not cited" not in text
    for key, name in PAPERS.items():
        part = text.partition(f"## {name}\n")[2].partition("\n## ")[0].partition("elsewhere in the paper")[0]
        numbers: list[int] = []
        for first, last in re.findall(r"^\| (\d+)(?:–(\d+))? \|", part, re.MULTILINE):
            numbers += range(int(first), int(last or first) + 1)
        assert numbers == list(range(1, EQUATIONS[key] + 1)), name


def test_every_key_of_the_models_is_in_the_page_of_keys() -> None:
    """Of every model that is reached from a description, found apart from the schema."""
    text = (ROOT / "docs" / "keys.md").read_text(encoding="utf-8")
    models = [Item]
    for model in models:
        models += model.__subclasses__()
    described = [
        m for m in models if m.__module__.startswith("gough.robot.") and m.__name__ not in ("Item", "Leg", "Robot")
    ]
    for model in described:
        for key in model.written_keys():
            assert f"| `{key}` |" in text, (model.__name__, key)


def test_the_reference_has_exactly_the_public_names() -> None:
    text = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    headings = re.findall(r"^##+ .*?(gough\.[\w.]+)$", text, re.MULTILINE)
    names = [heading for heading in headings if heading.count(".") == 1]
    assert sorted(names) == sorted(f"gough.{name}" for name in gough.__all__)
    modules = {name for name in gough.__all__ if inspect.ismodule(getattr(gough, name))}
    members = [heading.split(".")[1:] for heading in headings if heading.count(".") == 2]
    wrong = [f"{m}.{n}" for m, n in members if m not in modules or n not in getattr(gough, m).__all__]
    assert not wrong and len({tuple(member) for member in members}) == len(members)


def test_measured_figures_are_those_of_the_files() -> None:
    text = (ROOT / "docs" / "measured.md").read_text(encoding="utf-8")
    data = json.loads((ROOT / "benchmarks" / "bench_pedrammehr2012.json").read_text(encoding="utf-8"))
    best = min(
        row["best_ns"] for row in data["functions"]["inverse_dynamics"]["rows"] if row["peer"] == "Pinocchio C++"
    )
    assert f"| {best:.0f} |" in text and data["machine"]["date"] in text
