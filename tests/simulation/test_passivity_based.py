"""Passivity-based tracking: beside a five-bar robot derived by hand under the same law, and by the energy that it dissipates."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import simpson, solve_ivp
from scipy.spatial.transform import Rotation

import gough
from gough import laws, motions
from gough.errors import UsageError
from laws.subjects import built
from simulation.sliders import MASS, slider

RATE, DAMPING = 15.0, 0.6


def five_bar_inertia(q: np.ndarray) -> np.ndarray:
    """M (2, 2) of the gallery's five-bar: cranks of 0.25 m on ±0.12 m, rods of 0.35 m that meet in a pin above; by the speeds of
    the bars' middles and their turning, each from the circle that the pin runs on."""
    crank, rod = 0.25, 0.35
    feet = np.array([[-0.12, 0.0], [0.12, 0.0]])
    along = np.array([[np.cos(x), np.sin(x)] for x in q])
    across = np.array([[-np.sin(x), np.cos(x)] for x in q])
    elbows = feet + crank * along
    between = elbows[1] - elbows[0]
    half = 0.5 * np.linalg.norm(between)
    normal = np.array([-between[1], between[0]]) / (2 * half)
    pin = 0.5 * (elbows[0] + elbows[1]) + np.sqrt(rod**2 - half**2) * normal
    bars = pin - elbows  # |bar| = rod: bar · (ṗ - ė) = 0
    pin_rates = np.linalg.solve(bars, np.diag([bars[k] @ (crank * across[k]) for k in range(2)]))  # columns: q̇
    M = np.zeros((2, 2))
    for k in range(2):
        M[k, k] += 0.8 * 0.125**2 + 4.2e-3
        elbow_rates = np.zeros((2, 2))
        elbow_rates[:, k] = crank * across[k]
        middle = 0.5 * (elbow_rates + pin_rates)
        relative = pin_rates - elbow_rates
        turning = np.array([-bars[k][1], bars[k][0]]) @ relative / rod**2
        M += 0.5 * middle.T @ middle + 5.1e-3 * np.outer(turning, turning)
    return M


