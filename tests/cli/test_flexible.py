"""Flexible bodies on the command line: what `gough show` tells of them, and states that give elastic coordinates."""

from pathlib import Path

import numpy as np
import pytest

from cli.command import gough, gough_json


def test_show():
    """A planar beam element clamped at one end: k/m of each coordinate of its tip, [4 × 50 mm, 0.4505 m, duralumin]."""
    shown = gough_json("show", "dualemps")
    assert [b["body"] for b in shown["flexible"]] == ["link13", "link16", "link23"]
    beam = shown["flexible"][0]
    assert beam["coordinates"] == ["link13.tip.x", "link13.tip.y", "link13.tip.rz"]
    L, EA, EI, m = 0.4505, 74e9 * 2e-4, 74e9 * 0.05 * 0.004**3 / 12, 2800 * 2e-4 * 0.4505
    squares = np.array([(EA / L) / (m / 3), (12 * EI / L**3) / (156 * m / 420), (4 * EI / L) / (4 * m * L**2 / 420)])
    np.testing.assert_allclose(beam["frequencies_hz"], np.sqrt(squares) / (2 * np.pi), rtol=1e-9)
    assert beam["mass"] == np.float64(m) and beam["stiffening"] == "off" and not beam["damped"]
    assert "axes: fixed to frame origin" in beam["remarks"]
    link = next(b for b in shown["bodies"] if b["name"] == "link13")
    assert link["flexible"] and link["mass"] == beam["mass"]
    assert [v["acceleration"] for v in shown["velocities"]] == ["a.q11", "a.q21", *[None] * 9]
    assert shown["freedoms"] == 2


def test_show_in_words():
    out, _ = gough("show", "dualemps")
    for part in ("flexible body", "tip.x tip.y tip.rz", "9 elastic rates", "(flexible)", "elastic coordinates 0"):
        assert part in out, part


def test_states_give_elastic_coordinates(tmp_path: Path):
    names = [f"{body}.tip.{c}" for body in ("link13", "link16", "link23") for c in ("x", "y", "rz")]
    file = tmp_path / "states.csv"
    file.write_text(",".join(["q11", "q21", *names]) + "\n" + ",".join(["0.01", "0.02", *["1e-4"] * 9]) + "\n")
    found = gough_json("eval", "dualemps", "configuration", "--state", str(file))
    q = dict(zip(found["outputs"]["q"]["columns"], found["outputs"]["q"]["values"][0], strict=True))
    assert [q[name] for name in names] == [1e-4] * 9
    assert abs(q["q11"] - 0.01) < 1e-12 and abs(q["q21"] - 0.02) < 1e-12
    forces = gough_json("eval", "dualemps", "inverse_dynamics", "--state", str(file))["outputs"]
    assert forces["eddot"]["columns"] == [f"a.{name}" for name in names]


def test_modes(tmp_path: Path):
    found = gough_json("modes", "dualemps", "--undeformed", "--figure", str(tmp_path / "modes.png"))
    assert np.round([m["frequency_hz"] for m in found["modes"][:6]], 3).tolist() == [
        14.207,
        25.042,
        48.156,
        91.907,
        110.326,
        436.197,
    ]
    assert found["stable"] and found["verdict"] == "stable"
    assert all(x["real"] < 0 for x in found["eigenvalues"])  # joints rub
    assert all(np.exp(x["real"] * x["decay_s"]) == pytest.approx(0.02) for x in found["eigenvalues"])
    assert len(found["modes"][0]["shape"]) == len(found["coordinates"]) == 11
    assert (tmp_path / "modes.png").stat().st_size > 5000


def test_modes_in_words():
    out, _ = gough("modes", "dualemps", "--count", "2", "--zero-dynamics", "floating")
    for part in ("14.2068", "and 7 more", "verdict: stable", "inverse model: stable"):
        assert part in out


def test_what_moves_most_is_what_bends():
    """Rigid legs with locked drives: without the plate's bending nothing could move, its frame only follows."""
    out, _ = gough("modes", "long2014", "--count", "2", "--undeformed")
    rows = [line.split(maxsplit=2) for line in out.splitlines() if line.strip()[:2] in ("1 ", "2 ")]
    assert len(rows) == 2
    assert all(names.startswith("platform.mode") for _, _, names in rows)


def test_map_of_modes(tmp_path: Path):
    ranges = ("--range", "q11=0:0.2:3", "--range", "q21=0:0.2:2")
    files = ("--out", str(tmp_path / "map.npz"), "--figure", str(tmp_path / "map.png"))
    found = gough_json("map", "dualemps", "--modes", "2", *ranges, *files)
    assert found["samples"] == 6 and found["unstable"] == 0 and not found["statuses"]
    assert abs(found["frequencies_hz"][0]["median"] - 14.207) < 1e-3
    kept = np.load(tmp_path / "map.npz")
    assert kept["frequencies_hz"].shape == (6, 2)
    assert len(found["files"]) == 2


def test_modes_print_what_the_verdict_cites(tmp_path: Path):
    """A soft slide swings slowly; a pendulum that stands departs at √(g/l), last by size: it is listed however short the list."""
    path = tmp_path / "standing.yaml"
    path.write_text(
        """
format: 1
name: standing
bodies: [{name: a, mass: 1}, {name: b, mass: 1, center_of_mass: [0, 0, 0.1]}]
joints:
  - {name: P, type: prismatic, axis: [1, 0, 0], parent: world, child: a, spring: {stiffness: 1, damping: 0.1}}
  - {name: R, type: revolute, axis: [0, 1, 0], parent: world, child: b}
velocities: [P, R]
""",
        encoding="utf-8",
    )
    out, _ = gough("modes", path, "--drives", "free", "--count", "1")
    assert "at +9.905 1/s" in out  # √(9.81/0.1)
    assert out.count("+9.905") == 2 and "and 1 more (--count)" in out


def test_a_state_without_rest_is_told_without_arguments_of_python(tmp_path: Path):
    """A slide that gravity pulls along comes to rest nowhere."""
    path = tmp_path / "falling.yaml"
    path.write_text(
        """
format: 1
name: falling
bodies: [{name: a, mass: 1}]
joints: [{name: P, type: prismatic, axis: [0, 0, 1], parent: world, child: a}]
velocities: [P]
""",
        encoding="utf-8",
    )
    _, err = gough("modes", path, "--drives", "free", code=3)
    assert "out of balance along a motion that does not change them" in err
    assert "on_bad_state" not in err and "near=" not in err
