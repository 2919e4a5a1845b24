"""gough: exact dynamics of rigid and flexible parallel robots.

import gough

model = gough.build(gough.load("pedrammehr2012"))
q = model.configuration(pose=([0.1, 0.0, 0.5], numpy.eye(3)))
forces = model.inverse_dynamics(q, v, acceleration).tau
"""

from typing import TYPE_CHECKING

from gough._lazy import lazy_names

__version__ = "0.2.0"

# The public names, each once. They load when first used, so that `import gough` stays fast.
if TYPE_CHECKING:
    from gough import actuators as actuators
    from gough import export as export
    from gough import laws as laws
    from gough import loads as loads
    from gough import motions as motions
    from gough import observers as observers
    from gough import robot as robot
    from gough import robots as robots
    from gough import sensors as sensors
    from gough import vary as vary
    from gough import viewer as viewer
    from gough.analysis.assemblies.search_all import Assemblies as Assemblies
    from gough.analysis.assemblies.search_all import assemblies as assemblies
    from gough.analysis.equilibrium import Equilibrium as Equilibrium
    from gough.analysis.equilibrium import static_equilibrium as static_equilibrium
    from gough.analysis.linear_model import linear_model as linear_model
    from gough.analysis.modes import Modes as Modes
    from gough.analysis.modes import natural_frequencies as natural_frequencies
    from gough.analysis.vibration_map import VibrationMap as VibrationMap
    from gough.analysis.vibration_map import vibration_map as vibration_map
    from gough.analysis.workspace.result import Workspace as Workspace
    from gough.analysis.workspace.survey import workspace as workspace
    from gough.analysis.zero_dynamics import ZeroDynamics as ZeroDynamics
    from gough.analysis.zero_dynamics import zero_dynamics as zero_dynamics
    from gough.compilation.function import Function as Function
    from gough.compilation.threads import set_threads as set_threads
    from gough.errors import BadDataError as BadDataError
    from gough.errors import BadStateError as BadStateError
    from gough.errors import DataWarning as DataWarning
    from gough.errors import HomeWarning as HomeWarning
    from gough.errors import IdentificationWarning as IdentificationWarning
    from gough.errors import IdleWarning as IdleWarning
    from gough.errors import PatternError as PatternError
    from gough.errors import SingularHomeWarning as SingularHomeWarning
    from gough.errors import Status as Status
    from gough.errors import StructureError as StructureError
    from gough.errors import StructureWarning as StructureWarning
    from gough.errors import UsageError as UsageError
    from gough.export.robots import save as save
    from gough.identification.base_parameters import BaseParameters as BaseParameters
    from gough.identification.base_parameters import base_parameters as base_parameters
    from gough.identification.calibration.calibrate import calibrate as calibrate
    from gough.identification.calibration.calibration import Calibration as Calibration
    from gough.identification.calibration.identifiable import IdentifiableGeometry as IdentifiableGeometry
    from gough.identification.calibration.measurements import Measurements as Measurements
    from gough.identification.calibration.measuring_poses import MeasuringPoses as MeasuringPoses
    from gough.identification.calibration.measuring_poses import identifiable_geometry as identifiable_geometry
    from gough.identification.calibration.measuring_poses import measuring_poses as measuring_poses
    from gough.identification.data.conditioning import condition as condition
    from gough.identification.data.reading import read_record as read_record
    from gough.identification.data.record import Record as Record
    from gough.identification.data.samples import Samples as Samples
    from gough.identification.elastic.decays import fit_decay as fit_decay
    from gough.identification.elastic.fit import ElasticFit as ElasticFit
    from gough.identification.elastic.frequencies import fit_frequencies as fit_frequencies
    from gough.identification.elastic.responses import fit_response as fit_response
    from gough.identification.excitation.excitation import excitation as excitation
    from gough.identification.excitation.result import Excitation as Excitation
    from gough.identification.identification import Identification as Identification
    from gough.identification.identify import identify as identify
    from gough.identification.regressor import Regressor as Regressor
    from gough.identification.regressor import regressor as regressor
    from gough.identification.saved import SavedIdentification as SavedIdentification
    from gough.identification.saved import load_identification as load_identification
    from gough.interchange import ConversionWarning as ConversionWarning
    from gough.interchange import load as load
    from gough.model import LinearModel as LinearModel
    from gough.model import Model as Model
    from gough.model import build as build
    from gough.robot import DescriptionError as DescriptionError
    from gough.robot import Robot as Robot
    from gough.robot import UnphysicalInertiaWarning as UnphysicalInertiaWarning
    from gough.simulation.ensembles.ensemble import Ensemble as Ensemble
    from gough.simulation.ensembles.ensemble import simulate_many as simulate_many
    from gough.simulation.inversion.inverted import StableInversion as StableInversion
    from gough.simulation.inversion.stable_inversion import stable_inversion as stable_inversion
    from gough.simulation.learning.iterative import iterative_learning as iterative_learning
    from gough.simulation.learning.result import Learning as Learning
    from gough.simulation.loops.control_loop import ControlLoop as ControlLoop
    from gough.simulation.loops.control_loop import control_loop as control_loop
    from gough.simulation.loops.margin_map import MarginMap as MarginMap
    from gough.simulation.loops.margin_map import margin_map as margin_map
    from gough.simulation.motion.files import load_motion as load_motion
    from gough.simulation.motion.files import named_motion as named_motion
    from gough.simulation.motion.limits import check_motion as check_motion
    from gough.simulation.motion.motion import Motion as Motion
    from gough.simulation.motion.report import MotionReport as MotionReport
    from gough.simulation.motion.table import MotionTable as MotionTable
    from gough.simulation.results.remaining import RemainingVibration as RemainingVibration
    from gough.simulation.results.remaining import remaining_vibration as remaining_vibration
    from gough.simulation.results.run import Run as Run
    from gough.simulation.results.tracking import Tracking as Tracking
    from gough.simulation.run.simulate import simulate as simulate
    from gough.simulation.run.stepper import Stepper as Stepper
    from gough.simulation.scenarios.files import load_scenario as load_scenario
    from gough.simulation.scenarios.scenario import Scenario as Scenario
    from gough.studies.result import StudyResult as StudyResult
    from gough.studies.sensitivity import Sensitivity as Sensitivity
    from gough.studies.sensitivity import sensitivity as sensitivity
    from gough.studies.study.files import load_study as load_study
    from gough.studies.study.files import make_study as make_study
    from gough.studies.study.study import Study as Study
    from gough.viewer import view as view
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__)
