"""Groups of bodies without a way to the world float where the file places them."""

from __future__ import annotations

from gough.interchange._islands import find_floating
from gough.interchange.foreign import WORLD, ForeignBody, ForeignJoint, Placement, Written

HERE = Written("f", 1, "")


def test_each_group_floats_on_its_first_body_that_nothing_carries():
    bodies = [ForeignBody(name, HERE) for name in "abcdef"]
    joints = [
        ForeignJoint("j", "revolute", WORLD, "a", HERE),
        ForeignJoint("k", "revolute", "c", "b", HERE),
        ForeignJoint("l", "constant_length", "a", "b", HERE),
        ForeignJoint("m", "revolute", "e", "d", HERE),
        ForeignJoint("n", "revolute", "d", "e", HERE),
    ]
    poses = {body.name: Placement((float(k), 0.0, 0.0)) for k, body in enumerate(bodies)}
    found = find_floating(bodies, joints, poses)
    assert [(j.type, j.child, j.start) for j in found] == [
        ("free", "c", (2.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)),
        ("free", "d", (3.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)),
        ("free", "f", (5.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)),
    ]
