"""Inner names of `gough.viewer`."""

from gough.viewer.drawing.figure import Figure, coil, inertia_box, swept_bar
from gough.viewer.drawing.mesh import EMPTY, Mesh, frame_along, merge_meshes, read_mesh
from gough.viewer.posing.axes import pose_of, ranges_of, sets_of_axes
from gough.viewer.posing.designs import DesignStates, demand_designs, front_way, smooth_way, usual_designs
from gough.viewer.posing.load import Hold, Load, frames_for_loads, usual_stiffness
from gough.viewer.scene.robot import RobotScene
from gough.viewer.server import Viewer
from gough.viewer.subject import subject_of

__all__ = [
    "EMPTY",
    "DesignStates",
    "Figure",
    "Hold",
    "Load",
    "Mesh",
    "RobotScene",
    "Viewer",
    "coil",
    "demand_designs",
    "frame_along",
    "frames_for_loads",
    "front_way",
    "inertia_box",
    "merge_meshes",
    "pose_of",
    "ranges_of",
    "read_mesh",
    "sets_of_axes",
    "smooth_way",
    "subject_of",
    "swept_bar",
    "usual_designs",
    "usual_stiffness",
]
