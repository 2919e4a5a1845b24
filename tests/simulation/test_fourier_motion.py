"""Fourier motions: against the sum written out, in code and in files."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import gough
from gough import motions
from papers.library import model

T = 4.0


def test_it_is_the_sum() -> None:
    m = motions.fourier(
        period=T, drives={"a": 0.5, "b": -1.0}, cosines={"a": [0.1, 0.0, 0.02]}, sines={"b": [0.3]}, periods=2
    )
    t = np.linspace(0.0, 2 * T, 33)
    w = 2 * np.pi / T
    at = m.at(t)
    a = 0.5 + 0.1 * np.cos(w * t) + 0.02 * np.cos(3 * w * t)
    speed = -0.1 * w * np.sin(w * t) - 0.06 * w * np.sin(3 * w * t)
    assert at.position == pytest.approx(np.stack([a, -1.0 + 0.3 * np.sin(w * t)], axis=1), abs=1e-14)
    assert at.velocity == pytest.approx(np.stack([speed, 0.3 * w * np.cos(w * t)], axis=1), abs=1e-14)
    assert m.duration == 2 * T and m.kind == "drives"


def test_waves_of_a_pose() -> None:
    """Positions written out, orientations by SciPy, angular velocities by differences of these."""
    mean = gough.robot.Pose.model_validate({"position": [0.1, 0, 0.6], "rpy_zyx": ["20 deg", "10 deg", 0]})
    m = motions.fourier(
        period=T, pose=mean, sines={"z": [0.02, 0.0, 0.01], "yaw": [0.3]}, cosines={"roll": [0.2]}, periods=2
    )
    w, t = 2 * np.pi / T, np.linspace(0.0, 2 * T, 41)[:-1]

    def turned(t: np.ndarray) -> Rotation:
        angles = [np.radians(20) + 0.3 * np.sin(w * t), np.full(t.shape, np.radians(10)), 0.2 * np.cos(w * t)]
        return Rotation.from_euler("ZYX", np.stack(angles, axis=1))

    at, h = m.at(t), 1e-5
    z = 0.6 + 0.02 * np.sin(w * t) + 0.01 * np.sin(3 * w * t)
    assert m.kind == "pose" and at.position[:, :3] == pytest.approx(
        np.stack([0 * t + 0.1, 0 * t, z], axis=1), abs=1e-14
    )
    assert (Rotation.from_quat(at.position[:, [4, 5, 6, 3]]) * turned(t).inv()).magnitude() == pytest.approx(
        0 * t, abs=1e-12
    )
    rate = (turned(t + h) * turned(t - h).inv()).as_rotvec() / (2 * h)
    assert at.velocity[:, 3:] == pytest.approx(rate, abs=1e-8)
    assert at.velocity[:, 2] == pytest.approx(0.02 * w * np.cos(w * t) + 0.03 * w * np.cos(3 * w * t), abs=1e-14)
    told = motions.read_motion(
        "format: 1\nmotion:\n  fourier: {period: 4 s, pose: home, sines: {z: [20 mm, 0, 10 mm], yaw: [0.3]}, "
        "cosines: {roll: [0.2]}, periods: 2}\n",
        model=model("lopes_simplified"),
    ).motion
    home = model("lopes_simplified").home_pose
    assert told.at(1.0).position[:3] == pytest.approx(home[:3] + [0, 0, 0.02 - 0.01], abs=1e-12)


def test_wrong_keys_and_units_of_waves_are_answered_with_an_example() -> None:
    text = "format: 1\nmotion:\n  fourier: {period: 2 s, poses: home, sin: {z: [10 mm]}}\n"
    with pytest.raises(gough.DescriptionError, match="did you mean 'pose'") as told:
        motions.read_motion(text)
    assert str(told.value).count("for instance fourier: {pose: home, period: 2 s, sines: {z: [10 mm, 0, 2 mm]") == 1
    text = "format: 1\nmotion:\n  fourier: {period: 2 s, pose: home, sines: {z: [10 deg]}}\n"
    with pytest.raises(gough.DescriptionError, match="10 deg is an angle, and z is a length"):
        motions.read_motion(text, model=model("lopes_simplified"))


def test_it_is_written_in_files() -> None:
    text = """
