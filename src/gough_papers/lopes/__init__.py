"""[Lopes]: a 6-PUS robot with vertical actuators, complete and simplified model."""

from gough_papers.lopes.motion import (
    COMPLETE_MINUS_SIMPLIFIED,
    KNOWN,
    KNOWN_SIMPLIFIED,
    P1,
    P2,
    ROBOT,
    SIMPLIFIED,
    p1p2p1,
)

__all__ = ["COMPLETE_MINUS_SIMPLIFIED", "KNOWN", "KNOWN_SIMPLIFIED", "P1", "P2", "ROBOT", "SIMPLIFIED", "p1p2p1"]
