"""Shaped motions: what they leave of one and two oscillators in closed form, of one whose frequency varies by integration,
impulses written out, rotations by SciPy; modes along a motion beside `natural_frequencies`."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import gough
from gough import motions
from gough.errors import UsageError
from inner.simulation import DelayedPath
from simulation import differences

MOVE = motions.quintic(joints={"a": [0.0, 1.0]}, durations=0.7)
SHAKEN = motions.trapezoid(joints={"a": [0.0, 1.0]}, durations=0.7, ramps=0.1)


def left_over(motion, frequency, damping=0.0):
    """Amplitude of ẍ + 2ζωẋ + ω²x = -c̈ after the motion c: |∫ c̈ exp((ζω - iω_d)(t - end)) dt|/ω_d, by Gauss's rule."""
    w = 2 * np.pi * frequency
    wd, end = w * np.sqrt(1 - damping**2), motion.duration
    x, weights = np.polynomial.legendre.leggauss(40)
    total = 0.0
    for a, b in zip(motion.breaks[:-1], motion.breaks[1:], strict=True):
        t = 0.5 * (b - a) * x + 0.5 * (a + b)
        pushed = motion.at(t).acceleration[:, 0] * np.exp((damping * w - 1j * wd) * (t - end))
        total += (pushed * weights).sum() * 0.5 * (b - a)
    return abs(total) / wd


@pytest.mark.parametrize("damping", [0.0, 0.05, 0.3])
@pytest.mark.parametrize("motion", [MOVE, SHAKEN])
@pytest.mark.parametrize("shaper", ["zv", "zvd"])
def test_one_oscillator_is_at_rest(motion, shaper, damping):
    shaped = motions.shape(motion, shaper=shaper, frequency=2.0, damping=damping)
    assert left_over(motion, 2.0, damping) > 0.05
    assert left_over(shaped, 2.0, damping) < 1e-12
    swing = 0.5 / (2.0 * np.sqrt(1 - damping**2))
    assert shaped.duration - motion.duration == pytest.approx(swing * {"zv": 1, "zvd": 2}[shaper])


@pytest.mark.parametrize("off", [-0.2, -0.1, 0.05, 0.15])
def test_residue_of_another_frequency(off):
    """Undamped: |cos(π f/2f₀)| of zv, its square of zvd, and of ei |(1 - V)/2 + (1 + V)/2 cos(π f/f₀)|, in closed form."""
    f, V = 2.0 * (1 + off), 0.05
    half = np.pi / 2 * (1 + off)
    known = {"zv": abs(np.cos(half)), "zvd": np.cos(half) ** 2, "ei": abs((1 - V) / 2 + (1 + V) / 2 * np.cos(2 * half))}
    for shaper, part in known.items():
        shaped = motions.shape(MOVE, shaper=shaper, frequency=2.0, tolerance=V)
        assert left_over(shaped, f) == pytest.approx(part * left_over(MOVE, f), rel=1e-9)
    assert known["ei"] <= V * (1 + 1e-9) or abs(off) > 0.19


def test_two_oscillators_are_at_rest():
    shaped = motions.shape(MOVE, shaper="two_mode", frequency=[2.0, 3.3], damping=[0.02, 0.1])
    assert left_over(shaped, 2.0, 0.02) < 1e-12 and left_over(shaped, 3.3, 0.1) < 1e-12
    assert shaped.duration == pytest.approx(0.7 + 0.25 / np.sqrt(1 - 0.02**2) + 0.5 / 3.3 / np.sqrt(1 - 0.1**2))


