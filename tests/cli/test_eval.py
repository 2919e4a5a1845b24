"""`gough eval`: files in, files out, bad states never hidden."""

import csv
import io

import numpy as np
import pytest

import gough as library
from cli.command import QUICK, gough, gough_json

HEADER = "t,x,y,z,yaw,pitch,roll"
GOOD = "0,0,0,2,0,0,0"
FAR = "1,5,0,2,0,0,0"
UNKNOWN = "2,nan,0,2,0,0,0"


@pytest.fixture(scope="module")
def model():
    return library.build(QUICK)


@pytest.fixture
def states(tmp_path):
    def write(*rows, header=HEADER, name="states.csv"):
        path = tmp_path / name
        path.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
        return path

    return write


def table(text):
    return list(csv.DictReader(io.StringIO(text)))


def forces(row):
    return [float(row[f"tau.leg{k}.slide"]) for k in range(6)]


def test_forces_at_rest(states):
    """7.3510 N each at P1: an independent model of [Lopes]."""
    out, err = gough("eval", QUICK, "inverse_dynamics", "--state", states(GOOD))
    [row] = table(out)
    assert np.abs(np.array(forces(row)) - 7.3510).max() <= 0.00005
    assert (row["t"], row["status"], row["problem"]) == ("0.0", "0", "")
    assert "v is not given and taken as 0" in err


def test_bad_rows_are_marked_and_the_rest_is_there(states):
    out, err = gough("eval", QUICK, "inverse_dynamics", "--state", states(FAR, GOOD, UNKNOWN), code=3)
    far, good, unknown = table(out)
    assert far["status"] == str(int(library.Status.OUT_OF_REACH)) and far["problem"] == "OUT_OF_REACH at leg0"
    assert unknown["status"] == str(int(library.Status.NOT_FINITE))
    assert good["status"] == "0" and abs(forces(good)[0] - 7.3510) <= 0.00005
    assert np.isnan(forces(far)).all() and np.isnan(forces(unknown)).all()
    assert "2 of 3 states are bad" in err and "leg cannot reach" in err


def test_mark_says_less_and_still_exits_with_3(states):
    _, err = gough("eval", QUICK, "inverse_dynamics", "--state", states(FAR, GOOD), "--on-bad-state", "mark", code=3)
    assert "1 of 2 states are bad" in err and "leg cannot reach" not in err


@pytest.mark.parametrize("suffix", [".csv", ".npz"])
def test_results_are_written_in_spite_of_bad_states(states, tmp_path, suffix):
    out = tmp_path / "results" / f"forces{suffix}"
    printed, _ = gough("eval", QUICK, "inverse_dynamics", "--state", states(FAR, GOOD), "--out", out, code=3)
    assert printed == ""
    if suffix == ".npz":
        with np.load(out) as file:
            tau, status, problem, t = (file[k] for k in ("tau", "status", "problem", "t"))
        assert tau.shape == (2, 6) and list(status) == [3, 0] and list(t) == [1.0, 0.0]
        assert problem[0] == "OUT_OF_REACH at leg0"
        assert np.abs(tau[1] - 7.3510).max() <= 0.00005
    else:
        assert [row["status"] for row in table(out.read_text())] == ["3", "0"]


def test_arrays_in_arrays_out(model, tmp_path):
    rng = np.random.default_rng(4)
    q = model.configuration(coordinates={"x": rng.uniform(-0.1, 0.1, 9), "yaw": rng.uniform(-0.2, 0.2, 9)})
    v, a, w = rng.normal(size=(3, 9, 6))
    np.savez(tmp_path / "in.npz", pose=q[:, :7], v=v, acceleration=a, wrench=w)
    gough("eval", QUICK, "inverse_dynamics", "--state", tmp_path / "in.npz", "--out", tmp_path / "out.npz")
    with np.load(tmp_path / "out.npz") as file:
        tau = file["tau"]
    assert np.allclose(tau, model.inverse_dynamics(q, v, a, w).tau, rtol=1e-12, atol=1e-12)
    np.savez(tmp_path / "back.npz", q=q, v=v, tau=tau, wrench=w)
    gough("eval", QUICK, "forward_dynamics", "--state", tmp_path / "back.npz", "--out", tmp_path / "vdot.npz")
    with np.load(tmp_path / "vdot.npz") as file:
        assert np.allclose(file["vdot"], a, rtol=0, atol=1e-9)


def test_quaternion_and_angles_are_the_same_pose(states):
    """yaw 30° is (cos 15°, 0, 0, sin 15°)."""
    one, _ = gough("eval", QUICK, "inverse_dynamics", "--state", states(f"0,0,2,{np.pi / 6},0,0", header=HEADER[2:]))
    c, s = np.cos(np.pi / 12), np.sin(np.pi / 12)
    other, _ = gough(
        "eval", QUICK, "inverse_dynamics", "--state", states(f"0,0,2,{c},0,0,{s}", header="x,y,z,qw,qx,qy,qz")
    )
    assert np.allclose(forces(table(one)[0]), forces(table(other)[0]), rtol=0, atol=1e-9)


