"""Parts of an ensemble on disk: written whole or not at all, known by what they were made from.

Every part says which study it belongs to, which part of it it is, and the hash of its own numbers. One that is damaged, copied
from another number or another study is named and done again.
"""

import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.errors import FileError, RunWarning, UsageError, warn
from gough.files import make_folder, npz, read_npz, write_file
from gough.simulation.results.robot import robot_hash

if TYPE_CHECKING:
    from gough.simulation.ensembles.ensemble import EnsembleSubject

FORMAT = 3
ABOUT = "about"
Found = dict[str, np.ndarray]


def fingerprint(subject: "EnsembleSubject", plan: Any, states: np.ndarray, own: np.ndarray | None) -> str:
    """Hash of everything the results follow from. own (runs, k): what every run has for itself."""
    model, believed = subject.model, subject.believed
    law = [subject.law.describe(), believed.describe(None)]
    digest = hashlib.sha256(json.dumps([FORMAT, robot_hash(model), law, plan], sort_keys=True).encode())
    for x in (model.parameters, states, own, believed.numbers):
        digest.update(np.ascontiguousarray(np.zeros(0) if x is None else x).tobytes())
    digest.update(repr(sorted(model.pattern.items())).encode())
    return digest.hexdigest()


class Parts:
    """A folder of numbered parts, or none (folder None: nothing is kept). mark: hash of the study."""

    def __init__(self, folder: Path | None, mark: str, count: int) -> None:
        self.folder, self.mark = folder, mark
        if folder is None:
            return
        make_folder(folder)
        head, wanted = folder / "ensemble.json", {"format": FORMAT, "mark": mark, "parts": count}
        known = _head(head)
        if known is None:  # new, or damaged: what is there tells whose it is
            known = wanted if all(self._study(path) in (mark, "") for path in folder.glob("part*.npz")) else None
            if known is not None:
                write_file(head, json.dumps(wanted | {"digest": _digest_of_head(wanted)}))
        if known != wanted:
            raise UsageError(
                f"{folder} holds another ensemble (other robot, states, motion, steps, device or version of gough): give an "
                f"empty folder"
            )

    def path(self, k: int) -> Path:
        """The file of part k."""
        assert self.folder is not None
        return self.folder / f"part{k:06d}.npz"

    def read(self, k: int) -> Found | None:
        """A finished part; None where there is none, or a bad one, which is named in a warning."""
        if self.folder is None or not self.path(k).exists():
            return None
        try:
            about, found = _read(self.path(k))
            told = {"format": FORMAT, "mark": self.mark, "part": k}
            for key, what in (
                ("format", "of another format"),
                ("mark", "of another study"),
                ("part", "a copy of part {}"),
            ):
                if about.get(key) != told[key]:
                    raise FileError(f"{self.path(k)}: {what.format(about.get(key))}")
            if about.get("digest") != _digest(found):
                raise FileError(f"{self.path(k)}: its numbers were changed")
        except FileError as problem:
            warn(f"{problem}; the runs of this part are done again", RunWarning)
            return None
        return found

    def write(self, k: int, found: Found) -> None:
        """Keep a part."""
        if self.folder is not None:
            about = {"format": FORMAT, "mark": self.mark, "part": k, "digest": _digest(found)}
            write_file(self.path(k), npz({ABOUT: np.array(json.dumps(about)), **found}, compressed=False))

    def _study(self, path: Path) -> str:
        """The study a part says it is of; "" where it cannot be read."""
        try:
            return str(_read(path)[0].get("mark", ""))
        except FileError:
            return ""


def _read(path: Path) -> tuple[dict[str, Any], Found]:
    """(what a part says of itself, its arrays)."""
    found = read_npz(path, "a part of an ensemble")
    try:
        about = json.loads(str(found.pop(ABOUT)))
    except (KeyError, ValueError, RecursionError):
        about = None
    if not isinstance(about, dict):
        raise FileError(f"{path} is not a part of an ensemble: it says nothing of itself")
    return about, found


def _digest(found: Found) -> str:
    digest = hashlib.sha256()
    for name, x in sorted(found.items()):
        digest.update(repr((name, x.dtype.str, x.shape)).encode())
        digest.update(np.ascontiguousarray(x).tobytes())
    return digest.hexdigest()


def _head(path: Path) -> dict[str, Any] | None:
    """What the folder's file says; None where there is none or a damaged one."""
    try:
        known = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    if isinstance(known, dict) and (known.pop("digest", None) == _digest_of_head(known) or known.get("format") == 1):
        return known
    return None


def _digest_of_head(head: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(head, sort_keys=True).encode()).hexdigest()
