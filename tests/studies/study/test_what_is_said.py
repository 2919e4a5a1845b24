"""What a study tells its user: warnings as notes, a page of one design, what to prescribe for gradients."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import gough
from cli.command import gough as command
from studies.study.robots import EXAMPLES, study_of

TRIPOD: dict[str, Any] = {
    "variables": {"link": ["0.45 m", "0.55 m"]},
    "measures": {"force": {"measure": "peak force", "case": "way"}},
    "minimise": "force",
    "search": {"method": "gradient"},
}


def test_warnings_are_notes(tmp_path: Path) -> None:
    """A home that is 0.1 m off is told once, by its words, not by a line of this program."""
    text = (EXAMPLES / "two_slides.yaml").read_text(encoding="utf-8")
    moved = text.replace("left.slide: -sqrt", "left.slide: -0.1 m - sqrt")
    assert moved != text
    (tmp_path / "two_slides.yaml").write_text(moved, encoding="utf-8")
    study = tmp_path / "study.yaml"
    asked = (EXAMPLES / "two_slides_study.yaml").read_text(encoding="utf-8").partition("search:")[0]
    study.write_text(asked + "search: {method: grid, count: 3}\n", encoding="utf-8")
    _, said = command("design", study)
    notes = [line for line in said.splitlines() if "left.slide" in line]
    assert len(notes) == 1 and notes[0].startswith("note: "), said
    assert ".py:" not in said


def test_the_page_of_one_design(tmp_path: Path) -> None:
    """One design, or several that differ by rounding, make no histogram; a sweep's page draws the designs that it kept."""
    known = {"robot": str(EXAMPLES / "two_slides.yaml"), "variables": {"rod": ["0.61 m", "1.2 m"]}}
    known |= {"cases": {"heights": {"poses": [{"y": 0.3}, {"y": 0.6}]}}}
    known |= {"measures": {"even": {"measure": "dexterity", "case": "heights"}}, "maximise": "even"}
    for keep, told in (("front", True), ("all", False)):
        found = study_of(**known, keep=keep, search={"method": "sobol", "count": 4}).run()
        page = found.report(tmp_path / f"{keep}.html").read_text(encoding="utf-8")
        assert ("nothing to compare" in page) == told and ("How many" in page) != told


def test_what_to_prescribe_for_gradients() -> None:
    """A tripod's z, pitch and roll do not tell its angular velocity, whose yaw each design has for itself; its drives do."""
    named = {"joints": {"z": 0.5, "pitch": 0.0, "roll": 0.0}, "sines": {"pitch": [0.05]}}
    with pytest.raises(gough.DescriptionError, match=r"vz, wx, wy.*`velocities: drives`") as told:
        study_of("three_prs", cases={"way": {"motion": {"fourier": {"period": 2.0} | named}, "samples": 5}}, **TRIPOD)
    assert str(told.value).count("gradients") == 1
    slides = gough.build("three_prs").layout.drive_names
    motion = {"drives": dict.fromkeys(slides, 0.0), "sines": {slides[0]: [0.01]}}
    study = study_of(
        "three_prs",
        velocities="drives",
        cases={"way": {"motion": {"fourier": {"period": 2.0} | motion}, "samples": 5}},
        **TRIPOD,
    )
    study.evaluator.demand_gradients()
