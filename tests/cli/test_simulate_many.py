"""`gough simulate --vary`: many runs, their figures, what is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import gough as library
from cli.command import gough, gough_json

SWING = ("simulate", "four_bar_chain", "--duration", "0.1s")


def test_draws(tmp_path: Path) -> None:
    options = ("--vary", "rate.foot0=normal(1, 0.1)", "--runs", 20, "--seed", 3, "--out", tmp_path / "runs")
    report = gough_json(*SWING, *options)
    drawn = library.vary.monte_carlo({"rate.foot0": library.vary.normal(1, 0.1)}, 20, seed=3)
    truth = library.simulate_many(library.build("four_bar_chain"), vary=drawn, duration=0.1)
    assert (report["runs"], report["failed"], report["resumed"]) == (20, 0, 0)
    assert report["ends"][0]["mean"] == pytest.approx(truth.end_q[:, 0].mean(), rel=1e-12)
    assert report["varied"][0]["deviation"] == pytest.approx(np.std(drawn.values["rate.foot0"]))
    again = gough_json(*SWING, *options)
    assert again["resumed"] == 20 and again["ends"] == report["ends"]
    part = tmp_path / "runs" / "part000000.npz"
    part.write_bytes(part.read_bytes()[:-1])
    _, err = gough(*SWING, *options)
    assert str(part) in err and "done again" in err and str(part) not in gough(*SWING, *options)[1]


def test_all_combinations() -> None:
    out, _ = gough(*SWING, "--vary", "rate.foot0=0.5,1", "--vary", "at.foot0=1,1.1,1.2")
    assert "6 runs, 0 failed" in out and "at.foot0" in out and "at the end" in out


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--runs", 3), "--runs goes with --vary"),
        (("--vary", "rate.foot0=1,2", "--vary", "rate.foot0=3"), "given twice"),
        (("--vary", "rate.foot0=normal(1)", "--runs", 3), "MEAN, DEVIATION"),
        (("--vary", "rate.foot0=1,2", "--runs", 3), "combined"),
        (("--vary", "rate.foot0=1,2", "--method", "dp5"), "rk4"),
        (("--vary", "rate.foot0=1,2", "--every", 3), "every"),
        (("--vary", "no.such=1,2"), "no parameter"),
        (("--vary", "rate.foot0=1,2", "--device", "tpu"), "'cpu', 'cuda'"),
    ],
)
def test_bad_options(options: tuple, words: str) -> None:
    _, err = gough(*SWING, *options, code=2)
    assert words in err


def test_how_far_runs_miss_their_motion(tmp_path: Path) -> None:
    """The largest error of each, as the ensemble has it; a load that pushes more makes it larger."""
    model = library.build("five_bar")
    start = model.home[model.drive_index]
    file = tmp_path / "move.yaml"
    drives = ", ".join(f"{n}: [{x}, {x + 0.2}]" for n, x in zip(model.layout.drive_names, start, strict=True))
    file.write_text(f"format: 1\nmotion:\n  quintic: {{drives: {{{drives}}}, durations: 0.3 s}}\n")
    options = ("--motion", file, "--controller", "joint_pd: {stiffness: 300, damping: 8}", "--step", "1ms")
    loads = ("--vary", "wrench.left_rod.tool.fx=0,20,40")
    report = gough_json("simulate", "five_bar", *options, *loads)
    found = library.simulate_many(
        model,
        motion=library.load_motion(file, model),
        controller=library.laws.JointPD(stiffness=300.0, damping=8.0),
        vary=library.vary.sweep({"wrench.left_rod.tool.fx": [0.0, 20.0, 40.0]}),
    )
    (row,) = report["tracking"]
    assert (row["name"], row["unit"]) == ("tracking.rad", "rad") and list(found.tracking) == ["rad"]
    assert found.tracking.rad[0] < found.tracking.rad[2]
    assert (row["low"], row["high"]) == pytest.approx((found.tracking.rad.min(), found.tracking.rad.max()), rel=1e-9)
    out, _ = gough("simulate", "five_bar", *options, *loads)
    assert "largest error from the motion" in out and "tracking.rad" in out
    assert gough_json(*SWING, "--vary", "rate.foot0=0.5,1")["tracking"] == []
