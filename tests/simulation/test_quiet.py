"""Moves that leave least: quadratic programs by SciPy, amplitudes by quadrature and by integration, slopes by differences, limits
by the polynomials, what is left by simulation."""

from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

import gough
from gough import motions
from gough.errors import UsageError
from gough.robot import friction
from inner.simulation import quiet

WAY = {"q11": [0, 0.1], "q21": [0, 0.05]}


@pytest.fixture(scope="module")
def sliders():
    """Without Coulomb friction, which would end small swings."""
    return gough.build(friction.change_friction(gough.load("dualemps"), coulomb=0))


def sway(frequency, damping=0.0, change=0.0):
    """One mode, pushed by the acceleration alone, whose frequency (Hz) rises along the path by `change` of itself."""
    w = 2 * np.pi * frequency
    rows = np.zeros((1, quiet.COUNT, 2))
    rows[0, 0] = [-damping * w, -damping * w * change]
    rows[0, 1] = [w * np.sqrt(1 - damping**2), w * np.sqrt(1 - damping**2) * change]
    rows[0, 2, 0] = 1.0
    return quiet.PathModes(quiet.PolynomialPath(np.array([0.0, 1.0]), rows), 1)


@pytest.mark.parametrize("seed", range(4))
def test_quadratic_programs(seed):
    """By sequential least squares of SciPy."""
    random = np.random.default_rng(seed)
    G, A = random.normal(size=(12, 12)), random.normal(size=(30, 12))
    H, g, b = G @ G.T + 1e-3 * np.eye(12), random.normal(size=12), random.uniform(0.1, 1.0, 30)
    x, found = quiet.minimise_quadratic(H, g, A, b)
    rules = {"type": "ineq", "fun": lambda x: b - A @ x, "jac": lambda x: -A}
    other = minimize(
        lambda x: 0.5 * x @ H @ x + g @ x,
        np.zeros(12),
        jac=lambda x: H @ x + g,
        constraints=rules,
        method="SLSQP",
        options={"maxiter": 500, "ftol": 1e-14},
    )
    assert found and (A @ x <= b + 1e-9).all()
    assert 0.5 * x @ H @ x + g @ x == pytest.approx(other.fun, rel=1e-8)


@pytest.mark.parametrize("damping", [0.0, 0.05])
def test_amplitude_of_a_constant_mode(damping):
    """|∫ s̈ exp(-λ(t - T)) dt|/ω_d by the trapezoidal rule, at frequencies 0.9 and 1 times its own."""
    laws = quiet.SplineLaws(0.7, 20)
    x = np.linspace(0.0, 1.0, laws.free) ** 2
    found = np.abs(quiet.Leftover(sway(3.0, damping), laws, np.array([0.9, 1.0])).amplitudes(x)[0][:, 0])
    t = np.linspace(0.0, 0.7, 40001)
    push = laws.law(x).at(t, True)[2][:, 0]
    for beta, one in zip((0.9, 1.0), found, strict=True):
        swing = 6 * np.pi * beta * np.sqrt(1 - damping**2)
        value = np.trapezoid(push * np.exp((-damping * 6 * np.pi + 1j * swing) * (0.7 - t)), t)
        assert one == pytest.approx(abs(value) / swing, rel=1e-7)


def test_amplitude_of_a_mode_that_varies():
    """ẍ + ω(s)²x = -s̈ by integration; the amplitude is that of slow change, to its second order."""
    from scipy.integrate import solve_ivp

    laws = quiet.SplineLaws(1.5, 24)
    r = np.linspace(0.0, 1.0, laws.free)
    x, modes = r**2 * (3 - 2 * r), sway(4.0, change=0.2)
    law = laws.law(x)

    def rates(t, y):
        s, _, push = (z[0, 0] for z in law.at(np.array([t]), False))
        return [y[1], -((8 * np.pi * (1 + 0.2 * s)) ** 2) * y[0] - push]

    end = solve_ivp(rates, (0.0, 1.5), [0.0, 0.0], rtol=1e-9, atol=1e-12, max_step=0.01).y[:, -1]
    true = np.hypot(end[0], end[1] / (9.6 * np.pi))
    found = abs(quiet.Leftover(modes, laws, np.ones(1)).amplitudes(x)[0][0, 0])
    assert found == pytest.approx(true, rel=0.02)


