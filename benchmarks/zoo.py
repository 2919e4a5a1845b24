"""Robots that others made: their files as they are, read here and by another program, and the dynamics of both compared.

    python benchmarks/zoo.py FOLDER [--from TEMPLATE] [--only WORD] [--json zoo.json] [--tiny]

FOLDER holds work trees called OWNER+NAME. Those that are missing are fetched there by git, at the commits that `zoo.yaml` names:
from GitHub, or as TEMPLATE says (`/mirrors/{owner}+{name}/repo`). The files of `zoo.yaml` are read without any change, each in a
process of its own with an empty cache, by the command line that it names; Pinocchio reads URDF, MuJoCo MJCF, Drake SDF and Newton
USD. The last two are no dependencies of the tests; without them their files are read and not compared:

    pip install --no-deps drake pydot newton warp-lang newton-usd-schemas

--only takes the files with a word in their name and keeps what the record has of the others. `python tests/docs/refresh.py
--generated` then writes docs/interchange/others.md from the record.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import yaml

os.environ.setdefault("OMP_NUM_THREADS", "1")
HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "tests"))

LIST, RECORD = HERE / "zoo.yaml", HERE / "zoo.json"
GITHUB = "https://github.com/{owner}/{name}"
GOOD = 1e-9
"""Largest relative error of a file that counts as right."""
SINGLE = 1e-6
"""The same where the other program computes in single precision."""
OPEN = 1e-6
"""By how much loops may stay open, m: as far as a file's own digits fit."""
STATES, SECONDS = 4, 400
PINOCCHIO, MUJOCO = ("Pinocchio", "pinocchio"), ("MuJoCo", "mujoco")
DRAKE, NEWTON = ("Drake", "pydrake"), ("Newton", "newton")
PEERS = {"URDF": (PINOCCHIO, DRAKE), "MJCF": (MUJOCO,), "SDF": (DRAKE,), "USD": (NEWTON,)}
"""Of a format: other programs and their modules; the first that reads a file is compared with."""
OPTIONS = ("loops", "platform", "drives", "packages", "model")
COMPARED = ("M", "h", "S", "forward", "inverse")


@dataclass(frozen=True)
class Entry:
    """A file of the list: options as those of `gough.load`, paths from the repository's folder."""

    repository: str
    commit: str
    licence: str
    file: str
    options: Mapping[str, Any] = field(default_factory=dict)
    note: str = ""

    def keywords(self, folder: Path) -> dict[str, Any]:
        """Arguments of `gough.load`, paths in the folder of work trees."""
        root = folder / self.repository.replace("/", "+")
        found = dict(self.options)
        if "loops" in found:
            found["loops"] = root / found["loops"]
        if "packages" in found:
            found["packages"] = [root / path for path in found["packages"]]
        return found

    @property
    def command(self) -> str:
        """What reads it on the command line."""
        words = ["gough", "check", self.file]
        for name, value in self.options.items():
            values = value if isinstance(value, list) else [value]
            words += (
                [f"--{name}", ",".join(values)]
                if name != "packages"
                else [w for v in values for w in ("--packages", v)]
            )
        return shlex.join(words)


def entries(file: Path) -> Iterator[Entry]:
    """Of a list: {repositories: {OWNER/NAME: {commit, licence, licences: {folder: licence}, also: [folder], files: [path, or
    {file, note, options of `gough.load`}]}}}."""
    for repository, said in yaml.safe_load(file.read_text("utf-8"))["repositories"].items():
        own = said.get("licences", {})
        for item in said["files"]:
            one = {"file": item} if isinstance(item, str) else item
            licence = next((name for place, name in own.items() if one["file"].startswith(place)), said.get("licence"))
            options = {key: one[key] for key in OPTIONS if key in one}
            yield Entry(repository, said["commit"], licence, one["file"], options, one.get("note", ""))


