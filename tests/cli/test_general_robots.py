"""The commands on mechanisms that are no hexapods: without a platform, with other freedoms, without drives."""

import csv
import io

import numpy as np
import pytest

import gough as library
from cli.command import gough, gough_json

SHARED = """
format: 1
name: parallelogram
bodies:
  - {name: left, mass: 1, center_of_mass: [0, 0.5, 0], inertia: {about: center_of_mass, xx: 0.1, zz: 0.1}}
  - {name: right, mass: 1, center_of_mass: [0, 0.5, 0], inertia: {about: center_of_mass, xx: 0.1, zz: 0.1}}
  - {name: bar, mass: 2, center_of_mass: [1, 0, 0]}
joints:
  - {name: a, type: revolute, parent: world, child: left, drive: {weight: 1}}
  - {name: b, type: revolute, parent: world, child: right, pose: {position: [2, 0, 0]}, drive: {weight: 4}}
  - {name: c, type: revolute, parent: left, child: bar, pose: {position: [0, 1, 0]}}
loops:
  - name: pin
    type: revolute
    first: {body: bar, pose: {position: [2, 0, 0]}}
    second: {body: right, pose: {position: [0, 1, 0]}}
home: {joints: {a: 10 deg, b: 10 deg, c: -10 deg}}
"""
PENDULUM = """
format: 1
name: pendulum
bodies: [{name: rod, mass: 2, center_of_mass: [0.5, 0, 0]}]
joints: [{name: hinge, type: revolute, parent: world, child: rod, axis: [0, 1, 0], drive: {}}]
"""


@pytest.fixture
def file(tmp_path):
    def write(text, name):
        (tmp_path / name).write_text(text, encoding="utf-8")
        return tmp_path / name

    return write


def rows(text):
    return list(csv.DictReader(io.StringIO(text)))


# ---- show, check, list, count


def test_show_bodies_joints_and_loops():
    shown = gough_json("show", "five_bar")
    assert shown["platform"] is None and shown["legs"] == [] and shown["mobility"] == shown["freedoms"] == 2
    assert [(j["name"], j["parent"], j["child"]) for j in shown["joints"]][1] == (
        "left_elbow",
        "left_crank",
        "left_rod",
    )
    assert [b["mass"] for b in shown["bodies"]] == [0.8, 0.5, 0.8, 0.5]
    [pin] = shown["loops"]
    assert (pin["name"], pin["type"], pin["first"], pin["second"]) == ("pin", "revolute", "left_rod", "right_rod")
    assert len(pin["kept"]) == 2 and len(pin["redundant"]) == 3 == len(shown["redundant_closures"])
    assert shown["blocks"] == [{"loops": ["pin"], "velocities": ["left_elbow", "right_elbow"]}]
    assert shown["velocities"][0] == {
        "name": "left_motor",
        "unit": "rad/s",
        "coordinate": "left_motor",
        "column": "v.left_motor",
        "acceleration": "a.left_motor",
    }
    out, _ = gough("show", "five_bar")
    for part in (
        "4 joints, 1 loop, 2 freedoms, 2 drives",
        "5, 3 redundant",
        "pin: left_elbow right_elbow",
        "mobility 2",
    ):
        assert part in out, part
    assert "None" not in out and "platform " not in out


def test_show_legs_with_branches_and_several_loops():
    shown = gough_json("show", "delta")
    leg = shown["legs"][1]
    assert leg["cut"] is None and leg["loops"] == ["leg1.left_ball", "leg1.right_ball"]
    assert [j["on"] for j in leg["joints"]] == [None, None, "arm"]
    assert [v["name"] for v in shown["velocities"]] == ["vx", "vy", "vz"]
    first = shown["blocks"][0]
    assert len(first["loops"]) == 6 and set(first["velocities"]) >= {"wx", "wy", "wz"}  # all rods together
    out, _ = gough("show", "delta")
    assert "leg0.left_ball … leg2.left_ball (3)" in out and "RUU + 2 loops" in out


def test_show_a_platform_that_is_a_body_of_the_tree():
    shown = gough_json("show", "ankle")
    assert shown["platform"]["name"] == "foot" and [b["name"] for b in shown["bodies"]] == ["foot"]
    assert [x["described"] for x in shown["loops"]] == [True, True, False]
    out, _ = gough("show", "ankle")
    assert (
        "foot (platform)" in out and "the pose in q follows the body foot" in out and out.count("foot (platform)") == 1
    )


