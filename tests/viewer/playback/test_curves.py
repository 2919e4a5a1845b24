import numpy as np
import pytest

from gough.viewer.panels._plots import align_curves
from inner.viewer import (
    LINES,
    CurvePanel,
    PlottedCurve,
    axis_power,
    curve_colours,
    curve_panels,
    offered_channels,
    usual_channels,
    value_at,
    value_range,
)
from viewer.playback.runs import five_bar, path1


@pytest.mark.slow
def test_what_is_offered_can_be_drawn_and_has_units() -> None:
    run = path1()
    names = offered_channels((run,))
    assert names[:2] == ("pose", "angles") and "t" not in names and set(usual_channels(run)) <= set(names)
    for name in names:
        for panel in curve_panels((run,), name):
            assert panel.unit and 1 <= len(panel.curves) <= LINES and len(curve_colours(panel)) == len(panel.curves)
            low, high = value_range(panel)
            assert low < high and all(low <= np.nanmin(c.values) <= np.nanmax(c.values) <= high for c in panel.curves)


def test_two_runs_share_panels_and_colours() -> None:
    run = path1()
    other = run.resample(rate=10)
    (panel,) = curve_panels((run, other), "drives.force")
    assert [c.run for c in panel.curves] == [0] * 6 + [1] * 6
    colours = curve_colours(panel)
    assert colours[:6] == colours[6:] and len(set(colours)) == 6
    t, *values = align_curves(panel, 0.0, 6.0)
    assert (np.diff(t) > 0).all() and len(values) == 12
    for first, second in zip(values[:6], values[6:], strict=True):
        assert np.allclose(first, second, atol=2e-2 * np.ptp(first) + 1e-9)


def test_runs_of_other_robots_have_panels_of_their_own() -> None:
    panels = curve_panels((path1(), five_bar()), "drives.force")
    assert [(p.unit, len(p.curves)) for p in panels] == [("N", 6), ("N m", 2)]
    assert curve_panels((five_bar(),), "pose") == ()


def test_values_at_a_time_are_those_stored_and_nothing_outside() -> None:
    (panel,) = curve_panels((five_bar(),), "drives.force")
    assert [value_at(panel.curves[0], t) for t in (0.0, 0.9, 1.0, 3.0)] == [0.0, 0.0, 3.0, 3.0]
    assert np.isnan(value_at(panel.curves[0], 3.1)) and np.isnan(value_at(panel.curves[0], -0.1))


def test_a_constant_curve_has_room_around_it() -> None:
    (panel,) = curve_panels((five_bar(),), "left_motor")
    low, high = value_range(panel)
    assert low < panel.curves[0].values[0] < high


def test_of_many_columns_the_largest_are_drawn() -> None:
    (panel, *_) = [p for p in curve_panels((path1(),), "joints") if p.unit == "rad"]
    assert panel.more > 0 and len(panel.curves) == LINES


@pytest.mark.parametrize("size", [1e-12, 3.2e-6, 0.004, 0.5, 7.0, 4e3, 2e6, 8e11])
@pytest.mark.parametrize("start", [0.0, -1.0, 40.0])
def test_ticks_of_an_axis_differ_and_stay_short(size: float, start: float) -> None:
    """A page writes ticks with three decimals."""
    values = size * (start + np.linspace(0.0, 1.0, 50))
    panel = CurvePanel("x", "m", (PlottedCurve("x", 0, np.arange(50.0), values),))
    ticks = [f"{x / 10.0 ** axis_power(panel):.3f}" for x in np.linspace(*value_range(panel), 6)]
    assert len(set(ticks)) == 6
    assert max(map(len, ticks)) <= 11
    assert axis_power(panel) == 0 or not 0.1 <= size <= 1e3
