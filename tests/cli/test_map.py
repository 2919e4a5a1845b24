import numpy as np
import pytest

import gough as library
from analysis.mapped_robots import FIVE_BAR, hexapod, interrupt_survey
from cli.command import QUICK, gough, gough_json
from gough.robot import dumps

LINE = ("--range", "x=-0.1:0.1:21")


@pytest.fixture(scope="module")
def limited(tmp_path_factory):
    path = tmp_path_factory.mktemp("robots") / "limited.yaml"
    path.write_text(dumps(hexapod().robot), encoding="utf-8")
    return path


def test_json(limited):
    report = gough_json(
        "map", limited, *LINE, "--range", "yaw=-20deg:20deg:5", "--fixed", "z=620mm", "--condition", 0.02
    )
    assert (report["robot"], report["kind"], report["samples"], report["done"]) == ("limited", "grid", 105, 105)
    assert report["fixed"] == {"z": 0.62} and report["condition"] == 0.02 and not report["partial"]
    x, yaw = report["coordinates"]
    assert x == {"name": "x", "unit": "m", "low": -0.1, "high": 0.1, "points": 21}
    assert yaw["high"] == pytest.approx(np.deg2rad(20))
    assert sum(report["counts"].values()) == 105
    assert report["volume"]["unit"] == "m.rad" and report["volume"]["cell"] == pytest.approx(0.01 * np.deg2rad(10))
    assert report["volume"]["home_region"] == report["regions"][0]["volume"]
    assert 0 < report["parallel"]["min"] <= report["parallel"]["median"] <= report["parallel"]["max"] < 1


def test_degrees_without_their_unit_are_told(limited):
    _, told = gough("map", limited, "--range", "yaw=-0.2:40:2", "--fixed", "pitch=30", "--fixed", "z=620mm")
    assert "--range 'yaw=-0.2:40:2': 40 without a unit is 40 rad, 6.37 turns; write 40deg or 40rad" in told
    assert told.count("without a unit") == 2 and "--fixed 'pitch=30': 30 without" in told


def test_text_names_the_limits(limited):
    out, _ = gough("map", limited, "--range", "x=-0.3:0.3:31")
    assert "reachable" in out and "connected with home" in out
    assert "limits violated most: leg" in out
    out, _ = gough("map", limited, "--range", "x=-0.3:0.3:31", "--no-limits")
    assert "limits off" in out and "violated" not in out


def test_random_and_orientations(limited):
    options = ("--range", "x=-0.3:0.3", "--random", 200, "--seed", 5)
    report = gough_json("map", limited, *options)
    assert (report["kind"], report["seed"], report["samples"]) == ("random", 5, 200)
    assert report["volume"]["reachable_error"] > 0 and report["volume"]["cell"] is None
    turned = ("--orientation", "0,0,0", "--orientation", "10deg,0,0.1")
    every = gough_json("map", limited, *options, *turned)["counts"]["free"]
    one = gough_json("map", limited, *options, *turned, "--any")["counts"]["free"]
    assert every <= report["counts"]["free"] <= one


def test_files(limited, tmp_path):
    data, figure = tmp_path / "map.npz", tmp_path / "map.png"
    report = gough_json("map", limited, *LINE, "--out", data, "--figure", figure)
    assert report["files"] == [str(data), str(figure)]
    assert library.Workspace.load(data).samples.count == 21
    assert figure.read_bytes().startswith(b"\x89PNG")


def test_mechanism_without_a_platform(tmp_path):
    path = tmp_path / "five_bar.yaml"
    path.write_text(FIVE_BAR, encoding="utf-8")
    report = gough_json("map", path, "--range", "m1=100deg:130deg:3", "--range", "m2=50deg:80deg:3")
    assert report["counts"]["free"] == 9


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (("--range", "x"), "NAME=LOW:HIGH:POINTS"),
        (("--range", "x=1:2"), "NAME=LOW:HIGH:POINTS"),
        (("--range", "x=1:2:3:4"), "NAME=LOW:HIGH:POINTS"),
        (("--range", "x=a:2:3"), "'a' is not a number"),
        (("--range", "x=1:2:many"), "whole number"),
        (("--range", "x=1:nan:3"), "not finite"),
        (("--range", "x=1kg:2:3"), "1kg"),
        ((*LINE, *LINE), "twice"),
        (("--range", "w=0:1:3"), "no coordinate 'w'"),
        ((*LINE, "--fixed", "z"), "--fixed NAME=VALUE"),
        ((*LINE, "--orientation", "1,2"), "YAW,PITCH,ROLL"),
        ((*LINE, "--orientation", "0,3mm,0"), "'3mm' is not a number or an angle"),
        ((*LINE, "--fixed", "yaw=3mm"), "--fixed: 3mm is a length, and yaw is an angle; write rad or deg"),
        (("--range", "x=0:3deg:3"), "--range: 3deg is an angle, and x is a length; write m or mm"),
        (("--range", "x=0:3deg", "--random", "3"), "--range: 3deg is an angle"),
        (("--range", "x=0:3deg:3", "--modes", "2"), "--range: 3deg is an angle"),
        ((*LINE, "--fixed", "yaw=3mm", "--modes", "2"), "--fixed: 3mm is a length"),
        ((*LINE, "--condition", "3"), "from 0 to 1"),
        ((*LINE, "--random", "0"), "--random"),
    ],
)
def test_bad_usage_says_what_to_do(options, text):
    out, err = gough("map", QUICK, *options, code=2)
    assert out == "" and text in err


def test_modes_at_a_place_in_units_of_its_coordinate():
    _, err = gough("modes", QUICK, "--at", "z=3deg", code=2)
    assert "--at: 3deg is an angle, and z is a length; write m or mm, or a plain number in m" in err


def test_interrupt_keeps_what_is_done(limited, tmp_path, monkeypatch, limits):
    limits(survey_chunk=5)
    interrupt_survey(monkeypatch, 2)
    report = gough_json("map", limited, *LINE, "--out", tmp_path / "part.npz", code=130)
    assert report["partial"] and 5 <= report["done"] <= 10
    assert library.Workspace.load(tmp_path / "part.npz").partial
