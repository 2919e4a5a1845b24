"""`gough.identify` on runs that Pinocchio moved: numbers within their deviations, consistent, written back, told."""

from __future__ import annotations

import warnings
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

import gough
from gough.errors import UsageError
from identification.foreign import Experiment, Noise, clean_run, experiment, measure, nearby
from inner.identification import reference_motion

PARAMETERS = ("inertia", "rotors", "friction", "offsets")
LAW = gough.laws.JointPD(stiffness=1.0, damping=1.0)
SECONDS = {"five_bar": 3.0, "delta": 4.0, "hexapod": 4.0}


@cache
def case(name: str) -> tuple[Experiment, gough.Model, Any, np.ndarray]:
    """(experiment, model that identification begins with, clean run without its begin, true base parameters)."""
    of = experiment(name)
    clean = clean_run(of, None, SECONDS[name], 1000.0).part(slice(500, None))
    model = gough.build(nearby(of.robot))
    true = gough.base_parameters(of.model, PARAMETERS)
    return of, model, clean, true.matrix @ of.truth(true.regressor.unknowns)


def record(name: str, seed: int = 0, noise: Noise | None = None) -> gough.Record:
    of, _, clean, _ = case(name)
    return measure(clean, of, np.random.default_rng(seed), noise)


@cache
def identified(name: str, method: str, seed: int = 0) -> gough.Identification:
    of, model, _, _ = case(name)
    told: dict[str, Any] = {} if method == "ls" else {"controller": of.controller, "motion": of.motion()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return gough.identify(model, record(name, seed), method=method, parameters=PARAMETERS, **told)


@pytest.mark.parametrize(
    ("name", "method"),
    [
        ("five_bar", "ls"),
        ("five_bar", "iv"),
        ("five_bar", "didim"),
        *(pytest.param(n, m, marks=pytest.mark.slow) for n in ("delta", "hexapod") for m in ("ls", "iv", "didim")),
    ],
)
def test_estimates_are_within_their_deviations(name: str, method: str) -> None:
    found, truth = identified(name, method), case(name)[3]
    z = (found.base_values - truth) / found.base_deviations
    # of p normal numbers the mean square is 1 ± √(2/p), the largest below 4.5 in all but one of 1000 sets of 100
    assert float(np.mean(z**2)) < (2.0 if method == "ls" else 1.0 + 4 * np.sqrt(2 / len(z)))
    assert float(np.abs(z).max()) < (6.0 if method == "ls" else 4.5)
    assert found.estimate.settled
    low, high = found.intervals().T
    assert np.mean((low < truth) & (truth < high)) > 0.8


@pytest.mark.parametrize("method", ["ls", "iv", "didim"])
def test_without_noise_the_truth_is_found(method: str) -> None:
    of, model, clean, truth = case("five_bar")
    exact = gough.Samples(
        model,
        clean.time,
        clean.q,
        clean.v,
        clean.acceleration,
        clean.forces,
        None,
        np.zeros(len(clean.time), dtype=int),
        ("x",),
    )
    told: dict[str, Any] = {} if method == "ls" else {"controller": of.controller, "motion": of.motion()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = gough.identify(model, exact, method=method, parameters=PARAMETERS, consistent=False, **told)
    # equations hold to rounding; a simulated run is as exact as its steps, and forgets its begin within a second
    assert np.abs(found.base_values - truth).max() < (1e-7 if method != "didim" else 3e-3) * np.abs(truth).max()


def test_noise_in_positions_makes_least_squares_lean_and_instruments_not() -> None:
    """Encoders fifty times as coarse, a band that lets their noise through."""
    of, model, _, truth = case("five_bar")
    found = {}
    for method in ("ls", "iv"):
        told: dict[str, Any] = {} if method == "ls" else {"controller": of.controller, "motion": of.motion()}
        z = []
        for seed in range(6):
            coarse = record("five_bar", seed, Noise(hinge_count=5e-4))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                samples = gough.condition(model, coarse, band=100.0, decimate=5, shifts=None)
                fit = gough.identify(model, samples, method=method, parameters=PARAMETERS, consistent=False, **told)
            z.append((fit.base_values - truth) / fit.base_deviations)
        found[method] = np.abs(np.mean(z, axis=0)).max() * np.sqrt(6)
    assert found["ls"] > 3.5 > found["iv"]  # of 23 normal numbers one in a hundred sets has one beyond 3.5


def test_the_robot_has_the_new_numbers_and_says_how_sure_they_are(tmp_path: Any) -> None:
    found = identified("five_bar", "ls")
    assert found.inconsistent == () and found.distance < 3.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        gough.save(found.robot, tmp_path / "found.yaml")
        again = gough.build(gough.load(tmp_path / "found.yaml"))
    text = (tmp_path / "found.yaml").read_text()
    assert "identified by least squares" in text and "±" in text
    s = case("five_bar")[1].sampled_states
    q, v, a = s["q"][:3], s["v"][:3], s["acceleration"][:3]
    Y = gough.regressor(found.model, PARAMETERS)(q, v, a)
    tau = np.einsum("nij,j->ni", Y.Y, found.standard.values) + Y.rest
    assert np.allclose(again.inverse_dynamics(q, v, a).tau, tau, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(("jump", "most"), [(0.0, 130), (0.01, 2001)])
def test_references_become_motions_of_few_pieces(jump: float, most: int) -> None:
    """A smooth one needs few knots, one that jumps all of its samples."""
    t = np.arange(2001) * 1e-3
    told = np.stack([np.sin(6 * t) + jump * (t > 1.0), 0.2 * np.cos(9 * t)], axis=1)
    made = reference_motion(t, told, ("a", "b"))
    assert np.abs(made.at(t).position - told).max() < 2e-7
    assert len(made.table().breaks) <= most


def test_references_in_records_say_what_was_followed() -> None:
    of, model, _, _ = case("five_bar")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        by_record = gough.identify(
            model, record("five_bar"), method="iv", parameters=PARAMETERS, controller=of.controller
        )
    by_motion = identified("five_bar", "iv")
    assert np.abs((by_record.base_values - by_motion.base_values) / by_motion.base_deviations).max() < 0.2


def test_gains_are_found_beside_a_known_body() -> None:
    of, _, clean, _ = case("five_bar")
    gains = np.array([1.08, 0.93])
    known = gough.build(of.robot)
    exact = gough.Samples(
        known,
        clean.time,
        clean.q,
        clean.v,
        clean.acceleration,
        clean.forces / gains,
        None,
        np.zeros(len(clean.time), dtype=int),
        ("x",),
    )
    unknown = ("left_*.M*", "left_*.ZZ", "right_crank.M*", "right_crank.ZZ", "rotors", "friction", "offsets", "gains")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = gough.identify(known, exact, parameters=unknown, consistent=False)
    assert found.gains == pytest.approx(gains, rel=1e-5)
    with pytest.raises(UsageError, match="gains and masses may grow together"):
        gough.identify(known, exact, parameters=("inertia", "rotors", "friction", "offsets", "gains"))
    with pytest.raises(UsageError, match="method='iv'"):
        gough.identify(known, exact, parameters=unknown, method="didim", controller=of.controller, motion=of.motion())


def test_a_stated_prior_holds_what_data_hardly_tell() -> None:
    _, model, _, _ = case("five_bar")
    data = record("five_bar")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        loose = identified("five_bar", "ls")
        firm = gough.identify(model, data, parameters=PARAMETERS, prior={"left_crank.M": 1e-6, "left_rod.M": 1e-6})
    described = dict(zip(firm.base.regressor.names, firm.base.regressor.values, strict=True))
    assert firm.parameters["left_rod.M"] == pytest.approx(described["left_rod.M"], abs=1e-4)
    assert loose.deviations["left_rod.M"] > firm.deviations["left_rod.M"]
    with pytest.raises(UsageError, match=r"'left_rod\.N' is not identified"):
        gough.identify(model, data, prior={"left_rod.N": 1.0})


def test_what_data_do_not_tell_is_named() -> None:
    """A record at rest tells weights alone."""
    _, model, clean, _ = case("five_bar")
    still = gough.Samples(
        model,
        clean.time,
        clean.q,
        0 * clean.v,
        0 * clean.acceleration,
        clean.forces + 0.01 * np.random.default_rng(0).normal(size=clean.forces.shape),
        None,
        np.zeros(len(clean.time), dtype=int),
        ("x",),
    )
    with pytest.warns(gough.IdentificationWarning, match=r"do not determine|poor excitation"):
        found = gough.identify(model, still, parameters=PARAMETERS)
    assert any("rotor_inertia" in name for name in found.undetermined_base)
    assert found.distance < 100.0
    assert {"left_crank.ZZ", "left_rod.ZZ", "right_motor.rotor_inertia"} <= set(found.undetermined)
    assert found.deviations["left_rod.ZZ"] > 0.1 * found.prior.spreads[found.base.regressor.names.index("left_rod.ZZ")]


def test_wrong_signs_and_validation_are_told() -> None:
    _, model, _, _ = case("five_bar")
    samples = gough.condition(model, record("five_bar"))
    bad = replace(samples, force=-samples.force)
    with pytest.warns(gough.IdentificationWarning) as said:
        found = gough.identify(model, bad, parameters=PARAMETERS, validation=samples)
    texts = " ".join(str(w.message) for w in said)
    assert "wrong sign" in texts and "validation" in texts and found.inconsistent == ()


def test_measured_and_predicted_runs_are_played_together() -> None:
    measured, predicted = identified("five_bar", "ls").playback()
    assert np.array_equal(measured.q, predicted.q) and measured.time[0] == 0.0
    missing = np.sqrt(np.mean((measured.tau - predicted.tau) ** 2)) / np.sqrt(np.mean(measured.tau**2))
    assert missing < 0.03


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"method": "lms"}, "lms"),
        ({"consistent": "maybe"}, "log-cholesky"),
        ({"method": "iv"}, "controller="),
        ({"controller": LAW}, "method='ls' simulates nothing"),
        ({"begin": 0.5}, "begin= would count nothing"),
        ({"begin": 0.5, "method": "didim", "controller": LAW}, "begin= says when motion= began, and there is none"),
        ({"thin": 0}, "thin"),
        ({"prior": -1.0}, "prior"),
        ({"parameters": "everything"}, "everything"),
    ],
)
def test_misuse_is_named(wrong: dict[str, Any], message: str) -> None:
    _, model, _, _ = case("five_bar")
    samples = gough.condition(model, record("five_bar"))
    with pytest.raises(UsageError, match=message):
        gough.identify(model, samples, **wrong)


