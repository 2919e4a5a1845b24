"""Scenarios from YAML, and the named scenarios of the papers. Keys: see `items`."""

from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from gough.arguments import a_robot, checked, flag, path
from gough.errors import GoughError, UsageError
from gough.interchange import load
from gough.interchange.loading import SUFFIXES
from gough.kinematics.leading import coordinate_units
from gough.model import build
from gough.robot.errors import ABSENT, DescriptionError, Problem
from gough.robot.friction import change_friction
from gough.robot.item import faults_of, no_such_name
from gough.robot.loader import locate, warn_of_angles
from gough.robot.reader import Map, read, read_document
from gough.robot.units import misfit
from gough.simulation.control.law import Law
from gough.simulation.motion.files import load_motion, motion_in
from gough.simulation.motion.motion import Motion
from gough.simulation.scenarios._items import FORMAT, ChangesItem, ScenarioItem
from gough.simulation.scenarios.controller import controller_in
from gough.simulation.scenarios.scenario import Outputs, Scenario, Start, rate_units
from gough.text import exists

if TYPE_CHECKING:
    from gough.model import Model
    from gough.robot import Robot

YAML = (".yaml", ".yml")


def scenario_names() -> list[str]:
    """Names of the scenarios that come with the library."""
    folder = resources.files("gough.simulation.scenarios") / "gallery"
    return sorted(entry.name.removesuffix(".yaml") for entry in folder.iterdir() if entry.name.endswith(".yaml"))


@checked(path_or_name=path, robot=a_robot | path, allow_outside=flag)
def load_scenario(
    path_or_name: str | Path, robot: "str | Path | Robot | None" = None, *, allow_outside: bool = False
) -> Scenario:
    """A scenario from a YAML file, or a named one. robot: another than the scenario names, its changes apply to it too.
    allow_outside: its `outputs` may be written anywhere, else in the folder one works in alone.

    Raises DescriptionError with all problems at once; FileNotFoundError where there is no such file or name.
    """
    path = Path(path_or_name)
    if path.suffix in YAML or exists(path):
        return read_scenario(read_document(path), str(path), robot, allow_outside=allow_outside)
    if str(path_or_name) not in scenario_names():
        raise no_such_name(str(path_or_name), "scenario", scenario_names())
    text = (resources.files("gough.simulation.scenarios") / "gallery" / f"{path_or_name}.yaml").read_text("utf-8")
    return read_scenario(text, f"{path_or_name}.yaml", robot, allow_outside=allow_outside)


def read_scenario(
    text: str,
    file: str = "<text>",
    robot: "str | Path | Robot | None" = None,
    *,
    allow_outside: bool = False,
) -> Scenario:
    """A scenario from YAML text; file is the name that messages use, and relative paths start from its folder."""
    document, problems = read(text, file)
    if problems:
        raise DescriptionError(problems)
    if not isinstance(document, Map):
        keys = ", ".join(ScenarioItem.written_keys())
        raise DescriptionError([Problem(file, 1, "", document, "not a mapping", f"keys {keys}")])
    made = _ScenarioReading(document, file, robot).scenario()
    if allow_outside:
        return made.with_(outputs=replace(made.outputs, confined=()))
    return made


