"""docs/interchange/others.md: files of other people beside other programs, from benchmarks/zoo.json."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from docs.blocks import ROOT
from docs.generated.table import table

HEAD = """# Robots that others made

Files that nobody drew for this library, from public repositories, as they are: read by `gough check` and what stands in the first
column, built, and compared with another program that read the same file itself. {right} of {all} agree to 1e-9{single}; {read}
are read and nothing here compares them; {differ} differ, for the reasons named; {refused} are refused.

Pinocchio reads URDF (Drake what Pinocchio does not take), MuJoCo MJCF, Drake SDF, Newton USD. Their trees are projected on the
loops that the file states; mass matrix, bias force, drive map, forward and inverse dynamics are compared at home and at {states}
other assembled states with random velocities and forces. The largest relative error of all is shown; accelerations count as
kinetic energy weighs them. Idle freedoms are those that no drive determines, a free base among them. Seconds are those of
reading (read), and of building and compiling inverse and forward dynamics with an empty cache (compile): {machine}.
Remarks stand below each table.

Written from [zoo.json](../../benchmarks/zoo.json) by `python tests/docs/refresh.py --generated`; the files are listed in
[zoo.yaml](../../benchmarks/zoo.yaml) and stay where they are: `python benchmarks/zoo.py FOLDER` fetches them at these commits
and compares again.
"""
COLUMNS = [
    "gough check",
    "freedoms",
    "loops",
    "idle",
    "beside",
    "largest error",
    "read (s)",
    "compile (s)",
]
COMMAND = "gough check "
LONGEST = 260
WIDEST = 42
"""Letters of a path that a column has room for."""
ROUNDED = 1e-11
"""Loops that are open by more (m) are so because of the file's digits."""


def page() -> str:
    """The whole page."""
    data = json.loads((ROOT / "benchmarks" / "zoo.json").read_text(encoding="utf-8"))
    rows, machine = data["files"], data["machine"]
    words = [row["verdict"] for row in rows]
    single = sum(word == "right" and row["peer"] == "Newton" for word, row in zip(words, rows, strict=True))
    head = HEAD.format(
        right=words.count("right"),
        all=len(rows),
        single=f" ({single} of them with Newton, which has numbers in single precision, to 1e-6)" if single else "",
        read=words.count("read"),
        differ=words.count("differs"),
        refused=words.count("refused"),
        states=max((row.get("states", 1) for row in rows), default=1) - 1,
        machine=f"{machine['date']}, {machine['cpu']}, {machine['cores']} shared cores",
    )
    parts = [head]
    for repository, found in groupby(rows, key=lambda row: row["repository"]):
        own = list(found)
        parts += [f"## {repository}", "", _source(own), "", table(COLUMNS, [_row(row) for row in own]), ""]
        remarks = [f"- {_file(row)}: {told}" for row in own if (told := _remark(row))]
        parts += [*remarks, ""] if remarks else []
    return "\n".join(parts)


def _source(rows: Sequence[Mapping[str, Any]]) -> str:
    first = rows[0]
    place = f"https://github.com/{first['repository']}/tree/{first['commit']}"
    licences = {row["licence"] for row in rows}
    if len(licences) == 1:
        told = f"licence {first['licence']}"
    else:
        own = {row["file"].partition("/")[0]: row["licence"] for row in rows}
        told = "licences: " + ", ".join(f"{folder} {licence}" for folder, licence in own.items())
    return f"[{first['repository']}]({place}) at {first['commit'][:10]}, {told.replace('NOASSERTION', 'not stated')}."


def _file(row: Mapping[str, Any]) -> str:
    """A file and its options, as HTML: it is no path of this repository. A long one may be broken at its folders, or the table
    would be wider than the page."""
    text = row["command"].removeprefix(COMMAND)
    return f"<code>{text if len(text) <= WIDEST else text.replace('/', '/<wbr>')}</code>"


def _row(row: Mapping[str, Any]) -> list[str]:
    if row["verdict"] == "refused":
        return [_file(row), *[""] * 4, "refused", "", ""]
    counts = [str(row[key]) for key in ("freedoms", "loops", "idle")]
    error = "–" if "largest" not in row else f"{row['largest']:.0e}"
    times = [f"{row[key]:.2g}" for key in ("read_s", "compile_s")]
    return [_file(row), *counts, row["peer"] or "–", error, *times]


def _remark(row: Mapping[str, Any]) -> str:
    said = [row.get("note") or ""]
    refusal = row.get("failure") or row.get("refusal") or ""
    lines = [re.sub(r"^\S*?([^/\s]+: )", r"\1", line) for line in refusal.splitlines()]
    if lines:
        more = f" (and {len(lines) - 1} more)" if len(lines) > 1 else ""
        said.append(_short(lines[0]) + more)
    said.append(_short(row.get("uncompared") or ""))
    gap = row.get("errors", {}).get("gap", 0.0)
    if gap > ROUNDED and row["peer"] == "MuJoCo":
        said.append(f"its loops are open by {gap:.0e} m, as far as its digits fit")
    if "largest" in row and "forward" not in row["errors"]:
        said.append("some links are almost without inertia: inverse dynamics alone")
    return _plain("; ".join(text for text in said if text))


def _plain(text: str) -> str:
    """The text without signs that Markdown or HTML would take for theirs, code apart."""
    parts = text.split("`")
    if len(parts) % 2 == 0:  # a lone sign is no code
        return text.replace("<", "&lt;").replace("[", "\\[")
    parts[::2] = [part.replace("<", "&lt;").replace("[", "\\[") for part in parts[::2]]
    return "`".join(parts)


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else text[:LONGEST].rsplit(" ", 1)[0] + " …"
