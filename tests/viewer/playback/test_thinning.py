import numpy as np
import pytest

from inner.viewer import samples_within, thin_curves


def test_no_peak_is_lost_and_the_ends_stay() -> None:
    rng = np.random.default_rng(3)
    time = np.cumsum(rng.uniform(0.5e-3, 1.5e-3, 25_000))
    values = np.stack([np.sin(time), rng.normal(size=len(time))], axis=1)
    values[17_321, 0] = 40.0  # one sample wide
    values[4_242, 0] = -7.0
    at, few = thin_curves(time, values, 600)
    assert len(at) <= 600 and few.shape == (len(at), 2)
    assert (few.max(axis=0) == values.max(axis=0)).all() and (few.min(axis=0) == values.min(axis=0)).all()
    assert at[0] == time[0] and at[-1] == time[-1] and (np.diff(at) >= 0).all()
    assert (few[0] == values[0]).all() and (few[-1] == values[-1]).all()
    assert abs(at[few[:, 0].argmax()] - time[17_321]) < 2 * (time[-1] - time[0]) / 299


def test_a_smooth_curve_stays_near_itself() -> None:
    time = np.linspace(0, 10, 20_001)
    at, few = thin_curves(time, np.sin(time)[:, None], 500)
    stretch = 10 / 249
    assert np.abs(few[:, 0] - np.sin(at)).max() < stretch


def test_every_stretch_has_its_own_extremes_in_their_order() -> None:
    time = np.arange(101.0)
    rising, falling = time.copy(), -time
    _, few = thin_curves(time, np.stack([rising, falling], axis=1), 12)
    assert (np.diff(few[:, 0]) >= 0).all() and (np.diff(few[:, 1]) <= 0).all()


def test_short_curves_come_back_as_they_are() -> None:
    time, values = np.arange(5.0), np.arange(10.0).reshape(5, 2)
    at, few = thin_curves(time, values, 600)
    assert at is time and few is values


def test_missing_values_stay_gaps_and_hide_nothing() -> None:
    time = np.linspace(0, 1, 10_000)
    values = np.cos(9 * time)[:, None].copy()
    values[3000:6000] = np.nan
    values[8000, 0] = np.nan
    at, few = thin_curves(time, values, 400)
    inside = (at > 0.31) & (at < 0.59)
    assert np.isnan(few[inside]).all()
    assert np.isfinite(few[~((at > 0.29) & (at < 0.61))]).all()


@pytest.mark.parametrize(("start", "end"), [(0.0, 1.0), (0.25, 0.5), (0.9, 5.0), (-3.0, 0.1), (0.333, 0.334)])
def test_a_window_holds_what_is_seen_and_one_sample_beyond(start: float, end: float) -> None:
    time = np.linspace(0, 1, 101)
    part = time[samples_within(time, start, end)]
    seen = time[(time >= start) & (time <= end)]
    assert np.isin(seen, part).all() and len(part) <= len(seen) + 2
    assert part[0] <= max(start, 0.0) and part[-1] >= min(end, 1.0)
