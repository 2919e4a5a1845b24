"""What is said of identifications whose numbers are worth little: provoked, one after the other, on a five-bar."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

import gough

LAW = gough.laws.JointPD(stiffness=300.0, damping=20.0)


@cache
def model() -> gough.Model:
    return gough.build("five_bar")


@cache
def told(seed: int) -> gough.Motion:
    home, t = model().drives(model().home), np.linspace(0.0, 6.0, 31)
    drives = home + 0.3 * np.sin(np.outer(t, np.random.default_rng(seed).uniform(1.0, 4.0, 2)))
    return gough.motions.spline(times=t, drives=drives, names=model().layout.drive_names, degree=5)


@cache
def record(seed: int, rate_hz: float = 500.0) -> gough.Record:
    run = gough.simulate(model(), told(seed), LAW, method="rk4", step=1e-3)
    made = gough.Record.from_run(run, "log", rate_hz=rate_hz, resolution=1e-5, noise={"force": 0.005}, seed=seed)
    return replace(made, rates={}, pose=None, wrench=None, stated=frozenset())


def with_forces(of: gough.Record, change: Callable[[str, np.ndarray], np.ndarray]) -> gough.Record:
    return replace(of, forces={d: change(d, np.asarray(x)) for d, x in of.forces.items()})


def said(data: Any, **more: Any) -> tuple[gough.Identification, str]:
    """(what was found, all that was said)."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = gough.identify(model(), data, **more)
    assert not any(issubclass(w.category, RuntimeWarning) for w in caught)
    return found, " ".join(str(w.message) for w in caught)


@pytest.mark.parametrize("method", ["ls", "iv", "didim"])
def test_nothing_is_said_of_good_data(method: str) -> None:
    more: dict[str, Any] = {} if method == "ls" else {"controller": LAW, "motion": told(1)}
    assert said(record(1), method=method, **more)[1] == ""


def test_a_force_that_is_not_predicted_is_said() -> None:
    right = model().layout.drive_names[1]
    _, text = said(with_forces(record(1), lambda d, x: x / 5 if d == right else x))
    assert "of the force are not predicted in training" in text and "columns another unit" in text


def test_an_encoder_with_another_zero_is_said() -> None:
    first = model().layout.drive_names[0]
    moved = {d: x + (0.5 if d == first else 0.0) for d, x in record(1).positions.items()}
    assert "encoders have another zero" in said(replace(record(1), positions=moved))[1]


def test_a_record_given_twice_is_refused() -> None:
    with pytest.raises(gough.UsageError, match="run 'log #2' is run 'log' once more"):
        gough.identify(model(), [record(1), record(1)])


def test_training_data_validate_nothing() -> None:
    assert "is training data, too" in said(record(1), validation=record(1))[1]
    assert "is training data" not in said(record(1), validation=record(2))[1]


def test_validation_may_be_sampled_otherwise() -> None:
    """The same noise a sample is more noise an equation, which takes fewer of them; that is no bad fit."""
    found, text = said(record(1), validation=record(2, 100.0))
    assert text == "" and found.fits[1].count > 40


def test_shares_are_of_the_measured_force() -> None:
    """Whatever is known of it."""
    one, all_ = (said(record(1), parameters=which)[0].fits[0] for which in (("left_crank.ZZ",), ("inertia", "rotors")))
    assert one.rms / one.share == pytest.approx(all_.rms / all_.share, rel=1e-12)


@pytest.mark.parametrize("method", ["iv", "didim"])
@pytest.mark.parametrize("factor", [0.25, 10.0])
def test_another_controller_is_noticed(method: str, factor: float) -> None:
    other = gough.laws.JointPD(stiffness=factor * 300.0, damping=factor * 20.0)
    assert "check controller=, motion=" in said(record(1), method=method, controller=other, motion=told(1))[1]


@pytest.mark.parametrize("method", ["iv", "didim"])
def test_another_motion_is_noticed(method: str) -> None:
    try:
        _, text = said(record(1), method=method, controller=LAW, motion=told(2))
    except gough.UsageError as problem:
        text = str(problem)
    assert "check controller=" in text


def test_references_of_records_with_one_name() -> None:
    times = record(1).time
    logs = [
        replace(record(k), reference=dict(zip(record(k).forces, told(k).at(times).position.T, strict=True)))
        for k in (1, 2)
    ]
    found, text = said(logs, method="iv", controller=LAW)
    assert "the simulated robot is" not in text and found.samples.runs == ("log", "log #2")


