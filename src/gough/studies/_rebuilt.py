"""A design by the model of its own description alone: the same questions, and the same assembly.

The home of a description is a guess from which its loops are closed. In another design the same guess may lead to another
assembly, or to none: the home pose may be out of its reach though it takes all cases, or a formula of home have no number. Then
the design stands elsewhere: at the description's home as the study closes it, else in the first state that it takes.
"""

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.errors import GoughError, HomeWarning, warn
from gough.model import build
from gough.robot import DescriptionError, Robot
from gough.robot.expressions.varying import read_again
from gough.robot.robot import DOCUMENT_KEYS
from gough.robot.tree import guided_home, platform_joint
from gough.robot.writer import robot_data
from gough.studies.quantities import Conditions
from gough.studies.study.cases import StudyCase
from gough.studies.study.evaluation import Evaluator
from gough.studies.study.making import pose_case
from gough.studies.study.measures import StateMeasure, make_measure
from gough.studies.study.study import with_numbers
from gough.studies.study.variables import DesignSpace

if TYPE_CHECKING:
    from gough.model import Model
    from gough.studies.study.study import Study

SAME = 1e-6
"""Of places of bodies, over the robot's size, and of their rotation matrices."""
States = Mapping[str, np.ndarray]


def evaluator_on(evaluator: Evaluator, model: "Model") -> Evaluator:
    """The same questions to another model."""
    cases = {name: case.settle(model) for name, case in evaluator.cases.items()}
    measures = []
    for m in evaluator.measures:
        if isinstance(m, StateMeasure):
            made = make_measure(m.name, m.text, model, cases[m.case], m.reduce)
            if isinstance(m.quantity, Conditions):  # one characteristic length for all designs
                made = replace(made, quantity=replace(m.quantity, length=evaluator.space.model.size))
            measures.append(made)
        else:
            measures.append(replace(m, model=model))
    space = DesignSpace(model, ())
    return Evaluator(space, cases, tuple(measures), evaluator.objectives, evaluator.constraints)


def robot_of_design(study: "Study", x: np.ndarray, source: str) -> Robot:
    """The description of variables x (k,), which stands in its cases as the study has it: as it is where its home leads there,
    else with a home that does. A HomeWarning where none is found. source: where its numbers come from."""
    evaluator, numbers = study.evaluator, dict(zip(study.variables, x.tolist(), strict=True))
    design = evaluator.space.designs(x[None])[0]
    rows = replace(evaluator, tolerances=None).followed_variables(x[None])
    wanted = _states(evaluator.cases, design, rows)
    try:
        robot = study.robot_at(numbers, source)
    except DescriptionError:  # a formula of its home has no number, perhaps
        if not wanted or not _may_move(study.robot):
            raise
        moved = _with_home(study.robot, evaluator.space.model, next(iter(wanted.values()))[0])
        robot = with_numbers(moved, numbers, source)
    if not wanted:
        return robot
    if not _not_standing(evaluator, robot, design, wanted):
        made = _closed(robot, evaluator.space.model) if _may_move(robot) else robot
        return made if made is robot or not _not_standing(evaluator, made, design, wanted) else robot
    if _may_move(robot):
        for q in _homes(evaluator, wanted, design):
            made = _with_home(robot, evaluator.space.model, q)
            if not _not_standing(evaluator, made, design, wanted):
                return made
    said = _not_standing(evaluator, robot, design, wanted, turns=False)
    if said:  # else bodies alone that may spin freely are turned otherwise
        warn(
            f"{robot.name}: the description of this design does not lead to where the study has it: {said}. Give a home from "
            "which all designs are assembled: joints that follow variables, or a pose that all of them reach",
            HomeWarning,
        )
    return robot


def _closed(robot: Robot, asked: "Model") -> Robot:
    """The robot with its home as its loops close there, where joints stated for another design are far from that; else itself."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        model = build(robot, asked.free, asked.asked).unlocked
    if not any(issubclass(w.category, HomeWarning) for w in said):
        return robot
    return _with_home(robot, model, model.home)


def _may_move(robot: Robot) -> bool:
    """Whether a home is written as a pose and joints."""
    return platform_joint(robot) is None or robot.home.pose is not None


def _states(cases: Mapping[str, StudyCase], design: np.ndarray, rows: np.ndarray | None = None) -> States:
    """{case: q (s, nq)} of a design (1, m), of the states that it takes."""
    found = {name: case.states_of(design, variables=rows) for name, case in cases.items()}
    return {name: f.q[0, ~f.missed[0]] for name, f in found.items() if not f.missed.all()}


def _not_standing(evaluator: Evaluator, robot: Robot, design: np.ndarray, wanted: States, turns: bool = True) -> str:
    """What keeps the model of a description from standing as wanted; "" where it does. turns: whether bodies must be turned
    alike, too."""
    asked = evaluator.space.model
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = build(robot, asked.free, asked.asked).unlocked
            own = model.parameters[None]
            found = _states({name: case.settle(model) for name, case in evaluator.cases.items()}, own)
    except GoughError as problem:
        return str(problem)
    for name, q in wanted.items():
        here = found.get(name, q[:0])
        if len(here) != len(q):
            return f"in case {name!r} it takes {len(here)} states and not {len(q)}"
        places, others = _poses(model, here, own[0]), _poses(asked, q, design[0])
        off = [np.abs(a - b).max(initial=0.0) for a, b in zip(places, others, strict=True)]
        if off[0] > SAME * asked.size or (turns and off[1] > SAME):
            return f"in case {name!r} it is in another assembly"
    return ""


def _poses(model: "Model", q: np.ndarray, design: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(places (s, bodies, 3), rotations (s, bodies, 3, 3)) of all bodies."""
    found = model.function("link_poses").values(q=q, parameters=design)
    return found["positions"], found["rotations"]


def _homes(evaluator: Evaluator, wanted: States, design: np.ndarray) -> Iterator[np.ndarray]:
    """Configurations (nq,) of a design in which it may stand at home, that of the description first."""
    model = evaluator.space.model
    led = [k for k in model.mechanism.links if k.nu == 1 and k.u in model.mechanism.selection.independent]
    names = [] if model.mechanism.has_platform else [model.layout.q_names[k.q] for k in led]
    try:
        home = pose_case("home", model, [{n: float(model.home[model.layout.index(n)]) for n in names}])
        found = home.states_of(design)
        if found.good[0]:
            yield found.q[0, 0]
    except GoughError:  # it is led by coordinates that cannot be named
        pass
    yield next(iter(wanted.values()))[0]


def _with_home(robot: Robot, model: "Model", q: np.ndarray) -> Robot:
    """The robot with a home at a configuration (nq,)."""
    data: dict[str, Any] = {key: x for key, x in robot_data(robot).items() if key in DOCUMENT_KEYS}
    home: dict[str, Any] = dict(data.get("home") or {})
    guide, joints = guided_home(robot), dict[str, Any]()
    for link in model.mechanism.links:
        if not (link.is_platform or link.joint in guide):
            joints.setdefault(link.joint, []).extend(q[link.q : link.q + link.nq].tolist())
    home["joints"] = {name: own[0] if len(own) == 1 else own for name, own in joints.items() if own}
    if robot.home.pose is not None and model.mechanism.has_platform:
        home["pose"] = {"position": q[:3].tolist(), "quaternion_wxyz": q[3:7].tolist()}
    return read_again(robot, data | {"home": home}, "another home", quiet=True)
