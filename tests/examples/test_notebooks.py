"""The notebooks run from top to bottom, and their assertions hold.

Cells are executed as Python in one namespace, without a kernel: no server, no extra package. So cells are plain Python; a magic
would be a syntax error here. Notebooks are kept without outputs.
"""

import json
import warnings
from pathlib import Path

import matplotlib as mpl
import pytest

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


def cells(path, kind="code"):
    notebook = json.loads(path.read_text(encoding="utf-8"))
    return ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == kind]


def test_there_is_one_for_each_job():
    assert [path.stem for path in NOTEBOOKS] == ["control", "hexapod", "identification", "own_robot", "vibration"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_runs(path, tmp_path, monkeypatch):
    import matplotlib.pyplot as plt

    monkeypatch.chdir(tmp_path)
    mpl.use("Agg")
    names = {"__name__": "__main__"}
    figures = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number, code in enumerate(cells(path), 1):
            exec(compile(code, f"{path.name}, cell {number}", "exec"), names)
            figures += len(plt.get_fignums())
            plt.close("all")
    assert figures >= 1


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_is_a_notebook_without_outputs(path):
    """nbformat 4.5: every cell has its own id; nothing is stored that a run would change."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    ids = [cell["id"] for cell in notebook["cells"]]
    assert len(set(ids)) == len(ids)
    for cell in notebook["cells"]:
        assert cell["cell_type"] in ("markdown", "code")
        if cell["cell_type"] == "code":
            assert cell["outputs"] == [] and cell["execution_count"] is None


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_checks_its_numbers(path):
    assert sum("assert " in code for code in cells(path)) >= 3
