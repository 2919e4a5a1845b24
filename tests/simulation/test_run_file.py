"""Runs in files: bit by bit as they were, never half written, of the robot they are of."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

import gough
from gough import Run
from gough.errors import UsageError
from gough.robot import load
from gough.simulation.results.formats import read_run_npz
from inner.cli import gather, read_table
from simulation.trajectories import PUSH, model, swinging_platform, top, turning_top

SUFFIXES = ("npz", "parquet", "csv")


@pytest.fixture(scope="module")
def run() -> Run:
    m = model("pedrammehr2012")
    time = np.linspace(0, 0.3, 7)
    q, v, a = swinging_platform(m, time)
    return Run.from_states(
        m,
        time,
        q,
        v,
        acceleration=a,
        wrench={"platform": PUSH, "leg0.upper": np.outer(time, PUSH)},
        status=[0, 0, 0, 5, 0, 0, 0],
        parameters={"platform.M": 3.0},
        recorded={"work.drives": (time**3, "J"), "controller.error": (q[:, :2], ("m", "m"), ("error.x", "error.y"))},
        settings={"method": "Radau", "rtol": 1e-8, "steps": np.int64(12)},
        motion={"kind": "square", "points": [[0.0, 1.0]]},
        controller="computed torque, 1 kHz",
        stopped="interrupted",
        events=[(0.1, "crossed: leg2 folded")],
        computing_s=0.25,
        compile_s=1.5,
        error_estimate=1e-9,
    )


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_what_is_saved_comes_back(run: Run, suffix: str, tmp_path: Path) -> None:
    path = run.save(tmp_path / f"folder/run.{suffix}", channels=["energies", "leg2.ball.reaction"])
    again = Run.load(path)
    for name in ("time", "q", "v", "tau", "acceleration", "status", "design"):
        np.testing.assert_array_equal(getattr(again, name), getattr(run, name))
    assert again.status.dtype == np.uint8 and again.info == run.info and again.tau_held == run.tau_held
    assert again.layout == run.layout and again.robot.digest == run.robot.digest
    assert set(again.wrench) == set(run.wrench)
    for name in (
        "work.drives",
        "controller.error",
        "error.y",
        "energies",
        "energy.kinetic",
        "leg2.ball.fz",
        "leg0.upper.wrench",
    ):
        np.testing.assert_array_equal(again[name], run[name])
        assert again.unit(name) == run.unit(name)
    again.q[0:0]  # nothing above needed a model but the design
    np.testing.assert_allclose(
        again["leg0.lower.pose"], run["leg0.lower.pose"], rtol=1e-14
    )  # computed with the file's robot
    assert [p.name for p in path.parent.iterdir()] == [path.name]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_robots_without_drives_and_numbers_that_are_none(suffix: str, tmp_path: Path) -> None:
    time = np.linspace(0, 1, 4)
    q, w, _ = turning_top(time)
    w = w.copy()
    w[2] = np.nan, np.inf, -0.0
    path = Run.from_states(top(), time, q, w).save(tmp_path / f"top.{suffix}")
    again = Run.load(path)
    assert again.v.tobytes() == w.tobytes() and again.tau.shape == (4, 0)
    assert again.model.layout.v_names == top().layout.v_names


def test_units_stand_in_every_format(run: Run, tmp_path: Path) -> None:
    import pyarrow.parquet

    header, units, *_ = run.save(tmp_path / "run.csv").read_text().splitlines()
    told = dict(zip(header.split(","), units.removeprefix("# units: ").split(","), strict=True))
    assert told["t"] == "s" and told["z"] == "m" and told["leg0.hip_1"] == "rad" and told["tau.leg3.slide"] == "N"
    schema = pyarrow.parquet.read_schema(run.save(tmp_path / "run.parquet"))
    assert schema.field("wz").metadata == {b"unit": b"rad/s"}
    with np.load(run.save(tmp_path / "run.npz"), allow_pickle=False) as data:
        about = json.loads(str(data["about"]))
    assert about["format"] == 1 and about["units"]["v"] == ["m/s"] * 3 + ["rad/s"] * 3
    assert about["robot"]["hash"] == run.robot.digest


def test_a_csv_file_is_a_file_of_states(tmp_path: Path) -> None:
    m = model("dualemps")
    q = m.configuration(drives=m.drives(m.home), elastic=np.full((3, 9), 1e-4))
    run = Run.from_states(m, [0.0, 0.5, 1.0], q, np.ones((3, 11)), np.ones((3, 2)))
    inputs = gather(m, read_table(run.save(tmp_path / "run.csv")), ("q", "v", "tau"))
    for name in ("q", "v", "tau"):
        np.testing.assert_array_equal(inputs.slots[name], getattr(run, name))
    assert inputs.t is not None and (inputs.t == run.time).all() and not inputs.unused


def test_a_plain_table_is_read_with_a_model(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "plain.csv"
    columns = {"t": run.time, "extra": run.time * 2} | {
        n: run[n] for c in ("q", "v", "tau") for n in run.channel(c).entries
    }
    np.savetxt(
        path, np.stack(list(columns.values()), 1), delimiter=",", header=",".join(columns), comments="", fmt="%.17g"
    )
    again = Run.load(path, run.model)
    np.testing.assert_array_equal(again.q, run.q)
    np.testing.assert_array_equal(again["extra"], 2 * run.time)
    with pytest.raises(UsageError, match="model="):
        Run.load(path)
    with pytest.raises(UsageError, match="needs the columns"):
        Run.load(path, model("delta"))


def test_another_robot_is_refused_and_told_apart(run: Run, tmp_path: Path) -> None:
    path = run.save(tmp_path / "run.npz")
    assert Run.load(path, run.model).model is run.model
    robot = run.model.robot
    renamed = robot.model_copy(update={"title": "the same robot under another title"})
    assert Run.load(path, renamed).robot.digest == run.robot.digest
    moon = gough.build(robot.model_copy(update={"gravity": (0.0, 0.0, -1.62)}))
    with pytest.raises(UsageError, match=r"another robot.*\n  gravity: .*-1\.62.*\n.*other_robot"):
        Run.load(path, moon)
    there = Run.load(path, moon, other_robot=True)
    np.testing.assert_allclose(there["energy.potential"], run["energy.potential"] * 1.62 / 9.81, rtol=1e-12)
    assert there.design[moon.parameter_names.index("platform.M")] == 3.0  # the design's change is kept
    with pytest.raises(UsageError, match="q_names"):
        Run.load(path, "delta", other_robot=True)


def test_a_robot_made_in_python_needs_its_model(tmp_path: Path) -> None:
    from reference.designs.flexible import design_flexible

    m = gough.build(design_flexible("arm", False))
    run = Run.from_states(m, [0.0], m.home[None], np.zeros((1, m.layout.nv)), np.zeros((1, len(m.layout.drive_names))))
    path = run.save(tmp_path / "arm.npz")
    np.testing.assert_array_equal(Run.load(path).q, run.q)
    with pytest.raises(UsageError, match="load it with model="):
        Run.load(path).summary()
    assert Run.load(path, m).summary()["bad_states"] == 0


HINGED = """
format: 1
name: hinged
bodies:
  - {name: arm, flexible: {modal: {file: arm.npz}}}
