"""Exciting motions: optima known in closed form, limits seen by the model's own calls, and what is said when there are none."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gough

from .robots import LIMITS, TIED, axis, model_of

PERIOD = 2.0
RATE = 2 * np.pi / PERIOD
ASKED = ("inertia", "viscous", "offsets")
SIGMA = np.array([2.0, 3.0, 0.5])
"""Deviations of mass, viscous friction and offset."""
SMALL: dict[str, Any] = {"period": 4.0, "harmonics": 3, "starts": 1, "iterations": 25}
FEW: dict[str, Any] = SMALL | {"iterations": 4}


def amplitude(e: gough.Excitation) -> float:
    return float(np.hypot(*e.coefficients[1:, 0]))


def test_d_optimal_amplitude_of_one_axis_is_its_stroke() -> None:
    """Columns ẍ, ẋ and 1 of one wave are orthogonal: det = (σ1 A ω²)²/2 · (σ2 A ω)²/2 · σ3², largest at the bound."""
    e = gough.excitation(
        axis(), period=PERIOD, harmonics=1, objective="d-optimal", parameters=ASKED, deviations=SIGMA, margins=0.1
    )
    A = 0.9 * 0.2
    wanted = np.log((SIGMA[0] * A * RATE**2) ** 2 / 2 * (SIGMA[1] * A * RATE) ** 2 / 2 * SIGMA[2] ** 2)
    assert amplitude(e) == pytest.approx(A, rel=1e-4)
    assert e.log_det == pytest.approx(wanted, abs=1e-3)
    assert e.base.names == ("cart.M", "slide.drive.friction.viscous", "slide.offset")


def test_speed_bounds_it_where_that_is_narrower() -> None:
    e = gough.excitation(
        axis(), period=PERIOD, harmonics=1, objective="d-optimal", parameters=ASKED, limits={"slide": {"speed": 0.3}}
    )
    assert amplitude(e) == pytest.approx(0.95 * 0.3 / RATE, rel=1e-4)
    [stroke, speed] = e.limits
    assert speed.free == pytest.approx(0.05, abs=1e-4) and stroke.margin > 0.1


def test_condition_of_one_axis_is_1_at_its_own_amplitude() -> None:
    """With σ2 = ω σ1 both moving columns are σ1 A ω²/√2 long, and σ3 at A = √2 σ3 / (ω² σ1), within the stroke."""
    sigma = np.array([1.0, RATE, 1.0])
    e = gough.excitation(axis(), period=PERIOD, harmonics=1, parameters=ASKED, deviations=sigma)
    assert e.condition == pytest.approx(1.0, abs=1e-2)
    assert amplitude(e) == pytest.approx(np.sqrt(2.0) / RATE**2, rel=1e-2)


def test_coulomb_friction_beside_the_viscous() -> None:
    """Of ẋ = V cos and its sign the Gram matrix has V²(1/2 - 4/π²): the speeds' average is 2/π V."""
    sigma = np.array([2.0, 3.0, 1.5, 0.5])
    e = gough.excitation(
        axis(coulomb=20.0),
        period=PERIOD,
        harmonics=1,
        samples=400,
        objective="d-optimal",
        parameters=("inertia", "friction", "offsets"),
        deviations=sigma,
        margins=0.0,
    )
    A = 0.2
    wanted = np.log((A * RATE**2) ** 2 / 2 * (A * RATE) ** 2 * (0.5 - 4 / np.pi**2) * np.prod(sigma) ** 2)
    assert amplitude(e) == pytest.approx(A, rel=1e-3)
    assert e.log_det == pytest.approx(wanted, abs=1e-2)


def check_limits(e: gough.Excitation, model: gough.Model, samples: int = 3000) -> None:
    """All bounds by the model's own calls on a grid that is no multiple of the search's."""
    t = np.linspace(0.0, e.motion.duration, samples + 7)
    s = gough.motions.states_along(model, e.motion, t)
    assert not s.status.any()
    tau = model.inverse_dynamics(s.q, s.v, s.acceleration).tau
    stated = model.limit_margins(s.q, s.v, tau)
    assert stated.margins.min(initial=0.0) >= 0.0
    near = model.singularity(s.q)
    assert min(near.parallel.min(), near.serial.min(initial=1.0)) >= 0.01 * (1 - 1e-3)
    rates = model.drive_rates(s.q, s.v)
    for use in e.limits:
        kind, name = use.kind, use.name.rsplit(" ", 1)[0]
        if name in model.layout.drive_names and kind in ("stroke", "speed", "force"):
            k = model.layout.drive_names.index(name)
            x = {"stroke": s.q[:, model.drive_index[k]], "speed": rates[:, k], "force": tau[:, k]}[kind]
            assert x.min() >= use.lower and x.max() <= use.upper
            assert (x.min(), x.max()) == pytest.approx((use.least, use.most), abs=2e-3 * (use.upper - use.lower))
        assert use.margin >= 0.0


