"""Bad input of a run, named with time and place: before it begins, and on the way."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pytest
from scipy.optimize import brentq
from typer.testing import CliRunner

import gough
from gough.errors import RunWarning, UsageError
from gough.motions import table
from gough.robot import loads
from gough.simulation.run._checks import _of_inverse, longest_step, poles, state_events
from inner.cli import app
from inner.simulation import METHODS, MotionRows, Plant, remedy
from laws.subjects import built
from simulation.sliders import slider
from simulation.test_motion_limits import BASE, TEXT, TOP


@pytest.fixture(scope="module")
def delta() -> gough.Model:
    return built(gough.load("delta"))


@pytest.fixture(scope="module")
def far(delta: gough.Model) -> gough.Motion:
    """Straight out of the workspace."""
    home = delta.home_pose
    return gough.motions.quintic(poses=[home, home + [3.0, 0, 0, 0, 0, 0, 0]], durations=1.0)


@pytest.mark.parametrize("law", [gough.laws.ComputedTorque(400, 40), gough.laws.JointPD(2000, 30)])
def test_a_motion_out_of_reach(delta: gough.Model, far: gough.Motion, law: gough.laws.Law) -> None:
    with pytest.raises(UsageError, match=r"cannot follow the motion(.|\n)*t = 0\.\d+ … 1 s: OUT_OF_REACH at leg"):
        gough.simulate(delta, far, law)


def test_only_what_is_run_is_looked_at(delta: gough.Model, far: gough.Motion) -> None:
    run = gough.simulate(delta, far, gough.laws.ComputedTorque(400, 40), duration=0.2)
    assert run.stopped == "finished"
    assert not run.info.events


def test_out_of_reach_without_looking(delta: gough.Model, far: gough.Motion) -> None:
    """The platform is led until it can go no further."""
    run = gough.simulate(delta, far, gough.laws.ComputedTorque(400, 40), check="off")
    assert not run.info.finished
    assert 0.2 < run.time[-1] < 0.9
    assert " at t = 0." in run.stopped
    assert remedy(run)


@pytest.mark.slow
def test_a_motion_through_a_singularity() -> None:
    """A semi-regular hexapod with its platform level at the centre is singular at 90 degrees of yaw [Fichter 1986]: named with
    its time before the run."""
    legs = [
        f"  - like: ups\n    base: {{position: {a.tolist()}}}\n    on_platform: {{position: {b.tolist()}}}\n"
        for a, b in zip(BASE, TOP, strict=True)
    ]
    model = gough.build(loads(TEXT + "".join(legs)))
    poses = [{"position": [0, 0, 0.6]}, {"position": [0, 0, 0.6], "rpy_zyx": ["110 deg", 0, 0]}]
    move = gough.motions.quintic(poses=poses, durations=1.0, orientation="rpy_zyx")
    when = float(brentq(lambda r: 110 * r**3 * (10 - 15 * r + 6 * r**2) - 90, 0, 1))  # type: ignore[arg-type]
    law = gough.laws.ComputedTorque(400, 40)
    with pytest.warns(RunWarning, match="drives: crosses a parallel singularity between"):
        run = gough.simulate(model, move, law)
    text = next(text for _, text in run.info.events if "crosses" in text)
    before, after = (float(x) for x in text.split("between ")[1].removesuffix(" s").split(" and "))
    assert before <= when <= after
    assert (
        run.info.finished
    )  # steps end on both sides of it; at 79 degrees the fixed order of elimination meets a zero pivot
    np.testing.assert_allclose(run["angles"][-1], [np.deg2rad(110), 0, 0], atol=1e-4)


def test_more_than_a_drive_can() -> None:
    """m a of a quintic move, 5.77 x/T² at most, and 1.875 x/T of speed."""
    model = slider(force_limit=5.0, speed_limit=0.2)
    move = gough.motions.quintic(drives={"slide": [0, 0.5]}, durations=0.5)
    with pytest.warns(RunWarning, match=r"slide (force|speed): beyond its limit"):
        run = gough.simulate(model, move, method="rk4")
    assert run.stopped == "finished"
    force, speed = run.info.events
    assert force[0] < 0.02
    assert "slide force: beyond its limit, by up to 18.09" in force[1]  # 2 kg · 5.7735 · 0.5/0.25 less 5 N
    assert "slide speed: beyond its limit, by up to 1.67" in speed[1]
    with pytest.raises(UsageError, match="slide force: beyond its limit"):
        gough.simulate(model, move, method="rk4", check="raise")
    with warnings.catch_warnings():
        warnings.simplefilter("error", RunWarning)
        assert not gough.simulate(model, move, method="rk4", check="off").info.events


def test_saturation_is_told() -> None:
    """A spring of 100 N/m pulls a mass 0.1 m away; the drive gives 4 N at most: until it is 0.04 m away, x = 0.1 - t²."""
    model = slider()
    law = gough.laws.JointPD(stiffness=100.0, damping=0.0, limit=4.0)
    stay = gough.motions.spline(times=[0, 1, 2], drives={"slide": [0.0, 0.0, 0.0]})
    run = gough.simulate(model, stay, law, q=[0.1], duration=0.3, method="rk4", step=1e-4)
    ((begin, what),) = run.info.events
    assert begin == 0.0
    assert what.startswith("saturated: slide at 4 N until ")
    assert abs(float(what.split()[-2]) - np.sqrt(0.06)) < 2e-4


@pytest.mark.parametrize("method", ["rk4", "esdirk4"])
@pytest.mark.parametrize("where", ["law", "clock", "both"])
def test_saturation_of_a_sampled_law_is_told(where: str, method: str) -> None:
    """The same on a clock, wherever the limit stands: told until the first sample at x = 0.1 - t² <= 0.04 m."""
    own, around = {"law": (4.0, None), "clock": (None, 4.0), "both": (50.0, 4.0)}[where]
    law = gough.laws.Sampled(gough.laws.JointPD(100.0, 0.0, limit=own), 1e-3, limit=around)
    stay = gough.motions.spline(times=[0, 1, 2], drives={"slide": [0.0, 0.0, 0.0]})
    run = gough.simulate(slider(), stay, law, q=[0.1], duration=0.3, method=method, step=1e-3, check="off")
    (told,) = run.info.events
    assert told[0] == 0.0 and told[1].startswith("saturated: slide at 4 N until ")
    assert float(told[1].split()[-2]) == pytest.approx(0.245, abs=1.1e-3)


def test_saturation_behind_a_lag_is_told() -> None:
    """A mass at 1 m/s into a spring of 100 N/m: 4 N are commanded from x = 0.04 m on, in which time a lag of 0.1 s comes near."""
    lag = gough.actuators.Lag(time=0.1)
    law = gough.laws.Sampled(gough.laws.JointPD(100.0, 0.0, limit=4.0), 1e-3, actuators=lag)
    stay = gough.motions.spline(times=[0, 1, 2], drives={"slide": [0.0, 0.0, 0.0]})
    run = gough.simulate(slider(), stay, law, v=[1.0], duration=0.2, method="rk4", step=1e-3, check="off")
    assert np.abs(run.tau).max() < 4.0 * (1 - np.exp(-0.2 / 0.1))
    (told,) = run.info.events
    assert told[0] == pytest.approx(0.04, abs=2e-3) and told[1] == "saturated: slide at 4 N until 0.2 s"


@pytest.mark.slow
def test_a_start_out_of_equilibrium() -> None:
    model = built(gough.load("long2014"))
    law = gough.laws.Free((300.0,) * 6)
    with pytest.warns(RunWarning, match=r"start: out of equilibrium.*platform\.mode\d.*start='static'"):
        gough.simulate(model, None, law, duration=1e-3)
    with warnings.catch_warnings():
        warnings.simplefilter("error", RunWarning)
        gough.simulate(model, None, law, duration=1e-3, start="static")


def test_the_start_at_an_equilibrium_is_one() -> None:
    """Drive forces push on the plate's own coordinates: with them nothing of long2014 at rest accelerates."""
    from gough.simulation.integration.wrenches import Wrenches
    from inner.simulation import MotionRows, Plant

    model = built(gough.load("long2014"))
    load = {"center": [20.0, -10.0, -300.0, 0, 0, 0]}
    for wrench in (None, load):
        found = gough.static_equilibrium(model, wrench=wrench)
        first = np.concatenate([found.q, np.zeros(model.layout.nv)])
        law = gough.laws.Free(found.tau)
        moved = model.forward_dynamics(found.q, first[model.layout.nq :], found.tau, wrench).vdot
        assert np.abs(moved).max() < 1e-6
        plant = Plant(model, law, MotionRows(), Wrenches.of(model, wrench))
        assert state_events(plant, first, "given", METHODS["dp5"], 0.05, model.parameters) == []
        bare = Plant(model, law, MotionRows(), Wrenches.of(model, None if wrench else load))
        ((_, text),) = state_events(bare, first, "given", METHODS["dp5"], 0.05, model.parameters)
        assert text.startswith("start: out of equilibrium")


