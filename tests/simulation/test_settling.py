"""How long vibrations take to die down: eigenvalues and matrix exponentials of masses on springs; how far runs miss."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from scipy.linalg import expm

import gough
from gough import motions
from gough.errors import UsageError
from simulation.mass_chain import D, K, M, chain

HOME = [0, 0, 2.0, 1, 0, 0, 0]


def rates() -> np.ndarray:
    """A of (near, far, their rates) with the drive locked."""
    to_places = np.array([[1.0, 0.0], [1.0, 1.0]])
    mass = to_places.T @ np.diag(M[1:]) @ to_places
    inverse = np.linalg.inv(mass)
    return np.block([[np.zeros((2, 2)), np.eye(2)], [-inverse @ np.diag(K), -inverse @ np.diag(D)]])


def test_decay_of_each_mode() -> None:
    """By when exp(A t) has shrunk the part of an eigenvector to 2 %, and to a tenth."""
    modes = gough.natural_frequencies(chain())
    values, vectors = np.linalg.eig(rates())
    for to in (0.02, 0.1):
        times = modes.decay_times(to)
        for value, seconds in zip(modes.eigenvalues, times, strict=True):
            k = int(np.abs(values - value).argmin())
            x = expm(rates() * seconds) @ vectors[:, k]
            assert np.linalg.norm(x) / np.linalg.norm(vectors[:, k]) == pytest.approx(to, rel=1e-6)
        ratio, f = modes.damping, np.abs(modes.eigenvalues)
        assert times == pytest.approx(np.log(1 / to) / (ratio * f), rel=1e-9)
    with pytest.raises(UsageError, match="to=0"):
        modes.decay_times(0.0)


def test_what_is_not_damped_never_dies() -> None:
    still = gough.natural_frequencies(chain(), drives="free")
    assert np.isinf(still.decay_times()).sum() == (np.abs(still.eigenvalues) < 1e-6).sum() > 0


def test_a_channel_comes_to_rest() -> None:
    """Beside exp(A t) after the drive stands still, to the spacing of what is stored."""
    stop, end = 0.3, 18.0
    move = motions.quintic(drives={"drive": [0.0, 0.1]}, durations=stop).hold(end - stop)
    run = gough.simulate(chain(), move, tolerance=1e-9, check="off").resample(np.linspace(0.0, end, 18001))
    first = int(np.searchsorted(run.time, stop))
    x, step = np.concatenate([run.q[first], run.v[first]])[[1, 2, 4, 5]], expm(rates() * 1e-3)
    exact = [x]
    for _ in run.time[first:-1]:
        exact.append(step @ exact[-1])
    near = np.abs(np.array(exact)[:, 0])
    far = np.flatnonzero(near > 5e-3)[-1]
    assert run.settling_time("near", within=5e-3, after=stop, about=0.0) == pytest.approx(1e-3 * (far + 1), abs=2.1e-3)
    assert run.settling_time("near", within=5e-3, after=stop) == pytest.approx(1e-3 * (far + 1), abs=0.24)  # a swing
    part = np.flatnonzero(near > 0.2 * near.max())[-1]
    assert run.settling_time("near", to=0.2, after=stop, about=0) == pytest.approx(1e-3 * (part + 1), abs=2.1e-3)
    slowest = gough.natural_frequencies(chain()).decay_times(0.2).max()
    assert 0.5 * slowest < run.settling_time("near", to=0.2, after=stop) < 1.2 * slowest
    assert run.settling_time("near", within=1.0, after=stop) == 0.0
    assert run.settling_time("near", within=1.0, after=stop + 3e-4) == 0.0
    short = run.between(0.0, 1.0)
    assert short.settling_time("near", within=5e-3, after=stop) == np.inf
    for given, said in (
        ({}, "either within="),
        ({"within": 1.0, "to": 0.1}, "either within="),
        ({"within": 1.0}, "nothing follows 18 s"),
        ({"within": 1.0, "after": stop, "about": [1.0, 2.0]}, "give one finite number"),
        ({"within": -1.0}, "within=-1"),
    ):
        with pytest.raises(UsageError, match=said):
            run.settling_time("near", **given)
    along = motions.run_along(gough.build("lopes_simplified"), motions.circle(pose=HOME, radius=0.01, duration=1.0))
    with pytest.raises(UsageError, match="no common distance; take one of them: x"):
        along.settling_time("pose", within=1e-3, after=0.0)


def test_tracking_is_a_mapping_with_names() -> None:
    move = motions.quintic(drives={"drive": [0.0, 0.1]}, durations=0.5)
    law = gough.laws.JointPD(stiffness=400.0, damping=20.0)
    run = gough.simulate(chain(), move, law, check="off")
    off = np.abs(run["drive"] - move.at(run.time).position[:, 0])
    assert isinstance(run.tracking, gough.Tracking) and list(run.tracking) == ["m"]
    assert run.tracking.m == pytest.approx(off, abs=1e-14) and (run.tracking["m"] == run["tracking"][:, 0]).all()
    assert run.tracking.largest == pytest.approx({"m": off.max()}) and run.summary()["tracking"] == run.tracking.largest
    assert f"largest {off.max():.3g} m at {run.time[off.argmax()]:.4g} s" in repr(run.tracking)
    again = pickle.loads(pickle.dumps(run.tracking))
    assert repr(again) == repr(run.tracking) and dict(again).keys() == {"m"}
    with pytest.raises(KeyError, match="nothing in deg; there is m"):
        _ = run.tracking["deg"]
    assert run.tracking.get("rad") is None and "rad" not in run.tracking
    with pytest.raises(UsageError, match="nothing in rad; there is m"):
        _ = run.tracking.rad
    assert repr(gough.simulate(chain(), duration=0.1, check="off").tracking) == "Tracking(no motion to follow)"


def test_tracking_of_many_runs() -> None:
    """The largest distance of every run, as each alone has it; a dict as before."""
    move = motions.quintic(drives={"drive": [0.0, 0.1]}, durations=0.5)
    law = gough.laws.JointPD(stiffness=400.0, damping=20.0)
    drawn = gough.vary.sweep({"third.M": [0.4, 2.0]})
    found = gough.simulate_many(chain(), motion=move, controller=law, vary=drawn, stored=500)
    for k, mass in enumerate((0.4, 2.0)):
        numbers = chain().parameters_with({"third.M": mass})
        alone = gough.simulate(chain(), move, law, parameters=numbers, method="rk4", step=1e-3, check="off")
        assert found.tracking["m"][k] == pytest.approx(alone.tracking.m.max(), rel=1e-6)
    assert isinstance(found.tracking, dict) and found.tracking.m.shape == (2,)
    assert "2 runs" in repr(found.tracking) and "in run" in repr(found.tracking)
