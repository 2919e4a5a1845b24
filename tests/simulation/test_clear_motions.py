"""A motion that is clearly possible is not looked at in full before its run; what is wrong with any other one is found as by
`gough.check_motion`, and clear ones have nothing that it would find."""

import warnings
from typing import Any

import numpy as np
import pytest

import gough
from gough import laws, motions
from gough.kinematics import lead_along

ROBOTS = ("five_bar", "delta", "pedrammehr2012", "three_rrr", "ankle")


def random_motions(model: gough.Model, count: int) -> list[gough.Motion]:
    """From small ones to those that leave the reach, with kinks and without."""
    rng, begin = np.random.default_rng(3), model.drives(model.home)
    unit = np.array([model.size if u == "N" else 1.0 for u in model.layout.drive_units])
    out = []
    for k in range(count):
        far = 10 ** rng.uniform(-3, 0.3)
        points = begin + far * unit * rng.standard_normal((rng.integers(1, 4), len(begin)))
        if k % 2:
            out.append(motions.quintic(drives=[begin, *points], durations=1.0))
        else:
            out.append(motions.spline(drives=[begin, *points, begin], times=np.linspace(0, 1, len(points) + 2)))
    return out


def events_before(model: gough.Model, motion: gough.Motion, **more: Any) -> list[str]:
    """What a run says of its motion, or why there is none."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            run = gough.simulate(model, motion, laws.JointPD(1.0, 1.0), duration=motion.duration, most_steps=1, **more)
        except gough.UsageError as problem:
            return [str(problem)]
    return [event.words for event in run.info.events if event.kind == "motion"]


@pytest.mark.quick_cases("delta")
@pytest.mark.parametrize("robot", ROBOTS)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_what_is_said_before_a_run_is_what_the_full_check_finds(robot: str) -> None:
    model, clear, told = gough.build(robot), 0, 0
    for motion in random_motions(model, 24):
        report = gough.check_motion(model, motion, samples=100, forces=False)
        impossible = [str(p) for p in report.problems if p.kind in ("reach", "freedom")]
        found = events_before(model, motion)
        if impossible:
            assert len(found) == 1 and all(text in found[0] for text in impossible)
        else:
            assert found == [str(p) for p in report.problems]
        clear, told = clear + report.ok, told + bool(found)
    assert clear > 5 and told


@pytest.mark.quick_cases("delta", "three_rrr")
@pytest.mark.parametrize("robot", ROBOTS)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_many_at_once_are_led_as_one_after_the_other(robot: str) -> None:
    model, led = gough.build(robot), 0
    for motion in random_motions(model, 16):
        drives = motion.at(np.linspace(0.0, 1.0, 60)).position
        q = lead_along.lead_along(model, drives, model.home, model.parameters)
        if q is None:
            continue
        led, near = led + 1, model.home
        for k, one in enumerate(q):
            near = model.configuration(drives=drives[k], near=near)
            np.testing.assert_allclose(one, near, atol=1e-7 * max(model.size, 1.0))
    assert led > 5


@pytest.mark.quick_cases("1e-08", "-1e-08")
@pytest.mark.parametrize("by", [-1e-3, -1e-8, 1e-8, 1e-3])
def test_limits_that_are_just_kept_and_just_not(by: float) -> None:
    """The left motor turns by 0.2 rad in a second, its fastest rate 15/8 of the mean one; its limits are met by more or less."""
    robot = gough.load("five_bar")
    begin = float(gough.build(robot).drives(gough.build(robot).home)[0])
    motor = robot.joints[0]
    for limits in ({"upper": begin + 0.2 - by}, {"speed": 15.0 / 8.0 * 0.2 - by}):
        limited = motor.model_copy(update={"limits": motor.limits.model_copy(update=limits)})
        model = gough.build(robot.model_copy(update={"joints": (limited, *robot.joints[1:])}))
        home = model.drives(model.home)
        motion = motions.quintic(drives=[home, home + [0.2, 0.0]], durations=1.0).hold(0.5)  # 0.5 s is a sample
        report = gough.check_motion(model, motion, samples=100, forces=False)
        assert events_before(model, motion) == [str(p) for p in report.problems]
        if "upper" in limits:
            assert report.ok == (by < 0)


def test_starts_elsewhere_and_other_designs() -> None:
    model = gough.build("five_bar")
    home = model.drives(model.home)
    away = model.configuration(drives=home + 0.3)
    motion = motions.quintic(drives=[home + 0.3, home + 0.31], durations=1.0)
    assert events_before(model, motion, q=away) == events_before(model, motion) == []
    rods = {
        name: 1.01 * x
        for name, x in zip(model.parameter_names, model.parameters, strict=True)
        if name.endswith("rod.mass")
    }
    assert events_before(model, motion, parameters=rods) == []
