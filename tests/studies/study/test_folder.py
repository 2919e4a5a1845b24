"""A study's folder: it is enough by itself, and says what is wrong with it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

import gough
from gough.errors import FileError, GoughError, UsageError
from studies.study.robots import EXAMPLES, slider, slider_study, study_of

STUDY = """
format: 1
robot: robot_here.yaml
variables: {rod: [0.61 m, 1.2 m]}
cases: {heights: {poses: [{y: 0.3 m}, {y: 0.6 m}], payload: {mass: 2 kg}, wrench: [1, 0, 0, 0, 0, 0]}}
measures: {dexterity: {measure: dexterity, case: heights}, force: {measure: peak force, case: heights}}
maximise: dexterity
minimise: force
constraints: {dexterity: {at_least: 0.1}}
search: {method: sobol, count: 32, seed: 1}
"""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A study's file and its robot's."""
    folder = tmp_path / "source"
    folder.mkdir()
    shutil.copy(EXAMPLES / "two_slides.yaml", folder / "robot_here.yaml")
    (folder / "mine.yaml").write_text(STUDY)
    return folder


@pytest.mark.slow
def test_a_folder_may_be_moved_and_needs_nothing_else(source: Path, tmp_path: Path) -> None:
    study = gough.load_study(source / "mine.yaml")
    found = study.run()
    found.save(tmp_path / "out")
    shutil.rmtree(source)
    shutil.move(tmp_path / "out", tmp_path / "elsewhere")
    again = gough.StudyResult.load(tmp_path / "elsewhere")
    assert again.remarks == () and not again.partial and again.study.text == STUDY
    assert (again.designs, again.robots, again.feasible) == (found.designs, found.robots, found.feasible)
    for name in ("x", "values", "constraints", "violation"):
        assert np.array_equal(getattr(again.front.designs, name), getattr(found.front.designs, name))
    rod = float(np.hypot(0.3, 0.6))  # by hand: even at both heights, with 0.3/0.6
    assert again.study.evaluate({"rod": rod})["dexterity"] == pytest.approx(0.5, rel=1e-9)
    k = again.nearest({"dexterity": 0.5})
    assert again.binding(k) == found.binding(k)
    assert again.evaluate_again(k) == pytest.approx(found.values(k), rel=1e-9)  # its own description, built anew


def test_motions_weights_and_tolerances_are_kept(tmp_path: Path) -> None:
    """The piston's way is twice the crank; with tolerances it is that of the worst robot."""
    study = slider_study(
        minimise=["torque", "way"], tolerances={"deviations": {"crank": 0.01}, "draws": 8, "seed": 2, "of": ["way"]},
        search={"method": "sobol", "count": 16, "seed": 3}, keep="all",
    )  # fmt: skip
    study.run().save(tmp_path)
    again = gough.StudyResult.load(tmp_path)
    t = again.study.evaluator.tolerances
    assert t is not None and len(again.kept.x) == 16
    way = again.front.designs.values[:, 0]
    assert way == pytest.approx(2 * (again.front.designs.x[:, 0] + t.deviations[:, 0].max()), rel=1e-9)


def test_what_was_changed_is_told_or_refused(source: Path, tmp_path: Path) -> None:
    gough.load_study(source / "mine.yaml").run().save(tmp_path / "out")
    robot = source / "robot_here.yaml"
    robot.write_text(robot.read_text().replace("mass: 0.8", "mass: 0.9"))
    remark = " ".join(gough.StudyResult.load(tmp_path / "out").remarks)
    assert "robot_here.yaml was changed since" in remark and "run the study again" in remark
    copy = tmp_path / "out" / "robot.yaml"
    copy.write_text(copy.read_text().replace("mass: 0.8", "mass: 0.9"))
    with pytest.raises(UsageError, match=r"robot\.yaml: the robot was changed .* Put the file back .* or run"):
        gough.StudyResult.load(tmp_path / "out")
    copy.unlink()
    with pytest.raises(FileError, match=r"robot\.yaml: the study's robot is missing"):
        gough.StudyResult.load(tmp_path / "out")


def test_parts_of_a_run_that_was_ended_are_shown_as_that(tmp_path: Path) -> None:
    study = slider_study(search={"method": "gradient", "starts": 3, "iterations": 5})
    whole = study.run(tmp_path / "parts")
    assert not gough.StudyResult.load(tmp_path).partial
    (tmp_path / "parts" / "part000002.npz").unlink()
    asked = tmp_path / "parts" / "asked.json"
    asked.write_text(asked.read_text().replace('"finished": true', '"finished": false'))  # as it is while a run goes on
    found = gough.StudyResult.load(tmp_path)
    assert found.partial and len(found.descents) == 2 and found.designs < whole.designs
    assert "interrupted" in found.remarks[0] and f"--out {tmp_path}" in found.remarks[0]
    (tmp_path / "parts" / "part000001.npz").write_bytes(b"nothing")
    with pytest.warns(gough.errors.RunWarning, match="done again"):
        found = gough.StudyResult.load(tmp_path)
    assert len(found.descents) == 1 and "damaged" in " ".join(found.remarks)


def test_folders_that_hold_no_study_are_named(tmp_path: Path) -> None:
    with pytest.raises(
        UsageError, match="no such folder; give the folder that `gough design STUDY --out FOLDER` wrote"
    ):
        gough.StudyResult.load(tmp_path / "nowhere")
    with pytest.raises(UsageError, match=r"no folder of a study, there is no asked\.json"):
        gough.StudyResult.load(tmp_path)
    slider_study(search={"method": "gradient", "starts": 1, "iterations": 2}).run().save(tmp_path)
    path = tmp_path / "asked.json"
    told = json.loads(path.read_text())
    told["study"]["variables"][0]["upper"] = 9.0
    path.write_text(json.dumps(told))
    with pytest.raises(FileError, match=r"asked\.json: it was changed after the study"):
        gough.StudyResult.load(tmp_path)
    path.write_text("{")
    with pytest.raises(FileError, match=r"asked\.json: not what a study asked, or damaged"):
        gough.StudyResult.load(tmp_path)
    path.unlink()
    with pytest.raises(UsageError, match=r"asked\.json is missing"):
        gough.StudyResult.load(tmp_path)


