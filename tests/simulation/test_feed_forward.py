"""Forces beside a law: exact where the forces are, refused where they do not fit."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from gough import laws, motions
from gough.errors import UsageError
from laws.subjects import built
from simulation.sliders import MASS, slider

PD = laws.JointPD(200.0, 30.0)
MOVE = motions.quintic(drives=[[0.0], [0.3]], durations=1.0)
TIMES = np.linspace(0, 1, 101)


@pytest.mark.parametrize("clocked", [False, True])
def test_the_force_of_the_motion_leaves_no_error(clocked: bool) -> None:
    """m ẍ of a quintic is a cubic, which splines have exactly. On a clock it is m ẍ at the samples: of first order."""
    law = laws.FeedForward(PD, laws.forces(TIMES, MASS * MOVE.at(TIMES).acceleration))
    if not clocked:
        run = gough.simulate(slider(), MOVE, law, tolerance=1e-10)
        assert np.abs(run.q[:, 0] - MOVE.at(run.time).position[:, 0]).max() < 1e-9
        return
    far = []
    for period in (4e-3, 2e-3):
        run = gough.simulate(slider(), MOVE, laws.Sampled(law, period), method="rk4", step=2e-3)
        far.append(np.abs(run.q[:, 0] - MOVE.at(run.time).position[:, 0]).max())
    assert 1.8 < far[0] / far[1] < 2.2


def test_forces_of_a_good_run_lead_the_drives_of_a_pose() -> None:
    """Computed torque's forces beside springs, of a motion of the platform; limits are those of the sum."""
    delta = built(gough.load("delta"))
    home = delta.home_pose
    move = motions.quintic(poses=[home, home + [0.05, 0.0, -0.03, 0, 0, 0, 0]], durations=0.2)
    good = gough.simulate(delta, move, laws.ComputedTorque(400, 40))
    springs = laws.JointPD(500, 10)
    far = [
        gough.simulate(delta, move, law).summary()["tracking"]["m"]
        for law in (springs, laws.FeedForward(springs, laws.forces_of(good)))
    ]
    assert far[0] > 5e-3 and far[1] < 1e-6
    most = 0.5 * np.abs(good.tau).max()
    run = gough.simulate(delta, move, laws.FeedForward(springs, laws.forces_of(good), limit=most))
    assert np.abs(run.tau).max() == pytest.approx(most)


def test_other_forces_are_other_forces() -> None:
    """Two laws of one form in a row: neither has the forces of the other."""
    model, ends = slider(), []
    for size in (0.0, 1.0, 0.0):
        law = laws.FeedForward(PD, laws.forces([0, 1], [[size], [size]]))
        ends.append(float(gough.simulate(model, MOVE, law).q[-1, 0]))
    assert ends[0] == ends[2] and ends[1] - ends[0] == pytest.approx(1.0 / 200.0, rel=0.05)


PUSH = laws.forces([0, 1], [[0.0], [0.0]])


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: laws.FeedForward(laws.Follow(), PUSH), "give a controller that follows motions of drives"),
        (lambda: laws.FeedForward(laws.GravityCompensation(), PUSH), "gravity compensation: give a controller"),
        (
            lambda: laws.FeedForward(laws.Sampled(PD, 0.01), PUSH),
            r"sample it as a whole, gough.laws.Sampled\(FeedForward",
        ),
        (lambda: laws.FeedForward(PD, MOVE), "give a motion of kind 'forces'"),
        (lambda: laws.FeedForward(PD, PUSH, nominal="actual"), "give it to the law inside"),
        (
            lambda: gough.simulate(slider(), MOVE, laws.FeedForward(PD, laws.forces([0, 2], [[0.0], [0.0]]))),
            "the motion takes 1 s, the forces 2 s",
        ),
    ],
)
def test_what_does_not_fit_is_refused(make: object, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        make()  # type: ignore[operator]
