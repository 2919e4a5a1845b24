"""Scenarios: files say what the calls say; changed friction; every problem with its place; nothing is lost at the end."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import gough
from gough import load_scenario
from gough.errors import UsageError
from gough.motions import motion_names
from gough.robot import DescriptionError
from gough.simulation.scenarios._items import ChangesItem, OutputsItem, ScenarioItem, StartItem
from gough.simulation.scenarios.controller import controller_in, known_laws
from inner.robot import change_friction
from inner.simulation import read_scenario, remedy, scenario_names, tracking_errors

pytestmark = pytest.mark.filterwarnings("ignore::gough.robot.UnphysicalInertiaWarning")
FIVE_BAR = """format: 1
name: swing
robot: five_bar
duration: 200 ms
"""


def read(more: str = "", **options):
    return read_scenario(FIVE_BAR + more, "test.yaml", **options)


def followed(made: gough.Scenario) -> gough.Motion:
    assert made.motion is not None
    return made.motion


def test_a_file_is_the_calls():
    made = read(
        """
changes: {gravity: [0, 0, -5], parameters: {left_rod.M: 0.3}}
controller: {free: {tau: [200 mN.m, -0.1]}}
start: {coordinates: {left_motor: 125 deg, right_motor: 55 deg}, rates: {v.left_motor: 30 deg/s}}
method: rk4
step: 1 ms
every: 4
"""
    )
    robot = gough.load("five_bar").model_copy(update={"gravity": (0.0, 0.0, -5.0)})
    model = gough.build(robot)
    q = model.configuration(coordinates={"left_motor": np.deg2rad(125), "right_motor": np.deg2rad(55)})
    v = np.zeros(model.layout.nv)
    v[list(model.layout.v_names).index("left_motor")] = np.deg2rad(30)
    settings = {"duration": 0.2, "method": "rk4", "step": 1e-3, "every": 4}
    numbers = model.parameters_with({"left_rod.M": 0.3})
    other = gough.simulate(model, None, gough.laws.Free((0.2, -0.1)), q=q, v=v, parameters=numbers, **settings)
    run = made.run()
    assert run.info.notes == "scenario swing" and run.stopped == "finished"
    assert np.allclose(run.q, other.q, atol=1e-14) and np.allclose(run.tau, other.tau)
    assert np.abs(run.q[-1] - run.q[0]).max() > 0.01


def test_a_load_from_outside():
    """Its work is the force's way: constant, along y of the world."""
    run = read("wrench: {left_rod.tool: [0, 0.5 N, 0, 0, 0, 0]}").run()
    way = run["left_rod.tool.pose"][:, 1]
    assert np.allclose(run["work.wrench"], 0.5 * (way - way[0]), atol=1e-8) and np.ptp(way) > 1e-3


def test_motions_inline_by_name_and_from_a_file(tmp_path):
    inline = "motion:\n  quintic: {drives: {left_motor: [120 deg, 125 deg], right_motor: [60 deg, 60 deg]}, durations: 0.2}\n"
    assert followed(read(inline)).duration == 0.2
    (tmp_path / "move.yaml").write_text("format: 1\n" + inline)
    path = tmp_path / "scenario.yaml"
    path.write_text("format: 1\nrobot: five_bar\nmotion: move.yaml\n")
    made = gough.load_scenario(path)
    assert made.name == "scenario" and followed(made).duration == 0.2
    run = made.run()
    assert np.allclose(run["drives.position"][-1], np.deg2rad([125, 60]), atol=1e-12)


def test_robots_from_files_and_other_robots(tmp_path):
    from gough.robot import dumps

    (tmp_path / "mine.yaml").write_text(dumps(gough.load("five_bar")), encoding="utf-8")
    path = tmp_path / "scenario.yaml"
    path.write_text("format: 1\nrobot: mine.yaml\nduration: 0.1\nchanges: {friction: {viscous: 0}}")
    assert gough.load_scenario(path).model.robot.name == "five_bar"
    path.write_text("format: 1\nduration: 0.1")
    with pytest.raises(DescriptionError, match="required key"):
        gough.load_scenario(path)
    assert gough.load_scenario(path, "four_bar_chain").model.robot.name == "four_bar_chain"


