"""Names of other programs as names of a description."""

from gough.interchange import naming


def test_names_are_plain_and_free():
    names = naming.PartNames("joint", platform=True)
    wanted = ["hip", "hip", "hip-1", "1st", "", "世", "world", "x", "tau", "hip_1", "a" * 200]
    found = [names.add(f"{k}{name}"[len(str(k)) :], "revolute") for k, name in enumerate(wanted)]
    assert found[:1] == ["hip"] and len(set(found)) == len(found)
    assert all(name.replace("_", "a").isalnum() and not name[0].isdigit() for name in found)
    assert not {"world", "x", "tau"} & set(found)
    assert names.changed["1st"] == "_1st"


def test_coordinates_of_joints_must_be_free_too():
    names = naming.PartNames("joint")
    assert names.add("hip", "universal") == "hip"
    assert names.add("hip_1", "revolute") != "hip_1"


def test_robot_names():
    assert [naming.robot_name(n) for n in ("My Robot", "7dof", "___", "")] == ["my_robot", "dof", "robot", "robot"]


def test_names_that_may_stay_stay_whatever_comes_first():
    names = naming.PartNames("joint")
    names.add_all(
        [("axis 1", "revolute"), ("axis_1", "revolute"), ("hip", "universal"), ("hip_1", "revolute"), ("a__b", None)]
    )
    assert list(names.of) == ["axis 1", "axis_1", "hip", "hip_1", "a__b"]
    assert {old: new for old, new in names.of.items() if old == new}.keys() == {"axis_1", "hip_1", "a__b"}
    assert len(set(names.of.values())) == 5