def test_it_is_the_sum_of_late_copies():
    damping, frequency = 0.05, 2.0
    K = np.exp(-np.pi * damping / np.sqrt(1 - damping**2))
    late = 0.5 / frequency / np.sqrt(1 - damping**2)
    shaped = motions.shape(SHAKEN, shaper="zvd", frequency=frequency, damping=damping)
    t, held = np.linspace(0.0, shaped.duration, 137)[1:-1], SHAKEN.extended()
    for channel in ("position", "velocity", "acceleration"):
        copies = [getattr(held.at(t - k * late), channel) for k in range(3)]
        wanted = (copies[0] + 2 * K * copies[1] + K**2 * copies[2]) / (1 + K) ** 2
        assert getattr(shaped.at(t), channel) == pytest.approx(wanted, abs=1e-12)
    assert len(shaped.kinks) == 12  # four of each copy
    table = shaped.table()
    assert table.position_error < 1e-13 and table.acceleration_error < 1e-9


def over_time(t, x):
    """A quintic spline at rest at both ends, as a path."""
    return motions.spline(joints={f"x{k}": row for k, row in enumerate(x.T)}, times=t, degree=5).parts[0].path


def sweeping(change, duration=1.4):
    """A move, the same shaped (zv) for a frequency that rises from 2 Hz by `change` while it moves, and twice that frequency."""
    base = motions.quintic(joints={"a": [0.0, 1.0]}, durations=duration)
    t = np.linspace(0.0, duration + 0.25, 60)
    r = np.clip(t / duration, 0.0, 1.0)
    rate = over_time(t, 4.0 * (1 + change * (10 * r**3 - 15 * r**4 + 6 * r**5))[:, None])
    steady = motions.shape(base, frequency=2.0)
    part = steady.parts[0]
    late = part.path
    assert isinstance(late, DelayedPath)
    path = replace(late, swings=replace(late.swings, rate=rate), weights=over_time(t, np.full((60, 2), 0.5)))
    return base, replace(steady, parts=(replace(part, path=path, breaks=path.breaks),)), rate


def test_copies_are_late_by_half_a_swing():
    """The phase between a copy and the motion, by quadrature of the frequency."""
    _, shaped, rate = sweeping(0.5)
    path = shaped.parts[0].path
    for t in (0.0, 0.4, 0.9, 1.4):
        later = float(path.later(np.array([t]), 1.0)[0])
        x, weights = np.polynomial.legendre.leggauss(60)
        s = 0.5 * (later - t) * x + 0.5 * (later + t)
        f = rate.at(np.minimum(s, rate.duration), False)[0][:, 0] / 2
        assert (2 * f * weights).sum() * 0.5 * (later - t) == pytest.approx(1.0, abs=1e-9)
    assert shaped.duration == pytest.approx(1.4 + 0.5 / 3.0, abs=1e-9)


def test_derivatives_of_a_motion_whose_delays_vary():
    _, shaped, _ = sweeping(0.5)
    t, h = differences.inside(shaped)
    assert np.abs(differences.velocity(shaped, t, h) - shaped.at(t).velocity).max() < 1e-8
    assert np.abs(differences.acceleration(shaped, t, h) - shaped.at(t).acceleration).max() < 1e-7
    inner = shaped.breaks[1:-1]
    jumps = shaped.at(inner).acceleration - shaped.at(inner, "left").acceleration
    assert np.abs(jumps).max() < 1e-9 and len(shaped.kinks) == 2
    assert shaped.table().acceleration_error < 1e-9


def test_a_frequency_that_varies_is_followed():
    """ẍ + ω(t)²x = -c̈ by integration: far less is left than by the best constant frequency."""
    base, shaped, rate = sweeping(0.3)

    def left(motion, steps=4000):
        """By the classical Runge-Kutta method."""
        t = np.linspace(0.0, motion.duration, 2 * steps + 1)
        square = (np.pi * rate.at(np.minimum(t, rate.duration), False)[0][:, 0]) ** 2
        push, h = motion.at(t).acceleration[:, 0], t[2]
        x, v = 0.0, 0.0
        for k in range(0, 2 * steps, 2):
            a1 = -square[k] * x - push[k]
            v2, a2 = v + 0.5 * h * a1, -square[k + 1] * (x + 0.5 * h * v) - push[k + 1]
            v3, a3 = v + 0.5 * h * a2, -square[k + 1] * (x + 0.5 * h * v2) - push[k + 1]
            v4, a4 = v + h * a3, -square[k + 2] * (x + h * v3) - push[k + 2]
            x, v = x + h / 6 * (v + 2 * v2 + 2 * v3 + v4), v + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
        return np.hypot(x, v / np.sqrt(square[-1]))

    constant = min(left(motions.shape(base, frequency=f)) for f in (2.1, 2.2, 2.3, 2.4, 2.5))
    unshaped, now = left(base), left(shaped)
    assert now < 0.1 * unshaped and now < constant