def test_slopes_are_exact():
    """Beside central differences."""
    laws = quiet.SplineLaws(0.5, 16)
    left = quiet.Leftover(sway(4.0, 0.03, 0.3), laws, np.array([0.9, 1.1]))
    x, way = np.linspace(0.0, 1.0, laws.free), np.random.default_rng(1).normal(size=laws.free)
    J = left.amplitudes(x)[1] @ way
    h = 1e-5
    other = (left.amplitudes(x + h * way)[0] - left.amplitudes(x - h * way)[0]) / (2 * h)
    assert np.abs(J - other).max() < 1e-7 * np.abs(other).max()


def peaks(motion, orders=4):
    """Largest values of derivatives 1, 2, … of every coordinate, from the polynomials of the table."""
    table = motion.table()
    out = np.zeros((orders, len(motion.names)))
    for row, h in zip(table.coefficients, np.diff(table.breaks), strict=True):
        for k, c in enumerate(row):
            for n in range(orders):
                out[n, k] = max(
                    out[n, k], np.abs(np.polynomial.Polynomial(c).deriv(n + 1)(np.linspace(0, h, 21))).max()
                )
    return out


def test_limits_are_kept_and_nothing_turns_back(sliders):
    speed, acceleration, jerk, snap = limits = [0.8, 0.5], 16.0, 900.0, 8e4
    motion = motions.quiet(
        sliders,
        drives=WAY,
        duration=0.25,
        tolerance=0.3,
        speed=speed,
        acceleration=acceleration,
        jerk=jerk,
        snap=snap,
    )
    found = peaks(motion)
    for own, limit in zip(found, limits, strict=True):
        assert (own <= np.array(limit) * (1 + 1e-7)).all()
    t = np.linspace(0.0, motion.duration, 2001)
    assert (motion.at(t).velocity >= -1e-9).all()
    ends = motion.at([0.0, motion.duration])
    assert ends.position == pytest.approx(np.array([[0, 0], [0.1, 0.05]]), abs=1e-14)
    assert np.abs(ends.velocity).max() < 1e-12 and np.abs(ends.acceleration).max() < 1e-9
    assert len(motion.kinks) == 2


def test_limits_take_what_the_quickest_move_takes(sliders):
    """Under limits of jerk the quickest is known (`s_curve`): a spline of 40 pieces needs up to 5 % more, never less."""
    limits: dict[str, Any] = {"speed": 1.0, "acceleration": 12.0, "jerk": 400.0}
    least = motions.s_curve(drives=WAY, **limits).duration
    with pytest.raises(UsageError, match=r"the limits take 0\.\d+ s, not 0\.1 s") as told:
        motions.quiet(sliders, drives=WAY, duration=0.1, **limits)
    said = float(str(told.value).split("take ")[1].split(" s")[0])
    assert least * 0.999 < said < 1.05 * least


def run_of(model, motion, parameters=None):
    held = motion.hold(3 / 14.2)
    return gough.simulate(
        model, held, method="leapfrog", step=7e-5, every=10, start="static", check="off", parameters=parameters
    )


def left_by(model, motion, factor):
    """Of a run with all stiffnesses of bodies multiplied by a factor."""
    numbers = {n: factor * x for n, x in zip(model.parameter_names, model.parameters, strict=True) if ".Ke[" in n}
    run = run_of(model, motion, model.parameters_with(numbers))
    return gough.remaining_vibration(run, "link17", after=motion.duration)


@pytest.mark.parametrize("factor", [1.0, *(pytest.param(x, marks=pytest.mark.slow) for x in (0.8, 1.2))])
def test_little_is_left_and_of_softer_and_stiffer_robots_too(sliders, factor):
    """By simulation, beside a septic of the same time: 3.5 periods."""
    motion = motions.quiet(sliders, drives=WAY, duration=0.25)
    own, other = (left_by(sliders, m, factor) for m in (motion, motions.septic(drives=WAY, durations=0.25)))
    assert own.ratio < 0.02 and other.amplitude > 5 * own.amplitude


@pytest.mark.slow
def test_a_law_without_limits_is_no_more_violent_than_it_helps():
    """A Delta in little more than a period: by simulation its strain energy after the move is below a third of a quintic's, and
    its peak below twice. A law that swings eight times as far and leaves a small part of that leaves more than the quintic."""
    model = gough.build("delta_flexible")
    ends = _poses(model, (-0.05, 0.05))
    duration, energies = 0.05965, []
    for motion in (
        motions.quiet(model, poses=ends, duration=duration),
        motions.quintic(poses=ends, durations=duration),
    ):
        drives = gough.laws.drives_of(model, motion).hold(0.1)
        run = gough.simulate(model, drives, method="rk4", step=2e-5, every=20, check="off")
        energy, moving = run["energy.strain"], run.time < duration
        energies.append((energy[moving].max(), energy[run.time > duration + 1e-3].max() - energy[-1]))
    own, other = energies
    assert own[1] < other[1] / 3 and own[0] < 2 * other[0]


