"""docs/errata.md and the tables of misprints in docs/papers, from src/gough_papers/citations/errata.yaml."""

from __future__ import annotations

from collections.abc import Callable

from docs.generated.table import table
from gough_papers.citations import PAPERS, errata
from gough_papers.citations.errata import ERRATUM_KINDS, ErrataTable

HEAD = """# Errata of the papers

What the five papers print wrong, leave out or simplify, what is easily overlooked in them, and what each costs: the
transcriptions of `tests/papers` compute with all corrections, then with one switched off (where print is right, with the mistake
put in). The sizes are the largest errors found, measured as said above each table; they depend on the robot and grow
with its speed. Written from `src/gough_papers/citations/errata.yaml`, as are the tables of the
papers' own pages, which have the robots, the choices and the forces; [equations](equations.md) says which code holds each
equation, corrected. `gough where` names an entry when you ask for its equation.

| kind | meaning |
|---|---|
"""


def page() -> str:
    """The whole page."""
    parts = [HEAD + "\n".join(f"| {kind} | {meaning} |" for kind, meaning in ERRATUM_KINDS.items()), ""]
    for key, name in PAPERS.items():
        own = [t for t in errata() if t.paper == key]
        parts += [f"## {name}", "", f"[The paper's page](papers/{key}.md).", ""]
        for one in own:
            parts += [f"Measured: {one.measure}.", "", _with_kinds(one), "", *_remark(one)]
    return "\n".join(parts)


def _with_kinds(one: ErrataTable) -> str:
    head = ["equation", "kind", one.printed, "right", *one.columns]
    rows = [[m.marked_where, m.kind, m.printed, m.right, *m.sizes.values()] for m in one.rows]
    return table(head, rows)


def _remark(one: ErrataTable) -> list[str]:
    return [one.remark, ""] if one.remark else []


def _with_remark(one: ErrataTable) -> str:
    return "\n".join([_with_kinds(one), "", *_remark(one)])


def parts() -> dict[str, Callable[[], str]]:
    """{name: writer} of the tables in docs/papers."""
    return {f"errata/{one.paper}/{one.name}": (lambda one=one: _with_remark(one)) for one in errata()}
