"""Commands that pages name exist, with their options: in code spans, console blocks and indented lines.

Console blocks are also run (test_pages.py); here are those that are only named.
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import typer.main

from docs.blocks import ROOT
from docs.test_links import ALL_PAGES
from inner.cli import app

# The history of commands that are gone stays in the changelog.
CURRENT = [page for page in ALL_PAGES if page.name != "CHANGELOG.md"]


def commands(text: str) -> list[str]:
    """`gough …` and `make …` of a page."""
    spans = re.findall(r"`((?:gough|make) [^`\n]+)`", text)
    lines = re.findall(r"^(?:\$ |    )(?:\.venv/bin/)?((?:gough|make) .+)$", text, re.MULTILINE)
    return [command.partition("  #")[0].partition(" | ")[0].strip() for command in [*spans, *lines]]


def problem(command: str) -> str | None:
    """What is wrong with a command, or None."""
    tool, *words = shlex.split(command.replace("…", " "), comments=True)
    if tool == "make":
        targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
        return next((f"no target {word}" for word in words if "=" not in word and word not in targets), None)
    group: Any = typer.main.get_command(app)
    if not words or words[0].startswith("-"):
        known = {option for p in group.params for option in p.opts} | {"--help"}
        return next((f"no option {word}" for word in words if word.startswith("--") and word not in known), None)
    found = group.commands.get(words[0])
    if found is None:
        return f"no command {words[0]}"
    known = {option for p in found.params for option in (*p.opts, *p.secondary_opts)} | {"--help"}
    unknown = [word for word in words[1:] if word.startswith("--") and word.partition("=")[0] not in known]
    return f"no option {unknown[0]}" if unknown else None


@pytest.mark.parametrize("path", CURRENT, ids=lambda path: path.name)
def test_commands_exist(path: Path) -> None:
    wrong = {c: problem(c) for c in commands(path.read_text(encoding="utf-8"))}
    assert not {c: p for c, p in wrong.items() if p}


@pytest.mark.parametrize(
    ("command", "found"),
    [
        ("gough modes light.yaml --count 3", None),
        ("gough no_such", "no command no_such"),
        ("gough modes x --no-such", "no option --no-such"),
        ("gough --version", None),
        ("make test", None),
        ("make no-such", "no target no-such"),
        ('gough where "Briot 2014, eq. 44"', None),
    ],
)
def test_wrong_commands_are_found(command: str, found: str | None) -> None:
    assert problem(command) == found
