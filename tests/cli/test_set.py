"""Variables of a description from the command line, in scenarios and in many runs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import gough as library
from backends.compiled_c import needs_compiler, run_driver
from cli.command import gough, gough_json
from gough import laws, vary
from gough.robot import load

CRANE = """
format: 2
name: crane
variables: {rope: 2 m, load_mass: 5 kg, height: 2*rope}
bodies:
  - {name: trolley, mass: 20}
  - {name: load, mass: load_mass, center_of_mass: [0, 0, -rope]}
joints:
  - {name: rail, type: prismatic, axis: [1, 0, 0], parent: world, child: trolley, drive: {}}
  - {name: swing, type: revolute, axis: [0, 1, 0], parent: trolley, child: load}
velocities: [rail, swing]
"""
SCENARIO = """
format: 1
name: swinging
robot: crane.yaml
duration: 0.2
changes: {variables: {ROPE}}
start: {coordinates: {swing: 0.1}}
"""


@pytest.fixture
def crane(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "crane.yaml").write_text(CRANE)
    return tmp_path / "crane.yaml"


def test_commands_take_other_values(crane: Path) -> None:
    first, other = (gough("show", crane, "--parameters", *more)[0] for more in ((), ("--set", "rope=300 cm")))
    assert first != other and "-15 " in other.replace("-15.0", "-15 ")  # load.MZ = -m l
    for command in (["check"], ["count"], ["verify", "--states", "1"]):
        gough(command[0], crane, *command[1:], "--set", "rope=3", "--set", "load_mass=1")
    assert gough_json("modes", crane, "--set", "rope=8", "--drives", "locked") != gough_json(
        "modes", crane, "--drives", "locked"
    )


@needs_compiler
def test_exports_by_variables(crane: Path, tmp_path: Path) -> None:
    """The driver's references are the interpreter's, at the values of the description."""
    options = ("--out", tmp_path, "--name", "f", "--variables", "--derivative", "variables")
    gough("export", crane, "forward_dynamics", *options)
    assert "variables[2]" in (tmp_path / "f.h").read_text(encoding="utf-8")
    assert run_driver(tmp_path, "f").returncode == 0
    for option in ("--baked", "--no-friction"):
        assert "variables=True beside" in gough("export", crane, "mass_matrix", "--variables", option, code=2)[1]
    assert "has no variables" in gough("export", "five_bar", "mass_matrix", "--variables", code=2)[1]


def test_the_viewer_takes_other_values(crane: Path, tmp_path: Path) -> None:
    pytest.importorskip("viser")
    pages = [tmp_path / f"{rope}.html" for rope in ("2 m", "200 cm", "3")]
    for page in pages:
        gough("view", crane, "--set", f"rope={page.stem}", "--export", page)
    same, alike, other = (page.read_bytes() for page in pages)
    assert len(same) > 1000 and len(same) == len(alike) and same != other
    for run in ("run.npz", "swinging.yaml"):
        (tmp_path / "swinging.yaml").write_text(SCENARIO.replace("ROPE", "rope: 3"))
        assert "--set is for robots" in gough("view", run, "--set", "rope=3", "--export", pages[0], code=2)[1]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("rop=3", "no variable 'rop'; use 'rope'"),
        ("rope=3 kg", "is a mass, and rope is a length"),
        ("rope", "give NAME=VALUE"),
        ("height=3", "follows from others"),
    ],
)
def test_what_is_wrong_is_said(crane: Path, given: str, said: str) -> None:
    assert said in gough("show", crane, "--set", given, code=2)[1]
    assert "given twice" in gough("show", crane, "--set", "rope=1", "--set", "rope=2", code=2)[1]


def end_of(rope: float) -> np.ndarray:
    model = library.build(load("crane.yaml").with_variables({"rope": rope}))
    return library.simulate(model, None, laws.Free((0.0,)), q=[0.0, 0.1], duration=0.2).q[-1]


def test_runs_and_scenarios(crane: Path) -> None:
    del crane
    gough("simulate", "crane.yaml", "--set", "rope=3 m", "--duration", "0.2", "--at", "swing=0.1", "--out", "a.npz")
    Path("swinging.yaml").write_text(SCENARIO.replace("ROPE", "rope: 3"))
    gough("simulate", "--scenario", "swinging.yaml", "--out", "b.npz")
    gough("simulate", "--scenario", "swinging.yaml", "--set", "rope=1", "--out", "c.npz")
    for file, rope in (("a.npz", 3.0), ("b.npz", 3.0), ("c.npz", 1.0)):
        np.testing.assert_allclose(library.Run.load(file).q[-1], end_of(rope), rtol=1e-7)
    Path("swinging.yaml").write_text(SCENARIO.replace("ROPE", "rop: 300 cm"))
    assert (
        "swinging.yaml:6: changes.variables: no variable 'rop'"
        in gough("simulate", "--scenario", "swinging.yaml", code=2)[1]
    )


def test_many_runs_vary_variables(crane: Path) -> None:
    model = library.build(load(str(crane)))
    found = library.simulate_many(
        model, [0.0, 0.1], vary=vary.sweep({"rope": [1.0, 3.0], "trolley.M": [20.0, 10.0]}), duration=0.2
    )
    assert found.varied["rope"].tolist() == [1.0, 1.0, 3.0, 3.0]
    np.testing.assert_allclose(found.end_q[[0, 2]], [end_of(1.0), end_of(3.0)], rtol=1e-6)
    drawn = vary.monte_carlo({"rope": vary.spread(0.1), "load_mass": vary.uniform(1, 2)}, 20, seed=3)
    told = library.simulate_many(model, [0.0, 0.1], vary=drawn, duration=0.1).varied
    assert told["load_mass"].min() > 1.0 and told["load_mass"].max() < 2.0
    assert abs(told["rope"].mean() - 2.0) < 0.2 and told["rope"].std() > 0.05
    report = gough_json("simulate", crane, "--vary", "rope=1,2", "--duration", "0.1", "--at", "swing=0.1")
    assert report["varied"][0]["name"] == "rope" and report["varied"][0]["unit"] == "m"
    assert (
        "no parameter or variable 'ropes'"
        in gough("simulate", crane, "--vary", "ropes=1,2", "--duration", "0.1", code=2)[1]
    )