def test_poses_turn_about_their_axis():
    """About one axis angles are averaged; several moves about several axes keep derivatives and unit length."""
    start, end = [0, 0, 0, 1, 0, 0, 0], {"position": [0.1, 0, 0.2], "rpy_zyx": [0.9, 0.4, -0.3]}
    motion = motions.quintic(poses=[start, end], durations=0.7)
    shaped = motions.shape(motion, frequency=2.0)
    t = np.linspace(0.0, shaped.duration, 40)
    s = motions.shape(MOVE, frequency=2.0).at(t).position[:, 0]
    axis = Rotation.from_euler("ZYX", end["rpy_zyx"]).as_rotvec()
    found = shaped.at(t).position
    assert found[:, :3] == pytest.approx(s[:, None] * [0.1, 0, 0.2], abs=1e-12)
    turned = differences.rotation(found) * Rotation.from_rotvec(s[:, None] * axis).inv()
    assert np.abs(turned.as_rotvec()).max() < 1e-12
    path = motions.septic(poses=[start, end, {"position": [0, 0.2, 0], "rpy_zyx": [-0.5, 0.8, 1.0]}], durations=0.6)
    both = motions.shape(path, shaper="zvd", frequency=2.0, damping=0.1)
    t, h = differences.inside(both)
    assert np.abs(differences.velocity(both, t, h) - both.at(t).velocity).max() < 1e-7
    assert np.abs(differences.acceleration(both, t, h) - both.at(t).acceleration).max() < 1e-5
    ends = both.at([0.0, both.duration]), path.at([0.0, path.duration])
    assert ends[0].position == pytest.approx(ends[1].position, abs=1e-14)
    assert np.abs(ends[0].velocity).max() < 1e-12
    assert both.table().position_error < 1e-12


@pytest.fixture(scope="module")
def sliders():
    return gough.build("dualemps")


def sliding(duration=0.15):
    return motions.quintic(drives={"q11": [0, 0.2], "q21": [0, 0.1]}, durations=duration)


def test_modes_are_those_of_the_poses(sliders):
    """The delays are those of `natural_frequencies` at the end of the way, drives locked, and by servos."""
    for drives in ("locked", {"stiffness": 1e6, "damping": 1e3}):
        shaped = motions.shape(sliding(), sliders, modes=0, drives=drives)
        along = motions.states_along(sliders, shaped, [0.0, shaped.duration])
        modes = [gough.natural_frequencies(sliders, q, drives) for q in along.q]
        damped = [abs(m.eigenvalues[0].imag) / (2 * np.pi) for m in modes]
        lost = shaped.duration - 0.15
        assert min(0.5 / f for f in damped) * (1 - 1e-6) < lost < max(0.5 / f for f in damped) * (1 + 1e-6)


POLAR = """
format: 1
name: polar
source: a made-up robot for tests
gravity: [0, 0, 0]
bodies:
  - {name: arm, mass: 1, inertia: {about: center_of_mass, xx: 0.1, yy: 0.1, zz: 0.1}}
  - {name: head, mass: 2, inertia: {about: center_of_mass, xx: 0.01, yy: 0.01, zz: 0.01}}
joints:
  - {name: turn, type: revolute, axis: [0, 0, 1], parent: world, child: arm, drive: {}}
  - {name: reach, type: prismatic, axis: [1, 0, 0], parent: arm, child: head, drive: {}}
velocities: drives
home: {joints: {turn: 0, reach: 0.3}}
"""


