"""Training and validation are kept apart: by runs, or by times with room for the filter between them."""

from dataclasses import replace

import numpy as np
import pytest

import gough

from .logs import log_of


def samples(runs: int = 1) -> gough.Samples:
    log = log_of("five_bar", 0.3)
    record = log.record()
    return gough.condition(
        log.model, [record.rows(slice(None), f"log{k}") for k in range(runs)], band=20.0, shifts=None
    )


def test_runs_are_split_by_share_and_by_name() -> None:
    s = samples(4)
    training, validation = s.split(0.25)
    assert training.runs == ("log0", "log1", "log2") and validation.runs == ("log3",)
    training, validation = s.split(["log1"])
    assert validation.runs == ("log1",) and len(training) == 3 * len(validation)
    with pytest.raises(gough.UsageError, match="no run 'log9'"):
        s.split(["log9"])


def test_times_of_one_run_are_split_with_room_between() -> None:
    s = samples()
    training, validation = s.split(0.25, part_s=1.0)
    gaps = np.abs(training.time[:, None] - validation.time[None, ::50]).min()
    both = np.concatenate([training.time, validation.time])
    assert len(np.unique(both)) == len(both) and gaps > 0.5 * 4 / 20.0 - 2e-3
    assert 0.15 < len(validation) / len(s) < 0.3
    for part in (training, validation):
        for run in range(len(part.runs)):
            assert np.ptp(np.diff(part.time[part.run == run])) < 1e-9
    assert "rows of 3 runs" in repr(training) or "runs" in repr(training)


def test_forces_are_as_they_were_measured() -> None:
    """Friction jumps: only equations are filtered, both sides alike."""
    log = log_of("five_bar", 0.3)
    steps = {d: np.sign(np.sin(3.0 * log.t)) for d in log.model.layout.drive_names}
    s = gough.condition(log.model, gough.Record("n", log.t, log.record().positions, steps), band=20.0, shifts=None)
    assert np.array_equal(np.abs(s.force), np.ones_like(s.force))


@pytest.mark.parametrize("share", [0.05, 0.1, 0.25, 1 / 3, 0.5, 0.75, 0.9])
def test_a_run_is_split_by_the_share_asked_for(share: float) -> None:
    training, validation = replace(samples(), block=2).split(share)
    part = len(validation) / (len(training) + len(validation))
    assert share == pytest.approx(part, abs=0.08)


def test_a_run_too_short_to_be_split_says_so() -> None:
    whole = samples()
    short = replace(whole.rows(slice(0, 1200)), block=60)
    training, validation = short.split(0.5)
    assert min(len(training), len(validation)) > 8 * 60
    with pytest.raises(
        gough.UsageError, match=r"nothing is left for validation: parts have at most .* an equation takes 481"
    ):
        short.split(0.1)


def test_runs_that_are_lost_are_told() -> None:
    whole = samples(2)
    kept = whole.rows(np.flatnonzero((whole.run == 0) | (np.arange(len(whole)) > len(whole) - 6)))
    with pytest.warns(gough.DataWarning, match=r"runs left out.*'log1' \(5 rows\)"):
        found = kept.runs_of_equal_steps()
    assert found.runs == ("log0",) and "log1" in found.notes[-1]
