"""A crooked five-bar as it stands on a machine, written once more in NumPy: two arms and a pin whose multipliers are solved
for, encoders, a PID that does not wind up, a rate limit, motors that lag, gears that give way, friction, a load; and energy."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import gough
from gough import laws, loads
from gough.actuators import ElasticGear, Lag, RateLimit
from gough.sensors import Encoders
from laws.subjects import built
from simulation.python_loop import Late

Array = np.ndarray
T = 1e-3
NAMES = ("left_motor", "left_elbow", "right_motor", "right_elbow")
TURN = np.array([[0.0, -1.0], [1.0, 0.0]])
GRAVITY = np.array([1.3, -9.2])
WRENCH, SHAKE, HERTZ = np.array([3.0, -2.0, 0.15]), np.array([2.0, 1.5, -0.1]), 7.0
LIMIT, RATE = np.array([3.0, 3.5]), 1500.0
GAINS, TRACKING = (np.array([60.0, 50.0]), np.array([2.2, 1.8]), np.array([300.0, 250.0])), 0.07
LAG, GEAR = 8e-4, (np.array([0.02, 0.03]), np.array([900.0, 700.0]), np.array([0.5, 0.4]))


def rotated(angle: float, x: Array) -> Array:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([c * x[0] - s * x[1], s * x[0] + c * x[1]])


@dataclass(frozen=True)
class Arm:
    """Crank and rod: where they turn and end, masses, mass centres, central moments."""

    base: Array
    elbow: Array
    pin: Array
    mass: Array
    center: tuple[Array, Array]
    moment: Array

    def point(self, x: Array, v: Array, of: Array) -> tuple[Array, Array, Array]:
        """(place, Jacobian (2, 2), acceleration at rest of the joints) of a point of the rod."""
        a, b = rotated(x[0], self.elbow), rotated(x[0] + x[1], of)
        J = np.column_stack([TURN @ (a + b), TURN @ b])
        return self.base + a + b, J, -a * v[0] ** 2 - b * (v[0] + v[1]) ** 2

    def dynamics(self, x: Array, v: Array) -> tuple[Array, Array, Array]:
        """(mass matrix, forces that gravity and velocities leave, weights (2,) times heights)."""
        c = rotated(x[0], self.center[0])
        crank = np.column_stack([TURN @ c, np.zeros(2)])
        p, rod, still = self.point(x, v, self.center[1])
        turns = np.array([[1.0, 0.0], [1.0, 1.0]])
        M = self.mass[0] * crank.T @ crank + self.mass[1] * rod.T @ rod + turns.T * self.moment @ turns
        force = self.mass[0] * crank.T @ (GRAVITY + c * v[0] ** 2) + self.mass[1] * rod.T @ (GRAVITY - still)
        return M, force, -self.mass * np.array([GRAVITY @ (self.base + c), GRAVITY @ p])


class Machine:
    """One drawn by chance."""

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng(seed)

        def off(x: float, y: float = 0.0) -> Array:
            return np.array([x, y]) + rng.uniform(-0.03, 0.03, 2)

        def arm(side: float) -> Arm:
            centers = off(0.12), off(0.18)
            return Arm(off(side), off(0.25), off(0.35), rng.uniform(0.4, 0.9, 2), centers, rng.uniform(4e-3, 6e-3, 2))

        self.arms = arm(-0.13), arm(0.12)
        self.rotor, self.viscous = rng.uniform(1e-3, 2e-3, 2), rng.uniform(0.03, 0.06, 2)
        self.spring = (0.9, -1.2, 0.01, 0.07)  # stiffness, rest, damping, preload
        self.tool = off(0.41, 0.05)
        self.start = np.array([2.0, 1.0]) + rng.uniform(-0.1, 0.1, 2)
        self.home = self.closed(self.start, np.zeros(2))[0]

    def closed(self, a: Array, w: Array) -> tuple[Array, Array]:
        """All four angles and rates: the rods' ends meet where two circles cross, elbows outside."""
        left, right = self.arms
        p, q = (arm.base + rotated(x, arm.elbow) for arm, x in zip(self.arms, a, strict=True))
        r, s, far = np.hypot(*left.pin), np.hypot(*right.pin), np.hypot(*(q - p))
        along, u = (r**2 - s**2 + far**2) / (2 * far), (q - p) / far
        top = p + along * u + np.sqrt(r**2 - along**2) * TURN @ u
        turned = [np.arctan2(*(top - e)[::-1]) - np.arctan2(*arm.pin[::-1]) for e, arm in ((p, left), (q, right))]
        b = (np.array(turned) - a + np.pi) % (2 * np.pi) - np.pi
        x = np.array([a[0], b[0], a[1], b[1]])
        J = self.pin(x, np.zeros(4))[0]
        e = -np.linalg.solve(J[:, [1, 3]], J[:, [0, 2]] @ w)
        return x, np.array([w[0], e[0], w[1], e[1]])

    def pin(self, x: Array, v: Array) -> tuple[Array, Array]:
        (_, J, c), (_, K, d) = (
            arm.point(x[k : k + 2], v[k : k + 2], arm.pin) for arm, k in zip(self.arms, (0, 2), strict=True)
        )
        return np.hstack([J, -K]), c - d

    def losses(self, v: Array) -> Array:
        k = self.viscous
        sliding = lambda rate, c, s: c * rate / np.sqrt(rate**2 + s**2)  # noqa: E731
        pin = 0.03 * (v[0] + v[1] - v[2] - v[3])
        elbow = (0.02 + self.spring[2]) * v[1] + sliding(v[1], 0.05, 0.05)
        return -np.array([k[0] * v[0] + pin, elbow + pin, k[1] * v[2] + sliding(v[2], 0.04, 0.06) - pin, -pin])

    def load(self, x: Array, t: float) -> Array:
        w = WRENCH + SHAKE * np.sin(2 * np.pi * HERTZ * t + 0.3)
        J = self.arms[0].point(x[:2], np.zeros(2), self.tool)[1]
        return np.array([*(J.T @ w[:2] + w[2]), 0.0, 0.0])

    def rates(self, t: float, s: Array, u: Array) -> Array:
        """Of drives, their rates, motors' forces, rotors and their rates, and of three works: drives, losses, load."""
        x, v = self.closed(s[:2], s[2:4])
        tau = GEAR[1] * (s[6:8] - s[:2]) + GEAR[2] * (s[8:10] - s[2:4])
        K, force = np.zeros((6, 6)), np.zeros(6)
        for arm, k in zip(self.arms, (0, 2), strict=True):
            K[k : k + 2, k : k + 2], force[k : k + 2], _ = arm.dynamics(x[k : k + 2], v[k : k + 2])
            K[k, k] += self.rotor[k // 2]
        K[4:, :4], still = self.pin(x, v)
        K[:4, 4:], force[4:] = K[4:, :4].T, -still
        stiffness, rest, _, preload = self.spring
        lost, pushed = self.losses(v), self.load(x, t)
        force[:4] += lost + pushed + [tau[0], preload - stiffness * (x[1] - rest), tau[1], 0.0]
        a = np.linalg.solve(K, force)
        works = [tau @ s[2:4], -lost @ v, pushed @ v]
        return np.concatenate([s[2:4], a[[0, 2]], (u - s[4:6]) / LAG, s[8:10], (s[4:6] - tau) / GEAR[0], works])

    def energy(self, a: Array, w: Array) -> float:
        x, v = self.closed(a, w)
        stiffness, rest, _, preload = self.spring
        total = 0.5 * self.rotor @ w**2 + 0.5 * stiffness * (x[1] - rest) ** 2 - preload * x[1]
        for arm, k in zip(self.arms, (0, 2), strict=True):
            M, _, heights = arm.dynamics(x[k : k + 2], v[k : k + 2])
            total += 0.5 * v[k : k + 2] @ M @ v[k : k + 2] + heights.sum()
        return float(total)

    def described(self) -> gough.Model:
        bodies, joints = [], []
        for name, arm, k in zip(("left", "right"), self.arms, (0, 1), strict=True):
            for part, m, c, moment in zip(("crank", "rod"), arm.mass, arm.center, arm.moment, strict=True):
                inertia = {"about": "center_of_mass", "xx": moment, "yy": moment, "zz": moment}
                bodies.append({"name": f"{name}_{part}", "mass": m, "center_of_mass": [*c, 0], "inertia": inertia})
            drive = {"rotor_inertia": self.rotor[k] / 9, "gear": 3, "viscous": self.viscous[k]}
            place = {"parent": f"{name}_crank", "child": f"{name}_rod", "pose": {"position": [*arm.elbow, 0]}}
            elbow: dict[str, Any] = {"name": f"{name}_elbow", "type": "revolute"} | place
            place = {"parent": "world", "child": f"{name}_crank", "pose": {"position": [*arm.base, 0]}}
            motor: dict[str, Any] = {"name": f"{name}_motor", "type": "revolute", "drive": drive} | place
            joints += [motor, elbow]
        bodies[1]["frames"] = {"tool": {"position": [*self.tool, 0]}}
        joints[1]["friction"] = {"viscous": 0.02, "coulomb": 0.05, "smoothing": 0.05}
        joints[1]["spring"] = dict(zip(("stiffness", "rest", "damping", "preload"), self.spring, strict=True))
        joints[2]["drive"] |= {"coulomb": 0.04, "smoothing": 0.06}
        first, second = (
            {"body": f"{name}_rod", "pose": {"position": [*arm.pin, 0]}}
            for name, arm in zip(("left", "right"), self.arms, strict=True)
        )
        pin = {"name": "pin", "type": "revolute", "first": first, "second": second, "friction": {"viscous": 0.03}}
        data = {
            "format": 1,
            "name": "crooked_five_bar",
            "gravity": [*GRAVITY, 0.7],
            "bodies": bodies,
            "joints": joints,
            "loops": [pin],
            "velocities": "drives",
            "home": {"joints": dict(zip(NAMES, self.home.tolist(), strict=True))},
        }
        return built(gough.robot.loads(json.dumps(data, default=float)))

    def simulated(
        self, duration: float, step: float, encoders: Encoders, delay: float, goal: Array, moving: float
    ) -> dict[str, Array]:
        """Steps of RK4 between the events of the loop."""
        s: Any = np.concatenate([self.start, np.zeros(11)])
        readings, commands = Late(encoders.delay), Late(delay)
        own, unit = encoders.period or T, np.asarray(encoders.resolution)
        total: Any = np.zeros(2)
        speed: Any = np.zeros(2)
        sent: Any = np.zeros(2)
        part = 1 - np.exp(-2 * np.pi * (encoders.bandwidth or np.inf) * own)
        last = np.zeros(2)
        k = j = 0
        out: dict[str, list[Array]] = {"t": [], "state": [], "command": []}
        for i in range(round(duration / step) + 1):
            t = i * step
            if t >= j * own - 1e-9:
                told = np.round((s[:2] + encoders.bias) / unit) * unit
                speed = s[2:4] if j == 0 else speed + part * ((told - last) / own - speed)
                last, j = told, j + 1
                readings.taken.append((t, (told, speed)))
            if t >= k * T - 1e-9:
                z = min(t / moving, 1.0)
                place, rate = z**3 * (10 - 15 * z + 6 * z**2), 30 * z**2 * (1 - z) ** 2 / moving
                seen, way = readings.shown(t), goal - self.start
                error, error_rate = self.start + way * place - seen[0], way * rate - seen[1]
                wanted = GAINS[0] * error + GAINS[1] * error_rate + total
                cut = np.clip(wanted, -LIMIT, LIMIT)
                total = total + T * (GAINS[2] * error + (cut - wanted) / TRACKING)
                sent = cut if k == 0 else sent + np.clip(cut - sent, -RATE * T, RATE * T)
                commands.taken.append((t, sent))
                k += 1
            u = commands.shown(t)
            if i == 0:  # as of a loop that was on before: motors give the first command, and springs of gears carry it
                s[4:6], s[6:8], s[8:10] = u, s[:2] + u / GEAR[1], s[2:4]
            for key, x in zip(out, (np.array(t), s, u), strict=True):
                out[key].append(x)
            k1 = self.rates(t, s, u)
            k2 = self.rates(t + step / 2, s + step / 2 * k1, u)
            k3 = self.rates(t + step / 2, s + step / 2 * k2, u)
            s = s + step / 6 * (k1 + 2 * k2 + 2 * k3 + self.rates(t + step, s + step * k3, u))
        return {key: np.array(x) for key, x in out.items()}


@pytest.mark.parametrize(
    ("seed", "sensor", "delay", "step"),
    [
        (1, {"bias": [3e-4, -2e-4], "delay": 2.3e-3, "bandwidth": 200.0}, 6e-4, 1e-4),
        pytest.param(2, {"bias": [3e-4, 1e-4], "delay": 2e-3, "period": 7e-4}, 2.35e-3, 5e-5, marks=pytest.mark.slow),
        pytest.param(3, {"period": 2.5e-3, "bandwidth": 90.0}, 1e-3, 1e-4, marks=pytest.mark.slow),
    ],
)
def test_a_crooked_linkage_in_its_loop(seed: int, sensor: dict[str, Any], delay: float, step: float) -> None:
    machine, encoders = Machine(seed), Encoders(resolution=2e-5, **sensor)
    model, goal = machine.described(), machine.start + [0.35, -0.2]
    np.testing.assert_allclose(model.home, machine.home, atol=1e-12)
    gear = ElasticGear(**dict(zip(("inertia", "stiffness", "damping"), (x.tolist() for x in GEAR), strict=True)))
    pid = laws.PID(*GAINS, limit=LIMIT, tracking=TRACKING)
    law = laws.Sampled(pid, T, delay, sensors=encoders, actuators=[RateLimit(rate=RATE), Lag(time=LAG), gear])
    six = [np.insert(w, 2, [0, 0, 0]) for w in (WRENCH, SHAKE)]
    load = {"left_rod.tool": [loads.Constant(six[0]), loads.Sine(six[1], frequency=HERTZ, phase=0.3)]}
    move = gough.motions.quintic(drives=[machine.start, goal], durations=0.06).hold(0.04)
    run = gough.simulate(model, move, law, wrench=load, method="rk4", step=step, smoothing="described")
    mine = machine.simulated(0.1, step, encoders, delay, goal, 0.06)
    at = np.append(np.diff(run.time) > 1e-9, True)
    k = np.round(run.time[at] / step).astype(int)
    states, (drives, rates) = mine["state"][k], (run["drives.position"][at], run.v[at])
    np.testing.assert_allclose(run.time[at], mine["t"][k], atol=1e-12)
    np.testing.assert_allclose(drives, states[:, :2], atol=1e-9)
    np.testing.assert_allclose(rates, states[:, 2:4], atol=1e-8)
    np.testing.assert_allclose(run["actuators"][at], states[:, 4:10], atol=1e-7)
    # a run ends before its last sample
    np.testing.assert_allclose(run["command"][at][:-1], mine["command"][k][:-1], atol=1e-7)
    assert (np.abs(mine["command"]) == LIMIT).any() and np.ptp(drives[:, 0]) > 0.1
    works = np.stack([run[f"work.{name}"] for name in ("drives", "losses", "wrench")], axis=1)[at]
    np.testing.assert_allclose(works - works[0], states[:, 10:], atol=1e-9)
    gained = machine.energy(states[-1, :2], states[-1, 2:4]) - machine.energy(states[0, :2], states[0, 2:4])
    assert gained == pytest.approx(states[-1, 10] - states[-1, 11] + states[-1, 12], abs=1e-7)
    assert run["energy.total"][at][-1] - run["energy.total"][0] == pytest.approx(gained, abs=1e-7)
