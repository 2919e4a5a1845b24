"""Groups of bodies without a way to the world float where the file places them."""

from __future__ import annotations

from gough.interchange import _islands as islands
from gough.interchange import foreign

HERE = foreign.Written("f", 1, "")


def test_each_group_floats_on_its_first_body_that_nothing_carries():
    bodies = [foreign.ForeignBody(name, HERE) for name in "abcdef"]
    joints = [
        foreign.ForeignJoint("j", "revolute", foreign.WORLD, "a", HERE),
        foreign.ForeignJoint("k", "revolute", "c", "b", HERE),
        foreign.ForeignJoint("l", "constant_length", "a", "b", HERE),
        foreign.ForeignJoint("m", "revolute", "e", "d", HERE),
        foreign.ForeignJoint("n", "revolute", "d", "e", HERE),
    ]
    poses = {body.name: foreign.Placement((float(k), 0.0, 0.0)) for k, body in enumerate(bodies)}
    found = islands.find_floating(bodies, joints, poses)
    assert [(j.type, j.child, j.start) for j in found] == [
        ("free", "c", (2.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)),
        ("free", "d", (3.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)),
        ("free", "f", (5.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)),
    ]
