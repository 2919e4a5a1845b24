"""The contracts in pyproject.toml hold, and notice a package that breaks them."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

# (importer, imported, allowed)
CASES = [
    ("dynamics", "scalar", True),
    ("dynamics", "errors", True),
    ("backends", "program", True),
    ("model", "dynamics", True),
    ("kinematics", "dynamics", True),
    ("compilation", "backends", True),
    ("robots", "robot", True),
    ("program", "scalar", True),
    ("scalar", "spatial", False),
    ("scalar", "program", False),
    ("errors", "scalar", False),
    ("joints", "friction", True),
    ("friction", "joints", False),
    ("robot", "dynamics", False),
    ("dynamics", "program", False),
    ("dynamics", "backends", False),
    ("program", "backends", False),
    ("program", "spatial", False),
    ("program", "robot", False),
    ("backends", "joints", False),
    ("backends", "dynamics", False),
    ("analysis", "simulation", False),
    ("simulation", "backends", False),
    ("export", "backends", False),
    ("model", "backends", False),
    ("model", "compilation", True),
    ("viewer", "export", False),
    ("compilation", "cli", False),
    ("compilation", "dynamics", False),
    ("compilation", "structure", False),
    ("kinematics", "model", False),
    ("gough_papers", "simulation", True),
    ("gough_bench", "compilation", True),
    ("simulation", "gough_papers", False),
    ("cli", "gough_bench", False),  # a command that is not listed
    ("gough_papers", "gough_bench", False),
    ("kinematics", "compilation", True),
    ("model", "kinematics", True),
    ("kinematics", "model", False),
    ("compilation", "kinematics", False),
    ("simulation/results", "simulation/integration", True),
    ("simulation/control", "simulation/integration", False),
    ("simulation/results", "simulation/run", False),
    ("cellar", "errors", False),  # a package that is in no layer
]

# One process for all folders: starting import-linter is what takes the time.
RUNNER = """
import contextlib, io, json, os, sys
from importlinter.cli import lint_imports
verdicts = []
for folder in sys.argv[2:]:
    os.chdir(folder)  # import-linter looks for the package here first
    with contextlib.redirect_stdout(io.StringIO()) as report:
        code = lint_imports(config_filename=sys.argv[1], no_cache=True, no_logo=True)
    verdicts.append([code, report.getvalue()])
print(json.dumps(verdicts))
"""


def lint(*folders: Path) -> list[tuple[int, str]]:
    """Exit code and report of the contracts on the packages found in each folder."""
    command = [sys.executable, "-c", RUNNER, str(ROOT / "pyproject.toml"), *map(str, folders)]
    run = subprocess.run(command, env=os.environ | {"NO_COLOR": "1"}, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
    return json.loads(run.stdout)


@pytest.mark.slow  # `make lint` does it
def test_layers_of_the_package():
    [(code, report)] = lint(ROOT / "src")
    assert code == 0, report


def path_of(package: str) -> str:
    return package if package.startswith("gough") else f"gough/{package}"


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory):
    folders = []
    for importer, imported, _ in CASES:
        folder = tmp_path_factory.mktemp("case")
        there = ("gough", "gough_papers", "gough_bench", "gough/backends", "gough/compilation")  # contracts name them
        parents = [path_of(package.partition("/")[0]) for package in (importer, imported)]
        texts = dict.fromkeys((*there, *parents, path_of(imported)), "")
        for name, text in {**texts, path_of(importer): f"import {path_of(imported).replace('/', '.')}\n"}.items():
            (folder / name).mkdir(exist_ok=True)
            (folder / name / "__init__.py").write_text(text)
        folders.append(folder)
    return lint(*folders)


def test_contracts_bite(verdicts):
    for (importer, imported, allowed), (code, report) in zip(CASES, verdicts, strict=True):
        assert "Contracts:" in report, report
        assert (code == 0) == allowed, f"{importer} imports {imported}\n{report}"
