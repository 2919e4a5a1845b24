"""Controllers against closed forms: a mass on a slider, and what holds for every robot."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import gough
from gough import laws, motions, scalar
from gough.errors import UsageError
from gough.spatial.exponential import rotation_error
from laws.subjects import built
from simulation.sliders import MASS, settling, slider


@cache
def mass() -> gough.Model:
    return slider()


@cache
def heavy() -> gough.Model:
    return slider(9.81, force_limit=30.0)


@cache
def delta() -> gough.Model:
    return built(gough.load("delta"))


def stand(x: float, duration: float) -> gough.Motion:
    """The slide stays at x (m)."""
    return motions.function(lambda t: [x + 0.0 * t], duration, kind="drives", names=["slide"])


def swing(duration: float = 1.0) -> gough.Motion:
    return motions.function(lambda t: [0.1 * np.sin(3.0 * t)], duration, kind="drives", names=["slide"])


def round_home(model: gough.Model, radius: float) -> gough.Motion:
    """The platform on a circle through home, without turning, in a second."""
    x, y, z = model.home[:3]

    def position(t):
        angle = 2 * np.pi * t
        return [x + radius * (np.cos(angle) - 1), y + radius * np.sin(angle), z + 0.0 * t, 0.0 * t, 0.0 * t, 0.0 * t]

    return motions.function(position, 1.0)


@pytest.mark.parametrize("method", ["dp5", "esdirk4"])
def test_joint_pd_is_a_spring_and_a_damper(method: str) -> None:
    """m ẍ + d ẋ + k x = 0 about the reference, in closed form."""
    run = gough.simulate(
        mass(), stand(0.3, 1.0), laws.JointPD(80.0, 6.0), q=[0.0], method=method, tolerance=1e-9, step=2e-3
    )
    np.testing.assert_allclose(run.q[:, 0], 0.3 + settling(run.time, 80.0, 6.0, MASS, -0.3), atol=2e-9)
    assert run.summary()["energy_error"] < 1e-8


def test_joint_pd_sags_without_gravity_and_not_with_it() -> None:
    """Weight on a spring of 200 N/m: m g / k below the reference; none where the weight is carried."""
    for gravity, below in ((False, MASS * 9.81 / 200.0), (True, 0.0)):
        run = gough.simulate(heavy(), stand(0.2, 4.0), laws.JointPD(200.0, 30.0, gravity), q=[0.2])
        assert abs(run.q[-1, 0] - (0.2 - below)) < 1e-6
        exact = 0.2 - below + settling(run.time, 200.0, 30.0, MASS, below)
        np.testing.assert_allclose(run.q[:, 0], exact, atol=1e-7)


def test_gains_need_no_new_code() -> None:
    """Gains, limits and forces are inputs of the compiled loop."""
    from gough.simulation.integration.methods.dp5 import DP5
    from inner.simulation import MotionRows, Plant, explicit_step

    def program(law: laws.Law) -> str:
        plant = Plant(mass(), law, MotionRows("drives", 1, 3))
        return repr(explicit_step(plant, DP5).ops)

    assert program(laws.JointPD(1.0, 2.0, limit=3.0)) == program(laws.JointPD(5.0, 0.0, limit=7.0))
    assert program(laws.JointPD(1.0, 2.0)) != program(laws.JointPD(1.0, 2.0, limit=3.0))


def test_limits_cut_forces_off() -> None:
    """A spring too stiff for its drive pushes with all it has: x = F t²/2m; and the drives of a description."""
    run = gough.simulate(mass(), stand(10.0, 0.5), laws.JointPD(1e5, 0.0, limit=4.0), q=[0.0])
    np.testing.assert_allclose(run.tau, 4.0, rtol=0)
    np.testing.assert_allclose(run.q[:, 0], 0.5 * 4.0 / MASS * run.time**2, atol=1e-12)
    for sign in (-1, 1):
        stated = laws.JointPD(1e5, 0.0, limit="description")
        run = gough.simulate(heavy(), stand(sign * 10.0, 0.1), stated, q=[0.0])
        assert (run.tau == sign * 30.0).all()
    run = gough.simulate(mass(), None, laws.Free([3.0], limit=2.0), duration=0.1)
    assert (run.tau == 2.0).all()


def sampled_mass(f, period: float, delay: float, duration: float, start: float) -> tuple[np.ndarray, np.ndarray]:
    """Times and positions of the mass at every change of the force: constant accelerations between, in closed form."""
    samples = np.arange(0, duration - 1e-12, period)
    stops = sorted({*np.round(samples, 12), *np.round(samples + delay, 12), duration})
    x, v, held, coming, first = start, 0.0, 0.0, [], True
    times, places = [], []
    for t, after in pairwise(stops):
        if t >= duration:
            break
        times.append(t)
        places.append(x)
        if np.abs(samples - t).min() < 1e-10:
            tau = f(t, x, v)
            coming.append((t + delay, tau))
            held, first = (tau, False) if first else (held, False)
        while coming and coming[0][0] <= t + 1e-10:
            held = coming.pop(0)[1]
        h = min(after, duration) - t
        x, v = x + v * h + 0.5 * held / MASS * h * h, v + held / MASS * h
    return np.array([*times, duration]), np.array([*places, x])


@pytest.mark.parametrize("delay", [0.0, 0.004, 0.01, 0.023])
def test_a_sampled_controller_holds_its_forces(delay: float) -> None:
    """Against the mass moved by hand from sample to sample."""

    def controller(t, q, v, reference):
        assert abs(reference.position[0] - 0.2) < 1e-14
        return [50.0 * (reference.position[0] - q[0]) - 8.0 * v[0]]

    run = gough.simulate(mass(), stand(0.2, 0.5), laws.Sampled(controller, 0.01, delay), q=[0.0])
    times, places = sampled_mass(lambda t, x, v: 50.0 * (0.2 - x) - 8.0 * v, 0.01, delay, 0.5, 0.0)
    assert run.tau_held
    assert run.stopped == "finished"
    found = np.interp(times, run.time, run.q[:, 0])
    np.testing.assert_allclose(found, places, atol=1e-12)
    assert run.summary()["energy_error"] < 1e-12


def test_a_sampled_law_is_the_law_at_the_samples() -> None:
    """A law of the library and the same formula as a function; both near the continuous law where samples are fast."""

    def controller(t, q, v, reference):
        return 80.0 * (reference.position - q) + 6.0 * (reference.velocity - v)

    law = laws.JointPD(80.0, 6.0)
    one = gough.simulate(mass(), swing(), laws.Sampled(law, 0.02, limit=1.2), q=[0.05])
    two = gough.simulate(mass(), swing(), laws.Sampled(controller, 0.02, limit=1.2), q=[0.05])
    np.testing.assert_allclose(one.q[-1], two.q[-1], atol=1e-13)
    assert np.abs(one.tau).max() == 1.2
    smooth = gough.simulate(mass(), swing(), law, q=[0.05])
    off = [
        np.abs(gough.simulate(mass(), swing(), laws.Sampled(law, h), q=[0.05]).q[-1] - smooth.q[-1]).max()
        for h in (0.02, 0.01)
    ]
    assert off[0] < 5e-3
    assert 1.6 < off[0] / off[1] < 2.4


def test_a_controller_that_fails_is_named_and_keeps_the_run() -> None:
    """NaN, an exception, the wrong number of forces, Ctrl-C: what was done until then is there."""

    def failing(bad):
        def controller(t, q, v, reference):
            if t < 0.0499:
                return [0.5]
            return bad()

        return controller

    def broken():
        raise ValueError("no sensor")

    def interrupted():
        raise KeyboardInterrupt

    for bad, words in (
        (lambda: [np.nan], "not_finite:controller (force of slide) at t = 0.05 s"),
        (broken, "controller failed (ValueError: no sensor) at t = 0.05 s"),
        (interrupted, "interrupted after t = 0.05 s"),
    ):
        run = gough.simulate(mass(), None, laws.Sampled(failing(bad), 0.01), duration=0.1)
        assert run.stopped == words
        np.testing.assert_allclose(run.time[-1], 0.05)
        np.testing.assert_allclose(run.q[-1, 0], 0.5 * 0.5 / MASS * 0.05**2)
    with pytest.raises(UsageError, match="1 drive forces: slide"):
        gough.simulate(mass(), None, laws.Sampled(lambda t, q, v, r: [1.0, 2.0], 0.01), duration=0.1)
    with pytest.raises(UsageError, match=r"cannot begin: controller failed \(ZeroDivisionError"):
        gough.simulate(mass(), None, laws.Sampled(lambda t, q, v, r: [1.0 / 0.0], 0.01), duration=0.1)
    with pytest.raises(UsageError, match="cannot begin: not_finite"):
        gough.simulate(mass(), None, laws.Sampled(lambda t, q, v, r: [np.nan], 0.01), duration=0.1)


class Integral:
    """A controller that remembers something."""

    def __init__(self) -> None:
        self.sum = 0.0

    def __call__(self, t, q, v, reference):
        self.sum += 1e-2 * (0.2 - q[0])
        return [50.0 * (0.2 - q[0]) - 8.0 * v[0] + 20.0 * self.sum]


class ResetIntegral(Integral):
    def reset(self) -> None:
        self.sum = 0.0


def test_controllers_that_remember_begin_anew() -> None:
    """A second run of the same controller, for the estimate or for itself, is as the first; one that cannot is refused."""
    want = stand(0.2, 0.5)
    fresh = gough.simulate(mass(), want, laws.Sampled(Integral(), 0.01), q=[0.0])
    controller = ResetIntegral()
    law = laws.Sampled(controller, 0.01)
    for estimate in (True, False, False):
        run = gough.simulate(mass(), want, law, q=[0.0], estimate=estimate)
        np.testing.assert_array_equal(run.q[-1], fresh.q[-1])
        assert not estimate or run.info.error_estimate < 1e-7  # pyright: ignore[reportOptionalOperand]
    plain = Integral()
    with pytest.raises(UsageError, match=r"estimate=True.*reset="):
        gough.simulate(mass(), want, laws.Sampled(plain, 0.01), q=[0.0], estimate=True)
    put_back = laws.Sampled(plain, 0.01, reset=lambda: setattr(plain, "sum", 0.0))
    assert gough.simulate(mass(), want, put_back, q=[0.0], estimate=True).q[-1] == fresh.q[-1]
    with pytest.raises(UsageError, match="reset="):
        laws.Sampled(plain, 0.01, reset=3)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("bad", ["up", ["1.0"], None, [1.0, 2.0], [1j], 3.0, [[1.0]], object()])
@pytest.mark.parametrize("when", [0.0, 0.05])
def test_what_is_no_force_ends_the_run(bad, when: float) -> None:
    law = laws.Sampled(lambda t, q, v, r: [1.0] if t < when else bad, 0.01)
    if when == 0.0:
        with pytest.raises(UsageError, match=r"cannot begin: controller failed \(it returned"):
            gough.simulate(mass(), None, law, duration=0.1)
        return
    run = gough.simulate(mass(), None, law, duration=0.1)
    assert run.stopped.startswith("controller failed (it returned ") and "at t = 0.05 s" in run.stopped
    assert run.time[-1] == pytest.approx(0.05)


def test_replay() -> None:
    """Forces of a run bring another run to the same end; forces of arrays to what they integrate to, jumps and all."""
    law = laws.JointPD(80.0, 6.0)
    run = gough.simulate(mass(), swing(), law, q=[0.05], tolerance=1e-10)
    again = gough.simulate(mass(), laws.forces_of(run), tolerance=1e-10)
    assert again.info.controller["law"] == "open-loop replay"
    np.testing.assert_allclose(again.q[-1], run.q[-1], atol=1e-7)
    with pytest.warns(DeprecationWarning, match="forces_of"):
        assert laws.replay(run).duration == laws.forces_of(run).duration
    held = gough.simulate(mass(), swing(), laws.Sampled(law, 0.02), q=[0.05])
    np.testing.assert_allclose(gough.simulate(mass(), laws.forces_of(held)).q[-1], held.q[-1], atol=1e-12)
    jumping = laws.forces([0.0, 0.5, 0.5, 1.0], [[2.0], [2.0], [-2.0], [-2.0]])
    end = gough.simulate(mass(), jumping)
    np.testing.assert_allclose([end.q[-1, 0], end.v[-1, 0]], [0.25, 0.0], atol=1e-12)
    jump = np.flatnonzero(end.time == 0.5)
    np.testing.assert_allclose(end.tau[jump, 0], [2.0, -2.0])
    rising = laws.forces(np.linspace(0, 1, 21), (np.linspace(0, 1, 21) ** 3)[:, None])
    np.testing.assert_allclose(gough.simulate(mass(), rising).q[-1, 0], 1.0 / 20.0 / MASS, atol=1e-10)


def test_gravity_compensation_lets_a_robot_float() -> None:
    """No change of kinetic energy while weight is carried (the Delta has no friction), at rest no motion at all."""
    model = delta()
    law = laws.GravityCompensation()
    still = gough.simulate(model, None, law, duration=0.2)
    np.testing.assert_allclose(still.q[-1], model.home, atol=1e-10)
    run = gough.simulate(model, None, law, duration=0.2, v=[0.3, -0.2, 0.25])
    kinetic = run["energy.kinetic"]
    assert np.abs(run.q[-1, :3] - model.home[:3]).max() > 0.03
    np.testing.assert_allclose(kinetic, kinetic[0], rtol=1e-8)


def test_drives_that_follow_from_a_pose() -> None:
    """Drive positions, rates and accelerations of a pose motion: against the model's own inverse geometry and differences."""
    model = delta()
    circle = round_home(model, 0.05)
    made = laws.drives_of(model, circle)
    assert made.names == model.layout.drive_names
    t = np.linspace(0.1, 0.9, 5)
    whole = made.at(t)
    for k, pose in enumerate(circle.at(t).position):
        np.testing.assert_allclose(whole.position[k], model.configuration(pose=pose)[model.drive_index], atol=1e-12)
    h = 1e-4
    near = [made.at(t + s * h) for s in (-1, 1)]
    np.testing.assert_allclose(whole.velocity, (near[1].position - near[0].position) / (2 * h), atol=1e-5)
    np.testing.assert_allclose(whole.acceleration, (near[1].velocity - near[0].velocity) / (2 * h), atol=1e-3)
    run = gough.simulate(model, circle, laws.JointPD(2e3, 20.0, gravity=True), tolerance=1e-7)
    assert run.stopped == "finished"
    reference = made.at(run.time).position
    assert np.abs(run["drives.position"] - reference).max() < 0.02


