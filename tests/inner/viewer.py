"""Inner names of `gough.viewer`."""

from gough.viewer.drawing.figure import Figure, coil, inertia_box, swept_bar
from gough.viewer.drawing.mesh import EMPTY, Mesh, frame_along, merge_meshes, read_mesh
from gough.viewer.posing.axes import pose_of, ranges_of, sets_of_axes
from gough.viewer.posing.load import Hold, Load, frames_for_loads, usual_stiffness
from gough.viewer.server import Viewer

__all__ = [
    "EMPTY",
    "Figure",
    "Hold",
    "Load",
    "Mesh",
    "Viewer",
    "coil",
    "frame_along",
    "frames_for_loads",
    "inertia_box",
    "merge_meshes",
    "pose_of",
    "ranges_of",
    "read_mesh",
    "sets_of_axes",
    "swept_bar",
    "usual_stiffness",
]
