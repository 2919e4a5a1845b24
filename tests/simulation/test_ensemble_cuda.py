"""Ensembles on a GPU: the text of its time loop, run by a C++ compiler, gives what the CPU's lanes give."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gough
from backends.cuda_march_host import COMPILER, HostMarchKernel
from gough import simulate_many
from gough.errors import UsageError
from inner.backends import CudaMarch
from inner.simulation import part_of
from laws.subjects import built

pytestmark = pytest.mark.skipif(COMPILER is None, reason="no C++ compiler")


@pytest.fixture
def on_host(monkeypatch: pytest.MonkeyPatch) -> dict[str, HostMarchKernel]:
    """Kernels of `CudaMarch` run here, 37 turns a launch; those that ran, by their text."""
    kept: dict[str, HostMarchKernel] = {}

    def kernel(self: CudaMarch) -> HostMarchKernel:
        if self.source not in kept:
            kept[self.source] = HostMarchKernel(self.signature, self.source, 37)
        return kept[self.source]

    monkeypatch.setattr(CudaMarch, "kernel", property(kernel))
    return kept


@pytest.fixture(scope="module")
def five_bar() -> gough.Model:
    return built(gough.load("five_bar"))


@pytest.mark.parametrize(("long", "team"), [(10_000, 1), (100, 4)])
def test_is_as_on_the_cpu(long: int, team: int, limits, on_host: dict[str, HostMarchKernel]) -> None:
    """A controller along a motion of several pieces, loads and first states of their own; and one run that fails."""
    limits(cuda_long=long)
    five_bar = gough.build("five_bar")  # no loop of it is compiled yet
    start = five_bar.home[five_bar.drive_index]
    motion = gough.motions.quintic(drives=[start, start + 0.2, start - 0.1], durations=[0.2, 0.15])
    law = gough.laws.JointPD(stiffness=300.0, damping=8.0)
    rng = np.random.default_rng(0)
    v = rng.normal(size=(9, five_bar.layout.nv)) * 0.1
    wrench = rng.normal(size=(9, 6))
    wrench[3] = 1e100  # within a few steps squares of rates are beyond all numbers
    given: dict[str, Any] = {"step": 2e-3, "stored": 20, "wrench": {"left_rod.tool": wrench}}
    cpu = simulate_many(five_bar, None, v, motion, law, **given)
    told: list[tuple[int, int]] = []
    gpu = simulate_many(
        five_bar, None, v, motion, law, device="cuda", progress=lambda a, b: told.append((a, b)), **given
    )
    assert {kernel.signature["team"] for kernel in on_host.values()} == {team}
    assert np.isfinite(cpu.failed).tolist() == [k == 3 for k in range(9)]
    np.testing.assert_array_equal(gpu.failed, cpu.failed)
    np.testing.assert_array_equal(gpu.time, cpu.time)
    good = np.arange(9) != 3
    for name in ("q", "v", "tau", "works"):
        x, y = getattr(gpu, name), getattr(cpu, name)
        np.testing.assert_array_equal(np.isnan(x), np.isnan(y))
        np.testing.assert_allclose(x[good], y[good], rtol=1e-9, atol=1e-9 * np.abs(y[good]).max())
    assert np.abs(gpu.end_q - cpu.end_q)[good].max() < 1e-11
    assert told[-1] == (9, 9) and len(told) > 3 and all(b == 9 for _, b in told)


@pytest.mark.usefixtures("on_host")
def test_designs(five_bar: gough.Model) -> None:
    varied = gough.vary.monte_carlo(_masses(five_bar), 5, seed=3)
    cpu = simulate_many(five_bar, v=[2.0, 1.0], vary=varied, duration=0.2, step=2e-3)
    gpu = simulate_many(five_bar, v=[2.0, 1.0], vary=varied, duration=0.2, step=2e-3, device="cuda")
    assert np.abs(gpu.end_q - cpu.end_q).max() < 1e-11
    assert np.ptp(cpu.end_q, axis=0).max() > 1e-6


def _masses(model: gough.Model) -> dict[str, gough.vary.Draw]:
    names = [n for n, x in zip(model.parameter_names, model.parameters, strict=True) if n.endswith("rod.ZZ") and x]
    return {names[0]: gough.vary.spread(0.1)}


@pytest.mark.usefixtures("on_host")
def test_parts_are_resumed(five_bar: gough.Model, tmp_path: Path) -> None:
    """What is there is read, what is not is done: the same to the last bit, whichever parts are done together."""
    v = np.linspace(0.5, 1.5, 26)[:, None] * np.ones(five_bar.layout.nv)
    given: dict[str, Any] = {"duration": 0.02, "step": 2e-3, "stored": 5, "device": "cuda"}
    whole = simulate_many(five_bar, None, v, folder=tmp_path, **given)
    kept = (tmp_path / "part000000.npz").stat().st_mtime_ns
    (tmp_path / "part000001.npz").unlink()
    again = simulate_many(five_bar, None, v, folder=tmp_path, **given)
    assert (tmp_path / "part000000.npz").stat().st_mtime_ns == kept
    assert again.resumed == 26 - part_of(26) == 18
    for name in ("time", "q", "v", "tau", "works", "end_q", "end_v", "failed"):
        np.testing.assert_array_equal(getattr(again, name), getattr(whole, name))
    given["device"] = "cpu"
    with pytest.raises(UsageError, match="device"):
        simulate_many(five_bar, None, v, folder=tmp_path, **given)


def test_without_a_gpu(five_bar: gough.Model) -> None:
    with pytest.raises(UsageError, match="'cpu', 'cuda'"):
        simulate_many(five_bar, duration=0.1, device="gpu")
    try:
        import cupy  # noqa: F401  # pyright: ignore[reportMissingImports]
    except ImportError:
        with pytest.raises(UsageError, match="CuPy"):
            simulate_many(five_bar, duration=0.1, device="cuda")


def test_sensors_and_actuators_are_as_on_the_cpu(on_host: dict[str, HostMarchKernel]) -> None:
    """The same random numbers, samples that are lost, delays; and every run has its own."""
    model = gough.build("five_bar")
    start = model.home[model.drive_index]
    motion = gough.motions.quintic(drives=[start, start + 0.2], durations=[0.1])
    encoders = gough.sensors.Encoders(noise=1e-5, bias=1e-4, resolution=1e-5, delay=1.5e-3, lost=0.1, bandwidth=200.0)
    parts = {"sensors": encoders, "actuators": [gough.actuators.RateLimit(rate=5e3), gough.actuators.Lag(time=1e-3)]}
    law = gough.laws.Sampled(gough.laws.ComputedTorque(400.0, 40.0), 1e-3, 5e-4, limit=20.0, seed=3, **parts)  # type: ignore[arg-type]
    given: dict[str, Any] = {"motion": motion, "controller": law, "step": 2.5e-4, "stored": 20}
    v = np.zeros((6, model.layout.nv))
    cpu = simulate_many(model, None, v, **given)
    gpu = simulate_many(model, None, v, device="cuda", **given)
    assert on_host
    np.testing.assert_allclose(gpu.q, cpu.q, rtol=0, atol=1e-10)
    np.testing.assert_allclose(gpu.run(4)["encoders"], cpu.run(4)["encoders"], rtol=0, atol=1e-8)
    assert cpu.end_q.std(axis=0).max() > 1e-7


def test_loads_over_time_are_as_on_the_cpu(on_host: dict[str, HostMarchKernel]) -> None:
    """Shared pulses and series, noise of every run."""
    model = gough.build("five_bar")
    push = gough.loads.Pulse([8.0, -3.0, 0, 0, 0, 0.2], begin=0.0113, duration=0.04, rise=0.01)
    wind = gough.loads.Noise([1.0, 50.0], [0.5, 0.5, 0, 0, 0, 0], lines=6, seed=2)
    given: dict[str, Any] = {"wrench": {"left_rod.tool": [push, wind]}, "duration": 0.08, "step": 1e-3, "stored": 10}
    v = np.zeros((6, model.layout.nv))
    cpu = simulate_many(model, None, v, **given)
    gpu = simulate_many(model, None, v, device="cuda", **given)
    assert on_host
    np.testing.assert_allclose(gpu.q, cpu.q, rtol=0, atol=1e-10)
    assert cpu.end_q.std(axis=0).max() > 1e-7
