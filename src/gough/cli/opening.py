"""Robots and models by name, with the warnings they give."""

import warnings
from typing import TYPE_CHECKING, Annotated

import typer

from gough.cli.output import note
from gough.progress import doing

if TYPE_CHECKING:
    from gough.model import Model
    from gough.robot import Robot

RobotName = Annotated[
    str, typer.Argument(metavar="ROBOT", help="Name of a gallery robot (see `gough list`) or path to a .yaml file.")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON and nothing else on stdout.")]


def open_robot(name: str) -> tuple["Robot", list[str]]:
    """(the description, texts of its warnings)."""
    with doing(f"loading {name}"), warnings.catch_warnings(record=True) as caught:
        from gough.interchange import load

        warnings.simplefilter("always")
        robot = load(name)
    return robot, [str(w.message) for w in caught]


def open_model(name: str, quiet: bool = False) -> tuple["Model", list[str]]:
    """(the model, texts of all warnings); how many there are is said on stderr unless `quiet`."""
    with doing(f"loading {name}"):
        from gough.model import build

        robot, texts = open_robot(name)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model = build(robot)
    texts += [str(w.message) for w in caught]
    if texts and not quiet:
        note(f"note: {len(texts)} warning{'s' * (len(texts) > 1)} about {name}; `gough check {name}` lists them")
    return model, texts
