"""What a result says of itself: text, fits, sources of the robot's numbers."""

from __future__ import annotations

import warnings
from dataclasses import replace
from functools import cache

import pytest

import gough
from gough import Samples
from gough.robot import dumps

from .estimation.motions import five_bar, samples

PLAIN = ("inertia", "rotors", "friction", "springs")
GAINS = ("left_crank.*", "left_rod.*", "right_rod.*", "gains")


@cache
def identified(parameters: tuple[str, ...] = PLAIN) -> gough.Identification:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return gough.identify(five_bar(), samples(0.01), parameters=parameters)


def first(count: int) -> Samples:
    data = samples(0.01)
    own = {k: getattr(data, k)[:count] for k in ("time", "q", "v", "acceleration", "force", "run")}
    return replace(data, **own)


def test_lines_are_short() -> None:
    rows = [line for line in identified().report().splitlines() if line.startswith("  ")]
    assert len(rows) > identified().base.rank and max(map(len, rows)) < 130
    assert any(line.endswith(" …") for line in rows) == any(len(n) > 72 for n in identified().base.names)


def test_consistency_in_words() -> None:
    found = identified()
    assert found.consistent and found.consistency_words in found.report()
    assert ("as they were estimated" in found.consistency_words) == (found.distance < 1e-6)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        plain = gough.identify(five_bar(), samples(0.01), consistent=False)
    assert plain.consistency_words == "not made consistent"


@pytest.mark.parametrize("parameters", [PLAIN, GAINS], ids=["plain", "gains"])
def test_fit_of_the_same_samples_is_the_fit(parameters: tuple[str, ...]) -> None:
    found = identified(parameters)
    assert len(found.gains) == (2 if "gains" in parameters else 0)
    again = found.fit(samples(0.01), "again")
    assert again.name == "again" and again.error == pytest.approx(found.fits[0].error, rel=1e-12)


def test_validation_that_thinning_leaves_nothing_of_is_told() -> None:
    with pytest.raises(
        gough.UsageError, match="validation: nothing is left of runs of up to 40 samples, of which an equation takes 41"
    ):
        gough.identify(five_bar(), samples(0.01), validation=first(40), thin=5)


def test_sources_say_once_who_found_the_numbers() -> None:
    found = identified()
    text = dumps(found.robot)
    bodies = {name.rpartition(".")[0] for name in found.base.regressor.names}
    assert text.count("identified by least squares: ") == len(bodies)
    assert f"ZZ = {found.parameters['left_crank.ZZ']:.6g}" in text


@pytest.mark.parametrize(("missing", "share", "worse"), [(1.1, 4.0, False), (4.0, 1.1, False), (3.0, 3.0, True)])
def test_a_small_force_is_no_worse_fit(missing: float, share: float, worse: bool) -> None:
    """The same noise on a quarter of the force; four times the force; three times as much missing."""
    fit = identified().fits[0]
    assert replace(fit, rms=missing * fit.rms, share=share * fit.share).worse_than(fit) == worse
