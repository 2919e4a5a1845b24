"""A spatial linkage without symmetry on a machine, beside MuJoCo's trees: two chains of three skew hinges whose ends meet in a
ball, multipliers solved for in NumPy. Computed torque of a robot with other masses, at 1 kHz, from encoders that are noisy,
coarse, filtered and late; commands that are late and limited; gears that give way; and all energy, motors and gears included.
"""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import mujoco
import numpy as np
from scipy.spatial.transform import Rotation

import gough
from gough import laws
from gough.actuators import ElasticGear
from gough.sensors import Encoders
from laws.subjects import built
from simulation.python_loop import Late, words

Array = np.ndarray
NAMES = ("a1", "a2", "a3", "b1", "b2", "b3")
DRIVES, FOLLOW = [0, 1, 3], [2, 4, 5]
GRAVITY = np.array([0.5, -1.0, -9.6])
T, STEP, END = 1e-3, 1e-4, 0.06
DELAY, LIMIT = 6e-4, np.array([11.0, 7.5, 8.0])
ENCODERS: dict[str, Any] = {"noise": 2e-5, "resolution": 1e-5, "delay": 1.2e-3, "bandwidth": 150.0}
INERTIA, STIFFNESS, DAMPING = (
    np.array([0.01, 0.012, 0.008]),
    np.array([1500.0, 1100.0, 1300.0]),
    np.array([0.5, 0.4, 0.3]),
)
KP, KD, SEED = 400.0, 30.0, 3


class Numbers:
    """Drawn by chance: axes, places, turns, inertias of six bodies."""

    def __init__(self) -> None:
        rng = np.random.default_rng(5)
        size = dict(zip(NAMES, (0.3, 0.35, 0.3, 0.25, 0.3, 0.32), strict=True))
        near = {n: rng.uniform(-0.03, 0.03, 3) for n in NAMES}
        self.inertia, self.axis, self.mass, self.center, self.turn, self.place = {}, {}, {}, {}, {}, {}
        for k, n in enumerate(NAMES):
            p, Q = rng.uniform(0.5, 2.0, 3) * 1e-3, Rotation.random(None, rng).as_matrix()
            self.inertia[n] = Q @ np.diag([p[1] + p[2], p[0] + p[2], p[0] + p[1]]) @ Q.T
            x = rng.normal(size=3)
            self.axis[n], self.mass[n] = x / np.linalg.norm(x), float(rng.uniform(0.3, 1.2))
            self.center[n] = rng.uniform(-0.03, 0.03, 3) + [0, 0, size[n] / 2]
            self.turn[n] = Rotation.from_euler("xyz", rng.uniform(-0.5, 0.5, 3)).as_quat()[[3, 0, 1, 2]]
            base = [-0.25 if n == "a1" else 0.3, 0, 0] if n in ("a1", "b1") else [0, 0, size[NAMES[k - 1]]]
            self.place[n] = near[n] + base
        self.viscous = rng.uniform(0.02, 0.08, 6)
        self.rotor, self.ratio = rng.uniform(1e-4, 3e-4, 3), rng.uniform(4.0, 8.0, 3)
        self.tip = {"a3": np.array([0.02, -0.01, 0.3]), "b3": np.array([-0.03, 0.02, 0.33])}


@cache
def numbers() -> Numbers:
    return Numbers()


def believed() -> dict[str, float]:
    factors = (1.1, 0.8, 1.2, 0.9, 1.15, 0.7)
    return {n: m * f for (n, m), f in zip(numbers().mass.items(), factors, strict=True)}


def said(x: Any) -> str:
    return " ".join(repr(float(a)) for a in np.atleast_1d(x))


