"""Files that are there whole or not at all, whatever ends their writing."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gough.errors import UsageError


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """A path beside `path` to write to, with the same suffix; renamed to it at the end, removed if anything fails."""
    if path.is_dir():
        raise UsageError(f"{path} is a folder; give the name of a file")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        aside = path.with_name(f".{path.stem}.{secrets.token_hex(4)}.part{path.suffix}")
        aside.touch(exist_ok=False)
    except OSError as error:
        raise UsageError(f"{path}: cannot be written ({error.strerror or error})") from error
    try:
        yield aside
        os.replace(aside, path)
    finally:
        aside.unlink(missing_ok=True)
