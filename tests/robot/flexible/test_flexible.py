"""Flexible bodies in the description: what is read, every fault with its place and remedy, what is written."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gough.errors import UsageError
from gough.robot import Body, dump, dumps, load, loads
from gough.robot.files import resolve_path
from robot.documents import platform_of, problems, put, text
from robot.flexible.flexible_documents import BEAM, BODY, PLATE, VALID, tree
from robot.test_light_import import loaded
from robot.test_schema import complaints, read


def lower(robot: Any, leg: int) -> Any:
    return robot.legs[leg].chain[0].body.flexible


def test_numbers_are_in_si():
    robot = loads(VALID)
    flexible = platform_of(robot).body.flexible
    assert flexible is not None and flexible.plate is not None and flexible.modes is not None
    material = flexible.plate.material
    assert (material.E, material.nu, material.density) == (70e9, 0.33, 2700.0)
    assert (flexible.plate.thickness, flexible.plate.size) == (0.004, 0.08)
    assert flexible.plate.holes[0][0] == (-0.05, -0.05)
    assert flexible.plate.placement.position == (0.0, 0.0, 0.01)
    assert flexible.frequencies == pytest.approx((10.0, 20.0, 30.0), rel=1e-15)  # 20 pi rad/s is 10 Hz
    assert flexible.ties.radius == 0.03 and flexible.ties.at["tool"].tolerance == 0.001
    beam = lower(robot, 0).beam
    assert beam.material.G == 80e9 and beam.section.tube.radius == 0.01
    assert beam.segment_elements() == (2, 3) and len(beam.segment_sections()) == 2
    assert lower(robot, 0).stiffening == "auto"


def test_a_leg_changes_its_template():
    robot = loads(VALID)
    changed = lower(robot, 1)
    assert changed.beam.segment_elements() == (4, 4) and changed.beam.theory == "timoshenko"
    assert changed.modes.number is None and changed.modes.up_to == 300.0
    assert lower(robot, 2) == lower(robot, 0) != changed


def test_written_and_read_back(tmp_path: Path):
    robot = loads(VALID)
    assert loads(dumps(robot)) == robot
    dump(robot, tmp_path / "again.yaml")
    assert load(tmp_path / "again.yaml") == robot
    assert "mass: 0" not in dumps(robot)


def test_the_schema_knows_them():
    assert complaints(read(VALID), read_schema()) == []
    assert complaints(read(dumps(loads(VALID))), read_schema()) == []
    for place, value in (
        (f"{PLATE}/thicknes", 1),
        (f"{BEAM}/theory", "shell"),
        ("platform/flexible/stiffening", "maybe"),
    ):
        assert complaints(read(text(put(tree(), place, value))), read_schema()), place


def read_schema() -> Any:
    from robot.test_schema import SCHEMA

    return SCHEMA


@pytest.mark.parametrize(
    ("place", "value", "path", "message"),
    [
        (f"{PLATE}/thickness", "-4 mm", "platform.flexible.plate.thickness", "negative"),
        (f"{PLATE}/thickness", "4 kg", "platform.flexible.plate.thickness", "another dimension"),
        (f"{PLATE}/material/nu", 0.5, "platform.flexible.plate.material.nu", "Poisson's ratio of 0.5 or more"),
        (f"{PLATE}/material/nu", -1, "platform.flexible.plate.material.nu", "-1 or less"),
        (f"{PLATE}/material/G", "20 GPa", "platform.flexible.plate.material.G", "given twice"),
        (f"{PLATE}/material/nu", "-", "platform.flexible.plate.material.nu", "missing"),
        (f"{PLATE}/material/density", 0, "platform.flexible.plate.material.density", "zero"),
        (f"{PLATE}/outline", [[0, 0], [1, 0]], "platform.flexible.plate.outline", "polygon of 2 corners"),
        (f"{PLATE}/membrane", "yes", "platform.flexible.plate.membrane", "not true or false"),
        (f"{PLATE}/thick", 1, "platform.flexible.plate.thick", "did you mean 'thickness'"),
        ("platform/mass", 3, "platform.mass", "mass of a flexible body"),
        ("platform/inertia", {"about": "origin"}, "platform.inertia", "inertia of a flexible body"),
        ("platform/parameters", {"M": 3}, "platform.parameters", "parameters of a flexible body"),
        ("platform/payload", {"mass": 3}, "platform.payload", "payload of a flexible body"),
        ("platform/frames/mean", {}, "platform.frames.mean", "cannot be called 'mean'"),
        ("platform/flexible/modes", "-", "platform.flexible.modes", "without modes"),
        ("platform/flexible/modes/number", 2.5, "platform.flexible.modes.number", "not a whole number"),
        ("platform/flexible/modes/number", 0, "platform.flexible.modes.number", "no modes at all"),
        ("platform/flexible/modes/up_to", "9 Hz", "platform.flexible.modes.up_to", "given twice"),
        ("platform/flexible/modes/align", "tol", "platform.flexible.modes.align", "no frame 'tol'"),
        ("platform/flexible/modes/interfaces", ["tool"], "platform.flexible.modes.interfaces", "interfaces of free"),
        ("platform/flexible/frequencies", [1, -2, 3], "platform.flexible.frequencies[1]", "negative"),
        ("platform/flexible/frequencies", [1, "2 mm", 3], "platform.flexible.frequencies[1]", "another dimension"),
        ("platform/flexible/stiffness", [1, 0, 3], "platform.flexible.stiffness[1]", "zero"),
        ("platform/flexible/stiffening", "on", "platform.flexible.stiffening", "do not say how they shorten"),
        ("platform/flexible/stiffening", "rigid_motion", "platform.flexible.stiffening", "do not say how they shorten"),
        ("platform/flexible/damping/ratio", -0.1, "platform.flexible.damping.ratio", "negative"),
        (
            "platform/flexible/damping/matrix",
            [[1, 2]],
            "platform.flexible.damping.matrix[0]",
            "2 entries in a row of 1",
        ),
        ("platform/flexible/solid", {}, "platform.flexible.solid", "given twice"),
        ("platform/flexible/ties/at/tol", {}, "platform.flexible.ties.at.tol", "no frame 'tol'"),
        (f"{BEAM}/length", 1, "templates.ups.chain[0].body.flexible.beam.length", "given twice"),
        (f"{BEAM}/points", [[0, 0, 0]], "templates.ups.chain[0].body.flexible.beam.points", "1 points"),
        (
            f"{BEAM}/elements",
            [1, 2, 3],
            "templates.ups.chain[0].body.flexible.beam.elements",
            "3 elements of 2 segments",
        ),
        (f"{BEAM}/section", {}, "templates.ups.chain[0].body.flexible.beam.section.rectangle", "section is missing"),
        (f"{BEAM}/section/tube/wall", 0.01, "templates.ups.chain[0].body.flexible.beam.section.tube.wall", "as thick"),
        (
            f"{BEAM}/section",
            {"rectangle": {"y": 0.01, "z": 0.02}},
            "templates.ups.chain[0].body.flexible.beam.section_y",
            "not the same about y and z",
        ),
        (
            f"{BEAM}/section",
            {"area": 1e-4, "Iz": "2 mm4"},
            "templates.ups.chain[0].body.flexible.beam.section.Iy",
            "a beam in space needs Iy",
        ),
        (
            f"{BODY}/telescopic",
            {"joint": "slide", "inertia": {}},
            "templates.ups.chain[0].body.telescopic",
            "telescopic of a flexible body",
        ),
    ],
)
def test_faults(place, value, path, message):
    found = [p for p in problems(text(put(tree(), place, value))) if p.path == path]
    assert found, problems(text(put(tree(), place, value)))
    assert message in found[0].message and found[0].line
    assert found[0].expected


def test_all_faults_at_once():
    document = tree()
    for place, value in (
        (f"{PLATE}/thickness", -1),
        (f"{PLATE}/material/nu", 0.7),
        (f"{BEAM}/elements", 0),
        ("platform/mass", 1),
    ):
        put(document, place, value)
    paths = {p.path for p in problems(text(document))}
    beam = "templates.ups.chain[0].body.flexible.beam.elements"
    assert {"platform.flexible.plate.thickness", "platform.flexible.plate.material.nu", "platform.mass", beam} <= paths


def test_files_are_sought_beside_the_description(tmp_path: Path):
    document = tree()
    solid = {"file": "parts/plate.msh", "material": {"E": 70e9, "nu": 0.3, "density": 2700}, "unit": "mm"}
    put(document, "platform/flexible/plate", "-")
    put(document, "platform/flexible/solid", solid)
    file = tmp_path / "robot.yaml"
    file.write_text(text(document))
    found = problems(text(document), str(file))
    assert [p.path for p in found] == ["platform.flexible.solid.file"]
    assert found[0].message == "no such file" and str(tmp_path) in found[0].expected
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "plate.msh").write_text("")
    robot = load(file)
    assert platform_of(robot).body.flexible.solid.file == "parts/plate.msh"  # type: ignore[union-attr]
    again = tmp_path / "elsewhere" / "robot.yaml"
    again.parent.mkdir()
    dump(robot, again)
    assert platform_of(load(again)).body.flexible.solid.file == "../parts/plate.msh"  # type: ignore[union-attr]
    assert problems(text(put(document, "platform/flexible/solid/unit", "parsec")), str(file))


def test_a_python_object_may_stand_for_it():
    class Own:
        def elastic_body(self, points: Any) -> Any:
            return points

    own = Own()
    body = Body(name="own", flexible=own)  # type: ignore[arg-type]
    assert body.flexible is own
    robot = loads(VALID)
    changed = robot.model_copy(update={"bodies": (body,)})
    with pytest.raises(UsageError, match="cannot be written"):
        dumps(changed)
    with pytest.raises(ValueError, match="not a mapping"):
        Body(name="own", flexible=3)  # type: ignore[arg-type]


@pytest.mark.slow
def test_reading_stays_light():
    assert loaded("import gough.robot; gough.robot.load('dualemps')") == {"ruamel"}
    assert "skfem" not in loaded("import gough; gough.build('five_bar')")


@pytest.mark.parametrize(
    ("written", "hertz"), [(5, 5.0), ("5 Hz", 5.0), ("5 rad/s", 5 / (2 * math.pi)), ("300 rpm", 5.0)]
)
def test_a_frequency_is_in_hertz_or_radians(written, hertz):
    flexible = platform_of(loads(text(put(tree(), "platform/flexible/frequencies", [written] * 3)))).body.flexible
    assert flexible is not None and flexible.frequencies is not None
    np.testing.assert_allclose(flexible.frequencies, hertz, rtol=1e-15)


def test_files_are_found_from_wherever_a_program_goes(tmp_path, monkeypatch):
    """A description read by a relative path, and a file of the same name elsewhere: what is written names the first one."""
    text = ROD_OF_A_FILE.format(file="rod.msh")
    for folder in ("here", "there"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "rod.msh").write_text(folder)
    (tmp_path / "here" / "robot.yaml").write_text(text)
    monkeypatch.chdir(tmp_path)
    robot = load("here/robot.yaml")
    monkeypatch.chdir(tmp_path / "there")

    def found(one):
        return resolve_path(one.bodies[0].flexible.solid.file, one.origin).read_text()

    again = loads(dumps(robot))
    assert found(robot) == found(again) == "here" and again == robot
    dump(robot, tmp_path / "there" / "copy.yaml")
    assert found(load(tmp_path / "there" / "copy.yaml")) == "here" and load(tmp_path / "there" / "copy.yaml") == robot
    other = loads(text)
    assert found(other) == "there" and other != robot


ROD_OF_A_FILE = """
format: 1
name: arm
bodies:
  - name: rod
    flexible:
      solid: {{file: {file}, material: {{E: 70 GPa, nu: 0.3, density: 2700}}}}
      modes: {{number: 2}}
joints: [{{name: hinge, type: revolute, parent: world, child: rod, drive: {{}}}}]
"""