class Trees:
    """Both chains in MuJoCo, the ball between them here."""

    def __init__(self, mass: dict[str, float]) -> None:
        own = numbers()
        rotors = dict(zip((NAMES[k] for k in DRIVES), own.rotor * own.ratio**2, strict=True))

        def body(n: str, inner: str) -> str:
            at = f'name="{n}" pos="{said(own.place[n])}" quat="{said(own.turn[n])}"'
            hinge = f'<joint type="hinge" axis="{said(own.axis[n])}" armature="{said(rotors.get(n, 0.0))}"/>'
            full = said(own.inertia[n][[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]])
            inertia = f'<inertial pos="{said(own.center[n])}" mass="{said(mass[n])}" fullinertia="{full}"/>'
            return f"<body {at}>{hinge}{inertia}{inner}</body>"

        text = ""
        for side in "ab":
            inner = f'<site pos="{said(own.tip[side + "3"])}"/>'
            for k in "321":
                inner = body(side + k, inner)
            text += inner
        head = f'<compiler angle="radian" autolimits="false"/><option gravity="{said(GRAVITY)}"/>'
        self.model = mujoco.MjModel.from_xml_string(f"<mujoco>{head}<worldbody>{text}</worldbody></mujoco>")
        self.data = mujoco.MjData(self.model)

    def gap(self, q: Array) -> tuple[Array, Array]:
        """(from end to end (3,), its Jacobian (3, 6))."""
        self.data.qpos[:] = q
        mujoco.mj_kinematics(self.model, self.data)
        mujoco.mj_comPos(self.model, self.data)
        J = np.zeros((2, 3, 6))
        for k in range(2):
            mujoco.mj_jacSite(self.model, self.data, J[k], None, k)
        return self.data.site_xpos[0] - self.data.site_xpos[1], J[0] - J[1]

    def closed(self, q: Array, drives: Array) -> Array:
        q = q.copy()
        q[DRIVES] = drives
        for _ in range(20):
            gap, J = self.gap(q)
            q[FOLLOW] -= np.linalg.solve(J[:, FOLLOW], gap)
        return q

    def rates(self, q: Array, drives: Array) -> Array:
        J, v = self.gap(q)[1], np.zeros(6)
        v[DRIVES] = drives
        v[FOLLOW] = -np.linalg.solve(J[:, FOLLOW], J[:, DRIVES] @ drives)
        return v

    def terms(self, q: Array, v: Array) -> tuple[Array, Array, Array, Array]:
        """(mass matrix, forces that velocities, weight and friction ask for, J, J̇ v)."""
        h = 1e-5 / max(1.0, float(np.abs(v).max()))
        _, J = self.gap(q)
        still = (self.gap(q + h * v)[1] - self.gap(q - h * v)[1]) @ v / (2 * h)
        self.data.qpos[:], self.data.qvel[:] = q, v
        mujoco.mj_forward(self.model, self.data)
        M = np.zeros((6, 6))
        mujoco.mj_fullM(self.model, self.data, M)
        return M, self.data.qfrc_bias + numbers().viscous * v, J, still

    def accelerations(self, q: Array, v: Array, tau: Array) -> Array:
        M, force, J, still = self.terms(q, v)
        K = np.block([[M, J.T], [J, np.zeros((3, 3))]])
        force = -force
        force[DRIVES] += tau
        return np.linalg.solve(K, np.concatenate([force, -still]))[:6]

    def forces(self, q: Array, v: Array, drives: Array) -> Array:
        """Of the drives, for accelerations of theirs."""
        M, force, J, still = self.terms(q, v)
        a = np.zeros(6)
        a[DRIVES] = drives
        a[FOLLOW] = np.linalg.solve(J[:, FOLLOW], -still - J[:, DRIVES] @ drives)
        S = np.eye(6)[:, DRIVES]
        return np.linalg.solve(np.hstack([S, J.T]), M @ a + force)[:3]

    def energy(self, q: Array, v: Array) -> float:
        M = self.terms(q, v)[0]
        weights = [m * GRAVITY @ x for m, x in zip(self.model.body_mass, self.data.xipos, strict=True)]
        return float(0.5 * v @ M @ v - np.sum(weights))


