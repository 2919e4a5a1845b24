import numpy as np
import pytest

from cli.command import gough, gough_json


@pytest.fixture(scope="module")
def shown():
    return gough_json("show", "pedrammehr2012", "--parameters")


def test_structure(shown):
    """Numbers of [Pedrammehr 2012, Appendix 2]."""
    assert shown["robot"] == "pedrammehr2012" and shown["freedoms"] == 6
    assert shown["gravity"] == [0.0, 0.0, -9.81]
    assert shown["platform"]["mass"] == 40.0
    assert shown["platform"]["center_of_mass"] == [0.04, 0.03, -0.06]
    assert shown["platform"]["central_inertia"][0] == [0.05, 0.003, 0.004]
    leg = shown["legs"][3]
    assert (leg["name"], leg["type"], leg["geometry"], leg["branch"]) == ("leg3", "UPS", "closed form", [0, 1])
    assert leg["base"]["position"] == [-0.3, -0.4, 0.0]
    hip, slide = leg["joints"]
    assert (hip["type"], hip["axes"], hip["friction"]) == ("universal", [[0, 0, 1], [0, 1, 0]], {"viscous": 1e-4})
    assert (slide["type"], slide["drive"], slide["body"]["mass"]) == ("prismatic", {"viscous": 0.001}, 1.0)
    assert (leg["cut"]["type"], leg["cut"]["friction"]) == ("spherical", {"viscous": 2e-4})
    assert [d["name"] for d in shown["drives"]] == [f"leg{i}.slide" for i in range(6)]
    assert shown["source"]["paper"] == "Pedrammehr 2012"
    assert "leg0.upper" in shown["frames"]
    assert len(shown["warnings"]) == 3  # the printed tensors are not physical


def test_characteristic_length(shown):
    """Root mean square distance of the platform points from their mean."""
    a = np.array([leg["on_platform"]["position"] for leg in shown["legs"]])
    assert abs(shown["characteristic_length"] - np.sqrt(np.mean(np.sum((a - a.mean(axis=0)) ** 2, axis=1)))) < 1e-12


def test_home_closes_the_loops(shown):
    """Leg length = distance of base and platform points."""
    q = shown["home"]["q"]
    for leg in shown["legs"]:
        span = np.add(leg["on_platform"]["position"], [q["x"], q["y"], q["z"]]) - leg["base"]["position"]
        assert abs(q[f"{leg['name']}.slide"] - np.linalg.norm(span)) < 1e-12


def test_structural_zeros(shown):
    zeros = shown["structural_zeros"]
    assert zeros["count"] == len(zeros["parameters"]) > 100
    assert zeros["parameters"]["gravity.x"] == 0.0
    assert "gravity.z" not in zeros["parameters"]
    assert shown["parameters"]["gravity.z"] == {"value": -9.81, "unit": "m/s2", "structural": False}
    assert sum(p["structural"] for p in shown["parameters"].values()) == zeros["count"]
    assert shown["parameter_count"] == len(shown["parameters"])


def test_text():
    out, _ = gough("show", "long2014_rigid", "--parameters")
    for part in ("characteristic length 0.5 m", "73.07", "rotor_inertia 45.89", "spherical (cut)", "structural zeros"):
        assert part in out, part
    assert "leg5.slide" in out and "warning:" in out


def test_telescopic_and_sources_are_shown():
    out, _ = gough("show", "fried")
    assert "+ telescopic" in out and "assumed: " in out


def test_unknown_robot():
    out, err = gough("show", "pedramehr", code=2)
    assert out == "" and "pedrammehr2012" in err and err.startswith("error:") and len(err.splitlines()) == 1


SPINDLE = """
format: 1
name: spindle
bodies:
  - {name: shaft, mass: 1, inertia: {about: center_of_mass, xx: 0.01, yy: 0.01, zz: 0.01}}
  - {name: table, mass: 5}
joints:
  - {name: motor, type: revolute, parent: world, child: shaft, drive: {}}
  - {name: slide, type: prismatic, parent: world, child: table}
loops:
  - {name: thread, type: helical, lead: 5 mm, first: {body: shaft}, second: {body: table}}
home: {joints: {motor: 0, slide: 0, thread: 0}}
"""


def test_a_screw_that_closes_a_loop_is_shown_as_it_is_written(tmp_path):
    file = tmp_path / "spindle.yaml"
    file.write_text(SPINDLE, encoding="utf-8")
    report = gough_json("show", str(file))
    (loop,) = report["loops"]
    assert (loop["name"], loop["type"], loop["first"], loop["second"]) == ("thread", "helical", "shaft", "table")
    assert loop["dimensions"] == {"lead": 0.005} and loop["nut"] == "thread.nut"
    assert report["blocks"][0]["loops"] == ["thread"]
    text, _ = gough("show", str(file))
    assert "lead 0.005 m/turn" in text and "thread.nut, named by parameters and failures, is its end on table" in text


def test_joints_that_home_has_elsewhere_are_told_once(tmp_path):
    file = tmp_path / "spindle.yaml"
    file.write_text(SPINDLE.replace("slide: 0, thread: 0", "slide: 40 mm, thread: 0"), encoding="utf-8")
    assert "".join(gough("check", str(file))).count(" mm stated, ") == 1
