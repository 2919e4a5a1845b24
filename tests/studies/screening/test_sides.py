"""Screens know motions through poses that drives do not hold. By hand: legs of a platform above its base, both of three equal
pairs, do not hold it when it is a quarter of a turn from where both are symmetric to one plane [Fichter 1986]."""

from __future__ import annotations

import numpy as np
import pytest
from tests.backends.cuda_host import COMPILER
from tests.studies.screening.reduced_host import ReducingMachine
from tests.studies.screening.test_screen import assert_same, by_calls

import gough
from gough.robot import loads
from inner.studies import SweepPoints, choose_screen
from studies.study.robots import EXAMPLES, study_of

SAMPLES, COUNT = 12, 60
TURNS = np.radians([-60.0, 20.0])
YAW = np.radians(60 + 10 * np.sin(2 * np.pi * np.linspace(0.0, 1.0, SAMPLES)))


def turned_base() -> gough.Study:
    """The platform of the examples on a base that is turned, on its way about a yaw of 60 degrees."""
    text = (EXAMPLES / "motion_platform.yaml").read_text()
    text = text.replace("variables:\n", "variables:\n  turn: 0 deg\n")
    for f in ("cos", "sin"):
        text = text.replace(f"base_radius*{f}(<angle>)", f"base_radius*{f}(<angle> + turn)")
    assert text.count("turn)") == 4
    still = dict.fromkeys(("x", "y", "pitch", "roll"), 0)
    yaw = {"yaw": ["10 deg"]}
    motion = {"fourier": {"period": "2 s", "joints": still | {"z": 1, "yaw": "60 deg"}, "sines": yaw}}
    return study_of(
        loads(text),
        variables={"turn": TURNS.tolist(), "top_radius": ["0.4 m", "0.9 m"]},
        cases={"way": {"motion": motion, "samples": SAMPLES}},
        measures={"force": {"measure": "peak force", "case": "way"}, "stroke": {"measure": "stroke", "case": "way"}},
        minimise=["force", "stroke"],
        search={"method": "sobol", "count": COUNT},
    )


def crossing(x: np.ndarray) -> np.ndarray:
    """Which designs (n, 2) are on both sides of where legs do not hold the platform."""
    beyond = np.pi / 2 + x[:, :1] < YAW
    return np.asarray(beyond.any(axis=1) & ~beyond.all(axis=1))


def test_motions_through_a_singularity_are_no_robots_of_a_screen(limits, caplog):
    study = turned_base()
    assert choose_screen(study, "cpu") == "cpu"
    with caplog.at_level("WARNING", "gough.studies"):
        found = study.run()
    assert not caplog.records
    lost = crossing(SweepPoints(study.evaluator.space, "sobol", COUNT).at(0, COUNT))
    assert 5 < lost.sum() < COUNT / 2
    assert found.robots == found.feasible == (~lost).sum()
    assert_same(found, by_calls(study, limits))


@pytest.mark.slow
@pytest.mark.skipif(COMPILER is None, reason="no C++ compiler")
def test_screens_that_reduce_know_them(limits, caplog):
    study = turned_base()
    plain = by_calls(study, limits)
    limits(study_machine=ReducingMachine)
    with caplog.at_level("WARNING", "gough.studies"):
        assert_same(study.run(), plain)
    assert not caplog.records
