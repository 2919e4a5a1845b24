"""Inner names of `gough.viewer`."""

from gough.viewer._beside import beside, off_columns, off_names
from gough.viewer._clock import CLOSE, Frames, Player, common_span
from gough.viewer._curves import (
    LINES,
    CurvePanel,
    PlottedCurve,
    axis_power,
    curve_colours,
    curve_panels,
    offered_channels,
    samples_within,
    thin_curves,
    usual_channels,
    value_at,
    value_range,
)
from gough.viewer.drawing.figure import Figure, coil, inertia_box, swept_bar
from gough.viewer.drawing.mesh import EMPTY, Mesh, frame_along, merge_meshes, read_mesh
from gough.viewer.live.gains import Gain, gains_of, offered_laws, reference_of, with_gains
from gough.viewer.live.loop import LiveLoop
from gough.viewer.live.push import PushedFrame, first_pushed
from gough.viewer.posing.axes import pose_of, ranges_of, sets_of_axes
from gough.viewer.posing.designs import DesignStates, demand_designs, front_way, smooth_way, usual_designs
from gough.viewer.posing.load import Hold, Load, frames_for_loads, usual_stiffness
from gough.viewer.scene._ghost import Wanted
from gough.viewer.scene.colours import BAD, scale_colours
from gough.viewer.scene.robot import RobotScene
from gough.viewer.scene.skins import BANDS, Banded, nice_above
from gough.viewer.scene.stage import RunStage, offset_beside
from gough.viewer.server import Viewer
from gough.viewer.subject import subject_of

__all__ = [
    "BAD",
    "BANDS",
    "CLOSE",
    "EMPTY",
    "LINES",
    "Banded",
    "CurvePanel",
    "DesignStates",
    "Figure",
    "Frames",
    "Gain",
    "Hold",
    "LiveLoop",
    "Load",
    "Mesh",
    "Player",
    "PlottedCurve",
    "PushedFrame",
    "RobotScene",
    "RunStage",
    "Viewer",
    "Wanted",
    "axis_power",
    "beside",
    "coil",
    "common_span",
    "curve_colours",
    "curve_panels",
    "demand_designs",
    "first_pushed",
    "frame_along",
    "frames_for_loads",
    "front_way",
    "gains_of",
    "inertia_box",
    "merge_meshes",
    "nice_above",
    "off_columns",
    "off_names",
    "offered_channels",
    "offered_laws",
    "offset_beside",
    "pose_of",
    "ranges_of",
    "read_mesh",
    "reference_of",
    "samples_within",
    "scale_colours",
    "sets_of_axes",
    "smooth_way",
    "subject_of",
    "swept_bar",
    "thin_curves",
    "usual_channels",
    "usual_designs",
    "usual_stiffness",
    "value_at",
    "value_range",
    "with_gains",
]
