"""Loops with sensors and actuators against the same loop in plain Python around the exact solution of a linear robot: a mass on
a driven slider, x_{k+1} = e^{A h} x_k + ∫ e^{A s} ds B u, whose law, clocks and random numbers are written again, in integers."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy import stats
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

import gough
from gough import laws
from gough.actuators import ElasticGear, Lag, RateLimit
from gough.errors import UsageError
from gough.sensors import Accelerometer, Encoders, Tachometers
from laws.subjects import built
from simulation.sliders import MASS, slider

KP, KD, GOAL, T = 900.0, 45.0, 0.03, 2e-3


@cache
def mass() -> gough.Model:
    return slider()


@cache
def five_bar() -> gough.Model:
    return built(gough.load("five_bar"))


def stand(duration: float) -> gough.Motion:
    return gough.motions.function(lambda t: [GOAL + 0.0 * t], duration, kind="drives", names=["slide"])


# The generator, in whole numbers of Python


def _near(x: int) -> int:
    """x modulo 2^26, between ± 2^25."""
    return (x + 2**25) % 2**26 - 2**25


def _halved(x: int, bits: int) -> int:
    """x / 2^bits to the nearest whole number, halves to even ones."""
    low, rest = x >> bits, x & (2**bits - 1)
    half = 2 ** (bits - 1)
    return low + (rest > half or (rest == half and low % 2 == 1))


def words(seed: int, run: int, name: str, sample: int, pair: int) -> tuple[float, float]:
    digest = hashlib.blake2b(f"{seed} {run} {name}".encode(), digest_size=8).digest()
    key = [_near(int.from_bytes(digest[k : k + 4], "little")) for k in (0, 4)]
    left, right = sample, pair
    for k in range(10):
        step = _near(k * 0x278DDE7)
        left, right = right, _near(left + _halved(right * (right + key[k % 2] + step), 13))
    return tuple((x + 2**25 + 1) / (2**26 + 2) for x in (left, right))  # type: ignore[return-value]


def normal(seed: int, run: int, name: str, sample: int) -> float:
    a, b = words(seed, run, name, sample, 0)
    return float(np.sqrt(-2 * np.log(a)) * np.cos(2 * np.pi * b))


# The loop


@dataclass
class Late:
    """Values that are shown a delay after they were taken."""

    delay: float
    taken: list[tuple[float, Any]] = field(default_factory=list)

    def shown(self, t: float) -> Any:
        seen = [x for when, x in self.taken if when + self.delay <= t + 1e-9]
        return seen[-1] if seen else self.taken[0][1]


def simulated(
    duration: float,
    *,
    force: Callable[[int, float, float], float] = lambda k, x, v: KP * (GOAL - x) - KD * v,
    encoders: Encoders | None = None,
    delay: float = 0.0,
    limit: float = np.inf,
    rate: float = np.inf,
    seed: int = 0,
    run: int = 0,
    fine: float = 1e-4,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(times, positions, forces) on a grid of fine steps."""
    A = np.zeros((3, 3))
    A[0, 1], A[1, 2] = 1.0, 1.0 / MASS
    step = expm(A * fine)
    x, v, last, sent, speed = 0.0, 0.0, 0.0, 0.0, 0.0
    readings, commands = Late(encoders.delay if encoders else 0.0), Late(delay)
    times, places, forces, k, j = [], [], [], 0, 0
    for i in range(round(duration / fine) + 1):
        t = i * fine
        own = T if encoders is None or encoders.period is None else encoders.period
        if encoders is not None and t >= j * own - 1e-9:
            told = x + encoders.bias + encoders.noise * normal(seed, run, "encoders 0", j)
            if encoders.resolution:
                told = round(told / encoders.resolution) * encoders.resolution
            if encoders.lost and j and words(seed, run, "encoders 0", j, 1)[0] < encoders.lost:
                told = last
            new = (told - last) / own
            if encoders.bandwidth:
                new = speed + (1 - np.exp(-2 * np.pi * encoders.bandwidth * own)) * (new - speed)
            speed = v if j == 0 else new
            last, j = told, j + 1
            readings.taken.append((t, (told, speed)))
        if t >= k * T - 1e-9:
            seen = readings.shown(t) if encoders is not None else (x, v)
            u = float(np.clip(force(k, *seen), -limit, limit))
            sent = u if k == 0 else sent + float(np.clip(u - sent, -rate * T, rate * T))
            commands.taken.append((t, sent))
            k += 1
        held = commands.shown(t)
        times.append(t)
        places.append(x)
        forces.append(held)
        x, v, _ = step @ [x, v, held]
    return np.array(times), np.array(places), np.array(forces)