def test_results_can_be_fed_back(states, tmp_path):
    """configuration → its CSV → inverse_dynamics gives the same forces as the pose."""
    gough("eval", QUICK, "configuration", "--state", states(GOOD), "--out", tmp_path / "q.csv")
    out, _ = gough("eval", QUICK, "inverse_dynamics", "--state", tmp_path / "q.csv")
    assert np.abs(np.array(forces(table(out)[0])) - 7.3510).max() <= 0.00005
    gough("eval", QUICK, "drives", "--state", tmp_path / "q.csv", "--out", tmp_path / "drives.csv")
    out, _ = gough("eval", QUICK, "forward_geometry", "--state", tmp_path / "drives.csv")
    row = table(out)[0]
    assert abs(float(row["z"]) - 2.0) < 1e-9 and row["status"] == "0"


def test_an_open_configuration_is_marked(states, tmp_path, model):
    q = model.home.copy()
    q[7] += 0.01
    np.savez(tmp_path / "open.npz", q=q)
    for function in ("inverse_dynamics", "drives"):
        report = gough_json("eval", QUICK, function, "--state", tmp_path / "open.npz", code=3)
        assert report["bad"][0]["status"] == library.Status.OPEN_LOOP


FUNCTIONS = {
    "mass_matrix": "M.vx.vx",
    "bias_force": "h.wz",
    "gravity_force": "g.vz",
    "drive_map": "S.vz.leg0.slide",
    "energies": "kinetic",
    "joint_reactions": "leg0.slide.fx",
    "configuration_rate": "qdot.leg0.slide",
    "singularity": "serial.leg0",
    "frame_twist:platform": "vx",
    "frame_pose:platform": "position.0",
}


@pytest.mark.parametrize(("function", "column"), FUNCTIONS.items())
def test_other_functions(states, function, column):
    out, _ = gough("eval", QUICK, function, "--state", states(GOOD, GOOD))
    rows = table(out)
    assert len(rows) == 2 and column in rows[0] and rows[1]["status"] == "0"


def test_json(states):
    report = gough_json("eval", QUICK, "energies", "--state", states(GOOD, FAR), code=3)
    assert (report["robot"], report["function"], report["states"]) == (QUICK, "energies", 2)
    assert report["bad"] == [{"index": 1, "status": 3, "problem": "OUT_OF_REACH at leg0"}]
    assert report["outputs"]["kinetic"] == {"columns": ["kinetic"], "values": [0.0, None]}


def test_no_states(states):
    out, _ = gough("eval", QUICK, "mass_matrix", "--state", states())
    assert out.startswith("t,M.vx.vx") and len(out.splitlines()) == 1


def test_unused_columns_are_said(states):
    _, err = gough("eval", QUICK, "mass_matrix", "--state", states("0,0,2,0,0,0,9", header="x,y,z,yaw,pitch,roll,fx"))
    assert "not used by mass_matrix: fx" in err


def test_what_is_not_given_of_a_velocity_or_a_wrench_is_zero_and_said(states):
    whole = states(GOOD + ",1,0,0,0,0,0,0,0,0,0,0.5,0", header=HEADER + ",vx,vy,vz,wx,wy,wz,fx,fy,fz,mx,my,mz")
    part = states(GOOD + ",1,0.5", header=HEADER + ",vx,my", name="part.csv")
    (first, _), (second, err) = (gough("eval", QUICK, "inverse_dynamics", "--state", file) for file in (whole, part))
    assert (
        first == second and "note: vy vz wx wy wz: not given, taken as 0" in err and "fx fy fz mx mz: not given" in err
    )


BAD_FILES = {
    "unknown column": ("x,y,z,yaw,pitch,rol", "0,0,2,0,0,0", "unknown column or array 'rol'; did you mean 'roll'?"),
    "a unit": ("x [mm],y,z,yaw,pitch,roll", "0,0,2,0,0,0", "write 'x' and its numbers in SI units, not mm"),
    "missing column": ("x,y,z,yaw,pitch", "0,0,2,0,0", "columns roll are missing"),
    "no orientation": ("x,y,z", "0,0,2", "no pose"),
    "two orientations": ("x,y,z,yaw,pitch,roll,qw,qx,qy,qz", "0,0,2,0,0,0,1,0,0,0", "given twice"),
    "a text": (HEADER, "0,0,zero,2,0,0,0", "states.csv:2: column y: 'zero' is not a number"),
    "a short row": (HEADER, "0,0,0,2", "states.csv:2: 4 cells for 7 columns"),
    "a column twice": (HEADER + ",x", GOOD + ",0", "named twice: x"),
}


@pytest.mark.parametrize(("header", "row", "message"), BAD_FILES.values(), ids=BAD_FILES)
def test_bad_files(states, header, row, message):
    out, err = gough("eval", QUICK, "inverse_dynamics", "--state", states(row, header=header), code=2)
    assert out == "" and message in err


def test_missing_forces(states):
    _, err = gough("eval", QUICK, "forward_dynamics", "--state", states(GOOD), code=2)
    assert "tau is missing" in err and "tau.leg0.slide" in err


