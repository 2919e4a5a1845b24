"""Motions from YAML, and the named motions of the papers.

A file:  format: 1, name:, title:, source:, robot: (the gallery robot it is made for), motion: (see `items`).
A motion has the key of its family, and may have slower: (a factor) and shape: (a shaper, or its arguments) beside it.
"""

from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic import ValidationError

from gough.arguments import a_model, checked, path, word
from gough.errors import GoughError, UsageError
from gough.robot.errors import ABSENT, DescriptionError, Problem
from gough.robot.fields import number_fault, title_fault
from gough.robot.item import Fault, faults_of, nearest, no_such_name, unknown_key
from gough.robot.loader import locate, warn_of_angles
from gough.robot.reader import Map, Mark, Seq, read, read_document
from gough.robot.units import convert
from gough.simulation.motion._items import FAMILIES, QuietItem, ShapeItem
from gough.simulation.motion.examples import EXAMPLES
from gough.simulation.motion.motion import Motion, chain, rest
from gough.text import exists, one_line

if TYPE_CHECKING:
    from gough.model import Model

FORMAT = 1
BESIDE = ("slower", "shape")
"""Keys beside that of a family."""
KEYS = ["format", "name", "title", "source", "robot", "motion"]


@dataclass(frozen=True)
class NamedMotion:
    """A motion with the name of the robot it is made for, and a title that says what it is."""

    name: str
    title: str
    robot: str | None
    motion: Motion


def motion_names() -> list[str]:
    """Names of the motions that come with the library."""
    folder = resources.files("gough.simulation.motion") / "gallery"
    return sorted(entry.name.removesuffix(".yaml") for entry in folder.iterdir() if entry.name.endswith(".yaml"))


@checked(name=word)
def named_motion(name: str) -> Motion:
    """A motion of the papers by its name (see `motion_names`)."""
    return read_named_motion(name).motion


def read_named_motion(name: str) -> NamedMotion:
    """A motion of the papers with its robot and title."""
    if not isinstance(name, str) or name not in motion_names():
        raise UsageError(f"no motion {name!r}; expected {nearest(str(name), motion_names())}")
    text = (resources.files("gough.simulation.motion") / "gallery" / f"{name}.yaml").read_text(encoding="utf-8")
    return read_motion(text, f"{name}.yaml")


@checked(path_or_name=path, model=a_model)
def load_motion(path_or_name: str | Path, model: "Model | None" = None) -> Motion:
    """A motion from a YAML file, or a named one. model: whose home pose "home" is.

    Raises DescriptionError with all problems at once; FileNotFoundError where there is no such file or name.
    """
    path = Path(path_or_name)
    if path.suffix in (".yaml", ".yml") or exists(path):
        return read_motion(read_document(path), str(path), model).motion
    if str(path_or_name) not in motion_names():
        raise no_such_name(str(path_or_name), "motion", motion_names())
    return named_motion(str(path_or_name))


@checked(text=word, file=word, model=a_model)
def read_motion(text: str, file: str = "<text>", model: "Model | None" = None) -> NamedMotion:
    """A motion from YAML text; file is the name that messages use, and relative paths start from its folder."""
    document, problems = read(text, file)
    if problems:
        raise DescriptionError(problems)
    if not isinstance(document, Map):
        raise DescriptionError([Problem(file, 1, "", document, "not a mapping", f"keys {', '.join(KEYS)}")])
    for key, value in document.items():
        if key not in KEYS:
            fault = unknown_key(key, value, KEYS)
            problems.append(Problem(file, document.marks[key].line, key, value, fault.message, fault.expected))
    if document.get("format", ABSENT) != FORMAT:
        mark = document.marks.get("format", document.mark)
        found = document.get("format", ABSENT)
        problems.append(
            Problem(file, mark.line, "format", found, "not a format this version reads", f"format: {FORMAT}")
        )
    for key in ("name", "title", "robot"):
        fault = title_fault(document[key]) if document.get(key) is not None else None
        if fault is not None:
            problems.append(Problem(file, document.marks[key].line, key, fault.value, fault.message, fault.expected))
    if "motion" not in document:
        problems.append(
            Problem(file, document.mark.line, "motion", ABSENT, "a required key is missing", "the key 'motion'")
        )
        raise DescriptionError(problems)
    motion, more = motion_in(document["motion"], document.marks["motion"], file, model)
    problems += more
    if problems or motion is None:
        raise DescriptionError(sorted(problems, key=lambda p: p.line or 0))
    warn_of_angles(document, file, {})
    name, title, robot = (document.get(key) for key in ("name", "title", "robot"))
    return NamedMotion(one_line(name or Path(file).stem), one_line(title or ""), robot, motion)


def motion_in(data: Any, mark: Mark, file: str, model: "Model | None" = None) -> tuple[Motion | None, list[Problem]]:
    """(the motion written at a place of a document, everything that is wrong there)."""
    home = None if model is None or not model.mechanism.has_platform else np.asarray(model.home_pose)
    return _MotionReader(file, home, model).motion(data, mark)


def _with_example(problems: list[Problem], family: str) -> list[Problem]:
    """The problems of a family; where keys are wrong or missing, or do not go together, the last one shows how it is written."""
    shown = [k for k, p in enumerate(problems) if "key" in p.message or p.value is ABSENT]
    if not shown:
        return problems
    last = problems[shown[-1]]
    problems[shown[-1]] = replace(last, example=f"{family}: {EXAMPLES[family]}")
    return problems


