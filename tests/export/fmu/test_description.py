"""What stands beside the code: descriptions that importers accept, units, terminals, the same bytes for the same model."""

import xml.etree.ElementTree as ET
import zipfile

import fmpy
import numpy as np
import pytest
from fmpy.validation import validate_fmu

import gough
from gough.export import export_fmu
from gough.robot import loads

from .conftest import VERSIONS, Instance


@pytest.mark.parametrize("version", VERSIONS)
def test_no_problem_is_found(five_bar, version):
    assert validate_fmu(str(five_bar[version][0])) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", ["delta", "hobby_6rss", "dualemps", "screw_hexapod", "redundant_planar"])
def test_other_robots(name, tmp_path):
    for version in VERSIONS:
        file = export_fmu(gough.build(name), tmp_path / "x.fmu", version=version, binary=False, derivatives=False)
        assert validate_fmu(str(file)) == []


def test_terminals(five_bar):
    with zipfile.ZipFile(five_bar["3.0"][0]) as archive:
        root = ET.fromstring(archive.read("terminalsAndIcons/terminalsAndIcons.xml"))
    names = {x.name for x in fmpy.read_model_description(str(five_bar["3.0"][0])).modelVariables}
    terminals = root.findall("Terminals/Terminal")
    assert [x.get("name") for x in terminals] == ["drive left_motor", "drive right_motor", "frame left_rod.tool"]
    members = [x.get("variableName") for t in terminals for x in t]
    assert set(members) <= names
    assert "left_motor.force" in members


@pytest.mark.parametrize("version", VERSIONS)
def test_same_bytes(version, tmp_path):
    """The same model gives the same file, another one another token."""
    model = gough.build("five_bar")
    given = {"version": version, "binary": False, "derivatives": False}
    one, two = (export_fmu(model, tmp_path / f"{k}.fmu", **given) for k in "ab")
    other = export_fmu(model, tmp_path / "c.fmu", step=2e-3, **given)
    assert one.read_bytes() == two.read_bytes()
    tokens = [fmpy.read_model_description(str(file)).guid for file in (one, other)]
    assert tokens[0] != tokens[1]


SLIDER = """
format: 2
name: slider
variables: {crank: 0.1 m, rod: 0.3 m}
gravity: [0, -9.81, 0]
bodies:
  - {name: wheel, mass: 1.0, center_of_mass: [crank/2, 0, 0]}
  - {name: link, mass: 0.5, center_of_mass: [rod/2, 0, 0]}
  - {name: piston, mass: 2.0}
joints:
  - {name: motor, type: revolute, parent: world, child: wheel, axis: [0, 0, 1], drive: {}}
  - {name: pin, type: revolute, parent: wheel, child: link, axis: [0, 0, 1], pose: {position: [crank, 0, 0]}}
  - {name: slide, type: prismatic, parent: world, child: piston, axis: [1, 0, 0]}
loops:
  - {name: wrist, type: revolute, first: {body: link, pose: {position: [rod, 0, 0]}}, second: {body: piston}, axis: [0, 0, 1]}
home: {joints: {motor: 60 deg, slide: 0.3}}
velocities: [motor]
"""


def test_variables_of_the_description(tmp_path):
    """Where a description has variables these are the parameters: another rod puts the piston where geometry says."""
    file = export_fmu(gough.build(loads(SLIDER)), tmp_path / "slider.fmu", derivatives=False)
    one = Instance(file, fmpy.extract(str(file), str(tmp_path / "slider")), "steps")
    parameters = [x for x in one.description.modelVariables if x.causality == "parameter"]
    assert [(x.name, float(x.start or 0.0), x.unit) for x in parameters] == [
        ("variable.crank", 0.1, "m"),
        ("variable.rod", 0.3, "m"),
    ]
    one.put(**{"variable.rod": 0.35})
    one.begin()
    a, r, l = np.radians(60), 0.1, 0.35
    assert one.get("q.slide")[0] == pytest.approx(r * np.cos(a) + np.sqrt(l**2 - (r * np.sin(a)) ** 2), abs=1e-12)
    one.fmu.freeInstance()


@pytest.mark.parametrize("version", VERSIONS)
def test_units(five_bar, version):
    found = {x.name: x.baseUnit for x in fmpy.read_model_description(str(five_bar[version][0])).unitDefinitions}
    wanted = {
        "N m": (1, 2, -2, 0),
        "rad/s2": (0, 0, -2, 1),
        "kg m2": (1, 2, 0, 0),
        "W": (1, 2, -3, 0),
        "rad": (0, 0, 0, 1),
    }
    for unit, powers in wanted.items():
        base = found[unit]
        assert base is not None
        assert (base.kg, base.m, base.s, base.rad) == powers
