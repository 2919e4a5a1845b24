"""Studies from YAML or plain data: everything that is wrong is told at once, with file, line and place. Keys: see `_items`."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic import ValidationError

from gough.arguments import a_robot, checked, mapping, path
from gough.interchange import load
from gough.interchange.loading import SUFFIXES
from gough.model import build
from gough.robot.errors import ABSENT, DescriptionError, Problem
from gough.robot.item import faults_of, nearest
from gough.robot.reader import Map, Mark, read, read_document
from gough.robot.robot import Robot
from gough.structure.changing.names import names_meant
from gough.studies._search import StudySearch, demand_optimisers
from gough.studies.quantities import FollowsVariables, limit_variables
from gough.studies.study._case_text import YAML, CaseText
from gough.studies.study._items import FORMAT, StudyItem
from gough.studies.study._text import Place
from gough.studies.study._tolerance_text import ToleranceText
from gough.studies.study.cases import StudyCase
from gough.studies.study.evaluation import Constraint, Evaluator, Objective
from gough.studies.study.measures import Measure, StateMeasure, WorkspaceMeasure, demand_measure, make_measure
from gough.studies.study.study import Study
from gough.studies.study.variables import DesignSpace, StudyVariable, check_variables

if TYPE_CHECKING:
    from gough.model import Model

TRIES = 4
"""Of reading what is left when what is wrong by itself is left out."""


@checked(file=path, robot=a_robot | path)
def load_study(file: str | Path, robot: "str | Path | Robot | None" = None) -> Study:
    """A study from a YAML file. robot: another than it names.

    Raises DescriptionError with all problems at once; FileNotFoundError where there is no such file.
    """
    return read_study(read_document(Path(file)), str(file), robot)


def read_study(text: str, file: str = "<text>", robot: "str | Path | Robot | None" = None) -> Study:
    """A study from YAML text; file is the name that messages use, and relative paths start from its folder."""
    document, problems = read(text, file)
    if problems:
        raise DescriptionError(problems)
    if not isinstance(document, Map):
        keys = ", ".join(StudyItem.written_keys())
        raise DescriptionError([Problem(file, 1, "", document, "not a mapping", f"keys {keys}")])
    return _StudyReading(document, file, robot, text).study()


@checked(data=mapping())
def make_study(data: Mapping[str, Any]) -> Study:
    """A study from plain data with the keys of its files; robot may be a gough.Robot, a motion a gough.Motion."""
    document = Map({"format": FORMAT} | dict(data))
    document.mark, document.marks = Mark(0, ""), {}
    return _StudyReading(document, "<study>", None, "").study()


class _StudyReading(CaseText, ToleranceText):
    def __init__(self, document: Map, file: str, robot: "str | Path | Robot | None", text: str) -> None:
        super().__init__(document, file)
        self.robot, self.text = robot, text
        self.spoilt: set[str] = set()

    def study(self) -> Study:
        if self.document.get("format", ABSENT) != FORMAT:
            self.complain(("format",), "not a format this version reads", f"format: {FORMAT}")
        item = self._item()
        if item is not None:
            self.read_saved(item)
        model = None if item is None else self.attempt(("robot",), lambda: self._model(item))
        if item is None or model is None:
            raise self._failure()
        self._check_names(item)
        space = self._space(item, model)
        tolerances = self.read_tolerances(item, space)
        ends, varied = space.designs(space.corners())[0], frozenset(item.variables)
        if tolerances is not None:
            ends = np.concatenate([ends, tolerances.designs(space, space.start[None])[0]])
        cases = {
            n: c for n, own in item.cases.items() if (c := self.read_case(n, own, model, ends, varied)) is not None
        }
        followed = {v for case in cases.values() if case.follows is not None for v in case.follows.variables}
        for name, why in check_variables(model, space.variables, followed):
            self.complain(("variables", name), why)
        measures = self._measures(item, model, cases)
        units = {m.name: m.unit for m in measures}
        bounds = [self._constraint(name, item, units) for name in item.constraints]
        constraints = tuple(b for b in bounds if b is not None)
        objectives = self._objectives(item, set(self._written("measures")))
        own = item.search.model_dump(exclude={"method", "source", "budget"})
        own["budget"] = self._budget(item.search.budget)
        search = self.attempt(("search",), lambda: StudySearch.of(item.search.method, **own))
        if self.problems or search is None:
            raise self._failure()
        evaluator = Evaluator(space, cases, tuple(measures), objectives, constraints, tolerances)
        self.attempt(("search",), partial(demand_optimisers, search.method, search.solver))
        if search.method in ("gradient", "evolution") and not objectives:
            self.complain(("search", "method"), f"{search.method} without an objective", "minimise or maximise")
        if search.generations == "nsga3" and len(objectives) == 1:
            self.complain(("search", "generations"), "nsga3 spreads several objectives, and this is one", "nsga2")
        if search.method == "gradient":
            self.attempt(("search", "method"), evaluator.demand_gradients)
        if not measures and "measures" not in self.spoilt:
            self.complain(("measures",), "a study without measures", "what is asked of designs")
        if self.problems:
            raise self._failure()
        name = item.name or ("study" if self.file == "<study>" else Path(self.file).stem)
        keep = item.keep or ("front" if objectives else "all")
        return Study(name, evaluator, search, keep, item.title or "", self.text, self.file if self.text else "")

    def _failure(self) -> DescriptionError:
        return DescriptionError(sorted(self.problems, key=lambda p: p.line or 0))

    def _item(self) -> StudyItem | None:
        """What is written; what is wrong by itself is told and left out, so that the rest is looked at, too."""
        data, told = Map(self.document), set[Place]()
        if self.robot is not None:
            data["robot"] = "given"
        for _ in range(TRIES):
            try:
                return StudyItem.model_validate(data, context={"reading": True})
            except ValidationError as error:
                faults = faults_of(error)
            for fault in faults:
                if fault.place in told:
                    continue  # it is missing because it was left out
                told.add(fault.place)
                plain = fault.value if isinstance(fault.value, str | int | float) else ABSENT
                self.complain(fault.place, fault.message, fault.expected, plain)
            data = Map(_without(data, [fault.place for fault in faults]))
            for key in {"variables", "measures"} - {*data}:
                self.spoilt.add(key)
                data[key] = {}
            if "robot" not in data:
                return None
        return None

    def _check_names(self, item: StudyItem) -> None:
        """Names of measures and cases stand in tables and pages."""
        for key, names in (("measures", item.measures), ("cases", item.cases)):
            for name in names:
                if not name.strip() or not name.isprintable() or '"' in name:
                    self.complain((key, name), f"not a name: {name!r}", "characters that print, without quotes")

    def _budget(self, value: Any) -> float | None:
        place = ("search", "budget")
        found = None if value is None else self.in_unit(place, value, "s")
        if found is not None and found <= 0:
            self.complain(place, "not a time", "a time above 0, such as 10 min")
        return found

    def _written(self, key: str) -> list[str]:
        """Names under a key of the document, right or wrong: what is wrong with them is said once."""
        found = self.document.get(key)
        return [str(name) for name in found] if isinstance(found, Mapping) else []

    def _model(self, item: StudyItem) -> "Model":
        given = self.robot if self.robot is not None else item.robot
        if isinstance(given, str):
            given = self.folder / given if given.endswith((*YAML, ".xml", *SUFFIXES)) and self.robot is None else given
        robot = given if isinstance(given, Robot) else load(given)
        known = set(robot.variables)
        free = [name for name in item.variables if name not in known]
        carried = any(case.payload is not None for case in item.cases.values())
        lead = item.velocities
        first = build(robot, velocities=lead)
        folded = {first.parameter_names[i] for i in first.pattern}
        free = [name for name in [*free, *self.moved_parameters(item, first)] if name in folded]
        free += [f"{first.mechanism.platform.name}.*"] if carried and first.mechanism.has_platform else []
        return (build(robot, free, lead) if free else first).unlocked

    def _space(self, item: StudyItem, model: "Model") -> DesignSpace:
        found = []
        for name, own in item.variables.items():
            place = ("variables", name)
            if name not in (*model.variables.names, *model.parameter_names):
                known = list(model.variables.names) or list(model.parameter_names)
                told = f"neither a variable of {model.robot.name} nor a parameter"
                self.complain(place, told, nearest(name, known), name)
                continue
            numbers = [
                self.value((*place, key), name, x, model)
                for key, x in (("from", own.lower), ("to", own.upper), ("step", own.step))
            ]
            if numbers[0] is not None and numbers[1] is not None:
                unit = self.unit(name, model)
                found.append(StudyVariable(name, numbers[0], numbers[1], numbers[2], unit))
        if not item.variables and not self._written("variables"):
            self.complain(("variables",), "a study varies at least one number", "variables with bounds")
        return DesignSpace(model, tuple(found))

    def _measures(self, item: StudyItem, model: "Model", cases: Mapping[str, StudyCase]) -> list[Measure]:
        out: list[Measure] = []
        for name, own in item.measures.items():
            place, case = ("measures", name), own.case
            if case is not None and case not in (known := self._written("cases")):
                self.complain((*place, "case"), f"no case {case!r}", nearest(case, known or ["cases:"]))
            if case is not None and case not in cases:
                self.attempt(place, partial(demand_measure, name, own.measure, own.reduce))
                continue  # what is wrong with its case was said
            found = self.attempt(
                place, partial(make_measure, name, own.measure, model, cases.get(case or ""), own.reduce)
            )
            self._check_limits(place, found, item, model)
            out += [] if found is None else [found]
        return out

    def _check_limits(self, place: Place, found: Measure | None, item: StudyItem, model: "Model") -> None:
        """Limits that follow a variable of the study, or one with a deviation, would stay where they are."""
        deviating = item.tolerances.deviations if item.tolerances is not None else ()
        varied = {*item.variables, *(n for name in deviating for n in names_meant(name, model.variables.names))}
        counted = isinstance(found, WorkspaceMeasure) or (
            isinstance(found, StateMeasure) and isinstance(found.quantity, FollowsVariables)
        )
        moved = sorted(limit_variables(model) & varied) if counted else []
        if moved:
            what = f"limits of {model.robot.name} follow {', '.join(moved)}, which the study varies; they would stay as they are"
            self.complain(place, what, "limits that are numbers, or other variables")

    def _objectives(self, item: StudyItem, known: set[str]) -> tuple[Objective, ...]:
        out = []
        for key, sense in (("minimise", 1.0), ("maximise", -1.0)):
            for name in getattr(item, key):
                if name not in known:
                    self.complain((key,), f"no measure {name!r}", nearest(name, sorted(known) or ["measures:"]), name)
                else:
                    out.append(Objective(name, sense))
        names = [o.measure for o in out]
        for name in sorted({n for n in names if names.count(n) > 1}):
            self.complain(("minimise",), f"{name!r} is named twice among objectives", "each once", name)
        return tuple(out)

    def _constraint(self, name: str, item: StudyItem, units: Mapping[str, str]) -> Constraint | None:
        place, own = ("constraints", name), item.constraints[name]
        if name not in (known := self._written("measures")):
            self.complain(place, f"no measure {name!r}", nearest(name, known or ["measures:"]), name)
            return None
        if name not in units:
            return None  # what is wrong with the measure was said
        unit = units[name]
        texts = [x for x in (own.at_least, own.at_most) if isinstance(x, str)]
        if texts and " or " in unit:
            told = f"{texts[0]!r} bounds numbers in {unit}"
            self.complain(
                place, told, "measures of one unit each (names behind a colon), or a number that holds for all"
            )
            return None
        low, high = (
            None if x is None else self.in_unit((*place, key), x, unit)
            for key, x in (("at_least", own.at_least), ("at_most", own.at_most))
        )
        if low is not None and high is not None and low > high:
            self.complain(place, f"at least {low:g} and at most {high:g}", "bounds that some number fulfils")
        return Constraint(name, low, high)


def _without(data: Mapping[str, Any], places: Sequence[Place]) -> dict[str, Any]:
    """A copy of plain data without what is at some places, each as far as there is something."""
    out = {}
    for key, value in data.items():
        own = [place[1:] for place in places if place and place[0] == key]
        if any(not rest or not isinstance(value, Mapping) or rest[0] not in value for rest in own):
            continue
        out[key] = _without(value, own) if own and isinstance(value, Mapping) else value
    return out
