"""A massless link with a hinge on the first side and a ball on the second, as a closure only: a point stays on a circle.

The axis is z of the first side, through its origin, which is the centre of the circle: the second origin has no offset along the
axis and keeps the distance `length` from the centre. Two rows in place of a body and a coordinate. The ball's side of such a link
may turn freely, so the axes of the second frame do not matter. With a universal joint in place of the hinge it is
`constant_length`.
"""

from gough.joints.closures import Along, Distance
from gough.joints.joint import JointDimension, JointType

REVOLUTE_SPHERICAL = JointType(
    name="revolute_spherical",
    words="rev_spherical hinged_rod circle rs swing_rod",
    axes=1,
    motions=None,
    coordinates=(),
    dimensions=(JointDimension("length", "the radius (m) of the circle", positive=True),),
    closures=(Along(2), Distance()),
    friction_when_cut=False,
    drawing="strut",
)
