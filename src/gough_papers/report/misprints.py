"""The tables of a paper's errata with what each entry costs, as measured and, where the library alone can, as computed now."""

from collections.abc import Mapping

from gough_papers.paper import Paper
from gough_papers.report.section import Grid


def misprint_grids(paper: Paper, found: Mapping[str, str]) -> list[Grid]:
    """found: {name in `Paper.live`: what was computed now}."""
    from gough_papers.citations.errata import errata

    grids = []
    for table in errata():
        if table.paper != paper.name:
            continue
        rows, now = [], any(row.printed in paper.live for row in table.rows)
        for row in table.rows:
            sizes = tuple(row.sizes.get(column, "") for column in table.columns)
            computed = (found.get(paper.live.get(row.printed, ""), ""),) if now else ()
            rows.append((row.where, row.printed, row.right, *sizes, *computed))
        more = ("computed now",) if now else ()
        head = ("where", table.printed, "right", *table.columns, *more)
        grids.append(Grid(head, tuple(rows), (*table.columns, *more), _sentence(table.measure)))
    return grids


def misprint_note(paper: Paper, live: bool = True) -> str:
    """Where the figures come from. live: some are computed in this run."""
    measured = (
        "Measured by switching one correction off in a transcription of the printed equations "
        f"(`{paper.transcription}`), which with "
        "all corrections agrees with this library."
    )
    now = " “Computed now”: in this run, by giving the error to the model as data, as a load, as another motion, or as a switch."
    return measured + (
        now if live else " None of these can be given to the library from outside: they are terms inside its recursion."
    )


def _sentence(words: str) -> str:
    return words[:1].upper() + words[1:]
