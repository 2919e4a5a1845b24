"""What can act on the drives in `gough.simulate`."""

from gough.simulation.control_computed_torque import ComputedTorque
from gough.simulation.control_joint import GravityCompensation, JointPD
from gough.simulation.control_reference import drives_of
from gough.simulation.control_replay import Replay, forces, replay
from gough.simulation.control_sampled import Sampled
from gough.simulation.law import Follow, Free, Law

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
