"""[Pedrammehr 2012]: a general 6-UPS robot with true universal joints."""

from gough_papers.pedrammehr2012.motion import (
    KNOWN_PATH1,
    KNOWN_PATH2,
    KNOWN_PATH3,
    ROBOT,
    SAMPLES,
    path1,
    path2,
    path3,
)

__all__ = ["KNOWN_PATH1", "KNOWN_PATH2", "KNOWN_PATH3", "ROBOT", "SAMPLES", "path1", "path2", "path3"]
