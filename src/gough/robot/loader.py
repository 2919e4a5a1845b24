"""Text or file to Robot: read, merge templates, validate, report everything that is wrong at once."""

from collections.abc import Mapping
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from gough.arguments import checked, path, word
from gough.errors import UnitWarning, UnreadableFileError, warn
from gough.robot._leg import Leg
from gough.robot._merge import Merger
from gough.robot.checks.bare_angles import FULL_TURN, angles_without_unit, expressed_angles
from gough.robot.checks.physical import unphysical_bodies
from gough.robot.checks.references import joint_types
from gough.robot.errors import ABSENT, DescriptionError, Problem, UnphysicalInertiaWarning
from gough.robot.expressions import EXPRESSIONS_NEED, WRONG_ITSELF, Scope
from gough.robot.expressions.bare_turns import bare_turns
from gough.robot.expressions.patterns import Complain, expand_patterns, has_lost_entries
from gough.robot.item import FORMAT, Fault, Place, faults_of, no_such_name, unknown_key
from gough.robot.reader import Map, Mark, Seq, read, read_document
from gough.robot.robot import DOCUMENT_KEYS, Platform, Robot
from gough.robot.tree import bodies
from gough.text import exists


def gallery() -> list[str]:
    """The names of the robots that come with the library."""
    folder = resources.files("gough.robot") / "gallery"
    return sorted(entry.name.removesuffix(".yaml") for entry in folder.iterdir() if entry.name.endswith(".yaml"))


@checked(path_or_name=path)
def load(path_or_name: str | Path) -> Robot:
    """A robot from a YAML file, or from the gallery by its name.

    Raises DescriptionError with all problems at once; FileNotFoundError where there is no such file or name.
    """
    path = Path(path_or_name)
    if path.suffix in (".yaml", ".yml") or exists(path):
        return _loads(read_document(path), file=str(path))
    name = str(path_or_name)
    if name not in gallery():
        if path.is_dir():
            raise UnreadableFileError(path, "a folder; give a .yaml file in it, or a name of the gallery")
        raise no_such_name(name, "robot of the gallery", gallery())
    text = (resources.files("gough.robot") / "gallery" / f"{name}.yaml").read_text(encoding="utf-8")
    return _loads(text, file=f"{name}.yaml")


@checked(text=word, file=word)
def loads(text: str, file: str = "<text>") -> Robot:
    """A robot from YAML text; file is the name that messages use."""
    return _loads(text, file)


def _loads(text: str, file: str) -> Robot:
    document, problems = read(text, file)
    if document is None and problems:
        raise DescriptionError(problems)
    if not isinstance(document, Map):
        raise DescriptionError([Problem(file, 1, "", document, "not a mapping", f"keys {', '.join(DOCUMENT_KEYS)}")])
    refused = _format_problem(document, file)
    if refused is not None and isinstance(document.get("format"), int) and document["format"] > FORMAT:
        raise DescriptionError([refused])
    problems += [refused] if refused else []
    written, of_patterns = document, list[Problem]()
    document = expand_patterns(document, _written_format(document), _complaints(of_patterns, file))
    problems += of_patterns
    if has_lost_entries(written, document):
        raise DescriptionError(problems)
    merger = Merger(document, file)
    raw = _robot_data(document, merger)
    problems += merger.problems
    for key, value in document.items():
        if key not in DOCUMENT_KEYS:
            fault = unknown_key(key, value, DOCUMENT_KEYS)
            mark = document.marks[key]
            problems.append(Problem(file, mark.line, mark.path, value, fault.message, fault.expected))
    robot = None
    try:
        context = {"reading": True, "folder": Path(file).parent, "format": _written_format(document)}
        robot = Robot.model_validate(raw, context=context).model_copy(update={"file": file})
    except ValidationError as error:
        told = {(p.line, p.path) for p in of_patterns}
        problems += [p for p in _problems_at(faults_of(error), raw, file) if (p.line, p.path) not in told]
    problems += _unused_templates(merger, file, _written_format(document), document.get("variables"))
    if document.get("variables") and _written_format(document) < 2:  # which is told: expressions of them follow from it
        problems = [p for p in problems if EXPRESSIONS_NEED not in p.message]
    if problems or robot is None:
        chosen = {(p.line, p.path, p.message): p for p in problems}
        raise DescriptionError(sorted(chosen.values(), key=lambda p: p.line or 0))
    robot._lines.update(_flexible_lines(robot, raw))
    robot._folder = str(Path(file).parent.absolute())
    warn_of_angles(raw, file, joint_types(robot))
    _warn_of_expressed_angles(robot, raw, file, Scope(raw.get("variables"), _written_format(document)))
    for finding in unphysical_bodies(robot):
        mark, _ = locate(raw, finding.places[0])
        written = f"{file}:{mark.line}: {mark.path}"
        warn(str(replace(finding, written=written)), UnphysicalInertiaWarning)
    return robot


def _complaints(problems: list[Problem], file: str) -> Complain:
    """What takes note of problems where they are written."""

    def complain(mark: Mark, value: Any, message: str, expected: str) -> None:
        problems.append(Problem(file, mark.line, mark.path, _plain(value), message, expected))

    return complain


def _flexible_lines(robot: Robot, raw: Map) -> dict[str, int]:
    """Lines on which flexible bodies say that they are, by their full names."""
    places: dict[str, Place] = {body.name: ("bodies", i) for i, body in enumerate(robot.bodies)}
    for i, leg in enumerate(robot.legs):
        places |= {
            f"{leg.name}.{joint.body.name}": ("legs", i, "chain", j, "body") for j, joint in enumerate(leg.chain)
        }
    if isinstance(robot.platform, Platform):
        places[robot.platform.name] = ("platform",)
    named = {name: body for name, body in bodies(robot).items() if body.flexible is not None}
    return {name: locate(raw, (*places[name], "flexible"))[0].line for name in named}


