"""Drives and platform that nobody names."""

from itertools import pairwise

import pytest

from gough.errors import UsageError
from gough.interchange import choosing, findings, foreign

AT = foreign.Written("f", 1, "")


def robot(driven=(), closes=(), couplings=(), bodies=("a", "b", "c"), **more):
    joints = [foreign.ForeignJoint("fix", "fixed", "world", bodies[0], AT)]
    joints += [
        foreign.ForeignJoint(f"to_{child}", "revolute", parent, child, AT, driven=f"to_{child}" in driven)
        for parent, child in pairwise(bodies)
    ]
    joints += [foreign.ForeignJoint(name, "spherical", bodies[-1], bodies[0], AT, closes=True) for name in closes]
    parts = tuple(foreign.ForeignBody(n, AT) for n in bodies)
    return foreign.ForeignRobot("r", "f", "URDF", parts, tuple(joints), tuple(couplings), **more)


def drives(made, asked=None):
    noted = findings.Findings()
    return choosing.choose_drives(made, asked, noted), noted.remarks


def test_drives():
    assert drives(robot(driven=("to_c",))) == (("to_c",), [])
    assert drives(robot()) == (("to_b", "to_c"), [])
    found, said = drives(robot(closes=("pin",)))
    assert found == () and "names no motors" in said[0]
    assert drives(robot(closes=("pin",)), ["to_*"])[0] == ("to_b", "to_c")
    with pytest.raises(UsageError, match="'fix' is not a joint with one coordinate"):
        drives(robot(), ["fix"])


def test_followers_are_not_driven():
    tie = foreign.ForeignCoupling("t", AT, {"to_c": 1.0, "to_b": -1.0}, follower="to_c")
    assert drives(robot(couplings=[tie]))[0] == ("to_b",)
    found, said = drives(robot(driven=("to_b", "to_c"), couplings=[tie]))
    assert found == ("to_b",) and "needs no motor" in said[0]
    assert drives(robot(couplings=[tie]), ["to_c"])[0] == ("to_c",)
    gear = foreign.ForeignCoupling("t", AT, {"to_c": 1.0, "to_b": -1.0})
    assert drives(robot(couplings=[gear]))[0] == ()


def test_platforms():
    assert choosing.choose_platform(robot(), None) is None
    assert choosing.choose_platform(robot(), "c") == "c"
    assert choosing.choose_platform(robot(platform="b"), None) == "b"
    named = ("a", "b", "Top_Plate")
    assert choosing.choose_platform(robot(bodies=named), None) is None
    assert choosing.choose_platform(robot(bodies=named, closes=("pin",)), None) == "Top_Plate"
    with pytest.raises(UsageError, match="'z' is not a body"):
        choosing.choose_platform(robot(), "z")


def test_loops_are_counted_over_the_world_too():
    ring = foreign.ForeignJoint("ring", "revolute", "c", "world", AT)
    assert choosing.has_loops(robot().with_joints((*robot().joints, ring)))
    assert not choosing.has_loops(robot())
