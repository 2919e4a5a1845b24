"""A study's folder: what was asked (asked.json), of which robot (robot.yaml, files that it names), what was found (found.npz).

With these a folder needs nothing else: it may be moved, and the files the study was read from may change. What they were is told
by their hashes. A folder of parts has what was asked from the start, and found.npz is written at the end: parts alone are those
of a run that was ended on its way, or that nobody saved.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.distribution import PartFolder
from gough.distribution.parts import part_paths, subject_in
from gough.errors import FileError, GoughError, UsageError
from gough.files import npz, read_npz, write_file, write_files
from gough.page import circumstances
from gough.robot.files import files_in, resolve_path
from gough.robot.loader import loads
from gough.robot.writer import document, yaml_text
from gough.studies._kept import KeptDesigns
from gough.studies._pareto import ParetoFront
from gough.studies.study.evaluation import Evaluated
from gough.studies.study.plain import build_study, plain_study

if TYPE_CHECKING:
    from gough.studies.result import StudyResult
    from gough.studies.study.study import Study

FORMAT = 1
ASKED, FOUND, ROBOT, TEXT, FILES, PARTS = "asked.json", "found.npz", "robot.yaml", "study.yaml", "robot_files", "parts"
POINTS = ("x", "values", "constraints", "violation")
COUNTS = ("designs", "robots", "feasible")
HEAD = "# Copy of {}, as the study had it. {}\n"


def save_asked(folder: Path, study: "Study", finished: bool) -> str:
    """Write what was asked; returns its mark. finished: whether all parts in the folder are there."""
    text = HEAD.format(_named(study.robot.origin, study.robot.name), circumstances()) + _robot_text(study, folder)
    asked = {"study": plain_study(study), "robot": _hash(text.encode())}
    files = {"study": study.file, "robot": study.robot.origin}
    told = {
        "format": FORMAT,
        "mark": _hash(json.dumps(asked, sort_keys=True).encode()),
        **asked,
        "text": study.text,
        "finished": finished,
        "parts": len(part_paths(folder)),
        "made": {"by": circumstances(), "at": datetime.now(UTC).isoformat(timespec="seconds")},
        "sources": {name: told for name, path in files.items() if (told := _source(path))},
    }
    written: dict[Any, Any] = {folder / ROBOT: text, folder / ASKED: json.dumps(told) + "\n"}
    if study.text:
        about = "Its robot: robot.yaml beside this file; other files that it names lie where it was."
        written[folder / TEXT] = HEAD.format(_named(study.file, study.name), about) + study.text
    write_files(written)
    return told["mark"]


def save_found(folder: Path, found: "StudyResult", mark: str) -> None:
    """Write the front, and designs that were kept beside it: those of a folder of parts that is elsewhere as parts."""
    arrays: dict[str, Any] = {name: getattr(found.front.designs, name) for name in POINTS}
    arrays |= {"objectives": found.front.objectives, "partial": np.array(found.partial), "mark": np.array(mark)}
    arrays |= {"counts": np.array([getattr(found, name) for name in COUNTS]), "seconds": np.array(found.seconds)}
    arrays |= {"no_gradients": np.array(found.no_gradients)}
    if found.kept_designs.held and found.study.keep != "front":  # those of a folder of parts are there
        arrays |= {f"kept_{name}": getattr(found.kept, name) for name in POINTS}
    if found.descents:
        start, success, said, evaluations = zip(*found.descents, strict=True)
        arrays |= {"start": np.stack(start), "success": np.array(success), "said": np.array(said)}
        arrays |= {"evaluations": np.array(evaluations)}
    store = found.kept_designs.store
    if store is not None and found.study.keep != "front" and not _is_at(store.folder, folder):
        _copy_parts(store, folder / PARTS, found.kept_designs.numbers)
    write_file(folder / FOUND, npz(arrays))


def _is_at(parts: Path, folder: Path) -> bool:
    """Whether parts are where `load_result` looks for those of a folder."""
    return parts.resolve() in (folder.resolve(), (folder / PARTS).resolve())


def _copy_parts(store: PartFolder, target: Path, numbers: Sequence[int]) -> None:
    """One after the other; UsageError where the target has parts of another study."""
    copy = PartFolder(target, "study", subject_in(store.folder, "study"))
    for number in numbers:
        arrays = store.read(number)
        if arrays is None:
            raise FileError(f"{store.path(number)}: gone or damaged; run the study again there")
        copy.write(number, arrays)


def load_result(folder: Path) -> "StudyResult":
    """What `save_asked` and `save_found` wrote, or what lies in parts."""
    place = next((p for p in (folder, folder / PARTS) if (p / ASKED).is_file()), None)
    if place is None:
        raise UsageError(_no_study(folder))
    asked = _read_asked(place)
    study = _study(place, asked)
    remarks = [x for name, told in asked["sources"].items() for x in _changed(name, told, place)]
    parts = next((p for p in (folder / PARTS, folder) if part_paths(p)), None)
    saved = folder / FOUND
    if saved.is_file():
        found = _read_found(saved, study, asked["mark"], tuple(remarks), parts)
        if not found.partial or parts is None:
            return found
    if parts is None:
        raise UsageError(
            f"{folder}: this study has no designs yet, its run was ended before the first were kept; run it again: "
            f"{_again(folder)}"
        )
    return _gather(parts, study, asked, folder, remarks)


def _again(folder: Path) -> str:
    return f"gough design STUDY --out {folder}"


def _no_study(folder: Path) -> str:
    remedy = f"give the folder that `{_again(Path('FOLDER'))}` wrote"
    if not folder.is_dir():
        return f"{folder}: no such folder; {remedy}"
    if any(p.is_file() for p in (folder / "study.json", folder / PARTS / "study.json", folder / "front.csv")):
        return (
            f"{folder}: designs of a study are here, but not what was asked ({ASKED} is missing: deleted, or never written by an "
            f"older version); run it again, it goes on from its parts: {_again(folder)}"
        )
    return f"{folder}: no folder of a study, there is no {ASKED} in it; {remedy}"


def _read_asked(place: Path) -> dict[str, Any]:
    path = place / ASKED
    try:
        asked = json.loads(path.read_text(encoding="utf-8"))
        if asked["format"] != FORMAT:
            raise UsageError(
                f"{path}: of format {asked['format']}, this version of gough reads {FORMAT}; use the one that wrote it"
            )
        own = {name: asked[name] for name in ("study", "robot")}
        if asked["mark"] != _hash(json.dumps(own, sort_keys=True).encode()):
            raise FileError(f"{path}: it was changed after the study; run the study again: {_again(place)}")
        return asked
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise FileError(
            f"{path}: not what a study asked, or damaged ({error}); run the study again: {_again(place)}"
        ) from error


def _study(place: Path, asked: Mapping[str, Any]) -> "Study":
    path = place / ROBOT
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise FileError(
            f"{path}: the study's robot is missing ({error.strerror}); put it back, or run the study again: {_again(place)}"
        ) from error
    if _hash(text.encode()) != asked["robot"]:
        raise UsageError(
            f"{path}: the robot was changed after the study ran, its designs are no longer of it. Put the file back as it was, "
            f"or run the study again with the new robot into an empty folder: {_again(Path('OTHER_FOLDER'))}"
        )
    try:
        source = asked["sources"].get("study", {}).get("path", "")
        return build_study(asked["study"], loads(text, str(path)), asked["text"], source)
    except GoughError:
        raise
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise FileError(
            f"{place / ASKED}: not what a study asked ({type(error).__name__}: {error}); run it again: {_again(place)}"
        ) from error


def _changed(name: str, told: Mapping[str, str], place: Path) -> list[str]:
    """What is to be said of a file that a study was read from."""
    path = Path(told["path"])
    try:
        same = _hash(path.read_bytes()) == told["sha256"]
    except OSError:
        return []  # moved: the folder has all it needs
    if same:
        return []
    shown = place / (ROBOT if name == "robot" else ASKED)
    return [
        f"{path} was changed since: these designs are of the {name} as it was ({shown}); for the new one run the study again"
    ]


def _read_found(path: Path, study: "Study", mark: str, remarks: tuple[str, ...], parts: Path | None) -> "StudyResult":
    from gough.studies.result import StudyResult

    arrays = read_npz(path, "what a study found")
    try:
        if str(arrays["mark"]) != mark:
            raise FileError(
                f"{path}: found by another study than {ASKED} beside it says; run the study again: {_again(path.parent)}"
            )
        front = ParetoFront(Evaluated(*(arrays[name] for name in POINTS)), arrays["objectives"])
        kept = KeptDesigns(None, (), (front.designs,))
        if "kept_x" in arrays:
            kept = KeptDesigns(None, (), (Evaluated(*(arrays[f"kept_{name}"] for name in POINTS)),))
        elif parts is not None and study.keep != "front":
            store = PartFolder(parts, "study", subject_in(parts, "study"))
            kept = KeptDesigns(store, tuple(_number(path) for path in store.paths()))
        partial = bool(arrays["partial"])
        descents = zip(*(arrays.get(n, np.zeros(0)) for n in ("start", "success", "said", "evaluations")), strict=True)
        counts = [int(n) for n in arrays["counts"]]
        more = (_interrupted(counts[0], path.parent),) if partial else ()
        return StudyResult(
            study, front, kept, counts[0], counts[1], counts[2], partial, float(arrays["seconds"]), None,
            tuple((x, bool(s), str(said), int(n)) for x, s, said, n in descents), str(arrays["no_gradients"]),
            remarks=(*more, *remarks),
        )  # fmt: skip
    except (KeyError, TypeError, ValueError) as error:
        raise FileError(
            f"{path}: not what a study found, or damaged ({error}); run the study again: {_again(path.parent)}"
        ) from error


def _interrupted(designs: int, folder: Path) -> str:
    return f"interrupted: {designs} designs were looked at so far; to go on: {_again(folder)}"


def _gather(parts: Path, study: "Study", asked: Mapping[str, Any], folder: Path, remarks: list[str]) -> "StudyResult":
    from gough.studies._running import GatheredDesigns

    store = PartFolder(parts, "study", subject_in(parts, "study"))
    gathered = GatheredDesigns(study, store)
    lost = max(asked["parts"] - len(store.paths()), 0) if asked["finished"] else 0
    for path in store.paths():
        arrays = store.read(number := _number(path))
        if arrays is None:
            lost += 1
            continue
        gathered.add(number, arrays)
    found = gathered.result(not asked["finished"] or lost > 0, False, 0.0)
    told = [_interrupted(found.designs, folder)] if found.partial else []
    told += (
        [f"{lost} parts in {parts} are damaged or gone and were left out; the same run again does them anew"]
        if lost
        else []
    )
    return replace(found, remarks=(*told, *remarks))


def _number(path: Path) -> int:
    """Of a part."""
    return int(path.stem.removeprefix("part"))


def _robot_text(study: "Study", folder: Path) -> str:
    """The description, with copies of the files it names beside it."""
    data, robot = document(study.robot), study.robot
    names: dict[Path, str] = {}
    _copy_files(data, robot.origin, folder / FILES, names)
    return yaml_text(data)


def _copy_files(data: Any, origin: str | None, target: Path, names: dict[Path, str]) -> None:
    for _, entry, name in files_in(data):
        path = resolve_path(entry[name], origin).resolve()
        if path not in names:
            taken = {Path(n).name for n in names.values()}
            names[path] = f"{FILES}/{f'{len(names)}_' if path.name in taken else ''}{path.name}"
            copy = target.parent / names[path]
            if path != copy.resolve():
                write_file(copy, path.read_bytes())
        entry[name] = names[path]


def _named(path: str | None, name: str) -> str:
    return Path(path).name if path else name


def _source(path: str | None) -> dict[str, str] | None:
    """Where a file is and what is in it; None where it cannot be read (one of the gallery, of a text)."""
    try:
        return {"path": str(Path(path or "").absolute()), "sha256": _hash(Path(path or "").read_bytes())}
    except OSError:
        return None


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
