"""The description of a robot: validated plain data, YAML in and out, the gallery."""

from gough.robot._couplings import Coupling
from gough.robot._leg import Leg
from gough.robot.body import Body, Payload, Telescopic
from gough.robot.closures import Cut, Loop, LoopEnd
from gough.robot.effects import Drive, Friction, JointSpring, Limits
from gough.robot.errors import DescriptionError, Problem, UnphysicalInertiaWarning
from gough.robot.flexible import Flexible
from gough.robot.inertia import Inertia, Parameters
from gough.robot.joint import ChainJoint, TreeJoint
from gough.robot.loader import gallery, load, loads
from gough.robot.platform.limits import PlatformLimits
from gough.robot.pose import Axes, Mdh, Pose
from gough.robot.robot import Configuration, Platform, Point, Robot, Spring
from gough.robot.schema import json_schema
from gough.robot.writer import dump, dumps

__all__ = [
    "Axes",
    "Body",
    "ChainJoint",
    "Configuration",
    "Coupling",
    "Cut",
    "DescriptionError",
    "Drive",
    "Flexible",
    "Friction",
    "Inertia",
    "JointSpring",
    "Leg",
    "Limits",
    "Loop",
    "LoopEnd",
    "Mdh",
    "Parameters",
    "Payload",
    "Platform",
    "PlatformLimits",
    "Point",
    "Pose",
    "Problem",
    "Robot",
    "Spring",
    "Telescopic",
    "TreeJoint",
    "UnphysicalInertiaWarning",
    "dump",
    "dumps",
    "gallery",
    "json_schema",
    "load",
    "loads",
]
