"""Names as users write them: of the file, of the description, their last parts; near ones of those that are not there."""

import pytest

from gough.errors import UsageError
from gough.interchange import matching
from interchange.reading import read_quietly, saved

KNOWN = ["left::arm::shoulder", "left::arm::elbow", "right::arm::shoulder", "right::wrist", "lift", "big wheel"]


def told(*asked: str, others: dict[str, str] | None = None) -> str:
    with pytest.raises(UsageError) as caught:
        matching.find_named(asked, KNOWN, "drives of rig.sdf", "a joint with one coordinate", others)
    return str(caught.value)


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("left::arm::elbow", ["left::arm::elbow"]),
        ("*::shoulder", ["left::arm::shoulder", "right::arm::shoulder"]),
        ("left_arm_shoulder", ["left::arm::shoulder"]),
        ("big_wheel", ["big wheel"]),
        ("elbow", ["left::arm::elbow"]),
        ("arm::elbow", ["left::arm::elbow"]),
        ("wrist", ["right::wrist"]),
        ("ist", []),
        ("arm", []),
    ],
)
def test_names(name, meant):
    assert matching.meant_names(name, KNOWN) == meant


def test_all_that_is_wrong_is_told_at_once_with_what_is_near():
    said = told("shoulder", "elbo", "lift", "zzz")
    assert said.startswith(
        "drives of rig.sdf: 'shoulder' may be 'left::arm::shoulder' or 'right::arm::shoulder'; write one"
    )
    assert "; 'elbo' is not a joint with one coordinate, but 'left::arm::elbow' is; " in said
    assert (
        "; 'zzz' is not a joint with one coordinate. There are left::arm::shoulder, " in said and "'lift'" not in said
    )


def test_a_joint_of_another_kind_says_so():
    said = told("hip", others={"right::hip": "'right::hip' is a spherical joint"})
    assert "'hip' is not a joint with one coordinate: 'right::hip' is a spherical joint. There are left::" in said


LEG = """<model name="{name}"><pose>{x} 0 0 0 0 0</pose>
  <link name="thigh"><inertial><mass>1</mass></inertial></link>
  <link name="shin"><pose>0 0 -1 0 0 0</pose><inertial><mass>1</mass></inertial></link>
  <joint name="hip" type="revolute"><parent>world</parent><child>thigh</child><axis><xyz>0 1 0</xyz></axis></joint>
  <joint name="{knee}" type="revolute"><parent>thigh</parent><child>shin</child><axis><xyz>0 1 0</xyz></axis></joint>
</model>"""


def test_joints_of_nested_models(tmp_path):
    legs = LEG.format(name="left", x=1, knee="knee") + LEG.format(name="right", x=-1, knee="bend")
    file = saved(tmp_path, f'<sdf version="1.9"><model name="two">{legs}</model></sdf>')
    for names in (["left::hip", "knee"], ["left_hip", "left_knee"], ["left::*"]):
        made = read_quietly(file, drives=names)
        assert [j.name for j in made.joints if j.drive is not None] == ["left_hip", "left_knee"]
    with pytest.raises(UsageError, match=r"'hip' may be 'left::hip' or 'right::hip'; .*'bent' is not .*'right::bend'"):
        read_quietly(file, drives=["hip", "bent"])
    with pytest.raises(
        UsageError, match=r"platform of .*: 'knee' is not a body: 'left::knee' is a joint; it carries 'left::shin'"
    ):
        read_quietly(file, platform="knee")
