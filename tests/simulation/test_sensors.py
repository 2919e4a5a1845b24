"""Sensors against what they are stated to do: distributions, closed forms, differences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from scipy import stats
from scipy.spatial.transform import Rotation

import gough
from gough import laws
from gough.errors import UsageError
from gough.sensors import Accelerometer, Encoders, Tachometers
from laws.subjects import built
from simulation.python_loop import T, five_bar, mass, stand
from simulation.sliders import MASS, slider


def test_noise_is_as_it_is_stated() -> None:
    """Errors of encoders: normal, of their mean and deviation, independent of each other, the drive beside and other seeds."""
    model, n = five_bar(), 4000
    at = model.home[model.drive_index]
    motion = gough.motions.quintic(drives=[at, at], durations=[n * T])

    def errors(seed: int) -> np.ndarray:
        encoders = Encoders(noise=[2e-4, 1e-5], bias=[0.0, 3e-5])
        law = laws.Sampled(laws.JointPD(0.0, 0.0), T, sensors=encoders, seed=seed)
        run = gough.simulate(model, motion, law, method="rk4", step=T, check="off")
        return run["encoders"][:n, :2] - run["drives.position"][:n]

    found = (errors(1) - [0.0, 3e-5]) / [2e-4, 1e-5]
    other = (errors(2) - [0.0, 3e-5]) / [2e-4, 1e-5]
    for x in (*found.T, *other.T):
        assert stats.kstest(x, "norm").pvalue > 1e-3
        assert abs(np.corrcoef(x[1:], x[:-1])[0, 1]) < 4 / np.sqrt(n)
    both = np.corrcoef(np.column_stack([found, other]).T) - np.eye(4)
    assert np.abs(both).max() < 4 / np.sqrt(n)


@dataclass(frozen=True)
class Watched(laws.Law):
    """Its force tells what it sees: joints that have no encoder."""

    name = "watched"
    kinds = ("drives",)

    def forces(self, here: laws.Here) -> np.ndarray:
        names = here.model.layout.q_names
        return np.array([1e-3 * here.q[names.index(f"{side}_elbow")] for side in ("left", "right")], dtype=object)


@pytest.mark.parametrize("design", [False, True])
def test_encoders_tell_the_rest_by_forward_geometry(design: bool) -> None:
    """Of the robot that the law knows, whichever runs: rods meet where two circles cross, in closed form."""
    model = five_bar()
    number = dict(zip(model.parameter_names, model.parameters, strict=True))
    start = model.home[model.drive_index]
    motion = gough.motions.quintic(drives=[start, start + [0.3, -0.2]], durations=[0.2])
    law = laws.Sampled(Watched(), T, sensors=Encoders(resolution=1e-4))
    changed = {"left_elbow.x": 1.02 * number["left_elbow.x"]} if design else None
    run = gough.simulate(
        model,
        motion,
        law,
        q=None if design else model.home,
        v=[1.0, -2.0],
        method="rk4",
        step=T / 2,
        parameters=changed,
        check="off",
    )
    left, right = run["encoders"][::2, :2].T
    elbows = [
        np.array(
            [number[f"{side}_motor.x"] + number[f"{side}_elbow.x"] * np.cos(a), number[f"{side}_elbow.x"] * np.sin(a)]
        )
        for side, a in (("left", left), ("right", right))
    ]
    r, s = number["pin.first.x"], number["pin.second.x"]
    between = elbows[1] - elbows[0]
    d = np.linalg.norm(between, axis=0)
    along = (r * r - s * s + d * d) / (2 * d)
    across = np.array([-between[1], between[0]]) / d
    pin = elbows[0] + along * between / d + np.sqrt(r * r - along**2) * across
    told = [
        1e-3 * np.unwrap(np.arctan2(*(pin - elbow)[::-1]) - angle)
        for elbow, angle in zip(elbows, (left, right), strict=True)
    ]
    for k, x in enumerate(told):
        turns = np.round((run["command"][0, k] - x[0]) / (2e-3 * np.pi))
        np.testing.assert_allclose(run["command"][::2, k], x + 2e-3 * np.pi * turns, atol=1e-12)
    assert np.ptp(told[0]) > 1e-5


@dataclass(frozen=True)
class Push(laws.Law):
    """A constant force, and one against what an accelerometer tells."""

    name = "push"
    kinds = ()
    computes = False

    def forces(self, here: laws.Here) -> np.ndarray:
        return np.array([4.0 - 0.5 * here.measured.show("accelerometer")[2]], dtype=object)


def test_an_accelerometer_feels_force_over_mass() -> None:
    """Along the slide of a mass in its weight: a_k = (f_{k-1} - m g) / m + g, f held; at first as at rest."""
    model = slider(9.81)
    law = laws.Sampled(Push(), T, sensors=[Accelerometer(frame="block.tool", bias=0.01), Encoders()])
    run = gough.simulate(model, None, law, duration=0.05, method="rk4", step=T)
    force, felt = [], [9.81 + 0.01]
    for _ in range(25):
        force.append(4.0 - 0.5 * felt[-1])
        felt.append(force[-1] / MASS + 0.01)
    np.testing.assert_allclose(run["accelerometer"][:25, 2], felt[:25], atol=1e-9)
    np.testing.assert_allclose(run.tau[:25, 0], force, atol=1e-9)
    np.testing.assert_allclose(run["accelerometer"][:, :2], 0.01, atol=1e-12)


@dataclass(frozen=True)
class Shown(laws.Law):
    """A spring to what the encoders show, by their name."""

    name = "shown"
    kinds = ("drives",)
    computes = False

    def forces(self, here: laws.Here) -> np.ndarray:
        return 30.0 * (here.now.position - here.measured.show("encoders")[:1])


def test_a_law_that_asks_encoders_by_name_is_the_one_that_asks_for_the_drives() -> None:
    """Before the run, too, where its loop is looked at; without sensors it is said which are missing."""
    model = slider()
    stay = gough.motions.quintic(drives=[[0.1], [0.1]], durations=0.2)
    for sensors in ([Encoders()], [Encoders(bias=1e-3)]):
        ends = [
            gough.simulate(
                model, stay, laws.Sampled(law, T, sensors=sensors), q=[0.0], method="rk4", step=T, check=check
            ).q[-1, 0]
            for law, check in ((Shown(), "warn"), (laws.JointPD(30.0, 0.0), "off"))
        ]
        assert ends[0] == ends[1]
    for law in (Shown(), laws.Sampled(Shown(), T)):
        with pytest.raises(gough.UsageError, match="asks for 'encoders'; there is none"):
            gough.simulate(model, stay, law, method="rk4", step=T)


@dataclass(frozen=True)
class Miscounted(laws.Law):
    """Two states by name, three first values; or a force too many."""

    forces_too_many: bool = False
    name = "miscounted"
    kinds = ("drives",)
    computes = False

    def inner(self, model: gough.Model, q: np.ndarray, v: np.ndarray) -> laws.Inner:
        n = 1 if self.forces_too_many else 2
        return laws.Inner(("a",) * n, ("m",) * n, np.array([0.0, 0.0, 5.0])[: 1 if n == 1 else 3], np.ones(n))

    def act(self, here: laws.Here) -> laws.Action:
        error = here.now.position - here.measured.drives
        return laws.Action(np.concatenate([error, error]) if self.forces_too_many else error, here.inner)


def test_a_law_that_miscounts_is_told() -> None:
    """Three first values of two states would be read as the time; a force too many inside of other laws, too."""
    model, push = slider(), laws.forces([0.0, 0.2], [[0.0], [0.0]])
    stay = gough.motions.quintic(drives=[[0.1], [0.1]], durations=0.2)
    with pytest.raises(gough.UsageError, match="2 names, 2 units, 3 first values, 2 sizes"):
        gough.simulate(model, stay, Miscounted())
    many = Miscounted(True)
    for law in (many, laws.FeedForward(many, push), laws.DisturbanceObserver(many, 2.0)):
        with pytest.raises(gough.UsageError, match=r"miscounted: forces must be \(1,\), one a drive"):
            gough.simulate(model, stay, law)


def test_an_accelerometer_and_tachometers_on_a_linkage() -> None:
    """Differences of the tool's velocity in the turned axes of the tool; rates of the drives with a bias of their own."""
    model = five_bar()
    start = model.home[model.drive_index]
    motion = gough.motions.quintic(drives=[start, start + [0.3, -0.2]], durations=[0.1])
    sensors = [Encoders(), Accelerometer(frame="left_rod.tool"), Tachometers(bias=0.02)]
    law = laws.Sampled(laws.JointPD(300.0, 8.0), T, sensors=sensors)
    run = gough.simulate(model, motion, law, method="rk4", step=T)
    pose, twist = run["left_rod.tool.pose"], run["left_rod.tool.twist"]
    turns = Rotation.from_quat(pose[:, [4, 5, 6, 3]])
    gravity = dict(zip(model.parameter_names, model.parameters, strict=True))
    change = np.diff(twist[:, :3], axis=0) / T - [gravity[f"gravity.{axis}"] for axis in "xyz"]
    want = turns[1:].inv().apply(change)
    np.testing.assert_allclose(run["accelerometer"][1:50], want[:49], atol=1e-8)
    np.testing.assert_allclose(run["tachometers"][:50], run["drives.rate"][:50] + 0.02, atol=1e-12)
    want_tau = 300.0 * (motion.at(run.time).position - run["drives.position"]) + 8.0 * (
        motion.at(run.time).velocity - run["drives.rate"] - 0.02
    )
    np.testing.assert_allclose(run["command"][:50], want_tau[:50], atol=1e-9)


