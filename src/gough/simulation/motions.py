"""Prescribed motions under one name, `gough.motions`: how to make them, check them and read them from files."""

from gough.simulation.circle import circle
from gough.simulation.function_motion import function
from gough.simulation.motion import Motion, Sample
from gough.simulation.motion_chain import chain
from gough.simulation.motion_csv import spline_file
from gough.simulation.motion_file import NamedMotion, load_motion, motion_names, named_motion, read_motion
from gough.simulation.motion_limits import check_motion
from gough.simulation.motion_report import MotionProblem, MotionReport
from gough.simulation.motion_states import MotionStates, states_along
from gough.simulation.motion_table import MotionTable, table
from gough.simulation.polygon import polygon, square
from gough.simulation.quintic import quintic
from gough.simulation.spline import spline
from gough.simulation.trapezoid import trapezoid
from gough.simulation.trigonometric import trigonometric

__all__ = [
    "Motion",
    "MotionProblem",
    "MotionReport",
    "MotionStates",
    "MotionTable",
    "NamedMotion",
    "Sample",
    "chain",
    "check_motion",
    "circle",
    "function",
    "load_motion",
    "motion_names",
    "named_motion",
    "polygon",
    "quintic",
    "read_motion",
    "spline",
    "spline_file",
    "square",
    "states_along",
    "table",
    "trapezoid",
    "trigonometric",
]
