"""Inner names of `gough.simulation`."""

import gough.simulation.motion.quiet as quiet
from gough.simulation.control.instant import MotionRows
from gough.simulation.control.sensed import channel_names
from gough.simulation.ensembles._work import PART, part_of
from gough.simulation.integration._safe_ball import SafeBall, radii
from gough.simulation.integration.crossing import Watch
from gough.simulation.integration.explicit import ExplicitMarching, explicit_step
from gough.simulation.integration.kept import KeptForms, LoopCode, Recent
from gough.simulation.integration.method import RungeKutta
from gough.simulation.integration.methods import METHODS, method_named, stable_with_any
from gough.simulation.integration.plant import Plant
from gough.simulation.motion._delays import DelayedPath
from gough.simulation.results.remedy import remedy
from gough.simulation.results.tracking import tracking_errors
from gough.simulation.scenarios.files import read_scenario, scenario_names

__all__ = [
    "METHODS",
    "PART",
    "DelayedPath",
    "ExplicitMarching",
    "KeptForms",
    "LoopCode",
    "MotionRows",
    "Plant",
    "Recent",
    "RungeKutta",
    "SafeBall",
    "Watch",
    "channel_names",
    "explicit_step",
    "method_named",
    "part_of",
    "quiet",
    "radii",
    "read_scenario",
    "remedy",
    "scenario_names",
    "stable_with_any",
    "tracking_errors",
]