def test_drives_in_another_order() -> None:
    """A motion that names its drives in its own order."""
    model = built(gough.load("five_bar"))
    names = model.layout.drive_names
    first = model.home[model.drive_index]

    def moved(order: list[int]) -> gough.Motion:
        def position(t):
            both = [first[0] + 0.2 * t * t, first[1] - 0.1 * t * t]
            return [both[k] for k in order]

        return motions.function(position, 0.3, kind="drives", names=[names[k] for k in order])

    one, two = (gough.simulate(model, moved(order), tolerance=1e-9) for order in ([0, 1], [1, 0]))
    np.testing.assert_allclose(two.q[-1], one.q[-1], atol=1e-9)
    np.testing.assert_allclose(one.q[-1][model.drive_index] - first, [0.2 * 0.09, -0.1 * 0.09], atol=1e-12)


@pytest.mark.parametrize("angle", [0.0, 1e-9, 1e-3, 0.3, 0.6434, 0.6436, 1.5, 3.0])
def test_rotation_error(angle: float) -> None:
    """Against SciPy's rotation vectors."""
    rng = np.random.default_rng(5)
    for _ in range(4):
        axis = rng.normal(size=3)
        vector = angle * axis / np.linalg.norm(axis)
        found = Rotation.from_quat(rng.normal(size=4))
        wanted = Rotation.from_rotvec(vector) * found
        error = rotation_error(wanted.as_matrix().astype(object), found.as_matrix().astype(object))
        np.testing.assert_allclose(error.astype(float), vector, atol=2e-15 * (1 + 20 * angle))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: laws.JointPD(-1.0, 1.0), "stiffness"),
        (lambda: laws.JointPD([1.0, np.nan], 1.0), "finite"),
        (lambda: laws.JointPD(1.0, "much"), "damping"),  # type: ignore[arg-type]
        (lambda: laws.ComputedTorque(1.0, 1.0, model="soft"), "flexible"),
        (lambda: laws.ComputedTorque(1.0, 1.0, elastic="guessed"), "simulated"),
        (lambda: laws.ComputedTorque(1.0, 1.0, model="rigid", elastic="simulated"), "rigid"),
        (lambda: laws.Free([1.0], limit=-2.0), "limit"),
        (lambda: laws.Free([1.0], limit="a lot"), "description"),
        (lambda: laws.Follow(limit=1.0), "limit"),
        (lambda: laws.Sampled(laws.Follow(), 0.1), "sampled"),
        (lambda: laws.Sampled(3, 0.1), "function"),
        (lambda: laws.Sampled(laws.Free(), 0.0), "period"),
        (lambda: laws.Sampled(laws.Free(), 0.1, -1.0), "delay"),
        (lambda: laws.forces([0.0, 1.0], [1.0, 2.0]), "shape"),
        (lambda: laws.forces([0.5, 1.0], [[1.0], [2.0]]), "rise from 0"),
    ],
)
def test_bad_laws(make, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        make()


@pytest.mark.parametrize(
    ("motion", "law", "words"),
    [
        (swing, laws.GravityCompensation(), "follows no motion"),
        (None, laws.JointPD(1.0, 1.0), "needs a motion"),
        (swing, laws.JointPD([1.0, 2.0], 1.0), "1 drives"),
        (swing, laws.JointPD(1.0, 1.0, limit="description"), "force_limit"),
        (swing, lambda t, q, v, reference: [0.0], "Sampled"),
        (None, laws.Free([1.0, 2.0]), "1 drives"),
        (lambda: round_home(delta(), 0.05), laws.JointPD(1.0, 1.0), "platform"),
    ],
)
def test_laws_that_do_not_fit(motion, law, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        gough.simulate(mass(), None if motion is None else motion(), law, duration=0.1)


@dataclass(frozen=True)
class Shaped(laws.Law):
    """A law from outside: a function of the drives' errors, in traced scalars."""

    function: Callable[[np.ndarray], np.ndarray]
    name = "shaped"
    kinds = ("drives",)
    computes = False

    def forces(self, here: laws.Here) -> np.ndarray:
        return self.function(here.now.position - here.measured.drives)


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (np.tanh, "no callable tanh"),
        (lambda error: error if error[0] > 0 else -error, "no order"),
        (lambda error: np.array([math.tanh(x) for x in error]), "no number"),
        (lambda error: np.hypot(error, error), "hypot"),
        (lambda error: error**0.5, "integer powers"),
        (scalar.sin, "Python scalars|has no number"),
    ],
)
def test_a_law_that_asks_too_much_of_traced_scalars_is_named(function, words: str) -> None:
    with pytest.raises(UsageError, match=rf"shaped: .*({words}).*gough\.scalar"):
        gough.simulate(mass(), swing(), Shaped(function), duration=0.1)