CASES: dict[str, dict[str, Any]] = {
    "plain": {},
    "late commands": {"delay": 3e-4},
    "very late commands": {"delay": 5.3e-3},
    "quantised": {"encoders": Encoders(resolution=1e-4)},
    "biased": {"encoders": Encoders(bias=-2e-4)},
    "late": {"encoders": Encoders(delay=3e-3)},
    "noise": {"encoders": Encoders(noise=2e-5), "seed": 7},
    "lost": {"encoders": Encoders(lost=0.3), "seed": 3},
    "slow clock": {"encoders": Encoders(period=5e-3)},
    "fast clock": {"encoders": Encoders(period=5e-4, delay=2e-4, bandwidth=60.0)},
    "limits": {"limit": 6.0, "rate": 400.0},
    "all": {
        "encoders": Encoders(
            noise=1e-5, bias=1e-4, resolution=2e-5, delay=2.6e-3, lost=0.1, bandwidth=80.0, period=1e-3
        ),
        "delay": 1.3e-3,
        "limit": 12.0,
        "rate": 900.0,
        "seed": 11,
    },
}


def law_of(case: dict[str, Any]) -> laws.Sampled:
    return laws.Sampled(
        laws.JointPD(KP, KD),
        T,
        case.get("delay", 0.0),
        limit=case.get("limit"),
        sensors=[case["encoders"]] if "encoders" in case else [],
        actuators=[RateLimit(rate=case["rate"])] if "rate" in case else [],
        seed=case.get("seed", 0),
    )


QUICK = {("all", "rk4"), ("all", "dp5"), ("late commands", "rk4"), ("limits", "dp5")}


@pytest.mark.parametrize(
    ("name", "method"),
    [
        pytest.param(name, method, marks=() if (name, method) in QUICK else pytest.mark.slow)
        for name in CASES
        for method in ("rk4", "dp5")
    ],
)
def test_loops_are_those_of_plain_python(name: str, method: str) -> None:
    """Positions at all samples of one second, to 1e-9 m; and the forces."""
    case = CASES[name]
    steps = {"step": 1e-4} if method == "rk4" else {"tolerance": 1e-12}
    run = gough.simulate(mass(), stand(0.3), law_of(case), q=[0.0], method=method, **steps)  # type: ignore[arg-type]
    times, places, forces = simulated(0.3, **case)
    assert run.stopped == "finished" and np.abs(places[-1]) > 0.01
    at = np.searchsorted(times, run.time + 1e-9) - 1
    near = np.abs(times[at] - run.time) < 1e-9
    assert near.sum() >= 100
    np.testing.assert_allclose(run.q[near, 0], places[at][near], atol=1e-9)
    first = near & np.append(np.diff(run.time) > 1e-9, False)
    np.testing.assert_allclose(run.tau[first, 0], forces[at][first], rtol=1e-6, atol=1e-6)
    assert run.summary()["energy_error"] < 1e-9


def test_runs_of_many_are_single_runs() -> None:
    """Run k of an ensemble is the loop with the random numbers of run k, however many there are."""
    case = CASES["all"]
    common = {"motion": stand(0.2), "controller": law_of(case), "step": 1e-4, "stored": 200}
    many = gough.simulate_many(mass(), np.zeros((9, 1)), **common)
    few = gough.simulate_many(mass(), np.zeros((3, 1)), **common)
    np.testing.assert_array_equal(few.q, many.q[:3])
    for k in (0, 5):
        times, places, _ = simulated(0.2, run=k, **case)
        at = np.searchsorted(times, many.time + 1e-9) - 1
        np.testing.assert_allclose(many.q[k, :, 0], places[at], atol=1e-9)
    assert many.end_q.std() > 1e-6
    told = many.run(5)
    assert told.unit("encoders.slide") == "m" and told["command"].shape == (len(many.time), 1)


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
class Integral(laws.Law):
    """A spring, a damper and an integral."""

    gain: float = 4000.0
    name = "integral"
    kinds = ("drives",)
    computes = False

    def inner(self, model: gough.Model, q: np.ndarray, v: np.ndarray) -> laws.Inner:
        return laws.Inner(("sum",), ("m s",), np.zeros(1), np.ones(1))

    def act(self, here: laws.Here) -> laws.Action:
        error = here.now.position - here.measured.drives
        return laws.Action(KP * error - KD * here.measured.drive_rates + self.gain * here.inner, error)


