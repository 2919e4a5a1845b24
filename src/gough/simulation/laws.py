"""What can act on the drives in `gough.simulate`."""

from gough.simulation.control.computed_torque import ComputedTorque
from gough.simulation.control.joint import GravityCompensation, JointPD
from gough.simulation.control.law import Follow, Free, Law
from gough.simulation.control.reference import drives_of
from gough.simulation.control.replay import Replay, forces, replay
from gough.simulation.control.sampled import Sampled

__all__ = [
    "ComputedTorque",
    "Follow",
    "Free",
    "GravityCompensation",
    "JointPD",
    "Law",
    "Replay",
    "Sampled",
    "drives_of",
    "forces",
    "replay",
]
