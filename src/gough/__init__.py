"""gough: exact dynamics of rigid and flexible parallel robots.

import gough

model = gough.build(gough.load("pedrammehr2012"))
q = model.configuration(pose=([0.1, 0.0, 0.5], numpy.eye(3)))
forces = model.inverse_dynamics(q, v, acceleration).tau
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0.dev0"

_LAZY = {
    "build": ("gough.model", "build"),
    "load": ("gough.robot", "load"),
    "Model": ("gough.model", "Model"),
    "Function": ("gough.compilation.function", "Function"),
    "set_threads": ("gough.compilation.threads", "set_threads"),
    "Robot": ("gough.robot", "Robot"),
    "Status": ("gough.errors", "Status"),
    "BadStateError": ("gough.errors", "BadStateError"),
    "StructureError": ("gough.errors", "StructureError"),
    "UsageError": ("gough.errors", "UsageError"),
    "PatternError": ("gough.errors", "PatternError"),
    "DescriptionError": ("gough.robot", "DescriptionError"),
    "Assemblies": ("gough.analysis.assemblies.search_all", "Assemblies"),
    "assemblies": ("gough.analysis.assemblies.search_all", "assemblies"),
    "Equilibrium": ("gough.analysis.equilibrium", "Equilibrium"),
    "Modes": ("gough.analysis.modes", "Modes"),
    "ZeroDynamics": ("gough.analysis.zero_dynamics", "ZeroDynamics"),
    "natural_frequencies": ("gough.analysis.modes", "natural_frequencies"),
    "static_equilibrium": ("gough.analysis.equilibrium", "static_equilibrium"),
    "VibrationMap": ("gough.analysis.vibration_map", "VibrationMap"),
    "vibration_map": ("gough.analysis.vibration_map", "vibration_map"),
    "zero_dynamics": ("gough.analysis.zero_dynamics", "zero_dynamics"),
    "Workspace": ("gough.analysis.workspace.result", "Workspace"),
    "workspace": ("gough.analysis.workspace.survey", "workspace"),
    "Motion": ("gough.simulation.motion.motion", "Motion"),
    "MotionReport": ("gough.simulation.motion.report", "MotionReport"),
    "MotionTable": ("gough.simulation.motion.table", "MotionTable"),
    "check_motion": ("gough.simulation.motion.limits", "check_motion"),
    "load_motion": ("gough.simulation.motion.files", "load_motion"),
    "motions": ("gough.motions", None),
    "named_motion": ("gough.simulation.motion.files", "named_motion"),
    "Run": ("gough.simulation.results.run", "Run"),
    "laws": ("gough.laws", None),
    "Scenario": ("gough.simulation.scenarios.scenario", "Scenario"),
    "load_scenario": ("gough.simulation.scenarios.files", "load_scenario"),
    "simulate": ("gough.simulation.run.simulate", "simulate"),
    "simulate_many": ("gough.simulation.ensembles.ensemble", "simulate_many"),
    "Ensemble": ("gough.simulation.ensembles.ensemble", "Ensemble"),
    "vary": ("gough.vary", None),
    "view": ("gough.viewer", "view"),
    "viewer": ("gough.viewer", None),
    "robot": ("gough.robot", None),
    "robots": ("gough.robots", None),
    "HomeWarning": ("gough.errors", "HomeWarning"),
    "SingularHomeWarning": ("gough.errors", "SingularHomeWarning"),
    "UnphysicalInertiaWarning": ("gough.robot", "UnphysicalInertiaWarning"),
}

if TYPE_CHECKING:
    from gough import laws, motions, robot, robots, vary, viewer
    from gough.analysis.assemblies.search_all import Assemblies, assemblies
    from gough.analysis.equilibrium import Equilibrium, static_equilibrium
    from gough.analysis.modes import Modes, natural_frequencies
    from gough.analysis.vibration_map import VibrationMap, vibration_map
    from gough.analysis.workspace.result import Workspace
    from gough.analysis.workspace.survey import workspace
    from gough.analysis.zero_dynamics import ZeroDynamics, zero_dynamics
    from gough.compilation.function import Function
    from gough.compilation.threads import set_threads
    from gough.errors import (
        BadStateError,
        HomeWarning,
        PatternError,
        SingularHomeWarning,
        Status,
        StructureError,
        UsageError,
    )
    from gough.model import Model, build
    from gough.robot import DescriptionError, Robot, UnphysicalInertiaWarning, load
    from gough.simulation.ensembles.ensemble import Ensemble, simulate_many
    from gough.simulation.motion.files import load_motion, named_motion
    from gough.simulation.motion.limits import check_motion
    from gough.simulation.motion.motion import Motion
    from gough.simulation.motion.report import MotionReport
    from gough.simulation.motion.table import MotionTable
    from gough.simulation.results.run import Run
    from gough.simulation.run.simulate import simulate
    from gough.simulation.scenarios.files import load_scenario
    from gough.simulation.scenarios.scenario import Scenario
    from gough.viewer import view

__all__ = [
    "Assemblies",
    "BadStateError",
    "DescriptionError",
    "Ensemble",
    "Equilibrium",
    "Function",
    "HomeWarning",
    "Model",
    "Modes",
    "Motion",
    "MotionReport",
    "MotionTable",
    "PatternError",
    "Robot",
    "Run",
    "Scenario",
    "SingularHomeWarning",
    "Status",
    "StructureError",
    "UnphysicalInertiaWarning",
    "UsageError",
    "VibrationMap",
    "Workspace",
    "ZeroDynamics",
    "assemblies",
    "build",
    "check_motion",
    "laws",
    "load",
    "load_motion",
    "load_scenario",
    "motions",
    "named_motion",
    "natural_frequencies",
    "robot",
    "robots",
    "set_threads",
    "simulate",
    "simulate_many",
    "static_equilibrium",
    "vary",
    "vibration_map",
    "view",
    "viewer",
    "workspace",
    "zero_dynamics",
]


def __getattr__(name: str) -> Any:
    """Load parts when first used, so that `import gough` stays fast."""
    if name not in _LAZY:
        raise AttributeError(f"module 'gough' has no attribute {name!r}")
    module, attribute = _LAZY[name]
    value = import_module(module) if attribute is None else getattr(import_module(module), attribute)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_LAZY])
