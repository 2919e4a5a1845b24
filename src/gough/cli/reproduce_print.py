"""The parts of `gough reproduce` on the terminal."""

from gough.cli.output import console, say, table
from gough_papers.report.section import Grid, Section, comparison_grid


def print_section(section: Section) -> None:
    """Title, what is to be said, tables, notes; a blank line before each."""
    say(f"\n== {section.title} ==")
    _lines(section.said)
    for grid in section.grids:
        if grid.only != "report":
            _print(grid)
    if section.comparisons:
        _print(comparison_grid(section.comparisons))
    _lines([f"{c.quantity}: {c.note}." for c in section.comparisons if c.note])


def _lines(texts: list[str]) -> None:
    if texts:
        say("\n" + "\n".join(texts))


def _print(grid: Grid) -> None:
    title = f"{grid.label}: {grid.title}" if grid.label else grid.title
    say(f"\n{title}\n" if title else "")
    shown = table(*grid.head, numbers=grid.numbers, whole=(*grid.numbers, "verdict"))
    for row in grid.rows:
        shown.add_row(*row)
    console().print(shown)
