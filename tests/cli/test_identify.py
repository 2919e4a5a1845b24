import re

import numpy as np
import pytest

import gough as library
from cli.command import gough, gough_json

AXIS = """
format: 1
name: axis
gravity: [0, 0, 0]
bodies: [{name: slider, mass: 2.0}]
joints:
  - name: screw
    type: prismatic
    parent: world
    child: slider
    axis: [1, 0, 0]
    drive: {viscous: 20, coulomb: 3, smoothing: 0.01}
"""
MASS, VISCOUS, COULOMB = 3.0, 30.0, 2.0
HEAD = "time,screw.position,screw.force"


def log(seed=0):
    """20 s at 500 Hz (n, 3): time, position, force by Newton's law."""
    t, rng = np.arange(10_000) / 500, np.random.default_rng(seed)
    w, size, phase = 2 * np.pi * np.array([0.4, 1.1, 2.3]), np.array([0.1, 0.03, 0.01]), rng.uniform(0, 6, 3)
    angle = np.outer(t, w) + phase
    x, v, a = np.sin(angle) @ size, np.cos(angle) @ (size * w), -np.sin(angle) @ (size * w**2)
    force = MASS * a + VISCOUS * v + COULOMB * np.tanh(v / 0.01) + rng.normal(0, 0.1, len(t))
    return np.column_stack([t, x, force])


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("axis")
    (folder / "axis.yaml").write_text(AXIS, encoding="utf-8")
    for seed, name in enumerate(("log", "other")):
        np.savetxt(folder / f"{name}.csv", log(seed), delimiter=",", header=HEAD, comments="")
    return folder


@pytest.fixture(scope="module")
def told(files):
    return gough_json("identify", files / "axis.yaml", files / "log.csv", "--validate", files / "other.csv")


def test_text(files):
    out, notes = gough("identify", files / "axis.yaml", files / "log.csv")
    assert "axis: 3 base parameters by least squares" in out and "of 1 run\n" in out
    assert re.search(r"\d+ +2  kg +slider\.M", out)
    assert "hardly told by the data, so that they rest on the description: slider.{MX,MY,MZ,XX,XY,XZ,YY,YZ,ZZ}" in out
    assert "band" in notes and "screw" in notes


def test_json_has_the_documented_keys(told):
    assert set(told) == {
        *("robot", "method", "samples", "runs", "condition", "noise", "base", "parameters", "gains", "undetermined"),
        *("inconsistent", "consistent", "distance", "fits", "notes", "warnings", "files"),
    }
    assert set(told["base"][0]) == {"name", "value", "deviation", "low", "high", "described", "unit"}
    assert set(told["parameters"][0]) == {"name", "value", "deviation", "described", "unit", "told"}
    assert [set(f) for f in told["fits"]] == 2 * [{"name", "count", "error", "rms", "share"}]
    assert [f["name"] for f in told["fits"]] == ["training", "validation"]
    assert told["robot"] == "axis" and told["method"] == "ls" and told["runs"][0].endswith("log.csv")
    assert told["inconsistent"] == [] and told["gains"] == {} and told["files"] == []


def test_numbers_are_those_of_the_log(told):
    found = {row["name"]: row for row in told["base"]}
    truth = {"slider.M": MASS, "screw.drive.friction.viscous": VISCOUS, "screw.drive.friction.coulomb": COULOMB}
    assert set(found) == set(truth)
    for name, x in truth.items():
        assert found[name]["value"] == pytest.approx(x, rel=0.02)
        assert found[name]["low"] < found[name]["value"] < found[name]["high"]
    own = {row["name"]: row for row in told["parameters"]}
    assert own["slider.M"]["told"] and own["slider.M"]["described"] == 2.0 and not own["slider.XX"]["told"]
    assert all(f["error"] < 0.05 for f in told["fits"])


def test_files(files, tmp_path):
    page, robot = tmp_path / "new" / "report.html", tmp_path / "robot.yaml"
    written = gough_json("identify", files / "axis.yaml", files / "log.csv", "--out", page, "--robot-out", robot)
    assert written["files"] == [str(page), str(robot)]
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    again = library.build(robot)
    numbers = dict(zip(again.parameter_names, again.parameters, strict=True))
    for row in written["parameters"]:
        assert numbers[row["name"]] == pytest.approx(row["value"], rel=1e-12, abs=1e-12)
    text = robot.read_text(encoding="utf-8")
    assert "identified by least squares: M = " in text and "±" in text
    assert text.count("identified by least squares") == 2  # once a body, once a drive


def test_a_part_is_held_out(files):
    held = gough_json("identify", files / "axis.yaml", files / "log.csv", "--hold-out", 0.4)
    training, validation = held["fits"]
    assert (training["name"], validation["name"]) == ("training", "validation")
    assert 0 < validation["count"] < training["count"]


def test_parameters(files):
    found = gough_json("identify", files / "axis.yaml", files / "log.csv", "--parameters", "inertia, friction,offsets")
    assert [row["name"] for row in found["base"]][-1] == "screw.offset"
    friction = gough_json("identify", files / "axis.yaml", files / "log.csv", "--parameters", "friction")
    assert {row["name"].split(".")[0] for row in friction["parameters"]} == {"screw"}


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (("--method", "magic"), "method"),
        (("--method", "iv"), "controller"),
        (("--consistent", "maybe"), "log-cholesky"),
        (("--hold-out", "0.2", "--validate", "log.csv"), "exclude each other"),
        (("--parameters", "colour"), "colour"),
        (("--parameters", "inertia,friction,gains"), "gains"),
        (("--tied", "arms"), "arms"),
    ],
)
def test_wrong_options_are_told(files, options, text):
    _, told = gough("identify", files / "axis.yaml", files / "log.csv", *options, code=2)
    assert text in told


def test_bad_logs_are_told(files, tmp_path):
    def of(name, table, head):
        np.savetxt(tmp_path / name, table, delimiter=",", header=head, comments="")
        return gough("identify", files / "axis.yaml", tmp_path / name, code=2)[1]

    missing = of("short.csv", log()[:, :2], "time,screw.position")
    assert "force screw" in missing and "[missing]" in missing
    strange = of("strange.csv", log(), "time,a,b")
    assert "position screw" in strange and "columns" in strange
    _, none = gough("identify", files / "axis.yaml", tmp_path / "nowhere.csv", code=2)
    assert "nowhere.csv" in none


def test_too_little_to_hold_out_is_told(files, tmp_path):
    np.savetxt(tmp_path / "slow.csv", log()[:1500], delimiter=",", header=HEAD, comments="")
    _, told = gough("identify", files / "axis.yaml", tmp_path / "slow.csv", "--hold-out", 0.1, code=2)
    assert "nothing is left for validation" in told
