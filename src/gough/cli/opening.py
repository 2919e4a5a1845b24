"""Robots and models by name, with the warnings they give; and what the command line says of other programs' files.

Every command with a robot for its argument has the options of `with_foreign_options`: URDF and its relatives do not say which
loops close, which joints are driven, which body is the platform.
"""

import functools
import inspect
import warnings
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer

from gough.cli.output import note
from gough.errors import GoughError, UsageError
from gough.progress import doing

if TYPE_CHECKING:
    from gough.model import Model
    from gough.robot import Robot
    from gough.simulation.control.law import Law

RobotName = Annotated[
    str,
    typer.Argument(
        metavar="ROBOT",
        help="Name of a gallery robot (see `gough list`) or path to a .yaml file, or to one of another program (.urdf, …).",
    ),
]
Set = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="NAME=VALUE", help="Another value of a variable of the description: SI, or with a unit."
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON and nothing else on stdout.")]
Cluster = Annotated[
    str | None,
    typer.Option("--cluster", help="local:N for N processes, or the address of a Dask scheduler: tcp://HOST:8786."),
]
Mixed = Annotated[
    bool, typer.Option("--mixed", help="With --cluster: workers may be of several kinds; last bits of results differ.")
]

Loops = Annotated[
    Path | None, typer.Option("--loops", help="Of a .urdf or the like: YAML file with the joints that close its loops.")
]
PlatformName = Annotated[
    str | None, typer.Option("--platform", help="Of a .urdf or the like: the body that is the platform.")
]
DRIVEN = "Of a .urdf or the like: its driven joints, with commas; * and ? stand for letters."
Packages = Annotated[
    list[Path] | None,
    typer.Option("--packages", help="Of a .urdf or the like: folder where package:// is looked up; several times."),
]

ModelName = Annotated[
    str | None, typer.Option("--model", help="Of a file that holds several robots: the name of the one that is meant.")
]
ClosureTolerance = Annotated[
    str | None,
    typer.Option(
        "--closure-tolerance", help="Of a .urdf or the like: by how much loops may stay open: m, or with a unit."
    ),
]

_said: ContextVar[Mapping[str, Any]] = ContextVar("foreign_options")


def with_foreign_options(command: Callable[..., None]) -> Callable[..., None]:
    """The command with options for other programs' files, where it has a robot for its argument."""
    signature = inspect.signature(command)
    if "loops" in signature.parameters or not any(_names_a_robot(p) for p in signature.parameters.values()):
        return command  # it has them itself, or no robot
    names = ["--driven"] if "drives" in signature.parameters else ["--drives", "--driven"]
    drives = Annotated[str | None, typer.Option(*names, help=DRIVEN)]
    options = {"loops": Loops, "platform": PlatformName, "driven": drives, "packages": Packages, "holds": ModelName}
    options["closure_tolerance"] = ClosureTolerance

    @functools.wraps(command)
    def run(*args: Any, **given: Any) -> None:
        said = {name: given.pop(name) for name in options}
        token = _said.set({name: value for name, value in said.items() if value is not None and value != []})
        try:
            command(*args, **given)
        finally:
            _said.reset(token)

    added = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=kind)
        for name, kind in options.items()
    ]
    run.__signature__ = signature.replace(parameters=[*signature.parameters.values(), *added])  # type: ignore[attr-defined]
    run.__annotations__ = {**command.__annotations__, **options}
    return run


def _names_a_robot(parameter: inspect.Parameter) -> bool:
    told = [getattr(part, "metavar", None) or "" for part in get_args(parameter.annotation)[1:]]
    return any("ROBOT" in metavar or metavar in ("FILE", "IN") for metavar in told)


def load_robot(name: str | Path) -> "Robot":
    """A robot of the gallery or of a file, read as the command line says."""
    from gough.interchange import load

    return load(name, **foreign_options(name))


