"""The papers by name; a paper's room is entered when it is asked for."""

from importlib import import_module

from gough_papers.paper import Paper

NAMES = ("long2014", "lopes", "briot2014", "fried", "pedrammehr2012")


def paper(name: str) -> Paper:
    """The paper of a name."""
    return import_module(f"gough_papers.{name}.paper").PAPER