def test_other_data_are_refused() -> None:
    _, model, _, _ = case("five_bar")
    with pytest.raises(UsageError, match="give Samples"):
        gough.identify(model, np.zeros((3, 3)))


def test_a_wrench_is_not_felt_by_the_simulated_robot() -> None:
    of, model, _, _ = case("five_bar")
    samples = gough.condition(model, record("five_bar"))
    pushed = replace(samples, wrench=np.ones((len(samples), 6)))
    with pytest.raises(UsageError, match="does not feel the measured wrench"):
        gough.identify(model, pushed, method="iv", controller=of.controller, motion=of.motion())


def test_motions_are_given_by_run_whatever_parts_it_has() -> None:
    of, model, _, truth = case("five_bar")
    samples = gough.condition(model, record("five_bar"))
    holed = samples.rows(np.r_[0:1000, 1300 : len(samples)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = gough.identify(
            model,
            holed,
            method="iv",
            parameters=PARAMETERS,
            controller=of.controller,
            motion=[of.motion()],
            begin=[0.0],
        )
    assert len(found.samples.runs) == 2
    assert float(np.mean(((found.base_values - truth) / found.base_deviations) ** 2)) < 2.2
    with pytest.raises(UsageError, match="3 motions for 2 runs"):
        gough.identify(model, holed, method="iv", controller=of.controller, motion=[of.motion()] * 3)


@pytest.mark.parametrize("method", ["iv", "didim"])
@pytest.mark.parametrize("begin", [float("nan"), float("inf")])
def test_a_begin_that_is_no_time_is_refused(method: str, begin: float) -> None:
    of, model, _, _ = case("five_bar")
    with pytest.raises(UsageError, match=r"begin: (nan|inf) of run"):
        gough.identify(
            model, record("five_bar"), method=method, controller=of.controller, motion=of.motion(), begin=begin
        )


@pytest.mark.parametrize("thin", [10**5, 10**7, 10**9])
def test_thinning_beyond_the_data_makes_no_filter(thin: int) -> None:
    with pytest.raises(UsageError, match="thin="):
        gough.identify(case("five_bar")[1], record("five_bar"), thin=thin)
