"""Stable inversion against closed forms (masses on a slide, a pinned beam), and runs in which the tool stays on its path."""

from __future__ import annotations

import warnings
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad, solve_ivp

import gough
from gough import motions
from gough.errors import FrictionWarning, RunWarning, UsageError

M1, M2, M3, K, D, RATIO, T, FAR = 2.0, 0.8, 0.1, 500.0, 4.0, 2.0, 0.4, 0.1
"""Rocker: masses of carriage, swinging mass and tool (kg), spring (N/m, N s/m), lever; a move of FAR m in T s."""
ROCKER = f"""
format: 2
name: rocker
gravity: [0, 0, 0]
bodies:
  - {{name: carriage, mass: {M1}, inertia: {{about: center_of_mass, xx: 1, yy: 1, zz: 1}}}}
  - {{name: swinging, mass: {M2}, inertia: {{about: center_of_mass, xx: 1, yy: 1, zz: 1}}}}
  - {{name: tool, mass: {M3}, inertia: {{about: center_of_mass, xx: 1, yy: 1, zz: 1}}}}
joints:
  - {{name: slide, type: prismatic, axis: [1, 0, 0], parent: world, child: carriage, drive: {{}}}}
  - name: spring
    type: prismatic
    axis: [1, 0, 0]
    parent: carriage
    child: swinging
    spring: {{stiffness: {K}, damping: {D}}}
  - {{name: lever, type: prismatic, axis: [1, 0, 0], parent: carriage, child: tool}}
couplings:
  - {{name: rocker, type: mimic, joint: lever, of: spring, ratio: {RATIO}}}
idle: [lever]
home: {{joints: {{slide: 0, spring: 0, lever: 0}}}}
"""
L, DEPTH, WIDTH, E, RHO = 1.2, 0.02, 0.03, 7.0e10, 2700.0
AREA, SECOND = WIDTH * DEPTH, WIDTH * DEPTH**3 / 12
ARM = f"""
format: 1
name: arm
gravity: [0, 0, 0]
bodies:
  - name: beam
    flexible:
      beam:
        points: [[0, 0, 0], [{L}, 0, 0]]
        section: {{rectangle: {{y: {WIDTH}, z: {DEPTH}}}}}
        section_y: [0, 1, 0]
        material: {{E: {E}, nu: 0.3, density: {RHO}}}
        elements: 8
      modes: {{kind: craig_bampton, interfaces: [tip], number: 4}}
      damping: {{ratio: 1e-3}}
    frames: {{tip: {{position: [{L}, 0, 0]}}}}
joints:
  - {{name: hinge, type: revolute, axis: [0, -1, 0], parent: world, child: beam, drive: {{}}}}
velocities: drives
home: {{joints: {{hinge: 0}}}}
"""
"""A slender beam on a hinge; damping is there for what does not bend in its plane."""
CROOKED = """
format: 1
name: crooked_arm
bodies:
  - {name: turret, mass: 6, center_of_mass: [0, 0.02, 0.1], inertia: {about: center_of_mass, xx: 0.05, yy: 0.06, zz: 0.04}}
  - name: upper
    flexible:
      beam:
        points: [[0, 0, 0], [0.6, 0, 0]]
        section: {tube: {radius: 20 mm, wall: 2 mm}}
        material: {E: 70 GPa, nu: 0.33, density: 2700 kg/m3}
        elements: 3
      modes: {kind: craig_bampton, interfaces: [end], number: 0}
      damping: {ratio: 0.04}
    frames: {end: {position: [0.6, 0, 0]}}
  - name: lower
    flexible:
      beam:
        points: [[0, 0, 0], [0.5, 0, 0]]
        section: {tube: {radius: 12 mm, wall: 2 mm}}
        material: {E: 70 GPa, nu: 0.33, density: 2700 kg/m3}
        elements: 3
      modes: {kind: craig_bampton, interfaces: [end], number: 0}
      damping: {ratio: 0.04}
    frames: {end: {position: [0.5, 0, 0]}}
joints:
  - {name: swivel, type: revolute, axis: [0, 0, 1], parent: world, child: turret, drive: {}}
  - name: shoulder
    type: revolute
    axis: [0, 0.8, 0.6]
    parent: turret
    child: upper
    pose: {position: [0.05, 0.03, 0.25]}
    drive: {rotor_inertia: 0.2}
  - name: elbow
    type: revolute
    axis: [0, 1, 0]
    parent: upper
    child: lower
    pose: {position: [0.6, 0, 0]}
    drive: {rotor_inertia: 0.05}
velocities: drives
home: {joints: {swivel: 0, shoulder: -30 deg, elbow: 70 deg}}
"""