CASES = [("five_bar", "drives", "spline")]
MORE = [
    ("delta", "drives", "spline"),
    ("delta", "platform", "fourier"),
    ("three_prs", "drives", "fourier"),
    ("three_prs", "platform", "spline"),
    ("pedrammehr2012", "platform", "fourier"),
]


@pytest.mark.parametrize(
    ("name", "space", "family"), [*CASES, *(pytest.param(*c, marks=pytest.mark.slow) for c in MORE)]
)
def test_robots_are_excited_better_within_all_limits(name: str, space: str, family: str) -> None:
    model = model_of(name)
    e = gough.excitation(model, space=space, family=family, limits=LIMITS[name], tied=TIED.get(name, "legs"), **SMALL)
    assert e.condition < 0.7 * e.before.condition
    assert len(e.before.singular_values) == len(e.scaling) == e.base.rank
    check_limits(e, model)
    assert e.report.ok and e.ending == "done"


@pytest.mark.parametrize("family", ["fourier", "spline"])
def test_a_file_has_the_same_motion(family: str, tmp_path) -> None:
    e = gough.excitation(model_of("five_bar"), limits=LIMITS["five_bar"], family=family, **FEW)
    back = gough.load_motion(e.save(tmp_path / "fast.yaml"), model_of("five_bar"))
    t = np.linspace(0.0, 4.0, 21)
    assert np.array_equal(back.at(t).position, e.motion.at(t).position)
    assert np.array_equal(back.at(t).acceleration, e.motion.at(t).acceleration)
    assert back.names == e.motion.names and "robot: five_bar" in e.yaml()
    twice = e.repeat(2)
    saved = gough.load_motion(e.save(tmp_path / "twice.yaml", periods=2), model_of("five_bar"))
    assert saved.duration == pytest.approx(twice.duration)
    assert np.array_equal(saved.at(0.7 * saved.duration).position, twice.at(0.7 * saved.duration).position)
    assert twice.at(t + 4.0).position == pytest.approx(e.motion.at(t).position, abs=1e-12)


def test_it_runs_and_begins_at_rest_where_asked() -> None:
    model = model_of("five_bar")
    e = gough.excitation(model, limits=LIMITS["five_bar"], from_rest=True, **FEW)
    ends = e.motion.at([0.0, e.motion.duration])
    assert np.abs(ends.velocity).max() < 1e-12 and np.abs(ends.acceleration).max() < 1e-12
    assert "begins with a velocity" not in str(e.report)
    run = gough.simulate(model, e.motion, duration=0.2)
    assert run.q[-1] == pytest.approx(gough.motions.states_along(model, e.motion, [0.2]).q[0], abs=1e-6)


def test_scaling_is_the_same_before_and_after() -> None:
    model = model_of("five_bar")
    e = gough.excitation(model, limits=LIMITS["five_bar"], **SMALL)
    y = gough.regressor(model, ("inertia", "rotors", "friction", "springs"))
    for motion, measure in ((e.before_motion, e.before), (e.motion, e.measure)):
        s = gough.motions.states_along(model, motion, np.arange(600) * 4.0 / 600)
        W = e.base.columns(y(s.q, s.v, s.acceleration).Y).reshape(-1, e.base.rank) * e.scaling / np.sqrt(600)
        assert np.linalg.cond(W) == pytest.approx(measure.condition, rel=1e-8)
        assert np.linalg.slogdet(W.T @ W)[1] == pytest.approx(measure.log_det, abs=1e-8)
    assert "unoptimised" in str(e) and "columns scaled by their length along the unoptimised motion" in str(e)


