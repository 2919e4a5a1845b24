"""What the papers print wrong, leave out or simplify, with the size of each error (`errata.yaml`)."""

from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from gough_papers.citations.places import PaperPlace, read_places

ERRATUM_KINDS = {
    "misprint": "wrong as printed",
    "unsaid": "a convention the text leaves out",
    "simplified": "an approximation of the paper",
    "right": "printed as it should be, though it looks wrong",
    "overlooked": "said in the paper, easily overlooked",
    "rounded": "rounded data",
}
DOUBT = (
    "† It may be our text that is wrong here, by a dot, a sign, a bracket, a fraction bar, a letter or an index: a "
    "program took it from the pages of the paper."
)


@dataclass(frozen=True)
class Misprint:
    """One entry. `where` as the paper counts; `sizes`: {what was measured: size of the error}; `measure` says how.
    `computed`: the name of what a reproduction computes of it, "" where nothing. `doubtful`: whether it may be a fault of the
    text that was read, not of the paper. `felt`: other equations, right themselves, that hold what this one gives."""

    paper: str
    table: str
    kind: str
    where: str
    places: tuple[PaperPlace, ...]
    printed: str
    right: str
    sizes: dict[str, str]
    measure: str
    computed: str = ""
    doubtful: bool = False
    felt: tuple[PaperPlace, ...] = ()

    @property
    def marked_where(self) -> str:
        """`where` as tables show it: with a dagger where it is doubtful."""
        return f"{self.where} †" if self.doubtful else self.where


@dataclass(frozen=True)
class Unused:
    """Equations that the library does without, and why."""

    paper: str
    places: tuple[PaperPlace, ...]
    why: str


@dataclass(frozen=True)
class ErrataTable:
    """Entries measured in one way; `columns` are the heads of their sizes, `printed` that of what stands in the paper."""

    paper: str
    name: str
    measure: str
    printed: str
    columns: tuple[str, ...]
    rows: tuple[Misprint, ...]

    @property
    def remark(self) -> str:
        """What daggers in it mean, "" where it has none."""
        return DOUBT if any(row.doubtful for row in self.rows) else ""


@cache
def errata() -> tuple[ErrataTable, ...]:
    """All tables, paper by paper."""
    return tuple(_table(paper, table) for paper, entry in _document().items() for table in entry["tables"])


def misprints_of(paper: str) -> list[Misprint]:
    """The entries of a paper."""
    return [row for table in errata() if table.paper == paper for row in table.rows]


def unused_equations(paper: str) -> list[Unused]:
    """Equations of a paper that the library does without."""
    return [Unused(paper, read_places(x["at"]), x["why"]) for x in _document()[paper].get("unused", [])]


@cache
def _document() -> dict[str, Any]:
    from ruamel.yaml import YAML

    text = (resources.files("gough_papers.citations") / "errata.yaml").read_text(encoding="utf-8")
    return YAML(typ="safe").load(text)


def _table(paper: str, table: dict[str, Any]) -> ErrataTable:
    columns = tuple(table["sizes"])
    rows = tuple(
        Misprint(
            paper=paper,
            table=table["name"],
            kind=row["kind"],
            where=row["where"],
            places=read_places(row["at"]),
            printed=row["printed"],
            right=row["right"],
            sizes=dict(zip(columns, row["size"], strict=False)),
            measure=table["measure"],
            computed=row.get("computed", ""),
            doubtful=row.get("text") == "doubtful",
            felt=read_places(row.get("felt", "")),
        )
        for row in table["rows"]
    )
    return ErrataTable(paper, table["name"], table["measure"], table["printed"], columns, rows)