def built(text: str) -> gough.Model:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return gough.build(gough.robot.loads(text))


@cache
def rocker() -> gough.Model:
    return built(ROCKER)


@cache
def move() -> gough.Motion:
    return motions.quintic(points=[[0, 0, 0], [FAR, 0, 0]], frame="tool", durations=T)


@cache
def found() -> Any:
    return gough.stable_inversion(rocker(), move(), tolerance=1e-9)


ZEROS = np.sort(np.roots([M2 * (1 - RATIO), D, K]).real)
"""m2 (1 - ratio) φ̈ + d φ̇ + k φ = -(m2 + ratio m3) ÿ for the spring φ while the tool y = x + ratio φ is led; one grows."""


def pushed(t: float) -> float:
    inside = 0.0 <= t <= T
    return float(move().at(t).acceleration[0]) * (M2 + RATIO * M3) / (M2 * (RATIO - 1)) if inside else 0.0


def bounded(t: float) -> float:
    """The one bounded φ(t): what dies out is caused before, what grows after (a two-sided Laplace transform)."""
    slow, fast = ZEROS
    kept = min(max(t, 0.0), T)
    before = quad(lambda s: np.exp(slow * (t - s)) * pushed(s), 0, kept, epsabs=1e-14)[0]
    after = quad(lambda s: np.exp(fast * (t - s)) * pushed(s), kept, T, epsabs=1e-14)[0]
    return -(before + after) / (fast - slow)


@pytest.mark.slow
def test_a_spring_mass_chain_has_its_closed_form() -> None:
    inverse = found()
    np.testing.assert_allclose(np.sort(inverse.zeros.real), ZEROS, rtol=1e-10)
    np.testing.assert_allclose(inverse.growing.real, ZEROS[1:], rtol=1e-10)
    place = list(rocker().layout.q_names).index("spring")
    some = np.linspace(0, len(inverse.t) - 1, 15).astype(int)
    phi = np.array([bounded(t - inverse.before.seconds) for t in inverse.t[some]])
    assert np.abs(phi).max() > 1e-3
    np.testing.assert_allclose(inverse.q[some, place], phi, rtol=0, atol=1e-9)
    k = int(np.abs(inverse.t - inverse.before.seconds - 0.3 * T).argmin())
    t, h = inverse.t[k] - inverse.before.seconds, 1e-4
    bend = (bounded(t + h) - 2 * bounded(t) + bounded(t - h)) / h**2
    y = float(move().at(t).acceleration[0])
    tau = (M1 + M2 + M3) * (y - RATIO * bend) + (M2 + RATIO * M3) * bend
    assert inverse.tau[k, 0] == pytest.approx(tau, rel=1e-5)


def test_cut_offs_are_those_of_the_slowest_exponentials() -> None:
    inverse = found()
    for cut, rate, sign in ((inverse.before, ZEROS[1], 1), (inverse.after, -ZEROS[0], -1)):
        inner = bounded(0.0) if sign > 0 else bounded(T)
        moved = abs(RATIO * inner) * np.exp(-rate * cut.seconds)
        assert cut.tool == pytest.approx(moved, rel=1e-2)
        assert cut.tool <= 1.001e-9
        assert cut.share < 1e-6


def test_the_tool_stays_on_its_path_with_feedback_and_the_causal_way_departs() -> None:
    inverse = found()
    law = gough.laws.FollowInversion(inverse, gough.laws.JointPD(bandwidth=5.0))
    run = gough.simulate(rocker(), inverse.motion, law)
    assert run.info.finished
    assert inverse.tool_errors(run)["m"].max() <= 1e-8
    held = run.q[-1, rocker().drive_index[0]]
    assert held == pytest.approx(FAR, abs=1e-6)

    def causal(t: float, x: np.ndarray) -> list[float]:
        return [x[1], -D * x[1] / (M2 * (1 - RATIO)) - K * x[0] / (M2 * (1 - RATIO)) + pushed(t)]

    away = solve_ivp(causal, (0.0, T), [0.0, 0.0], rtol=1e-9, atol=1e-12).y[0, -1]
    assert abs(away) > 100 * abs(bounded(T))  # from rest at once, the tool on its path: the spring runs away


