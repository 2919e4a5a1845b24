"""Verdicts about poses against leg lengths by hand, `assemble` and the workspace; what was good stays."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import gough
from analysis.mapped_robots import CRANK, HALF_BASE, ROD, STROKE, five_bar, hexapod, legs_of
from gough.errors import UsageError
from gough.robot import Platform, PlatformLimits
from gough.viewer.posing.attempt import LEAST_CONDITION, Poser
from inner.analysis import Verdict
from inner.viewer import sets_of_axes
from viewer.posing.models import model_of


def first_axes(model):
    return next(iter(sets_of_axes(model).values()))


def test_limits_are_told_leg_by_leg(rng: np.random.Generator) -> None:
    model = hexapod()
    axes = first_axes(model)
    x = np.concatenate([rng.uniform(-0.15, 0.15, (120, 3)) + [0, 0, 0.6], rng.uniform(-0.3, 0.3, (120, 3))], axis=1)
    lengths = legs_of(x[:, :3], Rotation.from_euler("ZYX", x[:, 3:]).as_matrix())[1]
    told = 0
    for values, own in zip(x, lengths, strict=True):
        poser = Poser(model, model.home)
        found = poser.try_values(axes, values)
        wrong = {k for k in range(6) if not STROKE[0] <= own[k] <= STROKE[1]}
        by_stroke = {r.leg for r in found.reasons if ".slide:" in r.text}
        assert by_stroke == wrong
        assert not (wrong and found.good)
        assert np.array_equal(poser.q, found.q)
        assert found.good == (not np.array_equal(found.q, model.home))
        for reason in found.reasons:
            if ".slide:" in reason.text:
                assert f"{own[reason.leg]:.4g} m" in reason.text
                told += 1
    assert told > 20


def test_limits_of_the_platform_are_told() -> None:
    robot = hexapod().robot
    assert isinstance(robot.platform, Platform)
    limits = PlatformLimits.model_validate({"z": [None, 0.62], "yaw": ["-5 deg", "5 deg"]})
    body = robot.platform.body.model_copy(update={"limits": limits})
    platform = robot.platform.model_copy(update={"body": body})
    model = gough.build(robot.model_copy(update={"platform": platform}))
    poser = Poser(model, model.home)
    found = poser.try_values(first_axes(model), np.array([0, 0, 0.63, np.deg2rad(-6), 0, 0]))
    assert not found.good
    assert [r.text for r in found.reasons] == [
        "platform.z: 0.63 m, upper limit 0.62 m",
        "platform.yaw: -6°, lower limit -5°",
    ]
    assert all(r.leg == -1 for r in found.reasons)


@pytest.mark.quick_cases("delta", "andrews")
@pytest.mark.parametrize("name", ["lopes", "delta", "three_rrr", "five_bar", "tripod_wrist", "andrews"])
def test_verdicts_agree_with_assembly_and_workspace(name: str, rng: np.random.Generator) -> None:
    model = model_of(name)
    axes = first_axes(model)
    home = axes.values(model.home)
    count = 24
    x = home + 0.6 * axes.scales * rng.uniform(-1, 1, (count, len(home)))
    made = model.assemble(**axes.target(x), near=np.tile(model.home, (count, 1)), on_bad_state="mark")
    good = np.zeros(count, dtype=bool)
    for k in range(count):
        found = Poser(model, model.home).try_values(axes, x[k])
        good[k] = found.good
        assert found.good or (found.reasons and found.text)
        if found.good:
            assert np.allclose(axes.difference(x[k], axes.values(found.q)), 0, atol=1e-7)
            assert model.closure_error(found.q) < 1e-9
    measure = model.singularity(np.where(np.isfinite(made.q), made.q, model.home))
    regular = np.minimum(measure.parallel, measure.serial.min(axis=1, initial=1.0)) >= LEAST_CONDITION
    assert not (good & (made.status != 0) & ~regular).any()
    assert (good == ((made.status == 0) & regular)).mean() > 0.9  # ways in small steps find a few more, or other sides
    assert good.any()


def test_a_leg_that_is_too_short_is_named() -> None:
    """3-RRR: a leg reaches as far as its crank and rod are long, measured at home."""
    model = model_of("three_rrr")
    axes = first_axes(model)
    poser = Poser(model, model.home)
    home = axes.values(model.home)
    base = [model.frame_pose(model.home, f"leg{k}.crank")[0] for k in range(3)]
    elbow = [model.frame_pose(model.home, f"leg{k}.rod")[0] for k in range(3)]
    cuts = model.joint_reactions(model.home, np.zeros(3), np.zeros(3)).cut_names
    assert len(cuts) == 3
    hands = hand_points(model)
    reach = [np.linalg.norm(elbow[k] - base[k]) + np.linalg.norm(hands[k] - elbow[k]) for k in range(3)]
    named = 0
    for shift in ([0.16, 0.0], [-0.18, 0.05], [0.05, 0.2], [-0.05, -0.22]):
        found = poser.try_values(axes, home + [*shift, 0.0])
        too_short = {k for k in range(3) if np.linalg.norm(hands[k] + [*shift, 0.0] - base[k]) > reach[k] + 1e-9}
        assert set(found.legs) == too_short
        assert found.good == (not too_short)
        named += len(too_short)
        poser.adopt(model.home)
    assert named


def hand_points(model) -> list[np.ndarray]:
    """Where the legs of a planar 3-RRR hold the platform at home, by the description."""
    from inner.robot import placed_loops

    rotation = Rotation.from_quat(model.home[[4, 5, 6, 3]]).as_matrix()
    points = []
    for loop in placed_loops(model.robot):
        base = loop.second_base.position if loop.second_base is not None else (0, 0, 0)
        points.append(model.home[:3] + rotation @ (np.array(base) + np.array(loop.second_pose.position)))
    return points


def test_the_last_good_pose_and_its_assembly_stay(rng: np.random.Generator) -> None:
    model = model_of("delta")
    axes = first_axes(model)
    poser = Poser(model, model.home)
    home = axes.values(model.home)
    for _ in range(12):
        before = poser.q
        found = poser.try_values(axes, home + rng.uniform(-1.5, 1.5, 3))
        assert found.good or np.array_equal(poser.q, before)
    back = poser.try_values(axes, home)
    assert back.good
    assert np.allclose(poser.q, model.home, atol=1e-7)


def test_a_far_target_is_reached_as_by_small_steps() -> None:
    model = five_bar()
    axes = first_axes(model)
    start = axes.values(model.home)
    end = start + [1.2, 0.9]
    far, near = Poser(model, model.home), Poser(model, model.home)
    for k in range(1, 41):
        assert near.try_values(axes, start + (end - start) * k / 40).good
    assert far.try_values(axes, end).good
    assert np.allclose(far.q, near.q, atol=1e-8)


def test_elbows_too_far_apart_are_refused() -> None:
    model = five_bar()
    axes = first_axes(model)
    for m1, m2 in ((np.pi, 0.0), (2.6, 0.3), (2.0, 1.2)):
        a = np.array([-HALF_BASE + CRANK * np.cos(m1), CRANK * np.sin(m1)])
        b = np.array([HALF_BASE + CRANK * np.cos(m2), CRANK * np.sin(m2)])
        found = Poser(model, model.home).try_values(axes, np.array([m1, m2]))
        assert found.good == (np.linalg.norm(b - a) < 2 * ROD)


def test_the_workspace_says_the_same(rng: np.random.Generator) -> None:
    model = hexapod()
    axes = first_axes(model)
    found = gough.workspace(model, {"x": (-0.2, 0.2, 9), "z": (0.45, 0.75, 9)}, condition=LEAST_CONDITION)
    for (x, z), verdict in zip(found.coordinates, found.verdict, strict=True):
        values = axes.values(model.home)
        values[[0, 2]] = x, z
        assert Poser(model, model.home).try_values(axes, values).good == (verdict == Verdict.FREE)


def test_what_is_no_number_is_refused() -> None:
    model = model_of("five_bar")
    axes = first_axes(model)
    poser = Poser(model, model.home)
    assert not poser.try_values(axes, np.array([np.nan, 0.0])).good
    with pytest.raises(UsageError, match="2 coordinates"):
        poser.try_values(axes, np.zeros(3))
