"""Forces of all drives that come late together: found where each drive alone would hide it, and not where there is nothing.

Forces are Pinocchio's, of a robot that is heavier than the one described, with friction that it does not know; how late they are
is what the test made them."""

from __future__ import annotations

import warnings
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import gough
from inner.identification import singular_words
from reference.peers.pinocchio import PinocchioPeer

from .logs import Log, build, log_of

MS = 1e-3


@cache
def rubbed(seconds: float = 12.0) -> Log:
    """The five-bar with forces of another engine, all masses 1.2 times as large, and friction of either drive."""
    log = log_of("five_bar", 0.3, rate_hz=1000.0, seconds=seconds)
    peer = PinocchioPeer(log.model.robot, log.model.layout.v_names)
    S, tau = log.model.drive_map(log.q), np.empty_like(log.tau)
    for k, (q, v, a) in enumerate(zip(log.q, log.v, log.acceleration, strict=True)):
        tau[k] = 1.2 * np.linalg.solve(S[k], peer.mass_matrix(q) @ a + peer.bias(q, v))
    size = tau.std(axis=0)
    tau += size * (0.3 * log.rate + 0.4 * np.tanh(log.rate / 0.05))
    return replace(log, tau=tau)


def shifts_of(record: gough.Record) -> dict[str, float]:
    """{channel: late (s)} that was taken out."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        notes = gough.condition(build("five_bar"), record).notes
    out = {}
    for note in notes:
        if "taken out" in note:
            name, rest = note.split(" comes ")
            out[name] = float(rest.split(" ")[0]) * MS * (1 if " late" in rest else -1)
    return out


@pytest.mark.parametrize("seconds", [1.5, pytest.param(12.0, marks=pytest.mark.slow)])
@pytest.mark.parametrize("late", [3 * MS, 5 * MS, 10 * MS, -4 * MS])
def test_a_delay_of_all_drives_is_found_beside_noise_and_friction(late: float, seconds: float) -> None:
    found = shifts_of(rubbed(seconds).record(step=1e-6, noise=0.02, late=late))
    assert list(found) == ["force of all drives"], found
    assert abs(found["force of all drives"] - late) < 1 * MS


@pytest.mark.parametrize("seconds", [1.5, *(pytest.param(s, marks=pytest.mark.slow) for s in (4.0, 12.0))])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_clean_logs_have_no_shift(seconds: float, seed: int) -> None:
    assert shifts_of(rubbed(seconds).record(step=1e-5, noise=0.02, seed=seed)) == {}


@pytest.mark.slow
def test_a_delay_that_the_filter_might_nearly_make_is_told() -> None:
    """2 ms at a band where dry friction makes up to 0.7 ms of it: numbers lean by 8 deviations, and nothing was said."""
    for late, told in ((0.0, False), (2 * MS, True)):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            notes = gough.condition(build("five_bar"), rubbed().record(step=1e-6, noise=0.01, late=late)).notes
        said = [n for n in notes if n.startswith("force of all drives comes")]
        assert bool(said) == told, notes
        assert all("taken out" in n or any(n in str(w.message) for w in caught) for n in said)


@pytest.mark.slow
def test_one_drive_that_comes_late_alone_is_named() -> None:
    log = rubbed()
    right = log.model.layout.drive_names[1]
    whole, late = log.record(step=1e-6, noise=0.01), log.record(step=1e-6, noise=0.01, late=10 * MS)
    found = shifts_of(replace(whole, forces={**whole.forces, right: late.forces[right]}))
    assert "force of all drives" not in found
    assert abs(found[f"force {right}"] - 10 * MS) < 1.5 * MS
    assert all(abs(x) < 2 * MS for name, x in found.items() if right not in name), found


def test_a_force_that_comes_before_its_motion_is_said_to_be_a_late_encoder() -> None:
    log, rows = rubbed(1.5), 10
    left, right = log.model.layout.drive_names
    good = log.record(step=1e-6, noise=0.01)
    late = {right: np.concatenate([np.full(rows, log.x[0, 1]), log.x[:-rows, 1]])}
    record = replace(good, positions={**good.positions, **late}).rows(slice(rows, None))
    with pytest.warns(
        gough.DataWarning, match=rf"is it the encoder of {right} that comes late\?.*'position {right}': 0.0"
    ):
        notes = gough.condition(build("five_bar"), record).notes
    assert not any(f"encoder of {left} " in note for note in notes)


@pytest.mark.slow
def test_a_way_far_from_singular_poses_is_not_said_to_meet_one() -> None:
    """Far from one nothing is said."""
    model = build("five_bar")
    q = rubbed(4.0).q[::40]
    assert singular_words(model, q) == ""
    S = np.linalg.det(model.drive_map(q))
    assert np.ptp(np.sign(S)) == 0
