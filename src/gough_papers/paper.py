"""What is said of a paper: its figures and tables, its misprints, what it does not print."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from gough_papers.citations import Misprint
    from gough_papers.report.section import Section
    from gough_papers.workshop import Workshop

Kind = Literal["compared", "redrawn", "data", "drawing", "lost"]
KINDS: dict[Kind, str] = {
    "compared": "compared number by number",
    "redrawn": "redrawn from our model",
    "data": "data of the gallery robot",
    "drawing": "a drawing, no result",
    "lost": "cannot be reproduced",
}


@dataclass(frozen=True)
class Artefact:
    """A figure or table of a paper. what: it shows, in our words. note: how ours differs, or why there is none."""

    label: str
    what: str
    kind: Kind
    note: str = ""


@dataclass(frozen=True)
class Choice:
    """What a paper does not print, our choice, and what another one does."""

    quantity: str
    choice: str
    effect: str = ""


class Tour(Protocol):
    """A paper's section with our models, part by part."""

    def parts(self) -> Sequence[tuple[str, "Callable[[Section], None]"]]:
        """(title, what fills its section), in order."""
        ...


@dataclass(frozen=True)
class Paper:
    """A paper and how it is reproduced. short: as in citations. view: what `gough view` shows of it.

    live: {what stands in the paper, as in the errata: name of what the tour computes of it}.
    """

    name: str
    short: str
    reference: str
    subject: str
    robots: tuple[str, ...]
    view: str
    tour: "Callable[[Workshop], Tour]"
    artefacts: tuple[Artefact, ...]
    transcription: str
    choices: tuple[Choice, ...] = ()
    live: Mapping[str, str] = field(default_factory=dict)

    @property
    def misprints(self) -> "list[Misprint]":
        """What it prints wrong, leaves out or simplifies, with the sizes that were measured."""
        from gough_papers.citations import misprints_of

        return misprints_of(self.name)