format: 1
motion:
  fourier: {period: 4 s, drives: {left_motor: 120 deg, right_motor: 1.0}, cosines: {left_motor: [5 deg]}, periods: 2}
"""
    m = motions.read_motion(text, model=gough.build("five_bar")).motion
    assert m.at(0.0).position == pytest.approx([np.radians(125.0), 1.0], abs=1e-15)
    with pytest.raises(gough.DescriptionError, match="5 mm is a length, and left_motor is an angle"):
        motions.read_motion(text.replace("[5 deg]", "[5 mm]"), model=gough.build("five_bar"))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "exactly one of pose= .of the platform., drives= or joints="),
        ({"drives": {"a": 0.0}, "joints": {"a": 0.0}}, "exactly one of pose= .*given: drives, joints"),
        (
            {"pose": [0, 0, 1, 1, 0, 0, 0], "sines": {"w": [1.0]}},
            "sines of w; waves of a pose are named x, y, z, yaw, pitch, roll",
        ),
        ({"pose": "home"}, "pose='home': a text is no pose; 'home' is for files, in Python it is model.home_pose"),
        ({"drives": {"a": 0.0}, "frame": "tool"}, "frame= goes with pose="),
        ({"drives": {}}, "mean of at least one"),
        ({"drives": {"a": 0.0}, "sines": {"b": [1.0]}}, "sines of b, of which drives has no mean"),
        ({"drives": {"a": 0.0}, "sines": {"a": [[1.0]]}}, "a list of finite amplitudes"),
        ({"drives": {"a": 0.0}, "periods": 0}, "periods=0"),
    ],
)
def test_misuse_is_named(given: dict, said: str) -> None:
    with pytest.raises(gough.UsageError, match=said):
        motions.fourier(period=T, **given)


def many_waves(names: tuple[str, ...], harmonics: int, seed: int = 3) -> tuple[gough.Motion, np.ndarray, np.ndarray]:
    """(a motion of period T about 1.9 and 1.2 rad, cosines and sines (harmonics, drives))."""
    C, S = (
        0.05
        * np.random.default_rng(seed).normal(size=(2, harmonics, len(names)))
        / np.arange(1, harmonics + 1)[:, None]
    )
    cosines, sines = (dict(zip(names, x.T.tolist(), strict=True)) for x in (C, S))
    means = dict(zip(names, (1.9, 1.2), strict=True))
    return motions.fourier(period=T, drives=means, cosines=cosines, sines=sines), C, S


def test_pieces_begin_and_end_with_round_steps() -> None:
    motion, C, S = many_waves(("a", "b"), 25)
    table = motion.table()
    steps = table.breaks / 5e-4
    assert len(steps) > 50 and np.abs(steps - np.round(steps)).max() < 1e-9
    t = np.random.default_rng(1).uniform(0.0, T, 500)
    angle = 2 * np.pi / T * np.outer(t, np.arange(1, 26))
    wanted = np.array([1.9, 1.2]) + np.cos(angle) @ C + np.sin(angle) @ S
    assert np.abs(table.at(t).position - wanted).max() < 1e-12


def test_equal_steps_through_many_pieces_are_those_of_one_grid_and_right() -> None:
    """Against steps by the error, which go piece by piece, and a tolerance at which they are exact."""
    model = gough.build("five_bar")
    motion, _, _ = many_waves(model.layout.drive_names, 25)
    law = gough.laws.JointPD(400.0, 6.0)
    equal = gough.simulate(model, motion, law, method="rk4", step=5e-4, smoothing=0.05, check="off")
    assert np.abs(equal.time - 5e-4 * np.arange(8001)).max() < 1e-12
    exact = gough.simulate(model, motion, law, tolerance=1e-11, smoothing=0.05, check="off").resample(equal.time)
    assert np.abs(equal.q - exact.q).max() < 1e-7
    assert np.abs(equal.tau - exact.tau).max() < 1e-4 * np.abs(exact.tau).max()
    few = gough.simulate(model, motion, law, method="rk4", step=5e-4, every=7, smoothing=0.05, check="off")
    at = np.round(few.time / 5e-4).astype(int)
    assert 1100 < len(at) < 1300 and np.array_equal(few.q, equal.q[at]) and np.array_equal(few.tau, equal.tau[at])
