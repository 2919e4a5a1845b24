"""A paper reproduced: what it is, its parts run one after another, what came of them. Ctrl-C keeps what is done."""

import json
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, Self

from gough import Model, Run, Scenario, build, load
from gough.files import make_folder, write_figure
from gough.robot import loads
from gough.robot.reader import read
from gough.simulation.events import End
from gough_papers.citations.errata import Misprint, misprints_of
from gough_papers.comparison import KnownComparison, Tally, tally
from gough_papers.section import Picture, ReportSection, Tell

ArtefactKind = Literal["compared", "part", "redrawn", "data", "drawing", "lost"]
ARTEFACT_KINDS: dict[ArtefactKind, str] = {
    "compared": "compared number by number",
    "part": "compared in part",
    "redrawn": "redrawn from our model",
    "data": "data of the gallery robot",
    "drawing": "a drawing, no result",
    "lost": "cannot be reproduced",
}
DPI = 140
"""Of pictures."""


@dataclass(frozen=True)
class Artefact:
    """A figure or table of a paper. what: it shows, in our words. note: how ours differs, or why there is none."""

    label: str
    what: str
    kind: ArtefactKind
    note: str = ""


@dataclass(frozen=True)
class Choice:
    """What a paper does not print, our choice, and what another one does."""

    quantity: str
    choice: str
    effect: str = ""


Parts = Sequence[tuple[str, Callable[[ReportSection], None]]]
"""(title, what fills its section), in order."""


class Tour:
    """A paper with our models, part by part; later parts use what earlier ones made."""

    def __init__(self, shop: "Workshop") -> None:
        self.shop = shop

    def parts(self) -> Parts:
        """Of its own for each paper."""
        raise NotImplementedError


@dataclass(frozen=True)
class Paper:
    """A paper and how it is reproduced. short: as in citations. view: what `gough view` shows of it. transcription: the tests
    that hold its printed equations. remark: what goes with the count of its numbers, "" where nothing."""

    name: str
    short: str
    reference: str
    subject: str
    robots: tuple[str, ...]
    view: str
    transcription: str
    tour: "Callable[[Workshop], Tour]"
    artefacts: tuple[Artefact, ...]
    choices: tuple[Choice, ...] = ()
    remark: str = ""

    @classmethod
    def read(cls, name: str, tour: "Callable[[Workshop], Tour]") -> Self:
        """What `NAME/paper.yaml` says of a paper, and the tour of it."""
        from ruamel.yaml import YAML

        text = (resources.files(f"gough_papers.{name}") / "paper.yaml").read_text(encoding="utf-8")
        data = YAML(typ="safe").load(text)
        artefacts = tuple(Artefact(label, *entry) for label, entry in data.pop("artefacts").items())
        choices = tuple(Choice(quantity, *entry) for quantity, entry in data.pop("choices").items())
        return cls(name, robots=tuple(data.pop("robots")), tour=tour, artefacts=artefacts, choices=choices, **data)

    @property
    def misprints(self) -> list[Misprint]:
        """What it prints wrong, leaves out or simplifies, with the sizes that were measured."""
        return misprints_of(self.name)


@dataclass
class Workshop:
    """Where the parts of a reproduction work. folder: of pictures. draws: whether there are any. tell: says what is being done
    now."""

    folder: Path
    tell: Tell
    draws: bool = True
    models: dict[str, Model] = field(default_factory=dict)

    def model(self, robot: str) -> Model:
        """A gallery robot's model, made once."""
        if robot not in self.models:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # unphysical inertias: the report says so itself
                self.models[robot] = build(load(robot))
        return self.models[robot]

    def draw_figure(
        self, section: ReportSection, number: int, caption: str, drawing: Callable[..., Any], *given: Any
    ) -> None:
        """Draw what stands for a figure of the paper; drawing: makes a matplotlib figure of what is given."""
        self._draw(section, f"fig{number}", caption, f"Fig. {number}", drawing, *given)

    def draw_picture(
        self, section: ReportSection, name: str, caption: str, drawing: Callable[..., Any], *given: Any
    ) -> None:
        """Draw one of ours."""
        self._draw(section, name, caption, "", drawing, *given)

    def _draw(
        self, section: ReportSection, name: str, caption: str, label: str, drawing: Callable[..., Any], *given: Any
    ) -> None:
        if self.draws:
            path = write_figure(self.folder / f"{name}.png", drawing(*given), DPI)
            section.pictures.append(Picture(path, caption, label))

    def move(self, section: ReportSection, run: Run, caption: str, **how: Any) -> None:
        """Put the viewer's page of a run into the section; how: as for `gough.viewer.export`."""
        if not self.draws:
            return
        if find_spec("viser") is None:
            section.moving = ("", f"{caption} The moving robot needs the viewer: `pip install 'gough[view]'`.")
            return
        from gough.viewer import export

        self.tell(f"{self.folder.name}: the moving robot …")
        page = export(run, self.folder / "moving.html", dark=False, **how)
        section.moving = (page.read_text(encoding="utf-8"), caption)


@cache
def document(robot: str) -> Any:
    """A gallery file as plain data."""

    return read((resources.files("gough.robot") / "gallery" / f"{robot}.yaml").read_text(encoding="utf-8"), robot)[0]


def changed_model(robot: str, change: Callable[[Any], None]) -> Model:
    """A model of a gallery robot whose document `change` has edited in place."""

    data = json.loads(json.dumps(document(robot)))
    change(data)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return build(loads(json.dumps(data), f"{robot}.yaml"))


