"""Results on disk as numbered parts: written whole or not at all, known by what they were made from.

What a folder is of stands in its head (ensemble.json, …), with a hash. Every part says of which subject it is, which number it
has, and the hash of its own numbers: one that is damaged, copied from another number or of another subject is named, and done
again. A part that is there is done; two processes that write the same one write the same bytes.
"""

import hashlib
import json
import re
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np

from gough.errors import FileError, RunWarning, UsageError, warn
from gough.files import make_folder, npz, read_npz, write_file

FORMAT = 4
ABOUT = "about"
PART = re.compile(r"part([0-9]{6,})\.npz")
PATIENCE = 120.0
"""How long (s) a folder that cannot be written, or a scheduler that is gone, is waited for."""
SHORTEST, LONGEST = 0.1, 5.0
"""Between two tries (s)."""
SHOWN = 60
"""Characters of a value that a message shows."""
BEFORE = 30
"""Of them, before what differs in long texts."""
Found = dict[str, np.ndarray]


class PartFolder:
    """A folder of numbered parts, each a mapping of arrays. kind: what it holds, in a word; subject: everything the parts follow
    from, as plain data by name. UsageError where the folder holds another subject: what differs is named."""

    def __init__(self, folder: str | Path, kind: str, subject: Mapping[str, Any]) -> None:
        self.folder, self.kind = make_folder(folder), kind
        subject = json.loads(json.dumps(subject))
        self.mark = _digest_of({"kind": kind, "subject": subject})
        self.head = self.folder / f"{kind}.json"
        wanted = {"format": FORMAT, "mark": self.mark, "subject": subject}
        known = _read_head(self.head)
        if known is None:  # new, or damaged: what is there tells whose it is
            if any(self._mark_of(path) not in (self.mark, "") for path in self.paths()):
                raise UsageError(
                    f"{self.folder} holds parts of another {kind}, and nothing that says of which: give an empty folder"
                )
            write_file(self.head, json.dumps(wanted | {"digest": _digest_of(wanted)}))
        elif known != wanted:
            raise UsageError(f"{self.folder} holds another {kind}: {_differences(known, wanted)}; give an empty folder")

    def paths(self) -> list[Path]:
        """The files of all parts that are there."""
        return part_paths(self.folder)

    def path(self, k: int) -> Path:
        """The file of part k."""
        return self.folder / f"part{k:06d}.npz"

    def read(self, k: int) -> Found | None:
        """A finished part, all of it looked at; None where there is none, or a bad one, which is named in a warning."""
        if not self.path(k).exists():
            return None
        try:
            about, found = _read_part(self.path(k), self.kind)
            told = {"format": FORMAT, "mark": self.mark, "part": k}
            for key, what in (
                ("format", "of another format"),
                ("mark", f"of another {self.kind}"),
                ("part", "a copy of part {}"),
            ):
                if about.get(key) != told[key]:
                    raise FileError(f"{self.path(k)}: {what.format(about.get(key))}")
            if about.get("digest") != _digest(found):
                raise FileError(f"{self.path(k)}: its numbers were changed")
        except FileError as problem:
            warn(f"{problem}; this part is done again", RunWarning)
            return None
        return found

    def arrays(self, k: int, names: Sequence[str]) -> Found:
        """Some arrays of a part that was read before, or written; FileError where it is gone or damaged."""
        return read_npz(self.path(k), f"a part of this {self.kind}", names)

    def write(self, k: int, found: Found) -> None:
        """Write a part. A folder that is gone is not made anew: parts belong where their head is."""
        if not self.head.exists():
            raise FileError(f"{self.folder}: cannot be reached ({self.head.name} is not there)")
        about = {"format": FORMAT, "mark": self.mark, "part": k, "digest": _digest(found)}
        write_file(self.path(k), npz({ABOUT: np.array(json.dumps(about)), **found}, compressed=False))

    def keep(self, k: int, found: Found, patience: float = PATIENCE, ended: Event | None = None) -> None:
        """Write a part; where the folder does not take it, wait for it, at most `patience` seconds, and no longer once it is
        `ended`."""
        ended = ended or Event()
        began, pause = time.monotonic(), SHORTEST
        while True:
            try:
                return self.write(k, found)
            except FileError as problem:
                waited = time.monotonic() - began
                if waited + pause > patience or ended.is_set():
                    raise FileError(
                        f"{problem}; part {k} could not be kept for {waited:.0f} s. The {len(self.paths())} parts that are "
                        "written stay: the same call again goes on from there"
                    ) from problem
                if pause == SHORTEST:
                    warn(f"{problem}; part {k} is tried again for {patience:.0f} s", RunWarning)
                ended.wait(pause)
                pause = min(2.0 * pause, LONGEST)

    def _mark_of(self, path: Path) -> str:
        """The subject a part says it is of; "" where it cannot be read."""
        try:
            return str(_read_part(path, self.kind)[0].get("mark", ""))
        except FileError:
            return ""