def fetch(list_file: Path, folder: Path, template: str) -> None:
    """Work trees that are missing, at their commits, with the folders that the files need."""
    for repository, said in yaml.safe_load(list_file.read_text("utf-8"))["repositories"].items():
        owner, name = repository.split("/")
        root = folder / f"{owner}+{name}"
        if root.exists():
            continue
        files = [item if isinstance(item, str) else item["file"] for item in said["files"]]
        needed = sorted({str(Path(file).parent) for file in files} | {*said.get("also", ())})
        source = template.format(owner=owner, name=name)
        print(f"fetching {repository} from {source}", file=sys.stderr)
        clone = ["git", "clone", "--quiet", "--no-checkout", "--filter=blob:none", source, str(root)]
        subprocess.run(clone, check=True, stderr=subprocess.DEVNULL)
        for place in needed:
            if _checkout(root, said["commit"], place):  # a mirror may lack large files: take the others
                listing = ["git", "-C", str(root), "ls-tree", "-r", "--name-only", said["commit"], place]
                for name in subprocess.run(listing, capture_output=True, text=True, check=True).stdout.splitlines():
                    _checkout(root, said["commit"], name)


def _checkout(root: Path, commit: str, place: str) -> int:
    command = ["git", "-C", str(root), "checkout", "--quiet", commit, "--", place]
    return subprocess.run(command, check=False, stderr=subprocess.DEVNULL).returncode


def examine(entry: Entry, folder: Path) -> dict[str, Any]:
    """Read, build, compile and compare one file: a row of the record."""
    import gough
    from gough.errors import GoughError

    file = folder / entry.repository.replace("/", "+") / entry.file
    row: dict[str, Any] = asdict(entry) | {"command": entry.command, "refusal": "", "errors": {}, "peer": ""}
    warnings.simplefilter("ignore")
    try:
        begin = time.perf_counter()
        robot = gough.load(file, **entry.keywords(folder))
        row["format"], row["read_s"] = str(robot.source["format"]), _seconds(begin)
        begin = time.perf_counter()
        model = gough.build(robot)
        for name in ("forward_dynamics", *(["inverse_dynamics"] if model.driven else [])):
            model.function(name).compile()
        row["compile_s"] = _seconds(begin)
    except (GoughError, OSError) as error:
        return row | {"refusal": str(error).replace(f"{folder}/", "")[:1000]}
    row |= {"freedoms": model.mobility, "idle": len(model.layout.idle_names), "loops": len(robot.loops)}
    row |= {"couplings": len(robot.couplings), "bodies": len(robot.bodies), "drives": len(model.layout.drive_names)}
    given = entry.keywords(folder)
    return row | compared(file, model, row["format"], given.get("loops"), given.get("packages", ()))


def _seconds(begin: float) -> float:
    return round(time.perf_counter() - begin, 2)


def compared(file: Path, model: Any, kind: str, loops: Path | None, packages: Sequence[Path]) -> dict[str, Any]:
    """The part of a row that another program gives: its name and the errors, or why there is none."""
    from reference.foreign.comparing import compare

    told = []
    for name, module in PEERS[kind]:
        if find_spec(module) is None:
            told.append(f"{name} is not installed")
            continue
        try:
            peer = reading(name, file, model, loops, packages)
        except (ValueError, RuntimeError, SyntaxError) as error:  # the last: XML that is none
            first = (str(error).splitlines() or [""])[0]
            told.append(f"{name} does not read it: {first}".replace(str(file), file.name)[:300])
            continue
        errors = compare(model, peer, STATES)
        errors = {key: float(f"{value:.2g}") for key, value in errors.items()}
        largest = max(errors[key] for key in COMPARED if key in errors)
        return {"peer": name, "errors": errors, "largest": largest, "states": STATES + 1}
    return {"uncompared": "; ".join(told)}


def reading(name: str, file: Path, model: Any, loops: Path | None, packages: Sequence[Path]) -> Any:
    """The file as another program reads it."""
    if name == "Pinocchio":
        from reference.foreign.urdf import UrdfReading

        return UrdfReading(file, model, loops)
    if name == "MuJoCo":
        from reference.foreign.mjcf import MjcfReading

        return MjcfReading(file, model)
    if name == "Drake":
        from reference.foreign.drake import DrakeReading

        return DrakeReading(file, model, packages)
    from reference.foreign.usd import UsdReading

    return UsdReading(file, model)


