"""Robots and models by name, with the warnings they give."""

import warnings
from typing import TYPE_CHECKING, Annotated

import typer

from gough.cli.output import note
from gough.errors import UsageError
from gough.progress import doing

if TYPE_CHECKING:
    from gough.model import Model
    from gough.robot import Robot

RobotName = Annotated[
    str, typer.Argument(metavar="ROBOT", help="Name of a gallery robot (see `gough list`) or path to a .yaml file.")
]
Set = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="NAME=VALUE", help="Another value of a variable of the description: SI, or with a unit."
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON and nothing else on stdout.")]


def set_variables(robot: "Robot", texts: list[str] | None) -> "Robot":
    """The description with the values of variables that --set says: NAME=0.3, NAME=30 deg."""
    values: dict[str, float | str] = {}
    for text in texts or []:
        name, equals, value = (part.strip() for part in text.partition("="))
        if not (name and equals and value):
            raise UsageError(f"--set {text!r}; give NAME=VALUE")
        if name in values:
            raise UsageError(f"--set {text!r}: {name} is given twice; leave one out")
        try:
            values[name] = float(value)
        except ValueError:
            values[name] = value
    return robot.with_variables(values) if values else robot


def open_robot(name: str, variables: list[str] | None = None) -> tuple["Robot", list[str]]:
    """(the description, texts of its warnings). variables: what --set says."""
    with doing(f"loading {name}"), warnings.catch_warnings(record=True) as caught:
        from gough.robot import load

        warnings.simplefilter("always")
        robot = set_variables(load(name), variables)
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