def test_a_pinned_beam_has_the_inverse_of_its_frequency_response() -> None:
    """Torque at the hinge for a motion of the tip, by the transfer function of the continuous beam and Fourier's transform
    [E. Bayo, J. Robotic Systems 4(1), 1987]: bounded, and before the tip moves."""
    model = built(ARM)
    far, duration = 1e-3, 0.25
    start, _ = model.frame_pose(model.home, "beam.tip")
    motion = motions.septic(points=[start, start + [0, 0, far]], frame="beam.tip", durations=duration)
    inverse = gough.stable_inversion(model, motion, axes="z", tolerance=1e-8, margin=1e-4)
    assert len(inverse.growing)
    period, n = 8.0, 2**14
    t = np.arange(n) * period / n - period / 2
    inside = (t >= 0) & (t <= duration)
    push = np.zeros(n)
    push[inside] = motion.at(t[inside]).acceleration[:, 2]
    omega = 2 * np.pi * np.fft.rfftfreq(n, period / n)
    torque = np.fft.irfft(np.fft.rfft(push) * torque_of_acceleration(omega), n)
    at = inverse.t - inverse.before.seconds
    kept = (at > -0.02) & (at < duration + 0.02)
    expected = np.interp(at[kept], t, torque)
    change = inverse.tau[kept, 0] - inverse.tau[0, 0]
    np.testing.assert_allclose(change, expected, rtol=0, atol=3e-3 * np.abs(expected).max())
    assert np.abs(expected[at[kept] < 0]).max() > 0.01 * np.abs(expected).max()  # the torque comes first


def torque_of_acceleration(omega: np.ndarray) -> np.ndarray:
    """Torque at the hinge over the tip's acceleration of a uniform beam: EI w'''' = ρA ω² w, w = 0 and EI w'' = -torque at the
    hinge, free at the tip. At rest that of the rigid beam."""
    out = np.full(len(omega), RHO * AREA * L**2 / 3)
    for k, w in enumerate(omega):
        b = (RHO * AREA * w**2 / (E * SECOND)) ** 0.25 * L
        if b < 0.05 or b > 40:
            out[k] = out[k] if b < 1 else 0.0
            continue
        s, c, sh, ch = np.sin(b), np.cos(b), np.sinh(b), np.cosh(b)
        # w = A sin + B sinh + C (cos - cosh); w''(0) = -2 C (b/L)²
        rows = np.array([[-s, sh, -c - ch], [-c, ch, s - sh], [0.0, 0.0, 2 * E * SECOND * (b / L) ** 2]])
        A, B, C = np.linalg.solve(rows, [0.0, 0.0, 1.0])
        out[k] = 1.0 / (-(w**2) * (A * s + B * sh + C * (c - ch)))
    return out


def moved_pose(model: gough.Model, frame: str, far: float, durations: float, family: str = "septic") -> gough.Motion:
    """A frame moves and turns at once, along no axis of symmetry."""
    position, rotation = model.frame_pose(model.home, frame)
    np.testing.assert_allclose(rotation, np.eye(3), atol=1e-12)
    end = {
        "position": position + far * np.array([1.0, 0.5, 0.7]),
        "rpy_zyx": (far * np.array([-0.4, 1.0, 0.5])).tolist(),
    }
    return getattr(motions, family)(poses=[{"position": position}, end], frame=frame, durations=durations)


