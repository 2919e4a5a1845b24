"""Two intersecting rotations, mostly perpendicular, the second axis carried by the first [Pedrammehr 2012, eq. 12],
[Fried, eqs. 2, 38].

Axes 0 and 1 of the motions are columns of `structure._axes.triad`: the stated axes. In a tree each motion is a link of its own
(`structure/build.py`); where the axes are not perpendicular, the second link stands turned in the first. As a cut the first axis
is x of one side, the second y of the other (`structure/_cutting.py`), at a right angle or at the stated one (`Inclined`).
"""

from gough.joints.closures import Perpendicular, SamePoint
from gough.joints.joint import Coordinate, JointType
from gough.joints.motions import Rotation

UNIVERSAL = JointType(
    name="universal",
    words="cardan hooke gimbal u hookes uj cardanic universal_joint rzeppa",
    axes=2,
    motions=(Rotation(0), Rotation(1)),
    coordinates=(Coordinate("_1", "rad"), Coordinate("_2", "rad")),
    closures=(SamePoint(), Perpendicular(0, 1)),
    tilts=True,
    free_axes=(("leg", 0), ("platform", 1)),
    drawing="cross",
)