def finished_run(scenario: Scenario) -> Run:
    """The scenario's run. A run keeps what it has when the user breaks it off; nothing can be compared then, so
    KeyboardInterrupt goes on."""
    run = scenario.run()
    if run.info.ending.end == End.INTERRUPTED:
        raise KeyboardInterrupt
    return run


@dataclass
class Reproduction:
    """What came of a paper. interrupted: the last section is not whole. report: the page that was written."""

    paper: Paper
    sections: list[ReportSection] = field(default_factory=list)
    seconds: float = 0.0
    interrupted: bool = False
    report: Path | None = None

    @property
    def comparisons(self) -> list[KnownComparison]:
        """Of all sections."""
        return [c for s in self.sections for c in s.comparisons]

    @property
    def tallies(self) -> list[Tally]:
        """Of the comparisons, by kind; those that the paper prints first."""
        return tally(self.comparisons)

    @property
    def within(self) -> bool:
        """Whether all are inside their tolerance, but those that are known not to be."""
        return all(c.within for c in self.comparisons)

    @property
    def missed(self) -> list[KnownComparison]:
        """Numbers that are known not to come out; the notes say what is known of why."""
        return [c for c in self.comparisons if c.within and not c.agrees]

    @property
    def headline(self) -> str:
        """What came out of what the paper prints, in a sentence or two."""
        of = next((t for t in self.tallies if t.kind == "printed"), None)
        if of is None:
            first = "The paper prints no number that can be compared."
        else:
            missed = of.numbers - of.numbers_agreeing
            first = f"{of.numbers_agreeing} of {of.numbers} numbers of the paper that were compared are reproduced"
            first += f", {missed} {'is' if missed == 1 else 'are'} not" if missed else ""
            first += f" ({self.paper.remark})." if self.paper.remark else "."
        return f"{first} {figures_and_tables(self.paper.artefacts)}"

    @property
    def pictures(self) -> list[Picture]:
        """Of all sections."""
        return [p for s in self.sections for p in s.pictures]

    def data(self) -> dict[str, Any]:
        """As plain data."""
        p = self.paper
        shown = ("where", "printed", "right", "sizes", "kind")
        return {
            "name": p.name,
            "citation": p.short,
            "robots": list(p.robots),
            "report": None if self.report is None else str(self.report),
            "seconds": self.seconds,
            "interrupted": self.interrupted,
            "headline": self.headline,
            "kinds": [vars(t) for t in self.tallies],
            "comparisons": [c.data() | {"section": s.title} for s in self.sections for c in s.comparisons],
            "demonstrations": [vars(d) | {"section": s.title} for s in self.sections for d in s.demonstrations],
            "figures": [{"label": x.label, "caption": x.caption, "file": str(x.path)} for x in self.pictures],
            "artefacts": [vars(a) for a in p.artefacts],
            "misprints": [{k: getattr(m, k) for k in shown} | {"origin": p.transcription} for m in p.misprints],
            "data": {k: v for s in self.sections for k, v in s.data.items()},
        }


def figures_and_tables(artefacts: Sequence[Artefact]) -> str:
    """How many of each kind there are, in a sentence; an appendix is neither."""
    figures, tables = ([a for a in artefacts if a.label.startswith(word)] for word in ("Fig", "Table"))
    both = (*figures, *tables)
    counts: dict[ArtefactKind, int] = {kind: sum(a.kind == kind for a in both) for kind in ARTEFACT_KINDS}
    told = "; ".join(f"{n} {ARTEFACT_KINDS[kind]}" for kind, n in counts.items() if n)
    return f"Its {_counted(len(figures), 'figure')} and {_counted(len(tables), 'table')}: {told}."


def _counted(n: int, what: str) -> str:
    return f"{n} {what}" if n == 1 else f"{n} {what}s"


def reproduction_data(made: Sequence[Reproduction], index: str | None) -> dict[str, Any]:
    """What `--json` prints and reproduction.json holds: papers[], and sums over them."""
    return {
        "papers": [r.data() for r in made],
        "comparisons": sum(len(r.comparisons) for r in made),
        "within": sum(c.within for r in made for c in r.comparisons),
        "kinds": [vars(t) for t in tally(c for r in made for c in r.comparisons)],
        "seconds": sum(r.seconds for r in made),
        "interrupted": any(r.interrupted for r in made),
        "index": index,
    }


def reproduce(
    paper: Paper,
    folder: Path,
    *,
    tell: Tell = lambda text: None,
    begun: Callable[[int, int], None] = lambda done, parts: None,
    finished: Callable[[ReportSection], None] = lambda section: None,
    figures: bool = True,
) -> Reproduction:
    """Run all parts of a paper and write its report to `folder`/NAME.html, its pictures to `folder`/NAME/.

    tell: hears what is being done. begun: hears how many parts of how many are done, before each. finished: gets each section,
    the one that was broken off too. Ctrl-C ends the paper, not the program: see `Reproduction.interrupted`.
    """
    from gough_papers.page import write_page

    made = Reproduction(paper)
    start = time.perf_counter()
    make_folder(folder)
    parts = paper.tour(Workshop(folder / paper.name, tell, figures)).parts()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what is unphysical in a paper's data is said in its report
            for done, (title, fill) in enumerate(parts):
                begun(done, len(parts))
                made.sections.append(ReportSection(title))
                try:
                    fill(made.sections[-1])
                finally:
                    finished(made.sections[-1])
            begun(len(parts), len(parts))
    except KeyboardInterrupt:
        made.interrupted = True
    tell(f"{paper.name}: writing the report …")
    made.seconds = time.perf_counter() - start
    made.report = write_page(made, folder / f"{paper.name}.html")
    return made