@pytest.mark.parametrize(("reach", "duration"), [((0.6, 0.3), 0.5), ((0.3, 0.6), 0.5), ((0.3, 0.6), 2.0)])
def test_a_mode_is_followed_however_far_its_frequency_goes(reach, duration):
    """A head on an arm that turns on a servo: ω² = K/(J + m r²). Copies are half a swing apart, ∫ 2 f dt = 1."""
    model, K = gough.build(gough.robot.loads(POLAR)), [60.0, 4e4]
    far = motions.quintic(drives={"turn": [0, 1], "reach": list(reach)}, durations=duration)
    for modes in (None, 0):
        shaped = motions.shape(far, model, modes=modes, drives={"stiffness": K, "damping": 0.0}, samples=257)
        x, weights = np.polynomial.legendre.leggauss(30)
        late = shaped.duration - duration
        t = shaped.duration - 0.5 * late * (1 - x)
        f = np.sqrt(60.0 / (0.11 + 2 * shaped.at(t).position[:, 1] ** 2)) / (2 * np.pi)
        assert (2 * f * weights).sum() * 0.5 * late == pytest.approx(1.0, abs=1e-4)


def test_the_mode_that_is_excited_is_found(sliders):
    """Of slow moves the lowest; a second one is another."""
    modes = gough.natural_frequencies(sliders)
    halves = 0.5 / modes.frequencies_hz
    assert motions.shape(sliding(), sliders).duration == pytest.approx(0.15 + halves[0], rel=1e-3)
    two = motions.shape(sliding(), sliders, "two_mode")
    assert two.duration == pytest.approx(0.15 + halves[0] + halves[1], rel=1e-3)


def test_it_is_written_in_files(sliders):
    text = """
format: 1
motion:
  quintic: {drives: {q11: [0, 200 mm], q21: [0, 100 mm]}, durations: 150 ms}
  shape: %s
"""
    assert motions.read_motion(text % "zv", model=sliders).motion.duration == pytest.approx(0.1852, abs=1e-4)
    plain = motions.read_motion(text % "{shaper: zvd, frequency: 14.2 Hz, damping: 0.01}").motion
    assert plain.duration == pytest.approx(0.15 + 1 / 14.2 / np.sqrt(1 - 1e-4))
    with pytest.raises(gough.DescriptionError, match="give the model="):
        motions.read_motion(text % "zv")
    with pytest.raises(gough.DescriptionError, match=r"motion\.shape\.drives: unknown key 'stiff'|shape.drives.stiff"):
        motions.read_motion(text % "{drives: {stiff: 3}}", model=sliders)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "give the model="),
        ({"shaper": "negative"}, "use one of zv, zvd, ei, two_mode"),
        ({"frequency": -2.0}, "give 1 number, positive, in Hz"),
        ({"frequency": [2.0, 3.0]}, "give 1 number, positive"),
        ({"frequency": 2.0, "damping": 1.0}, "from 0 to below 1"),
        ({"frequency": 2.0, "modes": 0}, "modes= or frequency="),
    ],
)
def test_misuse_is_named(given, said):
    with pytest.raises(UsageError, match=said):
        motions.shape(MOVE, **given)


def test_what_cannot_be_shaped_is_refused(sliders):
    running = motions.spline(joints={"a": [0.0, 0.1, 0.4]}, times=[0.0, 0.5, 1.0], ends="natural")
    with pytest.raises(UsageError, match="begins with a velocity of"):
        motions.shape(running, frequency=2.0)
    bars = gough.build("five_bar")
    turn = motions.quintic(drives=[bars.drives(bars.home), bars.drives(bars.home) + 0.1], durations=0.3)
    with pytest.raises(UsageError, match="five_bar has nothing that swings with its drives locked"):
        motions.shape(turn, bars)
    with pytest.raises(UsageError, match="dualemps has 9, counted from 0"):
        motions.shape(sliding(), sliders, modes=9)
    with pytest.raises(UsageError, match="two different numbers"):
        motions.shape(sliding(), sliders, "two_mode", modes=[1, 1])
    with pytest.raises(UsageError, match="damping= goes with frequency="):
        motions.shape(sliding(), sliders, damping=0.1)