def foreign_options(name: str | Path) -> dict[str, Any]:
    """What the command line says of another program's file, as `gough.load` takes it; refused beside what is none."""
    refuse_foreign_options(name)
    said = _said.get({})
    own = {"loops": "loops", "platform": "platform", "packages": "packages", "holds": "model"}
    options = {argument: said[key] for key, argument in own.items() if key in said}
    if "driven" in said:
        options["drives"] = [part.strip() for part in said["driven"].split(",") if part.strip()]
    if "closure_tolerance" in said:
        options["closure_tolerance"] = _number_or_text(said["closure_tolerance"])
    return options


def refuse_foreign_options(name: str | Path) -> None:
    """Options for other programs' files mean nothing beside a description or a result."""
    from gough.interchange.loading import format_of

    said = _said.get({})
    if said and format_of(Path(name)) is None:
        option = next(iter(said)).replace("driven", "drives").replace("holds", "model").replace("_", "-")
        raise UsageError(
            f"--{option} is for files of other programs (.urdf, .xml, .sdf, .usd), and {name} is none: it says that itself"
        )


def _number_or_text(text: str | None) -> Any:
    """A number, or a text that may have a unit."""
    try:
        return None if text is None else float(text)
    except ValueError:
        return text


def set_variables(robot: "Robot", texts: list[str] | None) -> "Robot":
    """The description with the values of variables that --set says: NAME=0.3, NAME=30 deg."""
    values: dict[str, float | str] = {}
    for text in texts or []:
        name, equals, value = (part.strip() for part in text.partition("="))
        if not (name and equals and value):
            raise UsageError(f"--set {text!r}; give NAME=VALUE")
        if name in values:
            raise UsageError(f"--set {text!r}: {name} is given twice; leave one out")
        values[name] = _number_or_text(value)
    return robot.with_variables(values) if values else robot


def open_robot(name: str, variables: list[str] | None = None) -> tuple["Robot", list[str]]:
    """(the description, texts of its warnings). variables: what --set says."""
    with doing(f"loading {name}"), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        robot = set_variables(load_robot(name), variables)
    return robot, [str(w.message) for w in caught]


def open_model(name: str, quiet: bool = False, variables: list[str] | None = None) -> tuple["Model", list[str]]:
    """(the model, texts of all warnings); how many there are is said on stderr unless `quiet`. variables: what --set says."""
    with doing(f"loading {name}"):
        from gough.model import build

        robot, texts = open_robot(name, variables)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model = build(robot)
    texts += [str(w.message) for w in caught]
    if texts and not quiet:
        note(f"note: {len(texts)} warning{'s' * (len(texts) > 1)} about {name}; `gough check {name}` lists them")
    return model, texts


def load_law(text: str, model: "Model") -> "Law":
    """A controller for a robot as it is written under `controller:` in a scenario."""
    from gough.robot.errors import DescriptionError
    from gough.robot.reader import Mark, read
    from gough.simulation.scenarios.controller import controller_in

    document, problems = read(text, "--controller")
    found = None
    if not problems:
        found, problems = controller_in(document, getattr(document, "mark", Mark(1, "")), "--controller", model)
    if found is None:  # one line on a command line: what is meant stands in it
        law = text.partition(":")[0].strip()
        raise DescriptionError([replace(p, line=None, path=p.path or law) for p in problems])
    return found


ROBOT = ("legs", "bodies", "joints", "templates")
"""Keys by which a file is a robot's."""


def is_scenario(what: str) -> bool:
    """Whether this is the name of a scenario, or a file of one."""
    from gough.robot import gallery
    from gough.simulation.scenarios.files import scenario_names

    return (what in scenario_names() and what not in gallery()) or kind_of_file(Path(what)) == "scenario"


def kind_of_file(path: Path) -> str:
    """ "scenario" or "motion" where a YAML file is clearly that; what is wrong in a robot's file is told by its reader."""
    from gough.robot.reader import Map, read, read_document
    from gough.simulation.motion.files import KEYS
    from gough.simulation.scenarios.files import YAML

    if path.suffix not in YAML or not path.is_file():
        return ""
    try:
        document, problems = read(read_document(path), str(path))
    except GoughError:
        return ""
    if problems or not isinstance(document, Map) or any(key in document for key in ROBOT):
        return ""
    if "motion" in document and set(document) <= set(KEYS):
        return "motion"
    return "scenario" if "controller" in document or "robot" in document else "motion" if "motion" in document else ""