class _MotionReader:
    def __init__(self, file: str, home: np.ndarray | None, model: "Model | None") -> None:
        self.file, self.home, self.model = file, home, model

    def motion(self, data: Any, mark: Mark) -> tuple[Motion | None, list[Problem]]:
        if isinstance(data, str):
            return self._named(data, mark)
        if isinstance(data, Seq):
            return self._sequence(data, mark)
        if not isinstance(data, Map):
            return None, [
                self._problem(mark, data, "not a motion", f"one of {', '.join(FAMILIES)}, a list of them, or a name")
            ]
        return self._one(data, mark)

    def _problem(self, mark: Mark, value: Any, message: str, expected: str = "") -> Problem:
        return Problem(self.file, mark.line, mark.path, value, message, expected)

    def _named(self, name: str, mark: Mark) -> tuple[Motion | None, list[Problem]]:
        if name not in motion_names():
            return None, [self._problem(mark, name, "no motion of this name", nearest(name, motion_names()))]
        return named_motion(name), []

    def _one(self, data: Map, mark: Mark) -> tuple[Motion | None, list[Problem]]:
        problems = [
            self._problem(data.marks[key], value, fault.message, fault.expected)
            for key, value in data.items()
            if key not in (*FAMILIES, *BESIDE)
            for fault in [unknown_key(key, value, [*FAMILIES, *BESIDE])]
        ]
        families = [key for key in data if key in FAMILIES]
        if len(families) != 1:
            said = "no motion" if not families else f"{len(families)} motions ({', '.join(families)})"
            problems.append(self._problem(mark, ABSENT, said, f"one of {', '.join(FAMILIES)}; several as a list"))
        factor, more = self._factor(data)
        shaped, worse = self._shaped(data)
        problems += [*more, *worse]
        if problems:
            return None, problems
        key = families[0]
        try:
            item = FAMILIES[key].model_validate(data[key], context={"reading": True})
        except ValidationError as error:
            return None, _with_example([self._located(data, key, fault) for fault in faults_of(error)], key)
        try:
            if isinstance(item, QuietItem):
                made = item.quiet_motion(self.home, self.model)
            else:
                made = item.motion(self.home, Path(self.file).parent)
        except UsageError as error:
            return None, _with_example([self._problem(data.marks[key], ABSENT, str(error))], key)
        except GoughError as error:
            return None, [self._problem(data.marks[key], ABSENT, str(error))]
        problems = self._unit_problems(data, key, made)
        if problems:
            return None, problems
        made = made if factor is None else made.slower(factor)
        try:
            return made if shaped is None else shaped.shaped_motion(made, self.model), []
        except GoughError as error:
            return None, [self._problem(data.marks["shape"], ABSENT, str(error))]

    def _shaped(self, data: Map) -> tuple[ShapeItem | None, list[Problem]]:
        given = data.get("shape")
        if given is None:
            return None, []
        try:
            plain = {"shaper": given} if isinstance(given, str) else given
            return ShapeItem.model_validate(plain, context={"reading": True}), []
        except ValidationError as error:
            return None, [self._located(data, "shape", fault) for fault in faults_of(error)]

    def _unit_problems(self, data: Map, key: str, made: Motion) -> list[Problem]:
        """What the robot's drives and joints do not measure so, at its place."""
        if self.model is None:
            return []
        from gough.simulation.motion.targets import unit_problems

        found = []
        for name, problem in unit_problems(self.model, made):
            named = data[key].get(made.kind)
            mark = locate(data, (key, made.kind, name) if isinstance(named, Map) and name in named else (key,))[0]
            found.append(self._problem(mark, ABSENT, problem))
        return found

    def _factor(self, data: Map) -> tuple[float | None, list[Problem]]:
        if "slower" not in data:
            return None, []
        fault = number_fault(data["slower"], ("number",), "positive")
        if fault is not None:
            return None, [self._problem(data.marks["slower"], data["slower"], fault.message, fault.expected)]
        return float(data["slower"]), []

    def _located(self, data: Map, key: str, fault: Fault) -> Problem:
        mark, value = locate(data, (key, *fault.place))
        plain = value if isinstance(value, str | int | float) or value is ABSENT else fault.value
        return self._problem(mark, plain, fault.message, fault.expected)

    def _sequence(self, data: Seq, mark: Mark) -> tuple[Motion | None, list[Problem]]:
        parts: list[Motion] = []
        problems: list[Problem] = []
        waiting = 0.0
        for entry, place in zip(data, data.marks, strict=True):
            if isinstance(entry, Map) and set(entry) == {"hold"}:
                fault = number_fault(entry["hold"], ("time",), "positive")
                if fault is not None:
                    problems.append(self._problem(entry.marks["hold"], entry["hold"], fault.message, fault.expected))
                    continue
                seconds = convert(entry["hold"], ("time",)) if isinstance(entry["hold"], str) else float(entry["hold"])
                if parts:
                    parts.append(rest(parts[-1], seconds))
                else:
                    waiting += seconds  # before the first motion: rest where it begins
                continue
            made, more = self.motion(entry, place)
            problems += more
            if made is not None:
                parts += [rest(made, waiting, end=False), made] if waiting else [made]
                waiting = 0.0
        if problems or not parts:
            return None, problems or [self._problem(mark, ABSENT, "a list without a motion", "at least one motion")]
        try:
            return chain(parts) if len(parts) > 1 else parts[0], []
        except UsageError as error:
            return None, [self._problem(mark, ABSENT, str(error))]
