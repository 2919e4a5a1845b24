"""What runs have left of vibrations: of a free swing in one mode, of moves beside their shaped ones, and what is refused."""

import numpy as np
import pytest

import gough
from gough import motions
from gough.errors import UsageError
from gough.robot import friction

T1 = 1 / 14.207


@pytest.fixture(scope="module")
def sliders():
    """Without Coulomb friction, which would end small swings."""
    return gough.build(friction.change_friction(gough.load("dualemps"), coulomb=0))


def run_of(model, motion):
    """Drives follow the motion and then rest for three of the slowest periods."""
    return gough.simulate(
        model, motion.hold(3 * T1), method="leapfrog", step=7e-5, every=10, start="static", check="off"
    )


def test_a_free_swing_is_as_large_as_it_began(sliders):
    """In the lowest mode: the tip moves by Jφ at the start, and by exp(-2πζ) of it a period later."""
    modes = gough.natural_frequencies(sliders)
    rest = modes.q
    size = 1e-2 * modes.shapes[:, 0] / np.abs(modes.shapes[:, 0]).max()
    q = sliders.project(sliders.integrate(rest, size))
    away = np.linalg.norm(sliders.frame_pose(q, "link17")[0] - sliders.frame_pose(rest, "link17")[0])
    hold = motions.quintic(drives=[rest[sliders.drive_index]] * 2, durations=3 * T1)
    run = gough.simulate(sliders, hold, q=q, method="leapfrog", step=5e-5, every=5, check="off")
    first = gough.remaining_vibration(run, "link17", after=0.0)
    assert first.amplitude == pytest.approx(away, rel=2e-2) and first.peak == 0.0
    later = gough.remaining_vibration(run, "link17", after=T1 - 1e-3)
    assert later.amplitude / away == pytest.approx(np.exp(-2 * np.pi * modes.damping[0]), rel=2e-2)


def test_a_shaped_move_comes_to_rest(sliders):
    """A limited move whose averages end the three modes above, shaped for the lowest: beside it a quintic of the same time."""
    w = [0.1, 1 / 25.04, 1 / 48.16, 1 / 91.9]
    limits = dict(zip(("speed", "acceleration", "jerk", "snap"), 0.1 / np.cumprod(w), strict=True))
    way = {"q11": [0, 0.1], "q21": [0, 0.05]}
    move = motions.s_curve(drives=way, **limits)
    shaped = motions.shape(move, sliders)
    same = motions.quintic(drives=way, durations=shaped.duration)
    lost = shaped.duration - move.duration
    assert lost < 0.5 * T1 * 1.001
    plain, quiet, other = (
        gough.remaining_vibration(run_of(sliders, m), "link17", after=m.duration) for m in (move, shaped, same)
    )
    assert plain.ratio > 0.5 and quiet.ratio < 0.02 and quiet.amplitude < 0.01 * plain.peak
    assert other.amplitude > 5 * quiet.amplitude


def test_how_far_drives_carry_the_frame():
    """An arm's tip at L from its hub: what is left of a turn by φ is a chord, 2 L sin(φ/2)."""
    model = gough.build("spin_up_beam")
    length = float(
        np.linalg.norm(model.frame_pose(model.home, "beam.tip")[0] - model.frame_pose(model.home, "beam")[0])
    )
    turn = motions.quintic(drives={"hub": [0.0, 0.2]}, durations=0.5).hold(0.3)
    run = gough.simulate(model, turn, method="esdirk4", step=2.5e-3, check="off")
    half = gough.remaining_vibration(run, "beam.tip", after=0.25)
    assert half.carried == pytest.approx(2 * length * np.sin(0.05), rel=1e-9)
    assert gough.remaining_vibration(run, "beam.tip", after=0.5).carried < 1e-12
    soft = gough.simulate(model, turn, gough.laws.JointPD(bandwidth=15.0), method="esdirk4", step=2.5e-3, check="off")
    after = soft.time >= 0.5
    left = soft["drives.position"][after, 0]
    found = gough.remaining_vibration(soft, "beam.tip", after=0.5)
    assert found.carried == pytest.approx(2 * length * np.abs(np.sin((left - left[-1]) / 2)).max(), rel=1e-9)
    assert found.carried > 1e-5


def test_misuse_is_named(sliders):
    run = gough.simulate(
        sliders, motions.quintic(drives={"q11": [0, 0.01], "q21": [0, 0]}, durations=0.01), check="off"
    )
    with pytest.raises(UsageError, match=r"nothing follows 0\.01 s; let the motion rest"):
        gough.remaining_vibration(run, "link17")
    with pytest.raises(UsageError, match="name a frame: slider1"):
        gough.remaining_vibration(run, "tip", after=0.005)
    bars = gough.simulate(gough.build("five_bar"), duration=0.01, check="off")
    with pytest.raises(UsageError, match="five_bar has no flexible bodies"):
        gough.remaining_vibration(bars, after=0.005)


def test_how_long_a_swing_rings(sliders):
    """Down to half in the lowest mode: ln 2/(ζω) of its eigenvalue, to half a swing."""
    modes = gough.natural_frequencies(sliders)
    size = 1e-2 * modes.shapes[:, 0] / np.abs(modes.shapes[:, 0]).max()
    q = sliders.project(sliders.integrate(modes.q, size))
    hold = motions.quintic(drives=[modes.q[sliders.drive_index]] * 2, durations=10 * T1)
    run = gough.simulate(sliders, hold, q=q, method="leapfrog", step=5e-5, every=5, check="off")
    left = gough.remaining_vibration(run, "link17", after=0.0)
    assert left.settling_time(0.5) == pytest.approx(np.log(2) / -modes.eigenvalues[0].real, abs=0.5 * T1)
    assert left.settling_time(0.5) == pytest.approx(modes.decay_times(to=0.5)[0], abs=0.5 * T1)
    assert left.settling_time(0.02) == np.inf and left.settling_time(1.0) == 0.0
