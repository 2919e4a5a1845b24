"""Slopes of simulated forces by base parameters: against differences of simulated runs, and a closed form."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import gough
from gough import Samples
from gough.errors import UsageError
from gough.robot import loads
from inner.identification import ClosedLoop, FreedModel, Rows

from .motions import LAW, five_bar, motion, samples

AXIS = """
format: 1
name: axis
gravity: [0, 0, 0]
bodies: [{name: slider, mass: 2.0}]
joints:
  - {name: x, type: prismatic, parent: world, child: slider, axis: [1, 0, 0], drive: {}, friction: {viscous: 3.0}}
"""

SPRUNG = """
format: 1
name: arm
bodies:
  - {name: link, mass: 2.0, center_of_mass: [0.3, 0, 0], inertia: {about: center_of_mass, xx: 0.01, yy: 0.05, zz: 0.05}}
joints:
  - {name: j, type: revolute, parent: world, child: link, axis: [0, 1, 0], drive: {}, spring: {stiffness: 5.0, preload: 4.0}}
"""


def differences(loop: ClosedLoop, data: Samples, rows: Rows, which: list[int]) -> np.ndarray:
    """Central differences (n, drives, which)."""
    out = []
    for k in which:
        unknowns = rows.base.regressor.unknowns
        values, place = np.array([u.value for u in unknowns]), rows.base.kept[k]
        step = 1e-4 * max(abs(values[place]), 0.01)
        ends = []
        for sign in (1, -1):
            other = values.copy()
            other[place] += sign * step
            ends.append(loop.simulate(data, FreedModel.of(rows.model, unknowns).design(other)).samples.force)
        out.append((ends[0] - ends[1]) / (2 * step))
    return np.stack(out, axis=2)


@pytest.mark.quick_cases("40")
@pytest.mark.parametrize("first", [0, 40])
def test_slopes_are_those_of_simulated_runs(first: int) -> None:
    model, data = five_bar(), samples()
    data = data.rows(slice(first, None))
    rows = Rows.of(model, gough.base_parameters(model, ("inertia", "rotors", "friction", "offsets")))
    freed = FreedModel.of(model, rows.base.regressor.unknowns)
    loop = ClosedLoop(freed.model, LAW, (motion(),), (0.0,))
    found = loop.simulate(data, np.array(loop.model.parameters))
    slopes = found.force_slopes(rows, freed)
    assert slopes.shape == (len(data), 2, rows.size)
    which = list(range(rows.size))
    truth = differences(loop, data, rows, which)
    assert np.abs(slopes[:, :, which] - truth).max() < 2e-5 * np.abs(truth).max()
    assert np.abs(found.samples.force - data.force).max() < 1e-4 * np.abs(data.force).max()


def test_steps_are_equal_whatever_the_pieces_of_the_motion() -> None:
    """A function becomes polynomials on pieces of any length; the run must be the same as along a spline of equal pieces."""
    model, data = five_bar(), samples()
    home = model.home[model.drive_index]
    rates = np.array([3.0, 5.0])

    # begins at rest: sin(w t) - w t has no velocity there
    def slow(t: np.ndarray) -> list[np.ndarray]:
        return [c + 0.1 * (np.sin(w * t) - w * t) for c, w in zip(home, rates, strict=True)]

    told = gough.motions.function(slow, 2.0, kind="drives", names=model.layout.drive_names)
    loop = ClosedLoop(model, LAW, (told,), (0.0,))
    short = data.rows(slice(0, 900))
    found = loop.simulate(short, np.array(model.parameters)).samples
    exact = gough.simulate(model, told, LAW, tolerance=1e-11, check="off").resample(short.time)
    assert np.abs(found.force - exact.tau).max() < 1e-4 * np.abs(exact.tau).max()
    assert np.abs(found.q - exact.q).max() < 1e-6


@pytest.mark.slow
@pytest.mark.parametrize("name", ["delta", "pedrammehr2012", "lopes"])
@pytest.mark.filterwarnings("ignore")
def test_slopes_of_spatial_robots(name: str) -> None:
    model = gough.build(name)
    home, t = model.home[model.drive_index], np.linspace(0, 1, 6)
    size = 0.2 if model.layout.drive_units[0] == "N m" else 0.02
    drives = home + size * np.sin(np.outer(t, np.linspace(1, 4, len(home))))
    told = gough.motions.spline(times=t, drives=drives, names=model.layout.drive_names, degree=5)
    law = gough.laws.JointPD(stiffness=2e6 * size, damping=1e5 * size, gravity=name == "delta")
    rows = Rows.of(model, gough.base_parameters(model, ("inertia", "rotors", "friction"), "legs"))
    n = 200
    q, v, tau = (np.zeros((n, size)) for size in (model.layout.nq, model.layout.nv, len(home)))
    data = Samples(model, np.arange(n) * 4e-3, q, v, v, tau, None, np.zeros(n, dtype=int), ("x",))
    freed = FreedModel.of(model, rows.base.regressor.unknowns)
    loop = ClosedLoop(freed.model, law, (told,), (0.0,))
    slopes = loop.simulate(data, np.array(loop.model.parameters)).force_slopes(rows, freed)
    which = [0, 3, rows.size // 2, rows.size - 1]
    truth = differences(loop, data, rows, which)
    size = np.abs(truth).max(axis=(0, 1))
    # what is left is the integration's (steps of half the fastest time constant), and rounding of differences of small slopes
    assert (np.abs(slopes[:, :, which] - truth).max(axis=(0, 1)) < 3e-3 * size + 1e-4 * size.max()).all()


def test_slopes_of_an_axis_have_a_closed_form() -> None:
    """m ẍ + c ẋ = k (r - x) + d (ṙ - ẋ): the force is that of a linear system, whose slope by m is known by its transfer
    function; here by integrating the equation of the slope with scipy."""
    from scipy.integrate import solve_ivp

    model = gough.build(loads(AXIS))
    t = np.linspace(0, 1, 9)
    told = gough.motions.spline(times=t, drives=0.1 * np.sin(5 * t)[:, None], names=("x",), degree=5)
    k, d, m, c = 400.0, 30.0, 2.0, 3.0
    rows = Rows.of(model, gough.base_parameters(model, ("x.friction.viscous", "slider.M")))
    n = 400
    blank = np.zeros((n, 1))
    data = Samples(model, np.arange(n) * 2e-3, blank, blank, blank, blank, None, np.zeros(n, dtype=int), ("x",))
    freed = FreedModel.of(model, rows.base.regressor.unknowns)
    loop = ClosedLoop(freed.model, gough.laws.JointPD(stiffness=k, damping=d), (told,), (0.0,))
    slopes = loop.simulate(data, np.array(model.parameters)).force_slopes(rows, freed)

    def rates(time: float, y: np.ndarray) -> list[float]:
        r = told.at(time)
        pos, vel = float(r.position[0]), float(r.velocity[0])
        x, v, xm, vm, xc, vc = y
        a = (k * (pos - x) + d * (vel - v) - c * v) / m
        return [v, a, vm, (-k * xm - (d + c) * vm - a) / m, vc, (-k * xc - (d + c) * vc - v) / m]

    exact = solve_ivp(rates, (0, data.time[-1]), np.zeros(6), t_eval=data.time, rtol=1e-10, atol=1e-13)
    by_mass, by_friction = -k * exact.y[2] - d * exact.y[3], -k * exact.y[4] - d * exact.y[5]
    names = rows.base.names
    assert slopes is not None
    for name, truth in (("slider.M", by_mass), ("x.friction.viscous", by_friction)):
        ours = slopes[:, 0, names.index(name)]
        assert np.abs(ours - truth).max() < 1e-5 * np.abs(truth).max()


def test_unequal_samples_are_refused() -> None:
    data = samples()
    time = np.array(data.time)
    time[5:] += 1e-4
    loop = ClosedLoop(five_bar(), LAW, (motion(),), (0.0,))
    with pytest.raises(UsageError, match="not equally spaced"):
        loop.simulate(replace(data, time=time), np.array(five_bar().parameters))


def test_gains_that_no_step_can_follow_are_refused_with_their_rate() -> None:
    """√(k/m) of 2 kg on 1e12 N/m; what was said was that states are too many to be kept."""
    model, t = gough.build(loads(AXIS)), 0.02 * np.arange(40)
    x = 0.1 * np.sin(3 * t)[:, None]
    q = np.broadcast_to(model.home, (len(t), len(model.home)))
    data = Samples(model, t, q, 0 * x, 0 * x, 0 * x, None, np.zeros(len(t), dtype=int), ("run",))
    follow = gough.motions.spline(times=t, drives=x, names=("x",), degree=5)
    loop = ClosedLoop(model, gough.laws.JointPD(stiffness=1e12, damping=0.0), (follow,), (0.0,))
    with pytest.raises(UsageError, match=r"a rate of 7\.07e\+05 1/s.*gains of controller="):
        loop.simulate(data, np.array(model.parameters))


@pytest.mark.quick_cases("didim")
@pytest.mark.filterwarnings("ignore::gough.robot.UnphysicalInertiaWarning")
@pytest.mark.parametrize("method", ["iv", "didim"])
def test_offsets_stand_beside_a_preload(method: str) -> None:
    described = gough.build(loads(SPRUNG))
    real = gough.build(described.robot.with_parameters({"j.offset": 1.5, "link.YY": 0.3}))
    law, t = gough.laws.JointPD(stiffness=200.0, damping=10.0), np.linspace(0.0, 4.0, 21)
    told = gough.motions.spline(
        times=t, drives=(0.5 * np.sin(2 * t) + 0.3 * np.sin(5.1 * t))[:, None], names=("j",), degree=5
    )
    run = gough.simulate(real, told, law, method="rk4", step=1e-3)
    data = gough.Record.from_run(run, "r", rate_hz=500, noise={"force": 0.005})
    wanted = ("link.YY", "link.MX", "offsets")
    found = gough.identify(described, data, parameters=wanted, method=method, controller=law, motion=told)
    truth = {"link.YY": 0.3, "link.MX": 0.6, "j.offset": 1.5}
    z = [(x - truth[n]) / s for n, x, s in zip(found.base.names, found.base_values, found.base_deviations, strict=True)]
    assert np.abs(z).max() < 5.0