@pytest.mark.slow
def test_no_static_start_where_there_is_no_equilibrium() -> None:
    """A load that would bend the plate out of all proportion."""
    model = built(gough.load("long2014"))
    with pytest.raises(UsageError, match=r"start='static': long2014 finds no equilibrium while .* are held"):
        gough.simulate(model, None, duration=1e-3, start="static", wrench={"center": [0, 0, -1e9, 0, 0, 0]})


@pytest.mark.slow
def test_a_step_too_long_for_the_stiffest_mode() -> None:
    """4222 Hz: ωh must stay below 2√2."""
    scenario = gough.load_scenario("briot2014_square").with_(method="rk4", step=1e-3, duration=0.05)
    with pytest.warns(
        RunWarning, match=r"step: 0\.001 s is too long .* \(42\d\d.* Hz\): rk4 needs less than 0\.000107 s"
    ):
        run = scenario.run()
    assert not run.info.finished
    assert "too long for the stiffest mode" in remedy(run)
    with warnings.catch_warnings():
        warnings.simplefilter("error", RunWarning)
        assert scenario.with_(step=1e-4).run().info.finished
        assert scenario.with_(method="esdirk4").run().info.finished


def test_a_step_too_long_for_friction_at_rest() -> None:
    """C/(m s) = 150 000/s: real eigenvalues must stay within 2.785/h."""
    model = slider(coulomb=3.0)
    with pytest.warns(RunWarning, match=r"step: .*decays with 1\.5e\+05/s.*rk4 needs less than 1\.86e-05 s"):
        gough.simulate(model, duration=0.01, v=[0.1], method="rk4", smoothing=1e-5)
    assert longest_step(METHODS["rk4"], np.array([-150000.0 + 0j])) == pytest.approx(2.785 / 150000, rel=2e-3)
    assert longest_step(METHODS["rk4"], np.array([100.0j, -100.0j])) == pytest.approx(2 * np.sqrt(2) / 100, rel=2e-3)
    assert longest_step(METHODS["leapfrog"], np.array([100.0j, -100.0j])) == pytest.approx(np.sqrt(12) / 100, rel=2e-3)
    assert longest_step(METHODS["esdirk4"], np.array([1e9j])) == np.inf