def test_every_problem_with_its_place():
    text = """format: 1
nam: test
robot: five_bar
duration: 3 m
method: euler
step: -1 ms
every: 1.5
tolerance: small
changes:
  friction: {smoothing: 1 kg, coulomb: -1}
  parameter: {}
start: {static: maybe, rates: {left_motor: 1 N}}
motion: {quintic: {duration: 1}}
controller: {fre: {}}
outputs: {file: 3, channels: energies}
"""
    with pytest.raises(DescriptionError) as caught:
        read_scenario(text, "bad.yaml")
    said = str(caught.value)
    for line, place, word in (
        (2, "nam", "did you mean 'name'"),
        (4, "duration", "another dimension"),
        (5, "method", "not a method"),
        (6, "step", "negative"),
        (7, "every", "whole number"),
        (8, "tolerance", "not a number"),
        (10, "changes.friction.smoothing", "another dimension"),
        (10, "changes.friction.coulomb", "negative"),
        (11, "changes.parameter", "did you mean 'parameters'"),
        (12, "start.static", "neither true nor false"),
        (12, "start.rates.left_motor", "another dimension"),
        (13, "motion.quintic.duration", "did you mean 'durations'"),
        (14, "controller.fre", "'free'"),
        (15, "outputs.file", "not a text"),
        (15, "outputs.channels", "not a list"),
    ):
        assert any(s.startswith(f"bad.yaml:{line}: {place}: ") and word in s for s in said.splitlines()), (place, said)


@pytest.mark.parametrize(
    ("more", "place", "message"),
    [
        ("start: somewhere", "start", "not a start"),
        ("start: {rates: {nobody: 1}}", "start.rates", "no velocity 'nobody'"),
        ("start: {coordinates: {nobody: 1}}", "start.coordinates", "nobody"),
        ("changes: {parameters: {nobody: 1}}", "changes.parameters", "no parameter 'nobody'"),
        ("changes: {friction: {turn_smoothing: 1}}", "changes.friction.turn_smoothing", "smoothing beside it"),
        ("wrench: [1, 2, 3]", "wrench", "not a wrench"),
        ("wrench: {left_rod.tool: [1, 2 m, 3, 4, 5, 6]}", "wrench.left_rod.tool[1]", "another dimension"),
        ("wrench: {nowhere: [1, 2, 3, 4, 5, 6]}", "wrench", "nowhere"),
        ("wrench: [1, 2, 3, 4, 5, 6]", "wrench", "platform"),
        ("motion: nothing", "motion", "no motion of this name"),
        ("motion: nothing.yaml", "motion", "nothing.yaml"),
        ("controller: 3", "controller", "not a controller"),
        ("controller: {free: {tau: [1 kg]}}", "controller.free.tau[0]", "another dimension"),
        ("controller: {free: {forces: [1]}}", "controller.free.forces", "unknown key"),
        ("controller: {free: 3}", "controller.free", "not a mapping"),
    ],
)
def test_what_is_refused(more, place, message):
    with pytest.raises(DescriptionError, match=rf"test\.yaml:\d+: {re.escape(place)}: .*{re.escape(message)}"):
        read(more)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "empty"),
        ("- 1", "not a mapping"),
        ("format: 2\nrobot: five_bar\nduration: 1", "format: 1"),
        ("format: 1\nduration: 1", "'robot'"),
        ("format: 1\nrobot: nobody\nduration: 1", "robot: no file and no robot"),
        ("format: 1\nrobot: five_bar", "neither a motion nor a duration"),
    ],
)
def test_documents_that_are_none(text, message):
    with pytest.raises(DescriptionError, match=message):
        read_scenario(text)


def test_no_such_scenario():
    with pytest.raises(FileNotFoundError, match="briot2014_square"):
        gough.load_scenario("briot")


@pytest.mark.parametrize(
    ("outputs", "message"),
    [
        ("{file: run.xyz}", r"\.npz"),
        ("{plot: run.npz}", r"\.png"),
        ("{file: run.npz, channels: [energy.kinetik]}", "energy.kinetic"),
        ("{plot: run.png, panels: [nothing]}", "nothing"),
    ],
)
def test_outputs_are_looked_at_before_the_run(outputs, message, monkeypatch):
    from gough.simulation.scenarios import scenario

    monkeypatch.setattr(scenario, "simulate", lambda *_, **__: pytest.fail("it ran"))
    with pytest.raises(UsageError, match=message):
        read(f"outputs: {outputs}").run()


