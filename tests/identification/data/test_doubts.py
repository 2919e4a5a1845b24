"""What is strange about a record is told, with its factor; what may be is left in peace."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest

import gough
from gough.robot import loads
from inner.identification import clipped_rows, find_hold, find_interpolation

from .logs import log_of

LOG = log_of("five_bar", 0.3)
MODEL = LOG.model
LEFT, RIGHT = MODEL.layout.drive_names


def told(record: gough.Record, band: float | str = 8.0) -> list[str]:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        gough.condition(MODEL, record, shifts=None, band=band)
    return [str(w.message) for w in found if issubclass(w.category, gough.DataWarning)]


def record(**changes: object) -> gough.Record:
    return replace(LOG.record(step=1e-6, noise=1e-2), **changes)


def test_clipping_at_both_ends_is_seen_and_switching_is_not() -> None:
    t = np.arange(6000) / 500
    x = np.sin(2 * np.pi * 0.5 * t) + 0.02 * np.random.default_rng(0).normal(size=len(t))
    both = clipped_rows(np.clip(x, -0.8, 0.8))
    assert both.sum() == (np.abs(x) >= 0.8).sum() > 2000
    assert clipped_rows(np.minimum(x, 0.8)).sum() == (x >= 0.8).sum() > 1000
    assert not clipped_rows(np.sign(np.sin(t))).any() and not clipped_rows(x).any()
    assert not clipped_rows(np.round(5 * np.sin(t)) / 5).any()


@pytest.mark.parametrize("factor", [1 / 99, 1 / 50, 1 / 30, 20.0])
def test_forces_of_all_drives_off_by_a_factor_are_told_once(factor: float) -> None:
    forces = {d: factor * f for d, f in record().forces.items()}
    found = told(record(forces=forces))
    assert len(found) == 1 and "a gear ratio, a unit, or a current" in found[0]
    assert (f"1/{1 / factor:.2g}"[:3] if factor < 1 else "20 times") in found[0], found


def test_friction_and_masses_wrong_by_three_are_no_such_factor() -> None:
    rate = {d: LOG.rate[:, k] for k, d in enumerate(MODEL.layout.drive_names)}
    for factor in (1 / 3, 1.0, 3.0):
        assert told(record(forces={d: factor * f for d, f in record().forces.items()})) == []
    size = max(float(np.abs(f).max()) for f in record().forces.values())
    rubbed = {d: f + 12 * size * np.sign(rate[d]) for d, f in record().forces.items()}
    assert told(record(forces=rubbed)) == []


def test_one_drive_off_by_a_factor_is_named() -> None:
    found = told(record(forces={**record().forces, RIGHT: record().forces[RIGHT] / 30}))
    assert (
        len(found) == 1 and f"force {RIGHT} alone is 0.03" in found[0] and "those of other drives are about" in found[0]
    )


def test_the_same_column_twice_is_told() -> None:
    found = told(record(forces=dict.fromkeys((LEFT, RIGHT), record().forces[LEFT])))
    assert any(f"forces of {LEFT} and {RIGHT} are the same in all 6000 rows" in text for text in found)
    r = record()
    assert not any("same" in text for text in told(r))


def test_milliseconds_at_ten_kilohertz_are_suspected_by_the_motion() -> None:
    fast = log_of("five_bar", 0.3, rate_hz=10e3, seconds=6.0)
    found = told(replace(fast.record(step=1e-6), time=1e3 * fast.t), "auto")
    assert any("steps of 0.1 s" in text and "a factor 1000" in text and "'time [ms]'" in text for text in found)
    slow = replace(fast.record(step=1e-6), time=1e3 * fast.t, stated=frozenset({"time"}))
    assert not any("factor 1000: state" in text for text in told(slow, "auto"))
    coarse = LOG.record().rows(slice(None, None, 25))  # 20 Hz, and meant
    assert not any("state its unit" in text for text in told(coarse))


@pytest.mark.parametrize(("factor", "unit"), [(1e3, "ms"), (1e6, "us"), (1e9, "ns")])
def test_the_unit_of_time_that_is_suggested_mends_it(factor: float, unit: str) -> None:
    with pytest.raises(gough.BadDataError, match=rf"in {unit} they would be 0.002 s, a factor {factor:.0f}"):
        gough.condition(MODEL, record(time=factor * LOG.t))


def test_a_robot_that_stands_still_is_told_and_a_slow_one_is_not() -> None:
    rng, t = np.random.default_rng(3), LOG.t
    noise = 1e-6 * rng.normal(size=(2, len(t)))
    for extent, said in ((0.0, True), (1e-4, False)):
        x = {
            d: MODEL.home[MODEL.layout.index(d)] + extent * np.sin(0.5 * t) + noise[k]
            for k, d in enumerate((LEFT, RIGHT))
        }
        found = [text for text in told(record(positions=x)) if "nothing moves beyond its noise" in text]
        assert bool(found) == said, found


def test_a_position_that_is_sampled_and_held_is_told() -> None:
    r = record()
    at = np.arange(len(r)) // 10 * 10
    found = told(replace(r, positions={**r.positions, LEFT: r.positions[LEFT][at]}))
    assert any(f"position {LEFT} stands for 10 samples" in text and "slice(0, None, 10)" in text for text in found)
    assert not any(f"position {RIGHT} stands" in text for text in found)
    whole = told(replace(r.rows(at), time=r.time))
    assert [text for text in whole if "stand" in text and "all channels stand for 10 samples" in text], whole
    jitter = np.sort(np.random.default_rng(1).integers(-1, 2, len(r) // 10) + 10 * np.arange(len(r) // 10))
    late = jitter[np.clip(np.searchsorted(jitter, np.arange(len(r)), side="right") - 1, 0, None)].clip(0)
    hold = find_hold(r.positions[LEFT][late])
    assert hold is not None and hold[0] == 10


def test_a_coarse_encoder_is_no_hold() -> None:
    for step in (1e-3, 1e-2):
        assert all(find_hold(np.round(x / step) * step) is None for x in record().positions.values())
    assert find_hold(np.round(np.arange(6000) / 10) * 1e-3) is None


def test_swapped_columns_are_told_and_no_sign_is_suggested() -> None:
    swapped = {LEFT: record().forces[RIGHT], RIGHT: record().forces[LEFT]}
    found = told(record(forces=swapped))
    assert len(found) == 2 and all("are columns swapped?" in text and "sign" not in text for text in found)


@pytest.mark.parametrize("length", [5, 10])
def test_forces_that_are_held_or_interpolated_are_told(length: int) -> None:
    r = record()
    n = np.arange(len(r))
    held = {d: f[n // length * length] for d, f in r.forces.items()}
    found = [text for text in told(replace(r, forces=held)) if f"stands for {length} samples" in text]
    assert len(found) == 2 and all("force" in text and f"slice(0, None, {length})" in text for text in found)
    lines = {d: np.round(np.interp(n, n[::length], f[::length]), 7) for d, f in r.forces.items()}
    found = [text for text in told(replace(r, forces=lines)) if "straight lines" in text]
    assert len(found) == 2 and all(f"over {length} samples" in text for text in found), found
    assert all(f"slice(0, None, {length})" in text for text in found)


def test_no_line_is_seen_in_noise_smooth_motion_or_coarse_counts() -> None:
    r = record()
    assert all(find_interpolation(x) is None for x in (*r.forces.values(), *r.positions.values()))
    smooth = LOG.record()
    assert all(find_interpolation(x) is None for x in (*smooth.forces.values(), *smooth.positions.values()))
    assert all(find_interpolation(np.round(x / 1e-2) * 1e-2) is None for x in smooth.positions.values())


LIFTS = gough.build(
    loads("""
