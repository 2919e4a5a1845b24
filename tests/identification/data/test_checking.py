"""Bad data are named: what, where, and what to do, all at once; good data are left in peace."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import gough
from gough.robot import loads

from .logs import build, log_of

LOG = log_of("five_bar", 0.3)
MODEL = LOG.model


def record(**changes: Any) -> gough.Record:
    names = MODEL.layout.drive_names
    rates = {d: LOG.rate[:, k] for k, d in enumerate(names)}
    return replace(LOG.record(step=1e-6, noise=1e-3, rates=rates), **changes)


def with_(group: str, name: str, change: Callable[[np.ndarray], np.ndarray]) -> gough.Record:
    r = record()
    x = change(getattr(r, group)[name].copy())
    return replace(r, **{group: {**getattr(r, group), name: x}})


def problems(model: gough.Model, given: gough.Record | list[gough.Record]) -> list[str]:
    try:
        gough.condition(model, given, shifts=None)
    except gough.BadDataError as told:
        return [str(p) for p in told.problems]
    return []


def put(rows: Any, value: Any) -> Callable[[np.ndarray], np.ndarray]:
    def change(x: np.ndarray) -> np.ndarray:
        x[rows] = value
        return x

    return change


def test_good_data_are_left_in_peace() -> None:
    assert problems(MODEL, record()) == []
    for name, size in (("delta", 0.2), ("pedrammehr2012", 0.0)):
        if size:
            assert problems(build(name), log_of(name, size).record(step=1e-6)) == []


CASES: list[tuple[str, Callable[[], gough.Record], str]] = [
    ("unsorted", lambda: record(time=put(slice(100, 103), LOG.t[90:93])(LOG.t.copy())), "goes back at row"),
    ("repeated", lambda: record(time=put(100, LOG.t[99])(LOG.t.copy())), "stands still at row 100 (t = 0.198 s)"),
    ("gap", lambda: record().rows(np.r_[0:1000, 1100 : len(LOG.t)]), "1 gap of up to 0.202 s after row 999"),
    ("nan", lambda: with_("positions", "left_motor", put([5, 77], np.nan)), "no number in rows 5, 77"),
    ("constant", lambda: with_("forces", "right_motor", put(slice(None), 0.0)), "is 0 in all 6000 rows"),
    ("wrap", lambda: with_("positions", "left_motor", lambda x: np.mod(x - x.mean(), 2 * np.pi)), "(a turn)"),
    ("units", lambda: record(time=LOG.t * 1000), "a factor 1000"),
    (
        "units",
        lambda: with_("rates", "left_motor", np.degrees),
        "moves 0.01745 times what its rate says: 57.3 (degrees and radians)",
    ),
    ("units", lambda: with_("rates", "left_motor", lambda x: x / 1000), "a factor 1000"),
    ("sign", lambda: with_("rates", "left_motor", np.negative), "moves against its rate"),
    (
        "saturated",
        lambda: with_("forces", "left_motor", lambda f: np.clip(f, -np.inf, np.quantile(f, 0.9))),
        "where it is cut off",
    ),
    ("short", lambda: record().rows(slice(0, 12)), "12 samples"),
]


@pytest.mark.parametrize(("kind", "make", "words"), CASES, ids=[f"{k}-{i}" for i, (k, _, _) in enumerate(CASES)])
def test_each_problem_is_named(kind: str, make: Callable[[], gough.Record], words: str) -> None:
    found = problems(MODEL, make())
    assert [p for p in found if f"[{kind}]" in p and words in p], found
    assert all(p.startswith("log: ") and "; " in p for p in found)


def test_all_problems_of_all_records_are_told_at_once() -> None:
    bad = [with_("forces", "left_motor", put(9, np.nan)), record().rows(np.r_[0:900, 1000:6000], "other")]
    with pytest.raises(gough.BadDataError) as told:
        gough.condition(MODEL, bad)
    assert {p.kind for p in told.value.problems} == {"nan", "gap"} and "2 problems" in str(told.value)
    s = gough.condition(MODEL, bad, accept=["nan", "gap"])
    assert len(s) and any("1 rows without a number left out" in n for n in s.notes)


SLIDE = """
format: 1
name: slide
bodies: [{name: cart, mass: 3}]
joints: [{name: x, type: prismatic, parent: world, child: cart, drive: {stroke: [0.1, 0.5], force_limit: 20}}]
home: {joints: {x: 0.3}}
"""


def test_strokes_and_force_limits_tell_units_offsets_and_saturation() -> None:
    model = gough.build(loads(SLIDE))
    t = np.arange(2000) / 200.0
    x, f = 0.3 + 0.15 * np.sin(2 * t), 10 * np.cos(3 * t)
    assert problems(model, gough.Record("log", t, {"x": x}, {"x": f})) == []
    found = problems(model, gough.Record("mm.csv", t, {"x": 1e3 * x}, {"x": f}))
    assert any("[units]" in p and "a factor 1/1000 (mm) it would be inside" in p and "say unit: mm" in p for p in found)
    found = problems(model, gough.Record("zero.csv", t, {"x": x - 0.3}, {"x": f}))
    assert any("[limits]" in p and "offset:" in p for p in found)
    found = problems(model, gough.Record("log", t, {"x": x}, {"x": np.clip(3 * f, -20, 20)}))
    assert any("[saturated]" in p and "sits at its limit of 20" in p for p in found)
    found = problems(model, gough.Record("log", t, {"x": x}, {"x": 2.4 * f}))
    assert any(
        "[saturated]" in p and "at its limit of 20 or beyond, up to 24" in p and "force_limit" in p for p in found
    )
    found = problems(model, gough.Record("log", t, {"x": x}, {"x": 4 * f}))
    assert any("[units]" in p and "is up to 2 times its limit of 20" in p and "force_limit" in p for p in found)


def test_a_number_that_cannot_be_computed_with_is_none() -> None:
    model = gough.build(loads(SLIDE))
    t = np.arange(2000) / 200.0
    x, f = 0.3 + 0.15 * np.sin(2 * t), 10 * np.cos(3 * t)
    f[700] = 1e308
    found = problems(model, gough.Record("log", t, {"x": x}, {"x": f}))
    assert len([p for p in found if "[nan]" in p and "a number above 1e+100 in row 700" in p]) == 1
    samples = gough.condition(model, gough.Record("log", t, {"x": x}, {"x": f}), accept=["nan", "saturated"])
    assert np.abs(samples.force).max() < 11


def test_steps_of_shuffled_times_are_those_of_sorted_ones() -> None:
    model = gough.build(loads(SLIDE))
    t = np.arange(2000) / 200.0
    order = np.random.default_rng(0).permutation(len(t))
    x, f = 0.3 + 0.15 * np.sin(2 * t), 10 * np.cos(3 * t)
    found = problems(model, gough.Record("log", t[order], {"x": x[order]}, {"x": f[order]}))
    assert len(found) == 1 and "[unsorted]" in found[0]
    samples = gough.condition(
        model, gough.Record("log", t[order], {"x": x[order]}, {"x": f[order]}), accept=["unsorted"]
    )
    assert np.abs(samples.force[:, 0] - 10 * np.cos(3 * samples.time)).max() < 1e-3


def test_loops_that_close_in_other_units_tell_them() -> None:
    log = log_of("pedrammehr2012", 0.02, posed=True)
    names = log.model.layout.drive_names
    forces = log.record().forces
    wrong = gough.Record("mm.csv", log.t, {d: 1e3 * log.x[:, k] for k, d in enumerate(names)}, forces)
    assert any("[units]" in p and "factor 1/1000" in p and "mm" in p for p in problems(log.model, wrong))
    pose = log.q[:, :7].copy()
    pose[:, :3] *= 1e3
    found = problems(log.model, gough.Record("mm.csv", log.t, {}, forces, pose=pose))
    assert any("[units]" in p and "pose" in p and "factor 1/1000" in p for p in found)
    delta = log_of("delta", 0.2)
    far = delta.q[:, :7].copy()
    far[2000:3000, 2] += 5.0
    found = problems(delta.model, gough.Record("far.csv", delta.t, {}, delta.record().forces, pose=far))
    assert any("[reach]" in p and "poses out of reach" in p for p in found)
    long = log.q[:, :7] * np.repeat([1.0, 1.1], [3, 4])
    found = problems(log.model, gough.Record("long.csv", log.t, {}, forces, pose=long))
    assert any("[quaternion]" in p and "length 1.1" in p for p in found)


def test_degrees_of_a_delta_are_seen_by_its_loops() -> None:
    log = log_of("delta", 0.2)
    names = log.model.layout.drive_names
    wrong = gough.Record(
        "deg.csv", log.t, {d: np.degrees(log.x[:, k]) for k, d in enumerate(names)}, log.record().forces
    )
    assert any("[units]" in p and "1/57.3" in p for p in problems(log.model, wrong))


def test_saturated_rows_are_left_out_where_that_is_accepted() -> None:
    r = with_("forces", "left_motor", lambda f: np.clip(f, -np.inf, np.quantile(f, 0.9)))
    s = gough.condition(MODEL, r, shifts=None, accept=["saturated"])
    assert s.force[:, 0].max() < r.forces["left_motor"].max() * (1 + 1e-6)
    assert any("rows left out around" in n and "saturated" in n for n in s.notes)
    assert len(s.runs) > 1 and all("part" in name for name in s.runs)


def test_a_force_that_is_cut_off_below_its_stated_limit_is_saturated() -> None:
    model = gough.build(loads(SLIDE))
    t = np.arange(2000) / 200.0
    x, rng = 0.3 + 0.15 * np.sin(2 * t), np.random.default_rng(0)
    f = 10 * np.cos(3 * t) + 0.2 * rng.normal(size=len(t))
    assert problems(model, gough.Record("log", t, {"x": x}, {"x": f})) == []
    found = problems(model, gough.Record("log", t, {"x": x}, {"x": np.clip(f, -8, 8)}))
    assert len(found) == 1 and "[saturated]" in found[0]
    assert "where it is cut off (its limit is described as 20)" in found[0], found


def test_spikes_beyond_the_limit_are_outliers_and_cost_no_other_rows() -> None:
    model = gough.build(loads(SLIDE))
    t = np.arange(6000) / 500.0
    x, rng = 0.3 + 0.15 * np.sin(2 * t), np.random.default_rng(0)
    f = 10 * np.cos(3 * t) + 0.2 * rng.normal(size=len(t))
    f[1000:5000:600] = 27.0
    assert problems(model, gough.Record("log", t, {"x": x}, {"x": f})) == []
    s = gough.condition(model, gough.Record("log", t, {"x": x}, {"x": f}), shifts=None)
    assert any("7 outliers replaced" in note for note in s.notes) and not any("left out" in note for note in s.notes)
    assert np.abs(s.force).max() < 12


@pytest.mark.parametrize("factor", [1e-3, 1e-6])
def test_a_time_in_which_drives_would_be_far_too_fast_is_named(factor: float) -> None:
    model = gough.build(loads(SLIDE.replace("force_limit: 20", "force_limit: 20, speed_limit: 0.5")))
    t = np.arange(2000) / 200.0
    x, f = 0.3 + 0.15 * np.sin(2 * t), 10 * np.cos(3 * t)
    assert problems(model, gough.Record("log", t, {"x": x}, {"x": f})) == []
    quick = gough.Record("log", factor * t, {"x": x}, {"x": f}, stated=frozenset({"time"}))
    found = problems(model, quick)
    assert (
        len(found) == 1 and "log: time: " in found[0] and "times the speed limit" in found[0] and "[units]" in found[0]
    )
    meters = problems(model, gough.Record("log", t, {"x": 1e3 * x}, {"x": f}))
    assert len(meters) == 1 and "say unit: mm" in meters[0]