def test_show_without_title_source_or_loops(file):
    out, _ = gough("show", file(PENDULUM, "pendulum.yaml"))
    assert out.startswith("pendulum\n") and "None" not in out and "source" not in out
    out, _ = gough("show", file(SHARED, "shared.yaml"))
    assert "a (weight 1), b (weight 4); they share the load by the least weighted norm" in out


@pytest.mark.slow
def test_check_tells_mobility_and_redundant_closures(file):
    model = gough_json("check", "redundant_planar")["model"]
    assert (model["freedoms"], model["drives"], model["loops"], model["equations"]) == (3, 4, 4, 20)
    assert model["velocities"] == ["vx", "vy", "wz"] and len(model["redundant_closures"]) == 9
    assert model["closure_error"] < 1e-10 and model["serial_names"] == ["leg0", "leg1", "leg2", "leg3"]
    out, _ = gough("check", "four_bar_chain")
    assert "1 freedom, 0 drives, 2 loops" in out and "6 of 10 closure equations are redundant" in out
    assert "no inverse dynamics" in out
    out, _ = gough("check", file(PENDULUM, "pendulum.yaml"))
    assert "1 freedom, 1 drive, 0 loops; independent velocities hinge" in out


def test_check_says_how_to_mend_a_mechanism(file):
    out, _ = gough("check", file(PENDULUM.replace(", drive: {}", ""), "free.yaml"), code=1)
    assert "1 problem" in out and "drive" in out and "hinge" in out
    out, _ = gough("check", file(SHARED.replace("child: left,", "child: lft,"), "typo.yaml"), code=1)
    assert "lft" in out and "left" in out


def test_list_counts_joints_and_loops():
    robots = {r["name"]: r for r in gough_json("list")["robots"]}
    five = robots["five_bar"]
    assert (five["legs"], five["joints"], five["loops"], five["drives"]) == (0, 4, 1, 2)
    assert robots["delta"]["loops"] == 6 and robots["bricard"]["drives"] == 0
    assert robots["bricard"]["source"].startswith("IFToMM") and five["source"] == "assumed"


def test_count_without_inverse_dynamics():
    counted = gough_json("count", "bricard")
    assert list(counted["absent"]) == ["inverse_dynamics"] and "operations" not in counted
    assert set(counted["functions"]) == {"forward_dynamics", "mass_matrix", "bias_force", "drive_map"}
    out, _ = gough("count", "bricard")
    assert "inverse_dynamics is not there: bricard has 0 drives for 1 freedom" in out
    _, err = gough("count", "bricard", "--function", "inverse_dynamics", code=2)
    assert "0 drives for 1 freedom" in err


# ---- eval


def elbows(left, right):
    """Elbow angles of the five-bar by the cosine law: cranks 0.25 m at x = ∓0.12 m, rods 0.35 m, elbows outside."""
    a = np.array([-0.12, 0]) + 0.25 * np.array([np.cos(left), np.sin(left)])
    b = np.array([0.12, 0]) + 0.25 * np.array([np.cos(right), np.sin(right)])
    d = b - a
    half, base = np.hypot(*d) / 2, np.arctan2(d[1], d[0])
    lift = np.arccos(half / 0.35)
    return base + lift - left, base + np.pi - lift - right


def test_eval_joint_coordinates(file):
    states = file("t,left_motor,right_motor\n0,2.0,1.0\n1,2.2,0.9\n2,nan,1\n", "s.csv")
    out, err = gough("eval", "five_bar", "configuration", "--state", states, code=3)
    found = rows(out)
    for row in found[:2]:
        expected = elbows(float(row["left_motor"]), float(row["right_motor"]))
        got = float(row["left_elbow"]), float(row["right_elbow"])
        assert np.allclose(np.exp(1j * np.array(got)), np.exp(1j * np.array(expected)), rtol=0, atol=1e-9)
    assert found[2]["problem"] == "NOT_FINITE at input" and "1 of 3" in err