joints:
  - {name: hub, type: revolute, parent: world, child: arm, drive: {}}
velocities: drives
"""


def test_files_that_a_description_names_are_found_from_the_run(tmp_path: Path) -> None:
    x = np.linspace(0, 1, 9)
    shapes = np.zeros((9, 3, 1))
    shapes[:, 1, 0] = x**2 / np.sqrt(0.2 * np.sum(x**4))
    frames = {"frame_names": ["hub"], "frame_positions": np.zeros((1, 3))}
    frames |= {"frame_translations": np.zeros((1, 3, 1)), "frame_turnings": np.zeros((1, 3, 1))}
    arm = {"nodes": np.stack([x, 0 * x, 0 * x], axis=1), "masses": np.full(9, 0.2), "shapes": shapes, "K": [[4e4]]}
    folder = tmp_path / "robot"
    folder.mkdir()
    np.savez(folder / "arm.npz", modal_format=1, **arm, **frames)  # pyright: ignore[reportArgumentType]
    (folder / "hinged.yaml").write_text(HINGED)
    m = gough.build(load(folder / "hinged.yaml"))
    run = Run.from_states(m, [0.0], m.home[None], np.ones((1, 2)), np.zeros((1, 1)))
    path = run.save(tmp_path / "results" / "run.npz")
    assert Run.load(path)["energy.kinetic"] == run["energy.kinetic"]
    np.savez(folder / "arm.npz", modal_format=1, **(arm | {"K": [[5e4]]}), **frames)  # pyright: ignore[reportArgumentType]
    with pytest.raises(UsageError, match="a file that the description names was changed since"):
        Run.load(path, load(folder / "hinged.yaml"))
    with pytest.raises(UsageError, match="a file it names, was changed"):
        Run.load(path).summary()


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_file_is_there_whole_or_not_at_all(
    run: Run, suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = run.save(tmp_path / f"run.{suffix}")
    before = path.read_bytes()

    def fails(descriptor: int) -> None:
        raise OSError("no space left")

    monkeypatch.setattr("os.fsync", fails)
    with pytest.raises(OSError, match="no space left"):
        run.between(0.0, 0.1).save(path)
    assert path.read_bytes() == before and [p.name for p in tmp_path.iterdir()] == [path.name]


def test_files_that_are_no_runs_are_refused(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a.npz", "a.parquet"):
        (tmp_path / name).write_bytes(b"nothing of the kind")
        with pytest.raises(UsageError, match="is not"):
            Run.load(tmp_path / name)
    np.savez(tmp_path / "b.npz", q=np.zeros(3))
    with pytest.raises(UsageError, match="not the file of a run"):
        Run.load(tmp_path / "b.npz")
    np.savez(tmp_path / "c.npz", about=np.array([{}], dtype=object), allow_pickle=True)
    with pytest.raises(UsageError, match="not the file of a run"):
        Run.load(tmp_path / "c.npz")
    with pytest.raises(UsageError, match="no such file"):
        Run.load(tmp_path / "d.npz")
    with pytest.raises(UsageError, match=r"\.npz, \.parquet, \.csv"):
        run.save(tmp_path / "run.mat")
    text = run.save(tmp_path / "e.csv").read_text()
    (tmp_path / "e.csv").write_text(text.replace('"format": 1', '"format": 2'))
    with pytest.raises(UsageError, match="newer gough"):
        Run.load(tmp_path / "e.csv")
    (tmp_path / "e.csv").write_text(text.rstrip() + ",7\n")
    with pytest.raises(UsageError, match=r"e\.csv:10: \d+ cells"):
        Run.load(tmp_path / "e.csv")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(UsageError, match=r"pip install 'gough\[parquet\]'"):
        run.save(tmp_path / "run.parquet")
    assert not (tmp_path / "run.parquet").exists()


def test_channels_to_be_saved_must_exist(run: Run, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no channel 'nose'"):
        run.save(tmp_path / "run.npz", channels=["nose"])
    assert read_run_npz(run.save(tmp_path / "run.npz", channels=["pose", "q"])).about["recorded"]["pose"]["derived"]


@pytest.mark.parametrize("suffix", [".npz", ".parquet", ".csv"])
def test_a_saved_run_keeps_its_motion_its_errors_and_its_controller(suffix: str, tmp_path: Path) -> None:
    """What was to be followed, how far it was missed, and what the controller was and believed."""
    robot = gough.build("five_bar")
    start = robot.home[robot.drive_index]
    move = gough.motions.quintic(drives=[start, start + [0.2, -0.1]], durations=0.3)
    law = gough.laws.JointPD(300.0, 8.0, gravity=True, limit=30.0, nominal={"left_rod.M": 0.3})
    made = gough.simulate(robot, move, law)
    again = Run.load(made.save(tmp_path / f"run{suffix}"))
    np.testing.assert_array_equal(again["reference"], move.at(made.time).position)
    missed = np.abs(made["drives.position"] - move.at(made.time).position).max()
    assert again.summary()["tracking"] == {"rad": pytest.approx(missed, rel=1e-12)}
    assert again["tracking"].max() == pytest.approx(missed, rel=1e-12)
    assert again.info.controller == {
        "law": "joint PD",
        "limit": 30.0,
        "nominal": {"left_rod.M": 0.3},
        "stiffness": 300.0,
        "damping": 8.0,
        "gravity": True,
    }
    assert again.info.settings["believed"]["differs"] == {"left_rod.M": {"believed": 0.3, "actual": 0.5}}
    assert again.info.motion["kind"] == "drives"
    free = gough.simulate(robot, duration=0.01)
    assert "reference" not in free.recorded and free.summary()["tracking"] is None


def test_runs_of_before_are_read(run: Run, tmp_path: Path) -> None:
    """A file without a reference and with what was told of a motion then."""
    old = run.described(motion={"kind": "pose", "duration": 1.0}, settings={"method": "dp5"})
    again = Run.load(old.save(tmp_path / "old.npz"))
    assert again.summary()["tracking"] is None and again.info.motion == {"kind": "pose", "duration": 1.0}