@cache
def home() -> Array:
    """Where the ends meet, some way from singular poses."""
    trees, rng, found = Trees(numbers().mass), np.random.default_rng(2), []
    for _ in range(40):
        q: Any = rng.uniform(-1.2, 1.2, 6)
        for _ in range(60):
            gap, J = trees.gap(q)
            q = q - 0.7 * np.linalg.pinv(J) @ gap
        if np.abs(gap).max() < 1e-14 and np.abs(q).max() < 2.0:
            found.append((np.linalg.svd(J[:, FOLLOW])[1][-1], q))
    return max(found, key=lambda x: x[0])[1]


def described(mass: dict[str, float]) -> gough.Model:
    own, bodies, joints = numbers(), [], []
    for k, n in enumerate(NAMES):
        J = own.inertia[n]
        moments = {a + b: J["xyz".index(a), "xyz".index(b)] for a, b in ("xx", "yy", "zz", "xy", "xz", "yz")}
        inertia = {"about": "center_of_mass"} | moments
        bodies.append({"name": n, "mass": mass[n], "center_of_mass": own.center[n].tolist(), "inertia": inertia})
        pose = {"position": own.place[n].tolist(), "quaternion_wxyz": own.turn[n].tolist()}
        joint: dict[str, Any] = {"name": f"j{n}", "type": "revolute", "axis": own.axis[n].tolist(), "pose": pose}
        joint |= {"parent": NAMES[k - 1] if k % 3 else "world", "child": n}
        if k in DRIVES:
            i = DRIVES.index(k)
            joint["drive"] = {"rotor_inertia": own.rotor[i], "gear": own.ratio[i], "viscous": own.viscous[k]}
        else:
            joint["friction"] = {"viscous": own.viscous[k]}
        joints.append(joint)
    first, second = ({"body": n, "pose": {"position": x.tolist()}} for n, x in own.tip.items())
    data = {
        "format": 1,
        "name": "skew",
        "gravity": GRAVITY.tolist(),
        "bodies": bodies,
        "joints": joints,
        "loops": [{"name": "ball", "type": "spherical", "first": first, "second": second}],
        "velocities": "drives",
        "home": {"joints": {f"j{n}": x for n, x in zip(NAMES, home().tolist(), strict=True)}},
    }
    return built(gough.robot.loads(json.dumps(data, default=float)))


@cache
def machine() -> tuple[gough.Model, gough.Motion, laws.Sampled]:
    start, (inertia, stiffness, damping) = home()[DRIVES], (x.tolist() for x in (INERTIA, STIFFNESS, DAMPING))
    motion = gough.motions.quintic(drives=[start, start + [0.12, -0.1, 0.08]], durations=0.05).hold(0.01)
    gear = ElasticGear(inertia=inertia, stiffness=stiffness, damping=damping)
    inner = laws.ComputedTorque(KP, KD, model=described(believed()))
    law = laws.Sampled(inner, T, DELAY, limit=LIMIT, sensors=Encoders(**ENCODERS), actuators=gear, seed=SEED)
    return described(numbers().mass), motion, law


