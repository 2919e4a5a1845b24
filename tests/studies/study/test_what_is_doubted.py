"""Studies that run, and may not be what was meant: angles in degrees, limits that no measure asks for, constraints that no design
keeps. The robot is two slides on a rail: its rods reach a height y with the slides at ∓√(rod² - y²)."""

from __future__ import annotations

import math
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gough
from cli.command import gough as command
from gough.errors import UnitWarning, VariableWarning
from gough.robot import loads
from studies.study.robots import EXAMPLES, study_of

SLIDES = (EXAMPLES / "two_slides.yaml").read_text(encoding="utf-8")
LIMITED = SLIDES.replace("drive: {}", "drive: {stroke: [-0.7, 0.7]}")
KNOWN: dict[str, Any] = {
    "variables": {"rod": ["0.65 m", "0.95 m"]},
    "cases": {"low": {"poses": [{"y": 0.3}]}},
    "measures": {"dexterity": {"measure": "dexterity", "case": "low"}},
    "maximise": "dexterity",
    "search": {"method": "grid", "count": 4},
}
TURNING = """
format: 2
name: lamp
variables: {lean: 12 deg, arm: 0.4 m}
bodies: [{name: arm, mass: 2, center_of_mass: [arm, 0, 0], inertia: {about: center_of_mass, yy: 0.1}}]
joints:
  - {name: hinge, type: revolute, axis: [0, 1, 0], parent: world, child: arm, pose: {rpy_zyx: [0, lean, 0]}, drive: {}}
"""
LAMP: dict[str, Any] = {
    "variables": {"lean": ["0 deg", "25 deg"]},
    "cases": {"still": {"poses": [{"hinge": "10 deg"}]}},
    "measures": {
        "moment": {"measure": "peak force", "case": "still"},
        "turn": {"measure": "coordinate:hinge", "case": "still", "reduce": "largest"},
    },
    "minimise": "moment",
    "search": {"method": "grid", "count": 2},
}


def lamp(**keys: Any) -> gough.Study:
    return gough.make_study({"robot": loads(TURNING), **LAMP, **keys})


def test_angles_that_are_degrees() -> None:
    """25 rad is 3.98 turns; with a unit, or less than a turn, nothing is said."""
    asked = [
        (
            {"variables": {"lean": [0, 25]}},
            r"variables\.lean\.to: 25 without a unit is 25 rad, 3\.98 turns; write '25 deg'",
        ),
        ({"cases": {"still": {"poses": [{"hinge": 10}]}}}, r"cases\.still\.poses\[0\]\.hinge: 10 without"),
        ({"cases": {"still": {"grid": {"hinge": [-10, 1, 3]}}}}, r"cases\.still\.grid\.hinge: -10 without"),
        ({"constraints": {"turn": {"at_most": 45}}}, r"constraints\.turn\.at_most: 45 without"),
        ({"tolerances": {"deviations": {"lean": 10}}}, r"tolerances\.deviations\.lean: 10 without"),
    ]
    for keys, said in asked:
        with pytest.warns(UnitWarning, match=said):
            lamp(**keys)
    with warnings.catch_warnings():
        warnings.simplefilter("error", UnitWarning)
        lamp(variables={"lean": [0, 0.4]}, constraints={"turn": {"at_most": "2500 deg"}})


def test_an_angle_in_a_file_has_its_line(tmp_path: Path) -> None:
    (tmp_path / "lamp.yaml").write_text(TURNING, encoding="utf-8")
    text = "format: 1\nrobot: lamp.yaml\nvariables:\n  lean: [0, 25]\nmeasures: {m: mass}\nminimise: m\n"
    study = tmp_path / "study.yaml"
    study.write_text(text, encoding="utf-8")
    with pytest.warns(UnitWarning, match=r"study\.yaml:4: variables\.lean\.to: 25 without"):
        gough.load_study(study)


def test_screws_count_their_turns() -> None:
    """An angle that the description has beyond a turn is no slip."""
    screw = """
format: 2
name: jack
variables: {step: 5 mm}
bodies: [{name: nut, mass: 3}]
joints: [{name: screw, type: ball_screw, lead: step, parent: world, child: nut, drive: {}}]
home: {joints: {screw: 40 rev}}
"""
    keys = {
        "variables": {"step": ["4 mm", "6 mm"]},
        "measures": LAMP["measures"] | {"turn": "mass"},
        "minimise": "moment",
    }
    with warnings.catch_warnings():
        warnings.simplefilter("error", UnitWarning)
        study = gough.make_study({"robot": loads(screw), "cases": {"still": {"poses": [{"screw": 300.0}]}}, **keys})
    assert study.evaluate()["moment"] == pytest.approx(3 * 9.80665 * 5e-3 / (2 * np.pi), rel=2e-3)