@pytest.mark.slow
@pytest.mark.parametrize("frame", ["vertex", "center"])
def test_long2014(frame: str) -> None:
    """Drives held, its plate departs from equilibrium: with feedback of drives alone errors grow, slowly."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = gough.build("long2014")
    inverse = gough.stable_inversion(model, moved_pose(model, frame, 0.05, 0.6, "quintic"))
    assert len(inverse.growing) == 3
    assert inverse.error <= 1e-7
    moving = inverse.before.seconds + 0.6
    feedbacks = (gough.laws.JointPD(bandwidth=5.0), moving), (gough.laws.LQR(error=1e-3, force=100.0), np.inf)
    for feedback, until in feedbacks:
        run = gough.simulate(model, inverse.motion, gough.laws.FollowInversion(inverse, feedback))
        assert run.info.finished
        errors = inverse.tool_errors(run)
        assert errors["m"][run.time <= until].max() <= 1e-6
        assert errors["rad"][run.time <= until].max() <= 2e-6


def hexapod(ratio: float | None = None) -> gough.Model:
    text = (Path(gough.__file__).parent / "robot/gallery/hexapod_flexible.yaml").read_text(encoding="utf-8")
    return built(text if ratio is None else text.replace("damping: {ratio: 0.005}", f"damping: {{ratio: {ratio}}}"))


@pytest.mark.slow
@pytest.mark.parametrize(("ratio", "far", "margin"), [(0.05, 0.02, 0.01), (None, 0.003, 0.002)])
def test_hexapod_flexible(ratio: float | None, far: float, margin: float) -> None:
    """With rods that damp, by the rule; as it is in the gallery only where the rule is set aside, and for a short way."""
    model = hexapod(ratio)
    inverse = gough.stable_inversion(model, moved_pose(model, "center", far, 0.4), margin=margin)
    assert len(inverse.growing) == 9
    run = gough.simulate(model, inverse.motion, gough.laws.FollowInversion(inverse, gough.laws.JointPD(bandwidth=5.0)))
    assert run.info.finished
    assert inverse.tool_errors(run)["m"].max() <= 1e-6


@pytest.mark.slow
def test_another_design_damps_as_another_description() -> None:
    """Ten times the numbers of the rods' damping are 5 % in the place of 0.5 %: the same zeros and forces."""
    model, described = hexapod(), hexapod(0.05)
    move = moved_pose(model, "center", 0.01, 0.4)
    numbers = dict(zip(model.parameter_names, model.parameters, strict=True))
    damped = {name: 10 * x for name, x in numbers.items() if ".rod.De[" in name}
    inverse, known = (gough.stable_inversion(m, move, parameters=p) for m, p in ((model, damped), (described, None)))
    np.testing.assert_allclose(np.sort_complex(inverse.zeros), np.sort_complex(known.zeros), rtol=1e-6)
    times = np.linspace(0, min(inverse.t[-1], known.t[-1]), 50)
    for k in range(6):
        own, other = (np.interp(times, x.t, x.tau[:, k]) for x in (inverse, known))
        assert np.abs(own - other).max() < 1e-3 * np.ptp(other)
    law = gough.laws.FollowInversion(inverse, gough.laws.JointPD(bandwidth=5.0))
    run = gough.simulate(model, inverse.motion, law, parameters=model.parameters_with(damped))
    assert run.info.finished and inverse.tool_errors(run)["m"].max() <= 1e-6


@pytest.mark.slow
def test_hexapod_flexible_is_refused_by_its_swinging_rods() -> None:
    model = hexapod()
    with pytest.raises(
        UsageError, match=r"222\.\di 1/s \(35\.45 Hz\) at t = 0 s, 0\.27 % of its modulus.*about 3\.7 times as much"
    ):
        gough.stable_inversion(model, moved_pose(model, "center", 0.003, 0.4))
    with pytest.raises(UsageError, match=r"zeros of .* change sides along the motion|% of its modulus"):
        gough.stable_inversion(model, moved_pose(model, "center", 0.03, 0.4), margin=0.002)


@pytest.mark.slow
def test_an_arm_without_symmetry() -> None:
    model = built(CROOKED)
    start, _ = model.frame_pose(model.home, "lower.end")
    motion = motions.septic(points=[start, start + [0.08, -0.05, 0.06]], frame="lower.end", durations=0.5)
    inverse = gough.stable_inversion(model, motion)
    assert len(inverse.growing)
    for law in (None, gough.laws.FollowInversion(inverse, gough.laws.JointPD(bandwidth=5.0))):
        run = gough.simulate(model, inverse.motion, law)
        assert inverse.tool_errors(run)["m"].max() <= 1e-6


@pytest.mark.slow
def test_what_is_told() -> None:
    jumping = motions.trapezoid(points=[[0, 0, 0], [FAR, 0, 0]], frame="tool", durations=T, ramps=0.1)
    with pytest.warns(RunWarning, match=r"accelerations jump at t = 0, 0\.1, 0\.3, 0\.4 s"):
        gough.stable_inversion(rocker(), jumping)
    with pytest.warns(RunWarning, match=r"pre-actuation of 0\.02 s cuts off .* give a longer pre="):
        short = gough.stable_inversion(rocker(), move(), pre=0.02)
    assert short.before.share > 0.01
    assert short.before.tool == pytest.approx(abs(RATIO * bounded(-0.02)), rel=1e-3)


