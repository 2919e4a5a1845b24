"""A study as plain data, and a study of it again: what was read of other files (motions, units) is resolved to numbers.

Cases are kept by their states, measures by the words they were made of, payloads by what they add to parameters by name.
"""

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.model import build
from gough.simulation.motion.paths import Sample
from gough.simulation.motion.targets import MotionTarget
from gough.studies._search import StudySearch
from gough.studies.study._following import FollowedStates
from gough.studies.study._grid import PoseGrid
from gough.studies.study.cases import StudyCase
from gough.studies.study.evaluation import Constraint, Evaluator, Objective, Tolerances
from gough.studies.study.measures import Measure, StateMeasure, WorkspaceMeasure, make_measure
from gough.studies.study.study import Study
from gough.studies.study.variables import DesignSpace, StudyVariable

if TYPE_CHECKING:
    from gough.model import Model
    from gough.robot.robot import Robot

TARGET = ("kind", "columns", "frame", "names", "order", "angles")
"""Of a motion's target, plain as they are."""
Plain = dict[str, Any]


def plain_study(study: Study) -> Plain:
    """All of a study but its robot, as mappings, lists, texts and numbers in SI units."""
    e, model = study.evaluator, study.evaluator.space.model
    asked = model.asked
    t = e.tolerances
    return {
        "name": study.name,
        "title": study.title,
        "free": list(model.free),
        "velocities": asked if asked is None or isinstance(asked, str) else list(asked),
        "variables": [asdict(v) for v in e.space.variables],
        "cases": [_plain_case(case) for case in e.cases.values()],
        "measures": [_plain_measure(m) for m in e.measures],
        "objectives": [asdict(o) for o in e.objectives],
        "constraints": [asdict(c) for c in e.constraints],
        "tolerances": None if t is None else t.plain,
        "search": asdict(study.search),
        "keep": study.keep,
    }


def build_study(data: Plain, robot: "Robot", text: str = "", file: str = "") -> Study:
    """The study that `plain_study` was given. text, file: as it was written, and where."""
    model = build(robot, tuple(data["free"]), data["velocities"]).unlocked
    space = DesignSpace(model, tuple(StudyVariable(**v) for v in data["variables"]))
    cases = {case.name: case for case in (_case(own, model) for own in data["cases"])}
    measures = tuple(
        make_measure(m["name"], m["measure"], model, cases.get(m["case"] or ""), m["reduce"]) for m in data["measures"]
    )
    objectives = tuple(Objective(**o) for o in data["objectives"])
    constraints = tuple(Constraint(**c) for c in data["constraints"])
    told = data["tolerances"]
    tolerances = None if told is None else _tolerances(told)
    evaluator = Evaluator(space, cases, measures, objectives, constraints, tolerances)
    return Study(
        data["name"], evaluator, StudySearch(**data["search"]), data["keep"], data["title"], text=text, file=file
    )


def _tolerances(data: Plain) -> Tolerances:
    more = {key: {n: np.array(x) for n, x in data[key].items()} for key in ("variables", "parameters", "estimates")}
    return Tolerances(np.array(data["deviations"], dtype=float), data["quantile"], frozenset(data["of"]), **more)


def _plain_measure(measure: Measure) -> Plain:
    if isinstance(measure, StateMeasure):
        return {
            "name": measure.name,
            "measure": measure.text,
            "case": measure.case,
            "reduce": measure.reduce,
        }
    if isinstance(measure, WorkspaceMeasure):
        words = f"workspace:{measure.condition!r}" if measure.condition else "workspace"
        return {"name": measure.name, "measure": words, "case": measure.case, "reduce": None}
    return {"name": measure.name, "measure": measure.kind, "case": None, "reduce": None}


def _plain_case(case: StudyCase) -> Plain:
    names, target, sample, grid, wrench = case.model.parameter_names, case.target, case.sample, case.grid, case.wrench
    added = [] if case.added is None else np.flatnonzero(case.added).tolist()
    own = None if sample is None else [x.tolist() for x in (sample.position, sample.velocity, sample.acceleration)]
    return {
        "name": case.name,
        "kind": case.kind,
        "names": list(case.names),
        "position": case.position.tolist(),
        "target": None if target is None else _plain_target(target),
        "sample": own,
        "time": _listed(case.time),
        "wrench": {n: _listed(w) for n, w in wrench.items()} if isinstance(wrench, Mapping) else _listed(wrench),
        "added": None if case.added is None else {names[k]: float(case.added[k]) for k in added},
        "grid": None if grid is None else [list(grid.names), list(grid.units), [x.tolist() for x in grid.values]],
        "follows": None if case.follows is None else case.follows.plain(),
    }


def _plain_target(target: MotionTarget) -> Plain:
    held = {name: _listed(getattr(target, name)) for name in ("on_platform", "turned")}
    return {name: getattr(target, name) for name in TARGET} | held


def _case(data: Plain, model: "Model") -> StudyCase:
    added = None
    if data["added"] is not None:
        added = np.zeros(len(model.parameters))
        for name, x in data["added"].items():
            added[model.parameter_names.index(name)] = x
    wrench, grid, follows = data["wrench"], data["grid"], data.get("follows")
    return StudyCase(
        data["name"],
        model,
        data["kind"],
        tuple(data["names"]),
        np.array(data["position"], dtype=float),
        None if data["target"] is None else _target(data["target"], model),
        None if data["sample"] is None else Sample(*(np.array(x, dtype=float) for x in data["sample"])),
        _array(data["time"]),
        {n: _array(w) for n, w in wrench.items()} if isinstance(wrench, dict) else _array(wrench),
        added,
        None if grid is None else PoseGrid(tuple(grid[0]), tuple(grid[1]), tuple(np.array(x) for x in grid[2])),
        None if follows is None else FollowedStates.of_plain(follows, model),
    )


def _target(data: Plain, model: "Model") -> MotionTarget:
    columns = data["columns"]
    return MotionTarget(
        model,
        data["kind"],
        None if columns is None else tuple(columns),
        data["frame"],
        tuple(data["names"]),
        tuple(data["order"]),
        _array(data["on_platform"]),
        turned=_array(data["turned"]),
        angles=tuple((row, k) for row, k in data["angles"]),
    )


def _listed(x: Any) -> Any:
    return None if x is None else np.asarray(x).tolist()


def _array(x: Any) -> np.ndarray | None:
    return None if x is None else np.array(x, dtype=float)