def test_other_errors_of_a_law_stay_what_they_are() -> None:
    with pytest.raises(TypeError, match="has no len"):
        gough.simulate(mass(), swing(), Shaped(lambda error: error * len(2)), duration=0.1)  # type: ignore[arg-type]


def simulate_giving(forces, limit: float | None = None) -> gough.Run:
    """A run of a law that gives what `forces` makes of the drives."""

    @dataclass(frozen=True)
    class Odd(laws.Law):
        name = "odd"
        computes = False

        def forces(self, here):
            return forces(-1.0 * here.measured.drives)

    return gough.simulate(mass(), None, Odd(limit=limit), duration=0.01, method="rk4", step=1e-3)


@pytest.mark.parametrize("limit", [None, 5.0])
def test_forces_of_another_shape_are_refused(limit: float | None) -> None:
    twice = r"odd: forces must be \(1,\), one a drive: slide; the law gives an array \(2,\)"
    for forces, words in (
        (lambda tau: np.concatenate([tau, tau]), twice),
        (lambda tau: tau[:, None], r"gives an array \(1, 1\)"),
        (lambda tau: tau[0], "gives a single number"),
        (lambda tau: None, "gives None"),
    ):
        with pytest.raises(UsageError, match=words):
            simulate_giving(forces, limit)
    assert simulate_giving(list, limit).info.finished