def test_files_that_the_robot_names_are_copied(tmp_path: Path) -> None:
    corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    faces = [(1, 3, 2), (1, 2, 4), (1, 4, 3), (2, 3, 4)]
    text = "".join(f"v {a} {b} {c}\n" for a, b, c in corners) + "".join(f"f {a} {b} {c}\n" for a, b, c in faces)
    there = tmp_path / "there"
    there.mkdir()
    (there / "look.obj").write_text(text)
    plain = (EXAMPLES / "two_slides.yaml").read_text()
    (there / "robot.yaml").write_text(
        plain.replace("platform: {mass: 1.0,", "platform: {mass: 1.0, mesh: {file: look.obj},")
    )
    study = study_of(
        gough.load(there / "robot.yaml"),
        variables={"rod": [0.61, 1.2]},
        measures={"mass": "mass"},
        minimise="mass",
        search={"method": "grid", "count": 2},
    )
    study.run().save(tmp_path / "out")
    shutil.rmtree(there)
    assert (tmp_path / "out" / "robot_files" / "look.obj").read_text() == text
    robot = gough.StudyResult.load(tmp_path / "out").robot()
    gough.save(robot, tmp_path / "best.yaml")
    assert "look.obj" in (tmp_path / "best.yaml").read_text() and gough.load(tmp_path / "best.yaml")


def test_designs_by_their_variables() -> None:
    study = slider_study()
    assert float(study.robot_at({"crank": 0.15}).variables["crank"]) == 0.15
    assert float(slider().variables["rod"]) == float(study.robot_at({}).variables["rod"])
    with pytest.raises(GoughError, match="no variable 'krank'"):
        study.robot_at({"krank": 0.15})


def test_designs_that_were_kept_go_along(source: Path, tmp_path: Path) -> None:
    """Parts lie in one folder, the result is saved in another: that one has all designs, too."""
    study = gough.load_study(_keeping_all(source))
    found = study.run(tmp_path / "run")
    found.save(tmp_path / "out")
    shutil.rmtree(tmp_path / "run")
    again = gough.StudyResult.load(tmp_path / "out")
    assert len(again.kept.x) == again.designs == 32 and not again.remarks
    np.testing.assert_array_equal(again.kept.x, study.run().kept.x)
    other = gough.load_study(_keeping_all(source, "count: 32", "count: 16")).run(tmp_path / "other")
    with pytest.raises(UsageError, match=r"another study: search is .*count.*32.* there"):
        other.save(tmp_path / "out")


def _keeping_all(source: Path, old: str = "", new: str = "") -> Path:
    (source / "all.yaml").write_text(STUDY.replace(old, new) + "keep: all\n")
    return source / "all.yaml"


BENT = """
format: 2
name: arm
variables: {load: 0.2 kg}
bodies:
  - {name: rod, flexible: {modal: {file: rod.npz}}, frames: {tip: {position: [0.8, 0, 0]}}}
  - {name: tool, mass: load}
joints:
  - {name: hinge, type: revolute, parent: world, child: rod, drive: {}}
  - {name: wrist, type: revolute, parent: rod, child: tool, pose: {position: [0.8, 0, 0]}, drive: {}}
home: {joints: {hinge: 0}}
"""


def _bending_study(folder: Path, modulus: float) -> gough.Study:
    """Of an arm whose rod is a file's: the file as it is with this modulus of elasticity."""
    from gough.fem import (
        ClampedModes,
        Material,
        NodeTie,
        Rectangle,
        beam_elements,
        modal_data_of_elements,
        write_modal_file,
    )

    section, material = Rectangle(0.02, 0.02), Material(modulus, 2700.0, 0.3)
    rod = beam_elements([[0, 0, 0], [0.8, 0, 0]], section, material, elements=8, plane=True)
    ends = {"root": NodeTie([0, 0, 0]), "far": NodeTie([0.8, 0, 0])}
    write_modal_file(folder / "rod.npz", modal_data_of_elements(rod, ClampedModes("root", 3), ends))
    (folder / "robot.yaml").write_text(BENT)
    return study_of(
        gough.load(folder / "robot.yaml"),
        variables={"load": [0.1, 0.5]},
        cases={"home": {"poses": [{}]}},
        measures={"pitch": {"measure": "frequency:0", "case": "home"}},
        maximise="pitch",
        search={"method": "grid", "count": 3},
    )


def test_parts_are_of_files_as_they_were(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Four times as stiff, twice as fast: parts of the rod as it was are not taken for those of the new one."""
    soft = _bending_study(tmp_path, 70e9).run(tmp_path / "parts").values()["pitch"]
    monkeypatch.chdir(tmp_path)  # the same files, seen from elsewhere
    again = _bending_study(tmp_path, 70e9).run(tmp_path / "parts")
    assert again.values()["pitch"] == soft
    stiff = _bending_study(tmp_path, 4 * 70e9)
    with pytest.raises(UsageError, match=r"another study: robot is .*rod\.npz with SHA-256 \w+… there and"):
        stiff.run(tmp_path / "parts")
    assert stiff.run().values()["pitch"] == pytest.approx(2 * soft, rel=1e-6)
