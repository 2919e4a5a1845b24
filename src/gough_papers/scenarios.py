"""The scenarios by name: robot, motion, known numbers."""

from collections.abc import Callable
from dataclasses import dataclass

from gough_papers import fried, long2014, lopes, pedrammehr2012
from gough_papers.known import Known
from gough_papers.states import States


@dataclass(frozen=True)
class Scenario:
    """A motion of a gallery robot; `title` says in a few words what it is."""

    robot: str
    title: str
    motion: Callable[[], States]
    known: tuple[Known, ...]


SCENARIOS: dict[str, Scenario] = {
    "pedrammehr2012_path1": Scenario(
        pedrammehr2012.ROBOT, "path 1, 0.083 m/s", pedrammehr2012.path1, pedrammehr2012.KNOWN_PATH1
    ),
    "pedrammehr2012_path2": Scenario(
        pedrammehr2012.ROBOT, "path 2, 0.08 m/s", pedrammehr2012.path2, pedrammehr2012.KNOWN_PATH2
    ),
    "pedrammehr2012_path3": Scenario(
        pedrammehr2012.ROBOT, "path 3, 0.8 m/s", pedrammehr2012.path3, pedrammehr2012.KNOWN_PATH3
    ),
    "lopes_p1p2p1": Scenario(lopes.ROBOT, "P1 → P2 → P1", lopes.p1p2p1, lopes.KNOWN),
    "lopes_simplified_p1p2p1": Scenario(lopes.SIMPLIFIED, "P1 → P2 → P1", lopes.p1p2p1, lopes.KNOWN_SIMPLIFIED),
    "long2014_poses": Scenario(long2014.ROBOT, "four poses", long2014.poses, long2014.KNOWN),
    "fried_sway": Scenario(fried.ROBOT, "sway (assumed)", fried.sway, fried.KNOWN),
}
