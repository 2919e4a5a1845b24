"""Pictures of runs: which panels, lines, units; that they are drawn."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gough import Run
from gough.errors import UsageError
from gough.simulation.results.plot import panels
from simulation.trajectories import model, swinging_platform


def still(name: str, n: int = 3, **more: Any) -> Run:
    m = model(name)
    size = len(m.layout.drive_names)
    return Run.from_states(
        m, np.arange(float(n)), [m.home] * n, np.zeros((n, m.layout.nv)), np.zeros((n, size)), **more
    )


@pytest.fixture(scope="module")
def run() -> Run:
    m = model("pedrammehr2012")
    time = np.linspace(0, 0.5, 21)
    q, v, a = swinging_platform(m, time)
    return Run.from_states(m, time, q, v, acceleration=a)


def test_panels_by_kind_and_unit(run: Run) -> None:
    found = panels(run)
    titles = ["platform", "platform", "drives", "drive forces", "energy since the start", "lack of balance"]
    assert [p.title for p in found] == titles
    assert [p.unit for p in found] == ["m", "rad", "m", "N", "J", "J"]
    assert found[0].columns == ("x", "y", "z") and found[1].columns == ("yaw", "pitch", "roll")
    assert found[3].columns[0] == "leg0.slide"
    np.testing.assert_array_equal(found[4].values[0], 0.0)
    assert [p.unit for p in panels(still("dualemps"))] == ["m", "N", "m", "rad", "J", "J"]


def test_named_columns_of_one_unit_share_a_panel(run: Run) -> None:
    found = panels(run, ("drives.force", "x", "z", "yaw", "leg0.ball.reaction"))
    assert [(p.title, p.unit, len(p.columns)) for p in found] == [
        ("drive forces", "N", 6),
        ("", "m", 2),
        ("", "rad", 1),
        ("leg0.ball.reaction", "N", 3),
        ("leg0.ball.reaction", "N m", 3),
    ]
    assert found[3].columns == ("fx", "fy", "fz")
    with pytest.raises(UsageError, match="no channel 'nose'"):
        run.plot("nose")


def test_a_picture_is_drawn(run: Run, tmp_path: Path) -> None:
    figure = run.described(stopped="singular at t=0.5: leg2").plot("pose", "tau", path=tmp_path / "run.png")
    assert (tmp_path / "run.png").stat().st_size > 10_000
    assert [ax.get_ylabel() for ax in figure.axes] == ["platform (m)", "drive forces (N)"]
    assert "singular" in figure.get_suptitle() and len(figure.axes[1].lines) == 7  # and where it stopped
    np.testing.assert_array_equal(figure.axes[0].lines[2].get_ydata(), run["z"])


def test_of_many_lines_the_largest_are_named() -> None:
    run = still("pedrammehr2012", recorded={"many": (np.outer(np.ones(3), np.arange(30.0)), "V")})
    (ax,) = run.plot("many").axes
    names = [text.get_text() for text in ax.get_legend().get_texts()]
    assert names == [f"many.{k}"[5:] for k in range(29, 21, -1)] + ["22 more"] and len(ax.lines) == 31


def test_held_forces_are_steps_and_one_state_is_a_point() -> None:
    assert still("delta", tau_held=True).plot("drives.force").axes[0].lines[0].get_drawstyle() == "steps-post"
    assert still("delta", n=1).plot("pose").axes[0].lines[0].get_marker() == "."