def test_eval_rates_and_accelerations_by_name(file):
    names = ("left_motor", "right_motor")
    header = [*names, *(f"v.{n}" for n in names), *(f"a.{n}" for n in names)]
    states = file(",".join(header) + "\n2.0,1.0,1.5,-1,3,2\n", "s.csv")
    [row] = rows(gough("eval", "five_bar", "inverse_dynamics", "--state", states)[0])
    model = library.build("five_bar")
    q = model.configuration(drives=[2.0, 1.0])
    tau = model.inverse_dynamics(q, [1.5, -1], [3, 2]).tau
    assert np.allclose([float(row[f"tau.{n}"]) for n in names], tau, rtol=1e-12, atol=0)
    header = [*names, *(f"v.{n}" for n in names), *(f"tau.{n}" for n in names)]
    forces = file(",".join(header) + "\n" + ",".join(map(str, [2.0, 1.0, 1.5, -1, *tau.tolist()])) + "\n", "f.csv")
    [row] = rows(gough("eval", "five_bar", "forward_dynamics", "--state", forces)[0])
    assert np.allclose([float(row["a.left_motor"]), float(row["a.right_motor"])], [3, 2], rtol=0, atol=1e-9)


def test_eval_a_platform_with_three_freedoms(file):
    """x y z, the whole pose and the drives say the same; a turned pose is out of reach."""
    args = ("eval", "delta_fast", "inverse_dynamics", "--state")
    drives = [f"leg{k}.arm" for k in range(3)]

    def tau(row):
        return [float(row[f"tau.{name}"]) for name in drives]

    [short] = rows(gough(*args, file("x,y,z,ax,ay,az\n0.1,0,-1,0,0,2\n", "a.csv"))[0])
    pose = file("x,y,z,yaw,pitch,roll,ax,ay,az\n0.1,0,-1,0,0,0,0,0,2\n0,0,-1.1,0,0.3,0,0,0,0\n", "b.csv")
    whole, turned = rows(gough(*args, pose, code=3)[0])
    assert np.allclose(tau(short), tau(whole), rtol=1e-9, atol=0)
    assert turned["problem"] == "OUT_OF_REACH at platform"
    [q] = rows(gough("eval", "delta_fast", "configuration", "--state", file("x,y,z\n0.1,0,-1\n", "c.csv"))[0])
    text = (
        ",".join([*drives, "ax", "ay", "az"]) + "\n" + ",".join([*(q[name] for name in drives), "0", "0", "2"]) + "\n"
    )
    [led] = rows(gough(*args, file(text, "d.csv"))[0])
    assert np.allclose(tau(short), tau(led), rtol=1e-8, atol=0)


def test_eval_freedoms_that_are_not_given_stay_as_at_home(file):
    out, err = gough("eval", "tripod_wrist", "configuration", "--state", file("z,turn\n0.72,0.3\n", "s.csv"))
    [row] = rows(out)
    assert abs(float(row["turn"]) - 0.3) < 1e-12 and abs(float(row["tilt"]) - np.radians(20)) < 1e-12
    assert "note: roll pitch tilt: not given, as at home" in err


def test_eval_without_drives(file):
    """Two equal four-bars tilted by θ fall as one pendulum: 3 θ̈ = 3.5 g sin θ (three cranks, two couplers, 1 kg, 1 m)."""
    states = file("foot0\n0.2\n", "s.csv")
    [row] = rows(gough("eval", "four_bar_chain", "forward_dynamics", "--state", states)[0])
    assert abs(float(row["a.foot0"]) - 3.5 * 9.81 * np.sin(0.2) / 3) < 1e-9
    [row] = rows(gough("eval", "four_bar_chain", "joint_reactions", "--state", states)[0])
    assert "pin1.fx" in row and row["status"] == "0"
    for function, why in (("inverse_dynamics", "0 drives for 1 freedom"), ("forward_geometry", "no drives")):
        _, err = gough("eval", "four_bar_chain", function, "--state", states, code=2)
        assert f"{function} is not there" in err and why in err


def test_eval_reactions_carry_the_wrench(file):
    """Of a platform with three freedoms the loops' forces balance weight and wrench: 0.9 kg on three ball joints."""
    header = "x,y,z,fx,fy,fz,mx,my,mz"
    states = file(f"{header}\n0,0,-1.1,3,0,-20,0,0,0\n0,0,-1.1,0,0,0,0,0,0\n", "s.csv")
    out, _ = gough("eval", "delta", "joint_reactions", "--state", states)
    for row, wanted in zip(rows(out), ([-3, 0, 20 + 0.9 * 9.81], [0, 0, 0.9 * 9.81]), strict=True):
        cuts = [f"leg{k}.{side}_ball" for k in range(3) for side in ("left", "right")]
        total = [sum(float(row[f"{cut}.f{axis}"]) for cut in cuts) for axis in "xyz"]
        assert np.allclose(total, wanted, rtol=0, atol=1e-9)


