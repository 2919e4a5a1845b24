"""Every command with a robot takes other programs' files, with what they do not say on the command line."""

import csv

import pytest

from cli.command import gough, gough_json
from interchange.urdf_files import OWN, PLUS, four_bar, hexapod, write

COMMANDS = ("show", "check", "count", "eval", "verify", "map", "modes", "simulate", "view", "export", "bench", "cite")


@pytest.fixture
def four(tmp_path):
    return write(tmp_path, four_bar(PLUS))


@pytest.fixture
def six(tmp_path):
    text, loops = hexapod()
    return write(tmp_path, text, "six.urdf"), write(tmp_path, loops, "balls.yaml")


@pytest.mark.parametrize("command", COMMANDS)
def test_the_options_are_told(command):
    told, _ = gough(command, "--help")
    drives = "--driven" if command == "modes" else "--drives"
    for option in ("--loops", "--platform", "--packages", "--model", "--closure-tolerance", drives):
        assert option in told


def test_commands_without_a_robot_do_not_have_them():
    assert "--loops" not in gough("list", "--help")[0]


def test_check_tells_of_the_drives_and_of_homes_that_are_not_zero(four):
    assert gough_json("check", four, "--drives", "mot*,foot")["model"]["drives"] == 2
    assert "share the load by the least" in gough("show", four, "--drives", "mot*,foot")[0]
    out, _ = gough("check", four, "--drives", "motor")
    assert "1 freedom, 1 drive, 1 loop" in out
    assert "At zero the loops are open; home is next to it (motor: -3.502 deg" in out
    assert "To choose another one: `home: {joints: …}` in its file of loops (--loops)." in out
    assert gough_json("check", four, "--drives", "motor")["model"]["home_found"][0].startswith("motor")


def test_a_body_that_floats_leaves_no_loop_open(tmp_path):
    inertial = "<inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>"
    link = f'<link name="a"><pose>1 0 2 0 0 0.3</pose>{inertial}</link>'
    file = tmp_path / "float.sdf"
    file.write_text(f'<sdf version="1.9"><model name="rig">{link}</model></sdf>', encoding="utf-8")
    assert "0 loops" in gough("check", file)[0] and "At zero" not in gough("check", file)[0]


def test_loops_and_platform(six):
    file, loops = six
    out, _ = gough("check", file, "--loops", loops, "--platform", "rod0")
    assert "6 freedoms, 6 drives, 6 loops" in out
    assert "top_plate" in gough("show", file, "--loops", loops)[0]


def test_eval_count_modes_export_verify_and_simulate(four, tmp_path):
    states = tmp_path / "states.csv"
    with states.open("w", newline="") as out:
        csv.writer(out).writerows([["motor", "v.motor", "a.motor"], [0.1, 0.2, 0.3]])
    drives = ("--drives", "motor")
    assert gough_json("eval", four, "inverse_dynamics", "--state", states, *drives)
    gough("count", four, *drives)
    gough("modes", four, "--driven", "motor", "--drives", "free")
    gough("export", four, "inverse_dynamics", *drives, "--out", tmp_path / "out")
    gough("verify", four, *drives)
    gough("simulate", four, *drives, "--duration", "0.05", "--controller", "free")


def test_a_tolerance_is_metres_or_has_a_unit(four):
    for text in ("2e-5", "0.02 mm"):
        found = gough_json("check", four, "--drives", "motor", "--closure-tolerance", text)
        assert found["model"]["closure_tolerance"] == pytest.approx(2e-5)
    assert "a positive, finite length" in gough("show", four, "--closure-tolerance", "-1", code=2)[1]
    assert "--closure-tolerance is for files" in gough("show", "lopes", "--closure-tolerance", "1e-6", code=2)[1]


def test_descriptions_and_results_refuse_them(tmp_path):
    for option in (("--loops", "a.yaml"), ("--drives", "a"), ("--platform", "p"), ("--packages", tmp_path)):
        _, told = gough("show", "lopes", *option, code=2)
        assert f"{option[0]} is for files of other programs" in told
    _, told = gough("view", "lopes", "--loops", "a.yaml", "--export", tmp_path / "a.html", code=2)
    assert "--loops is for files" in told


def test_wrong_words_are_told(four, tmp_path):
    assert "'moto' is not a joint with one coordinate" in gough("show", four, "--drives", "moto", code=2)[1]
    assert "'hand' is not a body" in gough("show", four, "--platform", "hand", code=2)[1]
    broken = write(tmp_path, OWN.replace("coupler", "cupler"), "broken.yaml")
    found = gough_json("check", write(tmp_path, four_bar(), "open.urdf"), "--loops", broken, code=1)
    assert (found["problems"][0]["line"], found["problems"][0]["expected"]) == (3, "'coupler'")
    assert "for descriptions" in gough("check", four, "--drives", "motor", "--upgrade", code=2)[1]


def test_scenarios_name_files_beside_them(four, tmp_path):
    text = "format: 1\nrobot: made.urdf\ncontroller: free\nduration: 0.05\n"
    said = write(tmp_path, text, "drop.yaml")
    write(tmp_path, "drives: [motor]\n", "made.loops.yaml")
    gough("simulate", "--scenario", said)