def test_a_law_with_states_of_its_own_is_sampled() -> None:
    """Its states are sums over the samples."""
    total = [0.0]

    def force(k: int, x: float, v: float) -> float:
        error = GOAL - x
        u = KP * error - KD * v + 4000.0 * total[0]
        total[0] += T * error
        return u

    run = gough.simulate(
        mass(), stand(0.3), laws.Sampled(Integral(), T, sensors=Encoders()), q=[0.0], method="rk4", step=T / 4
    )
    times, places, _ = simulated(0.3, force=force, encoders=Encoders())
    at = np.searchsorted(times, run.time + 1e-9) - 1
    np.testing.assert_allclose(run.q[::4, 0], places[at][::4], atol=1e-9)


def test_pieces_of_a_motion_need_not_meet_the_clock() -> None:
    """A motion whose pieces end between samples: steps are cut to both, and forces are those at the samples."""
    times = [0.0, 0.01234, 0.0777, 0.1003]
    motion = gough.motions.quintic(drives=[[0.0], [0.01], [0.03], [0.02]], durations=np.diff(times))
    run = gough.simulate(mass(), motion, laws.Sampled(laws.JointPD(KP, KD), T), q=[0.0], method="rk4", step=T / 4)
    sampled = np.array([np.flatnonzero(np.abs(run.time - k * T) < 1e-9)[-1] for k in range(50)])
    want = motion.at(run.time[sampled])
    tau = KP * (want.position - run.q[sampled]) + KD * (want.velocity - run.v[sampled])
    np.testing.assert_allclose(run.tau[sampled], tau, atol=1e-9)
    changes = run.time[1:][np.abs(np.diff(run.tau[:, 0])) > 1e-12]
    assert (np.abs(changes / T - np.round(changes / T)) < 1e-6).all()


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Encoders(noise=-1.0), "noise"),
        (lambda: Encoders(resolution=[0.1, -1.0]), "resolution"),
        (lambda: Encoders(lost=1.5), "lost"),
        (lambda: Encoders(delay=-1e-3), "delay"),
        (lambda: Encoders(bandwidth=0.0), "bandwidth"),
        (lambda: RateLimit(rate=0.0), "rate"),
        (lambda: laws.Sampled(laws.Free(), T, sensors=[3]), "gough.sensors"),
        (lambda: laws.Sampled(laws.Free(), T, seed=-1), "seed"),
    ],
)
def test_bad_parts(make: Callable[[], Any], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        make()


@pytest.mark.parametrize(
    ("law", "asked", "words"),
    [
        ({}, {"step": 3e-4}, "give step=0.000285"),
        ({"delay": 1e-3 / np.pi}, {}, "no common measure"),
        ({"delay": 10.0}, {}, "samples"),
        ({"sensors": Encoders(noise=[1e-3, 1e-3])}, {}, "noise has 2 numbers"),
        ({"sensors": Encoders(delay=1.0)}, {}, "encoders: delay"),
        ({"actuators": RateLimit(rate=[1.0, 2.0])}, {}, "rate has 2 numbers"),
        ({"sensors": Encoders()}, {"method": "esdirk4"}, "no sensors"),
    ],
)
def test_loops_that_cannot_be(law: dict[str, Any], asked: dict[str, Any], words: str) -> None:
    made = laws.Sampled(laws.JointPD(KP, KD), T, **law)
    with pytest.raises(UsageError, match=words):
        gough.simulate(mass(), stand(0.1), made, q=[0.0], **({"method": "rk4"} | asked))


def chain(
    A: np.ndarray, B: np.ndarray, duration: float, first: np.ndarray, begun: Callable[[float], np.ndarray], fine: float
) -> np.ndarray:
    """States (n, k) of ẋ = A x + B u at fine steps, u = K_p (goal - x_0) - K_d x_1 at samples; begun(u): those at the first."""
    n = len(A)
    whole = np.zeros((n + 1, n + 1))
    whole[:n, :n], whole[:n, n] = A, B
    step, x, out, u = expm(whole * fine), first, [], 0.0
    for i in range(round(duration / fine) + 1):
        if i % round(T / fine) == 0:
            u = KP * (GOAL - x[0]) - KD * x[1]
            x = begun(u) if i == 0 else x
        out.append(x)
        x = (step @ [*x, u])[:n]
    return np.array(out)


def test_a_motor_with_a_lag() -> None:
    """m ẍ = f, T ḟ = u - f, u held: by the exponential of a matrix."""
    lag, fine = 1.5e-3, 1e-4
    A = np.array([[0, 1, 0], [0, 0, 1 / MASS], [0, 0, -1 / lag]])
    truth = chain(A, np.array([0, 0, 1 / lag]), 0.2, np.zeros(3), lambda u: np.array([0.0, 0.0, u]), fine)
    law = laws.Sampled(laws.JointPD(KP, KD), T, actuators=Lag(time=lag))
    run = gough.simulate(mass(), stand(0.2), law, q=[0.0], method="rk4", step=fine)
    np.testing.assert_allclose(run.q[:, 0], truth[:, 0], atol=1e-9)
    np.testing.assert_allclose(run["actuators"][:, 0], truth[:, 2], atol=2e-6)
    assert run.unit("motor.slide") == "N" and not run.tau_held
    assert run.summary()["energy_error"] < 1e-9


def test_a_gear_that_gives_way() -> None:
    """Rotor and mass on a spring: by the exponential of a matrix; without damping no energy is lost between motor and robot."""
    J, k, fine = 0.7, 8e3, 5e-5
    for d in (0.0, 30.0):
        A = np.zeros((4, 4))  # x, v, rotor, its rate
        A[0, 1] = A[2, 3] = 1.0
        A[1] = np.array([-k, -d, k, d]) / MASS
        A[3] = np.array([k, d, -k, -d]) / J
        truth = chain(A, np.array([0, 0, 0, 1 / J]), 0.2, np.zeros(4), lambda u: np.array([0, 0, u / k, 0]), fine)
        gear = ElasticGear(inertia=J, stiffness=k, damping=d)
        law = laws.Sampled(laws.JointPD(KP, KD), T, actuators=gear)
        run = gough.simulate(mass(), stand(0.2), law, q=[0.0], method="rk4", step=fine)
        np.testing.assert_allclose(run.q[:, 0], truth[:, 0], atol=1e-9)
        rotor, rate = run["actuators"].T
        np.testing.assert_allclose(rotor, truth[:, 2], atol=1e-9)
        np.testing.assert_allclose(run.tau[:, 0], k * (rotor - run.q[:, 0]) + d * (rate - run.v[:, 0]), atol=1e-6)
        held, x = run["command"][:-1, 0], 0.5 * J * rate**2 + 0.5 * k * (rotor - run.q[:, 0]) ** 2
        given = np.concatenate([[0.0], np.cumsum(held * np.diff(rotor))])  # of the motor: its force is held
        lost = given - run["work.drives"] - (x - x[0])
        assert np.abs(lost).max() < 1e-9 if d == 0.0 else lost[-1] > 1e-3


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


@pytest.mark.parametrize("method", ["rk4", "dp5"])
def test_steppers_have_the_same_loop(method: str) -> None:
    """Cut where it may be, a stepper does what `simulate` does; and it begins anew at any time, as a loop that was on before."""
    model = five_bar()
    start = model.home[model.drive_index]
    motion = gough.motions.quintic(drives=[start, start + [0.3, -0.2]], durations=[0.1], extend="hold")
    parts: dict[str, Any] = {"sensors": Encoders(noise=1e-5, delay=1e-3), "actuators": Lag(time=1e-3)}
    law = laws.Sampled(laws.ComputedTorque(400.0, 40.0), T, 5e-4, limit=20.0, **parts)
    step = 5e-4 if method == "rk4" else None
    run = gough.simulate(model, motion, law, duration=0.15, method=method, step=step)
    sim = gough.Stepper(model, law, motion=motion, method=method, longest_step=step)
    for k in range(50):
        sim.advance(3e-3 * (k + 1))
    np.testing.assert_allclose(sim.q, run.q[-1], rtol=0, atol=0.0 if method == "rk4" else 1e-14)
    sim.reset(t=0.0333)
    sim.step(dt=1e-4)
    np.testing.assert_allclose(sim.v, motion.at(0.0334).velocity, atol=0.01)
    assert np.abs(sim.tau).max() < 20.0


@dataclass(frozen=True)
class Push(laws.Law):
    """A constant force, and one against what an accelerometer tells."""

    name = "push"
    kinds = ()
    computes = False

    def forces(self, here: laws.Here) -> np.ndarray:
        return np.array([4.0 - 0.5 * here.measured.show("accelerometer")[2]], dtype=object)  # type: ignore[attr-defined]


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


GAINS = np.array([KP, KD])


def spring(error: float, rate: float) -> Any:
    return GAINS[0] * error - GAINS[1] * rate


def formula(t: Any, q: Any, v: Any, reference: Any) -> Any:
    return [spring(reference.position[0] - q[0], v[0]) + 0.1 * np.sin(50.0 * t)]


def test_a_function_that_is_a_formula_is_recorded() -> None:
    """It is the loop in plain Python, many runs at once and behind sensors too; and the run says so."""
    counted = [0.0]

    def force(k: int, x: float, v: float) -> float:
        counted[0] += 1
        return KP * (GOAL - x) - KD * v + 0.1 * float(np.sin(50.0 * k * T))

    law = laws.Sampled(formula, T, 3e-4, sensors=Encoders(resolution=1e-5))
    run = gough.simulate(mass(), stand(0.1), law, q=[0.0], method="rk4", step=1e-4)
    times, places, _ = simulated(0.1, force=force, encoders=Encoders(resolution=1e-5), delay=3e-4)
    at = np.searchsorted(times, run.time + 1e-9) - 1
    np.testing.assert_allclose(run.q[:, 0], places[at], atol=1e-9)
    many = gough.simulate_many(mass(), np.zeros((2, 1)), motion=stand(0.1), controller=law, step=1e-4)
    np.testing.assert_allclose(many.end_q[:, 0], run.q[-1, 0], atol=1e-13)
    assert run.info.controller is not None and run.info.controller["asked"] == "in the time loop"


def test_functions_that_do_more_are_called() -> None:
    """Those that remember, branch, draw or tell: the run says why."""
    told, total = [], np.zeros(1)

    class Object:
        def __call__(self, t: Any, q: Any, v: Any, r: Any) -> Any:
            return [1.0]

    def telling(t: Any, q: Any, v: Any, r: Any) -> Any:
        told.append(t)
        return [-q[0]]

    def summing(t: Any, q: Any, v: Any, r: Any) -> Any:
        total[0] += 1.0
        return [-q[0] + total[0]]

    def branching(t: Any, q: Any, v: Any, r: Any) -> Any:
        return [1.0 if q[0] > 0 else 2.0]

    def drawing(t: Any, q: Any, v: Any, r: Any) -> Any:
        return [np.random.normal()]  # noqa: NPY002

    def saying(t: Any, q: Any, v: Any, r: Any) -> Any:
        print("here")
        return [-q[0]]

    reasons = {
        Object(): "object",
        telling: "reads told",
        summing: "stores",
        branching: "traced value",
        drawing: "random",
        saying: "calls print",
    }
    for function, words in reasons.items():
        run = gough.simulate(mass(), stand(0.01), laws.Sampled(function, T), q=[0.1], method="rk4", step=T)
        assert run.info.controller is not None and words in run.info.controller["of"]["called"], function
        with pytest.raises(UsageError, match=words):
            gough.simulate(mass(), stand(0.01), laws.Sampled(function, T, sensors=Encoders()), q=[0.1], method="rk4")
        with pytest.raises(UsageError, match=words):
            gough.simulate_many(mass(), motion=stand(0.01), controller=laws.Sampled(function, T))
    assert len(told) == 5 and all(isinstance(t, float) for t in told) and total[0] == 5.0


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