def test_robots_without_limits_need_bounds() -> None:
    with pytest.raises(
        gough.UsageError, match=r"nothing bounds how far slide of axis goes; state its stroke .* or its speed"
    ):
        gough.excitation(axis(stroke=0.0), parameters=ASKED)
    e = gough.excitation(axis(stroke=0.0), parameters=ASKED, limits={"slide": {"speed": 0.5}}, period=2.0, harmonics=1)
    assert e.notes == (
        "no limit of drives is known for stroke (slide); force (slide): other limits, singularities and the period bound it",
    )


def test_what_is_in_the_way_is_named() -> None:
    """95 kg upright weigh 932 N at any size."""
    data = axis().robot
    upright = gough.build(data.model_copy(update={"gravity": (-9.81, 0.0, 0.0)}))
    with pytest.raises(
        gough.UsageError, match=r"tried breaks slide force \(9\d\d.* N of -500 … 500, .*\) at t = .* s. Widen it"
    ):
        gough.excitation(upright, parameters=ASKED, harmonics=1, limits={"slide": {"force": 500.0}})


def test_a_budget_ends_the_search() -> None:
    e = gough.excitation(model_of("five_bar"), limits=LIMITS["five_bar"], budget=1e-3, starts=4)
    assert e.ending == "budget" and len(e.history) == 1
    assert any("ended by its budget in start 1 of 4" in note for note in e.notes)
    assert e.condition == pytest.approx(e.before.condition, rel=0.1)


def test_interrupting_keeps_the_best() -> None:
    seen = []

    def progress(step: object) -> None:
        seen.append(step)
        if len(seen) == 12:
            raise KeyboardInterrupt

    e = gough.excitation(model_of("five_bar"), limits=LIMITS["five_bar"], progress=progress)
    assert e.ending == "interrupted" and list(e.history) == seen
    assert e.condition < e.before.condition and any("interrupted" in note for note in e.notes)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"space": "tool"}, "space='tool'"),
        ({"family": "chirp"}, "family='chirp'"),
        ({"objective": "e-optimal"}, "objective='e-optimal'"),
        ({"family": "spline", "harmonics": 1}, "harmonics=2 or more"),
        ({"samples": 4, "harmonics": 1, "parameters": ("inertia", "offsets")}, "8 drives|fewer equations than the 9"),
        ({"margins": 1.0}, "below 1"),
        ({"margins": {"reach": 0.1}}, "no 'reach'"),
        ({"deviations": [1.0]}, "a positive one for each of the 7 base parameters"),
        ({"samples": 5, "harmonics": 5}, "do not tell 5 harmonics apart"),
    ],
)
def test_misuse_is_named(given: dict, said: str) -> None:
    with pytest.raises(gough.UsageError, match=said):
        gough.excitation(model_of("five_bar"), limits=LIMITS["five_bar"], **given)


def test_robots_that_drives_do_not_lead_are_refused() -> None:
    with pytest.raises(gough.UsageError, match=r"of dualemps no drive leads .*, which move as forces let them"):
        gough.excitation(model_of("dualemps"))


@pytest.mark.parametrize("objective", ["condition", "d-optimal"])
@pytest.mark.parametrize("seed", [0, 2])
def test_a_search_without_time_gives_nothing_worse_than_the_unoptimised_motion(objective: str, seed: int) -> None:
    """Both compared by the regressor's own columns along the motions."""
    model, limits = gough.build("five_bar"), {"*_motor": {"stroke": (0.3, 2.8)}}
    e = gough.excitation(
        model, period=4.0, harmonics=3, limits=limits, starts=1, budget=0.001, seed=seed, objective=objective
    )
    t = np.linspace(0.0, 4.0, 600, endpoint=False)
    worth = []
    for motion in (e.motion, e.before_motion):
        s = gough.motions.states_along(model, motion, t)
        assert (s.q[:, model.drive_index] >= 0.3).all() and (s.q[:, model.drive_index] <= 2.8).all()
        W = e.base.columns(gough.regressor(model)(s.q, s.v, s.acceleration).Y)
        W = W.reshape(-1, e.base.rank) * e.scaling / np.sqrt(len(t))
        worth.append(np.linalg.cond(W) if objective == "condition" else -np.linalg.slogdet(W.T @ W)[1])
    assert worth[0] <= worth[1] * (1 + 1e-9) + 1e-9