@cache
def simulated() -> tuple[Array, Array]:
    """(states (n, 21): q, v, rotors, their rates, work of motors, taken by gears and by friction; commands (n, 3)), by RK4."""
    true, nominal, motion = Trees(numbers().mass), Trees(believed()), machine()[1]

    def rates(s: Array, u: Array) -> Array:
        q, v, rotor, turning = s[:6], s[6:12], s[12:15], s[15:18]
        slip = turning - v[DRIVES]
        tau = STIFFNESS * (rotor - q[DRIVES]) + DAMPING * slip
        works = [u @ turning, slip @ (DAMPING * slip), v @ (numbers().viscous * v)]
        return np.concatenate([v, true.accelerations(q, v, tau), turning, (u - tau) / INERTIA, works])

    s, near = np.concatenate([home(), np.zeros(15)]), home()
    readings, commands = Late(ENCODERS["delay"]), Late(DELAY)
    part = 1 - np.exp(-2 * np.pi * ENCODERS["bandwidth"] * T)
    last, speed, k = np.zeros(3), np.zeros(3), 0
    states, sent = [], []
    for i in range(round(END / STEP) + 1):
        t = i * STEP
        if t >= k * T - 1e-9:
            pairs = [words(SEED, 0, "encoders 0", k, pair) for pair in range(2)]
            noise = [np.sqrt(-2 * np.log(a)) * f(2 * np.pi * b) for a, b in pairs for f in (np.cos, np.sin)][:3]
            unit = ENCODERS["resolution"]
            told = np.round((s[DRIVES] + ENCODERS["noise"] * np.array(noise)) / unit) * unit
            speed = s[6:12][DRIVES] if k == 0 else speed + part * ((told - last) / T - speed)
            last = told
            readings.taken.append((t, (told, speed)))
            y, rate = readings.shown(t)
            near = nominal.closed(near, y)
            want = motion.at(min(t, motion.duration))
            a = want.acceleration + KD * (want.velocity - rate) + KP * (want.position - y)
            commands.taken.append((t, np.clip(nominal.forces(near, nominal.rates(near, rate), a), -LIMIT, LIMIT)))
            k += 1
        u = commands.shown(t)
        if i == 0:  # as of a loop that was on before
            s[12:15] = s[DRIVES] + u / STIFFNESS
        states.append(s)
        sent.append(u)
        k1 = rates(s, u)
        k2 = rates(s + STEP / 2 * k1, u)
        k3 = rates(s + STEP / 2 * k2, u)
        s = s + STEP / 6 * (k1 + 2 * k2 + 2 * k3 + rates(s + STEP * k3, u))
    return np.array(states), np.array(sent)


def test_a_skew_linkage_in_its_loop() -> None:
    model, motion, law = machine()
    run = gough.simulate(model, motion, law, method="rk4", step=STEP)
    states, commands = simulated()
    at = np.append(np.diff(run.time) > 1e-9, True)
    k = np.round(run.time[at] / STEP).astype(int)
    order = [model.layout.q_names.index(f"j{n}") for n in NAMES]
    np.testing.assert_allclose(run.q[at][:, order], states[k, :6], atol=1e-8)
    np.testing.assert_allclose(run.v[at], states[k, 6:12][:, DRIVES], atol=1e-7)
    np.testing.assert_allclose(run["actuators"][at], states[k, 12:18], atol=1e-7)
    np.testing.assert_allclose(
        run["command"][at][:-1], commands[k][:-1], atol=1e-6
    )  # a run ends before its last sample
    assert (np.abs(commands) == LIMIT).any() and np.ptp(states[:, 2]) > 0.1
    # what motors gave is in rotors, springs of gears and the robot, or was taken by gears and friction
    rotor, turning = run["actuators"][at][[0, -1]].reshape(2, 2, 3).transpose(1, 0, 2)
    stored = 0.5 * turning**2 @ INERTIA + 0.5 * (rotor - run["drives.position"][at][[0, -1]]) ** 2 @ STIFFNESS
    motors, gears, friction = states[-1, 18:]
    gained = run["energy.total"][at][-1] - run["energy.total"][0] + stored[1] - stored[0]
    assert motors > 0.1 and abs(gained - (motors - gears - friction)) < 1e-7
    true = Trees(numbers().mass)
    energies = [true.energy(s[:6], s[6:12]) for s in states[[0, -1]]]
    assert abs(run["energy.total"][at][-1] - run["energy.total"][0] - (energies[1] - energies[0])) < 1e-7


def test_many_of_them_and_steps_of_ones_own() -> None:
    """Run 0 of an ensemble and a stepper are the run; run 1 has other noise."""
    (model, motion, law), (states, _) = machine(), simulated()
    many = gough.simulate_many(model, motion=motion, controller=law, q=np.tile(model.home, (2, 1)), step=STEP)
    sim = gough.Stepper(model, law, motion=motion, method="rk4", longest_step=STEP)
    for k in range(20):
        sim.advance(END * (k + 1) / 20)
    order = [model.layout.q_names.index(f"j{n}") for n in NAMES]
    for q in (many.end_q[0], sim.q):
        np.testing.assert_allclose(q[order], states[-1, :6], atol=1e-8)
    assert np.abs(many.end_q[1] - many.end_q[0]).max() > 1e-6