def in_own_process(entry: Entry, folder: Path) -> dict[str, Any]:
    """`examine` where nothing else is, with an empty cache and an end."""
    with tempfile.TemporaryDirectory() as cache:
        given = {**os.environ, "GOUGH_CACHE_DIR": cache}
        text = json.dumps(asdict(entry))
        command = [sys.executable, __file__, str(folder), "--one", text]
        try:
            done = subprocess.run(command, capture_output=True, text=True, env=given, timeout=SECONDS, check=False)
        except subprocess.TimeoutExpired:
            return asdict(entry) | {"command": entry.command, "failure": f"not done after {SECONDS} s"}
    if done.returncode:
        said = done.stderr.strip().splitlines() or [f"exit status {done.returncode}"]
        return asdict(entry) | {"command": entry.command, "failure": said[-1][:600]}
    return json.loads(done.stdout.splitlines()[-1])


def verdict(row: Mapping[str, Any]) -> str:
    """right, differs, read (and not compared) or refused."""
    if row.get("refusal") or row.get("failure"):
        return "refused"
    if "largest" not in row:
        return "read"
    close = row["largest"] < (SINGLE if row["peer"] == "Newton" else GOOD)
    return "right" if close and not row["errors"]["freedoms"] and row["errors"]["gap"] < OPEN else "differs"


def line(row: Mapping[str, Any]) -> str:
    """A row for the screen."""
    word = verdict(row)
    if word == "refused":
        told = (row.get("failure") or row["refusal"])[:300]
    else:
        counts = f"{row['freedoms']} freedoms, {row['loops']} loops, {row['idle']} idle"
        errors = row.get("uncompared") or f"{row['largest']:.1e} {row['errors']}"
        told = f"{counts}, {errors}, {row['read_s']:.2f} s + {row['compile_s']:.1f} s"
    return f"{word:>9}  {row['repository']} {row['file']}: {told}"


def save(file: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """The record; after every file, so that a run that is stopped keeps what it has."""
    from gough_bench.machine import machine

    record = {"machine": machine(), "files": [{**row, "verdict": verdict(row)} for row in rows]}
    file.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", "utf-8")


def tiny(folder: Path) -> list[Entry]:
    """A file that needs no others: a four-bar of the tests, with its loops beside it."""
    from interchange.urdf_files import LAAS, four_bar

    root = folder / "here+four_bar"
    root.mkdir(parents=True, exist_ok=True)
    (root / "robot.urdf").write_text(four_bar(), "utf-8")
    (root / "robot.yaml").write_text(LAAS, "utf-8")
    return [Entry("here/four_bar", "0" * 40, "BSD-3-Clause", "robot.urdf")]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="work trees of other people's repositories")
    parser.add_argument("--from", dest="template", default=GITHUB, help="where they are fetched from: {owner}, {name}")
    parser.add_argument("--only", default="", help="files with this word in repository or path; others keep their rows")
    parser.add_argument("--json", type=Path, default=RECORD, help="the record to write")
    parser.add_argument("--tiny", action="store_true", help="one file of our own, nothing is fetched")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        print(json.dumps(examine(Entry(**json.loads(given.one)), given.folder)))
        return
    if given.tiny:
        chosen = tiny(given.folder)
    else:
        fetch(LIST, given.folder, given.template)
        chosen = list(entries(LIST))
    old = {} if given.tiny or not given.json.exists() else json.loads(given.json.read_text("utf-8"))
    kept = {(row["repository"], row["file"], row["command"]): row for row in old.get("files", ())}
    named = {(entry.repository, entry.file, entry.command): entry for entry in chosen}
    rows = {name: kept[name] | asdict(entry) for name, entry in named.items() if name in kept}
    for name, entry in named.items():
        if given.only in f"{entry.repository}/{entry.file}":
            rows[name] = in_own_process(entry, given.folder)
            print(line(rows[name]), flush=True)
            save(given.json, [rows[name] for name in named if name in rows])
    found = [rows[name] for name in named if name in rows]
    save(given.json, found)
    words = [verdict(row) for row in found]
    counts = ", ".join(f"{words.count(word)} {word}" for word in ("right", "differs", "read", "refused"))
    print(f"{len(found)} files: {counts}")


if __name__ == "__main__":
    main()