@pytest.mark.quick_cases("plot-linked.npz", "plot-../run.npz")
@pytest.mark.parametrize("name", ["../run.npz", "a/../../run.npz", "{outside}/run.npz", "link/run.npz", "linked.npz"])
@pytest.mark.parametrize("key", ["file", "plot"])
def test_outputs_of_a_file_stay_in_the_folder(name, key, tmp_path, monkeypatch):
    here, outside = tmp_path / "here", tmp_path / "outside"
    here.mkdir()
    outside.mkdir()
    (here / "link").symlink_to(outside)
    (here / "linked.npz").symlink_to(outside / "run.npz")
    (here / "linked.png").symlink_to(outside / "run.png")
    monkeypatch.chdir(here)
    name = name.format(outside=outside)
    text = f"outputs: {{{key}: {name if key == 'file' else name.replace('.npz', '.png')}}}"
    made = read(text)
    with pytest.raises(UsageError, match="--allow-outside"):
        made.run()
    free = read(text, allow_outside=True)
    run = free.with_(duration=0.01).run()
    with pytest.raises(UsageError, match=r"outside of the folder you work in .*allow_outside=True"):
        made.write(run)
    assert not list(tmp_path.rglob("run.*"))
    assert all(path.is_file() for path in free.write(run)) and list(tmp_path.rglob("run.*"))


def test_links_inside_the_folder_are_followed(tmp_path, monkeypatch):
    (tmp_path / "data").mkdir()
    (tmp_path / "link").symlink_to("data")
    monkeypatch.chdir(tmp_path)
    made = read("outputs: {file: link/../link/run.npz}").with_(duration=0.01)
    made.write(made.run())
    assert (tmp_path / "data" / "run.npz").exists()


def test_outputs_are_written(tmp_path):
    made = read(
        f"outputs: {{file: {tmp_path}/a/run.npz, channels: [energies], plot: {tmp_path}/b/run.png, panels: [v]}}",
        allow_outside=True,
    )
    files = made.write(made.run())
    assert [path.name for path in files] == ["run.npz", "run.png"] and all(path.stat().st_size for path in files)
    assert "energy.kinetic" in gough.Run.load(files[0]).recorded or gough.Run.load(files[0])["energy.kinetic"].shape


def rubbing(robot):
    """All frictions of a description: (viscous, coulomb, smoothing, kind)."""
    joints = [j for leg in robot.legs for j in (*leg.chain, *leg.loops, *([leg.cut] if leg.cut else []))]
    for joint in (*joints, *robot.joints, *robot.loops):
        for item in (joint.friction, getattr(joint, "drive", None)):
            if item is not None and (item.viscous or item.coulomb):
                yield item.viscous, item.coulomb, item.smoothing, joint.type


def test_friction_of_a_whole_robot():
    robot = gough.load("dualemps_refined")
    before, after = list(rubbing(robot)), list(rubbing(change_friction(robot, smoothing=(1e-3, 2e-3), viscous=0.5)))
    assert len(before) == 5  # two slides, three pins, the one that closes the loop too
    for (viscous, coulomb, _, kind), (v, c, s, _) in zip(before, after, strict=True):
        assert (v, c, s) == (viscous / 2, coulomb, 1e-3 if kind == "prismatic" else 2e-3)
    assert all(c == 0 for _, c, _, _ in rubbing(change_friction(robot, coulomb=0)))
    assert list(rubbing(robot)) == before
    legs = gough.load("pedrammehr2012")
    assert len(list(rubbing(change_friction(legs, viscous=3)))) == len(list(rubbing(legs))) > 6
    assert next(rubbing(change_friction(legs, viscous=3)))[0] == 3 * next(rubbing(legs))[0]
    with pytest.raises(UsageError, match="not negative"):
        change_friction(robot, smoothing=-1.0)


