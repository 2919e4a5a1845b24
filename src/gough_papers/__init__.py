"""The five papers that gough is built from, reproduced with it: comparisons, figures, reports, citations, bibliography."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gough_papers.reproduction import Paper

NAMES = ("long2014", "lopes", "briot2014", "fried", "pedrammehr2012")


def load_paper(name: str) -> "Paper":
    """The paper of a name; its room is entered when it is asked for."""
    return import_module(f"gough_papers.{name}.paper").PAPER