def test_forces_that_splines_do_not_tell_are_said() -> None:
    """Forces that are held, cut off: with all states stored they are replayed as they were; one of seven is not enough."""

    def run_of(law: laws.Law, **options) -> gough.Run:
        return gough.simulate(mass(), stand(0.5, 1.0), law, q=[0.0], **options)

    springs, weak = laws.JointPD(40.0, 9.0), laws.JointPD(40.0, 9.0, limit=5.0)
    held = run_of(laws.Sampled(weak, 0.01), method="rk4", step=5e-3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_allclose(gough.simulate(mass(), laws.forces_of(held)).q[-1], held.q[-1], atol=1e-12)
        smooth = run_of(springs, tolerance=1e-10)
        np.testing.assert_allclose(gough.simulate(mass(), laws.forces_of(smooth)).q[-1], smooth.q[-1], atol=1e-6)
    for run in (
        run_of(laws.Sampled(weak, 0.01), method="rk4", step=5e-3, every=7),
        run_of(weak, method="rk4", step=0.02),
    ):
        with pytest.warns(gough.errors.RunWarning, match=r"between the stored states .* are splines"):
            again = gough.simulate(mass(), laws.forces_of(run), tolerance=1e-10)
        assert np.abs(again.q[-1] - run.q[-1]).max() > 1e-5
