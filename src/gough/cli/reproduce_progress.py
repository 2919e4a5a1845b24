"""How far `gough reproduce` is: a bar on stderr where that is a terminal, lines elsewhere."""

from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from gough.cli.output import note

if TYPE_CHECKING:
    from gough_papers.paper import Paper
    from gough_papers.report.section import Section
    from gough_papers.reproduction import Reproduction


class Progress:
    """A bar over all papers; sections are printed as they are done, unless `quiet`."""

    def __init__(self, papers: int, quiet: bool) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
        from rich.progress import Progress as Bar

        self.papers, self.quiet = papers, quiet
        terminal = Console(stderr=True)
        columns = (BarColumn(bar_width=24), TextColumn("{task.percentage:3.0f} %"), TimeElapsedColumn())
        self.bar = Bar(*columns, TextColumn("{task.description}"), console=terminal, transient=True)
        self.shown = terminal.is_terminal
        self.task: Any = None
        self.done = 0

    def __enter__(self) -> Self:
        if self.shown:
            self.bar.start()
            self.task = self.bar.add_task("", total=float(self.papers))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.shown:
            self.bar.stop()

    def run(self, paper: "Paper", out: Path, figures: bool) -> "Reproduction":
        """Reproduce one paper."""
        from gough_papers.reproduction import reproduce

        def begun(done: int, parts: int) -> None:
            if self.shown:
                self.bar.update(self.task, completed=self.done + done / max(parts, 1))

        made = reproduce(paper, out, tell=self.tell, begun=begun, finished=self.finished, figures=figures)
        self.done += 1
        return made

    def tell(self, text: str) -> None:
        """What is being done now."""
        if self.shown:
            self.bar.update(self.task, description=text)
        elif not self.quiet:
            note(text)

    def finished(self, section: "Section") -> None:
        """A section is done: print it above the bar."""
        if self.quiet:
            return
        from gough.cli.reproduce_print import print_section

        if self.shown:
            self.bar.stop()  # stdout may be the same terminal
        print_section(section)
        if self.shown:
            self.bar.start()