@pytest.mark.parametrize("method", ["ls", "didim"])
def test_useless_data_are_refused_in_words(method: str) -> None:
    still = replace(record(1), positions={d: x[0] + 1e-7 * (x - x[0]) for d, x in record(1).positions.items()})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            if method == "ls":
                found = gough.identify(model(), still)
            else:
                found = gough.identify(model(), record(1), method="didim", controller=LAW, motion=told(1), begin=-100.0)
        except gough.UsageError:
            return
    assert found.undetermined_base


def test_few_equations_are_refused() -> None:
    with pytest.raises(gough.UsageError, match="equations for 7 parameters, and 14 are the least"):
        gough.identify(model(), record(1).rows(slice(0, 700)))


def test_a_report_is_a_page(tmp_path: Any) -> None:
    found, _ = said(record(1))
    with pytest.raises(gough.UsageError, match=r"ends with \.html"):
        found.report(tmp_path / "log.csv")
    assert not (tmp_path / "log.csv").exists()


@pytest.mark.parametrize("gains", [(330.0, 20.0), (300.0, 16.0)])
def test_a_controller_with_other_gains_is_said(gains: tuple[float, float]) -> None:
    other = gough.laws.JointPD(*gains)
    for method in ("iv", "didim"):
        _, text = said(record(1), method=method, controller=other, motion=told(1))
        assert "the lag of the simulated robot behind what it was told" in text or "check controller=" in text


def test_a_small_error_of_an_encoders_zero_is_said() -> None:
    left = model().layout.drive_names[0]
    moved = [
        replace(r, name=str(k), positions={d: x + 0.1 * (d == left) for d, x in r.positions.items()})
        for k, r in enumerate((record(1), record(2)))
    ]
    found, text = said(moved)
    assert found.fits[0].error < 0.02 and "as noise is not" in text and "another zero" in text


def test_dry_friction_behind_a_narrow_filter_is_said() -> None:
    rubbing = gough.build(model().robot.with_parameters({"left_motor.drive.friction.coulomb": 0.3}))
    run = gough.simulate(rubbing, told(1), LAW, method="rk4", step=1e-3, smoothing=0.01)
    log = gough.Record.from_run(run, "log", rate_hz=500.0, resolution=1e-5, noise={"force": 0.002}, seed=1)
    log = replace(log, rates={}, pose=None, wrench=None, stated=frozenset())
    narrow = gough.condition(rubbing, log, band=4.0)
    with pytest.warns(gough.IdentificationWarning, match="dry friction is blurred"):
        gough.identify(rubbing, narrow)


def test_gains_beside_nothing_known_are_refused() -> None:
    with pytest.raises(gough.UsageError, match="gains and masses may grow together"):
        gough.identify(model(), record(1), parameters=("inertia", "friction", "gains"))


def test_a_log_given_twice_is_refused_as_samples_too() -> None:
    twice = gough.condition(model(), [record(1), record(1)])
    with pytest.raises(gough.UsageError, match="once more, number by number"):
        gough.identify(model(), twice)


def test_a_short_record_with_another_mass_has_no_shift() -> None:
    """What a wrong mass makes is no lateness."""
    heavy = model().robot.with_parameters({"left_crank.ZZ": 0.02, "right_rod.M": 1.2, "right_rod.ZZ": 0.09})
    samples = gough.condition(gough.build(heavy), record(1).rows(slice(0, 900)))
    assert not [note for note in samples.notes if "taken out" in note]


@pytest.mark.filterwarnings("ignore::gough.robot.errors.UnphysicalInertiaWarning")
def test_a_prior_that_the_data_contradict_is_said() -> None:
    """The record is of a crank of twice the inertia described: good to 1 % it was not, to 60 % it may have been."""
    drawn = gough.build(model().robot.with_parameters({"left_crank.ZZ": 0.5 * number("left_crank.ZZ")}))
    with pytest.warns(gough.IdentificationWarning, match=r"the data contradict prior=.*left_crank.ZZ.*times as wide"):
        gough.identify(drawn, record(1), prior=0.01)
    with warnings.catch_warnings():
        warnings.simplefilter("error", gough.IdentificationWarning)
        gough.identify(drawn, record(1), prior=0.6)


