"""Every example runs, and its numbers are those of the origin it states."""

import runpy
import shutil
import warnings
from pathlib import Path

import numpy as np
import pytest

FOLDER = Path(__file__).resolve().parents[2] / "examples"
FILES = sorted(FOLDER.glob("[0-9]*.py"))


NEEDS_A_COMPILER = pytest.param("10", marks=pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler"))


def read(start):
    [path] = [p for p in FILES if p.name.startswith(start)]
    return runpy.run_path(str(path))


def run(module):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # some papers print unphysical inertias
        return module["main"]()


@pytest.mark.parametrize("start", ["01", "02", "04", "05", "06", "07", "08", "09", NEEDS_A_COMPILER, "11", "12", "13"])
def test_numbers(start):
    module = read(start)
    found = run(module)
    assert set(found) == set(module["EXPECTED"])
    for name, (expected, tolerance) in module["EXPECTED"].items():
        assert abs(found[name] - expected) <= tolerance, name


def test_operations_are_fewer_than_the_papers():
    module = read("03")
    found = run(module)
    for name, most in module["AT_MOST"].items():
        assert 0 < found[name] < most
    assert found["inverse dynamics, numbers baked in"] <= found["inverse dynamics"]
    assert found["inverse dynamics, simplified model"] < found["inverse dynamics"]


def test_expected_numbers_are_not_invented_here():
    """The same numbers from the statement of their origin, worked out by hand."""
    assert read("01")["EXPECTED"]["force at rest (N)"] == (7.3608, 0.00005)
    weight = read("04")["EXPECTED"]["sum of forces, smallest (N)"][0]
    assert abs(weight - 44.16462) < 1e-9  # 4.502 kg
    start = read("02")["EXPECTED"]["force at the start (N)"][0]
    # l² = 0.36 + 0.25 + 0.09 - 0.3 cos 40° = 0.4701867; f = 12 · 10.61 / (6 · 0.6 / l)
    assert abs(start - 12 * 10.61 * 0.4701866671**0.5 / 3.6) < 1e-6
    assert read("05")["EXPECTED"]["largest force (N)"] == (2377.4, 0.05)
    # 1 rad in two halves of T/2 each: 0.5 = ½ (τ/I) (T/2)², τ/I = 100 rad/s²
    assert abs(read("06")["EXPECTED"]["time, rods without mass (s)"][0] - 0.2) < 1e-12
    # The published answer of the benchmark at 10 s for N = 2
    assert abs(read("07")["EXPECTED"]["x of the first tip after 10 s (m)"][0] - 0.3284581115) < 1e-9
    # w = 2700 · 3e-4 · 9.81 = 7.9461 N/m, EI = 70e9 · 2.5e-9 = 175 N m²: w L⁴/8EI = 0.7355818 mm
    assert abs(read("08")["EXPECTED"]["sag of the tip (mm)"][0] - 1000 * 7.9461 * 0.1296 / 1400) < 1e-9
    # z = 0.4: d² = 0.34 − 0.3 cos 40° = 0.1101867, n² = 0.16/0.2701867; f² = 6 · 2e5 n²/12 / 4π²
    lowest = read("09")["EXPECTED"]["bouncing at the lowest pose (Hz)"][0]
    assert abs(lowest - (1e5 * 0.16 / 0.2701866671 / 39.4784176044) ** 0.5) < 1e-6
    # The published optimum of EMPS
    published = [x for x, _ in list(read("12")["EXPECTED"].values())[:4]]
    assert published == [95.1089, 203.5034, 20.3935, -3.1648]


@pytest.mark.slow
@pytest.mark.parametrize("seeds", [(6, 7), pytest.param(range(40), marks=pytest.mark.slow)], ids=["two", "forty"])
def test_an_environment_survives_a_policy_that_knows_nothing(seeds):
    """Random torques, through singular poses: no error leaves it, and what it observes is a robot that moves on smoothly."""
    module = read("11")
    env = module["FiveBarReach"]()
    for seed in seeds:
        seen = module["random_episode"](env, seed)
        assert np.isfinite(seen).all()
        assert all(env.observation_space.contains(x) for x in seen)
        assert np.abs(np.diff(seen[:, :2], axis=0)).max() < 1.0  # rad, in 10 ms
        assert float(env.model.closure_error(env.sim.q)) < 1e-9


def test_every_example_is_tested():
    assert [p.name[:2] for p in FILES] == [f"{k:02}" for k in range(1, 14)]