def _poses(model, places):
    out = []
    for x in places:
        pose = np.array(model.home_pose)
        pose[[0, 2]] = x, -1.0
        out.append(pose)
    return out


def test_too_little_time_is_told_with_what_would_do(sliders):
    with pytest.raises(UsageError, match=r"of the elastic peak is left somewhere within ±10 %.*; 0\.1\d+ s would do"):
        motions.quiet(sliders, drives=WAY, duration=0.15)


@pytest.mark.slow
def test_without_a_duration_it_is_quick_enough(sliders):
    """A wider band takes longer; what the search says is left is what its law leaves in the modes' own equations."""
    narrow, wide = (
        motions.quiet(sliders, drives=WAY, band=band, acceleration=16.0, samples=9) for band in (0.02, 0.15)
    )
    assert narrow.duration < wide.duration < 0.35


def test_modes_along_the_path_are_natural_ones(sliders):
    """λ beside the eigenvalues of the damped robot, first five."""
    line = motions.trapezoid(drives=WAY, durations=1.0, ramps=0.0)
    modes = quiet.path_modes(sliders, line, 9, sliders.parameters)
    along = motions.states_along(sliders, line, [0.0, 0.5])
    for s, q in zip((0.0, 0.5), along.q, strict=True):
        true = gough.natural_frequencies(sliders, q).eigenvalues[:5]
        assert modes.at(np.array([s]))[0][0, 0, :5] == pytest.approx(true, rel=1e-5)


def test_what_is_tried_and_found_is_told(sliders):
    """Durations until one leaves little enough; the frequencies of the motion at its start are natural ones."""
    tried = []
    motion = motions.quiet(
        sliders, drives=WAY, band=0.05, samples=9, progress=lambda duration, left: tried.append((duration, left))
    )
    enough = [left <= 0.05 for _, left in tried]
    assert len(tried) > 3 and True in enough and False in enough
    assert motion.duration == min(duration for (duration, _), good in zip(tried, enough, strict=True) if good)
    (told,) = motion.shaped
    assert told.shaper == "quiet" and told.left is not None and told.left[0] <= told.left[1] <= 0.05
    first = [mode.frequencies_hz[0] for mode in told.modes[:5]]
    true = gough.natural_frequencies(sliders).eigenvalues[:5]
    assert first == pytest.approx(np.abs(true) / (2 * np.pi), rel=1e-4)
    assert "; quiet for " in repr(motion) and "of the elastic peak left" in repr(motion)


def test_ctrl_c_ends_the_search(sliders):
    """From within what is called on the way, as a signal would."""

    def stop(duration, left):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        motions.quiet(sliders, drives=WAY, duration=0.25, progress=stop)


def test_it_is_written_in_files(sliders):
    text = "format: 1\nmotion:\n  quiet: {drives: {q11: [0, 100 mm], q21: [0, 50 mm]}, duration: 250 ms, jerk: 2000 m/s^3}\n"
    read = motions.read_motion(text, model=sliders).motion
    own = motions.quiet(sliders, drives=WAY, duration=0.25, jerk=2000.0)
    t = np.linspace(0.0, 0.25, 20)
    assert read.at(t).position == pytest.approx(own.at(t).position, abs=1e-12)
    with pytest.raises(gough.DescriptionError, match="read the motion with its robot"):
        motions.read_motion(text)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"drives": {"q11": [0, 0.1, 0.2], "q21": [0, 0, 0]}}, "3 points; give two"),
        ({"drives": {"q11": [0, 0], "q21": [0, 0]}}, "the same; nothing moves"),
        ({"drives": WAY, "jerk": -1.0}, "quiet: jerk=-1.0; give one positive number"),
        ({"drives": WAY, "turn_jerk": 1.0}, "turn_jerk= goes with poses="),
        ({"drives": WAY, "band": 0.7}, "band=0.7"),
    ],
)
def test_misuse_is_named(sliders, given, said):
    with pytest.raises(UsageError, match=said):
        motions.quiet(sliders, **given)


def test_stiff_robots_are_refused():
    bars = gough.build("five_bar")
    home = bars.drives(bars.home)
    with pytest.raises(UsageError, match="five_bar has nothing that swings with its drives locked"):
        motions.quiet(bars, drives=[home, home + 0.1], duration=0.3)
