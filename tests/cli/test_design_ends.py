"""How `gough design` ends, and what it says meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from cli.command import gough, gough_json
from studies.study.robots import EXAMPLES


def write_study(folder: Path, old: str = "", new: str = "") -> Path:
    text = (
        (EXAMPLES / "two_slides_study.yaml").read_text().replace("two_slides.yaml", str(EXAMPLES / "two_slides.yaml"))
    )
    assert not old or old in text
    (folder / "s.yaml").write_text(text.replace(old, new) if old else text)
    return folder / "s.yaml"


def test_no_feasible_design_is_exit_code_1(tmp_path: Path) -> None:
    study = write_study(tmp_path, "maximise:", "constraints: {dexterity: {at_least: 2}}\nmaximise:")
    more: Any
    for more in ((), ("--robot-out", tmp_path / "a.yaml"), ("--out", tmp_path / "o", "--choose", "0")):
        out, err = gough("design", study, *more, code=1)
        assert "0 feasible" in out and "none of" in err and not (tmp_path / "a.yaml").exists()
    assert gough_json("design", study, code=1)["feasible"] == 0


def test_lines_of_progress(tmp_path: Path, limits: Callable[..., None]) -> None:
    limits(design_every_s=0.001)
    out, err = gough("design", write_study(tmp_path))
    assert "designs, " in err and "feasible (" in err and "… " not in out


def test_what_is_not_installed_is_told_when_it_is_read(tmp_path: Path, limits: Callable[..., None]) -> None:
    limits(study_packages=lambda name: None)
    study = write_study(tmp_path, "{method: gradient, starts: 2}", "{method: evolution}")
    assert "gough[studies]" in gough("design", study, code=2)[1]