def test_nan_from_a_controller() -> None:
    def bad(t: float, q: np.ndarray, v: np.ndarray, reference: object) -> list[float]:
        return [float("nan") if t > 0.05 else 1.0]

    run = gough.simulate(slider(), None, gough.laws.Sampled(bad, 0.01), duration=0.2)
    assert run.stopped == "not_finite:controller (force of slide) at t = 0.06 s"
    assert "gains" in remedy(run)
    assert run.time[-1] == pytest.approx(0.06)
    with pytest.raises(UsageError, match=r"cannot begin: not_finite:controller \(force of slide\)"):
        gough.simulate(slider(), None, gough.laws.Sampled(lambda *_: [np.inf], 0.01), duration=0.2)


def test_bad_choice() -> None:
    with pytest.raises(UsageError, match="'warn', 'raise', 'off'"):
        gough.simulate(slider(), duration=0.1, check="maybe")


def test_on_the_command_line(tmp_path) -> None:
    """Events are in the JSON and in the text; `--check raise` refuses."""
    options = ["simulate", "--scenario", "briot2014_square", "--duration", "0.02", "--method", "rk4", "--step", "1ms"]
    done = CliRunner().invoke(app, [*options, "--json"])
    assert done.exit_code == 3
    event, unbalanced = json.loads(done.stdout)["events"]
    assert event[0] == 0.0
    assert unbalanced[1].startswith("energy: off by")
    assert "too long" in event[1]
    assert "too long for what is stiffest" in CliRunner().invoke(app, options).output
    refused = CliRunner().invoke(app, [*options, "--check", "raise"])
    assert refused.exit_code not in (0, 3)


