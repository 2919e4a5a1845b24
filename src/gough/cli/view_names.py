"""What `gough view` is given: robots and results as they are, scenarios become runs, and what is neither is told apart."""

from pathlib import Path
from typing import Any

from gough.cli.output import note
from gough.errors import GoughError, UsageError
from gough.robot import gallery
from gough.robot.reader import Map, read, read_document
from gough.simulation.motion.files import motion_names
from gough.simulation.results.files import SUFFIXES
from gough.simulation.scenarios.files import YAML, load_scenario, scenario_names

ROBOT = ("legs", "bodies", "joints", "templates")
"""Keys by which a file is a robot's."""


def named(what: str) -> Any:
    """A path or name as it is; a scenario, by name or file, becomes its run."""
    path = Path(what)
    if what in scenario_names() or _kind(path) == "scenario":
        note(f"simulating scenario {what}")
        return load_scenario(what).run()
    if _kind(path) == "motion" or (what in motion_names() and not path.exists()):
        raise UsageError(
            f"{what} is a motion, not a robot; make a run of it first: "
            f"gough simulate ROBOT --motion {what} --controller computed_torque --out run.npz, then gough view run.npz"
        )
    if not path.exists() and path.suffix.lower() not in (*YAML, *SUFFIXES) and what not in gallery():
        raise UsageError(
            f"no file {what!r}, and no robot or scenario of that name. Robots: {', '.join(gallery())}. "
            f"Scenarios: {', '.join(scenario_names())}"
        )
    return what


def _kind(path: Path) -> str:
    """ "scenario" or "motion" where a YAML file is clearly that; what is wrong in a robot's file is told by its reader."""
    if path.suffix not in YAML or not path.is_file():
        return ""
    try:
        document, problems = read(read_document(path), str(path))
    except GoughError:
        return ""
    if problems or not isinstance(document, Map) or any(key in document for key in ROBOT):
        return ""
    return "scenario" if "controller" in document else "motion" if "motion" in document else ""