@pytest.mark.parametrize(("stiffness", "damping"), [(1e6, 1e4), (1e6, 2e4), (4e5, 1.2e4)])
def test_servos_that_damp(sliders, stiffness, damping):
    """Soft servos, damped by a half to critically: the links' slow vibration is what stays, and it is put to rest. About home
    ẋ = A x - B a of the linear model, closed by the servos; what a small move leaves of it by its left eigenvector."""
    motion = motions.quintic(drives={"q11": [0, 2e-3], "q21": [0, 1e-3]}, durations=0.15)
    linear = gough.linear_model(sliders)
    nv = len(linear.A) // 2
    rows = [linear.states.index(f"d{name}") for name in linear.inputs]
    A = linear.A.copy()
    A[:, rows] -= stiffness * linear.B
    A[:, [nv + r for r in rows]] -= damping * linear.B
    values, left = np.linalg.eig(A.T)
    stays = int(np.argmin(np.where((values.imag > 1.0) & (values.imag < 100.0), np.abs(values.real), np.inf)))
    value, w = values[stays], left[:, stays]
    assert -value.real / abs(value) < 0.03

    def leaves(motion):
        t = np.linspace(0.0, motion.duration, 8001)
        pushed = motion.at(t).acceleration @ w[[nv + r for r in rows]]
        return abs(np.trapezoid(pushed * np.exp(value * (motion.duration - t)), t))

    shaped = motions.shape(motion, sliders, drives={"stiffness": stiffness, "damping": damping})
    assert shaped.duration - motion.duration == pytest.approx(np.pi / value.imag, rel=1e-3)
    assert leaves(shaped) < 2e-3 * leaves(motion)


def test_servos_that_let_nothing_swing():
    """A rigid robot on critically damped springs."""
    bars = gough.build("five_bar")
    start = bars.drives(bars.home)
    turn = motions.quintic(drives=[start, start + 0.1], durations=0.3)
    with pytest.raises(UsageError, match=r"five_bar: with its drives so held nothing swings at pose 0 of 33"):
        motions.shape(turn, bars, drives={"stiffness": 1.0, "damping": 50.0})


def test_what_was_shaped_for_is_told():
    """Modes beside `natural_frequencies` at both ends; a number that was given as it was given."""
    sliders = gough.build("dualemps")
    move = motions.quintic(drives={"q11": [0, 0.2], "q21": [0, 0.1]}, durations=0.15)
    shaped = motions.shape(move, sliders, "zvd", modes=1)
    (told,) = shaped.shaped
    ends = sliders.assemble(drives=[[0, 0], [0.2, 0.1]]).q
    for q, k in zip(ends, (0, -1), strict=True):
        true = gough.natural_frequencies(sliders, q)
        assert told.modes[0].frequencies_hz[k] == pytest.approx(abs(true.eigenvalues[1]) / (2 * np.pi), rel=1e-6)
        assert told.modes[0].damping[k] == pytest.approx(true.damping[1], rel=1e-4)
    assert told.modes[0].mode == 1 and told.later == shaped.duration - move.duration
    assert "; zvd for mode 1, " in repr(shaped) and f"{1e3 * told.later:.4g} ms longer>" in repr(shaped)
    most = motions.shape(move, sliders).shaped[0].modes[0]
    assert most.mode == 0 and 0.5 < most.excited <= 1.0 and "% of what it excites" in str(most)
    run = gough.simulate(sliders, shaped.hold(0.01), method="leapfrog", step=7e-5, every=50, check="off", duration=0.01)
    assert list(run.info.motion["shaped"]) == [str(told)]
    both = motions.shape(MOVE, shaper="two_mode", frequency=[2.0, 3.0], damping=0.1)
    assert str(both.shaped[0]).startswith("two_mode for 2 Hz, damping 0.1; 3 Hz, damping 0.1; ")
    assert both.slower(2).shaped == () and MOVE.shaped == ()