def test_what_it_needs() -> None:
    model = rocker()
    with pytest.raises(UsageError, match="leads no tool"):
        gough.stable_inversion(model, motions.quintic(drives=[[0.0], [0.1]], durations=1.0))
    with pytest.raises(UsageError, match="nothing of five_bar bends"):
        gough.stable_inversion(gough.build("five_bar"), replace(move(), frame="left_rod.tool"))
    with pytest.raises(UsageError, match="no frame 'tip'; there are"):
        gough.stable_inversion(model, motions.quintic(points=[[0, 0, 0], [1, 0, 0]], frame="tip", durations=1.0))
    with pytest.raises(UsageError, match="the motion is one of 'tool', frame='carriage'"):
        gough.stable_inversion(model, move(), "carriage")
    with pytest.raises(UsageError, match=r"y of the path is 0\.1 m off"):
        gough.stable_inversion(model, motions.quintic(points=[[0, 0, 0], [0, 0.1, 0]], frame="tool", durations=1.0))
    with pytest.raises(UsageError, match=r"axes='w'; give some of x, y, z"):
        gough.stable_inversion(model, move(), axes="w")
    with pytest.raises(UsageError, match="along y moves in 0 directions, rocker has 1 drive;"):
        gough.stable_inversion(model, move(), axes="y")
    apart = (
        ROCKER[: ROCKER.index("  - {name: tool")] + ROCKER[ROCKER.index("joints:") : ROCKER.index("  - {name: lever")]
    )
    chain = built(apart + "idle: [spring]\nhome: {joints: {slide: 0, spring: 0}}\n")
    with pytest.raises(UsageError, match="relative degree"):
        gough.stable_inversion(chain, replace(move(), frame="swinging"))
    with pytest.raises(UsageError, match="drives for 2 freedoms"):
        gough.stable_inversion(
            built(ROCKER.replace(", drive: {}", "").replace("idle: [lever]", "velocities: [slide, spring]")), move()
        )


def test_zeros_near_the_axis_are_refused_with_the_zero() -> None:
    """Led at the carriage, the spring swings: m2' φ̈ + d φ̇ + k φ = …, with m2' = m2 + ratio² m3."""
    mass = M2 + RATIO**2 * M3
    light = built(ROCKER.replace(f"damping: {D}", "damping: 0.1"))
    path = motions.quintic(points=[[0, 0, 0], [FAR, 0, 0]], frame="carriage", durations=T)
    zero = complex(np.roots([mass, 0.1, K])[0])
    shown = f"{zero.real:+.4g} ± {abs(zero.imag):.4g}i 1/s"
    with pytest.raises(UsageError, match="more damping") as caught:
        gough.stable_inversion(light, path)
    assert shown in str(caught.value)
    assert "0.2 % of its modulus" in str(caught.value)
    with pytest.warns(RunWarning, match="post-actuation of 0.5 s"):
        free = gough.stable_inversion(light, path, margin=1e-3, post=0.5, tolerance=1e-5)
    assert not len(free.growing)


@pytest.mark.slow
def test_friction_is_left_out_and_told() -> None:
    text = ROCKER.replace("child: carriage, drive: {}", "child: carriage, drive: {}, friction: {coulomb: 1.0}")
    with pytest.warns(FrictionWarning, match="Coulomb friction of rocker is left out"):
        gough.stable_inversion(built(text), move())


def test_feed_forward_refuses_what_does_not_belong_together() -> None:
    inverse = found()
    law = gough.laws.FollowInversion(inverse, gough.laws.JointPD(100.0, 10.0))
    with pytest.raises(UsageError, match=r"give inverted\.motion as it is"):
        gough.simulate(rocker(), inverse.motion.slower(2.0), law)
    with pytest.raises(UsageError, match="gravity=False"):
        gough.laws.FollowInversion(inverse, gough.laws.JointPD(100.0, 10.0, gravity=True))
    with pytest.raises(UsageError, match="limit= to itself"):
        gough.laws.FollowInversion(inverse, gough.laws.JointPD(100.0, 10.0, limit=1.0))
    with pytest.raises(UsageError, match=r"give a gough\.laws\.JointPD"):
        gough.laws.FollowInversion(inverse, gough.laws.ComputedTorque())  # type: ignore[arg-type]


def test_a_load_that_is_known_and_a_run_that_goes_on() -> None:
    """A force on the tool stretches the spring, by the lever; behind its end the motion rests."""
    load = {"tool": [5.0, 0, 0, 0, 0, 0]}
    inverse = gough.stable_inversion(rocker(), move(), wrench=load)
    place = list(rocker().layout.q_names).index("spring")
    np.testing.assert_allclose(inverse.q_rest[:, place], RATIO * 5.0 / K, rtol=1e-9)
    np.testing.assert_allclose(inverse.tau[[0, -1], 0], -5.0, atol=1e-3)
    law = gough.laws.FollowInversion(inverse, gough.laws.JointPD(bandwidth=5.0))
    run = gough.simulate(rocker(), inverse.motion, law, wrench=load, duration=inverse.path.duration + 0.2)
    assert run.duration == pytest.approx(inverse.path.duration + 0.2)
    assert inverse.tool_errors(run)["m"].max() <= 1e-6


def test_the_picture(tmp_path: Path) -> None:
    found().plot(tmp_path / "inverse.png")
    assert (tmp_path / "inverse.png").stat().st_size > 10_000
