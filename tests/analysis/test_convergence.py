"""Load paths that shapes do not follow, and how far frequencies move with richer ones."""

from pathlib import Path

import numpy as np
import pytest

from cli.command import gough_json
from gough.analysis.convergence import compare_with_richer, richer
from gough.errors import UsageError
from gough.robot import load, loads
from gough.structure.elastic.load_paths import load_paths

ROD = """
format: 1
name: pushed_rod
bodies:
  - name: rod
    frames: {tip: {position: [0, 0.48, 0.64]}}
    flexible:
      beam:
        points: [[0, 0, 0], [0, 0.48, 0.64]]
        section: {circle: {radius: 6 mm}}
        material: {E: 120 GPa, nu: 0.3, density: 1600 kg/m3}
        elements: 6
      modes: MODES
  - {name: mass, mass: 2.0, inertia: {about: center_of_mass, xx: 0.01, yy: 0.01, zz: 0.01}}
joints:
  - {name: slide, type: prismatic, axis: [1, 0, 0], parent: world, child: rod, drive: {}}
  - {name: hold, type: fixed, parent: rod, child: mass, pose: {position: [0, 0.48, 0.64]}}
"""
EA, LENGTH = 120e9 * np.pi * 0.006**2, 0.8
ROD_MASS = 1600 * np.pi * 0.006**2 * LENGTH
AXIAL = np.sqrt(EA / LENGTH / (2.0 + ROD_MASS / 3)) / (2 * np.pi)
"""Hz: a mass on a rod, a third of whose own mass moves with it (exact for a rod much lighter than the mass)."""


def rod(modes="{number: 4}"):
    return loads(ROD.replace("MODES", modes))


def test_a_rod_whose_modes_only_bend():
    paths = load_paths(rod())
    assert [(p.missing.kind, p.missing.frame) for p in paths] == [("force", "frame 'tip'"), ("moment", "frame 'tip'")]
    assert np.allclose(paths[0].missing.direction, [0, 0.6, 0.8], atol=1e-6)
    assert paths[0].missing.compliance == pytest.approx(LENGTH / EA, rel=1e-9)
    assert "kind: attachment, number: 4, interfaces: [tip" in str(paths[0])
    assert load_paths(rod("{kind: attachment, interfaces: [tip], number: 2}")) == []
    assert load_paths(rod("{kind: nodal}")) == []


def test_the_frequency_that_had_vanished_comes_back():
    found = compare_with_richer(rod(), about="undeformed")
    assert not np.any(np.abs(found.frequencies_hz / AXIAL - 1) < 0.1)
    assert np.abs(found.richer_hz / AXIAL - 1).min() < 1e-3
    assert len(found.change) == len(found.frequencies_hz) == 4 < len(found.richer_hz)
    assert -0.01 < found.change[0] < -1e-4 and found.change[2] < -0.3


@pytest.mark.slow
def test_a_basis_that_was_rich_enough():
    again = compare_with_richer(rod("{kind: attachment, interfaces: [tip], number: 4}"), about="undeformed")
    assert np.abs(again.change[:6]).max() < 1e-3


def test_only_what_can_get_more_shapes_gets_them():
    assert richer(load("lopes")).changed == ()
    with pytest.raises(UsageError, match="every freedom of its elements"):
        compare_with_richer(rod("{kind: nodal}"))


def test_bodies_that_are_alike_are_told_together(tmp_path: Path):
    text = ROD.replace("MODES", "{number: 4}")
    second = text[text.index("  - name: rod") : text.index("  - {name: mass")].replace("name: rod", "name: twin")
    text = text.replace("joints:", second + "joints:")
    text += "  - {name: other, type: prismatic, axis: [1, 0, 0], parent: world, child: twin, drive: {}}\n"
    paths = load_paths(loads(text))
    assert paths[0].bodies == ("rod", "twin") and "and 1 like it" in str(paths[0])


@pytest.mark.slow
def test_the_command_line_says_it(tmp_path: Path):
    (tmp_path / "rod.yaml").write_text(ROD.replace("MODES", "{number: 4}"))
    checked = gough_json("check", str(tmp_path / "rod.yaml"))
    told = gough_json("modes", str(tmp_path / "rod.yaml"), "--undeformed", "--converged")
    assert checked["load_paths"] == told["load_paths"] and checked["load_paths"][0]["missing"] == pytest.approx(1.0)
    assert told["converged"]["change"][2] < -0.3 and "attachment" in told["converged"]["changed"][0]
