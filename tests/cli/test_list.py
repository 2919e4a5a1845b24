from cli.command import gough, gough_json
from gough.robot import gallery


def test_every_gallery_robot_is_listed():
    robots = {r["name"]: r for r in gough_json("list")["robots"]}
    assert set(robots) == set(gallery())
    assert robots["pedrammehr2012"]["legs"] == 6
    assert robots["pedrammehr2012"]["drives"] == 6
    assert robots["long2014_rigid"]["source"] == "Long 2014"


def test_table():
    out, err = gough("list")
    for name in gallery():
        assert name in out
    assert "Pedrammehr 2012" in out and err == ""
