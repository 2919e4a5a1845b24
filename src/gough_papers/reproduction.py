"""A paper reproduced: its parts run one after another, what is done is kept when the user breaks off."""

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from gough.files import make_folder
from gough_papers.comparison import Comparison
from gough_papers.paper import Paper
from gough_papers.report.section import Picture, Section, Tell
from gough_papers.workshop import Workshop


@dataclass
class Reproduction:
    """What came of a paper. interrupted: the last section is not whole. report: the page that was written."""

    paper: Paper
    sections: list[Section] = field(default_factory=list)
    seconds: float = 0.0
    interrupted: bool = False
    report: Path | None = None

    @property
    def comparisons(self) -> list[Comparison]:
        """Of all sections."""
        return [c for s in self.sections for c in s.comparisons]

    @property
    def agreeing(self) -> int:
        """How many of them are within their tolerance."""
        return sum(c.within for c in self.comparisons)

    @property
    def within(self) -> bool:
        """Whether all are."""
        return self.agreeing == len(self.comparisons)

    @property
    def pictures(self) -> list[Picture]:
        """Of all sections."""
        return [p for s in self.sections for p in s.pictures]


def reproduce(
    paper: Paper,
    folder: Path,
    *,
    tell: Tell = lambda text: None,
    begun: Callable[[int, int], None] = lambda done, parts: None,
    finished: Callable[[Section], None] = lambda section: None,
    figures: bool = True,
) -> Reproduction:
    """Run all parts of a paper and write its report to `folder`/NAME.html, its pictures to `folder`/NAME/.

    tell: hears what is being done. begun: hears how many parts of how many are done, before each. finished: gets each section,
    the one that was broken off too. Ctrl-C ends the paper, not the program: see `Reproduction.interrupted`.
    """
    from gough_papers.report.page import write_page

    made = Reproduction(paper)
    start = time.perf_counter()
    make_folder(folder)
    parts = paper.tour(Workshop(folder / paper.name, tell, figures)).parts()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what is unphysical in a paper's data is said in its report
            for done, (title, fill) in enumerate(parts):
                begun(done, len(parts))
                made.sections.append(Section(title))
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