def test_limits_that_are_exceeded_are_told() -> None:
    """At y = 0.3 the best rod of those up to 0.95 m is the shortest, √(0.65² - 0.3²) = 0.577 within 0.7; turned round it is the
    longest, whose slides stand 0.901 from home: 0.201 beyond."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        study_of(loads(LIMITED), **KNOWN).run()
    worst = study_of(loads(LIMITED), **KNOWN | {"maximise": [], "minimise": "dexterity"})
    beyond = math.sqrt(0.95**2 - 0.3**2) - 0.7
    with pytest.warns(
        VariableWarning, match=rf"exceed limits of two_slides: in case 'low' .*slide stroke .* by {beyond:.3g} m"
    ):
        found = worst.run()
    assert found.variables()["rod"] == 0.95
    asked = KNOWN["measures"] | {"margin": {"measure": "margin", "case": "low"}}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        study = study_of(loads(LIMITED), **KNOWN | {"measures": asked, "constraints": {"margin": {"at_least": 0}}})
        kept = study_of(
            loads(LIMITED),
            **KNOWN
            | {"measures": asked, "maximise": [], "minimise": "dexterity", "constraints": {"margin": {"at_least": 0}}},
        ).run()
    assert kept.variables()["rod"] == pytest.approx(0.75) and study.evaluate({"rod": 0.95})["margin"] == pytest.approx(
        -beyond
    )


@pytest.mark.parametrize("search", [{"method": "grid", "count": 4}, {"method": "gradient", "starts": 1}])
@pytest.mark.parametrize("keep", ["front", "all"])
def test_constraints_that_no_design_keeps(search: dict[str, Any], keep: str) -> None:
    """At y = 0.3 tan φ = 0.3/√(l² - 0.09) is largest for the shortest rod, 0.5203 at 0.65 m."""
    study = study_of(
        loads(SLIDES), **KNOWN | {"constraints": {"dexterity": {"at_least": 0.9}}, "search": search, "keep": keep}
    )
    best = 0.3 / math.sqrt(0.65**2 - 0.09)
    with pytest.warns(
        VariableWarning, match=rf"rod = 0\.65, which does not keep dexterity ≥ 0\.9 \(it has {best:.6g}\)"
    ):
        found = study.run()
    assert found.robots and not found.feasible


def test_power_of_poses_is_refused() -> None:
    """Nothing moves there: no bound of it would ever bind."""
    with pytest.raises(
        gough.DescriptionError, match=r"measures\.p.*'peak power' is 0 where nothing moves, and case 'low' has no"
    ):
        study_of(
            loads(SLIDES), **KNOWN | {"measures": KNOWN["measures"] | {"p": {"measure": "peak power", "case": "low"}}}
        )


def test_wrong_measures_are_told_beside_wrong_cases() -> None:
    """And what is wrong with a number does not make it missing."""
    keys = KNOWN | {
        "variables": {"rod": "0.8 m"},
        "cases": {"low": {"poses": [{"yy": 0.3}], "payload": {"mass": "3 mm"}}},
        "measures": {
            "dexterity": {"measure": "dexterty", "case": "low"},
            "force": {"measure": "peak forse", "case": "lo"},
        },
    }
    with pytest.raises(gough.DescriptionError) as told:
        study_of(loads(SLIDES), **keys)
    said = str(told.value)
    for words in (
        "variables.rod: not a range (got '0.8 m'; expected [from, to]",
        "no coordinate 'yy'",
        "'dexterty' is no measure; use 'dexterity'",
        "'peak forse' is no measure; use 'peak force'",
        "no case 'lo'",
        "payload.mass: a unit of another dimension",
    ):
        assert words in said, said
    assert "missing" not in said and len(told.value.problems) == 6


def test_a_measure_that_ends_in_an_error_is_named() -> None:
    """Rigid links with drives locked do not swing."""
    study = study_of(
        loads(SLIDES), **KNOWN | {"measures": KNOWN["measures"] | {"hz": {"measure": "frequency", "case": "low"}}}
    )
    with pytest.raises(gough.UsageError, match="measure hz of case 'low': two_slides does not swing"):
        study.run()


def test_a_front_without_a_choice_is_shown_before_it_is_refused(tmp_path: Path) -> None:
    """Without a folder nothing is looked for: it would be lost."""
    (tmp_path / "two_slides.yaml").write_text(SLIDES, encoding="utf-8")
    study, best, folder = tmp_path / "study.yaml", tmp_path / "best.yaml", tmp_path / "found"
    text = (EXAMPLES / "two_slides_study.yaml").read_text(encoding="utf-8").partition("maximise:")[0]
    more = "  way: {measure: stroke, case: heights}\nmaximise: dexterity\nminimise: way\nsearch: {method: grid, count: 6}\n"
    study.write_text(text + more, encoding="utf-8")
    said, told = command("design", study, "--robot-out", best, code=2)
    assert "--out FOLDER" in told and not said
    said, told = command("design", study, "--robot-out", best, "--out", folder, code=2)
    assert "6 designs by grid" in said and "choose one by its number" in told and not best.exists()
    command("design", study, "--robot-out", best, "--choose", 0)
    assert best.exists()