format: 1
name: lifts
bodies: [{name: left_head, mass: 10}, {name: right_head, mass: 10}]
joints:
  - {name: left, type: prismatic, parent: world, child: left_head, axis: [0, 0, 1], drive: {speed_limit: 0.5}}
  - {name: right, type: prismatic, parent: world, child: right_head, axis: [0, 0, 1], drive: {speed_limit: 0.5}}
""")
)


def lifted(size: float = 0.05, slower: float = 1.0) -> tuple[np.ndarray, dict[str, np.ndarray], dict[str, np.ndarray]]:
    """(times, positions, forces) of two masses of 11 kg, lifted by Newton's law with a little friction: weight is most of it."""
    t, positions, forces = np.arange(6000) / 500, {}, {}
    for name, hz in (("left", 0.3), ("right", 0.45)):
        w = 2 * np.pi * hz
        positions[name] = size * np.sin(w * t)
        forces[name] = 11 * (9.81 - size * w**2 * np.sin(w * t)) + 0.2 * np.sign(np.cos(w * t))
    return slower * t, positions, forces


def told_of_lifts(time: np.ndarray, positions: dict[str, np.ndarray], forces: dict[str, np.ndarray]) -> list[str]:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        gough.condition(LIFTS, gough.Record("log", time, positions, forces), shifts=None)
    return [str(w.message) for w in found if issubclass(w.category, gough.DataWarning)]


def test_swapped_forces_are_told_where_weight_is_most_of_them() -> None:
    time, positions, forces = lifted()
    assert told_of_lifts(time, positions, forces) == []
    found = told_of_lifts(time, positions, {"left": forces["right"], "right": forces["left"]})
    assert len(found) == 2 and all("are columns swapped?" in text for text in found), found


def test_drives_above_their_speed_limit_are_told_with_the_unit_that_would_mend_it() -> None:
    found = [text for text in told_of_lifts(*lifted(slower=1 / 60)) if "speed limit" in text]
    assert len(found) == 1 and "2 of 2 drives" in found[0] and "min (60 times slower)" in found[0], found
    at_their_limit = lifted(size=0.5 / (2 * np.pi * 0.45) * 1.2)
    assert not [text for text in told_of_lifts(*at_their_limit) if "speed limit" in text]
