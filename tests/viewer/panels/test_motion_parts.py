import numpy as np
import pytest

import gough
from viewer.playback.runs import five_bar, path1

pytest.importorskip("viser")

from gough.viewer.panels._downloads import file_stem
from gough.viewer.panels.motion import SPEEDS, differences_table, time_step


def test_the_time_slider_is_fine_and_its_steps_are_decimal() -> None:
    for span in (25.0, 4.2, 1e-3, 3600.0):
        step = time_step(span)
        assert span / step >= 2000 and np.log10(step) == pytest.approx(round(np.log10(step)))
    assert time_step(0.0) > 0
    assert [float(s.removesuffix("×")) for s in SPEEDS] == [0.1, 0.2, 0.5, 1, 2, 5, 10]


@pytest.mark.slow
def test_differences_are_those_of_compare_or_why_there_are_none() -> None:
    first = path1()
    second = gough.Run.from_states(first.model, first.time, first.q, first.v, 0.5 * first.tau)
    table = differences_table(first, second)
    largest = np.abs(0.5 * first.tau).max()
    assert f">{largest:.3g}<" in table and "drives.force" in table
    assert differences_table(first, five_bar()).startswith("<")


@pytest.mark.parametrize(
    ("title", "stem"), [("five_bar", "five_bar"), ("a | b", "a_b"), ("../../etc", "etc"), ("<>", "gough")]
)
def test_files_have_plain_names(title: str, stem: str) -> None:
    assert file_stem(title) == stem
