"""Files of 0.1 are read, and give the numbers they gave.

The files in `0.1/` were written by the first sources of 0.1 that could write each kind (2026-11-16 to 2026-11-18). What those
sources computed then stands in `numbers.json`. Nothing here is ever written anew: a reader that needs that has broken a promise.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gough
from cli.command import gough as command

FOLDER = Path(__file__).with_name("0.1")
NUMBERS: dict[str, Any] = json.loads((FOLDER / "numbers.json").read_text(encoding="utf-8"))
SAME = 1e-12
"""Of the largest number of its kind."""


def difference(found: Any, told: Any) -> float:
    """Largest difference over the largest number that was told."""
    now, then = np.asarray(found, dtype=float), np.asarray(told, dtype=float)
    assert now.shape == then.shape
    return float(np.abs(now - then).max() / (np.abs(then).max() or 1.0))


@pytest.mark.parametrize("name", ["five_bar", "hexapod", "arm"])
def test_descriptions_give_the_same_forces_and_accelerations(name: str) -> None:
    model, then = gough.build(FOLDER / f"{name}.yaml"), {k: np.array(x) for k, x in NUMBERS[name].items()}
    q, v = then["q"], then["v"]
    assert difference(model.home, q) <= SAME
    assert difference(model.inverse_dynamics(q, v, then["acceleration"]).tau, then["tau"]) <= SAME
    assert difference(model.mass_matrix(q), then["mass_matrix"]) <= SAME
    assert difference(model.forward_dynamics(q, v, then["tau"]).vdot, then["vdot"]) <= SAME


@pytest.mark.parametrize("file", ["run_five_bar.npz", "run_five_bar.parquet", "run_slider_crank.npz"])
def test_runs_hold_what_was_stored_and_show_the_same(file: str) -> None:
    """Runs bring their robots with them. What is stored is kept to the last bit; energies, poses, reactions are computed now."""
    run, then = gough.Run.load(FOLDER / file), NUMBERS[Path(file).stem]
    stored = {"t": run.time, "q": run.q, "v": run.v, "tau": run.tau}
    for name, numbers in then.items():
        if name in stored:
            assert np.array_equal(stored[name], np.array(numbers)), name
        else:
            assert difference(run[name], numbers) <= SAME, name


def test_tables_of_runs_are_read_with_their_robot() -> None:
    run = gough.Run.load(FOLDER / "run_five_bar.csv", gough.build(FOLDER / "five_bar.yaml"))
    assert np.array_equal(run.q, np.array(NUMBERS["run_five_bar"]["q"]))


def test_a_scenario_runs_as_it_did() -> None:
    """Robot, motion, law, changes and method of files of 0.1: 400 steps of rk4."""
    run, then = gough.load_scenario(FOLDER / "scenario.yaml").run(), NUMBERS["run_five_bar"]
    assert run.stopped == "finished"
    for name, found in {"t": run.time, "q": run.q, "v": run.v, "tau": run.tau}.items():
        assert difference(found, then[name]) <= SAME, name


def test_an_identification_has_its_numbers() -> None:
    saved, then = gough.load_identification(FOLDER / "identification.npz"), NUMBERS["identification"]
    assert list(saved.names) == then["names"]
    assert np.array_equal(saved.values, np.array(then["values"]))
    assert np.array_equal([saved.deviations[name] for name in saved.names], np.array(then["deviations"]))


def test_a_study_has_its_designs_and_can_be_run_again() -> None:
    """The folder has its robot and its study with it: the files they came from are not here."""
    found, then = gough.StudyResult.load(FOLDER / "study"), NUMBERS["study"]
    assert np.array_equal(found.front.designs.x, np.array(then["x"]))
    assert np.array_equal(found.front.objectives, np.array(then["objectives"]))
    assert np.array_equal(found.kept.values, np.array(then["values"]))
    again = gough.load_study(FOLDER / "study.yaml").run()
    assert difference(again.kept.values, then["values"]) <= SAME


def test_a_workspace_map_is_read() -> None:
    found, then = gough.Workspace.load(FOLDER / "workspace.npz"), NUMBERS["workspace"]
    assert np.array_equal(found.reachable, np.array(then["reachable"], dtype=bool))
    assert np.array_equal(found.parallel, np.array(then["parallel"], dtype=float), equal_nan=True)


def test_an_old_description_is_upgraded_without_a_change_of_its_numbers(tmp_path: Path) -> None:
    """`gough check FILE --upgrade`: the number of the format alone is another one."""
    old = (FOLDER / "hexapod.yaml").read_text(encoding="utf-8")
    file = tmp_path / "hexapod.yaml"
    file.write_text(old, encoding="utf-8")
    command("check", file, "--upgrade")
    new = file.read_text(encoding="utf-8")
    changed = [(a, b) for a, b in zip(old.splitlines(), new.splitlines(), strict=True) if a != b]
    assert changed == [("format: 1", "format: 2")]
