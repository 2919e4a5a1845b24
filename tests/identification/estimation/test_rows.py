"""Equations of samples: they hold at the truth, filtered or not, in pieces or whole."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import gough
from gough import Samples
from gough.errors import UsageError
from inner.identification import Rows, Thinning, stretches

from .motions import five_bar, samples


def rows_of(model: gough.Model, *parameters: str) -> Rows:
    return Rows.of(model, gough.base_parameters(model, parameters or ("inertia", "rotors", "friction")))


@pytest.mark.parametrize("factor", [1, 3, 8])
@pytest.mark.parametrize("chunk", [2**21, 700])
def test_equations_hold_at_the_truth_after_thinning_out(factor: int, chunk: int) -> None:
    rows, data = rows_of(five_bar()), samples()
    pieces = list(rows.pieces(data, Thinning(factor), chunk))
    for piece in pieces:
        missing = piece.target - piece.Y @ rows.base.values
        assert np.abs(missing).max() < 1e-8 * np.abs(data.force).max()
    assert sum(len(p.Y) for p in pieces) == Thinning(factor).size_of(len(data))
    assert (len(pieces) > 1) == (chunk == 700)


def test_a_thinned_slow_signal_is_itself_and_a_fast_one_is_gone() -> None:
    thinning, t = Thinning(10), np.arange(4000) * 1e-3
    slow, fast = np.sin(2 * np.pi * 5.0 * t), np.sin(2 * np.pi * 80.0 * t)
    inner = t[thinning.reach : len(t) - thinning.reach : 10]
    assert np.abs(thinning.apply(slow[:, None])[:, 0] - np.sin(2 * np.pi * 5.0 * inner)).max() < 5e-3
    assert np.abs(thinning.apply(fast[:, None])).max() < 5e-3


def test_runs_are_not_mixed() -> None:
    one = samples()
    n = len(one)
    both = Samples(
        one.model,
        np.tile(one.time, 2),
        np.tile(one.q, (2, 1)),
        np.tile(one.v, (2, 1)),
        np.tile(one.acceleration, (2, 1)),
        np.tile(one.force, (2, 1)),
        None,
        np.repeat([0, 1], n),
        ("a", "b"),
    )
    assert list(stretches(both)) == [(0, 0, n), (1, n, 2 * n)]
    rows = rows_of(one.model)
    alone = [p.Y for p in rows.pieces(one, Thinning(5))]
    for run in (0, 1):
        assert np.array_equal(np.concatenate([p.Y for p in rows.pieces(both, Thinning(5)) if p.run == run]), alone[0])


@pytest.mark.parametrize("name", ["pedrammehr2012", "redundant_planar", "hobby_6rss"])
@pytest.mark.filterwarnings("ignore")
def test_measured_wrenches_and_redundant_drives_and_idle_freedoms(name: str) -> None:
    model = gough.build(name)
    s, rng = model.sampled_states, np.random.default_rng(4)
    q, n = s["q"], len(s["q"])
    v, a = rng.normal(size=(2, n, model.layout.nv))
    wrench = rng.normal(size=(n, 6)) * 10 if model.mechanism.has_platform else None
    tau = rng.normal(size=(n, len(model.layout.drive_names)))
    if model.layout.nv == model.mobility == tau.shape[1]:
        tau = model.inverse_dynamics(q, v, a, wrench).tau
    else:
        a = model.forward_dynamics(q, v, tau, wrench).vdot
    data = Samples(model, np.arange(n) * 1.0, q, v, a, tau, wrench, np.zeros(n, dtype=int), ("x",))
    rows = rows_of(model, "inertia", "friction", "rotors")
    [piece] = rows.pieces(data, Thinning())
    missing = piece.target - piece.Y @ rows.base.values
    assert np.abs(missing).max() < 1e-7 * np.abs(piece.target).max()


def test_gains_stand_beside_what_is_known() -> None:
    model, data = five_bar(), samples()
    base = gough.base_parameters(model, ("left_*.M*", "left_*.ZZ", "right_rod.M*", "right_rod.ZZ"))
    rows = Rows.of(model, base, gains=True)
    measured = replace(data, force=data.force / np.array([1.1, 0.8]))
    [piece] = rows.pieces(measured, Thinning())
    truth = np.append(base.values, [1.1, 0.8])
    assert np.abs(piece.target - piece.Y @ truth).max() < 1e-8 * np.abs(data.force).max()


def test_a_sample_without_a_state_is_named() -> None:
    data = samples()
    q = np.array(data.q)
    q[7] += 0.4
    with pytest.raises(UsageError, match=r"run 'run', t = 0\.014 s"):
        list(rows_of(data.model).pieces(replace(data, q=q), Thinning()))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_deflections_that_nothing_measures_have_no_rows() -> None:
    """Forces of a flexible Delta whose rods do not bend: rows of elastic velocities would lack what their stiffness bears."""
    model = gough.build("delta_flexible")
    layout, t, rng = model.layout, np.arange(1000) / 250.0, np.random.default_rng(1)
    home, names = model.drives(model.home), layout.drive_names
    waves = {n: home[k] + 0.15 * np.sin((2.0 + 1.3 * k) * t) + 0.1 * np.sin(6.0 * t + k) for k, n in enumerate(names)}
    noise = {n: np.sin(t + k) + 0.01 * rng.normal(size=len(t)) for k, n in enumerate(names)}
    data = gough.condition(model, gough.Record("r", t, waves, noise), idle="still", shifts=None, band=10.0)
    parameters = ("platform.M", "leg*.arm.YY", "leg*.arm.MX", "leg*.arm.MZ")
    base = gough.base_parameters(model, parameters)
    rows, unit = Rows.of(model, base, still=True), np.eye(3)
    assert rows.names == layout.v_names[: layout.rigid] and len(rows.names) < layout.nv
    drives = [rows.measured_force(replace(data, force=np.tile(unit[k], (len(data), 1))), slice(None)) for k in range(3)]
    y = gough.regressor(model, parameters, rows="freedoms")(data.q, data.v, data.acceleration)
    truth = 1.5 * base.regressor.values
    load = (y.Y @ truth + y.rest)[:, : layout.rigid]
    tau = np.linalg.solve(np.stack(drives, axis=2), load[:, :, None])[:, :, 0]
    measured = replace(data, force=tau + 1e-3 * tau.std(axis=0) * rng.normal(size=tau.shape))
    found = gough.identify(model, measured, parameters=parameters, consistent=False)
    assert np.abs((found.base_values - base.matrix @ truth) / found.base_deviations).max() < 5.0
    assert found.fits[0].error < 0.01 and found.rows.still


@pytest.mark.filterwarnings("ignore")
def test_predicted_forces_are_those_of_the_drives_under_the_wrench() -> None:
    model = gough.build("three_rrr")
    rng, t = np.random.default_rng(2), np.arange(600) * 0.005
    s = model.sampled_states["q"]
    q = s[rng.integers(len(s), size=len(t))]
    v, a = rng.normal(size=(2, len(t), model.layout.nv))
    wrench = np.zeros((len(t), 6))
    wrench[:, [0, 1, 5]] = rng.normal(size=(len(t), 3)) * [20.0, 20.0, 2.0]
    tau, gains = model.inverse_dynamics(q, v, a, wrench).tau, np.array([1.1, 0.9, 1.05])
    for parameters, scale in ((("inertia",), np.ones(3)), (("inertia", "gains"), gains)):
        data = Samples(model, t, q, v, a, tau / scale, wrench, np.zeros(len(t), dtype=int), ("x",))
        found = gough.identify(model, data, parameters=parameters, consistent=False)
        assert np.abs(found.predict(data) - data.force).max() < 1e-6 * np.abs(tau).max()
        measured, predicted = found.playback()
        assert np.abs(measured.tau - predicted.tau).max() < 1e-6 * np.abs(tau).max()
