"""What the commands print: tables, JSON, notes."""

import json
import math
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import typer

from gough.progress import listening
from gough.text import printable

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

PIPE_WIDTH = 160


def console() -> "Console":
    """Console on stdout; wide where stdout is no terminal, so that nothing is cut."""
    from rich.console import Console

    # Without markup: "[x]" in a name or a unit is no style.
    probe = Console(highlight=False, soft_wrap=False, markup=False, emoji=False)
    return probe if probe.is_terminal else Console(highlight=False, width=PIPE_WIDTH, markup=False, emoji=False)


def table(*columns: str, numbers: tuple[str, ...] = (), whole: tuple[str, ...] = ()) -> "Table":
    """An empty table; columns named in `numbers` are set to the right, those in `whole` and the first never wrap."""
    from rich import box
    from rich.table import Table

    made = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1), collapse_padding=True, show_edge=False)
    for i, name in enumerate(columns):
        side = "right" if name in numbers else "left"
        made.add_column(name, justify=side, overflow="fold", no_wrap=i == 0 or name in whole)
    return made


def say(text: str = "") -> None:
    """A line on stdout; nothing in it drives the terminal."""
    typer.echo(printable(text))


def note(text: str) -> None:
    """A line on stderr: what is worth knowing beside the result."""
    typer.echo(printable(text), err=True)


@contextmanager
def warnings_as_notes(about: str = "") -> Iterator[None]:
    """Warnings of the library as notes on stderr, each text once: a line of this program's own says nothing to its user."""
    told: set[str] = set()

    def tell(message: Warning | str, *_: Any) -> None:
        if str(message) not in told:
            told.add(str(message))
            note(f"note: {about}{message}")

    with warnings.catch_warnings():
        warnings.showwarning = tell  # pyright: ignore[reportAttributeAccessIssue]
        yield


def write_json(value: Any) -> None:
    """JSON on stdout; NaN and infinities are null."""
    sys.stdout.write(json.dumps(plain(value), indent=2, ensure_ascii=False, allow_nan=False) + "\n")


def plain(value: Any) -> Any:
    """Numbers, texts, lists and mappings that JSON has."""
    if isinstance(value, Mapping):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, list | tuple):
        return [plain(v) for v in value]
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, bool | int | str):
        return value
    return str(value)


def short(x: float, digits: int = 6) -> str:
    """A number with few digits; -0 is 0."""
    return f"{x + 0.0:.{digits}g}"


def vector(values: Any, digits: int = 6) -> str:
    """Numbers between brackets."""
    return "[" + " ".join(short(float(x), digits) for x in values) + "]"


def plural(number: int, noun: str) -> str:
    """ "1 leg", "6 legs" """
    return f"{number} {noun}{'s' * (number != 1)}"


@contextmanager
def progress_bar(what: str, total: float | None = None) -> Iterator[Callable[..., None]]:
    """A bar on stderr while something is done; gives what takes `completed` and `total`."""
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=total)
        with listening(lambda words: bar.update(task, description=words or what)):
            yield partial(bar.update, task)