def test_smoothing_is_what_the_description_says(tmp_path):
    """Losses of a sliding drive at 2 s: force · rate/√(rate² + s²), by hand."""
    made = gough.load_scenario("briot2014_square").with_(duration=0.9)
    run = made.run()
    rate = float(run["v.q11"][-1])
    model = made.model
    slow = model.inverse_dynamics(run.q[-1], run.v[-1], np.zeros(2)).tau
    rough = gough.build(gough.load("dualemps_refined")).inverse_dynamics(run.q[-1], run.v[-1], np.zeros(2)).tau
    assert rough[0] - slow[0] == pytest.approx(25 * (1 - rate / np.hypot(rate, 1e-3)), rel=0.02)


def test_named_scenarios_are_those_of_the_motions():
    assert set(scenario_names()) <= set(motion_names())
    assert {"briot2014_square", "long2014_poses", "lopes_p1p2p1"} <= set(scenario_names())


def test_remedies():
    made = gough.load_scenario("briot2014_square").with_(method="rk4", duration=0.1, step=1e-3, every=1)
    run = made.run()
    assert not run.info.finished and "stiffest mode (422" in remedy(run) and "0.000107 s" in remedy(run)
    assert "Newton" not in remedy(run)
    run = run.between(0.0, 0.002)  # before it is anywhere
    for stopped, word in (
        ("finished", ""),
        ("interrupted after t = 1 s", "kept"),
        ("step:too small at t = 1 s", "smoothing"),
        ("not_converged:Newton at t = 1 s", "shorter step"),
        ("large_deflection:link13 at t = 1 s", "stiffest"),
    ):
        assert word in remedy(run.described(stopped=stopped))
    bars = gough.simulate(gough.build("five_bar"), duration=0.01)
    assert "singularity" in remedy(bars.described(stopped="singular:mass matrix at t = 1 s"))


def test_laws_by_their_names():
    names = known_laws()
    assert {"free", "follow"} <= set(names) and "law" not in names
    from gough.robot.reader import Mark

    law, problems = controller_in("free", Mark(1, "controller"), "x")
    assert law == gough.laws.Free() and not problems


def test_controllers_with_units_and_inside_each_other():
    made = read(
        "controller: {sampled: {law: {joint_pd: {stiffness: 2 kN.m/rad, damping: 3, limit: [4, 5]}}, period: 2 ms}}"
    )
    inner = gough.laws.JointPD(2000.0, 3.0, limit=(4.0, 5.0))
    assert made.controller == gough.laws.Sampled(inner, 2e-3)
    made = read("controller: {sampled: {law: gravity_compensation, period: 0.1}}")
    assert made.controller == gough.laws.Sampled(gough.laws.GravityCompensation(), 0.1)
    with pytest.raises(
        DescriptionError, match=r"controller.sampled.law.joint_pd.stiffness: a unit of another dimension"
    ):
        read("controller: {sampled: {law: {joint_pd: {stiffness: 2 kg, damping: 3}}, period: 1 ms}}")
    with pytest.raises(DescriptionError, match=r"controller.computed_torque.model: no file and no robot .* 'bendy'"):
        read("controller: {computed_torque: {model: bendy}}")


@pytest.mark.parametrize("item", [ScenarioItem, ChangesItem, StartItem, OutputsItem])
def test_every_key_is_described(item):
    text = (Path(__file__).parents[2] / "docs" / "scenarios.md").read_text(encoding="utf-8")
    keys = set(item.written_keys()) - {"source"}
    assert not {key for key in keys if not re.search(rf"`[^`\n]*\b{key}\b[^`\n]*`", text)}


@pytest.mark.quick_cases("pedrammehr2012_path3-2377.4")
@pytest.mark.parametrize(
    ("name", "largest"),
    [
        pytest.param("pedrammehr2012_path1", 1152.3, marks=pytest.mark.slow),
        pytest.param("pedrammehr2012_path2", 1683.2, marks=pytest.mark.slow),
        ("pedrammehr2012_path3", 2377.4),
        ("lopes_p1p2p1", 11.287),
    ],
)
def test_controlled_robots_follow_the_papers_motions(name, largest):
    """Simulated forwards with feedback, the drive forces are those known from inverse models of the papers."""
    made = load_scenario(name)
    run = made.run()
    assert run.stopped == "finished" and made.name == name and made.title
    assert np.abs(run.tau).max() == pytest.approx(largest, rel=5e-5)
    errors = tracking_errors(run, followed(made))
    assert errors["m"] < 1e-8 and errors["rad"] < 1e-8
    assert run.summary()["energy_error"] < 1e-8


