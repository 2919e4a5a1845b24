"""`gough demo` on a part of the tour; the whole tour is a slow test."""

import time
from dataclasses import replace
from functools import cache

import pytest

from cli.command import gough, gough_json
from gough.cli import demo
from gough.papers import SCENARIOS, scenarios

prepare_once = cache(demo._prepare)
KEEP = ("pedrammehr2012_path3", "lopes_p1p2p1", "lopes_simplified_p1p2p1")


@pytest.fixture
def short_tour(monkeypatch):
    monkeypatch.setattr(demo, "_prepare", prepare_once)
    for name in set(SCENARIOS) - set(KEEP):
        monkeypatch.delitem(scenarios.SCENARIOS, name)


def test_numbers_and_figure(short_tour, tmp_path):
    figure = tmp_path / "plots" / "demo.png"
    report = gough_json("demo", "--figure", figure)
    assert report["figure"] == str(figure) and figure.read_bytes().startswith(b"\x89PNG") and not report["interrupted"]
    assert {row["scenario"] for row in report["rows"]} == set(KEEP)
    for row in report["rows"]:
        assert row["within"] and row["operations"] > 100 and row["microseconds"] > 0
    [largest] = [r for r in report["rows"] if r["robot"] == "pedrammehr2012" and r["quantity"] == "max |f|"]
    assert largest["known"] == [2377.4] and abs(largest["largest"] - 2377.4) <= 0.05


def test_a_different_force_is_exit_code_1(short_tour, tmp_path, monkeypatch):
    scenario = SCENARIOS["pedrammehr2012_path3"]
    wrong = replace(scenario.known[0], value=(2400.0,))
    monkeypatch.setitem(scenarios.SCENARIOS, "pedrammehr2012_path3", replace(scenario, known=(wrong,)))
    out, err = gough("demo", "--figure", tmp_path / "demo.png", code=1)
    assert "DIFFERS" in out and "agrees" in out and str(tmp_path / "demo.png") in out and "path 3" in err


def test_interrupt_shows_what_is_done(short_tour, tmp_path, monkeypatch):
    def stop():
        raise KeyboardInterrupt

    later = replace(SCENARIOS["lopes_p1p2p1"], motion=stop)
    monkeypatch.setitem(scenarios.SCENARIOS, "lopes_p1p2p1", later)
    out, _ = gough("demo", "--figure", tmp_path / "demo.png", code=130)
    assert "path 3" in out and "interrupted" in out and not (tmp_path / "demo.png").exists()


@pytest.mark.slow
def test_whole_tour_takes_less_than_a_minute(tmp_path):
    start = time.perf_counter()
    report = gough_json("demo", "--figure", tmp_path / "demo.png")
    assert time.perf_counter() - start < 60
    assert {row["scenario"] for row in report["rows"]} == set(SCENARIOS)