def part_paths(folder: Path) -> list[Path]:
    """The files of all parts in a folder, in the order of their numbers; what else lies there (copies by hand) is none."""
    found = {int(name[1]): path for path in folder.glob("part*.npz") if (name := PART.fullmatch(path.name))}
    return [found[k] for k in sorted(found)]


def _read_part(path: Path, kind: str) -> tuple[dict[str, Any], Found]:
    """(what a part says of itself, its arrays)."""
    article = "an" if kind[0] in "aeiou" else "a"
    found = read_npz(path, f"a part of {article} {kind}")
    try:
        about = json.loads(str(found.pop(ABOUT)))
    except (KeyError, ValueError, RecursionError):
        about = None
    if not isinstance(about, dict):
        raise FileError(f"{path} is not a part of {article} {kind}: it says nothing of itself")
    return about, found


def _digest(found: Found) -> str:
    digest = hashlib.sha256()
    for name, x in sorted(found.items()):
        digest.update(repr((name, x.dtype.str, x.shape)).encode())
        digest.update(np.ascontiguousarray(x).tobytes())
    return digest.hexdigest()


def _read_head(path: Path) -> dict[str, Any] | None:
    """What the folder's head says; None where there is none or a damaged one."""
    try:
        known = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    return known if isinstance(known, dict) and known.pop("digest", None) == _digest_of(known) else None


def _digest_of(plain: Any) -> str:
    return hashlib.sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()


def _differences(known: dict[str, Any], wanted: dict[str, Any]) -> str:
    """What two heads say differently."""
    if known.get("format") != wanted["format"]:
        return f"of format {known.get('format')}, this version of gough writes {wanted['format']}"
    there, here = known.get("subject"), wanted["subject"]
    there = there if isinstance(there, dict) else {}
    names = [name for name in {**here, **there} if there.get(name) != here.get(name)]
    found = [_first_difference(name, there.get(name), here.get(name)) for name in names]
    return ", ".join(f"{place} is {_short(x)} there and {_short(y)} here" for place, x, y in found)


def _first_difference(place: str, there: Any, here: Any) -> tuple[str, Any, Any]:
    """(where, what is there, what is here); where both would be shown alike, of the first entry that differs."""
    if _short(there) != _short(here):
        return place, there, here
    if isinstance(there, dict) and isinstance(here, dict) and there.keys() == here.keys():
        key = next((k for k in here if there[k] != here[k]), None)
        return (place, there, here) if key is None else _first_difference(f"{place}.{key}", there[key], here[key])
    if isinstance(there, list) and isinstance(here, list) and len(there) == len(here):
        k = next((k for k, x in enumerate(here) if there[k] != x), None)
        return (place, there, here) if k is None else _first_difference(f"{place}[{k}]", there[k], here[k])
    if isinstance(there, str) and isinstance(here, str):
        k = next((k for k, (a, b) in enumerate(zip(there, here, strict=False)) if a != b), 0)
        there, here = (f"…{text[max(k - BEFORE, 0) :]}" for text in (there, here))
    return place, there, here


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 1]}…"


def subject_in(folder: str | Path, kind: str) -> dict[str, Any]:
    """The subject of the parts in a folder, as its head says; FileError where it is missing or damaged."""
    head = Path(folder) / f"{kind}.json"
    known = _read_head(head)
    if known is None or not isinstance(known.get("subject"), dict):
        raise FileError(
            f"{head}: missing or damaged, it says of which {kind} the parts beside it are; run it again there"
        )
    return known["subject"]
