"""Which robot a run belongs to: its name, its description and the description's hash."""

import hashlib
import json
import logging
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gough.errors import UsageError
from gough.model import Model, build
from gough.robot import Robot, loads
from gough.robot.files import PATHS, content_mark, is_mesh, move_paths, without_lost_meshes
from gough.robot.writer import document

log = logging.getLogger(__name__)
UNHASHED = ("title", "source", "format")
"""Keys that say nothing about the mechanism; meshes for looks do not either."""


@dataclass
class RobotRecord:
    """A robot as a run remembers it; the model is built when first asked for.

    text: its description as JSON, None for robots that only Python can describe. digest: hash of what it says.
    free, velocities: how its model was built. folder: where files that the description names are found from.
    """

    name: str
    digest: str
    text: str | None
    free: tuple[str, ...] = ()
    velocities: str | tuple[str, ...] | None = None
    folder: str = ""
    made: Model | None = field(default=None, repr=False)

    @classmethod
    def of(cls, model: Model) -> "RobotRecord":
        """The record of a model; written once for all its runs."""

        def written() -> tuple[str, str | None]:
            described = describe(model.robot)
            return _hash_of(model, described), None if described is None else json.dumps(described)

        digest, text = model.cached("record of runs", written)
        folder = "" if model.robot.origin is None else str(Path(model.robot.origin).parent)
        asked = model.velocities if isinstance(model.velocities, str | None) else tuple(model.velocities)
        return cls(model.robot.name, digest, text, model.free, asked, folder, model)

    @property
    def description(self) -> dict[str, Any] | None:
        """The plain data of its file, made anew at every call; None for robots that only Python can describe."""
        return None if self.text is None else json.loads(self.text)

    @property
    def model(self) -> Model:
        """The model, built from the description where none was given."""
        if self.made is None:
            log.info("%s is built from the description that its run keeps", self.name)
            self.made = self._build()
        return self.made

    def _build(self) -> Model:
        if self.description is None:
            raise UsageError(
                f"the file of this run has no description of {self.name} (it was made in Python); load it with model="
            )
        if _digest(self.description, self._file) != self.digest:
            raise UsageError(
                f"the description of {self.name} is not the one that ran: it, or a file it names, was changed; load the run "
                "with model="
            )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # told when the robot was first read
            described = without_lost_meshes(self.description, Path(self.folder))
            text = json.dumps(described)  # JSON is YAML
            robot = loads(text, self._file)
            return build(robot, free=self.free, velocities=self.velocities)

    @property
    def _file(self) -> str:
        """What the description's own file is taken for."""
        return str(Path(self.folder) / f"{self.name}.yaml")

    def json_document(self, folder: Path) -> dict[str, Any]:
        """As a JSON document for a file in a folder: files that the description names are named from there."""
        described = self.description
        if described is not None and self.folder:
            move_paths(described, Path(self.folder), folder)
        return {
            "name": self.name,
            "hash": self.digest,
            "description": described,
            "free": list(self.free),
            "velocities": self.velocities,
        }

    @classmethod
    def read_json_document(cls, data: Mapping[str, Any], folder: Path) -> "RobotRecord":
        """From the JSON document of a file in a folder."""
        asked = data["velocities"]
        asked = tuple(asked) if isinstance(asked, list) else asked
        described = data["description"]
        text = None if described is None else json.dumps(described)
        return cls(data["name"], data["hash"], text, tuple(data["free"]), asked, str(folder))

    def demand_same(self, model: Model, where: str) -> None:
        """UsageError that says what differs, where a model is of another robot."""
        digest = robot_hash(model)
        if digest == self.digest:
            return
        mine, theirs = _hashed(self.description, self._file), _hashed(describe(model.robot), model.robot.origin)
        found = list(differences(mine, theirs)) if self.description is not None else []
        if not found:
            made = self.description is None
            found = [
                "made in Python: nothing to compare" if made else "a file that the description names was changed since"
            ]
        shown = [f"  {line}" for line in found[:12]] + ([f"  … and {len(found) - 12} more"] if len(found) > 12 else [])
        raise UsageError(
            f"{where}: made with another robot ({self.name}, hash {self.digest[:12]}) than the given one "
            f"({model.robot.name}, hash {digest[:12]}):\n"
            + "\n".join(shown)
            + "\nLeave model= out to use the robot in the file, or pass other_robot=True to take the given one all the same."
        )


def describe(robot: Robot) -> dict[str, Any] | None:
    """The plain data of a robot's file; None where it holds what no file can."""
    try:
        return json.loads(json.dumps(document(robot)))
    except (TypeError, ValueError, UsageError):
        return None


def robot_hash(model: Model) -> str:
    """SHA-256 of what a description says (titles and sources do not count; files it names count by their content)."""
    return _hash_of(model, describe(model.robot))


def _hash_of(model: Model, described: dict[str, Any] | None) -> str:
    if described is None:  # made in Python: its numbers, to the digits that other machines reproduce
        values = [f"{x:.9e}" for x in model.parameters]
        described = {"name": model.robot.name, "parameters": dict(zip(model.parameter_names, values, strict=True))}
    return _digest(described, model.robot.origin)


def _digest(described: dict[str, Any], file: str | None) -> str:
    return hashlib.sha256(json.dumps(_hashed(described, file), sort_keys=True).encode()).hexdigest()


def _hashed(data: Any, file: str | None) -> Any:
    """The data without what does not count, and with the content of files in the place of their paths."""
    if isinstance(data, list):
        return [_hashed(x, file) for x in data]
    if not isinstance(data, dict):
        return data
    out = {}
    for key, value in data.items():
        if key in PATHS and isinstance(value, dict):
            value = {k: content_mark(x, file) if k in PATHS[key] else x for k, x in value.items()}
        if key not in UNHASHED and not is_mesh(key, value):
            out[key] = _hashed(value, file)
    return out


def differences(stored: Any, given: Any, place: str = "") -> Iterator[str]:
    """What two descriptions say differently, a line each."""
    if isinstance(stored, dict) and isinstance(given, dict):
        for key in [*stored, *(k for k in given if k not in stored)]:
            if key not in UNHASHED and not is_mesh(key, stored.get(key, given.get(key))):
                inner = f"{place}.{key}" if place else str(key)
                yield from differences(stored.get(key, NOTHING), given.get(key, NOTHING), inner)
    elif isinstance(stored, list) and isinstance(given, list) and len(stored) == len(given):
        for i, (a, b) in enumerate(zip(stored, given, strict=True)):
            yield from differences(a, b, f"{place}[{i}]")
    elif stored != given:
        yield f"{place or 'description'}: {_short(stored)} in the file, {_short(given)} in the given robot"


class _Nothing:
    def __repr__(self) -> str:
        return "nothing"


NOTHING = _Nothing()


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:59]}…"