def test_sensors_that_are_not_there_are_named() -> None:
    model = slider(9.81)
    with pytest.raises(UsageError, match=r"no frame 'block.tol'; .*block.tool"):
        gough.simulate(model, None, laws.Sampled(Push(), T, sensors=Accelerometer(frame="block.tol")), duration=0.1)
    with pytest.raises(UsageError, match="'accelerometer'; there is encoders"):
        gough.simulate(model, None, laws.Sampled(Push(), T, sensors=Encoders()), duration=0.1)
    law = laws.Sampled(laws.JointPD(1.0, 1.0), T, sensors=Accelerometer(frame="block.tool"))
    with pytest.raises(UsageError, match="no encoders are among them"):
        gough.simulate(mass(), stand(0.1), law, q=[0.0])


@pytest.mark.slow
def test_a_rigid_law_of_another_structure_on_a_flexible_robot() -> None:
    """It knows a Delta of single rods, the robot has flexible pairs, and its encoders tell the drives alone: what it commands at
    its reference holds the weight of the robot that it knows, by differences of its potential energy."""
    flexible, rigid = built(gough.load("delta_flexible")), built(gough.load("delta"))
    start = flexible.drives(flexible.home) + [0.1, 0.0, -0.05]
    q = flexible.configuration(drives=start, near=flexible.home)
    motion = gough.motions.quintic(drives=[start, start], durations=[2e-3])
    law = laws.Sampled(laws.JointPD(300.0, 10.0, gravity=True, model=rigid), 1e-3, sensors=Encoders())
    run = gough.simulate(flexible, motion, law, q=q, method="rk4", step=2.5e-5, check="off")

    def potential(drives: np.ndarray) -> float:
        at = rigid.configuration(drives=drives, near=rigid.home)
        made = gough.Run.from_states(rigid, [0.0], at[None], np.zeros((1, 3)), np.zeros((1, 3)))
        return float(made["energy.potential"][0])

    h = 1e-4
    holding = [(potential(start + h * e) - potential(start - h * e)) / (2 * h) for e in np.eye(3)]
    np.testing.assert_allclose(run["command"][0], holding, atol=1e-5)


@pytest.mark.slow
def test_no_encoder_shows_how_a_robot_is_bent_where_it_begins() -> None:
    """Two robots of other weight stand bent at the same drives: with the same readings a law commands the same."""
    model = built(gough.load("delta_flexible"))
    start = model.drives(model.home)
    motion = gough.motions.quintic(drives=[start, start], durations=[2e-3])
    law = laws.Sampled(laws.ComputedTorque(bandwidth=6.0, model="rigid"), 1e-3, sensors=Encoders(resolution=1e-4))
    ways: dict[str, Any] = {"start": "static", "method": "rk4", "step": 2e-4, "check": "off"}
    one, other = (gough.simulate(model, motion, law, parameters={"gravity.z": -g}, **ways) for g in (9.81, 4.0))
    assert np.abs(one["elastic"][0] - other["elastic"][0]).max() > 1e-5
    np.testing.assert_array_equal(one["encoders"][0], other["encoders"][0])
    np.testing.assert_array_equal(one["command"][0], other["command"][0])
