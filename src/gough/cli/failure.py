"""Errors become one message on stderr and an exit code; no traceback unless asked for."""

import functools
import io
import sys
import warnings
from collections.abc import Callable
from typing import Any

import typer

from gough.progress import waiting
from gough.text import printable

CHECK_FAILED = 1
BAD_USAGE = 2
BAD_STATES = 3
INTERNAL = 70
INTERRUPTED = 130

_settings = {"tracebacks": False, "begun": False}


def show_tracebacks(wanted: bool) -> None:
    """Let exceptions through (`--debug`)."""
    _settings["tracebacks"] = wanted


def has_begun() -> bool:
    """Whether a command runs or has run: it says itself why it ended."""
    return _settings["begun"]


def guard(command: Callable[..., None]) -> Callable[..., None]:
    """The command with its exceptions turned into messages and exit codes."""

    @functools.wraps(command)
    def run(*args: Any, **options: Any) -> None:
        from gough.errors import CacheWarning

        warnings.filterwarnings(
            "ignore", category=CacheWarning
        )  # commands hush warnings of robots; these are told below
        try:
            _settings["begun"] = True
            with waiting():
                command(*args, **options)
        except (typer.Exit, typer.Abort, typer.BadParameter, BrokenPipeError):
            raise
        except KeyboardInterrupt:
            typer.echo("interrupted", err=True)
            raise typer.Exit(INTERRUPTED) from None
        except Exception as error:
            if _settings["tracebacks"]:
                raise
            text, code = explain(error)
            typer.echo(printable(f"error: {text}"), err=True)
            raise typer.Exit(code) from None
        finally:
            _tell_of_the_cache()

    return run


def _tell_of_the_cache() -> None:
    """Folders of compiled code that were not trusted, where any was looked at."""
    cache = sys.modules.get("gough.backends.cache")
    while cache is not None and cache.said:
        typer.echo(f"warning: {cache.said.popitem()[1]}", err=True)


def explain(error: Exception) -> tuple[str, int]:
    """(message, exit code) of an exception."""
    from gough.compilation.status import IN_PYTHON
    from gough.errors import BadStateError, GoughError

    if isinstance(error, BadStateError):
        return str(error).replace(IN_PYTHON, "").replace(" (near=)", ""), BAD_STATES
    if isinstance(error, UnicodeDecodeError):
        return f"not UTF-8 text: {error}", BAD_USAGE
    if isinstance(error, io.UnsupportedOperation) or not isinstance(error, OSError | GoughError):
        return f"{type(error).__name__}: {error} (a fault of gough; `gough --debug …` shows where)", INTERNAL
    if isinstance(error, OSError) and error.strerror:
        return f"{'output' if error.filename is None else error.filename}: {error.strerror}", BAD_USAGE
    return str(error), BAD_USAGE
