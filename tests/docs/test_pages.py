"""README.md and docs/*.md do what they show."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from docs.blocks import PAGES, ROOT, WILDCARD, blocks, same
from docs.page import ELSEWHERE, SLOW, Page, put

LONG = {
    "benchmarks.md",
    "cad_to_drive_forces.md",
    "cluster.md",
    "control.md",
    "controllers.md",
    "elastic_doubts.md",
    "export.md",
    "flexible_platform.md",
    "fmu.md",
    "frequency_map.md",
    "friction_in_runs.md",
    "identification_calibration.md",
    "identification_elastic.md",
    "identify_a_hexapod.md",
    "laws.md",
    "machine_loop.md",
    "many_runs.md",
    "observers.md",
    "pareto_overnight.md",
    "reproducing.md",
    "scenarios.md",
    "simulation.md",
    "simulation_methods.md",
    "singular_poses.md",
    "size_motors.md",
    "stable_inversion.md",
    "stiffer_delta.md",
    "vibration.md",
    "viewer.md",
    "workspace.md",
}
"""Pages that compile or run much. What they show is tested quickly elsewhere: simulation, analysis, papers, viewer, export,
interchange, identification, studies, distribution."""
LANGUAGES = {"python", "console", "yaml", "text", "c", "diff", "xml"}


def check(page: Page) -> int:
    """Number of outputs compared; fails on the first that differs."""
    if "jax" in sys.modules:  # as a reader's process has it, whatever was tested in this one before
        sys.modules["jax"].config.update("jax_enable_x64", False)
    count = 0
    for shown in page.run():
        place = f"{page.path.name}:{shown.line}"
        assert same(shown.expected, shown.printed), (
            f"{place} shows\n{shown.expected}\nbut this came out (`python tests/docs/refresh.py` writes it):\n{shown.printed}"
        )
        count += 1
    return count


@pytest.mark.parametrize(
    "path", [pytest.param(p, marks=pytest.mark.slow if p.name in LONG else (), id=p.name) for p in PAGES]
)
def test_blocks_run_and_print_what_is_shown(path: Path, tmp_path: Path) -> None:
    compared = check(Page(path, tmp_path, slow=False))
    here = [block for block in blocks(path) if not block.note.startswith(ELSEWHERE)]
    assert compared or not any(block.language in ("python", "console") for block in here)


@pytest.mark.slow
def test_demo_prints_what_the_readme_shows(tmp_path: Path) -> None:
    assert any(command in (ROOT / "README.md").read_text(encoding="utf-8") for command in SLOW)
    check(Page(ROOT / "README.md", tmp_path))


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_every_block_names_a_language_that_is_checked(path: Path) -> None:
    strangers = [f"{path.name}:{b.line}: {b.language!r}" for b in blocks(path) if b.language not in LANGUAGES]
    stray = [f"{path.name}:{b.line}: output of nothing" for b in blocks(path) if b.language == "text"]
    assert not strangers + stray, "use python, console, yaml, xml or c, with text for output"


def test_outputs_are_not_all_elided() -> None:
    for path in PAGES:
        for block in blocks(path):
            if block.output is not None:
                assert block.output.text.replace(WILDCARD, "").strip(), f"{path.name}:{block.output.line} shows nothing"


@pytest.mark.parametrize(
    ("shown", "printed", "equal"),
    [
        ("a\nb\n", "a  \nb", True),
        ("a   b", " a b", True),
        ("a … c", "a b b c", True),
        ("a\n…\nd", "a\nb\nc\nd\n", True),
        ("a … c", "a b d", False),
        ("1.50", "1.5", False),
        ("a.c", "abc", False),
    ],
)
def test_comparison(shown: str, printed: str, equal: bool) -> None:
    assert same(shown, printed) == equal


def test_parts_are_put_in_their_place() -> None:
    robot = {"legs": [{"cut": {"type": "spherical", "name": "ball"}}]}
    assert put(robot, "legs[0].cut", {"name": "x"}, False)["legs"][0]["cut"] == {"type": "spherical", "name": "x"}
    assert put(robot, "legs[0].cut", {"name": "y"}, True)["legs"][0]["cut"] == {"name": "y"}
    assert put(robot, "document", {"title": "t"}, False)["title"] == "t"


def test_a_page_that_lies_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```python\nprint(1 + 1)\n```\n```text\n3\n```\n", encoding="utf-8")
    with pytest.raises(AssertionError, match=r"page\.md:5"):
        check(Page(page, tmp_path))