def test_unknown_function(states):
    _, err = gough("eval", QUICK, "inverse", "--state", states(GOOD), code=2)
    assert "no function 'inverse'" in err and "inverse_dynamics" in err


@pytest.mark.parametrize("name", ["nowhere.csv", "nowhere.npz"])
def test_missing_file(tmp_path, name):
    _, err = gough("eval", QUICK, "inverse_dynamics", "--state", tmp_path / name, code=2)
    assert name in err and len(err.splitlines()) == 1


def test_empty_file_and_strange_names(tmp_path):
    (tmp_path / "empty.csv").write_text("")
    _, err = gough("eval", QUICK, "inverse_dynamics", "--state", tmp_path / "empty.csv", code=2)
    assert "empty" in err
    _, err = gough("eval", QUICK, "inverse_dynamics", "--state", tmp_path / "states.txt", code=2)
    assert ".npz or .csv" in err
    (tmp_path / "text.npz").write_text("not a zip")
    _, err = gough("eval", QUICK, "inverse_dynamics", "--state", tmp_path / "text.npz", code=2)
    assert "not an .npz file" in err


def test_wrong_shapes(tmp_path):
    np.savez(tmp_path / "a.npz", pose=np.zeros((3, 6)))
    _, err = gough("eval", QUICK, "mass_matrix", "--state", tmp_path / "a.npz", code=2)
    assert "pose has shape (3, 6); expected (n, 7)" in err
    np.savez(tmp_path / "b.npz", pose=np.zeros((3, 7)), v=np.zeros((2, 6)))
    _, err = gough("eval", QUICK, "bias_force", "--state", tmp_path / "b.npz", code=2)
    assert "different lengths" in err


def test_interrupt_keeps_finished_batches(states, tmp_path, monkeypatch, limits):
    from gough.cli import evaluate

    run, calls = evaluate.run_function, []

    def stop_later(*arguments):
        calls.append(1)
        if len(calls) > 2:
            raise KeyboardInterrupt
        return run(*arguments)

    limits(eval_chunk=2)
    monkeypatch.setattr(evaluate, "run_function", stop_later)
    out = tmp_path / "part.csv"
    _, err = gough("eval", QUICK, "energies", "--state", states(*[GOOD] * 9), "--out", out, code=130)
    assert len(table(out.read_text())) == 4 and "after 4 of 9" in err


def test_a_run_is_a_file_of_states(tmp_path):
    """Forces of inverse dynamics at the states of a run are those that the run had."""
    path = tmp_path / "run.csv"
    m = library.build("five_bar")
    law = library.laws.ComputedTorque()
    there = m.drives(m.home) + [0.1, -0.05]
    move = library.motions.quintic(drives=[m.drives(m.home), there], names=m.layout.drive_names, durations=[0.1])
    run = library.simulate(m, move, law)
    run.save(path)
    out, err = gough("eval", "five_bar", "inverse_dynamics", "--state", path)
    assert "is a run; channels that are no part of a state are not read: work.drives" in err
    rows = list(csv.DictReader(io.StringIO(out)))
    found = [[float(row[f"tau.{name}"]) for name in m.layout.drive_names] for row in rows]
    np.testing.assert_allclose(found, run.tau, rtol=1e-6, atol=1e-9)
    other = tmp_path / "states.csv"
    other.write_text(path.read_text(encoding="utf-8").replace("gough run", "something"), encoding="utf-8")
    _, err = gough("eval", "five_bar", "inverse_dynamics", "--state", other, code=2)
    assert "unknown column or array 'work.drives'" in err


def test_hybrid_dynamics(tmp_path):
    robot, states = tmp_path / "crane.yaml", tmp_path / "states.csv"
    robot.write_text(
        "format: 1\nname: lift\nbodies: [{name: trolley, mass: 20}, {name: load, mass: 5, center_of_mass: [0, 0, -2]}]\njoints:\n"
        "  - {name: rail, type: prismatic, axis: [1, 0, 0], parent: world, child: trolley, drive: {}}\n"
        "  - {name: swing, type: revolute, axis: [0, 1, 0], parent: trolley, child: load}\nvelocities: [rail, swing]\n"
    )
    states.write_text("rail,swing,v.rail,v.swing,a.swing\n0,0.1,0.5,0,-0.8\n0,0.2,0.5,0.3,-0.4\n")
    found = gough_json("eval", robot, "hybrid_dynamics:swing", "--state", states)["outputs"]
    model = library.build(str(robot))
    told = model.hybrid_dynamics([[0, 0.1], [0, 0.2]], [[0.5, 0], [0.5, 0.3]], {"swing": [-0.8, -0.4]})
    assert np.allclose(found["tau"]["values"], told.tau, rtol=1e-12) and found["tau"]["columns"] == ["tau.rail"]
    assert np.allclose(found["vdot"]["values"], told.vdot, rtol=1e-12)
    states.write_text("rail,swing\n0,0.1\n")
    assert (
        "prescribed is missing: give the array 'prescribed' or the columns a.swing"
        in gough("eval", robot, "hybrid_dynamics:swing", "--state", states, code=2)[1]
    )
