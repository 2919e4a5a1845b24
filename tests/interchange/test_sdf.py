"""SDF as read: the dynamics of what a file says is that of the mechanism it was written from, however its frames lie."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

import gough
from gough.interchange import ConversionWarning
from interchange.facts import largest_difference
from interchange.mechanisms import floater, four_bar, spatial_loop, tree
from interchange.sdf_writing import SdfWriting

CLOSE = 1e-9
VERSIONS = ["1.4", "1.5", "1.6", "1.7", "1.8", "1.9", "1.10", "1.11", "1.12"]


def saved(folder: Path, text: str, name: str = "robot.sdf") -> Path:
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file


def read_quietly(*args, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConversionWarning)
        return gough.load(*args, **options)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(("facts", "drives"), [(four_bar, "pin_a"), (spatial_loop, "motor"), (tree, None)])
def test_a_mechanism_is_the_same_however_its_frames_lie(tmp_path, version, facts, drives):
    writing = SdfWriting(facts(), version, seed=VERSIONS.index(version))
    text = writing.text()
    robot = read_quietly(saved(tmp_path, text), drives=drives)
    assert len(robot.loops) == (0 if facts is tree else 1)
    assert largest_difference(gough.build(robot), facts(), writing.frames) < CLOSE


@pytest.mark.parametrize("version", ["1.4", "1.9"])
def test_what_nothing_holds_floats(tmp_path, version):
    writing = SdfWriting(floater(), version, seed=3)
    robot = read_quietly(saved(tmp_path, writing.text()))
    assert [j.type for j in robot.joints] == ["free", "revolute", "revolute", "revolute"]
    assert largest_difference(gough.build(robot), floater(), writing.frames) < CLOSE
