"""Runs cut, joined and compared."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from gough import Run
from gough.errors import UsageError
from simulation.trajectories import model, swinging_platform


def swing(time: np.ndarray, **more: Any) -> Run:
    m = model("pedrammehr2012")
    q, v, a = swinging_platform(m, time)
    return Run.from_states(m, time, q, v, acceleration=a, **more)


@pytest.fixture(scope="module")
def run() -> Run:
    time = np.linspace(0, 0.5, 51)
    recorded = {"work.drives": (time**2, "J"), "sensor": (time, "V")}
    return swing(time, recorded=recorded, events=[(0.1, "a"), (0.4, "b")], computing_s=1.0)


def test_a_part_of_the_time(run: Run) -> None:
    part = run.between(0.195, 0.305)
    np.testing.assert_allclose(part.time, np.linspace(0.2, 0.3, 11))
    np.testing.assert_array_equal(part.q, run.q[20:31])
    np.testing.assert_array_equal(part["sensor"], run["sensor"][20:31])
    assert run.between(end=0.1).info.events == ((0.1, "a"),) and len(run.between()) == len(run)
    with pytest.raises(UsageError, match=r"no state is stored from 0\.101 s to 0\.102 s"):
        run.between(0.101, 0.102)


def test_parts_make_the_whole(run: Run) -> None:
    parts = [run.between(0, 0.205), run.between(0.195, 0.355), run.between(0.345, 0.5)]
    whole = Run.concatenate(parts)
    for name in ("time", "q", "v", "tau", "acceleration"):
        np.testing.assert_array_equal(getattr(whole, name), getattr(run, name))
    np.testing.assert_allclose(whole["work.drives"], run["work.drives"], atol=1e-15)
    assert whole.info.events == run.info.events and whole.info.computing_s == 3.0


def test_works_go_on_where_they_were_and_later_runs_may_be_moved(run: Run) -> None:
    first, second = run.between(0, 0.205), run.between(0.195, 0.5)
    time = second.time - second.time[0]
    work = second["work.drives"] - second["work.drives"][0]
    anew = Run.from_states(
        run.model, time, second.q, second.v, second.tau,
        acceleration=second.acceleration,
        recorded={"work.drives": (work, "J"), "sensor": second["sensor"]},
        events=[(0.2, "b")],
    )  # fmt: skip
    with pytest.raises(UsageError, match=r"starts at 0 s, before the end .* at 0\.2 s; shift=True"):
        Run.concatenate([first, anew])
    whole = Run.concatenate([first, anew], shift=True)
    np.testing.assert_allclose(whole.time, run.time)
    np.testing.assert_allclose(whole["work.drives"], run["work.drives"], atol=1e-15)
    np.testing.assert_allclose([t for t, _ in whole.info.events], [0.1, 0.4])


def test_of_jumps_that_meet_the_first_and_the_last_are_kept() -> None:
    m = model("pedrammehr2012")

    def steps(start: float, *forces: float) -> Run:
        time = [start, start + 1, start + 1] if start == 0 else [start, start, start + 1]
        return Run.from_states(m, time, [m.home] * 3, np.zeros((3, 6)), np.outer(forces, np.ones(6)))

    whole = Run.concatenate([steps(0.0, 1, 1, 2), steps(1.0, 3, 4, 4)])
    assert whole.time.tolist() == [0, 1, 1, 2] and whole.tau[:, 0].tolist() == [1, 1, 4, 4]


def test_runs_that_do_not_follow_each_other_are_refused(run: Run) -> None:
    m, other = run.model, model("delta")
    delta = Run.from_states(other, [1.0], other.home[None], np.zeros((1, 3)), np.zeros((1, 3)))
    plain = run.between(0.1, 0.2)
    bare = Run.from_states(m, [0.5], run.q[[-1]], run.v[[-1]], run.tau[[-1]])
    elsewhere = run.between(0.3, 0.4)
    later = swing(np.array([0.6]), recorded={"work.drives": [0.0], "sensor": [0.0]})
    heavy = Run.from_states(m, [0.5], run.q[[-1]], run.v[[-1]], run.tau[[-1]], parameters={"platform.M": 3.0})
    for second, message in (
        (delta, "another robot"),
        (plain, "before the end"),
        (later, "after the end"),
        (bare, "recorded"),
        (heavy, "design"),
    ):
        with pytest.raises(UsageError, match=message):
            Run.concatenate([run, second])
    with pytest.raises(UsageError, match="another state"):
        Run.concatenate([run, elsewhere], shift=True)
    with pytest.raises(UsageError, match="at least one"):
        Run.concatenate([])


def test_a_run_equals_itself_on_another_grid(run: Run) -> None:
    other = swing(np.linspace(0.1, 0.6, 80))
    found = run.compare(other)
    assert found.time[0] == 0.1 and found.time[-1] == 0.5
    assert found["pose [m]"].largest < 1e-9 and found["pose [rad]"].largest < 1e-9
    assert found["v [rad/s]"].relative < 1e-6 and found.worst.relative < 1e-4


def test_differences_are_found_where_they_are(run: Run) -> None:
    q, tau = run.q.copy(), run.tau.copy()
    tau[17, 4] -= 2.5
    turn = Rotation.from_rotvec([0, 0, 0.01]) * Rotation.from_quat(q[30, 3:7], scalar_first=True)
    q[30, 3:7] = -turn.as_quat(scalar_first=True)  # the other sign is the same rotation
    q[31, 3:7] *= -1
    other = Run.from_states(run.model, run.time, q, run.v, tau)
    found = run.compare(other, ["drives.force", "pose", "x"])
    force = found["drives.force"]
    assert (force.largest, force.column, force.time) == (2.5, "tau.leg4.slide", run.time[17])
    assert force.range == np.ptp(run.tau, axis=0).max() and force.relative == 2.5 / force.range
    assert found["pose [rad]"].largest == pytest.approx(0.01, abs=1e-12) and found["pose [rad]"].time == run.time[30]
    assert found["pose [m]"].largest == 0.0 and found["x"].largest == 0.0
    assert "tau.leg4.slide" in str(found) and found.values["pose"].shape == (51, 6)
    with pytest.raises(UsageError, match=r"several units: ask for 'pose \[m\]'"):
        found["pose"]
    with pytest.raises(UsageError, match="was not compared"):
        found["elastic"]


def test_different_robots_are_compared_by_names() -> None:
    rigid, bending = model("long2014_rigid"), model("long2014")
    runs = [
        Run.from_states(m, [0.0, 1.0], [m.home] * 2, np.zeros((2, m.layout.nv)), np.full((2, 6), force))
        for m, force in ((rigid, 1.0), (bending, 3.0))
    ]
    found = runs[0].compare(runs[1])
    assert found["drives.force"].largest == 2.0 and "elastic" not in {d.name for d in found.differences}


def test_runs_without_a_common_time_are_refused(run: Run) -> None:
    with pytest.raises(UsageError, match="no time in common"):
        run.compare(swing(np.linspace(2, 3, 5)))
    with pytest.raises(UsageError, match="no channel 'nose'"):
        run.compare(run, ["nose"])


def test_what_is_known_about_a_run_can_be_changed(run: Run) -> None:
    told = run.described(stopped="interrupted", notes="by hand")
    assert told.stopped == "interrupted" and told.info.computing_s == 1.0 and run.stopped == "finished"
    assert (told.q == run.q).all()
