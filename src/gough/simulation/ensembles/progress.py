"""How far an ensemble is: told to a function, or shown as a bar on terminals."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Tell = Callable[[int, int], None]


@contextmanager
def telling(progress: Tell | bool | None) -> Iterator[Tell | None]:
    """What is called with (done, runs). progress True: a bar, where the error output is a terminal."""
    if not isinstance(progress, bool):
        yield progress
    elif not progress or not sys.stderr.isatty():
        yield None
    else:
        from rich.console import Console
        from rich.progress import Progress

        with Progress(console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task("runs", total=None)
            yield lambda done, runs: bar.update(task, completed=done, total=runs)