@pytest.mark.slow
def test_computed_torque_whose_bodies_run_away_is_told_before_and_after_the_run() -> None:
    """The zero dynamics of this robot's floating frame are unstable; those of its drives, and of another law, are not."""
    m = gough.build("delta_flexible")
    there = m.home[:7] + [0.01, 0, 0, 0, 0, 0, 0]
    move = gough.motions.quintic(poses=[m.home[:7], there], durations=[0.05])
    with pytest.raises(UsageError, match=r"control: the zero dynamics are unstable.*\+1\.74\de\+04 1/s.*drives_of"):
        gough.simulate(m, move, gough.laws.ComputedTorque(), start="static", check="raise")
    own = Plant(m, gough.laws.ComputedTorque(), MotionRows.of(table(gough.laws.drives_of(m, move))))
    assert not _of_inverse(own, m.home, m.parameters)
    stiff = gough.laws.ComputedTorque(model="rigid")
    assert not stiff.holds_floating(m, "pose")


def test_a_run_that_grew_without_end_says_why() -> None:
    m = gough.build("five_bar")
    events = [(0.0, "control: the zero dynamics are unstable")]
    run = gough.Run.from_states(
        m, [0.0], m.home[None], [[0, 0]], [[0, 0]], stopped="folded:arm at t = 1 s", events=events
    )
    assert remedy(run) == "the zero dynamics are unstable"


def test_a_tolerance_that_equal_steps_have_not_is_warned_about() -> None:
    m = gough.build("five_bar")
    with pytest.warns(RunWarning, match=r"tolerance=0\.001 is not used: the steps of rk4 are equal"):
        gough.simulate(m, duration=0.01, method="rk4", tolerance=1e-3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        gough.simulate(m, duration=0.01, method="rk4")
        gough.simulate(m, duration=0.01, method="sdirk2", tolerance=1e-9)


def test_a_motion_that_holds_its_end_may_be_run_for_longer() -> None:
    m = gough.build("five_bar")
    home = m.drives(m.home)
    motion = gough.motions.quintic(drives=[home, home + 0.1], durations=[0.1])
    with pytest.raises(UsageError, match="longer than the motion"):
        gough.simulate(m, motion, duration=0.2)
    run = gough.simulate(m, motion.extended(), duration=0.2)
    assert run.duration == 0.2 and run.info.finished
    np.testing.assert_allclose(run["drives.position"][-1], home + 0.1, atol=1e-12)


@pytest.mark.parametrize("name", ["rk4", pytest.param("leapfrog", marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    "law", [gough.laws.JointPD(1e7, 1e3), gough.laws.ComputedTorque(1e7, 1e3)], ids=lambda x: x.name
)
def test_gains_that_are_too_stiff_for_equal_steps(
    law: gough.laws.JointPD | gough.laws.ComputedTorque, name: str
) -> None:
    """The step of the warning does, a little more does not, and what is said afterwards is that the step was too long."""
    m, method = gough.build("five_bar"), METHODS[name]
    home = m.drives(m.home)
    motion = gough.motions.quintic(drives=[home, home + 0.1], durations=[0.05])
    plant = Plant(m, law, MotionRows.of(table(law.reference(m, motion))))
    limit = longest_step(method, poles(plant, m.home, method, m.parameters))
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        run = gough.simulate(m, motion, law, method=name, step=4 * limit)
        assert gough.simulate(m, motion, law, method=name, step=0.9 * limit).info.finished
    said = [str(w.message) for w in seen if "too long for what is stiffest at the start" in str(w.message)]
    assert len(said) == 1 and f"{name} needs less than {limit:.3g} s" in said[0]
    assert not run.info.finished and remedy(run).startswith("velocities grow without end: ")
    assert f"{name} needs less than {limit:.3g} s" in remedy(run)
    unsaid = gough.simulate(m, motion, law, method=name, step=4 * limit, check="off")
    assert "velocities grow without end" in remedy(unsaid) and "take a shorter step" in remedy(unsaid)
