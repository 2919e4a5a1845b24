"""Growth: robots of every size are what they say, points have their figures, files are written."""

import json

import pytest

import gough
from gough_bench import growth
from gough_bench.growth import closed_chain, growth_markdown, legs_on_platform, write_growth
from gough_bench.machine import machine


@pytest.mark.parametrize("n", [3, 6, 8])
def test_legs(n):
    model = gough.build(legs_on_platform(n))
    assert (model.mobility, len(model.mechanism.drives), len(model.mechanism.cuts)) == (6, n, n)


@pytest.mark.parametrize("n", [6, 9])
def test_chain(n):
    model = gough.build(closed_chain(n))
    assert (model.mobility, len(model.mechanism.drives), len(model.mechanism.links)) == (n - 3, n - 3, n)
    assert model.closure_error(model.home) < 1e-10


@pytest.mark.slow
def test_all_series_and_files(limits, tmp_path):
    limits(growth_series={"loops": growth.SERIES["loops"]}, growth_states=(1, 1000), growth_batch=64)
    found = growth.grow(quick=True)
    assert set(found["series"]) == {"loops", "states"} and not found["interrupted"]
    for name, series in found["series"].items():
        keys = {"size", "seconds", "memory_bytes"}
        if name != "states":
            keys = {"size", "build_s", "compile_s", "operations", "instructions", "best_ns", "spread"}
        assert len(series["points"]) == 2 and all(set(p) == keys for p in series["points"])
    page, data, picture = write_growth(found, tmp_path)
    assert json.loads(data.read_text()) == found
    assert "four-bars" in page.read_text() and picture.stat().st_size > 10_000


def test_interrupted_growth_keeps_what_is_done(monkeypatch, tmp_path):
    def stop(*args):
        raise KeyboardInterrupt

    monkeypatch.setattr(growth, "point", stop)
    found = growth.grow(quick=True)
    assert found["interrupted"] and write_growth(found, tmp_path)[0].exists()


def test_exponent():
    points = [{"size": n, "best_ns": 3.0 * n**2} for n in (1, 2, 4, 8)]
    assert growth.exponent(points, "best_ns") == pytest.approx(2.0)
    assert growth.exponent(points[:1], "best_ns") is None


def test_a_busy_machine_is_told():
    points = [{"size": n, "operations": n, "best_ns": 1.0 * n, "spread": 2.0} for n in (1, 2, 4)]
    series = {"loops": {"axis": "loops", "what": "four-bars", "points": points}}
    text = growth_markdown({"machine": machine(), "series": series, "interrupted": False})
    assert "**Doubtful**" in text and "200 %" in text
    for p in points:
        p["spread"] = 0.01
    assert "Doubtful" not in growth_markdown({"machine": machine(), "series": series, "interrupted": False})
