"""Loops with sensors and actuators against the same loop in plain Python."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import pytest

import gough
from gough import laws
from gough.actuators import Lag, RateLimit
from gough.errors import UsageError
from gough.sensors import Encoders
from simulation.python_loop import GOAL, KD, KP, Late, T, five_bar, mass, simulated, stand, words

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
        (lambda: laws.Sampled(laws.Free(), T, sensors=cast(Any, [3])), "gough.sensors"),
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
    settings: dict[str, Any] = {"method": "rk4"} | asked
    with pytest.raises(UsageError, match=words):
        gough.simulate(mass(), stand(0.1), made, q=[0.0], **settings)


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


def test_a_linkage_in_the_loop_of_plain_python() -> None:
    """The five-bar as two arms of two links and a pin between them, its multipliers solved for, in NumPy; and its loop."""
    model, fine = five_bar(), 2.5e-4
    number = dict(zip(model.parameter_names, model.parameters, strict=True))
    case: dict[str, Any] = {"delay": 7.5e-4, "limit": 9.0, "seed": 5}
    encoders = Encoders(noise=1e-5, resolution=1e-4, delay=1e-3, bandwidth=150.0)
    start = model.home[model.drive_index]
    motion = gough.motions.quintic(drives=[start, start + [0.3, -0.2]], durations=[0.1])
    law = laws.Sampled(
        laws.JointPD(150.0, 4.0), T, case["delay"], limit=case["limit"], sensors=encoders, seed=case["seed"]
    )
    run = gough.simulate(model, motion, law, method="rk4", step=fine)

    def arm(
        side: str, a: float, b: float, da: float, db: float
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """(mass matrix, velocity terms, pin, its Jacobian, its acceleration at rest of the joints) of crank and rod."""
        mass, length = number[f"{side}_rod.M"], number[f"{side}_elbow.x"]
        moment, end = number[f"{side}_rod.MX"], number["pin.first.x" if side == "left" else "pin.second.x"]
        cross = length * moment
        J2 = number[f"{side}_rod.ZZ"]
        J1 = number[f"{side}_crank.ZZ"] + mass * length**2
        M = np.array([[J1 + J2 + 2 * cross * np.cos(b), J2 + cross * np.cos(b)], [J2 + cross * np.cos(b), J2]])
        h = cross * np.sin(b) * np.array([-db * (2 * da + db), da * da])
        u1, u2 = (np.array([np.cos(x), np.sin(x)]) for x in (a, a + b))
        n1, n2 = (np.array([-u[1], u[0]]) for u in (u1, u2))
        pin = np.array([number[f"{side}_motor.x"], 0.0]) + length * u1 + end * u2
        J = np.column_stack([length * n1 + end * n2, end * n2])
        return M, h, pin, J, -length * u1 * da**2 - end * u2 * (da + db) ** 2

    def rates(x: np.ndarray, tau: np.ndarray) -> np.ndarray:
        q, v = x[:4], x[4:]
        left, right = (arm(side, *q[k : k + 2], *v[k : k + 2]) for side, k in (("left", 0), ("right", 2)))
        K = np.zeros((6, 6))
        K[:2, :2], K[2:4, 2:4] = left[0], right[0]
        K[4:, :2], K[4:, 2:4] = left[3], -right[3]
        K[:4, 4:] = K[4:, :4].T
        push = np.array([tau[0], 0.0, tau[1], 0.0]) - np.concatenate([left[1], right[1]])
        return np.concatenate([v, np.linalg.solve(K, np.concatenate([push, right[4] - left[4]]))[:4]])

    order = [model.layout.q_names.index(n) for n in ("left_motor", "left_elbow", "right_motor", "right_elbow")]
    x = np.concatenate([model.home[order], np.zeros(4)])
    readings, commands = Late(encoders.delay), Late(case["delay"])
    last, speed, k, found = np.zeros(2), np.zeros(2), 0, []
    for i in range(round(0.1 / fine) + 1):
        t = i * fine
        if t >= k * T - 1e-9:
            a, b = words(case["seed"], 0, "encoders 0", k, 0)
            noise = np.sqrt(-2 * np.log(a)) * np.array([np.cos(2 * np.pi * b), np.sin(2 * np.pi * b)])
            told = np.round((x[[0, 2]] + 1e-5 * noise) / 1e-4) * 1e-4
            part = 1 - np.exp(-2 * np.pi * 150.0 * T)
            speed = x[[4, 6]] if k == 0 else speed + part * ((told - last) / T - speed)
            last = told
            readings.taken.append((t, (told, speed)))
            seen, want = readings.shown(t), motion.at(min(t, 0.1))
            tau = 150.0 * (want.position - seen[0]) + 4.0 * (want.velocity - seen[1])
            commands.taken.append((t, np.clip(tau, -9.0, 9.0)))
            k += 1
        tau = commands.shown(t)
        found.append(x[:4])
        k1 = rates(x, tau)
        k2 = rates(x + fine / 2 * k1, tau)
        k3 = rates(x + fine / 2 * k2, tau)
        x = x + fine / 6 * (k1 + 2 * k2 + 2 * k3 + rates(x + fine * k3, tau))
    np.testing.assert_allclose(run.q[:, order], found, atol=1e-7)
    assert np.ptp(run.tau[:, 0]) > 1.0 and np.abs(run.q[-1, order[0]] - start[0]) > 0.2