class _ScenarioReading:
    def __init__(self, document: Map, file: str, robot: "str | Path | Robot | None") -> None:
        self.document, self.file, self.robot = document, file, robot
        self.folder = Path(file).parent
        self.problems: list[Problem] = []

    def complain(self, place: tuple[Any, ...], message: str, expected: str = "", value: Any = ABSENT) -> None:
        mark, found = locate(self.document, place)
        plain = found if isinstance(found, str | int | float) else value
        self.problems.append(Problem(self.file, mark.line, mark.path, plain, message, expected))

    def scenario(self) -> Scenario:
        if self.document.get("format", ABSENT) != FORMAT:
            self.complain(("format",), "not a format this version reads", f"format: {FORMAT}")
        item = self._item()
        model = None if item is None else self._model(item)
        motion, controller = self._motion(model), self._controller(model)
        if item is None or model is None or self.problems:
            raise DescriptionError(sorted(self.problems, key=lambda p: p.line or 0))
        made = Scenario(
            model,
            motion,
            controller,
            name=item.name or Path(self.file).stem,
            title=item.title or "",
            start=Start(item.start.static, item.start.coordinates, item.start.rates),
            duration=item.duration,
            method=item.method,
            step=item.step,
            tolerance=item.tolerance,
            rho_infinity=item.rho_infinity,
            every=item.every,
            parameters=item.changes.parameters,
            wrench=item.wrench,
            outputs=_outputs(item),
        )
        self._fits(made)
        warn_of_angles(self.document, self.file, {})
        return made

    def _item(self) -> ScenarioItem | None:
        data = Map(self.document)
        if self.robot is not None:
            data.setdefault("robot", "given")  # a file may leave open which robot it is for
        try:
            return ScenarioItem.model_validate(data, context={"reading": True})
        except ValidationError as error:
            for fault in faults_of(error):
                plain = fault.value if isinstance(fault.value, str | int | float) else ABSENT
                self.complain(fault.place, fault.message, fault.expected, plain)
        return None

    def _model(self, item: ScenarioItem) -> "Model | None":
        try:
            found = self.robot if self.robot is not None else self._place(item.robot)
            robot = load(found) if isinstance(found, str | Path) else found
            try:
                robot = robot.with_variables(item.changes.variables) if item.changes.variables else robot
            except UsageError as error:
                self.complain(("changes", "variables"), str(error))
                return None
            try:
                robot = change_robot(robot, item.changes)
            except UsageError as error:
                self.complain(("changes", "friction"), str(error))
                return None
            return build(robot)
        except DescriptionError as error:
            self.problems += error.problems
        except (GoughError, OSError) as error:
            self.complain(("robot",), str(error))
        return None

    def _place(self, name: str) -> str | Path:
        """A file beside this one, else a name."""
        return self.folder / name if name.endswith((*YAML, ".xml", *SUFFIXES)) else name

    def _motion(self, model: "Model | None") -> Motion | None:
        data = self.document.get("motion")
        if data is None:
            return None
        mark = self.document.marks["motion"]
        try:
            if isinstance(data, str) and data.endswith(YAML):
                return load_motion(self.folder / data, model)
        except DescriptionError as error:
            self.problems += error.problems
            return None
        except OSError as error:
            self.complain(("motion",), str(error))
            return None
        motion, more = motion_in(data, mark, self.file, model)
        self.problems += more
        return motion

    def _controller(self, model: "Model | None") -> Law | None:
        if self.document.get("controller") is None:
            return None
        law, more = controller_in(self.document["controller"], self.document.marks["controller"], self.file, model)
        self.problems += more
        return law

    def _fits(self, made: Scenario) -> None:
        """Names and units that only the robot knows, and times that only the motion knows."""
        open_units = (("coordinates", coordinate_units(made.model)), ("rates", rate_units(made.model)))
        for key, known in open_units:
            for name, value in getattr(made.start, key).items():
                problem = misfit(value, known[name], name) if name in known else ""
                if problem:
                    self.complain(("start", key, name), problem)
        if self.problems:
            raise DescriptionError(self.problems)
        for place, ask in (
            (("changes", "parameters"), lambda: made.model.parameters_with(made.parameters)),
            (("wrench",), made.check_wrench),
            (("start", "coordinates"), made.first_q),
            (("start", "rates"), made.first_v),
        ):
            try:
                ask()
            except GoughError as error:
                self.complain(place, str(error))
        if made.motion is None and made.duration is None:
            self.complain(("duration",), "neither a motion nor a duration", "duration in s, or a motion")
        if self.problems:
            raise DescriptionError(self.problems)


def _outputs(item: ScenarioItem) -> Outputs:
    file, plot = (None if x is None else Path(x) for x in (item.outputs.file, item.outputs.plot))
    confined = tuple(path for path in (file, plot) if path is not None)
    return Outputs(file, item.outputs.channels, plot, item.outputs.panels, confined)


def change_robot(robot: "Robot", changes: ChangesItem) -> "Robot":
    """A description with the changes of a scenario, but for its variables and parameters."""
    f = changes.friction
    smoothing: float | tuple[float, float] | None = f.smoothing
    if f.smoothing is not None and f.turn_smoothing is not None:
        smoothing = (f.smoothing, f.turn_smoothing)
    made = change_friction(robot, smoothing=smoothing, coulomb=f.coulomb, viscous=f.viscous)
    return made if changes.gravity is None else made.model_copy(update={"gravity": changes.gravity})