def warn_of_angles(raw: Map, file: str, types: Mapping[str, Any]) -> None:
    """Warn of angles of more than a turn without a unit; of what legs share by a template once."""
    told = set()
    for place, x in angles_without_unit(raw, types):
        mark, _ = locate(raw, place)
        if mark not in told:
            told.add(mark)
            turns = abs(x) / FULL_TURN
            said = f"{x:g} without a unit is {x:g} rad, {turns:.3g} turns; write '{x:g} deg' or '{x:g} rad'"
            warn(f"{file}:{mark.line}: {mark.path}: {said}", UnitWarning)


def _warn_of_expressed_angles(robot: Robot, raw: Map, file: str, scope: Scope) -> None:
    """The same of expressions without a unit that give angles, or take the sine of one."""
    said = {
        locate(raw, place)[0]: f"{x.written!r} has no unit and is {float(x):g} rad; give its variables a unit"
        for place, x in expressed_angles(robot, joint_types(robot))
    }
    for place, text, function, x in bare_turns(raw, scope, FULL_TURN):
        said[locate(raw, place)[0]] = (
            f"{text!r} takes the {function} of {x:g} rad, {abs(x) / FULL_TURN:.3g} turns; give the angle a unit: {x:g} deg, or "
            f"{x:g} rad"
        )
    for mark, text in said.items():
        warn(f"{file}:{mark.line}: {mark.path}: {text}", UnitWarning)


def locate(raw: Any, place: Place) -> tuple[Mark, Any]:
    """Where a place of the merged data is written, and the raw value there (ABSENT where it is not written)."""
    node, mark, extra = raw, raw.mark, ""
    steps = [step for step in place if step != "[key]"]
    if len(steps) > 2 and steps[:2] == ["platform", "body"]:
        del steps[1]
    for step in steps:
        if isinstance(node, Map) and not extra and step in node:
            node, mark = node[step], node.marks.get(step, mark)  # type: ignore[index]
        elif isinstance(node, Seq) and not extra and isinstance(step, int) and step < len(node):
            node, mark = node[step], node.marks[step]
        elif not (not isinstance(node, Seq) and not extra and step == 0):  # one in the place of a list of them
            extra += f"[{step}]" if isinstance(step, int) else f".{step}"
    if extra:
        return Mark(mark.line, (mark.path + extra).lstrip(".")), ABSENT
    return mark, node


def _robot_data(document: Map, merger: Merger) -> Map:
    raw = Map((key, value) for key, value in document.items() if key in DOCUMENT_KEYS and value is not None)
    raw.mark, raw.marks = document.mark, document.marks
    for key in ("format", "templates"):
        raw.pop(key, None)
    if "legs" in raw:
        raw["legs"] = merger.legs(document)
    return raw


def _problems_at(faults: list[Fault], raw: Map, file: str) -> list[Problem]:
    problems = []
    for fault in faults:
        if _comes_from_missing_template(fault, raw) or WRONG_ITSELF in fault.message:
            continue  # what is wrong is told where it is written
        mark, value = locate(raw, fault.place)
        problems.append(Problem(file, mark.line, mark.path, _plain(value), fault.message, fault.expected))
    return problems


def _comes_from_missing_template(fault: Fault, raw: Map) -> bool:
    if fault.place[:1] != ("legs",) or len(fault.place) < 3:
        return False
    leg = raw["legs"][fault.place[1]]
    return (
        isinstance(leg, Mapping)
        and "unmerged" in leg
        and fault.place[2] in ("chain", "cut", "loops", "couplings", "unmerged")
    )


def _format_problem(document: Map, file: str) -> Problem | None:
    number = document.get("format", ABSENT)
    mark = document.marks.get("format", document.mark)
    if number is ABSENT:
        return Problem(file, mark.line, "format", ABSENT, "the format is missing", f"format: {FORMAT}")
    if isinstance(number, bool) or not isinstance(number, int):
        return Problem(file, mark.line, "format", number, "not a format", f"format: {FORMAT}")
    if number > FORMAT:
        message = f"format {number} is newer than this version of gough reads"
        return Problem(file, mark.line, "format", number, message, f"format {FORMAT}, or a newer gough")
    if number < 1:
        return Problem(file, mark.line, "format", number, "there is no such format", f"format: {FORMAT}")
    return None


def _written_format(document: Map) -> int:
    """The format a file says it has; the newest where it says none, so that nothing else is held against it."""
    number = document.get("format")
    return number if isinstance(number, int) and number in range(1, FORMAT + 1) else FORMAT


def _unused_templates(merger: Merger, file: str, written: int, variables: Any) -> list[Problem]:
    """A template that no leg takes is checked all the same, except for what a leg might have added."""
    problems: list[Problem] = []
    scope = Scope(variables, written)
    for name, template in merger.templates.items():
        if name in merger.used or not isinstance(template, Map):
            continue
        try:
            parts = {key: template[key] for key in ("chain", "cut", "loops") if key in template}
            context = {"reading": True, "folder": Path(file).parent, "format": written}
            with scope.reading():
                Leg.model_validate({"name": "leg", **parts}, context=context)
        except ValidationError as error:
            problems += _problems_at([fault for fault in faults_of(error) if fault.value is not ABSENT], template, file)
    return problems


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [_plain(entry) for entry in value]
    return value