def number(name: str) -> float:
    return float(model().parameters[list(model().parameter_names).index(name)])


def test_tied_numbers_that_differ_are_a_cause_of_what_is_missing() -> None:
    apart = said(with_forces(record(1), lambda d, x: x / 5 if d == model().layout.drive_names[1] else x))[1]
    tied = said(
        with_forces(record(1), lambda d, x: x / 5 if d == model().layout.drive_names[1] else x),
        tied=[("left_*", "right_*")],
    )[1]
    assert "not predicted in training" in apart and "numbers that tied= makes equal" not in apart
    assert "numbers that tied= makes equal are not" in tied


def test_a_narrow_prior_does_not_make_good_data_poor() -> None:
    found, text = said(record(1), prior=1e-6)
    assert not found.undetermined_base and "do not determine" not in text


def test_a_fit_has_equations_as_far_apart_as_the_training(recwarn: pytest.WarningsRecorder) -> None:
    found = gough.identify(model(), record(1), validation=record(2, 250.0))
    assert found.validation is not None
    again = found.fit(found.validation, "validation")
    assert again.count == found.fits[1].count and again.error == found.fits[1].error


def test_what_are_no_samples_or_levels_is_refused() -> None:
    found, _ = said(record(1))
    for call in (found.predict, lambda x: found.fit(x, "again")):
        with pytest.raises(gough.UsageError, match=r"gough.condition\(model, record\)"):
            call(record(1))  # pyright: ignore[reportArgumentType]
    with pytest.raises(gough.UsageError, match="level=95"):
        found.intervals(95)
    with pytest.raises(gough.UsageError, match="ties nothing"):
        gough.identify(model(), record(1), tied=[("left_*",)])


def test_what_is_shifted_beyond_the_ends_was_not_measured() -> None:
    samples = gough.condition(model(), record(1), shifts={"force": 1.5})
    assert samples.time[0] >= 1.5 - 1e-9 and samples.time[-1] <= record(1).time[-1] - 1.5 + 1e-9
    with pytest.raises(gough.UsageError, match="trim= and shifts="):
        gough.condition(model(), record(1), shifts={"force": 4.0})
    with pytest.raises(gough.UsageError, match="as two equations take"):
        gough.condition(model(), record(1), decimate=100000)


@pytest.mark.parametrize("drive", [0, 1])
def test_a_zero_that_makes_numbers_lean_is_found(drive: int) -> None:
    name = model().layout.drive_names[drive]
    log = record(1)
    moved = {d: x + (0.1 if d == name else 0.0) for d, x in log.positions.items()}
    _, text = said(replace(log, positions=moved))
    told = re.search(rf"if encoders had another zero: {name} (\S+) ± (\S+) rad", text)
    assert told and abs(float(told[1]) + 0.1) < 4 * float(told[2]) < 0.1


@pytest.mark.parametrize("gain", [2.0, 0.5])
def test_another_gain_of_one_drive_is_named_with_its_factor(gain: float) -> None:
    left = model().layout.drive_names[0]
    _, text = said(with_forces(record(0), lambda d, x: gain * x if d == left else x))
    factors = {name: float(x) for name, x in re.findall(r"the force of (\w+) were ([\d.]+) ± ", text)}
    assert abs(factors[left] * gain - 1) < 0.05, text  # of two drives, either may be meant
    assert "the force of" not in said(record(0))[1]


@pytest.mark.parametrize("late", [4, -4])
def test_an_encoder_that_is_read_at_another_time_is_said(late: int) -> None:
    """By so many samples of 2 ms: the left one is what the right one is not."""
    left, right = model().layout.drive_names
    n = len(record(1).time)
    kept, moved = slice(8, n - 8), slice(8 - late, n - 8 - late)
    good = record(1).rows(kept)
    other = replace(good, positions={**good.positions, left: np.asarray(record(1).positions[left])[moved]})
    text = said(gough.condition(model(), other, shifts=None))[1]
    told = re.search(r"read at other times than the rest of them: (.*?) \(late where positive\)", text)
    assert told is not None
    apart = {name: float(ms) for name, ms in re.findall(r"(\w+_motor) ([-+][\d.]+) ±", told[1])}
    assert apart.get(left, 0.0) - apart.get(right, 0.0) == pytest.approx(2.0 * late, abs=1.0)
    assert "read at other times" not in said(good)[1]
