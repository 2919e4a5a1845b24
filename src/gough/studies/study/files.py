"""Studies from YAML or plain data: everything that is wrong is told at once, with file, line and place. Keys: see `_items`."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic import ValidationError

from gough.arguments import a_robot, checked, mapping, path
from gough.errors import GoughError
from gough.interchange import load
from gough.interchange.loading import SUFFIXES
from gough.kinematics.leading import coordinate_units
from gough.model import build
from gough.robot.errors import ABSENT, DescriptionError, Problem
from gough.robot.expressions.varying import parse_value
from gough.robot.item import faults_of, nearest
from gough.robot.loader import locate
from gough.robot.reader import Map, Mark, Seq, read, read_document
from gough.robot.robot import Robot
from gough.robot.units import UnitError, parse
from gough.simulation.motion.files import load_motion, motion_in
from gough.simulation.motion.motion import Motion
from gough.studies._search import StudySearch
from gough.studies.quantities import FollowsVariables, limit_variables
from gough.studies.study._grid import PoseGrid
from gough.studies.study._items import FORMAT, MOST_STATES, CaseItem, StudyItem
from gough.studies.study.cases import StudyCase, motion_case, pose_case
from gough.studies.study.evaluation import Constraint, Evaluator, Objective, Tolerances
from gough.studies.study.measures import Measure, StateMeasure, WorkspaceMeasure, make_measure
from gough.studies.study.study import Study
from gough.studies.study.variables import DesignSpace, StudyVariable, check_variables

if TYPE_CHECKING:
    from gough.model import Model

YAML = (".yaml", ".yml")
SAMPLES = 100
Place = tuple[Any, ...]


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


class _StudyReading:
    def __init__(self, document: Map, file: str, robot: "str | Path | Robot | None", text: str) -> None:
        self.document, self.file, self.robot, self.text = document, file, robot, text
        self.folder = Path(file).parent
        self.problems: list[Problem] = []

    def complain(self, place: Place, message: str, expected: str = "", value: Any = ABSENT) -> None:
        mark, found = locate(self.document, place)
        plain = found if isinstance(found, str | int | float) else value
        path = mark.path if mark.line and mark.path else _spell(place)
        self.problems.append(Problem(self.file, mark.line or None, path, plain, message, expected))

    def attempt(self, place: Place, make: Callable[[], Any]) -> Any:
        """What is made, or None with a complaint."""
        try:
            return make()
        except DescriptionError as error:
            self.problems += error.problems
        except (GoughError, OSError) as error:
            self.complain(place, str(error))
        return None

    def study(self) -> Study:
        if self.document.get("format", ABSENT) != FORMAT:
            self.complain(("format",), "not a format this version reads", f"format: {FORMAT}")
        item = self._item()
        model = None if item is None else self.attempt(("robot",), lambda: self._model(item))
        if item is None or model is None:
            raise self._failure()
        space = self._space(item, model)
        cases = {n: c for n, own in item.cases.items() if (c := self._case(n, own, space)) is not None}
        measures = self._measures(item, model, cases)
        units = {m.name: m.unit for m in measures}
        bounds = [self._constraint(name, item, units) for name in item.constraints]
        constraints = tuple(b for b in bounds if b is not None)
        objectives = self._objectives(item, set(item.measures))
        tolerances = self._tolerances(item, space)
        own = item.search.model_dump(exclude={"method", "source"})
        search = self.attempt(("search",), lambda: StudySearch.of(item.search.method, **own))
        if self.problems or search is None:
            raise self._failure()
        evaluator = Evaluator(space, cases, tuple(measures), objectives, constraints, tolerances)
        if search.method in ("gradient", "evolution") and not objectives:
            self.complain(("search", "method"), f"{search.method} without an objective", "minimise or maximise")
        if search.method == "gradient":
            self.attempt(("search", "method"), evaluator.demand_gradients)
        if not measures:
            self.complain(("measures",), "a study without measures", "what is asked of designs")
        if self.problems:
            raise self._failure()
        name = item.name or ("study" if self.file == "<study>" else Path(self.file).stem)
        keep = item.keep or ("front" if objectives else "all")
        return Study(name, evaluator, search, keep, item.title or "", self.text, self.file if self.text else "")

    def _failure(self) -> DescriptionError:
        return DescriptionError(sorted(self.problems, key=lambda p: p.line or 0))

    def _item(self) -> StudyItem | None:
        data = Map(self.document)
        if self.robot is not None:
            data["robot"] = "given"
        try:
            return StudyItem.model_validate(data, context={"reading": True})
        except ValidationError as error:
            for fault in faults_of(error):
                plain = fault.value if isinstance(fault.value, str | int | float) else ABSENT
                self.complain(fault.place, fault.message, fault.expected, plain)
        return None

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
        free = [name for name in free if name in folded]
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
                self._value((*place, key), name, x, model)
                for key, x in (("from", own.lower), ("to", own.upper), ("step", own.step))
            ]
            if numbers[0] is not None and numbers[1] is not None:
                unit = self._unit(name, model)
                found.append(StudyVariable(name, numbers[0], numbers[1], numbers[2], unit))
        for name, why in check_variables(model, found):
            self.complain(("variables", name), why)
        if not item.variables:
            self.complain(("variables",), "a study varies at least one number", "variables with bounds")
        return DesignSpace(model, tuple(found))

    def _unit(self, name: str, model: "Model") -> str:
        known, table = model.variables, model.mechanism.table
        if name in known.names:
            return known.units[known.names.index(name)]
        return table.units[table.names.index(name)] if name in table.names else ""

    def _value(self, place: Place, name: str, value: Any, model: "Model") -> float | None:
        """A number of a variable in SI units; None with a complaint, or where nothing is written."""
        if value is None:
            return None
        if isinstance(value, str):
            if name in model.variables.names:
                return self.attempt(place, lambda: parse_value(model.robot, name, value))
            return self._in_unit(place, value, self._unit(name, model))
        return self._plain(place, value)

    def _plain(self, place: Place, value: Any) -> float | None:
        if isinstance(value, bool) or not isinstance(value, int | float) or not np.isfinite(value):
            self.complain(place, "not a number", "a number in SI units, or a text with a unit")
            return None
        return float(value)

    def _in_unit(self, place: Place, value: Any, unit: str) -> float | None:
        """A number, or a text with a unit of the same dimension, in SI units."""
        if not isinstance(value, str):
            return self._plain(place, value)
        try:
            number, dimension = parse(value)
        except UnitError as error:
            self.complain(place, str(error), f"a number in {unit or 'SI units'}")
            return None
        try:
            wanted = parse(f"1 {unit.replace(' ', '.')}")[1] if unit not in ("", "1") else (0, 0, 0, 0)
        except UnitError:
            wanted = dimension
        if dimension != wanted:
            self.complain(place, "a unit of another dimension", f"a number in {unit}")
            return None
        return number

    def _case(self, name: str, item: CaseItem, space: DesignSpace) -> StudyCase | None:
        place, model = ("cases", name), space.model
        wrench = self._wrench((*place, "wrench"), item.wrench, model)
        if item.motion is not None:
            motion = self._motion((*place, "motion"), item.motion, model)
            samples = item.samples or SAMPLES
            if motion is None:
                return None
            ends = space.designs(space.corners())[0]
            return self.attempt(place, lambda: motion_case(name, model, motion, samples, wrench, item.payload, ends))
        grid = None if item.grid is None else self._grid((*place, "grid"), item.grid, model)
        poses = self._poses((*place, "poses"), item.poses, model) if item.grid is None else grid and grid.poses()
        if poses is None:
            return None
        return self.attempt(place, lambda: pose_case(name, model, poses, wrench, item.payload, grid))

    def _motion(self, place: Place, data: Any, model: "Model") -> Motion | None:
        if isinstance(data, Motion):
            return data
        if isinstance(data, str) and data.endswith(YAML):
            return self.attempt(place, lambda: load_motion(self.folder / data, model))
        mark = locate(self.document, place)[0]
        motion, more = motion_in(_marked(data, mark), mark, self.file, model)
        self.problems += more
        return motion

    def _wrench(self, place: Place, data: Any, model: "Model") -> Any:
        if data is None:
            return None
        rows = data if isinstance(data, Mapping) else {"": data}
        out = {}
        for frame, row in rows.items():
            where = (*place, frame) if frame else place
            if frame and frame not in model.mechanism.frames:
                self.complain(where, f"no frame {frame!r}", nearest(str(frame), list(model.mechanism.frames)), frame)
                continue
            if not isinstance(row, list | tuple) or len(row) != 6:
                self.complain(where, "not a wrench", "[fx, fy, fz, mx, my, mz], or {frame: such a list}")
                continue
            units = ("N",) * 3 + ("N.m",) * 3
            found = [self._in_unit((*where, k), x, u) for k, (x, u) in enumerate(zip(row, units, strict=True))]
            out[frame] = np.array([x or 0.0 for x in found])
        return out.get("") if "" in out else out

    def _coordinate(self, place: Place, name: str, value: Any, model: "Model") -> float | None:
        known = coordinate_units(model)
        if name not in known:
            self.complain(place, f"no coordinate {name!r}", nearest(str(name), list(known)))
            return None
        return self._in_unit(place, value, known[name])

    def _poses(self, place: Place, data: Any, model: "Model") -> list[dict[str, float]] | None:
        if not isinstance(data, list | tuple) or not data or not all(isinstance(x, Mapping) for x in data):
            self.complain(
                place, "not a list of poses", "[{x: 0.1, pitch: 10 deg}, {}, …]: coordinates, the rest as at home"
            )
            return None
        out = []
        for k, pose in enumerate(data):
            found = {n: self._coordinate((*place, k, n), n, x, model) for n, x in pose.items()}
            out.append({n: x for n, x in found.items() if x is not None})
        return out

    def _grid(self, place: Place, data: Any, model: "Model") -> PoseGrid | None:
        if not isinstance(data, Mapping) or not data:
            self.complain(place, "not a grid", "{x: [-0.2, 0.2, 9], …}: from, to, points")
            return None
        axes, count, before = {}, 1, len(self.problems)
        for name, row in data.items():
            if not isinstance(row, list | tuple) or len(row) != 3 or type(row[2]) is not int or row[2] < 1:
                self.complain((*place, name), "not an axis of a grid", "[from, to, points]")
                continue
            low, high = (self._coordinate((*place, name), name, x, model) for x in row[:2])
            if low is None or high is None:
                continue
            if low == high and row[2] > 1:
                self.complain((*place, name), f"{row[2]} points from {low:g} to {high:g}", "two ends, or one point")
            count *= row[2]
            axes[name] = (low, high, row[2])
        if count > MOST_STATES:
            self.complain(place, f"a grid of {count} poses", f"at most {MOST_STATES}")
        if len(self.problems) > before:
            return None
        units = coordinate_units(model)
        return PoseGrid(tuple(axes), tuple(units[n] for n in axes), tuple(np.linspace(*x) for x in axes.values()))

    def _measures(self, item: StudyItem, model: "Model", cases: Mapping[str, StudyCase]) -> list[Measure]:
        out: list[Measure] = []
        for name, own in item.measures.items():
            place, case = ("measures", name), own.case
            if case is not None and case not in item.cases:
                self.complain((*place, "case"), f"no case {case!r}", nearest(case, list(item.cases) or ["cases:"]))
                continue
            if case is not None and case not in cases:
                continue  # what is wrong with it was said
            found = self.attempt(
                place, partial(make_measure, name, own.measure, model, cases.get(case or ""), own.reduce)
            )
            self._check_limits(place, found, set(item.variables), model)
            out += [] if found is None else [found]
        return out

    def _check_limits(self, place: Place, found: Measure | None, varied: set[str], model: "Model") -> None:
        """Limits that follow a variable of the study would stay where they are."""
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
        if name not in item.measures:
            self.complain(place, f"no measure {name!r}", nearest(name, list(item.measures) or ["measures:"]), name)
            return None
        if name not in units:
            return None  # what is wrong with the measure was said
        unit = units[name]
        low, high = (
            None if x is None else self._in_unit((*place, key), x, unit)
            for key, x in (("at_least", own.at_least), ("at_most", own.at_most))
        )
        if low is not None and high is not None and low > high:
            self.complain(place, f"at least {low:g} and at most {high:g}", "bounds that some number fulfils")
        return Constraint(name, low, high)

    def _tolerances(self, item: StudyItem, space: DesignSpace) -> Tolerances | None:
        own = item.tolerances
        if own is None:
            return None
        sizes = np.zeros(len(space.variables))
        for name, value in own.deviations.items():
            place = ("tolerances", "deviations", name)
            if name not in space.names:
                self.complain(place, f"{name!r} is not varied", f"one of {', '.join(space.names)}", name)
                continue
            found = self._value(place, name, value, space.model)
            if found is not None and found < 0:
                self.complain(place, "negative", "a width above 0")
            sizes[space.names.index(name)] = found or 0.0
        for name in own.of:
            if name not in item.measures:
                self.complain(("tolerances", "of"), f"no measure {name!r}", nearest(name, list(item.measures)), name)
        rng = np.random.default_rng(own.seed)
        shape = (own.draws, len(sizes))
        drawn = rng.uniform(-1.0, 1.0, shape) if own.distribution == "uniform" else rng.normal(size=shape)
        deviations = np.concatenate([np.zeros((1, len(sizes))), drawn * sizes])
        return Tolerances(deviations, own.quantile, frozenset(own.of))


def _marked(data: Any, mark: Mark) -> Any:
    """Plain data as the reader of motions takes it: with marks, all at one place."""
    if isinstance(data, Map | Seq):
        return data
    if isinstance(data, Mapping):
        made = Map({str(key): _marked(value, mark) for key, value in data.items()})
        made.mark, made.marks = mark, dict.fromkeys(made, mark)
        return made
    if isinstance(data, list | tuple):
        listed = Seq(_marked(x, mark) for x in data)
        listed.mark, listed.marks = mark, [mark] * len(listed)
        return listed
    return data


def _spell(place: Place) -> str:
    return "".join(f"[{x}]" if isinstance(x, int) else f".{x}" for x in place).lstrip(".")
