"""The family of laws, what can act on the drives in `gough.simulate`: a new one is a file beside this one and its line here."""

from gough.simulation.control.computed_torque import ComputedTorque
from gough.simulation.control.disturbance_observer import DisturbanceObserver
from gough.simulation.control.feed_forward import FeedForward
from gough.simulation.control.follow import Follow
from gough.simulation.control.follow_inversion import FollowInversion
from gough.simulation.control.gravity_compensation import GravityCompensation
from gough.simulation.control.joint_pd import JointPD
from gough.simulation.control.law import Law
from gough.simulation.control.linear.lqg import LQG
from gough.simulation.control.linear.lqr import LQR
from gough.simulation.control.linear.scheduled_lqr import ScheduledLQR
from gough.simulation.control.linear.state_space import StateSpace
from gough.simulation.control.passivity_based import PassivityBased
from gough.simulation.control.pid import PID
from gough.simulation.control.replay import Replay
from gough.simulation.control.sampled import Sampled
from gough.simulation.control.without_feedback import Free

__all__ = [
    "LQG",
    "LQR",
    "PID",
    "ComputedTorque",
    "DisturbanceObserver",
    "FeedForward",
    "Follow",
    "FollowInversion",
    "Free",
    "GravityCompensation",
    "JointPD",
    "Law",
    "PassivityBased",
    "Replay",
    "Sampled",
    "ScheduledLQR",
    "StateSpace",
]
