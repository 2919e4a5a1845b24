"""Prescribed motions under one name, `gough.motions`: how to make them, check them and read them from files."""

from gough.simulation.motion.circle import circle, square
from gough.simulation.motion.examples import motion_examples
from gough.simulation.motion.files import NamedMotion, load_motion, motion_names, named_motion, read_motion
from gough.simulation.motion.fourier import fourier
from gough.simulation.motion.function import function
from gough.simulation.motion.limits import check_motion
from gough.simulation.motion.motion import Motion, chain
from gough.simulation.motion.moves import polygon, quintic, septic, trapezoid, trigonometric
from gough.simulation.motion.paths import Sample
from gough.simulation.motion.quiet.quiet import quiet
from gough.simulation.motion.report import MotionProblem, MotionReport
from gough.simulation.motion.s_curve import s_curve
from gough.simulation.motion.shape import shape
from gough.simulation.motion.shaping import ShapedMode, Shaping
from gough.simulation.motion.spline import spline, spline_file
from gough.simulation.motion.states import MotionStates, states_along
from gough.simulation.motion.table import MotionTable, table
from gough.simulation.results.along import run_along

__all__ = [
    "Motion",
    "MotionProblem",
    "MotionReport",
    "MotionStates",
    "MotionTable",
    "NamedMotion",
    "Sample",
    "ShapedMode",
    "Shaping",
    "chain",
    "check_motion",
    "circle",
    "fourier",
    "function",
    "load_motion",
    "motion_examples",
    "motion_names",
    "named_motion",
    "polygon",
    "quiet",
    "quintic",
    "read_motion",
    "run_along",
    "s_curve",
    "septic",
    "shape",
    "spline",
    "spline_file",
    "square",
    "states_along",
    "table",
    "trapezoid",
    "trigonometric",
]