def test_tracking_errors():
    """A robot that rests while its motion runs away: the errors are the motion's size."""
    model = gough.build("pedrammehr2012")
    there = {"position": [0.13, 0.04, 0.5], "rpy_zyx": [0.3, 0, 0]}
    motion = gough.motions.quintic(poses=[{"position": [0.1, 0, 0.5]}, there], durations=1.0)
    q = model.configuration(pose=motion.at(0.0).position)
    time, still = np.linspace(0, 1, 5), np.zeros((5, 6))
    run = gough.Run.from_states(model, time, np.tile(q, (5, 1)), still, still)
    errors = tracking_errors(run, motion)
    assert errors["m"] == pytest.approx(0.05) and errors["rad"] == pytest.approx(0.3)
    bars = gough.build("five_bar")
    drives = gough.motions.quintic(drives={"right_motor": [1.0, 1.2], "left_motor": [2.1, 2.2]}, durations=1.0)
    run = gough.simulate(bars, drives)
    assert tracking_errors(run, drives)["rad"] < 1e-14


@pytest.mark.slow
def test_long2014_poses():
    made = load_scenario("long2014_poses")
    run = made.run()
    errors = tracking_errors(run, followed(made))
    assert run.stopped == "finished" and errors["m"] < 1e-10 and errors["rad"] < 1e-9
    assert run.summary()["energy_error"] < 1e-9


def test_channels_of_the_motion_can_be_outputs(tmp_path):
    """They are those of the run, so they are known before it."""
    start = gough.load("five_bar").home.joints
    drives = {name: [start[name][0], start[name][0] + 0.1] for name in ("left_motor", "right_motor")}
    text = f"""
motion: {{quintic: {{drives: {drives}, durations: [0.2]}}}}
outputs: {{file: {tmp_path}/run.npz, channels: [tracking, work.drives], plot: {tmp_path}/run.png, panels: [tracking, reference]}}
"""
    made = read(text, allow_outside=True)
    files = made.write(made.run())
    assert len(files) == 2 and "tracking" in gough.Run.load(files[0])


def test_an_output_that_cannot_be_written_does_not_take_the_other(tmp_path):
    (tmp_path / "taken").write_text("")
    made = read(
        f"outputs: {{file: {tmp_path}/taken/run.npz, plot: {tmp_path}/run.png, panels: [v]}}", allow_outside=True
    ).with_(duration=0.01)
    with pytest.raises((UsageError, OSError)):
        made.write(made.run())
    assert (tmp_path / "run.png").stat().st_size


def test_sensors_and_actuators_of_a_clock():
    made = read(
        "controller: {sampled: {law: {joint_pd: {stiffness: 10, damping: 3}}, period: 2 ms, seed: 4, "
        "sensors: [{encoders: {noise: 1 mrad, delay: 1 ms}}], actuators: {rate_limit: {rate: 2 N.m/s}}}}"
    )
    inner = gough.laws.JointPD(10.0, 3.0)
    parts = {
        "sensors": gough.sensors.Encoders(noise=1e-3, delay=1e-3),
        "actuators": gough.actuators.RateLimit(rate=2.0),
    }
    assert made.controller == gough.laws.Sampled(inner, 2e-3, seed=4, **parts)
    bad = "controller: {sampled: {law: free, period: 1 ms, sensors: [{encoders: {noise: 1 mm}}, {encodr: {}}]}}"
    with pytest.raises(DescriptionError) as found:
        read(bad)
    assert "no sensor of this name" in str(found.value) and "encoders" in str(found.value)
    with pytest.raises(DescriptionError, match="noise: 1 mm is a length, and that of"):
        read(bad.replace(", {encodr: {}}", ""))
    with pytest.raises(DescriptionError, match="lost"):
        read(bad.replace("noise: 1 mm", "lost: 2").replace(", {encodr: {}}", ""))
