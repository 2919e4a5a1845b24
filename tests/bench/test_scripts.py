"""Every script in benchmarks/ runs: with --tiny on a small case, up to the device or the browser where there is none."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from backends.compiled_c import needs_compiler

FOLDER = Path(__file__).parents[2] / "benchmarks"
SCRIPTS = sorted(path.name for path in FOLDER.glob("*.py"))


def run(name: str, *arguments: str | Path, needs: str = "") -> str:
    """What a script printed; needs: what it may ask for where that is missing."""
    path = os.pathsep.join([str(FOLDER.parent / "src"), os.environ.get("PYTHONPATH", "")])
    given = {**os.environ, "PYTHONPATH": path, "MPLBACKEND": "Agg", "OMP_NUM_THREADS": "1"}
    command = [sys.executable, str(FOLDER / name), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, env=given, check=False)
    if done.returncode and needs:
        assert done.returncode == 1 and len(done.stderr.splitlines()) == 1, done.stderr
        assert name in done.stderr and needs in done.stderr
    else:
        assert done.returncode == 0, done.stderr
    return done.stdout


def test_no_script_is_left_out() -> None:
    text = Path(__file__).read_text("utf-8")
    assert SCRIPTS and all(f'"{name}"' in text for name in SCRIPTS)


@pytest.mark.slow
@pytest.mark.parametrize("name", SCRIPTS)
def test_help(name: str) -> None:
    assert "--tiny" in run(name, "--help")


def test_four_bar_chain(tmp_path: Path) -> None:
    run("four_bar_chain.py", "--tiny", "--json", tmp_path / "a.json", "--figure", tmp_path / "a.png")
    assert (tmp_path / "a.json").exists() and (tmp_path / "a.png").exists()


@pytest.mark.slow
def test_cuda(tmp_path: Path) -> None:
    """Rigid and flexible robots, with and without drives; what is made here is read there."""
    archive = tmp_path / "cuda.tar.gz"
    run("cuda_artefacts.py", archive, "--tiny", "--robots", "five_bar,spin_up_beam,four_bar_chain,dualemps")
    found = run("cuda_states.py", archive, "--tiny", "--json", tmp_path / "a.json", needs="NVIDIA GPU")
    assert "functions to time" in found


@pytest.mark.slow
def test_stepping() -> None:
    assert "| five_bar | rk4, 2 drives |" in run("stepping.py", "--tiny")


@needs_compiler
@pytest.mark.slow
def test_real_time(tmp_path: Path) -> None:
    assert "| rigid hexapod, computed torque |" in run("real_time.py", "--tiny", "--out", tmp_path)


@pytest.mark.slow
def test_real_loop(tmp_path: Path) -> None:
    assert "| five_bar | 160 | 1 kHz, encoders, noise, delays |" in run("real_loop.py", "--tiny", "--out", tmp_path)


@pytest.mark.slow
def test_one_state() -> None:
    assert "configuration(drives=)" in run("one_state.py", "--tiny")


@pytest.mark.slow
def test_zoo(tmp_path: Path) -> None:
    """A file with loops beside it, compared with Pinocchio in a process of its own; and the list is one that the script reads."""
    assert "1 files: 1 right, 0 differs" in run("zoo.py", tmp_path, "--tiny", "--json", tmp_path / "a.json")
    listed = yaml.safe_load((FOLDER / "zoo.yaml").read_text("utf-8"))["repositories"]
    record = json.loads((FOLDER / "zoo.json").read_text("utf-8"))["files"]
    assert len(record) == sum(len(own["files"]) for own in listed.values())
    assert not [row["file"] for row in record if row.get("failure") or not row["licence"]]


@pytest.mark.slow
def test_designs() -> None:
    assert "by design" in run("designs.py", "--tiny")


@pytest.mark.slow
def test_first_run(tmp_path: Path) -> None:
    assert "multiply-add" in run("first_run.py", "--tiny", "--json", tmp_path / "a.json")
    assert (tmp_path / "a.json").exists()


@pytest.mark.slow
def test_assembler_tier() -> None:
    assert "forward_dynamics" in run("assembler_tier.py", "--tiny")


@pytest.mark.slow
def test_modes_cost(tmp_path: Path) -> None:
    run("modes_cost.py", "--tiny", "--out", tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"modes_cost.json", "modes_cost.png"}


@pytest.mark.slow
def test_identification_coverage(tmp_path: Path) -> None:
    found = run("identification_coverage.py", "--tiny", "--cache", tmp_path / "runs", "--out", tmp_path / "figures")
    assert "| five_bar | 23 | known | 4 | 0 |" in found and len(list((tmp_path / "runs").iterdir())) == 1
    assert {path.suffix for path in (tmp_path / "figures").iterdir()} == {".json", ".md"}


@pytest.mark.slow
def test_identification_speed(tmp_path: Path) -> None:
    assert "| legs | 25 | 30000 |" in run("identification_speed.py", "--tiny", "--out", tmp_path)
    assert {path.suffix for path in tmp_path.iterdir()} == {".json", ".md"}


@pytest.mark.slow
def test_excitation(tmp_path: Path) -> None:
    run("excitation.py", "--tiny", "--out", tmp_path)
    assert {path.suffix for path in tmp_path.iterdir()} == {".json", ".md"}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["simulate_dualemps.py", "work_precision.py"])
def test_work_and_precision(name: str, tmp_path: Path) -> None:
    run(name, "--tiny", "--out", tmp_path)
    assert {path.suffix for path in tmp_path.iterdir()} == {".json", ".png"}


@pytest.mark.slow
def test_ensemble_hexapod(tmp_path: Path) -> None:
    assert '"error"' in run("ensemble_hexapod.py", "cpu", "--tiny")
    run("ensemble_hexapod.py", "prepare", tmp_path, "--tiny")
    run("ensemble_hexapod.py", "gpu", tmp_path, "--tiny", needs="NVIDIA GPU")


@pytest.mark.slow
def test_quiet_moves(tmp_path: Path) -> None:
    assert "'move': 'quiet, ±10 %'" in run("quiet_moves.py", "--tiny", "--out", tmp_path)
    assert {path.suffix for path in tmp_path.iterdir()} == {".json", ".md"}


@pytest.mark.slow
def test_viewer() -> None:
    run("viewer.py", "--tiny", needs="Chrom")


@pytest.mark.slow
def test_studies(tmp_path: Path) -> None:
    run("studies.py", "--tiny", "--out", tmp_path)
    told = json.loads((tmp_path / "studies.json").read_text())
    assert (
        told["rows"][0]["front"] > 0 and told["bending"]["after"]["frequency"] > told["bending"]["before"]["frequency"]
    )


@pytest.mark.slow
def test_cluster(tmp_path: Path) -> None:
    run("cluster.py", "--tiny", "--out", tmp_path)
    assert (tmp_path / "cluster.md").exists()


@pytest.mark.slow
def test_platforms(tmp_path: Path) -> None:
    run("platforms.py", "--tiny", "--out", tmp_path)
    told = json.loads((tmp_path / "platforms.json").read_text())
    (row,) = told["robots"]["ups"]
    assert row["search"]["again"] < 1e-9 and row["search"]["hypervolume"] > row["nsga2"]["hypervolume_at_a_tenth"]
    assert told["indicator_error"] < 1e-14  # inclusion and exclusion


@pytest.mark.slow
def test_observers(tmp_path: Path) -> None:
    assert "| dualemps | encoders | Extended | exact |" in run("observers.py", "--tiny", "--out", tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"observers.json"}