def test_eval_singularity_names_legs_and_loops(file):
    [row] = rows(gough("eval", "five_bar", "singularity", "--state", file("left_motor,right_motor\n2,1\n", "s.csv"))[0])
    assert "serial.pin" in row and float(row["parallel"]) > 0
    [row] = rows(gough("eval", "ankle", "singularity", "--state", file("roll,pitch\n0.1,0\n", "s.csv"))[0])
    assert {"serial.left", "serial.right", "serial.foot.platform"} <= set(row)


def test_eval_arrays(file, tmp_path):
    model = library.build("five_bar")
    q = model.configuration(drives=[[2.0, 1.0], [2.1, 1.1]])
    for name, arrays in {"q": {"q": q}, "drives": {"drives": model.drives(q)}}.items():
        given = arrays | {"v": np.array([[1.0, 2.0]]), "acceleration": np.zeros((2, 2))}
        np.savez(tmp_path / f"{name}.npz", **given)  # pyright: ignore[reportArgumentType]
        gough(
            "eval", "five_bar", "inverse_dynamics", "--state", tmp_path / f"{name}.npz", "--out", tmp_path / "out.npz"
        )
        with np.load(tmp_path / "out.npz") as found:
            assert np.allclose(found["tau"], model.inverse_dynamics(q, [1, 2], [0, 0]).tau, rtol=1e-9, atol=1e-12)


def test_eval_without_loops(file):
    robot = file(PENDULUM, "pendulum.yaml")
    [row] = rows(gough("eval", robot, "inverse_dynamics", "--state", file("hinge,a.hinge\n0,1\n", "s.csv"))[0])
    assert abs(float(row["tau.hinge"]) - (2 * 0.25 * 1 - 2 * 9.81 * 0.5)) < 1e-12
    for function in ("singularity", "closure_residual"):
        gough("eval", robot, function, "--state", file("hinge\n0\n", "s.csv"))


BAD = {
    "a pose without a platform": ("five_bar", "x,y\n0,0.5\n", "five_bar has no platform; give the columns left_motor"),
    "a wrench without a platform": ("five_bar", "left_motor,right_motor,fx\n2,1,0\n", "no platform to put a wrench on"),
    "a twist without a platform": ("five_bar", "left_motor,right_motor,vx\n2,1,0\n", "are v.left_motor v.right_motor"),
    "a rate that follows": (
        "five_bar",
        "left_motor,right_motor,v.left_elbow\n2,1,0\n",
        "are v.left_motor v.right_motor",
    ),
    "too many coordinates": ("five_bar", "left_motor,left_elbow,right_motor\n2,1,0\n", "3 coordinates"),
    "too few coordinates": ("five_bar", "left_elbow\n1\n", "1 coordinate (left_elbow) for 2 freedoms of five_bar"),
    "no coordinates": ("five_bar", "t\n1\n", "no configuration: give the columns left_motor right_motor"),
    "a rotation it cannot make": ("delta_fast", "x,y,z,wx\n0,0,-1.1,0\n", "velocities of delta_fast are vx vy vz"),
    "an acceleration too many": (
        "delta_fast",
        "x,y,z,alphaz\n0,0,-1.1,0\n",
        "accelerations of delta_fast are ax ay az",
    ),
    "a force without a drive": ("four_bar_chain", "foot0,tau.foot0\n0,0\n", "four_bar_chain has no drives"),
}


@pytest.mark.parametrize(("robot", "text", "message"), BAD.values(), ids=BAD)
def test_eval_bad_files(file, robot, text, message):
    out, err = gough("eval", robot, "bias_force", "--state", file(text, "s.csv"), code=2)
    assert out == "" and message in err and len(err.splitlines()) == 1


# ---- verify


def test_verify_skips_by_name():
    report = gough_json("verify", "four_bar_chain", "--states", 2)
    assert report["passed"]
    skipped = [c["name"] for c in report["checks"] if c["verdict"] == "skipped"]
    assert skipped == ["drive_rates", "forward_of_inverse"]
    out, _ = gough("verify", "four_bar_chain", "--states", 2)
    assert "skipped: no drives" in out and "nan" not in out and "every required law holds" in out
