"""Numbers that stand for no value are named with channel, number, rows and time; nothing is left out unasked."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import gough
from gough.identification.data._sentinels import find_sentinels

from .logs import log_of

LOG = log_of("five_bar", 0.3)
ROWS = np.array([50, *range(400, 408), 900, 1500])


def record(number: float, channel: str = "positions", name: str = "left_motor") -> gough.Record:
    good = LOG.record(step=1e-6, noise=1e-3)
    x = np.array(getattr(good, channel)[name])
    x[ROWS] = number
    return replace(good, **{channel: {**getattr(good, channel), name: x}})


def problems(given: gough.Record, **more: object) -> list[str]:
    with pytest.raises(gough.BadDataError) as told:
        gough.condition(LOG.model, given, shifts=None, **more)  # pyright: ignore[reportArgumentType]
    return [str(p) for p in told.value.problems]


@pytest.mark.parametrize(
    ("number", "said"),
    [(-9999.0, "-9999"), (65535.0, "65535"), (-1e30, "-1e+30"), (np.radians(-9999.0), "-174.515472 rad (-9999 deg)")],
)
@pytest.mark.parametrize(("channel", "name"), [("positions", "left_motor"), ("forces", "right_motor")])
def test_each_is_named_with_its_rows(number: float, said: str, channel: str, name: str) -> None:
    if channel == "forces":
        said = said.split(" rad")[0]
    (found,) = problems(record(number, channel, name))
    assert found.startswith(f"log: {channel[:-1]} {name}: stands at {said}") and "[sentinel]" in found
    assert f"in rows 50, 400, 401, 402 …, {len(ROWS)} in all (from t = 0.1 s)" in found


def test_rows_are_left_out_where_that_is_accepted() -> None:
    samples = gough.condition(LOG.model, record(-9999.0), shifts=None, accept=["sentinel"])
    assert any(f"{len(ROWS)} rows with a number in the place of a value left out" in n for n in samples.notes)
    assert np.abs(samples.q - LOG.q[LOG.at(samples)]).max() < 0.01
    bad = record(-9999.0)
    x = np.array(bad.positions["left_motor"])
    x[3] = np.nan
    other = replace(bad, positions={**bad.positions, "left_motor": x})
    with pytest.raises(gough.BadDataError, match="left_motor: no number in row 3"):
        gough.condition(LOG.model, other, accept=["sentinel"])


def test_what_else_is_wrong_is_seen_beside_them() -> None:
    bad = record(-9999.0)
    wrong = replace(
        bad,
        positions={d: np.degrees(x) if d == "left_motor" else x for d, x in bad.positions.items()},
        rates={"left_motor": LOG.rate[:, 0]},
    )
    found = problems(wrong)
    assert any("[sentinel]" in p for p in found) and any("[units]" in p and "57.3" in p for p in found)


def test_a_counter_that_wraps_has_its_own(tmp_path) -> None:
    turns = np.mod(np.round(LOG.x[:, 0] * 4096 / (2 * np.pi)), 4096)
    turns[ROWS] = -99999
    table = np.column_stack([LOG.t, turns, LOG.x[:, 1], LOG.tau])
    np.savetxt(tmp_path / "log.csv", table, delimiter=",", header="t,a,b,fa,fb", comments="")
    columns = {
        "t": "time",
        "a": {"is": "position left_motor", "gain": 2 * np.pi / 4096, "wrap": 4096},
        "b": "position right_motor",
        "fa": "force left_motor",
        "fb": "force right_motor",
    }
    with pytest.raises(gough.BadDataError, match=r"position left_motor: stands at -153\.39.* 11 in all"):
        gough.read_record(tmp_path / "log.csv", LOG.model, columns)
    read = gough.read_record(tmp_path / "log.csv", LOG.model, columns, accept=["sentinel"])
    good = np.setdiff1d(np.arange(len(LOG.t)), ROWS)
    off = np.abs(read.positions["left_motor"] - LOG.x[:, 0])[good]
    assert np.ptp(np.mod(off + 0.1, 2 * np.pi)) < 2e-3


@pytest.mark.parametrize(
    "x",
    [
        np.sin(np.linspace(0, 40, 2000)),
        np.clip(np.sin(np.linspace(0, 40, 2000)), -0.7, 0.7),
        np.sign(np.sin(np.linspace(0, 40, 2000))) + 0.0,
        np.where(np.arange(2000) < 1200, 0.0, np.minimum((np.arange(2000) - 1200) / 100, 5.0)),
        np.round(3 * np.sin(np.linspace(0, 40, 2000))),
        np.random.default_rng(0).standard_cauchy(2000),
        np.full(2000, 0.3) + 1e-17 * np.round(np.random.default_rng(0).normal(size=2000)),
        np.concatenate([np.random.default_rng(0).normal(size=1997), [90.0, 90.0, 90.0]]),
    ],
    ids=["sine", "clipped", "switched", "ramp", "coarse", "spikes", "rounding", "one burst"],
)
def test_what_is_a_motion_or_a_force_is_none(x: np.ndarray) -> None:
    assert find_sentinels(x) == []


def test_several_of_one_channel() -> None:
    x = np.sin(np.linspace(0, 40, 4000))
    x[::100], x[7::200], x[11::400] = -9999.0, 9999.0, 65535.0
    assert find_sentinels(x) == [-9999.0, 9999.0, 65535.0]