def five_bar_coriolis(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Christoffel's C, of derivatives of M by differences of fourth order."""
    h = 1e-4
    d = []
    for e in np.eye(2):
        x = [five_bar_inertia(q + k * h * e) for k in (-2, -1, 1, 2)]
        d.append((x[0] - 8 * x[1] + 8 * x[2] - x[3]) / (12 * h))
    d = np.array(d)  # [k, i, j] = ∂M_ij/∂q_k
    symbols = 0.5 * (np.einsum("kij->ijk", d) + np.einsum("jik->ijk", d) - np.einsum("ijk->ijk", d))
    return symbols @ v


def test_a_five_bar_derived_by_hand_does_the_same() -> None:
    """The law in plain Python, Christoffel's C, on a plant of the same hand, integrated by SciPy; friction-free, no weight."""
    model = built(gough.load("five_bar"))
    start = np.radians([120.0, 60.0])
    np.testing.assert_allclose(five_bar_inertia(start), model.mass_matrix(model.home), rtol=1e-9)
    move = motions.quintic(drives=[start, start + [0.4, -0.3]], durations=0.4)
    off = start + [0.1, 0.05]
    law = laws.PassivityBased(RATE, DAMPING)
    run = gough.simulate(model, move, law, q=model.configuration(drives=off), method="rk4", step=5e-4)

    def rates(t: float, x: np.ndarray) -> np.ndarray:
        q, v, now = x[:2], x[2:], move.at(min(t, 0.4))
        e, ed = now.position - q, now.velocity - v
        wanted, change = now.velocity + RATE * e, now.acceleration + RATE * ed
        M, C = five_bar_inertia(q), five_bar_coriolis(q, v)
        tau = M @ change + C @ wanted + DAMPING * (wanted - v)
        return np.concatenate([v, np.linalg.solve(M, tau - C @ v)])

    truth = solve_ivp(rates, (0, 0.4), [*off, 0.0, 0.0], rtol=1e-10, atol=1e-12, t_eval=[0.1, 0.25, 0.4])
    for t, x in zip(truth.t, truth.y.T, strict=True):
        k = int(np.abs(run.time - t).argmin())
        assert abs(run.time[k] - t) < 1e-12
        np.testing.assert_allclose(run["drives.position"][k], x[:2], atol=1e-8)
        np.testing.assert_allclose(run["drives.rate"][k], x[2:], atol=1e-6)


def energy_balance(
    model: gough.Model, run: gough.Run, move: gough.Motion, rates: float, damping: np.ndarray
) -> np.ndarray:
    """(V at all times, V(0) - what the dampers at the drives took until the end) of V = ½ sᵀ M s; equal steps."""
    V, power = [], []
    own = [("vx", "vy", "vz", "wx", "wy", "wz").index(x) for x in model.layout.v_names]
    ref = move.at(run.time)
    for k in range(len(run.time)):
        q, v = run.q[k], run.v[k]
        led, is_ = (Rotation.from_quat(x, scalar_first=True) for x in (ref.position[k, 3:], q[3:7]))
        error = np.concatenate([ref.position[k, :3] - q[:3], (led * is_.inv()).as_rotvec()])
        s = (ref.velocity[k] + rates * error)[own] - v
        V.append(0.5 * s @ model.mass_matrix(q) @ s)
        felt = model.drive_rates(q, s)
        power.append(damping @ felt**2)
    return np.array([*V, V[0] - simpson(power, x=run.time)])


@pytest.mark.parametrize(
    ("name", "shift", "off"),
    [
        ("three_prs", [0.02, 0.05, -0.05], [0.02, -0.06, 0.04]),
        ("agile_eye", [0.15, -0.1, 0.1], [0.2, 0.1, -0.2]),
        pytest.param(
            "lopes", [0.01, 0.01, 0.01, 0.05, -0.05, 0.08], [0.01, 0.0, -0.01, 0.08, 0.1, 0.0], marks=pytest.mark.slow
        ),
    ],
)
def test_errors_of_poses_are_dissipated(name: str, shift: list[float], off: list[float]) -> None:
    """V falls at all times by the power of the dampers alone, and errors vanish: rotations, freedoms that drag others along."""
    model = built(gough.load(name))
    there, begin = (model.project(model.integrate(model.home, np.array(x))) for x in (shift, off))
    move = motions.quintic(poses=[model.home_pose, there[:7]], durations=0.3).hold(0.5)
    law = laws.PassivityBased(bandwidth=3.0).tune(model)
    run = gough.simulate(
        model, move, law, q=begin, method="rk4", step=1e-3, every=2, check="off", smoothing="described"
    )
    *V, left = energy_balance(model, run, move, 6 * np.pi, np.array(law.damping))  # type: ignore[attr-defined]
    assert (np.diff(V) < 0).all()
    assert V[-1] == pytest.approx(left, abs=2e-6 * V[0])
    assert np.abs(run.q[-1, :3] - there[:3]).max() < 1e-4 * max(np.abs(shift)) + 1e-3 * np.abs(off).max()


def test_drives_that_are_no_velocities() -> None:
    """A motion of the drives of delta, whose velocities are the platform's; the sliding errors fall as V does, and e → 0."""
    model = built(gough.load("delta"))
    start = model.drives(model.home)
    move = motions.quintic(drives=[start, start + [0.2, 0.0, -0.1]], durations=0.3).hold(0.5)
    begin = model.configuration(drives=start + [0.05, -0.03, 0.02])
    law = laws.PassivityBased(RATE, 12.0)
    run = gough.simulate(model, move, law, q=begin, method="rk4", step=1e-3, every=2)
    ref, V, power = move.at(run.time), [], []
    for k, (q, v) in enumerate(zip(run.q, run.v, strict=True)):
        felt = ref.velocity[k] + RATE * (ref.position[k] - model.drives(q)) - model.drive_rates(q, v)
        s = np.linalg.solve(model.drive_map(q).T, felt)
        V.append(0.5 * s @ model.mass_matrix(q) @ s)
        power.append(12.0 * felt @ felt)
    assert (np.diff(V) < 0).all()
    assert V[-1] == pytest.approx(V[0] - simpson(power, x=run.time), abs=2e-6 * V[0])
    assert np.abs(run["drives.position"][-1] - ref.position[-1]).max() < 1e-4


def test_an_unknown_mass_is_learnt() -> None:
    """½ m s² + ½ (m̂ - m)²/γ falls by K s² alone, and a heavy platform is weighed: SciPy's integration of the slider's loop."""
    gamma, K, L = 4.0, 25.0, 6.0
    law = laws.PassivityBased(L, K, adapt={"block.M": gamma}, nominal={"block.M": 0.5})
    move = motions.function(lambda t: [0.1 * np.sin(2 * np.pi * t)], 2.0, kind="drives", names=["slide"])
    model, g = slider(9.81), 9.81
    run = gough.simulate(model, move, law, q=[0.0], v=[0.0], tolerance=1e-11)
    w = 2 * np.pi

    def rates(t: float, x: np.ndarray) -> list[float]:
        q, v, m = x[:3]
        r, rd, rdd = 0.1 * np.sin(w * t), 0.1 * w * np.cos(w * t), -0.1 * w**2 * np.sin(w * t)
        s, change = rd + L * (r - q) - v, rdd + L * (rd - v)
        tau = m * (change + g) + K * s
        return [v, tau / MASS - g, gamma * (change + g) * s, K * s * s]

    truth = solve_ivp(rates, (0, 2.0), [0, 0, 0.5, 0], rtol=1e-11, atol=1e-12)
    q, v, m, dissipated = truth.y[:, -1]
    assert abs(run.q[-1, 0] - q) < 1e-7 and run["controller.states"][-1, 0] == pytest.approx(m, abs=1e-6)
    s = 0.1 * w * np.cos(w * 2.0) + L * (0.1 * np.sin(w * 2.0) - q) - v
    first = 0.5 * MASS * (0.1 * w) ** 2 + 0.5 * (0.5 - MASS) ** 2 / gamma
    assert first - dissipated == pytest.approx(0.5 * MASS * s**2 + 0.5 * (m - MASS) ** 2 / gamma, abs=1e-7)
    assert m == pytest.approx(MASS, rel=0.02)
    assert run.channel("controller.states").unit == "kg"


def test_a_clock_with_encoders_and_files(tmp_path: Path) -> None:
    text = """
format: 1
robot: delta
motion: {quintic: {drives: {leg0.arm: [0.3, 0.35], leg1.arm: [0.3, 0.3], leg2.arm: [0.3, 0.35]}, durations: 0.2}}
method: rk4
controller: {sampled: {law: {passivity_based: {bandwidth: 5 Hz, adapt: {platform.M: 2}}}, period: 1 ms,
  sensors: [{encoders: {}}]}}
"""
    file = tmp_path / "passive.yaml"
    file.write_text(text)
    run = gough.load_scenario(file).run()
    assert run.stopped == "finished" and np.abs(run["drives.position"][-1] - [0.35, 0.3, 0.35]).max() < 1e-3
    assert run.channel("controller.states").entries == ("controller.platform.M",)


def simulated(name: str, law: gough.laws.Law, **motion: object) -> gough.Run:
    model = built(gough.load(name))
    start = model.drives(model.home)
    move = motions.quintic(**(motion or {"drives": [start, start]}), durations=0.1)  # type: ignore[arg-type]
    return gough.simulate(model, move, law)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: laws.PassivityBased(), "give rate and damping, or bandwidth="),
        (lambda: laws.PassivityBased(10.0), "give rate and damping, or bandwidth="),
        (lambda: laws.PassivityBased(10.0, bandwidth=2.0), "rate follow from bandwidth="),
        (lambda: laws.PassivityBased(-1.0, 1.0), "rate=-1.0: must not be below 0"),
        (lambda: laws.PassivityBased(1.0, 0.0), "damping=0.0: must be above 0"),
        (lambda: laws.PassivityBased(1.0, 1.0, adapt={"platform.M": -1.0}), "γ above 0"),
        (lambda: laws.PassivityBased(1.0, 1.0, adapt=["platform.M"]), "give {parameter: γ}"),  # type: ignore[arg-type]
        (
            lambda: simulated("delta", laws.PassivityBased([1.0, 2.0], 1.0)),
            "rate: 2 numbers are given, the robot has 3 freedoms",
        ),
        (
            lambda: simulated("delta", laws.PassivityBased(1.0, [1.0, 2.0])),
            "damping: 2 numbers are given, the robot has 3 drives",
        ),
        (lambda: simulated("delta", laws.PassivityBased(1.0, 1.0, adapt={"plate.M": 1.0})), "no parameter 'plate.M'"),
        (
            lambda: simulated("delta_flexible", laws.PassivityBased(1.0, 1.0)),
            "nothing drives .* give model= of bodies that do",
        ),
    ],
)
def test_what_cannot_be_controlled_so_is_refused(make: object, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        make()  # type: ignore[operator]


def test_parameters_that_forces_are_not_linear_in_are_refused() -> None:
    model = built(gough.load("five_bar"))
    lengths = [name for name in model.parameter_names if name.startswith("left_elbow")]
    law = laws.PassivityBased(1.0, 1.0, adapt={lengths[0]: 1.0})
    with pytest.raises(UsageError, match=r"is none of the masses|by structure"):
        law.check(model, motions.quintic(drives=[[2.0, 1.0], [2.0, 1.0]], durations=1.0))
